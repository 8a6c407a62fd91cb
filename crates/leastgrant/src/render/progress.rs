//! How far a long piece of work is, on stderr, in a terminal only.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_millis(100);
const WIDTH: u64 = 24;

/// A line that is drawn again and again.
#[derive(Debug)]
pub struct Progress {
    total: u64,
    last: Option<Instant>,
    shown: bool,
}

impl Progress {
    /// Of so many steps.
    #[must_use]
    pub fn new(total: u64) -> Self {
        Self { total, last: None, shown: std::io::stderr().is_terminal() }
    }

    /// Draws how far it is, at most ten times a second.
    pub fn at(&mut self, done: u64, what: &str) {
        if !self.shown || self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        let full = done.saturating_mul(WIDTH).checked_div(self.total).unwrap_or(WIDTH).min(WIDTH);
        let bar: String = (0..WIDTH).map(|at| if at < full { '█' } else { '░' }).collect();
        let percent = done.saturating_mul(100).checked_div(self.total).unwrap_or(100).min(100);
        let _ = write!(std::io::stderr(), "\r{bar} {percent:>3} % {what}\u{1b}[K");
    }

    /// Takes the line away.
    pub fn end(&self) {
        if self.shown && self.last.is_some() {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}
