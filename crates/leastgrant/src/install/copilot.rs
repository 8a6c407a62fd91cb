//! Copilot CLI: a hooks file of our own, since one bad entry in its settings file makes it drop all hooks there. Entries
//! stand flat, in seconds, and without a matcher: in its own spelling of the events `*` drops the hook without a word.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::dialect::{Dialect, Event, Found, Wired};
use super::form::{self, Form};
use super::place::{Places, Scope};
use super::wiring::{ENTRY_SECONDS, Failure, Wiring};
use crate::edit::json::{Json, Reading, Refusal};

/// Agent id.
pub const AGENT: &str = "copilot";

/// Every event that we are wired to.
pub const EVENTS: [Event; 6] = [
    Event::of("preToolUse", true, Failure::Blocks),
    Event::of("postToolUse", true, Failure::Passes),
    Event::of("sessionStart", false, Failure::Passes),
    Event::of("sessionEnd", false, Failure::Passes),
    Event::of("subagentStart", false, Failure::Passes),
    Event::of("subagentStop", false, Failure::Passes),
];

/// How its hooks files are written.
pub static FORM: Form = Form {
    agent: AGENT,
    events: &EVENTS,
    flat: true,
    command: &["bash", "command"],
    matcher: None,
    more: |_, _| vec![(String::from("timeoutSec"), Json::Number(ENTRY_SECONDS))],
    reading: Reading::Strict,
    no_bom: true,
    types: None,
    roots: None,
    head: &[("version", 1)],
    pins: &[],
};

/// The agent.
pub struct Copilot;

impl Dialect for Copilot {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn name(&self) -> &'static str {
        "Copilot CLI"
    }

    fn file(&self, places: &Places, scope: Scope) -> Result<PathBuf, String> {
        match scope {
            Scope::User => Ok(places.copilot.join("hooks/leastgrant.json")),
            Scope::Project => Ok(places.project.join(".github/hooks/leastgrant.json")),
            Scope::Local => {
                Err(String::from("Copilot CLI has no hooks file for one project on one machine: leave --local out"))
            }
            Scope::Managed => Ok(places.root.join("etc/github-copilot/policy.d/leastgrant.json")),
        }
    }

    fn home(&self, places: &Places) -> PathBuf {
        places.copilot.clone()
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

    fn trips_over_bom(&self, _: &Path) -> bool {
        FORM.no_bom
    }

    fn is_bare(&self, _: &Path, bytes: &[u8]) -> bool {
        FORM.is_bare(bytes)
    }

    fn trial(&self, here: &Path) -> Value {
        let input = json!({ "path": here.join("state/ledger.jsonl"), "file_text": "" });
        json!({
            "sessionId": "leastgrant-probe",
            "timestamp": 0,
            "cwd": here,
            "toolName": "create",
            "toolArgs": input.to_string(),
        })
    }

    fn decision<'v>(&self, answer: &'v Value) -> Option<&'v str> {
        answer.get("permissionDecision").and_then(Value::as_str)
    }

    fn notes(&self, _: &Places, wiring: &Wiring) -> Vec<String> {
        match wiring.scope {
            Scope::Project => {
                vec![String::from(
                    "Copilot CLI reads a project's hooks once the folder is trusted, and says nothing before",
                )]
            }
            Scope::Managed => Vec::new(),
            _ => vec![String::from(
                "a project that a person trusts can switch these hooks off (`disableAllHooks`): `leastgrant doctor` finds that, `sudo leastgrant install copilot --managed` withstands it",
            )],
        }
    }
}
