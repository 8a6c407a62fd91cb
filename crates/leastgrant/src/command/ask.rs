//! `leastgrant ask`: a rule that has a call asked about, whatever was approved before.

use leastgrant_core::rule::Effect;

use super::rule::{Args, add};
use crate::exit::Exit;
use crate::render::Ui;

/// Adds an ask rule.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    add(Effect::Ask, args, ui)
}
