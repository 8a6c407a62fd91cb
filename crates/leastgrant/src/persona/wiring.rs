//! The guard's entry in agents' settings: one writer for both, under one tag. Put in, it is one entry however often; taken
//! out by the last who wanted it, the file is what it was, to the byte if nobody else changed it. Foreign entries are never
//! touched, and an absent home is never made.

pub mod command;
mod json;
mod toml;

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::owners::{self, Owner};
use crate::agent::HookEnv;
use crate::edit::atomic::{self, Fault};
use crate::edit::json::MAX_BYTES;
use crate::edit::lock::{Lock, key};
use crate::install::place::Places;

pub use command::Guard;

/// How often an edit is tried while somebody else keeps changing the file.
const TRIES: usize = 5;

/// An agent that the guard can be wired into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harness {
    /// Claude Code
    ClaudeCode,
    /// Codex CLI
    Codex,
}

impl Harness {
    /// Both.
    pub const ALL: [Self; 2] = [Self::ClaudeCode, Self::Codex];

    /// Its record id, which is also the word after `--agent`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    /// As people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
        }
    }

    /// Its program.
    #[must_use]
    pub fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
        }
    }
}

/// An agent's user settings on this machine.
#[derive(Clone, Debug)]
pub struct Target {
    /// whose
    pub harness: Harness,
    /// its configuration folder
    pub home: PathBuf,
    /// the file with the hooks
    pub file: PathBuf,
}

impl Target {
    /// Both agents' settings, whether they are there or not.
    #[must_use]
    pub fn all(places: &Places, env: &HookEnv) -> [Self; 2] {
        let codex = env.folder("CODEX_HOME").map_or_else(|| places.home.join(".codex"), PathBuf::from);
        [
            Self {
                harness: Harness::ClaudeCode,
                file: places.claude.join("settings.json"),
                home: places.claude.clone(),
            },
            Self { harness: Harness::Codex, file: codex.join("config.toml"), home: codex },
        ]
    }

    /// Whether its home is there.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.home.is_dir()
    }

    /// Our entry as it stands in the file: its command line.
    ///
    /// # Errors
    /// The file can't be read, or our block in it is broken.
    pub fn found(&self) -> Result<Option<Found>, String> {
        let bytes = atomic::read(&self.file, MAX_BYTES).map_err(|fault| fault.to_string())?.unwrap_or_default();
        match self.harness {
            Harness::ClaudeCode => json::found(&bytes),
            Harness::Codex => toml::found(&bytes, &self.file),
        }
    }
}

/// Our entry in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// the command line
    pub command: String,
    /// the matcher
    pub matcher: String,
    /// Codex: the agent will run it without asking
    pub trusted: Option<bool>,
}

/// What was done to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// the entry is new, or was mended
    Wired,
    /// it was there as it should be
    Already,
    /// it is out, and the file is byte for byte what it was
    Restored,
    /// it is out; what others changed meanwhile is kept
    Removed,
    /// it stays, for others want it
    Kept(Vec<String>),
    /// there was none
    Nothing,
}

#[derive(Serialize, Deserialize)]
struct Record {
    existed: bool,
    written: String,
}

/// What is kept about a file.
struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    fn of(state: &Path, real: &Path) -> Self {
        Self { folder: state.join("persona/wired").join(key(real)) }
    }

    fn record(&self) -> Option<Record> {
        serde_json::from_slice(&fs::read(self.folder.join("record.json")).ok()?).ok()
    }

    fn original(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.join("original")).ok()
    }

    fn keep(&self, original: Option<&[u8]>, after: &[u8]) -> std::io::Result<()> {
        atomic::private_folder(&self.folder)?;
        atomic::write_own(&self.folder.join("original"), original.unwrap_or_default())?;
        let record = Record { existed: original.is_some(), written: digest(after) };
        atomic::write_own(&self.folder.join("record.json"), &serde_json::to_vec(&record)?)
    }

    fn forget(&self) {
        for name in ["record.json", "original"] {
            let _ = fs::remove_file(self.folder.join(name));
        }
        let _ = fs::remove_dir(&self.folder);
    }
}

fn digest(bytes: &[u8]) -> String {
    leastgrant_core::persona::armed::digest(bytes)
}

/// Puts the guard into an agent's settings for an owner.
///
/// # Errors
/// In words; then the file is as it was.
pub fn wire(state: &Path, target: &Target, guard: &Guard, owner: &Owner) -> Result<Done, String> {
    if !target.is_there() {
        return Err(format!("`{}` is not there, and is not made", target.home.display()));
    }
    tried(state, target, |real, before, shelf| {
        let without = without(target, before.unwrap_or_default())?;
        let after = match target.harness {
            Harness::ClaudeCode => json::with(&without, &guard.command(target))?,
            Harness::Codex => toml::with(&without, &guard.command(target), &target.file, guard.trust)?,
        };
        owners::add(&shelf.folder, owner).map_err(|fault| fault.to_string())?;
        // a block of ours that others have since moved is as good where it is
        if before.is_some_and(|before| same(target, before, &after)) {
            return Ok(Some(Done::Already));
        }
        let original = shelf.original_of(before, &without);
        shelf.keep(original.as_deref(), &after).map_err(|fault| fault.to_string())?;
        replaced(atomic::replace(real, before, Some(&after)), Done::Wired)
    })
}

/// Takes the guard out for an owner; it stays where others want it.
///
/// # Errors
/// In words; then the file is as it was.
pub fn unwire(state: &Path, target: &Target, owner: &str) -> Result<Done, String> {
    if !target.is_there() {
        return Ok(Done::Nothing);
    }
    tried(state, target, |real, before, shelf| {
        owners::remove(&shelf.folder, owner).map_err(|fault| fault.to_string())?;
        let left: Vec<String> = owners::living(&shelf.folder).into_iter().map(|owner| owner.id).collect();
        if !left.is_empty() {
            return Ok(Some(Done::Kept(left)));
        }
        let Some(bytes) = before else {
            shelf.forget();
            return Ok(Some(Done::Nothing));
        };
        let without = without(target, bytes)?;
        let (after, done) = match shelf.record() {
            Some(record) if record.written == digest(bytes) => {
                (record.existed.then(|| shelf.original().unwrap_or_default()), Done::Restored)
            }
            _ if without == bytes => {
                shelf.forget();
                return Ok(Some(Done::Nothing));
            }
            _ => (Some(without), Done::Removed),
        };
        let done = replaced(atomic::replace(real, Some(bytes), after.as_deref()), done)?;
        if done.is_some() {
            shelf.forget();
        }
        Ok(done)
    })
}

impl Shelf {
    /// The bytes that the file would hold without us, as far as they are known.
    fn original_of(&self, before: Option<&[u8]>, without: &[u8]) -> Option<Vec<u8>> {
        let before = before?;
        match self.record() {
            Some(record) if record.written == digest(before) => {
                record.existed.then(|| self.original().unwrap_or_default())
            }
            _ => Some(without.to_vec()),
        }
    }
}

/// The file without our entry.
fn without(target: &Target, bytes: &[u8]) -> Result<Vec<u8>, String> {
    match target.harness {
        Harness::ClaudeCode => json::without(bytes),
        Harness::Codex => toml::without(bytes, &target.file),
    }
}

/// Whether the file holds exactly the one entry that would be written.
fn same(target: &Target, before: &[u8], after: &[u8]) -> bool {
    let read = |bytes: &[u8]| match target.harness {
        Harness::ClaudeCode => json::entries(bytes),
        Harness::Codex => toml::entries(bytes),
    };
    before == after || matches!((read(before).as_slice(), read(after).as_slice()), ([a], [b]) if a == b)
}

/// None where somebody else changed the file meanwhile: it is tried again.
fn replaced(outcome: Result<(), Fault>, done: Done) -> Result<Option<Done>, String> {
    match outcome {
        Ok(()) => Ok(Some(done)),
        Err(Fault::Changed) => Ok(None),
        Err(fault) => Err(fault.to_string()),
    }
}

fn tried(
    state: &Path,
    target: &Target,
    mut work: impl FnMut(&Path, Option<&[u8]>, &Shelf) -> Result<Option<Done>, String>,
) -> Result<Done, String> {
    let shown = |why: String| format!("`{}`: {why}", target.file.display());
    let real = atomic::resolve(&target.file).map_err(|fault| shown(fault.to_string()))?;
    atomic::private_folder(state).map_err(|fault| shown(fault.to_string()))?;
    let _lock = Lock::take(&state.join("locks"), &real).map_err(|fault| shown(fault.to_string()))?;
    let shelf = Shelf::of(state, &real);
    for _ in 0..TRIES {
        let before = atomic::read(&real, MAX_BYTES).map_err(|fault| shown(fault.to_string()))?;
        if let Some(done) = work(&real, before.as_deref(), &shelf).map_err(shown)? {
            return Ok(done);
        }
    }
    Err(shown(String::from("somebody else keeps changing it")))
}

/// Who wants the guard in an agent's settings.
#[must_use]
pub fn wanted_by(state: &Path, target: &Target) -> Vec<String> {
    let Ok(real) = atomic::resolve(&target.file) else { return Vec::new() };
    owners::living(&Shelf::of(state, &real).folder).into_iter().map(|owner| owner.id).collect()
}
