//! Who wants the guard in a settings file. Each run is one owner, and so is each project whose person wired it by hand; the
//! entry goes with the last of them. An owner whose process is gone no longer counts.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::edit::atomic;

/// One owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// `project:ROOT` or `run:ID`
    pub id: String,
    /// the conductor's process; none for a person's wiring
    pub pid: Option<u32>,
    /// when it was started, in the kernel's own count
    pub started: Option<u64>,
    /// milliseconds since 1970
    pub at_ms: i64,
}

impl Owner {
    /// A person who wires a project by hand.
    #[must_use]
    pub fn of_project(root: &Path, at_ms: i64) -> Self {
        Self { id: format!("project:{}", root.display()), pid: None, started: None, at_ms }
    }

    /// A run of this process.
    #[must_use]
    pub fn of_run(id: &str, at_ms: i64) -> Self {
        let pid = std::process::id();
        Self { id: format!("run:{id}"), pid: Some(pid), started: started(pid), at_ms }
    }

    fn is_alive(&self) -> bool {
        match (self.pid, self.started) {
            (None, _) => true,
            (Some(pid), Some(at)) => started(pid) == Some(at),
            // a system that does not tell when: only the number is known
            (Some(pid), None) => started(pid).is_some(),
        }
    }
}

/// When a process was started, in the kernel's own count; none if there is no such process.
#[must_use]
pub fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // the name in brackets may hold blanks and brackets
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

fn file(folder: &Path, id: &str) -> std::path::PathBuf {
    folder.join(format!("owner-{}.json", crate::edit::lock::key(Path::new(id))))
}

/// Adds an owner; one that is there stays once.
///
/// # Errors
/// Our state can't be written.
pub fn add(folder: &Path, owner: &Owner) -> io::Result<()> {
    atomic::private_folder(folder)?;
    atomic::write_own(&file(folder, &owner.id), &serde_json::to_vec(owner)?)
}

/// Removes an owner.
///
/// # Errors
/// Our state can't be written.
pub fn remove(folder: &Path, id: &str) -> io::Result<()> {
    match fs::remove_file(file(folder, id)) {
        Err(fault) if fault.kind() != io::ErrorKind::NotFound => Err(fault),
        _ => Ok(()),
    }
}

/// The owners that still count; the others are forgotten.
#[must_use]
pub fn living(folder: &Path) -> Vec<Owner> {
    let Ok(names) = fs::read_dir(folder) else { return Vec::new() };
    let mut owners = Vec::new();
    for path in names.take(4096).filter_map(|entry| Some(entry.ok()?.path())) {
        if !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("owner-")) {
            continue;
        }
        let owner = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Owner>(&bytes).ok());
        match owner {
            Some(owner) if owner.is_alive() => owners.push(owner),
            _ => {
                let _ = fs::remove_file(&path);
            }
        }
    }
    owners.sort_by(|a, b| a.id.cmp(&b.id));
    owners
}
