//! Shapes of the arguments of an MCP tool: enough that `state=open` and `state=closed` differ, never a text that could
//! hold a secret.

use serde_json::Value as Json;

use super::{Does, tool};
use crate::redact;

/// Most keys of one object.
const KEYS: usize = 16;
/// Most shapes of one list.
const SHAPES: usize = 4;
/// Longest word that counts as one of a fixed set.
const WORD: usize = 16;

/// The signature of a tool of an MCP server (or of any tool that is known by its arguments alone).
#[must_use]
pub fn mcp(name: &str, input: &Json, does: Does) -> String {
    let inner = match input {
        Json::Object(fields) => keys(fields.iter(), 2),
        Json::Null => Vec::new(),
        other => vec![shape("", other, 2)],
    };
    tool(name, &inner, does)
}

fn keys<'a>(fields: impl Iterator<Item = (&'a String, &'a Json)>, depth: u8) -> Vec<String> {
    let mut all: Vec<(&String, &Json)> = fields.collect();
    all.sort_by_key(|field| field.0);
    let more = all.len().saturating_sub(KEYS);
    let mut shapes: Vec<String> = all
        .into_iter()
        .take(KEYS)
        .map(|(key, value)| format!("{}={}", super::token::literal(key), shape(key, value, depth)))
        .collect();
    if more > 0 {
        shapes.push(format!("+{more} more"));
    }
    shapes
}

fn shape(key: &str, value: &Json, depth: u8) -> String {
    match value {
        Json::Null => String::from("<null>"),
        Json::Bool(true) => String::from("<true>"),
        Json::Bool(false) => String::from("<false>"),
        Json::Number(_) => String::from("<n>"),
        Json::String(text) => word(key, text),
        Json::Array(items) => list(key, items, depth),
        Json::Object(_) if depth == 0 => String::from("<obj>"),
        Json::Object(fields) => format!("{{{}}}", keys(fields.iter(), depth - 1).join(",")),
    }
}

fn list(key: &str, items: &[Json], depth: u8) -> String {
    if depth == 0 {
        return String::from("[…]");
    }
    let mut shapes: Vec<String> = items.iter().take(64).map(|item| shape(key, item, depth - 1)).collect();
    shapes.sort();
    shapes.dedup();
    if shapes.len() > SHAPES {
        shapes.truncate(SHAPES);
        shapes.push(String::from("<mixed>"));
    }
    format!("[{}]", shapes.join(","))
}

/// Keys whose text is prose, however short.
const PROSE: &[&str] = &[
    "body",
    "comment",
    "content",
    "description",
    "message",
    "name",
    "prompt",
    "query",
    "question",
    "search",
    "subject",
    "summary",
    "text",
    "thought",
    "title",
];
/// Parts of keys whose text must not be kept.
const SECRET: &[&str] = &["token", "secret", "password", "passwd", "credential", "apikey", "api_key", "auth", "cookie"];

fn word(key: &str, text: &str) -> String {
    let key = key.to_ascii_lowercase();
    if SECRET.iter().any(|part| key.contains(part)) {
        return String::from("<redacted>");
    }
    if text.contains("://") && !text.contains(char::is_whitespace) {
        return super::token::url(text);
    }
    let plain = text.chars().all(|char| char.is_ascii_alphabetic() || matches!(char, '_' | '-'));
    if PROSE.contains(&key.as_str()) || text.is_empty() {
        return String::from("<text>");
    }
    if plain && text.len() <= WORD && redact::redact(text) == text {
        return text.to_owned();
    }
    let one = text.chars().all(|char| char.is_ascii_alphanumeric() || "_-./:#".contains(char));
    let digit = text.chars().any(|char| char.is_ascii_digit());
    String::from(if one && digit && text.len() <= 64 { "<id>" } else { "<text>" })
}
