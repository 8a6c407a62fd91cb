//! The folders of a project's persona runs.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use leastgrant_core::persona::contract::is_name;
use leastgrant_core::persona::run::FOLDER;

use super::clock;

/// Runs that may begin in the same second.
const MOST_IN_A_SECOND: u32 = 100;

/// The folder of persona things in a project.
#[must_use]
pub fn home(root: &Path) -> PathBuf {
    root.join(FOLDER)
}

/// Makes the folder of a new run; never one that is there already.
///
/// # Errors
/// It can't be made.
pub fn new_run(root: &Path, flow: &str) -> io::Result<PathBuf> {
    let runs = home(root).join("runs");
    DirBuilder::new().recursive(true).mode(0o700).create(&runs)?;
    let name = format!("{}-{flow}", clock::stamp());
    for n in 1..=MOST_IN_A_SECOND {
        let run = runs.join(if n == 1 { name.clone() } else { format!("{name}-{n}") });
        match DirBuilder::new().mode(0o700).create(&run) {
            Ok(()) => return run.canonicalize(),
            Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => {}
            Err(fault) => return Err(fault),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "too many runs of this flow in one second"))
}

/// Makes the folders of a persona in a run, where they are not there.
///
/// # Errors
/// They can't be made.
pub fn persona(run: &Path, id: &str) -> io::Result<PathBuf> {
    let folder = run.join(id);
    DirBuilder::new().recursive(true).mode(0o700).create(folder.join("evidence"))?;
    Ok(folder)
}

/// The ids of all personas of a project, in order.
///
/// # Errors
/// Their folder can't be listed.
pub fn personas(root: &Path) -> io::Result<Vec<String>> {
    names(&home(root).join("personas"))
}

/// The ids of the personas that left something in a run, in order.
///
/// # Errors
/// The run's folder can't be listed.
pub fn walked(run: &Path) -> io::Result<Vec<String>> {
    names(run)
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut ids = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if let Some(id) = name.to_str().filter(|id| is_name(id) && entry.path().is_dir()) {
            ids.push(id.to_owned());
        }
    }
    ids.sort();
    Ok(ids)
}
