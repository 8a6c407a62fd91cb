//! Mercurial, Subversion and Jujutsu: settings on the command line that run programs, addresses, refusals to publish.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::Parsed;
use crate::action::{Capability, Mark, Role, Scale, TargetKind, Undo};
use crate::path::Zone;

pub(super) const CODES: &[(&str, Code)] = &[("vcs.hg", hg), ("vcs.svn", svn), ("vcs.jj", jj), ("vcs.remote", remote)];

fn privileged(draft: &mut Draft, arg: &Arg, why: &str) {
    draft.become_(Capability::Privilege);
    draft.mark(Mark::Privilege);
    draft.opaque(Some(arg.span), why);
}

/// A local write that leaves the project is a write outside.
fn outside(draft: &mut Draft) {
    let leaves = draft.targets.iter().any(|target| match &target.kind {
        TargetKind::Path(place) => {
            target.role == Role::Write && !matches!(place.zone, Zone::Project | Zone::Temp | Zone::Null | Zone::Unplaced)
        }
        _ => false,
    });
    if leaves && draft.capability == Capability::VcsWrite {
        draft.at_least(Capability::WriteOutside);
    }
}

/// `--config section.name=value`: what is no plain setting can run programs.
fn settings(draft: &mut Draft, parsed: &Parsed<'_>, plain: &[&str]) {
    for found in parsed.options.iter().filter(|found| found.name == "--config") {
        let Some(value) = &found.value else { continue };
        let key = value.prefix().split('=').next().unwrap_or_default().to_ascii_lowercase();
        let known = value.prefix().contains('=') || value.exact().is_some();
        if !known || !plain.iter().any(|start| key.starts_with(start)) {
            privileged(draft, value, "a setting on the command line can run programs");
        }
    }
}

/// Mercurial: settings, and the folder that a clone goes to.
fn hg(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    const PLAIN: &[&str] = &["ui.username", "ui.verbose", "ui.quiet", "ui.interactive", "ui.color", "color.", "diff.", "defaults.none", "phases."];
    outside(draft);
    settings(draft, parsed, PLAIN);
}

fn is_url(arg: &Arg) -> bool {
    arg.prefix().contains("://")
}

/// Subversion: on an address, a local command is a commit.
fn svn(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let sub = parsed.path.first().copied().unwrap_or_default();
    let words: Vec<&Arg> = parsed.operands.iter().map(|operand| &operand.1).collect();
    let addressed = words.iter().any(|arg| is_url(arg));
    for arg in &words {
        if is_url(arg) {
            draft::add_url(draft, arg, Role::Connect);
        }
    }
    if addressed && matches!(sub, "delete" | "copy" | "add" | "lock") {
        draft.become_(Capability::VcsPublish);
        draft.blast.undo = Undo::Hard;
        draft.note("commits at once");
    } else if sub == "delete" {
        for arg in words {
            draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Delete);
        }
    }
    outside(draft);
}

/// Jujutsu: settings that run programs, local or for the person.
fn jj(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    const PLAIN: &[&str] = &["ui.color", "ui.paginate=never", "ui.log-word-wrap", "user.", "revsets.", "template", "colors.", "git.auto-local", "snapshot."];
    if parsed.path.first() == Some(&"resolve") && parsed.has(&["-l", "--list"]) {
        draft.become_(Capability::VcsRead);
        draft.opaque = None;
    }
    if parsed.path.first() == Some(&"config") && matches!(parsed.path.get(1), Some(&"set")) {
        configured(draft, parsed, scene, PLAIN);
    }
    outside(draft);
    settings(draft, parsed, PLAIN);
}

fn configured(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>, plain: &[&str]) {
    let key = parsed.operands.first().map(|operand| &operand.1);
    let known = key.and_then(Arg::exact).map(str::to_ascii_lowercase);
    if parsed.has(&["--user"]) || !parsed.has(&["--repo", "--workspace"]) {
        let file = Arg::text("~/.config/jj/config.toml", scene.span);
        draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Write);
    }
    if !known.is_some_and(|key| plain.iter().any(|start| key.starts_with(start))) {
        draft.become_(Capability::Privilege);
        draft.mark(Mark::Privilege);
        draft.note("makes later commands run a program");
    }
}

/// The other side: an address, a folder, or a program.
fn remote(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some(arg) = parsed.operands.first().map(|operand| &operand.1) else { return };
    let publishes = draft.capability == Capability::VcsPublish;
    let role = if publishes { Role::Send } else { Role::Connect };
    if is_url(arg) {
        draft::add_url(draft, arg, role);
        if draft.capability == Capability::VcsWrite {
            draft.blast.scale = draft.blast.scale.max(Scale::Many);
        }
    } else if arg.prefix().starts_with("ext::") || arg.exact().is_none() {
        draft.opaque(Some(arg.span), "where this connects to is not known");
    } else if arg.prefix().starts_with(['/', '.', '~']) {
        let role = if publishes { Role::Write } else { Role::List };
        draft::add_path(draft, scene.world, &scene.cwd, arg, role);
    }
    outside(draft);
}
