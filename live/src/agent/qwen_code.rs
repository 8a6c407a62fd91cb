//! Qwen Code: settings in JSON, chat completions by `OPENAI_BASE_URL`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Driver, Launch, Line, PROMPT, REASON, input, raw, stub_call};
use crate::model::ToolCall;
use crate::scenario::{Scenario, Step};
use crate::stage::Stage;

const EVENT: &str = "PreToolUse";

pub(super) struct QwenCode;

impl Driver for QwenCode {
    fn id(&self) -> &'static str {
        "qwen-code"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["qwen"]
    }

    fn call(&self, step: &Step, stage: &Stage) -> Result<ToolCall, String> {
        let call = |name: &str, input: Value| ToolCall { name: name.to_owned(), input, ..ToolCall::default() };
        let text = |text: &str| Value::from(stage.fill(text));
        if let Some((name, input)) = stub_call(step) {
            return Ok(call(&format!("mcp__stub__{name}"), input));
        }
        if let Some(command) = &step.shell {
            let more = [("description", Value::from("live")), ("is_background", Value::from(false))];
            return Ok(call("run_shell_command", input([("command", text(command))].into_iter().chain(more))));
        }
        if let Some(path) = &step.write {
            let content = step.text.as_deref().unwrap_or("ran\n");
            return Ok(call("write_file", input([("file_path", text(path)), ("content", text(content))])));
        }
        if let Some(path) = &step.read {
            return Ok(call("read_file", input([("file_path", text(path))])));
        }
        if let Some(url) = &step.fetch {
            return Ok(call("web_fetch", input([("url", text(url)), ("prompt", Value::from("what is it"))])));
        }
        if let Some(task) = &step.spawn {
            let of = [("description", Value::from("live")), ("subagent_type", Value::from("general-purpose"))];
            return Ok(call("agent", input([("prompt", text(task))].into_iter().chain(of))));
        }
        raw(step, stage).ok_or_else(|| format!("no tool does `{}`", step.id))
    }

    fn say(&self, decision: &str) -> Option<String> {
        let reason = format!("{REASON} {decision}");
        match decision {
            "allow" | "ask" | "deny" => Some(
                json!({"hookSpecificOutput": {
                    "hookEventName": EVENT, "permissionDecision": decision, "permissionDecisionReason": reason,
                }})
                .to_string(),
            ),
            // the one shape that a later allow does not lift
            "deny-and-stop" => Some(
                json!({
                    "continue": false, "stopReason": reason, "decision": "deny", "reason": reason,
                    "hookSpecificOutput": {
                        "hookEventName": EVENT, "permissionDecision": "deny", "permissionDecisionReason": reason,
                    },
                })
                .to_string(),
            ),
            _ => None,
        }
    }

    fn configure(&self, stage: &Stage, scenario: &Scenario, lines: &[Line]) -> Result<(), String> {
        let base = json!({
            "security": {"auth": {"selectedType": "openai"}},
            "general": {"enableAutoUpdate": false},
            "privacy": {"usageStatisticsEnabled": false},
        });
        super::gemini_cli::settings(stage, scenario, lines, base, ".qwen", EVENT)
    }

    fn launch(&self, _stage: &Stage, scenario: &Scenario) -> Launch {
        let mode = scenario.mode.as_deref().unwrap_or("yolo");
        let mut args: Vec<String> = ["-p", PROMPT, "--approval-mode", mode].map(str::to_owned).to_vec();
        args.extend(scenario.args.iter().cloned());
        let env = [
            ("OPENAI_API_KEY", "dummy"),
            ("OPENAI_BASE_URL", "http://127.0.0.1:@PORT@/v1"),
            ("OPENAI_MODEL", "live-model"),
            ("QWEN_CODE_NO_RELAUNCH", "true"),
        ];
        Launch { args, env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into() }
    }

    fn transcripts(&self, stage: &Stage) -> PathBuf {
        stage.home.join(".qwen")
    }
}
