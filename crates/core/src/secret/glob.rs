//! Whether an unquoted glob could expand to a credential. What is listed decides where it can be listed; otherwise the
//! pattern itself is compared with the names of the table.

use super::{holds_secrets, secret, table};
use crate::path::{self, Place, glob};
use crate::world::World;

/// Names looked at for one pattern.
const NAMES: usize = 4096;
/// Folders followed at once.
const FOLDERS: usize = 64;
/// Patterns that braces may stand for.
const BRACES: usize = 64;
/// Names in one pattern.
const DEEPEST: usize = 24;
/// Matches that are placed with their links; the rest by name.
const PLACED: usize = 256;

/// Whether an unquoted glob could expand to a credential. A plain `*` among ordinary files could not; `.e*` and
/// `~/.ss?/id_*` could. Braces count too: a shell has expanded them before, the agents' own search tools have not.
#[must_use]
pub fn glob_may_be_secret(world: &dyn World, cwd: Option<&str>, pattern: &str) -> Option<&'static str> {
    if pattern.len() > path::MAX {
        return Some("a glob too long to follow");
    }
    match unbraced(pattern) {
        Some(patterns) => patterns.iter().find_map(|pattern| one(world, cwd, pattern)),
        None => Some("a glob with too many braces to follow"),
    }
}

/// Every pattern that the braces stand for; none where there are too many. Braces without a comma are letters.
fn unbraced(pattern: &str) -> Option<Vec<String>> {
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(next) = open.pop() {
        match first_braces(&next) {
            None => done.push(next),
            Some((before, choices, after)) => {
                open.extend(choices.iter().map(|choice| format!("{before}{choice}{after}")));
            }
        }
        if open.len() + done.len() > BRACES {
            return None;
        }
    }
    Some(done)
}

/// The first braces that hold a comma of their own: what stands before, the choices, what stands after.
fn first_braces(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut starts: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut letters = pattern.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '{' => starts.push((at, Vec::new())),
            ',' => {
                if let Some((_, commas)) = starts.last_mut() {
                    commas.push(at);
                }
            }
            '}' => {
                let Some((start, commas)) = starts.pop() else { continue };
                if commas.is_empty() {
                    continue;
                }
                let mut choices = Vec::new();
                let mut from = start + 1;
                for end in commas.into_iter().chain([at]) {
                    choices.push(pattern.get(from..end)?);
                    from = end + 1;
                }
                return Some((pattern.get(..start)?, choices, pattern.get(from..)?));
            }
            _ => {}
        }
    }
    None
}

fn one(world: &dyn World, cwd: Option<&str>, pattern: &str) -> Option<&'static str> {
    if !glob::is_glob(pattern) {
        return secret(world, &path::place(world, cwd, pattern));
    }
    let names: Vec<&str> = path::parts(pattern).collect();
    if names.len() > DEEPEST {
        return Some("a glob too deep to follow");
    }
    let fixed = names.iter().take_while(|name| !glob::is_glob(name)).count();
    let (stem, rest) = names.split_at_checked(fixed)?;
    let slash = if pattern.starts_with('/') { "/" } else { "" };
    let base = if stem.is_empty() && slash.is_empty() {
        String::from(".")
    } else {
        format!("{slash}{}", unescaped(&stem.join("/")))
    };
    let folder = path::place(world, cwd, &base);
    if let Some(why) = secret(world, &folder) {
        return Some(why);
    }
    match expand(world, folder.best(), rest) {
        Some(found) if !found.is_empty() => among(world, &found),
        _ => by_pattern(world, &folder, rest),
    }
}

fn unescaped(text: &str) -> String {
    let mut letters = text.chars();
    let mut plain = String::new();
    while let Some(letter) = letters.next() {
        plain.push(if letter == '\\' { letters.next().unwrap_or('\\') } else { letter });
    }
    plain
}

/// What it stands for now; none where that cannot be listed.
fn expand(world: &dyn World, folder: &str, rest: &[&str]) -> Option<Vec<String>> {
    let mut at = vec![folder.to_owned()];
    let mut seen = 0;
    for (index, pattern) in rest.iter().enumerate() {
        if *pattern == "**" || *pattern == ".." {
            return None;
        }
        let last = index + 1 == rest.len();
        let mut next = Vec::new();
        for folder in &at {
            let below = |name: &str| format!("{}/{name}", folder.trim_end_matches('/'));
            if !glob::is_glob(pattern) {
                next.push(below(&unescaped(pattern)));
                continue;
            }
            let Some(names) = world.list(folder, NAMES) else {
                continue;
            };
            seen += names.len();
            if seen > 4 * NAMES {
                return None;
            }
            let blind = world.facts().case_blind;
            let shown = |name: &&String| pattern.starts_with(['.', '[']) || !name.starts_with('.');
            let hit = |name: &&String| {
                glob::matches(pattern, name) || blind && glob::matches(&pattern.to_lowercase(), &path::fold(name, true))
            };
            next.extend(names.iter().filter(shown).filter(hit).map(|name| below(name)));
        }
        if !last && next.len() > FOLDERS {
            return None;
        }
        at = next;
    }
    Some(at)
}

fn among(world: &dyn World, found: &[String]) -> Option<&'static str> {
    found.iter().enumerate().find_map(|(index, name)| {
        let place = if index < PLACED {
            path::place(world, None, name)
        } else {
            Place { lexical: Some(name.clone()), ..Place::unknown(name.as_str()) }
        };
        secret(world, &place)
    })
}

/// Nothing is there, or it cannot be listed: could the pattern name something of the table?
fn by_pattern(world: &dyn World, folder: &Place, rest: &[&str]) -> Option<&'static str> {
    let last = rest.last()?;
    let deep = rest.len() > 1;
    let sweeps = (deep || rest.contains(&"**")) && glob::literal(last) < 2;
    if let Some(why) = holds_secrets(world, folder).filter(|_| sweeps) {
        return Some(why);
    }
    let base = folder.best().trim_end_matches('/');
    table::SECRETS.iter().find_map(|row| {
        let parts = row.pattern.parts;
        let fits = |start: usize, skip: usize| fill(base, rest, start, parts.get(skip..)?, row.pattern.folder);
        let texts =
            (0..rest.len()).filter_map(|start| fits(start, 0)).chain((1..parts.len()).filter_map(|skip| fits(0, skip)));
        let hit = |text: String| secret(world, &Place { lexical: Some(text.clone()), ..Place::unknown(text) });
        texts.into_iter().find_map(hit)
    })
}

/// The path that the pattern would stand for if the names of the table were there from `start` on; none where it says
/// too little of them.
fn fill(base: &str, rest: &[&str], start: usize, parts: &[&str], folder: bool) -> Option<String> {
    let globs = rest.get(start..start + parts.len())?;
    let after = rest.get(start + parts.len()..)?;
    let told = globs.iter().zip(parts).all(|(glob, name)| could_be(glob, name));
    if !told || !folder && !after.is_empty() {
        return None;
    }
    let plain = |names: &[&str]| names.iter().map(|name| sample(name)).collect::<Vec<_>>();
    let mut text = vec![base.to_owned()];
    text.extend(plain(rest.get(..start)?));
    text.extend(plain(parts));
    text.extend(plain(after));
    Some(text.join("/"))
}

/// A name that a pattern of the table stands for.
fn sample(name: &str) -> String {
    if name == "*" { String::from("1") } else { name.replace('*', "").replace('?', "a") }
}

/// Whether a shell glob tells enough of a name of the table to be meant for it: `*` and `*.json` tell nothing.
fn could_be(glob: &str, name: &str) -> bool {
    let glob = glob.to_lowercase();
    if glob == name {
        return true;
    }
    if let Some(ending) = name.strip_prefix('*').filter(|ending| ending.starts_with('.')) {
        let own = glob.rsplit_once('.').map(|(_, own)| own).unwrap_or_default();
        return glob::literal(own) > 0 && glob::matches(own, ending.trim_start_matches('.'));
    }
    let hidden = name.starts_with('.');
    let shown = glob.starts_with(['.', '[']);
    let stem = glob.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(glob.as_str(), |(stem, _)| stem);
    let enough = if hidden { glob::literal(&glob) > 0 } else { glob::literal(stem) > 1 };
    (shown || !hidden) && enough && glob::matches(&glob, &sample(name))
}
