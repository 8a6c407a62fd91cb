//! The guard's group in Claude Code's settings: one matcher, one entry, nothing of anybody else.

use super::{Found, Harness, command};
use crate::edit::json::{Document, Json, Kind, Node, Refusal, Step};
use crate::install::claude_code::check;
use crate::persona::{ENTRY_SECONDS, MATCHER};

const EVENT: &str = "PreToolUse";

fn parse(bytes: &[u8]) -> Result<Document, String> {
    let document = Document::parse(bytes).map_err(|refusal| refusal.to_string())?;
    check(&document).map_err(|refusal| refusal.to_string())?;
    Ok(document)
}

/// Where our entries stand: event, group, entry, whether it is alone in its group.
fn places(document: &Document) -> Vec<(String, usize, usize, bool)> {
    let mut found = Vec::new();
    for member in document.root().get("hooks").map_or(&[] as &[_], Node::members) {
        for (group, node) in member.value.elements().iter().enumerate() {
            let entries = node.get("hooks").map_or(&[] as &[Node], Node::elements);
            for (entry, node) in entries.iter().enumerate() {
                let line = node.get("command").and_then(Node::str);
                if line.is_some_and(|line| command::is_ours(line, Harness::ClaudeCode.id())) {
                    found.push((member.key.clone(), group, entry, entries.len() == 1));
                }
            }
        }
    }
    found
}

/// Our entry, if the file holds one.
pub(super) fn found(bytes: &[u8]) -> Result<Option<Found>, String> {
    let document = parse(bytes)?;
    let Some((event, group, entry, _)) = places(&document).into_iter().next() else { return Ok(None) };
    let group = [Step::Key("hooks"), Step::Key(&event), Step::Index(group)];
    let text = |path: &[Step<'_>]| document.at(path).and_then(Node::str).unwrap_or_default().to_owned();
    Ok(Some(Found {
        matcher: text(&[&group[..], &[Step::Key("matcher")]].concat()),
        command: text(&[&group[..], &[Step::Key("hooks"), Step::Index(entry), Step::Key("command")]].concat()),
        trusted: None,
    }))
}

/// Our groups as text without blanks, for comparing.
pub(super) fn entries(bytes: &[u8]) -> Vec<String> {
    let Ok(document) = Document::parse(bytes) else { return Vec::new() };
    let all = places(&document);
    let value: serde_json::Value = serde_json::from_str(document.text()).unwrap_or_default();
    all.iter()
        .map(|(event, group, ..)| {
            format!(
                "{event}: {}",
                value.pointer(&format!("/hooks/{event}/{group}")).unwrap_or(&serde_json::Value::Null)
            )
        })
        .collect()
}

/// The file with our group at the end of the event's.
pub(super) fn with(bytes: &[u8], command: &str) -> Result<Vec<u8>, String> {
    let document = parse(bytes)?;
    let entry = Json::Object(vec![
        (String::from("type"), Json::text("command")),
        (String::from("command"), Json::text(command)),
        (String::from("timeout"), Json::Number(u64::from(ENTRY_SECONDS))),
    ]);
    let group = Json::Object(vec![
        (String::from("matcher"), Json::text(MATCHER)),
        (String::from("hooks"), Json::Array(vec![entry])),
    ]);
    put_in(&document, group).map(|document| document.bytes()).map_err(|refusal| refusal.to_string())
}

fn put_in(document: &Document, group: Json) -> Result<Document, Refusal> {
    let hooks = [Step::Key("hooks")];
    let event = [Step::Key("hooks"), Step::Key(EVENT)];
    let array = Json::Array(vec![group.clone()]);
    let null = |node: &Node| node.kind == Kind::Null;
    match (document.at(&hooks), document.at(&event)) {
        (None, _) => document.add_member(&[], "hooks", &Json::Object(vec![(EVENT.to_owned(), array)])),
        (Some(node), _) if null(node) => document.replace(&hooks, &Json::Object(vec![(EVENT.to_owned(), array)])),
        (Some(_), None) => document.add_member(&hooks, EVENT, &array),
        (Some(_), Some(node)) if null(node) => document.replace(&event, &array),
        (Some(_), Some(_)) => document.add_element(&event, &group),
    }
}

/// The file without our entries, and without the containers that only they filled.
pub(super) fn without(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut document = parse(bytes)?;
    while let Some((event, group, entry, alone)) = places(&document).pop() {
        document = take_out(&document, &event, group, entry, alone).map_err(|refusal| refusal.to_string())?;
    }
    Ok(document.bytes())
}

fn take_out(document: &Document, event: &str, group: usize, entry: usize, alone: bool) -> Result<Document, Refusal> {
    let path = [Step::Key("hooks"), Step::Key(event), Step::Index(group)];
    if !alone {
        return document.remove(&[&path[..], &[Step::Key("hooks"), Step::Index(entry)]].concat());
    }
    let mut document = document.remove(&path)?;
    for depth in [2, 1] {
        let path = path.get(..depth).unwrap_or_default();
        let empty = document.at(path).is_some_and(|node| node.elements().is_empty() && node.members().is_empty());
        if !empty {
            break;
        }
        document = document.remove(path)?;
    }
    Ok(document)
}
