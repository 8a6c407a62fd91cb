//! How a file is written, and new values written the same way.

use super::Document;
use super::scan::{Kind, Node};

/// A value to write.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// members in this order
    Object(Vec<(String, Json)>),
    /// elements
    Array(Vec<Json>),
    /// a string
    String(String),
    /// a whole number
    Number(u64),
    /// true or false
    Bool(bool),
}

impl Json {
    /// A string.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    /// Whether a node of the document is this value, whatever its spelling or the order of keys.
    #[must_use]
    pub fn same(&self, node: &Node, document: &Document) -> bool {
        match (self, &node.kind) {
            (Self::Object(mine), Kind::Object(theirs)) => {
                mine.len() == theirs.len()
                    && mine.iter().all(|(key, value)| node.get(key).is_some_and(|node| value.same(node, document)))
            }
            (Self::Array(mine), Kind::Array(theirs)) => {
                mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(value, node)| value.same(node, document))
            }
            (Self::String(mine), Kind::String(theirs)) => mine == theirs,
            (Self::Number(mine), Kind::Number) => document.raw(&node.span).parse() == Ok(*mine),
            (Self::Bool(mine), Kind::Bool(theirs)) => mine == theirs,
            _ => false,
        }
    }
}

/// How new values are laid out.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Layout {
    /// each item on its own line
    Lines {
        /// one level of indentation
        unit: String,
        /// indentation of the line that the value starts in
        base: String,
        /// line end
        newline: &'static str,
    },
    /// everything in one line
    Line {
        /// a blank after colons and commas
        spaced: bool,
    },
}

impl Layout {
    /// The same with the line ends of a text, where it has any.
    pub(super) fn with_line_ends_of(self, text: &str) -> Self {
        match self {
            Self::Lines { unit, base, .. } if text.contains('\n') => Self::Lines { unit, base, newline: newline(text) },
            other => other,
        }
    }

    fn deeper(&self) -> Self {
        match self {
            Self::Lines { unit, base, newline } => {
                Self::Lines { unit: unit.clone(), base: format!("{base}{unit}"), newline }
            }
            Self::Line { spaced } => Self::Line { spaced: *spaced },
        }
    }

    /// What stands before an item at this depth.
    pub(super) fn lead(&self, first: bool) -> String {
        match self {
            Self::Lines { base, newline, .. } => format!("{newline}{base}"),
            Self::Line { spaced } if *spaced && !first => String::from(" "),
            Self::Line { .. } => String::new(),
        }
    }
}

pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|head| head.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}

/// The indentation of the line in which a place is.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let head = text.get(..at).unwrap_or_default();
    let line = head.rfind('\n').map_or(head, |start| head.get(start + 1..).unwrap_or_default());
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

/// Blanks that end at a place.
pub(super) fn blanks_before(text: &str, at: usize) -> &str {
    let head = text.get(..at).unwrap_or_default();
    head.get(head.trim_end_matches([' ', '\t', '\r', '\n']).len()..).unwrap_or_default()
}

/// The layout for the items of a container, judged by what is already there.
pub(super) fn layout(document: &Document, container: &Node) -> Layout {
    let text = document.text();
    let starts = starts(container);
    let unit = unit(document);
    if let Some(last) = starts.last() {
        let blanks = blanks_before(text, *last);
        return match blanks.rfind('\n') {
            Some(line) => Layout::Lines {
                unit: unit.unwrap_or_else(|| String::from("  ")),
                base: blanks.get(line + 1..).unwrap_or_default().to_owned(),
                newline: newline(text),
            },
            None => Layout::Line { spaced: spaced(document) },
        };
    }
    match unit {
        Some(unit) => {
            let base = indentation(text, container.span.start).to_owned() + &unit;
            Layout::Lines { unit, base, newline: newline(text) }
        }
        None => Layout::Line { spaced: spaced(document) },
    }
}

fn starts(container: &Node) -> Vec<usize> {
    match &container.kind {
        Kind::Object(members) => members.iter().map(|member| member.key_span.start).collect(),
        Kind::Array(elements) => elements.iter().map(|element| element.span.start).collect(),
        _ => Vec::new(),
    }
}

/// One level of indentation, or none where the file is one line. An empty object gives two blanks.
fn unit(document: &Document) -> Option<String> {
    let root = document.root();
    let Some(first) = root.members().first() else { return Some(String::from("  ")) };
    let blanks = blanks_before(document.text(), first.key_span.start);
    let line = blanks.rfind('\n')?;
    let inner = blanks.get(line + 1..).unwrap_or_default();
    let outer = indentation(document.text(), root.span.start);
    let unit = inner.strip_prefix(outer).unwrap_or(inner);
    Some(if unit.is_empty() { String::new() } else { unit.to_owned() })
}

/// Whether the first colon is followed by a blank.
fn spaced(document: &Document) -> bool {
    document.root().members().first().is_none_or(|member| {
        document
            .text()
            .get(member.key_span.end..member.value.span.start)
            .is_some_and(|gap| gap.ends_with([' ', '\t', '\n']))
    })
}

/// Writes a value; `layout` is that of the container it goes into.
pub(super) fn write(value: &Json, layout: &Layout, out: &mut String) {
    let items: Vec<(Option<&str>, &Json)> = match value {
        Json::Object(members) => members.iter().map(|(key, value)| (Some(key.as_str()), value)).collect(),
        Json::Array(elements) => elements.iter().map(|element| (None, element)).collect(),
        Json::String(text) => return quote(text, out),
        Json::Number(number) => return out.push_str(&number.to_string()),
        Json::Bool(yes) => return out.push_str(if *yes { "true" } else { "false" }),
    };
    let (open, close) = if matches!(value, Json::Object(_)) { ('{', '}') } else { ('[', ']') };
    out.push(open);
    let inner = layout.deeper();
    for (index, (key, item)) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&inner.lead(index == 0));
        if let Some(key) = key {
            write_key(key, &inner, out);
        }
        write(item, &inner, out);
    }
    if !items.is_empty() {
        out.push_str(&layout.lead(true));
    }
    out.push(close);
}

pub(super) fn write_key(key: &str, layout: &Layout, out: &mut String) {
    quote(key, out);
    out.push(':');
    if !matches!(layout, Layout::Line { spaced: false }) {
        out.push(' ');
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
