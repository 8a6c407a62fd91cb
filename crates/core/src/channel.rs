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
        return Answer::Silent;
    }
    match verdict.decision {
        Decision::Deny => deny(verdict),
        Decision::Allow => allow(verdict, channel, mode),
        Decision::Ask => {
            let kind = verdict.kind.unwrap_or(AskKind::Floor);
            let contained = posture == Posture::Autopilot && verdict.contained;
            match cell(kind, situation(mode, attendance)) {
                Cell::Silent => Answer::Silent,
                Cell::AskUnlessContained | Cell::RefuseUnlessContained if contained => Answer::Silent,
                Cell::Ask | Cell::AskUnlessContained => ask(verdict, channel),
                // an ask that the agent refuses where nobody is there serves both readings of "not said"
                Cell::Refuse | Cell::RefuseUnlessContained
                    if attendance == Attendance::Unknown && channel.ask_refused_unattended =>
                {
                    ask(verdict, channel)
                }
                Cell::Refuse | Cell::RefuseUnlessContained => refuse(verdict),
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
/// question (leaving plan mode, say) stays. Where an allow overrides the agent's own rules, a rule alone is worth it. In
/// plan mode only reading is (an allow carries writes through the planning of an older Claude Code: group a,
/// "allow in plan mode").
fn allow(verdict: &Verdict, channel: &Channel, mode: &Mode) -> Answer {
    let by = |id: &str| verdict.reasons.iter().any(|reason| reason.id == id);
    let housekeeping = by("meta.housekeeping");
    let ruled = verdict.reasons.iter().filter(|reason| reason.weight == crate::reason::Weight::Lowers);
    let ruled = ruled.clone().count() > 0 && ruled.clone().all(|reason| reason.id == "rule.allow");
    let planning = *mode == Mode::Plan && !verdict.actions.iter().all(|action| reads(action.capability));
    if housekeeping || planning || (channel.allow_overrides && !ruled) {
        return Answer::Silent;
    }
    Answer::Allow { reason: words::allow(verdict) }
}

fn reads(capability: Capability) -> bool {
    use Capability as C;
    matches!(capability, C::Meta | C::ReadWorkspace | C::ReadOutside | C::Inspect | C::VcsRead | C::NetFetch)
}

fn ask(verdict: &Verdict, channel: &Channel) -> Answer {
    if channel.ask_prompts { Answer::Ask { reason: words::ask(verdict) } } else { refuse(verdict) }
}

fn refuse(verdict: &Verdict) -> Answer {
    Answer::Deny { reason: words::refuse(verdict) }
}

fn deny(verdict: &Verdict) -> Answer {
    Answer::Deny { reason: words::deny(verdict) }
}
