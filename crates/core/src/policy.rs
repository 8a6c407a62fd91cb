//! What the person decided: posture, rules, accepted bundles. Read from files by the binary, judged here.

pub use crate::learn::{Standing, Terms};
use crate::persona::run::Run;
use crate::rule::Rule;

/// How much may pass unasked (parity table §5.8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Posture {
    /// everything is judged and recorded; only integrity floors and the persona bound are enforced
    Observe,
    /// the default
    #[default]
    Assist,
    /// what is contained in the project passes although it was not understood
    Autopilot,
    /// only rules allow
    Strict,
}

impl Posture {
    /// `observe`, `assist`, `autopilot` or `strict`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Assist => "assist",
            Self::Autopilot => "autopilot",
            Self::Strict => "strict",
        }
    }

    /// The posture with this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::Observe, Self::Assist, Self::Autopilot, Self::Strict].into_iter().find(|posture| posture.id() == id)
    }
}

/// Everything the person decided that bears on a call.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// how much may pass unasked
    pub posture: Posture,
    /// rules of all layers that apply here
    pub rules: Vec<Rule>,
    /// ids of accepted starter bundles (see [`crate::bundle`])
    pub bundles: Vec<String>,
    /// what is asked of evidence before it lets anything pass
    pub terms: Terms,
    /// what of the policy files could not be read, in words with file, line and column; not empty means that the scope asks
    pub problems: Vec<String>,
    /// persona runs that bind the session
    pub persona: Vec<Run>,
}

/// What this session has done so far that bears on later calls (secrets flow, DESIGN §4).
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// credentials that were read, by path or name
    pub read_secrets: Vec<String>,
    /// the session's record could not be read: the worst is assumed
    pub unreadable: bool,
}
