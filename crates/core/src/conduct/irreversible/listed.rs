//! The flow's own list of what is out of bounds, item by item: every word of an item that says something must stand in
//! the clause, in any of its endings.

use super::super::table::LANGUAGES;
use super::super::words::{any, clauses, stem};
use super::{Reach, Why};

/// Words that say nothing about what is kept out.
const EMPTY: &[&str] = &[
    "the",
    "a",
    "an",
    "any",
    "all",
    "of",
    "for",
    "to",
    "in",
    "on",
    "with",
    "that",
    "this",
    "is",
    "are",
    "be",
    "it",
    "no",
    "not",
    "never",
    "do",
    "dont",
    "always",
    "real",
    "actual",
    "other",
    "anything",
    "everything",
    "user",
    "users",
    "kind",
    "your",
    "my",
    "our",
    "their",
    "by",
    "from",
    "at",
    "as",
    "out",
    "bounds",
];

/// Looks rather than acts, where a topic follows.
const LOOKS: &[&str] =
    &["read", "look", "view", "check", "see", "open", "find", "compare", "review", "browse", "scroll"];

/// Whether an item of the list stands in this clause.
pub(super) fn kept_out(clause: &[String], items: &[String]) -> Reach {
    for item in items {
        for wanted in alternatives(item) {
            if let Some(at) = stands(&wanted, clause) {
                let found = clause.get(at).cloned().unwrap_or_default();
                return Reach::Irreversible(Why {
                    class: "out-of-bounds",
                    says: format!("the flow keeps `{}` out of bounds", item.trim()),
                    words: found,
                });
            }
        }
    }
    Reach::Revocable
}

/// The sets of word stems that an item names: `Payments and refunds` are two.
fn alternatives(item: &str) -> Vec<Vec<String>> {
    let mut sets = Vec::new();
    for clause in clauses(&item.replace(['/', '(', ')'], ",")) {
        for part in clause.split(|word| matches!(word.as_str(), "and" | "or")) {
            let words = part.iter().filter(|word| !EMPTY.contains(&word.as_str()));
            let set: Vec<String> = words.map(|word| stem(word).to_owned()).collect();
            if !set.is_empty() {
                sets.push(set);
            }
        }
    }
    sets
}

fn stands(wanted: &[String], clause: &[String]) -> Option<usize> {
    let places: Option<Vec<usize>> =
        wanted.iter().map(|want| clause.iter().position(|word| stem(word) == want.as_str())).collect();
    let places = places?;
    let (first, last) = (*places.iter().min()?, *places.iter().max()?);
    let english = LANGUAGES.iter().find(|language| language.id == "en")?;
    let ahead = clause.get(..first).unwrap_or_default();
    let negated = ahead.iter().rposition(|word| any(english.not, word)).filter(|not| first - not <= 6);
    let undone = negated.is_some_and(|not| clause.iter().skip(not + 1).any(|word| any(english.undo, word)));
    let looks = ahead.iter().any(|word| LOOKS.contains(&word.as_str()))
        && clause.get(last + 1).is_some_and(|word| any(english.topic, word));
    (!looks && (negated.is_none() || undone)).then_some(first)
}
