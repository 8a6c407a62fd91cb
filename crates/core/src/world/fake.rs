//! A world in memory. Always compiled: tests of this crate and of others, `check` and the tasks build on it. It touches
//! nothing of the machine and knows only what it was told.

use std::collections::{BTreeMap, BTreeSet};

use super::{Entry, Facts, Small, World};

/// Files, folders and links in memory, made by chained calls:
///
/// ```
/// use leastgrant_core::world::{Entry, FakeWorld, World};
/// let world = FakeWorld::new("/home/u/proj").home("/home/u").file("/home/u/proj/a.txt", "hello").link("/home/u/l", "proj");
/// assert_eq!(world.entry("/home/u/l"), Entry::Link("proj".to_owned()));
/// assert_eq!(world.entry("/home/u/proj"), Entry::Dir);
/// ```
///
/// Folders above everything that is added exist by themselves. As [`World`] asks, a path is looked up by its letters:
/// links on the way are the caller's to follow. With `case_blind` names are found whatever their ASCII case.
#[derive(Clone, Debug, Default)]
pub struct FakeWorld {
    facts: Facts,
    entries: BTreeMap<String, Thing>,
    homes: BTreeMap<String, String>,
    tracked: BTreeSet<String>,
    made: BTreeSet<String>,
}

#[derive(Clone, Debug)]
enum Thing {
    File(Vec<u8>),
    Dir,
    Link(String),
    Unknown,
}

impl FakeWorld {
    /// A world with a project folder, `/tmp` for temporary files, and state under `/home/u/.leastgrant`.
    #[must_use]
    pub fn new(project: &str) -> Self {
        let facts = Facts {
            home: Some(String::from("/home/u")),
            project: project.to_owned(),
            state: String::from("/home/u/.leastgrant"),
            temp: String::from("/tmp"),
            now_ms: 1_764_547_200_000,
            ..Facts::default()
        };
        Self { facts, ..Self::default() }.dir(project).dir("/home/u").dir("/tmp")
    }

    /// The project that the knowledge's examples run in: `/home/u/project`, a repository with a virtual environment.
    #[must_use]
    pub fn project() -> Self {
        let root = "/home/u/project";
        Self::new(root)
            .dir(&format!("{root}/.git"))
            .file(&format!("{root}/package.json"), "{}")
            .file(&format!("{root}/.venv/bin/activate"), "VIRTUAL_ENV=x\n")
            .file("/home/u/.bashrc", "\n")
    }

    /// Moves the person's home, and the state folder with it.
    #[must_use]
    pub fn home(mut self, home: &str) -> Self {
        self.facts.home = Some(home.to_owned());
        self.facts.state = format!("{home}/.leastgrant");
        self.dir(home)
    }

    /// Changes any of the facts.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Facts)) -> Self {
        change(&mut self.facts);
        self
    }

    /// Adds a file.
    #[must_use]
    pub fn file(self, path: &str, content: &str) -> Self {
        self.bytes(path, content.as_bytes())
    }

    /// Adds a file that need not be text.
    #[must_use]
    pub fn bytes(self, path: &str, content: &[u8]) -> Self {
        self.add(path, Thing::File(content.to_vec()))
    }

    /// Adds a folder.
    #[must_use]
    pub fn dir(self, path: &str) -> Self {
        self.add(path, Thing::Dir)
    }

    /// Adds a symbolic link.
    #[must_use]
    pub fn link(self, path: &str, target: &str) -> Self {
        self.add(path, Thing::Link(target.to_owned()))
    }

    /// Adds something that cannot be looked at.
    #[must_use]
    pub fn locked(self, path: &str) -> Self {
        self.add(path, Thing::Unknown)
    }

    /// Adds another person's home.
    #[must_use]
    pub fn user(mut self, name: &str, home: &str) -> Self {
        self.homes.insert(name.to_owned(), home.to_owned());
        self
    }

    /// Says that version control has the file without changes.
    #[must_use]
    pub fn tracked(mut self, path: &str) -> Self {
        self.tracked.insert(path.to_owned());
        self
    }

    /// Says that this session made the file.
    #[must_use]
    pub fn made(mut self, path: &str) -> Self {
        self.made.insert(path.to_owned());
        self
    }

    fn add(mut self, path: &str, thing: Thing) -> Self {
        let path = path.trim_end_matches('/');
        let mut above = path;
        while let Some((parent, _)) = above.rsplit_once('/') {
            if parent.is_empty() {
                break;
            }
            self.entries.entry(parent.to_owned()).or_insert(Thing::Dir);
            above = parent;
        }
        self.entries.insert(path.to_owned(), thing);
        self
    }

    fn find(&self, path: &str) -> Option<&Thing> {
        if let Some(thing) = self.entries.get(path) {
            return Some(thing);
        }
        if !self.facts.case_blind {
            return None;
        }
        self.entries.iter().find(|(known, _)| known.eq_ignore_ascii_case(path)).map(|(_, thing)| thing)
    }
}

impl World for FakeWorld {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn entry(&self, path: &str) -> Entry {
        match self.find(path) {
            None if path == "/" => Entry::Dir,
            None => Entry::Missing,
            Some(Thing::File(_)) => Entry::File,
            Some(Thing::Dir) => Entry::Dir,
            Some(Thing::Link(target)) => Entry::Link(target.clone()),
            Some(Thing::Unknown) => Entry::Unknown,
        }
    }

    fn read(&self, path: &str, max: usize) -> Small {
        match self.find(path) {
            Some(Thing::File(bytes)) if bytes.len() <= max => Small::Bytes(bytes.clone()),
            None => Small::Missing,
            _ => Small::Unreadable,
        }
    }

    fn list(&self, path: &str, max: usize) -> Option<Vec<String>> {
        if !matches!(self.entry(path), Entry::Dir) {
            return None;
        }
        let blind = self.facts.case_blind;
        let below = |known: &String| {
            let rest = crate::path::strip(known, path, blind)?;
            (!rest.is_empty() && !rest.contains('/')).then(|| rest.to_owned())
        };
        let names: Vec<String> = self.entries.keys().filter_map(below).collect();
        (names.len() <= max).then_some(names)
    }

    fn home_of(&self, user: &str) -> Option<String> {
        self.homes.get(user).cloned()
    }

    fn tracked_clean(&self, path: &str) -> bool {
        self.tracked.contains(path)
    }

    fn made_in_session(&self, path: &str) -> bool {
        self.made.contains(path)
    }
}
