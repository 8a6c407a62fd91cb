//! What the hook looks up: the standing of the signatures at hand, from the snapshot by bisection and from the ledger's end
//! behind it. The cost depends neither on the length of the ledger nor on the number of signatures. What cannot be read
//! is the worst assumption: nothing passes by what was learned.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

use leastgrant_core::action::Action;
use leastgrant_core::learn::{Account, Kind, Standing};
use leastgrant_core::policy::Policy;
use sha2::{Digest, Sha256};

use super::event::learnable;
use super::line::Line;
use super::open_regular;
use super::snapshot::{Entry, Pointer};
use super::{Store, ledger};

/// Most that is read of the ledger behind the snapshot.
pub(super) const BEHIND: u64 = 2 * 1024 * 1024;
/// Where bisection ends and reading begins.
const PIECE: u64 = 8 * 1024;
/// Longest line of a snapshot.
const LONGEST: u64 = 16 * 1024;

/// The key of a signature in a project.
#[must_use]
pub fn key(project: &str, signature: &str) -> String {
    let digest = Sha256::new().chain_update(project).chain_update([0]).chain_update(signature).finalize();
    let mut key = ledger::hex(&digest);
    key.truncate(32);
    key
}

impl Store {
    /// What is known of the signatures of these actions in a project.
    #[must_use]
    pub fn standing(&self, project: Option<&str>, actions: &[Action], policy: &Policy, now_ms: i64) -> Standing {
        let mut standing = Standing::default();
        let Some(project) = project else { return standing };
        if let Err(fault) = self.look_up(project, actions, policy, now_ms, &mut standing) {
            standing = Standing { unreadable: Some(fault), ..Standing::default() };
        }
        standing
    }

    /// What is known of one signature, as it is stored.
    ///
    /// # Errors
    /// In words: it cannot be read.
    pub fn account(&self, project: &str, signature: &str) -> Result<Account, String> {
        Known::open(self)?.account(&key(project, signature)).map_err(|fault| fault.to_string())
    }

    fn look_up(
        &self,
        project: &str,
        actions: &[Action],
        policy: &Policy,
        now_ms: i64,
        standing: &mut Standing,
    ) -> Result<(), String> {
        let known = Known::open(self).map_err(|fault| format!("{fault}; `leastgrant ledger compact` makes it new"))?;
        if known.is_empty() {
            return Ok(());
        }
        let mut seen: Vec<&str> = Vec::new();
        for signature in actions.iter().map(|action| action.signature.as_str()) {
            if seen.contains(&signature) {
                continue;
            }
            seen.push(signature);
            let key = key(project, &learnable(signature));
            let account = known.account(&key).map_err(|fault| fault.to_string())?;
            standing.learn(signature, &account, &policy.terms, policy.posture, now_ms);
        }
        Ok(())
    }
}

/// The snapshot, and what stands in the ledger behind it.
pub(super) struct Known {
    body: Option<(File, u64)>,
    behind: Vec<Line>,
}

impl Known {
    pub(super) fn open(store: &Store) -> Result<Self, String> {
        // the files that a snapshot names may go in the moment in which a new one comes
        Self::once(store).or_else(|_| Self::once(store))
    }

    fn once(store: &Store) -> Result<Self, String> {
        let pointer = Pointer::read(store).map_err(|fault| format!("the snapshot cannot be read: {fault}"))?;
        let ledger = match open_regular(&store.path(ledger::FILE)) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => None,
            other => Some(other.map_err(|fault| format!("the ledger cannot be read: {fault}"))?),
        };
        let Some(ledger) = ledger else {
            let empty = pointer.is_none_or(|pointer| pointer.offset == 0);
            return if empty {
                Ok(Self { body: None, behind: Vec::new() })
            } else {
                Err(String::from("the ledger is gone, and the snapshot with it"))
            };
        };
        let from = match &pointer {
            Some(pointer) if pointer.fits(&ledger) => pointer.offset,
            Some(_) => return Err(String::from("the snapshot does not belong to this ledger")),
            None => 0,
        };
        let behind = behind(&ledger, from).map_err(|fault| format!("the ledger cannot be read: {fault}"))?;
        let body = match pointer.and_then(|pointer| pointer.standing) {
            Some(name) => {
                let file =
                    open_regular(&store.path(&name)).map_err(|fault| format!("the snapshot is not there: {fault}"))?;
                let length = file.metadata().map_err(|fault| fault.to_string())?.len();
                Some((file, length))
            }
            None => None,
        };
        Ok(Self { body, behind: behind.ok_or_else(|| String::from("the ledger is far ahead of the snapshot"))? })
    }

    fn is_empty(&self) -> bool {
        self.body.is_none() && self.behind.is_empty()
    }

    /// What is known under a key.
    pub(super) fn account(&self, wanted: &str) -> io::Result<Account> {
        let mut account = match &self.body {
            Some((file, length)) => find(file, *length, wanted)?.unwrap_or_default(),
            None => Account::default(),
        };
        for line in &self.behind {
            let Some(kind) = Kind::from_id(&line.evidence) else { continue };
            if line.signatures.iter().any(|signature| key(&line.project, signature) == wanted) {
                account.add(kind, line.at, &line.session);
            }
        }
        Ok(account)
    }
}

/// Evidence in the ledger from an offset on; none where there is more than is read.
fn behind(ledger: &File, from: u64) -> io::Result<Option<Vec<Line>>> {
    let length = ledger.metadata()?.len();
    let Some(more) = length.checked_sub(from).filter(|more| *more <= BEHIND) else { return Ok(None) };
    let mut bytes = vec![0; usize::try_from(more).unwrap_or_default()];
    ledger.read_exact_at(&mut bytes, from)?;
    let evidence = |line: &&[u8]| {
        const MARK: &[u8] = br#""event":"evidence""#;
        line.get(..64).is_some_and(|head| head.windows(MARK.len()).any(|part| part == MARK))
    };
    let lines = bytes.split(|byte| *byte == b'\n').filter(evidence);
    Ok(Some(lines.filter_map(|line| Line::of(std::str::from_utf8(line).ok()?)).collect()))
}

/// The line with this key in a file that is sorted by keys.
pub(super) fn find(file: &File, length: u64, wanted: &str) -> io::Result<Option<Account>> {
    let (mut low, mut high) = (0, length);
    let mut bytes = Vec::new();
    while high - low > PIECE {
        let middle = low + (high - low) / 2;
        read(file, middle, (middle + LONGEST).min(length), &mut bytes)?;
        // the first line that begins behind the middle
        let Some(at) = bytes.iter().position(|byte| *byte == b'\n').filter(|at| at + 1 < bytes.len()) else {
            high = middle;
            continue;
        };
        let start = middle + at as u64 + 1;
        if start >= high {
            high = middle;
            continue;
        }
        let first = bytes.get(at + 1..).unwrap_or_default();
        match Entry::key_of(first) {
            Some(found) if found <= wanted.as_bytes() => low = start,
            Some(_) => high = middle,
            None => return Err(io::Error::new(io::ErrorKind::InvalidData, "the snapshot is damaged")),
        }
    }
    read(file, low, (high + LONGEST).min(length), &mut bytes)?;
    let found = bytes.split(|byte| *byte == b'\n').find(|line| Entry::key_of(line) == Some(wanted.as_bytes()));
    found
        .map(|line| serde_json::from_slice::<Entry>(line).map(|entry| entry.account))
        .transpose()
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the snapshot is damaged"))
}

fn read(file: &File, from: u64, to: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    bytes.resize(usize::try_from(to.saturating_sub(from)).unwrap_or_default(), 0);
    file.read_exact_at(bytes, from)
}

/// Which file it is: another one after a rewrite.
pub(super) fn generation(file: &File) -> io::Result<u64> {
    file.metadata().map(|about| about.ino())
}
