//! Secrets in URLs: a password before the host, values of telling names in the query, and paths that are a secret.

use super::{Find, run, stands_for_other};
use crate::secret::is_secret_name;

const PATHS: &[&str] = &[
    "hooks.slack.com/services/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "api.telegram.org/bot",
    "outlook.office.com/webhook/",
];

pub(super) fn scan(text: &str, finds: &mut Vec<Find>) {
    let mut done = 0;
    for (at, separator) in text.match_indices("://") {
        let from = at + separator.len();
        if from < done {
            continue;
        }
        let rest = text.get(from..).unwrap_or_default();
        let whole = run(rest, |letter| !letter.is_whitespace() && !matches!(letter, '"' | '\'' | '<' | '>' | '`'));
        let rest = rest.get(..whole).unwrap_or_default();
        done = from + whole;
        person(rest, from, finds);
        query(rest, from, finds);
    }
    for path in PATHS {
        for (at, found) in text.match_indices(path) {
            let from = at + found.len();
            let length = run(text.get(from..).unwrap_or_default(), |letter| {
                letter.is_ascii_alphanumeric() || matches!(letter, '/' | '-' | '_' | ':')
            });
            if length >= 16 {
                finds.push(Find { from, to: from + length, label: "webhook" });
            }
        }
    }
}

/// `user:password@`, up to the last `@`: a password may hold one, and `/` or `#` as well where it was not encoded.
fn person(url: &str, from: usize, finds: &mut Vec<Find>) {
    let host = url.find(['/', '?', '#']).unwrap_or(url.len());
    let authority = url.get(..host).unwrap_or_default();
    let end = authority.rfind('@').or_else(|| {
        // `postgres://u:p/w@host`: only where a colon came first and no port stands there
        let colon = authority.find(':')?;
        let after = authority.get(colon + 1..)?;
        let port = !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit());
        let raw = url.get(..url.find(['?', '&']).unwrap_or(url.len()))?;
        raw.rfind('@').filter(|_| !port)
    });
    let Some(end) = end else { return };
    let person = url.get(..end).unwrap_or_default();
    match person.split_once(':') {
        Some((name, password)) if !stands_for_other(password) => {
            finds.push(Find { from: from + name.len() + 1, to: from + end, label: "url-password" });
        }
        None if person.len() >= 16 && !stands_for_other(person) => {
            finds.push(Find { from, to: from + end, label: "url-token" })
        }
        _ => {}
    }
}

fn query(url: &str, from: usize, finds: &mut Vec<Find>) {
    let mut at = url.find(['?', '#']).map_or(url.len(), |mark| mark + 1);
    for pair in url.get(at..).unwrap_or_default().split(['&', ';']) {
        if let Some((name, value)) = pair.split_once('=') {
            let lower = name.to_ascii_lowercase();
            let signed = lower.ends_with("signature")
                || lower.ends_with("-credential")
                || matches!(lower.as_str(), "sig" | "code" | "key" | "apikey" | "auth" | "pass" | "pwd");
            if (signed || is_secret_name(name)) && value.len() >= 6 && !stands_for_other(value) {
                let start = from + at + name.len() + 1;
                finds.push(Find { from: start, to: start + value.len(), label: "url-secret" });
            }
        }
        at += pair.len() + 1;
    }
}
