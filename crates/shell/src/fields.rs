//! Puts the evaluated pieces of a word together: field splitting, globs, words that vanish.

use crate::flow::MOST_VALUES;
use crate::{Span, Value, Word};

/// A part of a word after evaluation.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// typed in the text
    Text { text: String, quoted: bool, at: Option<u32> },
    /// typed, but not UTF-8
    Bytes { lead: String, quoted: bool },
    /// from an expansion
    Value { value: Value, quoted: bool },
    /// `"$@"` or `"${a[@]}"`: a word each
    Many(Vec<Value>),
}

/// Gathers pieces into words.
pub(crate) struct Fields<'a> {
    span: Span,
    ifs: Option<&'a str>,
    /// no splitting and no globs (assignments, `case`, redirect bodies)
    whole: bool,
    words: Vec<Word>,
    value: Value,
    exists: bool,
    quoted: bool,
    glob: bool,
    bracket: bool,
    split: bool,
    at: Option<u32>,
    /// bytes of values put together
    pub(crate) spent: usize,
}

impl<'a> Fields<'a> {
    /// `ifs`: the separators, if they are known.
    pub(crate) fn new(span: Span, ifs: Option<&'a str>, whole: bool) -> Self {
        Self {
            span,
            ifs,
            whole,
            words: Vec::new(),
            value: Value::Exact(String::new()),
            exists: false,
            quoted: false,
            glob: false,
            bracket: false,
            split: false,
            at: None,
            spent: 0,
        }
    }

    fn finish(&mut self) {
        if self.exists {
            let value = std::mem::replace(&mut self.value, Value::Exact(String::new()));
            let verbatim = if matches!(value, Value::Exact(_)) { self.at } else { None };
            self.words.push(Word {
                span: self.span,
                value,
                quoted: self.quoted,
                glob: self.glob,
                split: self.split,
                verbatim,
            });
        }
        self.value = Value::Exact(String::new());
        self.exists = false;
        self.glob = false;
        self.bracket = false;
        self.split = false;
        self.at = None;
    }

    /// All words; none if the word vanished.
    pub(crate) fn done(mut self) -> (Vec<Word>, usize) {
        self.finish();
        (self.words, self.spent)
    }

    /// The one word of a context that does not split.
    pub(crate) fn one(mut self) -> (Word, usize) {
        self.exists = true;
        self.finish();
        let word = self.words.pop().unwrap_or(Word {
            span: self.span,
            value: Value::Unknown,
            quoted: self.quoted,
            glob: false,
            split: false,
            verbatim: None,
        });
        (word, self.spent)
    }

    fn append(&mut self, value: Value) {
        let before = std::mem::replace(&mut self.value, Value::Unknown);
        let (value, cost) = concat(before, value);
        self.value = value;
        self.spent += cost;
    }

    /// Looks for active globs in unquoted text.
    fn globs(&mut self, text: &str) {
        let mut last = ' ';
        for c in text.chars() {
            match c {
                '*' | '?' => self.glob = true,
                '[' => self.bracket = true,
                ']' if self.bracket => self.glob = true,
                '(' if matches!(last, '@' | '+' | '!') => self.glob = true,
                _ => {}
            }
            last = c;
        }
    }

    /// One more piece.
    pub(crate) fn push(&mut self, piece: &Piece) {
        match piece {
            Piece::Text { text, quoted, at } => {
                if *quoted {
                    self.exists = true;
                    self.quoted = true;
                } else if !self.whole {
                    self.globs(text);
                }
                let empty = self.value == Value::Exact(String::new());
                if empty {
                    self.at = *at;
                } else if !text.is_empty() {
                    let next = self.at.zip(self.value.exact()).map(|(at, so_far)| at + so_far.len() as u32);
                    if next.is_none() || next != *at {
                        self.at = None;
                    }
                }
                if !text.is_empty() {
                    self.exists = true;
                    if empty {
                        self.value = Value::Exact(text.clone());
                        self.spent += text.len();
                    } else {
                        self.append(Value::Exact(text.clone()));
                    }
                }
            }
            Piece::Bytes { lead, quoted } => {
                self.exists = true;
                self.quoted |= quoted;
                self.append(Value::Exact(lead.clone()));
                self.append(Value::Unknown);
            }
            Piece::Value { value, quoted } => {
                self.at = None;
                if *quoted || self.whole {
                    self.exists = true;
                    self.quoted |= quoted;
                    self.append(value.clone());
                } else {
                    self.unquoted(value);
                }
            }
            Piece::Many(values) => {
                self.at = None;
                self.quoted = true;
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        if self.whole {
                            self.append(Value::Exact(" ".to_owned()));
                        } else {
                            self.finish();
                        }
                    }
                    self.exists = true;
                    self.append(value.clone());
                }
            }
        }
    }

    /// An unquoted expansion.
    fn unquoted(&mut self, value: &Value) {
        let Some(ifs) = self.ifs else {
            if *value != Value::Exact(String::new()) {
                self.anything();
            }
            return;
        };
        match value {
            Value::Exact(text) => self.split_text(text, ifs),
            Value::OneOf(texts) if texts.iter().all(|text| !text.is_empty() && !text.contains(|c| ifs.contains(c))) => {
                self.exists = true;
                texts.iter().for_each(|text| self.globs(text));
                self.append(value.clone());
            }
            Value::Prefix(text) => {
                let lead: String = text.chars().take_while(|c| !ifs.contains(*c)).collect();
                if lead.len() == text.len() || !lead.is_empty() {
                    self.globs(&lead);
                    self.append(Value::Prefix(lead));
                }
                self.anything();
            }
            Value::Matches(_) => {
                // a name with blanks in it becomes several words
                self.append(value.clone());
                self.exists = true;
                self.split = true;
            }
            Value::OneOf(_) | Value::Unknown => self.anything(),
        }
    }

    /// From here on the word is unknown and may be several.
    fn anything(&mut self) {
        self.append(Value::Unknown);
        self.exists = true;
        self.split = true;
    }

    fn split_text(&mut self, text: &str, ifs: &str) {
        if text.is_empty() {
            return;
        }
        if !text.contains(|c| ifs.contains(c)) {
            self.exists = true;
            self.globs(text);
            self.append(Value::Exact(text.to_owned()));
            return;
        }
        let mut field = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if !ifs.contains(c) {
                field.push(c);
                continue;
            }
            let blank = |c: char| matches!(c, ' ' | '\t' | '\n') && ifs.contains(c);
            let mut hard = !blank(c);
            while let Some(next) = chars.peek().copied() {
                if blank(next) {
                    chars.next();
                } else if !hard && ifs.contains(next) {
                    hard = true;
                    chars.next();
                } else {
                    break;
                }
            }
            if !field.is_empty() {
                self.exists = true;
                self.globs(&field);
                self.append(Value::Exact(std::mem::take(&mut field)));
            } else if hard {
                self.exists = true;
            }
            self.finish();
        }
        if !field.is_empty() {
            self.exists = true;
            self.globs(&field);
            self.append(Value::Exact(field));
        }
    }
}

/// Two values one behind the other, and how many bytes that made.
pub(crate) fn concat(a: Value, b: Value) -> (Value, usize) {
    match (a, b) {
        (Value::Exact(mut a), Value::Exact(b)) => {
            a.push_str(&b);
            (Value::Exact(a), b.len())
        }
        (Value::Exact(a), Value::Prefix(b)) => {
            let text = a + &b;
            let cost = text.len();
            (Value::Prefix(text), cost)
        }
        (Value::Exact(a) | Value::Prefix(a), Value::Unknown) if a.is_empty() => (Value::Unknown, 0),
        (Value::Exact(a), Value::Unknown) | (Value::Prefix(a), _) => (Value::Prefix(a), 0),
        (a @ (Value::Exact(_) | Value::OneOf(_)), b @ (Value::Exact(_) | Value::OneOf(_))) => {
            let (left, right) = (a.all().unwrap_or_default(), b.all().unwrap_or_default());
            if left.len().saturating_mul(right.len()) > MOST_VALUES {
                return (Value::Unknown, 0);
            }
            let all: Vec<String> = left.iter().flat_map(|x| right.iter().map(move |y| format!("{x}{y}"))).collect();
            let cost = all.iter().map(String::len).sum();
            (Value::OneOf(all), cost)
        }
        (Value::Matches(a), Value::Exact(b)) | (Value::Exact(a), Value::Matches(b)) => {
            let literal = |text: &str| !text.contains(['*', '?', '[', ']', '\\', '(', ')']);
            let text = a + &b;
            let cost = text.len();
            // at least one side was a pattern; a literal side must not add to it
            if literal(&b) || text.strip_suffix(b.as_str()).is_some_and(literal) {
                (Value::Matches(text), cost)
            } else {
                (Value::Unknown, 0)
            }
        }
        (a @ Value::Matches(_), _) if !a.prefix().is_empty() => (Value::Prefix(a.prefix().to_owned()), 0),
        (Value::OneOf(_) | Value::Matches(_) | Value::Unknown, _) => (Value::Unknown, 0),
    }
}
