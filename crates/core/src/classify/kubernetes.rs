//! Kubernetes: reads that print credentials, dry runs, where manifests come from, what runs in the cluster.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::shell::Feed;
use super::usage::Parsed;
use super::verb::{self, runs, words};
use crate::action::{Capability, Exposure, Reach, Role, Scale, Undo};

pub(super) const CODES: &[(&str, Code)] = &[
    ("kubernetes.read", read),
    ("kubernetes.raw", raw),
    ("kubernetes.dry_run", dry_run),
    ("kubernetes.file", file),
    ("kubernetes.create", create),
    ("kubernetes.exec", exec),
    ("kubernetes.helpers", helpers),
];

/// `get secrets` names them, with `-o yaml` it prints them.
fn read(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let words = words(parsed);
    let secret = words.iter().any(|word| {
        word.is_empty() || word.split([',', '/']).any(|part| matches!(part.to_ascii_lowercase().split('.').next(), Some("secret" | "secrets")))
    });
    let whole = parsed.options.iter().filter(|found| matches!(found.name.as_str(), "-o" | "--output" | "--template")).any(|found| {
        found.value.as_ref().is_none_or(|value| {
            !value.exact().is_some_and(|text| matches!(text, "wide" | "name"))
        })
    });
    if secret {
        draft.blast.exposure = if whole { Exposure::CanExfiltrate } else { Exposure::ReadsSecrets };
        draft.note("reads credentials of the cluster");
    }
    if words.first().is_some_and(|word| *word == "dump") {
        draft.blast.exposure = Exposure::ReadsSecrets;
    }
    if parsed.has(&["-t"]) {
        verb::prints_secret(draft, "prints the token");
    }
}

/// `--raw /api/…/secrets/…`
fn raw(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    if parsed.value(&["--raw"]).is_some_and(|value| value.exact().is_none_or(|text| text.contains("secret"))) {
        draft.blast.exposure = Exposure::CanExfiltrate;
        draft.note("reads credentials of the cluster");
    }
}

/// `--dry-run`, unless it is `none`.
fn dry_run(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let value = parsed.value(&["--dry-run"]);
    let holds = match value {
        None => true,
        Some(value) => matches!(value.exact(), Some("client" | "server" | "true")),
    };
    if holds && matches!(draft.capability, Capability::Cloud) {
        verb::looks(draft, Capability::Cloud);
        draft.note("only says what it would change");
    }
}

/// Where a manifest comes from.
fn file(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "-f") {
        let Some(value) = &found.value else { continue };
        let text = value.prefix();
        if text == "-" {
            if !matches!(scene.feed, Feed::Text(_) | Feed::File(_)) {
                draft.opaque(Some(value.span), "a manifest that another command prints");
            }
        } else if text.contains("://") || text.starts_with("github.com/") {
            draft::add_url(draft, value, Role::Connect);
            draft.note("a manifest from the network");
        } else {
            verb::path(draft, scene, value, Role::Read);
        }
    }
}

/// Roles and bindings are rights.
fn create(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let rights = ["role", "rolebinding", "clusterrole", "clusterrolebinding"];
    if words(parsed).first().is_some_and(|word| rights.contains(word)) && draft.blast.reach >= Reach::External {
        verb::privileged(draft, "changes rights in the cluster");
        draft.blast.reach = Reach::External;
    }
}

/// `exec POD -- CMD…`
fn exec(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let rest: Vec<Arg> = match verb::after(parsed.args, &["--"]) {
        Some(rest) => rest.to_vec(),
        None => parsed.operands.iter().skip(1).map(|operand| operand.1.clone()).collect(),
    };
    if rest.is_empty() {
        draft.opaque(Some(scene.span), "a shell in the cluster that reads what is typed later");
    }
    runs(scene, rest);
}

fn helpers(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    match verb::program(scene).as_str() {
        "kustomize" | "kubeseal" | "kubeconform" | "pluto" | "polaris" | "kubescape" | "popeye" | "nova" | "kubent" => {
            draft.become_(if first == "edit" { Capability::WriteWorkspace } else { Capability::Build });
        }
        "kubectx" | "kubens" => {
            let asks = words.is_empty() || parsed.args.iter().any(|arg| verb::is(arg, &["-c", "--current", "-h", "--help"]));
            draft.become_(if asks { Capability::Inspect } else { Capability::WriteOutside });
            draft.note("changes where later commands go");
        }
        "stern" | "kubetail" | "hubble" => verb::looks(draft, Capability::Cloud),
        "k9s" | "tilt" | "skaffold" | "telepresence" | "garden" | "devspace" | "okteto" if !matches!(first, "version" | "list" | "status") => {
            draft.opaque(Some(scene.span), "runs programs in the cluster and here");
        }
        _ => verbs(draft, scene, &words),
    }
}

fn verbs(draft: &mut Draft, scene: &Scene<'_>, words: &[&str]) {
    for word in words.iter().take(3) {
        match *word {
            "get" | "list" | "ls" | "status" | "version" | "logs" | "diff" | "describe" | "history" | "wait" | "check" | "stats" | "tree"
            | "top" | "analyze" | "proxy-status" | "help" | "lint" | "validate" | "export" | "resources" | "dashboard" | "health" => {
                return verb::looks(draft, Capability::Cloud);
            }
            "delete" | "destroy" | "uninstall" | "remove" | "rm" | "reset" | "terminate" => {
                return verb::destroys(draft, Capability::Cloud, Scale::Sweeping);
            }
            "create" | "apply" | "sync" | "install" | "upgrade" | "set" | "scale" | "rollback" | "update" | "patch" | "edit" | "bootstrap"
            | "reconcile" | "suspend" | "resume" | "restore" | "backup" | "submit" | "retry" | "stop" | "init" | "join" | "up" => {
                draft.become_(Capability::Cloud);
                draft.blast.undo = Undo::Hard;
                return;
            }
            "login" | "token" | "kubeconfig" => return draft.become_(Capability::SecretRead),
            _ => {}
        }
    }
    draft.opaque(Some(scene.span), "a subcommand that is not known");
}
