//! Qwen Code: groups in the `hooks` of a settings file that may hold comments; milliseconds; matchers name its own tools,
//! and only `*` reaches them all. A project can repeat our entry with a deadline of its own, which then counts: see doctor.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::dialect::{self, Dialect, Event, Found, Wired};
use super::form::{self, Form};
use super::place::{Places, Scope};
use super::wiring::{ENTRY_SECONDS, Failure, Wiring};
use crate::edit::json::{Json, Reading, Refusal};

/// Agent id.
pub const AGENT: &str = "qwen-code";

/// Every event that we are wired to.
pub const EVENTS: [Event; 8] = [
    Event::of("PreToolUse", true, Failure::Blocks),
    Event::of("PostToolUse", true, Failure::Passes),
    Event::of("PostToolUseFailure", true, Failure::Passes),
    Event::of("PermissionRequest", true, Failure::Passes),
    Event::of("SessionStart", false, Failure::Passes),
    Event::of("SessionEnd", false, Failure::Passes),
    Event::of("SubagentStart", false, Failure::Passes),
    Event::of("SubagentStop", false, Failure::Passes),
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
    pins: &[(&["disableAllHooks"], false)],
};

/// The agent.
pub struct QwenCode;

impl Dialect for QwenCode {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn name(&self) -> &'static str {
        "Qwen Code"
    }

    fn file(&self, places: &Places, scope: Scope) -> Result<PathBuf, String> {
        match scope {
            Scope::User => Ok(places.qwen.join("settings.json")),
            Scope::Project => Ok(places.project.join(".qwen/settings.json")),
            Scope::Local => {
                Err(String::from("Qwen Code has no settings for one project on one machine: leave --local out"))
            }
            Scope::Managed => Ok(places.root.join("etc/qwen-code/settings.json")),
        }
    }

    fn home(&self, places: &Places) -> PathBuf {
        places.qwen.clone()
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
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "timestamp": "1970-01-01T00:00:00.000Z",
            "tool_name": "write_file",
            "tool_input": { "file_path": here.join("state/ledger.jsonl"), "content": "" },
            "tool_use_id": "leastgrant-probe",
        })
    }

    fn decision<'v>(&self, answer: &'v Value) -> Option<&'v str> {
        // only what also ends the call survives a later hook that allows it
        dialect::specific(answer)
            .filter(|decision| *decision != "deny" || answer.get("continue").and_then(Value::as_bool) == Some(false))
    }

    fn notes(&self, _: &Places, wiring: &Wiring) -> Vec<String> {
        if wiring.scope == Scope::Managed {
            return Vec::new();
        }
        vec![String::from(
            "Qwen Code loads any project's settings without a question, and those can switch these hooks off (`disableAllHooks`) or repeat ours with another deadline: `leastgrant doctor` finds both, `sudo leastgrant install qwen-code --managed` withstands the first",
        )]
    }
}
