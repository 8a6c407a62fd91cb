//! `tar`: the mode, where the archive is, which folders its members lie in, and options that run programs.

use super::{Unpack, unpacks};
use crate::action::{Capability, Role};
use crate::classify::arg::Arg;
use crate::classify::draft::{self, Draft};
use crate::classify::program::{Nested, Scene};
use crate::classify::usage::Parsed;
use crate::host;
use crate::knowledge::Slot;

/// Short options that take a value.
const SHORT_VALUES: &str = "fCIbTXgHKLNVF";

/// What a long option is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Long {
    Mode(char),
    Stdout,
    Absolute,
    Keeps,
    Removes,
    File,
    Folder,
    Runs,
    Action,
    Names,
    Reads,
    Local,
    Value,
    Flag,
}

/// Long options; each may be cut as long as it stays one of a kind.
const LONG: &[(&str, Long)] = &[
    ("--create", Long::Mode('c')),
    ("--extract", Long::Mode('x')),
    ("--get", Long::Mode('x')),
    ("--list", Long::Mode('t')),
    ("--append", Long::Mode('r')),
    ("--update", Long::Mode('r')),
    ("--catenate", Long::Mode('r')),
    ("--concatenate", Long::Mode('r')),
    ("--diff", Long::Mode('t')),
    ("--compare", Long::Mode('t')),
    ("--delete", Long::Mode('r')),
    ("--test-label", Long::Mode('t')),
    ("--to-stdout", Long::Stdout),
    ("--absolute-names", Long::Absolute),
    ("--keep-old-files", Long::Keeps),
    ("--skip-old-files", Long::Keeps),
    ("--remove-files", Long::Removes),
    ("--file", Long::File),
    ("--directory", Long::Folder),
    ("--cd", Long::Folder),
    ("--use-compress-program", Long::Runs),
    ("--to-command", Long::Runs),
    ("--info-script", Long::Runs),
    ("--new-volume-script", Long::Runs),
    ("--rsh-command", Long::Runs),
    ("--rmt-command", Long::Runs),
    ("--checkpoint-action", Long::Action),
    ("--files-from", Long::Names),
    ("--exclude-from", Long::Reads),
    ("--listed-incremental", Long::Reads),
    ("--force-local", Long::Local),
    ("--exclude", Long::Value),
    ("--transform", Long::Value),
    ("--xform", Long::Value),
    ("--strip-components", Long::Value),
    ("--owner", Long::Value),
    ("--group", Long::Value),
    ("--mode", Long::Value),
    ("--mtime", Long::Value),
    ("--format", Long::Value),
    ("--sort", Long::Value),
    ("--blocking-factor", Long::Value),
    ("--newer", Long::Value),
    ("--after-date", Long::Value),
    ("--label", Long::Value),
    ("--suffix", Long::Value),
    ("--record-size", Long::Value),
    ("--pax-option", Long::Value),
    ("--starting-file", Long::Value),
    ("--exclude-tag", Long::Value),
    ("--warning", Long::Value),
    ("--verbose", Long::Flag),
    ("--gzip", Long::Flag),
    ("--gunzip", Long::Flag),
    ("--bzip2", Long::Flag),
    ("--xz", Long::Flag),
    ("--zstd", Long::Flag),
    ("--lzma", Long::Flag),
    ("--auto-compress", Long::Flag),
    ("--checkpoint", Long::Flag),
    ("--exclude-vcs", Long::Flag),
    ("--exclude-vcs-ignores", Long::Flag),
    ("--exclude-backups", Long::Flag),
    ("--exclude-caches", Long::Flag),
    ("--no-same-owner", Long::Flag),
    ("--no-same-permissions", Long::Flag),
    ("--same-permissions", Long::Flag),
    ("--preserve-permissions", Long::Flag),
    ("--same-owner", Long::Flag),
    ("--numeric-owner", Long::Flag),
    ("--overwrite", Long::Flag),
    ("--touch", Long::Flag),
    ("--totals", Long::Flag),
    ("--wildcards", Long::Flag),
    ("--no-wildcards", Long::Flag),
    ("--anchored", Long::Flag),
    ("--no-recursion", Long::Flag),
    ("--dereference", Long::Flag),
    ("--hard-dereference", Long::Flag),
    ("--one-file-system", Long::Flag),
    ("--null", Long::Flag),
    ("--no-xattrs", Long::Flag),
    ("--xattrs", Long::Flag),
    ("--acls", Long::Flag),
    ("--no-mac-metadata", Long::Flag),
    ("--disable-copyfile", Long::Flag),
    ("--show-transformed-names", Long::Flag),
    ("--ignore-failed-read", Long::Flag),
    ("--keep-newer-files", Long::Flag),
    ("--no-overwrite-dir", Long::Flag),
    ("--sparse", Long::Flag),
    ("--unlink-first", Long::Flag),
    ("--version", Long::Flag),
    ("--help", Long::Flag),
];

#[derive(Default)]
struct Tar {
    mode: Option<char>,
    file: Option<Arg>,
    /// the last `-C`, as it would be from the folder it runs in
    folder: Option<Arg>,
    members: Vec<Arg>,
    runs: Vec<Arg>,
    reads: Vec<Arg>,
    names: Option<Arg>,
    opaque: Option<Arg>,
    to_stdout: bool,
    absolute: bool,
    keeps: bool,
    removes: bool,
    local: bool,
}

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let tar = words(parsed.args);
    if let Some(arg) = &tar.opaque {
        draft.opaque(Some(arg.span), "an option of `tar` that is not known");
    }
    for text in &tar.runs {
        scene.nested.push(Nested::Shell { text: text.clone(), positional: Vec::new() });
    }
    for file in &tar.reads {
        draft::add_path(draft, scene.world, &scene.cwd, file, Role::Read);
    }
    match tar.mode {
        Some('t') => {
            draft.become_(Capability::ReadWorkspace);
            archive(draft, scene, &tar, Role::Read);
        }
        Some('x') => {
            archive(draft, scene, &tar, Role::Read);
            if tar.to_stdout {
                draft.become_(Capability::ReadWorkspace);
            } else {
                let how = if tar.keeps { Unpack::Keeps } else { Unpack::Overwrites };
                unpacks(draft, scene, tar.folder.as_ref(), how);
            }
            if tar.absolute {
                draft.opaque(Some(scene.span), "the archive may name files anywhere");
            }
        }
        Some(_) => packs(draft, scene, &tar),
        None if parsed.args.iter().any(|arg| matches!(arg.exact(), Some("--version" | "--help" | "--usage"))) => {
            draft.become_(Capability::Inspect);
        }
        None => draft.opaque(Some(scene.span), "what `tar` does here is not known"),
    }
}

/// Where the archive is: a file, or another machine (`host:file`).
fn archive(draft: &mut Draft, scene: &Scene<'_>, tar: &Tar, role: Role) {
    let Some(file) = tar.file.as_ref().filter(|file| file.exact() != Some("-")) else { return };
    let host =
        file.prefix().split_once(':').map(|split| split.0).filter(|host| !host.is_empty() && !host.contains('/'));
    match host.filter(|_| !tar.local) {
        Some(host) => {
            let name = host.rsplit('@').next().unwrap_or_default().to_owned();
            let local = host::is_local(&name);
            let role = if role == Role::Write { Role::Send } else { Role::Connect };
            draft::add_host(draft, &Arg::text(&name, file.span), role);
            draft.at_least(if role == Role::Send && !local { Capability::NetSend } else { Capability::NetFetch });
        }
        None => draft::add_path(draft, scene.world, &scene.cwd, file, role),
    }
}

fn packs(draft: &mut Draft, scene: &Scene<'_>, tar: &Tar) {
    if tar.file.as_ref().is_none_or(|file| file.exact() == Some("-")) {
        draft.become_(Capability::ReadWorkspace);
    }
    archive(draft, scene, tar, Role::Write);
    if let Some(names) = &tar.names {
        draft.opaque(Some(names.span), "names of files from a list");
    }
    for member in &tar.members {
        draft::add_slot(draft, scene.world, &scene.cwd, member, Slot::Sweep);
        if tar.removes {
            draft::add_slot(draft, scene.world, &scene.cwd, member, Slot::Delete);
        }
    }
}

/// A path as it is below the last `-C`.
fn inside(folder: Option<&Arg>, path: &Arg) -> Arg {
    match (folder, path.exact()) {
        (Some(folder), Some(text)) if !text.starts_with('/') => match folder.exact() {
            Some(above) => {
                let joined = format!("{}/{text}", above.trim_end_matches('/'));
                Arg { value: leastgrant_shell::Value::Exact(joined), verbatim: None, ..path.clone() }
            }
            None => Arg::unknown(path.span),
        },
        _ => path.clone(),
    }
}

fn words(args: &[Arg]) -> Tar {
    let mut tar = Tar::default();
    let mut at = 0;
    let mut literal = false;
    while let Some(arg) = args.get(at) {
        at += 1;
        let Some(text) = arg.exact() else {
            if at == 1 || !literal && (arg.prefix().starts_with('-') || arg.split && arg.prefix().is_empty()) {
                tar.opaque.get_or_insert_with(|| arg.clone());
            }
            tar.members.push(inside(tar.folder.as_ref(), arg));
            continue;
        };
        if literal {
            tar.members.push(inside(tar.folder.as_ref(), arg));
        } else if text == "--" {
            literal = true;
        } else if text.starts_with("--") {
            at += long(&mut tar, arg, text, args.get(at));
        } else if text.starts_with('-') && text.len() > 1 || at == 1 {
            at += short(&mut tar, arg, text, args.get(at..).unwrap_or_default(), at == 1 && !text.starts_with('-'));
        } else {
            tar.members.push(inside(tar.folder.as_ref(), arg));
        }
    }
    tar
}

/// A cluster of letters; in the old style (`tar xzf FILE`) values follow in the letters' order. Answers how many words it
/// used.
fn short(tar: &mut Tar, arg: &Arg, text: &str, rest: &[Arg], old: bool) -> usize {
    let mut used = 0;
    for (at, letter) in text.char_indices().skip(usize::from(!old)) {
        match letter {
            'c' | 'x' | 'r' | 'u' | 'A' if tar.mode.is_none() => tar.mode = Some(letter),
            't' | 'd' if tar.mode.is_none() => tar.mode = Some('t'),
            'O' => tar.to_stdout = true,
            'P' => tar.absolute = true,
            'k' => tar.keeps = true,
            _ => {}
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
                'C' => tar.folder = Some(inside(tar.folder.as_ref(), &value)),
                'I' | 'F' => tar.runs.push(value),
                'T' => {
                    tar.names = Some(value.clone());
                    tar.reads.push(value);
                }
                'X' | 'g' => tar.reads.push(value),
                _ => {}
            }
        }
        if ends {
            break;
        }
    }
    used
}

/// The kind of a long option, which may be cut; none where it is not known or could be two kinds.
fn kind(name: &str) -> Option<Long> {
    if let Some(row) = LONG.iter().find(|row| row.0 == name) {
        return Some(row.1);
    }
    let mut kinds = LONG.iter().filter(|row| row.0.starts_with(name)).map(|row| row.1);
    let first = kinds.next()?;
    kinds.all(|kind| kind == first).then_some(first)
}

fn long(tar: &mut Tar, arg: &Arg, text: &str, next: Option<&Arg>) -> usize {
    let (name, joined) = match text.split_once('=') {
        Some((name, _)) => (name, Some(arg.after(name.len() + 1))),
        None => (text, None),
    };
    let Some(kind) = kind(name) else {
        tar.opaque.get_or_insert_with(|| arg.clone());
        return 0;
    };
    match kind {
        Long::Mode(mode) => tar.mode = Some(mode),
        Long::Stdout => tar.to_stdout = true,
        Long::Absolute => tar.absolute = true,
        Long::Keeps => tar.keeps = true,
        Long::Removes => tar.removes = true,
        Long::Local => tar.local = true,
        Long::Flag => {}
        _ => {
            let used = usize::from(joined.is_none());
            if let Some(value) = joined.or_else(|| next.cloned()) {
                given(tar, kind, value);
            }
            return used;
        }
    }
    0
}

fn given(tar: &mut Tar, kind: Long, value: Arg) {
    match kind {
        Long::File => tar.file = Some(value),
        Long::Folder => tar.folder = Some(inside(tar.folder.as_ref(), &value)),
        Long::Runs => tar.runs.push(value),
        Long::Action => {
            if value.prefix().starts_with("exec=") {
                tar.runs.push(value.after(5));
            } else if value.exact().is_none() {
                tar.opaque = Some(value);
            }
        }
        Long::Names => {
            tar.names = Some(value.clone());
            tar.reads.push(value);
        }
        Long::Reads => tar.reads.push(value),
        _ => {}
    }
}
