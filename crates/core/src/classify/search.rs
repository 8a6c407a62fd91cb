//! Searchers: what they walk, what they start, what they print.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::{Nested, Scene};
use super::usage::Parsed;
use crate::action::{Capability, Role, Scale, Undo};
use crate::knowledge::Slot;

pub(super) const CODES: &[(&str, Code)] = &[
    ("search.grep", grep),
    ("search.recursive", recursive),
    ("search.tree", tree),
    ("search.find", find),
    ("search.fd", fd),
];

/// Files that match are paths below what was searched; without a file it searches what comes in.
fn grep(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let files: Vec<&Arg> =
        parsed.operands.iter().filter(|operand| operand.0 != Slot::Text).map(|operand| &operand.1).collect();
    if files.is_empty() && !parsed.has(&["-r", "-f"]) {
        draft.become_(Capability::Inspect);
        return;
    }
    if parsed.has(&["-l", "-L", "--files-with-matches"]) {
        scene.paths = below(&files);
    }
}

/// Recursive: the folder it runs in where none is named; with `-e` the pattern is no operand.
fn recursive(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let pattern = usize::from(!parsed.has(&["-e", "-f"]));
    for (_, arg) in parsed.operands.iter().skip(pattern) {
        draft::add_slot(draft, scene.world, &scene.cwd, arg, Slot::Sweep);
    }
    if parsed.operands.len() <= pattern {
        draft::add_slot(draft, scene.world, &scene.cwd, &Arg::text(".", scene.span), Slot::Sweep);
    }
}

/// Tree searchers walk the folder they run in where none is named, unless something comes in.
fn tree(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let roots: Vec<Arg> =
        parsed.operands.iter().filter(|operand| operand.0 != Slot::Text).map(|operand| operand.1.clone()).collect();
    let piped = !matches!(scene.feed, super::shell::Feed::Inherited);
    if roots.is_empty() && !piped {
        let here = Arg::text(".", scene.span);
        let slot = if parsed.has(&["--files"]) { Slot::List } else { Slot::Sweep };
        draft::add_slot(draft, scene.world, &scene.cwd, &here, slot);
    } else if roots.is_empty() {
        draft.become_(Capability::Inspect);
        return;
    }
    if parsed.has(&["-l", "--files-with-matches", "--files"]) {
        scene.paths =
            if roots.is_empty() { Some(vec![String::from("./**")]) } else { below(&roots.iter().collect::<Vec<_>>()) };
    }
}

/// Patterns that hold every path below these.
fn below(roots: &[&Arg]) -> Option<Vec<String>> {
    if roots.is_empty() {
        return Some(vec![String::from("./**")]);
    }
    roots
        .iter()
        .map(|arg| arg.exact().map(|text| format!("{}/**", text.trim_end_matches('/'))))
        .collect::<Option<Vec<_>>>()
        .filter(|all| all.len() <= 16)
}

/// `find`: every `-exec`, `-delete`, `-fprint`; what it walks is carried down to what it starts.
fn find(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let args: Vec<Arg> = parsed.args.to_vec();
    let mut at = 0;
    while args
        .get(at)
        .and_then(Arg::exact)
        .is_some_and(|text| matches!(text, "-H" | "-L" | "-P") || text.starts_with("-O"))
    {
        at += 1;
    }
    let mut roots: Vec<Arg> = Vec::new();
    while let Some(arg) = args.get(at) {
        if arg.prefix().starts_with('-') || matches!(arg.exact(), Some("(" | "!" | "\\(")) {
            break;
        }
        roots.push(arg.clone());
        at += 1;
    }
    if roots.is_empty() {
        roots.push(Arg::text(".", scene.span));
    }
    let mut names: Vec<String> = Vec::new();
    let mut sweeps = false;
    while let Some(arg) = args.get(at) {
        at += 1;
        let Some(test) = arg.exact() else {
            draft.opaque(Some(arg.span), "an argument that is not known could be an action of `find`");
            continue;
        };
        match test {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let command: Vec<Arg> =
                    args.iter().skip(at).take_while(|word| !matches!(word.exact(), Some(";" | "+"))).cloned().collect();
                at += command.len() + 1;
                sweeps = true;
                started(scene, command, &roots, &names);
            }
            "-delete" => deletes(draft, scene, &roots),
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(file) = args.get(at) {
                    draft::add_path(draft, scene.world, &scene.cwd, file, Role::Write);
                }
                at += 1 + usize::from(test == "-fprintf");
            }
            "-name" | "-path" | "-iname" | "-wholename" | "-ipath" => {
                if let Some(name) = args.get(at).and_then(Arg::exact) {
                    names.push(name.to_owned());
                }
                at += 1;
            }
            "-newer" | "-samefile" | "-files0-from" | "-anewer" | "-cnewer" => {
                if let Some(file) = args.get(at) {
                    draft::add_path(draft, scene.world, &scene.cwd, file, Role::List);
                }
                at += 1;
            }
            _ => {}
        }
    }
    for root in &roots {
        draft::add_slot(draft, scene.world, &scene.cwd, root, if sweeps { Slot::Sweep } else { Slot::List });
    }
    scene.paths = patterns(&roots, &names);
}

/// What a started command gets for `{}`: a pattern below the folders.
fn started(scene: &mut Scene<'_>, mut command: Vec<Arg>, roots: &[Arg], names: &[String]) {
    let found = patterns(roots, names);
    for arg in &mut command {
        let Some(text) = arg.exact() else { continue };
        if text == "{}" {
            *arg = match &found {
                Some(paths) => Arg {
                    value: match paths.as_slice() {
                        [only] => leastgrant_shell::Value::Exact(only.clone()),
                        several => leastgrant_shell::Value::OneOf(several.to_vec()),
                    },
                    glob: true,
                    verbatim: None,
                    ..arg.clone()
                },
                None => Arg { split: false, ..Arg::unknown(arg.span) },
            };
        } else if let Some((before, _)) = text.split_once("{}") {
            let value = leastgrant_shell::Value::Prefix(before.to_owned());
            *arg = Arg { value, verbatim: None, ..arg.clone() };
        }
    }
    scene.nested.push(Nested::Words { argv: command, more: false });
}

/// Patterns of the paths found: below each folder, with the one name asked for.
fn patterns(roots: &[Arg], names: &[String]) -> Option<Vec<String>> {
    let all = below(&roots.iter().collect::<Vec<_>>())?;
    let last = match names {
        [only] if !only.contains('/') => only.as_str(),
        _ => return Some(all),
    };
    Some(all.into_iter().map(|pattern| format!("{pattern}/{last}")).collect())
}

fn deletes(draft: &mut Draft, scene: &Scene<'_>, roots: &[Arg]) {
    for root in roots {
        draft::add_path(draft, scene.world, &scene.cwd, root, Role::Delete);
    }
    draft.become_(Capability::Delete);
    draft.blast.undo = Undo::Irreversible;
    draft.blast.scale = Scale::Sweeping;
    draft.safer = Some(String::from("list first: the same `find` with `-print` in place of `-delete`"));
}

/// `fd … -x COMMAND`
fn fd(_: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some(at) =
        parsed.args.iter().position(|arg| matches!(arg.exact(), Some("-x" | "--exec" | "-X" | "--exec-batch")))
    else {
        return;
    };
    let argv: Vec<Arg> = parsed
        .args
        .iter()
        .skip(at + 1)
        .take_while(|arg| arg.exact() != Some(";"))
        .map(
            |arg| if arg.prefix().contains('{') { Arg { split: false, ..Arg::unknown(arg.span) } } else { arg.clone() },
        )
        .collect();
    let more = !argv.iter().any(|arg| arg.exact().is_none());
    scene.nested.push(Nested::Words { argv, more });
}
