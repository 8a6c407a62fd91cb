//! What a call would do: one family of knowledge a file; code only where a table can't say it.

mod archives;
pub mod arg;
mod awk;
pub mod code;
pub mod draft;
pub mod environment;
mod files;
mod forge;
mod git;
mod network;
pub mod program;
mod redirect;
pub mod script;
mod search;
mod sed;
pub mod shell;
mod sign;
mod text;
pub mod tools;
pub mod usage;
mod vcs;
mod wrappers;

use crate::action::Action;
use crate::call::{Call, Tool};
use crate::world::World;

/// The actions of a call, in the order in which they would happen.
#[must_use]
pub fn classify(call: &Call, world: &dyn World) -> Vec<Action> {
    match &call.tool {
        Tool::Shell(command) => shell::shell_actions(command, &call.cwd, world),
        _ => tools::tool_actions(call, world),
    }
}
