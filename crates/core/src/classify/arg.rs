//! Words on their way from the shell to a program, and how spans of nested texts lead back to the outer one.

use leastgrant_shell::{Span, Value, Word};

/// One argument.
#[derive(Clone, Debug)]
pub struct Arg {
    /// what it is known to be
    pub value: Value,
    /// in the outermost text
    pub span: Span,
    /// holds an active glob
    pub glob: bool,
    /// may become several words, or none
    pub split: bool,
    /// some part was quoted
    pub quoted: bool,
    /// where the value's first byte stands in the outermost text, if both agree byte for byte
    pub verbatim: Option<u32>,
    /// a variable in it that holds a credential by its name
    pub credential: Option<String>,
}

impl Arg {
    /// A word of a text whose spans `map` leads back.
    #[must_use]
    pub fn of(word: &Word, map: SpanMap) -> Self {
        // what a `for` over a pattern gives is whatever the pattern matches
        let (value, glob) = match &word.value {
            Value::Matches(pattern) => (Value::Exact(pattern.clone()), true),
            value => (value.clone(), word.glob),
        };
        Self {
            value,
            span: map.span(word.span),
            glob,
            split: word.split,
            quoted: word.quoted,
            verbatim: word.verbatim.and_then(|at| map.offset(at)),
            credential: None,
        }
    }

    /// An argument of which nothing is known.
    #[must_use]
    pub fn unknown(span: Span) -> Self {
        Self { value: Value::Unknown, span, glob: false, split: true, quoted: false, verbatim: None, credential: None }
    }

    /// An argument with exactly this text.
    #[must_use]
    pub fn text(text: &str, span: Span) -> Self {
        Self {
            value: Value::Exact(text.to_owned()),
            span,
            glob: false,
            split: false,
            quoted: true,
            verbatim: None,
            credential: None,
        }
    }

    /// The text, where there is exactly one.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        self.value.exact()
    }

    /// The known beginning.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.value.prefix()
    }

    /// The argument without its first `bytes` bytes, where that many are known.
    #[must_use]
    pub fn after(&self, bytes: usize) -> Self {
        let cut = |text: &str| text.get(bytes..).unwrap_or_default().to_owned();
        let value = match &self.value {
            Value::Exact(text) => Value::Exact(cut(text)),
            Value::Prefix(text) => Value::Prefix(cut(text)),
            Value::OneOf(texts) => Value::OneOf(texts.iter().map(|text| cut(text)).collect()),
            Value::Matches(_) | Value::Unknown => Value::Unknown,
        };
        let shift = u32::try_from(bytes).unwrap_or(u32::MAX);
        Self { value, verbatim: self.verbatim.map(|at| at.saturating_add(shift)), ..self.clone() }
    }

    /// How spans of this argument's text, read as a text of its own, lead back.
    #[must_use]
    pub fn map(&self) -> SpanMap {
        self.verbatim.map_or(SpanMap::Whole(self.span), SpanMap::Shift)
    }

    /// For people: the text, or a word for what is not known.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.value {
            Value::Exact(text) => text.clone(),
            Value::OneOf(texts) => format!("{{{}}}", texts.join(",")),
            Value::Prefix(text) => format!("{text}…"),
            Value::Matches(pattern) => pattern.clone(),
            Value::Unknown => String::from("…"),
        }
    }
}

/// How a span in a nested text leads back to the outermost one.
#[derive(Clone, Copy, Debug)]
pub enum SpanMap {
    /// the texts agree from this offset on
    Shift(u32),
    /// they do not: everything is this span
    Whole(Span),
}

impl SpanMap {
    /// The span in the outermost text.
    #[must_use]
    pub fn span(self, span: Span) -> Span {
        match self {
            Self::Shift(by) => span.shift(by),
            Self::Whole(whole) => whole,
        }
    }

    /// The offset in the outermost text, if the texts agree.
    #[must_use]
    pub fn offset(self, at: u32) -> Option<u32> {
        match self {
            Self::Shift(by) => Some(at.saturating_add(by)),
            Self::Whole(_) => None,
        }
    }
}
