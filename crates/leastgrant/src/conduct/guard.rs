//! What the guard asks in front of each call while a run is conducted: the turn gate, what can't be taken back, the lock on
//! history. Only sessions of the run's own workers are held by it. A worker is known by its session in the lease, and by a
//! mark in its environment, which it can't take off: a worker whose conductor is gone, or does not know it yet, may not act.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use leastgrant_core::action::TargetKind;
use leastgrant_core::call::{Attendance, Call, Mode, ShellCall, Tool};
use leastgrant_core::classify::classify;
use leastgrant_core::conduct::gate::{self, PREFIX, Word};
use leastgrant_core::conduct::tools::{Deed, deed};
use leastgrant_core::conduct::{bounds, mask};
use leastgrant_core::path::{self, Zone};
use leastgrant_core::persona::guard::{Asked, Profile, Ruling, rule};
use leastgrant_core::persona::lease::Gate;
use leastgrant_core::persona::run::{FOLDER, Run};
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
    let Some(worker) = gate::worker(lease, session) else { return orphaned(tool, input) };
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
        tool: words(tool, input),
    };
    match gate::ask_call(lease, lease::lives(lease), &call, input, world) {
        Word::Shut(why) => Some(why),
        Word::Passes if matches!(call.tool, Tool::Unknown { .. }) => None,
        Word::Passes => reaches(world, run, &call, &lease.owner, &worker.persona),
    }
}

/// A worker's tool in our words, where it is one of the agent's own that reach beyond the browser.
fn words(tool: &str, input: &Json) -> Tool {
    let text = |key: &str| input.get(key).and_then(Json::as_str).map(str::to_owned);
    let written = match tool {
        "Write" | "Edit" | "MultiEdit" => text("file_path"),
        "NotebookEdit" => text("notebook_path"),
        _ => None,
    };
    match (tool, text("command"), text("query"), written) {
        ("Bash", Some(command), ..) => {
            Tool::Shell(ShellCall { command, dialect: Dialect::Bash, workdir: None, unsandboxed: false })
        }
        ("WebSearch" | "web_search", _, Some(query), _) => Tool::WebSearch { query },
        (_, _, _, Some(path)) => Tool::Write { path, content: None },
        _ => Tool::Unknown { input: input.clone() },
    }
}

/// What a worker's own tools reach: the network within the flow's bounds, and no file but those of its evidence.
fn reaches(world: &dyn World, run: &Run, call: &Call, owner: &str, persona: &str) -> Option<String> {
    let actions = classify(call, world);
    if let Ruling::Outside(block) | Ruling::Doubt(block) =
        rule(run, Profile::Strict, Asked::of_call(call, &actions), &call.session, world.facts().now_ms)
    {
        return Some(block.text());
    }
    let shut = |why: String| Some(format!("{PREFIX}{why}"));
    let evidence = format!("{}/{FOLDER}/runs/{owner}/{persona}/evidence", run.root.trim_end_matches('/'));
    for action in &actions {
        if let Some(opaque) = &action.opaque {
            return shut(format!("a persona's command has to be readable: {}", opaque.why));
        }
        for target in action.targets.iter().filter(|target| target.role.changes()) {
            let TargetKind::Path(place) = &target.kind else { continue };
            let below = |real: &String| {
                path::strip(real, &evidence, world.facts().case_blind).is_some_and(|rest| !rest.is_empty())
            };
            if place.zone != Zone::Null && !place.real.as_ref().is_some_and(below) {
                return shut(format!("a persona writes below `{evidence}` and nowhere else"));
            }
        }
    }
    None
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
    let path = file(state, Path::new(&run.root), session);
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

fn file(state: &Path, root: &Path, session: &str) -> PathBuf {
    folder(state, root).join(format!("{}.jsonl", lock::key(Path::new(session))))
}

/// The refusals of a session, from the first that was not read yet.
#[must_use]
pub fn refusals(state: &Path, root: &Path, session: &str, from: usize) -> Vec<Refusal> {
    let bytes = atomic::read(&file(state, root, session), 2 * LARGEST).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().skip(from).filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Forgets the refusals in a project.
pub fn forget(state: &Path, root: &Path) {
    let _ = std::fs::remove_dir_all(folder(state, root));
}
