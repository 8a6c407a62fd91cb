//! Which places hold credentials. By name and folder only: no file is opened to find out, and a name that merely talks
//! about secrets (sources, templates, public keys, test fixtures of the project) is none.

mod glob;
mod names;
mod table;

pub use glob::glob_may_be_secret;
pub use names::is_secret_name;

use crate::path::pattern::Subject;
use crate::path::{self, Place};
use crate::world::{Entry, Facts, World};

/// Why a path counts as a credential (in words), or nothing. Every reading of the path counts.
#[must_use]
pub fn secret(world: &dyn World, place: &Place) -> Option<&'static str> {
    place.readings().into_iter().find_map(|reading| by_name(world, reading).or_else(|| by_person(world, reading)))
}

/// Whether a recursive read rooted here is certain to reach credentials (a home, `/etc`, an ancestor of `~/.ssh`).
/// That a project may hold an `.env` does not count: it is not certain.
#[must_use]
pub fn holds_secrets(world: &dyn World, place: &Place) -> Option<&'static str> {
    let facts = world.facts();
    let home = facts.home.as_deref();
    place.readings().into_iter().find_map(|reading| {
        let subject = Subject::new(facts, reading);
        if home.is_some_and(|home| path::inside(home, reading, facts.case_blind)) || subject.is_home() {
            return Some("a home with keys and credentials");
        }
        if homes_of_all(&subject) {
            return Some("everybody's home");
        }
        table::SECRETS.iter().find_map(|secret| {
            let inside = secret.pattern.folder && subject.find(&secret.pattern).is_some_and(<[String]>::is_empty);
            let anchored = table::is_place(&secret.pattern) && subject.toward(&secret.pattern, false).is_some();
            (inside || anchored).then_some(secret.why)
        })
    })
}

/// What a dump of everything below a folder is certain to show: a credential that stands there now. Bounded; folders that
/// tools fill are left out.
#[must_use]
pub fn stands_below(world: &dyn World, place: &Place) -> Option<&'static str> {
    const FOLDERS: usize = 48;
    const ENTRIES: usize = 512;
    const FILLED: &[&str] = &[".git", "node_modules", "target", ".venv", "venv", "dist", "build", "__pycache__"];
    let mut open = vec![place.real.clone()?];
    let mut seen = 0;
    while let Some(folder) = open.pop() {
        seen += 1;
        if seen > FOLDERS {
            return None;
        }
        for name in world.list(&folder, ENTRIES).unwrap_or_default() {
            let below = format!("{}/{name}", folder.trim_end_matches('/'));
            match world.entry(&below) {
                Entry::Dir if !FILLED.contains(&name.as_str()) => open.push(below),
                Entry::Dir => {}
                _ => {
                    if let Some(why) = by_name(world, &below).or_else(|| by_person(world, &below)) {
                        return Some(why);
                    }
                }
            }
        }
    }
    None
}

fn homes_of_all(subject: &Subject) -> bool {
    let names: Vec<&str> = subject.parts().iter().map(String::as_str).collect();
    match names.as_slice() {
        [] => true,
        ["home" | "users"] => true,
        [drive] => drive.ends_with(':'),
        [drive, "users" | "documents and settings"] => drive.ends_with(':'),
        _ => false,
    }
}

fn by_name(world: &dyn World, reading: &str) -> Option<&'static str> {
    let facts = world.facts();
    let subject = Subject::new(facts, reading);
    let hit = table::SECRETS.iter().find(|secret| secret.names(&subject))?;
    let folder = || !path::is_windows(reading) && matches!(world.entry(reading), Entry::Dir);
    // a folder that is called like a file of secrets (`.env/` of Python, `shadow/`) holds other things
    (hit.pattern.folder || !folder()).then_some(hit.why)
}

/// The person's own globs: without `/` a name, with one the end of a path, `~/` a home, `/` the root.
fn by_person(world: &dyn World, reading: &str) -> Option<&'static str> {
    let facts = world.facts();
    let hit = |glob: &String| person_glob(facts, glob, reading);
    facts.secret_globs.iter().any(hit).then_some("what one of your secret globs names")
}

fn person_glob(facts: &Facts, glob: &str, reading: &str) -> bool {
    let names: Vec<&str> = path::parts(reading).collect();
    let (glob, rooted) = match (glob.strip_prefix("~/"), &facts.home) {
        (Some(rest), Some(home)) => (format!("{home}/{rest}"), true),
        _ => (glob.to_owned(), glob.starts_with('/')),
    };
    let wanted: Vec<&str> = path::parts(&glob).collect();
    if wanted.is_empty() || wanted.len() > 64 || names.len() > 512 {
        return false;
    }
    let from_project =
        path::strip(reading, &facts.project, facts.case_blind).map(|rest| path::parts(rest).collect::<Vec<_>>());
    if rooted {
        return covers(&wanted, &names);
    }
    let ends = (0..names.len()).any(|from| names.get(from..).is_some_and(|end| covers(&wanted, end)));
    ends || from_project.is_some_and(|names| covers(&wanted, &names))
}

/// Whether the glob stands for the names or for a folder above them. `**` stands for any number of names; the table of
/// what matches up to here is kept row by row, so that several of them stay cheap.
fn covers(wanted: &[&str], names: &[&str]) -> bool {
    let mut row: Vec<bool> = std::iter::once(true).chain(names.iter().map(|_| false)).collect();
    for glob in wanted {
        let mut next = vec![false; row.len()];
        let mut open = false;
        for at in 0..row.len() {
            let here = row.get(at).copied().unwrap_or_default();
            if *glob == "**" {
                open |= here;
                set(&mut next, at, open);
            } else if here {
                let name = names.get(at).copied().unwrap_or_default();
                let blind = path::fold(name, true);
                if at < names.len() && path::glob::matches(&glob.to_lowercase(), &blind) {
                    set(&mut next, at + 1, true);
                }
            }
        }
        row = next;
    }
    row.iter().skip(1).any(|hit| *hit)
}

fn set(row: &mut [bool], at: usize, value: bool) {
    if let Some(slot) = row.get_mut(at) {
        *slot = value;
    }
}
