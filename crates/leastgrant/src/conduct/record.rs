//! What a run was started with, kept in our state folder, so that `persona resume` starts the same agent again. Never read
//! from the run's own folder: whoever can write there could have any program started.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::edit::{atomic, lock};

const FORMAT: u32 = 1;
const LARGEST: usize = 256 * 1024;

/// What a run was started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// version of this format
    pub v: u32,
    /// the run's id: the name of its folder
    pub id: String,
    /// the project's root, links followed
    pub root: PathBuf,
    /// the run's folder, links followed
    pub run: PathBuf,
    /// the flow's file name without `.md`
    pub flow: String,
    /// digest of the flow
    pub flow_sha256: String,
    /// who walks, with the digest of each contract
    pub personas: Vec<(String, String)>,
    /// id of the agent
    pub agent: String,
    /// the agent's program
    pub program: PathBuf,
    /// servers whose tools it may use
    pub servers: Vec<String>,
    /// turns that a persona may take
    pub max_turns: u32,
    /// seconds that a turn may take
    pub turn_timeout: u64,
    /// how many walk at once
    pub parallel: usize,
    /// commits and pushes are refused
    pub lock_git: bool,
}

impl Record {
    /// The form that is written.
    pub const FORMAT: u32 = FORMAT;

    /// Writes it.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&self, state: &Path) -> Result<(), String> {
        let path = path(state, &self.run);
        let folder = path.parent().unwrap_or(state);
        let bytes = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        atomic::private_folder(folder)
            .and_then(|()| atomic::write_own(&path, &bytes))
            .map_err(|error| format!("the record of the run cannot be written: {error}"))
    }

    /// Forgets a run that did not begin.
    pub fn forget(&self, state: &Path) {
        let _ = std::fs::remove_file(path(state, &self.run));
        // only while it is empty
        let _ = std::fs::remove_dir(&self.run);
    }

    /// Reads the record of a run's folder.
    ///
    /// # Errors
    /// There is none that can be trusted.
    pub fn read(state: &Path, run: &Path) -> Result<Self, String> {
        let path = path(state, run);
        let bytes = atomic::read(&path, LARGEST).map_err(|fault| format!("the record of this run: {fault}"))?;
        let bytes = bytes.ok_or("leastgrant did not start a run in this folder, so it cannot be resumed")?;
        let record: Self =
            serde_json::from_slice(&bytes).map_err(|error| format!("the record of this run: {error}"))?;
        if record.v != FORMAT || record.run != run {
            return Err(String::from("the record of this run is of another version"));
        }
        Ok(record)
    }
}

fn path(state: &Path, run: &Path) -> PathBuf {
    state.join("persona/runs").join(format!("{}.json", lock::key(run)))
}
