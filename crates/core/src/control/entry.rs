//! Our own hook entries in an agent's settings: whether they are there, and whether they stay as they are.

use serde_json::Value;

use super::Hold;
use crate::path::Place;
use crate::world::{Small, World};

/// Most bytes of a settings file that are read.
const MOST: usize = 1024 * 1024;

/// Whether the file at the place holds a hook entry of ours now. A file that cannot be read is taken to.
#[must_use]
pub fn holds_entry(world: &dyn World, place: &Place) -> bool {
    let binary = world.facts().binary.as_deref();
    place.readings().into_iter().filter(|path| path.starts_with('/')).any(|path| match world.read(path, MOST) {
        Small::Bytes(bytes) => mentions(&String::from_utf8_lossy(&bytes), binary),
        Small::Missing => false,
        Small::Unreadable => matches!(world.entry(path), crate::world::Entry::File),
    })
}

/// What a removal, a move or a replacement by unknown content does to a control file: with our entry in it, it takes it
/// away.
#[must_use]
pub fn replaced(world: &dyn World, place: &Place) -> Option<(Hold, String)> {
    let control = super::control(world, place)?;
    let settings = matches!(control.kind, "hook config" | "settings" | "plugins" | "own entry" | "MCP wiring");
    (settings && holds_entry(world, place)).then(|| (Hold::Own, String::from("takes leastgrant's hook entry away")))
}

/// A mention that is an entry: the program's name or path, and the word that makes it a hook.
pub(super) fn mentions(text: &str, binary: Option<&str>) -> bool {
    let ours = text.contains("leastgrant") || binary.is_some_and(|binary| !binary.is_empty() && text.contains(binary));
    ours && text.contains("hook")
}

/// Every entry of ours in a settings tree, with the path of keys to it and what stands around it that decides whether
/// it fires; sorted, so that two trees compare by content.
pub(super) fn entries(tree: &Value, binary: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<(String, String, &Value)> = vec![(String::new(), String::new(), tree)];
    while let Some((keys, around, value)) = open.pop() {
        match value {
            Value::Object(fields) => {
                if is_entry(fields, binary) {
                    found.push(format!("{keys} {around} {value}"));
                    continue;
                }
                let matcher = fields.get("matcher").map(Value::to_string).unwrap_or_default();
                let around = format!("{around}{matcher}");
                open.extend(fields.iter().map(|(key, value)| (format!("{keys}.{key}"), around.clone(), value)));
            }
            Value::Array(items) => open.extend(items.iter().map(|item| (keys.clone(), around.clone(), item))),
            Value::String(text) if keys.ends_with("plugin") && text.contains("leastgrant") => {
                found.push(format!("{keys} {text}"));
            }
            _ => {}
        }
    }
    found.sort();
    found
}

fn is_entry(fields: &serde_json::Map<String, Value>, binary: Option<&str>) -> bool {
    let words = ["command", "bash", "exec", "commandWindows", "powershell"];
    let mut line = String::new();
    for text in words.iter().filter_map(|word| fields.get(*word)).filter_map(Value::as_str) {
        line.push_str(text);
        line.push(' ');
    }
    if let Some(args) = fields.get("args").and_then(Value::as_array) {
        line.extend(args.iter().filter_map(Value::as_str).flat_map(|word| [word, " "]));
    }
    !line.is_empty() && mentions(&line, binary)
}
