//! A line of the ledger as it is read back: what people and the collector of evidence look at. What is missing is empty,
//! what is more is left out.

use serde::Deserialize;

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Line {
    /// milliseconds since 1970
    pub at: i64,
    /// what happened
    pub event: String,
    /// record id of the agent
    pub agent: String,
    /// the agent's session
    pub session: String,
    /// the subagent
    pub subagent: Option<String>,
    /// the agent's id of the call
    pub call: String,
    /// the project's root
    pub project: String,
    /// the tool as the agent spells it
    pub tool: String,
    /// what the call would do, redacted
    pub display: String,
    /// the identity of the whole call
    pub signature: String,
    /// the identities of its actions
    pub signatures: Vec<String>,
    /// digest of the input
    pub input: String,
    /// kind of evidence
    pub evidence: String,
    /// what its actions do
    pub capability: Vec<String>,
    /// the highest tier
    pub tier: Option<u8>,
    /// the verdict
    pub decision: String,
    /// for an ask: which kind
    pub kind: String,
    /// floors that hold
    pub floors: Vec<String>,
    /// ids of the reasons
    pub reasons: Vec<String>,
    /// what the agent was told
    pub answer: String,
    /// the agent's permission mode
    pub mode: String,
    /// whether somebody was there
    pub attendance: String,
    /// a remark
    pub note: Option<String>,
    /// what it took
    pub ms: Option<f64>,
    /// digest of the line
    pub digest: String,
}

impl Line {
    /// A whole line of the ledger.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        super::ledger::sealed(text).then(|| serde_json::from_str(text).ok()).flatten()
    }

    /// Whether a call was asked about or refused.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.event == "call" && matches!(self.answer.as_str(), "ask" | "deny")
    }
}
