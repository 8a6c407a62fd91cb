//! Persona runs: while one is active, navigation stays inside the flow's allowlist.
//!
//! Read [`run::Run::at`] for what is in force in a project, [`guard::rule`] for what that means for one call,
//! [`flow::Flow`] and [`contract::Contract`] for the files that people write. Nothing here may widen a bound: what is
//! unknown, unreadable or malformed is outside.

pub mod active;
pub mod allowlist;
mod arguments;
pub mod armed;
pub mod contract;
pub mod flow;
pub mod guard;
pub mod json;
pub mod lease;
pub mod mask;
pub mod run;
pub mod servers;
pub mod visit;
pub mod why;
