//! What is known of variables, positional parameters and the folder at one point of the text.
//!
//! Every change goes into a journal, so that a branch or a subshell costs no more than what it changed:
//! [`Flow::rollback`] forgets it, [`Flow::maybe`] keeps both possibilities. When in doubt: unknown.

use std::collections::{BTreeMap, HashMap};

use crate::{Cwd, Env, Value};

/// Most alternatives that a value may have.
pub(crate) const MOST_VALUES: usize = 32;
/// Most folders that a command may run in.
pub(crate) const MOST_FOLDERS: usize = 8;

/// A value longer than this is known by its beginning only.
const LONGEST_VALUE: usize = 8 * 1024;
/// How much of it.
const KEPT_OF_LONG: usize = 256;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) value: Value,
    /// the elements, if it is an array of known ones
    pub(crate) list: Option<Vec<Value>>,
}

impl Known {
    pub(crate) fn scalar(value: Value) -> Self {
        Self { value, list: None }
    }

    fn unknown() -> Self {
        Self::scalar(Value::Unknown)
    }
}

#[derive(Clone, Debug, Default)]
struct Slot {
    known: Option<Known>,
    /// when it was set; older than the last clearing means unknown
    epoch: u32,
    /// has an attribute that changes what assignment does
    odd: bool,
}

/// The folder and the ones that `cd -` and `popd` go back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) cwd: Cwd,
    pub(crate) old: Cwd,
    pub(crate) stack: Option<Vec<Cwd>>,
}

impl Place {
    /// How many bytes it holds.
    pub(crate) fn size(&self) -> usize {
        let of = |cwd: &Cwd| match cwd {
            Cwd::At(path) => path.len(),
            Cwd::OneOf(paths) => paths.iter().map(String::len).sum(),
            Cwd::Unknown => 0,
        };
        of(&self.cwd) + of(&self.old) + self.stack.iter().flatten().map(of).sum::<usize>()
    }
}

enum Undo {
    Slot(u32, Slot),
    Cleared(u32),
    Functions(u32),
    Place(Place),
    Positional(Option<Vec<Value>>),
}

/// What one branch changed.
pub(crate) struct Delta {
    slots: BTreeMap<u32, Slot>,
    cleared: Option<u32>,
    functions: Option<u32>,
    place: Option<Place>,
    positional: Option<Option<Vec<Value>>>,
}

/// The state at one point.
pub(crate) struct Flow<'e> {
    env: &'e Env,
    names: HashMap<String, u32>,
    labels: Vec<String>,
    slots: Vec<Slot>,
    epoch: u32,
    cleared: u32,
    /// when all functions may have gone
    functions: u32,
    place: Place,
    positional: Option<Vec<Value>>,
    log: Vec<Undo>,
    /// something in the text makes even plain assignments uncertain (name references, traps)
    pub(crate) poisoned: bool,
    /// the same for the folder
    pub(crate) lost: bool,
    /// `set +B` or the like was seen
    pub(crate) odd_words: bool,
}

/// Variables that the shell itself changes or refuses to change.
fn is_dynamic(name: &str) -> bool {
    matches!(
        name,
        "RANDOM"
            | "SRANDOM"
            | "SECONDS"
            | "LINENO"
            | "EPOCHSECONDS"
            | "EPOCHREALTIME"
            | "BASHPID"
            | "BASH_COMMAND"
            | "BASH_SUBSHELL"
            | "FUNCNAME"
            | "DIRSTACK"
            | "GROUPS"
            | "HISTCMD"
            | "PIPESTATUS"
            | "BASH_ARGV0"
            | "BASH_LINENO"
            | "BASH_SOURCE"
            | "BASH_ARGC"
            | "BASH_ARGV"
            | "BASH_REMATCH"
            | "BASH_CMDS"
            | "BASH_ALIASES"
            | "OPTARG"
            | "OPTIND"
            | "REPLY"
            | "PPID"
            | "UID"
            | "EUID"
            | "_"
            | "SHELLOPTS"
            | "BASHOPTS"
            | "BASH_VERSINFO"
            | "BASH_VERSION"
            | "COPROC"
            | "MAPFILE"
            | "COMP_WORDBREAKS"
            | "status"
            | "argv"
            | "pipestatus"
            | "path"
            | "cdpath"
    )
}

impl<'e> Flow<'e> {
    pub(crate) fn new(env: &'e Env) -> Self {
        let old = match env.vars.get("OLDPWD") {
            Some(Value::Exact(path)) => Cwd::At(path.clone()),
            _ => Cwd::Unknown,
        };
        Self {
            env,
            names: HashMap::new(),
            labels: Vec::new(),
            slots: Vec::new(),
            epoch: 1,
            cleared: 0,
            functions: 0,
            place: Place { cwd: env.cwd.clone(), old, stack: Some(Vec::new()) },
            positional: (!env.positional.is_empty()).then(|| env.positional.clone()),
            log: Vec::new(),
            poisoned: false,
            lost: false,
            odd_words: false,
        }
    }

    /// The number of a variable.
    pub(crate) fn slot(&mut self, name: &str) -> u32 {
        if let Some(slot) = self.names.get(name) {
            return *slot;
        }
        let slot = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.slots.push(Slot::default());
        self.names.insert(name.to_owned(), slot);
        self.labels.push(name.to_owned());
        slot
    }

    /// What a variable holds here.
    pub(crate) fn get(&self, name: &str) -> Known {
        if self.poisoned || is_dynamic(name) {
            return Known::unknown();
        }
        if let Some(slot) = self.names.get(name).and_then(|slot| self.slots.get(*slot as usize)) {
            if slot.odd {
                return Known::unknown();
            }
            if let Some(known) = &slot.known
                && slot.epoch >= self.cleared
            {
                return known.clone();
            }
        }
        if self.cleared > 0 {
            return Known::unknown();
        }
        Known::scalar(match name {
            "PWD" => exact_cwd(self.cwd()),
            "OLDPWD" => exact_cwd(&self.place.old),
            "HOME" => match &self.env.home {
                Some(home) => Value::Exact(home.clone()),
                None => self.env.vars.get(name).cloned().unwrap_or(Value::Unknown),
            },
            "IFS" => Value::Exact(" \t\n".to_owned()),
            _ => self.env.vars.get(name).cloned().unwrap_or(Value::Unknown),
        })
    }

    /// How many bytes looking a variable up would copy.
    pub(crate) fn size(&self, name: &str) -> usize {
        let of = |value: &Value| match value {
            Value::Exact(text) | Value::Prefix(text) | Value::Matches(text) => text.len(),
            Value::OneOf(texts) => texts.iter().map(String::len).sum(),
            Value::Unknown => 0,
        };
        let slot = self.names.get(name).and_then(|slot| self.slots.get(*slot as usize));
        match slot.and_then(|slot| slot.known.as_ref()) {
            Some(known) => of(&known.value) + known.list.iter().flatten().map(of).sum::<usize>(),
            None => self.env.vars.get(name).map_or(0, of),
        }
    }

    /// A variable gets a value; of a long one only the beginning is kept.
    pub(crate) fn set(&mut self, name: &str, known: Known) {
        let known = match known {
            Known { value: Value::Exact(text), list: None } if text.len() > LONGEST_VALUE => {
                Known::scalar(Value::Prefix(text.chars().take(KEPT_OF_LONG).collect()))
            }
            known => known,
        };
        let slot = self.slot(name);
        let readonly = self.slots.get(slot as usize).is_some_and(|slot| slot.odd);
        let known = if readonly { Known::unknown() } else { known };
        self.put(slot, known);
    }

    fn put(&mut self, slot: u32, known: Known) {
        let epoch = self.epoch;
        if let Some(entry) = self.slots.get_mut(slot as usize) {
            let odd = entry.odd;
            let before = std::mem::replace(entry, Slot { known: Some(known), epoch, odd });
            self.log.push(Undo::Slot(slot, before));
        }
    }

    /// A variable may hold anything.
    pub(crate) fn forget(&mut self, name: &str) {
        let slot = self.slot(name);
        self.put(slot, Known::unknown());
    }

    /// A variable never again holds what is assigned to it.
    pub(crate) fn make_odd(&mut self, name: &str) {
        let slot = self.slot(name);
        if let Some(entry) = self.slots.get_mut(slot as usize) {
            entry.odd = true;
        }
    }

    /// A function is there from here on.
    pub(crate) fn define(&mut self, name: &str) {
        let slot = self.slot(&function_name(name));
        self.put(slot, Known::scalar(Value::Exact(String::new())));
    }

    /// A function may be gone.
    pub(crate) fn undefine(&mut self, name: &str) {
        let slot = self.slot(&function_name(name));
        self.put(slot, Known::unknown());
    }

    /// Any function may be gone.
    pub(crate) fn clear_functions(&mut self) {
        self.log.push(Undo::Functions(self.functions));
        self.epoch += 1;
        self.functions = self.epoch;
    }

    /// Whether a function is certainly there.
    pub(crate) fn is_defined(&self, name: &str) -> bool {
        let slot = self.names.get(&function_name(name)).and_then(|slot| self.slots.get(*slot as usize));
        slot.is_some_and(|slot| {
            slot.epoch >= self.functions && matches!(&slot.known, Some(Known { value: Value::Exact(_), .. }))
        })
    }

    /// Every variable may hold anything.
    pub(crate) fn clear(&mut self) {
        self.log.push(Undo::Cleared(self.cleared));
        self.epoch += 1;
        self.cleared = self.epoch;
    }

    pub(crate) fn cwd(&self) -> &Cwd {
        if self.lost { &Cwd::Unknown } else { &self.place.cwd }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// After `cd`: `PWD` and `OLDPWD` are what the shell set, whatever the text assigned to them.
    pub(crate) fn relocate(&mut self) {
        for name in ["PWD", "OLDPWD"] {
            let slot = self.slot(name);
            let epoch = self.epoch;
            if let Some(entry) = self.slots.get_mut(slot as usize) {
                let odd = entry.odd;
                let known = match name {
                    "PWD" => exact_cwd(&self.place.cwd),
                    _ => exact_cwd(&self.place.old),
                };
                let before = std::mem::replace(entry, Slot { known: Some(Known::scalar(known)), epoch, odd });
                self.log.push(Undo::Slot(slot, before));
            }
        }
    }

    /// Whether a variable is certainly not set by the text and not known from outside.
    pub(crate) fn is_unset(&self, name: &str) -> bool {
        self.cleared == 0 && !self.poisoned && !self.names.contains_key(name) && !self.env.vars.contains_key(name)
    }

    /// Goes elsewhere.
    pub(crate) fn go(&mut self, place: Place) {
        let place = if self.lost { Place { cwd: Cwd::Unknown, old: Cwd::Unknown, stack: None } } else { place };
        let before = std::mem::replace(&mut self.place, place);
        self.log.push(Undo::Place(before));
    }

    /// The folder may be any.
    pub(crate) fn lose_place(&mut self) {
        self.go(Place { cwd: Cwd::Unknown, old: Cwd::Unknown, stack: None });
    }

    pub(crate) fn positional(&self) -> Option<&[Value]> {
        if self.poisoned { None } else { self.positional.as_deref() }
    }

    pub(crate) fn set_positional(&mut self, values: Option<Vec<Value>>) {
        let before = std::mem::replace(&mut self.positional, values);
        self.log.push(Undo::Positional(before));
    }

    /// A point to go back to.
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Forgets all changes since the mark.
    pub(crate) fn rollback(&mut self, mark: usize) -> usize {
        let mut work = 0;
        while self.log.len() > mark {
            work += 1;
            match self.log.pop() {
                Some(Undo::Slot(slot, before)) => {
                    if let Some(entry) = self.slots.get_mut(slot as usize) {
                        let odd = entry.odd;
                        *entry = before;
                        entry.odd |= odd;
                    }
                }
                Some(Undo::Cleared(before)) => self.cleared = before,
                Some(Undo::Functions(before)) => self.functions = before,
                Some(Undo::Place(before)) => self.place = before,
                Some(Undo::Positional(before)) => self.positional = before,
                None => break,
            }
        }
        work
    }

    /// What changed since the mark; the changes are forgotten.
    pub(crate) fn take(&mut self, mark: usize) -> Delta {
        let mut delta = Delta { slots: BTreeMap::new(), cleared: None, functions: None, place: None, positional: None };
        for undo in self.log.get(mark..).unwrap_or_default() {
            match undo {
                Undo::Slot(slot, _) => {
                    if !delta.slots.contains_key(slot)
                        && let Some(entry) = self.slots.get(*slot as usize)
                    {
                        delta.slots.insert(*slot, entry.clone());
                    }
                }
                Undo::Cleared(_) => delta.cleared = Some(self.cleared),
                Undo::Functions(_) => delta.functions = Some(self.functions),
                Undo::Place(_) => delta.place = Some(self.place.clone()),
                Undo::Positional(_) => delta.positional = Some(self.positional.clone()),
            }
        }
        self.rollback(mark);
        delta
    }

    /// The changes since the mark may or may not have happened.
    pub(crate) fn maybe(&mut self, mark: usize) {
        if self.log.len() > mark {
            let delta = self.take(mark);
            self.merge(vec![delta], false);
        }
    }

    /// One of these branches happened; if not `complete`, perhaps none.
    pub(crate) fn merge(&mut self, deltas: Vec<Delta>, complete: bool) {
        let branches = deltas.len();
        let mut slots: BTreeMap<u32, (Slot, usize)> = BTreeMap::new();
        let mut places = Vec::new();
        let mut positionals = Vec::new();
        let mut cleared = None;
        let mut functions = None;
        for delta in deltas {
            functions = functions.max(delta.functions);
            cleared = cleared.max(delta.cleared);
            places.extend(delta.place);
            positionals.extend(delta.positional);
            for (slot, entry) in delta.slots {
                match slots.get_mut(&slot) {
                    Some((merged, count)) => {
                        *count += 1;
                        merged.known = join_known(merged.known.take(), entry.known);
                    }
                    None => {
                        slots.insert(slot, (entry, 1));
                    }
                }
            }
        }
        let all = |count: usize| complete && count == branches;
        let mut results = Vec::new();
        for (slot, (entry, count)) in slots {
            let mut known = entry.known;
            if !all(count) {
                known = join_known(known, self.before(slot));
            }
            results.push((slot, known.unwrap_or_else(Known::unknown)));
        }
        if cleared.is_some() {
            self.clear();
        }
        if functions.is_some() {
            self.clear_functions();
        }
        for (slot, known) in results {
            self.put(slot, known);
        }
        if !places.is_empty() {
            let every = all(places.len());
            let mut merged: Option<Place> = (!every).then(|| self.place.clone());
            for place in places {
                merged = Some(match merged {
                    Some(before) => join_place(before, place),
                    None => place,
                });
            }
            if let Some(place) = merged {
                self.go(place);
            }
        }
        if !positionals.is_empty() {
            let same = all(positionals.len()) && positionals.windows(2).all(|pair| pair.first() == pair.last());
            let values = if same { positionals.pop().flatten() } else { None };
            self.set_positional(values);
        }
    }

    /// What a variable holds now, by number.
    fn before(&self, slot: u32) -> Option<Known> {
        let entry = self.slots.get(slot as usize)?;
        if entry.known.is_some() {
            return (entry.epoch >= self.cleared).then(|| entry.known.clone()).flatten();
        }
        self.labels.get(slot as usize).map(|name| self.get(name))
    }
}

/// The name under which a function is kept; no variable has such a one.
fn function_name(name: &str) -> String {
    format!("{name}()")
}

fn join_known(a: Option<Known>, b: Option<Known>) -> Option<Known> {
    let (a, b) = (a?, b?);
    if a == b {
        return Some(a);
    }
    Some(Known::scalar(join(a.value, b.value)))
}

/// One of two values.
pub(crate) fn join(a: Value, b: Value) -> Value {
    if a == b {
        return a;
    }
    if let (Some(left), Some(right)) = (a.all(), b.all()) {
        let mut all: Vec<String> = left.into_iter().map(str::to_owned).collect();
        for text in right {
            if !all.iter().any(|known| known == text) {
                all.push(text.to_owned());
            }
        }
        if all.len() <= MOST_VALUES {
            return Value::OneOf(all);
        }
        return Value::Unknown;
    }
    let common: String =
        a.prefix().chars().zip(b.prefix().chars()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect();
    if common.is_empty() { Value::Unknown } else { Value::Prefix(common) }
}

fn exact_cwd(cwd: &Cwd) -> Value {
    match cwd {
        Cwd::At(path) => Value::Exact(path.clone()),
        Cwd::OneOf(paths) => Value::OneOf(paths.clone()),
        Cwd::Unknown => Value::Unknown,
    }
}

fn join_place(a: Place, b: Place) -> Place {
    if a == b {
        return a;
    }
    let stack = if a.stack == b.stack { a.stack } else { None };
    Place { cwd: join_cwd(a.cwd, b.cwd), old: join_cwd(a.old, b.old), stack }
}

/// One of two folders.
pub(crate) fn join_cwd(a: Cwd, b: Cwd) -> Cwd {
    if a == b {
        return a;
    }
    let list = |cwd: Cwd| match cwd {
        Cwd::At(path) => Some(vec![path]),
        Cwd::OneOf(paths) => Some(paths),
        Cwd::Unknown => None,
    };
    let (Some(mut all), Some(more)) = (list(a), list(b)) else {
        return Cwd::Unknown;
    };
    for path in more {
        if !all.contains(&path) {
            all.push(path);
        }
    }
    if all.len() > MOST_FOLDERS { Cwd::Unknown } else { Cwd::OneOf(all) }
}
