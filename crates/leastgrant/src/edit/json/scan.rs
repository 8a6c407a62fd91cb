//! Text → values with their places. Total: bounded nesting, one pass, no panic.

use std::collections::HashMap;
use std::ops::Range;

use super::Reading;
use super::refusal::{Fault, Refusal};
use super::splice::Step;

const MAX_DEPTH: usize = 128;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// bytes of the value, brackets and quotes included
    pub span: Range<usize>,
    /// what it is
    pub kind: Kind,
}

/// What a value is. Numbers keep their spelling in the text only.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// members in their order
    Object(Vec<Member>),
    /// elements
    Array(Vec<Node>),
    /// a string, escapes resolved
    String(String),
    /// a number
    Number,
    /// true or false
    Bool(bool),
    /// null
    Null,
}

/// One member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// the key, escapes resolved
    pub key: String,
    /// where the key stands, quotes included
    pub key_span: Range<usize>,
    /// its value
    pub value: Node,
}

impl Node {
    /// One step down.
    #[must_use]
    pub fn step(&self, step: Step<'_>) -> Option<&Self> {
        match (&self.kind, step) {
            (Kind::Object(members), Step::Key(key)) => {
                members.iter().find(|member| member.key == key).map(|m| &m.value)
            }
            (Kind::Array(elements), Step::Index(index)) => elements.get(index),
            _ => None,
        }
    }

    /// The member with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.step(Step::Key(key))
    }

    /// The members, none for anything but an object.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        if let Kind::Object(members) = &self.kind { members } else { &[] }
    }

    /// The elements, none for anything but an array.
    #[must_use]
    pub fn elements(&self) -> &[Self] {
        if let Kind::Array(elements) = &self.kind { elements } else { &[] }
    }

    /// The text of a string.
    #[must_use]
    pub fn str(&self) -> Option<&str> {
        if let Kind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// Whether it is `true`.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.kind == Kind::Bool(true)
    }

    /// What kind of value it is, in a word.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self.kind {
            Kind::Object(_) => "an object",
            Kind::Array(_) => "an array",
            Kind::String(_) => "a string",
            Kind::Number => "a number",
            Kind::Bool(_) => "true or false",
            Kind::Null => "null",
        }
    }
}

/// What a lenient reading found besides the values.
#[derive(Debug, Default)]
pub(super) struct Extras {
    pub(super) comments: Vec<Range<usize>>,
    pub(super) trailing_commas: Vec<usize>,
}

pub(super) fn strict(text: &str) -> Result<Node, Refusal> {
    Scanner::run(text, None).map(|(node, _)| node)
}

/// The value and the comments, as far as this reading takes them.
pub(super) fn read(text: &str, reading: Reading) -> Result<(Node, Vec<Range<usize>>), Refusal> {
    if reading == Reading::Strict {
        return strict(text).map(|node| (node, Vec::new()));
    }
    let (node, extras) = Scanner::run(text, Some(Extras::default()))?;
    let extras = extras.unwrap_or_default();
    match extras.trailing_commas.first() {
        Some(at) if reading == Reading::Comments => {
            let said = String::from("a comma before the closing bracket");
            Err(Refusal::new(Fault::TrailingComma, text, *at, said))
        }
        _ => Ok((node, extras.comments)),
    }
}

pub(super) fn lenient(text: &str) -> Result<Extras, Refusal> {
    Scanner::run(text, Some(Extras::default())).map(|(_, extras)| extras.unwrap_or_default())
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    extras: Option<Extras>,
}

type Scanned<T> = Result<T, Refusal>;

impl<'t> Scanner<'t> {
    fn run(text: &'t str, extras: Option<Extras>) -> Scanned<(Node, Option<Extras>)> {
        let mut scanner = Self { text, bytes: text.as_bytes(), at: 0, extras };
        scanner.blank()?;
        let node = scanner.value(0)?;
        scanner.blank()?;
        if scanner.at < scanner.bytes.len() {
            return Err(scanner.broken("the end of the file"));
        }
        Ok((node, scanner.extras))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn refuse(&self, fault: Fault, at: usize, text: impl Into<String>) -> Refusal {
        Refusal::new(fault, self.text, at, text.into())
    }

    fn broken(&self, what: &str) -> Refusal {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) if !found.is_control() => format!("`{found}` in place of {what}"),
            Some(found) => format!("`{}` in place of {what}", found.escape_default()),
            None => format!("the file ends here, in place of {what}"),
        };
        self.refuse(Fault::Broken, self.at, found)
    }

    /// Blanks and, in a lenient reading, comments.
    fn blank(&mut self) -> Scanned<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Scanned<()> {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        let length = if rest.starts_with("//") {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            let Some(end) = rest.find("*/") else {
                return Err(self.refuse(Fault::Broken, start, "a comment that never ends"));
            };
            // `/*/` opens a comment and does not close it
            let end =
                if end < 2 { rest.get(2..).and_then(|tail| tail.find("*/")).map(|end| end + 2) } else { Some(end) };
            let Some(end) = end else {
                return Err(self.refuse(Fault::Broken, start, "a comment that never ends"));
            };
            end + 2
        } else {
            return Err(self.broken("a value or a closing bracket"));
        };
        let Some(extras) = &mut self.extras else {
            return Err(self.refuse(Fault::Comment, start, "a comment"));
        };
        extras.comments.push(start..start + length);
        self.at = start + length;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Scanned<Node> {
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err(self.refuse(Fault::TooDeep, start, format!("nested deeper than {MAX_DEPTH}")));
        }
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => return Err(self.broken("a value")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn word(&mut self, word: &str, kind: Kind) -> Scanned<Kind> {
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            Ok(kind)
        } else {
            Err(self.broken("a value"))
        }
    }

    fn object(&mut self, depth: usize) -> Scanned<Kind> {
        let mut members: Vec<Member> = Vec::new();
        let mut seen: HashMap<String, usize> = HashMap::new();
        self.at += 1;
        self.blank()?;
        while self.peek() != Some(b'}') {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.broken("a key in double quotes"));
            }
            let key = self.string()?;
            let key_span = start..self.at;
            if let Some(first) = seen.insert(key.clone(), start) {
                let (line, _) = super::refusal::place(self.text, first);
                return Err(self.refuse(
                    Fault::DuplicateKey,
                    start,
                    format!("the key `{key}` is there twice (first in line {line})"),
                ));
            }
            self.blank()?;
            if self.peek() != Some(b':') {
                return Err(self.broken("a colon"));
            }
            self.at += 1;
            self.blank()?;
            let value = self.value(depth + 1)?;
            members.push(Member { key, key_span, value });
            self.separator(b'}')?;
        }
        self.at += 1;
        Ok(Kind::Object(members))
    }

    fn array(&mut self, depth: usize) -> Scanned<Kind> {
        let mut elements = Vec::new();
        self.at += 1;
        self.blank()?;
        while self.peek() != Some(b']') {
            elements.push(self.value(depth + 1)?);
            self.separator(b']')?;
        }
        self.at += 1;
        Ok(Kind::Array(elements))
    }

    /// After an item: a comma and what follows it, or the closing bracket (left in place).
    fn separator(&mut self, close: u8) -> Scanned<()> {
        self.blank()?;
        match self.peek() {
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.blank()?;
                if self.peek() == Some(close) {
                    let Some(extras) = &mut self.extras else {
                        return Err(self.refuse(Fault::TrailingComma, comma, "a comma before the closing bracket"));
                    };
                    extras.trailing_commas.push(comma);
                }
                Ok(())
            }
            Some(byte) if byte == close => Ok(()),
            _ => Err(self.broken("a comma or a closing bracket")),
        }
    }

    fn number(&mut self) -> Scanned<Kind> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.broken("a digit")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Ok(Kind::Number)
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Scanned<()> {
        let start = self.at;
        self.digits();
        if self.at == start { Err(self.broken("a digit")) } else { Ok(()) }
    }

    fn string(&mut self) -> Scanned<String> {
        let open = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= 0x20) {
                self.at += 1;
            }
            out.push_str(self.text.get(start..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.broken("an escaped control character")),
                None => return Err(self.refuse(Fault::Broken, open, "a string that never ends")),
            }
        }
    }

    fn escape(&mut self) -> Scanned<char> {
        self.at += 1;
        let byte = self.peek();
        let plain = match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.broken("an escape")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// `\uXXXX`, a pair of surrogates as one character; a lone surrogate, which JavaScript accepts, as U+FFFD.
    fn unicode(&mut self) -> Scanned<char> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let back = self.at;
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with("\\u")) {
            self.at += 2;
            let second = self.hex()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&mut self) -> Scanned<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else { return Err(self.broken("four hex digits")) };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}
