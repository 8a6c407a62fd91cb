//! Signatures of shell actions (see [`crate::signature`]).

use super::arg::Arg;
use super::draft::Draft;
use super::shell::Layer;
use crate::world::World;

/// The learnable identity of one shell action.
#[must_use]
pub(super) fn shell(draft: &Draft, argv: &[Arg], layers: &[Layer], unsandboxed: bool, world: &dyn World) -> String {
    let _ = (layers, world);
    let words: Vec<String> = argv.iter().map(Arg::shown).collect();
    format!("{}{} @{}", if unsandboxed { "unsandboxed " } else { "" }, words.join(" "), draft.capability.id())
}
