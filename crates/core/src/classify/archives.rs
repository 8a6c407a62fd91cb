//! Archives: what is packed is read, what is unpacked chooses its own names, and some options run programs.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::{Nested, Scene};
use super::text::program_of;
use super::usage::Parsed;
use crate::action::{Capability, Role, Scale, Undo};
use crate::knowledge::Slot;

pub(super) const CODES: &[(&str, Code)] = &[("archives.tar", tar), ("archives.gzip", gzip), ("archives.unzip", unzip)];

/// Short options of tar that take a value.
const SHORT_VALUES: &str = "fCIbTXgHKLNV";

#[derive(Default)]
struct Tar {
    mode: Option<char>,
    file: Option<Arg>,
    folders: Vec<Arg>,
    members: Vec<Arg>,
    runs: Vec<Arg>,
    reads: Vec<Arg>,
    opaque: Option<Arg>,
    to_stdout: bool,
}

fn tar(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let tar = tar_words(parsed.args);
    if let Some(arg) = &tar.opaque {
        draft.opaque(Some(arg.span), "an option of `tar` that is not known");
    }
    for text in &tar.runs {
        scene.nested.push(Nested::Shell { text: text.clone(), positional: Vec::new() });
    }
    for file in &tar.reads {
        draft::add_path(draft, scene.world, &scene.cwd, file, Role::Read);
    }
    let archive = tar.file.as_ref().filter(|file| file.exact() != Some("-"));
    match tar.mode {
        Some('t' | 'd') => {
            draft.become_(Capability::ReadWorkspace);
            archive.into_iter().for_each(|file| draft::add_path(draft, scene.world, &scene.cwd, file, Role::Read));
        }
        Some('x') => {
            archive.into_iter().for_each(|file| draft::add_path(draft, scene.world, &scene.cwd, file, Role::Read));
            if tar.to_stdout {
                draft.become_(Capability::ReadWorkspace);
            } else {
                unpacks(draft, scene, &tar.folders);
            }
        }
        Some('c' | 'r' | 'u' | 'A') => {
            archive.into_iter().for_each(|file| draft::add_path(draft, scene.world, &scene.cwd, file, Role::Write));
            if archive.is_none() {
                draft.become_(Capability::ReadWorkspace);
            }
            let inside = tar.folders.last().cloned();
            for member in &tar.members {
                let member = match (&inside, member.exact()) {
                    (Some(folder), Some(text)) if !text.starts_with('/') => {
                        Arg::text(&format!("{}/{text}", folder.prefix().trim_end_matches('/')), member.span)
                    }
                    _ => member.clone(),
                };
                draft::add_slot(draft, scene.world, &scene.cwd, &member, Slot::Sweep);
            }
        }
        _ if parsed.args.iter().any(|arg| matches!(arg.exact(), Some("--version" | "--help"))) => {
            draft.become_(Capability::Inspect)
        }
        _ => draft.opaque(Some(scene.span), "what `tar` does here is not known"),
    }
}

fn tar_words(args: &[Arg]) -> Tar {
    let mut tar = Tar::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let Some(text) = arg.exact() else {
            if at == 1 || arg.prefix().starts_with('-') || (arg.split && arg.prefix().is_empty()) {
                tar.opaque.get_or_insert_with(|| arg.clone());
            }
            tar.members.push(arg.clone());
            continue;
        };
        if text.starts_with("--") {
            at += long(&mut tar, arg, text, args.get(at));
        } else if text.starts_with('-') && text.len() > 1 || at == 1 {
            at += short(&mut tar, arg, text, args.get(at..).unwrap_or_default(), at == 1 && !text.starts_with('-'));
        } else {
            tar.members.push(arg.clone());
        }
    }
    tar
}

/// A cluster of letters; in the old style (`tar xzf FILE`) values follow in the letters' order. Answers how many words it used.
fn short(tar: &mut Tar, arg: &Arg, text: &str, rest: &[Arg], old: bool) -> usize {
    let mut used = 0;
    let start = usize::from(!old);
    for (at, letter) in text.char_indices().skip(start) {
        if matches!(letter, 'c' | 'x' | 't' | 'r' | 'u' | 'A' | 'd') && tar.mode.is_none() {
            tar.mode = Some(letter);
        }
        if letter == 'O' {
            tar.to_stdout = true;
        }
        if !SHORT_VALUES.contains(letter) {
            continue;
        }
        let joined = text.get(at + 1..).filter(|tail| !old && !tail.is_empty()).map(|_| arg.after(at + 1));
        let ends = joined.is_some();
        let value = joined.or_else(|| {
            used += 1;
            rest.get(used - 1).cloned()
        });
        if let Some(value) = value {
            match letter {
                'f' => tar.file = Some(value),
                'C' => tar.folders.push(value),
                'I' => tar.runs.push(value),
                'T' | 'X' | 'g' => tar.reads.push(value),
                _ => {}
            }
        }
        if ends {
            break;
        }
    }
    used
}

fn long(tar: &mut Tar, arg: &Arg, text: &str, next: Option<&Arg>) -> usize {
    let (name, joined) = match text.split_once('=') {
        Some((name, _)) => (name, Some(arg.after(name.len() + 1))),
        None => (text, None),
    };
    let detached = joined.is_none();
    let take = |into: &mut dyn FnMut(Arg)| {
        let value = joined.clone().or_else(|| next.cloned());
        value.into_iter().for_each(into);
        usize::from(detached)
    };
    match name {
        "--create" => tar.mode = Some('c'),
        "--extract" | "--get" => tar.mode = Some('x'),
        "--list" => tar.mode = Some('t'),
        "--append" | "--update" => tar.mode = Some('r'),
        "--diff" | "--compare" => tar.mode = Some('d'),
        "--delete" => tar.mode = Some('u'),
        "--to-stdout" => tar.to_stdout = true,
        "--file" => return take(&mut |value| tar.file = Some(value)),
        "--directory" | "--cd" => return take(&mut |value| tar.folders.push(value)),
        "--use-compress-program"
        | "--to-command"
        | "--info-script"
        | "--new-volume-script"
        | "--rsh-command"
        | "--rmt-command" => {
            return take(&mut |value| tar.runs.push(value));
        }
        "--checkpoint-action" => {
            return take(&mut |value| {
                if value.prefix().starts_with("exec=") {
                    tar.runs.push(value.after(5));
                } else if value.exact().is_none() {
                    tar.opaque = Some(value);
                }
            });
        }
        "--files-from" | "--exclude-from" | "--listed-incremental" => return take(&mut |value| tar.reads.push(value)),
        "--exclude" | "--transform" | "--strip-components" | "--owner" | "--group" | "--mode" | "--mtime"
        | "--format"
            if detached =>
        {
            return 1;
        }
        // a cut name of one that matters
        _ if ["--use-comp", "--to-c", "--checkpoint-a", "--info-s", "--new-vol", "--rsh", "--rmt"]
            .iter()
            .any(|start| name.starts_with(start)) =>
        {
            tar.opaque = Some(arg.clone());
        }
        _ => {}
    }
    0
}

/// The archive chooses the names below the folder.
fn unpacks(draft: &mut Draft, scene: &Scene<'_>, folders: &[Arg]) {
    draft.become_(Capability::WriteWorkspace);
    draft.blast.undo = Undo::Hard;
    draft.blast.scale = Scale::Many;
    draft.note("the archive chooses which files are written");
    let here = Arg::text(".", scene.span);
    for folder in if folders.is_empty() { std::slice::from_ref(&here) } else { folders } {
        draft::add_path(draft, scene.world, &scene.cwd, folder, Role::Write);
    }
}

/// Without a file, and for programs that only print, nothing is written.
fn gzip(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.operands.is_empty() {
        draft.become_(Capability::Inspect);
        return;
    }
    let operands: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    for arg in &operands {
        draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Read);
    }
}

/// `7z l`, `jar tf`, `ar t`: listing by the first word.
fn unzip(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = program_of(scene, parsed);
    let first = parsed.operands.first().map(|operand| operand.1.prefix().to_owned()).unwrap_or_default();
    let by_word = !matches!(program.as_str(), "unzip" | "unar" | "cpio" | "pax");
    if by_word {
        let files: Vec<Arg> = parsed.operands.iter().skip(1).map(|operand| operand.1.clone()).collect();
        let lists = matches!(first.as_str(), "l" | "lt" | "lb" | "v" | "t" | "i" | "h")
            || program == "jar" && first.contains('t');
        let packs = matches!(first.as_str(), "a" | "u")
            || program == "jar" && first.contains('c')
            || program == "ar" && first.contains(['r', 'q', 'd']);
        draft.targets.clear();
        if lists {
            draft.become_(Capability::ReadWorkspace);
        }
        for (at, file) in files.iter().enumerate() {
            let slot = if packs && at == 0 {
                Slot::Write
            } else if packs {
                Slot::Sweep
            } else {
                Slot::MaybeRead
            };
            draft::add_slot(draft, scene.world, &scene.cwd, file, slot);
        }
        if lists || packs {
            return;
        }
    }
    if draft.capability == Capability::WriteWorkspace && !parsed.has(&["-d"]) {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(".", scene.span), Role::Write);
    }
}
