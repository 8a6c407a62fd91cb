//! What is on this machine: agents and their versions, the outer `timeout`, our own program.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use leastgrant_core::control::RECORDS;

use super::dialect::Dialect;
use super::place::Places;
use super::probe;

const VERSION_LIMIT: Duration = Duration::from_secs(5);
const TIMEOUTS: [&str; 5] = [
    "/usr/bin/timeout",
    "/bin/timeout",
    "/usr/local/bin/timeout",
    "/opt/homebrew/bin/gtimeout",
    "/usr/local/bin/gtimeout",
];

/// A program on the search path: absolute entries only, an agent's project must not name it.
#[must_use]
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| runnable(file))
}

fn runnable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// An agent on this machine.
#[derive(Clone, Debug, Default)]
pub struct Sign {
    /// its program
    pub program: Option<PathBuf>,
    /// its version
    pub version: Option<String>,
    /// its configuration folder exists
    pub configured: bool,
}

impl Sign {
    /// Looks for an agent; asks it for its version for at most five seconds.
    #[must_use]
    pub fn look(dialect: &dyn Dialect, places: &Places) -> Self {
        let sign = Self::glance(dialect, places);
        let version = sign.program.as_ref().and_then(|program| version(program));
        Self { version, ..sign }
    }

    /// The same without starting anything.
    #[must_use]
    pub fn glance(dialect: &dyn Dialect, places: &Places) -> Self {
        let program = programs(dialect.agent()).iter().find_map(|name| on_path(name));
        Self { program, version: None, configured: dialect.home(places).is_dir() }
    }

    /// Whether there is any sign of it.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.program.is_some() || self.configured
    }
}

/// The names under which an agent is started.
#[must_use]
pub fn programs(agent: &str) -> &'static [&'static str] {
    RECORDS.iter().find(|record| record.id == agent).map_or(&[], |record| record.programs)
}

/// The first word that is a version: some agents say their name first, some end a sentence with it.
fn version(program: &Path) -> Option<String> {
    let ran = probe::run(Command::new(program).arg("--version"), "", VERSION_LIMIT).ok()?;
    let numbers = |word: &str| {
        word.contains('.') && word.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
    };
    let words = ran.stdout.split_whitespace().map(|word| word.trim_end_matches(['.', ',']).trim_start_matches('v'));
    words.filter(|_| ran.code == Some(0)).take(8).find(|word| numbers(word)).map(str::to_owned)
}

/// A `timeout` that works, system folders first.
#[must_use]
pub fn timeout() -> Option<PathBuf> {
    TIMEOUTS
        .iter()
        .map(PathBuf::from)
        .chain(on_path("timeout"))
        .chain(on_path("gtimeout"))
        .filter(|file| runnable(file) && super::wiring::unfit(file).is_none())
        .find(|file| works(file))
}

fn works(timeout: &Path) -> bool {
    let ran = probe::run(Command::new(timeout).args(["-k", "1", "8", "/bin/sh", "-c", "exit 7"]), "", VERSION_LIMIT);
    ran.is_ok_and(|ran| ran.code == Some(7))
}

/// Our own program, links followed.
///
/// # Errors
/// It can't be found any more, or has a name that the hook would not be recognised by.
pub fn own_program(given: Option<&Path>) -> Result<PathBuf, String> {
    let program = match given {
        Some(given) => given.to_owned(),
        None => env::current_exe().map_err(|error| format!("our own program: {error}"))?,
    };
    let program = fs::canonicalize(&program).map_err(|error| format!("`{}`: {error}", program.display()))?;
    if let Some(why) = super::wiring::unfit(&program) {
        return Err(why);
    }
    if program.file_name().is_none_or(|name| name != "leastgrant") {
        return Err(format!("`{}` must be named `leastgrant` to be known again in the settings", program.display()));
    }
    if !runnable(&program) {
        return Err(format!("`{}` can't be started", program.display()));
    }
    Ok(program)
}

/// Why a program at this path will not be there for long.
#[must_use]
pub fn short_lived(program: &Path) -> Option<String> {
    if program.components().any(|part| part.as_os_str() == "target") {
        return Some(format!("`{}` is a build folder's and goes with the next clean", program.display()));
    }
    let temporary = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/run"];
    let own = env::temp_dir();
    let inside = |folder: &Path| fs::canonicalize(folder).is_ok_and(|folder| program.starts_with(folder));
    (temporary.iter().any(|folder| inside(Path::new(folder))) || inside(&own))
        .then(|| format!("`{}` is in a folder for temporary files", program.display()))
}
