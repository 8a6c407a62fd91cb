//! Whether every byte of a text was accounted for: in a word, an assignment, a redirect, a here-document, an
//! operator, a blank, a comment, or a piece that is said to be opaque. For tests and `cargo xtask corpus`.

use crate::tree::Kind;
use crate::{Dialect, Limits, Span, lexer};

/// How much of a text the reader accounted for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// bytes of the text
    pub bytes: usize,
    /// ranges that belong to nothing; empty if the reader is right
    pub gaps: Vec<Span>,
    /// nodes of the tree
    pub nodes: usize,
    /// counted steps of reading
    pub steps: u64,
}

/// Reads `text` and looks for bytes that belong to no node.
#[must_use]
pub fn coverage(text: &[u8], dialect: Dialect, limits: &Limits) -> Coverage {
    let kept = text.get(..limits.bytes).unwrap_or(text);
    let mut shared = lexer::Shared::new(dialect, *limits, kept.len());
    shared.tree.trivia = Some(Vec::new());
    crate::parse(kept, &mut shared);
    let tree = shared.tree;
    let leaf = |kind: &Kind| matches!(kind, Kind::Word { .. } | Kind::Assign { .. } | Kind::Redirect { .. });
    let mut spans: Vec<Span> = tree.nodes.iter().filter(|node| leaf(&node.kind)).map(|node| node.span).collect();
    spans.extend(tree.heres.iter().flatten().map(|here| here.span));
    spans.extend(tree.opaque.iter().map(|opaque| opaque.span));
    spans.extend(tree.trivia.iter().flatten().copied());
    spans.push(Span::new(kept.len(), text.len()));
    spans.sort();
    let mut gaps = Vec::new();
    let mut reached = 0u32;
    for span in spans {
        if span.start > reached {
            gaps.push(Span { start: reached, end: span.start });
        }
        reached = reached.max(span.end);
    }
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    if reached < end {
        gaps.push(Span { start: reached, end });
    }
    Coverage { bytes: text.len(), gaps, nodes: tree.nodes.len(), steps: shared.steps }
}
