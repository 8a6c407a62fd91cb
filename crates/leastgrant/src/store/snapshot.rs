//! The snapshot: everything that was learned, sorted by key, and how far in the ledger it goes. A cache: the ledger is the
//! truth, and a snapshot that does not fit it is made again. `snapshot.json` names the other two files and is replaced at
//! once, so that a reader sees the old state or the new one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{SystemTime, UNIX_EPOCH};

use leastgrant_core::learn::Account;
use serde::{Deserialize, Serialize};

use super::collect::Waiting;
use super::ledger::digest_before;
use super::open_regular;
use super::{Store, standing};
use crate::edit::atomic;

/// The file that names the others.
pub const FILE: &str = "snapshot.json";

/// How far the snapshot goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pointer {
    /// version of this format
    pub v: u32,
    /// which ledger file
    pub generation: u64,
    /// how many bytes of it are in here
    pub offset: u64,
    /// digest of the last whole line before the offset
    pub head: Option<String>,
    /// the file with what was learned; none where that is nothing
    pub standing: Option<String>,
    /// how many signatures are in it
    pub signatures: usize,
    /// the file with calls whose outcome is not known yet
    pub waiting: Option<String>,
    /// from where the transcripts of open calls are read on, by device and number of the file
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub transcripts: BTreeMap<String, u64>,
    /// milliseconds since 1970
    pub at: i64,
}

impl Pointer {
    /// The one in force; none where there is no snapshot.
    pub(super) fn read(store: &Store) -> io::Result<Option<Self>> {
        let Some(bytes) = super::read_bounded(&store.path(FILE), 64 * 1024)? else { return Ok(None) };
        let pointer: Self = serde_json::from_slice(&bytes)?;
        let plain = |name: &Option<String>| name.as_ref().is_none_or(|name| !name.contains('/'));
        if pointer.v == 1 && plain(&pointer.standing) && plain(&pointer.waiting) {
            Ok(Some(pointer))
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidData, "not a snapshot of this version"))
        }
    }

    /// Whether it is about this file, unchanged up to the offset.
    pub(super) fn fits(&self, ledger: &File) -> bool {
        if standing::generation(ledger).ok() != Some(self.generation) {
            return false;
        }
        match &self.head {
            None => self.offset == 0,
            Some(head) => digest_before(ledger, self.offset).ok().flatten().as_ref() == Some(head),
        }
    }
}

/// One signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// see [`standing::key`]
    pub key: String,
    /// the project's root
    pub project: String,
    /// the signature, redacted
    pub signature: String,
    /// what is known
    #[serde(default)]
    pub account: Account,
}

impl Entry {
    /// The key at the beginning of a line.
    pub(super) fn key_of(line: &[u8]) -> Option<&[u8]> {
        let rest = line.strip_prefix(br#"{"key":""#)?;
        rest.get(..32).filter(|_| rest.get(32) == Some(&b'"'))
    }
}

/// What was learned, by key.
pub type Entries = BTreeMap<String, Entry>;

/// Everything in the snapshot in force.
///
/// # Errors
/// A file cannot be read or is damaged.
pub fn entries(store: &Store, mut each: impl FnMut(Entry)) -> io::Result<()> {
    let Some(name) = Pointer::read(store)?.and_then(|pointer| pointer.standing) else { return Ok(()) };
    for line in BufReader::new(open_regular(&store.path(&name))?).lines() {
        each(serde_json::from_str(&line?)?);
    }
    Ok(())
}

/// Writes a new snapshot: the old one with `changed` in the place of what it had under the same keys.
pub(super) fn write(
    store: &Store,
    old: Option<&Pointer>,
    mut next: Pointer,
    changed: &Entries,
    waiting: &[Waiting],
) -> io::Result<()> {
    let stamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let had = old.and_then(|old| old.standing.clone());
    if changed.is_empty() {
        next.standing.clone_from(&had);
        next.signatures = old.map_or(0, |old| old.signatures);
    } else {
        let name = format!("standing-{stamp}.jsonl");
        next.signatures = merge(store, had.as_deref(), &name, changed)?;
        next.standing = Some(name);
    }
    if !waiting.is_empty() {
        let name = format!("waiting-{stamp}.jsonl");
        let mut out = create(store, &name)?;
        for call in waiting {
            serde_json::to_writer(&mut out, call)?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
        next.waiting = Some(name);
    }
    atomic::write_own(&store.path(FILE), serde_json::to_string(&next)?.as_bytes())?;
    sweep(store, &next);
    Ok(())
}

fn create(store: &Store, name: &str) -> io::Result<BufWriter<File>> {
    store.make_folder(store.root())?;
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(store.path(name))?;
    Ok(BufWriter::with_capacity(256 * 1024, file))
}

/// Merges two sorted lists; gives how many lines came out.
fn merge(store: &Store, had: Option<&str>, name: &str, changed: &Entries) -> io::Result<usize> {
    let mut out = create(store, name)?;
    let mut count = 0;
    let mut put = |out: &mut BufWriter<File>, text: &[u8]| -> io::Result<()> {
        count += 1;
        out.write_all(text)?;
        out.write_all(b"\n")
    };
    let mut rest = changed.iter().peekable();
    if let Some(had) = had {
        let mut lines = BufReader::with_capacity(256 * 1024, open_regular(&store.path(had))?);
        let mut line = Vec::new();
        loop {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            while line.last() == Some(&b'\n') {
                line.pop();
            }
            let key = Entry::key_of(&line).ok_or(io::ErrorKind::InvalidData)?.to_vec();
            while let Some((_, entry)) = rest.next_if(|(next, _)| next.as_bytes() < key.as_slice()) {
                put(&mut out, &serde_json::to_vec(entry)?)?;
            }
            if let Some((_, entry)) = rest.next_if(|(next, _)| next.as_bytes() == key.as_slice()) {
                put(&mut out, &serde_json::to_vec(entry)?)?;
            } else {
                put(&mut out, &line)?;
            }
        }
    }
    for (_, entry) in rest {
        put(&mut out, &serde_json::to_vec(entry)?)?;
    }
    out.flush()?;
    Ok(count)
}

/// Removes the files of older snapshots. A reader that has one open keeps it.
fn sweep(store: &Store, next: &Pointer) {
    let Ok(names) = fs::read_dir(store.root()) else { return };
    for entry in names.filter_map(Result::ok) {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let ours = (name.starts_with("standing-") || name.starts_with("waiting-")) && name.ends_with(".jsonl");
        let kept = [&next.standing, &next.waiting].into_iter().flatten().any(|kept| kept == name);
        if ours && !kept {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The digest of the last whole line that ends before an offset.
pub(super) fn head(ledger: &File, offset: u64) -> io::Result<Option<String>> {
    if offset == 0 { Ok(None) } else { digest_before(ledger, offset) }
}
