//! What an install into, or a removal from, one settings file would do: a plan that the caller shows, and that
//! [`super::perform`] carries out.

use std::fs;
use std::path::{Path, PathBuf};

use super::dialect::{self, Dialect, Turn};
use super::find;
use super::opencode;
use super::place::{Places, Scope};
use super::record::{self, Record, digest};
use super::wiring::Wiring;
use crate::edit::atomic::{self, Fault};
use crate::edit::json::MAX_BYTES;
use crate::edit::plan::{Change, Plan};

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// which agent's
    pub dialect: &'static dyn Dialect,
    /// whose settings
    pub scope: Scope,
    /// failures block
    pub closed: bool,
    /// also a program that will not stay
    pub force: bool,
    /// take comments and trailing commas out first
    pub strip: bool,
    /// have the agent trust our entries, where it has such a thing
    pub trust: bool,
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
    /// files that go with it, with their bytes without us
    pub(super) beside: Kept,
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
    let file = request.file(places)?;
    let (real, before) = settings(&file)?;
    let wiring = wiring(places, request, program, timeout, &file);
    let wired = request
        .dialect
        .wire(before.as_deref().unwrap_or_default(), &wiring, request.strip)
        .map_err(|refusal| Stop::Refused(dialect::refused(&file, &refusal)))?;
    let record = record::load(&places.state_for(request.scope), &real);
    let original = original(places, request, &file, &real, before.as_deref(), record.as_ref())?;
    let turn = Turn { before: before.as_deref(), after: Some(&wired.document) };
    let beside = beside(places, request, &wiring, turn, record.as_ref(), &mut plan)?;
    plan.changes.push(Change {
        path: file.clone(),
        real: real.clone(),
        after: Some(wired.document),
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
    if request.trust && !request.dialect.takes_trust() {
        notes
            .push(format!("--trust means nothing to {}: it asks nobody before it runs a hook", request.dialect.name()));
    }
    notes.extend(request.dialect.notes(places, &wiring));
    Ok(Prepared { plan, repairs: wired.repairs, notes, file, real, original, record, wiring: Some(wiring), beside })
}

impl Request {
    /// The file that is edited.
    ///
    /// # Errors
    /// This agent has none for the scope.
    pub fn file(&self, places: &Places) -> Result<PathBuf, Stop> {
        self.dialect.file(places, self.scope).map_err(Stop::Usage)
    }
}

fn wiring(places: &Places, request: &Request, program: PathBuf, timeout: Option<PathBuf>, file: &Path) -> Wiring {
    let agent = request.dialect.agent();
    Wiring {
        agent: agent.to_owned(),
        program,
        timeout,
        closed: request.closed,
        file: file.to_owned(),
        scope: request.scope,
        trust: request.trust && request.dialect.takes_trust(),
        plugin: (agent == opencode::AGENT).then(|| opencode::plugin(places, request.scope)),
    }
}

/// Files with their bytes without us.
type Kept = Vec<(PathBuf, Option<Vec<u8>>)>;

/// Plans the files that go with the settings file, before it: it must never name what is not there.
fn beside(
    places: &Places,
    request: &Request,
    wiring: &Wiring,
    turn: Turn<'_>,
    record: Option<&Record>,
    plan: &mut Plan,
) -> Result<Kept, Stop> {
    let gone = Turn { before: turn.after, after: None };
    let without = request.dialect.beside(places, wiring, gone).map_err(Stop::Refused)?;
    let mut kept = Vec::new();
    for file in request.dialect.beside(places, wiring, turn).map_err(Stop::Refused)? {
        let (real, before) = settings(&file.path)?;
        let state = places.state_for(request.scope);
        let known = record.filter(|record| record.is_wired()).and_then(|record| {
            let known = record.beside.iter().find(|known| known.real == real)?;
            (before.as_deref().map(digest).as_ref() == Some(&known.written)).then(|| record::original(&state, &real))
        });
        // what it is without us: as it was kept, or as it is now with our part taken out
        let original = known.unwrap_or_else(|| {
            let cleaned = without.iter().find(|other| other.path == file.path).and_then(|other| other.after.clone());
            cleaned.or_else(|| before.clone().filter(|_| !file.generated))
        });
        kept.push((real.clone(), original));
        plan.changes.push(Change {
            path: file.path,
            real,
            before,
            after: file.after,
            folder_mode: file.folder_mode,
            program: false,
        });
    }
    Ok(kept)
}

/// The bytes that the file would hold without us.
fn original(
    places: &Places,
    request: &Request,
    file: &Path,
    real: &Path,
    before: Option<&[u8]>,
    record: Option<&Record>,
) -> Result<Option<Vec<u8>>, Stop> {
    let Some(before) = before else { return Ok(None) };
    let bare = |bytes: &[u8]| {
        let bom = "\u{feff}".as_bytes();
        let bare = bytes.strip_prefix(bom).filter(|_| request.dialect.trips_over_bom(file));
        bare.unwrap_or(bytes).to_vec()
    };
    let kept = record
        .filter(|record| record.is_wired())
        .map(|record| (record, record::original(&places.state_for(request.scope), real)));
    if let Some((record, original)) = &kept
        && record.written == digest(before)
    {
        return Ok(original.clone());
    }
    let dialect = request.dialect;
    if dialect.find(file, before).map_or(true, |found| found.is_empty()) {
        return Ok(Some(bare(before)));
    }
    let hint = kept.as_ref().and_then(|(_, original)| original.as_deref());
    let without =
        dialect.unwire(file, before, hint, false).map_err(|refusal| Stop::Failed(dialect::refused(file, &refusal)))?;
    let made_by_us = kept.is_some_and(|(record, _)| !record.existed) && dialect.is_bare(file, &without);
    Ok((!made_by_us).then_some(without))
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
    let file = request.file(places)?;
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
            _ => without_us(request, &file, bytes, kept.as_deref(), record.as_ref())?,
        };
    }
    plan.changes.push(Change {
        path: file.clone(),
        real: real.clone(),
        before: before.clone(),
        after: after.clone(),
        folder_mode: 0o700,
        program: false,
    });
    let wiring = Wiring { trust: false, ..wiring(places, request, PathBuf::new(), None, &file) };
    let turn = Turn { before: before.as_deref(), after: after.as_deref() };
    for beside in request.dialect.beside(places, &wiring, turn).map_err(Stop::Refused)? {
        let (real, before) = settings(&beside.path)?;
        let known = record.as_ref().and_then(|record| record.beside.iter().find(|known| known.real == real));
        let after = match known {
            Some(known) if before.as_deref().map(digest).as_ref() == Some(&known.written) => {
                record::original(&state, &real)
            }
            Some(known)
                if !known.existed && beside.after.as_ref().is_some_and(|bytes| bytes.trim_ascii().is_empty()) =>
            {
                None
            }
            _ => beside.after,
        };
        plan.changes.push(Change {
            path: beside.path,
            real,
            before,
            after,
            folder_mode: beside.folder_mode,
            program: false,
        });
    }
    if request.scope == Scope::Managed && alone(places, request) {
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
    Ok(Prepared {
        plan,
        repairs: Vec::new(),
        notes: Vec::new(),
        file,
        real,
        original: kept,
        record,
        wiring: None,
        beside: Vec::new(),
    })
}

/// Whether no other agent is wired for the whole machine.
pub(super) fn alone(places: &Places, request: &Request) -> bool {
    let others = dialect::ALL.iter().filter(|dialect| dialect.agent() != request.dialect.agent());
    !others.into_iter().any(|dialect| dialect::is_wired(*dialect, places, Scope::Managed))
}

/// A file that others changed after us: our entries go, everything else stays.
fn without_us(
    request: &Request,
    file: &Path,
    bytes: &[u8],
    kept: Option<&[u8]>,
    record: Option<&Record>,
) -> Result<Option<Vec<u8>>, Stop> {
    let dialect = request.dialect;
    let refused = |refusal| Stop::Refused(dialect::refused(file, &refusal));
    let found = if request.strip { Ok(Vec::new()) } else { dialect.find(file, bytes) };
    if found.map_err(refused)?.is_empty() && !request.strip {
        return Ok(Some(bytes.to_vec()));
    }
    let without = dialect.unwire(file, bytes, kept, request.strip).map_err(refused)?;
    if !dialect.is_bare(file, &without) {
        return Ok(Some(without));
    }
    match (kept, record) {
        (Some(kept), _) if dialect.is_bare(file, kept) => Ok(Some(kept.to_vec())),
        (_, Some(record)) if !record.existed => Ok(None),
        _ => Ok(Some(without)),
    }
}
