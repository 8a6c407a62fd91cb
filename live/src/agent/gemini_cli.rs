//! Gemini CLI: settings in JSON, generateContent by `GOOGLE_GEMINI_BASE_URL`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Driver, Launch, Line, PROMPT, REASON, input, merge, put, raw, stub_call};
use crate::model::ToolCall;
use crate::scenario::{Scenario, Step};
use crate::stage::Stage;

pub(super) struct GeminiCli;

impl Driver for GeminiCli {
    fn id(&self) -> &'static str {
        "gemini-cli"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["gemini"]
    }

    fn call(&self, step: &Step, stage: &Stage) -> Result<ToolCall, String> {
        let call = |name: &str, input: Value| ToolCall { name: name.to_owned(), input, ..ToolCall::default() };
        let text = |text: &str| Value::from(stage.fill(text));
        if let Some((name, input)) = stub_call(step) {
            return Ok(call(&format!("mcp_stub_{name}"), input));
        }
        if let Some(command) = &step.shell {
            return Ok(call(
                "run_shell_command",
                input([("command", text(command)), ("description", Value::from("live"))]),
            ));
        }
        if let Some(path) = &step.write {
            let content = step.text.as_deref().unwrap_or("ran\n");
            return Ok(call("write_file", input([("file_path", text(path)), ("content", text(content))])));
        }
        if let Some(path) = &step.read {
            return Ok(call("read_file", input([("file_path", text(path))])));
        }
        if let Some(url) = &step.fetch {
            return Ok(call("web_fetch", input([("prompt", Value::from(format!("fetch {}", stage.fill(url))))])));
        }
        if let Some(task) = &step.spawn {
            return Ok(call(
                "invoke_agent",
                input([("agent_name", Value::from("generalist")), ("prompt", text(task))]),
            ));
        }
        raw(step, stage).ok_or_else(|| format!("no tool does `{}`", step.id))
    }

    fn say(&self, decision: &str) -> Option<String> {
        let known = ["allow", "ask", "deny", "block"].contains(&decision);
        known.then(|| json!({"decision": decision, "reason": format!("{REASON} {decision}")}).to_string())
    }

    fn configure(&self, stage: &Stage, scenario: &Scenario, lines: &[Line]) -> Result<(), String> {
        let base = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": false},
            "privacy": {"usageStatisticsEnabled": false},
        });
        settings(stage, scenario, lines, base, ".gemini", "BeforeTool")
    }

    fn launch(&self, _stage: &Stage, scenario: &Scenario) -> Launch {
        let mode = scenario.mode.as_deref().unwrap_or("yolo");
        let mut args: Vec<String> =
            ["-m", "gemini-2.5-pro", "-p", PROMPT, "--approval-mode", mode].map(str::to_owned).to_vec();
        args.extend(scenario.args.iter().cloned());
        let env = [
            ("GEMINI_API_KEY", "dummy"),
            ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:@PORT@"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ("GEMINI_CLI_NO_RELAUNCH", "true"),
        ];
        Launch { args, env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into() }
    }

    fn transcripts(&self, stage: &Stage) -> PathBuf {
        stage.home.join(".gemini/tmp")
    }
}

/// Settings of the Gemini family: user file and project file, hooks in groups, the stub among its servers.
pub(super) fn settings(
    stage: &Stage,
    scenario: &Scenario,
    lines: &[Line],
    base: Value,
    folder: &str,
    event: &str,
) -> Result<(), String> {
    let stub = stage.stub();
    let (command, args) = stub.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let mut user = base;
    merge(&mut user, &json!({"mcpServers": {"stub": {"command": command, "args": args}}}));
    merge(&mut user, &super::json(&toml::Value::Table(scenario.settings.clone())));
    let mut project = json!({});
    for line in lines {
        let mut entry = json!({"type": "command", "command": line.command});
        if let Some(timeout) = line.hook.timeout {
            merge(&mut entry, &json!({"timeout": timeout * 1000}));
        }
        merge(&mut entry, &super::json(&toml::Value::Table(line.hook.extra.clone())));
        let mut group = json!({"hooks": [entry]});
        if let Some(matcher) = &line.hook.matcher {
            merge(&mut group, &json!({"matcher": matcher}));
        }
        let file = if line.hook.scope == "project" { &mut project } else { &mut user };
        merge(file, &json!({"hooks": {line.hook.event.as_deref().unwrap_or(event): [group]}}));
    }
    put(stage, &format!("@HOME@/{folder}/settings.json"), &user)?;
    if project.as_object().is_some_and(|members| !members.is_empty()) {
        put(stage, &format!("@PROJECT@/{folder}/settings.json"), &project)?;
    }
    Ok(())
}
