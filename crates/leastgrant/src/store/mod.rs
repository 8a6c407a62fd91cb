//! Our state folder: the ledger, what a session did so far, rules and policy. Nothing here may change a verdict or stop
//! an answer: every failure comes back as a value, and unreadable state is the worst assumption, said aloud.

pub mod again;
pub mod collect;
pub mod event;
pub mod keep;
pub mod ledger;
pub mod line;
pub mod policy;
pub mod release;
pub mod rules;
pub mod session;
pub mod snapshot;
mod spool;
pub mod standing;
pub mod tally;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The state folder. It need not exist; it is made by the first write.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The store in this folder.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Opens a file of ours for appending; it and the folders above it are made for the person alone.
    fn appendable(&self, path: &Path) -> io::Result<File> {
        let open = || OpenOptions::new().append(true).read(true).create(true).mode(0o600).open(path);
        let file = match open() {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                self.make_folder(path.parent().unwrap_or(&self.root))?;
                open()?
            }
            other => other?,
        };
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
        }
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }
}

/// A regular file; one that a pipe or a device stands in for is never waited for.
fn open_regular(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

/// At most `max` bytes of a regular file; none if there is no such file.
fn read_bounded(path: &Path, max: u64) -> io::Result<Option<Vec<u8>>> {
    use std::io::Read;
    let file = match OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path) {
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len().min(max)).unwrap_or_default());
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {max} bytes")));
    }
    Ok(Some(bytes))
}

/// Opening a pipe that somebody put there must not wait for its other end.
#[expect(clippy::cast_possible_wrap, reason = "a flag of the kernel, the same bits in both types")]
pub(crate) const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;
