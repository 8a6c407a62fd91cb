//! Fenced blocks in a stream of text: the first complete `persona-turn` or `persona-outcome` block is what counts; an
//! open fence is waited for. Bounded: a block larger than [`LARGEST`] is refused by name, what stands between blocks is
//! not kept. A block inside another fence is an example, not a turn.

/// Bytes of one block.
pub const LARGEST: usize = 256 * 1024;

/// Bytes of a line that could still open or close a fence.
const FENCE: usize = 256;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// one turn
    Turn,
    /// how the journey ended
    Outcome,
}

/// What the reader found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// a complete block
    Block {
        /// which
        kind: Kind,
        /// its text
        body: String,
    },
    /// a block that can't be used, in words
    Bad(String),
}

/// Reads text as it comes.
#[derive(Debug, Default)]
pub struct Reader {
    line: String,
    /// the rest of this line is too long to be a fence
    long: bool,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    mark: char,
    count: usize,
    kind: Option<Kind>,
    body: String,
    too_large: bool,
}

impl Reader {
    /// More text; what became complete by it, in order.
    pub fn push(&mut self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for piece in text.split_inclusive('\n') {
            let (words, ended) = piece.strip_suffix('\n').map_or((piece, false), |words| (words, true));
            self.take(words);
            if ended {
                found.extend(self.end_line());
            }
        }
        found
    }

    /// The message is over: a fence that is still open is closed by nothing.
    pub fn end(&mut self) -> Option<Found> {
        let closed = if self.line.is_empty() && !self.long { None } else { self.end_line() };
        let open = self.open.take();
        closed.or_else(|| {
            let name = name(open?.kind?);
            Some(Found::Bad(format!("the `{name}` block has no closing fence")))
        })
    }

    fn take(&mut self, words: &str) {
        let most = self.open.as_ref().filter(|open| open.kind.is_some()).map_or(FENCE, |_| LARGEST);
        if self.line.len() + words.len() > most {
            self.long = true;
            if let Some(open) = &mut self.open {
                open.too_large |= open.kind.is_some();
            }
        } else if !self.long {
            self.line.push_str(words);
        }
    }

    fn end_line(&mut self) -> Option<Found> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.long) {
            return None;
        }
        let line = line.strip_suffix('\r').unwrap_or(&line);
        let fence = fence(line);
        match (&mut self.open, fence) {
            (Some(open), Some((mark, count, ""))) if mark == open.mark && count >= open.count => self.close(),
            (Some(open), _) => {
                open.keep(line);
                None
            }
            (None, Some((mark, count, info))) => {
                let kind = match info.split_whitespace().next() {
                    Some("persona-turn") => Some(Kind::Turn),
                    Some("persona-outcome") => Some(Kind::Outcome),
                    _ => None,
                };
                self.open = Some(Open { mark, count, kind, body: String::new(), too_large: false });
                None
            }
            (None, None) => None,
        }
    }

    fn close(&mut self) -> Option<Found> {
        let open = self.open.take()?;
        let kind = open.kind?;
        if open.too_large {
            return Some(Found::Bad(format!("the `{}` block is larger than {LARGEST} bytes", name(kind))));
        }
        Some(Found::Block { kind, body: open.body })
    }
}

impl Open {
    fn keep(&mut self, line: &str) {
        if self.kind.is_none() || self.too_large {
            return;
        }
        if self.body.len() + line.len() >= LARGEST {
            self.too_large = true;
            self.body = String::new();
            return;
        }
        self.body.push_str(line);
        self.body.push('\n');
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Turn => "persona-turn",
        Kind::Outcome => "persona-outcome",
    }
}

/// The mark, its length and what stands behind it.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim_start_matches([' ', '\t']);
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let count = line.len() - rest.len();
    let info = rest.trim();
    (count >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, count, info))
}
