//! `leastgrant deny`: a rule that holds a call whatever else allows it.

use leastgrant_core::rule::Effect;

use super::rule::{Args, add};
use crate::exit::Exit;
use crate::render::Ui;

/// Adds a deny rule.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    add(Effect::Deny, args, ui)
}
