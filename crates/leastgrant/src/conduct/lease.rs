//! The lease of a run: the one file that the conductor and the guard share. Written whole, ends by itself, and is worth
//! nothing once its owner is gone.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use leastgrant_core::persona::lease::{FORMAT, Gate, Lease, Worker};

use super::clock;
use crate::edit::atomic;
use crate::persona::scene::lease_path;

/// How long the owner may be silent, beside the time of a turn.
const SLACK_MS: i64 = 60_000;

/// The lease as the conductor holds it.
#[derive(Debug)]
pub struct Held {
    path: PathBuf,
    turn_ms: i64,
    lease: Mutex<Lease>,
}

impl Held {
    /// Takes the lease of a project. Nothing is written before the first [`Held::set`].
    #[must_use]
    pub fn new(state: &Path, root: &Path, owner: &str, turn_ms: i64, out_of_bounds: &[String], lock_git: bool) -> Self {
        let pid = std::process::id();
        let lease = Lease {
            v: FORMAT,
            root: root.to_string_lossy().into_owned(),
            owner: owner.to_owned(),
            pid,
            started: clock::began(pid).unwrap_or_default(),
            expires_ms: 0,
            workers: Vec::new(),
            out_of_bounds: out_of_bounds.to_vec(),
            lock_git,
            unlocked: Vec::new(),
        };
        Self { path: lease_path(state, root), turn_ms, lease: Mutex::new(lease) }
    }

    fn lease(&self) -> MutexGuard<'_, Lease> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What stands in it about a worker from now on, seen on disk when this returns.
    ///
    /// # Errors
    /// The file can't be written: then the worker may not go on.
    pub fn set(&self, persona: &str, session: Option<&str>, turn: u32, acting: bool) -> Result<(), String> {
        let mut lease = self.lease();
        lease.workers.retain(|worker| worker.persona != persona);
        if let Some(session) = session {
            lease.workers.push(Worker { persona: persona.to_owned(), session: Some(session.to_owned()), turn, acting });
        }
        // what a person let through meanwhile stays let through
        if let Some(Gate::Conducted(there)) = read(&self.path, &lease.root) {
            lease.unlocked = there.unlocked;
        }
        self.write(&mut lease)
    }

    /// Nothing is changed but the time at which it ends.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn renew(&self) -> Result<(), String> {
        let mut lease = self.lease();
        if let Some(Gate::Conducted(there)) = read(&self.path, &lease.root) {
            lease.unlocked = there.unlocked;
        }
        self.write(&mut lease)
    }

    fn write(&self, lease: &mut Lease) -> Result<(), String> {
        lease.expires_ms = clock::now_ms().saturating_add(self.turn_ms).saturating_add(SLACK_MS);
        let bytes = serde_json::to_vec(lease).map_err(|error| error.to_string())?;
        put(&self.path, &bytes)
    }

    /// The lease is given back.
    pub fn drop_it(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    atomic::private_folder(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    atomic::write_own(path, bytes).map_err(|error| format!("the lease cannot be written: {error}"))
}

fn read(path: &Path, root: &str) -> Option<Gate> {
    let bytes = std::fs::read(path).ok()?;
    Some(Gate::read(Some(&bytes), root))
}

/// What stands on disk about a project's conductor.
#[must_use]
pub fn found(state: &Path, root: &Path) -> Gate {
    read(&lease_path(state, root), &root.to_string_lossy()).unwrap_or(Gate::Open)
}

/// Whether the conductor of a lease still runs.
#[must_use]
pub fn lives(lease: &Lease) -> bool {
    clock::lives(lease.pid, lease.started)
}

/// Lets commits or pushes through for the run of a project.
///
/// # Errors
/// Nobody conducts there, or the file can't be written.
pub fn unlock(state: &Path, root: &Path, what: &str) -> Result<(), String> {
    let Gate::Conducted(mut lease) = found(state, root) else {
        return Err(String::from("no persona run is conducted in this project"));
    };
    if !lives(&lease) {
        return Err(String::from("the conductor of this project's run is gone"));
    }
    if !lease.unlocked.iter().any(|known| known == what) {
        lease.unlocked.push(what.to_owned());
    }
    let bytes = serde_json::to_vec(&lease).map_err(|error| error.to_string())?;
    put(&lease_path(state, root), &bytes)
}
