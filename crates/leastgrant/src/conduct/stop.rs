//! Signals become a word that every journey looks at: nothing is done inside of a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The word.
#[derive(Clone, Debug)]
pub struct Stop {
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// Listens for the signals that end a run.
    ///
    /// # Errors
    /// The system does not let us.
    pub fn listening() -> std::io::Result<Self> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let stop = Self { signal: Arc::new(AtomicUsize::new(0)) };
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or(usize::MAX);
            signal_hook::flag::register_usize(signal, Arc::clone(&stop.signal), number)?;
        }
        Ok(stop)
    }

    /// Asks for the end without a signal.
    pub fn ask(&self) {
        self.signal.store(usize::MAX, Ordering::SeqCst);
    }

    /// Why the run ends, if it does.
    #[must_use]
    pub fn asked(&self) -> Option<&'static str> {
        match self.signal.load(Ordering::SeqCst) {
            0 => None,
            1 => Some("the terminal was closed (SIGHUP)"),
            2 => Some("a person interrupted it (SIGINT)"),
            15 => Some("it was told to end (SIGTERM)"),
            _ => Some("the conductor ends"),
        }
    }
}
