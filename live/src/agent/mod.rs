//! How each agent is started against a scripted model, wired with a probe, and spoken to. A driver translates; what must
//! be seen stands in the scenarios.

mod claude_code;
mod codex;
mod copilot;
mod gemini_cli;
mod opencode;
mod qwen_code;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::model::ToolCall;
use crate::scenario::{Hook, Scenario, Step};
use crate::stage::Stage;

/// The words that a probe's reason holds.
pub const REASON: &str = "LIVE-REASON";
/// What the person types.
pub const PROMPT: &str = "LIVE go";

/// A hook with its command line.
#[derive(Clone, Debug)]
pub struct Line {
    /// what it is
    pub hook: Hook,
    /// how it is started
    pub command: String,
}

/// How the agent is started.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// arguments
    pub args: Vec<String>,
    /// environment beyond the stage's
    pub env: BTreeMap<String, String>,
}

/// One agent.
pub trait Driver: Sync {
    /// id of its compatibility record
    fn id(&self) -> &'static str;
    /// names of its program
    fn programs(&self) -> &'static [&'static str];
    /// a step in its own words
    ///
    /// # Errors
    /// It has no such tool.
    fn call(&self, step: &Step, stage: &Stage) -> Result<ToolCall, String>;
    /// a decision in its own form
    fn say(&self, decision: &str) -> Option<String>;
    /// writes its settings, with these probes in them
    ///
    /// # Errors
    /// A file can't be written.
    fn configure(&self, stage: &Stage, scenario: &Scenario, lines: &[Line]) -> Result<(), String>;
    /// how it is started
    fn launch(&self, stage: &Stage, scenario: &Scenario) -> Launch;
    /// folder of the records that it keeps of sessions
    fn transcripts(&self, stage: &Stage) -> PathBuf;
    /// arguments that make it say its version
    fn arguments_of_version(&self) -> &'static [&'static str] {
        &["--version"]
    }
}

static DRIVERS: [&dyn Driver; 6] = [
    &claude_code::ClaudeCode,
    &codex::Codex,
    &gemini_cli::GeminiCli,
    &qwen_code::QwenCode,
    &copilot::Copilot,
    &opencode::OpenCode,
];

/// Ids of the agents that can be driven.
#[must_use]
pub fn ids() -> Vec<&'static str> {
    DRIVERS.iter().map(|driver| driver.id()).collect()
}

/// The driver of an agent.
#[must_use]
pub fn driver(id: &str) -> Option<&'static dyn Driver> {
    DRIVERS.iter().copied().find(|driver| driver.id() == id)
}

/// An input made of these members.
fn input<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The stub's call of a step, if it is one.
fn stub_call(step: &Step) -> Option<(&'static str, Value)> {
    if let Some(url) = &step.navigate {
        return Some(("navigate", input([("url", Value::from(url.as_str()))])));
    }
    step.click.as_ref().map(|label| ("click", input([("label", Value::from(label.as_str()))])))
}

/// A tool that the scenario names itself.
fn raw(step: &Step, stage: &Stage) -> Option<ToolCall> {
    let name = step.tool.clone()?;
    let input = step.input.as_ref().map_or_else(|| Value::Object(Map::new()), json);
    let filled = serde_json::from_str(&stage.fill(&input.to_string())).unwrap_or(input);
    Some(ToolCall { name, namespace: None, input: filled, text: step.text.as_deref().map(|text| stage.fill(text)) })
}

/// TOML as JSON.
fn json(value: &toml::Value) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Puts `more` into `value`: objects member by member, lists one after the other, anything else replaced.
fn merge(value: &mut Value, more: &Value) {
    match (value, more) {
        (Value::Object(value), Value::Object(more)) => {
            for (key, more) in more {
                merge(value.entry(key.clone()).or_insert(Value::Null), more);
            }
        }
        (Value::Array(value), Value::Array(more)) => value.extend(more.iter().cloned()),
        (value, more) => *value = more.clone(),
    }
}

/// A pretty JSON file.
fn put(stage: &Stage, path: &str, value: &Value) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    stage.write(path, &(text + "\n"))
}
