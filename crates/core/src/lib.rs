//! A tool call in, a verdict with reasons out. Pure: every fact is an argument.
//!
//! The path: [`call::Call`] → [`classify`] → [`action::Action`]s → [`judge`] (floors, rules, bundles, posture) →
//! [`verdict::Verdict`] → [`channel`] (what to send on this agent, in this mode, with or without a person).

pub mod action;
pub mod bundle;
pub mod call;
pub mod channel;
pub mod classify;
pub mod compatibility;
pub mod conduct;
pub mod control;
pub mod floor;
pub mod host;
pub mod judge;
pub mod knowledge;
pub mod learn;
pub mod path;
pub mod persona;
pub mod policy;
pub mod reason;
pub mod redact;
pub mod rule;
pub mod secret;
pub mod signature;
pub mod verdict;
pub mod world;
