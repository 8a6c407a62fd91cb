//! The learnable identity of an action: ordered token classes, then ` @`, the capability and the blast in digits, so
//! that two actions of different blast never share one. Rules glob on the part before ` @`.
//!
//! `git push origin <dynamic> @exec.vcs.push/3100`: reach, undo, exposure and scale, each from 0 (the order of their
//! types); `?` after them where it was not understood.

mod mcp;
mod token;

use leastgrant_shell::Value;
use sha2::{Digest, Sha256};

use crate::action::{Blast, Capability, Exposure, Reach, Scale, Undo};
use crate::path::Place;
use crate::world::World;

pub use mcp::mcp;
pub use token::{classify, name, path, url};

/// A shell command as signatures see it.
#[derive(Clone, Debug, Default)]
pub struct ShellShape<'a> {
    /// asked to run outside the agent's sandbox
    pub unsandboxed: bool,
    /// `NAME=value` before it, and what `export` and the like set
    pub assignments: Vec<(&'a str, Word<'a>)>,
    /// the program without its folder; none where it is not known
    pub program: Option<&'a str>,
    /// everything after it, in order, wrappers peeled
    pub words: Vec<Word<'a>>,
    /// its redirects that name a file, and here-documents (operator only)
    pub redirects: Vec<(&'a str, Option<Word<'a>>)>,
}

/// One word of a command.
#[derive(Clone, Debug)]
pub struct Word<'a> {
    /// what it is known to be
    pub value: &'a Value,
    /// where it leads, for a word (or an option's value) that names a file
    pub place: Option<&'a Place>,
    /// whether it is an option; words after `--` are not
    pub option: bool,
}

/// Longest signature before its capability; a longer one is cut and told apart by a digest.
const LONGEST: usize = 600;

/// The signature of a shell command that does this.
#[must_use]
pub fn shell(world: &dyn World, shape: &ShellShape<'_>, does: Does) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut names: Vec<String> = shape
        .assignments
        .iter()
        .map(|(name, word)| format!("{}={}", token::literal(name), token::word(world, word.value, word.place)))
        .collect();
    names.sort();
    names.dedup();
    parts.append(&mut names);
    parts.push(shape.program.map_or_else(|| String::from("<dynamic>"), name));

    let mut options: Vec<String> = Vec::new();
    let mut port = false;
    for word in &shape.words {
        if word.option {
            options.push(token::option(world, word.value, word.place));
        } else if port {
            parts.push(token::port(world, word.value, word.place));
        } else {
            parts.push(token::operand(world, word.value, word.place));
        }
        port = word.option && matches!(word.value.exact(), Some("-p" | "-P" | "--port"));
    }
    options.sort();
    options.dedup();
    parts.append(&mut options);
    for (operator, word) in &shape.redirects {
        parts.push((*operator).to_owned());
        if let Some(word) = word {
            parts.push(token::word(world, word.value, word.place));
        }
    }
    let body = parts.join(" ");
    seal(&if shape.unsandboxed { format!("unsandboxed {body}") } else { body }, does)
}

/// The signature of another tool: its name and what it is about.
#[must_use]
pub fn tool(name: &str, inner: &[String], does: Does) -> String {
    let name = self::name(name);
    seal(&if inner.is_empty() { name } else { format!("{name}({})", inner.join(", ")) }, does)
}

/// What an action does, as far as its signature says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Does {
    /// what kind of thing
    pub capability: Capability,
    /// how far it reaches and what it costs to undo
    pub blast: Blast,
    /// it was not understood
    pub opaque: bool,
}

/// Puts capability and blast behind a body. Every signature is made by this.
#[must_use]
pub fn seal(body: &str, does: Does) -> String {
    let Blast { reach, undo, exposure, scale } = does.blast;
    let digits = [reach as u8, undo as u8, exposure as u8, scale as u8];
    let mut sealed = shorten(body);
    sealed.push_str(MARK);
    sealed.push_str(does.capability.id());
    sealed.push('/');
    digits.iter().for_each(|digit| sealed.push(char::from(b'0' + digit)));
    if does.opaque {
        sealed.push('?');
    }
    sealed
}

const MARK: &str = " @";

fn shorten(body: &str) -> String {
    if body.len() <= LONGEST {
        return body.to_owned();
    }
    let mut cut = LONGEST;
    while !body.is_char_boundary(cut) {
        cut -= 1;
    }
    let digest: String = Sha256::digest(body).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{} <…{digest}>", body.get(..cut).unwrap_or_default())
}

/// The part of a signature that rules and people see.
#[must_use]
pub fn body(signature: &str) -> &str {
    parts(signature).map_or(signature, |(body, _)| body)
}

/// What a signature says the action does.
#[must_use]
pub fn does(signature: &str) -> Option<Does> {
    parts(signature).map(|(_, does)| does)
}

/// The tier of the blast in a signature.
#[must_use]
pub fn tier(signature: &str) -> Option<u8> {
    does(signature).map(|does| does.blast.tier())
}

fn parts(signature: &str) -> Option<(&str, Does)> {
    let (body, tail) = signature.rsplit_once(MARK)?;
    let (id, digits) = tail.split_once('/')?;
    let capability = Capability::from_id(id)?;
    let (digits, opaque) = digits.strip_suffix('?').map_or((digits, false), |digits| (digits, true));
    let mut digits = digits.chars().map(|digit| digit.to_digit(10));
    let mut next = || digits.next().flatten().and_then(|digit| usize::try_from(digit).ok());
    let blast = Blast {
        reach: *[Reach::None, Reach::Workspace, Reach::Machine, Reach::Network, Reach::External, Reach::Production]
            .get(next()?)?,
        undo: *[Undo::Trivial, Undo::Easy, Undo::Hard, Undo::Irreversible].get(next()?)?,
        exposure: *[Exposure::None, Exposure::ReadsSecrets, Exposure::CanExfiltrate].get(next()?)?,
        scale: *[Scale::Single, Scale::Many, Scale::Sweeping].get(next()?)?,
    };
    digits.next().is_none().then_some((body, Does { capability, blast, opaque }))
}

#[cfg(test)]
mod tests;
