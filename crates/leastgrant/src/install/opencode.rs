//! OpenCode: it has no command hooks, so a small plugin of ours is declared by its path in the config. It stands in no
//! folder of plugins, because one of those makes OpenCode install a package from the network before it starts.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::dialect::{Beside, Dialect, Event, Found, Turn, Wired};
use super::place::{Places, Scope};
use super::wiring::{self, Failure, Ours, Wiring};
use crate::edit::json::{self, Document, Fault, Json, Kind, MAX_BYTES, Node, Reading, Refusal, Step};

/// Agent id.
pub const AGENT: &str = "opencode";

/// The one place where we stand.
pub const EVENTS: [Event; 1] = [Event::of("plugin", true, Failure::Blocks)];

/// Milliseconds after which the plugin gives up on our program.
pub const LIMIT_MS: u32 = 8000;

const PLUGIN: &str = "leastgrant.js";
const READING: Reading = Reading::Loose;
const KEY: Step<'static> = Step::Key("plugin");

/// The agent.
pub struct OpenCode;

/// Where the plugin of a scope stands.
#[must_use]
pub fn plugin(places: &Places, scope: Scope) -> PathBuf {
    let folder = if scope == Scope::Managed { places.managed_home() } else { places.state.clone() };
    folder.join(AGENT).join(PLUGIN)
}

/// The plugin's text for a wiring.
#[must_use]
pub fn text(wiring: &Wiring) -> String {
    crate::agent::opencode::plugin(&wiring.program.to_string_lossy(), LIMIT_MS, &wiring.recovery())
}

fn check(document: &Document) -> Result<(), Refusal> {
    let root = document.root();
    if !matches!(root.kind, Kind::Object(_)) {
        let text = format!("the outermost value is {}", root.noun());
        return Err(document.refuse(Fault::NotObject, root.span.start, text));
    }
    match root.get("plugin") {
        Some(node) if !matches!(node.kind, Kind::Array(_)) => {
            let text = format!("`plugin` is {}, not an array", node.noun());
            Err(document.refuse(Fault::WrongType, node.span.start, text))
        }
        _ => Ok(()),
    }
}

fn is_ours(entry: &str) -> bool {
    let path = entry.strip_prefix("file://").unwrap_or(entry);
    path.ends_with("/opencode/leastgrant.js")
}

fn find(document: &Document) -> Vec<Found> {
    let entries = document.root().get("plugin").map_or(&[][..], Node::elements);
    let mut found = Vec::new();
    for (group, node) in entries.iter().enumerate() {
        let Some(entry) = node.str().filter(|entry| is_ours(entry)) else { continue };
        let program = entry.strip_prefix("file://").unwrap_or(entry).to_owned();
        let ours = Ours { program, agent: AGENT.to_owned(), timeout: None, blocks: true };
        let event = String::from("plugin");
        found.push(Found { event, group, entry: 0, alone: true, ours, command: entry.to_owned() });
    }
    found
}

impl Dialect for OpenCode {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn name(&self) -> &'static str {
        "OpenCode"
    }

    fn file(&self, places: &Places, scope: Scope) -> Result<PathBuf, String> {
        let files = self.files(places, scope);
        let there = files.iter().find(|file| file.exists()).or(files.first()).cloned();
        there.ok_or_else(|| String::from("OpenCode has no settings for one project on one machine: leave --local out"))
    }

    fn files(&self, places: &Places, scope: Scope) -> Vec<PathBuf> {
        let folder = match scope {
            Scope::User => places.opencode.clone(),
            Scope::Project => places.project.clone(),
            Scope::Local => return Vec::new(),
            Scope::Managed => places.root.join("etc/opencode"),
        };
        vec![folder.join("opencode.json"), folder.join("opencode.jsonc")]
    }

    fn home(&self, places: &Places) -> PathBuf {
        places.opencode.clone()
    }

    fn events(&self) -> &'static [Event] {
        &EVENTS
    }

    fn find(&self, _: &Path, bytes: &[u8]) -> Result<Vec<Found>, Refusal> {
        Document::parse_as(bytes, READING).map(|document| find(&document))
    }

    fn groups(&self, _: &Path, bytes: &[u8]) -> Result<Vec<(String, String)>, Refusal> {
        let found = self.find(Path::new(""), bytes)?;
        Ok(found.into_iter().map(|found| (found.event, found.command)).collect())
    }

    fn wire(&self, bytes: &[u8], wiring: &Wiring, strip: bool) -> Result<Wired, Refusal> {
        let mut document = if strip { json::strip(bytes)? } else { Document::parse_as(bytes, READING)? };
        check(&document)?;
        let mut repairs = Vec::new();
        let wanted = wiring.plugin.as_deref().unwrap_or(Path::new("")).to_string_lossy().into_owned();
        let found = find(&document);
        if let [one] = found.as_slice()
            && one.command == wanted
        {
            return Ok(Wired { document: document.bytes(), repairs });
        }
        if !found.is_empty() {
            repairs.push(String::from("plugin: another path, or more than one of ours"));
        }
        while let Some(last) = find(&document).pop() {
            document = document.remove(&[KEY, Step::Index(last.group)])?;
        }
        let entry = Json::text(wanted);
        document = match document.at(&[KEY]) {
            Some(_) => document.add_element(&[KEY], &entry)?,
            None => document.add_member(&[], "plugin", &Json::Array(vec![entry]))?,
        };
        Ok(Wired { document: document.bytes(), repairs })
    }

    fn unwire(&self, _: &Path, bytes: &[u8], original: Option<&[u8]>, strip: bool) -> Result<Vec<u8>, Refusal> {
        let mut document = if strip { json::strip(bytes)? } else { Document::parse_as(bytes, READING)? };
        let original = original.and_then(|bytes| Document::parse_as(bytes, READING).ok());
        let was = original.is_some_and(|original| original.at(&[KEY]).is_some());
        while let Some(last) = find(&document).pop() {
            document = document.remove(&[KEY, Step::Index(last.group)])?;
            let raw = document.at(&[KEY]).map(|node| document.raw(&node.span).split_whitespace().collect::<String>());
            if !was && raw.as_deref() == Some("[]") {
                document = document.remove(&[KEY])?;
            }
        }
        Ok(document.bytes())
    }

    fn is_bare(&self, _: &Path, bytes: &[u8]) -> bool {
        Document::parse_as(bytes, READING).is_ok_and(|document| document.root().members().is_empty())
    }

    fn beside(&self, places: &Places, wiring: &Wiring, turn: Turn<'_>) -> Result<Vec<Beside>, String> {
        let wired = turn.after.is_some_and(|bytes| self.find(&wiring.file, bytes).is_ok_and(|found| !found.is_empty()));
        let folder_mode = if wiring.scope == Scope::Managed { 0o755 } else { 0o700 };
        // one plugin serves every file that names it
        let elsewhere = [Scope::User, Scope::Project]
            .into_iter()
            .flat_map(|scope| self.files(places, scope))
            .any(|file| wiring.scope != Scope::Managed && file != wiring.file && super::dialect::holds(self, &file));
        let path = plugin(places, wiring.scope);
        if !wired && elsewhere {
            return Ok(Vec::new());
        }
        Ok(vec![Beside { after: wired.then(|| text(wiring).into_bytes()), path, folder_mode, generated: true }])
    }

    fn guard(&self, wiring: &Wiring) -> String {
        format!("{} hook {AGENT}", wiring::quote(&wiring.program.to_string_lossy()))
    }

    fn trial(&self, here: &Path) -> Value {
        json!({
            "session_id": "leastgrant-probe",
            "call_id": "leastgrant-probe",
            "cwd": here,
            "hook_event_name": "tool.execute.before",
            "tool_name": "write",
            "tool_input": { "filePath": here.join("state/ledger.jsonl"), "content": "" },
        })
    }

    fn decision<'v>(&self, answer: &'v Value) -> Option<&'v str> {
        answer.get("decision").and_then(Value::as_str)
    }

    fn notes(&self, _: &Places, _: &Wiring) -> Vec<String> {
        vec![String::from(
            "the plugin stops a call when our program is missing or fails; if the plugin file itself is gone, or OpenCode is started with `--pure` or `OPENCODE_PURE=1`, calls run unjudged",
        )]
    }
}

/// Whether the plugin that a config names is there and says what this version writes.
#[must_use]
pub fn plugin_text(file: &Path) -> Option<String> {
    let bytes = crate::edit::atomic::read(file, MAX_BYTES).ok().flatten()?;
    String::from_utf8(bytes).ok()
}
