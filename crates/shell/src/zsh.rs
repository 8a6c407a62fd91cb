//! Loops that only zsh knows. What they run is read; the form is noted, as another shell reads it otherwise.

use crate::Why;
use crate::lexer::{Keyword, Reader, is_name};
use crate::tree::{Id, Kind};
use crate::word::Ctx;

impl Reader<'_, '_> {
    /// Whether `foreach` or `repeat` here begins zsh's loop rather than being a program's name.
    pub(crate) fn zsh_loop(&mut self, keyword: Keyword, end: usize) -> bool {
        if !self.zsh() {
            return false;
        }
        let mut index = end;
        while matches!(self.at(index), b' ' | b'\t') && index < end + 256 {
            index += 1;
        }
        let word = index;
        while is_name(self.at(index)) && index < word + 256 {
            index += 1;
        }
        if index == word {
            return false;
        }
        while matches!(self.at(index), b' ' | b'\t') && index < word + 512 {
            index += 1;
        }
        let rest = self.text.get(index..self.end).unwrap_or_default();
        let loops = match keyword {
            Keyword::Foreach => rest.starts_with(b"("),
            _ => rest.starts_with(b"do") || rest.starts_with(b"{") || rest.starts_with(b";"),
        };
        if loops {
            self.note(self.pos, index, Why::Dialect);
        }
        loops
    }

    /// `for name (words) command`.
    pub(crate) fn zsh_for(&mut self, name: String, start: usize, first: Id) -> Id {
        self.note(start, self.pos + 1, Why::Dialect);
        self.token(self.pos + 1);
        let mut words = Vec::new();
        loop {
            self.newlines();
            match self.word(Ctx::WORD) {
                Some(id) => words.push(id),
                None => break,
            }
        }
        if self.peek() == b')' {
            self.token(self.pos + 1);
        } else {
            self.expected(start);
        }
        self.blanks();
        if self.peek() == b';' {
            self.token(self.pos + 1);
        }
        self.newlines();
        let body = if self.accept(Keyword::Do) {
            let body = self.list();
            if !self.accept(Keyword::Done) {
                self.expected(start);
            }
            body
        } else if self.at_close() {
            self.expected(start);
            self.push(Kind::List { items: Vec::new() }, self.pos, first)
        } else {
            let body = self.command_here();
            self.blanks();
            if self.sees(Keyword::End) {
                let _ = self.accept(Keyword::End);
            }
            body
        };
        self.push(Kind::For { name, words: Some(words), body, select: false }, start, first)
    }
}
