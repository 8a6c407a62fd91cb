//! Claude Code: settings in JSON, the Messages API by `ANTHROPIC_BASE_URL`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Driver, Launch, Line, PROMPT, REASON, input, merge, put, raw, stub_call};
use crate::model::ToolCall;
use crate::scenario::{Scenario, Step};
use crate::stage::Stage;

/// A key that no service knows.
const KEY: &str = "sk-ant-live-dummy-key-000000000000";
const EVENT: &str = "PreToolUse";

pub(super) struct ClaudeCode;

impl Driver for ClaudeCode {
    fn id(&self) -> &'static str {
        "claude-code"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["claude"]
    }

    fn call(&self, step: &Step, stage: &Stage) -> Result<ToolCall, String> {
        let call = |name: &str, input: Value| ToolCall { name: name.to_owned(), input, ..ToolCall::default() };
        let text = |text: &str| Value::from(stage.fill(text));
        if let Some((name, input)) = stub_call(step) {
            return Ok(call(&format!("mcp__stub__{name}"), input));
        }
        if let Some(command) = &step.shell {
            return Ok(call("Bash", input([("command", text(command)), ("description", Value::from("live"))])));
        }
        if let Some(path) = &step.write {
            let content = step.text.as_deref().unwrap_or("ran\n");
            return Ok(call("Write", input([("file_path", text(path)), ("content", text(content))])));
        }
        if let Some(path) = &step.read {
            return Ok(call("Read", input([("file_path", text(path))])));
        }
        if let Some(url) = &step.fetch {
            return Ok(call("WebFetch", input([("url", text(url)), ("prompt", Value::from("what is it"))])));
        }
        if let Some(task) = &step.spawn {
            return Ok(call(
                "Agent",
                input([
                    ("description", Value::from("live")),
                    ("prompt", text(task)),
                    ("subagent_type", Value::from("general-purpose")),
                    ("run_in_background", Value::from(false)),
                ]),
            ));
        }
        raw(step, stage).ok_or_else(|| format!("no tool does `{}`", step.id))
    }

    fn say(&self, decision: &str) -> Option<String> {
        let known = ["allow", "ask", "deny", "defer"].contains(&decision);
        let reason = format!("{REASON} {decision}");
        known.then(|| {
            json!({"hookSpecificOutput": {
                "hookEventName": EVENT, "permissionDecision": decision, "permissionDecisionReason": reason,
            }})
            .to_string()
        })
    }

    fn configure(&self, stage: &Stage, scenario: &Scenario, lines: &[Line]) -> Result<(), String> {
        let mut user = json!({});
        if scenario.grants.unwrap_or(true) {
            user = json!({"permissions": {"allow": ["Bash", "mcp__stub", "Write", "Edit", "WebFetch"]}});
        }
        merge(&mut user, &super::json(&toml::Value::Table(scenario.settings.clone())));
        let (mut project, mut local) = (json!({}), json!({}));
        for line in lines {
            let file = match line.hook.scope.as_str() {
                "project" => &mut project,
                "local" => &mut local,
                _ => &mut user,
            };
            merge(file, &hooks(line));
        }
        for (path, value) in [
            ("@HOME@/.claude/settings.json", &user),
            ("@PROJECT@/.claude/settings.json", &project),
            ("@PROJECT@/.claude/settings.local.json", &local),
        ] {
            if value.as_object().is_some_and(|members| !members.is_empty()) {
                put(stage, path, value)?;
            }
        }
        // what it would otherwise ask a person about when it starts for the first time
        let approved = KEY.get(KEY.len() - 20..).unwrap_or_default();
        let known = json!({
            "hasCompletedOnboarding": true, "theme": "dark", "numStartups": 3,
            "customApiKeyResponses": {"approved": [approved], "rejected": []},
            "projects": {
                stage.project.to_string_lossy(): {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true},
            },
        });
        put(stage, "@HOME@/.claude.json", &known)?;
        let stub = stage.stub();
        let (command, args) = stub.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        put(
            stage,
            "@ROOT@/mcp.json",
            &json!({"mcpServers": {"stub": {"type": "stdio", "command": command, "args": args}}}),
        )
    }

    fn launch(&self, _stage: &Stage, scenario: &Scenario) -> Launch {
        let mut args: Vec<String> =
            ["-p", "--output-format", "json", "--mcp-config", "@ROOT@/mcp.json"].map(str::to_owned).to_vec();
        if let Some(mode) = &scenario.mode {
            args.extend(["--permission-mode".to_owned(), mode.clone()]);
        }
        args.extend(scenario.args.iter().cloned());
        args.extend(["--".to_owned(), PROMPT.to_owned()]);
        let env = [
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:@PORT@"),
            ("ANTHROPIC_API_KEY", KEY),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_BUG_COMMAND", "1"),
            // else a busy machine plays the first turn before the stub is there
            ("MCP_CONNECTION_NONBLOCKING", "0"),
            // else it refuses bypassPermissions as root, which we are in a user namespace
            ("IS_SANDBOX", "1"),
        ];
        Launch { args, env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into() }
    }

    fn transcripts(&self, stage: &Stage) -> PathBuf {
        stage.home.join(".claude/projects")
    }
}

fn hooks(line: &Line) -> Value {
    let mut entry = json!({"type": "command", "command": line.command});
    if let Some(timeout) = line.hook.timeout {
        merge(&mut entry, &json!({"timeout": timeout}));
    }
    merge(&mut entry, &super::json(&toml::Value::Table(line.hook.extra.clone())));
    let mut group = json!({"hooks": [entry]});
    if let Some(matcher) = &line.hook.matcher {
        merge(&mut group, &json!({"matcher": matcher}));
    }
    json!({"hooks": {line.hook.event.as_deref().unwrap_or(EVENT): [group]}})
}
