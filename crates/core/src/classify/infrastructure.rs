//! Infrastructure by description: checks that win over rewriting, tools that change other machines.

use super::code::Code;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Role, Scale};

pub(super) const CODES: &[(&str, Code)] =
    &[("infrastructure.fmt", fmt), ("infrastructure.machines", machines), ("infrastructure.ansible", ansible)];

/// `terraform fmt -check`
fn fmt(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let checks = parsed.args.iter().any(|arg| verb::is(arg, &["-check", "--check", "-check=true", "-write=false", "-diff-only"]));
    if checks {
        draft.become_(Capability::Inspect);
        for target in &mut draft.targets {
            if target.role == Role::Write {
                target.role = Role::List;
            }
        }
    } else if parsed.operands.is_empty() {
        verb::path(draft, scene, &super::arg::Arg::text(".", scene.span), Role::Write);
    }
}

/// ansible and its kin run what their files say; the products of other makers by their verbs.
fn machines(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let program = verb::program(scene);
    let has = |names: &[&str]| words.iter().take(2).any(|word| names.contains(word));
    match program.as_str() {
        "packer" if has(&["validate", "fmt", "inspect", "version", "console", "hcl2_upgrade"]) => draft.become_(Capability::Inspect),
        "packer" if has(&["init", "plugins"]) => draft.become_(Capability::Package),
        "packer" => draft.become_(Capability::Iac),
        "infracost" | "terrascan" | "driftctl" => verb::looks(draft, Capability::Cloud),
        "consul" if words.first() == Some(&"kv") && has(&["get", "export"]) => draft.become_(Capability::SecretRead),
        "nomad" | "consul" | "waypoint" | "boundary" | "juju" | "spacectl" | "env0" | "atlantis" => {
            if has(&["status", "list", "info", "logs", "inspect", "members", "version", "validate", "plan", "catalog", "ui", "show"]) {
                verb::looks(draft, Capability::Cloud);
            } else if has(&["exec", "ssh", "connect", "alloc-exec"]) {
                draft.opaque(Some(scene.span), "runs a program on another machine");
            } else if has(&["stop", "delete", "purge", "destroy", "leave", "remove"]) || words.contains(&"stop") {
                verb::destroys(draft, Capability::Cloud, Scale::Many);
            } else {
                draft.become_(Capability::Cloud);
            }
        }
        "knife" | "chef" | "cloud-init" | "bolt" if has(&["show", "list", "status", "query", "analyze", "schema", "version"]) => {
            verb::looks(draft, Capability::Remote);
        }
        _ => draft.opaque(Some(scene.span), "runs what a description says, on other machines"),
    }
}

fn ansible(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    if verb::program(scene) == "ansible-galaxy" && !words.iter().any(|word| matches!(*word, "list" | "info" | "search" | "verify")) {
        draft.become_(Capability::Package);
        if words.iter().any(|word| matches!(*word, "publish" | "import" | "delete" | "setup")) {
            draft.become_(Capability::PackagePublish);
        }
    }
}
