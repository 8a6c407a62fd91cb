//! `leastgrant allow`: a rule that lets a call pass, floors included, but never an integrity floor.

use leastgrant_core::rule::Effect;

use super::rule::{Args, add};
use crate::exit::Exit;
use crate::render::Ui;

/// Adds an allow rule.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    add(Effect::Allow, args, ui)
}
