//! Version control beside git: what a table can't say of it.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::Parsed;
use crate::action::{Capability, Mark, Reach, Role, TargetKind, Undo};
use crate::path::{self, Zone};

pub(super) const CODES: &[(&str, Code)] =
    &[("vcs.config", config), ("vcs.reads", reads), ("vcs.svn_change", svn_change), ("vcs.folder", folder)];

/// Settings that neither name a program nor a host; of others that is not certain.
const PLAIN: &[&str] = &[
    "ui.username",
    "ui.verbose",
    "ui.quiet",
    "ui.interactive",
    "ui.color",
    "ui.log-word-wrap",
    "ui.conflict-marker-style",
    "ui.default-description",
    "diff.git",
    "diff.nodates",
    "diff.showfunc",
    "diff.unified",
    "phases.new-commit",
    "user",
    "colors",
    "revsets",
    "snapshot",
];

/// `--config key=value`
fn config(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "--config") {
        let Some(value) = &found.value else { continue };
        let key = value.prefix().split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        let known = value.prefix().contains('=') || value.exact().is_some();
        let inside = |row: &str| key.strip_prefix(row).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if !known || !PLAIN.iter().any(|row| inside(row)) {
            draft.become_(Capability::Privilege);
            draft.mark(Mark::Privilege);
            draft.opaque(Some(scene.span), "a setting that may run programs");
        }
    }
}

/// Another working copy than the project's: what is read there is read outside, what changes there is written outside.
fn folder(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let here = draft::folders(&scene.cwd)
        .into_iter()
        .all(|folder| path::place(scene.world, folder, ".").zone == Zone::Project);
    if parsed.path.is_empty() || here {
        return;
    }
    let reads = matches!(draft.capability, Capability::VcsRead | Capability::Inspect | Capability::SecretRead);
    let role = if reads { Role::List } else { Role::Write };
    let place = Arg::text(".", scene.span);
    draft::add_path(draft, scene.world, &scene.cwd, &place, role);
    let leaves = draft.targets.iter().any(|target| match &target.kind {
        TargetKind::Path(place) => {
            let near = matches!(place.zone, Zone::Project | Zone::Temp | Zone::Null | Zone::Unplaced);
            target.role == Role::Write && !near
        }
        _ => false,
    });
    if leaves && draft.capability == Capability::VcsWrite {
        draft.at_least(Capability::WriteOutside);
    }
}

/// What version control shows of a credential's file is the credential.
fn reads(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let behind = parsed.args.iter().skip_while(|arg| arg.exact() != Some("--")).skip(1);
    for arg in behind.cloned().collect::<Vec<_>>() {
        draft::add_path(draft, scene.world, &scene.cwd, &arg, Role::Read);
    }
    // these name files without any separator, wherever options stand
    let shows = |arg: &Arg| matches!(arg.exact(), Some("cat" | "annotate" | "ann" | "blame" | "praise"));
    if parsed.args.iter().any(shows) {
        for (_, arg) in &parsed.operands {
            draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Read);
        }
    }
    let asks = |arg: &Arg| matches!(arg.exact(), Some("incoming" | "in" | "outgoing" | "out"));
    if parsed.args.iter().any(asks) {
        draft.blast.reach = draft.blast.reach.max(Reach::Network);
    }
    for (_, arg) in &parsed.operands {
        if arg.prefix().contains("://") {
            draft::add_url(draft, arg, Role::Connect);
        }
    }
}

/// A change of an address is a commit; a delete of a file is one that the repository still has.
fn svn_change(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let first = parsed.path.last().copied().unwrap_or_default();
    let written = parsed.args.iter().find_map(|arg| arg.exact().filter(|word| !word.starts_with('-'))).unwrap_or(first);
    let deletes = matches!(written, "delete" | "del" | "remove" | "rm");
    if parsed.operands.iter().any(|operand| operand.1.prefix().contains("://")) {
        draft.become_(Capability::VcsPublish);
        draft.blast.undo = draft.blast.undo.max(if deletes { Undo::Irreversible } else { Undo::Hard });
        draft.note("changes the repository at once");
        return;
    }
    if deletes {
        draft.become_(if parsed.has(&["--force"]) { Capability::Delete } else { Capability::DeleteKnown });
        for (_, arg) in &parsed.operands {
            draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Delete);
        }
    }
}
