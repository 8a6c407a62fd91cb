//! A tool that a worker really calls: where it goes and what it presses. Asked twice, by the guard before the call and by
//! the conductor after it, so that a call that slipped by one is seen by the other.

use serde_json::Value;

use super::bounds::{self, Bounds, Broken};
use super::irreversible::{self, Reach};
use super::{mask, tools};
use crate::persona::guard::Asked;

/// Arguments that name what is pressed.
const LABELS: &[&str] =
    &["element", "label", "name", "text", "button", "title", "description", "selector", "values", "value", "option"];

/// What is amiss with what is pressed, if anything.
#[must_use]
pub fn irreversible(tool: &str, input: &Value, out_of_bounds: &[String]) -> Option<Broken> {
    if !tools::presses(tool) {
        return None;
    }
    for label in labels(input) {
        if let Some(broken) = label_is(label, out_of_bounds) {
            return Some(broken);
        }
    }
    None
}

/// What is amiss with a label, if anything. What is merely unclear passes here: the turn that declared it was weighed.
#[must_use]
pub fn label_is(label: &str, out_of_bounds: &[String]) -> Option<Broken> {
    match irreversible::pressed(label, out_of_bounds) {
        Reach::Irreversible(why) => {
            let detail = format!("{}: `{}` on what is pressed", why.says, why.words);
            Some(Broken { rule: "irreversible", detail: mask::line(&detail, 240) })
        }
        Reach::Revocable | Reach::Unclear(_) => None,
    }
}

/// Why the guard would hold where this call goes, if it would.
#[must_use]
pub fn outside(tool: &str, input: &Value, bounds: &Bounds) -> Option<Broken> {
    bounds.held(Asked::of_hook(tool, input))
}

/// The page that a tool reports to be on, where that is outside. Reports are the lines that browser servers write:
/// `Page URL: …`, `url: …`, `location: …`.
#[must_use]
pub fn landed(tool: &str, result: &str, bounds: &Bounds) -> Option<Broken> {
    tools::server(tool)?;
    let mut bytes = 0;
    for line in result.lines() {
        bytes += line.len();
        if bytes > 1024 * 1024 {
            break;
        }
        let line = line.trim_start_matches(['-', '*', '#', ' ', '\t', '"']);
        let Some((name, rest)) = line.split_once(':') else { continue };
        let name = name.trim_end_matches('"').to_ascii_lowercase();
        if !matches!(
            name.as_str(),
            "page url" | "url" | "final url" | "current url" | "location" | "page_url" | "finalurl"
        ) {
            continue;
        }
        let Some(url) = bounds::urls(rest).next() else { continue };
        if let Some(broken) = bounds.outside(url) {
            return Some(Broken { detail: format!("the page that it reached: {}", broken.detail), ..broken });
        }
    }
    None
}

/// What stands on the thing with this mark in a snapshot: the line that carries `ref=…` or `uid=…`.
#[must_use]
pub fn named_in<'a>(snapshot: &'a str, input: &Value) -> Option<&'a str> {
    let mark = ["ref", "uid"].iter().find_map(|key| input.get(key).and_then(Value::as_str))?;
    if mark.is_empty() || mark.len() > 64 {
        return None;
    }
    snapshot.lines().take(20_000).find(|line| {
        ["ref=", "uid="].iter().any(|key| {
            line.match_indices(key).any(|(at, _)| {
                let rest = line.get(at + key.len()..).unwrap_or_default();
                rest.strip_prefix(mark)
                    .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
            })
        })
    })
}

fn labels(input: &Value) -> Vec<&str> {
    let mut labels = Vec::new();
    let Some(fields) = input.as_object() else { return labels };
    for (key, value) in fields.iter().take(64) {
        if !LABELS.contains(&key.to_ascii_lowercase().as_str()) {
            continue;
        }
        match value {
            Value::String(text) => labels.push(text.as_str()),
            Value::Array(list) => labels.extend(list.iter().take(64).filter_map(Value::as_str)),
            _ => {}
        }
    }
    labels
}
