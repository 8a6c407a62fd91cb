//! What may or may not run: chains, conditions, loops, functions, and what is known after them.

use std::rc::Rc;

use crate::effects::{self, Effects};
use crate::flow::{Flow, Known};
use crate::tree::{Id, Join, Kind, Tree};
use crate::walk::{At, Walk};
use crate::{Contexts, Stdin, Value, Word};

impl Walk<'_> {
    pub(crate) fn and_or(&mut self, t: &Tree, head: Id, tail: &[(Join, Id)], at: &At) {
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

    pub(crate) fn if_clause(&mut self, t: &Tree, arms: &[(Id, Id)], other: Option<Id>, at: &At) {
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
    pub(crate) fn enter_loop(&mut self, t: &Tree, id: Id, over: Option<(&str, Option<Vec<String>>)>) -> Effects {
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

    pub(crate) fn body(&mut self, t: &Tree, body: Id, at: &At, effects: &Effects) {
        let mark = self.flow.mark();
        self.node(t, body, at);
        if effects.jumps {
            self.undo(mark);
            self.apply(effects);
        } else {
            self.flow.maybe(mark);
        }
    }

    pub(crate) fn for_loop(&mut self, t: &Tree, name: &str, over: (Option<&[Id]>, bool), body: Id, id: Id, at: &At) {
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

    pub(crate) fn function(&mut self, t: &Tree, names: &[String], body: Id, at: &At) {
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
        self.undo(mark);
        self.stdin = stdin;
        for name in names {
            self.bodies.push((name.clone(), from, to));
            self.flow.define(name);
        }
    }
}

/// Every text that a variable may hold here, if that is known.
pub(crate) fn held(flow: &Flow<'_>, name: &str) -> Option<Vec<String>> {
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
