//! Why a file is left alone, with line, column and what to do.

use std::fmt;

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// larger than we edit
    TooLarge,
    /// a byte that is not UTF-8
    NotUtf8,
    /// not JSON at all
    Broken,
    /// nested deeper than anyone writes
    TooDeep,
    /// a comment, which strict JSON has not
    Comment,
    /// a comma before a closing bracket
    TrailingComma,
    /// one key twice in an object
    DuplicateKey,
    /// the outermost value is no object
    NotObject,
    /// a value of a kind that the agent does not accept there
    WrongType,
}

impl Fault {
    /// What a person does about it.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::TooLarge => "make the file smaller",
            Self::NotUtf8 => "save the file as UTF-8",
            Self::Broken | Self::TooDeep => "mend the file in an editor, then run the command again",
            Self::Comment | Self::TrailingComma => {
                "the agent drops such a file as a whole: take it out, or run the command again with --strip-comments to see and accept that edit"
            }
            Self::DuplicateKey => "only the last of the two counts: remove one, then run the command again",
            Self::NotObject => "the file must hold one object: mend it, then run the command again",
            Self::WrongType => "the agent drops or ignores such a value: mend it, then run the command again",
        }
    }
}

/// A file that is not touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// what is wrong
    pub fault: Fault,
    /// line, from 1
    pub line: usize,
    /// column in characters, from 1
    pub column: usize,
    /// what was found
    pub text: String,
}

impl Refusal {
    pub(crate) fn new(fault: Fault, source: &str, at: usize, text: String) -> Self {
        let (line, column) = place(source, at);
        Self { fault, line, column, text }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {} ({})", self.line, self.column, self.text, self.fault.help())
    }
}

impl std::error::Error for Refusal {}

pub(crate) fn place(source: &str, at: usize) -> (usize, usize) {
    let head = source.get(..at).unwrap_or(source);
    let line = head.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = head.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}
