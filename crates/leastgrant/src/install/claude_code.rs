//! Claude Code: groups in the `hooks` of a strict JSON settings file, which it drops as a whole for one bad entry.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::dialect::{self, Dialect};
use super::form::{self, Form};
use super::place::{Places, Scope};
use super::wiring::{ENTRY_SECONDS, Failure, Wiring};
use crate::edit::json::{Document, Json, Reading, Refusal};

pub use super::dialect::{Event, Found};
pub use super::form::hooks;

/// Agent id.
pub const AGENT: &str = "claude-code";

/// A document with our entries in it.
pub type Wired = dialect::Wired<Document>;

/// Every event that we are wired to.
pub const EVENTS: [Event; 9] = [
    Event::of("PreToolUse", true, Failure::Blocks),
    Event::of("PostToolUse", true, Failure::Passes),
    Event::of("PostToolUseFailure", true, Failure::Passes),
    Event::of("PermissionRequest", true, Failure::Passes),
    Event::of("SessionStart", false, Failure::Passes),
    Event::of("SessionEnd", false, Failure::Passes),
    Event::of("SubagentStart", false, Failure::Passes),
    Event::of("SubagentStop", false, Failure::Passes),
    Event::of("ConfigChange", false, Failure::Bare),
];

/// How its settings are written.
pub static FORM: Form = Form {
    agent: AGENT,
    events: &EVENTS,
    flat: false,
    command: &["command"],
    matcher: Some("*"),
    more,
    reading: Reading::Strict,
    no_bom: false,
    types: Some(&["command", "prompt", "agent", "http", "mcp_tool"]),
    roots: None,
    head: &[],
    pins: &[],
};

fn more(wiring: &Wiring, event: &Event) -> Vec<(String, Json)> {
    let mut more = vec![(String::from("timeout"), Json::Number(ENTRY_SECONDS))];
    // 2.1.197 ignores the key, 2.1.332 needs it; agents update themselves, so it is always written
    if wiring.closed && event.failure == Failure::Blocks {
        more.push((String::from("onFailure"), Json::text("block")));
    }
    more
}

/// All our entries, in the order of the file.
#[must_use]
pub fn find(document: &Document) -> Vec<Found> {
    FORM.find(document)
}

/// Refuses what the agent would drop the whole file for, and what we could not edit without guessing.
///
/// # Errors
/// The first such place.
pub fn check(document: &Document) -> Result<(), Refusal> {
    FORM.check(document)
}

/// Puts our entries in.
///
/// # Errors
/// The file is not one that we edit (see [`check`]).
pub fn wire(document: &Document, wiring: &Wiring) -> Result<Wired, Refusal> {
    FORM.wire(document, wiring)
}

/// Takes all our entries out. What stood empty in `original` stays so.
///
/// # Errors
/// An edit failed, which would be our own mistake.
pub fn unwire(document: &Document, original: Option<&Document>) -> Result<Document, Refusal> {
    FORM.unwire(document, original)
}

/// The agent.
pub struct ClaudeCode;

impl Dialect for ClaudeCode {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn name(&self) -> &'static str {
        "Claude Code"
    }

    fn file(&self, places: &Places, scope: Scope) -> Result<PathBuf, String> {
        Ok(places.settings(scope))
    }

    fn home(&self, places: &Places) -> PathBuf {
        places.claude.clone()
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

    fn wire(&self, bytes: &[u8], wiring: &Wiring, strip: bool) -> Result<dialect::Wired, Refusal> {
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
            "tool_name": "Write",
            "tool_input": { "file_path": here.join("state/ledger.jsonl"), "content": "" },
            "tool_use_id": "toolu_leastgrant_probe",
        })
    }

    fn decision<'v>(&self, answer: &'v Value) -> Option<&'v str> {
        dialect::specific(answer)
    }
}
