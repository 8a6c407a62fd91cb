//! Qwen Code: its hooks' messages (agents/qwen-code facts, "Attachment") and the one deny that a later hook's allow does
//! not lift: it also ends the call. An ask is a deny there, so it is written as one, and an allow grants nothing but could
//! lift another hook's deny, so it is never written.

mod tools;

use leastgrant_core::call::{Attendance, Call, Mode};
use leastgrant_core::channel::Answer;
use leastgrant_shell::Dialect;
use serde_json::json;

use super::payload::{Payload, Wanted};
use super::wire::{self, Event, Reader, object};
use super::{Agent, Decoded, HookEnv, Output};

/// The adapter.
pub struct QwenCode;

const ID: &str = "qwen-code";

const WANTED: Wanted = Wanted {
    whole: &[
        "session_id",
        "cwd",
        "hook_event_name",
        "permission_mode",
        "tool_name",
        "tool_input",
        "tool_use_id",
        "agent_id",
        "source",
        "reason",
    ],
    skimmed: &[("tool_response", &["error"])],
};

const EVENTS: &[(&str, Event)] = &[
    ("PreToolUse", Event::Pre),
    ("PostToolUse", Event::Post),
    ("PostToolUseFailure", Event::Failed),
    ("PermissionRequest", Event::Prompt),
    ("SessionStart", Event::Passing("session-start")),
    ("SessionEnd", Event::Passing("session-end")),
    ("SubagentStart", Event::Passing("subagent-start")),
    ("SubagentStop", Event::Passing("subagent-stop")),
    ("Notification", Event::Foreign),
];

const MODES: &[(&str, Mode)] = &[
    ("default", Mode::Default),
    ("plan", Mode::Plan),
    ("auto-edit", Mode::AcceptEdits),
    ("auto_edit", Mode::AcceptEdits),
    ("yolo", Mode::Bypass),
];

impl Agent for QwenCode {
    fn id(&self) -> &'static str {
        ID
    }

    fn started_in<'e>(&self, env: &'e HookEnv) -> Option<&'e str> {
        env.folder("QWEN_PROJECT_DIR")
    }

    fn about(&self, _: &HookEnv) -> (Option<String>, Attendance) {
        (None, Attendance::Unknown)
    }

    fn decode(&self, raw: &[u8], _: &HookEnv) -> Decoded {
        Reader { event: "hook_event_name", events: EVENTS, wanted: WANTED, call: &call, ran }.read(raw)
    }

    fn encode(&self, answer: &Answer, _: Option<&Call>) -> Output {
        let (Answer::Ask { reason } | Answer::Deny { reason }) = answer else { return Output::silent() };
        let reason = wire::reason(reason);
        object(&json!({
            "continue": false,
            "stopReason": reason,
            "decision": "deny",
            "reason": reason,
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            },
        }))
    }

    fn shell(&self) -> &'static str {
        "run_shell_command"
    }
}

fn ran(payload: &Payload) -> bool {
    matches!(payload.object("tool_response"), Ok(Some(response)) if !response.contains_key("error"))
}

fn call(payload: &Payload) -> Result<Call, String> {
    let tool_name = payload.text("tool_name")?.ok_or("it names no tool (`tool_name`)")?;
    let input = payload.object("tool_input")?.ok_or("it has no `tool_input`")?;
    Ok(Call {
        agent: ID,
        agent_version: None,
        session: wire::said(payload, "session_id")?,
        call_id: wire::maybe(payload, "tool_use_id")?,
        subagent: wire::maybe(payload, "agent_id")?,
        mode: wire::mode(MODES, payload.text("permission_mode")?),
        attendance: Attendance::Unknown,
        cwd: wire::folder(payload, "cwd")?,
        tool_name: tool_name.to_owned(),
        // it runs every command by `bash -c`
        tool: tools::tool(tool_name, input, Dialect::Bash),
    })
}
