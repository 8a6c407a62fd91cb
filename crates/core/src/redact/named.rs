//! Secrets behind a telling name: `NAME=value`, `"password": "value"`, `Authorization: Bearer value`.

use super::{Find, run, stands_for_other};
use crate::secret::is_secret_name;

/// A longer name is no name.
const NAME: usize = 80;
/// So much of a value is looked at to judge it; what is found is then taken whole.
const VALUE: usize = 512;
/// Headers whose whole value is a secret.
const HEADERS: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "x-auth-token",
    "x-access-token",
    "private-token",
    "job-token",
    "cookie",
    "set-cookie",
    "x-amz-security-token",
    "x-goog-api-key",
    "x-vault-token",
    "x-csrf-token",
    "apikey",
];
const SCHEMES: &[&str] = &["bearer", "basic", "token", "apikey", "digest", "negotiate", "bot", "key"];

pub(super) fn scan(text: &str, finds: &mut Vec<Find>) {
    let mut done = 0;
    for (at, sign) in text.match_indices(['=', ':']) {
        if at < done {
            continue;
        }
        let Some(before) = text.get(..at) else { continue };
        let Some(after) = text.get(at + 1..) else { continue };
        // `==`, `!=`, `::` and `://` compare, separate and locate
        if after.starts_with([sign.chars().next().unwrap_or('='), '/']) && sign == ":"
            || after.starts_with('=')
            || before.ends_with(['=', '!', ':', '<', '>'])
        {
            continue;
        }
        let tight = before.trim_end_matches(['"', '\'', '\\']);
        let spaced = tight.trim_end_matches([' ', '\t']);
        let name = name_before(spaced);
        if name.is_empty() {
            continue;
        }
        let lower = name.to_ascii_lowercase();
        if sign == ":" && HEADERS.contains(&lower.as_str()) {
            header(after, at + 1, finds);
        } else if is_secret_name(name) {
            let attached = sign == "=" && spaced.len() == tight.len() && !after.starts_with([' ', '\t']);
            let quoted = tight.len() < before.len();
            value(after, at + 1, attached, quoted, finds);
        }
        done = finds.iter().rev().take(1).map(|find| find.to).fold(done, usize::max);
    }
}

fn name_before(text: &str) -> &str {
    let letters = text.char_indices().rev().take(NAME + 1);
    let from =
        letters.take_while(|(_, letter)| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.')).last();
    let name = from.and_then(|(from, _)| text.get(from..)).unwrap_or_default();
    if name.len() > NAME { "" } else { name.trim_start_matches('-') }
}

fn header(after: &str, at: usize, finds: &mut Vec<Find>) {
    let skipped = run(after, |letter| matches!(letter, ' ' | '\t' | '"' | '\'' | '\\'));
    let rest = after.get(skipped..).unwrap_or_default();
    let rest = head_of(rest, 16 * VALUE);
    let end = run(rest, |letter| !matches!(letter, '"' | '\'' | '\n' | '\r' | '`' | '\\'));
    let mut value = rest.get(..end).unwrap_or_default();
    let mut from = at + skipped;
    if let Some((scheme, token)) =
        value.split_once(' ').filter(|(scheme, _)| SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()))
    {
        from += scheme.len() + 1;
        value = token;
    }
    let value = value.trim_end();
    if value.len() >= 4 && !stands_for_other(value) {
        finds.push(Find { from, to: from + value.len(), label: "header" });
    }
}

fn value(after: &str, at: usize, attached: bool, quoted: bool, finds: &mut Vec<Find>) {
    let blank = run(after, |letter| matches!(letter, ' ' | '\t'));
    let rest = after.get(blank..).unwrap_or_default();
    let escapes = run(rest, |letter| letter == '\\');
    let rest = rest.get(escapes..).unwrap_or_default();
    let quote = rest.chars().next().filter(|letter| matches!(letter, '"' | '\'' | '`'));
    let from = at + blank + escapes + usize::from(quote.is_some());
    let body = rest.get(usize::from(quote.is_some())..).unwrap_or_default();
    let extent = |body: &str| match quote {
        Some(quote) if escapes > 0 => run(body, |letter| letter != quote && letter != '\\'),
        Some(quote) => closed(body, quote),
        None => run(body, |letter| {
            !letter.is_whitespace()
                && !matches!(letter, '"' | '\'' | ';' | '|' | '&' | ',' | ')' | '}' | '`' | '<' | '>')
        }),
    };
    let head = head_of(body, VALUE);
    let end = extent(head);
    let value = body.get(..end).unwrap_or_default();
    if stands_for_other(value) {
        return;
    }
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let called = value.contains('(') || body.get(end..).is_some_and(|rest| rest.starts_with('('));
    let enough = match quote {
        // a passphrase holds blanks; a text beside a bare name is as often a prompt
        Some(_) => value.len() >= 4 && (!value.contains(' ') || attached || quoted),
        None if attached => value.len() >= 3 && !called,
        // `password: string`, `token = next_token`: code and prose
        None => value.len() >= 8 && letters && digits && !called && !value.contains(['.', '/', ':']),
    };
    if enough {
        let whole = if end == head.len() { extent(body) } else { end };
        finds.push(Find { from, to: from + whole, label: "value" });
    }
}

/// Bytes up to the closing quote; an escaped one belongs to the value.
fn closed(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in body.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == quote => return at,
            '\n' => return at,
            _ => {}
        }
    }
    body.len()
}

/// At most so many bytes, up to a whole character.
fn head_of(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}
