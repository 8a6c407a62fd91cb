//! What the agents' own history says: replayed through the engine as it would have judged, each call by what was known before
//! it. Nothing found here is ever a yes: history can be written by whatever runs as the same user. A no is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use leastgrant_core::bundle::{BUNDLES, ticked};
use leastgrant_core::judge::{self, Bench};
use leastgrant_core::learn::{Accounts, Evidence, Kind, Standing, blamed, fold};
use leastgrant_core::policy::{Policy, Session};
use leastgrant_core::verdict::Decision;
use leastgrant_core::world::World as _;
use serde::{Deserialize, Serialize};

use super::{Found, Told, Word, claude_code, codex};
use crate::agent::{self, Agent, Decoded, HookEnv, MadeUp};
use crate::store::collect::{stays, transcripts};
use crate::store::event::{Event, display, learnable, shown};
use crate::store::{Store, standing};
use crate::world::Real;

/// How far earlier runs came: path, size and time of each file that was read to its end.
const FILE: &str = "mined.json";
/// Evidence is written down after so much.
const BATCH: usize = 5_000;
/// Most texts that are shown.
const SHOWN: usize = 20;

/// What mining came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Mined {
    /// files that were read now
    pub files: usize,
    /// files that an earlier run had read already
    pub known: usize,
    /// files that could not be read
    pub unreadable: usize,
    /// their bytes
    pub bytes: u64,
    /// lines that were left out
    pub skipped: usize,
    /// calls with an outcome
    pub calls: usize,
    /// calls that could not be judged
    pub unjudged: usize,
    /// sessions
    pub sessions: usize,
    /// projects
    pub projects: usize,
    /// days
    pub days: usize,
    /// calls in a mode in which nobody is asked
    pub unsupervised: usize,
    /// what the engine would have said
    pub allowed: usize,
    /// what the engine would have said
    pub asked: usize,
    /// what the engine would have said
    pub refused: usize,
    /// calls that a person refused
    pub person_refused: usize,
    /// refused by a person, allowed by the engine: its mistakes
    pub mistakes: Vec<String>,
    /// how often each bundle would have let something pass, and how often a person had refused that
    pub bundles: BTreeMap<&'static str, (usize, usize)>,
    /// what the calls did
    pub capabilities: BTreeMap<&'static str, usize>,
    /// milliseconds
    pub ms: u64,
}

#[derive(Default, Serialize, Deserialize)]
struct Known {
    files: BTreeMap<String, (u64, i64)>,
}

struct Miner<'a> {
    env: &'a HookEnv,
    store: &'a Store,
    keep: bool,
    mined: Mined,
    accounts: Accounts,
    sessions: BTreeSet<String>,
    projects: BTreeSet<String>,
    days: BTreeSet<i64>,
    lived: BTreeSet<String>,
    events: Vec<Event>,
    policy: Policy,
}

/// Reads everything that there is; `keep` writes the evidence down. `progress` is told how many bytes of how many.
///
/// # Errors
/// In words: the evidence could not be written.
pub fn mine(env: &HookEnv, store: &Store, keep: bool, mut progress: impl FnMut(u64, u64)) -> Result<Mined, String> {
    let start = std::time::Instant::now();
    let mut known: Known = std::fs::read(store.root().join(FILE))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let mut files: Vec<(&'static str, Found)> = Vec::new();
    if let Some(home) = transcripts(env) {
        files.extend(claude_code::all(&home).into_iter().map(|found| ("claude-code", found)));
    }
    if let Some(home) = codex_home(env) {
        files.extend(codex::all(&home).into_iter().map(|found| ("codex", found)));
    }
    files.sort_by(|a, b| (a.1.changed, &a.1.path).cmp(&(b.1.changed, &b.1.path)));
    let total = files.iter().map(|(_, found)| found.size).sum();
    let bundles = ticked().map(str::to_owned).collect();
    let (lines, _) = crate::store::ledger::since(store, i64::MIN).unwrap_or_default();
    let mut miner = Miner {
        env,
        store,
        keep,
        mined: Mined::default(),
        accounts: Accounts::new(),
        sessions: BTreeSet::new(),
        projects: BTreeSet::new(),
        days: BTreeSet::new(),
        lived: lines.into_iter().filter(|line| line.event == "call").map(|line| line.session).collect(),
        events: Vec::new(),
        policy: Policy { bundles, ..Policy::default() },
    };
    let mut done = 0;
    for (id, mut found) in files {
        let stamp = (found.size, found.changed);
        let name = format!("{id}/{}", found.path);
        if keep && known.files.get(&name) == Some(&stamp) {
            miner.mined.known += 1;
        } else {
            miner.file(id, &mut found, &mut |more| progress(done + more, total));
            if keep {
                miner.flush()?;
                known.files.insert(name, stamp);
                let text = serde_json::to_vec(&known).map_err(|fault| fault.to_string())?;
                crate::edit::atomic::private_folder(store.root()).map_err(|fault| fault.to_string())?;
                crate::edit::atomic::write_own(&store.root().join(FILE), &text).map_err(|fault| fault.to_string())?;
            }
        }
        done += found.size;
        progress(done, total);
    }
    let mut mined = miner.mined;
    mined.sessions = miner.sessions.len();
    mined.projects = miner.projects.len();
    mined.days = miner.days.len();
    mined.ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(mined)
}

fn codex_home(env: &HookEnv) -> Option<PathBuf> {
    match env.folder("CODEX_HOME") {
        Some(moved) => Some(PathBuf::from(moved)),
        None => Some(PathBuf::from(Real::home(env)?).join(".codex")),
    }
}

impl Miner<'_> {
    fn file(&mut self, id: &'static str, found: &mut Found, progress: &mut dyn FnMut(u64)) {
        let Ok(agent) = agent::named(&[id.into()]) else {
            self.mined.unreadable += 1;
            return;
        };
        let size = found.size;
        let mut count: u64 = 0;
        let each = |miner: &mut Self, told: Told| {
            miner.call(agent, told);
            count += 1;
            // how far a stream is, is not known to whom it is given; a call is worth some bytes
            progress((count * 2048).min(size));
        };
        let mut this = self;
        let read = if id == "codex" {
            let miner = &mut this;
            let mut each = each;
            codex::read_file(found, |told| each(miner, told))
        } else {
            let miner = &mut this;
            let mut each = each;
            claude_code::read(&mut found.file, 0, |told| each(miner, told))
        };
        match read {
            Ok(read) => {
                this.mined.files += 1;
                this.mined.bytes += size;
                this.mined.skipped += read.skipped;
            }
            Err(_) => this.mined.unreadable += 1,
        }
    }

    fn call(&mut self, agent: &'static dyn Agent, told: Told) {
        self.mined.calls += 1;
        self.sessions.insert(told.session.clone());
        self.days.insert(told.at.div_euclid(86_400_000));
        if matches!(told.mode.as_str(), "bypassPermissions" | "acceptEdits" | "dontAsk" | "auto") {
            self.mined.unsupervised += 1;
        }
        let made = MadeUp {
            session: &told.session,
            cwd: &told.cwd,
            mode: "default",
            tool: &told.tool,
            input: told.input.clone(),
        };
        let Decoded::Pre(call) = agent.decode(agent.compose(&made).to_string().as_bytes(), self.env) else {
            self.mined.unjudged += 1;
            return;
        };
        let world = Real::of(self.env, &told.cwd, std::collections::HashSet::new());
        let Ok(actions) = judge::actions(&call, &world) else {
            self.mined.unjudged += 1;
            return;
        };
        let project = world.project().unwrap_or_default().to_owned();
        self.projects.insert(project.clone());
        let names: Vec<String> = actions.iter().map(|action| learnable(&action.signature)).collect();
        let mut known = Standing::default();
        for (action, name) in actions.iter().zip(&names) {
            if let Some(account) = self.accounts.get(&standing::key(&project, name)) {
                known.learn(&action.signature, account, &self.policy.terms, self.policy.posture, told.at.max(1));
            }
            *self.mined.capabilities.entry(action.capability.id()).or_default() += 1;
        }
        for bundle in BUNDLES.iter().filter(|bundle| actions.iter().any(|action| bundle.covers(action))) {
            let row = self.mined.bundles.entry(bundle.id).or_default();
            row.0 += 1;
            row.1 += usize::from(told.word == Word::No);
        }
        let session = Session::default();
        let bench = Bench { policy: &self.policy, standing: &known, session: &session, world: &world };
        let verdict = judge::weigh(&call, actions, &bench);
        match verdict.decision {
            Decision::Allow => self.mined.allowed += 1,
            Decision::Ask => self.mined.asked += 1,
            Decision::Deny => self.mined.refused += 1,
        }
        if told.word == Word::No {
            self.mined.person_refused += 1;
            if verdict.decision == Decision::Allow && self.mined.mistakes.len() < SHOWN {
                self.mined.mistakes.push(shown(&display(&call)));
            }
        }
        let _ = world.facts();
        self.learn(&told, agent.id(), &project, &names);
    }

    fn learn(&mut self, told: &Told, agent: &str, project: &str, names: &[String]) {
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let (kind, names): (Kind, Vec<&str>) = match told.word {
            Word::No => (Kind::Denied, blamed(&all).into_iter().collect()),
            _ if told.ran => (Kind::Observed, all.into_iter().filter(|name| stays(name)).collect()),
            _ => return,
        };
        // a time that is not said would make a no that nobody can date, and still a no
        let at = if told.at > 0 { told.at } else { 1 };
        for name in &names {
            let key = standing::key(project, name);
            fold(&mut self.accounts, &Evidence { kind, signature: &key, at_ms: at, session: &told.session });
        }
        if self.keep && !names.is_empty() && !project.is_empty() && !self.lived.contains(&told.session) {
            let mut event = Event::new("evidence", at).in_project(Some(project));
            agent.clone_into(&mut event.agent);
            event.session = crate::store::event::brief(&told.session);
            event.evidence = Some(kind.id());
            event.signatures = names.into_iter().map(str::to_owned).collect();
            event.note = Some(String::from("history"));
            self.events.push(event);
            if self.events.len() >= BATCH {
                let _ = self.flush();
            }
        }
    }

    fn flush(&mut self) -> Result<(), String> {
        let events = std::mem::take(&mut self.events);
        self.store.append_all(&events).map_err(|fault| format!("the ledger cannot be written: {fault}"))
    }
}
