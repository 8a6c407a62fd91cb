//! `fd`: its words, the folders that it walks, the command that it starts with what it finds.

use super::Names;
use crate::action::Capability;
use crate::classify::arg::Arg;
use crate::classify::draft::{self, Draft};
use crate::classify::program::{Nested, Scene};
use crate::classify::search::below;
use crate::classify::usage::Parsed;
use crate::knowledge::Slot;
use leastgrant_shell::Value;

/// Options of `fd` with a value.
const FD_VALUES: &[&str] = &[
    "-d",
    "--max-depth",
    "--min-depth",
    "--exact-depth",
    "-t",
    "--type",
    "-E",
    "--exclude",
    "-S",
    "--size",
    "-o",
    "--owner",
    "-c",
    "--color",
    "-j",
    "--threads",
    "--max-results",
    "--changed-within",
    "--changed-before",
    "--newer",
    "--older",
    "--change-newer-than",
    "--change-older-than",
    "--path-separator",
    "--and",
    "--format",
    "--ignore-file",
    "--batch-size",
    "--gen-completions",
    "--hyperlink:x",
];

/// `fd [PATTERN] [FOLDER…] [-x COMMAND…]`
pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let mut words: Vec<Arg> = Vec::new();
    let mut roots: Vec<Arg> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut command: Option<Vec<Arg>> = None;
    let mut globbed = false;
    let mut literal = false;
    let mut rest = parsed.args.iter();
    while let Some(arg) = rest.next() {
        let text = arg.prefix();
        if literal || !text.starts_with('-') || text == "-" {
            if arg.split && arg.exact().is_none() && text.is_empty() && !literal {
                draft.opaque(Some(arg.span), "an argument that is not known could be a command of `fd`");
            }
            words.push(arg.clone());
            continue;
        }
        let (name, joined) = option(arg, text);
        match name.as_str() {
            "--" => literal = true,
            "-x" | "-X" | "--exec" | "--exec-batch" => {
                let mut argv: Vec<Arg> = joined.into_iter().collect();
                argv.extend(rest.by_ref().take_while(|arg| arg.exact() != Some(";")).cloned());
                command = Some(argv);
            }
            "-e" | "--extension" => {
                let end = joined.or_else(|| rest.next().cloned());
                names.extend(end.as_ref().and_then(Arg::exact).map(|end| format!("*.{}", end.trim_start_matches('.'))));
            }
            "-C" | "--base-directory" | "--search-path" => roots.extend(joined.or_else(|| rest.next().cloned())),
            "-g" | "--glob" => globbed = true,
            "-h" | "--help" | "-V" | "--version" => {
                draft.become_(Capability::Inspect);
                return;
            }
            name if FD_VALUES.contains(&name) && joined.is_none() => {
                rest.next();
            }
            _ => globbed |= !text.starts_with("--") && text.contains('g'),
        }
    }
    let pattern = (!words.is_empty()).then(|| words.remove(0));
    roots.extend(words);
    if let Some(glob) = pattern.as_ref().and_then(Arg::exact).filter(|_| globbed && names.is_empty()) {
        names.push(glob.to_owned());
    }
    let names: Names = (!names.is_empty() && names.iter().all(|name| !name.contains('/'))).then_some(names);
    let hint = pattern.as_ref().and_then(Arg::exact).map(|text| text.trim_matches(['^', '$']).replace('\\', ""));
    fd_done(draft, scene, &roots, &names, hint, command);
}

/// `-xVALUE`, `--exec=VALUE`
fn option(arg: &Arg, text: &str) -> (String, Option<Arg>) {
    if text.starts_with("--") {
        return match text.split_once('=') {
            Some((name, _)) => (name.to_owned(), Some(arg.after(name.len() + 1))),
            None => (text.to_owned(), None),
        };
    }
    // the first letter of a cluster that takes a value
    for (at, letter) in text.char_indices().skip(1) {
        if matches!(letter, 'x' | 'X' | 'e' | 'C' | 'd' | 't' | 'E' | 'S' | 'o' | 'c' | 'j') {
            let after = at + letter.len_utf8();
            let joined = (after < text.len() || arg.exact().is_none()).then(|| arg.after(after));
            return (format!("-{letter}"), joined);
        }
    }
    (text.to_owned(), None)
}

fn fd_done(
    draft: &mut Draft,
    scene: &mut Scene<'_>,
    roots: &[Arg],
    names: &Names,
    hint: Option<String>,
    command: Option<Vec<Arg>>,
) {
    let here = [Arg::text(".", scene.span)];
    let folders = if roots.is_empty() { &here } else { roots };
    let all = below(&folders.iter().collect::<Vec<_>>());
    let paths = all.map(|all| match names {
        Some(names) => {
            all.iter().flat_map(|folder| names.iter().map(move |name| format!("{folder}/{name}"))).collect::<Vec<_>>()
        }
        None => {
            let hints: Vec<String> = hint
                .iter()
                .filter(|hint| hint.len() > 2)
                .flat_map(|hint| all.iter().map(move |folder| format!("{folder}/{hint}")))
                .collect();
            all.into_iter().chain(hints).collect()
        }
    });
    let slot = if command.is_some() && names.is_none() { Slot::Sweep } else { Slot::List };
    for folder in folders {
        draft::add_slot(draft, scene.world, &scene.cwd, folder, slot);
    }
    let Some(mut argv) = command else {
        scene.paths = paths;
        return;
    };
    let found = |at: &Arg| match paths.as_deref() {
        None | Some([]) => Arg { split: false, ..Arg::unknown(at.span) },
        Some([only]) => {
            Arg { value: Value::Exact(only.clone()), glob: true, split: false, verbatim: None, ..at.clone() }
        }
        Some(several) => {
            Arg { value: Value::OneOf(several.to_vec()), glob: true, split: false, verbatim: None, ..at.clone() }
        }
    };
    let mut placed = false;
    for arg in &mut argv {
        let Some(text) = arg.exact() else { continue };
        if text == "{}" {
            *arg = found(arg);
            placed = true;
        } else if let Some((before, _)) =
            text.split_once('{').filter(|_| text.contains("{}") || text.contains("{/") || text.contains("{.}"))
        {
            placed = true;
            *arg = Arg { value: Value::Prefix(before.to_owned()), verbatim: None, ..arg.clone() };
        }
    }
    if !placed {
        argv.push(found(&Arg::text("", scene.span)));
    }
    scene.nested.push(Nested::Words { argv, more: false });
}
