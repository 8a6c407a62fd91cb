//! Forges: what a call of the programming interface does, which files are sent along, where downloads go.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::{Found, Parsed};
use crate::action::{Capability, Exposure, Reach, Role, Scale, Undo};
use crate::path::{self, Zone};

pub(super) const CODES: &[(&str, Code)] =
    &[("forge.run", run), ("forge.api", api), ("forge.sends", sends), ("forge.download", download), ("forge.settings", settings)];

/// `repo clone`: what git is told behind `--` is not read here.
fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.path.get(1) != Some(&"clone") {
        return;
    }
    if let Some(dashes) = parsed.args.iter().find(|arg| arg.exact() == Some("--")) {
        draft.opaque(Some(dashes.span), "options for git that are not read");
    }
    let words: Vec<&Arg> = parsed.operands.iter().map(|operand| &operand.1).collect();
    let folder = match words.as_slice() {
        [] => return,
        [from] => {
            let name = from.exact().map(|text| text.trim_end_matches('/').trim_end_matches(".git"));
            let name = name.and_then(|text| text.rsplit(['/', ':']).next()).filter(|name| !name.is_empty());
            Arg::text(name.unwrap_or("."), from.span)
        }
        [_, to, ..] => (*to).clone(),
    };
    draft::add_path(draft, scene.world, &scene.cwd, &folder, Role::Write);
    leaves(draft, Capability::WriteOutside);
}

/// A write that leaves the project is a write outside.
fn leaves(draft: &mut Draft, capability: Capability) {
    let out = draft.targets.iter().any(|target| match &target.kind {
        crate::action::TargetKind::Path(place) => {
            target.role == Role::Write && !matches!(place.zone, Zone::Project | Zone::Temp | Zone::Null | Zone::Unplaced)
        }
        _ => false,
    });
    if out {
        draft.at_least(capability);
    }
}

/// Files that are named are sent.
fn sends(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let _ = parsed;
    for target in &mut draft.targets {
        if target.role == Role::Read {
            target.role = Role::Send;
        }
    }
}

/// Settings stand in the person's home.
fn settings(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let name = if parsed.args.iter().any(|arg| arg.exact() == Some("auth")) { "hosts.yml" } else { "config.yml" };
    let file = Arg::text(&format!("~/.config/gh/{name}"), scene.span);
    draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Write);
}

/// Without a folder, downloads go where the command runs.
fn download(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.at_least(Capability::WriteWorkspace);
    if parsed.has(&["-D", "-O"]) {
        return;
    }
    let here = Arg::text(".", scene.span);
    let outside = draft::folders(&scene.cwd)
        .into_iter()
        .any(|folder| path::place(scene.world, folder, ".").zone != Zone::Project);
    if outside {
        draft::add_path(draft, scene.world, &scene.cwd, &here, Role::Write);
    }
}

fn is_field(found: &Found<'_>) -> bool {
    matches!(found.name.as_str(), "-f" | "-F" | "--input" | "--form")
}

/// `api`: GET reads, everything else changes something; fields make it a POST unless GET is asked for.
fn api(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let address = parsed.operands.first().map(|operand| &operand.1);
    let fields: Vec<&Found<'_>> = parsed.options.iter().filter(|found| is_field(found)).collect();
    for found in &fields {
        attached(draft, scene, found);
    }
    if let Some(arg) = address
        && arg.prefix().contains("://")
    {
        draft.become_(Capability::NetSend);
        draft.note("sends your credentials to an address of its own");
        draft::add_url(draft, arg, Role::Send);
        return;
    }
    if address.is_some_and(|arg| arg.exact() == Some("graphql")) {
        if !asks(&fields) {
            changes(draft, Undo::Hard, "a mutation changes what others see");
            if fields.iter().any(|found| named(found, "query").is_some_and(|value| value.exact().is_none())) {
                draft.opaque(Some(scene.span), "which query this is is not known");
            }
        }
        return;
    }
    let method = parsed.options.iter().rev().find(|found| matches!(found.name.as_str(), "-X" | "--method"));
    match method.and_then(|found| found.value.as_ref()) {
        Some(value) => match value.exact().map(str::to_ascii_uppercase).as_deref() {
            Some("GET" | "HEAD") => {}
            Some("DELETE") => changes(draft, Undo::Irreversible, "deletes something"),
            Some(_) => changes(draft, Undo::Hard, "changes what others see"),
            None => {
                changes(draft, Undo::Irreversible, "changes what others see");
                draft.opaque(Some(value.span), "which method this is is not known");
            }
        },
        None if fields.is_empty() => {}
        None => changes(draft, Undo::Hard, "fields make it a POST, which changes what others see"),
    }
}

fn changes(draft: &mut Draft, undo: Undo, note: &str) {
    draft.at_least(Capability::VcsPublish);
    draft.blast.reach = draft.blast.reach.max(Reach::External);
    draft.blast.undo = draft.blast.undo.max(undo);
    draft.blast.scale = draft.blast.scale.max(Scale::Many);
    draft.note(note);
}

/// `-F key=@file` sends a file's content.
fn attached(draft: &mut Draft, scene: &Scene<'_>, found: &Found<'_>) {
    if found.name != "-F" {
        return;
    }
    let Some(value) = &found.value else { return };
    if let Some(at) = value.prefix().find("=@") {
        let file = value.after(at + 2);
        if file.exact() != Some("-") {
            draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Read);
            draft.blast.exposure = draft.blast.exposure.max(Exposure::None);
        }
    }
}

/// The value of the field of this name.
fn named(found: &Found<'_>, name: &str) -> Option<Arg> {
    let value = found.value.as_ref()?;
    let (key, _) = value.prefix().split_once('=')?;
    (key == name).then(|| value.after(key.len() + 1))
}

/// Whether a GraphQL call only asks: its text is known and holds no other operation than queries.
fn asks(fields: &[&Found<'_>]) -> bool {
    let mut seen = false;
    for found in fields {
        if found.name == "--input" {
            return false;
        }
        let Some(text) = named(found, "query") else {
            // the name of a field that is not known could be `query`
            if found.value.as_ref().is_none_or(|value| !value.prefix().contains('=')) {
                return false;
            }
            continue;
        };
        if seen || !text.exact().is_some_and(only_queries) {
            return false;
        }
        seen = true;
    }
    seen
}

/// A document that begins as a query and names no mutation or subscription anywhere outside its texts.
fn only_queries(text: &str) -> bool {
    let start = text.trim_start();
    let query = start.strip_prefix("query").is_some_and(|rest| rest.starts_with(|next: char| !next.is_alphanumeric() && next != '_'));
    let fragment = start.starts_with("fragment ");
    if !(start.starts_with('{') || query || fragment) {
        return false;
    }
    let mut word = String::new();
    for letter in text.chars().chain(std::iter::once(' ')) {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        if matches!(word.as_str(), "mutation" | "subscription") {
            return false;
        }
        word.clear();
    }
    true
}
