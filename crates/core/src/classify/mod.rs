//! What a call would do: one family of knowledge a file; code only where a table can't say it.

use crate::action::Action;
use crate::call::Call;
use crate::world::World;

/// The actions of a call, in the order in which they would happen.
#[must_use]
pub fn classify(call: &Call, world: &dyn World) -> Vec<Action> {
    let _ = (call, world);
    Vec::new()
}
