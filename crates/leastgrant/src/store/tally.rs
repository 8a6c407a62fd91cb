//! What a session came to, in one line, for the moment it ends.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::Store;

/// A session that ends is near the end of the ledger; what lies further back is not counted.
const TAIL: u64 = 8 * 1024 * 1024;

/// How often what was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// allowed, or left to the agent's own rules
    pub passed: u64,
    /// asked about
    pub asked: u64,
    /// refused
    pub denied: u64,
}

#[derive(serde::Deserialize)]
struct Line {
    event: String,
    #[serde(default)]
    session: String,
    #[serde(default)]
    answer: String,
}

impl Tally {
    /// Counts a session's calls; a ledger that can't be read counts nothing.
    #[must_use]
    pub fn of(store: &Store, session: &str) -> Self {
        let mut tally = Self::default();
        let text = tail(store).unwrap_or_default();
        for line in text.lines().filter(|line| line.contains(session)) {
            let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
            if line.event != "call" || line.session != session {
                continue;
            }
            match line.answer.as_str() {
                "deny" => tally.denied += 1,
                "ask" => tally.asked += 1,
                _ => tally.passed += 1,
            }
        }
        tally
    }

    /// As people read it; none for a session in which nothing was judged.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        let Self { passed, asked, denied } = self;
        (passed + asked + denied > 0)
            .then(|| format!("leastgrant: {passed} passed, {asked} asked, {denied} denied in this session"))
    }
}

fn tail(store: &Store) -> std::io::Result<String> {
    let mut file = File::open(store.path(super::ledger::FILE))?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
