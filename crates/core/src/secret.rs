//! Which places hold credentials.

use crate::path::Place;
use crate::world::World;

/// Why a path counts as a credential (in words), or nothing.
#[must_use]
pub fn secret(world: &dyn World, place: &Place) -> Option<&'static str> {
    let _ = (world, place);
    None
}

/// Whether a recursive read rooted here is certain to reach credentials (a home, `/etc`, an ancestor of `~/.ssh`).
#[must_use]
pub fn holds_secrets(world: &dyn World, place: &Place) -> Option<&'static str> {
    let _ = (world, place);
    None
}

/// Whether an unquoted glob could expand to a credential.
#[must_use]
pub fn glob_may_be_secret(world: &dyn World, cwd: Option<&str>, pattern: &str) -> Option<&'static str> {
    let _ = (world, cwd, pattern);
    None
}
