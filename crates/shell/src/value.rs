//! What a word is known to be when the command runs, and the variables and folder it is read under.

use std::collections::BTreeMap;

/// What is known of a string before it exists.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// exactly this text
    Exact(String),
    /// one of these texts (a `for` list, a `case` of assignments); never empty, at most 32
    OneOf(Vec<String>),
    /// begins with this text, the rest is unknown
    Prefix(String),
    /// each time one of the paths that this pattern matches, or the pattern itself (a `for` over a glob)
    Matches(String),
    /// nothing is known
    Unknown,
}

impl Value {
    /// The text, if there is exactly one.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        match self {
            Self::Exact(text) => Some(text),
            _ => None,
        }
    }

    /// Every text it could be, if that is known.
    #[must_use]
    pub fn all(&self) -> Option<Vec<&str>> {
        match self {
            Self::Exact(text) => Some(vec![text]),
            Self::OneOf(texts) => Some(texts.iter().map(String::as_str).collect()),
            Self::Prefix(_) | Self::Matches(_) | Self::Unknown => None,
        }
    }

    /// The known beginning (the whole text where it is exact).
    #[must_use]
    pub fn prefix(&self) -> &str {
        match self {
            Self::Exact(text) | Self::Prefix(text) => text,
            Self::Matches(pattern) => {
                let end = pattern.find(['*', '?', '[', '@', '+', '!', '\\']).unwrap_or(pattern.len());
                pattern.get(..end).unwrap_or_default()
            }
            Self::OneOf(_) | Self::Unknown => "",
        }
    }
}

/// The folder a command runs in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cwd {
    /// an absolute path as the shell's `$PWD` would spell it (links kept, `..` removed)
    At(String),
    /// one of these, after a `cd` that may or may not have happened; at most 8
    OneOf(Vec<String>),
    /// not known: relative paths cannot be placed
    Unknown,
}

/// What the shell starts with.
#[derive(Clone, Debug)]
pub struct Env {
    /// value of `$HOME` and of a leading `~`
    pub home: Option<String>,
    /// the starting folder
    pub cwd: Cwd,
    /// variables with a known value; any other name is unknown
    pub vars: BTreeMap<String, Value>,
    /// `$1`, `$2`, … when known
    pub positional: Vec<Value>,
}
