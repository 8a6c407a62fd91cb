//! Network clients: fetch or send, to whom, with which files; listeners and tunnels.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::text::program_of;
use super::usage::Parsed;
use crate::action::{Blast, Capability, Exposure, Mark, Reach, Role, Scale, TargetKind, Undo};
use crate::host;
use crate::knowledge::Slot;

pub(super) const CODES: &[(&str, Code)] = &[
    ("network.curl", curl),
    ("network.curl_remote_name", curl_remote_name),
    ("network.wget", wget),
    ("network.httpie", httpie),
    ("network.scp", scp),
    ("network.rsync", rsync),
    ("network.netcat", netcat),
    ("network.tunnel", tunnel),
    ("network.openssl", openssl),
];

/// Every host that is named is this machine itself, and at least one is named.
fn all_local(draft: &Draft) -> bool {
    let mut any = false;
    for target in &draft.targets {
        if let TargetKind::Host { local, .. } = &target.kind {
            any = true;
            if !local {
                return false;
            }
        }
    }
    any
}

/// Sends: to this machine itself that is no way out.
fn sends(draft: &mut Draft) {
    if all_local(draft) {
        draft.become_(Capability::NetLoopback);
    } else {
        draft.at_least(Capability::NetSend);
        for target in &mut draft.targets {
            if let TargetKind::Host { .. } = target.kind {
                target.role = Role::Send;
            }
        }
    }
}

/// A fetch from this machine itself only looks.
fn fetches(draft: &mut Draft) {
    if all_local(draft) && draft.capability == Capability::NetFetch {
        let kept = draft.blast;
        draft.become_(Capability::Inspect);
        draft.blast.exposure = kept.exposure;
    }
}

/// Where a URL is not known, nor is what is reached; `file:` reads a file; credentials in the address are sent.
fn urls(draft: &mut Draft, scene: &mut Scene<'_>, urls: &[Arg]) {
    for arg in urls {
        let text = arg.prefix();
        if let Some(path) = text.strip_prefix("file://") {
            draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(path, arg.span), Role::Read);
            draft.at_least(Capability::ReadWorkspace);
        }
        if arg.exact().is_none() && text.splitn(4, '/').count() < 4 && arg.value.all().is_none() {
            draft.opaque(Some(arg.span), "the address is not known");
        }
        if arg.exact().is_none() {
            draft.note("a part of the address is put in");
        }
    }
}

fn curl(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.has(&["--version"]) {
        return;
    }
    let mut sent = false;
    let get = parsed.has(&["-G", "--get"]);
    for found in &parsed.options {
        let Some(value) = &found.value else { continue };
        match found.name.as_str() {
            "-d" => {
                sent |= !get;
                let text = value.prefix();
                // `@file` and `name@file`; --data-raw takes it as it is
                if !found.arg.prefix().starts_with("--data-raw")
                    && let Some(at) = text.find('@')
                    && (at == 0 || found.arg.prefix().starts_with("--data-urlencode"))
                {
                    draft::add_path(draft, scene.world, &scene.cwd, &value.after(at + 1), Role::Read);
                    sent = true;
                }
            }
            "-F" => {
                sent = true;
                if let Some(at) = value.prefix().find("=@").or_else(|| value.prefix().find("=<")) {
                    let file = value.after(at + 2);
                    let file = match file.exact().and_then(|text| text.split_once(';')) {
                        Some((name, _)) => Arg::text(name, file.span),
                        None => file,
                    };
                    draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Read);
                }
            }
            "-T" => sent = true,
            "-X" => {
                sent |= value
                    .exact()
                    .is_none_or(|method| !matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS"))
            }
            "-H" => {
                let lower = value.prefix().to_ascii_lowercase();
                if lower.starts_with('@') {
                    draft::add_path(draft, scene.world, &scene.cwd, &value.after(1), Role::Read);
                } else if ["authorization:", "cookie:", "x-api-key:", "private-token:"]
                    .iter()
                    .any(|name| lower.starts_with(name))
                {
                    draft.blast.exposure = draft.blast.exposure.max(Exposure::ReadsSecrets);
                    draft.note("carries a credential");
                }
            }
            "-b" if !value.prefix().contains('=') => {
                draft::add_path(draft, scene.world, &scene.cwd, value, Role::Read);
            }
            _ => {}
        }
    }
    let addresses: Vec<Arg> = parsed
        .in_role(Slot::Url)
        .cloned()
        .chain(parsed.options.iter().filter(|found| found.name == "--url").filter_map(|found| found.value.clone()))
        .collect();
    urls(draft, scene, &addresses);
    if sent { sends(draft) } else { fetches(draft) }
}

/// `-O` writes a file named by the address, `-J` by the server.
fn curl_remote_name(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.options.iter().any(|found| {
        matches!(found.arg.prefix(), "--remote-header-name")
            || found.arg.prefix().starts_with('-')
                && !found.arg.prefix().starts_with("--")
                && found.arg.prefix().contains('J')
    }) {
        draft.note("the server names the file");
    }
    by_address(draft, parsed, scene);
}

/// The file that an address names, in the folder.
fn by_address(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for arg in parsed.in_role(Slot::Url).cloned().collect::<Vec<_>>() {
        let name = arg
            .exact()
            .and_then(|text| text.split(['?', '#']).next())
            .and_then(|text| text.trim_end_matches('/').rsplit('/').next().map(str::to_owned));
        let file = Arg::text(name.filter(|name| !name.is_empty()).as_deref().unwrap_or("index.html"), arg.span);
        draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Write);
    }
}

fn wget(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let addresses: Vec<Arg> = parsed.in_role(Slot::Url).cloned().collect();
    urls(draft, scene, &addresses);
    if draft.capability == Capability::NetSend {
        sends(draft);
        return;
    }
    if !parsed.has(&["-O", "--spider", "-P"]) {
        by_address(draft, parsed, scene);
    }
    fetches(draft);
}

/// `http [METHOD] URL [ITEM…]`
fn httpie(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let mut words: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    let method = words
        .first()
        .and_then(Arg::exact)
        .filter(|word| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_uppercase()))
        .map(str::to_owned);
    if method.is_some() {
        words.remove(0);
    }
    let Some(url) = words.first().cloned() else { return };
    let url = match url.exact() {
        Some(text) if text.starts_with(':') => Arg::text(&format!("http://localhost{text}"), url.span),
        _ => url,
    };
    draft::add_url(draft, &url, Role::Connect);
    urls(draft, scene, std::slice::from_ref(&url));
    let mut sent = method.is_some_and(|method| !matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS"));
    for item in words.iter().skip(1) {
        let text = item.prefix();
        // `name:value` is a header and `name==value` a query; the rest is a body
        let query = text.contains("==");
        let header = text.find(':').is_some_and(|at| text.find('=').is_none_or(|equals| at < equals));
        if let Some((_, file)) = text.split_once('@') {
            draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(file, item.span), Role::Read);
            sent = true;
        }
        sent |= !query && !header;
    }
    if sent { sends(draft) } else { fetches(draft) }
}

fn remote(draft: &Draft, role: Role) -> bool {
    draft.targets.iter().any(|target| target.role == role && matches!(target.kind, TargetKind::Host { .. }))
}

/// To another machine sends, from one fetches, neither copies; the ones with a language of their own are not read.
fn scp(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if program_of(scene, parsed) != "scp" {
        draft.opaque(Some(scene.span), "commands that are given later");
        return;
    }
    copies(draft, parsed);
}

fn copies(draft: &mut Draft, parsed: &Parsed<'_>) {
    let kept = draft.blast;
    if remote(draft, Role::Send) {
        draft.at_least(Capability::NetSend);
        draft.blast.reach = draft.blast.reach.max(Reach::External);
        if parsed.has(&["-r", "-a", "--recursive", "--archive"]) {
            draft.blast.scale = Scale::Sweeping;
        }
    } else if remote(draft, Role::Connect) {
        if draft.capability != Capability::Delete {
            draft.become_(Capability::NetFetch);
        }
    } else if draft.capability == Capability::NetSend {
        draft.become_(Capability::WriteWorkspace);
    }
    draft.blast = Blast {
        undo: draft.blast.undo.max(if draft.capability == Capability::Delete { kept.undo } else { Undo::Trivial }),
        ..draft.blast
    };
}

fn rsync(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.has(&["-r", "-a", "--recursive", "--archive"]) {
        let sources: Vec<Arg> =
            parsed.in_role(Slot::RemotePath).filter(|arg| !arg.prefix().contains(':')).cloned().collect();
        for arg in sources {
            draft::add_slot(draft, scene.world, &scene.cwd, &arg, Slot::Sweep);
        }
    }
    copies(draft, parsed);
}

/// Listening or running a shell opens this machine; `-z` only looks.
fn netcat(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words: Vec<Arg> = parsed.args.to_vec();
    let program = program_of(scene, parsed);
    let text = |arg: &Arg| arg.prefix().to_owned();
    let short = |letter: char| {
        words.iter().any(|arg| {
            arg.prefix().starts_with('-') && !arg.prefix().starts_with("--") && arg.prefix().contains(letter)
        })
    };
    let executes = match program.as_str() {
        "socat" => words.iter().any(|arg| {
            let upper = arg.prefix().to_ascii_uppercase();
            upper.starts_with("EXEC")
                || upper.starts_with("SYSTEM")
                || upper.starts_with("SHELL")
                || upper.contains("EXEC:")
        }),
        "telnet" => false,
        _ => {
            short('e')
                || short('c')
                || words.iter().any(|arg| matches!(arg.exact(), Some("--exec" | "--sh-exec" | "--lua-exec")))
        }
    };
    let listens = match program.as_str() {
        "socat" => words.iter().any(|arg| arg.prefix().to_ascii_uppercase().contains("LISTEN")),
        "telnet" => false,
        _ => short('l') || words.iter().any(|arg| arg.exact() == Some("--listen")),
    };
    for arg in words.iter().filter(|arg| !arg.prefix().starts_with('-')) {
        let written = text(arg);
        let name = if program == "socat" { written.split(':').nth(1).unwrap_or_default().to_owned() } else { written };
        let address =
            name.contains('.') || host::is_local(&name) || name.chars().any(|letter| letter.is_ascii_alphabetic());
        if address && !name.contains('/') && !name.is_empty() {
            draft::add_host(draft, &Arg { value: leastgrant_shell::Value::Exact(name), ..arg.clone() }, Role::Send);
        }
    }
    if executes || listens || program == "telnet" {
        draft.become_(Capability::Remote);
        draft.blast.exposure = Exposure::CanExfiltrate;
        draft.blast.undo = draft.blast.undo.max(if executes { Undo::Irreversible } else { Undo::Hard });
        draft.note(if executes { "gives a shell to another machine" } else { "opens this machine to others" });
    } else if short('z') {
        draft.become_(Capability::Inspect);
        draft.targets.iter_mut().for_each(|target| target.role = Role::Connect);
    } else if all_local(draft) {
        draft.become_(Capability::NetLoopback);
    }
}

/// `status`, `version` and the like look; everything else opens.
fn tunnel(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let first = parsed.operands.first().and_then(|operand| operand.1.exact()).unwrap_or_default();
    if matches!(first, "status" | "version" | "ip" | "ping" | "netcheck" | "show" | "help" | "list") {
        draft.become_(Capability::Inspect);
        draft.notes.clear();
    }
}

/// Key commands read keys, generators write them, `s_client` and `s_server` connect.
fn openssl(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words: Vec<Arg> = parsed.args.to_vec();
    let sub = words.first().and_then(Arg::exact).unwrap_or_default().to_owned();
    let value =
        |name: &str| words.iter().position(|arg| arg.exact() == Some(name)).and_then(|at| words.get(at + 1)).cloned();
    let has = |name: &str| words.iter().any(|arg| arg.exact() == Some(name));
    match sub.as_str() {
        "version" | "list" | "ciphers" | "help" | "rand" | "speed" | "errstr" | "prime" => {}
        "s_client" => {
            draft.become_(Capability::NetSend);
            if let Some(at) = value("-connect") {
                let name = at.prefix().split(':').next().unwrap_or_default().to_owned();
                draft::add_host(draft, &Arg { value: leastgrant_shell::Value::Exact(name), ..at }, Role::Send);
            }
            fetches(draft);
        }
        "s_server" => {
            draft.become_(Capability::Remote);
            draft.blast.exposure = Exposure::CanExfiltrate;
        }
        "x509" | "req" | "crl" | "verify" | "dgst" | "asn1parse" | "sha256" | "sha1" | "md5" | "base64" | "ocsp"
        | "storeutl" => {
            draft.become_(Capability::ReadWorkspace);
            if has("-sign") || has("-signkey") || has("-key") || has("-newkey") {
                draft::reads_secret(draft, "uses a private key");
            }
        }
        "genrsa" | "genpkey" | "ecparam" | "dhparam" | "gendsa" => draft.become_(Capability::WriteWorkspace),
        "enc" if !has("-d") => draft.become_(Capability::ReadWorkspace),
        "enc" | "rsa" | "ec" | "pkey" | "pkcs8" | "pkcs12" | "dsa" | "rsautl" | "pkeyutl" | "cms" | "smime"
        | "passwd" => {
            draft::reads_secret(draft, "shows or uses a private key");
        }
        _ => draft.opaque(Some(scene.span), format!("`openssl {sub}` is not known")),
    }
    for name in ["-in", "-inkey", "-key", "-CAfile", "-cert", "-kfile", "-CAkey"] {
        if let Some(file) = value(name) {
            draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Read);
        }
    }
    for name in ["-out", "-keyout", "-writerand", "-CAserial"] {
        if let Some(file) = value(name) {
            draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Write);
        }
    }
    if has("-engine") || has("-provider") || has("-provider-path") || has("-config") {
        draft.mark(Mark::Injection);
        draft.opaque(Some(scene.span), "loads code");
    }
}
