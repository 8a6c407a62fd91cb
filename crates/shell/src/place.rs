//! Where `cd` leads, by name alone, as the shell's `$PWD` spells it.

use crate::flow::MOST_FOLDERS;
use crate::{Cwd, Value};

/// A path that is longer than any system takes.
const LONGEST_PATH: usize = 4096;

/// `path` as seen from `cwd`, with `.` and `..` removed by name, as `$PWD` does.
pub(crate) fn resolve(cwd: &str, path: &str) -> Option<String> {
    if cwd.len() + path.len() > LONGEST_PATH {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    let whole = if path.starts_with('/') { "" } else { cwd };
    for part in whole.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// Every combination of a folder and a target.
pub(crate) fn enter(cwd: &Cwd, target: &Value) -> Cwd {
    let Some(targets) = target.all() else {
        return Cwd::Unknown;
    };
    let folders: Vec<&str> = match cwd {
        Cwd::At(path) => vec![path],
        Cwd::OneOf(paths) => paths.iter().map(String::as_str).collect(),
        Cwd::Unknown if targets.iter().all(|target| target.starts_with('/')) => vec!["/"],
        Cwd::Unknown => return Cwd::Unknown,
    };
    let mut all: Vec<String> = Vec::new();
    for folder in folders {
        for target in &targets {
            let Some(path) = resolve(folder, target) else {
                return Cwd::Unknown;
            };
            if !all.contains(&path) {
                all.push(path);
            }
            if all.len() > MOST_FOLDERS {
                return Cwd::Unknown;
            }
        }
    }
    if all.len() == 1 { all.pop().map_or(Cwd::Unknown, Cwd::At) } else { Cwd::OneOf(all) }
}
