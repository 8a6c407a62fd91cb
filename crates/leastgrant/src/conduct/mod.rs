//! A persona run on this machine: agent processes that are watched, journals that are on disk before anybody acts, and a
//! way out that leaves nothing armed. What a run does next is decided by [`leastgrant_core::conduct::walk`]; here are the
//! processes, files, clocks and signals.

mod arm;
mod browsers;
mod canary;
pub mod cast;
pub mod clock;
mod drive;
pub mod folder;
pub mod guard;
mod journal;
pub mod lease;
pub mod news;
mod process;
pub mod record;
pub mod report;
mod stage;
pub mod stop;
pub mod worker;

pub use cast::{Cast, Wish};
pub use drive::Done;
