//! Windows spellings, by letters alone: drives, shares, device prefixes, streams, trailing dots. Whatever the system
//! would read differently from its letters is not placed, and keeps a cleaned name for the guards.

use super::text::{inside, is_windows, parts};
use super::{MAX, Place, Zone};
use crate::world::World;

const DEVICES: &[&str] = &["con", "prn", "aux", "conin$", "conout$", "clock$"];

/// `path` is what `written` means after `~` and URLs.
pub(super) fn place(world: &dyn World, cwd: Option<&str>, written: &str, path: &str) -> Place {
    let facts = world.facts();
    let read = read(cwd.or(Some(&facts.project)), path);
    let lexical = read.lexical;
    let zone = match &lexical {
        _ if read.null => Zone::Null,
        Some(path) if read.sure && written.len() <= MAX => zone(world, path),
        _ => Zone::Unplaced,
    };
    let real = lexical.clone().filter(|_| zone != Zone::Unplaced);
    Place { written: written.to_owned(), real, lexical, via: Vec::new(), zone }
}

struct Read {
    lexical: Option<String>,
    sure: bool,
    null: bool,
}

fn read(cwd: Option<&str>, path: &str) -> Read {
    let mut sure = true;
    let path = path.replace('\\', "/");
    let cwd = cwd.map(|cwd| cwd.replace('\\', "/")).unwrap_or_default();
    let path = match path.strip_prefix("//?/").or_else(|| path.strip_prefix("//./")) {
        Some(rest) if is_windows(rest) => rest.to_owned(),
        Some(rest) => match rest.get(..4).filter(|unc| unc.eq_ignore_ascii_case("UNC/")) {
            Some(_) => format!("//{}", rest.get(4..).unwrap_or_default()),
            None => {
                sure = false; // volume ids, device objects: another name for anything
                rest.to_owned()
            }
        },
        None => path,
    };
    let (top, rest) = root(&path, &cwd);
    sure &= top.is_some();
    // the shells that agents run on Windows give `/dev/null` its usual meaning
    let unix_null = matches!(path.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/stdin" | "/dev/tty");
    let null = (name_stem(&path).eq_ignore_ascii_case("nul") || unix_null) && sure;
    let mut kept: Vec<String> = Vec::new();
    for part in parts(&rest) {
        if part == ".." {
            kept.pop();
            continue;
        }
        let (clean, exact) = clean(part);
        sure &= exact;
        kept.push(clean);
    }
    let lexical = Some(format!("{}/{}", top.unwrap_or_default(), kept.join("/")));
    Read { lexical: lexical.filter(|path| path.len() > 1), sure, null }
}

/// Drive or share, and the components below it.
fn root(path: &str, cwd: &str) -> (Option<String>, String) {
    if let Some(share) = path.strip_prefix("//") {
        let mut at = share.splitn(3, '/');
        let (host, name) = (at.next().unwrap_or_default(), at.next().unwrap_or_default());
        return (Some(format!("//{host}/{name}")), at.next().unwrap_or_default().to_owned());
    }
    let drive = |path: &str| path.get(..2).filter(|_| is_windows(path)).map(str::to_owned);
    if let Some(own) = drive(path) {
        return (Some(own), path.get(2..).unwrap_or_default().to_owned());
    }
    let mut letters = path.chars();
    let (first, letter, next) = (letters.next(), letters.next(), letters.next());
    if first == Some('/') {
        // `/c/x` of Git Bash and MSYS; any other rooted path is on the drive one is on
        if let (Some(letter), None | Some('/')) = (letter.filter(char::is_ascii_alphabetic), next) {
            return (Some(format!("{letter}:")), path.get(2..).unwrap_or_default().to_owned());
        }
        return (drive(cwd), path.to_owned());
    }
    if letter == Some(':') && first.is_some_and(|first| first.is_ascii_alphabetic()) {
        return (None, path.get(2..).unwrap_or_default().to_owned()); // `C:x`: relative to a folder nobody told us
    }
    if let Some(share) = cwd.strip_prefix("//") {
        let (top, below) = root(&format!("//{share}"), "");
        return (top, format!("{below}/{path}"));
    }
    (drive(cwd), format!("{}/{path}", cwd.get(2..).unwrap_or_default()))
}

/// A component as the file system stores it, and whether that is what its letters say.
fn clean(part: &str) -> (String, bool) {
    let (name, stream) = part.split_once(':').unwrap_or((part, ""));
    let trimmed = name.trim_end_matches(['.', ' ']);
    let device = name_stem(trimmed);
    let lower = device.to_ascii_lowercase();
    let port = ["com", "lpt"].iter().any(|port| lower.strip_prefix(port).is_some_and(|n| n.chars().count() == 1));
    let is_device = DEVICES.contains(&lower.as_str()) || lower == "nul" || port;
    let odd = name.chars().any(|letter| matches!(letter, '<' | '>' | '"' | '|' | '?' | '*') || letter < ' ');
    let exact = stream.is_empty() && trimmed == name && !is_device && !odd && !short(trimmed) && !part.contains(':');
    (trimmed.to_owned(), exact)
}

/// The name up to its first dot, where reserved names end.
fn name_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ')
}

/// `PROGRA~1`: a second name that the system made.
fn short(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    stem.len() <= 8
        && stem.rsplit_once('~').is_some_and(|(front, number)| {
            !front.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
}

fn zone(world: &dyn World, path: &str) -> Zone {
    let facts = world.facts();
    let holds = |root: &str| is_windows(root) && inside(path, &root.replace('\\', "/"), true);
    if std::iter::once(&facts.project).chain(&facts.extra_roots).any(|root| holds(root)) {
        return Zone::Project;
    }
    if holds(&facts.temp) {
        return Zone::Temp;
    }
    if facts.home.as_deref().is_some_and(holds) {
        return Zone::Home;
    }
    let below: Vec<String> = parts(path).skip(1).take(2).map(str::to_ascii_lowercase).collect();
    match below.first().map(String::as_str) {
        Some("windows") if below.get(1).is_some_and(|part| part == "temp") => Zone::Temp,
        Some("windows" | "program files" | "program files (x86)" | "programdata") => Zone::System,
        _ => Zone::Other,
    }
}
