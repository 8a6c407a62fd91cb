//! Codex as a worker: a process for each message of one thread. Only the browser's server is approved, and only the
//! guard's own entry is trusted, both for that process alone; no flag that lifts a bound is ever passed.

use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::super::guard::MARK;
use super::{Setup, Sound, answer, text_of};

/// Where a hook that was given on the command line counts as declared, as measured.
const DECLARED: &str = "/<session-flags>/config.toml:pre_tool_use:0:0";
const TIMEOUT: u32 = 10;

/// The command line of a message: of a new thread, or of the one that is known.
pub(super) fn command(setup: &Setup, thread: Option<&str>) -> Result<Command, String> {
    let mut command = Command::new(&setup.program);
    command.arg("exec");
    if thread.is_some() {
        command.arg("resume");
    }
    command.args(["--json", "--skip-git-repo-check"]);
    for setting in settings(setup) {
        command.arg("-c").arg(setting);
    }
    if let Some(thread) = thread {
        command.arg(thread);
    }
    command.arg("-").env(MARK, "1").current_dir(&setup.root);
    Ok(command)
}

fn settings(setup: &Setup) -> Vec<String> {
    let entry = format!(
        "hooks.PreToolUse=[{{matcher=\"\",hooks=[{{type=\"command\",command={},timeout={TIMEOUT}}}]}}]",
        toml(&setup.guard)
    );
    let mut settings = vec![
        String::from("sandbox_mode=\"workspace-write\""),
        String::from("features.hooks=true"),
        entry,
        format!("hooks.state={{{}={{trusted_hash={}}}}}", toml(DECLARED), toml(&trusted(&setup.guard))),
    ];
    for server in &setup.servers {
        settings.push(format!("mcp_servers.{server}.default_tools_approval_mode=\"approve\""));
    }
    settings
}

/// The digest by which Codex knows an entry that was looked at.
fn trusted(command: &str) -> String {
    let entry = json!({
        "event_name": "pre_tool_use",
        "hooks": [{ "async": false, "command": command, "timeout": TIMEOUT, "type": "command" }],
        "matcher": "",
    });
    let digest = Sha256::digest(entry.to_string().as_bytes());
    digest.iter().fold(String::from("sha256:"), |text, byte| format!("{text}{byte:02x}"))
}

/// A text as TOML takes it; JSON's escapes are among TOML's.
fn toml(text: &str) -> String {
    Value::from(text).to_string()
}

/// What a line of it says.
pub(super) fn sounds(line: &str) -> Vec<Sound> {
    let Ok(value) = serde_json::from_str::<Value>(line) else { return Vec::new() };
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "thread.started" => vec![Sound::Session(text("thread_id").to_owned())],
        "item.started" => value.get("item").and_then(called).into_iter().collect(),
        "item.completed" => value.get("item").map(done).unwrap_or_default(),
        "turn.completed" => vec![Sound::Rests],
        "turn.failed" => {
            let why = value.get("error").and_then(|error| error.get("message")).and_then(Value::as_str);
            vec![Sound::Gone(format!("the agent's turn failed: {}", why.unwrap_or_default()))]
        }
        _ => Vec::new(),
    }
}

fn field<'a>(item: &'a Value, key: &str) -> &'a str {
    item.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn called(item: &Value) -> Option<Sound> {
    let id = field(item, "id").to_owned();
    match field(item, "type") {
        "mcp_tool_call" => {
            let server = field(item, "server").replace('-', "_");
            let tool = format!("mcp__{server}__{}", field(item, "tool"));
            Some(Sound::Called { id, tool, input: item.get("arguments").cloned().unwrap_or_default() })
        }
        "command_execution" => {
            let input = json!({ "command": field(item, "command") });
            Some(Sound::Called { id, tool: String::from("Bash"), input })
        }
        "file_change" => Some(Sound::Called { id, tool: String::from("apply_patch"), input: Value::Null }),
        "web_search" => {
            let input = json!({ "query": field(item, "query") });
            Some(Sound::Called { id, tool: String::from("web_search"), input })
        }
        _ => None,
    }
}

fn done(item: &Value) -> Vec<Sound> {
    if field(item, "type") == "agent_message" {
        return vec![Sound::Said(field(item, "text").to_owned()), Sound::Paused];
    }
    // an item may be complete without having been started
    let Some(called) = called(item) else { return Vec::new() };
    let error = item.get("error").and_then(|error| error.get("message")).and_then(Value::as_str).unwrap_or_default();
    let result = text_of(item.get("result").and_then(|result| result.get("content")));
    let text = [error, &result, field(item, "aggregated_output")].join("\n");
    let failed = matches!(field(item, "status"), "failed" | "declined");
    vec![called, Sound::Answered { id: field(item, "id").to_owned(), answer: answer(failed, &text), text }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_one_that_codex_computes() {
        let entry = |command: &str| {
            // as shown by `hooks/list` of codex-cli 0.171.0 for this command with a timeout of 5
            let text = format!(
                r#"{{"event_name":"pre_tool_use","hooks":[{{"async":false,"command":"{command}","timeout":5,"type":"command"}}],"matcher":""}}"#
            );
            Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        assert_eq!(entry("/bin/true worker"), "82c4b9131fa859a672451c5d9ec7cedfa2763d116850bc44a7de2a6a25bf5c49");
        let ours = json!({ "event_name": "pre_tool_use", "hooks": [{ "async": false, "command": "x", "timeout": 5, "type": "command" }], "matcher": "" });
        assert!(ours.to_string().starts_with(r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"x""#));
    }
}
