//! The real machine behind [`leastgrant_core::world::World`]: every look is bounded in size, and all looks together in
//! number and time; what is beyond the bounds is unknown, never absent.

mod git;
mod users;

use std::cell::Cell;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use leastgrant_core::world::{Entry, Facts, Small, World};

use crate::agent::HookEnv;

/// How many looks one judgement may take.
const LOOKS: u32 = 20_000;
/// How long all looks together may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How far up a repository root is looked for.
const DEPTH: usize = 64;
/// A path at which nothing can be: the project or the state of somebody who has none.
pub const NOWHERE: &str = "/dev/null/nowhere";

/// Facts about this machine.
#[derive(Debug)]
pub struct Real {
    facts: Facts,
    made: HashSet<String>,
    looks: Cell<u32>,
    spent: Cell<Duration>,
}

impl Real {
    /// The world of a session that was started in `start`.
    #[must_use]
    pub fn of(env: &HookEnv, start: &str, made: HashSet<String>) -> Self {
        let home = users::home(env);
        let (project, spelled) = project(start, home.as_deref());
        let facts = Facts {
            temp: temp(env, home.as_deref()),
            state: real_or_same(&Self::state(env)),
            binary: std::env::current_exe()
                .ok()
                .and_then(|path| Some(path.to_str()?.to_owned()))
                .map(|path| real_or_same(&path)),
            agent_homes: [("claude-code", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")]
                .into_iter()
                .filter_map(|(id, name)| Some((id.to_owned(), trimmed(env.folder(name)?).to_owned())))
                .collect(),
            case_blind: cfg!(any(target_os = "macos", target_os = "windows")),
            now_ms: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
            extra_roots: spelled.into_iter().collect(),
            secret_globs: Vec::new(),
            home,
            checkout: git::main_checkout(&project),
            project,
        };
        Self { facts, made, looks: Cell::new(0), spent: Cell::new(Duration::ZERO) }
    }

    /// The state folder, which need not exist.
    #[must_use]
    pub fn state(env: &HookEnv) -> String {
        match (env.folder("LEASTGRANT_HOME"), users::home(env)) {
            (Some(moved), _) => trimmed(moved).to_owned(),
            (None, Some(home)) => format!("{}/.leastgrant", trimmed(&home)),
            (None, None) => NOWHERE.to_owned(),
        }
    }

    /// The person's home.
    #[must_use]
    pub fn home(env: &HookEnv) -> Option<String> {
        users::home(env)
    }

    /// What is wrong with where the environment puts our state, in words: a folder that moves with the agent's `cd`
    /// would let the agent choose its own policy, so it is not used.
    #[must_use]
    pub fn misplaced(env: &HookEnv) -> Option<String> {
        let named = env.get("LEASTGRANT_HOME").filter(|named| !named.starts_with('/'))?;
        Some(format!("`LEASTGRANT_HOME` is `{named}`, which is not an absolute path, so it is not used"))
    }

    /// The project of a session that was started in `start`, if it has one.
    #[must_use]
    pub fn project_of(env: &HookEnv, start: &str) -> Option<String> {
        let root = Some(project(start, users::home(env).as_deref()).0).filter(|root| root != NOWHERE)?;
        Some(git::main_checkout(&root).unwrap_or(root))
    }

    /// The project, if there is one: of a worktree, the main checkout, so that rules and what was learned are shared.
    #[must_use]
    pub fn project(&self) -> Option<&str> {
        let root = self.facts.checkout.as_deref().unwrap_or(&self.facts.project);
        Some(root).filter(|root| *root != NOWHERE)
    }

    /// Adds what the person configured.
    #[must_use]
    pub fn with(mut self, extra_roots: Vec<String>, secret_globs: Vec<String>) -> Self {
        self.facts.extra_roots.extend(extra_roots);
        self.facts.secret_globs = secret_globs;
        self
    }

    /// One look, if there is still room for it.
    fn look<T>(&self, beyond: T, look: impl FnOnce() -> T) -> T {
        if self.looks.get() >= LOOKS || self.spent.get() >= PATIENCE {
            return beyond;
        }
        self.looks.set(self.looks.get() + 1);
        let start = Instant::now();
        let found = look();
        self.spent.set(self.spent.get() + start.elapsed());
        found
    }
}

impl World for Real {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn entry(&self, path: &str) -> Entry {
        self.look(Entry::Unknown, || match fs::symlink_metadata(path) {
            Ok(about) if about.is_dir() => Entry::Dir,
            Ok(about) if about.is_symlink() => {
                match fs::read_link(path).ok().and_then(|to| Some(to.to_str()?.to_owned())) {
                    Some(to) => Entry::Link(to),
                    None => Entry::Unknown,
                }
            }
            Ok(_) => Entry::File,
            Err(fault) if matches!(fault.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Entry::Missing
            }
            Err(_) => Entry::Unknown,
        })
    }

    fn read(&self, path: &str, max: usize) -> Small {
        self.look(Small::Unreadable, || read(Path::new(path), max))
    }

    fn list(&self, path: &str, max: usize) -> Option<Vec<String>> {
        self.look(None, || {
            let mut names = Vec::new();
            for entry in fs::read_dir(path).ok()? {
                if names.len() >= max {
                    return None;
                }
                names.push(entry.ok()?.file_name().into_string().ok()?);
            }
            Some(names)
        })
    }

    fn home_of(&self, user: &str) -> Option<String> {
        self.look(None, || users::home_of(user))
    }

    fn tracked_clean(&self, path: &str) -> bool {
        self.look(false, || git::tracked_clean(path))
    }

    fn made_in_session(&self, path: &str) -> bool {
        self.made.contains(path)
    }
}

/// At most `max` bytes of a regular file, without waiting for anybody.
fn read(path: &Path, max: usize) -> Small {
    let open = || -> io::Result<Option<Vec<u8>>> {
        // a look first: opening a device may do things
        if !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let file = OpenOptions::new().read(true).custom_flags(crate::store::NONBLOCK).open(path)?;
        let about = file.metadata()?;
        if !about.is_file() || about.len() > max as u64 {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        file.take(max as u64 + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() <= max).then_some(bytes))
    };
    match open() {
        Ok(Some(bytes)) => Small::Bytes(bytes),
        Ok(None) => Small::Unreadable,
        Err(fault) if matches!(fault.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Small::Missing,
        Err(_) => Small::Unreadable,
    }
}

/// The project's root with links followed, and its other spelling if that differs.
fn project(start: &str, home: Option<&str>) -> (String, Option<String>) {
    let start = trimmed(start);
    if !start.starts_with('/') || holds_too_much(start, home) {
        return (NOWHERE.to_owned(), None);
    }
    let root = repository(start, home).unwrap_or(start);
    let real = real_or_same(root);
    if holds_too_much(&real, home) {
        return (NOWHERE.to_owned(), None);
    }
    let spelled = (real != root).then(|| root.to_owned());
    (real, spelled)
}

/// The nearest folder above that holds a `.git` (a folder, or a file in a worktree), short of the home.
fn repository<'a>(start: &'a str, home: Option<&str>) -> Option<&'a str> {
    Path::new(start)
        .ancestors()
        .take(DEPTH)
        .filter_map(Path::to_str)
        .take_while(|folder| !holds_too_much(folder, home) && home != Some(*folder))
        .find(|folder| fs::symlink_metadata(Path::new(folder).join(".git")).is_ok())
}

/// Folders that are nobody's project: the root, the machine's own, and everything above the home. The home itself is one
/// only if the session was started there. (`/app` and the like are where containers keep projects.)
fn holds_too_much(folder: &str, home: Option<&str>) -> bool {
    let above_home = home.is_some_and(|home| Path::new(home).starts_with(folder));
    home != Some(folder) && (above_home || MACHINES_OWN.contains(&folder))
}

const MACHINES_OWN: &[&str] = &[
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/media",
    "/mnt",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/var",
    "/var/tmp",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/private",
    "/private/etc",
    "/private/tmp",
    "/private/var",
];

fn temp(env: &HookEnv, home: Option<&str>) -> String {
    let named = env.folder("TMPDIR").map(trimmed).filter(|folder| {
        // a person's home would become a place where anything goes
        *folder != "/" && home.is_none_or(|home| !Path::new(home).starts_with(folder))
    });
    real_or_same(named.unwrap_or("/tmp"))
}

fn trimmed(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    }
}

/// With links followed, where the path exists.
fn real_or_same(path: &str) -> String {
    fs::canonicalize(path).ok().and_then(|real| Some(real.to_str()?.to_owned())).unwrap_or_else(|| path.to_owned())
}
