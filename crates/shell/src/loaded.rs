//! Arithmetic that runs commands: a variable's text is arithmetic in turn, and a subscript in it expands.
//!
//! Known text is read and its commands are listed. Where the text is not known and something quoted in the same
//! text could be it, the arithmetic is opaque.

use std::collections::BTreeSet;

use crate::effects::{self, Effects};
use crate::flow::Known;
use crate::tree::{Id, Kind, Op, Tree};
use crate::walk::{At, Walk};
use crate::{Span, Value, Why, Word};

/// Variables that may hold more than a number, where quoted code stands in the text.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// quoted text holds a command substitution
    code: bool,
    /// variables that are set to something that is no number
    names: BTreeSet<String>,
    /// any variable may be
    all: bool,
    /// some variable takes only numbers: what is assigned to it is evaluated
    pub(crate) integers: bool,
}

impl Loaded {
    /// Whether there is quoted code.
    pub(crate) fn any(&self) -> bool {
        self.code
    }
}

/// Looks for quoted code and for what could carry it.
pub(crate) fn survey(tree: &Tree, functions: &BTreeSet<String>) -> Loaded {
    let code = |text: &[u8]| text.contains(&b'`') || text.windows(2).any(|pair| pair == b"$(");
    let quoted =
        tree.nodes.iter().any(|node| matches!(&node.kind, Kind::Text { text, quoted: true, .. } if code(text)));
    let mut loaded = Loaded { code: quoted, ..Loaded::default() };
    if !loaded.code {
        return loaded;
    }
    for node in &tree.nodes {
        match &node.kind {
            Kind::Assign { name, value, .. } if !is_number(tree, *value) => drop(loaded.names.insert(name.clone())),
            Kind::For { name, words, .. } => {
                let numbers = words.as_deref().is_some_and(|words| words.iter().all(|word| is_number(tree, *word)));
                if !numbers {
                    loaded.names.insert(name.clone());
                }
            }
            Kind::Simple { words, .. } => {
                let mut changes = Effects::default();
                let texts: Vec<Option<String>> = words.iter().map(|word| effects::argument(tree, *word)).collect();
                let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
                let declares =
                    matches!(texts.first(), Some(Some("declare" | "typeset" | "local" | "export" | "readonly")));
                let attribute = |text: &str| text.starts_with('-') && text.contains(['i', 'E', 'F']);
                loaded.integers |= matches!(texts.first(), Some(Some("integer" | "float")))
                    || declares && texts.iter().any(|text| text.is_none_or(attribute));
                if !texts.is_empty() && texts.first() != Some(&Some("let")) {
                    effects::command(&texts, functions, &mut changes);
                }
                loaded.all |= changes.all;
                loaded.names.extend(changes.names);
            }
            _ => {}
        }
    }
    loaded
}

/// Digits, a range of them, arithmetic, or a length.
fn is_number(tree: &Tree, word: Id) -> bool {
    tree.parts(word).iter().all(|part| match tree.get(*part).map(|node| &node.kind) {
        Some(Kind::Text { text, .. }) => {
            text.iter().all(|c| c.is_ascii_digit() || matches!(c, b'-' | b'{' | b'}' | b'.'))
        }
        Some(Kind::Arith { .. }) => true,
        Some(Kind::Param(param)) => param.length,
        _ => false,
    })
}

impl Walk<'_> {
    /// Variables that arithmetic text names: their text is arithmetic, too.
    pub(crate) fn mentioned(&mut self, text: &str, span: Span, at: &At, depth: usize) {
        if depth > 4 {
            self.flow.clear();
            return;
        }
        for name in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                continue;
            }
            if !self.work(1) {
                return;
            }
            let size = self.flow.size(name);
            if !self.spend(size, 0) {
                return;
            }
            let Known { value, list } = self.flow.get(name);
            let values = std::iter::once(&value).chain(list.iter().flatten());
            let texts: Vec<String> =
                values.filter_map(Value::all).flatten().filter(|inner| *inner != name).map(str::to_owned).collect();
            for inner in texts {
                self.inner_arithmetic(&inner, span, at, depth);
            }
        }
    }

    pub(crate) fn inner_arithmetic(&mut self, inner: &str, span: Span, at: &At, depth: usize) {
        if inner.bytes().all(|c| c.is_ascii_digit() || c == b'-') {
            return;
        }
        if effects::changes(inner.as_bytes()) {
            self.flow.clear();
        }
        if inner.contains(['$', '`']) {
            self.reread(inner, &value_word(inner, span), at);
        } else {
            self.mentioned(inner, span, at, depth + 1);
        }
    }

    /// Arithmetic whose text is not known: opaque if quoted code in the text could be in it.
    pub(crate) fn suspicious(&mut self, t: &Tree, word: Id) {
        if !self.loaded.code {
            return;
        }
        let carries = |walk: &Self, name: &str| {
            name.starts_with(|c: char| c.is_ascii_digit() || c == '@' || c == '*')
                || ((walk.loaded.all || walk.loaded.names.contains(name)) && walk.flow.get(name).value.all().is_none())
        };
        for part in t.parts(word) {
            let unsafe_part = match t.get(*part).map(|node| &node.kind) {
                Some(Kind::Param(param)) => !param.length && (param.op == Op::Bad || carries(self, &param.name)),
                Some(Kind::Subst { .. } | Kind::Hole { .. }) => true,
                _ => false,
            };
            if unsafe_part {
                self.opaque(t.span(word), Why::Expansion);
                return;
            }
        }
        let raw = effects::raw(t, word);
        if self.names_carrier(&String::from_utf8_lossy(&raw)) {
            self.opaque(t.span(word), Why::Expansion);
        }
    }

    /// Whether arithmetic text names a variable of unknown text that quoted code could have gone into.
    pub(crate) fn names_carrier(&self, text: &str) -> bool {
        self.loaded.code
            && text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|name| {
                (self.loaded.all || self.loaded.names.contains(name)) && self.flow.get(name).value.all().is_none()
            })
    }
}

/// A word for text that comes from a value, at the place where it is used.
pub(crate) fn value_word(text: &str, span: Span) -> Word {
    Word { span, value: Value::Exact(text.to_owned()), quoted: true, glob: false, split: false, verbatim: None }
}
