//! Which changed targets decide something, and what the new content does where the call carries it. A file kept for
//! its content (`package.json`) raises nothing when the keys that matter stay as they are; content never excuses a
//! file that is kept for what it is.

use super::Kept;
use crate::action::{Action, Role, TargetKind};
use crate::call::{Call, Edit, Tool};
use crate::control::{self, Control, Hold};
use crate::path::{self, Place};
use crate::world::{Small, World};

/// Most bytes of an existing file that are read to see what a change does.
const MOST: usize = 256 * 1024;
/// Most texts of one call that are tried as new content of a kept file.
const TEXTS: usize = 64;

/// The changed targets of an action that decide something.
pub(super) fn kept<'a>(action: &'a Action, call: &'a Call, world: &dyn World) -> Vec<Kept<'a>> {
    let mut found = Vec::new();
    let switch = switched_off(call);
    for target in action.targets.iter().filter(|target| target.role.changes()) {
        let TargetKind::Path(place) = &target.kind else { continue };
        // what goes with a folder goes with its removal
        let kept = if target.role == Role::Delete { control::control_below } else { control::control };
        let Some(mut control) = kept(world, place) else { continue };
        let mut effect = None;
        if target.role == Role::Write && control.hold < Hold::Record {
            match effects(call, world, place) {
                Effects::Unseen => {}
                Effects::Nothing if by_content(&control) => continue,
                Effects::Nothing => {}
                Effects::Some(hold, words) => {
                    control.hold = control.hold.max(hold);
                    effect = Some(words);
                }
            }
        }
        if let Some(words) = &switch
            && control::is_settings(&control)
        {
            control.hold = control.hold.max(Hold::Own);
            effect = Some(words.clone());
        }
        found.push(Kept { control, text: &target.text, span: target.span, effect });
    }
    if let Some(words) = switch
        && action.opaque.is_some()
        && let Tool::Shell(shell) = &call.tool
    {
        found.extend(mentioned(&shell.command, call, world).map(|(control, text)| Kept {
            control,
            text,
            span: action.span,
            effect: Some(words.clone()),
        }));
    }
    found
}

/// The off-switch that a command's own text names: where the command writes settings, they hold it afterwards, however
/// it gets there (`sed`, `jq`, a one-liner).
fn switched_off(call: &Call) -> Option<String> {
    match &call.tool {
        Tool::Shell(shell) => control::text_disarms(&shell.command),
        _ => None,
    }
}

/// A settings file that the text of a command names, where what the command does is not known.
fn mentioned<'c>(command: &'c str, call: &Call, world: &dyn World) -> Option<(Control, &'c str)> {
    let part_of_path = |letter: char| letter.is_alphanumeric() || matches!(letter, '/' | '.' | '_' | '-' | '~');
    let words = command.split(|letter| !part_of_path(letter)).filter(|word| word.contains(['.', '/']));
    words.take(WORDS).find_map(|word| {
        let place = path::place(world, Some(&call.cwd), word);
        let mut control = control::control(world, &place).filter(control::is_settings)?;
        control.hold = control.hold.max(Hold::Own);
        Some((control, word))
    })
}

/// Most words of a command that are looked at as paths.
const WORDS: usize = 256;

/// Whether a file is kept for some of its content only, so that other changes pass.
fn by_content(control: &Control) -> bool {
    control.hold == Hold::Config && control.kind == "package scripts"
}

enum Effects {
    /// the call does not carry the content
    Unseen,
    /// it does, and nothing of note changes
    Nothing,
    /// the strictest thing that changes
    Some(Hold, String),
}

fn effects(call: &Call, world: &dyn World, place: &Place) -> Effects {
    let before = place.real.as_deref().map_or(Small::Unreadable, |path| world.read(path, MOST));
    let (before, known) = match before {
        Small::Bytes(bytes) => (Some(String::from_utf8_lossy(&bytes).into_owned()), true),
        Small::Missing => (None, true),
        // what it was is not known, so what changes is not known either
        Small::Unreadable => (None, false),
    };
    let Some(after) = after(&call.tool, before.as_deref()) else { return Effects::Unseen };
    let judged = after.texts.iter().filter_map(|text| match after.certain {
        true => control::content(world, place, before.as_deref(), text),
        false => control::fragment(world, place, text),
    });
    match judged.max_by_key(|found| found.0) {
        Some((hold, words)) => Effects::Some(hold, words),
        None if known && after.certain => Effects::Nothing,
        None => Effects::Unseen,
    }
}

/// What the file could hold afterwards.
struct After {
    texts: Vec<String>,
    /// it holds exactly the one text; otherwise the texts are guesses, which can only tighten
    certain: bool,
}

/// What the file could hold afterwards; none where the call does not say.
fn after(tool: &Tool, before: Option<&str>) -> Option<After> {
    match tool {
        Tool::Write { content, .. } => content.clone().map(|text| After { texts: vec![text], certain: true }),
        Tool::Edit { edits, .. } if edits.is_empty() => None,
        Tool::Edit { edits, .. } => Some(match edited(before.unwrap_or_default(), edits) {
            Some(text) => After { texts: vec![text], certain: true },
            None => After { texts: edits.iter().take(TEXTS).map(|edit| edit.new.clone()).collect(), certain: false },
        }),
        Tool::Patch(changes) => {
            let texts = changes.iter().take(TEXTS).map(|change| change.added.clone()).collect();
            Some(After { texts, certain: false })
        }
        Tool::Mcp { input, .. } | Tool::Unknown { input } => {
            let mut texts = Vec::new();
            strings(input, 4, &mut texts);
            Some(After { texts, certain: false })
        }
        _ => None,
    }
}

/// The text after the edits; none where one of them does not fit, or where it would grow past reason.
fn edited(before: &str, edits: &[Edit]) -> Option<String> {
    if edits.len() > TEXTS {
        return None;
    }
    let mut text = before.to_owned();
    for edit in edits {
        if edit.old.is_empty() {
            text = edit.new.clone();
        } else if !text.contains(&edit.old) {
            return None;
        } else if edit.all {
            text = text.replace(&edit.old, &edit.new);
        } else {
            text = text.replacen(&edit.old, &edit.new, 1);
        }
        if text.len() > MOST.saturating_mul(2) {
            return None;
        }
    }
    Some(text)
}

fn strings(value: &serde_json::Value, depth: u8, into: &mut Vec<String>) {
    if into.len() >= TEXTS || depth == 0 {
        return;
    }
    match value {
        serde_json::Value::String(text) => into.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| strings(item, depth - 1, into)),
        serde_json::Value::Object(fields) => fields.values().for_each(|item| strings(item, depth - 1, into)),
        _ => {}
    }
}
