//! Here-documents: delimiters that wait for a newline, and the bodies behind it.

use crate::lexer::{Map, Reader, is_meta};
use crate::tree::{Here, Id, Kind};
use crate::word::Ctx;
use crate::{Span, Why};

/// A here-document whose body has not been reached.
pub(crate) struct Pending {
    delimiter: Vec<u8>,
    /// `<<-`
    strip: bool,
    quoted: bool,
    /// entry of [`crate::tree::Tree::heres`]
    slot: u32,
    /// of the operator and delimiter
    start: usize,
}

impl Reader<'_, '_> {
    /// The delimiter behind `<<` or `<<-`: a word of text, and the slot for its body.
    pub(crate) fn here_delimiter(&mut self, strip: bool) -> Option<(Id, u32)> {
        self.blanks();
        if is_meta(self.peek()) {
            self.fail(Why::Syntax);
            return None;
        }
        let start = self.pos;
        // only to find its end: nothing in a delimiter is expanded
        let word = self.word(Ctx::WORD)?;
        if self.bailing() {
            return None;
        }
        let raw = self.text.get(start..self.pos).unwrap_or_default();
        let (delimiter, quoted) = unquote(raw);
        let first = self.s.tree.next();
        let text = Kind::Text { text: delimiter.clone(), quoted, at: None };
        let part = self.push(text, start, first);
        let target = self.push(Kind::Word { parts: vec![part] }, start, first);
        let slot = u32::try_from(self.s.tree.heres.len()).unwrap_or(u32::MAX);
        self.s.tree.heres.push(None);
        self.pending.push(Pending { delimiter, strip, quoted, slot, start });
        let _ = word;
        Some((target, slot))
    }

    /// The bodies of everything that waits, at the start of a line.
    pub(crate) fn here_documents(&mut self) {
        let waiting = std::mem::take(&mut self.pending);
        for pending in waiting {
            if self.bailing() {
                return;
            }
            self.here_document(&pending);
        }
    }

    fn here_document(&mut self, pending: &Pending) {
        let start = self.pos;
        let mut body_end = self.end;
        let mut found = false;
        while self.pos < self.end {
            let line_start = self.pos;
            if self.here_ends(pending) {
                body_end = line_start;
                found = true;
                break;
            }
        }
        if !found {
            self.pos = self.end;
            self.note(pending.start, self.text.len(), Why::Unterminated);
        }
        self.mark(body_end, self.pos);
        self.here_body(pending, start, body_end);
    }

    /// Steps over one line; whether it was the delimiter.
    fn here_ends(&mut self, pending: &Pending) -> bool {
        let mut index = self.pos;
        if pending.strip {
            while self.at(index) == b'\t' {
                index += 1;
            }
        }
        let begin = index;
        let want = &pending.delimiter;
        let mut matched = 0usize;
        let mut same = true;
        let mut escaped = false;
        let mut substitution_end = None;
        loop {
            let c = self.at(index);
            if !pending.quoted && !escaped && c == b'\\' && self.at(index + 1) == b'\n' {
                index += 2;
                continue;
            }
            if index >= self.end || c == b'\n' {
                break;
            }
            escaped = !pending.quoted && !escaped && c == b'\\';
            if same && matched == want.len() && self.in_subst && substitution_end.is_none() {
                substitution_end = Some(index);
            }
            if same && matched < want.len() {
                if want.get(matched) == Some(&c) {
                    matched += 1;
                } else {
                    same = false;
                }
            } else if same && substitution_end.is_none() {
                // a carriage return before the newline belongs to neither
                if !(c == b'\r' && matches!(self.at(index + 1), b'\n' | 0)) {
                    same = false;
                }
            }
            index += 1;
        }
        self.tick(index - begin + 1);
        if let Some(at) = substitution_end {
            let rest = self.text.get(at..index).unwrap_or_default();
            if rest.contains(&b')') {
                // the delimiter and the end of the substitution share a line
                self.pos = at;
                return true;
            }
            let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
            same = same && rest.is_empty();
        }
        self.pos = (index + 1).min(self.end);
        same && matched == want.len()
    }

    /// The body as a word: text alone when the delimiter was quoted.
    fn here_body(&mut self, pending: &Pending, start: usize, end: usize) {
        let span = self.span(start, end);
        let raw = self.text.get(start..end).unwrap_or_default();
        let (bytes, table);
        let (text, map) = if pending.strip {
            (bytes, table) = strip_tabs(raw, |index| self.origin(start + index));
            let map = if let Map::Within(span) = self.map { Map::Within(span) } else { Map::Table(table.as_slice()) };
            (bytes.as_slice(), map)
        } else {
            (raw, self.map_from(start))
        };
        self.tick(text.len() / 8);
        let word = if pending.quoted {
            let first = self.s.tree.next();
            let here = matches!(self.map, Map::Offset(_)) && !pending.strip;
            let at = here.then_some(span.start);
            let part = self.push_span(Kind::Text { text: text.to_vec(), quoted: true, at }, span, first);
            self.push_span(Kind::Word { parts: vec![part] }, span, first)
        } else {
            if !self.enter() {
                return;
            }
            let word = Reader::new(text, map, self.s).here_text(span);
            self.leave();
            self.after_inner();
            word
        };
        if let Some(slot) = self.s.tree.heres.get_mut(pending.slot as usize) {
            *slot = Some(Here { span, word, quoted: pending.quoted });
        }
    }

    /// The whole text as the inside of a here-document.
    fn here_text(&mut self, span: Span) -> Id {
        let first = self.s.tree.next();
        let mut parts = self.scan(Ctx::HERE);
        while self.recover() && self.pos < self.end {
            parts.extend(self.scan(Ctx::HERE));
        }
        self.push_span(Kind::Word { parts }, span, first)
    }

    /// Here-documents whose substitution ended on their own line: bash takes the lines that follow.
    pub(crate) fn abandoned_heres(&mut self) {
        let start = self.pending.first().map_or(self.pos, |pending| pending.start);
        self.note(start, self.pos, Why::Unterminated);
    }
}

/// Quote removal without any expansion, and whether anything was quoted.
fn unquote(raw: &[u8]) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(raw.len());
    let mut quoted = false;
    let mut index = 0;
    let mut inside = 0u8;
    while let Some(c) = raw.get(index).copied() {
        let next = raw.get(index + 1).copied();
        match c {
            b'\\' if next == Some(b'\n') && inside != b'\'' => index += 1,
            b'\\' if inside == 0 => {
                quoted = true;
                out.extend(next);
                index += 1;
            }
            b'\\' if inside == b'"' && matches!(next, Some(b'\\' | b'"' | b'$' | b'`')) => {
                out.extend(next);
                index += 1;
            }
            b'$' if inside == 0 && matches!(next, Some(b'\'' | b'"')) => {
                // `$'…'` and `$"…"`: escapes of the first are decoded
                if next == Some(b'\'') {
                    let (decoded, len) = ansi_text(raw.get(index + 2..).unwrap_or_default());
                    out.extend(decoded);
                    index += 2 + len;
                    quoted = true;
                }
            }
            b'\'' | b'"' if inside == 0 => {
                quoted = true;
                inside = c;
            }
            _ if c == inside => inside = 0,
            _ => out.push(c),
        }
        index += 1;
    }
    (out, quoted)
}

/// The text of a `$'…'` behind its opening, and how many bytes before its closing quote.
fn ansi_text(raw: &[u8]) -> (Vec<u8>, usize) {
    let mut out = Vec::new();
    let mut index = 0;
    while let Some(c) = raw.get(index).copied().filter(|c| *c != b'\'') {
        if c == b'\\' {
            let (bytes, len) = crate::escape::ansi(raw.get(index..).unwrap_or_default());
            out.extend_from_slice(bytes.as_slice());
            index += len.max(1);
        } else {
            out.push(c);
            index += 1;
        }
    }
    (out, index)
}

/// The lines of a body without their leading tabs, and where each byte stood.
fn strip_tabs(raw: &[u8], origin: impl Fn(usize) -> usize) -> (Vec<u8>, Vec<u32>) {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut map = Vec::with_capacity(raw.len());
    let mut line_start = true;
    for (index, c) in raw.iter().enumerate() {
        if line_start && *c == b'\t' {
            continue;
        }
        line_start = *c == b'\n';
        bytes.push(*c);
        map.push(u32::try_from(origin(index)).unwrap_or(u32::MAX));
    }
    (bytes, map)
}
