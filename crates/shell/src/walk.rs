//! From the tree to the inventory: every command once, with its values, folder, input and surroundings.
//!
//! Recursion follows the tree, whose depth the reader bounded. Work is counted; when it runs out, what is left
//! is opaque.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::effects::{self, Effects};
use crate::flow::{Flow, Known};
use crate::loaded::{self, Loaded, value_word};
use crate::tree::{Fd, Id, Join, Kind, Tree};
use crate::{
    Assignment, Command, Contexts, Cwd, Dialect, Env, HereDoc, Inventory, Limits, Opaque, Pipe, Redirect, Span, Stdin,
    Value, Why, Word,
};

/// More names than are made unknown one by one.
const MANY_NAMES: usize = 64;

/// Where the walk stands.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub(crate) contexts: Contexts,
    pub(crate) parent: Option<u32>,
    pub(crate) pipe: Option<Pipe>,
    /// in the body of a function
    pub(crate) function: bool,
}

impl At {
    pub(crate) const TOP: Self = Self { contexts: Contexts(0), parent: None, pipe: None, function: false };

    pub(crate) fn with(self, context: Contexts) -> Self {
        Self { contexts: self.contexts.with(context), ..self }
    }
}

/// The walk over one tree, and over the small ones that its strings hold.
pub(crate) struct Walk<'e> {
    pub(crate) out: Inventory,
    pub(crate) flow: Flow<'e>,
    pub(crate) dialect: Dialect,
    pub(crate) limits: Limits,
    pub(crate) stdin: Rc<Stdin>,
    pub(crate) functions: BTreeSet<String>,
    /// what any function may change
    function_effects: Effects,
    /// what anything in the text may change
    all_effects: Effects,
    /// name and commands of each function's body
    pub(crate) bodies: Vec<(String, usize, usize)>,
    /// commands of the compound whose redirects are being read
    compound_from: usize,
    pub(crate) depth: usize,
    pub(crate) loaded: Loaded,
    bytes: usize,
    steps: u64,
    most_steps: u64,
    value_bytes: usize,
    most_words: usize,
    most_indices: usize,
    folder_bytes: usize,
    pipes: u32,
    stopped: bool,
}

impl<'e> Walk<'e> {
    pub(crate) fn new(env: &'e Env, dialect: Dialect, limits: Limits, bytes: usize) -> Self {
        let most_steps = (bytes as u64).saturating_mul(limits.steps_per_byte as u64).saturating_add(10_000);
        Self {
            out: Inventory::default(),
            flow: Flow::new(env),
            dialect,
            limits,
            stdin: Rc::new(Stdin::Inherited),
            functions: BTreeSet::new(),
            function_effects: Effects::default(),
            all_effects: Effects::default(),
            bodies: Vec::new(),
            compound_from: 0,
            depth: 0,
            loaded: Loaded::default(),
            bytes,
            steps: 0,
            most_steps,
            value_bytes: bytes.saturating_mul(16).saturating_add(64 * 1024),
            most_words: limits.nodes,
            most_indices: bytes.saturating_mul(4).saturating_add(64 * 1024),
            folder_bytes: bytes.saturating_mul(64).saturating_add(1024 * 1024),
            pipes: 0,
            stopped: false,
        }
    }

    /// Walks the whole text.
    pub(crate) fn whole(mut self, tree: &Tree, root: Id, steps: u64) -> Inventory {
        self.survey(tree);
        self.node(tree, root, &At::TOP);
        self.callers();
        let mut out = self.out;
        out.steps = steps.saturating_add(self.steps);
        out.opaque.extend(tree.opaque.iter().cloned());
        out.opaque.sort_by_key(|opaque| opaque.span);
        out.opaque.dedup();
        crate::order::by_position(&mut out.commands);
        out
    }

    /// What must be known before the first command: functions, and what spoils all knowledge.
    fn survey(&mut self, tree: &Tree) {
        let mut bodies = Vec::new();
        for node in &tree.nodes {
            if let Kind::Function { names, body } = &node.kind {
                for name in names {
                    self.functions.insert(name.clone());
                    self.out.functions.push(name.clone());
                }
                bodies.push(*body);
            }
        }
        for body in bodies {
            let effects = effects::of(tree, body, &self.functions, true);
            self.work(effects.steps);
            self.function_effects.join(&effects);
        }
        let flow = &self.flow;
        self.function_effects.resolve(&self.functions, |name| held(flow, name));
        if !self.functions.is_empty()
            && let Some(last) = tree.next().checked_sub(1)
        {
            let mut all = Effects::default();
            all.join(&self.function_effects);
            all.join(&effects::everything(tree, last, &self.functions));
            all.resolve(&self.functions, |name| held(&self.flow, name));
            self.work(tree.nodes.len());
            if all.names.len() > MANY_NAMES {
                // one clearing for each function instead of so many changes
                all.names.clear();
                all.all = true;
            }
            self.all_effects = all;
        }
        self.loaded = loaded::survey(tree, &self.functions);
        (self.flow.poisoned, self.flow.lost) = effects::poisons(tree, &self.functions);
    }

    /// Counts work; false when there is none left.
    pub(crate) fn work(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.steps > self.most_steps && !self.stopped {
            self.stopped = true;
            self.opaque(Span::new(0, self.bytes), Why::TooMuch);
        }
        !self.stopped
    }

    /// Pays for bytes of values and for words; false when there is no more to spend.
    pub(crate) fn spend(&mut self, bytes: usize, words: usize) -> bool {
        self.work(1 + words);
        if words > self.most_words {
            self.most_words = 0;
            self.opaque(Span::new(0, self.bytes), Why::TooMuch);
            return false;
        }
        self.most_words -= words;
        match self.value_bytes.checked_sub(bytes) {
            Some(left) => {
                self.value_bytes = left;
                self.work(bytes / 16);
                true
            }
            None => false,
        }
    }

    /// Pays for indices in [`Stdin::Pipe`].
    pub(crate) fn indices(&mut self, count: usize) -> bool {
        match self.most_indices.checked_sub(count) {
            Some(left) => {
                self.work(count / 4);
                self.most_indices = left;
                true
            }
            None => {
                if self.most_indices > 0 {
                    self.opaque(Span::new(0, self.bytes), Why::TooMuch);
                }
                self.most_indices = 0;
                false
            }
        }
    }

    pub(crate) fn opaque(&mut self, span: Span, why: Why) {
        if self.out.opaque.len() < 512 {
            self.out.opaque.push(Opaque { span, why });
        }
    }

    /// Commands so far of the compound whose redirects are read.
    pub(crate) fn compound_commands(&self) -> Vec<u32> {
        (self.compound_from..self.out.commands.len()).filter_map(|index| u32::try_from(index).ok()).take(4096).collect()
    }

    /// Makes what these effects name unknown.
    pub(crate) fn apply(&mut self, effects: &Effects) {
        self.work(effects.names.len());
        if effects.all {
            self.flow.clear();
        }
        for name in &effects.names {
            self.flow.forget(name);
        }
        if effects.place {
            self.flow.lose_place();
        }
        if effects.positional {
            self.flow.set_positional(None);
        }
        if effects.calls {
            let calls = std::mem::take(&mut self.function_effects);
            self.apply(&Effects { calls: false, ..calls.clone() });
            self.function_effects = calls;
        }
    }

    /// Any node that runs.
    pub(crate) fn node(&mut self, t: &Tree, id: Id, at: &At) {
        if !self.work(1) {
            return;
        }
        let Some(node) = t.get(id) else { return };
        match &node.kind {
            Kind::List { items } => {
                for (item, background) in items {
                    if *background {
                        let mark = self.flow.mark();
                        let stdin = self.stdin.clone();
                        self.node(t, *item, &at.with(Contexts::BACKGROUND));
                        self.undo(mark);
                        self.stdin = stdin;
                    } else {
                        self.node(t, *item, at);
                    }
                }
            }
            Kind::AndOr { head, tail } => self.and_or(t, *head, tail, at),
            Kind::Pipeline { members } => self.pipeline(t, members, at),
            Kind::Simple { assigns, words, redirects } => self.simple(t, node.span, assigns, words, redirects, at),
            Kind::Subshell { list } => {
                let mark = self.flow.mark();
                let stdin = self.stdin.clone();
                self.node(t, *list, &at.with(Contexts::SUBSHELL));
                self.undo(mark);
                self.stdin = stdin;
            }
            Kind::Group { list } => self.node(t, *list, at),
            Kind::Redirected { inner, redirects } => self.redirected(t, node.span, *inner, redirects, at),
            Kind::Cond { words } => self.test(t, words, at),
            Kind::Math { word, also } => {
                self.arithmetic(t, *word, at);
                if let Some(also) = also {
                    self.node(t, *also, at);
                }
            }
            Kind::Coproc { name, body } => {
                let mark = self.flow.mark();
                self.node(t, *body, &at.with(Contexts::BACKGROUND));
                self.undo(mark);
                self.flow.forget(name.as_deref().unwrap_or("COPROC"));
            }
            Kind::Function { names, body } => self.function(t, names, *body, at),
            _ => self.compound(t, id, at),
        }
    }

    fn compound(&mut self, t: &Tree, id: Id, at: &At) {
        let Some(node) = t.get(id) else { return };
        match &node.kind {
            Kind::If { arms, other } => self.if_clause(t, arms, *other, at),
            Kind::For { name, words, body, select } => {
                self.for_loop(t, name, (words.as_deref(), *select), *body, id, at);
            }
            Kind::While { cond, body } => {
                let effects = self.enter_loop(t, id, None);
                let at = at.with(Contexts::LOOP);
                self.node(t, *cond, &at);
                self.body(t, *body, &at, &effects);
            }
            Kind::ArithFor { head, body } => {
                let effects = self.enter_loop(t, id, None);
                self.arithmetic(t, *head, at);
                self.body(t, *body, &at.with(Contexts::LOOP), &effects);
            }
            Kind::Case { subject, arms } => {
                self.single(t, *subject, at, false);
                let inner = at.with(Contexts::CONDITIONAL);
                let mut deltas = Vec::new();
                for arm in arms {
                    for pattern in &arm.patterns {
                        let mark = self.flow.mark();
                        self.single(t, *pattern, at, false);
                        self.flow.maybe(mark);
                    }
                    let mark = self.flow.mark();
                    self.node(t, arm.body, &inner);
                    if arm.through {
                        self.flow.maybe(mark);
                    } else if !self.leaves(t, arm.body, at) {
                        deltas.push(self.flow.take(mark));
                    } else {
                        self.undo(mark);
                    }
                }
                let any = |id: &Id| t.plain(*id) == Some("*");
                let complete = arms.iter().any(|arm| !arm.through && arm.patterns.iter().any(any))
                    && !arms.iter().any(|arm| arm.through);
                self.flow.merge(deltas, complete);
            }
            // parts of words that stand alone only after an error
            Kind::Word { .. } => drop(self.single(t, id, at, false)),
            Kind::Subst { list, how, .. } => drop(self.substitution(t, *list, *how, at)),
            _ => {}
        }
    }

    pub(crate) fn undo(&mut self, mark: usize) {
        let undone = self.flow.rollback(mark);
        self.work(undone);
    }

    fn and_or(&mut self, t: &Tree, head: Id, tail: &[(Join, Id)], at: &At) {
        self.node(t, head, at);
        let inner = at.with(Contexts::CONDITIONAL);
        // changes of an unbroken `&&` chain since its second member
        let mut mark = self.flow.mark();
        let mut from_head = true;
        let mut first = Some(head);
        for (join, item) in tail {
            match join {
                Join::And => self.node(t, *item, &inner),
                Join::Or if self.leaves(t, *item, at) => {
                    // what follows runs only if all before this succeeded
                    let here = self.flow.mark();
                    self.node(t, *item, &inner);
                    self.undo(here);
                }
                Join::Or => {
                    if from_head && let Some(head) = first {
                        self.failed(t, head);
                    }
                    self.flow.maybe(mark);
                    let here = self.flow.mark();
                    self.node(t, *item, &inner);
                    self.flow.maybe(here);
                    mark = self.flow.mark();
                    from_head = false;
                }
            }
            first = None;
        }
        self.flow.maybe(mark);
    }

    /// After `cd X ||`: the folder may be the one before.
    fn failed(&mut self, t: &Tree, head: Id) {
        let Some(Kind::Simple { words, .. }) = t.get(head).map(|node| &node.kind) else {
            return;
        };
        if let Some(Some("cd" | "pushd" | "popd")) = words.first().map(|word| t.plain(*word)) {
            let place = self.flow.place().clone();
            let cwd = crate::flow::join_cwd(place.old.clone(), place.cwd.clone());
            self.flow.go(crate::flow::Place { cwd, ..place });
        }
    }

    /// Whether what follows a command does not run after it (`exit`, or `return` and `break` where they apply).
    pub(crate) fn leaves(&self, t: &Tree, id: Id, at: &At) -> bool {
        let mut id = id;
        for _ in 0..8 {
            match t.get(id).map(|node| &node.kind) {
                Some(Kind::Simple { words, .. }) => {
                    let name = words.first().and_then(|word| t.plain(*word)).unwrap_or_default();
                    if self.functions.contains(name) {
                        return false;
                    }
                    return match name {
                        "exit" => true,
                        "return" => at.function,
                        "break" | "continue" => at.contexts.has(Contexts::LOOP),
                        _ => false,
                    };
                }
                Some(Kind::Group { list }) => id = *list,
                Some(Kind::List { items }) => match items.last() {
                    Some((last, false)) => id = *last,
                    _ => return false,
                },
                _ => return false,
            }
        }
        false
    }

    fn pipeline(&mut self, t: &Tree, members: &[Id], at: &At) {
        let id = self.pipes;
        self.pipes += 1;
        let of = u16::try_from(members.len()).unwrap_or(u16::MAX);
        let start = self.out.commands.len();
        let stdin = self.stdin.clone();
        let before: Vec<u32> = match stdin.as_ref() {
            Stdin::Pipe(from) => from.clone(),
            _ => Vec::new(),
        };
        for (member, node) in members.iter().enumerate() {
            if member > 0 {
                let now = self.out.commands.len();
                let mut from = before.clone();
                // the nearest ones matter most when there are too many
                let room = if self.indices(now - start + from.len()) { now - start } else { 16 };
                from.extend((start.max(now.saturating_sub(room))..now).filter_map(|index| u32::try_from(index).ok()));
                self.stdin = Rc::new(Stdin::Pipe(from));
            }
            let pipe = Some(Pipe { id, member: u16::try_from(member).unwrap_or(u16::MAX), of });
            let mark = self.flow.mark();
            self.node(t, *node, &At { pipe, ..*at });
            if member + 1 == members.len() {
                // zsh, and bash with `lastpipe`, run the last one in the same shell
                self.flow.maybe(mark);
            } else {
                self.undo(mark);
            }
        }
        self.stdin = stdin;
    }

    fn if_clause(&mut self, t: &Tree, arms: &[(Id, Id)], other: Option<Id>, at: &At) {
        let inner = at.with(Contexts::CONDITIONAL);
        let mut deltas = Vec::new();
        for (number, (cond, body)) in arms.iter().enumerate() {
            let mark = self.flow.mark();
            self.node(t, *cond, if number == 0 { at } else { &inner });
            if number > 0 {
                self.flow.maybe(mark);
            }
            self.branch(t, *body, at, &inner, &mut deltas);
        }
        if let Some(other) = other {
            self.branch(t, other, at, &inner, &mut deltas);
        }
        self.flow.merge(deltas, other.is_some());
    }

    fn branch(&mut self, t: &Tree, body: Id, at: &At, inner: &At, deltas: &mut Vec<crate::flow::Delta>) {
        let mark = self.flow.mark();
        self.node(t, body, inner);
        if self.leaves(t, body, at) {
            self.undo(mark);
        } else {
            deltas.push(self.flow.take(mark));
        }
    }

    /// What the loop changes is unknown from its start, as it may come round.
    fn enter_loop(&mut self, t: &Tree, id: Id, over: Option<(&str, Option<Vec<String>>)>) -> Effects {
        let mut effects = effects::of(t, id, &self.functions, false);
        self.work(effects.steps);
        if let Some((name, texts)) = over
            && let Some(listed) = effects.listed.get_mut(name)
            && listed.loops == 1
        {
            listed.texts = texts;
        }
        let flow = &self.flow;
        effects.resolve(&self.functions, |name| held(flow, name));
        if effects.calls {
            let calls = self.function_effects.clone();
            effects.join(&calls);
        }
        self.apply(&effects);
        effects
    }

    fn body(&mut self, t: &Tree, body: Id, at: &At, effects: &Effects) {
        let mark = self.flow.mark();
        self.node(t, body, at);
        if effects.jumps {
            self.undo(mark);
            self.apply(effects);
        } else {
            self.flow.maybe(mark);
        }
    }

    fn for_loop(&mut self, t: &Tree, name: &str, over: (Option<&[Id]>, bool), body: Id, id: Id, at: &At) {
        let (words, select) = over;
        let mut list = Vec::new();
        for word in words.unwrap_or_default() {
            self.words(t, *word, at, &mut list);
        }
        let value = match words {
            // what is no number of the menu leaves it empty
            _ if select => Value::Unknown,
            Some(_) => one_of(&list),
            None => match self.flow.positional() {
                Some(values) => values.iter().cloned().reduce(crate::flow::join).unwrap_or(Value::Unknown),
                None => Value::Unknown,
            },
        };
        let known = value.all().map(|all| all.into_iter().map(str::to_owned).collect());
        let effects = self.enter_loop(t, id, Some((name, known)));
        let mark = self.flow.mark();
        self.flow.set(name, Known::scalar(value));
        self.body(t, body, &at.with(Contexts::LOOP), &effects);
        self.flow.maybe(mark);
    }

    fn function(&mut self, t: &Tree, names: &[String], body: Id, at: &At) {
        let mark = self.flow.mark();
        let stdin = std::mem::replace(&mut self.stdin, Rc::new(Stdin::Inherited));
        // it may be called at any time after anything
        let everything = std::mem::take(&mut self.all_effects);
        self.apply(&Effects { positional: true, calls: false, ..everything.clone() });
        self.all_effects = everything;
        let from = self.out.commands.len();
        let contexts = at.contexts.with(Contexts::FUNCTION);
        self.node(t, body, &At { contexts, pipe: None, function: true, ..*at });
        let to = self.out.commands.len();
        for name in names {
            self.bodies.push((name.clone(), from, to));
        }
        self.undo(mark);
        self.stdin = stdin;
    }

    /// A compound with redirects: they come first, so that its commands know what they read.
    fn redirected(&mut self, t: &Tree, span: Span, inner: Id, redirects: &[Id], at: &At) {
        let index = self.reserve(span, at);
        let own = At { parent: Some(index), pipe: None, ..*at };
        let span = redirects.iter().map(|id| t.span(*id)).reduce(Span::join).unwrap_or(span);
        let from = self.out.commands.len();
        let (list, stdin) = self.redirect_list(t, redirects, &own);
        let read = self.out.commands.len();
        let before = self.stdin.clone();
        if let Some(stdin) = stdin {
            self.stdin = Rc::new(stdin);
        }
        let outside = std::mem::replace(&mut self.compound_from, read);
        self.node(t, inner, at);
        let last = self.out.commands.len();
        self.compound_from = outside;
        self.stdin = before;
        // what `> >(…)` holds reads from everything in the compound
        self.feed(from..read, index, read..last);
        if let Some(command) = self.out.commands.get_mut(index as usize) {
            command.span = span;
            command.redirects = list;
        }
    }

    /// Commands that read from a compound's redirect read from all that it holds.
    fn feed(&mut self, readers: std::ops::Range<usize>, parent: u32, writers: std::ops::Range<usize>) {
        if readers.is_empty() {
            return;
        }
        let room = if self.indices(readers.len().saturating_mul(writers.len())) { writers.len() } else { 16 };
        for reader in readers {
            if let Some(command) = self.out.commands.get_mut(reader)
                && let Stdin::Pipe(from) = &mut command.stdin
                && from.contains(&parent)
            {
                from.extend(writers.clone().take(room).filter_map(|index| u32::try_from(index).ok()));
            }
        }
    }

    /// A place in the inventory for a command whose words are read next.
    pub(crate) fn reserve(&mut self, span: Span, at: &At) -> u32 {
        let index = u32::try_from(self.out.commands.len()).unwrap_or(u32::MAX);
        let stdin = self.stdin_here();
        let cwd = self.folder();
        self.out.commands.push(Command {
            span,
            words: Vec::new(),
            assignments: Vec::new(),
            redirects: Vec::new(),
            contexts: at.contexts,
            pipe: at.pipe,
            stdin,
            parent: at.parent,
            cwd,
            calls_function: false,
        });
        index
    }

    fn folder(&mut self) -> Cwd {
        let cwd = self.flow.cwd();
        let size = match cwd {
            Cwd::At(path) => path.len(),
            Cwd::OneOf(paths) => paths.iter().map(String::len).sum(),
            Cwd::Unknown => 0,
        };
        match self.folder_bytes.checked_sub(size) {
            Some(left) => {
                self.folder_bytes = left;
                cwd.clone()
            }
            None => Cwd::Unknown,
        }
    }

    fn stdin_here(&mut self) -> Stdin {
        let stdin = self.stdin.clone();
        match stdin.as_ref() {
            Stdin::Inherited => Stdin::Inherited,
            Stdin::Pipe(from) => {
                if self.indices(from.len()) {
                    Stdin::Pipe(from.clone())
                } else {
                    Stdin::Pipe(from.iter().rev().take(16).rev().copied().collect())
                }
            }
            Stdin::Redirect(redirect) => Stdin::Redirect(Box::new(self.affordable(redirect))),
        }
    }

    /// A copy of a redirect, with its text if there is enough to spend.
    fn affordable(&mut self, redirect: &Redirect) -> Redirect {
        let size =
            |value: &Value| value.all().map_or(value.prefix().len(), |all| all.iter().map(|text| text.len()).sum());
        let bytes = size(&redirect.target.value) + redirect.here.as_ref().map_or(0, |here| size(&here.value));
        if self.spend(bytes, 0) {
            return redirect.clone();
        }
        let target = crate::eval::unknown(redirect.target.span);
        let here =
            redirect.here.as_ref().map(|here| HereDoc { span: here.span, value: Value::Unknown, quoted: here.quoted });
        Redirect { span: redirect.span, op: redirect.op, target, here }
    }

    /// Redirects with their values, and what they make of standard input.
    pub(crate) fn redirect_list(&mut self, t: &Tree, ids: &[Id], at: &At) -> (Vec<Redirect>, Option<Stdin>) {
        let mut list = Vec::new();
        let mut stdin = None;
        for id in ids {
            let Some(node) = t.get(*id) else { continue };
            let Kind::Redirect { op, fd, target, here, input } = &node.kind else {
                continue;
            };
            let word = match op {
                crate::RedirectOp::HereString => self.single(t, *target, at, false),
                _ => self.target(t, *target, at),
            };
            let here = here.and_then(|slot| t.heres.get(slot as usize)).and_then(Option::as_ref).map(|here| {
                let text = self.single(t, here.word, at, false);
                HereDoc { span: here.span, value: text.value, quoted: here.quoted }
            });
            let redirect = Redirect { span: node.span, op: *op, target: word, here };
            let reads = match fd {
                Fd::Default => *input,
                Fd::Number(number) => *number == 0,
                Fd::Name(name) => {
                    self.flow.forget(name.split('[').next().unwrap_or_default());
                    false
                }
            };
            if reads {
                stdin = Some(Stdin::Redirect(Box::new(self.affordable(&redirect))));
            }
            list.push(redirect);
        }
        (list, stdin)
    }

    /// `NAME=value` and its kin: the value, and the variable from here on.
    pub(crate) fn assign(&mut self, t: &Tree, id: Id, at: &At) -> Option<Assignment> {
        let node = t.get(id)?;
        let Kind::Assign { name, index, append, value } = &node.kind else {
            return None;
        };
        if let Some(index) = index {
            self.arithmetic(t, *index, at);
        }
        let known = match self.elements(t, *value, at) {
            Some(list) => {
                let before = if *append { self.flow.get(name).list } else { Some(Vec::new()) };
                let list = match (before, list) {
                    (Some(mut all), Some(more)) if all.len() + more.len() <= 256 => {
                        all.extend(more);
                        Some(all)
                    }
                    _ => None,
                };
                let first = list.as_ref().and_then(|list| list.first().cloned()).unwrap_or(Value::Unknown);
                Known { value: first, list }
            }
            None => {
                let word = self.single(t, *value, at, true);
                if *append {
                    let (value, cost) = crate::fields::concat(self.flow.get(name).value, word.value);
                    Known::scalar(if self.spend(cost, 0) { value } else { Value::Unknown })
                } else {
                    Known::scalar(word.value)
                }
            }
        };
        let value = if known.list.is_some() { Value::Unknown } else { known.value.clone() };
        let known = if index.is_some() { Known::scalar(Value::Unknown) } else { known };
        self.flow.set(name, known);
        Some(Assignment { span: node.span, name: name.clone(), value })
    }

    /// `[[ … ]]`: its words, some of which are arithmetic.
    fn test(&mut self, t: &Tree, words: &[Id], at: &At) {
        let values: Vec<Word> = words.iter().map(|word| self.single(t, *word, at, false)).collect();
        let numeric = |text: Option<&str>| matches!(text, Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"));
        for (index, word) in values.iter().enumerate() {
            let operator = |at: Option<usize>| at.and_then(|at| values.get(at)).and_then(|word| word.value.exact());
            let beside = numeric(operator(index.checked_sub(1))) || numeric(operator(Some(index + 1)));
            let named = matches!(operator(index.checked_sub(1)), Some("-v" | "-R"));
            if !(beside || named) {
                continue;
            }
            match word.value.exact() {
                Some(text) if text.bytes().any(|c| c.is_ascii_alphabetic()) => self.evaluated(&word.clone(), at),
                Some(_) => {}
                None => {
                    for text in word.value.all().unwrap_or_default() {
                        self.evaluated(&value_word(text, word.span), at);
                    }
                    if let Some(id) = words.get(index) {
                        self.suspicious(t, *id);
                    }
                }
            }
        }
    }
}

/// Every text that a variable may hold here, if that is known.
fn held(flow: &Flow<'_>, name: &str) -> Option<Vec<String>> {
    flow.get(name).value.all().map(|all| all.into_iter().map(str::to_owned).collect())
}

/// What the variable of `for` may be.
fn one_of(words: &[Word]) -> Value {
    if words.iter().any(|word| word.split) {
        return Value::Unknown;
    }
    if let [only] = words
        && only.glob
        && let Value::Exact(pattern) = &only.value
    {
        return Value::Matches(pattern.clone());
    }
    let lead = |word: &Word| match &word.value {
        Value::Exact(text) if word.glob => {
            let end = text.find(['*', '?', '[', '@', '+', '!']).unwrap_or(0);
            Value::Prefix(text.get(..end).unwrap_or_default().to_owned())
        }
        _ if word.glob => Value::Unknown,
        value => value.clone(),
    };
    let value = words.iter().map(lead).reduce(crate::flow::join).unwrap_or(Value::Unknown);
    match value {
        Value::Prefix(text) if text.is_empty() => Value::Unknown,
        value => value,
    }
}
