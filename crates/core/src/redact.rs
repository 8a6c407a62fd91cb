//! Takes secrets out of everything that is stored or shown, and makes text safe to show.
//!
//! Hand scanners, each linear, over the original text: shapes of known tokens first, then the places where a secret
//! stands (URLs, headers, flags, assignments), last what is too random to be words. Overlaps are joined, the more telling
//! label stays. Best effort by nature: a weak password in an unremarkable place is not recognised.

mod entropy;
mod flags;
mod named;
mod plain;
mod token;
mod url;

pub use plain::plain;

/// A part of the text that is a secret.
#[derive(Clone, Copy, Debug)]
struct Find {
    from: usize,
    to: usize,
    label: &'static str,
}

const OPEN: &str = "«redacted:";

/// `text` with every recognised secret replaced by `«redacted:label»`.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut finds = Vec::new();
    for scan in [token::scan, url::scan, flags::scan, named::scan, entropy::scan] {
        scan(text, &mut finds);
    }
    finds.retain(|find| find.from < find.to && text.get(find.from..find.to).is_some_and(|part| !part.contains(OPEN)));
    // stable: scanners that know more come first and keep their label
    finds.sort_by_key(|find| find.from);
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    let mut pending: Option<Find> = None;
    for find in finds {
        match &mut pending {
            Some(open) if find.from < open.to => open.to = open.to.max(find.to),
            _ => {
                at = flush(text, &mut clean, at, pending.take());
                pending = Some(find);
            }
        }
    }
    at = flush(text, &mut clean, at, pending);
    clean.push_str(text.get(at..).unwrap_or_default());
    clean
}

/// Whether a text holds a token of a known shape, or a password before a host.
#[must_use]
pub fn holds_token(text: &str) -> bool {
    let mut finds = Vec::new();
    token::scan(text, &mut finds);
    url::scan(text, &mut finds);
    !finds.is_empty()
}

fn flush(text: &str, clean: &mut String, at: usize, find: Option<Find>) -> usize {
    let Some(find) = find else { return at };
    clean.push_str(text.get(at..find.from).unwrap_or_default());
    clean.push_str(OPEN);
    clean.push_str(find.label);
    clean.push('»');
    find.to
}

/// How many bytes from here on the predicate holds.
fn run(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !holds(letter)).unwrap_or(text.len())
}

/// A value that stands for another: a variable, a placeholder, a word of a language.
fn stands_for_other(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'', '\\', '`']);
    let lower = value.to_ascii_lowercase();
    value.is_empty()
        || value.starts_with(['$', '<', '%', '{', '[', '(', '@'])
        || value.contains("${")
        || value.contains(OPEN)
        || lower.starts_with("process.env")
        || lower.starts_with("os.environ")
        || lower.starts_with("secrets.")
        || lower.starts_with("env.")
        || lower.chars().all(|letter| matches!(letter, 'x' | '*' | '.' | '-' | '_'))
        || matches!(
            lower.as_str(),
            "true"
                | "false"
                | "null"
                | "none"
                | "nil"
                | "undefined"
                | "string"
                | "str"
                | "yes"
                | "no"
                | "0"
                | "1"
                | "required"
                | "optional"
        )
}
