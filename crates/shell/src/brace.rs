//! Brace expansion: `{a,b}` and `{1..5}` into several words, bounded.

/// A word before brace expansion: unquoted bytes, and pieces that braces do not look into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tok {
    Byte(u8),
    Atom(usize),
}

/// Most words that one word becomes.
pub(crate) const MOST_WORDS: usize = 64;
/// Most braces within braces.
const DEEPEST: usize = 16;

#[derive(Clone, Debug)]
enum Item {
    One(Tok),
    Choice(Vec<Vec<Item>>),
    Range(Vec<Vec<u8>>),
}

/// What a word becomes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expanded {
    /// the word has no braces that expand
    Same,
    /// these words
    Words(Vec<Vec<Tok>>),
    /// too many, each beginning with this
    TooMany(Vec<Tok>),
}

/// Expands the braces of one word.
pub(crate) fn expand(toks: &[Tok]) -> Expanded {
    let Some(pairs) = pairs(toks) else {
        return Expanded::Same;
    };
    let mut items = Vec::new();
    let whole = build(toks, 0, toks.len(), &pairs, 0, &mut items);
    if !items.iter().any(|item| !matches!(item, Item::One(_))) && whole {
        return Expanded::Same;
    }
    let lead: Vec<Tok> = items
        .iter()
        .map_while(|item| {
            if let Item::One(tok) = item {
                Some(*tok)
            } else {
                None
            }
        })
        .collect();
    if !whole {
        return Expanded::TooMany(lead);
    }
    match product(&items) {
        Some(words) => Expanded::Words(words),
        None => Expanded::TooMany(lead),
    }
}

/// For every `{` that closes and expands: where its `}` stands.
fn pairs(toks: &[Tok]) -> Option<Vec<Option<usize>>> {
    let mut open: Vec<usize> = Vec::new();
    let mut close = vec![None; toks.len()];
    let mut any = false;
    for (index, tok) in toks.iter().enumerate() {
        match tok {
            Tok::Byte(b'{') => open.push(index),
            Tok::Byte(b'}') => {
                if let Some(start) = open.pop()
                    && let Some(slot) = close.get_mut(start)
                {
                    *slot = Some(index);
                    any = true;
                }
            }
            _ => {}
        }
    }
    any.then_some(close)
}

/// Turns a range of tokens into items; false if the nesting is too deep.
fn build(
    toks: &[Tok],
    from: usize,
    to: usize,
    pairs: &[Option<usize>],
    depth: usize,
    items: &mut Vec<Item>,
) -> bool {
    if depth > DEEPEST {
        return false;
    }
    let mut index = from;
    while index < to {
        let Some(tok) = toks.get(index).copied() else {
            break;
        };
        let close = if tok == Tok::Byte(b'{') {
            pairs.get(index).copied().flatten()
        } else {
            None
        };
        let Some(close) = close.filter(|close| *close < to) else {
            items.push(Item::One(tok));
            index += 1;
            continue;
        };
        let commas = commas(toks, index + 1, close, pairs);
        if commas.is_empty() {
            if let Some(range) = range(toks.get(index + 1..close).unwrap_or_default()) {
                match range {
                    Some(words) => items.push(Item::Range(words)),
                    None => return false,
                }
                index = close + 1;
                continue;
            }
            // literal braces; what is inside may still expand
            items.push(Item::One(tok));
            index += 1;
            continue;
        }
        let mut choices = Vec::new();
        let mut start = index + 1;
        for end in commas.into_iter().chain([close]) {
            let mut choice = Vec::new();
            if !build(toks, start, end, pairs, depth + 1, &mut choice) {
                return false;
            }
            choices.push(choice);
            start = end + 1;
        }
        items.push(Item::Choice(choices));
        index = close + 1;
    }
    true
}

/// Where the commas between a pair of braces stand that belong to it.
fn commas(toks: &[Tok], from: usize, to: usize, pairs: &[Option<usize>]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut index = from;
    while index < to {
        match toks.get(index) {
            Some(Tok::Byte(b'{')) => {
                if let Some(close) = pairs.get(index).copied().flatten() {
                    index = close;
                }
            }
            Some(Tok::Byte(b',')) => found.push(index),
            _ => {}
        }
        index += 1;
    }
    found
}

/// `1..5`, `a..e`, `01..10..2`: none if it is no range, none inside if it is too long or too odd.
fn range(toks: &[Tok]) -> Option<Option<Vec<Vec<u8>>>> {
    let mut text = String::new();
    for tok in toks {
        match tok {
            Tok::Byte(c) if c.is_ascii_graphic() => text.push(char::from(*c)),
            _ => return None,
        }
    }
    let mut fields = text.split("..");
    let (low, high, step) = (fields.next()?, fields.next()?, fields.next());
    if fields.next().is_some() {
        return None;
    }
    let step = match step {
        Some(text) => text.parse::<i64>().ok()?,
        None => 1,
    };
    let step = if step == 0 { 1 } else { step.checked_abs()? };
    if let (Ok(from), Ok(to)) = (low.parse::<i64>(), high.parse::<i64>()) {
        let padded = |text: &str| {
            let digits = text.trim_start_matches(['-', '+']);
            digits.len() > 1 && digits.starts_with('0')
        };
        let width = if padded(low) || padded(high) {
            low.len().max(high.len())
        } else {
            0
        };
        return Some(count(from, to, step).map(|numbers| {
            numbers
                .into_iter()
                .map(|number| format!("{number:0width$}").into_bytes())
                .collect()
        }));
    }
    let single = |text: &str| match text.as_bytes() {
        [c] if c.is_ascii_alphabetic() => Some(i64::from(*c)),
        _ => None,
    };
    let (from, to) = (single(low)?, single(high)?);
    let letters = count(from, to, step)?;
    let bytes: Vec<u8> = letters
        .iter()
        .filter_map(|letter| u8::try_from(*letter).ok())
        .collect();
    Some(
        bytes
            .iter()
            .all(u8::is_ascii_alphabetic)
            .then(|| bytes.iter().map(|c| vec![*c]).collect()),
    )
}

fn count(from: i64, to: i64, step: i64) -> Option<Vec<i64>> {
    let distance = from.abs_diff(to) / step.unsigned_abs().max(1);
    if distance >= MOST_WORDS as u64 {
        return None;
    }
    let distance = i64::try_from(distance).ok()?;
    (0..=distance)
        .map(|n| {
            if from <= to {
                from.checked_add(n * step)
            } else {
                from.checked_sub(n * step)
            }
        })
        .collect()
}

/// Every combination, left to right; none if there are too many.
fn product(items: &[Item]) -> Option<Vec<Vec<Tok>>> {
    let mut words: Vec<Vec<Tok>> = vec![Vec::new()];
    for item in items {
        match item {
            Item::One(tok) => words.iter_mut().for_each(|word| word.push(*tok)),
            Item::Range(choices) => {
                let choices: Vec<Vec<Tok>> = choices
                    .iter()
                    .map(|text| text.iter().map(|c| Tok::Byte(*c)).collect())
                    .collect();
                words = times(&words, &choices)?;
            }
            Item::Choice(choices) => {
                let mut flat = Vec::new();
                for choice in choices {
                    flat.extend(product(choice)?);
                    if flat.len() > MOST_WORDS {
                        return None;
                    }
                }
                words = times(&words, &flat)?;
            }
        }
    }
    Some(words)
}

fn times(words: &[Vec<Tok>], choices: &[Vec<Tok>]) -> Option<Vec<Vec<Tok>>> {
    if words.len().saturating_mul(choices.len()) > MOST_WORDS {
        return None;
    }
    Some(
        words
            .iter()
            .flat_map(|word| {
                choices
                    .iter()
                    .map(move |choice| [word.as_slice(), choice.as_slice()].concat())
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let toks: Vec<Tok> = text.bytes().map(Tok::Byte).collect();
        match expand(&toks) {
            Expanded::Same => vec![text.to_owned()],
            Expanded::TooMany(_) => vec!["too many".to_owned()],
            Expanded::Words(words) => words
                .into_iter()
                .map(|word| {
                    word.into_iter()
                        .map(|tok| {
                            if let Tok::Byte(c) = tok {
                                char::from(c)
                            } else {
                                '?'
                            }
                        })
                        .collect()
                })
                .collect(),
        }
    }

    #[test]
    fn as_bash_does() {
        for (text, want) in [
            ("a{b,c}d", "abd acd"),
            ("{a,b}{1..3}", "a1 a2 a3 b1 b2 b3"),
            ("{a}", "{a}"),
            ("{}", "{}"),
            ("{{a,b}}", "{a} {b}"),
            ("{a,{b,c}}", "a b c"),
            ("{a,b}}", "a} b}"),
            ("{a,{b,c}", "{a,b {a,c"),
            ("a{,b}", "a ab"),
            ("{3..1}", "3 2 1"),
            ("{01..3}", "01 02 03"),
            ("{a..e..2}", "a c e"),
            ("{1..10..4}", "1 5 9"),
            ("{1..1000}", "too many"),
            ("x{a..}", "x{a..}"),
        ] {
            assert_eq!(words(text).join(" "), want, "{text}");
        }
    }
}
