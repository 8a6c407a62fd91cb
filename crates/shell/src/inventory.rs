//! The flat list of commands that a text could run.

use crate::{Cwd, Span, Value};

/// What a text could run, and what of it was not understood.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// every simple command, those inside substitutions, bodies and here-documents too, in source order
    pub commands: Vec<Command>,
    /// what was not understood; not empty means that the whole is at most an ask
    pub opaque: Vec<Opaque>,
    /// variables that are set in another way than by `NAME=value` (`read`, `for`, `${NAME:=…}`, arithmetic); the name is
    /// empty where it is not known
    pub sets: Vec<Assignment>,
    /// names of functions that the text defines
    pub functions: Vec<String>,
    /// counted work
    pub steps: u64,
}

/// A piece of the text that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// where
    pub span: Span,
    /// why
    pub why: Why,
}

/// Why a piece of text was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// more bytes than [`crate::Limits::bytes`]
    TooLong,
    /// deeper than [`crate::Limits::nesting`]
    TooDeep,
    /// more nodes or steps than the limits allow
    TooMuch,
    /// a quote, substitution, here-document or group that does not end
    Unterminated,
    /// the grammar does not allow it here
    Syntax,
    /// a NUL or another byte that the shells treat each in their own way
    Byte,
    /// a form of a dialect that we do not read (zsh glob qualifiers, `=cmd`, and the like)
    Dialect,
    /// text that another language reads (PowerShell, cmd)
    OtherLanguage,
    /// `${v@P}`, `eval`-like expansion of unknown text
    Expansion,
}

/// One simple command, or a compound's redirects with no words.
#[derive(Clone, Debug)]
pub struct Command {
    /// the command with its assignments and redirects
    pub span: Span,
    /// the program and its arguments after quote removal, brace expansion and known expansions; empty for bare
    /// assignments and for the redirects of a compound
    pub words: Vec<Word>,
    /// `NAME=value` before the words, or standing alone
    pub assignments: Vec<Assignment>,
    /// its redirects, in order
    pub redirects: Vec<Redirect>,
    /// where in the text it stands
    pub contexts: Contexts,
    /// its member of a pipeline of more than one
    pub pipe: Option<Pipe>,
    /// where its standard input comes from
    pub stdin: Stdin,
    /// index of the command whose word, redirect or assignment holds this one (substitutions)
    pub parent: Option<u32>,
    /// the folder it runs in
    pub cwd: Cwd,
    /// the program is certainly a function that the same text defined before; a name that may still, or again, mean
    /// a program is not
    pub calls_function: bool,
}

/// One word after expansion.
#[derive(Clone, Debug)]
pub struct Word {
    /// in the text, quotes included
    pub span: Span,
    /// what it is known to be
    pub value: Value,
    /// some part of it was quoted or escaped
    pub quoted: bool,
    /// it holds an active, unquoted glob; `value` is then the pattern
    pub glob: bool,
    /// an unquoted expansion: may become several words, or none
    pub split: bool,
    /// where the value's first byte stands in the text, if value and text agree byte for byte
    pub verbatim: Option<u32>,
}

/// `NAME=value`, `NAME+=value`, `NAME[i]=value` or `NAME=(…)`.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// in the text
    pub span: Span,
    /// the variable
    pub name: String,
    /// what it becomes
    pub value: Value,
}

/// One redirect.
#[derive(Clone, Debug)]
pub struct Redirect {
    /// in the text
    pub span: Span,
    /// which one
    pub op: RedirectOp,
    /// the file, the descriptor or the here-string
    pub target: Word,
    /// the body, for a here-document
    pub here: Option<HereDoc>,
}

/// Redirect operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedirectOp {
    /// `<`
    Read,
    /// `>` and `>|`
    Write,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `&>`, `>&file`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<&`, `>&` with a descriptor or `-`
    Duplicate,
    /// `<<`, `<<-`
    HereDoc,
    /// `<<<`
    HereString,
}

/// The text of a here-document.
#[derive(Clone, Debug)]
pub struct HereDoc {
    /// of the body in the text
    pub span: Span,
    /// what it is known to be, tabs removed for `<<-`
    pub value: Value,
    /// the delimiter was quoted, so nothing in the body expands
    pub quoted: bool,
}

/// A member of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipe {
    /// which pipeline, unique in the inventory
    pub id: u32,
    /// which member, from 0
    pub member: u16,
    /// how many members
    pub of: u16,
}

/// Where standard input comes from.
#[derive(Clone, Debug)]
pub enum Stdin {
    /// whatever the shell itself has
    Inherited,
    /// the commands with these indices (earlier members of the pipeline, nested ones too)
    Pipe(Vec<u32>),
    /// the command's own redirect with this index (file, here-document or here-string), or its compound's
    Redirect(Box<Redirect>),
}

/// Where a command stands; a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Contexts(pub u16);

impl Contexts {
    /// in `( … )`
    pub const SUBSHELL: Self = Self(1);
    /// in `$( … )` or backticks
    pub const SUBSTITUTION: Self = Self(2);
    /// in `<( … )` or `>( … )`
    pub const PROCESS: Self = Self(4);
    /// in the body or condition of a loop
    pub const LOOP: Self = Self(8);
    /// may not run: an arm of `if`, `case`, `&&`, `||`
    pub const CONDITIONAL: Self = Self(16);
    /// in the body of a function
    pub const FUNCTION: Self = Self(32);
    /// followed by `&`, or in a coprocess
    pub const BACKGROUND: Self = Self(64);

    /// Whether all of `other` is in this set.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
