//! What would be written, shown before it is, applied as a whole, undone as a whole.

use std::fs;
use std::path::PathBuf;

use super::atomic::{self, Fault};

/// One file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// as the person knows it
    pub path: PathBuf,
    /// links followed
    pub real: PathBuf,
    /// bytes that were read, none for no file
    pub before: Option<Vec<u8>>,
    /// bytes to be written, none for a file that goes
    pub after: Option<Vec<u8>>,
    /// mode of folders that have to be made
    pub folder_mode: u32,
    /// a program: made executable, not shown as text
    pub program: bool,
}

impl Change {
    /// Whether nothing would be written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }
}

/// Several changes that belong together.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// in the order in which they are written
    pub changes: Vec<Change>,
}

impl Plan {
    /// Whether nothing would be written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.iter().all(Change::is_empty)
    }

    /// Writes everything; what was written before a failure is undone.
    ///
    /// # Errors
    /// The first failure, with what could not be undone after it.
    pub fn apply(&self) -> Result<Applied, (Fault, Vec<String>)> {
        let mut applied = Applied::default();
        for change in self.changes.iter().filter(|change| !change.is_empty()) {
            if let Err(fault) = applied.write(change) {
                return Err((fault, applied.undo()));
            }
        }
        Ok(applied)
    }
}

/// What was written.
#[derive(Debug, Default)]
pub struct Applied {
    done: Vec<Change>,
    /// folders that were made, outermost first
    pub folders: Vec<PathBuf>,
    /// backups that were kept
    pub backups: Vec<PathBuf>,
}

impl Applied {
    fn write(&mut self, change: &Change) -> Result<(), Fault> {
        if change.after.is_some() {
            self.folders.extend(atomic::make_folders(&change.real, change.folder_mode)?);
        }
        if let Some(before) = change.before.as_ref().filter(|_| !change.program) {
            self.backups.push(atomic::backup(&change.real, before)?);
        }
        match &change.after {
            Some(after) if change.program => atomic::write_program(&change.real, after)?,
            _ => atomic::replace(&change.real, change.before.as_deref(), change.after.as_deref())?,
        }
        self.done.push(change.clone());
        Ok(())
    }

    /// Puts everything back and names what could not be.
    #[must_use]
    pub fn undo(self) -> Vec<String> {
        let mut left = Vec::new();
        for change in self.done.iter().rev() {
            if let Err(fault) = atomic::replace(&change.real, change.after.as_deref(), change.before.as_deref()) {
                left.push(format!("`{}` could not be put back: {fault}", change.path.display()));
            }
        }
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
        if left.is_empty() {
            for backup in &self.backups {
                let _ = fs::remove_file(backup);
            }
        }
        left
    }
}
