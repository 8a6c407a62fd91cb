//! Network clients: fetch or send, to whom, with which files; listeners and tunnels.

mod curl;

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::{Nested, Scene};
use super::text::program_of;
use super::usage::Parsed;
use crate::action::{Blast, Capability, Exposure, Mark, Reach, Role, Scale, TargetKind, Undo};
use crate::knowledge::Slot;
use crate::{host, redact};

pub(super) const CODES: &[(&str, Code)] = &[
    ("network.curl", curl::run),
    ("network.wget", wget),
    ("network.httpie", httpie),
    ("network.scp", scp),
    ("network.rsync", rsync),
    ("network.netcat", netcat),
    ("network.tunnel", tunnel),
    ("network.lookup", lookup),
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

/// What the addresses say by themselves: a file of this machine, a way to send, credentials, an unknown part.
fn urls(draft: &mut Draft, scene: &mut Scene<'_>, urls: &[Arg]) {
    for arg in urls {
        let text = arg.prefix();
        let scheme = text.split_once(':').map(|split| split.0.to_ascii_lowercase()).unwrap_or_default();
        if scheme == "file" {
            let path = text.get(5..).unwrap_or_default();
            let path = path.strip_prefix("//localhost").or_else(|| path.strip_prefix("//")).unwrap_or(path);
            let path = if arg.exact().is_some() { Arg::text(path, arg.span) } else { Arg::unknown(arg.span) };
            draft::add_path(draft, scene.world, &scene.cwd, &path, Role::Read);
            draft
                .targets
                .retain(|target| !matches!(&target.kind, TargetKind::Host { .. }) || target.span != Some(arg.span));
            draft.at_least(Capability::ReadWorkspace);
        }
        // what these schemes carry is up to the one who writes the address
        if matches!(
            scheme.as_str(),
            "gopher" | "gophers" | "dict" | "telnet" | "smtp" | "smtps" | "ldap" | "ldaps" | "mqtt" | "tftp" | "rtsp"
        ) && text.contains("://")
        {
            draft.at_least(Capability::NetSend);
        }
        unknown_part(draft, arg);
        if arg.value.all().is_some_and(|texts| texts.into_iter().any(redact::holds_token)) {
            credential(draft);
        }
    }
    let clouds = draft.targets.iter().any(|target| match &target.kind {
        TargetKind::Host { host, .. } => host::is_metadata(host),
        _ => false,
    });
    if clouds {
        draft::reads_secret(draft, "asks the cloud for the credentials of this machine");
    }
}

/// An address of which a part is not known: what is put into its query or host leaves with it.
fn unknown_part(draft: &mut Draft, arg: &Arg) {
    if arg.value.all().is_some() {
        return;
    }
    let text = arg.prefix();
    let full = text.split_once("://").map_or(text, |split| split.1);
    if !full.contains('/') {
        draft.opaque(Some(arg.span), "the address is not known");
    } else if !all_local(draft) {
        draft.note("a part of the address is put in, and leaves with it");
        if full.contains('?') {
            draft.blast.exposure = draft.blast.exposure.max(Exposure::CanExfiltrate);
        }
    }
}

/// Options that say who is really asked, or that who answers need not prove it: no plain look at a page.
fn unguarded(draft: &mut Draft, parsed: &Parsed<'_>, options: &[&str]) {
    if parsed.has(options) && !all_local(draft) {
        draft.mark(Mark::Unusual);
        draft.note("does not make sure who answers");
    }
}

/// A credential that goes along: between programs of this machine it lays nothing open.
fn credential(draft: &mut Draft) {
    if !all_local(draft) {
        draft.blast.exposure = draft.blast.exposure.max(Exposure::ReadsSecrets);
        draft.note("carries a credential");
    }
}

/// What a header carries: a credential, or something that is not known.
fn header(draft: &mut Draft, scene: &Scene<'_>, value: &Arg) -> bool {
    let lower = value.prefix().to_ascii_lowercase();
    if lower.starts_with('@') {
        draft::add_path(draft, scene.world, &scene.cwd, &value.after(1), Role::Read);
        return true;
    }
    let name = lower.split(':').next().unwrap_or_default();
    let credentials =
        matches!(name, "authorization" | "proxy-authorization" | "cookie") || crate::secret::is_secret_name(name);
    if credentials {
        credential(draft);
        return false;
    }
    value.value.all().is_none()
}

/// The file that an address names, in the folder.
fn by_address(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for arg in parsed.in_role(Slot::Url).cloned().collect::<Vec<_>>() {
        let name = arg
            .exact()
            .and_then(|text| text.split(['?', '#']).next())
            .and_then(|text| text.trim_end_matches('/').rsplit('/').next().map(str::to_owned));
        let file = Arg::text(name.filter(|name| !name.is_empty()).as_deref().unwrap_or("index.html"), arg.span);
        let folder = parsed.value(&["-P", "--output-dir"]).cloned();
        let file = match folder {
            None => file,
            Some(folder) => match folder.exact() {
                Some(above) => Arg::text(&format!("{}/{}", above.trim_end_matches('/'), file.prefix()), arg.span),
                None => folder,
            },
        };
        draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Write);
    }
}

fn wget(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let addresses: Vec<Arg> = parsed.in_role(Slot::Url).cloned().collect();
    urls(draft, scene, &addresses);
    let mut carries = false;
    for value in parsed.options.iter().filter(|found| found.name == "--header").filter_map(|found| found.value.clone())
    {
        carries |= header(draft, scene, &value);
    }
    if parsed.has(&["--user"]) {
        credential(draft);
    }
    unguarded(draft, parsed, &["--no-check-certificate", "--check-certificate", "--no-hsts", "--all-proxy"]);
    if !parsed.has(&["-O", "--spider"]) {
        by_address(draft, parsed, scene);
    }
    if draft.capability == Capability::NetSend || carries { sends(draft) } else { fetches(draft) }
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
    // what comes in is the body
    let comes_in = !matches!(scene.feed, super::shell::Feed::Inherited);
    sent |= comes_in && !parsed.has(&["-I", "--ignore-stdin"]);
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
        if !matches!(draft.capability, Capability::Delete | Capability::Remote) {
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
    if parsed.has(&["--daemon"]) {
        draft.become_(Capability::Remote);
        draft.blast.exposure = Exposure::CanExfiltrate;
        draft.note("opens this machine to others");
        return;
    }
    let mut shells = parsed.options.iter().filter(|found| found.name == "-e").filter_map(|found| found.value.as_ref());
    if let Some(shell) = shells.find(|shell| !plain_ssh(shell)) {
        scene.nested.push(Nested::Shell { text: shell.clone(), positional: Vec::new() });
    }
    if parsed.has(&["-r", "-a", "--recursive", "--archive"]) {
        let sources: Vec<Arg> =
            parsed.in_role(Slot::RemotePath).filter(|arg| !arg.prefix().contains(':')).cloned().collect();
        for arg in sources {
            draft::add_slot(draft, scene.world, &scene.cwd, &arg, Slot::Sweep);
        }
    }
    copies(draft, parsed);
    if parsed.has(&["-n"]) {
        // a trial shows names to the other side and changes nothing
        let out = remote(draft, Role::Send) || remote(draft, Role::Connect);
        draft.become_(if out { Capability::NetFetch } else { Capability::ReadWorkspace });
        for target in &mut draft.targets {
            target.role = match target.role {
                Role::Write | Role::Delete => Role::List,
                Role::Send => Role::Connect,
                role => role,
            };
        }
    }
}

/// `ssh` with options that start nothing.
fn plain_ssh(shell: &Arg) -> bool {
    let Some(text) = shell.exact() else { return false };
    let mut words = text.split_whitespace();
    let ssh = words.next().is_some_and(|word| matches!(word.rsplit('/').next(), Some("ssh" | "rsh")));
    let starts = ["proxycommand", "localcommand", "knownhosts", "-f"];
    let plain = |word: &str| {
        let lower = word.to_ascii_lowercase();
        !starts.iter().any(|start| lower.contains(start)) && !word.contains(['$', '`', ';', '|', '&', '(', '<', '>'])
    };
    ssh && words.all(plain)
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

/// A name that is asked for reaches its owner's servers: one that is put together can carry anything there.
fn lookup(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = program_of(scene, parsed);
    let mut values = false;
    for arg in parsed.args {
        let text = arg.prefix();
        if arg.value.all().is_none() {
            draft.at_least(Capability::NetSend);
            draft.note("asks for a name that is put together, and what is in it leaves");
        } else if text.split('.').any(|label| label.len() > 40) {
            draft.at_least(Capability::NetSend);
            draft.note("asks for a name that is long enough to carry something");
        }
        if text == "-f" && matches!(program.as_str(), "dig" | "fping") {
            draft.opaque(Some(arg.span), "names from a file");
        }
        values |= text.starts_with("--script") || matches!(text, "-sC" | "-A" | "--datadir" | "--resume");
    }
    if program == "nmap" {
        draft.mark(Mark::Unusual);
        draft.note("looks for open doors of other machines");
        nmap(draft, parsed, scene, values);
    }
}

/// `nmap`: scripts of its own, files that it writes.
fn nmap(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>, scripts: bool) {
    if scripts {
        draft.opaque(Some(scene.span), "runs scripts against what it finds");
    }
    let mut args = parsed.args.iter();
    while let Some(arg) = args.next() {
        let role = match arg.prefix() {
            "-oN" | "-oX" | "-oG" | "-oA" | "-oS" => Role::Write,
            "-iL" => Role::Read,
            _ => continue,
        };
        if let Some(file) = args.next() {
            draft::add_path(draft, scene.world, &scene.cwd, file, role);
        }
    }
}
