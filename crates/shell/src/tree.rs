//! The syntax tree: an arena of nodes that name each other by number.
//!
//! Nodes are pushed when they are complete, so the nodes below one stand in one unbroken run before it
//! ([`Node::first`]`..=id`); here-document bodies, which stand later in the text, are the exception and are
//! reached through [`Tree::heres`]. Dropping the arena never recurses.

use crate::{Opaque, RedirectOp, Span};

/// Number of a node.
pub(crate) type Id = u32;

/// A piece of syntax.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// in the original text
    pub(crate) span: Span,
    /// first node of the run that holds everything below this one
    pub(crate) first: Id,
}

/// How a nested list of commands is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subst {
    /// `$(…)`
    Dollar,
    /// `` `…` ``
    Tick,
    /// `${ …; }`: runs in the same shell
    Inline,
    /// `${| …; }`: runs in the same shell, its value is `REPLY`
    Reply,
    /// `<(…)`
    In,
    /// `>(…)`
    Out,
    /// zsh `=(…)`
    File,
}

/// `&&` or `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    And,
    Or,
}

/// The operator of a parameter expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    None,
    /// `-`; with a colon also for empty
    Default(bool),
    /// `=`
    Assign(bool),
    /// `?`
    Error(bool),
    /// `+`
    Other(bool),
    /// `:offset:length`
    Slice,
    /// `#`, `##`
    TrimStart(bool),
    /// `%`, `%%`
    TrimEnd(bool),
    /// `/`, `//`, `/#`, `/%`: the second byte or a blank
    Replace(u8),
    /// `^ ^^ , ,, ~ ~~`: the byte and whether it is doubled
    Case(u8, bool),
    /// `@X`
    At(u8),
    /// `${!prefix*}` and `${!prefix@}`
    Names,
    /// not a form that we read
    Bad,
}

/// A parameter expansion.
#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) index: Option<Id>,
    pub(crate) length: bool,
    pub(crate) indirect: bool,
    pub(crate) op: Op,
    pub(crate) args: Vec<Id>,
    pub(crate) quoted: bool,
}

/// One alternative of a `case`.
#[derive(Debug)]
pub(crate) struct Arm {
    pub(crate) patterns: Vec<Id>,
    pub(crate) body: Id,
    /// ended by `;&` or `;;&`
    pub(crate) through: bool,
}

/// What a node is.
#[derive(Debug)]
pub(crate) enum Kind {
    Text {
        text: Vec<u8>,
        quoted: bool,
        at: Option<u32>,
    },
    Param(Box<Param>),
    Subst {
        list: Id,
        how: Subst,
        quoted: bool,
    },
    /// `also`: the same text read as commands
    Arith {
        word: Id,
        quoted: bool,
        also: Option<Id>,
    },
    Array {
        items: Vec<Id>,
    },
    /// of unknown value
    Hole {
        quoted: bool,
    },
    Word {
        parts: Vec<Id>,
    },
    Assign {
        name: String,
        index: Option<Id>,
        append: bool,
        value: Id,
    },
    Redirect {
        op: RedirectOp,
        fd: Fd,
        target: Id,
        here: Option<u32>,
        input: bool,
    },
    Simple {
        assigns: Vec<Id>,
        words: Vec<Id>,
        redirects: Vec<Id>,
    },
    List {
        items: Vec<(Id, bool)>,
    },
    AndOr {
        head: Id,
        tail: Vec<(Join, Id)>,
    },
    Pipeline {
        members: Vec<Id>,
    },
    Subshell {
        list: Id,
    },
    Group {
        list: Id,
    },
    If {
        arms: Vec<(Id, Id)>,
        other: Option<Id>,
    },
    For {
        name: String,
        words: Option<Vec<Id>>,
        body: Id,
        select: bool,
    },
    ArithFor {
        head: Id,
        body: Id,
    },
    While {
        cond: Id,
        body: Id,
    },
    Case {
        subject: Id,
        arms: Vec<Arm>,
    },
    Function {
        names: Vec<String>,
        body: Id,
    },
    Coproc {
        name: Option<String>,
        body: Id,
    },
    /// `[[ … ]]`
    Cond {
        words: Vec<Id>,
    },
    /// `(( … ))`
    Math {
        word: Id,
        also: Option<Id>,
    },
    Redirected {
        inner: Id,
        redirects: Vec<Id>,
    },
}

/// The descriptor that a redirect names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fd {
    Default,
    Number(u32),
    Name(String),
}

/// A here-document's body.
#[derive(Debug)]
pub(crate) struct Here {
    /// of the body
    pub(crate) span: Span,
    /// a word with the body's parts
    pub(crate) word: Id,
    pub(crate) quoted: bool,
}

/// The arena.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) heres: Vec<Option<Here>>,
    pub(crate) opaque: Vec<Opaque>,
    /// blanks, comments, operators and reserved words, when they are asked for
    pub(crate) trivia: Option<Vec<Span>>,
}

impl Tree {
    /// The number that the next node will get.
    pub(crate) fn next(&self) -> Id {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// The node, if there is one.
    pub(crate) fn get(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// Span of a node, or an empty one.
    pub(crate) fn span(&self, id: Id) -> Span {
        self.get(id).map(|node| node.span).unwrap_or_default()
    }

    /// The parts of a word.
    pub(crate) fn parts(&self, id: Id) -> &[Id] {
        match self.get(id).map(|node| &node.kind) {
            Some(Kind::Word { parts }) => parts,
            _ => &[],
        }
    }

    /// The text of a word that is one plain, unquoted, complete piece.
    pub(crate) fn plain(&self, id: Id) -> Option<&str> {
        match self.parts(id) {
            [part] => match self.get(*part).map(|node| &node.kind) {
                Some(Kind::Text { text, quoted: false, .. }) => std::str::from_utf8(text).ok(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text of a word that holds nothing but text, quoted or not.
    pub(crate) fn literal(&self, id: Id) -> Option<Vec<u8>> {
        let Some(Kind::Word { parts }) = self.get(id).map(|node| &node.kind) else {
            return None;
        };
        let mut all = Vec::new();
        for part in parts {
            match self.get(*part).map(|node| &node.kind) {
                Some(Kind::Text { text, .. }) => all.extend_from_slice(text),
                _ => return None,
            }
        }
        Some(all)
    }
}
