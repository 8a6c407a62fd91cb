//! Wiring: where our hook stands in an agent's settings, how it gets there and goes again, and what that leaves behind
//! in our state folder. No verdicts are made here.

pub mod adopt;
pub mod claude_code;
pub mod config_change;
pub mod find;
pub mod pause;
pub mod perform;
pub mod place;
pub mod probe;
pub mod record;
pub mod release;
pub mod terminal;
pub mod wiring;
pub mod work;
