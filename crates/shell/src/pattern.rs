//! A small matcher for the patterns of `${v#…}`, `${v%…}` and `${v/…}`: plain text, `*` and `?`.

/// Whether the pattern holds only what this matcher knows.
pub(crate) fn is_simple(pattern: &str) -> bool {
    !pattern.contains(['[', '(', '\\', '\u{0}'])
}

/// Whether the whole text matches. Work is at most text × pattern; callers bound both.
pub(crate) fn matches(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || Some(c) == text.get(t) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    p = at + 1;
                    t = from + 1;
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

/// Length in characters of the prefix that is removed, shortest or longest.
pub(crate) fn prefix(pattern: &[char], text: &[char], longest: bool) -> Option<usize> {
    let fits = |len: &usize| matches(pattern, text.get(..*len).unwrap_or_default());
    if longest {
        (0..=text.len()).rev().find(fits)
    } else {
        (0..=text.len()).find(fits)
    }
}

/// Where the suffix that is removed begins, shortest or longest.
pub(crate) fn suffix(pattern: &[char], text: &[char], longest: bool) -> Option<usize> {
    let fits = |at: &usize| matches(pattern, text.get(*at..).unwrap_or_default());
    if longest {
        (0..=text.len()).find(fits)
    } else {
        (0..=text.len()).rev().find(fits)
    }
}
