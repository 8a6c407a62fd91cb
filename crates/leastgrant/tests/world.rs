//! The real machine: where a project begins, what may be looked at, what git still has.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use leastgrant::agent::HookEnv;
use leastgrant::world::Real;
use leastgrant_core::world::{Entry, Small, World};

/// A throwaway home with a project in it.
struct Stage(tempfile::TempDir);

impl Stage {
    fn new() -> Self {
        let stage = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(stage.project().join(".git")).unwrap();
        stage
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.home().join("src/project")
    }
}

fn env(home: &Path, more: &[(&str, &str)]) -> HookEnv {
    let home = home.to_str().unwrap().to_owned();
    HookEnv::from_lookup(|name| match name {
        "HOME" => Some(home.clone()),
        _ => more.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned()),
    })
}

fn text(path: &Path) -> String {
    path.canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_project_is_the_nearest_repository_and_never_more_than_that() {
    let stage = Stage::new();
    let (home, project) = (stage.home(), stage.project());
    let env = env(&home, &[]);
    let root = |folder: &Path| Real::project_of(&env, folder.to_str().unwrap());
    fs::create_dir_all(project.join("src/deep")).unwrap();
    assert_eq!(root(&project.join("src/deep")), Some(text(&project)));
    assert_eq!(root(&project.join("not/there/yet")), Some(text(&project)), "a folder that does not exist");

    let worktree = home.join("tree");
    fs::create_dir_all(worktree.join("src")).unwrap();
    fs::write(worktree.join(".git"), "gitdir: /elsewhere\n").unwrap();
    assert_eq!(root(&worktree.join("src")), Some(text(&worktree)), "a worktree's `.git` is a file");

    let notes = home.join("notes");
    fs::create_dir_all(&notes).unwrap();
    fs::create_dir_all(home.join(".git")).unwrap();
    assert_eq!(root(&notes), Some(text(&notes)), "a repository in the home does not make all of it a project");
    assert_eq!(root(&home), Some(text(&home)), "unless the session was started there");

    for folder in ["/", "/etc", "/usr", "/tmp", "/home", "", "relative", home.parent().unwrap().to_str().unwrap()] {
        assert_eq!(Real::project_of(&env, folder), None, "{folder}");
    }
    let disguised = home.join("all");
    symlink("/", &disguised).unwrap();
    assert_eq!(root(&disguised), None, "a link to the root");
}

#[test]
fn a_project_behind_a_link_has_two_spellings() {
    let stage = Stage::new();
    let link = stage.home().join("link");
    symlink(stage.project(), &link).unwrap();
    let world = Real::of(&env(&stage.home(), &[]), link.to_str().unwrap(), HashSet::new());
    assert_eq!(world.facts().project, text(&stage.project()));
    assert_eq!(world.facts().extra_roots, [link.to_str().unwrap()]);
}

#[test]
fn the_environment_cannot_widen_what_counts_as_temporary_or_move_the_state_with_a_cd() {
    let stage = Stage::new();
    let home = stage.home();
    let project = stage.project();
    for folder in ["/", home.to_str().unwrap(), home.parent().unwrap().to_str().unwrap()] {
        let world = Real::of(&env(&home, &[("TMPDIR", folder)]), project.to_str().unwrap(), HashSet::new());
        assert_eq!(world.facts().temp, text(Path::new("/tmp")), "{folder}");
    }
    let moved = env(&home, &[("LEASTGRANT_HOME", "state")]);
    assert_eq!(Real::state(&moved), format!("{}/.leastgrant", text(&home)));
    assert!(Real::misplaced(&moved).unwrap().contains("not an absolute path"));
    assert_eq!(Real::misplaced(&env(&home, &[("LEASTGRANT_HOME", "/x")])), None);
}

#[test]
fn looks_are_bounded_and_wait_for_nobody() {
    let stage = Stage::new();
    let project = stage.project();
    let world = Real::of(&env(&stage.home(), &[]), project.to_str().unwrap(), HashSet::new());
    let path = |name: &str| project.join(name).to_str().unwrap().to_owned();
    fs::write(path("file"), "12345").unwrap();
    symlink("nowhere", path("dangling")).unwrap();
    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    assert_eq!(world.entry(&path("file")), Entry::File);
    assert_eq!(world.entry(&path("dangling")), Entry::Link(String::from("nowhere")));
    assert_eq!(world.entry(&path("none")), Entry::Missing);
    assert_eq!(world.entry(&path("file/below")), Entry::Missing);
    assert_eq!(world.read(&path("file"), 5), Small::Bytes(b"12345".to_vec()));
    assert_eq!(world.read(&path("file"), 4), Small::Unreadable);
    assert_eq!(world.read(&path("dangling"), 9), Small::Missing);
    assert_eq!(world.read(&path("pipe"), 9), Small::Unreadable);
    assert_eq!(world.read("/dev/zero", 9), Small::Unreadable);
    assert_eq!(world.list(project.to_str().unwrap(), 2), None, "more than was asked for");
    assert_eq!(world.list(project.to_str().unwrap(), 9).unwrap().len(), 4);
    for _ in 0..30_000 {
        let _ = world.entry(&path("none"));
    }
    assert_eq!(world.entry(&path("file")), Entry::Unknown, "after too many looks nothing is known any more");
}

#[test]
fn git_has_a_file_only_while_it_is_as_it_was_added() {
    let stage = Stage::new();
    let project = stage.project();
    fs::remove_dir_all(project.join(".git")).unwrap();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(&project).env("HOME", stage.home()).env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(command.status().unwrap().success(), "{args:?}");
    };
    let at = |name: &str, seconds: i64| {
        let file = fs::File::options().append(true).open(project.join(name)).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds.unsigned_abs());
        file.set_modified(time).unwrap();
    };
    fs::create_dir_all(project.join("src")).unwrap();
    for name in ["a", "src/b", "src/c"] {
        fs::write(project.join(name), "x").unwrap();
        at(name, 1_700_000_000);
    }
    git(&["init", "-q"]);
    git(&["add", "a", "src/b"]);
    let world = Real::of(&env(&stage.home(), &[]), project.to_str().unwrap(), HashSet::new());
    let clean = |name: &str| world.tracked_clean(project.join(name).to_str().unwrap());
    assert!(clean("a") && clean("src/b"));
    assert!(!clean("src/c"), "not added");
    assert!(!clean("src"), "a folder");
    assert!(!clean("none"));
    at("a", 1_700_000_001);
    assert!(!clean("a"), "touched");
    fs::write(project.join("src/b"), "xy").unwrap();
    at("src/b", 1_700_000_000);
    assert!(!clean("src/b"), "another size");
    fs::remove_file(project.join("a")).unwrap();
    symlink("src/b", project.join("a")).unwrap();
    assert!(!clean("a"), "a link now");
}
