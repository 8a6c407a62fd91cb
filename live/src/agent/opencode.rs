//! OpenCode: it has no command hooks, so a probe is a plugin that asks an external program and throws on a refusal.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Driver, Launch, Line, PROMPT, REASON, input, merge, put, raw, stub_call};
use crate::model::ToolCall;
use crate::scenario::{Scenario, Step};
use crate::stage::Stage;

/// A plugin that hands every call to a command line; `@COMMAND@` is that line as a JSON string, `@LIMIT@` its time.
const PLUGIN: &str = r#"import { spawnSync } from "node:child_process"
export const Probe = async () => ({
  "tool.execute.before": async (input, output) => {
    const asked = spawnSync("/bin/sh", ["-c", @COMMAND@], {
      input: JSON.stringify({ ...input, args: output.args }), encoding: "utf8", timeout: @LIMIT@,
    })
    if (asked.error) throw new Error("the probe could not run: " + asked.error.code)
    if (asked.status === 2) throw new Error(asked.stderr.trim() || "denied")
    if (asked.status !== 0) throw new Error("the probe failed: exit " + asked.status)
    if (!asked.stdout.trim()) return
    const answer = JSON.parse(asked.stdout)
    if (answer.decision !== "allow") throw new Error(answer.reason || "denied")
  },
})
"#;

pub(super) struct OpenCode;

impl Driver for OpenCode {
    fn id(&self) -> &'static str {
        "opencode"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["opencode"]
    }

    fn call(&self, step: &Step, stage: &Stage) -> Result<ToolCall, String> {
        let call = |name: &str, input: Value| ToolCall { name: name.to_owned(), input, ..ToolCall::default() };
        let text = |text: &str| Value::from(stage.fill(text));
        if let Some((name, input)) = stub_call(step) {
            return Ok(call(&format!("stub_{name}"), input));
        }
        if let Some(command) = &step.shell {
            return Ok(call("bash", input([("command", text(command)), ("description", Value::from("live"))])));
        }
        if let Some(path) = &step.write {
            let content = step.text.as_deref().unwrap_or("ran\n");
            return Ok(call("write", input([("filePath", text(path)), ("content", text(content))])));
        }
        if let Some(path) = &step.read {
            return Ok(call("read", input([("filePath", text(path))])));
        }
        if let Some(url) = &step.fetch {
            return Ok(call("webfetch", input([("url", text(url)), ("format", Value::from("text"))])));
        }
        if let Some(task) = &step.spawn {
            let of = [("description", Value::from("live")), ("subagent_type", Value::from("general"))];
            return Ok(call("task", input([("prompt", text(task))].into_iter().chain(of))));
        }
        raw(step, stage).ok_or_else(|| format!("no tool does `{}`", step.id))
    }

    fn say(&self, decision: &str) -> Option<String> {
        let known = ["allow", "deny"].contains(&decision);
        known.then(|| json!({"decision": decision, "reason": format!("{REASON} {decision}")}).to_string())
    }

    fn configure(&self, stage: &Stage, scenario: &Scenario, lines: &[Line]) -> Result<(), String> {
        let provider = json!({
            "npm": "@ai-sdk/openai-compatible", "name": "live",
            "options": {"baseURL": "http://127.0.0.1:@PORT@/v1", "apiKey": "dummy"},
            "models": {"live-model": {"name": "live"}},
        });
        let mut config = json!({
            "model": "live/live-model", "small_model": "live/live-model", "autoupdate": false, "share": "disabled",
            "provider": {"live": provider},
            "mcp": {"stub": {"type": "local", "command": stage.stub(), "enabled": true}},
        });
        merge(&mut config, &super::json(&toml::Value::Table(scenario.settings.clone())));
        put(stage, "@HOME@/.config/opencode/opencode.json", &config)?;
        for (i, line) in lines.iter().enumerate() {
            let plugin = match &line.hook.command {
                Some(code) if code.starts_with("export ") => code.clone(),
                _ => PLUGIN
                    .replace("@COMMAND@", &Value::from(line.command.as_str()).to_string())
                    .replace("@LIMIT@", &(line.hook.timeout.unwrap_or(10) * 1000).to_string()),
            };
            let folder = if line.hook.scope == "project" { "@PROJECT@/.opencode" } else { "@HOME@/.config/opencode" };
            stage.write(&format!("{folder}/plugin/probe{i}.js"), &plugin)?;
        }
        // it would fetch its plugin package from a registry, and wait, wherever a plugin folder is
        for folder in ["@HOME@/.config/opencode", "@PROJECT@/.opencode"] {
            stage.write(&format!("{folder}/node_modules/.keep"), "")?;
            let lock = json!({"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}});
            put(stage, &format!("{folder}/package-lock.json"), &lock)?;
        }
        stage.write("@HOME@/.npmrc", "fetch-retries=0\nfetch-timeout=1000\n")
    }

    fn launch(&self, _stage: &Stage, scenario: &Scenario) -> Launch {
        let mut args: Vec<String> = ["run", PROMPT, "--format", "json"].map(str::to_owned).to_vec();
        args.extend(scenario.args.iter().cloned());
        let env = [
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ];
        Launch { args, env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into() }
    }

    fn transcripts(&self, stage: &Stage) -> PathBuf {
        stage.home.join(".local/share/opencode")
    }
}
