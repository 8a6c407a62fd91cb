//! Cursor, which nobody here could run: its messages as others describe them are read and judged, and the one answer that
//! is written is a refusal. Nothing is claimed for it.

mod tools;

use leastgrant_core::call::{Attendance, Call, Mode, ShellCall, Tool};
use leastgrant_core::channel::Answer;
use leastgrant_shell::Dialect;
use serde_json::{Map, Value, json};

use super::payload::{Payload, Unread, Wanted};
use super::wire::{self, object};
use super::{Agent, Decoded, Done, Held, HookEnv, MadeUp, Output, Passing};

/// The adapter.
pub struct Cursor;

const ID: &str = "cursor";

const WANTED: Wanted = Wanted {
    whole: &[
        "conversation_id",
        "hook_event_name",
        "workspace_roots",
        "cwd",
        "command",
        "file_path",
        "tool_name",
        "tool_input",
        "tool_use_id",
        "mcp_server_name",
        "permission_mode",
        "reason",
    ],
    skimmed: &[],
};

#[derive(Clone, Copy)]
enum Event {
    Tool,
    Shell,
    Mcp,
    Read,
    After(&'static Event),
    Passing(&'static str),
    Foreign,
}

const EVENTS: &[(&str, Event)] = &[
    ("preToolUse", Event::Tool),
    ("beforeShellExecution", Event::Shell),
    ("beforeMCPExecution", Event::Mcp),
    ("beforeReadFile", Event::Read),
    ("postToolUse", Event::After(&Event::Tool)),
    ("afterShellExecution", Event::After(&Event::Shell)),
    ("afterMCPExecution", Event::After(&Event::Mcp)),
    ("sessionStart", Event::Passing("session-start")),
    ("sessionEnd", Event::Passing("session-end")),
    ("subagentStart", Event::Passing("subagent-start")),
    ("subagentStop", Event::Passing("subagent-stop")),
    ("afterFileEdit", Event::Foreign),
    ("beforeSubmitPrompt", Event::Foreign),
    ("stop", Event::Foreign),
];

impl Agent for Cursor {
    fn id(&self) -> &'static str {
        ID
    }

    fn started_in<'e>(&self, _: &'e HookEnv) -> Option<&'e str> {
        None
    }

    fn about(&self, _: &HookEnv) -> (Option<String>, Attendance) {
        (None, Attendance::Unknown)
    }

    fn decode(&self, raw: &[u8], _: &HookEnv) -> Decoded {
        match Payload::read(raw, WANTED) {
            Ok(payload) => event(&payload).unwrap_or_else(|why| Decoded::Broken { held: held(&payload), why }),
            Err(Unread { why, before }) => Decoded::Broken { held: held(&before), why },
        }
    }

    fn encode(&self, answer: &Answer, _: Option<&Call>) -> Output {
        match answer {
            Answer::Silent | Answer::Allow { .. } => Output::silent(),
            Answer::Ask { reason } | Answer::Deny { reason } => {
                let said = wire::reason(reason);
                object(&json!({ "permission": "deny", "user_message": said, "agent_message": said }))
            }
        }
    }

    fn shell(&self) -> &'static str {
        "Shell"
    }

    fn compose(&self, made: &MadeUp<'_>) -> Value {
        json!({
            "conversation_id": made.session, "generation_id": "made-up", "workspace_roots": [made.cwd],
            "cwd": made.cwd, "hook_event_name": "preToolUse", "tool_name": made.tool, "tool_input": made.input,
        })
    }
}

fn named(name: &str) -> Option<Event> {
    EVENTS.iter().find(|row| row.0 == name).map(|row| row.1)
}

fn held(payload: &Payload) -> Held {
    match payload.text("hook_event_name").map(|name| name.map(named)) {
        Ok(Some(Some(Event::After(_) | Event::Passing(_) | Event::Foreign))) => Held::Nothing,
        _ => Held::Call,
    }
}

fn event(payload: &Payload) -> Result<Decoded, String> {
    let name = payload.text("hook_event_name")?.ok_or("it names no event (`hook_event_name`)")?;
    Ok(match named(name) {
        Some(Event::After(of)) => Decoded::Post(Box::new(Done { call: call(payload, *of)?, ran: true, made: None })),
        Some(Event::Passing(event)) => Decoded::Passing(Passing {
            event,
            session: wire::said(payload, "conversation_id")?,
            cwd: folder(payload)?,
            subagent: None,
            detail: wire::maybe(payload, "reason")?,
        }),
        Some(Event::Foreign) => Decoded::Foreign(name.to_owned()),
        Some(event) => Decoded::Pre(Box::new(call(payload, event)?)),
        None if ["tool_name", "tool_input", "command", "file_path"].iter().any(|key| payload.has(key)) => {
            return Err(format!("`{name}` is no event that we know, and it carries a call"));
        }
        None => Decoded::Foreign(name.to_owned()),
    })
}

fn call(payload: &Payload, event: Event) -> Result<Call, String> {
    let (tool_name, tool) = match event {
        Event::Shell => (String::from("Shell"), shell(payload)?),
        Event::Read => {
            let path = payload.text("file_path")?.ok_or("it names no file (`file_path`)")?.to_owned();
            (String::from("Read"), Tool::Read { path })
        }
        Event::Mcp => {
            let name = payload.text("tool_name")?.ok_or("it names no tool (`tool_name`)")?;
            let input = payload.object_or_text("tool_input")?.unwrap_or_default();
            (name.to_owned(), tools::of_server(payload.text("mcp_server_name")?, name, &input))
        }
        _ => {
            let name = payload.text("tool_name")?.ok_or("it names no tool (`tool_name`)")?;
            let input: Map<String, Value> = payload.object_or_text("tool_input")?.ok_or("it has no `tool_input`")?;
            (name.to_owned(), tools::tool(name, &input))
        }
    };
    Ok(Call {
        agent: ID,
        agent_version: None,
        session: wire::said(payload, "conversation_id")?,
        call_id: wire::maybe(payload, "tool_use_id")?,
        subagent: None,
        mode: payload.text("permission_mode")?.map_or(Mode::Unsaid, |word| match word {
            "default" => Mode::Default,
            other => Mode::Unknown(other.to_owned()),
        }),
        attendance: Attendance::Unknown,
        cwd: folder(payload)?,
        tool_name,
        tool,
    })
}

fn shell(payload: &Payload) -> Result<Tool, String> {
    let command = payload.text("command")?.ok_or("it has no `command`")?.to_owned();
    if command.contains('\0') {
        return Err(String::from("`command` holds a NUL byte"));
    }
    Ok(Tool::Shell(ShellCall { command, dialect: Dialect::Unknown, workdir: None, unsandboxed: false }))
}

/// The folder it says, or else the first that is open.
fn folder(payload: &Payload) -> Result<String, String> {
    let said = wire::folder(payload, "cwd")?;
    if !said.is_empty() {
        return Ok(said);
    }
    let first = payload.value("workspace_roots").and_then(|roots| roots.get(0)).and_then(Value::as_str);
    Ok(wire::absolute(first).unwrap_or_default().to_owned())
}
