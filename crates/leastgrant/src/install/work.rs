//! What an install into, or a removal from, one settings file would do: a plan that the caller shows, and that
//! [`super::perform`] carries out.

use std::fs;
use std::path::{Path, PathBuf};

use super::claude_code::{self, AGENT};
use super::find;
use super::place::{Places, Scope};
use super::record::{self, Record, digest};
use super::wiring::Wiring;
use crate::edit::atomic::{self, Fault};
use crate::edit::json::{self, Document, MAX_BYTES};
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
    /// somebody else changed the file while it was being edited: the edit may be tried again
    Raced,
}

impl Stop {
    /// In words.
    #[must_use]
    pub fn why(&self) -> &str {
        match self {
            Self::Refused(why) | Self::Usage(why) | Self::Failed(why) => why,
            Self::Raced => "somebody else keeps changing the file",
        }
    }
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
    /// links followed
    pub(super) real: PathBuf,
    /// the bytes without us
    pub(super) original: Option<Vec<u8>>,
    /// what is known of an earlier install
    pub(super) record: Option<Record>,
    /// what is put in
    pub(super) wiring: Option<Wiring>,
}

impl Prepared {
    /// The change of the settings file itself.
    pub(super) fn change(&self) -> Option<&Change> {
        self.plan.changes.iter().find(|change| change.real == self.real)
    }

    /// Its bytes now.
    pub(super) fn before(&self) -> Option<&[u8]> {
        self.change().and_then(|change| change.before.as_deref())
    }

    /// Its bytes afterwards.
    pub(super) fn after(&self) -> Option<&[u8]> {
        self.change().and_then(|change| change.after.as_deref())
    }
}

/// Where a settings file really is, and its bytes.
pub(super) fn settings(path: &Path) -> Result<(PathBuf, Option<Vec<u8>>), Stop> {
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
    if request.scope != Scope::Managed {
        own_home(places)?;
    }
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
    let wiring = Wiring {
        agent: AGENT.to_owned(),
        program,
        timeout,
        closed: request.closed,
        file: file.clone(),
        scope: request.scope,
    };
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
    let kept = record
        .filter(|record| record.is_wired())
        .map(|record| (record, record::original(&places.state_for(request.scope), real)));
    if let Some((record, original)) = &kept
        && record.written == digest(before)
    {
        return Ok(original.clone());
    }
    let Ok(document) = Document::parse(before) else { return Ok(Some(before.to_vec())) };
    if claude_code::find(&document).is_empty() {
        return Ok(Some(before.to_vec()));
    }
    let hint =
        kept.as_ref().and_then(|(_, original)| original.as_deref()).and_then(|bytes| Document::parse(bytes).ok());
    let without = claude_code::unwire(&document, hint.as_ref()).map_err(|refusal| Stop::Failed(refusal.to_string()))?;
    let made_by_us = kept.is_some_and(|(record, _)| !record.existed) && without.root().members().is_empty();
    Ok((!made_by_us).then(|| without.bytes()))
}

/// What root leaves in another person's home, that person can't write: the hook would fail for them.
fn own_home(places: &Places) -> Result<(), Stop> {
    use std::os::unix::fs::MetadataExt;
    let owner = fs::metadata(&places.home).map_or(0, |meta| meta.uid());
    if owner == 0 || !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let home = places.home.display();
    Err(Stop::Usage(format!(
        "`{home}` is not root's: run this as the person whose home it is, or wire the whole machine with --managed"
    )))
}

fn managed_program(places: &Places, program: &Path, plan: &mut Plan) -> Result<PathBuf, Stop> {
    if places.root == Path::new("/") && !rustix::process::geteuid().is_root() {
        return Err(Stop::Usage(String::from(
            "--managed writes for the whole machine: run it as root (`sudo leastgrant install --managed`)",
        )));
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
    let record = record::load(&state, &real).filter(Record::is_wired);
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
    plan.changes.push(Change {
        path: file.clone(),
        real: real.clone(),
        before,
        after,
        folder_mode: 0o700,
        program: false,
    });
    if request.scope == Scope::Managed {
        let copy = places.managed_program();
        if let Ok(bytes) = fs::read(&copy) {
            plan.changes.push(Change {
                path: copy.clone(),
                real: copy,
                before: Some(bytes),
                after: None,
                folder_mode: 0o755,
                program: true,
            });
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
    let without = claude_code::unwire(&document, hint.as_ref())
        .map_err(|refusal| Stop::Failed(format!("`{}`, {refusal}", file.display())))?;
    if !without.root().members().is_empty() {
        return Ok(Some(without.bytes()));
    }
    match (kept, record) {
        (Some(kept), _) if hint.is_some_and(|hint| hint.root().members().is_empty()) => Ok(Some(kept.to_vec())),
        (_, Some(record)) if !record.existed => Ok(None),
        _ => Ok(Some(without.bytes())),
    }
}
