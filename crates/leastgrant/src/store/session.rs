//! What a session did that bears on its later calls: credentials that were read, files that it made. One append-only
//! file a session, each line written whole, so that parallel calls and subagents never lose one another's.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::time::Duration;

use leastgrant_core::policy::Session;
use leastgrant_core::redact::redact;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Store;

const FOLDER: &str = "sessions";
/// A session's record beyond this is not read: the worst is assumed.
const MAX: u64 = 4 * 1024 * 1024;
/// Made files are a convenience: they stop being added long before the record is full.
const ROOM_FOR_MADE: u64 = 1024 * 1024;
/// Longest path that is kept.
const LONGEST: usize = 4096;

/// How long a session may rest before it is forgotten: agents can take up old sessions again.
const KEPT: Duration = Duration::from_secs(90 * 24 * 3600);
/// How many records one clean-up looks at.
const LOOKED_AT: usize = 512;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Secret(String),
    Made(String),
}

/// A session's record.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// what core judges by
    pub session: Session,
    /// files that the session created
    pub made: HashSet<String>,
}

impl Store {
    /// What is known of a session; nothing is on record for a new one.
    #[must_use]
    pub fn session(&self, id: &str) -> Record {
        let mut record = Record::default();
        let text = match super::read_bounded(&self.session_file(id), MAX).map(Option::unwrap_or_default) {
            Ok(bytes) => String::from_utf8(bytes).ok(),
            Err(_) => None,
        };
        let Some(text) = text else {
            record.session.unreadable = true;
            return record;
        };
        for line in text.lines().filter(|line| !line.is_empty()) {
            match serde_json::from_str(line) {
                Ok(Line::Secret(name)) => {
                    if !record.session.read_secrets.contains(&name) {
                        record.session.read_secrets.push(name);
                    }
                }
                Ok(Line::Made(path)) => {
                    record.made.insert(path);
                }
                Err(_) => record.session.unreadable = true,
            }
        }
        record
    }

    /// Remembers that a credential may have been read.
    ///
    /// # Errors
    /// It could not be written.
    pub fn read_secret(&self, id: &str, name: &str) -> io::Result<()> {
        let name: String = redact(name).chars().take(LONGEST / 4).collect();
        self.remember(id, &Line::Secret(name), MAX)
    }

    /// Remembers that the session created a file.
    ///
    /// # Errors
    /// It could not be written.
    pub fn made_file(&self, id: &str, path: &str) -> io::Result<()> {
        if path.len() > LONGEST {
            return Ok(());
        }
        self.remember(id, &Line::Made(path.to_owned()), ROOM_FOR_MADE)
    }

    /// Removes the records of sessions that did nothing for [`KEPT`]; at most [`LOOKED_AT`] are looked at.
    pub fn prune_sessions(&self) {
        let Ok(names) = fs::read_dir(self.path(FOLDER)) else { return };
        let old = |entry: &fs::DirEntry| {
            let changed = entry.metadata().and_then(|about| about.modified()).ok();
            changed.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > KEPT)
        };
        for entry in names.take(LOOKED_AT).filter_map(Result::ok).filter(old) {
            let _ = fs::remove_file(entry.path());
        }
    }

    fn remember(&self, id: &str, line: &Line, room: u64) -> io::Result<()> {
        let mut file = self.appendable(&self.session_file(id))?;
        if file.metadata()?.len() > room {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        // the empty line before it keeps a torn neighbour from swallowing this one
        file.write_all(format!("\n{}\n", serde_json::to_string(line)?).as_bytes())
    }

    fn session_file(&self, id: &str) -> std::path::PathBuf {
        let plain = !id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let name = if plain { id.to_owned() } else { super::ledger::hex(&Sha256::digest(id.as_bytes())) };
        self.path(FOLDER).join(format!("{name}.jsonl"))
    }
}
