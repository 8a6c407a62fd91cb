//! The deciding part of a command, underlined, with the reason as its label.
//!
//! The text is an agent's: it is redacted, control characters are shown and never sent, and only the lines around the
//! underlined part are drawn, so that a huge command stays a few lines.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use leastgrant_core::action::Action;
use leastgrant_core::reason::{Reason, Weight};
use leastgrant_core::redact::redact;
use leastgrant_shell::Span;
use unicode_width::UnicodeWidthChar;

use super::theme;
use super::words;

/// lines drawn of one command
const LINES: usize = 6;
/// parts underlined
const PARTS: usize = 3;

/// One part to underline.
#[derive(Clone, Debug)]
struct Part {
    start: usize,
    end: usize,
    label: String,
    first: bool,
}

/// The command with the parts underlined that decided, or nothing where no reason has a place in it.
#[must_use]
pub fn snippet(
    command: &str,
    reasons: &[Reason],
    actions: &[Action],
    level: super::verdict::Badge,
    width: usize,
) -> Option<String> {
    let shown = Shown::new(command);
    let parts = parts(&shown, reasons, actions);
    let lead = parts.first()?;
    let mut window = Window::around(&shown.text, lead, &parts, width.saturating_sub(6).max(40));
    window.fit_labels(width);
    Some(draw(&window, level, width))
}

/// The strongest reasons that have a place, placed in the shown text.
fn parts(shown: &Shown, reasons: &[Reason], actions: &[Action]) -> Vec<Part> {
    let strongest = reasons.iter().filter(|r| r.span.is_some()).map(|r| r.weight).min();
    let Some(strongest) = strongest.filter(|w| *w <= Weight::Raises) else { return Vec::new() };
    let mut parts: Vec<Part> = Vec::new();
    for reason in reasons.iter().filter(|r| r.weight == strongest) {
        let Some((start, end)) = reason.span.and_then(|span| shown.place(span)) else { continue };
        let label = words::safe(without_subject(&reason.text, actions));
        // the first reason for a part is the strongest; the others stand under "why"
        if parts.len() < PARTS && !parts.iter().any(|p| p.start == start && p.end == end) {
            parts.push(Part { start, end, label, first: parts.is_empty() });
        }
    }
    parts
}

/// A reason without the command that it begins with: the underlined part says it already.
fn without_subject<'a>(text: &'a str, actions: &[Action]) -> &'a str {
    let Some(quoted) = text.strip_prefix('`') else { return text };
    for action in actions {
        if let Some(rest) = quoted.strip_prefix(action.display.as_str()).and_then(|rest| rest.strip_prefix("` ")) {
            return rest;
        }
        // a long command is quoted cut
        if let Some((begin, rest)) = quoted.split_once("…` ")
            && !begin.is_empty()
            && action.display.starts_with(begin)
        {
            return rest;
        }
    }
    text
}

/// A command as it may be shown, and where its bytes went.
struct Shown {
    text: String,
    /// (byte in the original, byte in `text`), ascending in both
    map: Vec<(usize, usize)>,
}

impl Shown {
    fn new(command: &str) -> Self {
        let redacted = redact(command);
        let mut shown = Self { text: String::new(), map: vec![(0, 0)] };
        let (mut rest, mut from) = (command, 0);
        for (kept, literal) in pieces(&redacted) {
            if !literal {
                shown.push(from, kept);
                continue;
            }
            // what stands between two redactions stands in the original too; where it can't be found again the piece
            // is shown and only the underlining loses its place
            let at = rest.find(kept).unwrap_or(0);
            shown.push(from + at, kept);
            let next = (at + kept.len()).min(rest.len());
            rest = rest.get(next..).unwrap_or_default();
            from += next;
        }
        shown.map.push((command.len(), shown.text.len()));
        shown
    }

    fn push(&mut self, from: usize, text: &str) {
        self.map.push((from, self.text.len()));
        for (offset, c) in text.char_indices() {
            let safe = match c {
                '\n' => '\n',
                '\t' => ' ',
                c if words::is_unsafe(c) => '\u{fffd}',
                c => c,
            };
            if safe.len_utf8() != c.len_utf8() {
                self.map.push((from + offset, self.text.len()));
            }
            self.text.push(safe);
            if safe.len_utf8() != c.len_utf8() {
                self.map.push((from + offset + c.len_utf8(), self.text.len()));
            }
        }
    }

    /// The shown bytes of a span, widened to whole characters, without blanks at its ends; nothing if it holds nothing.
    fn place(&self, span: Span) -> Option<(usize, usize)> {
        let (mut start, mut end) = (self.at(span.start as usize), self.at(span.end as usize));
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let inside = self.text.get(start..end)?;
        start += inside.len() - inside.trim_start().len();
        end = start + inside.trim().len();
        (start < end).then_some((start, end))
    }

    fn at(&self, byte: usize) -> usize {
        let next = self.map.partition_point(|row| row.0 <= byte);
        let (from, to) = next.checked_sub(1).and_then(|i| self.map.get(i)).copied().unwrap_or_default();
        let limit = self.map.get(next).map_or(self.text.len(), |row| row.1);
        (to + (byte - from)).min(limit.max(to)).min(self.text.len())
    }
}

/// A redacted text as (piece, whether it stood in the original like this).
fn pieces(redacted: &str) -> Vec<(&str, bool)> {
    let mut out = Vec::new();
    let mut rest = redacted;
    while let Some(start) = rest.find("«redacted:") {
        let tail = rest.get(start..).unwrap_or_default();
        let Some(end) = tail.find('»').map(|i| start + i + '»'.len_utf8()) else { break };
        out.push((rest.get(..start).unwrap_or_default(), true));
        out.push((rest.get(start..end).unwrap_or_default(), false));
        rest = rest.get(end..).unwrap_or_default();
    }
    out.push((rest, true));
    out.retain(|(text, _)| !text.is_empty());
    out
}

/// The lines that are drawn, each cut to the width around what is underlined in it.
struct Window {
    text: String,
    first_line: usize,
    many: bool,
    parts: Vec<Part>,
}

impl Window {
    fn around(text: &str, lead: &Part, parts: &[Part], width: usize) -> Self {
        let many = text.trim_end().contains('\n');
        let line_of = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count();
        let from = line_of(lead.start).saturating_sub(1);
        let last = parts.iter().map(|p| line_of(p.end)).filter(|line| *line < from + LINES).max().unwrap_or(from);
        let to = (last.max(from + 1) + 2).min(from + LINES);
        let mut window = Self { text: String::new(), first_line: from + 1, many, parts: Vec::new() };
        let mut start = 0;
        for (number, line) in text.split_inclusive('\n').enumerate().take(to) {
            if number >= from {
                window.add(line.trim_end_matches('\n'), start, parts, width);
            }
            start += line.len();
        }
        window
    }

    fn add(&mut self, line: &str, start: usize, parts: &[Part], width: usize) {
        let end = start + line.len();
        let inside = || parts.iter().filter(|p| p.start < end && p.end > start);
        let anchor = inside().map(|p| p.start.max(start) - start).min().unwrap_or(0);
        let (kept, from) = cut_around(line, anchor, width);
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let base = self.text.len();
        let lead = if from > 0 { '…'.len_utf8() } else { 0 };
        if from > 0 {
            self.text.push('…');
        }
        self.text.push_str(kept);
        if from + kept.len() < line.len() {
            self.text.push('…');
        }
        for part in inside() {
            let place = |at: usize| base + lead + at.clamp(start + from, start + from + kept.len()) - start - from;
            let (a, b) = (place(part.start), place(part.end.min(end)));
            // a part that goes on over several lines is labelled on its first
            let label = if part.start >= start { part.label.clone() } else { String::new() };
            if a < b {
                self.parts.push(Part { start: a, end: b, label, first: part.first });
            }
        }
    }
}

impl Window {
    /// Cuts the labels to the room that is left beside or below what they are about.
    fn fit_labels(&mut self, width: usize) {
        let line_of = |at: usize| self.text.get(..at).unwrap_or_default().matches('\n').count();
        let column_of = |at: usize| {
            let before = self.text.get(..at).unwrap_or_default();
            words::columns(before.rsplit('\n').next().unwrap_or_default())
        };
        let ends: Vec<(usize, usize, usize)> =
            self.parts.iter().map(|p| (line_of(p.start), column_of(p.start), column_of(p.end))).collect();
        for (part, (line, start, end)) in self.parts.iter_mut().zip(&ends) {
            // only the last label of a line stands beside its part
            let last = ends.iter().all(|other| other.0 != *line || other.1 <= *start);
            let taken = if last { end + 1 } else { *start };
            part.label = words::cut(&part.label, width.saturating_sub(taken + 6).max(32));
        }
    }
}

/// At most `width` columns of a line with byte `anchor` in them; also the byte where they begin.
fn cut_around(line: &str, anchor: usize, width: usize) -> (&str, usize) {
    let columns = |text: &str| text.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    if columns(line.get(..).unwrap_or_default()) <= width {
        return (line, 0);
    }
    let before = line.get(..anchor).unwrap_or_default();
    let mut from = 0;
    if columns(before) > width / 2 {
        let mut used = 0;
        for (offset, c) in before.char_indices().rev() {
            used += c.width().unwrap_or(0);
            if used > width / 3 {
                break;
            }
            from = offset;
        }
    }
    let mut used = 0;
    let mut end = line.len();
    for (offset, c) in line.get(from..).unwrap_or_default().char_indices() {
        used += c.width().unwrap_or(0);
        if used > width {
            end = from + offset;
            break;
        }
    }
    (line.get(from..end).unwrap_or_default(), from)
}

fn draw(window: &Window, level: super::verdict::Badge, width: usize) -> String {
    let base = match level {
        super::verdict::Badge::Deny => Level::ERROR,
        super::verdict::Badge::Ask => Level::WARNING,
        super::verdict::Badge::Allow => Level::INFO,
    };
    let mut source =
        Snippet::source(window.text.as_str()).fold(false).line_start(window.first_line).line_numbering(window.many);
    for part in &window.parts {
        let kind = if part.first { AnnotationKind::Primary } else { AnnotationKind::Context };
        let annotation = kind.span(part.start..part.end);
        source =
            source.annotation(if part.label.is_empty() { annotation } else { annotation.label(part.label.as_str()) });
    }
    let renderer = Renderer::styled()
        .decor_style(DecorStyle::Unicode)
        .term_width(width.max(60) * 2)
        .error(theme::DENY)
        .warning(theme::ASK)
        .context(theme::NOTE);
    let drawn = renderer.render(&[Group::with_level(base).element(source)]);
    // the first line would hold a file's name
    drawn.lines().skip(1).map(str::trim_end).collect::<Vec<_>>().join("\n")
}
