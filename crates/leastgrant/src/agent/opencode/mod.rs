//! OpenCode: the messages of our own plugin ([`PLUGIN`]) and its answers. The plugin lets a call pass on one answer alone,
//! so nothing is written as silence: a program that is missing, killed or stuck says nothing, and then the plugin throws.

mod tools;

use leastgrant_core::call::{Attendance, Call, Mode};
use leastgrant_core::channel::Answer;
use serde_json::{Value, json};

use super::payload::{Payload, Wanted};
use super::wire::{self, Event, Reader, object};
use super::{Agent, Decoded, HookEnv, MadeUp, Output};

/// The adapter.
pub struct OpenCode;

const ID: &str = "opencode";

/// The plugin's text. [`PROGRAM`], [`LIMIT`] and [`REPAIR`] stand for what install puts there, each once.
pub const PLUGIN: &str = include_str!("plugin.js");
/// In [`PLUGIN`]: the program's path, as a JSON string.
pub const PROGRAM: &str = "\"@program@\"";
/// In [`PLUGIN`]: the time limit in milliseconds, as a number.
pub const LIMIT: &str = "\"@limit@\"";
/// In [`PLUGIN`]: what to do when the program cannot be run, as a JSON string.
pub const REPAIR: &str = "\"@repair@\"";

/// The plugin for a program at this path.
#[must_use]
pub fn plugin(program: &str, limit_ms: u32, repair: &str) -> String {
    PLUGIN.replacen(PROGRAM, &Value::from(program).to_string(), 1).replacen(LIMIT, &limit_ms.to_string(), 1).replacen(
        REPAIR,
        &Value::from(repair).to_string(),
        1,
    )
}

const WANTED: Wanted = Wanted {
    whole: &["session_id", "call_id", "cwd", "hook_event_name", "permission_mode", "tool_name", "tool_input"],
    skimmed: &[],
};

const EVENTS: &[(&str, Event)] = &[("tool.execute.before", Event::Pre), ("tool.execute.after", Event::Post)];

/// The agent itself says no mode; a plugin of somebody else's may.
const MODES: &[(&str, Mode)] = &[("default", Mode::Default)];

impl Agent for OpenCode {
    fn id(&self) -> &'static str {
        ID
    }

    /// The plugin sends the folder that the agent was started in.
    fn started_in<'e>(&self, _: &'e HookEnv) -> Option<&'e str> {
        None
    }

    fn about(&self, _: &HookEnv) -> (Option<String>, Attendance) {
        (None, Attendance::Unknown)
    }

    fn decode(&self, raw: &[u8], env: &HookEnv) -> Decoded {
        let call = |payload: &Payload| call(payload, env);
        Reader { event: "hook_event_name", events: EVENTS, wanted: WANTED, call: &call, ran: |_| true }.read(raw)
    }

    fn encode(&self, answer: &Answer, _: Option<&Call>) -> Output {
        match answer {
            // either way the agent's own permissions decide
            Answer::Silent | Answer::Allow { .. } => object(&json!({ "decision": "pass" })),
            Answer::Ask { reason } | Answer::Deny { reason } => {
                object(&json!({ "decision": "deny", "reason": wire::reason(reason) }))
            }
        }
    }

    fn shell(&self) -> &'static str {
        "bash"
    }

    fn compose(&self, made: &MadeUp<'_>) -> Value {
        json!({
            "session_id": made.session, "call_id": "made-up", "cwd": made.cwd,
            "hook_event_name": "tool.execute.before", "tool_name": made.tool, "tool_input": made.input,
        })
    }
}

fn call(payload: &Payload, env: &HookEnv) -> Result<Call, String> {
    let tool_name = payload.text("tool_name")?.ok_or("it names no tool (`tool_name`)")?;
    let input = payload.object("tool_input")?.ok_or("it has no `tool_input`")?;
    Ok(Call {
        agent: ID,
        agent_version: None,
        session: wire::said(payload, "session_id")?,
        call_id: wire::maybe(payload, "call_id")?,
        subagent: None,
        mode: wire::mode(MODES, payload.text("permission_mode")?),
        attendance: Attendance::Unknown,
        cwd: wire::folder(payload, "cwd")?,
        tool_name: tool_name.to_owned(),
        tool: tools::tool(tool_name, input, wire::person_shell(env)),
    })
}
