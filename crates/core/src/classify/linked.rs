//! The world as it is once the links are there that a call makes on its way: `ln -s ~/.bashrc l && echo x >> l`.

use crate::world::{Entry, Facts, Small, World};

/// A world with links that are not there yet.
pub(super) struct Linked<'a> {
    /// the world as it is
    pub(super) world: &'a dyn World,
    /// where a link will stand, and what to; none where that is not known
    pub(super) links: Vec<(String, Option<String>)>,
}

impl World for Linked<'_> {
    fn facts(&self) -> &Facts {
        self.world.facts()
    }

    fn entry(&self, path: &str) -> Entry {
        match self.links.iter().rev().find(|link| link.0 == path) {
            Some((_, Some(to))) => Entry::Link(to.clone()),
            Some((_, None)) => Entry::Unknown,
            None => self.world.entry(path),
        }
    }

    fn read(&self, path: &str, max: usize) -> Small {
        self.world.read(path, max)
    }

    fn list(&self, path: &str, max: usize) -> Option<Vec<String>> {
        self.world.list(path, max)
    }

    fn home_of(&self, user: &str) -> Option<String> {
        self.world.home_of(user)
    }

    fn tracked_clean(&self, path: &str) -> bool {
        self.world.tracked_clean(path)
    }

    fn made_in_session(&self, path: &str) -> bool {
        self.world.made_in_session(path)
    }
}
