//! The recorded session and the playing of one call: through the hook process for the answer, and here for the picture.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::stage::{Run, Stage};
use crate::agent;
use crate::judged::{Given, Judged, Unjudged, judge};
use crate::render::verdict::{Badge, Subject, head};
use crate::render::{report, words};
use crate::store::event::{answered, display};

/// A recorded session.
#[derive(Deserialize)]
pub(super) struct Session {
    frame: Map<String, Value>,
    files: BTreeMap<String, String>,
    pub(super) steps: Vec<Step>,
}

/// One call of it.
#[derive(Deserialize)]
pub(super) struct Step {
    title: String,
    expect: String,
    tool: String,
    input: Value,
    /// bytes that are missing at the end of the message
    #[serde(default)]
    cut: usize,
}

/// What came of it.
#[derive(Serialize)]
pub(super) struct Played {
    pub(super) title: String,
    pub(super) expect: String,
    /// what the hook process answered
    pub(super) answer: String,
    /// the reason it gave
    pub(super) told: Option<String>,
    pub(super) ms: f64,
    /// the whole verdict; none where the message could not be read
    verdict: Option<Value>,
    pub(super) good: bool,
    #[serde(skip)]
    pub(super) shown: String,
}

impl Session {
    pub(super) fn recorded() -> Result<Self, String> {
        serde_json::from_str(include_str!("session.json")).map_err(|error| format!("the recorded session: {error}"))
    }

    /// Puts its files in place and accepts the starter bundles, as a person would.
    pub(super) fn set(&self, stage: &Stage) -> Result<(), String> {
        for (path, content) in &self.files {
            stage.place(path, content)?;
        }
        let accepted = stage.typed(&["init", "--yes", "--no-history"])?;
        if accepted.code == Some(0) { Ok(()) } else { Err(format!("`leastgrant init` failed: {}", accepted.stderr)) }
    }

    /// The message that the agent sends for a step.
    pub(super) fn message(&self, stage: &Stage, step: &Step, at: usize) -> Vec<u8> {
        let mut message = self.frame.clone();
        message.insert(String::from("tool_name"), Value::from(step.tool.as_str()));
        message.insert(String::from("tool_input"), step.input.clone());
        message.insert(String::from("tool_use_id"), Value::from(format!("toolu_demo_{at}")));
        let mut bytes = stage.fill(&Value::Object(message).to_string()).into_bytes();
        bytes.truncate(bytes.len().saturating_sub(step.cut));
        bytes
    }
}

/// Plays one call.
///
/// The picture is made first: the hook's record of the session must not be ahead of it.
pub(super) fn play(stage: &Stage, line: &str, step: &Step, message: &[u8], width: usize) -> Result<Played, String> {
    let agent = agent::named(&["claude-code".into()])?;
    let seen = judge(agent, message, &stage.hook_env(), &Given::default());
    let run = stage.hook(line, message)?;
    let (answer, told) = sent(&run)?;
    let (here, shown, verdict) = match &seen {
        Ok(judged) => (answered(&judged.answer), picture(stage, judged, width), Some(report::verdict(judged))),
        Err(Unjudged::Refused(why)) => ("deny", format!("{}\n  {}", Badge::Deny.paint(), words::safe(why)), None),
        Err(Unjudged::NoCall) => ("silent", String::new(), None),
    };
    Ok(Played {
        title: step.title.clone(),
        expect: step.expect.clone(),
        good: answer == step.expect && answer == here,
        told: told.map(|text| stage.shorten(&text)),
        ms: run.took.as_secs_f64() * 1000.0,
        answer,
        verdict,
        shown,
    })
}

fn picture(stage: &Stage, judged: &Judged, width: usize) -> String {
    let title = stage.shorten(&display(&judged.call));
    let mut verdict = judged.verdict.clone();
    for reason in &mut verdict.reasons {
        reason.text = stage.shorten(&reason.text);
    }
    for action in &mut verdict.actions {
        action.display = stage.shorten(&action.display);
    }
    head(&verdict, Subject::of(&judged.call, &title), width.saturating_sub(4))
}

/// What the hook process told the agent: the decision and the reason.
fn sent(run: &Run) -> Result<(String, Option<String>), String> {
    match (run.code, run.stdout.trim()) {
        (Some(0), "") => Ok((String::from("silent"), None)),
        (Some(0), text) => {
            let value: Value = serde_json::from_str(text).map_err(|error| format!("the hook's answer: {error}"))?;
            let field = |name: &str| {
                value.pointer(&format!("/hookSpecificOutput/{name}")).and_then(Value::as_str).map(str::to_owned)
            };
            let decision = field("permissionDecision").ok_or("the hook's answer has no decision")?;
            Ok((decision, field("permissionDecisionReason")))
        }
        (Some(2), _) => Ok((String::from("deny"), Some(run.stderr.clone()))),
        (code, _) => Err(format!("the hook ended with {code:?}: {}", words::safe(&run.stderr))),
    }
}
