//! One command against the knowledge: which program it is, what its arguments make of it, what it wraps.

use leastgrant_shell::{Cwd, Env, Span, Value};

use super::arg::{Arg, SpanMap};
use super::draft::{self, Draft};
use super::shell::{Feed, Invocation, Layer, Outcome, Reader};
use super::usage::{self, Parsed};
use super::{code, environment, files_named as files, script};
use crate::action::{Capability, Mark, Reach, Role, Scale, Target};
use crate::knowledge::{self, Effect, Program, Slot, Takes};
use crate::path::{self, Zone};
use crate::world::World;

/// What a code function may look at and change beside the draft.
pub struct Scene<'a> {
    /// facts
    pub world: &'a dyn World,
    /// the program as it was written
    pub program: String,
    /// the folder it runs in, after `-C` and the like
    pub cwd: Cwd,
    /// what comes in on standard input
    pub feed: &'a Feed,
    /// commands that it starts
    pub nested: Vec<Nested>,
    /// the wrapped command, and whether arguments that are not known are added
    pub command: Option<(Vec<Arg>, bool)>,
    /// patterns of the paths that it prints, where that is known
    pub paths: Option<Vec<String>>,
    /// the shell may be one in which `path` is `PATH`
    pub tied: bool,
    /// links that it makes: where, and what to (none: not known)
    pub links: Vec<(String, Option<String>)>,
    /// the command's span
    pub span: Span,
}

/// A command that another one starts.
#[derive(Clone, Debug)]
pub enum Nested {
    /// words, and whether arguments that are not known are added
    Words {
        /// the words
        argv: Vec<Arg>,
        /// more arguments come that are not known
        more: bool,
    },
    /// a text that a shell reads, with `$1…` where known
    Shell {
        /// the text
        text: Arg,
        /// positional parameters
        positional: Vec<Value>,
    },
    /// a text that is known without standing in the command (a script's body)
    Text {
        /// the body
        body: String,
        /// positional parameters
        positional: Vec<Value>,
        /// what it is, for people
        name: String,
        /// the folder it runs in
        cwd: Cwd,
    },
}

/// Judges one command by the knowledge and goes on with what it starts.
pub(super) fn run(reader: &mut Reader<'_>, invocation: Invocation, layers: &[Layer], peels: usize) -> Outcome {
    let span = invocation.span;
    let Some(first) = invocation.argv.first() else { return Outcome::default() };
    if invocation.calls_function {
        // its body is in the inventory; the call itself does nothing more
        return Outcome::default();
    }
    let names = match first.value.all() {
        Some(names) if !first.glob && names.iter().all(|name| !name.is_empty()) => names,
        _ => {
            reader.unknown(span, layers, "which program this runs is not known");
            return Outcome::default();
        }
    };
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let mut outcome = Outcome::default();
    for name in &names {
        let one = known(reader, name, &invocation, layers, peels);
        outcome.fetches |= one.fetches;
        outcome.typed |= one.typed;
        outcome.prints = if names.len() == 1 { one.prints } else { None };
        outcome.paths = if names.len() == 1 { one.paths } else { None };
    }
    outcome
}

/// Programs that print a part of what they read, line by line.
const PASS_THROUGH: &[&str] = &["grep", "head", "tail", "sort", "uniq", "cat", "tac", "shuf"];

/// Families of programs that people know by name and pass over, and that no project has scripts called like.
const EVERYDAY: &[&str] = &["text", "search", "git"];

/// What a program name stands for.
enum Named {
    Known(&'static Program),
    /// a file of the project or elsewhere that is run by its path
    File,
    Unknown(String),
}

fn name(written: &str, cwd: &Cwd, world: &dyn World) -> Named {
    let base = written.rsplit(['/', '\\']).next().unwrap_or(written);
    let lower = base.to_ascii_lowercase();
    let stem = [".exe", ".cmd", ".bat", ".ps1"].iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(base);
    let entry = knowledge::program(stem);
    if !written.contains('/') && !written.contains('\\') {
        return entry.map_or_else(|| Named::Unknown(stem.to_owned()), Named::Known);
    }
    // a file named like a utility is that utility only where utilities live
    let folder = draft::folders(cwd).first().copied().flatten();
    let place = path::place(world, folder, written);
    let tool = match place.zone {
        Zone::System => true,
        Zone::Home => place
            .lexical
            .as_deref()
            .is_some_and(|path| environment::is_tool_folder(path) || entry.is_some() && of_packages(path)),
        Zone::Project => {
            place.lexical.as_deref().is_some_and(of_packages)
                || matches!(stem, "gradlew" | "mvnw")
                    && place.real.as_deref().is_some_and(|real| world.tracked_clean(real))
        }
        _ => false,
    };
    match entry {
        Some(program) if tool => Named::Known(program),
        None if tool && place.zone != Zone::Project => Named::Unknown(stem.to_owned()),
        _ => Named::File,
    }
}

/// Where package managers put programs.
fn of_packages(path: &str) -> bool {
    ["/node_modules/.bin/", "/.venv/bin/", "/venv/bin/", "/vendor/bin/", "/.venv/Scripts/", "/venv/Scripts/"]
        .iter()
        .any(|folder| path.contains(folder))
}

fn known(reader: &mut Reader<'_>, written: &str, invocation: &Invocation, layers: &[Layer], peels: usize) -> Outcome {
    let args = invocation.argv.get(1..).unwrap_or_default();
    match name(written, &invocation.cwd, reader.world) {
        Named::Known(program) => program_run(reader, program, args, invocation, layers, peels),
        Named::File => file_run(reader, written, args, invocation, layers, peels),
        Named::Unknown(name) => {
            let mut draft = Draft::new(Capability::Unknown, "unknown");
            if asks_for_help(args) {
                draft.become_(Capability::Inspect);
                draft.note("asks a program for its help or version");
            } else {
                draft.opaque(invocation.argv.first().map(|arg| arg.span), format!("nothing is known of `{name}`"));
                for arg in args {
                    draft::add_slot(&mut draft, reader.world, &invocation.cwd, arg, Slot::MaybeRead);
                }
            }
            let display = shown(&invocation.argv);
            reader.finish(draft, &invocation.argv, layers, invocation.span, &display);
            Outcome::default()
        }
    }
}

/// Only `--help`, `--version` and plain subcommand words before them.
fn asks_for_help(args: &[Arg]) -> bool {
    let mut words = args.iter().filter(|arg| arg.prefix() != "").peekable();
    let plain = |arg: &&Arg| {
        arg.exact().is_some_and(|text| {
            matches!(text, "--help" | "--version" | "-h" | "-V" | "help" | "version")
                || text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-') && !text.starts_with('-')
        })
    };
    words.peek().is_some()
        && args.iter().all(|arg| arg.exact().is_some())
        && args.iter().all(|arg| plain(&arg))
        && args.last().and_then(Arg::exact).is_some_and(|last| matches!(last, "--help" | "--version" | "-h" | "-V"))
        && args.len() <= 4
}

/// A file that is run by its path: read as a script where that is possible.
fn file_run(
    reader: &mut Reader<'_>,
    written: &str,
    args: &[Arg],
    invocation: &Invocation,
    layers: &[Layer],
    peels: usize,
) -> Outcome {
    let mut draft = Draft::new(Capability::Unknown, "scripts");
    let mut scene = scene(reader.world, invocation);
    let first = invocation.argv.first().cloned().unwrap_or_else(|| Arg::text(written, invocation.span));
    draft::add_path(&mut draft, reader.world, &invocation.cwd, &first, Role::Execute);
    let base = written.rsplit(['/', '\\']).next().unwrap_or(written);
    if knowledge::program(base).is_some_and(|program| EVERYDAY.contains(&program.family)) {
        // whoever reads the line takes it for the utility, so its body alone does not decide
        draft.opaque(Some(first.span), format!("it is named like `{base}`, and is a file of its own"));
    }
    script::file(&mut draft, &mut scene, &first, args, None);
    let nested = scene.nested;
    complete(reader, draft, nested, invocation, layers, peels, &[], &scene.cwd)
}

fn scene<'a>(world: &'a dyn World, invocation: &'a Invocation) -> Scene<'a> {
    let program = invocation.argv.first().map(Arg::shown).unwrap_or_default();
    Scene {
        world,
        program,
        cwd: invocation.cwd.clone(),
        feed: &invocation.feed,
        nested: Vec::new(),
        command: None,
        paths: None,
        tied: false,
        links: Vec::new(),
        span: invocation.span,
    }
}

fn program_run(
    reader: &mut Reader<'_>,
    program: &'static Program,
    args: &[Arg],
    invocation: &Invocation,
    layers: &[Layer],
    peels: usize,
) -> Outcome {
    let parsed = usage::parse(&program.usage, args);
    let mut draft = base(program, &parsed);
    let mut scene = scene(reader.world, invocation);
    scene.tied = reader.tied();
    scene.cwd = moved(&parsed, reader.world, &invocation.cwd);
    scene.command.clone_from(&parsed.command);
    let cwd = scene.cwd.clone();
    let only = only(&parsed).is_some();
    if let Some((arg, why)) = &parsed.opaque {
        draft.opaque(Some(arg.span), why.clone());
    }
    slots(&mut draft, &cwd, &parsed, &mut scene, only, program);
    for effect in parsed.chain.iter().map(|usage| &usage.effect).chain(parsed.effects()) {
        if !effect.code.is_empty() && !only {
            code::call(effect.code, &mut draft, &parsed, &mut scene);
        }
    }
    stdin_code(&mut draft, &parsed, &mut scene, program);
    if !only && parsed.command.is_none() {
        files::all(&mut draft, &parsed, &scene, program);
    }
    reader.made(&mut scene.links, invocation.span);
    // a function may know that what is started runs in another folder
    let cwd = scene.cwd.clone();
    if scene.paths.is_none()
        && !parsed.has(&["-o", "--only-matching", "-c", "--bytes"])
        && PASS_THROUGH.contains(&program.names.first().copied().unwrap_or_default())
        && !draft.targets.iter().any(|target| target.role == Role::Read)
        && let Feed::Pipe { paths, .. } = scene.feed
    {
        scene.paths.clone_from(paths);
    }
    if parsed.usage.production || parsed.chain.iter().any(|usage| usage.production) {
        code::production(&mut draft, args);
    }
    elsewhere_built(&mut draft, reader.world, &cwd);
    let assigned: Vec<(String, Value)> = parsed.in_role(Slot::Assignment).filter_map(assignment).collect();
    let injected = environment::injections(&assigned, &cwd, reader.world, false);
    let mut layers = layers.to_vec();
    if !injected.is_empty() {
        if scene.nested.is_empty() && scene.command.is_none() {
            environment::inject(&mut draft, &injected);
        }
        layers.push(environment::layer(&injected));
    }
    if let Some((argv, more)) = scene.command.take() {
        scene.nested.push(Nested::Words { argv, more });
    }
    let mut effects: Vec<&'static Effect> = parsed.chain.iter().map(|usage| &usage.effect).collect();
    effects.extend(parsed.effects());
    if parsed.chain.iter().any(|usage| usage.elsewhere) {
        draft.note("runs somewhere else");
    }
    let nested = scene.nested;
    draft.paths = scene.paths;
    let done = Inner { effects, elsewhere: parsed.chain.iter().any(|usage| usage.elsewhere) };
    complete_with(reader, draft, nested, invocation, &layers, peels, &done, &cwd)
}

/// Builds, tests and locked installs run what their folder says: outside the project that is somebody else's code.
fn elsewhere_built(draft: &mut Draft, world: &dyn World, cwd: &Cwd) {
    if !matches!(draft.capability, Capability::Build | Capability::Test | Capability::PackageLocked) {
        return;
    }
    for folder in draft::folders(cwd).into_iter().flatten() {
        if path::place(world, Some(folder), ".").zone != Zone::Project {
            draft.blast.reach = draft.blast.reach.max(Reach::Machine);
            draft.blast.scale = Scale::Many;
            draft.note("runs what a folder outside the project says");
        }
    }
}

struct Inner {
    effects: Vec<&'static Effect>,
    elsewhere: bool,
}

/// What the tables say, before targets.
fn base(program: &'static Program, parsed: &Parsed<'_>) -> Draft {
    let mut draft = Draft::new(Capability::Unknown, program.family);
    draft.become_(Capability::Inspect);
    for usage in &parsed.chain {
        draft.apply(&usage.effect, true);
    }
    if let Some(only) = only(parsed) {
        let mut alone = Draft::new(Capability::Inspect, program.family);
        alone.apply(only, true);
        return alone;
    }
    let replacing = parsed
        .effects()
        .filter_map(|effect| effect.does.map(|does| (does.default_blast().tier(), effect)))
        .max_by_key(|row| row.0);
    if let Some((_, effect)) = replacing {
        draft.apply(effect, true);
    }
    for effect in parsed.effects() {
        let raised = Effect { does: None, operands: None, ..copy(effect) };
        draft.apply(&raised, false);
    }
    draft
}

fn copy(effect: &'static Effect) -> Effect {
    Effect {
        does: effect.does,
        reach: effect.reach,
        undo: effect.undo,
        exposure: effect.exposure,
        scale: effect.scale,
        mark: effect.mark,
        opaque: effect.opaque,
        note: effect.note,
        safer: effect.safer,
        operands: effect.operands,
        only: effect.only,
        code: effect.code,
    }
}

/// The option that makes everything else harmless, unless code is given beside it (`ruby -e CODE -v` runs it).
fn only(parsed: &Parsed<'_>) -> Option<&'static Effect> {
    let runs = |found: &usage::Found<'_>| {
        found.value.is_some() && found.row.is_some_and(|row| !row.effect.only && is_code(row.takes))
    };
    if parsed.options.iter().any(runs) {
        return None;
    }
    parsed.effects().find(|effect| effect.only)
}

fn is_code(takes: Takes) -> bool {
    matches!(takes, Takes::Value(slot) | Takes::Optional(slot) if matches!(slot, Slot::Code | Slot::Shell | Slot::Script))
}

/// The folder after `-C DIR` and the like.
fn moved(parsed: &Parsed<'_>, world: &dyn World, cwd: &Cwd) -> Cwd {
    let mut folder = cwd.clone();
    let by_option = parsed.options.iter().filter(|found| {
        found.row.is_some_and(|row| matches!(row.takes, Takes::Value(Slot::Chdir) | Takes::Optional(Slot::Chdir)))
    });
    for arg in by_option.filter_map(|found| found.value.as_ref()).chain(parsed.in_role(Slot::Chdir)) {
        let from = match &folder {
            Cwd::At(from) => Some(from.as_str()),
            Cwd::OneOf(_) | Cwd::Unknown => None,
        };
        folder = match arg.exact().map(|text| path::place(world, from, text).lexical) {
            Some(Some(path)) => Cwd::At(path),
            _ => Cwd::Unknown,
        };
    }
    folder
}

/// Operands and option values in their slots.
fn slots(
    draft: &mut Draft,
    cwd: &Cwd,
    parsed: &Parsed<'_>,
    scene: &mut Scene<'_>,
    only: bool,
    program: &'static Program,
) {
    let world = scene.world;
    for (slot, arg) in &parsed.operands {
        if only && !matches!(slot, Slot::Read | Slot::Sweep | Slot::List) {
            continue;
        }
        match slot {
            Slot::Shell => scene.nested.push(Nested::Shell { text: arg.clone(), positional: Vec::new() }),
            Slot::Code => script::inline(draft, scene, arg, program),
            _ => draft::add_slot(draft, world, cwd, arg, *slot),
        }
    }
    let words: Vec<&Arg> = parsed.in_role(Slot::ShellWords).collect();
    if !words.is_empty() && !only {
        scene.nested.push(Nested::Shell { text: joined(&words), positional: Vec::new() });
    }
    for found in &parsed.options {
        let Some(value) = &found.value else { continue };
        match found.row.map(|row| row.takes) {
            Some(Takes::Value(Slot::Shell) | Takes::Optional(Slot::Shell)) => {
                scene.nested.push(Nested::Shell { text: value.clone(), positional: Vec::new() });
            }
            // what does nothing writes nothing either
            Some(Takes::Value(Slot::Write | Slot::WriteDir | Slot::Delete)) if only => {
                draft::add_slot(draft, world, cwd, value, Slot::Read);
            }
            Some(Takes::Value(Slot::Code) | Takes::Optional(Slot::Code)) => {
                script::inline(draft, scene, value, program)
            }
            Some(Takes::Value(Slot::Script)) => {
                draft::add_slot(draft, world, cwd, value, Slot::Script);
                script::file(draft, scene, value, &[], Some(parsed));
            }
            Some(Takes::Value(slot) | Takes::Optional(slot))
                if !only || matches!(slot, Slot::Read | Slot::Sweep | Slot::List) =>
            {
                draft::add_slot(draft, world, cwd, value, slot);
            }
            Some(Takes::Value(_) | Takes::Optional(_)) => {}
            Some(Takes::Nothing) => {}
            // a path behind an option that is not listed still counts as touched
            None => {
                if value.prefix().starts_with(['/', '~', '.']) {
                    draft::add_slot(draft, world, cwd, value, Slot::MaybeRead);
                }
            }
        }
    }
    for arg in parsed.in_role(Slot::Script).cloned().collect::<Vec<_>>() {
        let after = parsed.args.iter().skip_while(|other| other.span != arg.span).skip(1).cloned().collect::<Vec<_>>();
        script::file(draft, scene, &arg, &after, Some(parsed));
    }
}

/// Several words as the one text that a shell makes of them.
#[must_use]
pub fn joined(words: &[&Arg]) -> Arg {
    let span = words.iter().map(|arg| arg.span).reduce(Span::join).unwrap_or_default();
    if let [only] = words {
        return (*only).clone();
    }
    let mut text = String::new();
    let mut whole = true;
    for (at, arg) in words.iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        text.push_str(arg.prefix());
        if arg.exact().is_none() {
            whole = false;
            break;
        }
    }
    let value = if whole { Value::Exact(text) } else { Value::Prefix(text) };
    let credential = words.iter().find_map(|word| word.credential.clone());
    Arg { value, span, glob: false, split: false, quoted: true, verbatim: None, credential }
}

/// Interpreters without a script read their code from standard input.
fn stdin_code(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>, program: &'static Program) {
    let reads = parsed.usage.stdin_code || parsed.path.is_empty() && parsed.chain.iter().any(|usage| usage.stdin_code);
    let given =
        parsed.options.iter().any(|found| found.value.is_some() && found.row.is_some_and(|row| is_code(row.takes)));
    let replaced = parsed.effects().any(|effect| effect.does.is_some_and(|does| does != Capability::Unknown));
    let has_code =
        given || replaced || !parsed.operands.is_empty() || !scene.nested.is_empty() || only(parsed).is_some();
    let dash = parsed.operands.first().is_some_and(|operand| operand.1.exact() == Some("-"));
    let asked = parsed.has(&["-s"]) && program.family == "shells";
    let shell = program.family == "shells";
    // what a start-up file says comes before what is typed, not instead of it
    let greets = shell && parsed.operands.is_empty() && parsed.has(&["--rcfile", "--init-file", "--init-command"]);
    if !reads || (has_code && !dash && !asked && !greets) {
        // what comes in is data to code that was read, and could be anything to code that was not
        if let Feed::Pipe { fetched: true, .. } = scene.feed
            && reads
            && draft.opaque.is_some()
        {
            draft.mark(Mark::PipeToShell);
        }
        return;
    }
    match scene.feed {
        Feed::Inherited => {
            draft.mark(Mark::LaterInput);
            draft.opaque(Some(scene.span), "reads its commands from what is typed later");
        }
        Feed::Pipe { fetched, typed, text, .. } => {
            if *fetched {
                draft.mark(Mark::PipeToShell);
            }
            if *typed {
                draft.mark(Mark::LaterInput);
            }
            match text {
                Some(value) if shell => {
                    let arg = Arg { value: value.clone(), ..Arg::text("", scene.span) };
                    scene.nested.push(Nested::Shell { text: arg, positional: Vec::new() });
                }
                _ => draft.opaque(Some(scene.span), "runs what another command prints"),
            }
        }
        Feed::Text(arg) => {
            if shell {
                scene.nested.push(Nested::Shell { text: arg.clone(), positional: Vec::new() });
            } else {
                script::inline(draft, scene, arg, program);
            }
        }
        Feed::File(arg) => script::file(draft, scene, &arg.clone(), &[], Some(parsed)),
    }
}

fn assignment(arg: &Arg) -> Option<(String, Value)> {
    let (name, _) = arg.prefix().split_once('=')?;
    Some((name.to_owned(), arg.after(name.len() + 1).value))
}

#[expect(clippy::too_many_arguments, reason = "one call site each; the parts of one command")]
fn complete(
    reader: &mut Reader<'_>,
    draft: Draft,
    nested: Vec<Nested>,
    invocation: &Invocation,
    layers: &[Layer],
    peels: usize,
    effects: &[&'static Effect],
    cwd: &Cwd,
) -> Outcome {
    let done = Inner { effects: effects.to_vec(), elsewhere: false };
    complete_with(reader, draft, nested, invocation, layers, peels, &done, cwd)
}

/// Keeps the action, then goes on with what the command starts.
#[expect(clippy::too_many_arguments, reason = "one call site each; the parts of one command")]
fn complete_with(
    reader: &mut Reader<'_>,
    mut draft: Draft,
    nested: Vec<Nested>,
    invocation: &Invocation,
    layers: &[Layer],
    peels: usize,
    done: &Inner,
    cwd: &Cwd,
) -> Outcome {
    if invocation.looped
        && draft.blast.scale == Scale::Single
        && draft.targets.iter().any(|target| target.role.changes())
    {
        draft.blast.scale = Scale::Many;
    }
    let fetches = matches!(draft.capability, Capability::NetFetch | Capability::NetSend)
        || draft.targets.iter().any(|target| target.role == Role::Connect);
    let mut outcome =
        Outcome { fetches, typed: typed(&draft, invocation), prints: draft.prints.clone(), paths: draft.paths.clone() };
    let carried: Vec<Target> = draft.targets.clone();
    let own = nested.is_empty() || !draft.silent && (!draft.targets.is_empty() || draft.opaque.is_some());
    let sweeps = draft.sweeps_secrets;
    let marks = draft.marks.clone();
    // only what adds nothing of its own prints what the one command prints that it starts
    let name = invocation.argv.first().map(Arg::prefix).unwrap_or_default();
    let many = ["xargs", "gxargs", "parallel"].iter().any(|other| name.rsplit('/').next() == Some(other));
    let through = draft.silent && nested.len() == 1 && !done.elsewhere && !many;
    let opaque = draft.opaque.as_ref().map(|opaque| opaque.why.clone());
    if own || nested.is_empty() {
        let display = shown(&invocation.argv);
        reader.finish(draft, &invocation.argv, layers, invocation.span, &display);
    }
    if nested.is_empty() {
        return outcome;
    }
    let mut below = layers.to_vec();
    below.push(Layer {
        effects: done.effects.iter().copied().filter(|effect| effect.does.is_none_or(raises)).collect(),
        targets: if done.elsewhere { Vec::new() } else { carried },
        marks,
        sweeps_secrets: sweeps,
        elsewhere: done.elsewhere,
        opaque: opaque.filter(|_| !own),
        name: invocation.argv.first().map(Arg::shown).unwrap_or_default(),
    });
    // files of this machine say nothing about what runs on another one
    let cwd = if done.elsewhere { &Cwd::Unknown } else { cwd };
    for command in nested {
        let inner = descend(reader, command, invocation, &below, peels, cwd);
        outcome.fetches |= inner.fetches;
        outcome.typed |= inner.typed;
        outcome.prints = inner.prints.filter(|_| through);
    }
    outcome
}

/// Programs that print what comes in on standard input when they are given no file.
const FILTERS: &[&str] = &[
    "cat", "tac", "tee", "nl", "rev", "head", "tail", "grep", "egrep", "fgrep", "rg", "sort", "uniq", "sed", "gsed",
    "awk", "gawk", "mawk", "tr", "cut", "paste", "base64", "xxd", "envsubst", "column", "dd", "pv", "unbuffer",
    "xargs", "stdbuf",
];

/// Whether a command passes on what is typed: it reads the terminal, or what another one passes on.
fn typed(draft: &Draft, invocation: &Invocation) -> bool {
    let name = invocation.argv.first().map(Arg::prefix).unwrap_or_default();
    let filters = FILTERS.contains(&name.rsplit('/').next().unwrap_or(name));
    match invocation.feed {
        Feed::Inherited => filters && !draft.targets.iter().any(|it| it.role == Role::Read && it.text != "-"),
        Feed::Pipe { typed, .. } => typed,
        Feed::Text(_) | Feed::File(_) => false,
    }
}

/// Capabilities of a wrapper that its command inherits; others (a plain `timeout`) say nothing about it.
fn raises(capability: Capability) -> bool {
    matches!(
        capability,
        Capability::Privilege
            | Capability::Remote
            | Capability::Container
            | Capability::ContainerBounded
            | Capability::Cloud
    )
}

fn descend(
    reader: &mut Reader<'_>,
    command: Nested,
    invocation: &Invocation,
    layers: &[Layer],
    peels: usize,
    cwd: &Cwd,
) -> Outcome {
    match command {
        Nested::Words { mut argv, more } => {
            if more {
                argv.push(Arg::unknown(invocation.span));
            }
            let span = argv.iter().map(|arg| arg.span).reduce(Span::join).unwrap_or(invocation.span);
            let inner = Invocation {
                argv,
                cwd: cwd.clone(),
                span,
                feed: invocation.feed.clone(),
                calls_function: false,
                depth: invocation.depth,
                looped: invocation.looped,
            };
            reader.run(inner, layers, peels + 1)
        }
        Nested::Shell { text, positional } => {
            let texts: Vec<String> = match &text.value {
                Value::Exact(text) => vec![text.clone()],
                Value::OneOf(texts) => texts.clone(),
                Value::Prefix(start) => vec![start.clone()],
                Value::Matches(_) | Value::Unknown => Vec::new(),
            };
            if text.value.all().is_none() {
                reader.unknown(text.span, layers, "a shell reads text that is not known");
            }
            let mut outcome = Outcome::default();
            for body in texts {
                let env = env(reader.world, cwd, positional.clone());
                let inner = reader.text(&body, &env, text.map(), layers, &invocation.feed, invocation.depth + 1);
                outcome.fetches |= inner.fetches;
                outcome.prints = inner.prints;
            }
            outcome
        }
        Nested::Text { body, positional, name, cwd } => {
            let env = env(reader.world, &cwd, positional);
            let mut below = layers.to_vec();
            if let Some(last) = below.last_mut() {
                last.name = name;
            }
            let map = SpanMap::Whole(invocation.span);
            reader.text(&body, &env, map, &below, &invocation.feed, invocation.depth + 1)
        }
    }
}

fn env(world: &dyn World, cwd: &Cwd, positional: Vec<Value>) -> Env {
    Env { home: world.facts().home.clone(), cwd: cwd.clone(), vars: std::collections::BTreeMap::new(), positional }
}

/// The command as a person would say it.
#[must_use]
pub fn shown(argv: &[Arg]) -> String {
    let words: Vec<String> = argv.iter().map(Arg::shown).collect();
    words.join(" ")
}
