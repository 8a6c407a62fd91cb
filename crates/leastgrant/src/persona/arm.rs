//! Arming and disarming a project. Arming pins what a person chose: the flow file and `ACTIVE.json` as they are now. The
//! record comes first and goes last, so that whatever is left after a crash binds too much or nothing, and never grants.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use leastgrant_core::persona::active::Active;
use leastgrant_core::persona::armed::{Armed, Arming, FORMAT, digest};
use leastgrant_core::persona::contract::is_name;
use leastgrant_core::persona::flow::{Flow, MOST, Problem};
use leastgrant_core::persona::lease::Gate;
use leastgrant_core::persona::run::{FOLDER, active_path, flow_path};
use leastgrant_core::world::World;

use super::scene::{armed_path, lease_path};
use crate::edit::atomic;
use crate::edit::lock::Lock;

/// The owner of what a person armed by hand.
pub const PERSON: &str = "person";

/// Why a project was not armed or disarmed.
#[derive(Debug)]
pub enum Stop {
    /// the flow can't be run
    Flow(PathBuf, Vec<Problem>),
    /// in words
    Refused(String),
}

impl From<io::Error> for Stop {
    fn from(fault: io::Error) -> Self {
        Self::Refused(fault.to_string())
    }
}

/// What arming stands on.
pub struct Yard<'a> {
    /// our state folder
    pub state: &'a Path,
    /// the machine
    pub world: &'a dyn World,
    /// the project's root, links followed
    pub root: &'a Path,
}

/// The path of a flow as `ACTIVE.json` names it: by its name, or below `flows/`.
#[must_use]
pub fn relative(flow: &str) -> Option<String> {
    let name = flow.strip_suffix(".md").unwrap_or(flow);
    if is_name(name) {
        return Some(format!("flows/{name}.md"));
    }
    let inner = name.strip_prefix("flows/")?;
    inner.split('/').all(is_name).then(|| format!("flows/{inner}.md"))
}

impl Yard<'_> {
    fn root(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    fn lock(&self) -> io::Result<Lock> {
        Lock::take(&self.state.join("locks"), Path::new(&active_path(&self.root())))
    }

    fn arming(&self) -> io::Result<Arming> {
        let bytes = read(&armed_path(self.state, self.root))?;
        Ok(Arming::read(bytes.as_deref(), &self.root()))
    }

    fn gate(&self) -> io::Result<Gate> {
        Ok(Gate::read(read(&lease_path(self.state, self.root))?.as_deref(), &self.root()))
    }

    /// Arms the project for a flow. `started_at` is the time as people write it.
    ///
    /// # Errors
    /// The flow can't be run, or somebody else's run is active here.
    pub fn arm(&self, flow: &str, owner: &str, now_ms: i64, started_at: &str) -> Result<(Armed, Flow), Stop> {
        let refused = |text: String| Stop::Refused(text);
        let root = self.root();
        let named = relative(flow).ok_or_else(|| refused(format!("`{flow}` is no name of a flow")))?;
        let file = self.root.join(FOLDER).join(&named);
        let real = flow_path(self.world, &root, &named)
            .ok_or_else(|| refused(format!("`{}` is not a file below `flows/`", file.display())))?;
        let bytes = read(Path::new(&real))?.ok_or_else(|| {
            refused(format!("there is no `{}`: `leastgrant persona new flow NAME` makes one", file.display()))
        })?;
        if bytes.len() > MOST {
            return Err(refused(format!("`{}` is too large for a flow", file.display())));
        }
        let text = String::from_utf8(bytes).map_err(|_| refused(format!("`{}` is not UTF-8", file.display())))?;
        let read = Flow::read(&text).map_err(|problems| Stop::Flow(file.clone(), problems))?;
        let _lock = self.lock()?;
        let active = active_path(&root);
        let mine = matches!(self.arming()?, Arming::Ours(armed) if armed.owner == owner);
        if fs::symlink_metadata(&active).is_ok() {
            if !mine {
                let who = self.who()?;
                return Err(refused(format!(
                    "`{active}` is there already ({who}): end that run first, or `leastgrant persona disarm --force`"
                )));
            }
            fs::remove_file(&active)?;
        }
        let content = Active::write(&named, started_at);
        let armed = Armed {
            v: FORMAT,
            root,
            flow: real,
            flow_sha256: digest(text.as_bytes()),
            active_sha256: digest(content.as_bytes()),
            at_ms: now_ms,
            owner: owner.to_owned(),
        };
        let record = armed_path(self.state, self.root);
        if let Some(folder) = record.parent() {
            atomic::private_folder(folder)?;
        }
        atomic::write_own(&record, &serde_json::to_vec(&armed).map_err(io::Error::from)?)?;
        let made = OpenOptions::new().write(true).create_new(true).open(&active);
        if let Err(fault) = made.and_then(|mut file| file.write_all(content.as_bytes())) {
            let _ = fs::remove_file(&record);
            return Err(refused(format!("`{active}`: {fault}")));
        }
        Ok((armed, read))
    }

    fn who(&self) -> io::Result<String> {
        Ok(match self.arming()? {
            Arming::Foreign => String::from("somebody else's"),
            Arming::Ours(armed) if armed.owner == PERSON => String::from("armed by a person"),
            Arming::Ours(armed) => format!("of run `{}`", armed.owner),
            Arming::Unreadable => String::from("its record can't be read"),
        })
    }

    /// Disarms the project: for an owner what it armed itself, for a person everything that no conductor holds.
    ///
    /// # Errors
    /// It is another's, or a file can't be removed.
    pub fn disarm(&self, owner: &str, force: bool, now_ms: i64) -> Result<Vec<PathBuf>, Stop> {
        let _lock = self.lock()?;
        let active = PathBuf::from(active_path(&self.root()));
        let there = fs::symlink_metadata(&active).is_ok();
        let arming = self.arming()?;
        let alive = matches!(self.gate()?, Gate::Conducted(lease)
            if now_ms < lease.expires_ms && lease.owner != owner && crate::conduct::lease::lives(&lease));
        let others = match &arming {
            Arming::Ours(armed) => armed.owner != owner && owner != PERSON,
            Arming::Foreign => there,
            Arming::Unreadable => owner != PERSON,
        };
        if (alive || others) && !force {
            let why = if alive { String::from("a conductor is at work") } else { self.who()? };
            return Err(Stop::Refused(format!(
                "`{}` is not disarmed ({why}): end that run, or say --force",
                active.display()
            )));
        }
        let mut gone = Vec::new();
        for file in [active, armed_path(self.state, self.root), lease_path(self.state, self.root)] {
            match fs::remove_file(&file) {
                Ok(()) => gone.push(file),
                Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
                Err(fault) => return Err(Stop::Refused(format!("`{}`: {fault}", file.display()))),
            }
        }
        Ok(gone)
    }
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    atomic::read(path, 1024 * 1024).map_err(|fault| io::Error::other(fault.to_string()))
}
