//! Scripts: a file that is run is read, within bounds, and judged like typed text (DESIGN §4).

use super::arg::Arg;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use crate::knowledge::Program;

/// A file whose content is run.
pub fn file(draft: &mut Draft, scene: &mut Scene<'_>, file: &Arg, args: &[Arg], parsed: Option<&Parsed<'_>>) {
    let _ = (scene, args, parsed);
    draft.opaque(Some(file.span), format!("what `{}` does is not known", file.shown()));
}

/// Code of another language, given as text.
pub fn inline(draft: &mut Draft, scene: &mut Scene<'_>, text: &Arg, program: &'static Program) {
    let _ = scene;
    draft.opaque(Some(text.span), format!("code that `{}` would run", program.names.first().copied().unwrap_or_default()));
}
