//! One more hook entry of ours beside the main one, for whoever needs another matcher or another command (the persona
//! guard). The bytes of a settings file in, the bytes out; which file, and how often, is the caller's business.
//!
//! In Codex's files the trust in other people's hooks follows them, as it does for our main entries.

use std::path::Path;

use super::codex::{self, table, trust};
use super::dialect::Dialect;
use super::form::{self, Form};
use super::{claude_code, dialect};
use crate::edit::json::{Json, Refusal};
use crate::edit::toml::Document as Toml;

/// The entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// the event, as the agent spells it
    pub event: String,
    /// the group's matcher
    pub matcher: String,
    /// the command line, whole
    pub command: String,
    /// seconds that the agent waits
    pub timeout: u64,
}

/// A settings file that takes such an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File<'p> {
    /// a settings file of Claude Code
    ClaudeCode,
    /// `hooks.json` of Codex
    CodexJson,
    /// `config.toml` of Codex, with its own path: trust is kept in it under that name
    CodexToml(&'p Path),
}

impl<'p> File<'p> {
    /// Which kind a file of one of the two agents is.
    #[must_use]
    pub fn of(agent: &str, path: &'p Path) -> Option<Self> {
        match agent {
            claude_code::AGENT => Some(Self::ClaudeCode),
            codex::AGENT if codex::is_toml(path) => Some(Self::CodexToml(path)),
            codex::AGENT => Some(Self::CodexJson),
            _ => None,
        }
    }

    fn form(self) -> &'static Form {
        if self == Self::ClaudeCode { &claude_code::FORM } else { &codex::FORM }
    }
}

fn group(entry: &Entry) -> Json {
    let hook = Json::Object(vec![
        (String::from("type"), Json::text("command")),
        (String::from("command"), Json::text(entry.command.as_str())),
        (String::from("timeout"), Json::Number(entry.timeout)),
    ]);
    Json::Object(vec![
        (String::from("matcher"), Json::text(entry.matcher.as_str())),
        (String::from("hooks"), Json::Array(vec![hook])),
    ])
}

/// The command lines of a kind in a file, in its order.
///
/// # Errors
/// The agent would not take the file.
pub fn commands(file: File<'_>, bytes: &[u8], wanted: &dyn Fn(&str) -> bool) -> Result<Vec<String>, Refusal> {
    if let File::CodexToml(_) = file {
        let document = Toml::parse(bytes)?;
        return Ok(table::find_by(&document, wanted).into_iter().map(|found| found.command).collect());
    }
    let document = file.form().parse(bytes)?;
    Ok(file.form().find_by(&document, wanted).into_iter().map(|(_, command)| command).collect())
}

/// The file with one more entry, as the last group of its event. An entry with the very same command is not put in twice.
///
/// # Errors
/// The file is not one that we edit.
pub fn put(file: File<'_>, bytes: &[u8], entry: &Entry) -> Result<Vec<u8>, Refusal> {
    if !commands(file, bytes, &|command| command == entry.command)?.is_empty() {
        return Ok(bytes.to_vec());
    }
    if let File::CodexToml(_) = file {
        return table::add(&Toml::parse(bytes)?, &entry.event, &group(entry)).map(|document| document.bytes());
    }
    let document = file.form().parse(bytes)?;
    file.form().check(&document)?;
    form::put_in(&document, &entry.event, &group(entry)).map(|document| document.bytes())
}

/// The file without the entries of a kind, and without the containers that only they filled; what stood empty in
/// `original` stays so.
///
/// # Errors
/// The file is not one that we edit.
pub fn take(
    file: File<'_>,
    bytes: &[u8],
    original: Option<&[u8]>,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>, Refusal> {
    if let File::CodexToml(path) = file {
        let before = Toml::parse(bytes)?;
        let original = original.and_then(|bytes| Toml::parse(bytes).ok());
        let mut document = before.clone();
        while let Some(last) = table::find_by(&document, wanted).pop() {
            document = table::take_out(&document, &last, original.as_ref())?;
        }
        let (old, new) = (spots(table::layout(&before), wanted), spots(table::layout(&document), wanted));
        return trust::follow(&document, path, &old, &new, false).map(|document| document.bytes());
    }
    let form = file.form();
    let mut document = form.parse(bytes)?;
    let original = original.and_then(|bytes| form.parse(bytes).ok());
    while let Some((last, _)) = form.find_by(&document, wanted).pop() {
        document = form.take_out(&document, &last, original.as_ref())?;
    }
    Ok(document.bytes())
}

/// What Codex's own config becomes when the entries of one of its other files changed from `before` to `after`: moved
/// ones keep their trust, entries of a kind that are gone lose it, and with `trust` those that are there are trusted.
///
/// # Errors
/// One of the three is not one that we edit.
pub fn follow(
    config: &[u8],
    file: &Path,
    (before, after): (&[u8], &[u8]),
    wanted: &dyn Fn(&str) -> bool,
    trust: bool,
) -> Result<Vec<u8>, Refusal> {
    let layout = |bytes: &[u8]| -> Result<trust::Layout, Refusal> {
        let layout = if codex::is_toml(file) {
            table::layout(&Toml::parse(bytes)?)
        } else {
            trust::layout(&codex::FORM.parse(bytes)?)
        };
        Ok(spots(layout, wanted))
    };
    let (before, after) = (layout(before)?, layout(after)?);
    trust::follow(&Toml::parse(config)?, file, &before, &after, trust).map(|config| config.bytes())
}

/// The same places, with this kind of entry as ours.
fn spots(layout: trust::Layout, wanted: &dyn Fn(&str) -> bool) -> trust::Layout {
    layout.into_iter().map(|spot| trust::Spot { ours: wanted(&spot.command), ..spot }).collect()
}

/// The file of the person's own settings of an agent that takes such an entry, where the agent is wired or would be.
///
/// # Errors
/// The agent is not one of the two.
pub fn file_of(
    agent: &str,
    places: &super::place::Places,
    scope: super::place::Scope,
) -> Result<std::path::PathBuf, String> {
    let dialect: &dyn Dialect =
        dialect::of(agent).ok_or_else(|| format!("`{agent}` is not an agent that can be wired"))?;
    dialect.file(places, scope)
}
