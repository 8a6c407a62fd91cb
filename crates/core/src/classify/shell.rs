//! Shell text → actions: every command that could run, through every wrapper, with the facts of each layer kept.
//!
//! Every correction works on the flattened inventory: what is found at one layer (a folder that `find` walks, more
//! rights, another machine) is carried down to each command below it and only raises.

use leastgrant_shell::{self as sh, Cwd, Dialect, Env, Limits, Span, Stdin, Value};

use super::arg::{Arg, SpanMap};
use super::draft::{self, Draft};
use super::linked::Linked;
use super::program;
use super::{environment, redirect, sign};
use crate::action::{Action, Capability, Mark, Target};
use crate::call::ShellCall;
use crate::knowledge::Effect;
use crate::world::World;

/// Most commands of one call, those in nested texts and scripts included.
const COMMANDS: usize = 4_000;
/// Deepest nesting of texts within texts.
const DEPTH: usize = 12;
/// Most bytes of nested texts and scripts read for one call.
const NESTED_BYTES: usize = 1_024 * 1_024;

/// Most links of one call that are followed.
const LINKS: usize = 256;

/// One command on its way to an action.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// the program and its arguments
    pub argv: Vec<Arg>,
    /// the folder it runs in
    pub cwd: Cwd,
    /// in the outermost text
    pub span: Span,
    /// what comes in on standard input
    pub feed: Feed,
    /// it is a function that the same text defines
    pub calls_function: bool,
    /// texts within texts so far
    pub depth: usize,
    /// it stands in a loop
    pub looped: bool,
}

/// What comes in on standard input.
#[derive(Clone, Debug)]
pub enum Feed {
    /// whatever the shell has
    Inherited,
    /// what other commands print
    Pipe {
        /// one of them fetches
        fetched: bool,
        /// one of them passes on what is typed
        typed: bool,
        /// the text, where it is known
        text: Option<Value>,
        /// patterns that hold every path it is made of, where it is paths
        paths: Option<Vec<String>>,
    },
    /// a here-document or here-string
    Text(Arg),
    /// a file
    File(Arg),
}

/// What a wrapper adds to each command below it.
#[derive(Clone, Debug)]
pub struct Layer {
    /// the wrapper's effect
    pub effects: Vec<&'static Effect>,
    /// what the wrapper touches (a host, the folders that `find` walks)
    pub targets: Vec<Target>,
    /// marks from code
    pub marks: Vec<Mark>,
    /// credentials that its folders are certain to hold
    pub sweeps_secrets: Option<&'static str>,
    /// the command runs on another machine
    pub elsewhere: bool,
    /// why what is below cannot be accounted for
    pub opaque: Option<String>,
    /// the wrapper, for people
    pub name: String,
}

/// What became of one command, for those that read its output.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// it fetches from the network
    pub fetches: bool,
    /// it passes on what is typed
    pub typed: bool,
    /// what it prints, where that is known
    pub prints: Option<Value>,
    /// patterns of the paths that it prints, where that is known
    pub paths: Option<Vec<String>>,
}

/// Reads texts into actions, within a budget.
pub struct Reader<'a> {
    /// facts
    pub world: &'a dyn World,
    /// what was found so far
    pub actions: Vec<Action>,
    dialect: Dialect,
    commands: usize,
    bytes: usize,
    unsandboxed: bool,
    /// links that are made on the way, and the spans of what makes them
    links: Vec<(String, Option<String>)>,
    makers: Vec<Span>,
}

/// Whether a command line holds nothing that a shell would look at.
pub fn only_comments(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#'))
}

/// The actions of a shell call.
#[must_use]
pub fn shell_actions(call: &ShellCall, cwd: &str, world: &dyn World) -> Vec<Action> {
    let folder = call.workdir.as_deref().unwrap_or(cwd);
    let folder = crate::path::place(world, Some(cwd), folder).lexical.unwrap_or_else(|| folder.to_owned());
    let mut first = read(call, &folder, world);
    if first.links.is_empty() {
        return first.actions;
    }
    // once more with the links in place: whichever runs first, both readings count
    let linked = Linked { world, links: std::mem::take(&mut first.links) };
    let again = read(call, &folder, &linked).actions.into_iter().enumerate();
    let differs = |at: usize, action: &Action| {
        let same = first.actions.get(at).is_some_and(|other| other.targets == action.targets);
        let makes = action.span.is_some_and(|span| first.makers.contains(&span));
        !same && !makes
    };
    let more: Vec<Action> = again.filter(|(at, action)| differs(*at, action)).map(|row| row.1).collect();
    first.actions.extend(more);
    first.actions
}

fn read<'a>(call: &ShellCall, folder: &str, world: &'a dyn World) -> Reader<'a> {
    let mut reader = Reader {
        world,
        actions: Vec::new(),
        dialect: call.dialect,
        commands: 0,
        bytes: 0,
        unsandboxed: call.unsandboxed,
        links: Vec::new(),
        makers: Vec::new(),
    };
    let env = Env {
        home: world.facts().home.clone(),
        cwd: if folder.is_empty() { Cwd::Unknown } else { Cwd::At(folder.to_owned()) },
        vars: std::collections::BTreeMap::new(),
        positional: Vec::new(),
    };
    reader.text(&call.command, &env, SpanMap::Shift(0), &[], &Feed::Inherited, 0);
    reader.nothing(&call.command);
    reader
}

impl Reader<'_> {
    /// A text in which nothing was found and nothing was left unread only computes (`x=1`, `f() { ls; }`).
    fn nothing(&mut self, text: &str) {
        if self.actions.is_empty() && !only_comments(text) {
            let draft = Draft::new(Capability::Inspect, "shell");
            self.finish(draft, &[], &[], Span::new(0, text.len()), "no program");
        }
    }

    /// Reads one text; answers what its last command prints, and whether any of its commands fetches.
    pub fn text(
        &mut self,
        text: &str,
        env: &Env,
        map: SpanMap,
        layers: &[Layer],
        feed: &Feed,
        depth: usize,
    ) -> Outcome {
        self.bytes = self.bytes.saturating_add(text.len());
        if depth > DEPTH || (depth > 0 && self.bytes > NESTED_BYTES) {
            let span = map.span(Span::new(0, text.len()));
            self.unknown(span, layers, "texts within texts beyond the limit");
            return Outcome::default();
        }
        let limits = Limits::default();
        let inventory = sh::read(text.as_bytes(), env, self.dialect, &limits);
        for opaque in &inventory.opaque {
            self.unknown(map.span(opaque.span), layers, why_words(opaque.why));
        }
        self.calls_itself(&inventory, map, layers);
        self.sets(&inventory.sets, map, layers);
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(inventory.commands.len());
        for command in &inventory.commands {
            self.commands += 1;
            if self.commands > COMMANDS {
                self.unknown(map.span(command.span), layers, "more commands than the limit");
                break;
            }
            let local = Local { text, commands: &inventory.commands, outcomes: &outcomes };
            let outcome = self.command(command, map, layers, feed, &local, depth);
            outcomes.push(outcome);
        }
        Outcome {
            fetches: outcomes.iter().any(|outcome| outcome.fetches),
            typed: outcomes.iter().any(|outcome| outcome.typed),
            prints: match outcomes.as_slice() {
                [only] => only.prints.clone(),
                _ => None,
            },
            paths: None,
        }
    }

    /// Keeps the links that a command makes.
    pub fn made(&mut self, links: &mut Vec<(String, Option<String>)>, span: Span) {
        if !links.is_empty() && self.links.len() < LINKS {
            self.makers.push(span);
            self.links.append(links);
        }
    }

    /// Whether the shell may be one in which `path` is `PATH`.
    pub fn tied(&self) -> bool {
        !matches!(self.dialect, Dialect::Bash | Dialect::Sh)
    }

    /// Variables that are set without `NAME=value` (`read PATH`, `for PATH in …`).
    fn sets(&mut self, sets: &[sh::Assignment], map: SpanMap, layers: &[Layer]) {
        let mut seen = std::collections::BTreeSet::new();
        for set in sets {
            let span = map.span(set.span);
            if set.name.is_empty() {
                if seen.insert("") {
                    self.unknown(span, layers, "which variable is set is not known");
                }
                continue;
            }
            let one = [(set.name.clone(), set.value.clone())];
            let injected = environment::injections(&one, &Cwd::Unknown, self.world, self.tied());
            if !injected.is_empty() && seen.insert(set.name.as_str()) {
                self.injected(&injected, layers, span, &format!("{}=…", set.name));
            }
        }
    }

    /// A function that is called from within a function, in the background or a pipe: it may never end.
    fn calls_itself(&mut self, inventory: &sh::Inventory, map: SpanMap, layers: &[Layer]) {
        let again = inventory.commands.iter().find(|command| {
            let name = command.words.first().and_then(|word| word.value.exact()).unwrap_or_default();
            let many = command.pipe.is_some() || command.contexts.has(sh::Contexts::BACKGROUND);
            many && command.contexts.has(sh::Contexts::FUNCTION)
                && inventory.functions.iter().any(|known| known == name)
        });
        if let Some(command) = again {
            self.unknown(map.span(command.span), layers, "a function that starts functions over and over");
        }
    }

    fn injected(&mut self, injected: &[String], layers: &[Layer], span: Span, display: &str) {
        let mut draft = Draft::new(Capability::Meta, "shell");
        environment::inject(&mut draft, injected);
        self.finish(draft, &[], layers, span, display);
    }

    fn command(
        &mut self,
        command: &sh::Command,
        map: SpanMap,
        layers: &[Layer],
        outer: &Feed,
        local: &Local<'_>,
        depth: usize,
    ) -> Outcome {
        let span = map.span(command.span);
        let feed = match &command.stdin {
            Stdin::Inherited => outer.clone(),
            Stdin::Pipe(ids) => piped(ids, local),
            Stdin::Redirect(from) => redirected(from, map, local.text),
        };
        let assigned: Vec<(String, Value)> =
            command.assignments.iter().map(|assignment| (assignment.name.clone(), assignment.value.clone())).collect();
        let injected = environment::injections(&assigned, &command.cwd, self.world, self.tied());
        if command.words.is_empty() {
            if !injected.is_empty() {
                let names: Vec<&str> = assigned.iter().map(|row| row.0.as_str()).collect();
                self.injected(&injected, layers, span, &format!("{}=…", names.join("=… ")));
            }
            let nothing = Value::Exact(String::new());
            self.redirects(command, map, layers, Some(&nothing).filter(|_| command.assignments.is_empty()));
            return Outcome::default();
        }
        let outer_layers = layers;
        let mut layers = layers.to_vec();
        if !injected.is_empty() {
            layers.push(environment::layer(&injected));
        }
        let invocation = Invocation {
            argv: command.words.iter().map(|word| word_arg(word, map, local.text)).collect(),
            cwd: command.cwd.clone(),
            span,
            feed,
            calls_function: command.calls_function,
            depth,
            looped: command.contexts.has(sh::Contexts::LOOP),
        };
        let outcome = self.run(invocation, &layers, 0);
        self.redirects(command, map, outer_layers, outcome.prints.as_ref());
        outcome
    }

    fn redirects(&mut self, command: &sh::Command, map: SpanMap, layers: &[Layer], printed: Option<&Value>) {
        let Some(draft) = redirect::draft(&command.redirects, &command.cwd, map, self.world, printed) else { return };
        let spans = command.redirects.iter().map(|redirect| map.span(redirect.span));
        let span = spans.reduce(Span::join).unwrap_or_default();
        let written: Vec<&str> = draft.targets.iter().map(|target| target.text.as_str()).collect();
        let display = format!("> {}", written.join(" "));
        self.finish(draft, &[], layers, span, &display);
    }

    /// One command with its words.
    pub fn run(&mut self, invocation: Invocation, layers: &[Layer], peels: usize) -> Outcome {
        if peels > DEPTH * 2 {
            self.unknown(invocation.span, layers, "wrappers beyond the limit");
            return Outcome::default();
        }
        program::run(self, invocation, layers, peels)
    }

    /// Something that could not be accounted for.
    pub fn unknown(&mut self, span: Span, layers: &[Layer], why: &str) {
        let mut draft = Draft::new(Capability::Unknown, "shell");
        draft.opaque(Some(span), why);
        self.finish(draft, &[], layers, span, "…");
    }

    /// Puts the layers' facts on a draft and keeps the action.
    pub fn finish(&mut self, mut draft: Draft, argv: &[Arg], layers: &[Layer], span: Span, display: &str) {
        if layers.iter().any(|layer| layer.elsewhere) {
            draft::elsewhere(&mut draft, self.world);
        }
        for layer in layers {
            for effect in &layer.effects {
                let before = draft.capability;
                let mut raised = Draft::new(effect.does.unwrap_or(before), draft.family);
                raised.apply(effect, true);
                if effect.does.is_some() {
                    let blast = draft.blast.joined(raised.blast);
                    draft.at_least(raised.capability);
                    draft.blast = blast;
                }
                for mark in raised.marks {
                    draft.mark(mark);
                }
                draft.note(effect.note);
                if !effect.opaque.is_empty() {
                    draft.opaque(Some(span), effect.opaque);
                }
            }
            for mark in &layer.marks {
                draft.mark(*mark);
            }
            draft.targets.extend(layer.targets.iter().cloned());
            if let Some(what) = layer.sweeps_secrets {
                draft.sweeps_secrets.get_or_insert(what);
            }
            if let Some(why) = &layer.opaque {
                draft.opaque(Some(span), why.clone());
            }
        }
        draft::settle(&mut draft, self.world);
        let signature = sign::shell(&draft, argv, self.unsandboxed, self.world);
        let action = draft::finish(draft, signature, display.to_owned(), Some(span));
        self.actions.push(action);
    }
}

/// One text, and what became of its commands so far.
struct Local<'a> {
    text: &'a str,
    commands: &'a [sh::Command],
    outcomes: &'a [Outcome],
}

fn piped(ids: &[u32], local: &Local<'_>) -> Feed {
    let from: Vec<&Outcome> = ids.iter().filter_map(|id| local.outcomes.get(*id as usize)).collect();
    // an index that is not there yet is a command of which nothing is known
    let fetched = from.iter().any(|outcome| outcome.fetches);
    let only = match from.as_slice() {
        [only] if ids.len() == 1 => Some(*only),
        _ => None,
    };
    let typed = from.iter().any(|outcome| outcome.typed);
    Feed::Pipe { fetched, typed, text: only.and_then(|only| only.prints.clone()), paths: paths(ids, local) }
}

/// What the pipe holds where that is paths: those of every command whose output no other one takes first.
fn paths(ids: &[u32], local: &Local<'_>) -> Option<Vec<String>> {
    let taken = |id: &u32| {
        ids.iter().filter_map(|other| local.commands.get(*other as usize)).any(|command| match &command.stdin {
            Stdin::Pipe(inner) => inner.contains(id),
            _ => false,
        })
    };
    let mut all = Vec::new();
    for id in ids.iter().take(MEMBERS).filter(|id| !taken(id)) {
        all.extend(local.outcomes.get(*id as usize)?.paths.clone()?);
    }
    (ids.len() <= MEMBERS && !all.is_empty() && all.len() <= PATTERNS).then_some(all)
}

/// Most members of a pipe that are looked at, and most patterns of what it holds.
const MEMBERS: usize = 64;
const PATTERNS: usize = 128;

fn redirected(from: &sh::Redirect, map: SpanMap, text: &str) -> Feed {
    match (&from.here, from.op) {
        (Some(here), _) => Feed::Text(Arg {
            value: here.value.clone(),
            span: map.span(here.span),
            glob: false,
            split: false,
            quoted: true,
            verbatim: if here.quoted { map.offset(here.span.start) } else { None },
            credential: None,
        }),
        (None, sh::RedirectOp::HereString) => Feed::Text(word_arg(&from.target, map, text)),
        (None, _) => Feed::File(Arg::of(&from.target, map)),
    }
}

/// A word with the variable in it that holds a credential, where there is one.
fn word_arg(word: &sh::Word, map: SpanMap, text: &str) -> Arg {
    let mut arg = Arg::of(word, map);
    if word.value.all().is_none() {
        let raw = text.get(word.span.start as usize..word.span.end as usize).unwrap_or_default();
        arg.credential = credential_in(raw);
    }
    arg
}

/// The first variable of a word whose value is a credential by its name and comes to stand in the word: `$TOKEN`,
/// `${TOKEN:-x}`, not `${#TOKEN}` or `${TOKEN:+set}`.
fn credential_in(raw: &str) -> Option<String> {
    for part in raw.split('$').skip(1) {
        let (braced, inner) = match part.strip_prefix('{') {
            Some(inner) => (true, inner),
            None => (false, part),
        };
        let end = inner.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(inner.len());
        let (name, rest) = inner.split_at_checked(end)?;
        let only_asks = braced && (rest.starts_with('+') || rest.starts_with(":+"));
        if !only_asks && !name.is_empty() && crate::secret::is_secret_name(name) {
            return Some(name.to_owned());
        }
    }
    None
}

/// Why a piece was not understood, for people.
fn why_words(why: sh::Why) -> &'static str {
    match why {
        sh::Why::TooLong => "longer than the limit",
        sh::Why::TooDeep => "nested deeper than the limit",
        sh::Why::TooMuch => "more work than the limit",
        sh::Why::Unterminated => "a quote or substitution that does not end",
        sh::Why::Syntax => "not understood as shell",
        sh::Why::Byte => "a byte that shells read differently",
        sh::Why::Dialect => "a form that shells read differently",
        sh::Why::OtherLanguage => "another shell's language",
        sh::Why::Expansion => "an expansion that runs what a variable holds",
    }
}
