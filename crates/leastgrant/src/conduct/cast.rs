//! A cast: who walks which flow with which agent. Everything is looked at before anything is started; a persona that can't
//! walk is a result, not a failure of the others.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use leastgrant_core::conduct::bounds::Bounds;
use leastgrant_core::conduct::walk::Ending;
use leastgrant_core::persona::armed::digest;
use leastgrant_core::persona::contract::{self, Contract, is_name};
use leastgrant_core::persona::flow::{self, Flow, Problem};

use super::arm::{self, Armed};
use super::drive::{self, Done};
use super::lease::Held;
use super::news::{self, News};
use super::record::Record;
use super::stage::{Role, Stage, Wire};
use super::stop::Stop;
use super::worker::{Kind, Setup};
use super::{browsers, canary, folder, report};
use crate::agent::HookEnv;
use crate::edit::atomic;
use crate::hook::net;
use crate::install::find;
use crate::install::place::Places;
use crate::persona::arm as arming;
use crate::render::Ui;

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Wish {
    /// the flow's name
    pub flow: String,
    /// who; empty for everybody
    pub personas: Vec<String>,
    /// how many at once
    pub parallel: usize,
    /// which agent
    pub kind: Kind,
    /// its program
    pub program: Option<PathBuf>,
    /// fewer turns than the flow allows
    pub max_turns: Option<u32>,
    /// seconds for one turn
    pub turn_timeout: u64,
    /// commits and pushes are refused
    pub lock_git: bool,
    /// servers whose tools the workers may use; empty for those that drive a browser
    pub servers: Vec<String>,
}

/// Why nothing was started.
#[derive(Debug)]
pub enum No {
    /// the flow can't be run
    Flow(PathBuf, Vec<Problem>),
    /// the words of the command are off
    Usage(String),
    /// it can't be done here
    Impossible(String),
}

/// A cast that is ready.
#[derive(Debug)]
pub struct Cast {
    record: Record,
    flow: Flow,
    flow_text: String,
    roles: Vec<Role>,
    /// those who can't walk, and why; the last says whether that is a failure
    left_out: Vec<(String, String, bool)>,
    resumed: bool,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ran {
    /// how each journey ended
    pub done: Vec<Done>,
    /// the run's folder
    pub run: PathBuf,
    /// what could not be put back, in words
    pub troubles: Vec<String>,
}

impl Cast {
    /// Looks at the flow, the contracts and the agent.
    ///
    /// # Errors
    /// Why nothing can be started.
    pub fn prepare(wish: &Wish, places: &Places, env: &HookEnv) -> Result<Self, No> {
        let root = crate::persona::scene::project(&places.here).unwrap_or_else(|| places.project.clone());
        let root = root.canonicalize().map_err(|error| No::Impossible(format!("`{}`: {error}", root.display())))?;
        let name = wish.flow.strip_suffix(".md").unwrap_or(&wish.flow);
        if !is_name(name) {
            return Err(No::Usage(format!("`{}` is no name of a flow", wish.flow)));
        }
        let (flow, flow_text) = read_flow(&root, name)?;
        let ids = ids(&root, &wish.personas)?;
        let (roles, left_out) = gate(&root, &ids);
        if roles.is_empty() {
            let why: Vec<String> = left_out.iter().map(|(id, why, _)| format!("{id}: {why}")).collect();
            return Err(No::Impossible(format!("no persona is ready to walk ({})", why.join("; "))));
        }
        let program = program(wish.kind, wish.program.as_deref())?;
        let servers =
            if wish.servers.is_empty() { browsers::found(wish.kind, places, env, &root) } else { wish.servers.clone() };
        if let Some(odd) = servers.iter().find(|server| !is_name(server) || server.contains('.')) {
            return Err(No::Usage(format!("`{odd}` is no name of a server")));
        }
        let max_turns = wish.max_turns.map_or(flow.max_turns, |most| most.min(flow.max_turns));
        let record = Record {
            v: Record::FORMAT,
            id: String::new(),
            run: PathBuf::new(),
            root,
            flow: name.to_owned(),
            flow_sha256: digest(flow_text.as_bytes()),
            personas: roles.iter().map(|role| (role.persona.clone(), digest(role.contract.as_bytes()))).collect(),
            agent: wish.kind.id().to_owned(),
            program,
            servers,
            max_turns,
            turn_timeout: wish.turn_timeout,
            parallel: wish.parallel.max(1),
            lock_git: wish.lock_git,
        };
        Ok(Self { record, flow, flow_text, roles, left_out, resumed: false })
    }

    /// Looks at a run that is to go on.
    ///
    /// # Errors
    /// Why it can't.
    pub fn resume(run: &Path, places: &Places) -> Result<Self, No> {
        let run = run.canonicalize().map_err(|error| No::Usage(format!("`{}`: {error}", run.display())))?;
        let record = Record::read(&places.state, &run).map_err(No::Impossible)?;
        let (flow, flow_text) = read_flow(&record.root, &record.flow)?;
        if digest(flow_text.as_bytes()) != record.flow_sha256 {
            return Err(No::Impossible(String::from(
                "the flow is not what it was when the run began: start a new run, or put it back",
            )));
        }
        let ids: Vec<String> = record.personas.iter().map(|(id, _)| id.clone()).collect();
        let (roles, left_out) = gate(&record.root, &ids);
        let same = |role: &Role| {
            record.personas.iter().any(|(id, sum)| *id == role.persona && *sum == digest(role.contract.as_bytes()))
        };
        if let Some(role) = roles.iter().find(|role| !same(role)) {
            return Err(No::Impossible(format!(
                "the contract of `{}` is not what it was when the run began",
                role.persona
            )));
        }
        Ok(Self { record, flow, flow_text, roles, left_out, resumed: true })
    }

    /// Walks.
    ///
    /// # Errors
    /// Why nothing was started; then nothing is left in place.
    pub fn walk(mut self, places: &Places, env: &HookEnv, stop: &Stop, ui: &mut Ui) -> Result<Ran, No> {
        let impossible =
            |error: std::io::Error| No::Impossible(format!("the folder of the run cannot be made: {error}"));
        if !self.resumed {
            self.record.run = folder::new_run(&self.record.root, &self.record.flow).map_err(impossible)?;
            let name = self.record.run.file_name().unwrap_or_default();
            self.record.id = name.to_string_lossy().into_owned();
            self.record.write(&places.state).map_err(No::Impossible)?;
        }
        let kind = Kind::from_id(&self.record.agent).ok_or_else(|| No::Impossible(String::from("an unknown agent")))?;
        let (guard, command) = arm::guard(places, env, kind).map_err(No::Impossible)?;
        let scratch = arm::scratch(&places.state, &self.record.id);
        let stage = self.stage(places, kind, command.clone(), scratch.clone(), stop);
        let (mut armed, mut troubles) =
            Armed::new(places, env, &self.record, &guard, &stage.lease).map_err(|stop| {
                if !self.resumed {
                    self.record.forget(&places.state);
                }
                match stop {
                    arming::Stop::Flow(path, problems) => No::Flow(path, problems),
                    arming::Stop::Refused(why) => No::Impossible(why),
                }
            })?;
        atomic::private_folder(&scratch).map_err(impossible)?;
        for trouble in &troubles {
            ui.warn(trouble);
        }
        arm::answers(&command, &self.record.root, &stage.lease).map_err(No::Impossible)?;
        if kind == Kind::Codex {
            canary::refused(&stage).map_err(No::Impossible)?;
        }
        let done = self.perform(&stage, ui);
        troubles = armed.disarm();
        drop(armed);
        match report::write(&self.record.run) {
            Ok(written) => news::spread(&News::Reported { path: written.markdown }, &self.record.root, ui),
            Err(why) => troubles.push(why),
        }
        Ok(Ran { done, run: self.record.run, troubles })
    }

    fn stage(&self, places: &Places, kind: Kind, guard: String, scratch: PathBuf, stop: &Stop) -> Stage {
        let record = &self.record;
        let mut bounds = Bounds::of(&self.flow, &record.root.to_string_lossy());
        bounds.max_turns = record.max_turns;
        let turn_ms = i64::try_from(record.turn_timeout.saturating_mul(1000)).unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
        let out = &self.flow.out_of_bounds;
        Stage {
            state: places.state.clone(),
            run: record.run.clone(),
            bounds,
            flow_text: self.flow_text.clone(),
            app_version: version(&self.flow),
            lease: Held::new(&places.state, &record.root, &record.id, turn_ms, out, record.lock_git),
            setup: Setup {
                kind,
                program: record.program.clone(),
                root: record.root.clone(),
                guard,
                servers: record.servers.clone(),
                scratch,
            },
            patience: Duration::from_secs(record.turn_timeout),
            stop: stop.clone(),
        }
    }

    /// All journeys, some of them at once; news are shown as they come.
    fn perform(&self, stage: &Stage, ui: &mut Ui) -> Vec<Done> {
        let root = &self.record.root;
        let began = News::Began {
            flow: stage.bounds.flow().to_owned(),
            personas: self.roles.iter().map(|role| role.persona.clone()).collect(),
            run: self.record.run.clone(),
            resumed: self.resumed,
        };
        news::spread(&began, root, ui);
        let mut done = Vec::new();
        for (persona, why, failed) in &self.left_out {
            news::spread(&News::Skipped { persona: persona.clone(), why: why.clone() }, root, ui);
            if *failed {
                done.push(Done { persona: persona.clone(), ending: Ending::Failed(why.clone()), turns: 0 });
            }
        }
        let waiting: Mutex<VecDeque<&Role>> = Mutex::new(self.roles.iter().collect());
        let finished = Mutex::new(Vec::new());
        let (send, news) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.record.parallel.min(self.roles.len()) {
                let (wire, waiting, finished) = (Wire(send.clone()), &waiting, &finished);
                scope.spawn(move || {
                    while let Some(role) = next(waiting) {
                        let one = one(stage, role, &wire);
                        finished.lock().unwrap_or_else(PoisonError::into_inner).push(one);
                    }
                });
            }
            drop(send);
            for piece in news {
                news::spread(&piece, root, ui);
            }
        });
        done.extend(finished.into_inner().unwrap_or_else(PoisonError::into_inner));
        done.sort_by(|a, b| a.persona.cmp(&b.persona));
        done
    }
}

fn next<'a>(waiting: &Mutex<VecDeque<&'a Role>>) -> Option<&'a Role> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

/// A fault of ours in one journey ends that journey alone.
fn one(stage: &Stage, role: &Role, wire: &Wire) -> Done {
    net::caught(|| drive::walk(stage, role, wire)).unwrap_or_else(|why| Done {
        persona: role.persona.clone(),
        ending: Ending::Failed(why),
        turns: 0,
    })
}

fn version(flow: &Flow) -> String {
    let pin = flow.app_version_pin.lines().map(str::trim).find(|line| !line.is_empty());
    let pin = pin.map(|line| line.trim_start_matches(['-', '*', ' '])).filter(|line| !line.is_empty());
    pin.map_or_else(|| String::from("unpinned"), |pin| pin.chars().take(120).collect())
}

fn read_flow(root: &Path, name: &str) -> Result<(Flow, String), No> {
    let path = folder::home(root).join("flows").join(format!("{name}.md"));
    let shown = path.display().to_string();
    let bytes = atomic::read(&path, flow::MOST).map_err(|fault| No::Impossible(format!("`{shown}`: {fault}")))?;
    let bytes = bytes.ok_or_else(|| No::Impossible(format!("there is no flow at `{shown}`")))?;
    let text = String::from_utf8(bytes).map_err(|_| No::Impossible(format!("`{shown}` is not UTF-8")))?;
    match Flow::read(&text) {
        Ok(flow) => Ok((flow, text)),
        Err(problems) => Err(No::Flow(path, problems)),
    }
}

fn ids(root: &Path, asked: &[String]) -> Result<Vec<String>, No> {
    if let Some(odd) = asked.iter().find(|id| !is_name(id)) {
        return Err(No::Usage(format!("`{odd}` is no name of a persona")));
    }
    let mut ids = asked.to_vec();
    if ids.is_empty() || ids.iter().any(|id| id == "all") {
        ids = folder::personas(root)
            .map_err(|error| No::Impossible(format!("the personas cannot be listed: {error}")))?;
    }
    ids.sort();
    ids.dedup();
    if ids.is_empty() {
        return Err(No::Impossible(String::from(
            "there is no persona: `leastgrant persona new persona NAME` makes one",
        )));
    }
    Ok(ids)
}

type LeftOut = Vec<(String, String, bool)>;

/// Every contract is looked at before any worker is started.
fn gate(root: &Path, ids: &[String]) -> (Vec<Role>, LeftOut) {
    let mut roles = Vec::new();
    let mut left_out = Vec::new();
    for id in ids {
        match read_contract(root, id) {
            Ok((Contract::Ready, contract)) => roles.push(Role { persona: id.clone(), contract }),
            Ok((Contract::Skipped(unready), _)) => {
                left_out.push((id.clone(), format!("its contract says `{}`", unready.id()), false));
            }
            Err(why) => left_out.push((id.clone(), why, true)),
        }
    }
    (roles, left_out)
}

fn read_contract(root: &Path, id: &str) -> Result<(Contract, String), String> {
    let path = folder::home(root).join("personas").join(id).join("contract.yaml");
    let bytes = atomic::read(&path, contract::MOST).map_err(|fault| fault.to_string())?;
    let bytes = bytes.ok_or_else(|| format!("there is no contract at `personas/{id}/contract.yaml`"))?;
    let text = String::from_utf8(bytes).map_err(|_| String::from("its contract is not UTF-8"))?;
    let contract = Contract::read(&text, id).map_err(|problem| problem.to_string())?;
    Ok((contract, text))
}

fn program(kind: Kind, named: Option<&Path>) -> Result<PathBuf, No> {
    let path = match named {
        Some(path) => path.canonicalize().map_err(|error| No::Impossible(format!("`{}`: {error}", path.display())))?,
        None => find::on_path(kind.program()).ok_or_else(|| {
            No::Impossible(format!("`{}` is not on the search path: name it with `--agent-bin`", kind.program()))
        })?,
    };
    if path.is_file() { Ok(path) } else { Err(No::Impossible(format!("`{}` is no program", path.display()))) }
}
