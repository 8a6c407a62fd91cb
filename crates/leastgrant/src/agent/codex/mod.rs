//! Codex CLI: its hooks' messages (agents/codex facts §g), and the answers that it honours (§b): a deny with a reason
//! before a call, and an allow only where it is about to ask. Everything else that can be written lets the call run.

mod tools;

use leastgrant_core::call::{Attendance, Call, Mode};
use leastgrant_core::channel::{Allow, Answer, Ask, Channel, Silence};
use serde_json::json;

use super::payload::{Payload, Wanted};
use super::wire::{self, Event, Reader, object};
use super::{Agent, Decoded, HookEnv, Output};

/// The adapter.
pub struct Codex;

const ID: &str = "codex";

/// At `PermissionRequest`: an allow passes the question, and with it the sandbox, so a rule alone is worth it; silence
/// leaves it to the question, which is refused where nobody is there (facts §b, last rows).
static PROMPT: Channel = Channel {
    agent: ID,
    name: "Codex CLI",
    silence: Silence::Defers,
    allow: Allow::Overrides,
    ask_attended: Ask::Prompts,
    ask_unattended: Ask::Refuses,
    deny_ends: false,
};

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
    skimmed: &[],
};

const EVENTS: &[(&str, Event)] = &[
    ("PreToolUse", Event::Pre),
    ("PermissionRequest", Event::Prompt),
    ("PostToolUse", Event::Post),
    ("SessionStart", Event::Passing("session-start")),
    ("SessionEnd", Event::Passing("session-end")),
    ("SubagentStart", Event::Passing("subagent-start")),
    ("SubagentStop", Event::Passing("subagent-stop")),
];

/// `bypassPermissions` is said whenever the approval policy is `never`, so also in every `codex exec`.
const MODES: &[(&str, Mode)] = &[("default", Mode::Default), ("bypassPermissions", Mode::Bypass)];

impl Agent for Codex {
    fn id(&self) -> &'static str {
        ID
    }

    /// The payload's folder is the call's own; the process runs in the session's.
    fn started_in<'e>(&self, env: &'e HookEnv) -> Option<&'e str> {
        wire::absolute(env.here())
    }

    /// A review by a model looks the same as one by a person.
    fn about(&self, _: &HookEnv) -> (Option<String>, Attendance) {
        (None, Attendance::Unknown)
    }

    fn decode(&self, raw: &[u8], env: &HookEnv) -> Decoded {
        let call = |payload: &Payload| call(payload, env);
        Reader { event: "hook_event_name", events: EVENTS, wanted: WANTED, call: &call, ran: |_| true }.read(raw)
    }

    fn encode(&self, answer: &Answer, _: Option<&Call>) -> Output {
        match answer {
            Answer::Silent | Answer::Allow { .. } => Output::silent(),
            Answer::Ask { reason } | Answer::Deny { reason } => object(&json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": wire::reason(reason),
            }})),
        }
    }

    fn prompt_channel(&self) -> Option<&'static Channel> {
        Some(&PROMPT)
    }

    fn encode_prompt(&self, answer: &Answer) -> Output {
        let decision = match answer {
            // the question itself is the ask
            Answer::Silent | Answer::Ask { .. } => return Output::silent(),
            Answer::Allow { .. } => json!({ "behavior": "allow" }),
            Answer::Deny { reason } => json!({ "behavior": "deny", "message": wire::reason(reason) }),
        };
        object(&json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }))
    }
}

fn call(payload: &Payload, env: &HookEnv) -> Result<Call, String> {
    let tool_name = payload.text("tool_name")?.ok_or("it names no tool (`tool_name`)")?;
    let input = payload.object("tool_input")?.ok_or("it has no `tool_input`")?;
    // a shell call that is asked about wants out of the sandbox
    let escalated = payload.text("hook_event_name")? == Some("PermissionRequest");
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
        tool: tools::tool(tool_name, input, wire::person_shell(env), escalated),
    })
}
