//! Redirects are actions of their own: the file that is written is the effect, whatever the program.

use leastgrant_shell::{Cwd, Redirect, RedirectOp, Value};

use super::arg::{Arg, SpanMap};
use super::draft::{self, Draft};
use crate::action::{Capability, Mark, Role, Target, TargetKind, Undo};
use crate::control::{self, Hold};
use crate::host;
use crate::path::Zone;
use crate::world::{Small, World};

/// Most bytes of a control file that is compared with what would be written.
const CONTENT: usize = 256 * 1024;

/// What a command's redirects do; nothing for descriptors, here-documents and `/dev/null`.
#[must_use]
pub(super) fn draft(
    redirects: &[Redirect],
    cwd: &Cwd,
    map: SpanMap,
    world: &dyn World,
    printed: Option<&Value>,
) -> Option<Draft> {
    let mut draft = Draft::new(Capability::Meta, "shell");
    for redirect in redirects {
        let arg = Arg::of(&redirect.target, map);
        let role = match redirect.op {
            RedirectOp::Read => Role::Read,
            RedirectOp::Write
            | RedirectOp::Append
            | RedirectOp::ReadWrite
            | RedirectOp::WriteBoth
            | RedirectOp::AppendBoth => Role::Write,
            RedirectOp::Duplicate | RedirectOp::HereDoc | RedirectOp::HereString => continue,
        };
        if let Some(target) = network(&arg) {
            let local = matches!(target.kind, TargetKind::Host { local: true, .. });
            draft.at_least(if local { Capability::NetLoopback } else { Capability::NetSend });
            draft.targets.push(target);
            continue;
        }
        draft::add_path(&mut draft, world, cwd, &arg, role);
        if redirect.op == RedirectOp::ReadWrite {
            draft::add_path(&mut draft, world, cwd, &arg, Role::Read);
        }
        if role == Role::Read {
            draft.at_least(Capability::ReadWorkspace);
        }
        if role == Role::Write
            && redirect.op == RedirectOp::Write
            && printed.is_some_and(|text| text.exact() == Some(""))
        {
            emptied(&mut draft, world);
        }
        if role == Role::Write {
            content(&mut draft, world, printed, redirect.op == RedirectOp::Append);
        }
    }
    draft.targets.retain(|target| !matches!(&target.kind, TargetKind::Path(place) if place.zone == Zone::Null));
    (!draft.targets.is_empty() || draft.opaque.is_some()).then_some(draft)
}

/// A file that holds something and is written with nothing is emptied, which is no easier to undo than a delete.
pub(super) fn emptied(draft: &mut Draft, world: &dyn World) {
    let Some(TargetKind::Path(place)) = draft.targets.last().map(|target| &target.kind) else { return };
    let Some(real) = place.real.as_deref().filter(|_| place.zone == Zone::Project) else { return };
    let holds = matches!(world.entry(real), crate::world::Entry::File)
        && !matches!(world.read(real, 1), Small::Bytes(bytes) if bytes.is_empty());
    if holds && !world.made_in_session(real) && !world.tracked_clean(real) {
        draft.blast.undo = draft.blast.undo.max(Undo::Hard);
        draft.note("empties the file");
    }
}

/// What a text does to the files that a draft writes.
pub(super) fn content_of(draft: &mut Draft, world: &dyn World, written: &Value, append: bool) {
    for at in 0..draft.targets.len() {
        content_at(draft, at, world, Some(written), append);
    }
}

/// What the text that is written does to a control file.
fn content(draft: &mut Draft, world: &dyn World, printed: Option<&Value>, append: bool) {
    content_at(draft, draft.targets.len().saturating_sub(1), world, printed, append);
}

fn content_at(draft: &mut Draft, at: usize, world: &dyn World, printed: Option<&Value>, append: bool) {
    let Some(target) = draft.targets.get(at).filter(|target| target.role.changes()) else { return };
    let TargetKind::Path(place) = &target.kind else { return };
    let before = place.real.as_deref().map(|real| world.read(real, CONTENT));
    let before = match &before {
        Some(Small::Bytes(bytes)) => std::str::from_utf8(bytes).ok().map(str::to_owned),
        _ => None,
    };
    let Some(text) = printed.and_then(Value::exact) else { return };
    let after = if append { format!("{}{text}", before.clone().unwrap_or_default()) } else { text.to_owned() };
    if let Some((hold, words)) = control::content(world, place, before.as_deref(), &after) {
        if hold == Hold::Own {
            draft.mark(Mark::Disarm);
        }
        draft.note(&words);
    }
}

/// `/dev/tcp/host/port` is a connection, not a file.
fn network(arg: &Arg) -> Option<Target> {
    let text = arg.prefix();
    let rest = text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/"))?;
    let name = rest.split('/').next().unwrap_or_default().to_ascii_lowercase();
    let local = arg.exact().is_some() && host::is_local(&name);
    Some(Target {
        role: Role::Send,
        kind: TargetKind::Host { host: name, local },
        text: text.to_owned(),
        span: Some(arg.span),
    })
}
