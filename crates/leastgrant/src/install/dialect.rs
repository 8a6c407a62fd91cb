//! One agent's settings, as far as we put something into them: which file, which entries, how they are told from
//! anybody else's, and how the agent would start them. How an edit is planned and carried out is the same for all.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::place::{Places, Scope};
use super::wiring::{Failure, Ours, Wiring};
use super::{claude_code, codex, copilot, gemini_cli, opencode, qwen_code};
use crate::edit::json::Refusal;

/// One event that we listen to.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// the agent's name for it
    pub name: &'static str,
    /// it is about a tool and takes a matcher
    pub tool: bool,
    /// what a failure of ours means
    pub failure: Failure,
}

impl Event {
    pub(super) const fn of(name: &'static str, tool: bool, failure: Failure) -> Self {
        Self { name, tool, failure }
    }
}

/// One of our entries in a file.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// the event it stands under
    pub event: String,
    /// number of its group
    pub group: usize,
    /// number in the group
    pub entry: usize,
    /// the group holds nothing else
    pub alone: bool,
    /// its command taken apart
    pub ours: Ours,
    /// its command as it stands there
    pub command: String,
}

/// A file with our entries in it, and what had to be repaired, in words.
#[derive(Clone, Debug)]
pub struct Wired<T = Vec<u8>> {
    /// the result
    pub document: T,
    /// what was not as it should be, for entries that were already there
    pub repairs: Vec<String>,
}

/// The settings file before and after, for files that follow it.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'b> {
    /// its bytes now
    pub before: Option<&'b [u8]>,
    /// its bytes afterwards
    pub after: Option<&'b [u8]>,
}

/// A file that goes with the settings file: a generated plugin, the trust in a hook.
#[derive(Clone, Debug)]
pub struct Beside {
    /// where
    pub path: PathBuf,
    /// its bytes afterwards, none for a file that goes
    pub after: Option<Vec<u8>>,
    /// mode of folders that have to be made
    pub folder_mode: u32,
    /// all of it is ours
    pub generated: bool,
}

/// One agent's way of having hooks.
pub trait Dialect: Sync {
    /// agent id, the word after `hook`
    fn agent(&self) -> &'static str;
    /// its name
    fn name(&self) -> &'static str;
    /// the file of a scope that is edited
    ///
    /// # Errors
    /// In words, why there is none.
    fn file(&self, places: &Places, scope: Scope) -> Result<PathBuf, String>;
    /// every file of a scope that may hold our entries
    fn files(&self, places: &Places, scope: Scope) -> Vec<PathBuf> {
        self.file(places, scope).into_iter().collect()
    }
    /// its own folder in the person's home: a sign that it is used here
    fn home(&self, places: &Places) -> PathBuf;
    /// every event that we are wired to; the first is the one before tool calls
    fn events(&self) -> &'static [Event];
    /// our entries, in the order of the file
    ///
    /// # Errors
    /// The file is not one that the agent would take.
    fn find(&self, file: &Path, bytes: &[u8]) -> Result<Vec<Found>, Refusal>;
    /// our entries by event, as text
    ///
    /// # Errors
    /// The file is not one that the agent would take.
    fn groups(&self, file: &Path, bytes: &[u8]) -> Result<Vec<(String, String)>, Refusal>;
    /// the file with our entries in it; `strip` takes comments and trailing commas out first
    ///
    /// # Errors
    /// The file is not one that we edit.
    fn wire(&self, bytes: &[u8], wiring: &Wiring, strip: bool) -> Result<Wired, Refusal>;
    /// the file without our entries; what stood empty in the original stays so
    ///
    /// # Errors
    /// The file is not one that we edit.
    fn unwire(&self, file: &Path, bytes: &[u8], original: Option<&[u8]>, strip: bool) -> Result<Vec<u8>, Refusal>;
    /// whether the agent drops this file for a byte order mark, so that one is not put back
    fn trips_over_bom(&self, file: &Path) -> bool {
        let _ = file;
        false
    }
    /// whether nothing is left in a file that we made
    fn is_bare(&self, file: &Path, bytes: &[u8]) -> bool;
    /// the files that go with it, as they should be afterwards
    ///
    /// # Errors
    /// One of them is not one that we edit.
    fn beside(&self, places: &Places, wiring: &Wiring, turn: Turn<'_>) -> Result<Vec<Beside>, String> {
        let _ = (places, wiring, turn);
        Ok(Vec::new())
    }
    /// what the agent would start before a tool call, for `sh -c`
    fn guard(&self, wiring: &Wiring) -> String {
        wiring.command(Failure::Blocks)
    }
    /// a call that must be refused, as the agent would send it
    fn trial(&self, here: &Path) -> Value;
    /// the decision in an answer to a tool call, if the agent would see one there
    fn decision<'v>(&self, answer: &'v Value) -> Option<&'v str>;
    /// what a person should know after an install
    fn notes(&self, places: &Places, wiring: &Wiring) -> Vec<String> {
        let _ = (places, wiring);
        Vec::new()
    }
    /// whether it has a trust that `--trust` can give
    fn takes_trust(&self) -> bool {
        false
    }
}

impl fmt::Debug for dyn Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.agent())
    }
}

/// Every agent that we can wire.
pub static ALL: [&dyn Dialect; 6] = [
    &claude_code::ClaudeCode,
    &codex::Codex,
    &copilot::Copilot,
    &gemini_cli::GeminiCli,
    &opencode::OpenCode,
    &qwen_code::QwenCode,
];

/// Agents whose calls are read, and that nobody could run here yet: their wiring would be a guess.
pub const READ_ONLY: [(&str, &str); 2] = [("antigravity", "Antigravity"), ("cursor", "Cursor")];

/// The agent of this id.
#[must_use]
pub fn of(agent: &str) -> Option<&'static dyn Dialect> {
    ALL.iter().copied().find(|dialect| dialect.agent() == agent)
}

/// Whether one of an agent's files of this scope holds an entry of ours before tool calls or after.
#[must_use]
pub fn is_wired(dialect: &dyn Dialect, places: &Places, scope: Scope) -> bool {
    dialect.files(places, scope).iter().any(|file| holds(dialect, file))
}

/// Whether this file holds an entry of ours.
#[must_use]
pub fn holds(dialect: &dyn Dialect, file: &Path) -> bool {
    let bytes = crate::edit::atomic::read(file, crate::edit::json::MAX_BYTES).ok().flatten();
    bytes.is_some_and(|bytes| dialect.find(file, &bytes).is_ok_and(|found| !found.is_empty()))
}

/// A file whose text says why it is refused.
#[must_use]
pub fn refused(file: &Path, refusal: &Refusal) -> String {
    format!("`{}`, {refusal}", file.display())
}

/// The decision in the form that Claude Code and those who followed it have.
#[must_use]
pub fn specific(answer: &Value) -> Option<&str> {
    let specific = answer.get("hookSpecificOutput")?;
    let named = specific.get("hookEventName").and_then(Value::as_str) == Some("PreToolUse");
    specific.get("permissionDecision").and_then(Value::as_str).filter(|_| named)
}
