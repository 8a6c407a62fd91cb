//! Paths and addresses among the arguments of a tool that is known by its arguments alone.

use serde_json::Value as Json;

use super::{Scene, outside};
use crate::action::{Role, Target, TargetKind};
use crate::classify::draft::{Draft, looks_like_path};
use crate::{host, path};

/// Most texts that are looked at.
const TEXTS: usize = 256;
/// Deepest nesting that is looked at.
const DEPTH: usize = 4;
/// Longest text that can be a path or an address.
const LONGEST: usize = path::MAX;

/// Adds every path and address among the arguments as a target; what is left unread makes the action opaque.
pub(super) fn add(scene: &Scene<'_>, draft: &mut Draft, input: &Json, role: Role) {
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut stack = vec![(String::new(), input, 0_usize)];
    let mut all = true;
    while let Some((key, value, depth)) = stack.pop() {
        match value {
            Json::String(text) if texts.len() < TEXTS => texts.push((key, text.clone())),
            Json::String(_) => all = false,
            Json::Array(items) if depth < DEPTH => {
                all &= stack.len() + items.len() <= TEXTS * 8;
                stack.extend(items.iter().take(TEXTS).map(|item| (key.clone(), item, depth + 1)));
                all &= items.len() <= TEXTS;
            }
            Json::Object(fields) if depth < DEPTH => {
                all &= fields.len() <= TEXTS;
                stack.extend(fields.iter().take(TEXTS).map(|(name, item)| (name.clone(), item, depth + 1)));
            }
            Json::Array(_) | Json::Object(_) => all = false,
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
        if stack.len() > TEXTS * 8 {
            stack.truncate(TEXTS * 8);
            all = false;
        }
    }
    if !all {
        draft.opaque(None, "its arguments are too many or too deep to be read");
    }
    for (key, text) in &texts {
        text_argument(scene, draft, key, text.trim(), role);
    }
}

fn text_argument(scene: &Scene<'_>, draft: &mut Draft, key: &str, text: &str, role: Role) {
    if text.is_empty() || text.len() > LONGEST {
        return;
    }
    let blank = text.contains(char::is_whitespace);
    let file_url = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
    if text.contains("://") && !blank && !file_url {
        if let Some(visit) = host::visit(text)
            && let Some(host) = visit.host
        {
            let kind = TargetKind::Host { host, local: visit.local };
            draft.targets.push(Target { role: Role::Connect, kind, text: text.to_owned(), span: None });
        }
        return;
    }
    let named = names_a_path(key);
    let rooted = text.starts_with(['/', '~', '\\']) || text.starts_with("./") || text.starts_with("../");
    let shaped = !blank && (rooted || file_url || path::is_windows(text) || looks_like_path(text));
    if !named && !shaped {
        return;
    }
    let place = scene.place(text);
    // prose and names in a project raise nothing, so only what is somewhere by its own letters counts as unplaced
    if place.zone == path::Zone::Unplaced && !named && !rooted {
        return;
    }
    let role = if role == Role::Write && !named && !outside(&place) && !rooted { Role::Read } else { role };
    draft.targets.push(Target { role, kind: TargetKind::Path(place), text: text.to_owned(), span: None });
}

/// Whether an argument of this name holds a path, whatever it looks like.
fn names_a_path(key: &str) -> bool {
    const NAMES: &[&str] = &[
        "cwd",
        "dest",
        "destination",
        "dir",
        "directory",
        "file",
        "filename",
        "filepath",
        "files",
        "folder",
        "output",
        "path",
        "paths",
        "root",
        "source",
        "target",
        "workdir",
    ];
    let lower = key.to_ascii_lowercase();
    NAMES.contains(&lower.as_str()) || lower.ends_with("path") || lower.ends_with("_file") || lower.ends_with("_dir")
}
