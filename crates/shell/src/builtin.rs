//! Simple commands, and what the shell's own ones do to variables and the folder.

use std::rc::Rc;

use crate::effects::{self, Effects};
use crate::flow::{Known, Place};
use crate::lexer::{Map, Reader, Shared};
use crate::place::enter;
use crate::sets;
use crate::tree::{Id, Kind, Tree};
use crate::walk::{At, Walk};
use crate::word::Ctx;
use crate::{Cwd, Dialect, Span, Value, Why, Word};

impl Walk<'_> {
    /// A simple command: its words, redirects and assignments, and what it changes.
    pub(crate) fn simple(&mut self, t: &Tree, span: Span, assigns: &[Id], words: &[Id], redirects: &[Id], at: &At) {
        let index = self.reserve(span, at);
        let own = At { parent: Some(index), pipe: None, ..*at };
        let mut list: Vec<Word> = Vec::with_capacity(words.len());
        let mut declared = Vec::new();
        for word in words {
            if let Some(Kind::Assign { name, .. }) = t.get(*word).map(|node| &node.kind) {
                // `declare a=(…)`
                let before = self.flow.mark();
                let made = self.assign(t, *word, &own);
                let known = self.flow.get(name);
                self.undo(before);
                let value = match made.map(|made| made.value) {
                    Some(value) => crate::fields::concat(Value::Exact(format!("{name}=")), value).0,
                    None => Value::Unknown,
                };
                declared.push((name.clone(), known));
                list.push(Word {
                    span: t.span(*word),
                    value,
                    quoted: false,
                    glob: false,
                    split: false,
                    verbatim: None,
                });
            } else if self.declares(&list) && looks_assigned(t, *word) {
                let word = self.single(t, *word, &own, true);
                list.push(word);
            } else {
                self.words(t, *word, &own, &mut list);
            }
        }
        self.zsh_equals(t, words, &mut list);
        let (redirect_list, stdin) = self.redirect_list(t, redirects, &own);
        let mark = self.flow.mark();
        let assignments: Vec<_> = assigns.iter().filter_map(|id| self.assign(t, *id, &own)).collect();
        if !list.is_empty() && !assignments.is_empty() {
            let special = list.first().and_then(|word| word.value.exact()).is_none_or(is_special);
            if special && matches!(self.dialect, Dialect::Sh | Dialect::Unknown) {
                self.flow.maybe(mark);
            } else {
                self.undo(mark);
            }
        }
        let names: Vec<Option<&str>> = list.iter().map(known_text).collect();
        let mut changes = Effects::default();
        if !names.is_empty() {
            effects::command(&names, &self.functions, &mut changes);
            self.out.sets.extend(sets::by_builtin(&names, span));
        }
        if let Some(Value::OneOf(texts)) = list.first().filter(|word| !word.split && !word.glob).map(|word| &word.value)
        {
            changes = Effects::default();
            for text in texts {
                let mut one = names.clone();
                if let Some(first) = one.first_mut() {
                    *first = Some(text);
                }
                effects::command(&one, &self.functions, &mut changes);
            }
        }
        let calls = list.first().is_some_and(|word| {
            !word.split
                && !word.glob
                && word.value.all().is_some_and(|all| all.iter().all(|name| self.is_function(name, at)))
        });
        self.run(&list, changes, declared, &own);
        if let Some(stdin) = &stdin
            && list.len() == 1
            && list.first().and_then(|word| word.value.exact()) == Some("exec")
        {
            self.stdin = Rc::new(stdin.clone());
        }
        crate::foreign::look(self, span, &list);
        if let Some(command) = self.out.commands.get_mut(index as usize) {
            command.words = list;
            command.assignments = assignments;
            command.redirects = redirect_list;
            command.calls_function = calls;
            if let Some(stdin) = stdin {
                command.stdin = stdin;
            }
        }
    }

    /// Whether a name certainly means a function here.
    fn is_function(&self, name: &str, at: &At) -> bool {
        if !self.functions.contains(name) || name.contains('/') {
            return false;
        }
        if self.dialect != Dialect::Bash && is_special(name) {
            return false;
        }
        if at.function {
            // runs later than it stands here: nothing may take functions away
            let stays = !self.all_effects.functions && !self.all_effects.unset.contains(name);
            return stays && (self.early.contains(name) || self.flow.is_defined(name));
        }
        self.flow.is_defined(name)
    }

    fn declares(&self, list: &[Word]) -> bool {
        let mut names = list.iter().map(|word| word.value.exact());
        let first = loop {
            match names.next() {
                Some(Some("builtin" | "command")) => {}
                Some(Some(name)) => break name,
                _ => return false,
            }
        };
        matches!(first, "export" | "readonly" | "declare" | "typeset" | "local") && !self.functions.contains(first)
    }

    /// zsh replaces `=prog` by the path of `prog`.
    fn zsh_equals(&mut self, t: &Tree, words: &[Id], list: &mut [Word]) {
        if !matches!(self.dialect, Dialect::Zsh | Dialect::Unknown) {
            return;
        }
        let Some(first) = words.first() else { return };
        let plain = t.plain(*first).is_some_and(|text| text.len() > 1 && text.starts_with('=') && !text.contains("=="));
        let span = t.span(*first);
        if plain
            && let Some(word) = list.first_mut()
            && let Value::Exact(text) = &word.value
        {
            word.value = Value::Exact(text.trim_start_matches('=').to_owned());
            word.verbatim = word.verbatim.map(|at| at + 1);
            self.opaque(span, Why::Dialect);
        }
    }

    /// What running these words changes.
    fn run(&mut self, list: &[Word], changes: Effects, declared: Vec<(String, Known)>, at: &At) {
        let skip = list.iter().take_while(|word| matches!(word.value.exact(), Some("builtin" | "command"))).count();
        let list = list.get(skip..).unwrap_or_default();
        let Some(name) = list.first().and_then(|word| word.value.exact()) else {
            self.apply(&changes);
            return;
        };
        if changes.calls || self.functions.contains(name) {
            self.apply(&changes);
            return;
        }
        let args = list.get(1..).unwrap_or_default();
        match name {
            "cd" | "chdir" | "pushd" | "popd" => self.change_folder(name, args),
            "set" | "shift" => self.set_builtin(name, args),
            "export" | "readonly" | "declare" | "typeset" | "local" => {
                self.apply(&changes);
                self.declare(name, args);
                for (name, known) in declared {
                    self.flow.set(&name, known);
                }
            }
            "eval" => {
                let quiet = args.iter().all(|word| {
                    word.value.exact().is_some_and(|text| {
                        !["trap", "declare", "typeset", "local", "$", "`"].iter().any(|bad| text.contains(bad))
                    })
                });
                self.apply(&changes);
                self.flow.poisoned |= !quiet;
            }
            "trap" => {
                let texts: Vec<Option<&str>> = args.iter().map(known_text).collect();
                if effects::trap_matters(&texts, &self.functions) {
                    self.flow.poisoned = true;
                    self.flow.lost = true;
                }
            }
            "shopt" => self.flow.odd_words |= args.iter().any(|word| word.value.exact().is_none()),
            _ => self.apply(&changes),
        }
        self.strings(name, args, at);
    }

    /// Arguments that builtins evaluate: a subscript in a variable's name runs what it holds.
    fn strings(&mut self, name: &str, args: &[Word], at: &At) {
        let subject = |word: &Word| word.value.exact().is_some_and(|text| text.contains(['[', '=']) || name == "let");
        match name {
            "printf" => {
                for pair in args.windows(2) {
                    if let [flag, word] = pair
                        && flag.value.exact() == Some("-v")
                    {
                        self.evaluated(word, at);
                    }
                }
                if let Some(word) = args.first()
                    && word.value.exact().is_some_and(|text| text.starts_with("-v") && text.len() > 2)
                {
                    self.evaluated(word, at);
                }
            }
            "test" | "[" => {
                for pair in args.windows(2) {
                    if let [flag, word] = pair
                        && matches!(flag.value.exact(), Some("-v" | "-R"))
                    {
                        self.evaluated(word, at);
                    }
                }
            }
            "let" | "unset" | "read" | "mapfile" | "readarray" | "wait" | "getopts" | "declare" | "typeset"
            | "local" | "export" | "readonly" => {
                for word in args {
                    if subject(word) && word.value.exact().is_some_and(|text| text.contains(['$', '`'])) {
                        let before = self.flow.mark();
                        self.evaluated(word, at);
                        if name != "let" {
                            self.undo(before);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Reads text that the shell evaluates as arithmetic, and lists the commands in it.
    pub(crate) fn reread(&mut self, text: &str, word: &Word, at: &At) {
        let left = self.limits.nesting.saturating_sub(self.depth);
        if left == 0 || self.depth >= 8 {
            self.opaque(word.span, Why::TooDeep);
            return;
        }
        let bytes: Vec<u8> = text.bytes().filter(|c| *c != 0).collect();
        if !self.work(bytes.len()) || !self.spend(bytes.len(), 0) {
            self.opaque(word.span, Why::TooMuch);
            return;
        }
        let map = match word.verbatim {
            Some(at) => Map::Offset(at),
            None => Map::Within(word.span),
        };
        let limits = crate::Limits { nesting: left.min(16), ..self.limits };
        let mut shared = Shared::new(self.dialect, limits, bytes.len());
        let root = Reader::new(&bytes, map, &mut shared).arithmetic_text();
        self.work(usize::try_from(shared.steps).unwrap_or(usize::MAX) / 4);
        let tree = shared.tree;
        for opaque in &tree.opaque {
            self.opaque(opaque.span, opaque.why);
        }
        self.depth += 1;
        let _ = self.single(&tree, root, at, false);
        self.depth -= 1;
    }

    /// `export NAME=value` and its kin.
    fn declare(&mut self, name: &str, args: &[Word]) {
        let mut odd = name == "readonly";
        let mut plain = true;
        for word in args {
            let Some(text) = word.value.exact() else {
                self.declare_unknown(word, odd);
                continue;
            };
            if text.starts_with(['-', '+']) {
                let letters = text.get(1..).unwrap_or_default();
                odd |= letters.contains(['i', 'l', 'u', 'c', 'a', 'A', 'n', 'r']) && !letters.contains(['p', 'f', 'F']);
                plain &= !letters.contains('n') || name == "export";
                continue;
            }
            let variable = effects::name_of(text);
            if variable.is_empty() {
                continue;
            }
            let after = text.get(variable.len()..).unwrap_or_default();
            match after.strip_prefix('=') {
                Some(value) if plain => self.flow.set(variable, Known::scalar(Value::Exact(value.to_owned()))),
                _ => self.flow.forget(variable),
            }
            if odd {
                self.flow.make_odd(variable);
            }
        }
    }

    fn declare_unknown(&mut self, word: &Word, odd: bool) {
        // every text that it could be assigns to the same variable if the name is certain
        let lead = match &word.value {
            Value::OneOf(texts) => texts.first().map(String::as_str).unwrap_or_default(),
            other => other.prefix(),
        };
        let variable = effects::name_of(lead).to_owned();
        let certain = lead.len() > variable.len() && !variable.is_empty();
        if !certain {
            self.flow.clear();
            return;
        }
        let rest = variable.len() + 1;
        let assigned = lead.get(variable.len()..).is_some_and(|rest| rest.starts_with('='));
        let value = match &word.value {
            Value::OneOf(texts) if texts.iter().all(|text| text.starts_with(&format!("{variable}="))) => {
                Value::OneOf(texts.iter().filter_map(|text| text.get(rest..)).map(str::to_owned).collect())
            }
            Value::Prefix(text) if assigned && text.len() > rest => {
                Value::Prefix(text.get(rest..).unwrap_or_default().to_owned())
            }
            Value::OneOf(_) => {
                self.flow.clear();
                return;
            }
            _ => Value::Unknown,
        };
        self.flow.set(&variable, Known::scalar(value));
        if odd {
            self.flow.make_odd(&variable);
        }
    }

    fn set_builtin(&mut self, name: &str, args: &[Word]) {
        let known: Option<Vec<&str>> = args.iter().map(known_text).collect();
        let Some(texts) = known else {
            self.flow.set_positional(None);
            self.flow.odd_words = true;
            return;
        };
        if name == "shift" {
            let count = match texts.first() {
                None => Some(1),
                Some(text) => text.parse::<usize>().ok(),
            };
            let rest = match (self.flow.positional(), count) {
                (Some(values), Some(count)) if count <= values.len() => values.get(count..).map(<[Value]>::to_vec),
                _ => None,
            };
            self.flow.set_positional(rest);
            return;
        }
        let mut rest = texts.as_slice();
        while let Some(option) = rest.first().filter(|text| text.starts_with(['-', '+'])) {
            if *option == "--" || *option == "-" {
                break;
            }
            let named = option.ends_with('o');
            self.flow.odd_words |= option.contains(['B', 'f', 'k']);
            if named {
                self.flow.odd_words |= rest.get(1).is_some_and(|name| {
                    matches!(*name, "braceexpand" | "noglob" | "keyword" | "posix" | "ignorebraces" | "shwordsplit")
                });
            }
            rest = rest.get(if named { 2 } else { 1 }..).unwrap_or_default();
        }
        let values = |texts: &[&str]| texts.iter().map(|text| Value::Exact((*text).to_owned())).collect();
        match rest {
            ["--", rest @ ..] => self.flow.set_positional(Some(values(rest))),
            [] => {}
            ["-", ..] => self.flow.set_positional(None),
            rest => self.flow.set_positional(Some(values(rest))),
        }
    }

    /// `cd`, `pushd`, `popd`.
    fn change_folder(&mut self, name: &str, args: &[Word]) {
        let here = self.flow.place().clone();
        self.work(1 + here.size() / 16);
        let mut args = args;
        let mut physical = false;
        while let Some(text) = args.first().and_then(|word| word.value.exact()) {
            match text {
                "-L" | "-e" | "-@" | "-n" | "-q" => physical |= text == "-n",
                "-P" => physical = true,
                "--" => {
                    args = args.get(1..).unwrap_or_default();
                    break;
                }
                _ => break,
            }
            args = args.get(1..).unwrap_or_default();
        }
        if physical || args.iter().any(|word| word.split || word.glob) || args.len() > 1 || self.searches(args) {
            self.flow.lose_place();
            return;
        }
        let stack = here.stack.clone();
        let (cwd, stack) = match (name, args.first().map(|word| &word.value)) {
            ("popd", None) => match stack {
                Some(mut stack) => match stack.pop() {
                    Some(cwd) => (cwd, Some(stack)),
                    None => return,
                },
                None => (Cwd::Unknown, None),
            },
            ("pushd", None) => match stack {
                Some(mut stack) => match stack.pop() {
                    Some(cwd) => {
                        stack.push(here.cwd.clone());
                        (cwd, Some(stack))
                    }
                    None => return,
                },
                None => (Cwd::Unknown, None),
            },
            ("popd", Some(_)) => (Cwd::Unknown, None),
            (_, None) => (enter(&here.cwd, &self.flow.get("HOME").value), stack),
            ("pushd", Some(Value::Exact(text))) if text.starts_with(['-', '+']) => (Cwd::Unknown, None),
            (_, Some(Value::Exact(text))) if text == "-" => (here.old.clone(), stack),
            (_, Some(Value::Exact(text))) if text.is_empty() => {
                (crate::flow::join_cwd(here.cwd.clone(), here.old.clone()), stack)
            }
            (_, Some(Value::Exact(text))) if text.starts_with('-') => (Cwd::Unknown, None),
            (_, Some(target)) => {
                let cwd = enter(&here.cwd, target);
                let stack = match (name, stack) {
                    ("pushd", Some(mut stack)) if stack.len() < 64 => {
                        stack.push(here.cwd.clone());
                        Some(stack)
                    }
                    ("pushd", _) => None,
                    (_, stack) => stack,
                };
                (cwd, stack)
            }
        };
        self.flow.go(Place { cwd, old: here.cwd, stack });
        self.flow.relocate();
    }

    /// Whether `CDPATH` may send a relative path elsewhere.
    fn searches(&self, args: &[Word]) -> bool {
        let Some(word) = args.first() else {
            return false;
        };
        let relative = match word.value.all() {
            Some(texts) => texts.iter().any(|text| !text.starts_with(['/', '.', '-'])),
            None => true,
        };
        relative && !self.flow.is_unset("CDPATH")
    }
}

/// The text of a word that stays one word.
fn known_text(word: &Word) -> Option<&str> {
    if word.split || word.glob { None } else { word.value.exact() }
}

/// Whether a word begins with `NAME=`, `NAME+=` or `NAME[`, unquoted.
fn looks_assigned(t: &Tree, word: Id) -> bool {
    let Some(first) = t.parts(word).first() else {
        return false;
    };
    match t.get(*first).map(|node| &node.kind) {
        Some(Kind::Text { text, quoted: false, .. }) => {
            let end = text.iter().position(|c| !crate::lexer::is_name(*c)).unwrap_or(text.len());
            end > 0 && matches!(text.get(end), Some(b'=' | b'+' | b'['))
        }
        _ => false,
    }
}

/// Builtins before which an assignment stays in POSIX shells.
fn is_special(name: &str) -> bool {
    matches!(
        name,
        ":" | "."
            | "source"
            | "eval"
            | "exec"
            | "export"
            | "readonly"
            | "set"
            | "shift"
            | "trap"
            | "unset"
            | "return"
            | "break"
            | "continue"
            | "exit"
            | "times"
    )
}

impl Reader<'_, '_> {
    /// The whole text as arithmetic: only what expands in it matters.
    pub(crate) fn arithmetic_text(mut self) -> Id {
        let first = self.s.tree.next();
        let ctx = Ctx { single: false, ..Ctx::HERE };
        let mut parts = self.scan(ctx);
        while self.recover() && self.pos < self.end {
            parts.extend(self.scan(ctx));
        }
        let span = self.span(0, self.text.len());
        self.push_span(Kind::Word { parts }, span, first)
    }
}
