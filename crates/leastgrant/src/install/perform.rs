//! Carries out what was planned for one settings file: under the file's lock, announced to the sessions that run, read
//! back, started, and undone if it does not hold.

use std::fs;
use std::path::{Path, PathBuf};

use super::dialect::Dialect;
use super::place::{Places, Scope};
use super::record::{self, Record, digest};
use super::work::{Prepared, Request, Stop, alone, prepare_install, prepare_uninstall, settings};
use super::{probe, release};
use crate::edit::atomic::{self, Fault};
use crate::edit::json::MAX_BYTES;
use crate::edit::lock::Lock;
use crate::edit::plan::Applied;

/// How often an edit is tried while somebody else keeps changing the file.
const TRIES: usize = 5;

/// What was done.
#[derive(Debug)]
pub enum Done {
    /// written, and it holds
    Written {
        /// kept copies of what was there
        backups: Vec<PathBuf>,
        /// the file is byte for byte what it was before us (uninstall)
        restored: bool,
    },
    /// it was as it should be
    Unchanged,
    /// what was shown is no longer what would be done
    Moved(Box<Prepared>),
}

/// Puts our entries in. With `shown`, only if that is still what would be done.
///
/// # Errors
/// What went wrong; then everything is as before.
pub fn install(places: &Places, request: &Request, shown: Option<&Prepared>) -> Result<(Prepared, Done), Stop> {
    tried(|| install_once(places, request, shown))
}

/// Takes our entries out. With `shown`, only if that is still what would be done.
///
/// # Errors
/// What went wrong; then everything is as before.
pub fn uninstall(places: &Places, request: &Request, shown: Option<&Prepared>) -> Result<(Prepared, Done), Stop> {
    tried(|| uninstall_once(places, request, shown))
}

fn tried<T>(mut work: impl FnMut() -> Result<T, Stop>) -> Result<T, Stop> {
    for _ in 1..TRIES {
        match work() {
            Err(Stop::Raced) => {}
            other => return other,
        }
    }
    work()
}

fn install_once(places: &Places, request: &Request, shown: Option<&Prepared>) -> Result<(Prepared, Done), Stop> {
    let (prepared, _lock) = locked(places, request, prepare_install)?;
    if shown.is_some_and(|shown| shown.plan.changes != prepared.plan.changes) {
        return Ok((prepared.clone(), Done::Moved(Box::new(prepared))));
    }
    let state = places.state_for(request.scope);
    let record = new_record(request, &prepared)?;
    announce(&state, request, &prepared)?;
    // before the file: a session that reads the change must find what we meant by it
    keep(&state, &record, prepared.original.as_deref())?;
    for (real, original) in &prepared.beside {
        record::keep(&state, real, original.as_deref())
            .map_err(|error| Stop::Failed(format!("`{}`: {error}", state.display())))?;
    }
    let held = match prepared.plan.apply() {
        Err((fault, left)) => Err(stop(&fault, &left)),
        Ok(applied) => match holds(request.dialect, &prepared) {
            Ok(()) => Ok(applied),
            Err(why) => Err(Stop::Failed(format!("{why}: undone{}", said_left(&applied.undo())))),
        },
    };
    let applied: Applied = match held {
        Ok(applied) => applied,
        Err(stop) => {
            let _ = release::withdraw(&state, &prepared.real, request.now_ms);
            match &prepared.record {
                Some(old) => keep(&state, old, prepared.original.as_deref().filter(|_| old.is_wired()))?,
                None => record::forget(&state, &prepared.real),
            }
            return Err(stop);
        }
    };
    if !applied.folders.is_empty() {
        let record = Record { folders: applied.folders.clone(), ..record };
        keep(&state, &record, prepared.original.as_deref())?;
    }
    let done = if prepared.plan.is_empty() {
        Done::Unchanged
    } else {
        Done::Written { backups: applied.backups, restored: false }
    };
    Ok((prepared, done))
}

fn new_record(request: &Request, prepared: &Prepared) -> Result<Record, Stop> {
    let (Some(wiring), Some(after)) = (prepared.wiring.clone(), prepared.after()) else {
        return Err(Stop::Failed(String::from("nothing to wire")));
    };
    let old = prepared.record.as_ref().filter(|old| old.is_wired());
    Ok(Record {
        format: record::FORMAT,
        groups: groups(request.dialect, &prepared.file, after)?,
        beside: beside(prepared, old),
        written: digest(after),
        existed: old.map_or(prepared.before().is_some(), |old| old.existed),
        folders: old.map(|old| old.folders.clone()).unwrap_or_default(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        at_ms: old.map_or(request.now_ms, |old| old.at_ms),
        removed_ms: None,
        real: prepared.real.clone(),
        wiring,
    })
}

/// Files that go with it and that this install did not touch are as the last one left them.
fn beside(prepared: &Prepared, old: Option<&Record>) -> Vec<record::Beside> {
    let mut all: Vec<record::Beside> = prepared
        .beside
        .iter()
        .filter_map(|(real, original)| {
            let change = prepared.plan.changes.iter().find(|change| change.real == *real)?;
            let written = change.after.as_deref().map(digest)?;
            Some(record::Beside { real: real.clone(), written, existed: original.is_some() })
        })
        .collect();
    let earlier = old.map(|old| old.beside.clone()).unwrap_or_default();
    all.extend(earlier.into_iter().filter(|known| !prepared.beside.iter().any(|(real, _)| *real == known.real)));
    all
}

fn uninstall_once(places: &Places, request: &Request, shown: Option<&Prepared>) -> Result<(Prepared, Done), Stop> {
    let (prepared, _lock) = locked(places, request, prepare_uninstall)?;
    if shown.is_some_and(|shown| shown.plan.changes != prepared.plan.changes) {
        return Ok((prepared.clone(), Done::Moved(Box::new(prepared))));
    }
    let state = places.state_for(request.scope);
    if prepared.plan.is_empty() {
        finished(&state, request, &prepared)?;
        return Ok((prepared, Done::Unchanged));
    }
    announce(&state, request, &prepared)?;
    let applied = prepared.plan.apply().map_err(|(fault, left)| stop(&fault, &left))?;
    let mut backups = applied.backups;
    let written = prepared.record.as_ref().map(|record| &record.written);
    let restored = written.is_some() && prepared.before().map(digest).as_ref() == written;
    if restored || prepared.after().is_none() {
        // the file is what it was, so the copy beside it would only be litter
        backups.retain(|backup| fs::remove_file(backup).is_err());
        for change in &prepared.plan.changes {
            let _ = fs::remove_file(atomic::backup_path(&change.real));
        }
    }
    finished(&state, request, &prepared)?;
    for folder in prepared.record.iter().flat_map(|record| record.folders.iter().rev()) {
        // only if nobody put anything else there
        let _ = fs::remove_dir(folder);
    }
    if request.scope == Scope::Managed && alone(places, request) {
        tidy_managed(places);
    }
    Ok((prepared, Done::Written { backups, restored }))
}

/// A person's uninstall ends the matter; without a terminal it is remembered, so that no session that runs is disarmed.
fn finished(state: &Path, request: &Request, prepared: &Prepared) -> Result<(), Stop> {
    let Some(record) = &prepared.record else { return Ok(()) };
    if request.person {
        record::forget(state, &prepared.real);
        return Ok(());
    }
    record::mark_removed(state, record, request.now_ms).map_err(|error| Stop::Failed(error.to_string()))
}

/// Our own folder for the whole machine, with records that mean nothing once the hook is out of everybody's settings.
fn tidy_managed(places: &Places) {
    let state = places.state_for(Scope::Managed);
    let _ = fs::remove_dir_all(&state);
    if let Some(home) = state.parent() {
        let _ = fs::remove_dir(home);
    }
}

type Prepare = fn(&Places, &Request) -> Result<Prepared, Stop>;

fn locked(places: &Places, request: &Request, prepare: Prepare) -> Result<(Prepared, Lock), Stop> {
    let state = places.state_for(request.scope);
    let failed = |error: std::io::Error| Stop::Failed(format!("`{}`: {error}", state.display()));
    let (real, _) = settings(&request.file(places)?)?;
    // what is refused leaves nothing behind, not even our folder
    prepare(places, request)?;
    atomic::private_folder(&state).map_err(failed)?;
    let lock = Lock::take(&state.join("locks"), &real).map_err(failed)?;
    Ok((prepare(places, request)?, lock))
}

fn announce(state: &Path, request: &Request, prepared: &Prepared) -> Result<(), Stop> {
    let left = if request.person {
        release::leave(state, &prepared.real, prepared.after().map(digest), request.now_ms)
    } else {
        release::withdraw(state, &prepared.real, request.now_ms)
    };
    left.map_err(|error| Stop::Failed(format!("`{}`: {error}", state.display())))
}

fn keep(state: &Path, record: &Record, original: Option<&[u8]>) -> Result<(), Stop> {
    record::store(state, record, original).map_err(|error| Stop::Failed(format!("`{}`: {error}", state.display())))
}

/// Our entries in a file, by event, as text.
pub(super) fn groups(dialect: &dyn Dialect, file: &Path, after: &[u8]) -> Result<Vec<(String, String)>, Stop> {
    dialect.groups(file, after).map_err(|refusal| Stop::Failed(refusal.to_string()))
}

/// Reads the file again and starts the hook that stands in it. That somebody else changed something at once is no
/// fault, as long as our entries are there.
fn holds(dialect: &dyn Dialect, prepared: &Prepared) -> Result<(), String> {
    let read = atomic::read(&prepared.real, MAX_BYTES).map_err(|fault| fault.to_string())?;
    let read = read.ok_or_else(|| String::from("the file is gone again"))?;
    let found = dialect.find(&prepared.file, &read).map_err(|refusal| refusal.to_string())?;
    let mut events = dialect.events().iter();
    if events.any(|event| found.iter().filter(|found| found.event == event.name).count() != 1) {
        return Err(String::from("the file does not hold one entry for each event"));
    }
    let Some(wiring) = &prepared.wiring else { return Err(String::from("nothing to start")) };
    probe::starts(dialect, &dialect.guard(wiring)).map_err(|why| format!("the hook is no guard: {why}"))
}

fn stop(fault: &Fault, left: &[String]) -> Stop {
    match fault {
        Fault::Changed if left.is_empty() => Stop::Raced,
        fault => Stop::Failed(format!("{fault}{}", said_left(left))),
    }
}

fn said_left(left: &[String]) -> String {
    if left.is_empty() { String::new() } else { format!(", but {}", left.join(", ")) }
}
