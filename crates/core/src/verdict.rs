//! The answer to one call.

use crate::action::Action;
use crate::reason::Reason;

/// Allow, ask or deny; strictest last, so that the maximum folds several into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Decision {
    /// may run
    Allow,
    /// a person decides
    Ask,
    /// must not run
    Deny,
}

impl Decision {
    /// `allow`, `ask` or `deny`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What kind of ask it is; greater is stricter in every cell of [`crate::channel`], so that folding by the maximum
/// never weakens an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AskKind {
    /// understood, no floor, tier ≤ 2
    Unfamiliar,
    /// could not be accounted for
    Unreadable,
    /// understood, no floor, tier ≥ 3
    Heavy,
    /// known danger, an ask rule, or posture strict
    Floor,
}

impl AskKind {
    /// `unfamiliar`, `heavy`, `unreadable` or `floor`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Unfamiliar => "unfamiliar",
            Self::Heavy => "heavy",
            Self::Unreadable => "unreadable",
            Self::Floor => "floor",
        }
    }
}

/// A verdict with everything that led to it. Made in [`crate::judge`] only.
#[must_use]
#[derive(Clone, Debug)]
pub struct Verdict {
    /// the answer
    pub decision: Decision,
    /// for an ask: which kind
    pub kind: Option<AskKind>,
    /// why, strictest first
    pub reasons: Vec<Reason>,
    /// what the call would do
    pub actions: Vec<Action>,
    /// ids of floors that hold, sorted, each once
    pub floors: Vec<&'static str>,
    /// the learnable identity of the whole call: its actions' signatures, joined by ` ; `
    pub signature: String,
    /// contained in the project: reach workspace or none, no exposure, no outside or secret target
    pub contained: bool,
    /// what would change the answer, in words
    pub remedy: Option<String>,
}
