//! Persona runs on this machine: which are in force for a session, the guard's own hook, arming, wiring, and the files that
//! people write. What a run means for a call is core's to say.

pub mod arm;
pub mod doctor;
pub mod files;
pub mod hook;
pub mod journal;
pub mod owners;
pub mod scene;
pub mod wiring;

/// The tag under which the guard stands in agents' settings.
pub const TAG: &str = "leopold-persona-guard";
/// The tools that the guard's entry is for.
pub const MATCHER: &str = "mcp__.*|WebFetch";
/// Seconds that the agent waits for it.
pub const ENTRY_SECONDS: u32 = 5;
