//! What an install left behind in our state folder: what the file would be without us, and what we put into it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::wiring::Wiring;
use crate::edit::atomic;
use crate::edit::lock::key;

/// One wired file.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Record {
    /// format of this file
    pub format: u32,
    /// what was wired
    pub wiring: Wiring,
    /// the settings file, links followed
    pub real: PathBuf,
    /// our entries by event, as JSON text
    pub groups: Vec<(String, String)>,
    /// digest of the bytes that we wrote
    pub written: String,
    /// whether a file was there before us; its bytes without us are kept beside this record
    pub existed: bool,
    /// files that go with it
    #[serde(default)]
    pub beside: Vec<Beside>,
    /// folders that we made, outermost first
    pub folders: Vec<PathBuf>,
    /// our version
    pub version: String,
    /// when, in milliseconds since 1970
    pub at_ms: i64,
    /// uninstalled without a person at a terminal, in milliseconds since 1970: for a while, a session that still runs
    /// with our hook must not take that over (see `config_change`)
    pub removed_ms: Option<i64>,
}

/// A file that goes with a settings file.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Beside {
    /// where, links followed
    pub real: PathBuf,
    /// digest of the bytes that we wrote
    pub written: String,
    /// whether a file was there before us; its bytes without us are kept
    pub existed: bool,
}

impl Record {
    /// Whether the file should hold our entries now.
    #[must_use]
    pub fn is_wired(&self) -> bool {
        self.removed_ms.is_none()
    }
}

/// Format of the records.
pub const FORMAT: u32 = 1;

/// Hex digest of a file's bytes.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn folder(state: &Path) -> PathBuf {
    state.join("install")
}

/// The record of a file, none if there is none or it can't be read.
#[must_use]
pub fn load(state: &Path, real: &Path) -> Option<Record> {
    let bytes = fs::read(folder(state).join(format!("{}.json", key(real)))).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// All records.
#[must_use]
pub fn all(state: &Path) -> Vec<Record> {
    let Ok(entries) = fs::read_dir(folder(state)) else { return Vec::new() };
    let mut records: Vec<Record> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "json"))
        .filter_map(|entry| serde_json::from_slice(&fs::read(entry.path()).ok()?).ok())
        .collect();
    records.sort_by(|a, b| a.real.cmp(&b.real));
    records
}

/// The bytes that the file would hold without us.
#[must_use]
pub fn original(state: &Path, real: &Path) -> Option<Vec<u8>> {
    fs::read(folder(state).join(format!("{}.original", key(real)))).ok()
}

/// Keeps a record, and the bytes without us where there was a file.
///
/// # Errors
/// The state folder can't be written.
pub fn store(state: &Path, record: &Record, original: Option<&[u8]>) -> io::Result<()> {
    atomic::private_folder(state)?;
    let name = key(&record.real);
    keep(state, &record.real, original)?;
    let mut text = serde_json::to_vec_pretty(record)?;
    text.push(b'\n');
    atomic::write_own(&folder(state).join(format!("{name}.json")), &text)
}

/// Keeps the bytes that a file would hold without us, or that there was none.
///
/// # Errors
/// The state folder can't be written.
pub fn keep(state: &Path, real: &Path, original: Option<&[u8]>) -> io::Result<()> {
    let beside = folder(state).join(format!("{}.original", key(real)));
    match original {
        Some(bytes) => atomic::write_own(&beside, bytes),
        None => match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

/// Marks a file as uninstalled without a terminal; the kept bytes go.
///
/// # Errors
/// The state folder can't be written.
pub fn mark_removed(state: &Path, record: &Record, now_ms: i64) -> io::Result<()> {
    for beside in &record.beside {
        keep(state, &beside.real, None)?;
    }
    store(state, &Record { removed_ms: Some(now_ms), beside: Vec::new(), ..record.clone() }, None)
}

/// Drops a record as if it had never been.
pub fn forget(state: &Path, real: &Path) {
    for beside in load(state, real).iter().flat_map(|record| &record.beside) {
        let _ = keep(state, &beside.real, None);
    }
    let name = key(real);
    for ending in ["json", "original"] {
        let _ = fs::remove_file(folder(state).join(format!("{name}.{ending}")));
    }
}
