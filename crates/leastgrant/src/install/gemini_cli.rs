//! Gemini CLI: groups in the `hooks` of a settings file that may hold comments; milliseconds; a matcher that is a regular
//! expression, of which only `*` is certain to reach every tool.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::dialect::{Dialect, Event, Found, Wired};
use super::form::{self, Form};
use super::place::{Places, Scope};
use super::wiring::{ENTRY_SECONDS, Failure, Wiring};
use crate::edit::json::{Json, Reading, Refusal};

/// Agent id.
pub const AGENT: &str = "gemini-cli";

/// Every event that we are wired to.
pub const EVENTS: [Event; 4] = [
    Event::of("BeforeTool", true, Failure::Blocks),
    Event::of("AfterTool", true, Failure::Passes),
    Event::of("SessionStart", false, Failure::Passes),
    Event::of("SessionEnd", false, Failure::Passes),
];

/// How its settings are written.
pub static FORM: Form = Form {
    agent: AGENT,
    events: &EVENTS,
    flat: false,
    command: &["command"],
    matcher: Some("*"),
    more: |_, _| vec![(String::from("timeout"), Json::Number(ENTRY_SECONDS * 1000))],
    reading: Reading::Comments,
    no_bom: false,
    types: None,
    roots: None,
    head: &[],
    pins: &[(&["hooksConfig", "enabled"], true)],
};

/// The agent.
pub struct GeminiCli;

impl Dialect for GeminiCli {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn name(&self) -> &'static str {
        "Gemini CLI"
    }

    fn file(&self, places: &Places, scope: Scope) -> Result<PathBuf, String> {
        match scope {
            Scope::User => Ok(places.gemini.join("settings.json")),
            Scope::Project => Ok(places.project.join(".gemini/settings.json")),
            Scope::Local => {
                Err(String::from("Gemini CLI has no settings for one project on one machine: leave --local out"))
            }
            Scope::Managed => Ok(places.root.join("etc/gemini-cli/settings.json")),
        }
    }

    fn home(&self, places: &Places) -> PathBuf {
        places.gemini.clone()
    }

    fn events(&self) -> &'static [Event] {
        &EVENTS
    }

    fn find(&self, _: &Path, bytes: &[u8]) -> Result<Vec<Found>, Refusal> {
        FORM.parse(bytes).map(|document| FORM.find(&document))
    }

    fn groups(&self, _: &Path, bytes: &[u8]) -> Result<Vec<(String, String)>, Refusal> {
        FORM.parse(bytes).map(|document| form::texts(&document, &FORM.find(&document)))
    }

    fn wire(&self, bytes: &[u8], wiring: &Wiring, strip: bool) -> Result<Wired, Refusal> {
        FORM.wire_bytes(bytes, wiring, strip)
    }

    fn unwire(&self, _: &Path, bytes: &[u8], original: Option<&[u8]>, strip: bool) -> Result<Vec<u8>, Refusal> {
        FORM.unwire_bytes(bytes, original, strip)
    }

    fn is_bare(&self, _: &Path, bytes: &[u8]) -> bool {
        FORM.is_bare(bytes)
    }

    fn trial(&self, here: &Path) -> Value {
        json!({
            "session_id": "leastgrant-probe",
            "transcript_path": here.join("none.jsonl"),
            "cwd": here,
            "hook_event_name": "BeforeTool",
            "timestamp": "1970-01-01T00:00:00.000Z",
            "tool_name": "write_file",
            "tool_input": { "file_path": here.join("state/ledger.jsonl"), "content": "" },
        })
    }

    fn decision<'v>(&self, answer: &'v Value) -> Option<&'v str> {
        answer.get("decision").and_then(Value::as_str)
    }

    fn notes(&self, _: &Places, wiring: &Wiring) -> Vec<String> {
        match wiring.scope {
            Scope::Project => vec![String::from("Gemini CLI runs a project's hooks once the folder is trusted")],
            Scope::Managed => Vec::new(),
            _ => vec![String::from(
                "a project that a person trusts can switch these hooks off (`hooksConfig`): `leastgrant doctor` finds that, `sudo leastgrant install gemini-cli --managed` withstands most of it",
            )],
        }
    }
}
