//! What a run writes down is masked as it is written: secrets go, and of a URL stay its scheme, its host and a digest of
//! the rest, enough to tell two pages apart and too little to find one. Each key is kept as it is; a value never is.

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::{host, redact};

/// A text without secrets and without what stands behind the host of a URL.
#[must_use]
pub fn text(text: &str) -> String {
    redact::redact(&urls(text))
}

/// One line of at most `most` letters.
#[must_use]
pub fn line(text: &str, most: usize) -> String {
    let text = self::text(text);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let flat: String = flat.chars().filter(|letter| !letter.is_control()).collect();
    if flat.chars().count() <= most {
        return flat;
    }
    let mut cut: String = flat.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Every text within.
#[must_use]
pub fn value(of: &Value) -> Value {
    match of {
        Value::String(text) => Value::String(self::text(text)),
        Value::Array(list) => Value::Array(list.iter().map(value).collect()),
        Value::Object(map) => Value::Object(fields(map)),
        other => other.clone(),
    }
}

/// Every text within; keys are texts as well.
#[must_use]
pub fn fields(map: &Map<String, Value>) -> Map<String, Value> {
    map.iter().map(|(key, inner)| (text(key), value(inner))).collect()
}

/// A URL as it is written down.
#[must_use]
pub fn url(url: &str) -> String {
    let digest = Sha256::digest(url.as_bytes());
    let digest: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    match host::visit(url) {
        Some(visit) => {
            let scheme = visit.scheme;
            let host = visit.host.unwrap_or_default();
            format!("{scheme}://{host}/«{digest}»")
        }
        None => format!("«url:{digest}»"),
    }
}

/// The URLs in a text, as they are written: from a scheme to a blank, a quote or a bracket.
pub(super) fn found(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(':')).map(|at| at + from) {
        from = at + 1;
        let front = text.get(..at).unwrap_or_default();
        let scheme = front
            .chars()
            .rev()
            .take(32)
            .take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'));
        let start = at - scheme.count();
        let name = text.get(start..at).unwrap_or_default().to_ascii_lowercase();
        let behind = text.get(at + 1..).unwrap_or_default();
        let slashes = behind.starts_with("//") || behind.starts_with("\\\\") || behind.starts_with("/\\");
        let bare = matches!(name.as_str(), "http" | "https" | "file" | "data" | "javascript" | "blob" | "view-source");
        let letter = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !letter || !(slashes || bare && !behind.starts_with([' ', '\n'])) {
            continue;
        }
        let ends = |letter: char| {
            letter.is_whitespace() || matches!(letter, '"' | '\'' | '<' | '>' | ']' | ')' | '}' | '`' | '«' | '»')
        };
        let end = behind.find(ends).map_or(text.len(), |length| at + 1 + length);
        if end > at + 1 && found.last().is_none_or(|last| start >= last.1) {
            found.push((start, end));
            from = end;
        }
    }
    found
}

fn urls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in found(text) {
        let Some(whole) = text.get(start..end) else { continue };
        // the stop of a sentence is not the URL's
        let trimmed = whole.trim_end_matches(['.', ',', ';', '!', '?']);
        out.push_str(text.get(at..start).unwrap_or_default());
        // what is already masked stays as it is: masking twice is masking once
        let tail = text.get(end..).unwrap_or_default();
        if tail.starts_with('«') && trimmed.ends_with('/') {
            out.push_str(trimmed);
            at = end;
            continue;
        }
        out.push_str(&url(trimmed));
        at = start + trimmed.len();
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
