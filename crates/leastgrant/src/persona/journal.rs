//! `.leopold/persona/events.jsonl`: one line for each call that was held. Host and flow, never an address; one line a call,
//! also where two hooks hold it. A failure here never changes an answer.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use leastgrant_core::persona::armed::digest;
use leastgrant_core::persona::run::FOLDER;
use leastgrant_core::persona::why::{Block, bounded};
use serde::Serialize;

/// How many calls are remembered before old ones are forgotten.
const REMEMBERED: usize = 512;
/// How long a call may be judged a second time.
const AGE: Duration = Duration::from_secs(3600);

/// The fields and their order are fixed by those who read the file.
#[derive(Serialize)]
struct Line<'a> {
    ts: String,
    event: &'static str,
    tool: String,
    host: &'a str,
    flow: &'a str,
}

/// One call, for telling it from others.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// the project's root
    pub root: &'a str,
    /// the agent's session
    pub session: &'a str,
    /// the agent's id of the call
    pub call: Option<&'a str>,
    /// the tool's name
    pub tool: &'a str,
}

/// The events of a project.
#[must_use]
pub fn path(root: &str) -> PathBuf {
    Path::new(root).join(FOLDER).join("events.jsonl")
}

/// Writes the event of a call that was held, unless another hook has.
pub fn block(state: &Path, held: Held<'_>, block: &Block) {
    if held.call.is_some_and(|call| seen(state, held, call)) {
        return;
    }
    let line = Line {
        ts: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        event: "persona_guard_block",
        tool: bounded(held.tool),
        host: &block.host,
        flow: &block.flow,
    };
    if let Ok(text) = serde_json::to_string(&line) {
        let _ = append(&path(held.root), &text);
    }
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    // a link or a pipe that somebody put there is not ours to write through
    let flags = crate::store::NONBLOCK | nofollow();
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    file.write_all(format!("{line}\n").as_bytes())
}

#[expect(clippy::cast_possible_wrap, reason = "a flag of the kernel, the same bits in both types")]
fn nofollow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits() as i32
}

/// Whether another hook was first; this one is from now on. Not knowing counts as no: an event twice is better than none.
fn seen(state: &Path, held: Held<'_>, call: &str) -> bool {
    let folder = state.join("persona/held");
    if crate::edit::atomic::private_folder(&folder).is_err() {
        return false;
    }
    forget(&folder);
    let name = digest(format!("{}\0{}\0{call}", held.root, held.session).as_bytes());
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(folder.join(name));
    made.is_err_and(|fault| fault.kind() == io::ErrorKind::AlreadyExists)
}

fn forget(folder: &Path) {
    let Ok(names) = fs::read_dir(folder) else { return };
    let names: Vec<PathBuf> = names.take(4 * REMEMBERED).filter_map(|entry| Some(entry.ok()?.path())).collect();
    if names.len() < REMEMBERED {
        return;
    }
    let now = SystemTime::now();
    let old = |path: &PathBuf| {
        let changed = fs::metadata(path).and_then(|about| about.modified()).ok();
        changed.and_then(|at| now.duration_since(at).ok()).is_some_and(|age| age > AGE)
    };
    for path in names.into_iter().filter(old) {
        let _ = fs::remove_file(path);
    }
}
