//! Wiring: where our hook stands in an agent's settings, how it gets there and goes again, and what that leaves behind
//! in our state folder. No verdicts are made here.

pub mod adopt;
pub mod claude_code;
pub mod codex;
pub mod config_change;
pub mod copilot;
pub mod dialect;
pub mod extra;
pub mod find;
pub mod form;
pub mod gemini_cli;
pub mod opencode;
pub mod pause;
pub mod perform;
pub mod place;
pub mod probe;
pub mod qwen_code;
pub mod record;
pub mod release;
pub mod terminal;
pub mod wiring;
pub mod work;
