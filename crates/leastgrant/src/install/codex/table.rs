//! Our groups in a TOML file, whether its hooks are tables with headers, inline tables or dotted keys.

use std::path::Path;

use toml::Value;

use super::{AGENT, EVENTS, FORM};
use crate::edit::json::{Fault, Json, Refusal, Step};
use crate::edit::toml::{Document, meaning};
use crate::install::codex::trust::{Layout, Spot};
use crate::install::dialect::{Event, Found, Wired};
use crate::install::wiring::{self, Wiring};

/// Every entry of every event, in the order of the file.
fn entries(document: &Document) -> Vec<(&str, usize, usize, usize, &Value)> {
    let mut all = Vec::new();
    let hooks = document.meaning().get("hooks").and_then(Value::as_table);
    for (event, groups) in hooks.into_iter().flatten() {
        for (group, value) in groups.as_array().into_iter().flatten().enumerate() {
            let entries = value.get("hooks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            for (entry, value) in entries.iter().enumerate() {
                all.push((event.as_str(), group, entry, entries.len(), value));
            }
        }
    }
    all
}

/// All our entries.
#[must_use]
pub fn find(document: &Document) -> Vec<Found> {
    find_by(document, &|command| wiring::ours(command, AGENT).is_some())
        .into_iter()
        .filter_map(|found| Some(Found { ours: wiring::ours(&found.command, AGENT)?, ..found }))
        .collect()
}

/// All entries whose command line is of a kind.
pub(in crate::install) fn find_by(document: &Document, wanted: &dyn Fn(&str) -> bool) -> Vec<Found> {
    entries(document)
        .into_iter()
        .filter_map(|(event, group, entry, of, value)| {
            let command = value.get("command").and_then(Value::as_str).filter(|command| wanted(command))?;
            let (event, command) = (event.to_owned(), command.to_owned());
            Some(Found { event, group, entry, alone: of == 1, command, ..Found::default() })
        })
        .collect()
}

/// Command lines of every entry with its event, for whoever looks for others.
#[must_use]
pub fn commands(document: &Document) -> Vec<(String, String)> {
    let command = |value: &Value| value.get("command").and_then(Value::as_str).unwrap_or("?").to_owned();
    entries(document).into_iter().map(|(event, _, _, _, value)| (event.to_owned(), command(value))).collect()
}

/// Where every entry stands, and what Codex would have to trust.
#[must_use]
pub fn layout(document: &Document) -> Layout {
    let hooks = document.meaning().get("hooks").and_then(Value::as_table);
    entries(document)
        .into_iter()
        .map(|(event, group, entry, _, value)| {
            let matcher = hooks
                .and_then(|hooks| hooks.get(event)?.get(group)?.get("matcher"))
                .and_then(Value::as_str)
                .map(str::to_owned);
            let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
            let command = text("command").unwrap_or_default();
            Spot {
                event: event.to_owned(),
                group,
                entry,
                ours: wiring::ours(&command, AGENT).is_some(),
                matcher,
                timeout: value
                    .get("timeout")
                    .and_then(Value::as_integer)
                    .and_then(|seconds| u64::try_from(seconds).ok()),
                is_async: value.get("async").and_then(Value::as_bool).unwrap_or(false),
                status: text("statusMessage"),
                command,
            }
        })
        .collect()
}

/// Our groups by event, as text.
#[must_use]
pub fn texts(document: &Document) -> Vec<(String, String)> {
    find(document)
        .into_iter()
        .filter_map(|found| {
            let path = [Step::Key("hooks"), Step::Key(&found.event), Step::Index(found.group)];
            let text = document.at(&path)?.to_string();
            Some((found.event, text))
        })
        .collect()
}

fn check(document: &Document) -> Result<(), Refusal> {
    let wrong = |text: String| Err(document.refuse(Fault::WrongType, 0, text));
    let Some(hooks) = document.meaning().get("hooks") else { return Ok(()) };
    let Some(hooks) = hooks.as_table() else { return wrong(String::from("`hooks` is not a table")) };
    for (event, value) in hooks {
        if event != "state" && !value.as_array().is_some_and(|groups| groups.iter().all(Value::is_table)) {
            return wrong(format!("`hooks.{event}` is not an array of tables"));
        }
    }
    Ok(())
}

/// Puts our groups in, each as the last of its event.
pub(super) fn wire(document: &Document, wiring: &Wiring) -> Result<Wired<Document>, Refusal> {
    check(document)?;
    let mut wired = Wired { document: document.clone(), repairs: Vec::new() };
    let known = |found: &Found| EVENTS.iter().any(|event| event.name == found.event);
    while let Some(stray) = find(&wired.document).into_iter().rev().find(|found| !known(found)) {
        wired.repairs.push(format!("{}: an entry that is no longer used is gone", stray.event));
        wired.document = take_out(&wired.document, &stray, None)?;
    }
    let fresh = find(&wired.document).is_empty();
    for event in &EVENTS {
        wire_event(&mut wired, wiring, event, fresh)?;
    }
    Ok(wired)
}

fn wire_event(wired: &mut Wired<Document>, wiring: &Wiring, event: &Event, fresh: bool) -> Result<(), Refusal> {
    let wanted = FORM.group(wiring, event);
    let mine = |document: &Document| -> Vec<Found> {
        find(document).into_iter().filter(|found| found.event == event.name).collect()
    };
    let found = mine(&wired.document);
    if let [one] = found.as_slice() {
        let path = [Step::Key("hooks"), Step::Key(event.name), Step::Index(one.group)];
        if wired.document.at(&path) == Some(&meaning(&wanted)) {
            return Ok(());
        }
        let what = if one.ours.program != wiring.program.to_string_lossy() {
            format!("another program (`{}`)", one.ours.program)
        } else if one.alone {
            String::from("our entry was edited")
        } else {
            String::from("it shared its group with another hook")
        };
        wired.repairs.push(format!("{}: {what}", event.name));
        if one.alone {
            wired.document = wired.document.replace_element(&["hooks", event.name], one.group, &wanted)?;
            return Ok(());
        }
    } else if !found.is_empty() {
        wired.repairs.push(format!("{}: {} entries of ours, one is enough", event.name, found.len()));
    } else if !fresh {
        wired.repairs.push(format!("{}: our entry was missing", event.name));
    }
    while let Some(last) = mine(&wired.document).pop() {
        wired.document = take_out(&wired.document, &last, None)?;
    }
    wired.document = wired.document.add_element(&["hooks", event.name], &wanted)?;
    Ok(())
}

/// Takes all our groups out.
pub(super) fn unwire(document: &Document, original: Option<&Document>) -> Result<Document, Refusal> {
    let mut document = document.clone();
    while let Some(last) = find(&document).pop() {
        document = take_out(&document, &last, original)?;
    }
    Ok(document)
}

/// Takes one entry out, and what stands empty without it, unless it did so in the original.
pub(in crate::install) fn take_out(
    document: &Document,
    found: &Found,
    original: Option<&Document>,
) -> Result<Document, Refusal> {
    let group = [Step::Key("hooks"), Step::Key(&found.event), Step::Index(found.group)];
    if !found.alone {
        return document.remove(&[&group[..], &[Step::Key("hooks"), Step::Index(found.entry)]].concat());
    }
    let mut document = document.remove(&group)?;
    for depth in [2, 1] {
        let path = group.get(..depth).unwrap_or_default();
        let empty = match document.at(path) {
            Some(Value::Array(array)) => array.is_empty(),
            Some(Value::Table(table)) => table.is_empty(),
            _ => false,
        };
        if !empty || original.is_some_and(|original| original.at(path).is_some()) {
            break;
        }
        match document.remove(path) {
            Ok(without) => document = without,
            // an empty table harms nobody
            Err(_) => break,
        }
    }
    Ok(document)
}

/// The pin of the machine's layer goes with our groups, unless it stood there before.
pub(super) fn unpin(document: &Document, original: Option<&Document>, file: &Path) -> Result<Document, Refusal> {
    let pin = [Step::Key("features"), Step::Key("hooks")];
    let pinned = file.file_name().is_some_and(|name| name == "requirements.toml");
    let was = original.is_none_or(|original| original.at(&pin).is_some());
    if !pinned || was || document.at(&pin).is_none() {
        return Ok(document.clone());
    }
    let document = document.remove(&pin)?;
    let features = &[Step::Key("features")];
    let empty = document.at(features).and_then(Value::as_table).is_some_and(toml::Table::is_empty);
    let was = original.is_some_and(|original| original.at(features).is_some());
    if empty && !was { document.remove(features) } else { Ok(document) }
}

/// A group with one entry of somebody's own making.
pub(in crate::install) fn add(document: &Document, event: &str, group: &Json) -> Result<Document, Refusal> {
    check(document)?;
    document.add_element(&["hooks", event], group)
}
