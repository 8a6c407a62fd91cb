//! Proof by the real agents: their own binaries, a scripted model, a stub MCP server, no network. A scenario says what a
//! session plays and what must be seen of it; this crate plays it and compares. It judges nothing that leastgrant judges,
//! and is used by the command `verify` alone.

pub mod agent;
pub mod find;
mod http;
pub mod isolate;
mod model;
pub mod observe;
pub mod probe;
pub mod receipt;
pub mod scenario;
pub mod session;
pub mod stage;
pub mod stub;
pub mod suite;

pub use model::ToolCall;
