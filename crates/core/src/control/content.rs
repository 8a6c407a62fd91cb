//! What new content does to a control file beyond its path: an off-switch, a change of our entry, a wider grant.
//! What cannot be read is said to be so and is never harmless.

use std::collections::BTreeMap;

use serde_json::Value;

use super::table::{Form, Format, MANIFESTS, Manifest};
use super::{Control, Hold, RECORDS, control, document, entry, text_disarms};
use crate::path::{self, Place};
use crate::world::World;

/// More text is not compared.
const MOST: usize = 2 * 1024 * 1024;

/// What an edit of a control file's content does beyond its path: an off-switch (`Hold::Own`), a wider grant or a new
/// hook (named), or nothing of note. `before` is none where the file is new; both are whole files.
#[must_use]
pub fn content(world: &dyn World, place: &Place, before: Option<&str>, after: &str) -> Option<(Hold, String)> {
    let kept = control(world, place)?;
    if after.len() > MOST || before.is_some_and(|before| before.len() > MOST) {
        return Some((Hold::Config, String::from("too large to compare")));
    }
    if let Some(manifest) = manifest(place) {
        return manifest_change(manifest, before, after);
    }
    if !is_settings(&kept) {
        return None;
    }
    let Some(format) = format(place, &kept) else {
        return text_disarms(after).filter(|_| before.and_then(text_disarms).is_none()).map(|words| (Hold::Own, words));
    };
    settings_change(world.facts().binary.as_deref(), format, before, after)
}

/// The same for text of which only some is known to end up in the file (a patch, an edit that does not fit): what it
/// adds can be judged, what it takes away cannot.
#[must_use]
pub fn fragment(world: &dyn World, place: &Place, added: &str) -> Option<(Hold, String)> {
    let kept = control(world, place)?;
    if !is_settings(&kept) {
        return None;
    }
    if let Some(words) = text_disarms(added) {
        return Some((Hold::Own, words));
    }
    entry::mentions(added, world.facts().binary.as_deref())
        .then(|| (Hold::Own, String::from("changes leastgrant's hook entry")))
}

/// Whether a file decides what an agent starts or asks.
pub fn is_settings(kept: &Control) -> bool {
    matches!(
        kept.kind,
        "hook config"
            | "settings"
            | "MCP wiring"
            | "standing grants"
            | "plugins"
            | "environment"
            | "editor tasks"
            | "own entry"
    )
}

fn manifest(place: &Place) -> Option<&'static Manifest> {
    let name = path::fold(path::name(place.best()), true).into_owned();
    MANIFESTS.iter().find(|manifest| manifest.name == name)
}

/// How the agent reads the file; none for text of another kind (a plugin, a script, `.env`).
fn format(place: &Place, kept: &Control) -> Option<Format> {
    let name = path::fold(path::name(place.best()), true).into_owned();
    let strict = matches!(kept.agent, "claude-code" | "copilot" | "codex");
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("toml") => Some(Format::Toml),
        Some("json") if strict => Some(Format::Json),
        Some("json" | "jsonc" | "code-workspace") => Some(Format::Jsonc),
        _ => None,
    }
}

fn manifest_change(manifest: &Manifest, before: Option<&str>, after: &str) -> Option<(Hold, String)> {
    let tree = |text: &str| document::parse(manifest.format, text);
    let Some(after) = tree(after) else {
        return Some((Hold::Config, format!("leaves `{}` unreadable, so its scripts are not known", manifest.name)));
    };
    let before = before.map_or(Some(Value::Null), tree);
    let Some(before) = before else {
        return Some((
            Hold::Config,
            format!("`{}` was unreadable before, so what changes is not known", manifest.name),
        ));
    };
    let changed: Vec<&&str> = manifest.keys.iter().filter(|key| find(&before, key) != find(&after, key)).collect();
    let named: Vec<String> = changed.iter().map(|key| format!("`{key}`")).collect();
    (!named.is_empty())
        .then(|| (Hold::Config, format!("changes {} of `{}`, which runs code", named.join(", "), manifest.name)))
}

fn find<'t>(tree: &'t Value, key: &str) -> Option<&'t Value> {
    key.split('.').try_fold(tree, |at, name| at.get(name))
}

fn settings_change(binary: Option<&str>, format: Format, before: Option<&str>, after: &str) -> Option<(Hold, String)> {
    let ours = before.is_some_and(|before| entry::mentions(before, binary));
    let Some(tree) = document::parse(format, after) else {
        return Some(if ours {
            (Hold::Own, String::from("leaves the file unreadable, so the agent drops leastgrant's hook entry with it"))
        } else {
            text_disarms(after).map_or_else(
                || (Hold::Config, String::from("leaves the file unreadable, so what it decides is not known")),
                |words| (Hold::Own, words),
            )
        });
    };
    // a file that the agent could not read before decided nothing
    let old = before.and_then(|before| document::parse(format, before)).unwrap_or(Value::Null);
    if entry::entries(&old, binary) != entry::entries(&tree, binary) {
        let words =
            if ours { "removes or changes leastgrant's hook entry" } else { "adds an entry in leastgrant's name" };
        return Some((Hold::Own, String::from(words)));
    }
    let (Some(old), Some(new)) = (document::leaves(&old), document::leaves(&tree)) else {
        return Some((Hold::Config, String::from("holds too much to compare")));
    };
    if let Some(words) = off_switch(&old, &new) {
        return Some((Hold::Own, words));
    }
    grants(&old, &new).map(|words| (Hold::Config, words))
}

type Leaves = BTreeMap<String, String>;

/// A switch that is on afterwards and was not on before in the same place.
fn off_switch(old: &Leaves, new: &Leaves) -> Option<String> {
    let switches =
        || RECORDS.iter().flat_map(|record| record.off_switches).filter(|switch| switch.form == Form::Setting);
    new.iter().filter(|(key, value)| old.get(*key) != Some(*value)).find_map(|(key, value)| {
        let plain = key.split('\u{1}').next().unwrap_or_default();
        let hit = switches().find(|switch| same_key(switch.name, plain) && is_on(switch.is, value))?;
        Some(format!("sets `{}` to `{}`, which switches hooks off", hit.name, crate::redact::plain(value, 40)))
    })
}

/// `a.*.b` stands for any name between, dots of the name included.
fn same_key(pattern: &str, key: &str) -> bool {
    match pattern.split_once(".*.") {
        Some((front, back)) => {
            key.strip_prefix(front).is_some_and(|rest| rest.starts_with('.'))
                && key.strip_suffix(back).is_some_and(|rest| rest.ends_with('.'))
        }
        None => pattern == key,
    }
}

pub(super) fn is_on(wanted: &str, value: &str) -> bool {
    match wanted {
        "" => true,
        "*" => !value.is_empty() && value != "[]" && value != "null",
        "1" | "true" => !matches!(value, "" | "0" | "false" | "null"),
        wanted => wanted.eq_ignore_ascii_case(value),
    }
}

/// The most telling key that changes, by the records' list of what widens, and the editor's own approvals.
fn grants(old: &Leaves, new: &Leaves) -> Option<String> {
    let changed = || {
        let added = new.iter().filter(|(key, value)| old.get(*key) != Some(*value)).map(|(key, _)| (key, true));
        added.chain(old.keys().filter(|key| !new.contains_key(*key)).map(|key| (key, false)))
    };
    let editor = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.contains("autoapprove") || key.contains("auto-approve") || key.contains("yolo")
    };
    if let Some((key, _)) = changed().find(|(key, added)| *added && editor(key)) {
        return Some(format!("`{}` lets calls pass unasked", shown(key)));
    }
    for record in RECORDS {
        for (grant, what) in record.grants {
            let under = |key: &str| {
                key.strip_prefix(grant).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '\u{1}']))
            };
            if let Some((key, added)) = changed().find(|(key, _)| under(key)) {
                let verb = if added { "adds to or changes" } else { "takes from" };
                return Some(format!("{verb} {what}: `{}`", shown(key)));
            }
        }
    }
    None
}

fn shown(key: &str) -> String {
    crate::redact::plain(&crate::redact::redact(&key.replace('\u{1}', " ")), 80)
}
