//! New values and keys as TOML text.

use crate::edit::json::Json;

/// A key: bare where it may be.
pub(super) fn key(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { text(key) }
}

/// A dotted key.
pub(super) fn dotted(keys: &[&str]) -> String {
    keys.iter().map(|part| key(part)).collect::<Vec<_>>().join(".")
}

fn text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A value in one line.
pub(super) fn inline(value: &Json) -> String {
    match value {
        Json::Object(members) if members.is_empty() => String::from("{}"),
        Json::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Json::Array(elements) if elements.is_empty() => String::from("[]"),
        Json::Array(elements) => format!("[{}]", elements.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Json::String(value) => text(value),
        Json::Number(number) => number.to_string(),
        Json::Bool(yes) => yes.to_string(),
    }
}

/// One more element of an array of tables: header, its plain keys, then its own arrays of tables.
pub(super) fn block(path: &[&str], value: &Json, newline: &str) -> String {
    let mut out = format!("[[{}]]{newline}", dotted(path));
    let Json::Object(members) = value else { return out };
    let is_tables = |value: &Json| matches!(value, Json::Array(of) if !of.is_empty() && of.iter().all(|one| matches!(one, Json::Object(_))));
    for (name, value) in members.iter().filter(|(_, value)| !is_tables(value)) {
        out.push_str(&format!("{} = {}{newline}", key(name), inline(value)));
    }
    for (name, value) in members.iter().filter(|(_, value)| is_tables(value)) {
        if let Json::Array(elements) = value {
            for element in elements {
                let path = [path, &[name.as_str()]].concat();
                out.push_str(&format!("{newline}{}", block(&path, element, newline)));
            }
        }
    }
    out
}

/// The same value as the reader sees it.
pub(super) fn meaning(value: &Json) -> toml::Value {
    match value {
        Json::Object(members) => {
            toml::Value::Table(members.iter().map(|(key, value)| (key.clone(), meaning(value))).collect())
        }
        Json::Array(elements) => toml::Value::Array(elements.iter().map(meaning).collect()),
        Json::String(text) => toml::Value::String(text.clone()),
        Json::Number(number) => toml::Value::Integer(i64::try_from(*number).unwrap_or(i64::MAX)),
        Json::Bool(yes) => toml::Value::Boolean(*yes),
    }
}
