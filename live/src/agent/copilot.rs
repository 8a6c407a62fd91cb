//! GitHub Copilot CLI: settings in JSON, chat completions by a provider of one's own, offline.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Driver, Launch, Line, PROMPT, REASON, input, merge, put, raw, stub_call};
use crate::model::ToolCall;
use crate::scenario::{Scenario, Step};
use crate::stage::Stage;

const EVENT: &str = "preToolUse";

pub(super) struct Copilot;

impl Driver for Copilot {
    fn id(&self) -> &'static str {
        "copilot"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["copilot"]
    }

    fn call(&self, step: &Step, stage: &Stage) -> Result<ToolCall, String> {
        let call = |name: &str, input: Value| ToolCall { name: name.to_owned(), input, ..ToolCall::default() };
        let text = |text: &str| Value::from(stage.fill(text));
        if let Some((name, input)) = stub_call(step) {
            return Ok(call(&format!("stub-{name}"), input));
        }
        if let Some(command) = &step.shell {
            return Ok(call("bash", input([("command", text(command)), ("description", Value::from("live"))])));
        }
        if let Some(path) = &step.write {
            let content = step.text.as_deref().unwrap_or("ran\n");
            return Ok(call("create", input([("path", text(path)), ("file_text", text(content))])));
        }
        if let Some(path) = &step.read {
            return Ok(call("view", input([("path", text(path))])));
        }
        if let Some(url) = &step.fetch {
            return Ok(call("web_fetch", input([("url", text(url))])));
        }
        if let Some(task) = &step.spawn {
            return Ok(call(
                "task",
                input([
                    ("name", Value::from("live")),
                    ("agent_type", Value::from("general-purpose")),
                    ("description", Value::from("live")),
                    ("prompt", text(task)),
                    ("mode", Value::from("sync")),
                ]),
            ));
        }
        raw(step, stage).ok_or_else(|| format!("no tool does `{}`", step.id))
    }

    fn say(&self, decision: &str) -> Option<String> {
        let known = ["allow", "ask", "deny"].contains(&decision);
        let reason = format!("{REASON} {decision}");
        known.then(|| json!({"permissionDecision": decision, "permissionDecisionReason": reason}).to_string())
    }

    fn configure(&self, stage: &Stage, scenario: &Scenario, lines: &[Line]) -> Result<(), String> {
        let mut user = json!({});
        merge(&mut user, &super::json(&toml::Value::Table(scenario.settings.clone())));
        for line in lines {
            let mut entry = json!({"type": "command", "bash": line.command});
            if let Some(timeout) = line.hook.timeout {
                merge(&mut entry, &json!({"timeoutSec": timeout}));
            }
            if let Some(matcher) = &line.hook.matcher {
                merge(&mut entry, &json!({"matcher": matcher}));
            }
            merge(&mut entry, &super::json(&toml::Value::Table(line.hook.extra.clone())));
            merge(&mut user, &json!({"hooks": {line.hook.event.as_deref().unwrap_or(EVENT): [entry]}}));
        }
        put(stage, "@HOME@/.copilot/settings.json", &user)?;
        let stub = stage.stub();
        let (command, args) = stub.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let server = json!({"type": "local", "command": command, "args": args, "tools": ["*"]});
        put(stage, "@HOME@/.copilot/mcp-config.json", &json!({"mcpServers": {"stub": server}}))
    }

    fn launch(&self, _stage: &Stage, scenario: &Scenario) -> Launch {
        let mut args: Vec<String> =
            ["-p", PROMPT, "--no-auto-update", "--log-dir", "@LOG@/copilot", "--disable-builtin-mcps"]
                .map(str::to_owned)
                .to_vec();
        match scenario.mode.as_deref() {
            Some("yolo") => args.push(String::from("--yolo")),
            Some("none") => {}
            _ => args.push(String::from("--allow-all-tools")),
        }
        args.extend(scenario.args.iter().cloned());
        let env = [
            ("COPILOT_PROVIDER_BASE_URL", "http://127.0.0.1:@PORT@/v1"),
            ("COPILOT_PROVIDER_API_KEY", "dummy"),
            ("COPILOT_MODEL", "live-model"),
            ("COPILOT_OFFLINE", "true"),
        ];
        Launch { args, env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into() }
    }

    fn transcripts(&self, stage: &Stage) -> PathBuf {
        stage.home.join(".copilot")
    }
}
