//! Comments and trailing commas taken out on request; nothing else changes. The result is read strictly.

use std::ops::Range;

use super::refusal::Refusal;
use super::scan;
use super::{Document, decode};

/// The file without comments and trailing commas.
///
/// # Errors
/// The file is broken beyond those.
pub fn strip(bytes: &[u8]) -> Result<Document, Refusal> {
    let (bom, text) = decode(bytes)?;
    if text.trim().is_empty() {
        return Document::parse(bytes);
    }
    let extras = scan::lenient(text)?;
    let mut cuts: Vec<Range<usize>> = extras.comments.iter().map(|span| whole_line(text, span)).collect();
    cuts.extend(extras.trailing_commas.iter().map(|at| *at..at + 1));
    cuts.sort_by_key(|cut| cut.start);
    let mut out = String::new();
    let mut at = 0;
    for cut in cuts {
        out.push_str(text.get(at..cut.start).unwrap_or_default());
        at = at.max(cut.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    let root = scan::strict(&out)?;
    Ok(Document { bom, text: out, root, reading: super::Reading::Strict, comments: Vec::new() })
}

/// A comment with the blanks before it, and with its line end where it has the line for itself.
fn whole_line(text: &str, span: &Range<usize>) -> Range<usize> {
    let head = text.get(..span.start).unwrap_or_default();
    let blank = head.trim_end_matches([' ', '\t']).len();
    let starts_line = blank == 0 || text.get(..blank).is_some_and(|head| head.ends_with('\n'));
    let tail = text.get(span.end..).unwrap_or_default();
    let rest = tail.trim_start_matches([' ', '\t']);
    let line_end = if rest.starts_with("\r\n") {
        2
    } else if rest.starts_with('\n') {
        1
    } else {
        0
    };
    let ends_line = line_end > 0 || rest.is_empty();
    match (starts_line, ends_line) {
        (true, true) => blank..span.end + (tail.len() - rest.len()) + line_end,
        (false, true) => blank..span.end,
        _ => span.clone(),
    }
}
