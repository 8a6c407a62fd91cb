//! What a run puts in place before it walks, and takes away again on every way out: the lease, the arming, the guard's
//! entry in agents' settings. Dropped, it is all gone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leastgrant_core::conduct::gate;
use leastgrant_core::persona::lease::Gate;
use serde_json::json;

use super::clock;
use super::lease::{self, Held};
use super::record::Record;
use super::worker::Kind;
use crate::agent::HookEnv;
use crate::install::find;
use crate::install::place::Places;
use crate::persona::arm::{Stop, Yard};
use crate::persona::owners::Owner;
use crate::persona::wiring::{self, Guard, Harness, Target};
use crate::world::Real;

/// What is in place.
#[derive(Debug)]
pub(super) struct Armed<'a> {
    state: PathBuf,
    root: PathBuf,
    id: String,
    targets: Vec<Target>,
    lease: &'a Held,
    world: Real,
    off: bool,
}

/// Where what a run hands to its processes is.
pub(super) fn scratch(state: &Path, id: &str) -> PathBuf {
    state.join("persona/workers").join(id)
}

/// The guard's command line for an agent.
pub(super) fn guard(places: &Places, env: &HookEnv, kind: Kind) -> Result<(Guard, String), String> {
    let guard = Guard { program: find::own_program(None)?, timeout: find::timeout(), trust: false };
    let harness = match kind {
        Kind::ClaudeCode => Harness::ClaudeCode,
        Kind::Codex => Harness::Codex,
    };
    let target = Target::all(places, env).into_iter().find(|target| target.harness == harness);
    let target = target.ok_or("the agent has no settings")?;
    let command = guard.command(&target);
    Ok((guard, command))
}

impl<'a> Armed<'a> {
    /// Puts everything in place; what was put in place before a failure is taken away.
    pub(super) fn new(
        places: &Places,
        env: &HookEnv,
        record: &Record,
        guard: &Guard,
        held: &'a Held,
    ) -> Result<(Self, Vec<String>), Stop> {
        let world = Real::of(env, &record.root.to_string_lossy(), std::collections::HashSet::new());
        let mut armed = Self {
            state: places.state.clone(),
            root: record.root.clone(),
            id: record.id.clone(),
            targets: Vec::new(),
            lease: held,
            world,
            off: false,
        };
        if let Gate::Conducted(other) = lease::found(&armed.state, &armed.root)
            && lease::lives(&other)
        {
            armed.off = true;
            let (id, pid) = (&other.owner, other.pid);
            return Err(Stop::Refused(format!("run `{id}` is being conducted in this project by process {pid}")));
        }
        let now = clock::now_ms();
        if let Err(stop) = armed.yard().arm(&record.flow, &record.id, now, &clock::now_iso()) {
            // another run's arming is none of ours to take away
            armed.off = true;
            return Err(stop);
        }
        // no worker runs yet, so a moment without a lease lets nobody act
        held.renew().map_err(Stop::Refused)?;
        let mut troubles = Vec::new();
        for target in Target::all(places, env).into_iter().filter(Target::is_there) {
            match wiring::wire(&armed.state, &target, guard, &Owner::of_run(&armed.id, now)) {
                Ok(_) => armed.targets.push(target),
                // the workers carry an entry of their own
                Err(why) => troubles.push(format!("the guard is not in {}'s settings: {why}", target.harness.name())),
            }
        }
        Ok((armed, troubles))
    }

    fn yard(&self) -> Yard<'_> {
        Yard { state: &self.state, world: &self.world, root: &self.root }
    }

    /// Takes everything away; what could not be, in words.
    pub(super) fn disarm(&mut self) -> Vec<String> {
        if std::mem::replace(&mut self.off, true) {
            return Vec::new();
        }
        let mut troubles = Vec::new();
        let owner = format!("run:{}", self.id);
        self.lease.drop_it();
        super::guard::forget(&self.state, &self.root);
        let _ = std::fs::remove_dir_all(scratch(&self.state, &self.id));
        if let Err(stop) = self.yard().disarm(&self.id, false, clock::now_ms()) {
            troubles.push(match stop {
                Stop::Refused(why) => why,
                Stop::Flow(path, _) => path.display().to_string(),
            });
        }
        for target in &self.targets {
            if let Err(why) = wiring::unwire(&self.state, target, &owner) {
                troubles.push(why);
            }
        }
        troubles
    }
}

impl Drop for Armed<'_> {
    fn drop(&mut self) {
        let _ = self.disarm();
    }
}

const CANARY: &str = "leastgrant-canary";

/// The guard answers, and with a refusal: asked by the very command line that agents are given, as a worker that acts
/// before its go-ahead.
pub(super) fn answers(command: &str, root: &Path, lease: &Held) -> Result<(), String> {
    lease.set(CANARY, Some(CANARY), 0, false)?;
    let answer = asked(command, root);
    lease.set(CANARY, None, 0, false)?;
    answer
}

fn asked(command: &str, root: &Path) -> Result<(), String> {
    let payload = json!({
        "session_id": CANARY,
        "cwd": root,
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": { "file_path": "canary", "content": "" },
        "tool_use_id": CANARY,
    });
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("the guard cannot be started: {error}"))?;
    if let Some(stdin) = &mut child.stdin {
        use std::io::Write as _;
        let _ = stdin.write_all(format!("{payload}\n").as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && said.contains("\"deny\"") && said.contains(gate::PREFIX.trim()) {
        return Ok(());
    }
    Err(String::from("the guard does not refuse a call that is out of bounds, so nothing would hold the run"))
}
