//! Words: quotes, escapes, globs and everything that expands, cut into parts.
//!
//! One loop reads every kind of text that can hold expansions; [`Ctx`] says what ends it and which quotes
//! count. Double quotes, extended globs and brackets are counters here, not recursion.

use crate::Why;
use crate::lexer::{Keyword, Map, Reader, is_meta, is_name, is_name_start};
use crate::tree::{Id, Kind, Subst};

/// What ends a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// a blank or operator
    Meta,
    /// as [`Stop::Meta`], but parentheses and bars belong to the word (right of `=~`)
    Regex,
    /// the end of the text
    End,
    /// `}`
    Brace,
    /// `}` or this byte
    BraceOr(u8),
    /// `]`, with brackets inside counted
    Bracket,
    /// `))`, with parentheses inside counted
    Parens,
}

/// How a piece of text is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ctx {
    pub(crate) stop: Stop,
    /// text is as if within double quotes
    pub(crate) quoted: bool,
    /// `'` quotes
    pub(crate) single: bool,
    /// a subscript may follow a leading name (assignments)
    pub(crate) subscript: bool,
}

impl Ctx {
    pub(crate) const WORD: Self = Self { stop: Stop::Meta, quoted: false, single: true, subscript: false };
    pub(crate) const REGEX: Self = Self { stop: Stop::Regex, quoted: false, single: true, subscript: false };
    pub(crate) const HERE: Self = Self { stop: Stop::End, quoted: true, single: false, subscript: false };
    pub(crate) const BRACKET: Self = Self { stop: Stop::Bracket, quoted: false, single: true, subscript: false };
    pub(crate) const PARENS: Self = Self { stop: Stop::Parens, quoted: false, single: true, subscript: false };
}

/// Text that is being gathered into one part.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) text: Vec<u8>,
    quoted: bool,
    /// there is a part even if the text is empty
    open: bool,
    /// where the first byte stands, and whether all bytes so far stand in a row
    start: usize,
    next: usize,
    row: bool,
}

impl Run {
    pub(crate) fn add(&mut self, c: u8, at: usize) {
        if !self.open {
            self.open = true;
            self.start = at;
            self.next = at;
            self.row = true;
        }
        if at != self.next {
            self.row = false;
        }
        self.text.push(c);
        self.next = at + 1;
    }

    fn begin(&mut self, at: usize) {
        if !self.open {
            self.open = true;
            self.start = at;
            self.next = at;
            self.row = true;
        }
    }
}

impl Reader<'_, '_> {
    /// Ends the run and begins another.
    pub(crate) fn flush(&mut self, run: &mut Run, parts: &mut Vec<Id>, quoted: bool) {
        if run.open {
            let done = std::mem::take(run);
            let first = self.s.tree.next();
            let span = self.span(done.start, done.next.max(done.start));
            // in a derived text bytes that stand in a row may come from bytes that do not
            let row = done.row && span.len() == done.text.len() && !matches!(self.map, Map::Within(_));
            let at = row.then_some(span.start);
            let id = self.push_span(Kind::Text { text: done.text, quoted: done.quoted, at }, span, first);
            parts.push(id);
        }
        run.quoted = quoted;
    }

    /// Makes the run quoted or not; a change ends the part.
    fn turn(&mut self, run: &mut Run, parts: &mut Vec<Id>, quoted: bool) {
        if run.quoted != quoted {
            self.flush(run, parts, quoted);
        }
    }

    /// A word, if one begins here.
    pub(crate) fn word(&mut self, ctx: Ctx) -> Option<Id> {
        let c = self.peek();
        if is_meta(c) && !(matches!(c, b'<' | b'>') && self.second() == b'(') && !(ctx.stop == Stop::Regex && c == b'(')
        {
            return None;
        }
        Some(self.text_word(ctx))
    }

    /// The text up to where the context ends, as a word; it may be empty.
    pub(crate) fn text_word(&mut self, ctx: Ctx) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        let parts = self.scan(ctx);
        self.push(Kind::Word { parts }, start, first)
    }

    /// Whether the context ends at the byte `c`; `depth` counts what is open inside.
    fn stops(&mut self, ctx: Ctx, c: u8, depth: usize) -> bool {
        match ctx.stop {
            Stop::Meta => {
                if depth > 0 || !is_meta(c) {
                    return false;
                }
                !(matches!(c, b'<' | b'>') && self.second() == b'(')
            }
            Stop::Regex => {
                depth == 0
                    && is_meta(c)
                    && !matches!(c, b'(' | b'|' | b'<' | b'>')
                    && !(c == b'&' && self.second() != b'&')
                    || depth == 0 && c == b'|' && self.second() == b'|'
            }
            Stop::End => false,
            Stop::Brace => c == b'}',
            Stop::BraceOr(other) => c == b'}' || (c == other && depth == 0),
            Stop::Bracket => c == b']' && depth == 0,
            Stop::Parens => c == b')' && depth == 0,
        }
    }

    /// Counts what opens and closes inside, where the context counts.
    fn count(&mut self, ctx: Ctx, c: u8, depth: &mut usize) {
        match (ctx.stop, c) {
            (Stop::Meta, b'(') | (Stop::Regex | Stop::Parens, b'(') | (Stop::Bracket, b'[') => *depth += 1,
            (Stop::BraceOr(b':'), b'(' | b'?') => *depth += 1,
            (Stop::BraceOr(b':'), b')' | b':')
            | (Stop::Meta | Stop::Regex | Stop::Parens, b')')
            | (Stop::Bracket, b']') => {
                *depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// The loop over all text that can hold expansions. Stops before what ends it.
    pub(crate) fn scan(&mut self, ctx: Ctx) -> Vec<Id> {
        let mut parts = Vec::new();
        let mut run = Run { quoted: ctx.quoted, ..Run::default() };
        let mut depth = 0usize;
        let mut in_double = false; // double quotes inside a brace operand or arithmetic
        let begin = self.pos;
        let mut glob_open = begin;
        let mut quote_open = begin;
        let mut shielded = false; // between apostrophes that hide a `}` but nothing else
        let braces = matches!(ctx.stop, Stop::Brace | Stop::BraceOr(_));
        let mut names = ctx.subscript && is_name_start(self.at(self.pos));
        loop {
            self.tick(1);
            let c = self.peek();
            if c == 0 {
                break;
            }
            if in_double {
                match c {
                    b'"' => {
                        self.pos += 1;
                        in_double = false;
                        self.turn(&mut run, &mut parts, ctx.quoted);
                    }
                    b'\\' => self.quoted_escape(&mut run, b'"'),
                    b'$' => self.expansion(&mut run, &mut parts, true),
                    b'`' => self.expansion(&mut run, &mut parts, true),
                    _ => {
                        run.add(c, self.pos);
                        self.pos += 1;
                    }
                }
                continue;
            }
            if shielded {
                if matches!(c, b'$' | b'`') {
                    // bash finds the end and expands by two different rules here
                    self.note(self.pos, self.pos + 1, Why::Syntax);
                }
            } else if self.stops(ctx, c, depth) {
                if c == b'(' && ctx.stop == Stop::Meta && self.pos > begin && self.zsh_qualifiers(begin) {
                    run.add(c, self.pos);
                    self.pos += 1;
                    depth += 1;
                    continue;
                }
                break;
            }
            match c {
                b'\'' if braces && ctx.quoted && !ctx.single => {
                    shielded = !shielded;
                    quote_open = self.pos;
                    run.add(c, self.pos);
                    self.pos += 1;
                }
                b'"' | b'\\' if shielded => {
                    if c == b'\\' {
                        run.add(c, self.pos);
                    }
                    self.pos += 1;
                }
                b'\\' if ctx.quoted => {
                    let close = match ctx.stop {
                        Stop::Brace | Stop::BraceOr(_) => b'}',
                        _ => b'\\',
                    };
                    self.quoted_escape(&mut run, close);
                }
                b'\\' => {
                    let next = self.at(self.pos + 1);
                    if next == 0 {
                        run.add(c, self.pos);
                        self.pos += 1;
                    } else {
                        self.turn(&mut run, &mut parts, true);
                        run.add(next, self.pos + 1);
                        self.pos += 2;
                        self.turn(&mut run, &mut parts, ctx.quoted);
                    }
                }
                b'\'' if ctx.single => {
                    if !self.single_quote(&mut run, &mut parts, ctx.quoted) {
                        break;
                    }
                }
                b'"' if ctx.stop != Stop::End => {
                    quote_open = self.pos;
                    self.turn(&mut run, &mut parts, true);
                    self.pos += 1;
                    run.begin(self.pos);
                    in_double = true;
                }
                b'$' | b'`' => self.expansion(&mut run, &mut parts, ctx.quoted),
                b'<' | b'>' if !ctx.quoted && ctx.stop != Stop::Parens && self.second() == b'(' => {
                    self.flush(&mut run, &mut parts, ctx.quoted);
                    let how = if c == b'<' { Subst::In } else { Subst::Out };
                    parts.push(self.paren_subst(2, how, false));
                }
                b'=' if ctx.stop == Stop::Meta && self.pos == begin && self.zsh() && self.second() == b'(' => {
                    self.flush(&mut run, &mut parts, false);
                    parts.push(self.paren_subst(2, Subst::File, false));
                    self.note(begin, self.pos, Why::Dialect);
                }
                b'?' | b'*' | b'+' | b'@' | b'!' if ctx.stop == Stop::Meta && self.second() == b'(' => {
                    if depth == 0 {
                        glob_open = self.pos;
                        self.zsh_qualifier();
                    }
                    run.add(c, self.pos);
                    let open = self.after(self.pos + 1).1;
                    run.add(b'(', open);
                    self.pos = open + 1;
                    depth += 1;
                }
                b'[' if names && ctx.stop == Stop::Meta && self.pos > begin => {
                    names = false;
                    self.subscript(&mut run, &mut parts);
                }
                b'\r' if ctx.stop == Stop::Meta && depth == 0 => {
                    if matches!(self.at(self.pos + 1), b'\n' | 0) {
                        break;
                    }
                    self.note(self.pos, self.pos + 1, Why::Byte);
                    run.add(c, self.pos);
                    self.pos += 1;
                }
                _ => {
                    if c == b'\n' && ctx.stop == Stop::Meta {
                        // a shell without extended globs reads the next line as commands
                        self.note(self.pos, self.pos + 1, Why::Syntax);
                    }
                    self.count(ctx, c, &mut depth);
                    names = names && is_name(c);
                    run.add(c, self.pos);
                    self.pos += 1;
                }
            }
        }
        self.flush(&mut run, &mut parts, false);
        if in_double || shielded {
            self.unclosed(quote_open);
        } else if depth > 0 && matches!(ctx.stop, Stop::Meta | Stop::Regex) {
            self.unclosed(glob_open);
        }
        parts
    }

    /// A backslash where only `$`, `` ` ``, `\` and the closing byte can be escaped.
    fn quoted_escape(&mut self, run: &mut Run, close: u8) {
        let next = self.at(self.pos + 1);
        let special = matches!(next, b'$' | b'`' | b'\\') || next == close || close == b'}' && next == b'"';
        if next != 0 && special {
            run.add(next, self.pos + 1);
            self.pos += 2;
        } else {
            run.add(b'\\', self.pos);
            self.pos += 1;
        }
    }

    /// `'…'`; false if it does not end.
    fn single_quote(&mut self, run: &mut Run, parts: &mut Vec<Id>, back: bool) -> bool {
        let open = self.pos;
        let rest = self.text.get(self.pos + 1..self.end).unwrap_or_default();
        let Some(len) = rest.iter().position(|c| *c == b'\'') else {
            self.tick(rest.len());
            self.flush(run, parts, back);
            self.unclosed(open);
            return false;
        };
        self.tick(len);
        self.turn(run, parts, true);
        run.begin(open + 1);
        for (index, c) in rest.iter().take(len).enumerate() {
            run.add(*c, open + 1 + index);
        }
        self.pos = open + len + 2;
        self.turn(run, parts, back);
        true
    }

    /// `$…` or backticks inside any text.
    fn expansion(&mut self, run: &mut Run, parts: &mut Vec<Id>, quoted: bool) {
        let c = self.peek();
        if c == b'`' {
            self.flush(run, parts, quoted);
            let id = self.backticks(quoted);
            parts.push(id);
            return;
        }
        let next = self.second();
        if !quoted && next == b'\'' {
            self.turn(run, parts, true);
            run.begin(self.pos + 2);
            self.ansi_quote(run);
            self.turn(run, parts, quoted);
            return;
        }
        if !quoted && next == b'"' {
            // `$"…"`: the quote that follows is read as an ordinary one
            self.mark(self.pos, self.pos + 1);
            self.pos += 1;
            return;
        }
        let begins =
            is_name(next) || matches!(next, b'(' | b'{' | b'[' | b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-');
        if !begins {
            run.add(c, self.pos);
            self.pos += 1;
            return;
        }
        self.flush(run, parts, quoted);
        let id = self.dollar(quoted);
        parts.push(id);
    }

    /// `[…]` of an assignment; the parts are those of the word.
    pub(crate) fn subscript(&mut self, run: &mut Run, parts: &mut Vec<Id>) {
        let open = self.pos;
        run.add(b'[', self.pos);
        self.flush(run, parts, false);
        self.pos += 1;
        let inner = self.scan(Ctx::BRACKET);
        parts.extend(inner);
        if self.peek() == b']' {
            run.add(b']', self.pos);
            self.pos += 1;
        } else {
            self.unclosed(open);
        }
    }

    /// `$'…'` with its escapes.
    fn ansi_quote(&mut self, run: &mut Run) {
        let open = self.pos;
        self.pos += 2;
        let mut cut = false;
        let posix = !matches!(self.s.dialect, crate::Dialect::Bash | crate::Dialect::Zsh);
        loop {
            self.tick(1);
            let c = self.at(self.pos);
            let here = self.pos;
            match c {
                0 => {
                    self.unclosed(open);
                    return;
                }
                b'\'' => {
                    self.pos += 1;
                    return;
                }
                b'\\' => {
                    if posix && self.at(self.pos + 1) == b'\'' && self.ends_here(self.pos + 2) {
                        self.note(self.pos, self.pos + 2, Why::Dialect);
                    }
                    let (bytes, len) = crate::escape::ansi(self.text.get(self.pos..self.end).unwrap_or_default());
                    self.pos += len.max(1);
                    for byte in bytes.as_slice() {
                        if *byte == 0 {
                            cut = true;
                        }
                        if !cut {
                            run.add(*byte, here);
                            run.row = false;
                        }
                    }
                }
                _ => {
                    if !cut {
                        run.add(c, here);
                    }
                    self.pos += 1;
                }
            }
        }
    }

    /// Whether the reserved word `wanted` stands at the cursor.
    pub(crate) fn sees(&mut self, wanted: Keyword) -> bool {
        matches!(self.keyword(), Some((keyword, _)) if keyword == wanted)
    }
}
