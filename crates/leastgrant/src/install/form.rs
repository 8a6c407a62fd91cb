//! Hooks in a JSON settings file, as five of the agents have them: `hooks` → event → groups → entries, or, flat, `hooks`
//! → event → entries. Our entries are put in, repaired and taken out here; what differs between agents is data.

use crate::edit::json::{self, Document, Fault, Json, Kind, Member, Node, Reading, Refusal, Step};

use super::dialect::{Event, Found, Wired};
use super::place::Scope;
use super::wiring::{self, Wiring};

/// What one agent's file looks like.
pub struct Form {
    /// agent id
    pub agent: &'static str,
    /// every event that we are wired to
    pub events: &'static [Event],
    /// entries stand in the event's array without a group around them
    pub flat: bool,
    /// the keys that may hold a command line; the first one is ours
    pub command: &'static [&'static str],
    /// the matcher of tool events
    pub matcher: Option<&'static str>,
    /// what stands in an entry besides type and command
    pub more: fn(&Wiring, &Event) -> Vec<(String, Json)>,
    /// what the agent's reader takes
    pub reading: Reading,
    /// the agent's reader trips over a byte order mark
    pub no_bom: bool,
    /// types that the agent knows, where an unknown one makes it drop the file
    pub types: Option<&'static [&'static str]>,
    /// the keys that the agent takes at the top, where another one makes it drop the file
    pub roots: Option<&'static [&'static str]>,
    /// what a new file starts with
    pub head: &'static [(&'static str, u64)],
    /// switches that a managed file holds so that nobody below can turn hooks off
    pub pins: &'static [(&'static [&'static str], bool)],
}

const HOOKS: Step<'static> = Step::Key("hooks");

impl Form {
    /// Reads a file as the agent does.
    ///
    /// # Errors
    /// What makes it unfit for an edit.
    pub fn parse(&self, bytes: &[u8]) -> Result<Document, Refusal> {
        let document = Document::parse_as(bytes, self.reading)?;
        Ok(if self.no_bom { document.without_bom() } else { document })
    }

    /// The group, or the entry of a flat file, that stands in an event's array.
    #[must_use]
    pub fn group(&self, wiring: &Wiring, event: &Event) -> Json {
        let key = self.command.first().copied().unwrap_or("command");
        let mut entry = vec![
            (String::from("type"), Json::text("command")),
            (key.to_owned(), Json::text(wiring.command(event.failure))),
        ];
        entry.extend((self.more)(wiring, event));
        let matcher = self.matcher.filter(|_| event.tool).map(|matcher| (String::from("matcher"), Json::text(matcher)));
        if self.flat {
            entry.extend(matcher);
            return Json::Object(entry);
        }
        let mut group: Vec<(String, Json)> = matcher.into_iter().collect();
        group.push((String::from("hooks"), Json::Array(vec![Json::Object(entry)])));
        Json::Object(group)
    }

    /// All our entries, in the order of the file.
    #[must_use]
    pub fn find(&self, document: &Document) -> Vec<Found> {
        self.find_by(document, &|command| wiring::ours(command, self.agent).is_some())
            .into_iter()
            .filter_map(|(found, command)| {
                let ours = wiring::ours(&command, self.agent)?;
                Some(Found { ours, command, ..found })
            })
            .collect()
    }

    /// All entries whose command line is of a kind.
    pub(super) fn find_by(&self, document: &Document, wanted: &dyn Fn(&str) -> bool) -> Vec<(Found, String)> {
        let mut found = Vec::new();
        for Member { key, value, .. } in hooks(document) {
            for (group, node) in value.elements().iter().enumerate() {
                let entries = if self.flat {
                    std::slice::from_ref(node)
                } else {
                    node.get("hooks").map_or(&[] as &[Node], Node::elements)
                };
                for (entry, node) in entries.iter().enumerate() {
                    let Some(command) = self.command_of(node).filter(|command| wanted(command)) else { continue };
                    let alone = entries.len() == 1;
                    found.push((
                        Found { event: key.clone(), group, entry, alone, ..Found::default() },
                        command.to_owned(),
                    ));
                }
            }
        }
        found
    }

    /// The command line of an entry.
    #[must_use]
    pub fn command_of<'n>(&self, entry: &'n Node) -> Option<&'n str> {
        self.command.iter().find_map(|key| entry.get(key)).and_then(Node::str)
    }

    /// Every entry with its event and where it stands, ours or not.
    #[must_use]
    pub fn entries<'d>(&self, document: &'d Document) -> Vec<(&'d str, &'d Node)> {
        let mut all = Vec::new();
        for Member { key, value, .. } in hooks(document) {
            for node in value.elements() {
                if self.flat {
                    all.push((key.as_str(), node));
                } else {
                    all.extend(
                        node.get("hooks").map_or(&[][..], Node::elements).iter().map(|entry| (key.as_str(), entry)),
                    );
                }
            }
        }
        all
    }

    /// Refuses what the agent would drop the whole file for, and what we could not edit without guessing.
    ///
    /// # Errors
    /// The first such place.
    pub fn check(&self, document: &Document) -> Result<(), Refusal> {
        let wrong = |node: &Node, text: String| Err(document.refuse(Fault::WrongType, node.span.start, text));
        let root = document.root();
        if !matches!(root.kind, Kind::Object(_)) {
            let text = format!("the outermost value is {}", root.noun());
            return Err(document.refuse(Fault::NotObject, root.span.start, text));
        }
        if let Some(roots) = self.roots
            && let Some(member) = root.members().iter().find(|member| !roots.contains(&member.key.as_str()))
        {
            let text = format!("`{}` is a key that the agent does not take here", member.key);
            return Err(document.refuse(Fault::WrongType, member.key_span.start, text));
        }
        if let Some(version) = root.get("version").filter(|_| !self.head.is_empty())
            && document.raw(&version.span) != "1"
        {
            return wrong(version, String::from("`version` is not 1"));
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
                if self.flat {
                    if !matches!(group.kind, Kind::Object(_)) {
                        return wrong(group, format!("an entry of `hooks.{key}` is {}", group.noun()));
                    }
                    continue;
                }
                let Some(entries) = group.get("hooks").filter(|entries| matches!(entries.kind, Kind::Array(_))) else {
                    return wrong(group, format!("a group of `hooks.{key}` has no `hooks` array"));
                };
                for entry in entries.elements() {
                    if let Some(text) = self.dropped(entry) {
                        return wrong(entry, format!("an entry of `hooks.{key}` {text}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Why the agent would drop the file because of this entry.
    fn dropped(&self, entry: &Node) -> Option<String> {
        let types = self.types?;
        let kind = entry.get("type").and_then(Node::str);
        match kind {
            None => return Some(String::from("has no `type`")),
            Some(kind) if !types.contains(&kind) => return Some(format!("has the unknown type `{kind}`")),
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

    /// Puts our entries in. A file that already has them, and nothing amiss, comes back as it is.
    ///
    /// # Errors
    /// The file is not one that we edit (see [`Form::check`]).
    pub fn wire(&self, document: &Document, wiring: &Wiring) -> Result<Wired<Document>, Refusal> {
        self.check(document)?;
        let mut wired = Wired { document: document.clone(), repairs: Vec::new() };
        let known = |found: &Found| self.events.iter().any(|event| event.name == found.event);
        while let Some(stray) = self.find(&wired.document).into_iter().find(|found| !known(found)) {
            wired.repairs.push(format!("{}: an entry that is no longer used is gone", stray.event));
            wired.document = self.take_out(&wired.document, &stray, None)?;
        }
        let fresh = self.find(&wired.document).is_empty();
        for (key, value) in self.head {
            if wired.document.root().get(key).is_none() && wired.document.root().members().is_empty() {
                wired.document = wired.document.add_member(&[], key, &Json::Number(*value))?;
            }
        }
        for event in self.events {
            self.wire_event(&mut wired, wiring, event, fresh)?;
        }
        if wiring.scope == Scope::Managed {
            for (path, value) in self.pins {
                wired.document = pin(&wired.document, path, *value)?;
            }
        }
        Ok(wired)
    }

    fn wire_event(
        &self,
        wired: &mut Wired<Document>,
        wiring: &Wiring,
        event: &Event,
        fresh: bool,
    ) -> Result<(), Refusal> {
        let wanted = self.group(wiring, event);
        let mine = |document: &Document| -> Vec<Found> {
            self.find(document).into_iter().filter(|found| found.event == event.name).collect()
        };
        let found = mine(&wired.document);
        if let [one] = found.as_slice() {
            let path = [HOOKS, Step::Key(event.name), Step::Index(one.group)];
            let Some(node) = wired.document.at(&path) else { return Ok(()) };
            if wanted.same(node, &wired.document) {
                return Ok(());
            }
            wired.repairs.push(format!("{}: {}", event.name, self.drift(&wired.document, node, event, wiring, one)));
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
            wired.document = self.take_out(&wired.document, &last, None)?;
        }
        wired.document = put_in(&wired.document, event.name, &wanted)?;
        Ok(())
    }

    /// What is not as it should be with the one entry that is there.
    fn drift(&self, document: &Document, group: &Node, event: &Event, wiring: &Wiring, found: &Found) -> String {
        let mut said = Vec::new();
        if found.ours.program != wiring.program.to_string_lossy() {
            said.push(format!("another program (`{}`)", found.ours.program));
        }
        if found.ours.timeout.as_deref() != wiring.timeout.as_ref().and_then(|path| path.to_str()) {
            said.push(String::from("another outer `timeout`"));
        }
        let entry = if self.flat {
            Some(group)
        } else {
            group.get("hooks").and_then(|hooks| hooks.step(Step::Index(found.entry)))
        };
        let more = (self.more)(wiring, event);
        for (name, value) in &more {
            let same = entry.and_then(|entry| entry.get(name)).is_some_and(|node| value.same(node, document));
            if !same {
                said.push(format!("another `{name}`"));
            }
        }
        let extra = entry.and_then(|entry| entry.get("onFailure")).is_some();
        if extra && !more.iter().any(|(name, _)| name == "onFailure") {
            said.push(String::from("another `onFailure`"));
        }
        if let Some(matcher) = group.get("matcher").and_then(Node::str)
            && Some(matcher) != self.matcher
        {
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

    /// Takes all our entries out, and the containers that only they filled. What stood empty in `original` stays so.
    ///
    /// # Errors
    /// An edit failed, which would be our own mistake.
    pub fn unwire(&self, document: &Document, original: Option<&Document>) -> Result<Document, Refusal> {
        let mut document = document.clone();
        let was_ours = !self.find(&document).is_empty();
        while let Some(last) = self.find(&document).pop() {
            document = self.take_out(&document, &last, original)?;
        }
        if was_ours && let Some(original) = original {
            for (path, _) in self.pins {
                let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
                if original.at(&steps).is_none() && document.at(&steps).is_some() {
                    document = unpin(&document, &steps, original)?;
                }
            }
        }
        Ok(document)
    }

    pub(super) fn take_out(
        &self,
        document: &Document,
        found: &Found,
        original: Option<&Document>,
    ) -> Result<Document, Refusal> {
        let group = [HOOKS, Step::Key(&found.event), Step::Index(found.group)];
        if !found.alone {
            let entry = [&group[..], &[HOOKS, Step::Index(found.entry)]].concat();
            return document.remove(&entry);
        }
        let mut document = document.remove(&group)?;
        for depth in [2, 1] {
            let path = group.get(..depth).unwrap_or_default();
            if !is_empty(&document, path) {
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
}

/// Nothing in it, not even somebody's comment.
fn is_empty(document: &Document, path: &[Step<'_>]) -> bool {
    document.at(path).is_some_and(|node| {
        node.elements().is_empty()
            && node.members().is_empty()
            && document.raw(&node.span).chars().filter(|c| !c.is_whitespace()).count() == 2
    })
}

/// The members of `hooks`.
#[must_use]
pub fn hooks(document: &Document) -> &[Member] {
    document.root().get("hooks").map_or(&[], Node::members)
}

/// Adds a group as the last of an event.
pub(super) fn put_in(document: &Document, event: &str, group: &Json) -> Result<Document, Refusal> {
    let array = Json::Array(vec![group.clone()]);
    let hooks = [HOOKS];
    let path = [HOOKS, Step::Key(event)];
    let null = |node: &Node| node.kind == Kind::Null;
    match (document.at(&hooks), document.at(&path)) {
        (None, _) => document.add_member(&[], "hooks", &Json::Object(vec![(event.to_owned(), array)])),
        (Some(node), _) if null(node) => document.replace(&hooks, &Json::Object(vec![(event.to_owned(), array)])),
        (Some(_), None) => document.add_member(&hooks, event, &array),
        (Some(_), Some(node)) if null(node) => document.replace(&path, &array),
        (Some(_), Some(_)) => document.add_element(&path, group),
    }
}

fn pin(document: &Document, path: &[&str], value: bool) -> Result<Document, Refusal> {
    let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
    match document.at(&steps) {
        Some(node) if node.kind == Kind::Bool(value) => return Ok(document.clone()),
        Some(_) => return document.replace(&steps, &Json::Bool(value)),
        None => {}
    }
    let depth =
        (0..path.len()).rev().find(|depth| steps.get(..*depth).is_some_and(|above| document.at(above).is_some()));
    let depth = depth.unwrap_or(0);
    let (Some(above), Some(rest)) = (steps.get(..depth), path.get(depth..)) else { return Ok(document.clone()) };
    let Some((key, inner)) = rest.split_first() else { return Ok(document.clone()) };
    let value = inner.iter().rev().fold(Json::Bool(value), |value, key| Json::Object(vec![((*key).to_owned(), value)]));
    document.add_member(above, key, &value)
}

fn unpin(document: &Document, steps: &[Step<'_>], original: &Document) -> Result<Document, Refusal> {
    let mut document = document.remove(steps)?;
    let mut above = steps;
    while let Some((_, parents)) = above.split_last() {
        above = parents;
        if above.is_empty() || original.at(above).is_some() || !is_empty(&document, above) {
            break;
        }
        document = document.remove(above)?;
    }
    Ok(document)
}

/// Our entries in a file, by event, as JSON text.
#[must_use]
pub fn texts(document: &Document, found: &[Found]) -> Vec<(String, String)> {
    found
        .iter()
        .filter_map(|found| {
            let path = [HOOKS, Step::Key(&found.event), Step::Index(found.group)];
            let node = document.at(&path)?;
            Some((found.event.clone(), document.raw(&node.span).to_owned()))
        })
        .collect()
}

impl Form {
    pub(super) fn wire_bytes(&self, bytes: &[u8], wiring: &Wiring, strip: bool) -> Result<Wired, Refusal> {
        let document = if strip { json::strip(bytes)? } else { self.parse(bytes)? };
        let bom = self.no_bom && bytes.starts_with("\u{feff}".as_bytes());
        let wired = self.wire(&document, wiring)?;
        let mut repairs = wired.repairs;
        if bom {
            repairs.push(String::from("the byte order mark is gone: the agent drops a file that starts with one"));
        }
        Ok(Wired { document: wired.document.bytes(), repairs })
    }

    pub(super) fn unwire_bytes(&self, bytes: &[u8], original: Option<&[u8]>, strip: bool) -> Result<Vec<u8>, Refusal> {
        let document = if strip { json::strip(bytes)? } else { self.parse(bytes)? };
        let original = original.and_then(|bytes| self.parse(bytes).ok());
        self.unwire(&document, original.as_ref()).map(|document| document.bytes())
    }

    /// Nothing but what a new file of ours starts with.
    pub(super) fn is_bare(&self, bytes: &[u8]) -> bool {
        let known = |key: &str| self.head.iter().any(|(name, _)| *name == key);
        self.parse(bytes).is_ok_and(|document| document.root().members().iter().all(|member| known(&member.key)))
    }
}
