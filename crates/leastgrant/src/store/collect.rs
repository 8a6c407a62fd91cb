//! From what happened to evidence: joins each judged call with its outcome and with what the agent wrote down about who
//! decided, appends `evidence` lines to the ledger, and moves the snapshot on. One process at a time; what it has not
//! finished when it dies is found again by the next one, and nothing counts twice.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Duration;

use leastgrant_core::action::{Exposure, Reach};
use leastgrant_core::learn::{Kind, blamed};
use leastgrant_core::signature;
use serde::{Deserialize, Serialize};

use super::event::{Event, digest_of};
use super::line::Line;
use super::open_regular;
use super::snapshot::{self, Entries, Entry, Pointer};
use super::{Store, ledger, standing};
use crate::agent::{self, HookEnv};
use crate::history::{Word, claude_code};
use crate::world::Real;

const LOCK: &str = "collect.lock";
/// A call without an outcome after so long has none.
const EXPIRES: i64 = 7 * 24 * 3600 * 1000;
/// So long a transcript may lag behind our own record.
const LAGS: i64 = 3600 * 1000;
/// How long another collector is waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// Most calls that wait.
const WAITING: usize = 20_000;
/// Most evidence of one round.
const ROUND: usize = 50_000;

/// A call whose outcome is not known yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Waiting {
    at: i64,
    agent: String,
    session: String,
    call: String,
    project: String,
    signatures: Vec<String>,
    input: String,
    decision: String,
    answer: String,
    attendance: String,
    ran: Option<bool>,
    ended: bool,
    /// what the transcript said, while our own record of the outcome is not there yet
    #[serde(default)]
    told: Option<Word>,
}

/// What a collection came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// a person's yes
    pub confirmed: usize,
    /// a person's no
    pub denied: usize,
    /// ran without a word
    pub observed: usize,
    /// the input that ran is not the one that was judged
    pub mismatched: usize,
    /// the snapshot was made from nothing
    pub rebuilt: bool,
}

type Name = (String, String, String);

impl Store {
    /// Collects evidence and brings the snapshot up to date. Another collector at work is left to it.
    ///
    /// # Errors
    /// The state folder cannot be read or written.
    pub fn collect(&self, env: &HookEnv, now_ms: i64) -> io::Result<Collected> {
        if !self.path(ledger::FILE).exists() {
            return Ok(Collected::default());
        }
        let lock = self.appendable(&self.path(LOCK))?;
        if ledger::wait_for(&lock, PATIENCE).is_err() {
            return Ok(Collected::default());
        }
        let mut sum = Collected::default();
        // what one round adds to the ledger, the next one takes into the snapshot
        for _ in 0..3 {
            let round = Round::start(self, now_ms)?.finish(self, env)?;
            sum.confirmed += round.confirmed;
            sum.denied += round.denied;
            sum.observed += round.observed;
            sum.mismatched += round.mismatched;
            sum.rebuilt |= round.rebuilt;
            if round.confirmed + round.denied + round.observed == 0 {
                break;
            }
        }
        Ok(sum)
    }

    /// Whether the ledger is so far ahead of the snapshot that it should be moved on.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        const FAR: u64 = 256 * 1024;
        let length = self.path(ledger::FILE).metadata().map_or(0, |about| about.len());
        let offset = Pointer::read(self).ok().flatten().map_or(0, |pointer| pointer.offset);
        length.checked_sub(offset).is_none_or(|more| more > FAR)
    }

    /// Makes the snapshot from the ledger alone.
    ///
    /// # Errors
    /// The state folder cannot be read or written.
    pub fn rebuild(&self, env: &HookEnv, now_ms: i64) -> io::Result<Collected> {
        match std::fs::remove_file(self.path(snapshot::FILE)) {
            Err(fault) if fault.kind() != io::ErrorKind::NotFound => return Err(fault),
            _ => {}
        }
        self.collect(env, now_ms)
    }
}

struct Round {
    now: i64,
    old: Option<Pointer>,
    next: Pointer,
    waiting: BTreeMap<Name, Waiting>,
    folded: Entries,
    sum: Collected,
}

impl Round {
    /// Reads the ledger from where the snapshot ends.
    fn start(store: &Store, now: i64) -> io::Result<Self> {
        let ledger = open_regular(&store.path(ledger::FILE))?;
        let old = Pointer::read(store).ok().flatten().filter(|pointer| pointer.fits(&ledger));
        let mut round = Self {
            now,
            next: Pointer {
                v: 1,
                generation: standing::generation(&ledger)?,
                offset: old.as_ref().map_or(0, |old| old.offset),
                at: now,
                ..Pointer::default()
            },
            waiting: BTreeMap::new(),
            folded: Entries::new(),
            sum: Collected { rebuilt: old.is_none(), ..Collected::default() },
            old,
        };
        if let Some(name) = round.old.as_ref().and_then(|old| old.waiting.clone()) {
            for line in BufReader::new(open_regular(&store.path(&name))?).lines() {
                if let Ok(call) = serde_json::from_str::<Waiting>(&line?) {
                    round.waiting.insert(call.name(), call);
                }
            }
        }
        let mut done = BTreeSet::new();
        let from = round.next.offset;
        let to = ledger::each_from(&ledger, from, |text| {
            if let Some(line) = wanted(text).then(|| Line::of(text)).flatten() {
                round.take(line, &mut done);
            }
        })?;
        round.next.offset = to;
        round.next.head = snapshot::head(&ledger, to)?;
        round.waiting.retain(|name, call| !done.contains(name) && call.at > now - EXPIRES);
        round.old_accounts(store)?;
        Ok(round)
    }

    fn take(&mut self, line: Line, done: &mut BTreeSet<Name>) {
        let name = (line.agent.clone(), line.session.clone(), line.call.clone());
        match line.event.as_str() {
            "evidence" => {
                if !line.call.is_empty() {
                    done.insert(name);
                }
                let Some(kind) = Kind::from_id(&line.evidence) else { return };
                for signature in &line.signatures {
                    let key = standing::key(&line.project, signature);
                    let entry = self.folded.entry(key.clone()).or_insert_with(|| Entry {
                        key,
                        project: line.project.clone(),
                        signature: signature.clone(),
                        account: leastgrant_core::learn::Account::default(),
                    });
                    entry.account.add(kind, line.at, &line.session);
                }
            }
            "call" if !line.call.is_empty() && line.at > self.now - EXPIRES && self.waiting.len() < WAITING => {
                self.waiting.insert(name, Waiting::of(line));
            }
            "ran" | "failed" => {
                if let Some(call) = self.waiting.get_mut(&name) {
                    if line.input.is_empty() || line.input != call.input {
                        self.sum.mismatched += 1;
                        self.waiting.remove(&name);
                    } else {
                        call.ran = Some(line.event == "ran");
                    }
                }
            }
            "session-end" => {
                let over =
                    self.waiting.values_mut().filter(|call| call.agent == line.agent && call.session == line.session);
                over.for_each(|call| call.ended = true);
            }
            _ => {}
        }
    }

    /// Puts what the old snapshot knows under what was folded now.
    fn old_accounts(&mut self, store: &Store) -> io::Result<()> {
        let Some(old) = self.old.as_ref().filter(|_| !self.folded.is_empty()) else { return Ok(()) };
        let Some(name) = &old.standing else { return Ok(()) };
        let file = open_regular(&store.path(name))?;
        let length = file.metadata()?.len();
        for (key, entry) in &mut self.folded {
            if let Some(known) = standing::find(&file, length, key)? {
                entry.account.join(&known);
            }
        }
        Ok(())
    }

    /// Decides what can be decided, writes it down, and moves the snapshot on.
    fn finish(mut self, store: &Store, env: &HookEnv) -> io::Result<Collected> {
        let words = self.words(env);
        let mut events = Vec::new();
        let calls = std::mem::take(&mut self.waiting);
        for (name, mut call) in calls {
            call.told = match (call.told, words.get(&name).copied()) {
                (Some(Word::No), _) | (_, Some(Word::No)) => Some(Word::No),
                // told twice is no word
                (Some(_), Some(_)) => Some(Word::Nobody),
                (before, now) => before.or(now),
            };
            match call.outcome(call.told, self.now) {
                Outcome::Open => {
                    self.waiting.insert(name, call);
                }
                Outcome::Nothing => {}
                Outcome::Evidence(kind) => {
                    if events.len() >= ROUND {
                        self.waiting.insert(name, call);
                        continue;
                    }
                    match kind {
                        Kind::Confirmed => self.sum.confirmed += 1,
                        Kind::Denied => self.sum.denied += 1,
                        _ => self.sum.observed += 1,
                    }
                    events.push(call.evidence(kind));
                }
            }
        }
        store.append_all(&events)?;
        let waiting: Vec<Waiting> = self.waiting.into_values().collect();
        snapshot::write(store, self.old.as_ref(), self.next, &self.folded, &waiting)?;
        Ok(self.sum)
    }

    /// What the agents wrote down about the calls that wait.
    fn words(&mut self, env: &HookEnv) -> BTreeMap<Name, Word> {
        let mut words = BTreeMap::new();
        let Some(home) = transcripts(env) else { return words };
        let before = self.old.as_ref().map(|old| old.transcripts.clone()).unwrap_or_default();
        let mut places = BTreeMap::new();
        let sessions: BTreeSet<&str> = self
            .waiting
            .values()
            .filter(|call| call.agent == "claude-code" && call.attendance != "unattended")
            .map(|call| call.session.as_str())
            .collect();
        for session in sessions {
            let (files, mains) = claude_code::files_of(&home, session);
            for mut file in files {
                let Ok(about) = file.metadata() else { continue };
                let place = format!("{}:{}", about.dev(), about.ino());
                // a file that became shorter is another one
                let from = before.get(&place).copied().filter(|from| *from <= about.len()).unwrap_or_default();
                let read = claude_code::read(&mut file, from, |told| {
                    let name = (String::from("claude-code"), session.to_owned(), told.call.clone());
                    let Some(call) = self.waiting.get(&name) else { return };
                    let same = told.session == session && same_input(&told, call, env);
                    let word = match told.word {
                        Word::Yes if !same || mains != 1 => Word::Nobody,
                        word => word,
                    };
                    // told twice: a no stays, anything else is no word
                    words
                        .entry(name)
                        .and_modify(|before| {
                            *before = if *before == Word::No || word == Word::No { Word::No } else { Word::Nobody }
                        })
                        .or_insert(word);
                });
                if let Ok(read) = read {
                    places.insert(place, read.resume);
                }
            }
        }
        self.next.transcripts = places;
        words
    }
}

fn same_input(told: &crate::history::Told, call: &Waiting, env: &HookEnv) -> bool {
    let Ok(agent) = agent::named(&[call.agent.clone().into()]) else { return false };
    let made = agent::MadeUp {
        session: &told.session,
        cwd: &told.cwd,
        mode: "default",
        tool: &told.tool,
        input: told.input.clone(),
    };
    match agent.decode(agent.compose(&made).to_string().as_bytes(), env) {
        agent::Decoded::Pre(decoded) => digest_of(&decoded).is_some_and(|digest| digest == call.input),
        _ => false,
    }
}

/// Where Claude Code keeps its transcripts.
pub(crate) fn transcripts(env: &HookEnv) -> Option<PathBuf> {
    match env.folder("CLAUDE_CONFIG_DIR") {
        Some(moved) => Some(PathBuf::from(moved)),
        None => Some(PathBuf::from(Real::home(env)?).join(".claude")),
    }
}

/// Events that the collector looks at; the others need not be parsed.
fn wanted(text: &str) -> bool {
    let head = text.get(..64).or_else(|| text.get(..60)).unwrap_or(text);
    [
        "\"event\":\"call\"",
        "\"event\":\"ran\"",
        "\"event\":\"failed\"",
        "\"event\":\"evidence\"",
        "\"event\":\"session-end\"",
    ]
    .iter()
    .any(|event| head.contains(event))
}

enum Outcome {
    Open,
    Nothing,
    Evidence(Kind),
}

impl Waiting {
    fn of(line: Line) -> Self {
        Self {
            at: line.at,
            agent: line.agent,
            session: line.session,
            call: line.call,
            project: line.project,
            signatures: line.signatures,
            input: line.input,
            decision: line.decision,
            answer: line.answer,
            attendance: line.attendance,
            ran: None,
            ended: false,
            told: None,
        }
    }

    fn name(&self) -> Name {
        (self.agent.clone(), self.session.clone(), self.call.clone())
    }

    /// What the call teaches. A yes is one only for what we would have asked about, with a person there, and that ran.
    fn outcome(&self, word: Option<Word>, now: i64) -> Outcome {
        if self.signatures.is_empty() || self.project.is_empty() || self.answer == "deny" {
            return Outcome::Nothing;
        }
        match (word, self.ran) {
            (Some(Word::No), None) => Outcome::Evidence(Kind::Denied),
            (Some(Word::Yes), Some(_)) if self.decision == "ask" && self.attendance != "unattended" => {
                Outcome::Evidence(Kind::Confirmed)
            }
            (Some(_), Some(true)) => self.observed(),
            (Some(_), Some(false)) => Outcome::Nothing,
            (None, Some(true)) if !self.may_be_told() || self.ended || self.at < now - LAGS => self.observed(),
            (None, Some(false)) if self.ended || self.at < now - LAGS => Outcome::Nothing,
            (_, None) if self.ended => Outcome::Nothing,
            _ => Outcome::Open,
        }
    }

    fn may_be_told(&self) -> bool {
        self.agent == "claude-code" && self.decision == "ask"
    }

    /// What merely ran is worth something only where it could ever pass by that.
    fn observed(&self) -> Outcome {
        if self.signatures.iter().any(|signature| stays(signature)) {
            Outcome::Evidence(Kind::Observed)
        } else {
            Outcome::Nothing
        }
    }

    fn evidence(&self, kind: Kind) -> Event {
        let mut event = Event::new("evidence", self.at).in_project(Some(&self.project));
        event.agent.clone_from(&self.agent);
        event.session.clone_from(&self.session);
        event.call = Some(self.call.clone());
        event.evidence = Some(kind.id());
        event.signatures = match kind {
            Kind::Denied => {
                let all: Vec<&str> = self.signatures.iter().map(String::as_str).collect();
                blamed(&all).map(str::to_owned).into_iter().collect()
            }
            Kind::Observed => self.signatures.iter().filter(|signature| stays(signature)).cloned().collect(),
            _ => self.signatures.clone(),
        };
        event
    }
}

/// Whether what it does stays in the project and could ever pass because it ran before.
pub(crate) fn stays(signature: &str) -> bool {
    signature::does(signature).is_some_and(|does| {
        !does.opaque
            && does.blast.reach <= Reach::Workspace
            && does.blast.exposure == Exposure::None
            && does.blast.tier() <= 1
    })
}
