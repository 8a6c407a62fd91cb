//! The tool calls of a worker as the conductor sees them in its stream. What is out of bounds is remembered until it is
//! known whether it was refused; what was not refused is the end of the journey.

use serde_json::Value;

use super::super::attempt;
use super::super::bounds::{Bounds, Broken};
use super::super::mask;
use super::super::tools::{self, Deed};

/// Calls that are remembered at once; no worker has more open.
const MOST: usize = 256;

/// Bytes of a snapshot that are kept to find names in.
const SNAPSHOT: usize = 512 * 1024;

/// How a call came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// a bound of ours refused it
    Refused,
    /// the agent did not run it, for a reason of its own
    NotRun,
    /// it ran, well or badly
    Ran,
}

/// Something out of bounds that was tried.
#[derive(Clone, Debug)]
pub(super) struct Amiss {
    /// of the note
    pub(super) kind: &'static str,
    pub(super) broken: Broken,
    pub(super) refused: bool,
}

#[derive(Debug, Default)]
pub(super) struct Seen {
    open: Vec<Open>,
    snapshot: String,
}

#[derive(Debug)]
struct Open {
    id: String,
    tool: String,
    amiss: Option<(&'static str, Broken)>,
}

impl Seen {
    pub(super) fn called(&mut self, id: &str, tool: &str, input: &Value, bounds: &Bounds, going: bool) {
        // some agents tell of a call twice; as it was first told it counts
        if self.open.iter().any(|open| open.id == id) {
            return;
        }
        let amiss = self.amiss(tool, input, bounds, going);
        if self.open.len() >= MOST {
            self.open.remove(0);
        }
        self.open.push(Open { id: id.to_owned(), tool: tool.to_owned(), amiss });
    }

    fn amiss(&self, tool: &str, input: &Value, bounds: &Bounds, going: bool) -> Option<(&'static str, Broken)> {
        if let Some(broken) = attempt::outside(tool, input, bounds) {
            return Some(("refused-navigation", broken));
        }
        let named = || {
            let line = attempt::named_in(&self.snapshot, input).filter(|_| tools::presses(tool))?;
            attempt::label_is(line, &bounds.out_of_bounds)
        };
        if let Some(broken) = attempt::irreversible(tool, input, &bounds.out_of_bounds).or_else(named) {
            return Some(("refused-act", broken));
        }
        if !going && tools::deed(tool, input) == Deed::Acts {
            let detail = format!("`{}` was called before the go-ahead", mask::line(tool, 80));
            return Some(("early-action", Broken { rule: "turn-gate", detail }));
        }
        None
    }

    pub(super) fn answered(&mut self, id: &str, answer: Answer, text: &str, bounds: &Bounds) -> Option<Amiss> {
        let at = self.open.iter().position(|open| open.id == id)?;
        let open = self.open.remove(at);
        if let Some((kind, broken)) = open.amiss {
            return Some(Amiss { kind, broken, refused: answer != Answer::Ran });
        }
        if answer != Answer::Ran {
            return None;
        }
        if tools::server(&open.tool).is_some() && (text.contains("ref=") || text.contains("uid=")) {
            self.snapshot = text.get(..SNAPSHOT).unwrap_or(if text.len() < SNAPSHOT { text } else { "" }).to_owned();
        }
        let broken = attempt::landed(&open.tool, text, bounds)?;
        Some(Amiss { kind: "left", broken, refused: false })
    }

    /// Calls out of bounds that never came back.
    pub(super) fn unanswered(&mut self) -> Vec<Amiss> {
        let open = std::mem::take(&mut self.open);
        open.into_iter()
            .filter_map(|open| open.amiss)
            .map(|(kind, broken)| Amiss { kind, broken, refused: false })
            .collect()
    }
}
