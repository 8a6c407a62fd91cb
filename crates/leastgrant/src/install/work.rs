//! Installing into and removing from one settings file: planned, shown by the caller, written under the file's lock,
//! read back, started, and undone if it does not hold.

use std::fs;
use std::path::{Path, PathBuf};

use super::claude_code::{self, AGENT, EVENTS};
use super::place::{Places, Scope};
use super::record::{self, Record, digest};
use super::wiring::{Failure, Wiring};
use super::{find, probe, release};
use crate::edit::atomic::{self, Fault};
use crate::edit::json::{self, Document, MAX_BYTES, Step};
use crate::edit::lock::Lock;
use crate::edit::plan::{Change, Plan};

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// whose settings
    pub scope: Scope,
    /// failures block
    pub closed: bool,
    /// also a program that will not stay
    pub force: bool,
    /// take comments and trailing commas out first
    pub strip: bool,
    /// wire this program instead of the one that runs
    pub program: Option<PathBuf>,
    /// a person at a terminal asked for it
    pub person: bool,
    /// now
    pub now_ms: i64,
}

/// Why nothing was done.
#[derive(Clone, Debug)]
pub enum Stop {
    /// the file is left as it was, with the reason
    Refused(String),
    /// the request itself is off
    Usage(String),
    /// the system said no, or our own mistake
    Failed(String),
}

/// What would be done to one file.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// the changes
    pub plan: Plan,
    /// what was amiss with entries that were there
    pub repairs: Vec<String>,
    /// what a person should know
    pub notes: Vec<String>,
    /// as the person knows it
    pub file: PathBuf,
    real: PathBuf,
    original: Option<Vec<u8>>,
    record: Option<Record>,
    wiring: Option<Wiring>,
}

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

fn settings(path: &Path) -> Result<(PathBuf, Option<Vec<u8>>), Stop> {
    if let Some(why) = super::wiring::unfit(path) {
        return Err(Stop::Refused(why));
    }
    let fault = |fault: Fault| match fault {
        Fault::Unfit(why) => Stop::Refused(why),
        fault => Stop::Refused(format!("`{}`: {fault}", path.display())),
    };
    let real = atomic::resolve(path).map_err(fault)?;
    let bytes = atomic::read(&real, MAX_BYTES).map_err(fault)?;
    Ok((real, bytes))
}

fn parse(path: &Path, bytes: &[u8], strip: bool) -> Result<Document, Stop> {
    let read = if strip { json::strip(bytes) } else { Document::parse(bytes) };
    read.map_err(|refusal| Stop::Refused(format!("`{}`, {refusal}", path.display())))
}

/// Plans an install.
///
/// # Errors
/// Why it can't be.
pub fn prepare_install(places: &Places, request: &Request) -> Result<Prepared, Stop> {
    let mut notes = Vec::new();
    let mut plan = Plan::default();
    let program = find::own_program(request.program.as_deref()).map_err(Stop::Failed)?;
    let program = if request.scope == Scope::Managed {
        managed_program(places, &program, &mut plan)?
    } else {
        if let Some(why) = find::short_lived(&program) {
            if !request.force {
                return Err(Stop::Usage(format!("{why}: install the program first, or say --force")));
            }
            notes.push(why);
        }
        program
    };
    let timeout = find::timeout();
    if timeout.is_none() {
        notes.push(String::from("there is no `timeout` on this machine: a hook that hangs lets the call through on agents without `onFailure`"));
    }
    let file = places.settings(request.scope);
    let (real, before) = settings(&file)?;
    let wiring =
        Wiring { agent: AGENT.to_owned(), program, timeout, closed: request.closed, file: file.clone(), scope: request.scope };
    let document = parse(&file, before.as_deref().unwrap_or_default(), request.strip)?;
    let wired = claude_code::wire(&document, &wiring)
        .map_err(|refusal| Stop::Refused(format!("`{}`, {refusal}", file.display())))?;
    let record = record::load(&places.state_for(request.scope), &real);
    let original = original(places, request, &real, before.as_deref(), record.as_ref())?;
    plan.changes.push(Change {
        path: file.clone(),
        real: real.clone(),
        after: Some(wired.document.bytes()),
        before,
        folder_mode: if request.scope == Scope::User { 0o700 } else { 0o755 },
        program: false,
    });
    if real != file {
        notes.push(format!("`{}` is a link: the edit goes into `{}`", file.display(), real.display()));
    }
    if request.scope == Scope::Project {
        notes.push(String::from("this file is usually shared: where leastgrant is not at this path, every call of the agent is blocked (--local keeps it to this machine)"));
    }
    if !request.closed {
        notes.push(String::from("--on-failure open: when the hook can't answer, calls run unjudged"));
    }
    Ok(Prepared { plan, repairs: wired.repairs, notes, file, real, original, record, wiring: Some(wiring) })
}

/// The bytes that the file would hold without us.
fn original(
    places: &Places,
    request: &Request,
    real: &Path,
    before: Option<&[u8]>,
    record: Option<&Record>,
) -> Result<Option<Vec<u8>>, Stop> {
    let Some(before) = before else { return Ok(None) };
    let kept = record.filter(|record| !record.removed).map(|record| (record, record::original(&places.state_for(request.scope), real)));
    if let Some((record, original)) = &kept
        && record.written == digest(before)
    {
        return Ok(original.clone());
    }
    let Ok(document) = Document::parse(before) else { return Ok(Some(before.to_vec())) };
    if claude_code::find(&document).is_empty() {
        return Ok(Some(before.to_vec()));
    }
    let hint = kept.as_ref().and_then(|(_, original)| original.as_deref()).and_then(|bytes| Document::parse(bytes).ok());
    let without = claude_code::unwire(&document, hint.as_ref()).map_err(|refusal| Stop::Failed(refusal.to_string()))?;
    let made_by_us = kept.is_some_and(|(record, _)| !record.existed) && without.root().members().is_empty();
    Ok((!made_by_us).then(|| without.bytes()))
}

fn managed_program(places: &Places, program: &Path, plan: &mut Plan) -> Result<PathBuf, Stop> {
    if places.root == Path::new("/") && !rustix::process::geteuid().is_root() {
        return Err(Stop::Usage(String::from("--managed writes for the whole machine: run it as root (`sudo leastgrant install --managed`)")));
    }
    let copy = places.managed_program();
    let bytes = fs::read(program).map_err(|error| Stop::Failed(format!("`{}`: {error}", program.display())))?;
    let before = fs::read(&copy).ok();
    plan.changes.push(Change {
        path: copy.clone(),
        real: copy.clone(),
        before,
        after: Some(bytes),
        folder_mode: 0o755,
        program: true,
    });
    Ok(copy)
}

/// Plans an uninstall.
///
/// # Errors
/// Why it can't be.
pub fn prepare_uninstall(places: &Places, request: &Request) -> Result<Prepared, Stop> {
    let file = places.settings(request.scope);
    let (real, before) = settings(&file)?;
    let state = places.state_for(request.scope);
    let record = record::load(&state, &real).filter(|record| !record.removed);
    let kept = record.as_ref().and_then(|_| record::original(&state, &real));
    let mut plan = Plan::default();
    let mut after = before.clone();
    if let Some(bytes) = &before {
        after = match &record {
            // without the kept bytes a file that was there before us would go
            Some(record) if record.written == digest(bytes) && (kept.is_some() || !record.existed) => kept.clone(),
            _ => without_us(&file, bytes, kept.as_deref(), record.as_ref(), request.strip)?,
        };
    }
    plan.changes.push(Change { path: file.clone(), real: real.clone(), before, after, folder_mode: 0o700, program: false });
    if request.scope == Scope::Managed {
        let copy = places.managed_program();
        if let Ok(bytes) = fs::read(&copy) {
            plan.changes.push(Change { path: copy.clone(), real: copy, before: Some(bytes), after: None, folder_mode: 0o755, program: true });
        }
    }
    Ok(Prepared { plan, repairs: Vec::new(), notes: Vec::new(), file, real, original: kept, record, wiring: None })
}

/// A file that others changed after us: our entries go, everything else stays.
fn without_us(
    file: &Path,
    bytes: &[u8],
    kept: Option<&[u8]>,
    record: Option<&Record>,
    strip: bool,
) -> Result<Option<Vec<u8>>, Stop> {
    let document = parse(file, bytes, strip)?;
    if claude_code::find(&document).is_empty() {
        return Ok(Some(bytes.to_vec()));
    }
    let hint = kept.and_then(|bytes| Document::parse(bytes).ok());
    let without =
        claude_code::unwire(&document, hint.as_ref()).map_err(|refusal| Stop::Failed(format!("`{}`, {refusal}", file.display())))?;
    if !without.root().members().is_empty() {
        return Ok(Some(without.bytes()));
    }
    match (kept, record) {
        (Some(kept), _) if hint.is_some_and(|hint| hint.root().members().is_empty()) => Ok(Some(kept.to_vec())),
        (_, Some(record)) if !record.existed => Ok(None),
        _ => Ok(Some(without.bytes())),
    }
}

/// Does what was planned, under the file's lock. With `shown`, only that.
///
/// # Errors
/// What went wrong; then everything is as before.
pub fn install(places: &Places, request: &Request, shown: Option<&Prepared>) -> Result<(Prepared, Done), Stop> {
    let (prepared, _lock) = locked(places, request, prepare_install)?;
    if shown.is_some_and(|shown| shown.plan.changes != prepared.plan.changes) {
        return Ok((prepared.clone(), Done::Moved(Box::new(prepared))));
    }
    let Some(wiring) = prepared.wiring.clone() else { return Err(Stop::Failed(String::from("nothing to wire"))) };
    let state = places.state_for(request.scope);
    let after = prepared.after();
    let record = Record {
        format: record::FORMAT,
        groups: groups(&after)?,
        written: digest(&after),
        existed: match &prepared.record {
            Some(old) if !old.removed => old.existed,
            _ => prepared.before().is_some(),
        },
        folders: prepared.record.as_ref().filter(|old| !old.removed).map(|old| old.folders.clone()).unwrap_or_default(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        at_ms: request.now_ms,
        removed: false,
        real: prepared.real.clone(),
        wiring,
    };
    announce(&state, request, &prepared)?;
    // before the file: a session that reads the change must find what we meant by it
    keep(&state, &record, prepared.original.as_deref())?;
    let written = prepared.plan.apply();
    let (applied, held) = match written {
        Ok(applied) => {
            let held = holds(&prepared, &after);
            (Some(applied), held)
        }
        Err((fault, left)) => (None, Err(said(&fault, &left))),
    };
    if let Err(why) = held {
        let left = applied.map(|applied| applied.undo()).unwrap_or_default();
        let _ = release::withdraw(&state, &prepared.real, request.now_ms);
        match &prepared.record {
            Some(old) => keep(&state, old, prepared.original.as_deref().filter(|_| !old.removed))?,
            None => record::forget(&state, &prepared.real),
        }
        return Err(Stop::Failed(format!("{why}: undone{}", said_left(&left))));
    }
    let applied = applied.unwrap_or_default();
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

/// Takes out what was planned, under the file's lock. With `shown`, only that.
///
/// # Errors
/// What went wrong; then everything is as before.
pub fn uninstall(places: &Places, request: &Request, shown: Option<&Prepared>) -> Result<(Prepared, Done), Stop> {
    let (prepared, _lock) = locked(places, request, prepare_uninstall)?;
    if shown.is_some_and(|shown| shown.plan.changes != prepared.plan.changes) {
        return Ok((prepared.clone(), Done::Moved(Box::new(prepared))));
    }
    let state = places.state_for(request.scope);
    if prepared.plan.is_empty() {
        if let Some(record) = &prepared.record {
            record::mark_removed(&state, record).map_err(|error| Stop::Failed(error.to_string()))?;
        }
        return Ok((prepared, Done::Unchanged));
    }
    announce(&state, request, &prepared)?;
    let applied = prepared.plan.apply().map_err(|(fault, left)| Stop::Failed(said(&fault, &left)))?;
    let mut backups = applied.backups;
    let restored = prepared.record.as_ref().is_some_and(|record| prepared.before().map(digest).as_ref() == Some(&record.written));
    let gone = prepared.plan.changes.iter().any(|change| change.real == prepared.real && change.after.is_none());
    if restored || gone {
        // the file is what it was, so the copy beside it would only be litter
        backups.retain(|backup| fs::remove_file(backup).is_err());
        let _ = fs::remove_file(atomic::backup_path(&prepared.real));
    }
    if let Some(record) = &prepared.record {
        record::mark_removed(&state, record).map_err(|error| Stop::Failed(error.to_string()))?;
        for folder in record.folders.iter().rev() {
            // only if nobody put anything else there
            let _ = fs::remove_dir(folder);
        }
    }
    if request.scope == Scope::Managed {
        tidy_managed(places);
    }
    Ok((prepared, Done::Written { backups, restored }))
}

/// Our own folder for the whole machine, with records that mean nothing once the hook is out of everybody's settings.
fn tidy_managed(places: &Places) {
    let state = places.state_for(Scope::Managed);
    let _ = fs::remove_dir_all(&state);
    if let Some(home) = state.parent() {
        let _ = fs::remove_dir(home);
    }
}

impl Prepared {
    fn change(&self) -> Option<&Change> {
        self.plan.changes.iter().find(|change| change.real == self.real)
    }

    fn before(&self) -> Option<&[u8]> {
        self.change().and_then(|change| change.before.as_deref())
    }

    fn after(&self) -> Vec<u8> {
        self.change().and_then(|change| change.after.clone()).unwrap_or_default()
    }
}

type Prepare = fn(&Places, &Request) -> Result<Prepared, Stop>;

fn locked(places: &Places, request: &Request, prepare: Prepare) -> Result<(Prepared, Lock), Stop> {
    let state = places.state_for(request.scope);
    let failed = |error: std::io::Error| Stop::Failed(format!("`{}`: {error}", state.display()));
    let (real, _) = settings(&places.settings(request.scope))?;
    atomic::private_folder(&state).map_err(failed)?;
    let lock = Lock::take(&state.join("locks"), &real).map_err(failed)?;
    Ok((prepare(places, request)?, lock))
}

fn announce(state: &Path, request: &Request, prepared: &Prepared) -> Result<(), Stop> {
    let content = prepared.change().and_then(|change| change.after.as_deref()).map(digest);
    let left = if request.person {
        release::leave(state, &prepared.real, content, request.now_ms)
    } else {
        release::withdraw(state, &prepared.real, request.now_ms)
    };
    left.map_err(|error| Stop::Failed(format!("`{}`: {error}", state.display())))
}

fn keep(state: &Path, record: &Record, original: Option<&[u8]>) -> Result<(), Stop> {
    record::store(state, record, original).map_err(|error| Stop::Failed(format!("`{}`: {error}", state.display())))
}

fn groups(after: &[u8]) -> Result<Vec<(String, String)>, Stop> {
    let document = Document::parse(after).map_err(|refusal| Stop::Failed(refusal.to_string()))?;
    let found = claude_code::find(&document);
    Ok(found
        .iter()
        .filter_map(|found| {
            let node = document.at(&[Step::Key("hooks"), Step::Key(&found.event), Step::Index(found.group)])?;
            Some((found.event.clone(), document.raw(&node.span).to_owned()))
        })
        .collect())
}

/// Reads the file again and starts the hook that stands in it.
fn holds(prepared: &Prepared, after: &[u8]) -> Result<(), String> {
    let read = atomic::read(&prepared.real, MAX_BYTES).map_err(|fault| fault.to_string())?;
    if read.as_deref() != Some(after) {
        return Err(String::from("the file does not hold what was written"));
    }
    let document = Document::parse(after).map_err(|refusal| refusal.to_string())?;
    let found = claude_code::find(&document);
    if EVENTS.iter().any(|event| found.iter().filter(|found| found.event == event.name).count() != 1) {
        return Err(String::from("the file does not hold one entry for each event"));
    }
    let Some(wiring) = &prepared.wiring else { return Err(String::from("nothing to start")) };
    probe::starts(&wiring.command(Failure::Blocks)).map_err(|why| format!("the hook is no guard: {why}"))
}

fn said(fault: &Fault, left: &[String]) -> String {
    format!("{fault}{}", said_left(left))
}

fn said_left(left: &[String]) -> String {
    if left.is_empty() { String::new() } else { format!(", but {}", left.join(", ")) }
}
