//! Command text in, every command that could run out, each with its byte span.
//!
//! Total: for any bytes and any limits it answers in counted, linear work; it never panics, never recurses
//! without a bound, never touches the world. What is not understood is an [`Opaque`] with a span and a
//! reason, never a literal; a limit answers opaque, never harmless.

mod assign;
mod brace;
mod branch;
mod builtin;
mod command;
mod compound;
pub mod coverage;
mod effects;
mod emit;
mod escape;
mod eval;
mod expansion;
mod fields;
mod flow;
mod foreign;
mod heredoc;
pub mod inventory;
mod lexer;
pub mod limits;
mod loaded;
mod order;
mod param;
mod pattern;
mod place;
mod sets;
pub mod span;
mod substitute;
mod tree;
pub mod value;
mod walk;
mod word;
mod zsh;

pub use coverage::{Coverage, coverage};
pub use inventory::{
    Assignment, Command, Contexts, HereDoc, Inventory, Opaque, Pipe, Redirect, RedirectOp, Stdin, Why, Word,
};
pub use limits::Limits;
pub use span::Span;
pub use value::{Cwd, Env, Value};

/// The shell whose grammar the text is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// bash 5.2 and 5.3
    Bash,
    /// POSIX sh (dash)
    Sh,
    /// zsh, with glob qualifiers and `=cmd`
    Zsh,
    /// not known: the union of readings, so that nothing one of them would run is missed
    Unknown,
}

/// Reads `text` and lists every command that could run, in the order in which it is written.
#[must_use]
pub fn read(text: &[u8], env: &Env, dialect: Dialect, limits: &Limits) -> Inventory {
    let mut opaque = Vec::new();
    let kept = text.get(..limits.bytes).unwrap_or(text);
    if kept.len() < text.len() {
        opaque.push(Opaque { span: Span::new(kept.len(), text.len()), why: Why::TooLong });
    }
    let mut shared = lexer::Shared::new(dialect, *limits, kept.len());
    let root = parse(kept, &mut shared);
    let steps = shared.steps;
    let tree = shared.tree;
    let mut inventory = walk::Walk::new(env, dialect, *limits, kept.len()).whole(&tree, root, steps);
    inventory.opaque.extend(opaque);
    inventory
}

/// Reads the text into the shared tree. NULs, which no shell keeps, are left out and noted.
fn parse(text: &[u8], shared: &mut lexer::Shared) -> tree::Id {
    if !text.contains(&0) {
        return lexer::Reader::new(text, lexer::Map::Offset(0), shared).whole();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut map = Vec::with_capacity(text.len());
    for (index, c) in text.iter().enumerate() {
        if *c == 0 {
            shared.opaque(Span::new(index, index + 1), Why::Byte);
        } else {
            bytes.push(*c);
            map.push(u32::try_from(index).unwrap_or(u32::MAX));
        }
    }
    lexer::Reader::new(&bytes, lexer::Map::Table(&map), shared).whole()
}
