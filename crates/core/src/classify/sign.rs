//! Signatures of shell actions (see [`crate::signature`]).

use leastgrant_shell::Value;

use super::arg::Arg;
use super::draft::Draft;
use crate::action::{Role, Target, TargetKind};
use crate::path::Place;
use crate::signature::{self, Does, ShellShape, Word};
use crate::world::World;

/// The learnable identity of one shell action: its words by class, the hashes of scripts that were read, what it does.
#[must_use]
pub(super) fn shell(draft: &Draft, argv: &[Arg], unsandboxed: bool, world: &dyn World) -> String {
    let does = Does { capability: draft.capability, blast: draft.blast, opaque: draft.opaque.is_some() };
    let program = argv.first().and_then(Arg::exact).map(|name| name.rsplit('/').next().unwrap_or(name));
    let mut literal = false;
    let mut words = Vec::new();
    for arg in argv.iter().skip(1) {
        literal |= arg.exact() == Some("--");
        words.push(Word {
            value: &arg.value,
            place: place_of(draft, arg),
            option: !literal && arg.prefix().starts_with('-'),
        });
    }
    let hashes: Vec<Value> = draft.content.iter().map(|hash| Value::Exact(format!("#{hash}"))).collect();
    words.extend(hashes.iter().map(|value| Word { value, place: None, option: false }));
    let written: Vec<(&'static str, Value, Option<&Place>)> =
        if argv.is_empty() { draft.targets.iter().map(redirect).collect() } else { Vec::new() };
    let redirects = written
        .iter()
        .map(|(operator, value, place)| (*operator, Some(Word { value, place: *place, option: false })))
        .collect();
    let shape = ShellShape {
        unsandboxed,
        assignments: Vec::new(),
        program: if argv.is_empty() { Some("redirect") } else { program },
        words,
        redirects,
    };
    signature::shell(world, &shape, does)
}

fn redirect(target: &Target) -> (&'static str, Value, Option<&Place>) {
    let place = match &target.kind {
        TargetKind::Path(place) => Some(place),
        _ => None,
    };
    (if target.role == Role::Read { "<" } else { ">" }, Value::Exact(target.text.clone()), place)
}

/// Where an argument leads, if some target was made of it.
fn place_of<'a>(draft: &'a Draft, arg: &Arg) -> Option<&'a Place> {
    draft.targets.iter().find_map(|target| match &target.kind {
        TargetKind::Path(place) if target.span == Some(arg.span) => Some(place),
        _ => None,
    })
}
