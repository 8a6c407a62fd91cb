//! `git apply` and `git am`: a patch says itself which files it changes, so it is read where it can be.

use super::operands;
use crate::action::{Capability, Role, Scale, Undo};
use crate::classify::arg::Arg;
use crate::classify::draft::{self, Draft};
use crate::classify::program::Scene;
use crate::classify::shell::Feed;
use crate::classify::usage::Parsed;
use crate::path;
use crate::world::Small;
use leastgrant_shell::Value;

/// Largest patch that is read.
const PATCH: usize = 256 * 1024;
/// Most files of one patch.
const FILES: usize = 200;

/// `git apply`: only looks, or changes the files that the patch names.
pub(super) fn apply(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.has(&["--check", "--stat", "--numstat", "--summary"]) && !parsed.has(&["--apply"]) {
        draft.become_(Capability::VcsRead);
        return;
    }
    let plain = !parsed.has(&["-p", "--directory", "--unsafe-paths"]);
    let texts = if plain { texts(parsed, scene) } else { None };
    let files = texts.and_then(|texts| {
        let mut all = Vec::new();
        for text in &texts {
            all.extend(changed(text)?);
        }
        (!all.is_empty() && all.len() <= FILES).then_some(all)
    });
    let Some(files) = files else {
        draft.blast.undo = Undo::Hard;
        draft.blast.scale = Scale::Many;
        draft.opaque(Some(scene.span), "the patch decides which files change, and it could not be read");
        return;
    };
    if files.len() > 1 {
        draft.blast.scale = Scale::Many;
    }
    for file in files {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(&file, scene.span), Role::Write);
    }
}

/// The patches, from files that are small enough or from standard input.
fn texts(parsed: &Parsed<'_>, scene: &Scene<'_>) -> Option<Vec<String>> {
    let words = operands(parsed);
    let input = words.is_empty() || words.iter().any(|arg| arg.exact() == Some("-"));
    if input {
        return match scene.feed {
            Feed::Text(Arg { value: Value::Exact(text), .. }) if words.len() < 2 && text.len() <= PATCH => {
                Some(vec![text.clone()])
            }
            Feed::Pipe { text: Some(Value::Exact(text)), .. } if words.len() < 2 && text.len() <= PATCH => {
                Some(vec![text.clone()])
            }
            Feed::File(arg) if words.len() < 2 => Some(vec![content(scene, arg)?]),
            _ => None,
        };
    }
    words.into_iter().take(16).map(|arg| content(scene, arg)).collect()
}

/// One patch, from a file or from standard input.
pub(super) fn text(scene: &Scene<'_>, file: Option<&Arg>) -> Option<String> {
    match (file, scene.feed) {
        (Some(file), _) => content(scene, file),
        (
            None,
            Feed::Text(Arg { value: Value::Exact(text), .. }) | Feed::Pipe { text: Some(Value::Exact(text)), .. },
        ) => (text.len() <= PATCH).then(|| text.clone()),
        (None, Feed::File(file)) => content(scene, file),
        (None, _) => None,
    }
}

fn content(scene: &Scene<'_>, arg: &Arg) -> Option<String> {
    let folders = draft::folders(&scene.cwd);
    let [folder] = folders.as_slice() else { return None };
    let real = path::place(scene.world, *folder, arg.exact()?).real?;
    match scene.world.read(&real, PATCH) {
        Small::Bytes(bytes) => String::from_utf8(bytes).ok(),
        Small::Missing | Small::Unreadable => None,
    }
}

/// The files that a patch names; none where a line could name one in another way.
pub(super) fn changed(text: &str) -> Option<Vec<String>> {
    let mut files: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("rename ")
            || line.starts_with("copy ")
            || line.starts_with("new file mode 12")
            || line.starts_with("GIT binary")
        {
            return None;
        }
        let named = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "));
        let header = line.strip_prefix("diff --git ");
        if let Some(header) = header {
            let (_, to) = header.rsplit_once(" b/")?;
            push(&mut files, to);
            continue;
        }
        let Some(named) = named else { continue };
        let name = named.split('\t').next().unwrap_or_default();
        if name == "/dev/null" {
            continue;
        }
        if name.starts_with('"') {
            return None;
        }
        // a line of a hunk may begin the same way; what it names then is written to a target too many
        let (_, file) = name.split_once('/')?;
        push(&mut files, file);
        if files.len() > FILES {
            return None;
        }
    }
    Some(files)
}

fn push(files: &mut Vec<String>, file: &str) {
    if !files.iter().any(|known| known == file) {
        files.push(file.to_owned());
    }
}

/// `git am`: the same with commits; ending or going on changes nothing new.
pub(super) fn am(draft: &mut Draft, parsed: &Parsed<'_>) {
    if parsed.has(&["--abort", "--continue", "--skip", "--quit", "-r", "--resolved", "--show-current-patch", "--retry"])
    {
        draft.become_(Capability::VcsWrite);
        return;
    }
    draft.opaque(None, "the patch decides which files change");
}
