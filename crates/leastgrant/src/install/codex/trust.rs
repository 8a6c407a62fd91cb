//! Codex's trust in hooks: a digest of each entry's definition, kept in the person's `config.toml` under the place where
//! the entry stands. A place that moves, or a definition that changes, makes the hook inert without a word, so whatever
//! we put in or take out, the trust in other people's hooks follows them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use sha2::{Digest, Sha256};
use toml::Value;

use super::{AGENT, FORM};
use crate::edit::atomic;
use crate::edit::json::{self, Json, MAX_BYTES, Node, Refusal, Step};
use crate::edit::toml::Document;
use crate::install::place::Places;
use crate::install::wiring;

/// Seconds that Codex gives an entry without a timeout.
const DEFAULT_SECONDS: u64 = 600;

/// One entry: where it stands and what of it is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// the event, as it is spelled in the file
    pub event: String,
    /// number of its group
    pub group: usize,
    /// number in the group
    pub entry: usize,
    /// whether we put it there
    pub ours: bool,
    /// the group's matcher
    pub matcher: Option<String>,
    /// its command line
    pub command: String,
    /// its timeout in seconds
    pub timeout: Option<u64>,
    /// whether Codex does not wait for it
    pub is_async: bool,
    /// its status message
    pub status: Option<String>,
}

/// All entries of a file in their order.
pub type Layout = Vec<Spot>;

impl Spot {
    /// The digest that stands for this definition.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut entry = json!({
            "async": self.is_async,
            "command": self.command,
            "timeout": self.timeout.unwrap_or(DEFAULT_SECONDS),
            "type": "command",
        });
        let mut whole = json!({ "event_name": snake(&self.event) });
        if let (Some(status), Some(entry)) = (&self.status, entry.as_object_mut()) {
            entry.insert(String::from("statusMessage"), json!(status));
        }
        if let Some(whole) = whole.as_object_mut() {
            whole.insert(String::from("hooks"), json!([entry]));
            if let Some(matcher) = &self.matcher {
                whole.insert(String::from("matcher"), json!(matcher));
            }
        }
        // compact, keys in their order: a map of serde_json is sorted as long as nobody asks it to keep their order
        let digest = Sha256::digest(sorted(&whole).as_bytes());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha256:{hex}")
    }

    /// The name under which it is kept, for an entry of this file.
    #[must_use]
    pub fn key(&self, file: &Path) -> String {
        key(file, &self.event, self.group, self.entry)
    }
}

fn sorted(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Object(members) => {
            let members: BTreeMap<&String, String> = members.iter().map(|(key, value)| (key, sorted(value))).collect();
            let members: Vec<String> = members.iter().map(|(key, value)| format!("{}:{value}", json!(key))).collect();
            format!("{{{}}}", members.join(","))
        }
        serde_json::Value::Array(elements) => {
            format!("[{}]", elements.iter().map(sorted).collect::<Vec<_>>().join(","))
        }
        value => value.to_string(),
    }
}

/// `PreToolUse` as `pre_tool_use`.
#[must_use]
pub fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The name under which the trust in an entry is kept.
#[must_use]
pub fn key(file: &Path, event: &str, group: usize, entry: usize) -> String {
    format!("{}:{}:{group}:{entry}", file.display(), snake(event))
}

/// Every entry of a `hooks.json`.
#[must_use]
pub fn layout(document: &json::Document) -> Layout {
    let mut spots = Layout::new();
    for event in crate::install::form::hooks(document) {
        for (group, node) in event.value.elements().iter().enumerate() {
            let entries = node.get("hooks").map_or(&[][..], Node::elements);
            for (number, entry) in entries.iter().enumerate() {
                let text = |key: &str| entry.get(key).and_then(Node::str).map(str::to_owned);
                let command = text("command").unwrap_or_default();
                spots.push(Spot {
                    event: event.key.clone(),
                    group,
                    entry: number,
                    ours: wiring::ours(&command, AGENT).is_some(),
                    matcher: node.get("matcher").and_then(Node::str).map(str::to_owned),
                    timeout: entry.get("timeout").and_then(|node| document.raw(&node.span).parse().ok()),
                    is_async: entry.get("async").is_some_and(Node::is_true),
                    status: text("statusMessage"),
                    command,
                });
            }
        }
    }
    spots
}

/// The person's config after a change of the entries of `file`: what moved keeps its trust under its new name, what is
/// gone loses it, and ours is trusted if that was asked for. The order of everybody else's entries has not changed.
///
/// # Errors
/// The trust is written in a form that we do not edit.
pub fn follow(
    config: &Document,
    file: &Path,
    before: &[Spot],
    after: &[Spot],
    trust: bool,
) -> Result<Document, Refusal> {
    let mut config = config.clone();
    for spot in before.iter().filter(|spot| spot.ours) {
        let stays = after.iter().any(|now| now.ours && now.key(file) == spot.key(file));
        if !stays {
            config = forget(&config, &spot.key(file))?;
        }
    }
    let mut moves = moves(file, before, after);
    // a name is free once its owner has moved on; entries move in one direction, so there is always one that can
    while let Some(at) = moves.iter().position(|(_, to)| !is_known(&config, to)) {
        let (from, to) = moves.remove(at);
        config = config.rename(&["hooks", "state", &from], &to)?;
    }
    if trust {
        for spot in after.iter().filter(|spot| spot.ours) {
            let path = ["hooks", "state", &spot.key(file), "trusted_hash"].map(str::to_owned);
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
            let hash = spot.hash();
            if config.at(&steps).and_then(Value::as_str) != Some(&hash) {
                config = config.set(&path, &Json::text(hash))?;
            }
        }
    }
    Ok(config)
}

fn moves(file: &Path, before: &[Spot], after: &[Spot]) -> Vec<(String, String)> {
    fn foreign<'s>(spots: &'s [Spot], event: &'s str) -> impl Iterator<Item = &'s Spot> {
        spots.iter().filter(move |spot| !spot.ours && spot.event == event)
    }
    let mut events: Vec<&str> = before.iter().map(|spot| spot.event.as_str()).collect();
    events.sort_unstable();
    events.dedup();
    let mut moves = Vec::new();
    for event in events {
        for (old, new) in foreign(before, event).zip(foreign(after, event)) {
            if (old.group, old.entry) != (new.group, new.entry) {
                moves.push((old.key(file), new.key(file)));
            }
        }
    }
    moves
}

fn is_known(config: &Document, key: &str) -> bool {
    config.at(&[Step::Key("hooks"), Step::Key("state"), Step::Key(key)]).is_some()
}

/// Without the trust under this name, and without the table that only held it.
pub(in crate::install) fn forget(config: &Document, key: &str) -> Result<Document, Refusal> {
    if !is_known(config, key) {
        return Ok(config.clone());
    }
    config.remove(&[Step::Key("hooks"), Step::Key("state"), Step::Key(key)])
}

/// What Codex makes of our entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// it runs them
    Trusted,
    /// nobody trusted them: they are inert
    Untrusted,
    /// they were trusted and have changed since: they are inert
    Modified,
    /// somebody switched them off
    Disabled,
}

/// How the first of our entries before tool calls in a file stands.
#[must_use]
pub fn standing(config: Option<&Document>, file: &Path, spots: &[Spot]) -> Option<Standing> {
    let spot = spots.iter().find(|spot| spot.ours && spot.event == "PreToolUse")?;
    let key = spot.key(file);
    let state = config.and_then(|config| config.at(&[Step::Key("hooks"), Step::Key("state"), Step::Key(&key)]));
    let Some(state) = state else { return Some(Standing::Untrusted) };
    if state.get("enabled").and_then(Value::as_bool) == Some(false) {
        return Some(Standing::Disabled);
    }
    Some(match state.get("trusted_hash").and_then(Value::as_str) {
        Some(hash) if hash == spot.hash() => Standing::Trusted,
        Some(_) => Standing::Modified,
        None => Standing::Untrusted,
    })
}

/// The standing of our entries in a file as they are on disk.
#[must_use]
pub fn on_disk(places: &Places, file: &Path) -> Option<Standing> {
    let read = |file: &Path| atomic::read(file, MAX_BYTES).ok().flatten();
    let bytes = read(file)?;
    let spots = if super::is_toml(file) {
        super::table::layout(&Document::parse(&bytes).ok()?)
    } else {
        layout(&FORM.parse(&bytes).ok()?)
    };
    let config = read(&places.codex.join("config.toml")).and_then(|bytes| Document::parse(&bytes).ok());
    standing(config.as_ref(), file, &spots)
}

/// Whether our entries in a file are trusted.
#[must_use]
pub fn is_given(places: &Places, file: &Path) -> bool {
    on_disk(places, file) == Some(Standing::Trusted)
}
