//! What an agent in this project could reach: credentials that lie about, files that version control would publish.

use std::fs;
use std::path::{Path, PathBuf};

use leastgrant_core::path::place;
use leastgrant_core::secret::secret;

use super::scene::{Scene, field};
use super::{Check, Group, Status};
use crate::agent::HookEnv;
use crate::render::words;
use crate::world::Real;

const BUDGET: usize = 400;
const DEPTH: usize = 2;
const SKIPPED: [&str; 8] = ["node_modules", ".git", "dist", "build", "target", "vendor", ".venv", "venv"];
const SHOWN: usize = 5;

pub(super) fn checks(scene: &Scene) -> Vec<Check> {
    let project = &scene.places.project;
    let mut checks = vec![credentials(project)];
    checks.extend(gitignore(project));
    checks.extend(hosts(scene));
    checks
}

fn check(id: &str, status: Status, text: String) -> Check {
    Check::new(Group::Exposure, id, status, text)
}

fn credentials(project: &Path) -> Check {
    let world = Real::of(&HookEnv::of_process(), &project.to_string_lossy(), std::collections::HashSet::new());
    let (files, whole) = files(project);
    let found: Vec<String> = files
        .iter()
        .filter_map(|file| file.to_str())
        .filter(|file| secret(&world, &place(&world, None, file)).is_some())
        .map(|file| file.strip_prefix(&*project.to_string_lossy()).unwrap_or(file).trim_start_matches('/').to_owned())
        .collect();
    let partly = if whole { "" } else { " (the project is large: only a part was looked at)" };
    if found.is_empty() {
        return check(
            "credentials-in-tree",
            Status::Ok,
            format!("no credential files in the project's upper folders{partly}"),
        );
    }
    let named: Vec<String> = found.iter().take(SHOWN).map(|file| format!("`{}`", words::safe(file))).collect();
    let more = found.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    check(
        "credentials-in-tree",
        Status::Warn,
        format!(
            "the project holds credentials: {}{more}{partly}; reading them is always asked about",
            named.join(", ")
        ),
    )
}

/// Files of the project's upper folders, and whether those were all.
fn files(project: &Path) -> (Vec<PathBuf>, bool) {
    let mut files = Vec::new();
    let mut folders = vec![(project.to_owned(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            seen += 1;
            if seen > BUDGET {
                return (files, false);
            }
            let skipped = entry.file_name().to_str().is_some_and(|name| SKIPPED.contains(&name));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEPTH && !skipped => folders.push((entry.path(), depth + 1)),
                Ok(kind) if kind.is_dir() => {}
                Ok(_) => files.push(entry.path()),
                Err(_) => {}
            }
        }
    }
    files.sort();
    (files, true)
}

/// Hosts that the agent's calls named, as far as their signatures keep them.
fn hosts(scene: &Scene) -> Option<Check> {
    let events = scene.events.as_ref().ok()?;
    let mut hosts = std::collections::BTreeSet::new();
    for signature in events.iter().filter_map(|event| field(event, "signature")) {
        hosts.extend(signature.split("<url:").skip(1).filter_map(|rest| rest.split_once('>')).map(|(host, _)| host));
    }
    if hosts.is_empty() {
        return None;
    }
    let named: Vec<String> = hosts.iter().take(SHOWN).map(|host| words::safe(host)).collect();
    let more = hosts.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(check(
        "hosts",
        Status::Info,
        format!("hosts named in calls of the last sixty days: {}{more}", named.join(", ")),
    ))
}

/// A `.env` that git would take. Asked of git itself: ignore rules stand in many places.
fn gitignore(project: &Path) -> Option<Check> {
    if !project.join(".git").exists() {
        return None;
    }
    if !project.join(".env").is_file() {
        let there = project.join(".gitignore").is_file();
        return (!there).then(|| check("gitignore", Status::Info, String::from("the repository has no `.gitignore`")));
    }
    let git = crate::install::find::on_path("git")?;
    let mut command = std::process::Command::new(git);
    command.args(["check-ignore", "--quiet", ".env"]).current_dir(project);
    let ran = crate::install::probe::run(&mut command, "", std::time::Duration::from_secs(5)).ok()?;
    match ran.code {
        Some(0) => Some(check("gitignore", Status::Ok, String::from("git ignores `.env`"))),
        Some(1) => Some(
            check(
                "gitignore",
                Status::Bad,
                String::from("git does not ignore `.env`: the next `git add .` would take it"),
            )
            .fix("echo .env >> .gitignore"),
        ),
        _ => None,
    }
}
