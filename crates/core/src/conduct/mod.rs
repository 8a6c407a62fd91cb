//! Conducting a persona run: what a worker says is read, judged and written down before it may act. Pure: the run itself
//! (processes, files, clocks) is the binary's; what it does next is decided here.
//!
//! The path of one turn: [`block`] (text → fenced block) → [`turn`] (block → turn, or a named refusal) → [`bounds`] and
//! [`irreversible`] (may it be done) → [`journal`] (the line) → the go-ahead. [`walk`] holds the order; [`gate`] and
//! [`attempt`] are what the guard asks when a tool is really called; [`findings`], [`report`] and [`page`] read journals.

pub mod attempt;
pub mod block;
pub mod bounds;
pub mod findings;
pub mod gate;
pub mod gitlock;
pub mod irreversible;
pub mod journal;
pub mod mask;
pub mod page;
pub mod protocol;
pub mod report;
mod table;
pub mod tools;
pub mod turn;
pub mod walk;
pub mod words;
