//! From the tree to the inventory: every command once, with its values, folder, input and surroundings.
//!
//! Recursion follows the tree, whose depth the reader bounded. Work is counted; when it runs out, what is left
//! is opaque.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::branch::held;
use crate::effects::{self, Effects};
use crate::flow::{Flow, Known};
use crate::loaded::{self, Loaded, value_word};
use crate::sets;
use crate::tree::{Id, Kind, Tree};
use crate::{Assignment, Contexts, Dialect, Env, Inventory, Limits, Opaque, Pipe, Span, Stdin, Value, Why, Word};

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
    /// functions that are there before any is called
    pub(crate) early: BTreeSet<String>,
    /// what any function may change
    pub(crate) function_effects: Effects,
    /// what anything in the text may change
    pub(crate) all_effects: Effects,
    /// name and commands of each function's body
    pub(crate) bodies: Vec<(String, usize, usize)>,
    /// commands of the compound whose redirects are being read
    pub(crate) compound_from: usize,
    pub(crate) depth: usize,
    pub(crate) loaded: Loaded,
    bytes: usize,
    steps: u64,
    most_steps: u64,
    value_bytes: usize,
    most_words: usize,
    most_indices: usize,
    pub(crate) folder_bytes: usize,
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
            early: BTreeSet::new(),
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
        self.survey(tree, root);
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
    fn survey(&mut self, tree: &Tree, root: Id) {
        self.out.sets = sets::by_syntax(tree);
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
        self.early = effects::early(tree, root, &self.functions);
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
        if effects.functions {
            self.flow.clear_functions();
        }
        for name in effects.unset.iter().filter(|name| self.functions.contains(*name)) {
            self.flow.undefine(name);
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
                if self.loaded.integers {
                    for text in word.value.all().unwrap_or_default() {
                        self.inner_arithmetic(text, word.span, at, 0);
                    }
                }
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
