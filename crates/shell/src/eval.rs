//! Words to values: every part is evaluated once (so that each nested command is listed once), then braces
//! are expanded and fields are split.

use crate::brace::{self, Expanded, Tok};
use crate::fields::{Fields, Piece};
use crate::substitute;
use crate::tree::{Id, Kind, Subst, Tree};
use crate::walk::{At, Walk};
use crate::{Contexts, Dialect, Span, Stdin, Value, Why, Word};

impl Walk<'_> {
    /// The words that a word becomes.
    pub(crate) fn words(&mut self, t: &Tree, id: Id, at: &At, out: &mut Vec<Word>) {
        let span = t.span(id);
        // most words are one piece of plain text
        if let [part] = t.parts(id)
            && let Some(Kind::Text { text, quoted, at }) = t.get(*part).map(|node| &node.kind)
            && (*quoted || !text.iter().any(|c| matches!(c, b'*' | b'?' | b'[' | b'(' | b'{' | b'~')))
            && let Ok(text) = std::str::from_utf8(text)
        {
            self.work(1 + text.len() / 16);
            out.push(Word {
                span,
                value: Value::Exact(text.to_owned()),
                quoted: *quoted,
                glob: false,
                split: false,
                verbatim: *at,
            });
            return;
        }
        let mut pieces = self.pieces(t, id, at);
        let ifs = self.ifs();
        if self.flow.odd_words
            && pieces.iter().any(|piece| matches!(piece, Piece::Text { text, quoted: false, .. } if text.contains('{')))
        {
            out.push(unknown(span));
            return;
        }
        match braces(&pieces) {
            Expanded::Same => {
                self.tilde(&mut pieces, false);
                self.build(span, &pieces, ifs.as_deref(), out);
            }
            Expanded::Words(words) => {
                for word in words {
                    let mut pieces = regroup(&word, &pieces);
                    self.tilde(&mut pieces, false);
                    self.build(span, &pieces, ifs.as_deref(), out);
                }
            }
            Expanded::TooMany(lead) => {
                let mut pieces = regroup(&lead, &pieces);
                pieces.push(Piece::Value { value: Value::Unknown, quoted: false });
                self.build(span, &pieces, Some(" \t\n"), out);
            }
        }
    }

    fn build(&mut self, span: Span, pieces: &[Piece], ifs: Option<&str>, out: &mut Vec<Word>) {
        let mut fields = Fields::new(span, ifs, false);
        for piece in pieces {
            fields.push(piece);
        }
        let (words, spent) = fields.done();
        let affordable = self.spend(spent, words.len());
        for mut word in words {
            if !affordable {
                word = unknown(span);
            }
            out.push(word);
            if !affordable {
                return;
            }
        }
    }

    /// The one value of a word where nothing is split (assignments, here-documents, `case`).
    pub(crate) fn single(&mut self, t: &Tree, id: Id, at: &At, assignment: bool) -> Word {
        let span = t.span(id);
        let mut pieces = self.pieces(t, id, at);
        self.tilde(&mut pieces, assignment);
        let mut fields = Fields::new(span, None, true);
        for piece in &pieces {
            fields.push(piece);
        }
        let (word, spent) = fields.one();
        if self.spend(spent, 1) { word } else { unknown(span) }
    }

    /// A redirect's target: split into several words it is unknown.
    pub(crate) fn target(&mut self, t: &Tree, id: Id, at: &At) -> Word {
        let mut words = Vec::new();
        self.words(t, id, at, &mut words);
        let span = t.span(id);
        match words.pop() {
            Some(word) if words.is_empty() => word,
            _ => unknown(span),
        }
    }

    /// The separators, if they are known.
    fn ifs(&self) -> Option<String> {
        match self.flow.get("IFS").value {
            Value::Exact(text) => Some(text),
            _ => None,
        }
    }

    /// Every part of a word, evaluated.
    fn pieces(&mut self, t: &Tree, id: Id, at: &At) -> Vec<Piece> {
        let parts = t.parts(id);
        let mut pieces = Vec::with_capacity(parts.len());
        for part in parts {
            let piece = self.piece(t, *part, at);
            pieces.push(piece);
        }
        pieces
    }

    fn piece(&mut self, t: &Tree, id: Id, at: &At) -> Piece {
        self.work(1);
        let Some(node) = t.get(id) else {
            return Piece::Value { value: Value::Unknown, quoted: true };
        };
        match &node.kind {
            Kind::Text { text, quoted, at } => {
                self.work(text.len() / 16);
                match std::str::from_utf8(text) {
                    Ok(text) => Piece::Text { text: text.to_owned(), quoted: *quoted, at: *at },
                    Err(error) => {
                        let lead = text.get(..error.valid_up_to()).unwrap_or_default();
                        Piece::Bytes { lead: String::from_utf8_lossy(lead).into_owned(), quoted: *quoted }
                    }
                }
            }
            Kind::Param(param) => self.param(t, param, node.span, at),
            Kind::Subst { list, how, quoted } => {
                let value = self.substitution(t, *list, *how, at);
                let whole = matches!(how, Subst::In | Subst::Out | Subst::File);
                Piece::Value { value, quoted: *quoted || whole }
            }
            Kind::Arith { word, quoted, also } => {
                self.arithmetic(t, *word, at);
                if let Some(also) = also {
                    self.substitution(t, *also, Subst::Dollar, at);
                }
                Piece::Value { value: Value::Unknown, quoted: *quoted }
            }
            Kind::Array { items } => {
                for item in items {
                    let mut words = Vec::new();
                    self.words(t, *item, at, &mut words);
                }
                Piece::Value { value: Value::Unknown, quoted: true }
            }
            _ => Piece::Value { value: Value::Unknown, quoted: matches!(node.kind, Kind::Hole { quoted: true }) },
        }
    }

    /// The elements of an array, if all are known.
    pub(crate) fn elements(&mut self, t: &Tree, value: Id, at: &At) -> Option<Option<Vec<Value>>> {
        let [only] = t.parts(value) else { return None };
        let Some(Kind::Array { items }) = t.get(*only).map(|node| &node.kind) else {
            return None;
        };
        let mut words = Vec::new();
        let mut keyed = false;
        for item in items {
            self.subscript_code(t, *item, at);
            keyed |= t.parts(*item).first().is_some_and(
                |part| matches!(t.get(*part).map(|node| &node.kind), Some(Kind::Text { text, quoted: false, .. }) if text.starts_with(b"[")),
            );
            self.words(t, *item, at, &mut words);
        }
        if keyed || words.iter().any(|word| word.split || word.glob) {
            return Some(None);
        }
        Some(Some(words.into_iter().map(|word| word.value).collect()))
    }

    /// Quoted code in the subscript of an array's element: it is evaluated all the same.
    fn subscript_code(&mut self, t: &Tree, item: Id, at: &At) {
        let bracket = |id: &Id| matches!(t.get(*id).map(|node| &node.kind), Some(Kind::Text { text, .. }) if text.starts_with(b"["));
        if !self.loaded.any() || !t.parts(item).first().is_some_and(bracket) {
            return;
        }
        for part in t.parts(item) {
            if let Some(Kind::Text { text, quoted: true, .. }) = t.get(*part).map(|node| &node.kind)
                && text.iter().any(|c| matches!(c, b'$' | b'`'))
            {
                let text = String::from_utf8_lossy(text).into_owned();
                self.reread(&text, &crate::loaded::value_word(&text, t.span(*part)), at);
            }
        }
    }

    /// `~`, `~+`, `~-` at the start (and after `:` in assignments).
    fn tilde(&mut self, pieces: &mut Vec<Piece>, assignment: bool) {
        let text = match pieces.first() {
            Some(Piece::Text { text, quoted: false, .. }) if text.contains('~') => text.clone(),
            _ => return,
        };
        // `NAME=~` in an argument: bash expands it everywhere, the others after `export` and its kin
        let name = crate::effects::name_of(&text);
        let named = text.get(name.len()..).is_some_and(|rest| rest.starts_with('='))
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(crate::lexer::is_name);
        let expands = assignment || (named && matches!(self.dialect, Dialect::Bash | Dialect::Unknown));
        let replace = |pieces: &mut Vec<Piece>, new: Vec<Piece>| drop(pieces.splice(0..1, new));
        if expands && text.contains(":~") {
            // several paths: what is not the first is not looked at
            replace(pieces, vec![Piece::Value { value: Value::Unknown, quoted: true }]);
            return;
        }
        let lead = if named && expands { name.len() + 1 } else { 0 };
        let (before, text) = text.split_at_checked(lead).unwrap_or_default();
        if !text.starts_with('~') {
            return;
        }
        let end = text.find(['/', ':']).filter(|end| assignment || text.get(*end..*end + 1) == Some("/"));
        let user = match end {
            Some(end) => text.get(1..end).unwrap_or_default(),
            None if pieces.len() == 1 => text.get(1..).unwrap_or_default(),
            None => return,
        };
        let rest = end.and_then(|end| text.get(end..)).unwrap_or_default();
        let base = match user {
            _ if !before.is_empty() && !assignment && self.dialect == Dialect::Unknown => Value::Unknown,
            "" => self.flow.get("HOME").value,
            "+" => self.flow.get("PWD").value,
            "-" => self.flow.get("OLDPWD").value,
            _ => Value::Unknown,
        };
        let mut new = Vec::new();
        if !before.is_empty() {
            new.push(Piece::Text { text: before.to_owned(), quoted: false, at: None });
        }
        new.push(Piece::Value { value: base, quoted: true });
        new.push(Piece::Text { text: rest.to_owned(), quoted: false, at: None });
        replace(pieces, new);
    }

    /// Walks a nested list and says what its output is known to be.
    pub(crate) fn substitution(&mut self, t: &Tree, list: Id, how: Subst, at: &At) -> Value {
        let process = matches!(how, Subst::In | Subst::Out | Subst::File);
        let context = if process { Contexts::PROCESS } else { Contexts::SUBSTITUTION };
        let inner = At { contexts: at.contexts.with(context), parent: at.parent, pipe: None, function: at.function };
        let from = self.out.commands.len();
        let stdin = self.stdin.clone();
        if how == Subst::Out {
            self.stdin = self.written_by(at);
        }
        let same_shell = matches!(how, Subst::Inline | Subst::Reply);
        let mark = self.flow.mark();
        self.node(t, list, &inner);
        let mut value = Value::Unknown;
        match how {
            Subst::Dollar | Subst::Tick | Subst::Inline => value = substitute::output(self, t, list, from),
            Subst::In | Subst::Out => value = Value::Prefix("/dev/fd/".to_owned()),
            Subst::File | Subst::Reply => {}
        }
        if same_shell {
            // bash 5.3 runs it here, older ones not at all
            self.flow.maybe(mark);
        } else {
            let undone = self.flow.rollback(mark);
            self.work(undone);
        }
        self.stdin = stdin;
        value
    }

    /// Where the standard input of `>(…)` comes from: the command it belongs to, and what that one reads.
    fn written_by(&mut self, at: &At) -> std::rc::Rc<Stdin> {
        let mut from: Vec<u32> = match self.stdin.as_ref() {
            Stdin::Pipe(from) => from.clone(),
            _ => Vec::new(),
        };
        match at.parent {
            Some(parent) => from.push(parent),
            None => from.extend(self.compound_commands()),
        }
        self.indices(from.len());
        std::rc::Rc::new(Stdin::Pipe(from))
    }

    /// Text, nested commands and assignments in arithmetic.
    pub(crate) fn arithmetic(&mut self, t: &Tree, word: Id, at: &At) {
        let raw = crate::effects::raw(t, word);
        self.work(raw.len() / 4);
        let value = self.single(t, word, at, false);
        let mut effects = crate::effects::Effects::default();
        crate::effects::assigned(&raw, &mut effects);
        self.mentioned(&String::from_utf8_lossy(&raw), t.span(word), at, 0);
        match value.value.all() {
            Some(texts) => {
                let carrier = texts.iter().any(|text| self.names_carrier(text));
                for text in texts.into_iter().filter(|text| text.contains(['$', '`'])).map(str::to_owned) {
                    self.reread(&text, &value, at);
                }
                if carrier {
                    self.opaque(t.span(word), Why::Expansion);
                }
            }
            None => self.suspicious(t, word),
        }
        self.apply(&effects);
    }

    /// An argument that a builtin evaluates as arithmetic or as a variable with a subscript.
    pub(crate) fn evaluated(&mut self, word: &Word, at: &At) {
        let mut effects = crate::effects::Effects::default();
        match &word.value {
            Value::Exact(text) => {
                self.work(text.len());
                crate::effects::assigned(text.as_bytes(), &mut effects);
                self.mentioned(text, word.span, at, 0);
                if text.contains(['$', '`']) {
                    self.reread(text, word, at);
                }
            }
            _ => effects.all = true,
        }
        let carries = |text: &str| {
            // the variable itself is written, not evaluated
            let rest = text.get(crate::effects::name_of(text).len()..).unwrap_or_default();
            self.names_carrier(if rest.starts_with(['[', '=']) { rest } else { text })
        };
        if word.value.exact().is_none_or(carries) && self.loaded.any() {
            self.opaque(word.span, Why::Expansion);
        }
        self.apply(&effects);
    }
}

/// A word of which nothing is known.
pub(crate) fn unknown(span: Span) -> Word {
    Word { span, value: Value::Unknown, quoted: false, glob: false, split: true, verbatim: None }
}

fn braces(pieces: &[Piece]) -> Expanded {
    let open =
        pieces.iter().any(|piece| matches!(piece, Piece::Text { text, quoted: false, .. } if text.contains('{')));
    if !open {
        return Expanded::Same;
    }
    let mut toks = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text { text, quoted: false, .. } => toks.extend(text.bytes().map(Tok::Byte)),
            _ => toks.push(Tok::Atom(index)),
        }
    }
    brace::expand(&toks)
}

/// Tokens back to pieces.
fn regroup(toks: &[Tok], pieces: &[Piece]) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut bytes: Vec<u8> = Vec::new();
    let flush = |bytes: &mut Vec<u8>, out: &mut Vec<Piece>| {
        if !bytes.is_empty() {
            let text = String::from_utf8_lossy(bytes).into_owned();
            bytes.clear();
            out.push(Piece::Text { text, quoted: false, at: None });
        }
    };
    for tok in toks {
        match tok {
            Tok::Byte(c) => bytes.push(*c),
            Tok::Atom(index) => {
                flush(&mut bytes, &mut out);
                out.extend(pieces.get(*index).cloned());
            }
        }
    }
    flush(&mut bytes, &mut out);
    out
}
