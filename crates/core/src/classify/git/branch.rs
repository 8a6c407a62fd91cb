//! Branches, tags and symbolic references: whether a command lists, makes, moves or drops them.

use super::operands;
use crate::action::{Capability, Undo};
use crate::classify::draft::Draft;
use crate::classify::usage::Parsed;

/// `branch`: a list unless something is made, moved or dropped.
pub(super) fn branch(draft: &mut Draft, parsed: &Parsed<'_>) {
    let drops = parsed.has(&["-d", "--delete"]);
    let changes = drops || parsed.has(&["-c", "-M", "-f", "-D", "-u", "--set-upstream-to", "--set-upstream"]);
    let lists = parsed.has(&["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--show-current"]);
    if !changes && (lists || operands(parsed).is_empty()) {
        draft.become_(Capability::VcsRead);
        return;
    }
    if drops && draft.blast.undo < Undo::Hard {
        draft.note("drops a branch that is merged");
    }
}

/// `tag`: a list unless something is made, moved or dropped.
pub(super) fn tag(draft: &mut Draft, parsed: &Parsed<'_>) {
    let changes = parsed.has(&["-d", "-f", "-a", "-s", "--annotate", "--sign", "-m", "--message", "-F", "-u", "--local-user"]);
    let lists = parsed.has(&[
        "-l", "--list", "-n", "-v", "--verify", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--sort", "--format",
    ]);
    if !changes && (lists || operands(parsed).is_empty()) {
        draft.become_(Capability::VcsRead);
    }
}

/// `symbolic-ref NAME` reads, `symbolic-ref NAME REF` writes.
pub(super) fn symbolic(draft: &mut Draft, parsed: &Parsed<'_>) {
    if operands(parsed).len() < 2 && !parsed.has(&["-d"]) {
        draft.become_(Capability::VcsRead);
    }
}
