//! Globs on signatures: `*` (not across `/`), `**`, `?`; every other character, brackets and braces too, is itself
//! (signatures are full of them). Work is bounded by pattern length times text length.

/// Longest pattern that matches anything, in characters.
const LONGEST: usize = 4096;

/// Whether the whole text matches.
#[must_use]
pub fn glob(pattern: &str, text: &str) -> bool {
    matches(&pieces(pattern, false), text)
}

/// The same with `*` crossing `/`.
pub(super) fn loose(pattern: &str, text: &str) -> bool {
    matches(&pieces(pattern, true), text)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Char(char),
    /// one character but `/`
    One,
    /// any number of characters but `/`
    Some,
    /// any number of characters
    Any,
}

fn pieces(pattern: &str, loose: bool) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for char in pattern.trim().chars().take(LONGEST + 1) {
        match (char, pieces.last()) {
            ('*', Some(Piece::Some)) => {
                pieces.pop();
                pieces.push(Piece::Any);
            }
            ('*', Some(Piece::Any)) => {}
            ('*', _) => pieces.push(if loose { Piece::Any } else { Piece::Some }),
            ('?', _) => pieces.push(Piece::One),
            (char, _) => pieces.push(Piece::Char(char)),
        }
    }
    pieces
}

/// Walks the text once with the set of places in the pattern that are still possible.
fn matches(pieces: &[Piece], text: &str) -> bool {
    if pieces.is_empty() || pieces.len() > LONGEST {
        return false;
    }
    let mut here = vec![false; pieces.len() + 1];
    let mut next = here.clone();
    if let Some(first) = here.first_mut() {
        *first = true;
    }
    skip_empty(pieces, &mut here);
    for char in text.chars() {
        next.fill(false);
        let mut alive = false;
        for (at, piece) in pieces.iter().enumerate() {
            if !here.get(at).copied().unwrap_or(false) {
                continue;
            }
            let to = match piece {
                Piece::Char(wanted) if *wanted == char => at + 1,
                Piece::One if char != '/' => at + 1,
                Piece::Some if char != '/' => at,
                Piece::Any => at,
                _ => continue,
            };
            if let Some(slot) = next.get_mut(to) {
                *slot = true;
                alive = true;
            }
        }
        if !alive {
            return false;
        }
        skip_empty(pieces, &mut next);
        std::mem::swap(&mut here, &mut next);
    }
    here.last().copied().unwrap_or(false)
}

/// A star may stand for nothing.
fn skip_empty(pieces: &[Piece], set: &mut [bool]) {
    for (at, piece) in pieces.iter().enumerate() {
        let star = matches!(piece, Piece::Some | Piece::Any);
        if star
            && set.get(at).copied().unwrap_or(false)
            && let Some(slot) = set.get_mut(at + 1)
        {
            *slot = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{glob, loose};

    #[test]
    fn stars_and_marks() {
        for (pattern, text, strict, wide) in [
            ("git status", "git status", true, true),
            ("git *", "git status", true, true),
            ("git *", "git", false, false),
            ("ls a/*", "ls a/b", true, true),
            ("ls a/*", "ls a/b/c", false, true),
            ("ls a/**", "ls a/b/c", true, true),
            ("ls ?", "ls /", false, false),
            ("ls ?", "ls é", true, true),
            ("Read(<path>)", "Read(<path>)", true, true),
            ("t([<n>,*])", "t([<n>,<text>])", true, true),
            ("*", "", true, true),
            ("", "", false, false),
            ("a*b*c", "axxbxxc", true, true),
            ("a*b*c", "axxbxx", false, false),
        ] {
            assert_eq!(glob(pattern, text), strict, "{pattern} on {text}");
            assert_eq!(loose(pattern, text), wide, "{pattern} loosely on {text}");
        }
    }

    #[test]
    fn a_pattern_without_end_matches_nothing() {
        assert!(!glob(&"*a".repeat(4000), &"a".repeat(4000)));
    }
}
