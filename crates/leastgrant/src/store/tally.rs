//! What a session came to, in one line, for the moment it ends.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::Store;

/// A session that ends is near the end of the ledger; what lies further back is not counted.
const TAIL: u64 = 2 * 1024 * 1024;

/// How often what was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// allowed, or left to the agent's own rules
    pub passed: u64,
    /// asked about
    pub asked: u64,
    /// refused
    pub denied: u64,
}

#[derive(serde::Deserialize)]
struct Line {
    event: String,
    #[serde(default)]
    session: String,
    #[serde(default)]
    project: String,
    #[serde(default)]
    answer: String,
}

impl Tally {
    /// Counts a session's calls; a ledger that can't be read counts nothing.
    #[must_use]
    pub fn of(store: &Store, session: &str) -> Self {
        let text = tail(store).unwrap_or_default();
        Self::count(&text, session)
    }

    /// Counts the calls of the last session in a project other than this one.
    #[must_use]
    pub fn before(store: &Store, project: &str, session: &str) -> Self {
        let text = tail(store).unwrap_or_default();
        let last = text.lines().rev().filter_map(call).find(|line| line.project == project && line.session != session);
        last.map_or_else(Self::default, |line| Self::count(&text, &line.session))
    }

    fn count(text: &str, session: &str) -> Self {
        let mut tally = Self::default();
        let mentions = text.lines().filter(|line| line.contains(session));
        for line in mentions.filter_map(call).filter(|line| line.session == session) {
            match line.answer.as_str() {
                "deny" => tally.denied += 1,
                "ask" => tally.asked += 1,
                _ => tally.passed += 1,
            }
        }
        tally
    }

    /// As people read it; none where nothing was judged.
    #[must_use]
    pub fn line(&self, when: &str) -> Option<String> {
        let Self { passed, asked, denied } = self;
        (passed + asked + denied > 0)
            .then(|| format!("leastgrant: {passed} allowed, {asked} asked, {denied} denied in {when}"))
    }
}

fn call(line: &str) -> Option<Line> {
    serde_json::from_str(line).ok().filter(|line: &Line| line.event == "call")
}

fn tail(store: &Store) -> std::io::Result<String> {
    let mut file = File::open(store.path(super::ledger::FILE))?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::event::Event;

    #[test]
    fn each_session_is_counted_for_itself() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        let add = |session: &str, project: &str, answer: &'static str| {
            let event = Event { answer: Some(answer), session: session.to_owned(), ..Event::new("call", 1) };
            store.append(&event.in_project(Some(project))).unwrap();
        };
        assert_eq!(Tally::of(&store, "a").line("this session"), None);
        for answer in ["allow", "silent", "ask", "deny", "deny"] {
            add("a", "/p", answer);
        }
        add("ab", "/p", "ask");
        add("c", "/q", "allow");
        store.append(&Event { session: String::from("c"), ..Event::new("ran", 1) }.in_project(Some("/p"))).unwrap();
        let line = Tally::of(&store, "a").line("this session").unwrap();
        assert_eq!(line, "leastgrant: 2 allowed, 1 asked, 2 denied in this session");
        assert_eq!(Tally::before(&store, "/p", "new"), Tally { passed: 0, asked: 1, denied: 0 });
        assert_eq!(Tally::before(&store, "/p", "ab"), Tally { passed: 2, asked: 1, denied: 2 });
        assert_eq!(Tally::before(&store, "/nowhere", "new"), Tally::default());
    }
}
