//! What several families ask of arguments and say of drafts: words, verbs, files of the project.

use super::arg::Arg;
use super::draft::{self, Draft};
use super::program::{Nested, Scene};
use super::usage::Parsed;
use crate::action::{Blast, Capability, Exposure, Mark, Reach, Role, Scale, Undo};
use crate::path;
use crate::world::Entry;

/// Operands as they were written, those that are not known as empty text.
#[must_use]
pub(super) fn words<'a>(parsed: &'a Parsed<'_>) -> Vec<&'a str> {
    parsed.operands.iter().map(|operand| operand.1.exact().unwrap_or_default()).collect()
}

/// The name of the program, without folder and ending, in lower case.
#[must_use]
pub(super) fn program(scene: &Scene<'_>) -> String {
    let base = scene.program.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    [".exe", ".cmd", ".bat", ".ps1"].iter().find_map(|end| base.strip_suffix(end)).unwrap_or(&base).to_owned()
}

/// Whether an argument is exactly one of these.
#[must_use]
pub(super) fn is(arg: &Arg, words: &[&str]) -> bool {
    arg.exact().is_some_and(|text| words.contains(&text))
}

/// Arguments behind the first one that is exactly this word.
#[must_use]
pub(super) fn after<'a>(args: &'a [Arg], word: &[&str]) -> Option<&'a [Arg]> {
    let at = args.iter().position(|arg| is(arg, word))?;
    args.get(at + 1..)
}

/// Says all four dimensions.
pub(super) fn set(draft: &mut Draft, capability: Capability, reach: Reach, undo: Undo, scale: Scale) {
    draft.capability = capability;
    draft.blast = Blast { reach, undo, exposure: Exposure::None, scale };
}

/// Only looks, over the network.
pub(super) fn looks(draft: &mut Draft, capability: Capability) {
    set(draft, capability, Reach::Network, Undo::Trivial, Scale::Single);
}

/// Takes away what cannot be had back.
pub(super) fn destroys(draft: &mut Draft, capability: Capability, scale: Scale) {
    draft.become_(capability);
    draft.blast.undo = Undo::Irreversible;
    draft.blast.scale = draft.blast.scale.max(scale);
}

/// Needs more rights or changes them.
pub(super) fn privileged(draft: &mut Draft, note: &str) {
    draft.become_(Capability::Privilege);
    draft.mark(Mark::Privilege);
    draft.note(note);
}

/// Prints a credential, and it can leave by what reads it.
pub(super) fn prints_secret(draft: &mut Draft, note: &str) {
    draft.become_(Capability::SecretRead);
    draft.note(note);
}

/// Runs something that no table can follow.
pub(super) fn unknown(draft: &mut Draft, scene: &Scene<'_>, why: &str) {
    draft.at_least(Capability::Unknown);
    draft.opaque(Some(scene.span), why);
}

/// Goes on with these words as a command.
pub(super) fn runs(scene: &mut Scene<'_>, argv: Vec<Arg>) {
    if !argv.is_empty() {
        scene.nested.push(Nested::Words { argv, more: false });
    }
}

/// Goes on with another program and these arguments.
pub(super) fn runs_as(scene: &mut Scene<'_>, program: &str, args: &[Arg]) {
    let span = args.first().map_or(scene.span, |arg| arg.span);
    let mut argv = vec![Arg::text(program, span)];
    argv.extend(args.iter().cloned());
    runs(scene, argv);
}

/// Adds a path that an option or operand names in its own way.
pub(super) fn path(draft: &mut Draft, scene: &Scene<'_>, arg: &Arg, role: Role) {
    draft::add_path(draft, scene.world, &scene.cwd, arg, role);
}

/// The nearest of these names from the folder it runs in up to the project's root.
#[must_use]
pub(super) fn find_up(scene: &Scene<'_>, names: &[&str]) -> Option<String> {
    let mut folder = draft::folders(&scene.cwd).first().copied().flatten()?.to_owned();
    let root = scene.world.facts().project.clone();
    for _ in 0..24 {
        for name in names {
            let full = format!("{folder}/{name}");
            if matches!(scene.world.entry(&full), Entry::File | Entry::Link(_) | Entry::Dir) {
                return Some(full);
            }
        }
        if !folder.starts_with(&format!("{root}/")) {
            return None;
        }
        folder = folder.rsplit_once('/').map(|split| split.0.to_owned()).filter(|up| !up.is_empty())?;
    }
    None
}

/// Whether something of this name stands in the folder it runs in.
#[must_use]
pub(super) fn stands_here(scene: &Scene<'_>, name: &str) -> bool {
    draft::folders(&scene.cwd).into_iter().all(|folder| {
        let place = path::place(scene.world, folder, name);
        place.real.is_none_or(|real| !matches!(scene.world.entry(&real), Entry::Missing))
    })
}

/// An address that only this machine itself can reach.
pub(super) fn loopback(text: &str) -> bool {
    let name = text.trim_matches(['[', ']']);
    local(text) && !matches!(name, "0.0.0.0" | "::" | "0" | "0:0:0:0:0:0:0:0")
}

/// A host that is this machine itself.
#[must_use]
pub(super) fn local(text: &str) -> bool {
    crate::host::is_local(text.trim_end_matches('.'))
}
