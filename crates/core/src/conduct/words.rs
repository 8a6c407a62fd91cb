//! Text as words: lower case, without the marks on Latin letters, without apostrophes and invisible letters, in clauses.
//! One pass, no allocation per letter; what is longer than any sentence is cut, and says so.

/// Letters of an action that are read; a longer one is not understood.
pub const MOST: usize = 8 * 1024;

/// The words of a text, in clauses.
#[must_use]
pub fn clauses(text: &str) -> Vec<Vec<String>> {
    let mut clauses = Vec::new();
    let mut clause = Vec::new();
    let mut word = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        match kind(letter) {
            Kind::Letter => push_folded(&mut word, letter),
            Kind::Nothing => {}
            Kind::Gap => end(&mut word, &mut clause),
            Kind::Stop => {
                end(&mut word, &mut clause);
                if !clause.is_empty() {
                    clauses.push(std::mem::take(&mut clause));
                }
            }
        }
    }
    end(&mut word, &mut clause);
    if !clause.is_empty() {
        clauses.push(clause);
    }
    clauses
}

/// The text as it is searched where a language has no blanks: lower case, invisible letters gone.
#[must_use]
pub fn joined(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).filter(|letter| !matches!(kind(*letter), Kind::Nothing)).collect()
}

/// Whether a word of a table, perhaps with `*` at its end, is this word.
#[must_use]
pub fn is(entry: &str, word: &str) -> bool {
    match entry.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => entry == word,
    }
}

/// Whether the word is in the list.
#[must_use]
pub fn any(list: &[&str], word: &str) -> bool {
    list.iter().any(|entry| is(entry, word))
}

/// A word without its English ending: `payments`, `paying` and `pay` are one.
#[must_use]
pub fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 14] =
        ["ments", "ment", "ations", "ation", "ings", "ing", "ions", "ion", "ers", "ies", "er", "ed", "es", "s"];
    let mut stem = word;
    if word.is_ascii() {
        for ending in ENDINGS {
            if let Some(front) = word.strip_suffix(ending).filter(|front| front.len() >= 3) {
                stem = front;
                break;
            }
        }
        stem = stem.strip_suffix(['e', 'y']).filter(|front| front.len() >= 3).unwrap_or(stem);
        let twin = stem.as_bytes().last_chunk::<2>().is_some_and(|[a, b]| a == b);
        if twin && stem.len() > 3 {
            stem = stem.get(..stem.len() - 1).unwrap_or(stem);
        }
    }
    stem
}

enum Kind {
    Letter,
    /// leaves no trace: apostrophes, invisible letters, combining marks
    Nothing,
    Gap,
    Stop,
}

fn kind(letter: char) -> Kind {
    match letter {
        '\'' | '’' | '‘' | '`' | '´' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => {
            Kind::Nothing
        }
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}' => Kind::Nothing,
        '.' | '!' | '?' | ';' | ':' | ',' | '\n' | '\r' | '…' | '。' | '！' | '？' | '；' | '，' | '、' => {
            Kind::Stop
        }
        letter if letter.is_alphanumeric() => Kind::Letter,
        _ => Kind::Gap,
    }
}

fn end(word: &mut String, clause: &mut Vec<String>) {
    if !word.is_empty() {
        clause.push(std::mem::take(word));
    }
}

fn push_folded(word: &mut String, letter: char) {
    let plain = match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' | 'ı' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ł' => 'l',
        'ś' | 'š' | 'ş' => 's',
        'ź' | 'ż' | 'ž' => 'z',
        'ğ' => 'g',
        'ё' => 'е',
        // full-width letters of the compatibility block
        '\u{ff41}'..='\u{ff5a}' => char::from_u32(letter as u32 - 0xff41 + 0x61).unwrap_or(letter),
        'ß' => {
            word.push_str("ss");
            return;
        }
        other => other,
    };
    word.push(plain);
}
