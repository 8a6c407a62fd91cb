//! Token classes of signatures, first match wins: what decides the consequence (a credential, a control file, a place
//! outside) comes before every accident of spelling.

use leastgrant_shell::Value;

use crate::path::{Place, Zone};
use crate::world::World;
use crate::{control, host, secret};

/// Longest word that stays literal, in bytes.
const LITERAL: usize = 48;

/// The token of a place.
#[must_use]
pub fn path(world: &dyn World, place: &Place) -> String {
    if secret::secret(world, place).is_some() {
        return String::from("<path:secret>");
    }
    if let Some(control) = control::control(world, place) {
        return match control.hold {
            control::Hold::Config | control::Hold::Persistence => String::from("<path:control>"),
            control::Hold::Record | control::Hold::Own => String::from("<path:kept>"),
        };
    }
    String::from(match place.zone {
        Zone::Project => "<path>",
        Zone::Null => "<path:null>",
        Zone::Unplaced => "<path:unresolved>",
        Zone::Temp => "<path:outside:temp>",
        Zone::Home => "<path:outside:home>",
        Zone::System => "<path:outside:system>",
        Zone::Etc => "<path:outside:etc>",
        Zone::Runtime => "<path:outside:runtime>",
        Zone::Other => "<path:outside:other>",
    })
}

/// The token of a URL.
#[must_use]
pub fn url(text: &str) -> String {
    match host::visit(text) {
        Some(visit) => {
            let scheme = match visit.scheme.as_str() {
                "https" | "http" => String::new(),
                other => format!("{other}:"),
            };
            match visit.host {
                Some(host) => format!("<url:{scheme}{host}>"),
                None => format!("<url:{scheme}>"),
            }
        }
        None => String::from("<url>"),
    }
}

/// The token of a word that may name a file.
pub(super) fn word(world: &dyn World, value: &Value, place: Option<&Place>) -> String {
    if let Some(place) = place {
        return path(world, place);
    }
    match value {
        Value::Exact(text) => classify(text),
        Value::OneOf(texts) => {
            let mut tokens: Vec<String> = texts.iter().map(|text| classify(text)).collect();
            tokens.sort();
            tokens.dedup();
            match tokens.as_slice() {
                [one] => one.clone(),
                _ => String::from("<dynamic>"),
            }
        }
        Value::Prefix(_) | Value::Matches(_) | Value::Unknown => String::from("<dynamic>"),
    }
}

/// The token of an operand: a literal that looks like an option (after `--`) must not pass for one.
pub(super) fn operand(world: &dyn World, value: &Value, place: Option<&Place>) -> String {
    let token = word(world, value, place);
    if token.starts_with('-') && !matches!(token.as_str(), "-" | "--") { format!("<text:{token}>") } else { token }
}

/// The token of an option: its name stays, its joined value becomes a class.
pub(super) fn option(world: &dyn World, value: &Value, place: Option<&Place>) -> String {
    let text = value.prefix();
    let whole = value.exact().is_some();
    match text.split_once('=') {
        Some((name, joined)) => {
            let token = match place {
                Some(place) => path(world, place),
                None if whole => classify(joined),
                None => String::from("<dynamic>"),
            };
            format!("{}={token}", literal(name))
        }
        None if whole => match place {
            // `-ofile`: the letter decides, the rest is the file
            Some(place) => format!("{}{}", literal(text.get(..2).unwrap_or("-")), path(world, place)),
            None => literal(text),
        },
        None => String::from("-<dynamic>"),
    }
}

/// The token of a port.
pub(super) fn port(world: &dyn World, value: &Value, place: Option<&Place>) -> String {
    match value.exact() {
        Some(text) if place.is_none() && is_integer(text) => String::from("<port>"),
        _ => operand(world, value, place),
    }
}

/// The token of a text that names no file.
#[must_use]
pub fn classify(text: &str) -> String {
    if text.is_empty() {
        return String::from("''");
    }
    if text.contains("://") && !text.contains(char::is_whitespace) {
        return url(text);
    }
    if is_uuid(text) {
        return String::from("<uuid>");
    }
    if is_sha(text) {
        return String::from("<sha>");
    }
    if is_integer(text) {
        return String::from("<n>");
    }
    if is_version(text) {
        return String::from("<version>");
    }
    if is_remote(text) {
        return String::from("<remote>");
    }
    literal(text)
}

/// The text itself where it cannot be mistaken for anything else, or a class for prose and statements.
pub(super) fn literal(text: &str) -> String {
    let odd = |char: char| char.is_whitespace() || char.is_control() || matches!(char, '<' | '>' | '*' | '?');
    if text.is_empty() {
        return String::from("''");
    }
    if text.len() > LITERAL || text.contains(odd) || text.starts_with('@') {
        return statement(text);
    }
    text.to_owned()
}

/// The name of a program or a tool: longer than a literal may be, for names that differ at their end differ.
#[must_use]
pub fn name(text: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "_-.:+/[".contains(char);
    if !text.is_empty() && text.len() <= 200 && text.chars().all(plain) { text.to_owned() } else { literal(text) }
}

/// What a database statement begins with.
const SQL: &[&str] = &[
    "select", "insert", "update", "delete", "drop", "truncate", "alter", "create", "grant", "revoke", "copy", "call",
    "do", "merge", "vacuum", "reindex", "attach", "pragma",
];

fn statement(text: &str) -> String {
    let first = text.trim_start().split(|char: char| !char.is_ascii_alphabetic()).next().unwrap_or_default();
    let first = first.to_ascii_lowercase();
    if !SQL.contains(&first.as_str()) {
        return String::from("<text>");
    }
    let more = text.trim_end().trim_end_matches(';').contains(';');
    if more { format!("<sql:{first}+more>") } else { format!("<sql:{first}>") }
}

fn is_integer(text: &str) -> bool {
    !text.is_empty() && text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_sha(text: &str) -> bool {
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (7..=64).contains(&text.len())
        && text.bytes().all(hex)
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    text.len() == 36
        && groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_version(text: &str) -> bool {
    let number = text.strip_prefix(['v', '^', '~', '=']).unwrap_or(text);
    let mut groups = number.split('.');
    let first = groups.next().is_some_and(is_integer);
    let rest = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '+');
    let more: Vec<&str> = groups.collect();
    first
        && text.len() <= 32
        && !more.is_empty()
        && more.iter().all(|group| group.starts_with(|char: char| char.is_ascii_digit()) && group.chars().all(rest))
}

/// `user@host:path`.
fn is_remote(text: &str) -> bool {
    text.split_once('@').is_some_and(|(user, rest)| {
        let host = rest.split(':').next().unwrap_or_default();
        let plain = |word: &str| {
            !word.is_empty() && word.chars().all(|char| char.is_ascii_alphanumeric() || "._-".contains(char))
        };
        rest.contains(':') && plain(user) && plain(host)
    })
}
