//! Path patterns of the knowledge tables, and readings of a path prepared for them. Compared in lower case throughout:
//! for a guard a match is the stricter answer.

use super::{fold, glob, inside, is_windows, parts};
use crate::world::Facts;

/// From where a pattern counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// below somebody's home
    Home,
    /// below any folder that could be a project
    Repo,
    /// from the root
    Root,
    /// from the root of a Windows drive
    Drive,
    /// the end of any path
    Anywhere,
}

/// One pattern: names in order, `*` and `?` within a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pub(crate) anchor: Anchor,
    pub(crate) parts: &'static [&'static str],
    /// with everything below
    pub(crate) folder: bool,
}

/// One reading, taken apart once for many patterns.
#[derive(Debug)]
pub(crate) struct Subject {
    parts: Vec<String>,
    /// how many leading names are a home, for every home it lies in
    homes: Vec<usize>,
    /// how many leading names are the project
    project: Option<usize>,
    drive: bool,
    absolute: bool,
}

impl Subject {
    pub(crate) fn new(facts: &Facts, reading: &str) -> Self {
        let blind = facts.case_blind;
        let windows = is_windows(reading);
        let slashed = reading.replace('\\', "/");
        let reading = if windows { slashed.as_str() } else { reading };
        let names: Vec<String> = parts(reading).map(|part| fold(part, blind).into_owned()).collect();
        let names = match names.split_first() {
            Some((first, rest)) if !windows && first == "private" && below_private(rest) => rest.to_vec(),
            _ => names,
        };
        let depth = |root: &str| {
            let root = root.replace('\\', "/");
            let count = parts(root.strip_prefix("/private").unwrap_or(&root)).count();
            (inside(reading, &root, blind) && count > 0).then_some(count)
        };
        let mut homes: Vec<usize> = facts.home.iter().filter_map(|home| depth(home)).collect();
        homes.extend(anybodys(&names));
        homes.sort_unstable();
        homes.dedup();
        let project = std::iter::once(&facts.project).chain(&facts.extra_roots).filter_map(|root| depth(root)).min();
        let drive = windows && !reading.starts_with("//");
        let absolute = reading.starts_with('/') || windows;
        Self { parts: names, homes, project, drive, absolute }
    }

    /// A folder that takes the place of `~/<name>` by the environment: the same names, as if they were there.
    pub(crate) fn moved(facts: &Facts, reading: &str, folder: &str, instead: &str) -> Option<Self> {
        let below = super::strip(reading, folder, facts.case_blind)?;
        let parts: Vec<String> =
            parts(instead).chain(parts(below)).map(|part| fold(part, facts.case_blind).into_owned()).collect();
        Some(Self { parts, homes: vec![0], project: None, drive: false, absolute: true })
    }

    pub(crate) fn name(&self) -> &str {
        self.parts.last().map(String::as_str).unwrap_or_default()
    }

    pub(crate) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The names below the project's root, if it lies there.
    pub(crate) fn in_project(&self) -> Option<&[String]> {
        self.parts.get(self.project?..)
    }

    /// Whether it is a home itself.
    pub(crate) fn is_home(&self) -> bool {
        self.homes.contains(&self.parts.len())
    }

    /// What lies below a match of the pattern: empty for the thing itself.
    pub(crate) fn find(&self, pattern: &Pattern) -> Option<&[String]> {
        let at = |from: usize| {
            let rest = self.parts.get(from..)?;
            let (own, below) = rest.split_at_checked(pattern.parts.len())?;
            let hit = (pattern.folder || below.is_empty()) && same(pattern.parts, own);
            hit.then_some(below)
        };
        // this runs for every row of every table and every path: no list of places to begin is made
        match pattern.anchor {
            Anchor::Home => self.homes.iter().copied().find_map(at),
            Anchor::Root => {
                if self.absolute {
                    at(0)
                } else {
                    None
                }
            }
            Anchor::Drive => {
                if self.drive {
                    at(1)
                } else {
                    None
                }
            }
            Anchor::Anywhere | Anchor::Repo if !pattern.folder => {
                at(self.parts.len().checked_sub(pattern.parts.len())?)
            }
            Anchor::Anywhere | Anchor::Repo => (0..=self.parts.len()).find_map(at),
        }
    }

    /// How many names of the pattern are still missing: at least one, where this is a folder on the way to it. Zero
    /// names matched (a home, the root, a project) count only where `from_top` says so.
    pub(crate) fn toward(&self, pattern: &Pattern, from_top: bool) -> Option<usize> {
        self.starts(pattern.anchor).find_map(|from| {
            let rest = self.parts.get(from..)?;
            let missing = pattern.parts.len().checked_sub(rest.len())?;
            let begun = pattern.parts.get(..rest.len())?;
            (missing > 0 && (from_top || !rest.is_empty()) && same(begun, rest)).then_some(missing)
        })
    }

    fn starts(&self, anchor: Anchor) -> Box<dyn Iterator<Item = usize> + '_> {
        match anchor {
            Anchor::Home => Box::new(self.homes.iter().copied()),
            Anchor::Root if self.absolute => Box::new(std::iter::once(0)),
            Anchor::Drive if self.drive => Box::new(std::iter::once(1)),
            Anchor::Root | Anchor::Drive => Box::new(std::iter::empty()),
            Anchor::Anywhere | Anchor::Repo => Box::new(0..=self.parts.len()),
        }
    }
}

fn same(pattern: &[&str], names: &[String]) -> bool {
    pattern.iter().zip(names).all(|(pattern, name)| {
        // most rows differ in the first letter
        let (wanted, first) = (pattern.as_bytes().first(), name.as_bytes().first());
        if wanted != first && !matches!(wanted, Some(b'*' | b'?' | b'[' | b'\\')) {
            return false;
        }
        let plain = |rest: &str| !rest.contains(['*', '?', '[', '\\']);
        if let Some(end) = pattern.strip_prefix('*').filter(|end| plain(end)) {
            return name.ends_with(end);
        }
        if let Some(start) = pattern.strip_suffix('*').filter(|start| plain(start)) {
            return name.starts_with(start);
        }
        if pattern.contains(['*', '?']) { glob::matches(pattern, name) } else { *pattern == name }
    })
}

fn below_private(rest: &[String]) -> bool {
    rest.first().is_some_and(|top| matches!(top.as_str(), "tmp" | "var" | "etc"))
}

/// Homes by their usual places: anybody's, because somebody else's credentials are credentials too.
fn anybodys(names: &[String]) -> Vec<usize> {
    let name = |at: usize| names.get(at).map(String::as_str).unwrap_or_default();
    let depth = match (name(0), name(1)) {
        ("root", _) => 1,
        ("var", "root") | ("home" | "users", _) => 2,
        (drive, "users" | "documents and settings") if drive.ends_with(':') => 3,
        ("mnt", drive) if drive.len() == 1 && name(2) == "users" => 4,
        _ => return Vec::new(),
    };
    if depth <= names.len() { vec![depth] } else { Vec::new() }
}
