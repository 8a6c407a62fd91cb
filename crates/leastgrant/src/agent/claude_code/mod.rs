//! Claude Code: what its hooks send (FACTS §h), what its environment says (§m), and the one form of answer that holds
//! a call on every measured version (§a, §c).

mod tools;

use leastgrant_core::call::{Attendance, Call, Mode};
use leastgrant_core::channel::Answer;
use leastgrant_shell::Dialect;

use super::payload::{Payload, Unread, Wanted};
use super::wire::{self, object};
use super::{Agent, ConfigChange, Decoded, Done, Held, HookEnv, Output, Passing};

/// The adapter.
pub struct ClaudeCode;

const ID: &str = "claude-code";

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
        "mcp_server",
        "source",
        "reason",
        "file_path",
    ],
    skimmed: &[("tool_response", &["type", "filePath"])],
};

/// What an event is to us.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Pre,
    Post { ran: bool },
    Prompt,
    Passing(&'static str),
    ConfigChange,
    Foreign,
}

/// Events by name. A name that is not here and carries a tool is held: it may be a newer spelling of a call.
const EVENTS: &[(&str, Event)] = &[
    ("PreToolUse", Event::Pre),
    ("PostToolUse", Event::Post { ran: true }),
    ("PostToolUseFailure", Event::Post { ran: false }),
    ("PermissionRequest", Event::Prompt),
    ("SessionStart", Event::Passing("session-start")),
    ("SessionEnd", Event::Passing("session-end")),
    ("SubagentStart", Event::Passing("subagent-start")),
    ("SubagentStop", Event::Passing("subagent-stop")),
    ("ConfigChange", Event::ConfigChange),
    ("PostToolBatch", Event::Foreign),
    ("PermissionDenied", Event::Foreign),
    ("Notification", Event::Foreign),
];

const MODES: &[(&str, Mode)] = &[
    ("default", Mode::Default),
    ("manual", Mode::Default),
    ("acceptEdits", Mode::AcceptEdits),
    ("plan", Mode::Plan),
    ("auto", Mode::Auto),
    ("dontAsk", Mode::DontAsk),
    ("bypassPermissions", Mode::Bypass),
];

impl Agent for ClaudeCode {
    fn id(&self) -> &'static str {
        ID
    }

    fn started_in<'e>(&self, env: &'e HookEnv) -> Option<&'e str> {
        env.folder("CLAUDE_PROJECT_DIR")
    }

    fn about(&self, env: &HookEnv) -> (Option<String>, Attendance) {
        (version(env), attendance(env))
    }

    fn decode(&self, raw: &[u8], env: &HookEnv) -> Decoded {
        match Payload::read(raw, WANTED) {
            Ok(payload) => event(&payload, env).unwrap_or_else(|why| Decoded::Broken { held: held(&payload), why }),
            Err(Unread { why, before }) => Decoded::Broken { held: held(&before), why },
        }
    }

    fn encode(&self, answer: &Answer, _: Option<&Call>) -> Output {
        let (decision, reason) = match answer {
            Answer::Silent => return Output::silent(),
            Answer::Allow { reason } => ("allow", reason),
            Answer::Ask { reason } => ("ask", reason),
            Answer::Deny { reason } => ("deny", reason),
        };
        object(&serde_json::json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": wire::reason(reason),
        }}))
    }

    fn refuse_change(&self, reason: &str) -> Output {
        object(&serde_json::json!({ "decision": "block", "reason": reason }))
    }

    fn tell(&self, line: &str) -> Output {
        object(&serde_json::json!({ "systemMessage": line }))
    }
}

/// What an event may have been, by what of it could be read.
fn held(payload: &Payload) -> Held {
    match payload.text("hook_event_name").map(|name| name.map(named)) {
        Ok(Some(Some(Event::Pre) | None) | None) | Err(_) => Held::Call,
        Ok(Some(Some(Event::ConfigChange))) => Held::Change,
        Ok(Some(Some(_))) => Held::Nothing,
    }
}

fn named(name: &str) -> Option<Event> {
    EVENTS.iter().find(|row| row.0 == name).map(|row| row.1)
}

fn event(payload: &Payload, env: &HookEnv) -> Result<Decoded, String> {
    let name = payload.text("hook_event_name")?.ok_or("it names no event (`hook_event_name`)")?;
    match named(name) {
        Some(Event::Pre) => Ok(Decoded::Pre(Box::new(call(payload, env)?))),
        Some(Event::Prompt) => Ok(Decoded::Prompted(Box::new(call(payload, env)?))),
        Some(Event::Post { ran }) => {
            let made = if ran { made(payload)? } else { None };
            Ok(Decoded::Post(Box::new(Done { call: call(payload, env)?, ran, made })))
        }
        Some(Event::Passing(event)) => Ok(Decoded::Passing(Passing {
            event,
            session: wire::said(payload, "session_id")?,
            cwd: wire::folder(payload, "cwd")?,
            subagent: payload.text("agent_id")?.map(str::to_owned),
            detail: payload.text("source")?.or(payload.text("reason")?).map(str::to_owned),
        })),
        Some(Event::ConfigChange) => Ok(Decoded::ConfigChange(ConfigChange {
            session: wire::said(payload, "session_id")?,
            cwd: wire::folder(payload, "cwd")?,
            source: payload.text("source")?.unwrap_or_default().to_owned(),
            file_path: payload.text("file_path")?.map(str::to_owned),
        })),
        None if payload.has("tool_name") || payload.has("tool_input") => {
            Err(format!("`{name}` is no event that we know, and it carries a tool"))
        }
        Some(Event::Foreign) | None => Ok(Decoded::Foreign(name.to_owned())),
    }
}

fn call(payload: &Payload, env: &HookEnv) -> Result<Call, String> {
    let tool_name = payload.text("tool_name")?.ok_or("it names no tool (`tool_name`)")?;
    let input = payload.object("tool_input")?.ok_or("it has no `tool_input`")?;
    let server = match payload.object("mcp_server")? {
        Some(map) => super::payload::text(map, "name")?,
        None => None,
    };
    Ok(Call {
        agent: ID,
        agent_version: version(env),
        session: wire::said(payload, "session_id")?,
        call_id: payload.text("tool_use_id")?.map(str::to_owned),
        subagent: payload.text("agent_id")?.map(str::to_owned),
        mode: wire::mode(MODES, payload.text("permission_mode")?),
        attendance: attendance(env),
        cwd: wire::folder(payload, "cwd")?,
        tool_name: tool_name.to_owned(),
        tool: tools::tool(tool_name, input, server, dialect(env)),
    })
}

/// A file that the call created, by the agent's own account of a write.
fn made(payload: &Payload) -> Result<Option<String>, String> {
    // a response that is no object (text of an MCP tool) was skimmed to null
    let Ok(Some(response)) = payload.object("tool_response") else { return Ok(None) };
    if payload.text("tool_name")? != Some("Write") || super::payload::text(response, "type") != Ok(Some("create")) {
        return Ok(None);
    }
    Ok(super::payload::text(response, "filePath")?.map(str::to_owned))
}

/// Newer versions say it outright; older ones say how they were started.
fn attendance(env: &HookEnv) -> Attendance {
    match (env.get("CLAUDE_CODE_SESSION_ATTENDED"), env.get("CLAUDE_CODE_ENTRYPOINT")) {
        (Some("1" | "true"), _) | (None, Some("cli")) => Attendance::Attended,
        (Some("0" | "false"), _) => Attendance::Unattended,
        (None, Some(start)) if start.starts_with("sdk-") => Attendance::Unattended,
        _ => Attendance::Unknown,
    }
}

/// `claude-code_2-1-332_harness` → `2.1.332`.
fn version(env: &HookEnv) -> Option<String> {
    let rest = env.get("AI_AGENT")?.strip_prefix("claude-code_")?;
    let version = rest.split('_').next()?.replace('-', ".");
    (version.starts_with(|first: char| first.is_ascii_digit())
        && version.len() <= 32
        && version.chars().all(|part| part.is_ascii_alphanumeric() || part == '.'))
    .then_some(version)
}

/// The shell behind the Bash tool: the person's own if it is one of the two that the agent can drive.
fn dialect(env: &HookEnv) -> Dialect {
    wire::shell_named(env.get("CLAUDE_CODE_SHELL").or(env.get("SHELL")).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> HookEnv {
        HookEnv::from_lookup(|name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned()))
    }

    #[test]
    fn attendance_comes_from_the_typed_source_first() {
        for (pairs, expected) in [
            (&[][..], Attendance::Unknown),
            (&[("CLAUDE_CODE_ENTRYPOINT", "cli")], Attendance::Attended),
            (&[("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")], Attendance::Unattended),
            (&[("CLAUDE_CODE_ENTRYPOINT", "remote")], Attendance::Unknown),
            (&[("CLAUDE_CODE_SESSION_ATTENDED", "0"), ("CLAUDE_CODE_ENTRYPOINT", "cli")], Attendance::Unattended),
            (&[("CLAUDE_CODE_SESSION_ATTENDED", "1"), ("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")], Attendance::Attended),
            (&[("CLAUDE_CODE_SESSION_ATTENDED", "maybe"), ("CLAUDE_CODE_ENTRYPOINT", "cli")], Attendance::Unknown),
        ] {
            assert_eq!(attendance(&env(pairs)), expected, "{pairs:?}");
        }
    }

    #[test]
    fn the_version_is_read_from_the_agents_name() {
        for (value, expected) in [
            ("claude-code_2-1-332_harness", Some("2.1.332")),
            ("claude-code_2-1-197_harness", Some("2.1.197")),
            ("claude-code__harness", None),
            ("codex_1-2", None),
            ("claude-code_evil\u{1b}[2J_harness", None),
        ] {
            assert_eq!(version(&env(&[("AI_AGENT", value)])).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn an_answer_is_one_object_of_the_one_measured_form() {
        let answer = Answer::Deny { reason: String::from("line\n\"quoted\" \u{1b}") };
        let output = ClaudeCode.encode(&answer, None);
        assert_eq!(
            output.stdout,
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\
             \"permissionDecisionReason\":\"line\\n\\\"quoted\\\" \\u001b\"}}\n"
        );
        assert_eq!(ClaudeCode.encode(&Answer::Silent, None), Output::silent());
        let blank = ClaudeCode.encode(&Answer::Deny { reason: String::from(" ") }, None);
        assert!(blank.stdout.contains("gives no reason"));
    }
}
