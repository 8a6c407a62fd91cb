//! Globs over one name, by hand: linear in name times pattern, nothing to compile, nothing that can fail.

/// Whether `pattern` (`*`, `?`, `[a-z]`, `\x`) stands for `name`. A bracket that never closes stands for itself.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let pattern = tokens(pattern);
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut on) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), name.get(on)) {
            (Some(Token::Star), _) => {
                star = Some((at, on));
                at += 1;
            }
            (Some(token), Some(letter)) if token.takes(*letter) => {
                at += 1;
                on += 1;
            }
            (None, None) => return true,
            _ => match star {
                Some((from, taken)) if taken < name.len() => {
                    star = Some((from, taken + 1));
                    at = from + 1;
                    on = taken + 1;
                }
                _ => return false,
            },
        }
    }
}

/// Whether a word holds an unescaped glob character.
pub(crate) fn is_glob(word: &str) -> bool {
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '*' | '?' | '[' => return true,
            _ => {}
        }
    }
    false
}

/// How many characters it names outright, a bracket counted as one.
pub(crate) fn literal(pattern: &str) -> usize {
    tokens(pattern).iter().filter(|token| matches!(token, Token::Letter(_) | Token::Class { .. })).count()
}

enum Token {
    Star,
    Any,
    Letter(char),
    Class { not: bool, ranges: Vec<(char, char)> },
}

impl Token {
    fn takes(&self, letter: char) -> bool {
        match self {
            Self::Star => false,
            Self::Any => true,
            Self::Letter(own) => *own == letter,
            Self::Class { not, ranges } => ranges.iter().any(|(low, high)| (*low..=*high).contains(&letter)) != *not,
        }
    }
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        tokens.push(match letter {
            '*' if matches!(tokens.last(), Some(Token::Star)) => continue,
            '*' => Token::Star,
            '?' => Token::Any,
            '\\' => Token::Letter(letters.next().unwrap_or('\\')),
            '[' => match class(letters.as_str()) {
                Some((token, rest)) => {
                    letters = rest.chars();
                    token
                }
                None => Token::Letter('['),
            },
            _ => Token::Letter(letter),
        });
    }
    tokens
}

/// Longest bracket that is read; a longer one is taken for letters, so that many open brackets stay linear.
const LONGEST: usize = 128;

fn class(text: &str) -> Option<(Token, &str)> {
    let mut letters = text.chars().peekable();
    let not = letters.next_if(|letter| matches!(letter, '!' | '^')).is_some();
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut used = usize::from(not);
    while let Some(letter) = letters.next() {
        used += letter.len_utf8();
        if letter == ']' && !ranges.is_empty() {
            return Some((Token::Class { not, ranges }, text.get(used..)?));
        }
        if used > LONGEST {
            return None;
        }
        if letter == '[' && letters.peek() == Some(&':') {
            // `[:alpha:]` and its like: whatever it is, it may be any letter
            let rest = text.get(used..)?;
            let end = rest.get(..LONGEST.min(rest.len())).and_then(|rest| rest.find(":]"))?;
            let after = rest.get(end + 2..)?;
            ranges.push(('\0', char::MAX));
            used += end + 2;
            letters = after.chars().peekable();
            continue;
        }
        let mut ahead = letters.clone();
        let dash = ahead.next() == Some('-');
        if let Some(high) = ahead.next().filter(|high| dash && *high != ']') {
            used += 1 + high.len_utf8();
            ranges.push((letter, high));
            letters = ahead;
            continue;
        }
        ranges.push((letter, letter));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{is_glob, matches};

    #[test]
    fn names() {
        for (pattern, yes, no) in [
            ("*.pem", "a.pem", "a.pem2"),
            ("id_*", "id_rsa", "xid_rsa"),
            ("a?c", "abc", "ac"),
            ("[a-c]x", "bx", "dx"),
            ("[!a-c]x", "dx", "bx"),
            ("[]]x", "]x", "ax"),
            ("\\*x", "*x", "ax"),
            ("[[:alpha:]]x", "qx", "x"),
            ("*a*b*", "xxaxxbxx", "xxbxxa"),
            ("[ab", "[ab", "a"),
            ("", "", "x"),
            ("**", "anything", "\u{0}\u{0}never"),
        ] {
            assert!(matches(pattern, yes), "{pattern} {yes}");
            assert!(pattern == "**" || !matches(pattern, no), "{pattern} {no}");
        }
        assert!(!matches(&"*a".repeat(2000), &"a".repeat(1999)), "linear in both, not exponential");
        assert!(is_glob("a*") && !is_glob("a\\*") && !is_glob("a"));
    }
}
