//! The cursor over the text: bytes, blanks, comments, reserved words, limits and what happens on an error.
//!
//! A NUL stands for the end of the text (the caller removes real ones). On an error the reader records an
//! [`Opaque`] and pretends that the text ends here, so that every construct closes itself with what it has;
//! the outermost loop then goes on behind the error. Limits are checked before any recursion.

use std::collections::HashMap;

use crate::tree::{Id, Kind, Node, Tree};
use crate::{Dialect, Limits, Opaque, Span, Why};

/// Most entries of [`Tree::opaque`]; the rest of the text is one more.
const MOST_OPAQUE: usize = 256;
/// Most times that reading goes back to the line after an unclosed quote.
const MOST_REWINDS: u32 = 8;

/// Where the bytes of a text stand in the original.
#[derive(Clone, Copy)]
pub(crate) enum Map<'t> {
    Offset(u32),
    Table(&'t [u32]),
    /// the text is the value of this piece, and not spelled as it stands there
    Within(Span),
}

/// What all readers of one text share.
pub(crate) struct Shared {
    pub(crate) tree: Tree,
    pub(crate) dialect: Dialect,
    pub(crate) limits: Limits,
    pub(crate) depth: usize,
    pub(crate) steps: u64,
    pub(crate) most_steps: u64,
    /// a limit was reached: nothing more is read
    pub(crate) stopped: bool,
}

impl Shared {
    pub(crate) fn new(dialect: Dialect, limits: Limits, bytes: usize) -> Self {
        let most_steps = (bytes as u64).saturating_mul(limits.steps_per_byte as u64).saturating_add(10_000);
        Self { tree: Tree::default(), dialect, limits, depth: 0, steps: 0, most_steps, stopped: false }
    }

    /// Records a piece that is not understood; neighbours of the same kind become one.
    pub(crate) fn opaque(&mut self, span: Span, why: Why) {
        if let Some(last) = self.tree.opaque.last_mut()
            && last.why == why
            && span.start <= last.span.end.saturating_add(1)
            && span.start >= last.span.start
        {
            last.span.end = last.span.end.max(span.end);
            return;
        }
        if self.tree.opaque.len() <= MOST_OPAQUE {
            self.tree.opaque.push(Opaque { span, why });
        }
    }
}

/// Reads one text (the whole, the inside of backticks, a here-document) into the shared tree.
pub(crate) struct Reader<'t, 's> {
    pub(crate) text: &'t [u8],
    pub(crate) map: Map<'t>,
    pub(crate) pos: usize,
    pub(crate) end: usize,
    pub(crate) pending: Vec<crate::heredoc::Pending>,
    /// inside `$(…)`, where a here-document may end with `)` behind its delimiter
    pub(crate) in_subst: bool,
    resume: Option<usize>,
    line_end: usize,
    /// how often the rest was read as another shell would
    pub(crate) looks: u32,
    /// where the text behind an opening parenthesis closes, as far as that was looked for
    pub(crate) parens: HashMap<usize, Option<usize>>,
    rewinds: u32,
    pub(crate) s: &'s mut Shared,
}

/// Whether a byte ends an unquoted word.
pub(crate) fn is_meta(c: u8) -> bool {
    matches!(c, 0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// Whether a byte may begin a variable's name.
pub(crate) fn is_name_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || c == b'_'
}

/// Whether a byte may stand in a variable's name.
pub(crate) fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

impl<'t, 's> Reader<'t, 's> {
    pub(crate) fn new(text: &'t [u8], map: Map<'t>, s: &'s mut Shared) -> Self {
        Self {
            text,
            map,
            pos: 0,
            end: text.len(),
            pending: Vec::new(),
            in_subst: false,
            resume: None,
            line_end: 0,
            looks: 0,
            parens: HashMap::new(),
            rewinds: 0,
            s,
        }
    }

    /// The byte at an index, NUL past the end.
    pub(crate) fn at(&self, index: usize) -> u8 {
        if index < self.end { self.text.get(index).copied().unwrap_or(0) } else { 0 }
    }

    /// The next byte, behind any line continuations.
    pub(crate) fn peek(&mut self) -> u8 {
        loop {
            match self.at(self.pos) {
                b'\\' if self.at(self.pos + 1) == b'\n' => {
                    self.mark(self.pos, self.pos + 2);
                    self.pos += 2;
                }
                c => return c,
            }
        }
    }

    /// The byte behind the next one, and where it stands, behind any line continuations.
    pub(crate) fn after(&self, index: usize) -> (u8, usize) {
        let mut index = index;
        while self.at(index) == b'\\' && self.at(index + 1) == b'\n' {
            index += 2;
        }
        (self.at(index), index)
    }

    /// The byte after the next one.
    pub(crate) fn second(&mut self) -> u8 {
        self.peek();
        self.after(self.pos + 1).0
    }

    /// Steps over two bytes that stand together (a continuation may stand between them).
    pub(crate) fn bump_two(&mut self) {
        self.peek();
        self.pos = self.after(self.pos + 1).1 + 1;
        self.pos = self.pos.min(self.end);
    }

    /// Where an index stands in the original text.
    pub(crate) fn origin(&self, index: usize) -> usize {
        match self.map {
            Map::Offset(by) => index + by as usize,
            Map::Within(span) => span.start as usize,
            Map::Table(table) => match table.get(index) {
                Some(at) => *at as usize,
                None => table.last().map_or(0, |at| *at as usize + 1),
            },
        }
    }

    /// A range of this text as a range of the original.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        if let Map::Within(span) = self.map {
            return span;
        }
        if start >= end {
            let at = self.origin(start);
            return Span::new(at, at);
        }
        Span::new(self.origin(start), self.origin(end - 1) + 1)
    }

    /// Notes bytes that belong to no word: blanks, operators, reserved words, comments.
    pub(crate) fn mark(&mut self, start: usize, end: usize) {
        if self.s.tree.trivia.is_some() && start < end {
            let span = self.span(start, end);
            if let Some(trivia) = self.s.tree.trivia.as_mut() {
                trivia.push(span);
            }
        }
    }

    /// Steps over an operator or reserved word of so many bytes.
    pub(crate) fn token(&mut self, end: usize) {
        let end = end.min(self.end);
        self.mark(self.pos, end);
        self.pos = end;
    }

    /// Counts work; stops all reading at the limit.
    pub(crate) fn tick(&mut self, steps: usize) {
        self.s.steps = self.s.steps.saturating_add(steps as u64);
        if self.s.steps > self.s.most_steps {
            self.stop(Why::TooMuch);
        }
    }

    /// Ends all reading: the rest is opaque.
    pub(crate) fn stop(&mut self, why: Why) {
        if !self.s.stopped {
            self.s.stopped = true;
            let span = self.span(self.pos.min(self.text.len()), self.text.len());
            self.s.opaque(span, why);
        }
        self.cut_off(self.text.len());
    }

    fn cut_off(&mut self, resume: usize) {
        if self.resume.is_none() {
            self.resume = Some(resume);
        }
        self.end = self.end.min(self.pos);
        self.pos = self.end;
        self.pending.clear();
    }

    /// Whether an error is being unwound.
    pub(crate) fn bailing(&self) -> bool {
        self.resume.is_some()
    }

    /// An error at the cursor: records it with the rest of the line, and goes on behind the next token.
    pub(crate) fn fail(&mut self, why: Why) {
        if self.bailing() {
            return;
        }
        let width = match (self.at(self.pos), self.at(self.pos + 1)) {
            (b';' | b'&' | b'|', b';' | b'&' | b'|') => 2,
            (c, _) if is_meta(c) => 1,
            _ => {
                let mut end = self.pos;
                while !is_meta(self.at(end)) && self.at(end) != b'"' && self.at(end) != b'\'' {
                    end += 1;
                }
                (end - self.pos).max(1)
            }
        };
        let resume = (self.pos + width).min(self.end);
        // looked for once a line, however many errors the line holds
        if self.line_end < resume {
            let mut line = resume;
            while line < self.end && self.at(line) != b'\n' {
                line += 1;
            }
            self.tick(line - self.pos);
            self.line_end = line;
        }
        let line = self.line_end;
        let span = self.span(self.pos, line);
        self.s.opaque(span, why);
        self.cut_off(resume);
    }

    /// Something that never closes, opened at `start`: goes on at the line after that, a few times.
    pub(crate) fn unclosed(&mut self, start: usize) {
        if self.bailing() {
            return;
        }
        let span = self.span(start, self.text.len());
        self.s.opaque(span, Why::Unterminated);
        self.rewinds += 1;
        let resume = if self.rewinds > MOST_REWINDS {
            self.text.len()
        } else {
            let rest = self.text.get(start..).unwrap_or_default();
            rest.iter().position(|c| *c == b'\n').map_or(self.text.len(), |at| start + at + 1)
        };
        self.cut_off(resume);
    }

    /// An oddity that does not stop reading.
    pub(crate) fn note(&mut self, start: usize, end: usize, why: Why) {
        let span = self.span(start.min(self.text.len()), end.min(self.text.len()));
        self.s.opaque(span, why);
    }

    /// After an error: where to go on; the end is the real one again.
    pub(crate) fn recover(&mut self) -> bool {
        let Some(resume) = self.resume.take() else {
            return false;
        };
        self.end = self.text.len();
        self.pos = if self.s.stopped { self.end } else { resume.min(self.end) };
        if self.s.tree.opaque.len() > MOST_OPAQUE {
            self.stop(Why::TooMuch);
            self.pos = self.end;
            self.resume = None;
        }
        true
    }

    /// One level deeper, or an error at the limit. Every `true` needs one [`Self::leave`].
    pub(crate) fn enter(&mut self) -> bool {
        if self.s.depth >= self.s.limits.nesting {
            self.fail(Why::TooDeep);
            return false;
        }
        self.s.depth += 1;
        true
    }

    /// Back from [`Self::enter`].
    pub(crate) fn leave(&mut self) {
        self.s.depth = self.s.depth.saturating_sub(1);
    }

    /// Adds a finished node.
    pub(crate) fn push(&mut self, kind: Kind, start: usize, first: Id) -> Id {
        self.push_span(kind, self.span(start, self.pos), first)
    }

    /// Adds a finished node with a span of its own.
    pub(crate) fn push_span(&mut self, kind: Kind, span: Span, first: Id) -> Id {
        let id = self.s.tree.next();
        self.s.tree.nodes.push(Node { kind, span, first });
        if self.s.tree.nodes.len() >= self.s.limits.nodes {
            self.stop(Why::TooMuch);
        }
        id
    }

    /// Steps over blanks, continuations and a comment; stops at a newline.
    pub(crate) fn blanks(&mut self) {
        let start = self.pos;
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'\r' if matches!(self.at(self.pos + 1), b'\n' | 0) => {
                    self.note(self.pos, self.pos + 1, Why::Byte);
                    self.pos += 1;
                }
                b'#' => {
                    while self.at(self.pos) != b'\n' && self.pos < self.end {
                        self.pos += 1;
                    }
                    break;
                }
                _ => break,
            }
        }
        if self.pos > start {
            self.mark(start, self.pos);
            self.tick(self.pos - start);
        }
    }

    /// Steps over blanks, comments and newlines (reading the here-documents that wait for one).
    pub(crate) fn newlines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != b'\n' {
                return;
            }
            self.newline();
        }
    }

    /// Steps over a newline and the here-documents behind it.
    pub(crate) fn newline(&mut self) {
        self.token(self.pos + 1);
        self.tick(1);
        if !self.pending.is_empty() {
            self.here_documents();
        }
    }

    /// The unquoted plain word at the cursor, if it is one of at most nine bytes: a reserved word, perhaps.
    pub(crate) fn keyword(&mut self) -> Option<(Keyword, usize)> {
        let c = self.peek();
        if !(c.is_ascii_lowercase() || matches!(c, b'{' | b'}' | b'!' | b'[')) {
            return None;
        }
        let mut word = [0u8; 9];
        let mut len = 0;
        let mut index = self.pos;
        loop {
            let (c, at) = self.after(index);
            index = at;
            let carriage = c == b'\r' && matches!(self.at(at + 1), b'\n' | 0);
            if is_meta(c) || carriage {
                break;
            }
            *word.get_mut(len)? = c;
            len += 1;
            index += 1;
        }
        let keyword = Keyword::of(word.get(..len)?)?;
        Some((keyword, index))
    }

    /// Steps over this reserved word if it stands here.
    pub(crate) fn accept(&mut self, wanted: Keyword) -> bool {
        match self.keyword() {
            Some((keyword, end)) if keyword == wanted => {
                self.token(end);
                true
            }
            _ => false,
        }
    }
}

/// Reserved words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    If,
    Then,
    Elif,
    Else,
    Fi,
    For,
    Foreach,
    While,
    Until,
    Do,
    Done,
    Case,
    Esac,
    Select,
    Function,
    Coproc,
    Time,
    In,
    Repeat,
    End,
    Open,
    Close,
    Bang,
    Test,
}

impl Keyword {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"for" => Self::For,
            b"foreach" => Self::Foreach,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"select" => Self::Select,
            b"function" => Self::Function,
            b"coproc" => Self::Coproc,
            b"time" => Self::Time,
            b"in" => Self::In,
            b"repeat" => Self::Repeat,
            b"end" => Self::End,
            b"{" => Self::Open,
            b"}" => Self::Close,
            b"!" => Self::Bang,
            b"[[" => Self::Test,
            _ => return None,
        })
    }

    /// Whether it ends a list that something else began.
    pub(crate) fn closes(self) -> bool {
        matches!(
            self,
            Self::Then | Self::Elif | Self::Else | Self::Fi | Self::Do | Self::Done | Self::Esac | Self::Close
        )
    }
}
