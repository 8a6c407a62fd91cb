//! Which zone a path lies in. The worst of its readings decides; the project needs all of them.

use super::text::{absolute, inside, parts, same, strip};
use super::walk::Walk;
use super::{Place, Zone};
use crate::world::Facts;

const NULL: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];
const TEMP: &[&str] = &["/tmp", "/var/tmp", "/var/folders"];
const SYSTEM: &[&str] = &[
    "/usr",
    "/opt",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/snap",
    "/boot",
    "/Applications",
    "/System",
    "/Library",
];
const RUNTIME: &[&str] = &["/var", "/proc", "/sys", "/dev", "/run"];

/// Whether nothing is stored there (`/dev/tcp` and `/dev/udp` are network connections of bash and not among them).
pub(super) fn is_null(path: &str) -> bool {
    NULL.contains(&path) || is_descriptor(path)
}

fn is_descriptor(path: &str) -> bool {
    let number = match path.strip_prefix("/dev/fd/") {
        Some(number) => number,
        None => match path.strip_prefix("/proc/").and_then(|rest| rest.split_once("/fd/")) {
            Some((process, number)) if !process.contains('/') => number,
            _ => return false,
        },
    };
    !number.is_empty() && number.len() < 10 && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The zone of a place whose walk came to an end.
pub(super) fn zone(walk: &mut Walk<'_>, place: &Place) -> Zone {
    let facts = walk.world().facts();
    let mut worst = Zone::Null;
    for reading in place.readings() {
        let zone = if is_null(reading) {
            Zone::Null
        } else if in_project(walk, reading) {
            Zone::Project
        } else {
            outside(facts, reading)
        };
        if rank(zone) > rank(worst) {
            worst = zone;
        }
    }
    if walk.lost { Zone::Unplaced } else { worst }
}

/// How much a zone weighs when readings disagree.
fn rank(zone: Zone) -> u8 {
    match zone {
        Zone::Null => 0,
        Zone::Project => 1,
        Zone::Temp => 2,
        Zone::Runtime => 3,
        Zone::Other => 4,
        Zone::Home => 5,
        Zone::System => 6,
        Zone::Etc => 7,
        Zone::Unplaced => 8,
    }
}

/// Inside by letters, or below a folder that lies in the project under another name. A link itself lies where its own
/// name is, wherever it leads; only the folder one is in may be named by such a link.
fn in_project(walk: &mut Walk<'_>, reading: &str) -> bool {
    let facts = walk.world().facts();
    let blind = facts.case_blind;
    let roots = || std::iter::once(&facts.project).chain(&facts.extra_roots).filter(|root| root.starts_with('/'));
    if roots().any(|root| inside(reading, root, blind)) {
        return true;
    }
    let known = walk.via.len();
    let real: Vec<String> = roots().filter_map(|root| walk.land(root)).collect();
    let mut found = real.iter().any(|root| inside(reading, root, blind));
    let itself = walk.cwd().is_some_and(|cwd| same(cwd, reading, blind));
    let mut above: Vec<&str> = Vec::new();
    let depth = parts(reading).count();
    for (at, part) in parts(reading).enumerate() {
        above.push(part);
        if found || at + 1 == depth && !itself {
            break;
        }
        found = walk.land(&absolute(&above)).is_some_and(|there| real.iter().any(|root| inside(&there, root, blind)));
    }
    walk.via.truncate(known);
    found
}

pub(super) fn outside(facts: &Facts, path: &str) -> Zone {
    let blind = facts.case_blind;
    let holds = |root: &str| strip(path, root, blind).map(|_| parts(root).count()).filter(|depth| *depth > 0);
    let home = facts.home.as_deref().and_then(holds);
    let above = |root: &str| {
        inside(&facts.project, root, blind) && facts.home.as_deref().is_some_and(|home| inside(home, root, blind))
    };
    let own = Some(facts.temp.as_str()).filter(|temp| !above(temp) || TEMP.contains(temp)).and_then(holds);
    let temp = TEMP.iter().copied().filter_map(holds).max().max(own);
    match (home, temp) {
        (Some(home), Some(temp)) if temp > home => Zone::Temp,
        (Some(_), _) => Zone::Home,
        (None, Some(_)) => Zone::Temp,
        (None, None) if holds("/etc").is_some() => Zone::Etc,
        (None, None) if SYSTEM.iter().copied().any(|root| holds(root).is_some()) => Zone::System,
        (None, None) if RUNTIME.iter().copied().any(|root| holds(root).is_some()) => Zone::Runtime,
        (None, None) => Zone::Other,
    }
}
