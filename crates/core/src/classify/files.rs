//! File tools: what a table can't say of them.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::text::program_of;
use super::usage::Parsed;
use crate::action::{Capability, Mark, Reach, Role, Target, TargetKind, Undo};
use crate::control;
use crate::knowledge::Slot;
use crate::path::{self, Zone};
use crate::world::Entry;

pub(super) const CODES: &[(&str, Code)] = &[
    ("files.move", mv),
    ("files.rename", rename),
    ("files.mktemp", mktemp),
    ("files.link", link),
    ("files.remove", remove),
    ("files.mode", mode),
    ("files.dd", dd),
    ("files.copy", copy),
];

/// A move takes the old name away but keeps the file: what leaves the project is a delete, a rename within it is not.
fn mv(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    // what moves could be a credential that is readable afterwards
    for arg in parsed.in_role(Slot::Delete).cloned().collect::<Vec<_>>() {
        draft::add_path(draft, scene.world, &scene.cwd, &arg, Role::Read);
    }
    let to = parsed.in_role(Slot::Write).chain(parsed.in_role(Slot::WriteDir)).last();
    let to = to.or_else(|| parsed.value(&["-t"])).cloned();
    if let Some(to) = &to {
        let from: Vec<Arg> = parsed.in_role(Slot::Delete).cloned().collect();
        copied(parsed, scene, &from, to);
    }
    draft.moves = !to.is_some_and(|to| takes_away(parsed, scene, &to));
}

/// What goes from the project to the null device or among temporary files is gone for the project.
fn takes_away(parsed: &Parsed<'_>, scene: &Scene<'_>, to: &Arg) -> bool {
    let zones = |arg: &Arg| -> Vec<Zone> {
        let texts = arg.value.all().unwrap_or_default();
        let folders = draft::folders(&scene.cwd);
        let pairs = texts.into_iter().flat_map(|text| folders.iter().map(move |folder| (text, *folder)));
        pairs.map(|(text, folder)| path::place(scene.world, folder, text).zone).collect()
    };
    zones(to).iter().any(|zone| matches!(zone, Zone::Null | Zone::Temp))
        && parsed.in_role(Slot::Delete).any(|from| zones(from).contains(&Zone::Project))
}

/// `rename`: one of its kinds takes Perl, of which a plain substitution is understood, the other two plain texts.
fn rename(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    let given = parsed.has(&["-e"]);
    let pattern = words.first().filter(|_| !given);
    let text = pattern.and_then(Arg::exact);
    let plain =
        |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | ' '));
    let files = match text {
        _ if given => 0,
        Some(text) if substitutes(text) => 1,
        Some(text) if plain(text) => 2,
        _ => {
            draft.opaque(pattern.map(|arg| arg.span), "code that names files");
            1
        }
    };
    for arg in words.iter().skip(files) {
        draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Write);
        draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Read);
    }
}

/// `s/…/…/` or `y/…/…/` with nothing in it that Perl would run.
fn substitutes(text: &str) -> bool {
    let mut letters = text.chars();
    let kind = letters.next();
    let Some(mark) = letters.next().filter(|mark| matches!(mark, '/' | '|' | ',' | '#' | ':')) else { return false };
    let parts: Vec<&str> = text.get(1 + mark.len_utf8()..).unwrap_or_default().split(mark).collect();
    let [from, to, flags] = parts.as_slice() else { return false };
    let runs = |part: &str| part.contains("(?") || part.contains("@{") || part.contains("${") || part.contains('\n');
    matches!(kind, Some('s' | 'y')) && !runs(from) && !runs(to) && !flags.contains(|flag| !matches!(flag, 'g' | 'i'))
}

/// `mktemp` without a template writes where temporary files go.
fn mktemp(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if program_of(scene, parsed) == "mktemp" && parsed.operands.is_empty() {
        draft.become_(Capability::Inspect);
        draft.note("makes an empty temporary file");
    }
}

/// `ln TARGET` makes the link in the folder; `ln A B`: a link to a credential is a way to read it.
fn link(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.operands.len() == 1
        && !parsed.has(&["-t"])
        && let Some((_, only)) = parsed.operands.first()
    {
        draft.targets.clear();
        draft::add_path(draft, scene.world, &scene.cwd, only, Role::Read);
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(".", scene.span), Role::Write);
        let here = Arg::text(".", scene.span);
        made(draft, parsed, scene, std::slice::from_ref(only), &here);
        return;
    }
    if let Some((to, from)) = parsed.operands.split_last() {
        let all: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
        match parsed.value(&["-t"]).cloned() {
            Some(folder) => made(draft, parsed, scene, &all, &folder),
            None => {
                let from: Vec<Arg> = from.iter().map(|operand| operand.1.clone()).collect();
                made(draft, parsed, scene, &from, &to.1.clone());
            }
        }
    }
    // a symbolic link's target is read from the link's folder; both readings count
    if parsed.has(&["-s", "--symbolic"])
        && let Some((_, name)) = parsed.operands.last()
        && let Some((folder, _)) = name.exact().and_then(|name| name.rsplit_once('/'))
    {
        for (_, to) in parsed.operands.iter().take(parsed.operands.len().saturating_sub(1)) {
            if let Some(text) = to.exact().filter(|text| !text.starts_with('/')) {
                draft::add_path(
                    draft,
                    scene.world,
                    &scene.cwd,
                    &Arg::text(&format!("{folder}/{text}"), to.span),
                    Role::Read,
                );
            }
        }
    }
}

/// Keeps which links are made: a link to a file that decides something, is a way to change it.
fn made(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>, from: &[Arg], to: &Arg) {
    let symbolic = parsed.has(&["-s", "--symbolic"]) && program_of(scene, parsed) != "link";
    for folder in draft::folders(&scene.cwd).into_iter().map(|folder| folder.map(str::to_owned)).collect::<Vec<_>>() {
        let at = to.exact().and_then(|text| path::place(scene.world, folder.as_deref(), text).lexical);
        let Some(at) = at else {
            draft.opaque(Some(to.span), "where the link comes to stand is not known");
            continue;
        };
        let into = matches!(scene.world.entry(&at), Entry::Dir) || to.prefix().ends_with('/');
        for arg in from {
            let name = path::name(arg.prefix().trim_end_matches('/'));
            let link = if into { format!("{at}/{name}") } else { at.clone() };
            let base = if symbolic { Some(path::parent(&link).to_owned()) } else { folder.clone() };
            let place = arg.exact().map(|text| path::place(scene.world, base.as_deref(), text));
            if let (Some(place), Some(text)) = (&place, arg.exact())
                && control::control(scene.world, place).is_some()
            {
                let target = TargetKind::Path(place.clone());
                draft.targets.push(Target {
                    role: Role::Write,
                    kind: target,
                    text: text.to_owned(),
                    span: Some(arg.span),
                });
            }
            scene.links.push((link, place.and_then(|place| place.lexical)));
        }
    }
}

/// Roots of file systems and homes reach beyond the project.
fn remove(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.operands.is_empty() && scene.command.is_none() {
        draft.become_(Capability::Inspect);
    }
    if parsed.operands.len() > 8 {
        draft.blast.scale = draft.blast.scale.max(crate::action::Scale::Many);
    }
}

/// `chmod +x` and the like are trivial; set-uid bits and world-writable trees are not.
fn mode(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let text = parsed.operands.first().map(|operand| operand.1.prefix().to_owned()).unwrap_or_default();
    let octal = text.len() >= 4 && text.chars().all(|letter| letter.is_digit(8));
    let special = octal && text.len() == 4 && !text.starts_with('0');
    if text.contains("+s") || text.contains("u+s") || special {
        draft.mark(Mark::Privilege);
        draft.note("lets others run it with the owner's rights");
    }
    // `chmod -x FILE`: the mode looks like an option, so that the first operand is a file already
    if parsed.args.iter().any(|arg| is_dashed_mode(arg.prefix())) {
        for (_, arg) in parsed.operands.iter().take(1) {
            draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Write);
        }
    }
    if matches!(program_of(scene, parsed).as_str(), "chown" | "chattr" | "chgrp") {
        draft.blast.undo = draft.blast.undo.max(Undo::Hard);
    }
}

/// `-x`, `-rwx`, `-w,g+s`: a mode that begins with a dash.
fn is_dashed_mode(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|mode| {
        mode.starts_with(|first: char| "rwxXst".contains(first)) && mode.chars().all(|c| "rwxXstugoa+-=,".contains(c))
    })
}

/// A copy of nothing empties what it is copied over.
fn copy(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let from: Vec<&Arg> = parsed.operands.iter().filter(|operand| operand.0 != Slot::Write).map(|row| &row.1).collect();
    if !from.is_empty() && from.iter().all(|arg| arg.exact() == Some("/dev/null")) {
        super::redirect::emptied(draft, scene.world);
    }
    // a copy of a link is a link, and so are copies that are asked to be
    let links = parsed.has(&[
        "-P",
        "-d",
        "-a",
        "--archive",
        "--no-dereference",
        "-l",
        "-s",
        "--link",
        "--symbolic-link",
        "-r",
        "-R",
        "--recursive",
    ]);
    if links && let Some((to, from)) = parsed.operands.split_last() {
        let from: Vec<Arg> = from.iter().map(|operand| operand.1.clone()).collect();
        copied(parsed, scene, &from, &to.1.clone());
    }
}

/// Links among what is copied or moved, at their new place.
fn copied(parsed: &Parsed<'_>, scene: &mut Scene<'_>, from: &[Arg], to: &Arg) {
    let makes = parsed.has(&["-l", "-s", "--link", "--symbolic-link"]);
    for folder in draft::folders(&scene.cwd).into_iter().map(|folder| folder.map(str::to_owned)).collect::<Vec<_>>() {
        let Some(at) = to.exact().and_then(|text| path::place(scene.world, folder.as_deref(), text).lexical) else {
            continue;
        };
        let into = matches!(scene.world.entry(&at), Entry::Dir) || to.prefix().ends_with('/');
        for arg in from {
            let Some(place) = arg.exact().map(|text| path::place(scene.world, folder.as_deref(), text)) else {
                continue;
            };
            let is_link =
                place.lexical.as_deref().is_some_and(|path| matches!(scene.world.entry(path), Entry::Link(_)));
            if is_link || makes {
                let link = if into { format!("{at}/{}", path::name(arg.prefix())) } else { at.clone() };
                scene.links.push((link, place.real.or(place.lexical)));
            }
        }
    }
}

/// `if=`, `of=`: a device that is written is lost.
fn dd(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for arg in parsed.args {
        let text = arg.prefix();
        if text.starts_with("if=") {
            let file = arg.after(3);
            if !matches!(file.exact(), Some("/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/null")) {
                draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Read);
            }
        } else if text.starts_with("of=") {
            draft::add_path(draft, scene.world, &scene.cwd, &arg.after(3), Role::Write);
        } else if arg.exact().is_none() {
            draft.opaque(Some(arg.span), "an operand that is not known");
        }
    }
    let nothing = |arg: &Arg| matches!(arg.exact(), Some("if=/dev/zero" | "if=/dev/null" | "if=/dev/urandom"));
    if parsed.args.iter().any(nothing) {
        super::redirect::emptied(draft, scene.world);
    }
    let device = draft.targets.iter().any(|target| {
        target.role == Role::Write
            && matches!(&target.kind, TargetKind::Path(place) if place.lexical.as_deref().is_some_and(|path| path.starts_with("/dev/") && path != "/dev/null"))
    });
    if device {
        draft.blast.reach = draft.blast.reach.max(Reach::Machine);
        draft.blast.undo = Undo::Irreversible;
        draft.note("writes a device");
    }
}
