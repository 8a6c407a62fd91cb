//! Whether a changed settings file may take hold in a running session. The judgement belongs to the wiring; until it is
//! there every change is recorded and let through.

use crate::agent::ConfigChange;

/// The reason why the change is refused; none lets it through.
#[must_use]
pub fn refusal(change: &ConfigChange) -> Option<String> {
    let _ = change;
    None
}
