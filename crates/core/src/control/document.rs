//! Settings files as flat lists of keys and values. What does not parse is none: never taken for harmless.

use std::collections::BTreeMap;

use serde_json::Value;

use super::table::Format;

/// Values of one file that are compared.
const MOST: usize = 20_000;

/// The file as a tree; none where the agent could not read it either.
pub(super) fn parse(format: Format, text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    match format {
        Format::Json => serde_json::from_str(text).ok(),
        Format::Jsonc => serde_json::from_str(&plain(text)).ok(),
        Format::Toml => toml::from_str::<toml::Table>(text).ok().and_then(|table| serde_json::to_value(table).ok()),
    }
}

/// Leaves by dotted key; items of a list by their own text, so that order and position say nothing. None where there
/// are too many.
pub(super) fn leaves(value: &Value) -> Option<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut open = vec![(String::new(), value)];
    while let Some((key, value)) = open.pop() {
        if found.len() + open.len() > MOST {
            return None;
        }
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                open.extend(fields.iter().map(|(name, value)| (join(&key, name), value)));
            }
            Value::Array(items) if !items.is_empty() => {
                for item in items {
                    found.insert(format!("{key}\u{1}{item}"), item.to_string());
                }
            }
            Value::String(text) => {
                found.insert(key, text.clone());
            }
            other => {
                found.insert(key, other.to_string());
            }
        }
    }
    Some(found)
}

fn join(key: &str, name: &str) -> String {
    if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") }
}

/// Without comments and trailing commas, strings untouched.
fn plain(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut comma = false;
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('/', Some('/')) => while letters.next_if(|letter| *letter != '\n').is_some() {},
            ('/', Some('*')) => {
                letters.next();
                let mut star = false;
                for letter in letters.by_ref() {
                    if star && letter == '/' {
                        break;
                    }
                    star = letter == '*';
                }
            }
            (',', _) => {
                if comma {
                    kept.push(',');
                }
                comma = true;
            }
            (letter, _) if letter.is_whitespace() => kept.push(letter),
            _ => {
                if comma && !matches!(letter, '}' | ']') {
                    kept.push(',');
                }
                comma = false;
                kept.push(letter);
                if letter == '"' {
                    string(&mut letters, &mut kept);
                }
            }
        }
    }
    if comma {
        kept.push(',');
    }
    kept
}

fn string(letters: &mut std::iter::Peekable<std::str::Chars<'_>>, kept: &mut String) {
    while let Some(letter) = letters.next() {
        kept.push(letter);
        match letter {
            '"' => return,
            '\\' => kept.extend(letters.next()),
            _ => {}
        }
    }
}
