//! Gemini CLI: its hooks' messages (agents/gemini-cli facts, "Attachment") and the one form of answer that holds: a flat
//! object that stands alone on standard output. It never says whether a person is there, and an ask with nobody there hangs
//! it for good.

mod tools;

use leastgrant_core::call::{Attendance, Call, Mode};
use leastgrant_core::channel::Answer;
use leastgrant_shell::Dialect;
use serde_json::{Value, json};

use super::payload::{Payload, Wanted, text};
use super::wire::{self, Event, Reader, object};
use super::{Agent, Decoded, HookEnv, MadeUp, Output};

/// The adapter.
pub struct GeminiCli;

const ID: &str = "gemini-cli";

const WANTED: Wanted = Wanted {
    whole: &["session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "source", "reason"],
    skimmed: &[("mcp_context", &["server_name", "tool_name"]), ("tool_response", &["error"])],
};

const EVENTS: &[(&str, Event)] = &[
    ("BeforeTool", Event::Pre),
    ("AfterTool", Event::Post),
    ("SessionStart", Event::Passing("session-start")),
    ("SessionEnd", Event::Passing("session-end")),
    ("Notification", Event::Foreign),
];

impl Agent for GeminiCli {
    fn id(&self) -> &'static str {
        ID
    }

    fn started_in<'e>(&self, env: &'e HookEnv) -> Option<&'e str> {
        env.folder("GEMINI_PROJECT_DIR")
    }

    fn about(&self, _: &HookEnv) -> (Option<String>, Attendance) {
        (None, Attendance::Unknown)
    }

    fn decode(&self, raw: &[u8], _: &HookEnv) -> Decoded {
        Reader { event: "hook_event_name", events: EVENTS, wanted: WANTED, call: &call, ran }.read(raw)
    }

    fn encode(&self, answer: &Answer, _: Option<&Call>) -> Output {
        let (decision, reason) = match answer {
            Answer::Silent => return Output::silent(),
            Answer::Allow { reason } => ("allow", reason),
            Answer::Ask { reason } => {
                // its dialog shows the message and not the reason
                let said = wire::reason(reason);
                return object(&json!({ "decision": "ask", "reason": said, "systemMessage": said }));
            }
            Answer::Deny { reason } => ("deny", reason),
        };
        object(&json!({ "decision": decision, "reason": wire::reason(reason) }))
    }

    fn shell(&self) -> &'static str {
        "run_shell_command"
    }

    fn compose(&self, made: &MadeUp<'_>) -> Value {
        json!({
            "session_id": made.session, "cwd": made.cwd, "hook_event_name": "BeforeTool",
            "tool_name": made.tool, "tool_input": made.input,
        })
    }
}

fn ran(payload: &Payload) -> bool {
    matches!(payload.object("tool_response"), Ok(Some(response)) if !response.contains_key("error"))
}

fn call(payload: &Payload) -> Result<Call, String> {
    let tool_name = payload.text("tool_name")?.ok_or("it names no tool (`tool_name`)")?;
    let input = payload.object("tool_input")?.ok_or("it has no `tool_input`")?;
    let server = match payload.object("mcp_context")? {
        Some(context) => Some((text(context, "server_name")?, text(context, "tool_name")?)),
        None => None,
    };
    Ok(Call {
        agent: ID,
        agent_version: None,
        session: wire::said(payload, "session_id")?,
        call_id: None,
        subagent: None,
        mode: Mode::Unsaid,
        attendance: Attendance::Unknown,
        cwd: wire::folder(payload, "cwd")?,
        tool_name: tool_name.to_owned(),
        // it runs every command by `bash -c`
        tool: tools::tool(tool_name, input, server, Dialect::Bash),
    })
}
