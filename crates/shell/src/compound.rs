//! Compound commands: groups, conditions, loops, `case`, functions, coprocesses, `[[ ]]`, `(( ))`.

use crate::Why;
use crate::lexer::{Keyword, Reader, is_meta};
use crate::tree::{Arm, Id, Kind};
use crate::word::Ctx;

impl Reader<'_, '_> {
    /// The compound that this reserved word (which ends at `end`) begins, if it begins one.
    pub(crate) fn compound(&mut self, keyword: Keyword, end: usize) -> Option<Id> {
        if !matches!(
            keyword,
            Keyword::Open
                | Keyword::If
                | Keyword::While
                | Keyword::Until
                | Keyword::For
                | Keyword::Select
                | Keyword::Case
                | Keyword::Function
                | Keyword::Coproc
                | Keyword::Test
                | Keyword::Foreach
                | Keyword::Repeat
        ) {
            return None;
        }
        if matches!(keyword, Keyword::Foreach | Keyword::Repeat) && !self.zsh_loop(keyword, end) {
            return None;
        }
        let first = self.s.tree.next();
        let start = self.pos;
        if !self.enter() {
            return Some(self.push(Kind::List { items: Vec::new() }, start, first));
        }
        self.token(end);
        let inner = match keyword {
            Keyword::Open => self.group(start, first),
            Keyword::If => self.if_clause(start, first),
            Keyword::While | Keyword::Until => {
                let cond = self.list_required();
                let body = self.do_group(start);
                self.push(Kind::While { cond, body }, start, first)
            }
            Keyword::For | Keyword::Select | Keyword::Foreach => {
                self.for_loop(keyword == Keyword::Select, start, first)
            }
            Keyword::Repeat => {
                self.blanks();
                let _ = self.word(Ctx::WORD);
                self.separator();
                let cond = self.push(Kind::List { items: Vec::new() }, self.pos, first);
                let body = self.do_group(start);
                self.push(Kind::While { cond, body }, start, first)
            }
            Keyword::Case => self.case(start, first),
            Keyword::Function => {
                let id = self.function_keyword(start);
                self.leave();
                return Some(id);
            }
            Keyword::Coproc => {
                let id = self.coproc(start, first);
                self.leave();
                return Some(id);
            }
            _ => self.test(start, first),
        };
        self.leave();
        Some(self.with_redirects(inner, start, first))
    }

    /// The compound together with the redirects behind it.
    fn with_redirects(&mut self, inner: Id, start: usize, first: Id) -> Id {
        let redirects = self.redirects();
        if redirects.is_empty() || self.bailing() && redirects.is_empty() {
            return inner;
        }
        self.push(Kind::Redirected { inner, redirects }, start, first)
    }

    /// A list that must hold something.
    fn list_required(&mut self) -> Id {
        let id = self.list();
        if let Some(Kind::List { items }) = self.s.tree.get(id).map(|node| &node.kind)
            && items.is_empty()
            && !self.bailing()
        {
            self.note(self.pos, (self.pos + 1).min(self.text.len()), Why::Syntax);
        }
        id
    }

    fn close(&mut self, keyword: Keyword, start: usize) {
        if !self.accept(keyword) {
            self.expected(start);
        }
    }

    fn group(&mut self, start: usize, first: Id) -> Id {
        let list = self.list_required();
        self.close(Keyword::Close, start);
        self.blanks();
        if self.zsh() && self.text.get(self.pos..self.end).unwrap_or_default().starts_with(b"always") {
            let at = self.pos + 6;
            let (c, open) = self.after_blanks(at);
            if c == b'{' && at != open {
                self.note(self.pos, at, Why::Dialect);
                self.token(at);
                self.blanks();
                let open = self.pos;
                self.token(open + 1);
                let always = self.list_required();
                self.close(Keyword::Close, open);
                let both = self.push(Kind::List { items: vec![(list, false), (always, false)] }, start, first);
                return self.push(Kind::Group { list: both }, start, first);
            }
        }
        self.push(Kind::Group { list }, start, first)
    }

    fn after_blanks(&self, from: usize) -> (u8, usize) {
        let (mut c, mut at) = self.after(from);
        let limit = from + 256;
        while matches!(c, b' ' | b'\t') && at < limit {
            (c, at) = self.after(at + 1);
        }
        (c, at)
    }

    /// `( … )` or `(( … ))`.
    pub(crate) fn parenthesis(&mut self) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        if !self.enter() {
            return self.push(Kind::List { items: Vec::new() }, start, first);
        }
        let (second, inner) = self.after(self.pos + 1);
        let id = if second == b'(' && self.arithmetic_end(inner + 1).is_some() {
            self.token(inner + 1);
            let word = self.text_word(Ctx::PARENS);
            self.close_double(start);
            let also = self.suspect(word, start, inner + 1);
            self.push(Kind::Math { word, also }, start, first)
        } else {
            self.token(self.pos + 1);
            let list = self.list_required();
            if self.peek() == b')' {
                self.token(self.pos + 1);
            } else {
                self.expected(start);
            }
            self.push(Kind::Subshell { list }, start, first)
        };
        self.leave();
        self.with_redirects(id, start, first)
    }

    fn if_clause(&mut self, start: usize, first: Id) -> Id {
        let mut arms = Vec::new();
        let mut other = None;
        loop {
            let cond = self.list_required();
            if !self.accept(Keyword::Then) {
                if self.zsh_brace_body(cond, &mut arms, &mut other) {
                    return self.push(Kind::If { arms, other }, start, first);
                }
                self.expected(start);
                let body = self.push(Kind::List { items: Vec::new() }, self.pos, self.s.tree.next());
                arms.push((cond, body));
                break;
            }
            let body = self.list_required();
            arms.push((cond, body));
            if self.accept(Keyword::Elif) {
                continue;
            }
            if self.accept(Keyword::Else) {
                other = Some(self.list_required());
            }
            self.close(Keyword::Fi, start);
            break;
        }
        self.push(Kind::If { arms, other }, start, first)
    }

    /// zsh's `if [[ x ]] { … } else { … }`: the groups were read as part of the condition's list or stand here.
    fn zsh_brace_body(&mut self, cond: Id, arms: &mut Vec<(Id, Id)>, other: &mut Option<Id>) -> bool {
        if !self.zsh() || self.bailing() || !matches!(self.keyword(), Some((Keyword::Else | Keyword::Elif, _))) {
            return false;
        }
        let at = self.pos;
        self.note(at, at + 4, Why::Dialect);
        let body = self.push(Kind::List { items: Vec::new() }, at, self.s.tree.next());
        arms.push((cond, body));
        if self.accept(Keyword::Else) || self.accept(Keyword::Elif) {
            *other = Some(self.list());
        }
        true
    }

    /// `do … done`, or the braces that bash also takes after `for`.
    fn do_group(&mut self, start: usize) -> Id {
        self.newlines();
        if self.accept(Keyword::Do) {
            let body = self.list_required();
            self.close(Keyword::Done, start);
            return body;
        }
        if self.accept(Keyword::Open) {
            let body = self.list_required();
            self.close(Keyword::Close, start);
            return body;
        }
        self.expected(start);
        self.push(Kind::List { items: Vec::new() }, self.pos, self.s.tree.next())
    }

    /// A `;` or newlines before `do`.
    fn separator(&mut self) {
        self.blanks();
        if self.peek() == b';' && self.second() != b';' {
            self.token(self.pos + 1);
        }
        self.newlines();
    }

    fn for_loop(&mut self, select: bool, start: usize, first: Id) -> Id {
        self.blanks();
        if self.peek() == b'(' && self.second() == b'(' {
            return self.arithmetic_for(start, first);
        }
        let word = self.word(Ctx::WORD);
        let name = word.and_then(|id| self.s.tree.literal(id));
        let Some(name) = name else {
            self.fail(Why::Syntax);
            return self.push(Kind::List { items: Vec::new() }, start, first);
        };
        let name = String::from_utf8_lossy(&name).into_owned();
        self.blanks();
        if self.zsh() && self.peek() == b'(' {
            return self.zsh_for(name, start, first);
        }
        self.newlines();
        let words = if self.accept(Keyword::In) {
            let mut words = Vec::new();
            loop {
                self.blanks();
                match self.word(Ctx::WORD) {
                    Some(id) => words.push(id),
                    None => break,
                }
            }
            if !matches!(self.peek(), b';' | b'\n') {
                self.expected(start);
            }
            Some(words)
        } else {
            None
        };
        self.separator();
        let body = self.do_group(start);
        self.push(Kind::For { name, words, body, select }, start, first)
    }

    /// `for ((a; b; c))`: the three parts as one piece of arithmetic.
    fn arithmetic_for(&mut self, start: usize, first: Id) -> Id {
        let inner = self.after(self.pos + 1).1 + 1;
        self.token(inner);
        let head = self.text_word(Ctx::PARENS);
        self.close_double(start);
        self.separator();
        let body = self.do_group(start);
        self.push(Kind::ArithFor { head, body }, start, first)
    }

    fn case(&mut self, start: usize, first: Id) -> Id {
        self.blanks();
        let Some(subject) = self.word(Ctx::WORD) else {
            self.fail(Why::Syntax);
            return self.push(Kind::List { items: Vec::new() }, start, first);
        };
        self.newlines();
        let mut arms = Vec::new();
        if !self.accept(Keyword::In) {
            self.expected(start);
        }
        while !self.bailing() {
            self.newlines();
            if self.accept(Keyword::Esac) {
                break;
            }
            if self.peek() == 0 {
                self.expected(start);
                break;
            }
            match self.arm() {
                Some((arm, more)) => {
                    arms.push(arm);
                    if !more {
                        self.newlines();
                        self.close(Keyword::Esac, start);
                        break;
                    }
                }
                None => break,
            }
        }
        self.push(Kind::Case { subject, arms }, start, first)
    }

    /// One `pattern) list ;;`, and whether another may follow.
    fn arm(&mut self) -> Option<(Arm, bool)> {
        if self.peek() == b'(' {
            self.token(self.pos + 1);
        }
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            match self.word(Ctx::WORD) {
                Some(id) => patterns.push(id),
                None => {
                    self.fail(Why::Syntax);
                    return None;
                }
            }
            self.blanks();
            match self.peek() {
                b'|' if self.second() != b'|' => self.token(self.pos + 1),
                b')' => {
                    self.token(self.pos + 1);
                    break;
                }
                _ => {
                    self.fail(Why::Syntax);
                    return None;
                }
            }
        }
        let body = self.list();
        let mut through = false;
        let more = self.peek() == b';';
        if more {
            let (second, two) = self.after(self.pos + 1);
            let (third, three) = self.after(two + 1);
            through = matches!(second, b'&' | b'|') || third == b'&';
            if second == b'|' {
                self.note(self.pos, two + 1, Why::Dialect);
            }
            let end = if second == b';' && third == b'&' { three + 1 } else { two + 1 };
            self.token(end);
        }
        Some((Arm { patterns, body, through }, more))
    }

    /// `function name [()] body`.
    fn function_keyword(&mut self, start: usize) -> Id {
        let mut names = Vec::new();
        loop {
            self.blanks();
            if matches!(self.keyword(), Some((Keyword::Open, _))) {
                break;
            }
            let Some(word) = self.word(Ctx::WORD) else {
                break;
            };
            let text = self.s.tree.literal(word).unwrap_or_default();
            names.push(String::from_utf8_lossy(&text).into_owned());
            if !self.zsh() {
                break;
            }
        }
        self.blanks();
        if self.peek() == b'(' {
            let (c, at) = self.after_blanks(self.pos + 1);
            if c == b')' {
                self.token(at + 1);
            }
        }
        if names.len() > 1 {
            self.note(start, self.pos, Why::Dialect);
        }
        self.function_body(names, start)
    }

    /// The body behind a function's name.
    pub(crate) fn function_body(&mut self, names: Vec<String>, start: usize) -> Id {
        let first = self.s.tree.next();
        if !self.enter() {
            return self.push(Kind::List { items: Vec::new() }, start, first);
        }
        self.newlines();
        let body = if self.at_close() {
            self.expected(start);
            self.push(Kind::List { items: Vec::new() }, self.pos, first)
        } else {
            self.command_here()
        };
        self.leave();
        self.push(Kind::Function { names, body }, start, first)
    }

    fn coproc(&mut self, start: usize, first: Id) -> Id {
        self.blanks();
        // a name only stands before a compound
        let mut name = None;
        let back = (self.pos, self.s.tree.nodes.len());
        if self.keyword().is_none() && self.peek() != b'(' {
            let mut index = self.pos;
            while !is_meta(self.at(index)) && !matches!(self.at(index), b'\'' | b'"' | b'$' | b'`' | b'=') {
                index += 1;
            }
            self.tick(index - self.pos + 1);
            let (c, at) = self.after_blanks(index);
            if index > self.pos && at > index && (c == b'(' || c == b'{' || c.is_ascii_lowercase() || c == b'[') {
                let text = self.text.get(self.pos..index).unwrap_or_default();
                let text = String::from_utf8_lossy(text).into_owned();
                self.pos = at;
                let compound = c == b'(' || matches!(self.keyword(), Some((keyword, _)) if begins(keyword));
                if compound {
                    self.mark(back.0, at);
                    name = Some(text);
                } else {
                    self.pos = back.0;
                }
            }
        }
        let body = self.command_here();
        self.push(Kind::Coproc { name, body }, start, first)
    }

    /// `[[ … ]]`: a flat row of words, operators among them.
    fn test(&mut self, start: usize, first: Id) -> Id {
        let mut words = Vec::new();
        let mut ctx = Ctx::WORD;
        let mut open = 0usize;
        loop {
            self.newlines();
            let c = self.peek();
            let second = self.second();
            match c {
                0 => {
                    self.unclosed(start);
                    break;
                }
                b'(' if !(ctx.stop == crate::word::Stop::Regex) => {
                    open += 1;
                    self.token(self.pos + 1);
                    continue;
                }
                b')' if open > 0 => {
                    open -= 1;
                    self.token(self.pos + 1);
                    continue;
                }
                b'&' | b'|' if second == c => {
                    let end = self.after(self.pos + 1).1 + 1;
                    self.token(end);
                    continue;
                }
                b'<' | b'>' if second != b'(' => {
                    self.token(self.pos + 1);
                    continue;
                }
                _ => {}
            }
            let Some(word) = self.word(ctx) else {
                self.fail(Why::Syntax);
                break;
            };
            let plain = self.s.tree.plain(word);
            if plain == Some("]]") {
                break;
            }
            ctx = if plain == Some("=~") { Ctx::REGEX } else { Ctx::WORD };
            words.push(word);
        }
        if words.is_empty() && !self.bailing() {
            self.note(start, self.pos, Why::Syntax);
        }
        self.push(Kind::Cond { words }, start, first)
    }
}

/// Whether a reserved word begins a compound command.
fn begins(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Open
            | Keyword::If
            | Keyword::While
            | Keyword::Until
            | Keyword::For
            | Keyword::Select
            | Keyword::Case
            | Keyword::Test
    )
}
