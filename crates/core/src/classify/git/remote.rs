//! Remotes, addresses and refspecs: where something is fetched from or sent to, and what it overwrites there.

use super::operands;
use crate::action::{Capability, Exposure, Mark, Reach, Role, Scale, Target, TargetKind, Undo};
use crate::classify::arg::Arg;
use crate::classify::draft::{self, Draft};
use crate::classify::program::{Nested, Scene};
use crate::classify::usage::Parsed;
use leastgrant_shell::Value;

/// Branches that others build on.
const PUBLISHED: &[&str] =
    &["main", "master", "trunk", "develop", "development", "prod", "production", "release", "stable"];

/// What a word says of the other side.
enum Place {
    /// a name from the configuration
    Name,
    /// an address on the network
    Address,
    /// a repository in the file system
    Path,
    /// a program that carries the data
    Helper,
    /// not known
    Unknown,
}

fn place(arg: &Arg) -> Place {
    let text = arg.prefix();
    if let Some((helper, _)) = text.split_once("::")
        && !helper.contains(['/', '[', ':'])
        && !helper.is_empty()
    {
        return Place::Helper;
    }
    if arg.exact().is_none() && !text.contains("://") {
        return Place::Unknown;
    }
    if text.starts_with("file://") {
        return Place::Path;
    }
    if text.contains("://") {
        return Place::Address;
    }
    if text.starts_with(['/', '.', '~', '\\']) || text.ends_with(".bundle") {
        return Place::Path;
    }
    match text.split_once(':') {
        Some((host, _)) if !host.contains('/') && !host.is_empty() => Place::Address,
        Some(_) => Place::Path,
        None => Place::Name,
    }
}

/// The first operand.
pub(super) fn first<'a>(parsed: &'a Parsed<'_>) -> Option<&'a Arg> {
    operands(parsed).into_iter().next()
}

/// A transport helper is a program: `ext::` takes a whole command.
fn helper(draft: &mut Draft, scene: &mut Scene<'_>, arg: &Arg) {
    draft.become_(Capability::Unknown);
    draft.opaque(Some(arg.span), "the address names a program that carries the data");
    if let (true, Some(text)) = (arg.prefix().starts_with("ext::"), arg.exact()) {
        let command = text.trim_start_matches("ext::").replace("% ", "\\ ").replace("%%", "%");
        scene.nested.push(Nested::Shell {
            text: Arg { verbatim: None, value: Value::Exact(command), ..arg.clone() },
            positional: Vec::new(),
        });
    }
}

/// The host in `scheme://[user@]host[:port]/…` or `[user@]host:path`.
fn host(draft: &mut Draft, arg: &Arg, role: Role) {
    let text = arg.prefix();
    let rest = text.split_once("://").map_or(text, |split| split.1);
    let name = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = name.rsplit('@').next().unwrap_or_default();
    let name = if name.starts_with('[') {
        name.split(']').next().unwrap_or_default()
    } else {
        name.split(':').next().unwrap_or_default()
    };
    let name = name.trim_start_matches('[').to_ascii_lowercase();
    let known = arg.exact().is_some() || rest.contains('/');
    if !known {
        draft.opaque(Some(arg.span), "which host this is is not known");
    }
    let local = known && crate::host::is_local(&name);
    draft.targets.push(Target {
        role,
        kind: TargetKind::Host { host: name, local },
        text: arg.shown(),
        span: Some(arg.span),
    });
}

fn file(draft: &mut Draft, scene: &Scene<'_>, arg: &Arg, role: Role) {
    let skip = if arg.prefix().starts_with("file://") { 7 } else { 0 };
    draft::add_path(draft, scene.world, &scene.cwd, &arg.after(skip), role);
}

/// Something is read from the other side.
pub(super) fn look(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>, remote: Option<&Arg>) {
    let Some(arg) = remote else { return };
    match place(arg) {
        Place::Name => {}
        Place::Helper => helper(draft, scene, arg),
        Place::Path => file(draft, scene, arg, Role::List),
        Place::Address => {
            // an address can carry data; one that was configured can not
            if matches!(draft.capability, Capability::VcsRead) {
                draft.become_(Capability::NetFetch);
            }
            host(draft, arg, Role::Connect);
        }
        Place::Unknown => {
            if arg.exact().is_none() && !arg.prefix().is_empty() {
                host(draft, arg, Role::Connect);
            } else {
                draft.opaque(Some(arg.span), "where this connects to is not known");
            }
        }
    }
}

/// `fetch`: a refspec with a destination writes a branch here.
pub(super) fn fetch(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    look(draft, parsed, scene, first(parsed));
    if draft.capability == Capability::Unknown {
        return;
    }
    let words = operands(parsed);
    let several = parsed.has(&["--multiple", "--all"]);
    let refs: Vec<&&Arg> = words.iter().skip(usize::from(!several)).collect();
    let writes = refs.iter().any(|arg| {
        arg.prefix().split_once(':').is_some_and(|(_, to)| !to.is_empty() && !to.starts_with("refs/remotes/"))
    });
    let forces = parsed.has(&["-f", "--force"]) || refs.iter().any(|arg| arg.prefix().starts_with('+'));
    if writes {
        draft.at_least(Capability::VcsWrite);
        draft.blast.scale = Scale::Single;
        draft.note("moves a branch here");
        if forces || refs.iter().any(|arg| arg.exact().is_none()) {
            draft.blast.undo = Undo::Hard;
        }
    }
}

/// `pull`: fetches and merges.
pub(super) fn pull(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = operands(parsed);
    if let Some(remote) = words.first() {
        if !matches!(place(remote), Place::Name) {
            draft.blast.scale = Scale::Many;
            draft.note("merges from an address that is not configured");
        }
        look(draft, parsed, scene, Some(remote));
    }
    if words.iter().skip(1).any(|arg| arg.prefix().starts_with('+')) {
        draft.blast.undo = draft.blast.undo.max(Undo::Hard);
    }
}

/// `clone`: from where, to where, and what the new repository is told to run.
pub(super) fn clone(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = operands(parsed);
    let Some(from) = words.first() else { return };
    look(draft, parsed, scene, Some(from));
    let folder = match words.get(1) {
        Some(to) => (*to).clone(),
        None => {
            let name = from.exact().map(|text| text.trim_end_matches('/').trim_end_matches(".git"));
            let name =
                name.and_then(|text| text.rsplit(['/', ':']).next()).filter(|name| !name.is_empty() && *name != "..");
            Arg::text(name.unwrap_or("."), from.span)
        }
    };
    draft::add_path(draft, scene.world, &scene.cwd, &folder, Role::Write);
}

/// A remote or submodule gets an address.
pub(super) fn added(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>, at: usize) {
    let words = operands(parsed);
    let Some(address) = words.get(at) else { return };
    match place(address) {
        Place::Helper => helper(draft, scene, address),
        Place::Address => host(draft, address, Role::Connect),
        Place::Path => file(draft, scene, address, Role::List),
        Place::Unknown => draft.opaque(Some(address.span), "which address this is is not known"),
        Place::Name => {}
    }
}

/// `push`: what is sent, where, and what it overwrites or deletes there.
pub(super) fn push(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if draft.capability == Capability::Unknown {
        return;
    }
    let words = operands(parsed);
    let repo = parsed.value(&["--repo"]);
    let remote = words.first().copied().or(repo);
    let refs: Vec<&Arg> = words.iter().skip(1).copied().collect();
    if parsed.has(&["-n"]) {
        draft.become_(Capability::VcsRead);
        draft.blast.reach = Reach::Network;
        look(draft, parsed, scene, remote);
        return;
    }
    for arg in &refs {
        if arg.exact().is_none() && !arg.prefix().starts_with("refs/") && arg.prefix().is_empty() {
            draft.opaque(Some(arg.span), "a refspec that is not known could force or delete");
        }
    }
    overwrites(draft, parsed, &refs);
    if parsed.has(&["--all"]) || refs.iter().any(|arg| is_tag(arg) || many(arg)) {
        draft.at_least(Capability::VcsPublish);
        draft.note("publishes tags or more than one branch");
    }
    destination(draft, scene, remote);
}

/// Force, deletion and mirrors.
fn overwrites(draft: &mut Draft, parsed: &Parsed<'_>, refs: &[&Arg]) {
    let deletes = parsed.has(&["-d", "--mirror", "--prune"]) || refs.iter().any(|arg| arg.prefix().starts_with(':'));
    let forces = parsed.has(&["-f"]) || refs.iter().any(|arg| arg.prefix().starts_with('+'));
    let careful = parsed.has(&["--force-with-lease", "--force-if-includes"]);
    if !deletes && !forces && !careful {
        return;
    }
    let undo = if deletes || forces { Undo::Irreversible } else { Undo::Hard };
    draft.at_least(Capability::VcsPublish);
    draft.blast.undo = draft.blast.undo.max(undo);
    if forces {
        draft.note("overwrites published history");
        draft.safer = Some(String::from("`--force-with-lease` refuses when somebody else has pushed"));
    }
    if deletes {
        draft.note("deletes what is published");
    }
    let published = refs.iter().any(|arg| is_published(arg));
    if published || parsed.has(&["--mirror"]) {
        draft.blast.reach = Reach::Production;
        draft.mark(Mark::Production);
    }
}

/// The branch that a refspec changes on the other side.
fn destination_ref(arg: &Arg) -> &str {
    let text = arg.prefix().trim_start_matches('+');
    let to = text.rsplit_once(':').map_or(text, |split| split.1);
    to.strip_prefix("refs/heads/").unwrap_or(to)
}

fn is_published(arg: &Arg) -> bool {
    let name = destination_ref(arg);
    PUBLISHED.contains(&name)
        || name.split_once('/').is_some_and(|(head, _)| matches!(head, "release" | "releases" | "production"))
}

/// A refspec for more than one branch, or the word before a tag's name.
fn many(arg: &Arg) -> bool {
    arg.prefix().contains('*') || arg.exact() == Some("tag")
}

fn is_tag(arg: &Arg) -> bool {
    let name = destination_ref(arg);
    if arg.prefix().contains("refs/tags/") {
        return true;
    }
    let digits = name.strip_prefix('v').unwrap_or(name);
    digits.starts_with(|first: char| first.is_ascii_digit()) && digits.contains('.') && !name.contains('/')
}

fn destination(draft: &mut Draft, scene: &mut Scene<'_>, remote: Option<&Arg>) {
    let Some(arg) = remote else { return };
    match place(arg) {
        Place::Name => {
            let text = arg.shown();
            draft.targets.push(Target {
                role: Role::Send,
                kind: TargetKind::Named(text.clone()),
                text,
                span: Some(arg.span),
            });
        }
        Place::Helper => helper(draft, scene, arg),
        Place::Path => file(draft, scene, arg, Role::Write),
        Place::Address => {
            draft.at_least(Capability::NetSend);
            draft.capability = Capability::NetSend;
            draft.blast.exposure = Exposure::CanExfiltrate;
            draft.note("sends to an address that is not configured");
            host(draft, arg, Role::Send);
        }
        Place::Unknown => draft.opaque(Some(arg.span), "where this sends to is not known"),
    }
}
