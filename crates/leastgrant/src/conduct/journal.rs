//! The journal on disk: made once, appended to, each line seen on disk before its consequence. A journal that was moved
//! away is never made again without its header.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use leastgrant_core::conduct::journal::{Header, Journal, LARGEST};

/// The file's name in a persona's folder.
pub(super) const NAME: &str = "JOURNEY.jsonl";

/// An open journal.
#[derive(Debug)]
pub(super) struct Writer {
    path: PathBuf,
    file: File,
}

impl Writer {
    /// Makes a journal with its header.
    pub(super) fn create(folder: &Path, header: &Header) -> io::Result<Self> {
        let path = folder.join(NAME);
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        let mut writer = Self { path, file };
        writer.append(&header.line())?;
        File::open(folder)?.sync_all()?;
        Ok(writer)
    }

    /// Opens a journal to go on with it; a line that was cut off while it was written is ended, and stays as a warning.
    pub(super) fn open(folder: &Path) -> Result<(Self, Journal), String> {
        let path = folder.join(NAME);
        let journal = read(folder)?;
        let file = OpenOptions::new().append(true).open(&path).map_err(|error| format!("`{NAME}`: {error}"))?;
        let mut writer = Self { path, file };
        if journal.torn {
            writer.append("\n").map_err(|error| format!("`{NAME}`: {error}"))?;
        }
        Ok((writer, journal))
    }

    /// One line, on disk when this returns.
    pub(super) fn append(&mut self, line: &str) -> io::Result<()> {
        if !self.path.exists() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the journal is gone"));
        }
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()
    }
}

/// Reads the journal in a persona's folder.
pub(super) fn read(folder: &Path) -> Result<Journal, String> {
    let path = folder.join(NAME);
    let bytes =
        crate::edit::atomic::read(&path, LARGEST).map_err(|fault| format!("`{NAME}` cannot be read: {fault}"))?;
    let bytes = bytes.ok_or_else(|| format!("there is no `{NAME}`"))?;
    Journal::read(&bytes)
}
