//! Lines of a text, and the pieces between commas.

use std::ops::Range;

/// The start of the line that a place is in.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|head| head.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// The end of the line that a place is in, its newline included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|tail| tail.find('\n')).map_or(text.len(), |newline| at + newline + 1)
}

/// Whole lines, with one blank line before them where there is one: the one that an edit puts there.
pub(super) fn with_blank_line(text: &str, lines: Range<usize>) -> Range<usize> {
    let head = text.get(..lines.start).unwrap_or_default();
    let blank = ["\r\n", "\n"].into_iter().find_map(|newline| {
        let above = head.strip_suffix(newline)?;
        (above.is_empty() || above.ends_with('\n')).then_some(newline.len())
    });
    lines.start - blank.unwrap_or(0)..lines.end
}

/// The first comma of a span that stands in no comment. Between two items there are no strings.
pub(super) fn comma(text: &str, span: Range<usize>) -> Option<usize> {
    let mut at = span.start;
    let mut comment = false;
    for c in text.get(span)?.chars() {
        match c {
            '#' => comment = true,
            '\n' => comment = false,
            ',' if !comment => return Some(at),
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}
