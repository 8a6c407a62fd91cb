//! What to send for a verdict on this agent, in this mode, with or without a person there: a table, not code per agent.
//! Never turns a deny into anything else, except where posture `observe` keeps all but integrity floors silent.

mod words;

use crate::action::Capability;
use crate::call::{Attendance, Mode};
use crate::floor;
use crate::policy::Posture;
use crate::verdict::{AskKind, Decision, Verdict};

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

/// What an allow is worth on an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allow {
    /// passes the agent's own prompt; its rules stay above it
    Grants,
    /// passes the agent's own prompt and its rules with it
    Overrides,
    /// heard, and lifts nothing
    Advisory,
    /// as if nothing had been said
    Passes,
    /// not measured
    Unknown,
}

/// What becomes of an ask on an agent; the later, the less it may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// a person is asked
    Prompts,
    /// the agent refuses the call and tells the model our reason
    Refuses,
    /// there is no way to say it
    None,
    /// not measured
    Unknown,
    /// the agent never comes back
    Hangs,
    /// the call runs
    Passes,
}

/// What no output means on an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Silence {
    /// the agent's own rules and prompt decide
    Defers,
    /// not measured
    Unknown,
    /// the call runs, and the agent asks nobody
    Allows,
}

/// What the answers are worth on an agent, from its compatibility record: the weakest that any version, mode or surface
/// in it does. A strength that was not measured counts as unknown.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// record id
    pub agent: &'static str,
    /// as people write it
    pub name: &'static str,
    /// no output
    pub silence: Silence,
    /// an allow
    pub allow: Allow,
    /// an ask, where a person is there
    pub ask_attended: Ask,
    /// an ask, where nobody is
    pub ask_unattended: Ask,
    /// a deny is lifted by a later hook's allow unless it also ends the call (`continue: false`)
    pub deny_ends: bool,
}

/// An agent of which nothing is known: no answer but a refusal is relied on.
pub static UNKNOWN: Channel = Channel {
    agent: "unknown",
    name: "this agent",
    silence: Silence::Unknown,
    allow: Allow::Unknown,
    ask_attended: Ask::Unknown,
    ask_unattended: Ask::Unknown,
    deny_ends: false,
};

/// The channel of an agent that has a record.
#[must_use]
pub fn of(agent: &str) -> Option<&'static Channel> {
    CHANNELS.iter().find(|channel| channel.agent == agent)
}

include!(concat!(env!("OUT_DIR"), "/channels.rs"));

/// Who would answer an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Situation {
    /// a person is there, and the agent prompts by itself
    Prompting,
    /// a person is there, and the agent's own prompts are off
    Quiet,
    /// nobody, or not known
    Nobody,
}

/// What a cell of the table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// the person is asked
    Ask,
    /// refused, with how to approve
    Refuse,
    /// no output
    Silent,
    /// in posture autopilot silent where contained in the project, or else asked
    AskUnlessContained,
    /// in posture autopilot silent where contained in the project, or else refused
    RefuseUnlessContained,
}

/// DESIGN §4: every kind of ask in every situation.
pub const TABLE: &[(AskKind, [Cell; 3])] = &[
    //                     prompting      quiet                     nobody
    (AskKind::Floor, [Cell::Ask, Cell::Ask, Cell::Refuse]),
    (AskKind::Heavy, [Cell::Ask, Cell::Ask, Cell::RefuseUnlessContained]),
    (AskKind::Unreadable, [Cell::Ask, Cell::AskUnlessContained, Cell::RefuseUnlessContained]),
    (AskKind::Unfamiliar, [Cell::Silent, Cell::Silent, Cell::Silent]),
];

/// The cell for a kind; a kind without a row is asked like a floor.
#[must_use]
pub fn cell(kind: AskKind, situation: Situation) -> Cell {
    let row = TABLE.iter().find(|row| row.0 == kind).map_or([Cell::Ask, Cell::Ask, Cell::Refuse], |row| row.1);
    match (row, situation) {
        ([cell, _, _], Situation::Prompting) | ([_, cell, _], Situation::Quiet) | ([_, _, cell], Situation::Nobody) => {
            cell
        }
    }
}

/// Whether the agent's own prompts are off in this mode (rows of `agents/claude-code`, group a).
///
/// `bypass` prompts for nothing. `auto` asks a classifier instead of the person (row "default mode of a fresh TUI
/// session"). `dontAsk` refuses what no rule allows, so silence there is a refusal by the agent. A mode that we do not
/// know, and one that is not said, count as prompting: that column is never the more silent one.
#[must_use]
pub fn prompts_off(mode: &Mode) -> bool {
    match mode {
        Mode::Auto | Mode::DontAsk | Mode::Bypass => true,
        Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::Unknown(_) | Mode::Unsaid => false,
    }
}

/// Who would answer an ask. Not said counts as nobody.
#[must_use]
pub fn situation(mode: &Mode, attendance: Attendance) -> Situation {
    match attendance {
        Attendance::Attended if prompts_off(mode) => Situation::Quiet,
        Attendance::Attended => Situation::Prompting,
        Attendance::Unattended | Attendance::Unknown => Situation::Nobody,
    }
}

/// Fits a verdict to the channel.
#[must_use]
pub fn fit(verdict: &Verdict, channel: &Channel, mode: &Mode, attendance: Attendance, posture: Posture) -> Answer {
    if posture == Posture::Observe && !enforced(verdict) {
        // where silence would take the agent's own prompt away, observing must not
        return if channel.silence == Silence::Allows {
            no_opinion(verdict, channel, attendance)
        } else {
            Answer::Silent
        };
    }
    match verdict.decision {
        Decision::Deny => deny(verdict),
        Decision::Allow => allow(verdict, channel, mode),
        Decision::Ask => {
            let kind = verdict.kind.unwrap_or(AskKind::Floor);
            let contained = posture == Posture::Autopilot && verdict.contained;
            match cell(kind, situation(mode, attendance)) {
                Cell::Silent => no_opinion(verdict, channel, attendance),
                Cell::AskUnlessContained | Cell::RefuseUnlessContained if contained => {
                    no_opinion(verdict, channel, attendance)
                }
                Cell::Ask | Cell::AskUnlessContained | Cell::Refuse | Cell::RefuseUnlessContained => {
                    ask(verdict, channel, attendance)
                }
            }
        }
    }
}

/// Whether posture `observe` lets it through: integrity floors and the persona bound hold, and so does what could hide
/// either because it could not be read at all.
fn enforced(verdict: &Verdict) -> bool {
    const UNREAD: &[&str] = &["persona.bound", "payload.unreadable", "engine.error"];
    verdict.decision != Decision::Allow
        && verdict.reasons.iter().any(|reason| floor::is_integrity(reason.id) || UNREAD.contains(&reason.id))
}

/// An allow is an opinion of the person's: a rule, a bundle, an approval. Housekeeping is none, so that the agent's own
/// question (leaving plan mode, say) stays. Where an allow overrides the agent's own rules, a rule alone is worth it, and
/// where it grants nothing it is not sent: another hook's deny could be lifted by it. In plan mode only reading is (an
/// allow carries writes through the planning of an older Claude Code: group a, "allow in plan mode").
fn allow(verdict: &Verdict, channel: &Channel, mode: &Mode) -> Answer {
    let by = |id: &str| verdict.reasons.iter().any(|reason| reason.id == id);
    let mut ruled = verdict.reasons.iter().filter(|reason| reason.weight == crate::reason::Weight::Lowers).peekable();
    let ruled = ruled.peek().is_some() && ruled.all(|reason| reason.id == "rule.allow");
    let worth = match channel.allow {
        Allow::Grants => !by("meta.housekeeping"),
        Allow::Overrides => ruled,
        Allow::Advisory | Allow::Passes | Allow::Unknown => false,
    };
    let planning = *mode == Mode::Plan && !verdict.actions.iter().all(|action| reads(action.capability));
    if worth && !planning { Answer::Allow { reason: words::allow(verdict) } } else { Answer::Silent }
}

fn reads(capability: Capability) -> bool {
    use Capability as C;
    matches!(capability, C::Meta | C::ReadWorkspace | C::ReadOutside | C::Inspect | C::VcsRead | C::NetFetch)
}

/// An ask goes out where it reaches a person or, nobody having said whether one is there, is refused by the agent where
/// none is. Everywhere else it is a refusal that says how to approve.
fn ask(verdict: &Verdict, channel: &Channel, attendance: Attendance) -> Answer {
    let prompts = channel.ask_attended == Ask::Prompts;
    let reaches = match attendance {
        Attendance::Attended => prompts,
        Attendance::Unattended => false,
        Attendance::Unknown => prompts && channel.ask_unattended == Ask::Refuses,
    };
    if reaches {
        Answer::Ask { reason: words::ask(verdict) }
    } else {
        Answer::Deny { reason: words::refuse(verdict, channel, prompts) }
    }
}

/// No opinion: silence, unless that would let the call run without the agent's own prompt.
fn no_opinion(verdict: &Verdict, channel: &Channel, attendance: Attendance) -> Answer {
    match channel.silence {
        Silence::Defers => Answer::Silent,
        Silence::Allows | Silence::Unknown if verdict.decision == Decision::Allow => Answer::Silent,
        Silence::Allows | Silence::Unknown => ask(verdict, channel, attendance),
    }
}

fn deny(verdict: &Verdict) -> Answer {
    Answer::Deny { reason: words::deny(verdict) }
}
