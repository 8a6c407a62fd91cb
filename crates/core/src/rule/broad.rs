//! Whether an allow rule would cover more than its author is likely to mean.

use super::{EXACT, glob};
use crate::signature;

/// Why a pattern is too broad, and what would do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broad {
    /// in words
    pub why: String,
    /// a narrower pattern that was seen
    pub narrower: Option<String>,
}

/// Fewest characters of a pattern with a wildcard.
const SHORTEST: usize = 4;
/// From this tier on nothing is allowed by a wildcard.
const HEAVY: u8 = 3;

/// Judges the pattern of an allow rule against the signatures seen in the project. Exact text covers what it says and
/// nothing else, so only patterns with a wildcard are held.
#[must_use]
pub fn too_broad(pattern: &str, seen: &[&str]) -> Option<Broad> {
    let pattern = pattern.trim();
    if pattern.is_empty() {
        return Some(Broad { why: String::from("an empty pattern covers nothing"), narrower: None });
    }
    if pattern.starts_with(EXACT) || !pattern.contains(['*', '?']) {
        return None;
    }
    let nearest = || nearest(pattern, seen).map(|signature| signature::body(signature).to_owned());
    if pattern.starts_with('*') {
        return Some(Broad { why: format!("`{pattern}` covers any program"), narrower: nearest() });
    }
    if pattern.chars().count() < SHORTEST {
        let why = format!("`{pattern}` is shorter than {SHORTEST} characters");
        return Some(Broad { why, narrower: nearest() });
    }
    let covered: Vec<&str> = seen
        .iter()
        .copied()
        .filter(|signature| glob(pattern, signature::body(signature)) || glob(pattern, signature))
        .collect();
    if covered.is_empty() {
        return Some(Broad { why: format!("`{pattern}` matches nothing seen in this project"), narrower: nearest() });
    }
    let heavy = covered.iter().find(|signature| signature::tier(signature).is_none_or(|tier| tier >= HEAVY))?;
    let light = covered.iter().find(|signature| signature::tier(signature).is_some_and(|tier| tier < HEAVY));
    Some(Broad {
        why: format!("`{pattern}` covers `{}`, where too much is at stake for a wildcard", signature::body(heavy)),
        narrower: light.map(|signature| signature::body(signature).to_owned()),
    })
}

/// The signature that shares the longest beginning with the pattern's fixed part.
fn nearest<'a>(pattern: &str, seen: &[&'a str]) -> Option<&'a str> {
    let fixed = pattern.split(['*', '?']).find(|part| !part.is_empty())?;
    seen.iter()
        .copied()
        .map(|signature| {
            let shared = signature.chars().zip(fixed.chars()).take_while(|(a, b)| a == b).count();
            (shared, signature)
        })
        .filter(|(shared, _)| *shared > 0)
        .max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, signature)| signature)
}

#[cfg(test)]
mod tests {
    use super::too_broad;

    const SEEN: &[&str] = &[
        "git status @exec.vcs.read/1000",
        "git push origin <dynamic> @exec.vcs.publish/4202",
        "npm test @exec.test/1101",
    ];

    #[test]
    fn wildcards_are_held_and_exact_text_is_not() {
        for (pattern, broad) in [
            ("git status", false),
            ("ls", false),
            ("= rm -rf *", false),
            ("git *", true),
            ("git st*", false),
            ("npm *", false),
            ("*", true),
            ("*git status", true),
            ("n*", true),
            ("cargo *", true),
            ("", true),
        ] {
            assert_eq!(too_broad(pattern, SEEN).is_some(), broad, "{pattern}");
        }
    }

    #[test]
    fn a_narrower_pattern_is_offered() {
        assert_eq!(too_broad("git *", SEEN).unwrap().narrower.as_deref(), Some("git status"));
        assert_eq!(too_broad("npx *", SEEN).unwrap().narrower.as_deref(), Some("npm test"));
    }
}
