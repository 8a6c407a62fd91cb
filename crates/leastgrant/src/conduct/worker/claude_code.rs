//! Claude Code as a worker: one process for a window, lines of JSON both ways.

use std::process::Command;

use serde_json::{Value, json};

use super::super::guard::MARK;
use super::{Setup, Sound, answer, text_of};
use crate::edit::atomic;

/// The command line of a window.
pub(super) fn command(setup: &Setup, session: &str) -> Result<Command, String> {
    let settings = setup.scratch.join("claude-code.json");
    let hook = json!({ "type": "command", "command": setup.guard, "timeout": 10, "onFailure": "block" });
    let value = json!({ "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": [hook] }] } });
    atomic::write_own(&settings, value.to_string().as_bytes())
        .map_err(|error| format!("`{}`: {error}", settings.display()))?;
    let mut command = Command::new(&setup.program);
    command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
    command.args(["--permission-mode", "default", "--session-id", session]);
    command.arg("--settings").arg(&settings);
    if !setup.servers.is_empty() {
        let tools: Vec<String> = setup.servers.iter().map(|server| format!("mcp__{server}")).collect();
        command.arg(format!("--allowedTools={}", tools.join(",")));
    }
    // a server that is not there yet when the first turn looks would make the persona blind
    command.env("MCP_CONNECTION_NONBLOCKING", "0");
    command.env(MARK, "1").current_dir(&setup.root);
    Ok(command)
}

/// A message to it.
pub(super) fn message(text: &str) -> String {
    let value = json!({ "type": "user", "message": { "role": "user", "content": [{ "type": "text", "text": text }] } });
    format!("{value}\n")
}

/// What a line of it says.
pub(super) fn sounds(line: &str) -> Vec<Sound> {
    let Ok(value) = serde_json::from_str::<Value>(line) else { return Vec::new() };
    // what a subagent says is no word of the worker; what it does counts
    let nested = value.get("parent_tool_use_id").is_some_and(|id| !id.is_null());
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let parts = value.get("message").and_then(|message| message.get("content"));
    match text("type") {
        "system" if text("subtype") == "init" => vec![Sound::Session(text("session_id").to_owned())],
        "assistant" => match parts {
            Some(Value::Array(parts)) => parts.iter().flat_map(|part| said(part, nested)).collect(),
            _ => Vec::new(),
        },
        "user" => match parts {
            Some(Value::Array(parts)) => parts.iter().filter_map(back).collect(),
            _ => Vec::new(),
        },
        "result" if value.get("is_error").and_then(Value::as_bool) == Some(true) => {
            vec![Sound::Gone(format!("the agent reports `{}`: {}", text("subtype"), text("result")))]
        }
        "result" => vec![Sound::Rests],
        _ => Vec::new(),
    }
}

fn said(part: &Value, nested: bool) -> Vec<Sound> {
    let text = |key: &str| part.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    match part.get("type").and_then(Value::as_str) {
        Some("text") if !nested => vec![Sound::Said(text("text")), Sound::Paused],
        Some("tool_use") => {
            let input = part.get("input").cloned().unwrap_or_default();
            vec![Sound::Called { id: text("id"), tool: text("name"), input }]
        }
        _ => Vec::new(),
    }
}

fn back(part: &Value) -> Option<Sound> {
    if part.get("type").and_then(Value::as_str) != Some("tool_result") {
        return None;
    }
    let id = part.get("tool_use_id").and_then(Value::as_str)?.to_owned();
    let failed = part.get("is_error").and_then(Value::as_bool) == Some(true);
    let text = text_of(part.get("content"));
    Some(Sound::Answered { id, answer: answer(failed, &text), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subagent_acts_and_does_not_speak() {
        let line = |nested: Value| {
            json!({ "type": "assistant", "parent_tool_use_id": nested, "message": { "content": [
                { "type": "text", "text": "hello" }, { "type": "tool_use", "id": "t1", "name": "Bash", "input": {} },
            ] } })
            .to_string()
        };
        assert_eq!(sounds(&line(Value::Null)).len(), 3);
        assert!(matches!(sounds(&line(json!("t0"))).as_slice(), [Sound::Called { .. }]));
        assert!(sounds("not json").is_empty());
    }
}
