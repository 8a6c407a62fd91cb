//! A JSON file as its bytes plus the places of its values. An edit is one splice; what it does not name stays as it
//! was, to the byte: order, digits, escapes, blanks, line ends, a BOM, a missing last newline.
//!
//! Strict on purpose: the agents that read plain JSON drop a file with a comment or a trailing comma as a whole, so
//! writing into such a file would pretend that it works.

mod refusal;
mod scan;
mod splice;
mod strip;
mod style;

pub(crate) use refusal::place;
pub use refusal::{Fault, Refusal};
pub use scan::{Kind, Member, Node};
pub use splice::Step;
pub use strip::strip;
pub use style::Json;

use std::ops::Range;

/// Larger settings files are refused.
pub const MAX_BYTES: usize = 1024 * 1024;

const BOM: &str = "\u{feff}";

/// What the agent's own reader takes besides strict JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// nothing
    #[default]
    Strict,
    /// comments
    Comments,
    /// comments, and a comma before a closing bracket
    Loose,
}

/// A JSON file with the places of its values.
#[derive(Clone, Debug)]
pub struct Document {
    bom: bool,
    text: String,
    root: Node,
    reading: Reading,
    comments: Vec<Range<usize>>,
}

impl Document {
    /// Reads a file's bytes. Blank files count as an empty object, which is what writing into them would make.
    ///
    /// # Errors
    /// What makes the file unfit for an edit, with its place.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        Self::parse_as(bytes, Reading::Strict)
    }

    /// The same, read as the agent reads it.
    ///
    /// # Errors
    /// What makes the file unfit for an edit, with its place.
    pub fn parse_as(bytes: &[u8], reading: Reading) -> Result<Self, Refusal> {
        let (bom, text) = decode(bytes)?;
        let (root, comments) = if text.trim().is_empty() {
            (Node { span: 0..text.len(), kind: Kind::Object(Vec::new()) }, Vec::new())
        } else {
            scan::read(text, reading)?
        };
        Ok(Self { bom, text: text.to_owned(), root, reading, comments })
    }

    /// The same without a byte order mark, for agents whose reader trips over one.
    #[must_use]
    pub fn without_bom(mut self) -> Self {
        self.bom = false;
        self
    }

    /// Whether a byte order mark stands before it.
    #[must_use]
    pub fn has_bom(&self) -> bool {
        self.bom
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The text without a BOM; spans point into it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands at a span.
    #[must_use]
    pub fn raw(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// The file's bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = if self.bom { BOM.as_bytes().to_vec() } else { Vec::new() };
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }

    /// The value at a path.
    #[must_use]
    pub fn at(&self, path: &[Step<'_>]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, step| node.step(*step))
    }

    /// Line and column of a place, both from 1, columns in characters.
    #[must_use]
    pub fn place(&self, offset: usize) -> (usize, usize) {
        place(&self.text, offset)
    }

    /// A refusal that points at a value of this document.
    #[must_use]
    pub fn refuse(&self, fault: Fault, at: usize, text: String) -> Refusal {
        Refusal::new(fault, &self.text, at, text)
    }

    /// Whether two values mean the same, whatever their spelling or the order of keys. Numbers are compared as written.
    #[must_use]
    pub fn same(&self, node: &Node, other: &Self, theirs: &Node) -> bool {
        match (&node.kind, &theirs.kind) {
            (Kind::Object(a), Kind::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|member| {
                        theirs.get(&member.key).is_some_and(|theirs| self.same(&member.value, other, theirs))
                    })
            }
            (Kind::Array(a), Kind::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(node, theirs)| self.same(node, other, theirs))
            }
            (Kind::Number, Kind::Number) => self.raw(&node.span) == other.raw(&theirs.span),
            (a, b) => a == b,
        }
    }

    fn with_text(&self, text: String) -> Result<Self, Refusal> {
        let (root, comments) = scan::read(&text, self.reading)?;
        Ok(Self { bom: self.bom, text, root, reading: self.reading, comments })
    }

    /// The comments inside a span.
    fn comments_in(&self, span: Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        self.comments.iter().filter(move |comment| comment.start >= span.start && comment.end <= span.end)
    }

    /// The first comma of a span that stands in no comment.
    fn comma_in(&self, span: Range<usize>) -> Option<usize> {
        let commas = self.raw(&span).match_indices(',').map(|(at, _)| span.start + at);
        let mut commas = commas.filter(|at| !self.comments.iter().any(|comment| comment.contains(at)));
        commas.next()
    }
}

fn decode(bytes: &[u8]) -> Result<(bool, &str), Refusal> {
    if bytes.len() > MAX_BYTES {
        return Err(Refusal::new(Fault::TooLarge, "", 0, format!("the file is larger than {MAX_BYTES} bytes")));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix(BOM).map_or((false, text), |rest| (true, rest))),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).and_then(|head| std::str::from_utf8(head).ok());
            let good = good.unwrap_or_default();
            Err(Refusal::new(Fault::NotUtf8, good, good.len(), String::from("a byte that is not UTF-8")))
        }
    }
}
