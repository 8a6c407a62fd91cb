//! `$…`: parameters with every operator, arithmetic, nested commands in all their spellings.

use crate::lexer::{Keyword, Map, Reader, is_name, is_name_start};
use crate::tree::{Id, Kind, Op, Param, Subst};
use crate::word::{Ctx, Stop};
use crate::{Dialect, Why};

impl<'t> Reader<'t, '_> {
    /// An expansion that begins with the `$` at the cursor; the caller has seen that one begins.
    pub(crate) fn dollar(&mut self, quoted: bool) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        let next = self.second();
        match next {
            b'(' => self.dollar_paren(quoted),
            b'{' => self.brace(quoted),
            b'[' => {
                if !self.enter() {
                    return self.push(Kind::Hole { quoted }, start, first);
                }
                self.bump_two();
                let word = self.text_word(Ctx::BRACKET);
                self.leave();
                if self.peek() == b']' {
                    self.pos += 1;
                } else {
                    self.unclosed(start);
                }
                self.push(Kind::Arith { word, quoted, also: None }, start, first)
            }
            c if is_name_start(c) => {
                self.pos += 1;
                let name = self.name();
                self.param(name, quoted, start, first)
            }
            c => {
                self.bump_two();
                self.param(char::from(c).to_string(), quoted, start, first)
            }
        }
    }

    /// The letters, digits and underscores at the cursor.
    pub(crate) fn name(&mut self) -> String {
        let mut name = String::new();
        while is_name(self.peek()) {
            name.push(char::from(self.at(self.pos)));
            self.pos += 1;
        }
        self.tick(name.len());
        name
    }

    fn param(&mut self, name: String, quoted: bool, start: usize, first: Id) -> Id {
        let param = Param { name, index: None, length: false, indirect: false, op: Op::None, args: Vec::new(), quoted };
        self.push(Kind::Param(Box::new(param)), start, first)
    }

    /// `$(…)` or `$((…))`.
    fn dollar_paren(&mut self, quoted: bool) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        let open = self.after(self.pos + 1).1;
        let (third, inner) = self.after(open + 1);
        if third == b'(' && self.arithmetic_end(inner + 1).is_some() {
            self.pos = inner + 1;
            if !self.enter() {
                return self.push(Kind::Hole { quoted }, start, first);
            }
            let word = self.text_word(Ctx::PARENS);
            self.leave();
            self.close_double(start);
            let also = self.suspect(word, start, inner + 1);
            return self.push(Kind::Arith { word, quoted, also }, start, first);
        }
        self.paren_subst(2, Subst::Dollar, quoted)
    }

    /// Steps over `))`.
    pub(crate) fn close_double(&mut self, start: usize) {
        if self.peek() == b')' && self.second() == b')' {
            let from = self.pos;
            self.bump_two();
            self.mark(from, self.pos);
        } else {
            self.unclosed(start);
        }
    }

    /// Arithmetic that does not look like arithmetic is also read as the nested subshell that a shell without
    /// `((` makes of it.
    pub(crate) fn suspect(&mut self, word: Id, start: usize, open: usize) -> Option<Id> {
        if self.bailing() {
            return None;
        }
        let commands = self.looks_like_commands(word);
        let other = match self.s.dialect {
            Dialect::Sh => true,
            Dialect::Unknown => self.looks_like_a_program(word),
            Dialect::Bash | Dialect::Zsh => false,
        };
        if !(commands || other) || !self.enter() {
            return None;
        }
        if commands {
            self.note(start, self.pos, Why::Syntax);
        }
        let first = self.s.tree.next();
        let close = self.pos.saturating_sub(2);
        let list = self.part_of_text(open, close);
        self.leave();
        Some(self.push_span(Kind::Subshell { list }, self.span(open, close), first))
    }

    /// Two operands in a row, an operator that waits for one, or a `;`.
    fn looks_like_commands(&self, word: Id) -> bool {
        let ends_open = self.s.tree.literal(word).is_some_and(|text| {
            let text = text.trim_ascii_end();
            let end = text.iter().rposition(|c| !b") \t\n".contains(c)).map_or(0, |at| at + 1);
            let text = text.get(..end).unwrap_or_default();
            let after = text.ends_with(b"++") || text.ends_with(b"--");
            !after && text.last().is_some_and(|c| b"/-+*%&|^<>=?,~!".contains(c))
        });
        if ends_open {
            return true;
        }
        let mut operand = false;
        let mut blank = true;
        for part in self.s.tree.parts(word) {
            let Some(Kind::Text { text, .. }) = self.s.tree.get(*part).map(|node| &node.kind) else {
                if operand && blank {
                    return true;
                }
                operand = true;
                blank = false;
                continue;
            };
            for c in text {
                if *c == b';' || (is_name(*c) && operand && blank) {
                    return true;
                }
                if is_name(*c) {
                    operand = true;
                    blank = false;
                } else {
                    blank = true;
                    operand = operand && c.is_ascii_whitespace();
                }
            }
        }
        false
    }

    /// No operator but `-` and `/`: perhaps a program with options, in brackets or not.
    fn looks_like_a_program(&self, word: Id) -> bool {
        self.s.tree.literal(word).is_some_and(|text| {
            text.iter().any(u8::is_ascii_alphabetic)
                && text.iter().all(|c| is_name(*c) || c.is_ascii_whitespace() || b"-/.()".contains(c))
        })
    }

    /// Reads a range of this text as a text of its own.
    pub(crate) fn part_of_text(&mut self, start: usize, end: usize) -> Id {
        let text = self.text.get(start..end).unwrap_or_default();
        let list = Reader::new(text, self.map_from(start), self.s).whole();
        self.after_inner();
        list
    }

    /// The map for a text that begins at an index of this one.
    pub(crate) fn map_from(&self, start: usize) -> Map<'t> {
        match self.map {
            Map::Offset(by) => Map::Offset(by.saturating_add(u32::try_from(start).unwrap_or(u32::MAX))),
            Map::Table(table) => Map::Table(table.get(start..).unwrap_or_default()),
            Map::Within(span) => Map::Within(span),
        }
    }

    /// An inner reader that reached a limit ends this one too.
    pub(crate) fn after_inner(&mut self) {
        if self.s.stopped {
            self.stop(Why::TooMuch);
        }
    }

    /// Where the `))` for text after `((` stands, if the two parentheses stand together there. One scan answers for
    /// every parenthesis that it passes, so that many of them cost no more than the text.
    pub(crate) fn arithmetic_end(&mut self, from: usize) -> Option<usize> {
        let together = |reader: &Self, close: usize| (reader.after(close + 1).0 == b')').then_some(close);
        if let Some(known) = self.parens.get(&from) {
            return known.and_then(|close| together(self, close));
        }
        let mut open = vec![from];
        let mut index = from;
        loop {
            self.tick(1);
            match self.at(index) {
                0 => break,
                b'\\' => index += 1,
                b'(' => open.push(index + 1),
                b')' => {
                    if let Some(start) = open.pop() {
                        self.parens.insert(start, Some(index));
                    }
                    if open.is_empty() {
                        return together(self, index);
                    }
                }
                quote @ (b'\'' | b'"' | b'`') => {
                    let start = index;
                    index += 1;
                    while self.at(index) != quote {
                        if self.at(index) == 0 {
                            // an apostrophe that quotes nothing
                            index = start;
                            break;
                        }
                        index += if quote != b'\'' && self.at(index) == b'\\' { 2 } else { 1 };
                    }
                    self.tick(index.saturating_sub(start));
                }
                _ => {}
            }
            index += 1;
        }
        for start in open {
            self.parens.insert(start, None);
        }
        None
    }

    /// A list of commands in parentheses behind `skip` bytes of opening.
    pub(crate) fn paren_subst(&mut self, skip: usize, how: Subst, quoted: bool) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        if !self.enter() {
            return self.push(Kind::Hole { quoted }, start, first);
        }
        self.peek();
        if skip == 2 {
            self.bump_two();
        }
        let list = self.inner_list();
        if self.peek() == b')' {
            self.pos += 1;
        } else {
            self.expected(start);
        }
        self.leave();
        self.push(Kind::Subst { list, how, quoted }, start, first)
    }

    /// A list within a word: here-documents of the outside wait for their own newline.
    fn inner_list(&mut self) -> Id {
        let pending = std::mem::take(&mut self.pending);
        let outside = std::mem::replace(&mut self.in_subst, true);
        let list = self.list();
        self.in_subst = outside;
        if !self.pending.is_empty() && !self.bailing() {
            self.abandoned_heres();
        }
        if !self.bailing() {
            let inner = std::mem::replace(&mut self.pending, pending);
            self.pending.extend(inner);
        }
        list
    }

    /// The closing token is missing: at the end nothing closed, else something does not belong here.
    pub(crate) fn expected(&mut self, start: usize) {
        if self.peek() == 0 {
            if !self.bailing() {
                self.note(start, self.text.len(), Why::Unterminated);
            }
        } else {
            self.fail(Why::Syntax);
        }
    }

    /// `` `…` ``: the inside without its backslashes is a text of its own.
    pub(crate) fn backticks(&mut self, quoted: bool) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        let mut index = start + 1;
        let mut bytes = Vec::new();
        let mut map = Vec::new();
        let put = |bytes: &mut Vec<u8>, map: &mut Vec<u32>, c: u8, at: usize| {
            bytes.push(c);
            map.push(u32::try_from(at).unwrap_or(u32::MAX));
        };
        loop {
            match self.at(index) {
                0 => {
                    self.tick(index - start);
                    self.unclosed(start);
                    return self.push(Kind::Hole { quoted }, start, first);
                }
                b'`' => break,
                b'\\' => {
                    let next = self.at(index + 1);
                    if matches!(next, b'$' | b'`' | b'\\') || (quoted && next == b'"') {
                        put(&mut bytes, &mut map, next, self.origin(index + 1));
                        index += 2;
                    } else {
                        put(&mut bytes, &mut map, b'\\', self.origin(index));
                        index += 1;
                        if next != 0 {
                            put(&mut bytes, &mut map, next, self.origin(index));
                            index += 1;
                        }
                    }
                }
                c => {
                    put(&mut bytes, &mut map, c, self.origin(index));
                    index += 1;
                }
            }
        }
        self.tick(index - start);
        if !self.enter() {
            return self.push(Kind::Hole { quoted }, start, first);
        }
        let list = self.derived(&bytes, &map);
        self.leave();
        self.pos = if self.bailing() { self.end } else { index + 1 };
        self.push(Kind::Subst { list, how: Subst::Tick, quoted }, start, first)
    }

    /// Reads a text of its own (the inside of backticks) as a whole list.
    pub(crate) fn derived(&mut self, bytes: &[u8], map: &[u32]) -> Id {
        let map = if let Map::Within(span) = self.map { Map::Within(span) } else { Map::Table(map) };
        let list = Reader::new(bytes, map, self.s).whole();
        self.after_inner();
        list
    }

    /// `${…}` in all its forms.
    fn brace(&mut self, quoted: bool) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        if !self.enter() {
            return self.push(Kind::Hole { quoted }, start, first);
        }
        self.bump_two();
        let id = match self.peek() {
            b' ' | b'\t' | b'\n' => self.inline_list(Subst::Inline, quoted, start, first),
            b'|' => {
                self.pos += 1;
                self.inline_list(Subst::Reply, quoted, start, first)
            }
            _ => self.brace_param(quoted, start, first),
        };
        self.leave();
        id
    }

    /// `${ …; }` and `${| …; }`.
    fn inline_list(&mut self, how: Subst, quoted: bool, start: usize, first: Id) -> Id {
        let list = self.inner_list();
        if !self.accept(Keyword::Close) {
            self.expected(start);
        }
        self.push(Kind::Subst { list, how, quoted }, start, first)
    }

    fn brace_param(&mut self, quoted: bool, start: usize, first: Id) -> Id {
        let mut param = Param {
            name: String::new(),
            index: None,
            length: false,
            indirect: false,
            op: Op::None,
            args: Vec::new(),
            quoted,
        };
        if self.peek() == b'(' {
            // zsh's flags: `(e)` expands the value as a command line
            self.note(start, self.pos + 1, Why::Dialect);
            return self.bad_brace(param, start, first);
        }
        if self.peek() == b'#' && !matches!(self.second(), b'}' | b':' | b'-' | b'+' | b'=' | b'?' | b'%' | b'/') {
            param.length = true;
            self.pos += 1;
        } else if self.peek() == b'#' && matches!(self.second(), b'-' | b'?') {
            // `${#-}` and `${#?}` are lengths, `${#-x}` is the count with a default
            let third = self.after(self.pos + 1).1 + 1;
            param.length = self.after(third).0 == b'}';
            self.pos += usize::from(param.length);
        } else if self.peek() == b'!' && (is_name(self.second()) || matches!(self.second(), b'#' | b'@' | b'*' | b'?'))
        {
            let (c, at) = self.after(self.pos + 1);
            let lone = matches!(c, b'?' | b'@' | b'*' | b'#') && self.after(at + 1).0 != b'}';
            param.indirect = !lone || is_name(c);
            self.pos += usize::from(param.indirect);
        }
        let c = self.peek();
        if c.is_ascii_digit() {
            while self.peek().is_ascii_digit() {
                param.name.push(char::from(self.at(self.pos)));
                self.pos += 1;
            }
        } else if is_name_start(c) {
            param.name = self.name();
        } else if matches!(c, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            param.name.push(char::from(c));
            self.pos += 1;
        } else {
            let why = if self.zsh() { Why::Dialect } else { Why::Syntax };
            self.note(start, self.pos + 1, why);
            return self.bad_brace(param, start, first);
        }
        if self.peek() == b'[' {
            let open = self.pos;
            self.pos += 1;
            param.index = Some(self.text_word(Ctx::BRACKET));
            if self.peek() == b']' {
                self.pos += 1;
            } else {
                self.unclosed(open);
            }
        }
        self.brace_operator(param, start, first)
    }

    /// What follows the name.
    fn brace_operator(&mut self, mut param: Param, start: usize, first: Id) -> Id {
        let quoted = param.quoted;
        let c = self.peek();
        let second = self.second();
        let colon = c == b':';
        let operator = if colon { second } else { c };
        let plain = Ctx { stop: Stop::Brace, quoted, single: !quoted, subscript: false };
        let pattern = Ctx { stop: Stop::Brace, quoted, single: true, subscript: false };
        match operator {
            _ if c == b'}' => {}
            b'-' | b'=' | b'?' | b'+' => {
                param.op = match operator {
                    b'-' => Op::Default(colon),
                    b'=' => Op::Assign(colon),
                    b'?' => Op::Error(colon),
                    _ => Op::Other(colon),
                };
                if colon {
                    self.bump_two();
                } else {
                    self.pos += 1;
                }
                param.args.push(self.text_word(plain));
            }
            _ if colon => {
                param.op = Op::Slice;
                self.pos += 1;
                let ctx = Ctx { stop: Stop::BraceOr(b':'), ..plain };
                param.args.push(self.text_word(ctx));
                if self.peek() == b':' {
                    self.pos += 1;
                    param.args.push(self.text_word(plain));
                }
            }
            b'#' | b'%' => {
                let double = second == c;
                param.op = if c == b'#' { Op::TrimStart(double) } else { Op::TrimEnd(double) };
                if double {
                    self.bump_two();
                } else {
                    self.pos += 1;
                }
                param.args.push(self.text_word(pattern));
            }
            b'/' => {
                let kind = if matches!(second, b'/' | b'#' | b'%') { second } else { b' ' };
                param.op = Op::Replace(kind);
                if kind == b' ' {
                    self.pos += 1;
                } else {
                    self.bump_two();
                }
                param.args.push(self.text_word(Ctx { stop: Stop::BraceOr(b'/'), ..pattern }));
                if self.peek() == b'/' {
                    self.pos += 1;
                    param.args.push(self.text_word(pattern));
                }
            }
            b'^' | b',' | b'~' => {
                let double = second == c;
                param.op = Op::Case(c, double);
                if double {
                    self.bump_two();
                } else {
                    self.pos += 1;
                }
                param.args.push(self.text_word(pattern));
            }
            b'@' if param.indirect && second == b'}' => {
                param.op = Op::Names;
                self.pos += 1;
            }
            b'@' => {
                param.op = Op::At(second);
                self.bump_two();
            }
            b'*' if param.indirect && second == b'}' => {
                param.op = Op::Names;
                self.pos += 1;
            }
            _ => {
                self.note(start, self.pos + 1, if self.zsh() { Why::Dialect } else { Why::Syntax });
                return self.bad_brace(param, start, first);
            }
        }
        if self.peek() == b'}' {
            self.pos += 1;
        } else if self.bailing() || self.peek() == 0 {
            self.unclosed(start);
        } else {
            self.note(start, self.pos + 1, if self.zsh() { Why::Dialect } else { Why::Syntax });
            return self.bad_brace(param, start, first);
        }
        self.push(Kind::Param(Box::new(param)), start, first)
    }

    /// A form that is not read: what stands in it is, its value is unknown.
    fn bad_brace(&mut self, mut param: Param, start: usize, first: Id) -> Id {
        let ctx = Ctx { stop: Stop::Brace, quoted: param.quoted, single: !param.quoted, subscript: false };
        param.op = Op::Bad;
        let rest = self.text_word(ctx);
        param.args.push(rest);
        if self.peek() == b'}' {
            self.pos += 1;
        } else {
            self.unclosed(start);
        }
        self.push(Kind::Param(Box::new(param)), start, first)
    }
}
