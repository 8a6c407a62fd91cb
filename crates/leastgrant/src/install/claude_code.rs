//! Claude Code's settings file: our entries put in, repaired, taken out; what else in it bears on us.

use crate::edit::json::{Document, Fault, Json, Kind, Member, Node, Refusal, Step};

use super::wiring::{self, ENTRY_SECONDS, Failure, Ours, Wiring};

/// Agent id.
pub const AGENT: &str = "claude-code";

/// One event that we listen to.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// the agent's name for it
    pub name: &'static str,
    /// it is about a tool and takes a matcher
    pub tool: bool,
    /// what a failure of ours means
    pub failure: Failure,
}

/// Every event that we are wired to.
pub const EVENTS: [Event; 9] = [
    Event { name: "PreToolUse", tool: true, failure: Failure::Blocks },
    Event { name: "PostToolUse", tool: true, failure: Failure::Passes },
    Event { name: "PostToolUseFailure", tool: true, failure: Failure::Passes },
    Event { name: "PermissionRequest", tool: true, failure: Failure::Passes },
    Event { name: "SessionStart", tool: false, failure: Failure::Passes },
    Event { name: "SessionEnd", tool: false, failure: Failure::Passes },
    Event { name: "SubagentStart", tool: false, failure: Failure::Passes },
    Event { name: "SubagentStop", tool: false, failure: Failure::Passes },
    Event { name: "ConfigChange", tool: false, failure: Failure::Bare },
];

/// The group that stands in an event's array: one matcher, one entry, nothing of anybody else.
#[must_use]
pub fn group(wiring: &Wiring, event: &Event) -> Json {
    let mut entry = vec![
        (String::from("type"), Json::text("command")),
        (String::from("command"), Json::text(wiring.command(event.failure))),
        (String::from("timeout"), Json::Number(ENTRY_SECONDS)),
    ];
    // 2.1.197 ignores the key, 2.1.332 needs it; agents update themselves, so it is always written
    if wiring.closed && event.failure == Failure::Blocks {
        entry.push((String::from("onFailure"), Json::text("block")));
    }
    let mut group = Vec::new();
    if event.tool {
        group.push((String::from("matcher"), Json::text("*")));
    }
    group.push((String::from("hooks"), Json::Array(vec![Json::Object(entry)])));
    Json::Object(group)
}

/// One of our entries in a file.
#[derive(Clone, Debug)]
pub struct Found {
    /// the event it stands under
    pub event: String,
    /// number of its group
    pub group: usize,
    /// number in the group
    pub entry: usize,
    /// the group holds nothing else
    pub alone: bool,
    /// its command taken apart
    pub ours: Ours,
}

/// All our entries, in the order of the file.
#[must_use]
pub fn find(document: &Document) -> Vec<Found> {
    let mut found = Vec::new();
    for Member { key, value, .. } in hooks(document) {
        for (group, node) in value.elements().iter().enumerate() {
            let entries = node.get("hooks").map_or(&[] as &[Node], Node::elements);
            for (entry, node) in entries.iter().enumerate() {
                let ours = node.get("command").and_then(Node::str).and_then(|command| wiring::ours(command, AGENT));
                if let Some(ours) = ours {
                    found.push(Found { event: key.clone(), group, entry, alone: entries.len() == 1, ours });
                }
            }
        }
    }
    found
}

/// The members of `hooks`.
#[must_use]
pub fn hooks(document: &Document) -> &[Member] {
    document.root().get("hooks").map_or(&[], Node::members)
}

const TYPES: [&str; 5] = ["command", "prompt", "agent", "http", "mcp_tool"];

/// Refuses what the agent would drop the whole file for, and what we could not edit without guessing.
///
/// # Errors
/// The first such place.
pub fn check(document: &Document) -> Result<(), Refusal> {
    let wrong = |node: &Node, text: String| Err(document.refuse(Fault::WrongType, node.span.start, text));
    let root = document.root();
    if !matches!(root.kind, Kind::Object(_)) {
        let text = format!("the outermost value is {}", root.noun());
        return Err(document.refuse(Fault::NotObject, root.span.start, text));
    }
    let Some(hooks) = root.get("hooks") else { return Ok(()) };
    if !matches!(hooks.kind, Kind::Object(_) | Kind::Null) {
        return wrong(hooks, format!("`hooks` is {}, not an object", hooks.noun()));
    }
    for Member { key, value, .. } in hooks.members() {
        if !matches!(value.kind, Kind::Array(_) | Kind::Null) {
            return wrong(value, format!("`hooks.{key}` is {}, not an array", value.noun()));
        }
        for group in value.elements() {
            let Some(entries) = group.get("hooks").filter(|entries| matches!(entries.kind, Kind::Array(_))) else {
                return wrong(group, format!("a group of `hooks.{key}` has no `hooks` array"));
            };
            for entry in entries.elements() {
                if let Some(text) = dropped(entry) {
                    return wrong(entry, format!("an entry of `hooks.{key}` {text}"));
                }
            }
        }
    }
    Ok(())
}

/// Why the agent would drop the file because of this entry.
fn dropped(entry: &Node) -> Option<String> {
    let kind = entry.get("type").and_then(Node::str);
    match kind {
        None => return Some(String::from("has no `type`")),
        Some(kind) if !TYPES.contains(&kind) => return Some(format!("has the unknown type `{kind}`")),
        Some("command") if entry.get("command").and_then(Node::str).is_none() => {
            return Some(String::from("has no `command`"));
        }
        Some(_) => {}
    }
    let on_failure = entry.get("onFailure")?;
    match on_failure.str() {
        Some("block" | "continue") => None,
        _ => Some(String::from("has an `onFailure` that is neither `block` nor `continue`")),
    }
}

/// A document with our entries in it, and what had to be repaired, in words.
#[derive(Clone, Debug)]
pub struct Wired {
    /// the result
    pub document: Document,
    /// what was not as it should be, for entries that were already there
    pub repairs: Vec<String>,
}

/// Puts our entries in. A file that already has them, and nothing amiss, comes back as it is.
///
/// # Errors
/// The file is not one that we edit (see [`check`]).
pub fn wire(document: &Document, wiring: &Wiring) -> Result<Wired, Refusal> {
    check(document)?;
    let mut wired = Wired { document: document.clone(), repairs: Vec::new() };
    let known = |found: &Found| EVENTS.iter().any(|event| event.name == found.event);
    while let Some(stray) = find(&wired.document).into_iter().find(|found| !known(found)) {
        wired.repairs.push(format!("{}: an entry that is no longer used is gone", stray.event));
        wired.document = take_out(&wired.document, &stray, None)?;
    }
    let fresh = find(&wired.document).is_empty();
    for event in &EVENTS {
        wire_event(&mut wired, wiring, event, fresh)?;
    }
    Ok(wired)
}

fn wire_event(wired: &mut Wired, wiring: &Wiring, event: &Event, fresh: bool) -> Result<(), Refusal> {
    let wanted = group(wiring, event);
    let mine = |document: &Document| -> Vec<Found> {
        find(document).into_iter().filter(|found| found.event == event.name).collect()
    };
    let found = mine(&wired.document);
    if let [one] = found.as_slice() {
        let path = [Step::Key("hooks"), Step::Key(event.name), Step::Index(one.group)];
        let Some(node) = wired.document.at(&path) else { return Ok(()) };
        if wanted.same(node, &wired.document) {
            return Ok(());
        }
        wired.repairs.push(format!("{}: {}", event.name, drift(&wired.document, node, event, wiring, one)));
        if one.alone {
            wired.document = wired.document.replace(&path, &wanted)?;
            return Ok(());
        }
    } else if !found.is_empty() {
        wired.repairs.push(format!("{}: {} entries of ours, one is enough", event.name, found.len()));
    } else if !fresh {
        wired.repairs.push(format!("{}: our entry was missing", event.name));
    }
    // each removal renumbers what follows, so the rest is looked up again
    while let Some(last) = mine(&wired.document).pop() {
        wired.document = take_out(&wired.document, &last, None)?;
    }
    wired.document = put_in(&wired.document, event.name, wanted)?;
    Ok(())
}

/// What is not as it should be with the one entry that is there.
fn drift(document: &Document, group: &Node, event: &Event, wiring: &Wiring, found: &Found) -> String {
    let mut said = Vec::new();
    if found.ours.program != wiring.program.to_string_lossy() {
        said.push(format!("another program (`{}`)", found.ours.program));
    }
    if found.ours.timeout.as_deref() != wiring.timeout.as_ref().and_then(|path| path.to_str()) {
        said.push(String::from("another outer `timeout`"));
    }
    let entry = group.get("hooks").and_then(|hooks| hooks.step(Step::Index(found.entry)));
    let key = |name: &str| entry.and_then(|entry| entry.get(name)).map(|node| document.raw(&node.span));
    if key("timeout") != Some("10") {
        said.push(String::from("another `timeout`"));
    }
    if key("onFailure").is_some() != (wiring.closed && event.failure == Failure::Blocks) {
        said.push(String::from("another `onFailure`"));
    }
    if group.get("matcher").and_then(Node::str).unwrap_or("*") != "*" {
        said.push(String::from("a narrower matcher"));
    }
    if !found.alone {
        said.push(String::from("it shared its group with another hook"));
    }
    if said.is_empty() {
        said.push(String::from("our entry was edited"));
    }
    said.join(", ")
}

fn put_in(document: &Document, event: &str, group: Json) -> Result<Document, Refusal> {
    let array = Json::Array(vec![group.clone()]);
    let hooks = [Step::Key("hooks")];
    let path = [Step::Key("hooks"), Step::Key(event)];
    let null = |node: &Node| node.kind == Kind::Null;
    match (document.at(&hooks), document.at(&path)) {
        (None, _) => document.add_member(&[], "hooks", &Json::Object(vec![(event.to_owned(), array)])),
        (Some(node), _) if null(node) => document.replace(&hooks, &Json::Object(vec![(event.to_owned(), array)])),
        (Some(_), None) => document.add_member(&hooks, event, &array),
        (Some(_), Some(node)) if null(node) => document.replace(&path, &array),
        (Some(_), Some(_)) => document.add_element(&path, &group),
    }
}

/// Takes all our entries out, and the containers that only they filled. What stood empty in `original` stays so.
///
/// # Errors
/// An edit failed, which would be our own mistake.
pub fn unwire(document: &Document, original: Option<&Document>) -> Result<Document, Refusal> {
    let mut document = document.clone();
    while let Some(last) = find(&document).pop() {
        document = take_out(&document, &last, original)?;
    }
    Ok(document)
}

fn take_out(document: &Document, found: &Found, original: Option<&Document>) -> Result<Document, Refusal> {
    let group = [Step::Key("hooks"), Step::Key(&found.event), Step::Index(found.group)];
    if !found.alone {
        let entry = [&group[..], &[Step::Key("hooks"), Step::Index(found.entry)]].concat();
        return document.remove(&entry);
    }
    let mut document = document.remove(&group)?;
    let empty = |document: &Document, path: &[Step<'_>]| {
        document.at(path).is_some_and(|node| node.elements().is_empty() && node.members().is_empty())
    };
    for depth in [2, 1] {
        let path = group.get(..depth).unwrap_or_default();
        if !empty(&document, path) {
            break;
        }
        let was = original.and_then(|original| original.at(path).map(|node| (original, node)));
        match was {
            Some((original, node)) if node.elements().is_empty() && node.members().is_empty() => {
                return document.replace_raw(path, original.raw(&node.span));
            }
            _ => document = document.remove(path)?,
        }
    }
    Ok(document)
}

/// Whether a settings file holds any entry of ours.
#[must_use]
pub fn is_wired(file: &std::path::Path) -> bool {
    let bytes = crate::edit::atomic::read(file, crate::edit::json::MAX_BYTES).ok().flatten();
    bytes.and_then(|bytes| Document::parse(&bytes).ok()).is_some_and(|document| !find(&document).is_empty())
}
