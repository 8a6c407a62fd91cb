//! One journey: a worker on one side, the machine of core on the other, and the order of its steps kept to the letter. What
//! is written is on disk before the next step; the lease is on disk before the worker hears its go-ahead.

use std::time::{Duration, Instant};

use leastgrant_core::conduct::findings;
use leastgrant_core::conduct::journal::{Entry, Header, Journal, Note};
use leastgrant_core::conduct::protocol::{self, Brief};
use leastgrant_core::conduct::turn::SCHEMA;
use leastgrant_core::conduct::walk::{Ending, Heard, Step, Walk};

use super::journal::{self, Writer};
use super::news::News;
use super::stage::{Role, Stage, Wire};
use super::worker::{Kind, Sound, Worker};
use super::{clock, folder, guard};

/// Starts of a worker after the first, for whatever reason, in one journey.
const MOST_LAUNCHES: u32 = 8;
/// How often a journey looks for signals and its deadline.
const LOOK: Duration = Duration::from_millis(50);

/// How a journey ended.
#[derive(Clone, Debug)]
pub struct Done {
    /// who
    pub persona: String,
    /// how
    pub ending: Ending,
    /// turns in the journal
    pub turns: u32,
}

/// Walks one journey from its beginning, or from where its journal ends.
pub(super) fn walk(stage: &Stage, role: &Role, wire: &Wire) -> Done {
    let ending = journey(stage, role, wire).unwrap_or_else(Ending::Failed);
    let _ = stage.lease.set(&role.persona, None, 0, false);
    let journal = journal::read(&stage.run.join(&role.persona)).ok();
    let turns = journal.as_ref().map_or(0, Journal::enacted);
    let count = journal.as_ref().map_or(0, |journal| findings::of(journal).len());
    let (persona, end) = (role.persona.clone(), ending.clone());
    wire.send(News::Ended { persona, ending: end, turns, findings: count });
    Done { persona: role.persona.clone(), ending, turns }
}

fn journey(stage: &Stage, role: &Role, wire: &Wire) -> Result<Ending, String> {
    let words = |error: std::io::Error| format!("the folder of the persona: {error}");
    let home = folder::persona(&stage.run, &role.persona).map_err(words)?;
    let new = || {
        let header = Header {
            journey_schema: SCHEMA.to_owned(),
            flow: stage.bounds.flow().to_owned(),
            persona: role.persona.clone(),
            app_version: stage.app_version.clone(),
            started_at: clock::now_iso(),
        };
        Writer::create(&home, &header).map_err(|error| format!("the journal cannot be made: {error}"))
    };
    let (writer, walk, before) = if home.join(journal::NAME).exists() {
        let (mut writer, journal) = Writer::open(&home)?;
        if let Some(ended) = journal.ended() {
            return Ok(ending_of(ended));
        }
        let note =
            Note { kind: String::from("resumed"), turn: journal.enacted(), detail: String::from("the run goes on") };
        writer.append(&note.line()).map_err(|error| format!("the journal: {error}"))?;
        (writer, Walk::resumed(&role.persona, stage.bounds.clone(), MOST_LAUNCHES, &journal), Some(journal))
    } else {
        (new()?, Walk::new(&role.persona, stage.bounds.clone(), MOST_LAUNCHES), None)
    };
    let brief = Brief {
        persona: role.persona.clone(),
        flow: stage.bounds.flow().to_owned(),
        flow_text: stage.flow_text.clone(),
        contract: role.contract.clone(),
        evidence: home.join("evidence").display().to_string(),
        servers: stage.setup.servers.clone(),
        max_turns: stage.bounds.max_turns,
    };
    let worker = Worker::new(stage.setup.clone());
    let mut journey = Journey {
        stage,
        role,
        wire,
        writer,
        walk,
        worker,
        brief,
        deadline: Instant::now(),
        home,
        pending: Vec::new(),
        read: 0,
    };
    journey.run(before.as_ref())
}

fn ending_of(entry: &Entry) -> Ending {
    match entry {
        Entry::Outcome { outcome, .. } => Ending::Completed(*outcome),
        Entry::Stop { reason, detail } if reason == "stall" => Ending::Failed(detail.clone()),
        Entry::Stop { reason, detail } => Ending::Stopped { reason: reason.clone(), detail: detail.clone() },
        Entry::Turn { .. } | Entry::Note(_) => Ending::Interrupted,
    }
}

struct Journey<'a> {
    stage: &'a Stage,
    role: &'a Role,
    wire: &'a Wire,
    writer: Writer,
    walk: Walk,
    worker: Worker,
    brief: Brief,
    deadline: Instant,
    home: std::path::PathBuf,
    /// what our own doing led to, heard before anything else
    pending: Vec<String>,
    /// refusals of this session that are in the journal
    read: usize,
}

impl Journey<'_> {
    fn run(&mut self, before: Option<&Journal>) -> Result<Ending, String> {
        if self.stage.stop.asked().is_none() {
            self.launch(before, before.map(|_| "the run was interrupted and is resumed"))?;
        }
        loop {
            let steps = self.listen();
            for step in steps {
                if let Some(ending) = self.take(step)? {
                    self.worker.end();
                    return Ok(ending);
                }
            }
        }
    }

    fn listen(&mut self) -> Vec<Step> {
        if let Some(why) = self.stage.stop.asked() {
            return self.walk.hear(&Heard::Halted(why));
        }
        if let Some(why) = self.pending.pop() {
            return self.walk.hear(&Heard::Gone(&why));
        }
        let Some(sound) = self.worker.next(LOOK) else {
            let late = Instant::now() >= self.deadline;
            return if late { self.walk.hear(&Heard::Late) } else { Vec::new() };
        };
        let mut steps = match &sound {
            Sound::Said(_) | Sound::Rests | Sound::Gone(_) => self.refusals(),
            _ => Vec::new(),
        };
        steps.extend(match &sound {
            Sound::Session(_) => {
                if let Err(why) = self.lease(self.walk.going()) {
                    self.pending.push(why);
                }
                Vec::new()
            }
            Sound::Said(text) => self.walk.hear(&Heard::Said(text)),
            Sound::Paused => self.walk.hear(&Heard::Paused),
            Sound::Called { id, tool, input } => self.walk.hear(&Heard::Called { id, tool, input }),
            Sound::Answered { id, answer, text } => self.walk.hear(&Heard::Answered { id, answer: *answer, text }),
            Sound::Rests => self.walk.hear(&Heard::Rests),
            Sound::Gone(how) => self.walk.hear(&Heard::Gone(how)),
        });
        steps
    }

    /// Codex tells nothing of a call that was refused, so the guard does.
    fn refusals(&mut self) -> Vec<Step> {
        if self.stage.setup.kind != Kind::Codex {
            return Vec::new();
        }
        let session = self.worker.session().unwrap_or_default().to_owned();
        let refusals = guard::refusals(&self.stage.state, &self.stage.setup.root, &session, self.read);
        self.read += refusals.len();
        let each = refusals.iter();
        each.flat_map(|one| self.walk.hear(&Heard::Refused { kind: &one.kind, detail: &one.detail })).collect()
    }

    fn take(&mut self, step: Step) -> Result<Option<Ending>, String> {
        match step {
            Step::Write(line) => {
                self.writer.append(&line).map_err(|error| format!("the journal refuses a line: {error}"))?;
            }
            Step::Go(_) => self.lease(true)?,
            Step::Shut => self.lease(false)?,
            Step::Say(text) => {
                self.later();
                self.stage.lease.renew()?;
                if let Err(why) = self.worker.say(&text) {
                    self.pending.push(why);
                }
            }
            Step::Launch(why) => {
                let journal = journal::read(&self.home)?;
                self.launch(Some(&journal), Some(&why))?;
            }
            Step::Tell(tell) => self.wire.send(News::Told { persona: self.role.persona.clone(), tell }),
            Step::End(ending) => return Ok(Some(ending)),
        }
        Ok(None)
    }

    fn launch(&mut self, journal: Option<&Journal>, why: Option<&str>) -> Result<(), String> {
        self.worker.launch()?;
        self.read = 0;
        self.lease(false)?;
        self.later();
        if let Err(why) = self.worker.say(&protocol::opening(&self.brief, journal, why)) {
            self.pending.push(why);
        }
        Ok(())
    }

    fn later(&mut self) {
        self.deadline = Instant::now() + self.stage.patience;
    }

    fn lease(&self, acting: bool) -> Result<(), String> {
        self.stage.lease.set(&self.role.persona, self.worker.session(), self.walk.enacted(), acting)
    }
}
