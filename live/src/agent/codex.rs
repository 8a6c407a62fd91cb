//! Codex CLI: settings in TOML, the Responses API by a provider of our own.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Driver, Launch, Line, PROMPT, REASON, input, merge, raw, stub_call};
use crate::model::ToolCall;
use crate::scenario::{Scenario, Step, Wiring};
use crate::stage::Stage;

const EVENT: &str = "PreToolUse";
/// Direct tools with patches; MCP tools can be called too.
const MODEL: &str = "gpt-5.5";

pub(super) struct Codex;

impl Driver for Codex {
    fn id(&self) -> &'static str {
        "codex"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["codex"]
    }

    fn call(&self, step: &Step, stage: &Stage) -> Result<ToolCall, String> {
        let call = |name: &str, input: Value| ToolCall { name: name.to_owned(), input, ..ToolCall::default() };
        let text = |text: &str| Value::from(stage.fill(text));
        if let Some((name, input)) = stub_call(step) {
            return Ok(ToolCall { namespace: Some(String::from("mcp__stub")), ..call(name, input) });
        }
        if let Some(command) = &step.shell {
            return Ok(call("exec_command", input([("cmd", text(command))])));
        }
        if let Some(path) = &step.read {
            return Ok(call("exec_command", input([("cmd", Value::from(format!("cat {}", stage.fill(path))))])));
        }
        if let Some(path) = &step.write {
            let lines: String = step
                .text
                .as_deref()
                .unwrap_or("ran\n")
                .lines()
                .map(|line| format!("+{}\n", stage.fill(line)))
                .collect();
            let patch = format!("*** Begin Patch\n*** Add File: {}\n{lines}*** End Patch\n", stage.fill(path));
            return Ok(ToolCall { text: Some(patch), ..call("apply_patch", Value::Null) });
        }
        if let Some(task) = &step.spawn {
            let namespace = Some(String::from("multi_agent_v1"));
            return Ok(ToolCall { namespace, ..call("spawn_agent", input([("message", text(task))])) });
        }
        let mut call = raw(step, stage).ok_or_else(|| format!("no tool does `{}`", step.id))?;
        if let Some((namespace, name)) = call.name.clone().split_once('/') {
            call.namespace = Some(namespace.to_owned());
            name.clone_into(&mut call.name);
        }
        Ok(call)
    }

    fn say(&self, decision: &str) -> Option<String> {
        let inner = match decision {
            "allow" | "ask" | "deny" => json!({
                "hookEventName": EVENT, "permissionDecision": decision, "permissionDecisionReason": format!("{REASON} {decision}"),
            }),
            "deny-without-reason" => json!({"hookEventName": EVENT, "permissionDecision": "deny"}),
            "grant" => json!({"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}),
            "unknown-key" => {
                let deny = json!({
                    "hookEventName": EVENT, "permissionDecision": "deny", "permissionDecisionReason": REASON,
                });
                return Some(json!({"leastgrant": 1, "hookSpecificOutput": deny}).to_string());
            }
            _ => return None,
        };
        Some(json!({"hookSpecificOutput": inner}).to_string())
    }

    fn configure(&self, stage: &Stage, scenario: &Scenario, lines: &[Line]) -> Result<(), String> {
        let stub = stage.stub();
        let (command, args) = stub.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let mut config = json!({
            "model": scenario.model.as_deref().unwrap_or(MODEL),
            "model_provider": "live",
            "check_for_update_on_startup": false,
            "analytics": {"enabled": false},
            "model_providers": {"live": {
                "name": "live", "base_url": "http://127.0.0.1:@PORT@/v1", "wire_api": "responses", "env_key": "LIVE_KEY",
                "supports_websockets": false, "request_max_retries": 0, "stream_max_retries": 0,
            }},
            "mcp_servers": {"stub": {"command": command, "args": args}},
        });
        if scenario.grants.unwrap_or(true) {
            merge(&mut config, &json!({"mcp_servers": {"stub": {"default_tools_approval_mode": "approve"}}}));
        }
        merge(&mut config, &super::json(&toml::Value::Table(scenario.settings.clone())));
        let mut project = json!({});
        for line in lines {
            merge(if line.hook.scope == "project" { &mut project } else { &mut config }, &hooks(line));
        }
        for (path, value) in [("@HOME@/.codex/config.toml", &config), ("@PROJECT@/.codex/config.toml", &project)] {
            if value.as_object().is_some_and(|members| !members.is_empty()) {
                // keys may be paths
                let value: Value = serde_json::from_str(&stage.fill(&value.to_string())).unwrap_or_default();
                let text = toml::to_string(&value).map_err(|error| error.to_string())?;
                stage.write(path, &text)?;
            }
        }
        Ok(())
    }

    fn launch(&self, _stage: &Stage, scenario: &Scenario) -> Launch {
        let mut args: Vec<String> = ["exec", "--json", "--skip-git-repo-check"].map(str::to_owned).to_vec();
        match scenario.mode.as_deref() {
            // its own sandbox is not what is measured, and it can't be nested everywhere
            Some("danger") => args.push(String::from("--dangerously-bypass-approvals-and-sandbox")),
            mode => args.extend([String::from("--sandbox"), mode.unwrap_or("danger-full-access").to_owned()]),
        }
        // what is installed must be trusted by what install wrote; a bare probe is let through
        if scenario.wiring == Wiring::Probe {
            args.push(String::from("--dangerously-bypass-hook-trust"));
        }
        args.extend(scenario.args.iter().cloned());
        args.push(PROMPT.to_owned());
        Launch { args, env: [(String::from("LIVE_KEY"), String::from("dummy"))].into() }
    }

    fn transcripts(&self, stage: &Stage) -> PathBuf {
        stage.home.join(".codex/sessions")
    }
}

fn hooks(line: &Line) -> Value {
    let mut entry = json!({"type": "command", "command": line.command, "timeout": line.hook.timeout.unwrap_or(60)});
    merge(&mut entry, &super::json(&toml::Value::Table(line.hook.extra.clone())));
    let mut group = json!({"hooks": [entry]});
    if let Some(matcher) = &line.hook.matcher {
        merge(&mut group, &json!({"matcher": matcher}));
    }
    json!({"hooks": {line.hook.event.as_deref().unwrap_or(EVENT): [group]}})
}
