//! One change that a person made with our own command in a terminal, announced so that the sessions that run let it
//! through: bound to the file and its new content, short-lived, once per session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::edit::atomic;

const LIFETIME_MS: i64 = 120_000;

/// What may change.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Release {
    /// the settings file, links followed
    file: PathBuf,
    /// digest of its new content, none where it goes
    content: Option<String>,
    /// milliseconds since 1970
    until_ms: i64,
    /// sessions that let it through already
    used: Vec<String>,
}

fn path(state: &Path) -> PathBuf {
    state.join("release.json")
}

fn load(state: &Path, now_ms: i64) -> Vec<Release> {
    let bytes = fs::read(path(state)).unwrap_or_default();
    let releases: Vec<Release> = serde_json::from_slice(&bytes).unwrap_or_default();
    releases.into_iter().filter(|release| release.until_ms > now_ms && release.until_ms <= now_ms + LIFETIME_MS).collect()
}

fn save(state: &Path, releases: &[Release]) -> io::Result<()> {
    atomic::private_folder(state)?;
    atomic::write_own(&path(state), &serde_json::to_vec(releases)?)
}

/// Announces a change; an earlier announcement for the same file lapses.
///
/// # Errors
/// The state folder can't be written.
pub fn leave(state: &Path, file: &Path, content: Option<String>, now_ms: i64) -> io::Result<()> {
    let mut releases = load(state, now_ms);
    releases.retain(|release| release.file != file);
    releases.push(Release { file: file.to_owned(), content, until_ms: now_ms + LIFETIME_MS, used: Vec::new() });
    save(state, &releases)
}

/// Takes announcements for a file back.
///
/// # Errors
/// The state folder can't be written.
pub fn withdraw(state: &Path, file: &Path, now_ms: i64) -> io::Result<()> {
    let mut releases = load(state, now_ms);
    let before = releases.len();
    releases.retain(|release| release.file != file);
    if releases.len() == before { Ok(()) } else { save(state, &releases) }
}

/// Whether this change was announced; uses the announcement up for this session. An announcement that can't be
/// marked as used does not count.
#[must_use]
pub fn consume(state: &Path, session: &str, file: &Path, content: Option<&str>, now_ms: i64) -> bool {
    let mut releases = load(state, now_ms);
    let found = releases.iter_mut().find(|release| {
        release.file == file && release.content.as_deref() == content && !release.used.iter().any(|used| used == session)
    });
    let Some(release) = found else { return false };
    release.used.push(session.to_owned());
    save(state, &releases).is_ok()
}
