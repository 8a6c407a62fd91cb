//! Programs that run other commands: what a table can't say of them.

use leastgrant_shell::Value;

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::{Nested, Scene, joined};
use super::script;
use super::shell::Feed;
use super::usage::Parsed;
use crate::action::{Capability, Mark, Role};
use crate::knowledge::Slot;

pub(super) const CODES: &[(&str, Code)] = &[
    ("wrappers.started", started),
    ("wrappers.silent", silent),
    ("wrappers.env", env),
    ("wrappers.xargs", xargs),
    ("wrappers.parallel", parallel),
    ("wrappers.trap", trap),
    ("wrappers.flock", flock),
    ("wrappers.shell", shell),
    ("wrappers.ssh", ssh),
    ("wrappers.ssh_option", ssh_option),
];

/// `arch`, `perf stat`: what they start decides; alone they look.
fn started(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = scene.command.is_some();
}

/// Does nothing by itself.
fn silent(draft: &mut Draft, _: &Parsed<'_>, _: &mut Scene<'_>) {
    draft.silent = true;
}

/// `env`: `-S` holds words of the command; without a command it prints the environment.
fn env(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let split: Vec<&Arg> =
        parsed.options.iter().filter(|found| found.name == "-S").filter_map(|found| found.value.as_ref()).collect();
    if split.is_empty() {
        if scene.command.is_none() {
            draft.silent = false;
            draft.become_(Capability::SecretRead);
            draft.note("prints every variable, credentials among them");
        }
        return;
    }
    let rest = scene.command.take().map(|command| command.0).unwrap_or_default();
    let mut words = split;
    words.extend(rest.iter());
    scene.nested.push(Nested::Shell { text: joined(&words), positional: Vec::new() });
}

/// `xargs`: what it adds is a path where the input is known to be paths, else nothing is known of it.
fn xargs(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let Some((mut argv, _)) = scene.command.take() else {
        draft.become_(Capability::Inspect);
        return;
    };
    let plain = !parsed.has(&["-0", "-d", "--null", "--delimiter", "-a", "--arg-file", "-E", "-e", "-x"]);
    if let (Some(words), false) = (known_words(scene).filter(|_| plain), parsed.has(&["-I"])) {
        argv.extend(words);
        scene.nested.push(Nested::Words { argv, more: false });
        return;
    }
    let added = match known_lines(scene).filter(|_| plain) {
        Some(lines) => Arg { value: lines, split: false, ..Arg::unknown(scene.span) },
        None => added(scene),
    };
    let mark = parsed.options.iter().find(|found| found.name == "-I");
    let mark =
        mark.map(|found| found.value.as_ref().and_then(Arg::exact).filter(|text| !text.is_empty()).unwrap_or("{}"));
    let Some(mark) = mark else {
        argv.push(added);
        scene.nested.push(Nested::Words { argv, more: false });
        return;
    };
    for arg in &mut argv {
        let Some(text) = arg.exact() else { continue };
        if let Some((before, after)) = text.split_once(mark) {
            let value = match (&added.value, before.is_empty() && after.is_empty()) {
                (Value::Exact(_) | Value::OneOf(_), true) => added.value.clone(),
                _ if before.is_empty() => Value::Unknown,
                _ => Value::Prefix(before.to_owned()),
            };
            *arg = Arg { value, glob: added.glob, verbatim: None, ..arg.clone() };
        }
    }
    scene.nested.push(Nested::Words { argv, more: false });
}

/// What comes in, where it is known and holds nothing that `xargs` would read in its own way.
fn known_input(scene: &Scene<'_>) -> Option<String> {
    let text = match scene.feed {
        Feed::Pipe { text: Some(value), .. } => value.exact()?,
        Feed::Text(arg) => arg.exact()?,
        _ => return None,
    };
    let plain = text.len() <= INPUT && !text.contains(['\'', '"', '\\', '\0']);
    plain.then(|| text.to_owned())
}

fn known_words(scene: &Scene<'_>) -> Option<Vec<Arg>> {
    let words: Vec<Arg> = known_input(scene)?.split_whitespace().map(|word| Arg::text(word, scene.span)).collect();
    (!words.is_empty()).then_some(words)
}

fn known_lines(scene: &Scene<'_>) -> Option<Value> {
    let text = known_input(scene)?;
    let lines: Vec<String> = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    match lines.as_slice() {
        [] => None,
        [only] => Some(Value::Exact(only.clone())),
        _ => Some(Value::OneOf(lines)),
    }
}

/// Most bytes of input that is split into words.
const INPUT: usize = 4096;

/// The argument that a pipe of paths becomes: a pattern that holds them all.
fn added(scene: &Scene<'_>) -> Arg {
    let mut arg = Arg::unknown(scene.span);
    if let Feed::Pipe { paths: Some(patterns), .. } = scene.feed {
        arg.value = match patterns.as_slice() {
            [only] => Value::Exact(only.clone()),
            several => Value::OneOf(several.to_vec()),
        };
        arg.glob = true;
        arg.split = false;
    }
    arg
}

/// GNU parallel: words up to `:::` are a shell text; what is added is not known.
fn parallel(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let Some((argv, _)) = scene.command.take() else {
        draft.opaque(Some(scene.span), "runs what it reads");
        return;
    };
    let words: Vec<&Arg> = argv.iter().take_while(|arg| !arg.prefix().starts_with(":::")).collect();
    let mut text = joined(&words);
    // the arguments come where `{}` stands, or at the end
    text.value = match text.value {
        Value::Exact(known) => match known.split_once("{}") {
            Some((before, _)) => Value::Prefix(before.to_owned()),
            None => Value::Prefix(format!("{known} ")),
        },
        other => other,
    };
    let mut direct: Vec<Arg> = words.into_iter().filter(|arg| arg.prefix() != "{}").cloned().collect();
    let plain = direct.len() == 1
        && direct
            .first()
            .and_then(Arg::exact)
            .is_some_and(|word| !word.contains([' ', '{', ';', '|', '&', '$', '`', '(']));
    if direct.len() == 1 && !plain {
        scene.nested.push(Nested::Shell { text, positional: Vec::new() });
    } else {
        direct.push(Arg::unknown(scene.span));
        scene.nested.push(Nested::Words { argv: direct, more: false });
    }
}

/// `trap TEXT SIGNAL…`; `-` and an empty text remove.
fn trap(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some((_, text)) = parsed.operands.first() else { return };
    let removes =
        matches!(text.exact(), Some("-" | "")) || parsed.operands.len() == 1 && text.exact().is_some_and(is_signal);
    if !removes && !parsed.has(&["-p", "-l"]) {
        draft.silent = true;
        scene.nested.push(Nested::Shell { text: text.clone(), positional: Vec::new() });
    }
}

fn is_signal(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
}

/// `flock FILE -c TEXT`: the option comes after the file.
fn flock(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    if let Some((argv, _)) = &scene.command
        && let [dash, text, ..] = argv.as_slice()
        && matches!(dash.exact(), Some("-c" | "--command"))
    {
        let text = text.clone();
        scene.command = None;
        scene.nested.push(Nested::Shell { text, positional: Vec::new() });
    }
}

/// A shell: with `-c` its first operand is a text, else a file.
fn shell(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let mut operands = parsed.operands.iter().map(|operand| &operand.1);
    if parsed.has(&["-c"]) {
        draft.silent = true;
        let Some(text) = operands.next() else {
            draft.opaque(Some(scene.span), "a shell reads text that is not known");
            return;
        };
        // `$0` comes first
        let positional = operands.skip(1).map(|arg| arg.value.clone()).collect();
        scene.nested.push(Nested::Shell { text: text.clone(), positional });
    } else if !parsed.has(&["-s"])
        && let Some(file) = operands.next()
        && file.exact() != Some("-")
    {
        let rest: Vec<Arg> = operands.cloned().collect();
        draft::add_path(draft, scene.world, &scene.cwd, file, Role::Execute);
        script::file(draft, scene, file, &rest, Some(parsed));
    }
}

/// Without a command it is a shell over there that reads what is typed.
fn ssh(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let talks = matches!(scene.feed, Feed::Inherited | Feed::Pipe { typed: true, .. });
    if talks && parsed.operands.len() == 1 && !parsed.has(&["-N", "-f", "-O", "-Q", "-W", "-V", "-G"]) {
        draft.mark(Mark::LaterInput);
        draft.note("a shell on another machine that reads what is typed later");
    }
}

/// `-o ProxyCommand=…` and its kin run a command here.
fn ssh_option(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "-o") {
        let Some(value) = &found.value else { continue };
        let Some(at) = value.prefix().find(['=', ' ']) else {
            if value.exact().is_none() {
                draft.opaque(Some(value.span), "an option that is not known");
            }
            continue;
        };
        let name = value.prefix().get(..at).unwrap_or_default().to_ascii_lowercase();
        if matches!(name.as_str(), "proxycommand" | "localcommand" | "knownhostscommand") {
            scene.nested.push(Nested::Shell { text: value.after(at + 1), positional: Vec::new() });
        } else if name == "identityfile" {
            draft::add_slot(draft, scene.world, &scene.cwd, &value.after(at + 1), Slot::List);
        }
    }
}
