//! One persona's journey as a machine: what was heard goes in, what is to be done comes out, in order. A turn is read,
//! weighed and written before anything else; the go-ahead comes only when the worker rests. The machine has no clock and
//! no process: a crash between any two steps leaves a journal from which [`Walk::resumed`] goes on.

mod seen;

use super::block::{Found, Kind, Reader};
use super::bounds::{Bounds, Broken, Weighed};
use super::journal::{self, Journal, Note};
use super::protocol;
use super::turn::{self, Outcome, Turn};
use serde_json::Value;

pub use seen::Answer;
use seen::Seen;

/// Repeats of a wrong block in one journey; one for each turn.
const MOST_REPEATS: u32 = 5;

/// What was heard.
#[derive(Clone, Debug)]
pub enum Heard<'a> {
    /// text of the worker
    Said(&'a str),
    /// the message of the worker is over
    Paused,
    /// a tool is called
    Called {
        /// the agent's id of the call
        id: &'a str,
        /// the tool, as agents spell it
        tool: &'a str,
        /// its arguments
        input: &'a Value,
    },
    /// a call came back
    Answered {
        /// the agent's id of the call
        id: &'a str,
        /// how
        answer: Answer,
        /// what came back
        text: &'a str,
    },
    /// the guard refused a call that the worker's own stream does not tell of
    Refused {
        /// of the note: `early-action`, `refused-navigation`, `refused-act`
        kind: &'a str,
        /// one line
        detail: &'a str,
    },
    /// the worker waits for words
    Rests,
    /// its process is gone
    Gone(&'a str),
    /// it took too long
    Late,
    /// the run is interrupted
    Halted(&'a str),
}

/// What is to be done, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// write this line to the journal and see it on disk before the next step
    Write(String),
    /// this turn may act from now on
    Go(u32),
    /// nothing may act from now on
    Shut,
    /// say this to the worker
    Say(String),
    /// end the worker's process, if there is one, and start another for the same journey; why
    Launch(String),
    /// for whoever watches
    Tell(Tell),
    /// the journey is over
    End(Ending),
}

/// News for whoever watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tell {
    /// a turn was written
    Turn(u32),
    /// a turn was written and held
    Held(u32, Broken),
    /// a bound was left or tried
    Bound(Broken),
    /// a block was refused
    Repeat(String),
    /// the worker is started again
    Again(String),
}

/// How a journey ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// by the worker's word
    Completed(Outcome),
    /// at a bound or at the budget
    Stopped {
        /// the reason of the stop line
        reason: String,
        /// one line
        detail: String,
    },
    /// it did not work
    Failed(String),
    /// from outside; it can be resumed
    Interrupted,
}

/// The machine.
#[derive(Debug)]
pub struct Walk {
    bounds: Bounds,
    persona: String,
    reader: Reader,
    seen: Seen,
    /// turns in the journal
    enacted: u32,
    /// turns in the journal when this process was started
    at_launch: u32,
    step: Option<String>,
    /// what is said when the worker rests
    reply: Option<Reply>,
    go: Option<u32>,
    /// repeats of this turn, of all
    repeats: (u32, u32),
    /// starts after the first
    relaunches: u32,
    most_relaunches: u32,
    fruitless: u32,
    over: bool,
}

#[derive(Debug)]
enum Reply {
    Act(u32),
    Hold(u32, String),
    Again(String),
}

impl Walk {
    /// A journey that begins.
    #[must_use]
    pub fn new(persona: &str, bounds: Bounds, most_relaunches: u32) -> Self {
        Self {
            bounds,
            persona: persona.to_owned(),
            reader: Reader::default(),
            seen: Seen::default(),
            enacted: 0,
            at_launch: 0,
            step: None,
            reply: None,
            go: None,
            repeats: (0, 0),
            relaunches: 0,
            most_relaunches,
            fruitless: 0,
            over: false,
        }
    }

    /// A journey that goes on from its journal.
    #[must_use]
    pub fn resumed(persona: &str, bounds: Bounds, most_relaunches: u32, journal: &Journal) -> Self {
        let mut walk = Self::new(persona, bounds, most_relaunches);
        walk.enacted = journal.enacted();
        walk.at_launch = walk.enacted;
        walk.relaunches = u32::try_from(journal.noted("relaunch")).unwrap_or(u32::MAX);
        let last = journal.turns().last().and_then(|(_, _, fields)| fields.get("flow_step").cloned());
        walk.step = last.as_ref().and_then(Value::as_str).map(str::to_owned);
        walk
    }

    /// Turns that are written.
    #[must_use]
    pub fn enacted(&self) -> u32 {
        self.enacted
    }

    /// Whether a turn may act now.
    #[must_use]
    pub fn going(&self) -> bool {
        self.go.is_some()
    }

    /// What is to be done about what was heard.
    pub fn hear(&mut self, heard: &Heard<'_>) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.over {
            return steps;
        }
        match heard {
            Heard::Said(text) => {
                for found in self.reader.push(text) {
                    self.found(found, &mut steps);
                }
            }
            Heard::Paused => self.pause(&mut steps),
            Heard::Called { id, tool, input } => self.seen.called(id, tool, input, &self.bounds, self.go.is_some()),
            Heard::Answered { id, answer, text } => {
                let broken = self.seen.answered(id, *answer, text, &self.bounds);
                self.amiss(broken, &mut steps);
            }
            Heard::Refused { kind, detail } => {
                let rule = match *kind {
                    "refused-navigation" => "allowlist",
                    "refused-act" => "irreversible",
                    _ => "turn-gate",
                };
                steps.push(Step::Tell(Tell::Bound(Broken { rule, detail: (*detail).to_owned() })));
                steps.push(Step::Write(self.note(kind, detail)));
            }
            Heard::Rests => self.rest(&mut steps),
            Heard::Gone(why) => self.gone(&format!("the worker's process ended: {why}"), &mut steps),
            Heard::Late => self.gone("the worker took too long for one turn", &mut steps),
            Heard::Halted(why) => {
                self.shut(&mut steps);
                steps.push(Step::Write(journal::stop_line("interrupted", why)));
                self.end(Ending::Interrupted, &mut steps);
            }
        }
        steps
    }

    fn pause(&mut self, steps: &mut Vec<Step>) {
        if let Some(found) = self.reader.end() {
            self.found(found, steps);
        }
    }

    fn found(&mut self, found: Found, steps: &mut Vec<Step>) {
        // the first block of a message counts; what follows it comes too early
        if self.over || self.reply.is_some() {
            return;
        }
        self.shut(steps);
        match found {
            Found::Bad(why) => self.wrong(why, steps),
            Found::Block { kind: Kind::Outcome, body } => match turn::outcome(&body) {
                Ok((outcome, detail)) => {
                    self.unanswered(steps);
                    if !self.over {
                        steps.push(Step::Write(journal::outcome_line(outcome, &detail)));
                        self.end(Ending::Completed(outcome), steps);
                    }
                }
                Err(why) => self.wrong(why, steps),
            },
            Found::Block { kind: Kind::Turn, body } => match turn::read(&body, &self.persona, self.enacted + 1) {
                Ok(turn) => self.turn(&turn, steps),
                Err(why) => self.wrong(why, steps),
            },
        }
    }

    fn turn(&mut self, turn: &Turn, steps: &mut Vec<Step>) {
        if self.enacted >= self.bounds.max_turns {
            let detail = format!("the step budget of {} is used up", count(self.bounds.max_turns));
            return self.stop("budget", &detail, steps);
        }
        self.enacted = turn.number;
        self.repeats.0 = 0;
        self.fruitless = 0;
        self.step = turn.step.clone().or(self.step.take());
        let step = self.step.as_deref();
        match self.bounds.weigh(turn) {
            Weighed::Go => {
                steps.push(Step::Write(journal::turn_line(&turn.fields, step, None)));
                steps.push(Step::Tell(Tell::Turn(turn.number)));
                self.reply = Some(Reply::Act(turn.number));
            }
            Weighed::Held(broken) => {
                steps.push(Step::Write(journal::turn_line(&turn.fields, step, Some(("withheld", &broken)))));
                self.reply = Some(Reply::Hold(turn.number, broken.detail.clone()));
                steps.push(Step::Tell(Tell::Held(turn.number, broken)));
            }
            Weighed::Over(broken) => {
                steps.push(Step::Write(journal::turn_line(&turn.fields, step, Some(("bound_violation", &broken)))));
                steps.push(Step::Tell(Tell::Turn(turn.number)));
                steps.push(Step::Tell(Tell::Bound(broken.clone())));
                self.stop(broken.rule, &broken.detail, steps);
            }
        }
    }

    /// A block that can't be used: the worker is told once what is wrong with it.
    fn wrong(&mut self, why: String, steps: &mut Vec<Step>) {
        self.repeats.0 += 1;
        self.repeats.1 += 1;
        if self.repeats.0 > 1 || self.repeats.1 > MOST_REPEATS {
            return self.fail(&format!("a block was refused again: {why}"), steps);
        }
        steps.push(Step::Write(self.note("retry", &why)));
        steps.push(Step::Tell(Tell::Repeat(why.clone())));
        self.reply = Some(Reply::Again(why));
    }

    /// The worker waits: the only moment at which anything is said to it.
    fn rest(&mut self, steps: &mut Vec<Step>) {
        self.pause(steps);
        self.unanswered(steps);
        if self.over {
            return;
        }
        let Some(reply) = self.reply.take() else {
            self.shut(steps);
            self.wrong(String::from("the message had no complete `persona-turn` or `persona-outcome` block"), steps);
            if !self.over {
                self.rest(steps);
            }
            return;
        };
        match reply {
            Reply::Act(number) => {
                self.go = Some(number);
                steps.push(Step::Go(number));
                steps.push(Step::Say(protocol::act(number, number >= self.bounds.max_turns)));
            }
            Reply::Hold(number, detail) => steps.push(Step::Say(protocol::hold(number, &detail))),
            Reply::Again(why) => steps.push(Step::Say(protocol::again(self.enacted + 1, &why))),
        }
    }

    /// The process is no more: another one goes on from the journal, as long as there is progress and the cap allows it.
    fn gone(&mut self, why: &str, steps: &mut Vec<Step>) {
        self.shut(steps);
        self.unanswered(steps);
        if self.over {
            return;
        }
        self.reader = Reader::default();
        self.seen = Seen::default();
        self.reply = None;
        let progress = self.enacted > self.at_launch;
        self.fruitless = if progress { 0 } else { self.fruitless + 1 };
        if self.fruitless > 1 {
            return self.fail(&format!("{why}, for the second time without a turn"), steps);
        }
        if self.relaunches >= self.most_relaunches {
            return self.fail(&format!("{why}, and the cap of {} new starts is reached", self.most_relaunches), steps);
        }
        self.relaunches += 1;
        self.at_launch = self.enacted;
        steps.push(Step::Write(self.note("relaunch", why)));
        steps.push(Step::Tell(Tell::Again(why.to_owned())));
        steps.push(Step::Launch(why.to_owned()));
    }

    /// Calls that are out of bounds and of which nothing came back count as done.
    fn unanswered(&mut self, steps: &mut Vec<Step>) {
        for broken in self.seen.unanswered() {
            self.amiss(Some(broken), steps);
        }
    }

    fn amiss(&mut self, found: Option<seen::Amiss>, steps: &mut Vec<Step>) {
        let Some(amiss) = found.filter(|_| !self.over) else { return };
        steps.push(Step::Tell(Tell::Bound(amiss.broken.clone())));
        if amiss.refused {
            steps.push(Step::Write(self.note(amiss.kind, &amiss.broken.detail)));
        } else {
            let detail = format!("it was not refused: {}", amiss.broken.detail);
            self.shut(steps);
            self.stop(amiss.broken.rule, &detail, steps);
        }
    }

    fn shut(&mut self, steps: &mut Vec<Step>) {
        if self.go.take().is_some() {
            steps.push(Step::Shut);
        }
    }

    fn stop(&mut self, reason: &str, detail: &str, steps: &mut Vec<Step>) {
        steps.push(Step::Write(journal::stop_line(reason, detail)));
        self.end(Ending::Stopped { reason: reason.to_owned(), detail: detail.to_owned() }, steps);
    }

    fn fail(&mut self, detail: &str, steps: &mut Vec<Step>) {
        steps.push(Step::Write(journal::stop_line("stall", detail)));
        self.end(Ending::Failed(detail.to_owned()), steps);
    }

    fn end(&mut self, ending: Ending, steps: &mut Vec<Step>) {
        self.over = true;
        steps.push(Step::End(ending));
    }

    fn note(&self, kind: &str, detail: &str) -> String {
        Note { kind: kind.to_owned(), turn: self.enacted, detail: detail.to_owned() }.line()
    }
}

fn count(turns: u32) -> String {
    if turns == 1 { String::from("1 turn") } else { format!("{turns} turns") }
}
