//! Finds the addresses among the arguments of a tool: under every name that holds one, at any depth, in JSON inside of
//! text, and as whole texts elsewhere. Finds too much rather than too little; judging is [`super::guard`]'s.

use serde_json::Value as Json;

use super::servers::{self, Does};
use super::why::Why;
use super::{json, visit};

/// Most values that are looked at.
const MOST: usize = 20_000;
/// Deepest nesting, over all.
const DEEPEST: usize = 96;
/// JSON in text in JSON in text.
const UNPACKED: usize = 4;
/// A longer text is not taken for JSON.
const PACKED: usize = 1024 * 1024;

/// What bears on the bound.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// addresses, in the order of the arguments
    pub(super) addresses: Vec<String>,
    /// an address that is no text
    pub(super) formless: bool,
    /// an address that is null or false
    pub(super) absent: bool,
    /// options that start or change the browser
    pub(super) launch: Option<String>,
    /// files of this machine: name of the argument, path
    pub(super) files: Vec<(String, String)>,
    /// what the tool is told to do
    pub(super) verbs: Vec<String>,
}

/// Looks through the arguments of a tool.
pub(super) fn find(input: &Json, does: Does) -> Result<Arguments, Why> {
    let mut found = Arguments::default();
    let mut left = MOST;
    found.walk(Place { key: "", unpacked: 0, depth: 0 }, input, does, &mut left)?;
    Ok(found)
}

/// Where a value stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    key: &'a str,
    unpacked: usize,
    depth: usize,
}

impl Arguments {
    fn walk(&mut self, at: Place<'_>, value: &Json, does: Does, left: &mut usize) -> Result<(), Why> {
        *left = left.checked_sub(1).ok_or(Why::Limit)?;
        if at.depth > DEEPEST {
            return Err(Why::Limit);
        }
        self.note(at.key, value);
        let inner = Place { depth: at.depth + 1, ..at };
        match value {
            Json::String(text) => self.text(inner, text, does, left),
            Json::Array(all) => all.iter().try_for_each(|value| self.walk(inner, value, does, left)),
            Json::Object(all) => all.iter().try_for_each(|(name, value)| {
                self.walk(Place { key: &servers::key(name), ..inner }, value, does, left)
            }),
            Json::Null | Json::Bool(_) | Json::Number(_) => Ok(()),
        }
    }

    fn note(&mut self, key: &str, value: &Json) {
        if servers::is_address(key) {
            match value {
                Json::String(_) => {}
                Json::Null | Json::Bool(false) => self.absent = true,
                _ => self.formless = true,
            }
        } else if servers::is_addresses(key) {
            // `pages: [1, 2]` are numbers of pages
            self.formless |= matches!(value, Json::Bool(true)) || (key != "pages" && matches!(value, Json::Number(_)));
        }
        let empty = match value {
            Json::Null | Json::Bool(false) => true,
            Json::String(text) => text.is_empty(),
            Json::Array(all) => all.is_empty(),
            Json::Object(all) => all.is_empty(),
            Json::Bool(true) | Json::Number(_) => false,
        };
        if servers::launches(key) && !empty && self.launch.is_none() {
            self.launch = Some(key.to_owned());
        }
    }

    fn text(&mut self, at: Place<'_>, text: &str, does: Does, left: &mut usize) -> Result<(), Why> {
        let key = at.key;
        let trimmed = text.trim();
        if trimmed.starts_with(['{', '[']) && trimmed.len() <= PACKED {
            match json::read(trimmed) {
                Ok(_) if at.unpacked >= UNPACKED => return Err(Why::Limit),
                Ok(inner) => return self.walk(Place { unpacked: at.unpacked + 1, ..at }, &inner, does, left),
                // code and prose may begin like this; an address in it cannot be shown to be harmless
                Err(_) if does != Does::Script && trimmed.contains("://") => return Err(Why::Payload),
                Err(_) => {}
            }
        }
        if servers::is_verb(key) {
            self.verbs.push(trimmed.chars().take(64).collect());
        }
        if servers::names_a_file(key) && !visit::is_whole(trimmed) {
            self.files.push((key.to_owned(), text.to_owned()));
        }
        let going = matches!(does, Does::Navigate | Does::Open | Does::Fetch);
        let named = servers::is_address(key) || servers::is_addresses(key);
        if named {
            self.addresses.push(text.to_owned());
        } else if visit::is_whole(trimmed) {
            self.addresses.push(trimmed.to_owned());
        } else if going && servers::may_be_address(key) && visit::like_a_host(trimmed) {
            self.addresses.push(text.to_owned());
        } else if does == Does::Typing && as_typed(text) {
            self.addresses.push(trimmed.to_owned());
        }
        Ok(())
    }
}

/// What is typed into an address bar: a host and the return key, or `www.`.
fn as_typed(text: &str) -> bool {
    let trimmed = text.trim();
    let sent = text.ends_with(['\n', '\r']);
    let www = trimmed.get(..4).is_some_and(|front| front.eq_ignore_ascii_case("www."));
    (sent || www) && visit::like_a_host(trimmed)
}
