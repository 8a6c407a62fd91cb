//! The ledger: append-only lines of JSON, one locked write per event, each line chained to the one before by digests.
//!
//! A line ends in `"sum":S,"prev":P,"digest":D}`: S digests the line without these three, D digests P and S. So a body can
//! be erased later and its digests stay. A torn line (a crash, a full disk) has no such end: it is skipped and counted,
//! and the next writer starts a new line. Shows damage; it does not stop somebody with the person's own rights.

use std::fmt::Write as _;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::event::Event;
use super::line::Line;
use super::open_regular;
use super::{Store, spool};

/// The file.
pub const FILE: &str = "ledger.jsonl";
const LOCK: &str = "ledger.lock";
/// How long a writer waits for the others before it leaves its line in the spool.
const PATIENCE: Duration = Duration::from_millis(50);
/// The same for who can't use the spool.
const LONG_PATIENCE: Duration = Duration::from_secs(10);
/// `prev` of the first line.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Length of `"sum":"…","prev":"…","digest":"…"}` with 64 digits each.
const SEAL: usize = 64 * 3 + r#""sum":"","prev":"","digest":""}"#.len();
/// Whole lines are shorter than this; more is never read to find the last one.
const TAIL: u64 = 64 * 1024;

/// Where a line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// to the ledger
    Ledger,
    /// to the spool, from which the next writer takes it
    Spool,
}

impl Store {
    /// Appends one event.
    ///
    /// # Errors
    /// Neither the ledger nor the spool could be written; the event is lost and the caller goes on.
    pub fn append(&self, event: &Event) -> io::Result<Kept> {
        let body = serde_json::to_string(event)?;
        match self.append_locked(&body) {
            Ok(()) => Ok(Kept::Ledger),
            Err(_) => spool::leave(self, &body).map(|()| Kept::Spool),
        }
    }

    /// Appends several events at once; they never go to the spool.
    ///
    /// # Errors
    /// The ledger could not be written; none of them is in it as far as anybody was told.
    pub fn append_all(&self, events: &[Event]) -> io::Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        let bodies = events.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
        self.append_bodies(&bodies, LONG_PATIENCE)
    }

    fn append_locked(&self, body: &str) -> io::Result<()> {
        self.append_bodies(&[body], PATIENCE)
    }

    fn append_bodies(&self, bodies: &[&str], patience: Duration) -> io::Result<()> {
        let _lock = self.lock_ledger(patience)?;
        let mut file = self.appendable(&self.path(FILE))?;
        let end = End::find(&mut file)?;
        let mut text = String::new();
        let mut prev = end.last.clone().unwrap_or_else(|| GENESIS.to_owned());
        if end.torn {
            text.push('\n');
        }
        let waiting = spool::waiting(self, || tail(&mut file, TAIL));
        for body in waiting.bodies.iter().map(String::as_str).chain(bodies.iter().copied()) {
            prev = seal(body, &prev, &mut text)?;
        }
        file.write_all(text.as_bytes())?;
        waiting.taken();
        Ok(())
    }

    /// The lock that every writer of the ledger holds; it ends with the value.
    pub(super) fn lock_ledger(&self, patience: Duration) -> io::Result<File> {
        let lock = self.appendable(&self.path(LOCK))?;
        wait_for(&lock, patience)?;
        Ok(lock)
    }
}

pub(super) fn wait_for(lock: &File, patience: Duration) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < patience => sleep(Duration::from_micros(500)),
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(fault)) => return Err(fault),
        }
    }
}

/// Adds a body with its seal to `text` and gives the line's digest.
fn seal(body: &str, prev: &str, text: &mut String) -> io::Result<String> {
    let open = body.strip_suffix('}').ok_or(io::ErrorKind::InvalidData)?;
    let sum = hex(&Sha256::digest(body.as_bytes()));
    let digest = chained(prev, &sum);
    let _ = writeln!(text, r#"{open},"sum":"{sum}","prev":"{prev}","digest":"{digest}"}}"#);
    Ok(digest)
}

fn chained(prev: &str, sum: &str) -> String {
    hex(&Sha256::new().chain_update(prev).chain_update(sum).finalize())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The three digests at the end of a line.
pub(super) struct Seal<'a> {
    pub(super) body: &'a str,
    sum: &'a str,
    prev: &'a str,
    digest: &'a str,
}

impl<'a> Seal<'a> {
    pub(super) fn of(line: &'a str) -> Option<Self> {
        let (body, seal) = line.split_at_checked(line.len().checked_sub(SEAL + 1)?)?;
        let rest = seal.strip_prefix(r#","sum":""#)?;
        let (sum, rest) = rest.split_at_checked(64)?;
        let (prev, rest) = rest.strip_prefix(r#"","prev":""#)?.split_at_checked(64)?;
        let (digest, rest) = rest.strip_prefix(r#"","digest":""#)?.split_at_checked(64)?;
        (rest == r#""}"#).then_some(Self { body, sum, prev, digest })
    }
}

/// Whether a text is a whole line.
#[must_use]
pub fn sealed(line: &str) -> bool {
    Seal::of(line).is_some()
}

/// The digest of the last whole line that ends before an offset.
pub(super) fn digest_before(file: &File, offset: u64) -> io::Result<Option<String>> {
    use std::os::unix::fs::FileExt;
    for look in [2 * 1024, TAIL] {
        let from = offset.saturating_sub(look);
        let mut bytes = vec![0; usize::try_from(offset - from).unwrap_or_default()];
        file.read_exact_at(&mut bytes, from)?;
        let text = String::from_utf8_lossy(&bytes);
        let found = text.lines().rev().find_map(|line| Seal::of(line).map(|seal| seal.digest.to_owned()));
        if found.is_some() || from == 0 {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Gives every line that ends behind an offset to `each`, and the offset behind the last one.
pub(super) fn each_from(file: &File, from: u64, mut each: impl FnMut(&str)) -> io::Result<u64> {
    use std::io::BufRead;
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(from))?;
    let mut reader = io::BufReader::with_capacity(256 * 1024, file);
    let (mut at, mut line) = (from, Vec::new());
    loop {
        line.clear();
        let count = Read::by_ref(&mut reader).take(TAIL).read_until(b'\n', &mut line)?;
        let ended = line.last() == Some(&b'\n');
        if count == 0 || (!ended && (count as u64) < TAIL) {
            return Ok(at);
        }
        at += count as u64;
        if let Ok(text) = std::str::from_utf8(line.get(..count.saturating_sub(1)).unwrap_or_default())
            && ended
        {
            each(text);
        }
    }
}

/// How the file ends.
struct End {
    /// digest of the last whole line; none in an empty file
    last: Option<String>,
    /// the last line has no end
    torn: bool,
}

impl End {
    fn find(file: &mut File) -> io::Result<Self> {
        let mut end = Self { last: None, torn: false };
        // nearly always the short look holds the last line; the long one is for a torn end
        for look in [4 * 1024, TAIL] {
            let tail = tail(file, look)?;
            end.torn = !tail.is_empty() && !tail.ends_with('\n');
            end.last = tail.lines().rev().find_map(|line| Seal::of(line).map(|seal| seal.digest.to_owned()));
            if end.last.is_some() || (tail.len() as u64) < look {
                break;
            }
        }
        Ok(end)
    }
}

/// The last bytes of a file.
fn tail(file: &mut File, look: u64) -> io::Result<String> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(look)))?;
    let mut bytes = Vec::with_capacity(usize::try_from(look.min(length)).unwrap_or_default() + 1);
    Read::by_ref(file).take(look).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a check of the whole chain found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// whole lines
    pub lines: usize,
    /// whole lines whose body was erased
    pub erased: usize,
    /// numbers of lines that are no whole lines (at most 100 are listed)
    pub torn: Vec<usize>,
    /// numbers of lines whose body is not what was written
    pub changed: Vec<usize>,
    /// numbers of lines that do not follow from the one before
    pub broken: Vec<usize>,
    /// digest of the last whole line
    pub head: Option<String>,
    /// lines that wait in the spool
    pub spooled: usize,
}

impl Checked {
    /// Whether every line is what was written and follows from the one before. Torn lines were never acknowledged.
    #[must_use]
    pub fn intact(&self) -> bool {
        self.changed.is_empty() && self.broken.is_empty()
    }
}

/// Checks every line of a store's ledger.
///
/// # Errors
/// The file cannot be read; one that is not there is empty.
pub fn verify(store: &Store) -> io::Result<Checked> {
    let mut checked = Checked { spooled: spool::count(store), ..Checked::default() };
    let mut prev = GENESIS.to_owned();
    for_each_line(&store.path(FILE), |number, line| {
        let Some(seal) = Seal::of(line) else {
            note(&mut checked.torn, number);
            return;
        };
        checked.lines += 1;
        let whole = format!("{}}}", seal.body);
        if seal.body.starts_with(r#"{"v":1,"erased":true"#) {
            checked.erased += 1;
        } else if hex(&Sha256::digest(whole.as_bytes())) != seal.sum {
            note(&mut checked.changed, number);
        }
        if seal.prev != prev || chained(seal.prev, seal.sum) != seal.digest {
            note(&mut checked.broken, number);
        }
        seal.digest.clone_into(&mut prev);
    })?;
    checked.head = (checked.lines > 0).then_some(prev);
    Ok(checked)
}

/// The lines of a store's ledger as values, oldest first; lines that are not whole are left out.
///
/// # Errors
/// The file cannot be read; one that is not there is empty.
pub fn read(store: &Store) -> io::Result<Vec<serde_json::Value>> {
    let mut events = Vec::new();
    for_each_line(&store.path(FILE), |_, line| {
        if Seal::of(line).is_some() {
            events.extend(serde_json::from_str(line));
        }
    })?;
    Ok(events)
}

/// Lines since a time, oldest first, and how many in between are no whole lines. Read from the end, so that the length of
/// the ledger does not matter.
///
/// # Errors
/// The file cannot be read; one that is not there is empty.
pub fn since(store: &Store, at_ms: i64) -> io::Result<(Vec<Line>, usize)> {
    let file = match open_regular(&store.path(FILE)) {
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        other => other?,
    };
    let length = file.metadata()?.len();
    let mut look: u64 = 256 * 1024;
    loop {
        let from = length.saturating_sub(look);
        let (mut lines, mut torn, mut first) = (Vec::new(), 0, from > 0);
        let mut oldest = i64::MAX;
        each_from(&file, from, |text| {
            // the first one is most likely cut
            if std::mem::take(&mut first) || text.is_empty() {
                return;
            }
            match Line::of(text) {
                Some(line) => {
                    // evidence carries the time of its call
                    oldest = if line.event == "evidence" { oldest } else { oldest.min(line.at) };
                    if line.at >= at_ms {
                        lines.push(line);
                    }
                }
                None => torn += 1,
            }
        })?;
        if from == 0 || (oldest < at_ms && oldest != i64::MAX) {
            return Ok((lines, torn));
        }
        look *= 4;
    }
}

pub(super) fn for_each_line(path: &Path, mut each: impl FnMut(usize, &str)) -> io::Result<()> {
    use std::io::BufRead;
    let file = match open_regular(path) {
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let mut reader = io::BufReader::new(file);
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if Read::by_ref(&mut reader).take(TAIL).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches('\n');
        if !text.is_empty() {
            each(number, text);
        }
    }
}

fn note(list: &mut Vec<usize>, number: usize) {
    if list.len() < 100 {
        list.push(number);
    }
}
