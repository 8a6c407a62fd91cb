//! Where a line waits when the ledger's lock did not come in time: a file of its own, moved to its name only when it is
//! whole, so that nothing a writer acknowledged is lost and nobody has to wait.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Store;

const FOLDER: &str = "spool";
/// How much one writer takes over. Less than the part of the ledger that is looked at for lines that a writer took over
/// before it died, so that none is taken twice.
const TAKEN_AT_ONCE: usize = 24 * 1024;
/// How many names one writer looks at.
const LOOKED_AT: usize = 256;

/// Leaves a body for the next writer.
pub(super) fn leave(store: &Store, body: &str) -> io::Result<()> {
    let folder = store.path(FOLDER);
    let stamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let name = format!("{stamp}-{}", std::process::id());
    let part = folder.join(format!("{name}.part"));
    let mut attempt = 0;
    loop {
        store.make_folder(&folder)?;
        // an empty folder may be removed between the two steps
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound && attempt < 8 => attempt += 1,
            Err(fault) => return Err(fault),
            Ok(mut file) => {
                file.write_all(format!("{body}\n").as_bytes())?;
                return fs::rename(&part, folder.join(format!("{name}.jsonl")));
            }
        }
    }
}

/// Lines that one writer takes over.
pub(super) struct Waiting {
    pub(super) bodies: Vec<String>,
    files: Vec<PathBuf>,
    folder: PathBuf,
}

/// What waits, oldest first and bounded. Called under the ledger's lock; `tail` reads the ledger's end.
pub(super) fn waiting(store: &Store, tail: impl FnOnce() -> io::Result<String>) -> Waiting {
    let folder = store.path(FOLDER);
    let mut found = Waiting { bodies: Vec::new(), files: Vec::new(), folder };
    let Ok(names) = fs::read_dir(&found.folder) else { return found };
    let mut paths: Vec<PathBuf> = names
        .take(LOOKED_AT)
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    paths.sort();
    if paths.is_empty() {
        return found;
    }
    let Ok(tail) = tail() else { return found };
    let mut room = TAKEN_AT_ONCE;
    for path in paths {
        let Ok(Some(bytes)) = super::read_bounded(&path, TAKEN_AT_ONCE as u64) else { continue };
        let Some(left) = room.checked_sub(bytes.len()) else { break };
        room = left;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let body = text.trim_end_matches('\n');
        // a writer that died after its append and before its clean-up has left this file behind
        let known = body.strip_suffix('}').is_some_and(|open| tail.contains(&format!("{open},\"sum\":")));
        if !known && body.ends_with('}') && !body.contains('\n') {
            found.bodies.push(body.to_owned());
        }
        found.files.push(path);
    }
    found
}

impl Waiting {
    /// The bodies are in the ledger: their files go.
    pub(super) fn taken(self) {
        if self.files.is_empty() {
            return;
        }
        for file in self.files {
            let _ = fs::remove_file(file);
        }
        // fails unless it is empty, which is what is wanted
        let _ = fs::remove_dir(self.folder);
    }
}

/// How many lines wait.
pub(super) fn count(store: &Store) -> usize {
    let Ok(names) = fs::read_dir(store.path(FOLDER)) else { return 0 };
    names.filter_map(Result::ok).filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl")).count()
}
