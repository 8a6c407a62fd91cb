//! Assignments as the reader sees them: `NAME=`, `NAME+=`, `NAME[…]=`, arrays.

use crate::Why;
use crate::lexer::{Reader, is_name, is_name_start};
use crate::tree::{Id, Kind};
use crate::word::{Ctx, Run};

impl Reader<'_, '_> {
    /// Whether an assignment begins here: where its `=`, `+=` or `[` stands.
    pub(crate) fn assignment_name(&mut self) -> Option<usize> {
        if !is_name_start(self.peek()) {
            return None;
        }
        let mut index = self.pos;
        loop {
            let (c, at) = self.after(index);
            index = at;
            if !is_name(c) {
                break;
            }
            index += 1;
        }
        self.tick(1);
        match self.at(index) {
            b'=' | b'[' => Some(index),
            b'+' if self.after(index + 1).0 == b'=' => Some(index),
            _ => None,
        }
    }

    /// `NAME=…`, `NAME+=…`, `NAME[…]=…` where [`Self::assignment_name`] found one; a word if no `=` follows the `]`.
    pub(crate) fn assignment(&mut self, name_end: usize) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        let mut name = Run::default();
        while self.pos < name_end && is_name(self.peek()) {
            name.add(self.at(self.pos), self.pos);
            self.pos += 1;
        }
        let text = String::from_utf8_lossy(&name.text).into_owned();
        let mut index = None;
        if self.peek() == b'[' {
            let open = self.pos;
            self.pos += 1;
            let inner = self.scan(Ctx::BRACKET);
            if self.peek() != b']' {
                self.unclosed(open);
            } else {
                self.pos += 1;
            }
            let c = self.peek();
            if c != b'=' && !(c == b'+' && self.second() == b'=') {
                name.add(b'[', open);
                let mut parts = Vec::new();
                self.flush(&mut name, &mut parts, false);
                parts.extend(inner);
                if !self.bailing() {
                    let mut close = Run::default();
                    close.add(b']', self.pos.saturating_sub(1));
                    self.flush(&mut close, &mut parts, false);
                }
                parts.extend(self.scan(Ctx::WORD));
                return self.push(Kind::Word { parts }, start, first);
            }
            index = Some(self.push(Kind::Word { parts: inner }, open, first));
        }
        let append = self.peek() == b'+';
        if append {
            self.pos += 1;
        }
        if self.peek() == b'=' {
            self.pos += 1;
        }
        let value = if self.peek() == b'(' { self.array() } else { self.text_word(Ctx::WORD) };
        self.push(Kind::Assign { name: text, index, append, value }, start, first)
    }

    /// `(a b [k]=c)` behind an assignment's `=`.
    pub(crate) fn array(&mut self) -> Id {
        let first = self.s.tree.next();
        let start = self.pos;
        self.token(self.pos + 1);
        let mut items = Vec::new();
        loop {
            self.newlines();
            match self.peek() {
                b')' => {
                    self.token(self.pos + 1);
                    break;
                }
                0 => {
                    self.unclosed(start);
                    break;
                }
                _ => {}
            }
            let ctx = Ctx { subscript: true, ..Ctx::WORD };
            // `[key]=value`: the key may hold blanks
            let item = if self.peek() == b'[' { self.keyed_item() } else { self.word(ctx) };
            match item {
                Some(id) => items.push(id),
                None => {
                    self.fail(Why::Syntax);
                    break;
                }
            }
        }
        let array = self.push(Kind::Array { items }, start, first);
        self.push(Kind::Word { parts: vec![array] }, start, first)
    }

    /// `[key]=value` in an array.
    fn keyed_item(&mut self) -> Option<Id> {
        let first = self.s.tree.next();
        let start = self.pos;
        let mut run = Run::default();
        let mut parts = Vec::new();
        self.subscript(&mut run, &mut parts);
        self.flush(&mut run, &mut parts, false);
        let rest = self.scan(Ctx::WORD);
        parts.extend(rest);
        Some(self.push(Kind::Word { parts }, start, first))
    }
}
