//! Codex: groups in `config.toml` or `hooks.json` of its folder, and, since it runs no hook that nobody trusted, the
//! trust in them. Both files count; we go where hooks already are. The machine's layer is `requirements.toml`, which
//! needs no trust and where the feature itself is pinned on.

pub mod table;
pub mod trust;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::dialect::{self, Beside, Dialect, Event, Found, Turn, Wired};
use super::form::{self, Form};
use super::place::{Places, Scope};
use super::wiring::{ENTRY_SECONDS, Failure, Wiring};
use crate::edit::atomic;
use crate::edit::json::{Json, MAX_BYTES, Reading, Refusal};
use crate::edit::toml::Document;

/// Agent id.
pub const AGENT: &str = "codex";

/// Every event that we are wired to. Its session end has three seconds at most, which is shorter than our own limit.
pub const EVENTS: [Event; 6] = [
    Event::of("PreToolUse", true, Failure::Blocks),
    Event::of("PostToolUse", true, Failure::Passes),
    Event::of("PermissionRequest", true, Failure::Passes),
    Event::of("SessionStart", false, Failure::Passes),
    Event::of("SubagentStart", false, Failure::Passes),
    Event::of("SubagentStop", false, Failure::Passes),
];

/// How `hooks.json` is written; `config.toml` holds the same values.
pub static FORM: Form = Form {
    agent: AGENT,
    events: &EVENTS,
    flat: false,
    command: &["command"],
    matcher: Some("*"),
    more: |_, _| vec![(String::from("timeout"), Json::Number(ENTRY_SECONDS))],
    reading: Reading::Strict,
    no_bom: true,
    types: None,
    roots: Some(&["description", "hooks"]),
    head: &[],
    pins: &[],
};

/// Whether a file is the TOML form.
#[must_use]
pub fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "toml")
}

/// The agent.
pub struct Codex;

impl Dialect for Codex {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn name(&self) -> &'static str {
        "Codex CLI"
    }

    fn file(&self, places: &Places, scope: Scope) -> Result<PathBuf, String> {
        let files = self.files(places, scope);
        let [toml, json] = files.as_slice() else {
            return files.into_iter().next().ok_or_else(|| {
                String::from("Codex has no settings for one project on one machine: leave --local out")
            });
        };
        if let Some(wired) = files.iter().find(|file| dialect::holds(self, file)) {
            return Ok(wired.clone());
        }
        let in_toml = read(toml).and_then(|bytes| Document::parse(&bytes).ok()).is_some_and(|document| {
            document
                .meaning()
                .get("hooks")
                .and_then(toml::Value::as_table)
                .is_some_and(|hooks| hooks.keys().any(|key| key != "state"))
        });
        Ok(if json.exists() && !in_toml { json.clone() } else { toml.clone() })
    }

    fn files(&self, places: &Places, scope: Scope) -> Vec<PathBuf> {
        let folder = match scope {
            Scope::User => places.codex.clone(),
            Scope::Project => places.project.join(".codex"),
            Scope::Local => return Vec::new(),
            Scope::Managed => return vec![places.root.join("etc/codex/requirements.toml")],
        };
        vec![folder.join("config.toml"), folder.join("hooks.json")]
    }

    fn home(&self, places: &Places) -> PathBuf {
        places.codex.clone()
    }

    fn events(&self) -> &'static [Event] {
        &EVENTS
    }

    fn find(&self, file: &Path, bytes: &[u8]) -> Result<Vec<Found>, Refusal> {
        if is_toml(file) {
            return Document::parse(bytes).map(|document| table::find(&document));
        }
        FORM.parse(bytes).map(|document| FORM.find(&document))
    }

    fn groups(&self, file: &Path, bytes: &[u8]) -> Result<Vec<(String, String)>, Refusal> {
        if is_toml(file) {
            return Document::parse(bytes).map(|document| table::texts(&document));
        }
        FORM.parse(bytes).map(|document| form::texts(&document, &FORM.find(&document)))
    }

    fn wire(&self, bytes: &[u8], wiring: &Wiring, strip: bool) -> Result<Wired, Refusal> {
        if !is_toml(&wiring.file) {
            return FORM.wire_bytes(bytes, wiring, strip);
        }
        let document = Document::parse(bytes)?;
        let Wired { document: wired, repairs } = table::wire(&document, wiring)?;
        let wired = if wiring.scope == Scope::Managed {
            wired.set(&["features", "hooks"], &Json::Bool(true))?
        } else if wiring.scope == Scope::User {
            trust::follow(&wired, &wiring.file, &table::layout(&document), &table::layout(&wired), wiring.trust)?
        } else {
            wired
        };
        Ok(Wired { document: wired.bytes(), repairs })
    }

    fn unwire(&self, file: &Path, bytes: &[u8], original: Option<&[u8]>, strip: bool) -> Result<Vec<u8>, Refusal> {
        if !is_toml(file) {
            return FORM.unwire_bytes(bytes, original, strip);
        }
        let document = Document::parse(bytes)?;
        let original = original.and_then(|bytes| Document::parse(bytes).ok());
        let without = table::unwire(&document, original.as_ref())?;
        let without = trust::follow(&without, file, &table::layout(&document), &table::layout(&without), false)?;
        Ok(table::unpin(&without, original.as_ref(), file)?.bytes())
    }

    fn trips_over_bom(&self, file: &Path) -> bool {
        !is_toml(file)
    }

    fn is_bare(&self, file: &Path, bytes: &[u8]) -> bool {
        if is_toml(file) {
            return Document::parse(bytes).is_ok_and(|document| document.text().trim().is_empty());
        }
        FORM.is_bare(bytes)
    }

    /// The trust in hooks of a project, and in those of `hooks.json`, stands in the person's own `config.toml`.
    fn beside(&self, places: &Places, wiring: &Wiring, turn: Turn<'_>) -> Result<Vec<Beside>, String> {
        let path = places.codex.join("config.toml");
        if wiring.scope == Scope::Managed || path == wiring.file {
            return Ok(Vec::new());
        }
        let layout = |bytes: Option<&[u8]>| {
            let bytes = bytes.unwrap_or_default();
            let layout = if is_toml(&wiring.file) {
                Document::parse(bytes).map(|document| table::layout(&document))
            } else {
                FORM.parse(bytes).map(|document| trust::layout(&document))
            };
            layout.unwrap_or_default()
        };
        let (before, after) = (layout(turn.before), layout(turn.after));
        let old = read(&path);
        let refused = |refusal: Refusal| dialect::refused(&path, &refusal);
        let document = match Document::parse(old.as_deref().unwrap_or_default()) {
            Ok(document) => document,
            // without trust to give or take, a file that Codex itself can't read is none of our business
            Err(_) if !wiring.trust => return Ok(Vec::new()),
            Err(refusal) => return Err(refused(refusal)),
        };
        let followed = trust::follow(&document, &wiring.file, &before, &after, wiring.trust).map_err(refused)?;
        let after = followed.bytes();
        if old.as_deref().unwrap_or_default() == after {
            return Ok(Vec::new());
        }
        let after = if after.is_empty() && old.is_none() { None } else { Some(after) };
        Ok(vec![Beside { path, after, folder_mode: 0o700, generated: false }])
    }

    fn trial(&self, here: &Path) -> Value {
        json!({
            "session_id": "leastgrant-probe",
            "turn_id": "leastgrant-probe",
            "transcript_path": null,
            "cwd": here,
            "hook_event_name": "PreToolUse",
            "model": "leastgrant-probe",
            "permission_mode": "default",
            "tool_name": "Bash",
            "tool_input": { "command": "echo x > state/ledger.jsonl" },
            "tool_use_id": "leastgrant-probe",
        })
    }

    fn decision<'v>(&self, answer: &'v Value) -> Option<&'v str> {
        dialect::specific(answer)
    }

    fn notes(&self, places: &Places, wiring: &Wiring) -> Vec<String> {
        if wiring.scope == Scope::Managed {
            return Vec::new();
        }
        let mut notes = Vec::new();
        if wiring.trust {
            notes.push(String::from(
                "`--trust` wrote into Codex's own config that these very entries may run; a change to them needs it again",
            ));
        } else if !trust::is_given(places, &wiring.file) {
            notes.push(String::from(
                "Codex runs no hook that nobody trusted, and says nothing about it in `codex exec`: until a person accepts it on Codex's start screen, or runs `leastgrant install codex --trust`, NO call is judged (a hook of the whole machine, `sudo leastgrant install codex --managed`, needs no trust)",
            ));
        }
        if wiring.scope == Scope::Project {
            notes.push(String::from("Codex reads a project's hooks only once the project itself is trusted"));
        }
        notes
    }

    fn takes_trust(&self) -> bool {
        true
    }
}

fn read(file: &Path) -> Option<Vec<u8>> {
    atomic::read(file, MAX_BYTES).ok().flatten()
}
