//! Stores of secrets and keys: printing is the default reading; what runs with them in its environment is not followed.

use super::arg::Arg;
use super::code::Code;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Exposure, Mark, Role, Undo};

pub(super) const CODES: &[(&str, Code)] = &[
    ("secrets.sops", sops),
    ("secrets.store", store),
    ("secrets.keys", keys),
    ("secrets.certificates", certificates),
];

fn sops(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    match words.first().copied().unwrap_or_default() {
        "exec-env" | "exec-file" | "edit" => draft.opaque(Some(scene.span), "runs a program with the decrypted values"),
        "encrypt" => draft.become_(Capability::ReadWorkspace),
        "updatekeys" | "rotate" | "set" | "unset" => draft.become_(Capability::WriteWorkspace),
        "filestatus" | "keyservice" => draft.become_(Capability::Inspect),
        _ => {}
    }
}

fn store(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let program = verb::program(scene);
    let first = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    let runs = ["run", "exec", "exec-env", "inject", "connect", "shell", "export", "login"];
    match (program.as_str(), first) {
        (_, "--version" | "version" | "help" | "status" | "whoami" | "sync" | "unlocked" | "lock") => draft.become_(Capability::Inspect),
        ("op", "vault" | "account" | "user" | "group") if second == "list" => draft.become_(Capability::Inspect),
        ("pass" | "gopass" | "passage", "ls" | "list" | "find" | "search" | "git") if second.is_empty() || first != "git" => {
            draft.become_(Capability::Inspect);
        }
        ("pass" | "gopass" | "passage", "rm" | "remove" | "delete") | ("bw" | "op" | "doppler" | "infisical" | "chamber", "delete" | "rm") => {
            draft.become_(Capability::Delete);
            draft.blast.undo = Undo::Irreversible;
        }
        ("pass" | "gopass" | "passage", "insert" | "generate" | "edit" | "init" | "mv" | "cp") => draft.become_(Capability::WriteOutside),
        ("age" | "rage", _) => {
            let decrypts = parsed.args.iter().any(|arg| verb::is(arg, &["-d", "--decrypt"]));
            if !decrypts {
                draft.become_(Capability::ReadWorkspace);
            }
            files(draft, parsed, scene);
        }
        ("age-keygen", _) => {
            draft.become_(Capability::WriteWorkspace);
            files(draft, parsed, scene);
        }
        ("ansible-vault" | "git-crypt" | "transcrypt" | "ejson" | "eyaml", "encrypt" | "create" | "rekey" | "init" | "createkeys") => {
            draft.become_(Capability::WriteWorkspace);
            files(draft, parsed, scene);
        }
        (_, verb) if runs.contains(&verb) => draft.opaque(Some(scene.span), "runs a program with secrets in its environment, or signs in"),
        ("aws-vault" | "envchain" | "teller" | "dotenvx" | "dotenv-vault", "list" | "ls" | "get-profile" | "ext") => draft.become_(Capability::Inspect),
        ("envchain" | "saml2aws" | "gimme-aws-creds", _) => draft.opaque(Some(scene.span), "runs a program with secrets in its environment, or signs in"),
        _ => {}
    }
}

/// Paths among the arguments: what stands behind `-o` is written, the rest is read.
fn files(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    let mut write = false;
    for arg in parsed.args {
        let text = arg.prefix();
        if matches!(text, "-o" | "--output" | "-out" | "-keyout" | "-writerand") {
            write = true;
        } else if text.starts_with('-') {
            write = false;
        } else if super::draft::looks_like_path(text) || write {
            verb::path(draft, scene, arg, if write { Role::Write } else { Role::Read });
            write = false;
        }
    }
}

fn keys(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    let flag = |names: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, names));
    match verb::program(scene).as_str() {
        "klist" | "ykman" | "certmgr" if words.is_empty() || matches!(first, "list" | "info") => draft.become_(Capability::Inspect),
        "keytool" | "certutil" | "pkcs11-tool" if flag(&["-list", "-printcert", "-L", "-dump", "-hashfile", "-verify", "--list-slots", "-help"]) => {
            draft.become_(Capability::Inspect);
        }
        "keytool" => draft.become_(Capability::WriteOutside),
        "certutil" if flag(&["-decode", "-encode", "-urlcache", "-decodehex"]) => {
            draft.become_(Capability::Unknown);
            draft.opaque(Some(scene.span), "decodes or fetches a file under a harmless name");
        }
        "secret-tool" if matches!(first, "store" | "clear") => draft.become_(Capability::WriteOutside),
        "cmdkey" if flag(&["/list", "-l"]) => draft.become_(Capability::Inspect),
        _ => {}
    }
}

/// openssl, ssh-add, certificates.
fn certificates(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    let flag = |names: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, names));
    match verb::program(scene).as_str() {
        "openssl" => openssl(draft, parsed, scene, first),
        "ssh-add" if flag(&["-l", "-L"]) => draft.become_(Capability::Inspect),
        "ssh-add" => draft.become_(Capability::SecretRead),
        "ssh-agent" => {
            draft.become_(Capability::Process);
            let rest: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
            verb::runs(scene, rest);
        }
        "ssh-keyscan" => draft.become_(Capability::NetFetch),
        "ssh-copy-id" => {
            draft.become_(Capability::Remote);
            draft.mark(Mark::Persistence);
            draft.note("adds a way to sign in on another machine");
        }
        "gpg-agent" | "gpgconf" | "gpg-connect-agent" => draft.become_(Capability::Process),
        "htpasswd" | "minisign" | "signify" => {
            draft.become_(Capability::WriteWorkspace);
            for (_, arg) in parsed.operands.iter().take(1) {
                verb::path(draft, scene, arg, Role::Write);
            }
        }
        "mkcert" if flag(&["-CAROOT", "-version"]) => draft.become_(Capability::Inspect),
        "mkcert" if !flag(&["-install", "-uninstall"]) => {
            draft.become_(Capability::WriteWorkspace);
            files(draft, parsed, scene);
        }
        "certbot" | "acme.sh" if matches!(first, "certificates" | "--list" | "--version") => draft.become_(Capability::Inspect),
        "step" if matches!(first, "certificate" | "crypto") && words.get(1).is_some_and(|word| matches!(*word, "inspect" | "fingerprint" | "verify")) => {
            draft.become_(Capability::Inspect);
            files(draft, parsed, scene);
        }
        _ => verb::privileged(draft, "changes which certificates or keys this machine trusts"),
    }
}

fn openssl(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>, first: &str) {
    files(draft, parsed, scene);
    match first {
        "s_client" | "s_time" | "ocsp" => draft.become_(Capability::NetSend),
        "s_server" => {
            draft.become_(Capability::NetSend);
            draft.blast.exposure = Exposure::CanExfiltrate;
        }
        "" => draft.opaque(Some(scene.span), "reads its commands from what is typed later"),
        _ => {}
    }
    let loads = parsed.args.iter().any(|arg| verb::is(arg, &["-engine", "-provider", "-provider-path", "-config"]));
    if loads {
        draft.opaque(Some(scene.span), "code or settings that openssl loads");
    }
    if parsed.args.iter().any(|arg| arg.prefix().starts_with("pass:")) {
        draft.note("carries a secret in clear");
    }
}
