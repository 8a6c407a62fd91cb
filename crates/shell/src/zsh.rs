//! Forms that only some shells know: zsh's loops and qualifiers, quotes that a POSIX shell ends elsewhere. What they
//! run is read; the form is noted where another shell reads it otherwise.

use crate::Why;
use crate::lexer::{Keyword, Map, Reader, Shared, is_name};
use crate::tree::{Id, Kind};
use crate::word::Ctx;

/// Most times that the rest of the text is read as another shell would.
const MOST_LOOKS: u32 = 4;

impl Reader<'_, '_> {
    /// At `(` behind a pattern: whether zsh reads qualifiers there, as in `*.txt(N)`. To the others it is an error.
    pub(crate) fn zsh_qualifiers(&mut self, begin: usize) -> bool {
        let word = self.text.get(begin..self.pos).unwrap_or_default();
        if !self.zsh() || !word.iter().any(|c| matches!(c, b'*' | b'?' | b']')) {
            return false;
        }
        let rest = self.text.get(self.pos + 1..self.end).unwrap_or_default();
        let len = rest.iter().take(64).position(|c| *c == b')').unwrap_or(0);
        let qualifiers = rest.get(..len).unwrap_or_default();
        let plain = |c: &u8| c.is_ascii_alphanumeric() || b"./@^-=*%#+:,_[]".contains(c);
        let runs = qualifiers.contains(&b'e') || qualifiers.contains(&b'+');
        len > 0 && qualifiers.iter().all(plain) && !runs
    }

    /// At `*(`: a zsh glob qualifier that runs code is opaque.
    pub(crate) fn zsh_qualifier(&mut self) {
        if !self.zsh() {
            return;
        }
        let open = self.after(self.pos + 1).1;
        let mut index = open + 1;
        if self.at(index) == b'#' && self.at(index + 1) == b'q' {
            index += 2;
        }
        let limit = index + 32;
        let mut runs = false;
        while index < limit {
            let c = self.at(index);
            let next = self.at(index + 1);
            if c == b'+' && is_name(next) {
                runs = true;
            }
            if c == b'e' && !next.is_ascii_alphanumeric() && !matches!(next, b'|' | b')' | b'.' | b'-' | b'_' | 0) {
                runs = true;
            }
            if runs || !(c.is_ascii_alphanumeric() || matches!(c, b'.' | b'/' | b'@' | b'^' | b'-' | b',' | b'=')) {
                break;
            }
            index += 1;
        }
        if runs {
            self.note(self.pos, index + 1, Why::Dialect);
        }
    }

    /// Whether a shell without `$'…'`, to which the quote ended before `from`, could run what follows.
    pub(crate) fn ends_here(&mut self, from: usize) -> bool {
        self.looks += 1;
        if self.looks > MOST_LOOKS {
            return true;
        }
        let rest = self.text.get(from..).unwrap_or_default();
        self.tick(rest.len());
        let bytes = [b"x".as_slice(), rest].concat();
        let mut other = Shared::new(crate::Dialect::Bash, self.s.limits, bytes.len());
        other.depth = self.s.depth;
        Reader::new(&bytes, Map::Offset(0), &mut other).whole();
        let steps = usize::try_from(other.steps).unwrap_or(usize::MAX);
        self.tick(steps);
        other.tree.opaque.is_empty()
    }

    /// Whether zsh's own forms are to be looked for.
    pub(crate) fn zsh(&self) -> bool {
        matches!(self.s.dialect, crate::Dialect::Zsh | crate::Dialect::Unknown)
    }

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
