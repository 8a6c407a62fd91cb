//! Off-switches of the agents besides Claude Code, as their records name them, looked for in every settings file that the
//! agent reads here and in the environment.

use std::env;
use std::path::{Path, PathBuf};

use leastgrant_core::compatibility::{self, OffSwitch, Record};

use crate::edit::atomic;
use crate::edit::json::{Document, MAX_BYTES, Reading, Step};
use crate::edit::toml;
use crate::install::place::{Places, Scope};
use crate::install::{codex, copilot, gemini_cli, qwen_code};

/// An off-switch that is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// whose settings; none for the environment
    pub scope: Option<Scope>,
    /// the file
    pub file: PathBuf,
    /// the key, dotted, or the variable
    pub key: String,
    /// its path in the file
    pub path: Vec<String>,
    /// line in the file
    pub line: usize,
}

/// Every settings file that can hold a switch of this agent here.
#[must_use]
pub fn files(agent: &str, places: &Places) -> Vec<(Scope, PathBuf)> {
    let mut files = Vec::new();
    let mut projects = vec![places.project.clone()];
    if places.here != places.project {
        projects.push(places.here.clone());
    }
    let etc = places.root.join("etc");
    match agent {
        codex::AGENT => {
            files.push((Scope::User, places.codex.join("config.toml")));
            files.extend(profiles(&places.codex).into_iter().map(|file| (Scope::User, file)));
            files.extend(projects.iter().map(|project| (Scope::Project, project.join(".codex/config.toml"))));
            for name in ["config.toml", "managed_config.toml", "requirements.toml"] {
                files.push((Scope::Managed, etc.join("codex").join(name)));
            }
        }
        gemini_cli::AGENT => {
            files.push((Scope::User, places.gemini.join("settings.json")));
            files.extend(projects.iter().map(|project| (Scope::Project, project.join(".gemini/settings.json"))));
            files.push((Scope::Managed, etc.join("gemini-cli/settings.json")));
        }
        qwen_code::AGENT => {
            files.push((Scope::User, places.qwen.join("settings.json")));
            files.extend(projects.iter().map(|project| (Scope::Project, project.join(".qwen/settings.json"))));
            files.push((Scope::Managed, etc.join("qwen-code/settings.json")));
        }
        copilot::AGENT => {
            files.push((Scope::User, places.copilot.join("settings.json")));
            for project in &projects {
                files.push((Scope::Project, project.join(".github/copilot/settings.json")));
                files.push((Scope::Local, project.join(".github/copilot/settings.local.json")));
                // it reads Claude Code's file of a trusted project too
                files.push((Scope::Project, project.join(".claude/settings.json")));
            }
            files.push((Scope::Managed, etc.join("github-copilot/managed-settings.json")));
        }
        _ => {}
    }
    files.dedup();
    files
}

fn profiles(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".config.toml"))
        .take(50)
        .collect();
    files.sort();
    files
}

/// Every switch of this agent's record that is on.
#[must_use]
pub fn on(agent: &str, places: &Places) -> Vec<Switch> {
    let Some(record) = compatibility::of(agent) else { return Vec::new() };
    let mut found = Vec::new();
    for (scope, file) in files(agent, places) {
        let Some(bytes) = atomic::read(&file, MAX_BYTES).ok().flatten() else { continue };
        for switch in of_form(record, "setting") {
            // only in the machine's own layer does it say what others may not
            if switch.name.to_ascii_lowercase().contains("managed") && scope != Scope::Managed {
                continue;
            }
            let path: Vec<String> = switch.name.split('.').map(str::to_owned).collect();
            let Some((value, at)) = value(&file, &bytes, &path) else { continue };
            let hits = match switch.is.as_str() {
                "*" => !matches!(value.as_str(), "[]" | "{}" | "\"\"" | "null" | "false"),
                "" => true,
                is => value == is,
            };
            if hits {
                let line = at;
                found.push(Switch { scope: Some(scope), file: file.clone(), key: switch.name.clone(), path, line });
            }
        }
    }
    for switch in of_form(record, "env") {
        let Some(value) = env::var_os(&switch.name).filter(|value| !value.is_empty()) else { continue };
        if switch.is.is_empty() || switch.is == "*" || value.to_string_lossy() == switch.is.as_str() {
            let (key, path) = (switch.name.clone(), Vec::new());
            found.push(Switch { scope: None, file: PathBuf::new(), key, path, line: 0 });
        }
    }
    found
}

fn of_form<'r>(record: &'r Record, form: &'r str) -> impl Iterator<Item = &'r OffSwitch> {
    record
        .off_switches
        .iter()
        .map(|fact| &fact.value)
        .filter(move |switch| switch.form == form && switch.effect == "hooks" && !switch.name.contains(".*"))
}

/// The value of a key as it is written, without blanks, and its line.
fn value(file: &Path, bytes: &[u8], path: &[String]) -> Option<(String, usize)> {
    let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
    if codex::is_toml(file) {
        let document = toml::Document::parse(bytes).ok()?;
        let value = document.at(&steps)?.to_string();
        let line = document.span(&steps).map_or(0, |span| document.place(span.start).0);
        return Some((value, line));
    }
    let document = Document::parse_as(bytes, Reading::Loose).ok()?;
    let node = document.at(&steps)?;
    let value: String = document.raw(&node.span).split_whitespace().collect();
    Some((value, document.place(node.span.start).0))
}

/// A variable that lets somebody start a program before every hook of Codex, and so end them all.
#[must_use]
pub fn shell_start(places: &Places) -> Option<PathBuf> {
    let file = places.codex.join(".env");
    let text = String::from_utf8(atomic::read(&file, MAX_BYTES).ok().flatten()?).ok()?;
    let sets = |line: &str| {
        let line = line.trim().trim_start_matches("export ").trim_start();
        ["BASH_ENV", "ENV", "PATH", "LD_PRELOAD"]
            .iter()
            .any(|name| line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('=')))
    };
    text.lines().any(sets).then_some(file)
}
