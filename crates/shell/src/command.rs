//! Lists, pipelines and simple commands.
//!
//! Lists, `&&` chains, pipelines and words are loops; only a construct within a construct recurses, and
//! [`Reader::enter`] bounds that.

use crate::lexer::{Keyword, Reader, is_meta, is_name};
use crate::tree::{Fd, Id, Join, Kind};
use crate::word::Ctx;
use crate::{Dialect, RedirectOp, Why};

impl Reader<'_, '_> {
    /// The whole text, going on after errors.
    pub(crate) fn whole(mut self) -> Id {
        let first = self.s.tree.next();
        let depth = self.s.depth;
        let mut items = Vec::new();
        loop {
            let before = self.pos;
            items.push((self.list(), false));
            if !self.bailing() && self.pos < self.end {
                // something that closes what was never opened
                self.fail(Why::Syntax);
            }
            if !self.bailing() {
                break;
            }
            self.s.depth = depth;
            self.in_subst = false;
            if !self.recover() || self.pos >= self.end {
                break;
            }
            self.tick(1 + self.pos.abs_diff(before) / 64);
        }
        self.s.depth = depth;
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() && !self.s.stopped {
            self.pending = pending;
            self.here_documents();
        }
        let span = self.span(0, self.text.len());
        if let [(only, _)] = items.as_slice() {
            return *only;
        }
        self.push_span(Kind::List { items }, span, first)
    }

    /// Whether something that ends the current list stands here.
    pub(crate) fn at_close(&mut self) -> bool {
        match self.peek() {
            0 | b')' => true,
            b';' => matches!(self.second(), b';' | b'&' | b'|'),
            _ => matches!(self.keyword(), Some((keyword, _)) if keyword.closes()),
        }
    }

    /// Commands up to something that closes; the caller looks at what it is.
    pub(crate) fn list(&mut self) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        let mut items = Vec::new();
        loop {
            self.newlines();
            if self.at_close() {
                break;
            }
            let before = self.pos;
            let id = self.and_or();
            self.blanks();
            let mut background = false;
            match self.peek() {
                b';' if !matches!(self.second(), b';' | b'&' | b'|') => self.token(self.pos + 1),
                b'&' => {
                    background = true;
                    self.token(self.pos + 1);
                    if self.zsh() && matches!(self.peek(), b'|' | b'!') && !matches!(self.second(), b'|' | b'(') {
                        self.zsh_disown();
                    }
                }
                b'\n' => self.newline(),
                _ => {
                    if !self.at_close() {
                        self.fail(Why::Syntax);
                    }
                    items.push((id, false));
                    break;
                }
            }
            items.push((id, background));
            if self.pos == before {
                self.fail(Why::Syntax);
            }
        }
        self.push(Kind::List { items }, start, first)
    }

    /// zsh's `&|` and `&!`.
    fn zsh_disown(&mut self) {
        let (c, at) = self.after(self.pos + 1);
        if is_meta(c) && self.at(self.pos) == b'!' || self.at(self.pos) == b'|' {
            self.note(self.pos, at, Why::Dialect);
            self.token(self.pos + 1);
        }
    }

    fn and_or(&mut self) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        let head = self.pipeline();
        let mut tail = Vec::new();
        loop {
            self.blanks();
            let join = match (self.peek(), self.second()) {
                (b'&', b'&') => Join::And,
                (b'|', b'|') => Join::Or,
                _ => break,
            };
            let end = self.after(self.pos + 1).1 + 1;
            self.token(end);
            self.newlines();
            if self.at_close() {
                self.missing();
                break;
            }
            tail.push((join, self.pipeline()));
        }
        if tail.is_empty() {
            return head;
        }
        self.push(Kind::AndOr { head, tail }, start, first)
    }

    /// A command is missing before what stands here.
    fn missing(&mut self) {
        if self.peek() == 0 {
            if !self.bailing() {
                self.note(self.pos, self.pos, Why::Unterminated);
            }
        } else {
            self.fail(Why::Syntax);
        }
    }

    fn pipeline(&mut self) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        self.prefixes();
        self.blanks();
        if matches!(self.peek(), b';' | b'\n' | 0 | b'&') {
            // `!` or `time` alone
            if self.pos == start || self.peek() == b'&' {
                self.missing();
            }
            let nothing = Kind::List { items: Vec::new() };
            return self.push(nothing, start, first);
        }
        let mut members = vec![self.command_here()];
        loop {
            self.blanks();
            if self.peek() != b'|' || self.second() == b'|' {
                break;
            }
            if self.second() == b'&' {
                let end = self.after(self.pos + 1).1 + 1;
                self.token(end);
            } else {
                self.token(self.pos + 1);
            }
            self.newlines();
            self.prefixes();
            if self.at_close() {
                self.missing();
                break;
            }
            members.push(self.command_here());
        }
        if let [only] = members.as_slice() {
            return *only;
        }
        self.push(Kind::Pipeline { members }, start, first)
    }

    /// `!` and `time`, any number of them.
    fn prefixes(&mut self) {
        loop {
            self.blanks();
            match self.keyword() {
                Some((Keyword::Bang, end)) => self.token(end),
                Some((Keyword::Time, end)) => {
                    self.token(end);
                    self.blanks();
                    for option in [b"-p".as_slice(), b"--"] {
                        let word = self.text.get(self.pos..self.end).unwrap_or_default();
                        if word.starts_with(option) && is_meta(self.at(self.pos + 2)) {
                            self.token(self.pos + 2);
                            self.blanks();
                        }
                    }
                }
                _ => return,
            }
        }
    }

    /// One command, simple or compound.
    pub(crate) fn command_here(&mut self) -> Id {
        self.tick(1);
        self.blanks();
        match self.peek() {
            b'(' => return self.parenthesis(),
            // without extended globs this is a negated subshell, with them a pattern: read as the first
            b'!' if self.second() == b'(' => {
                self.token(self.pos + 1);
                return self.parenthesis();
            }
            _ => {}
        }
        if let Some((keyword, end)) = self.keyword()
            && let Some(id) = self.compound(keyword, end)
        {
            return id;
        }
        if let Some(names) = self.function_head() {
            return self.function_body(names.0, names.1);
        }
        self.simple()
    }

    /// `name ()`: its name, with the cursor behind the parentheses.
    fn function_head(&mut self) -> Option<(Vec<String>, usize)> {
        let start = self.pos;
        let mut index = self.pos;
        let mut name = Vec::new();
        loop {
            let (c, at) = self.after(index);
            index = at;
            if matches!(c, b'\'' | b'"' | b'`' | b'\\') || (is_meta(c) || c == b'$') {
                break;
            }
            name.push(c);
            index += 1;
        }
        self.tick(name.len() + 1);
        if self.at(index) == b'$' {
            return None;
        }
        let (mut c, mut at) = self.after(index);
        while matches!(c, b' ' | b'\t') {
            (c, at) = self.after(at + 1);
        }
        if c != b'(' || name.is_empty() {
            return None;
        }
        (c, at) = self.after(at + 1);
        while matches!(c, b' ' | b'\t') {
            (c, at) = self.after(at + 1);
        }
        if c != b')' || name.contains(&b'=') {
            return None;
        }
        self.token(at + 1);
        Some((vec![String::from_utf8_lossy(&name).into_owned()], start))
    }

    /// Assignments, words and redirects in any order.
    fn simple(&mut self) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        let (mut assigns, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        let mut declares = false;
        let mut ampersand = false;
        let mut end = self.pos;
        loop {
            self.blanks();
            let both = self.peek() == b'&';
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                end = self.pos;
                ampersand |= both;
                continue;
            }
            if self.bailing() {
                break;
            }
            if (words.is_empty() || declares)
                && let Some(name_end) = self.assignment_name()
                && (words.is_empty() || self.takes_array(name_end))
            {
                let id = self.assignment(name_end);
                end = self.pos;
                let assigns_here = matches!(self.s.tree.get(id).map(|node| &node.kind), Some(Kind::Assign { .. }));
                if assigns_here && words.is_empty() {
                    assigns.push(id);
                } else {
                    words.push(id);
                }
                continue;
            }
            let Some(word) = self.word(Ctx::WORD) else {
                break;
            };
            if ampersand && matches!(self.s.dialect, Dialect::Sh | Dialect::Unknown) {
                // to a POSIX shell `&` ended the command, and this is another one
                let span = self.s.tree.span(word);
                self.s.opaque(span, Why::Dialect);
            }
            if words.is_empty() {
                declares = self.s.tree.plain(word).is_some_and(declares_arrays);
            }
            words.push(word);
            end = self.pos;
        }
        if self.peek() == b'(' && !words.is_empty() && !self.bailing() {
            self.zsh_parenthesis();
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            self.fail(Why::Syntax);
        }
        let span = self.span(start, end.min(self.text.len()));
        self.push_span(Kind::Simple { assigns, words, redirects }, span, first)
    }

    /// `(…)` glued to a word: a pattern to zsh, an error to the others.
    fn zsh_parenthesis(&mut self) {
        self.fail(if self.zsh() { Why::Dialect } else { Why::Syntax });
    }

    /// Whether `NAME=(` stands here, as an argument of `declare` and its like.
    fn takes_array(&mut self, name_end: usize) -> bool {
        let mut index = name_end;
        if self.at(index) == b'[' {
            return false;
        }
        if self.at(index) == b'+' {
            index = self.after(index + 1).1;
        }
        self.after(index + 1).0 == b'('
    }

    /// Redirects behind a compound command.
    pub(crate) fn redirects(&mut self) -> Vec<Id> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect() {
                Some(id) => redirects.push(id),
                None => return redirects,
            }
        }
    }

    /// A redirect, if one stands here.
    pub(crate) fn redirect(&mut self) -> Option<Id> {
        let first = self.s.tree.next();
        let start = self.pos;
        let c = self.peek();
        let (fd, op_at) = match c {
            b'0'..=b'9' => {
                let mut index = self.pos;
                let mut number = 0u32;
                loop {
                    let (c, at) = self.after(index);
                    index = at;
                    if !c.is_ascii_digit() {
                        break;
                    }
                    number = number.saturating_mul(10).saturating_add(u32::from(c - b'0'));
                    index += 1;
                }
                self.tick((index - self.pos) / 8);
                (Fd::Number(number), index)
            }
            b'{' => {
                let mut index = self.pos + 1;
                let mut name = String::new();
                loop {
                    let (c, at) = self.after(index);
                    index = at;
                    let bracket = !name.is_empty() && matches!(c, b'[' | b']');
                    if !(is_name(c) || bracket) {
                        break;
                    }
                    name.push(char::from(c));
                    index += 1;
                }
                self.tick((index - self.pos) / 8);
                if name.is_empty() || self.at(index) != b'}' {
                    return None;
                }
                (Fd::Name(name), self.after(index + 1).1)
            }
            _ => (Fd::Default, self.pos),
        };
        let (op, len_end, strip) = self.redirect_operator(op_at, &fd)?;
        let input = self.at(op_at) == b'<';
        self.token(len_end);
        if matches!(op, RedirectOp::HereDoc) {
            let (target, slot) = self.here_delimiter(strip)?;
            return Some(self.push(Kind::Redirect { op, fd, target, here: Some(slot), input }, start, first));
        }
        self.blanks();
        let Some(target) = self.word(Ctx::WORD) else {
            self.fail(Why::Syntax);
            return None;
        };
        let op = self.duplicates(op, target);
        Some(self.push(Kind::Redirect { op, fd, target, here: None, input }, start, first))
    }

    /// The operator at an index, where it ends, and whether it strips tabs.
    fn redirect_operator(&mut self, at: usize, fd: &Fd) -> Option<(RedirectOp, usize, bool)> {
        let c = self.at(at);
        let (second, two) = self.after(at + 1);
        let (third, three) = self.after(two + 1);
        let one = at + 1;
        let found = match (c, second, third) {
            (b'<' | b'>', b'(', _) => return None,
            (b'<', b'<', b'<') => (RedirectOp::HereString, three + 1, false),
            (b'<', b'<', b'-') => (RedirectOp::HereDoc, three + 1, true),
            (b'<', b'<', _) => (RedirectOp::HereDoc, two + 1, false),
            (b'<', b'>', _) => (RedirectOp::ReadWrite, two + 1, false),
            (b'<', b'&', _) => (RedirectOp::Duplicate, two + 1, false),
            (b'<', _, _) => (RedirectOp::Read, one, false),
            (b'>', b'>', b'|' | b'!') if self.clobbers(third, three) => (RedirectOp::Append, three + 1, false),
            (b'>', b'!', _) if self.clobbers(second, two) => (RedirectOp::Write, two + 1, false),
            (b'>', b'>', _) => (RedirectOp::Append, two + 1, false),
            (b'>', b'|', _) => (RedirectOp::Write, two + 1, false),
            (b'>', b'&', _) => (RedirectOp::Duplicate, two + 1, false),
            (b'>', _, _) => (RedirectOp::Write, one, false),
            (b'&', b'>', b'>') if *fd == Fd::Default => (RedirectOp::AppendBoth, three + 1, false),
            (b'&', b'>', _) if *fd == Fd::Default => (RedirectOp::WriteBoth, two + 1, false),
            _ => return None,
        };
        Some(found)
    }

    /// Whether zsh's `>!`, `>>!` and `>>|` stand here; the others take the mark for the start of the file's name.
    fn clobbers(&mut self, mark: u8, at: usize) -> bool {
        if !self.zsh() || (mark == b'|' && self.after(at + 1).0 == b'|') {
            return false;
        }
        self.note(at, at + 1, Why::Dialect);
        true
    }

    /// `>&` with a file instead of a descriptor writes both streams.
    fn duplicates(&self, op: RedirectOp, target: Id) -> RedirectOp {
        if op != RedirectOp::Duplicate {
            return op;
        }
        match self.s.tree.literal(target) {
            Some(text) => {
                let digits = text.strip_suffix(b"-").unwrap_or(&text);
                let descriptor = digits.iter().all(u8::is_ascii_digit);
                if descriptor { op } else { RedirectOp::WriteBoth }
            }
            None => RedirectOp::WriteBoth,
        }
    }
}

/// Whether an argument `NAME=(…)` of this program is an array.
fn declares_arrays(name: &str) -> bool {
    matches!(
        name,
        "declare" | "typeset" | "local" | "export" | "readonly" | "eval" | "let" | "alias" | "builtin" | "command"
    )
}
