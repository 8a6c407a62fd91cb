//! Edits of other programs' files: every byte that is not ours survives, nothing is written before it was shown as a
//! plan, everything written can be undone. A file that could not be understood is refused, never repaired.

pub mod atomic;
pub mod json;
pub mod lock;
pub mod plan;
pub mod toml;
