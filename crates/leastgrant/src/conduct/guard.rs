//! What the guard asks in front of each call while a run is conducted: the turn gate, what can't be taken back, the lock on
//! history. Only sessions of the run's own workers are held by it. A worker is known by its session in the lease, and by a
//! mark in its environment, which it can't take off: a worker whose conductor is gone, or does not know it yet, may not act.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use leastgrant_core::call::{Attendance, Call, Mode, ShellCall, Tool};
use leastgrant_core::conduct::gate::{self, PREFIX, Word};
use leastgrant_core::conduct::tools::{Deed, deed};
use leastgrant_core::conduct::{bounds, mask};
use leastgrant_core::persona::lease::Gate;
use leastgrant_core::persona::run::Run;
use leastgrant_core::persona::why::{Block, Why};
use leastgrant_core::world::World;
use leastgrant_shell::Dialect;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::lease;
use crate::edit::{atomic, lock};

/// The mark that a conductor puts into a worker's environment.
pub const MARK: &str = "LEASTGRANT_PERSONA_WORKER";
/// Bytes of refusals that are kept for one session.
const LARGEST: usize = 1024 * 1024;

/// A refusal as the conductor reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// `early-action`, `refused-navigation`, `refused-act`
    pub kind: String,
    /// one line, masked
    pub detail: String,
}

/// Whether this hook serves a worker.
#[must_use]
pub fn is_worker() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Whether a run no longer binds this session: its conductor is gone, and the session is none of its workers. What a dead
/// conductor left must not bind ordinary work.
#[must_use]
pub fn is_left_over(run: &Run, session: &str) -> bool {
    match &run.gate {
        Gate::Conducted(lease) => !is_worker() && !lease::lives(lease) && gate::worker(lease, session).is_none(),
        Gate::Open | Gate::Unreadable => false,
    }
}

/// Why a worker that nobody conducts may not make this call.
#[must_use]
pub fn orphaned(tool: &str, input: &Json) -> Option<String> {
    (is_worker() && deed(tool, input) == Deed::Acts)
        .then(|| format!("{PREFIX}no conductor knows this worker, so nothing may act; looking is free"))
}

/// Why a worker's call is held, if it is.
#[must_use]
pub fn held(world: &dyn World, run: &Run, session: &str, cwd: &str, tool: &str, input: &Json) -> Option<String> {
    let Gate::Conducted(lease) = &run.gate else { return orphaned(tool, input) };
    if gate::worker(lease, session).is_none() {
        return orphaned(tool, input);
    }
    let command = input.get("command").and_then(Json::as_str).filter(|_| tool == "Bash");
    let tool_of = command.map_or_else(
        || Tool::Unknown { input: input.clone() },
        |command| {
            let command = command.to_owned();
            Tool::Shell(ShellCall { command, dialect: Dialect::Bash, workdir: None, unsandboxed: false })
        },
    );
    let call = Call {
        agent: "claude-code",
        agent_version: None,
        session: session.to_owned(),
        call_id: None,
        subagent: None,
        mode: Mode::Unsaid,
        attendance: Attendance::Unattended,
        cwd: cwd.to_owned(),
        tool_name: tool.to_owned(),
        tool: tool_of,
    };
    match gate::ask_call(lease, lease::lives(lease), &call, input, world) {
        Word::Passes => None,
        Word::Shut(why) => Some(why),
    }
}

/// Tells the conductor of a refusal: not every agent's stream does.
pub fn tell_block(state: &Path, run: &Run, session: &str, tool: &str, block: &Block) {
    let (kind, detail) = if block.why == Why::Lease {
        ("early-action", format!("`{tool}` was called before the go-ahead"))
    } else {
        ("refused-navigation", bounds::words_of(block))
    };
    tell(state, run, session, kind, &detail);
}

/// Tells the conductor of a refusal of the gate.
pub fn tell_gate(state: &Path, run: &Run, session: &str, why: &str) {
    let Gate::Conducted(lease) = &run.gate else { return };
    let acting = gate::worker(lease, session).is_some_and(|worker| worker.acting);
    let kind = if acting { "refused-act" } else { "early-action" };
    tell(state, run, session, kind, why.strip_prefix(PREFIX).unwrap_or(why));
}

/// A failure here changes no answer.
fn tell(state: &Path, run: &Run, session: &str, kind: &str, detail: &str) {
    let Gate::Conducted(lease) = &run.gate else { return };
    if gate::worker(lease, session).is_none() {
        return;
    }
    let path = path(state, Path::new(&run.root), session);
    let small = std::fs::metadata(&path).map_or(true, |about| about.len() < LARGEST as u64);
    let folder = path.parent().unwrap_or(state);
    let line = serde_json::to_string(&Refusal { kind: kind.to_owned(), detail: mask::line(detail, 240) });
    if let (true, Ok(()), Ok(line)) = (small, atomic::private_folder(folder), line)
        && let Ok(mut file) = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)
    {
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

/// Where the refusals of a project's workers are; the conductor takes it away with the rest.
fn folder(state: &Path, root: &Path) -> PathBuf {
    state.join("persona/refused").join(lock::key(root))
}

fn path(state: &Path, root: &Path, session: &str) -> PathBuf {
    folder(state, root).join(format!("{}.jsonl", lock::key(Path::new(session))))
}

/// The refusals of a session, from the first that was not read yet.
#[must_use]
pub fn refusals(state: &Path, root: &Path, session: &str, from: usize) -> Vec<Refusal> {
    let bytes = atomic::read(&path(state, root, session), 2 * LARGEST).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().skip(from).filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Forgets the refusals in a project.
pub fn forget(state: &Path, root: &Path) {
    let _ = std::fs::remove_dir_all(folder(state, root));
}
