//! git: what its words mean beyond the table. Paths behind revisions, refspecs, remotes that are addresses, configuration
//! that runs programs. Nothing in here may make a subcommand weaker than its row, save where only a look was asked for.

mod branch;
mod config;
mod patch;
mod paths;
mod remote;

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::Parsed;
use crate::action::{Capability, Mark, Role, Target, TargetKind};
use crate::knowledge::Slot;
use crate::path::{self, Zone};

pub(super) const CODES: &[(&str, Code)] = &[("git.run", run)];

/// Every git command: its subcommand, then what stands before the subcommand.
fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if asks_for_help(parsed) {
        draft.become_(Capability::Inspect);
        scene.nested.clear();
        scene.command = None;
        draft.opaque = None;
        draft.marks.clear();
        config::given(draft, parsed, scene);
        return;
    }
    subcommand(draft, parsed, scene);
    taken_back(draft, parsed);
    elsewhere(draft, parsed, scene);
    config::given(draft, parsed, scene);
    outside(draft);
    kept(draft, parsed, scene);
}

fn subcommand(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let below = parsed.path.get(1).copied().unwrap_or_default();
    match parsed.path.first().copied().unwrap_or_default() {
        "diff" | "show" | "cat-file" | "blame" | "grep" | "log" | "archive" | "annotate" | "difftool" | "diff-tree"
        | "diff-files" | "diff-index" | "whatchanged" | "range-diff" => paths::content(draft, parsed, scene),
        "stash" if below == "show" => paths::content(draft, parsed, scene),
        "status" | "ls-files" | "rev-list" => paths::names(draft, parsed, scene),
        "add" => paths::add(draft, parsed, scene),
        "shortlog" => paths::object(draft, parsed, scene),
        "init" => paths::init(draft, parsed, scene),
        "commit" => paths::index(draft, parsed, scene),
        "checkout" => paths::checkout(draft, parsed, scene),
        "restore" => paths::restore(draft, parsed, scene),
        "reset" => paths::reset(draft, parsed, scene),
        "branch" => branch::branch(draft, parsed),
        "tag" => branch::tag(draft, parsed),
        "symbolic-ref" => branch::symbolic(draft, parsed),
        "merge" | "rebase" | "cherry-pick" | "pull" if strategy(draft, parsed) => {}
        "pull" => remote::pull(draft, parsed, scene),
        "fetch" => remote::fetch(draft, parsed, scene),
        "ls-remote" => remote::look(draft, parsed, scene, remote::first(parsed)),
        "clone" => remote::clone(draft, parsed, scene),
        "push" => remote::push(draft, parsed, scene),
        "remote" if matches!(below, "add" | "set-url") => remote::added(draft, parsed, scene, 1),
        "submodule" if below == "add" => remote::added(draft, parsed, scene, 0),
        "submodule" if below == "init" => remote::added(draft, parsed, scene, 1),
        "apply" => patch::apply(draft, parsed, scene),
        "am" => patch::am(draft, parsed),
        "filter-branch" => filters(parsed, scene),
        "format-patch" => format_patch(draft, parsed, scene),
        "config" => config::command(draft, parsed, scene),
        "lfs" if below == "track" => {
            let file = Arg::text(".gitattributes", scene.span);
            draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Write);
        }
        _ => {}
    }
}

/// `--no-X` behind `--X`: the last one counts, so none is believed.
fn taken_back(draft: &mut Draft, parsed: &Parsed<'_>) {
    for found in &parsed.options {
        let Some(rest) = found.name.strip_prefix("--no-").filter(|rest| !rest.is_empty()) else { continue };
        let names = parsed.options.iter().filter_map(|other| other.row).flat_map(|row| row.names.iter());
        if names.filter_map(|name| name.strip_prefix("--")).any(|name| name.starts_with(rest)) {
            draft.opaque(Some(found.arg.span), format!("`{}` takes back another option", found.name));
            return;
        }
    }
}

/// `git push --help` shows a page; only as the word right behind the subcommand does git read it so.
fn asks_for_help(parsed: &Parsed<'_>) -> bool {
    let Some(first) = parsed.path.first() else { return false };
    let mut args = parsed.args.iter().skip_while(|arg| arg.exact() != Some(first));
    args.next();
    args.next().is_some_and(|arg| arg.exact() == Some("--help"))
}

/// A merge strategy that git does not bring is a program from the search path.
fn strategy(draft: &mut Draft, parsed: &Parsed<'_>) -> bool {
    const OWN: &[&str] = &["ort", "recursive", "resolve", "octopus", "ours", "subtree"];
    let named = parsed.options.iter().filter(|found| matches!(found.name.as_str(), "-s" | "--strategy"));
    for value in named.filter_map(|found| found.value.as_ref()) {
        if !value.exact().is_some_and(|name| OWN.contains(&name)) {
            draft.become_(Capability::Unknown);
            draft.opaque(Some(value.span), "a merge strategy that git does not bring is a program");
            return true;
        }
    }
    false
}

/// The commands that `filter-branch` runs on every commit.
fn filters(parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let values = parsed.options.iter().filter(|found| found.name == "--setup").filter_map(|found| found.value.clone());
    for text in values.take(16) {
        scene.nested.push(super::program::Nested::Shell { text, positional: Vec::new() });
    }
}

/// Without `--stdout` it writes a file for every commit.
fn format_patch(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    if !parsed.has(&["--stdout", "-o", "--output"]) {
        let here = Arg::text(".", scene.span);
        draft.at_least(Capability::WriteWorkspace);
        draft::add_path(draft, scene.world, &scene.cwd, &here, Role::List);
        if let Some(folder) = draft::folders(&scene.cwd).first().copied()
            && path::place(scene.world, folder, ".").zone != Zone::Project
        {
            draft::add_path(draft, scene.world, &scene.cwd, &here, Role::Write);
        }
    }
}

/// Another repository than the project's: what is read there is read outside, what changes there is written outside.
fn elsewhere(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    let reads = matches!(
        draft.capability,
        Capability::VcsRead | Capability::Meta | Capability::Inspect | Capability::SecretRead
    );
    if parsed.path.is_empty()
        || matches!(parsed.path.first().copied(), Some("clone" | "init" | "help" | "version" | "push"))
    {
        return;
    }
    let role = if reads { Role::List } else { Role::Write };
    for found in &parsed.options {
        if matches!(found.name.as_str(), "--git-dir" | "--work-tree")
            && let Some(value) = &found.value
        {
            if !reads {
                draft::add_path(draft, scene.world, &scene.cwd, value, Role::Write);
            }
            let own = |text: &str| {
                let zone = |folder| path::place(scene.world, folder, text).zone;
                draft::folders(&scene.cwd).into_iter().all(|folder| zone(folder) == Zone::Project)
            };
            if !value.value.all().is_some_and(|texts| texts.into_iter().all(own)) {
                draft.mark(Mark::Injection);
                draft.note("takes a repository from elsewhere, and the programs that its configuration names");
            }
        }
    }
    let folders = draft::folders(&scene.cwd);
    let here = folders.iter().all(|folder| path::place(scene.world, *folder, ".").zone == Zone::Project);
    if !here {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(".", scene.span), role);
    }
}

/// A local write that leaves the project is a write outside.
fn outside(draft: &mut Draft) {
    let leaves = draft.targets.iter().any(|target| match &target.kind {
        TargetKind::Path(place) => {
            target.role == Role::Write
                && !matches!(place.zone, Zone::Project | Zone::Temp | Zone::Null | Zone::Unplaced)
        }
        _ => false,
    });
    if leaves && matches!(draft.capability, Capability::VcsWrite | Capability::VcsPush) {
        draft.at_least(Capability::WriteOutside);
    }
}

/// What git does itself counts beside the commands that it starts; an action without any target would be dropped.
fn kept(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    let starts = !scene.nested.is_empty() || scene.command.is_some();
    if starts && draft.targets.is_empty() && draft.blast.tier() > 1 {
        let name = parsed.path.join(" ");
        draft.targets.push(Target {
            role: Role::List,
            kind: TargetKind::Named(format!("git {name}")),
            text: name,
            span: Some(scene.span),
        });
    }
}

/// Operands of the innermost subcommand.
fn operands<'a>(parsed: &'a Parsed<'_>) -> Vec<&'a Arg> {
    parsed.operands.iter().filter(|operand| !matches!(operand.0, Slot::Chdir)).map(|operand| &operand.1).collect()
}

/// Operands behind `--`.
fn behind_dashes<'a>(parsed: &'a Parsed<'_>) -> Option<&'a [Arg]> {
    let at = parsed.args.iter().position(|arg| arg.exact() == Some("--"))?;
    parsed.args.get(at + 1..)
}

/// The text of a patch that a file holds or that comes in, where it is known.
pub(super) fn patch_text(scene: &Scene<'_>, file: Option<&Arg>) -> Option<String> {
    patch::text(scene, file)
}

/// The files that a patch changes, without their first folder.
pub(super) fn patched(text: &str) -> Option<Vec<String>> {
    patch::changed(text).filter(|files| !files.is_empty())
}
