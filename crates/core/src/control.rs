//! Files that decide what an agent, a tool or the machine may do next.

use crate::path::Place;
use crate::world::World;

/// How strictly a path is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hold {
    /// writing it asks a person (`guard.agent-config`)
    Config,
    /// writing it asks a person (`guard.persistence`)
    Persistence,
    /// an agent's transcripts or persona state: refused (`guard.transcript`)
    Record,
    /// leastgrant's own state, program or hook entries: refused (`guard.self-write`)
    Own,
}

/// What a kept path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// how strictly it is kept
    pub hold: Hold,
    /// record id of the agent it belongs to, or `any`
    pub agent: &'static str,
    /// hook config, settings, MCP wiring, instructions, standing grants, …
    pub kind: &'static str,
    /// what it decides, in words
    pub decides: &'static str,
}

/// What a path decides, if anything; the strictest where several hold. Also holds for a folder whose removal or move
/// would take such a file with it.
#[must_use]
pub fn control(world: &dyn World, place: &Place) -> Option<Control> {
    let _ = (world, place);
    None
}

/// What an edit of a control file's content does beyond its path: an off-switch (`Hold::Own`), a wider grant or a new
/// hook (named), or nothing of note. `before` is none where the file is new.
#[must_use]
pub fn content(world: &dyn World, place: &Place, before: Option<&str>, after: &str) -> Option<(Hold, String)> {
    let _ = (world, place, before, after);
    None
}
