//! Which persona runs bind a session: the folder it was started in, the folder it is in, and everything above both, so
//! that no `cd`, link or worktree leaves the bound. Every look is bounded; nothing is written.

use std::path::{Path, PathBuf};

use leastgrant_core::persona::armed::Arming;
use leastgrant_core::persona::guard::Profile;
use leastgrant_core::persona::lease::Gate;
use leastgrant_core::persona::run::{FOLDER, Run, State, active_path};
use leastgrant_core::persona::why::{Block, Why};
use leastgrant_core::world::{Entry, Small, World};

use crate::edit::lock::key;

/// How far up is looked.
const DEPTH: usize = 64;
/// Most folders that are looked at.
const FOLDERS: usize = 256;
/// A larger record of ours is not one.
const MOST: usize = 256 * 1024;

/// The file in our state that says who armed a project.
#[must_use]
pub fn armed_path(state: &Path, root: &Path) -> PathBuf {
    state.join("persona/armed").join(format!("{}.json", key(root)))
}

/// The file in our state with the conductor's word for a project.
#[must_use]
pub fn lease_path(state: &Path, root: &Path) -> PathBuf {
    state.join("persona/lease").join(format!("{}.json", key(root)))
}

/// The runs that bind a session which was started in one of these folders or is in one of them.
#[must_use]
pub fn runs(world: &dyn World, state: &str, starts: &[&str]) -> Vec<Run> {
    let state = Path::new(state);
    let conducted =
        world.list(&state.join("persona/lease").to_string_lossy(), FOLDERS).is_none_or(|all| !all.is_empty())
            && world.entry(&state.join("persona/lease").to_string_lossy()) != Entry::Missing;
    let mut runs: Vec<Run> = Vec::new();
    for folder in folders(world, starts) {
        let present = world.entry(&active_path(&folder)) != Entry::Missing;
        if !present && !conducted {
            continue;
        }
        let root = real(&folder);
        if runs.iter().any(|run| run.root == root) {
            continue;
        }
        let gate = Gate::read(record(world, &lease_path(state, Path::new(&root))).as_deref(), &root);
        if !present {
            runs.extend(unarmed(&root, gate, world.facts().now_ms));
            continue;
        }
        let arming = Arming::read(record(world, &armed_path(state, Path::new(&root))).as_deref(), &root);
        runs.extend(Run::at(world, &root, &arming, gate));
    }
    runs
}

/// Whether any project of these holds an `ACTIVE.json` of whatever kind.
#[must_use]
pub fn any(world: &dyn World, starts: &[&str]) -> bool {
    folders(world, starts).iter().any(|folder| world.entry(&active_path(folder)) != Entry::Missing)
}

/// A conductor is at work and its `ACTIVE.json` is gone: somebody took it away.
fn unarmed(root: &str, gate: Gate, now_ms: i64) -> Option<Run> {
    let alive = matches!(&gate, Gate::Conducted(lease) if now_ms < lease.expires_ms);
    alive.then(|| Run {
        root: root.to_owned(),
        profile: Profile::Strict,
        armed: false,
        gate,
        state: State::Closed(Block::new(Why::Tampered, "").of("ACTIVE.json")),
    })
}

/// The bytes of a record of ours; an empty text, which is no record, where it can't be read.
fn record(world: &dyn World, path: &Path) -> Option<Vec<u8>> {
    match world.read(&path.to_string_lossy(), MOST) {
        Small::Bytes(bytes) => Some(bytes),
        Small::Missing => None,
        Small::Unreadable => Some(Vec::new()),
    }
}

fn folders(world: &dyn World, starts: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let home = world.facts().home.as_deref();
    for start in starts.iter().filter(|start| start.starts_with('/')) {
        above(start, home, &mut all);
        above(&real(start), home, &mut all);
    }
    let trees: Vec<String> = all.iter().filter_map(|folder| main_tree(world, folder)).collect();
    for tree in trees {
        above(&tree, home, &mut all);
    }
    all
}

/// A folder and those above it, short of the root and of a home that it is only below of.
fn above(start: &str, home: Option<&str>, all: &mut Vec<String>) {
    for (at, folder) in Path::new(start).ancestors().take(DEPTH).filter_map(Path::to_str).enumerate() {
        let ends = folder == "/" || (at > 0 && home == Some(folder));
        if ends || all.len() >= FOLDERS {
            return;
        }
        let folder = folder.trim_end_matches('/');
        if !all.iter().any(|known| known == folder) {
            all.push(folder.to_owned());
        }
    }
}

/// The main working tree of a repository's other one: `.git` is a file that names a folder below the main `.git`.
fn main_tree(world: &dyn World, folder: &str) -> Option<String> {
    let git = format!("{folder}/.git");
    if world.entry(&git) != Entry::File {
        return None;
    }
    let Small::Bytes(bytes) = world.read(&git, 4096) else { return None };
    let text = String::from_utf8(bytes).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let (main, _) = named.rsplit_once("/.git/worktrees/")?;
    main.starts_with('/').then(|| main.to_owned())
}

fn real(path: &str) -> String {
    std::fs::canonicalize(path).ok().and_then(|real| Some(real.to_str()?.to_owned())).unwrap_or_else(|| path.to_owned())
}

/// The project whose persona folder is meant from here: the nearest above that has one.
#[must_use]
pub fn project(here: &Path) -> Option<PathBuf> {
    here.ancestors().take(DEPTH).find(|folder| folder.join(FOLDER).is_dir()).map(Path::to_owned)
}
