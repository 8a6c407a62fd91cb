//! What the guard asks in front of each call while a run is conducted: the turn gate, what can't be taken back, the lock on
//! history. Only sessions of the run's own workers are held by it.

use leastgrant_core::call::{Attendance, Call, Mode, ShellCall, Tool};
use leastgrant_core::conduct::gate::{self, Word};
use leastgrant_core::persona::lease::Gate;
use leastgrant_core::persona::run::Run;
use leastgrant_core::world::World;
use leastgrant_shell::Dialect;
use serde_json::Value as Json;

use super::lease;

/// Whether a run no longer binds this session: its conductor is gone, and the session is none of its workers. What a dead
/// conductor left must not bind ordinary work.
#[must_use]
pub fn is_left_over(run: &Run, session: &str) -> bool {
    match &run.gate {
        Gate::Conducted(lease) => !lease::lives(lease) && gate::worker(lease, session).is_none(),
        Gate::Open | Gate::Unreadable => false,
    }
}

/// Why a worker's call is held, if it is.
#[must_use]
pub fn held(world: &dyn World, run: &Run, session: &str, cwd: &str, tool: &str, input: &Json) -> Option<String> {
    let Gate::Conducted(lease) = &run.gate else { return None };
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
