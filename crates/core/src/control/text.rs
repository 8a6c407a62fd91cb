//! Off-switches in plain text: in an `echo`, a here-document, a filter of `jq`, a file that does not parse. The name of
//! the switch and its value must stand together, so that talk about it is none.

use super::RECORDS;
use super::content::is_on;
use super::table::Form;

/// How far behind a switch its value may stand.
const REACH: usize = 32;
/// How far before `hooks = false` its section may stand.
const SECTION: usize = 400;

/// Whether text switches an agent's hooks off where it becomes a settings file or a change of one (in words).
#[must_use]
pub fn text_disarms(text: &str) -> Option<String> {
    let switches = RECORDS
        .iter()
        .flat_map(|record| record.off_switches)
        .filter(|switch| switch.form == Form::Setting && switch.hooks);
    for switch in switches {
        let (section, last) = switch.name.rsplit_once('.').map_or(("", switch.name), |(section, last)| (section, last));
        let first = section.split('.').next().unwrap_or_default();
        for (at, _) in text.match_indices(last) {
            let after = text.get(at + last.len()..).unwrap_or_default();
            let before = text.get(..at).unwrap_or_default();
            if before.chars().next_back().is_some_and(|letter| letter.is_alphanumeric() || letter == '_') {
                continue;
            }
            let near = first.is_empty() || tail(before, SECTION).contains(first);
            if near && value(after).is_some_and(|value| is_on(switch.is, &value)) {
                return Some(format!("sets `{}`, which switches hooks off", switch.name));
            }
        }
    }
    None
}

/// The last bytes, from a whole character on.
fn tail(text: &str, most: usize) -> &str {
    let from = (text.len().saturating_sub(most)..=text.len()).find(|at| text.is_char_boundary(*at));
    text.get(from.unwrap_or_default()..).unwrap_or_default()
}

/// The word after a key: past quotes, escapes, brackets and the signs that assign.
fn value(after: &str) -> Option<String> {
    let skipped = |letter: &char| {
        matches!(letter, '"' | '\'' | '\\' | ' ' | '\t' | '\n' | '\r' | ':' | '=' | '|' | '[' | ']' | ',' | '`')
    };
    let mut letters = after.chars().take(REACH).skip_while(skipped).peekable();
    let assigned = after.chars().take(REACH).take_while(skipped).any(|letter| matches!(letter, ':' | '=' | ','));
    let word: String =
        std::iter::from_fn(|| letters.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '_')).collect();
    (assigned && !word.is_empty()).then(|| word.to_ascii_lowercase())
}
