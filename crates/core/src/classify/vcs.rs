//! Version control beside git: what a table can't say of it.

use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::Parsed;
use crate::action::{Capability, Mark, Role, Undo};

pub(super) const CODES: &[(&str, Code)] =
    &[("vcs.config", config), ("vcs.reads", reads), ("vcs.svn_change", svn_change)];

/// Keys that name programs or hosts.
const RUNS: &[&str] = &[
    "extensions",
    "hooks",
    "alias",
    "aliases",
    "merge-tools",
    "merge-patterns",
    "diff-tools",
    "extdiff",
    "pager",
    "paths",
    "tools",
    "encode",
    "decode",
    "fsmonitor",
    "command-templates",
    "signing",
    "git",
    "fix",
    "experimental",
    "color.mode",
    "ui.editor",
    "ui.ssh",
    "ui.merge",
    "ui.remotecmd",
    "ui.askpass",
    "ui.patch",
    "ui.pager",
    "ui.diff",
    "ui.diff-editor",
    "ui.merge-editor",
    "ui.diff-formatter",
    "core",
];

/// `--config key=value`
fn config(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "--config") {
        let Some(value) = &found.value else { continue };
        let key = value.prefix().split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        let known = value.prefix().contains('=') || value.exact().is_some();
        let inside = |row: &str| key.strip_prefix(row).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if !known || RUNS.iter().any(|row| inside(row)) {
            draft.become_(Capability::Privilege);
            draft.mark(Mark::Privilege);
            draft.opaque(Some(scene.span), "a setting that may run programs");
        }
    }
}

/// What version control shows of a credential's file is the credential.
fn reads(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let behind = parsed.args.iter().skip_while(|arg| arg.exact() != Some("--")).skip(1);
    for arg in behind.cloned().collect::<Vec<_>>() {
        draft::add_path(draft, scene.world, &scene.cwd, &arg, Role::Read);
    }
    // `svn cat` and `hg cat` name files without any separator
    if matches!(parsed.args.first().and_then(|arg| arg.exact()), Some("cat" | "annotate" | "blame")) {
        for (_, arg) in &parsed.operands {
            draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Read);
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
