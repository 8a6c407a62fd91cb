//! What a call would do: one family of knowledge a file; code only where a table can't say it.

mod agents;
mod archives;
pub mod arg;
mod awk;
mod build;
mod cloud;
pub mod code;
mod containers;
mod databases;
pub mod draft;
mod editors;
pub mod environment;
mod files;
mod files_named;
mod find;
mod forge;
mod format;
mod git;
mod helpers;
mod infrastructure;
mod interpreters;
mod kubernetes;
mod linked;
mod media;
mod network;
mod packages;
mod processes;
pub mod program;
mod redirect;
pub mod script;
mod search;
mod secrets;
mod sed;
pub mod shell;
mod sign;
mod sql;
mod system;
mod test;
mod text;
pub mod tools;
pub mod usage;
mod vcs;
mod verb;
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
