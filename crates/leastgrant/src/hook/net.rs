//! The net under everything: a panic becomes a value, and its place is kept for the reason that people read.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Mutex;

static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Keeps panics from printing; they remember where they were instead.
pub(crate) fn spread() {
    set_hook(Box::new(|panic| {
        let place = panic.location().map(|at| format!("{}:{}", at.file(), at.line()));
        if let Ok(mut kept) = PLACE.lock() {
            *kept = place;
        }
    }));
}

/// Runs `work`; a panic in it comes back as an error in words.
///
/// # Errors
/// It panicked.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // nothing that `work` touches is looked at again after a panic, so half-made values cannot be seen
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let place = PLACE.lock().ok().and_then(|mut kept| kept.take());
        format!("leastgrant failed at {}", place.as_deref().unwrap_or("an unknown place"))
    })
}
