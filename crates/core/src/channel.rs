//! What to send for a verdict on this agent, in this mode, with or without a person there: a table, not code per agent.

use crate::call::{Attendance, Mode};
use crate::policy::Posture;
use crate::verdict::Verdict;

/// What the agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// no opinion: the agent's own rules and prompt decide
    Silent,
    /// may run
    Allow {
        /// shown or kept by the agent
        reason: String,
    },
    /// the agent asks the person
    Ask {
        /// shown to the person
        reason: String,
    },
    /// must not run
    Deny {
        /// shown to the model
        reason: String,
    },
}

/// What allow and ask are worth on an agent, from its compatibility record.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// record id
    pub agent: &'static str,
    /// an ask reaches a person when one is there
    pub ask_prompts: bool,
    /// an ask with nobody there is refused by the agent itself (so it may be sent)
    pub ask_refused_unattended: bool,
    /// an allow must not be sent for "no opinion" (it would override the agent's own rules)
    pub allow_overrides: bool,
}

/// Fits a verdict to the channel.
#[must_use]
pub fn fit(verdict: &Verdict, channel: &Channel, mode: &Mode, attendance: Attendance, posture: Posture) -> Answer {
    let _ = (verdict, channel, mode, attendance, posture);
    Answer::Deny { reason: String::from("not built yet") }
}
