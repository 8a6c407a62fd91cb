//! What programs do, as static tables that `build.rs` makes from `knowledge/programs/*.toml` (schema: knowledge/README.md).

use crate::action::{Capability, Exposure, Mark, Reach, Scale, Undo};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// One entry of the knowledge.
#[derive(Debug)]
pub struct Program {
    /// its names, without folder and `.exe`
    pub names: &'static [&'static str],
    /// the file it stands in
    pub family: &'static str,
    /// what it is for, in words
    pub about: &'static str,
    /// how it is used
    pub usage: Usage,
}

/// How a program or one of its subcommands is used.
#[derive(Debug)]
pub struct Usage {
    /// what it does when no option says otherwise
    pub effect: Effect,
    /// options that matter
    pub options: &'static [Opt],
    /// options without a value that change nothing
    pub flags: &'static [&'static str],
    /// options with a value that change nothing
    pub values: &'static [&'static str],
    /// subcommands; not empty means that the first operand is one
    pub subs: &'static [Sub],
    /// without any operand (or subcommand)
    pub bare: Option<&'static Usage>,
    /// with a subcommand that is not listed; none means opaque
    pub other: Option<&'static Usage>,
    /// how options are spelled
    pub style: Style,
    /// an unknown option makes it opaque
    pub strict: bool,
    /// words like `prod` in its arguments mean production
    pub production: bool,
    /// a wrapped command runs on another machine or in a container: its paths are not ours
    pub elsewhere: bool,
    /// what comes in on standard input is code to it
    pub stdin_code: bool,
}

/// A subcommand.
#[derive(Debug)]
pub struct Sub {
    /// its names
    pub names: &'static [&'static str],
    /// how it is used
    pub usage: Usage,
}

/// An option that matters.
#[derive(Debug)]
pub struct Opt {
    /// `-o`, `--output`, …
    pub names: &'static [&'static str],
    /// whether it takes a value
    pub takes: Takes,
    /// what it changes
    pub effect: Effect,
}

/// Whether an option takes a value, and what the value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// no value
    Nothing,
    /// always: the next word, or joined
    Value(Slot),
    /// only joined (`-i.bak`, `--color=auto`)
    Optional(Slot),
}

/// What a program, subcommand or option does.
#[derive(Debug)]
pub struct Effect {
    /// the capability; an option's replaces the program's
    pub does: Option<Capability>,
    /// at least this reach (a program or subcommand: exactly)
    pub reach: Option<Reach>,
    /// at least this undo
    pub undo: Option<Undo>,
    /// at least this exposure
    pub exposure: Option<Exposure>,
    /// at least this scale
    pub scale: Option<Scale>,
    /// fires a floor
    pub mark: Option<Mark>,
    /// not empty: cannot be accounted for, and why
    pub opaque: &'static str,
    /// what it means, in words
    pub note: &'static str,
    /// a safe way to the same end
    pub safer: &'static str,
    /// roles of the operands; an option's replace the program's
    pub operands: Option<&'static [Operand]>,
    /// an option that makes everything else harmless (`--dry-run`): its effect alone counts
    pub only: bool,
    /// the function in `classify/` that says what a table can't
    pub code: &'static str,
}

/// The role of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// what it is
    pub role: Slot,
    /// it and all that follow, save what later roles need
    pub rest: bool,
}

/// What a word in an argument position is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// nothing that matters (text, a pattern, a format)
    Text,
    /// a number or a duration
    Number,
    /// a path that is listed or looked at, not opened
    List,
    /// a file that is read
    Read,
    /// a folder that is read with all below it
    Sweep,
    /// a file that is read if it looks like a path
    MaybeRead,
    /// a file that is written
    Write,
    /// a folder below which files are written
    WriteDir,
    /// a file or folder that is removed
    Delete,
    /// a file whose content is run
    Script,
    /// code of another language, given as text
    Code,
    /// one word that a shell reads
    Shell,
    /// this and all following words, joined by blanks, that a shell reads
    ShellWords,
    /// this and all following words are a command
    Command,
    /// the same, with further arguments that are not known
    CommandMore,
    /// a URL that is fetched
    Url,
    /// a URL that something is sent to
    UrlSend,
    /// a host that is connected to
    Host,
    /// a package
    Package,
    /// anything else with a name
    Name,
    /// a secret in clear
    Secret,
    /// `[user@]host:path` or a local path, read
    RemotePath,
    /// `[user@]host:path` or a local path, written
    RemoteDest,
    /// `NAME=value` for the environment of what follows, or else the next role
    Assignment,
    /// the folder that everything else is relative to
    Chdir,
    /// a database statement
    Sql,
}

/// How options are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `-abc`, `--long[=value]`
    Gnu,
    /// `-long[=value]` (find, go, java, terraform)
    SingleDash,
    /// as `Gnu`, but options end at the first operand
    OptionsFirst,
    /// no options: every word is an operand (`echo`)
    None,
}

/// The program of this name (without folder and `.exe`).
#[must_use]
pub fn program(name: &str) -> Option<&'static Program> {
    let at = NAMES.binary_search_by(|row| row.0.cmp(name)).ok()?;
    PROGRAMS.get(usize::from(NAMES.get(at)?.1))
}
