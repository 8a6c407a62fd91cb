//! Copilot: three forms of message under one name. The command line's own (camelCase, which never names its event), the
//! same with PascalCase events (agents/copilot facts, "Attachment"), and that of VS Code, of which no answer was measured.
//! A flat answer is honoured under both spellings of the command line; anything but it is ignored there, and then the call
//! runs. An allow switches the agent's own deny rules off, so the channel sends one for a rule only.

mod tools;

use leastgrant_core::call::{Attendance, Call, Mode};
use leastgrant_core::channel::Answer;
use serde_json::{Map, Value, json};

use super::payload::{Payload, Unread, Wanted};
use super::wire::{self, Event, Reader, object};
use super::{Agent, Decoded, Done, Held, HookEnv, MadeUp, Output, Passing};

/// The adapter.
pub struct Copilot;

const ID: &str = "copilot";

const WANTED: Wanted = Wanted {
    whole: &[
        "sessionId",
        "session_id",
        "cwd",
        "hook_event_name",
        "hookName",
        "hookEventName",
        "permission_mode",
        "toolName",
        "toolArgs",
        "toolInput",
        "tool_name",
        "tool_input",
        "tool_use_id",
        "toolCallId",
        "serverName",
        "agentId",
        "agent_id",
        "agentName",
        "source",
        "reason",
        "stopReason",
    ],
    skimmed: &[("toolResult", &["resultType"]), ("tool_result", &["result_type"])],
};

/// Events of the forms that name theirs.
const EVENTS: &[(&str, Event)] = &[
    ("PreToolUse", Event::Pre),
    ("PostToolUse", Event::Post),
    ("PostToolUseFailure", Event::Failed),
    ("SessionStart", Event::Passing("session-start")),
    ("SessionEnd", Event::Passing("session-end")),
    ("SubagentStart", Event::Passing("subagent-start")),
    ("SubagentStop", Event::Passing("subagent-stop")),
    ("Notification", Event::Foreign),
];

const MODES: &[(&str, Mode)] = &[("default", Mode::Default)];

impl Agent for Copilot {
    fn id(&self) -> &'static str {
        ID
    }

    fn started_in<'e>(&self, env: &'e HookEnv) -> Option<&'e str> {
        env.folder("COPILOT_PROJECT_DIR")
    }

    fn about(&self, _: &HookEnv) -> (Option<String>, Attendance) {
        (None, Attendance::Unknown)
    }

    fn decode(&self, raw: &[u8], _: &HookEnv) -> Decoded {
        let reader =
            Reader { event: "hook_event_name", events: EVENTS, wanted: WANTED, call: &snake_call, ran: snake_ran };
        let broken = |payload: &Payload, why| Decoded::Broken { held: held(&reader, payload), why };
        match Payload::read(raw, WANTED) {
            Err(Unread { why, before }) => broken(&before, why),
            Ok(payload) if payload.has("hook_event_name") => {
                reader.decode(&payload).unwrap_or_else(|why| broken(&payload, why))
            }
            Ok(payload) => camel(&payload).unwrap_or_else(|why| broken(&payload, why)),
        }
    }

    fn encode(&self, answer: &Answer, call: Option<&Call>) -> Output {
        let (decision, reason) = match answer {
            Answer::Silent => return Output::silent(),
            Answer::Allow { reason } => ("allow", reason),
            Answer::Ask { reason } => ("ask", reason),
            Answer::Deny { reason } => ("deny", reason),
        };
        let reason = wire::reason(reason);
        let flat = json!({ "permissionDecision": decision, "permissionDecisionReason": reason });
        match call {
            Some(call) if tools::of_editor(call) => editor(decision, reason),
            Some(_) => object(&flat),
            // which form it was is not known: the one refusal that every form knows, with nothing beside it that allows
            None => Output { code: 2, stderr: reason.to_owned(), ..object(&flat) },
        }
    }

    fn shell(&self) -> &'static str {
        "bash"
    }

    fn compose(&self, made: &MadeUp<'_>) -> Value {
        json!({
            "sessionId": made.session, "timestamp": 0, "cwd": made.cwd,
            "toolName": made.tool, "toolArgs": made.input.to_string(),
        })
    }
}

/// VS Code: what an allow or an ask does there was not measured, so neither is written.
fn editor(decision: &str, reason: &str) -> Output {
    if decision == "allow" {
        return Output::silent();
    }
    object(&json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }}))
}

fn held(reader: &Reader<'_>, payload: &Payload) -> Held {
    if payload.has("hook_event_name") {
        return reader.held(payload);
    }
    // without a name for the event, only what is certain to be something else needs no answer
    let after = payload.has("toolResult") || payload.text("hookName") == Ok(Some("permissionRequest"));
    if after { Held::Nothing } else { Held::Call }
}

/// The camelCase form never names its event, so its keys say which one it is.
fn camel(payload: &Payload) -> Result<Decoded, String> {
    if let Some(name) = payload.text("hookName")? {
        return match name {
            "permissionRequest" => Ok(Decoded::Prompted(Box::new(camel_call(payload, "toolInput")?))),
            other => Err(format!("`{other}` is no event that we know")),
        };
    }
    let tool = payload.has("toolName") || payload.has("toolArgs") || payload.has("toolInput");
    if payload.has("toolResult") && tool {
        let ran = matches!(payload.object("toolResult"), Ok(Some(result))
            if result.get("resultType").and_then(Value::as_str) == Some("success"));
        return Ok(Decoded::Post(Box::new(Done { call: camel_call(payload, "toolArgs")?, ran, made: None })));
    }
    // `preMcpToolCall` comes on top of the call's own event and takes no answer
    if payload.has("serverName") && payload.has("toolCallId") && !payload.has("toolArgs") {
        return Ok(Decoded::Foreign(String::from("preMcpToolCall")));
    }
    if tool || payload.has("tool_name") || payload.has("tool_input") {
        return Ok(Decoded::Pre(Box::new(camel_call(payload, "toolArgs")?)));
    }
    if !payload.has("sessionId") {
        return Err(String::from("it names no event and no tool"));
    }
    let event = match (payload.has("agentName"), payload.has("stopReason")) {
        (true, false) => "subagent-start",
        (true, true) => "subagent-stop",
        (false, true) => return Ok(Decoded::Foreign(String::from("agentStop"))),
        (false, false) if payload.has("source") => "session-start",
        (false, false) if payload.has("reason") => "session-end",
        (false, false) => return Ok(Decoded::Foreign(String::from("an event without a tool"))),
    };
    Ok(Decoded::Passing(Passing {
        event,
        session: wire::said(payload, "sessionId")?,
        cwd: wire::folder(payload, "cwd")?,
        subagent: wire::maybe(payload, "agentId")?,
        detail: payload.text("source")?.or(payload.text("reason")?).map(str::to_owned),
    }))
}

fn camel_call(payload: &Payload, input: &str) -> Result<Call, String> {
    let name = payload.text("toolName")?.ok_or("it names no tool (`toolName`)")?;
    let input = payload.object_or_text(input)?.ok_or_else(|| format!("it has no `{input}`"))?;
    call(payload, "sessionId", name, &input)
}

fn snake_call(payload: &Payload) -> Result<Call, String> {
    let name = payload.text("tool_name")?.ok_or("it names no tool (`tool_name`)")?;
    let input = payload.object_or_text("tool_input")?.ok_or("it has no `tool_input`")?;
    call(payload, "session_id", name, &input)
}

fn snake_ran(payload: &Payload) -> bool {
    match payload.object("tool_result") {
        Ok(Some(result)) => result.get("result_type").and_then(Value::as_str) == Some("success"),
        // VS Code says nothing about it
        Ok(None) => true,
        Err(_) => false,
    }
}

fn call(payload: &Payload, session: &str, name: &str, input: &Map<String, Value>) -> Result<Call, String> {
    Ok(Call {
        agent: ID,
        agent_version: None,
        session: wire::said(payload, session)?,
        call_id: wire::maybe(payload, "tool_use_id")?,
        subagent: payload.text("agentId")?.or(payload.text("agent_id")?).map(str::to_owned),
        mode: wire::mode(MODES, payload.text("permission_mode")?),
        attendance: Attendance::Unknown,
        cwd: wire::folder(payload, "cwd")?,
        tool_name: name.to_owned(),
        tool: tools::tool(name, input),
    })
}
