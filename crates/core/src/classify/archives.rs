//! Archives: what is packed is read, what is unpacked chooses its own names, and some options run programs.

mod tar;

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::text::program_of;
use super::usage::Parsed;
use crate::action::{Capability, Role, Scale, Undo};
use crate::knowledge::Slot;
use crate::path::{self, Zone};
use crate::world::Entry;

pub(super) const CODES: &[(&str, Code)] = &[
    ("archives.tar", tar::run),
    ("archives.gzip", gzip),
    ("archives.unzip", unzip),
    ("archives.seven", seven),
    ("archives.other", other),
];

/// What becomes of files that are there already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unpack {
    /// they are written over
    Overwrites,
    /// they stay
    Keeps,
}

/// The archive chooses the names below the folder; below one that is new there is nothing to lose.
fn unpacks(draft: &mut Draft, scene: &Scene<'_>, folder: Option<&Arg>, how: Unpack) {
    let here = Arg::text(".", scene.span);
    let folder = folder.unwrap_or(&here);
    draft.become_(Capability::WriteWorkspace);
    draft.blast.scale = Scale::Many;
    if how == Unpack::Overwrites && !is_new(scene, folder) {
        draft.blast.undo = Undo::Hard;
        draft.safer.get_or_insert_with(|| String::from("unpack into a folder of its own, which does not exist yet"));
    }
    draft.note("the archive chooses which files are written");
    draft::add_path(draft, scene.world, &scene.cwd, folder, Role::Write);
}

/// A folder that is not there yet, or one below those for temporary files.
fn is_new(scene: &Scene<'_>, folder: &Arg) -> bool {
    let folders = draft::folders(&scene.cwd);
    let ([cwd], Some(text)) = (folders.as_slice(), folder.exact()) else { return false };
    let place = path::place(scene.world, *cwd, text);
    let Some(real) = place.real.as_deref() else { return false };
    let below_temp = place.zone == Zone::Temp && real.trim_matches('/').split('/').count() > 1;
    below_temp || matches!(scene.world.entry(real), Entry::Missing)
}

/// Without a file it only passes on; otherwise the file is read and something takes its place.
fn gzip(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.operands.iter().all(|operand| operand.1.exact() == Some("-")) {
        if !parsed.has(&["-o"]) {
            draft.become_(Capability::Inspect);
        }
        return;
    }
    for (_, arg) in &parsed.operands {
        draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Read);
    }
}

fn unzip(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if draft.capability != Capability::WriteWorkspace {
        // `-p`, `-l` and the like: the table says that it reads
        draft.blast = Capability::ReadWorkspace.default_blast();
        draft.targets.retain(|target| target.role == Role::Read);
        return;
    }
    let folder = parsed.value(&["-d"]).cloned();
    let how = if parsed.has(&["-n"]) && !parsed.has(&["-o"]) { Unpack::Keeps } else { Unpack::Overwrites };
    unpacks(draft, scene, folder.as_ref(), how);
}

/// What is packed, from words: a list of names from elsewhere is not known.
fn packed(draft: &mut Draft, scene: &Scene<'_>, members: &[Arg]) {
    for member in members {
        if member.prefix().starts_with('@') {
            draft.opaque(Some(member.span), "names of files from a list");
        }
        draft::add_slot(draft, scene.world, &scene.cwd, member, Slot::Sweep);
    }
}

fn reads(draft: &mut Draft, scene: &Scene<'_>, archive: Option<&Arg>) {
    draft.become_(Capability::ReadWorkspace);
    if let Some(file) = archive {
        draft::add_path(draft, scene.world, &scene.cwd, file, Role::Read);
    }
}

fn writes(draft: &mut Draft, scene: &Scene<'_>, archive: Option<&Arg>, members: &[Arg]) {
    draft.become_(Capability::WriteWorkspace);
    if let Some(file) = archive {
        draft::add_path(draft, scene.world, &scene.cwd, file, Role::Write);
    }
    packed(draft, scene, members);
}

/// `7z COMMAND [-SWITCH…] ARCHIVE [NAME…]`, `unrar COMMAND …`
fn seven(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let mut words: Vec<Arg> = Vec::new();
    let mut folder = None;
    let (mut to_stdout, mut removes, mut keeps) = (false, false, false);
    for arg in parsed.args {
        match arg.prefix() {
            text if !text.starts_with('-') => words.push(arg.clone()),
            "-so" => to_stdout = true,
            "-sdel" | "-df" | "-dr" => removes = true,
            "-aos" | "-o-" => keeps = true,
            text if text.starts_with("-o") && text.len() > 2 && !matches!(text, "-o+" | "-or") => {
                folder = Some(arg.after(2))
            }
            text if text.starts_with("-i@") || text.starts_with("-w") => {
                draft.opaque(Some(arg.span), "names of files or folders that are not followed");
            }
            _ => {}
        }
    }
    let command = (!words.is_empty()).then(|| words.remove(0));
    let archive = (!words.is_empty()).then(|| words.remove(0));
    match command.as_ref().and_then(Arg::exact).unwrap_or_default() {
        "l" | "lt" | "lb" | "v" | "vt" | "vb" | "t" | "i" | "h" | "b" | "p" => reads(draft, scene, archive.as_ref()),
        "x" | "e" if to_stdout => reads(draft, scene, archive.as_ref()),
        "x" | "e" => {
            if let Some(file) = &archive {
                draft::add_path(draft, scene.world, &scene.cwd, file, Role::Read);
            }
            // `unrar` takes a last word that ends in a slash for the folder
            let last = words.last().filter(|last| last.prefix().ends_with('/')).cloned();
            let how = if keeps { Unpack::Keeps } else { Unpack::Overwrites };
            unpacks(draft, scene, folder.or(last).as_ref(), how);
        }
        "a" | "u" | "m" | "f" => {
            writes(draft, scene, archive.as_ref(), &words);
            if removes || command.as_ref().and_then(Arg::exact) == Some("m") {
                for member in &words {
                    draft::add_slot(draft, scene.world, &scene.cwd, member, Slot::Delete);
                }
            }
        }
        "d" | "rn" | "c" | "k" | "s" | "rr" => writes(draft, scene, archive.as_ref(), &[]),
        "" if words.is_empty() => draft.become_(Capability::Inspect),
        _ => draft.opaque(Some(scene.span), "what is done with the archive is not known"),
    }
}

/// Programs with a grammar of their own: only what is certain is followed.
fn other(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = program_of(scene, parsed);
    let words: Vec<Arg> = parsed.args.to_vec();
    let has = |names: &[&str]| words.iter().any(|arg| arg.exact().is_some_and(|text| names.contains(&text)));
    if has(&["--version", "--help", "-h", "-V"]) && words.len() == 1 {
        draft.become_(Capability::Inspect);
        return;
    }
    let known = words.iter().all(|arg| arg.exact().is_some() || !arg.split && !arg.prefix().is_empty());
    match program.as_str() {
        "jar" if known => jar(draft, scene, &words),
        "cpio" | "pax" if known => cpio(draft, scene, &words, &program),
        "lsar" => reads(draft, scene, words.last()),
        "unar" | "cabextract" | "unsquashfs" | "aunpack" | "dtrx" => {
            packed(
                draft,
                scene,
                &words.iter().filter(|arg| !arg.prefix().starts_with('-')).cloned().collect::<Vec<_>>(),
            );
            unpacks(draft, scene, None, Unpack::Overwrites);
            draft.opaque(Some(scene.span), "where it unpacks is not followed");
        }
        _ => draft.opaque(Some(scene.span), format!("what `{program}` does here is not followed")),
    }
}

fn letters(words: &[Arg]) -> String {
    words
        .iter()
        .enumerate()
        .filter_map(|(at, arg)| arg.exact().map(|text| (at, text)))
        .filter(|(at, text)| text.starts_with('-') && !text.starts_with("--") || *at == 0 && !text.starts_with('-'))
        .flat_map(|(_, text)| text.chars())
        .collect()
}

/// `jar cf FILE NAME…`, `jar --create --file FILE NAME…`
fn jar(draft: &mut Draft, scene: &Scene<'_>, words: &[Arg]) {
    let first = words.first().and_then(Arg::exact).unwrap_or_default();
    let cluster = if first.starts_with("--") { String::new() } else { first.trim_start_matches('-').to_owned() };
    let long = |name: &str| words.iter().any(|arg| arg.exact() == Some(name));
    let mut file = None;
    let mut rest: Vec<Arg> = Vec::new();
    let mut args = words.iter().skip(usize::from(!cluster.is_empty()));
    let mut joined_file = cluster.contains('f');
    while let Some(arg) = args.next() {
        match arg.exact().unwrap_or_default() {
            "--file" | "-f" => file = args.next().cloned(),
            text if text.starts_with("--file=") => file = Some(arg.after(7)),
            "-C" | "--release" | "--main-class" | "-e" | "--manifest" | "-m" | "--module-version" | "-p"
            | "--module-path" => {
                rest.extend(args.next().cloned());
            }
            text if text.starts_with('-') => {}
            _ if joined_file => {
                file = Some(arg.clone());
                joined_file = false;
            }
            _ => rest.push(arg.clone()),
        }
    }
    let mode = |letter: char, name: &str| cluster.contains(letter) || long(name);
    if mode('t', "--list") || long("--describe-module") || long("-d") {
        reads(draft, scene, file.as_ref());
    } else if mode('x', "--extract") {
        if let Some(file) = &file {
            draft::add_path(draft, scene.world, &scene.cwd, file, Role::Read);
        }
        unpacks(draft, scene, None, Unpack::Overwrites);
    } else if mode('c', "--create") || mode('u', "--update") || mode('i', "--generate-index") {
        writes(draft, scene, file.as_ref(), &rest);
    } else {
        draft.opaque(Some(scene.span), "what `jar` does here is not known");
    }
}

/// `cpio -i`, `-o`, `-p`; `pax -r`, `-w`. What is packed comes as a list of names.
fn cpio(draft: &mut Draft, scene: &Scene<'_>, words: &[Arg], program: &str) {
    let cluster = letters(words);
    if words.iter().any(|arg| arg.prefix().starts_with("--")) {
        draft.opaque(Some(scene.span), format!("options of `{program}` that are not followed"));
    }
    let after = |letter: char| {
        let at = words.iter().position(|arg| {
            arg.exact().is_some_and(|text| text.starts_with('-') && !text.starts_with("--") && text.ends_with(letter))
        });
        at.and_then(|at| words.get(at + 1)).cloned()
    };
    let archive = if program == "pax" { after('f') } else { after('F') };
    let unpack = if program == "pax" { cluster.contains('r') } else { cluster.contains('i') };
    let pack = if program == "pax" { cluster.contains('w') } else { cluster.contains(['o', 'p']) };
    if unpack && pack || program == "cpio" && cluster.contains('p') {
        let to = words.last().cloned();
        unpacks(draft, scene, to.as_ref(), Unpack::Overwrites);
        draft.opaque(Some(scene.span), "names of files from a list");
    } else if pack {
        let out = archive.or_else(|| after('O'));
        writes(draft, scene, out.as_ref(), &[]);
        draft.opaque(Some(scene.span), "names of files from a list");
    } else if unpack && !cluster.contains('t') {
        if let Some(file) = archive.or_else(|| after('I')) {
            draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Read);
        }
        unpacks(draft, scene, after('D').as_ref(), Unpack::Overwrites);
    } else {
        reads(draft, scene, archive.as_ref());
    }
}
