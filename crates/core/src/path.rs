//! Where a path really leads: links followed (dangling ones too), `..` taken physically and lexically, never out of
//! the project by string tricks.
//!
//! A path has several readings: by its letters, as the kernel walks it, and under every link it goes through on the
//! way. [`Zone::Project`] needs all of them inside; a guard (secret, control file) needs one. What cannot be walked
//! keeps its readings and loses its zone, so that not knowing never weakens a guard.

pub(crate) mod glob;
pub(crate) mod pattern;
mod text;
mod walk;
mod windows;
mod zone;

use crate::world::World;

pub(crate) use text::{fold, parts};
pub use text::{inside, is_windows, name, parent, same, strip};

/// A longer path is refused by the kernel.
pub const MAX: usize = 4096;

/// A path, placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// as written, after quote removal
    pub written: String,
    /// absolute, links followed; none where it cannot be known
    pub real: Option<String>,
    /// absolute by its letters alone (where a `..` after a link makes a difference, both readings count)
    pub lexical: Option<String>,
    /// other absolute names it goes by: at each link on the way, and where the letters alone would land
    pub via: Vec<String>,
    /// where that is
    pub zone: Zone,
}

/// Where a path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Zone {
    /// in the project, by every reading
    Project,
    /// in a folder for temporary files
    Temp,
    /// `/dev/null` and the like: neither read nor written
    Null,
    /// the person's home
    Home,
    /// `/usr`, `/opt`, `/bin`, `/lib`, program folders
    System,
    /// `/etc`
    Etc,
    /// `/var`, `/proc`, `/sys`, `/dev`
    Runtime,
    /// anywhere else
    Other,
    /// cannot be placed: counts as outside, never as understood
    Unplaced,
}

impl Place {
    /// A place of which nothing is known but how it was written.
    #[must_use]
    pub fn unknown(written: impl Into<String>) -> Self {
        Self { written: written.into(), real: None, lexical: None, via: Vec::new(), zone: Zone::Unplaced }
    }

    /// Every name the path may go by, each once, the physical one first. Where there is none, what was written.
    #[must_use]
    pub fn readings(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for reading in self.real.iter().chain(&self.lexical).chain(&self.via) {
            if !all.contains(&reading.as_str()) {
                all.push(reading);
            }
        }
        if all.is_empty() {
            all.push(&self.written);
        }
        all
    }

    /// The name to show or to compare where one is wanted.
    #[must_use]
    pub fn best(&self) -> &str {
        self.real.as_deref().or(self.lexical.as_deref()).unwrap_or(&self.written)
    }

    /// Whether it is `path` or above it by some reading, so that removing or moving it takes `path` with it.
    #[must_use]
    pub fn is_above(&self, path: &str, blind: bool) -> bool {
        self.readings().iter().any(|reading| inside(path, reading, blind))
    }

    /// Whether it is `root` or below it by some reading.
    #[must_use]
    pub fn is_below(&self, root: &str, blind: bool) -> bool {
        self.readings().iter().any(|reading| inside(reading, root, blind))
    }

    /// The part below the project's root (empty for the root itself), where the place is in the project.
    #[must_use]
    pub fn in_project<'a>(&'a self, world: &dyn World) -> Option<&'a str> {
        if self.zone != Zone::Project {
            return None;
        }
        let facts = world.facts();
        let roots = || std::iter::once(facts.project.as_str()).chain(facts.extra_roots.iter().map(String::as_str));
        self.real
            .iter()
            .chain(&self.lexical)
            .find_map(|reading| roots().find_map(|root| strip(reading, root, facts.case_blind)))
    }
}

/// Places `written` as seen from the folder `cwd` (absolute).
#[must_use]
pub fn place(world: &dyn World, cwd: Option<&str>, written: &str) -> Place {
    let facts = world.facts();
    if written.is_empty() || written.contains('\0') {
        return unplaced(written, None);
    }
    let (path, from_url) = match text::file_url(written) {
        Some(Ok(path)) => (path, true),
        Some(Err(())) => return unplaced(written, None),
        None => (written.to_owned(), false),
    };
    let Some(path) = expand(world, &path) else {
        let lexical = cwd.map(|cwd| text::join(cwd, written));
        return unplaced(written, lexical);
    };
    let windows_world = is_windows(&facts.project) || cwd.is_some_and(is_windows);
    if windows_world || is_windows(&path) {
        let there = windows::place(world, cwd, written, &path);
        return if windows_world { there } else { both(there, posix(world, cwd, written, &path)) };
    }
    let mut there = posix(world, cwd, written, &path);
    if from_url && there.zone == Zone::Null {
        there.zone = Zone::Runtime; // a shell would take the letters of the URL for a name in the folder it is in
    }
    there
}

fn posix(world: &dyn World, cwd: Option<&str>, written: &str, path: &str) -> Place {
    let base = match cwd {
        _ if path.starts_with('/') => "/",
        Some(cwd) if cwd.starts_with('/') => cwd,
        _ => return unplaced(written, None),
    };
    let climbs = parts(path).any(|part| part == "..");
    let lexical = text::join(base, path);
    if path.len() > MAX || lexical.len() > 2 * MAX {
        return unplaced(written, Some(lexical));
    }
    if !climbs && zone::is_null(&lexical) {
        let real = Some(lexical.clone());
        return Place { written: written.to_owned(), real, lexical: Some(lexical), via: Vec::new(), zone: Zone::Null };
    }
    let mut walk = walk::Walk::new(world, cwd);
    let full = if path.starts_with('/') { path.to_owned() } else { format!("{base}/{path}") };
    let real = walk.land(&full);
    if climbs && real.as_deref() != Some(lexical.as_str()) {
        // a program that removes `..` by letters and opens the rest lands here
        if let Some(other) = walk.land(&lexical) {
            walk.via.push(other);
        }
    }
    let mut via = std::mem::take(&mut walk.via);
    via.retain(|reading| Some(reading) != real.as_ref() && *reading != lexical);
    via.sort();
    via.dedup();
    let mut there = Place { written: written.to_owned(), real, lexical: Some(lexical), via, zone: Zone::Unplaced };
    if there.real.is_some() && !walk.lost {
        there.zone = zone::zone(&mut walk, &there);
    }
    there
}

/// Both readings of a path with a drive or backslashes on a system that has neither: every name counts, and it is
/// never the project.
fn both(windows: Place, posix: Place) -> Place {
    let mut via = posix.via;
    via.extend(posix.lexical);
    via.extend(windows.lexical.clone());
    let zone = if windows.zone == Zone::Project || windows.zone == Zone::Null { Zone::Other } else { windows.zone };
    Place { written: windows.written, real: posix.real, lexical: windows.lexical, via, zone }
}

fn unplaced(written: &str, lexical: Option<String>) -> Place {
    Place { written: written.to_owned(), real: None, lexical, via: Vec::new(), zone: Zone::Unplaced }
}

/// `~`, `~/x` and `~name/x`; anything else as it is. None where the home is not known.
fn expand(world: &dyn World, path: &str) -> Option<String> {
    let Some(rest) = path.strip_prefix('~') else {
        return Some(path.to_owned());
    };
    let end = rest.find(['/', '\\']).unwrap_or(rest.len());
    let (user, tail) = rest.split_at_checked(end)?;
    let home = match user {
        "" => world.facts().home.clone()?,
        _ => world.home_of(user)?,
    };
    Some(format!("{}{tail}", home.trim_end_matches('/')))
}
