//! What running a piece of the tree may change: variables, the folder, positional parameters.
//!
//! Used where a piece runs an unknown number of times or at an unknown moment (loops, functions). Always at
//! least what could happen; subshells are left out, as what they change ends with them.

use std::collections::{BTreeMap, BTreeSet};

use crate::lexer::{is_name, is_name_start};
use crate::tree::{Fd, Id, Kind, Op, Subst, Tree};

/// What `for` sets a variable to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listed {
    /// how many loops do
    pub(crate) loops: usize,
    /// the texts, if they are known and there is one loop
    pub(crate) texts: Option<Vec<String>>,
}

/// A set of changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) names: BTreeSet<String>,
    /// any variable
    pub(crate) all: bool,
    /// the folder
    pub(crate) place: bool,
    /// `$1`, `$2`, …
    pub(crate) positional: bool,
    /// `break`, `continue`, `return`
    pub(crate) jumps: bool,
    /// functions are called
    pub(crate) calls: bool,
    /// any function may be gone
    pub(crate) functions: bool,
    /// functions that may be gone
    pub(crate) unset: BTreeSet<String>,
    /// variables that are run as programs
    pub(crate) run: BTreeSet<String>,
    /// variables that only `for` sets, and to what if that is plain text
    pub(crate) listed: BTreeMap<String, Listed>,
    /// work done
    pub(crate) steps: usize,
}

impl Effects {
    /// Both together.
    pub(crate) fn join(&mut self, other: &Self) {
        self.names.extend(other.names.iter().cloned());
        self.all |= other.all;
        self.place |= other.place;
        self.positional |= other.positional;
        self.jumps |= other.jumps;
        self.functions |= other.functions;
        self.unset.extend(other.unset.iter().cloned());
        self.run.extend(other.run.iter().cloned());
        for (name, listed) in &other.listed {
            self.lists(name, listed.clone());
        }
    }

    fn lists(&mut self, name: &str, listed: Listed) {
        let entry = self.listed.entry(name.to_owned()).or_default();
        entry.loops += listed.loops;
        entry.texts = if entry.loops == listed.loops { listed.texts } else { None };
    }
}

/// What the node and all below it may change. `inside` also counts subshells and bodies of functions.
pub(crate) fn of(tree: &Tree, id: Id, functions: &BTreeSet<String>, inside: bool) -> Effects {
    let mut out = Effects::default();
    if let Some(node) = tree.get(id) {
        range(tree, node.first, id, functions, inside, &mut out);
    }
    out
}

/// What anything in the text may change.
pub(crate) fn everything(tree: &Tree, last: Id, functions: &BTreeSet<String>) -> Effects {
    let mut out = Effects::default();
    range(tree, 0, last, functions, true, &mut out);
    out
}

/// Functions that the text defines before it can call any: a body that names one of them finds it.
pub(crate) fn early(tree: &Tree, root: Id, functions: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some(Kind::List { items }) = tree.get(root).map(|node| &node.kind) else { return found };
    for (item, background) in items {
        if let Some(Kind::Function { names, .. }) = tree.get(*item).map(|node| &node.kind)
            && !background
        {
            found.extend(names.iter().cloned());
            continue;
        }
        let changes = of(tree, *item, functions, true);
        let ends = |id: &Id| matches!(tree.plain(*id), Some("exit" | "trap" | "exec" | "return"));
        let first = tree.get(*item).map_or(*item, |node| node.first);
        let leaves = (first..=*item).any(|id| {
            matches!(tree.get(id).map(|node| &node.kind), Some(Kind::Simple { words, .. }) if words.iter().take(3).any(ends))
        });
        if changes.calls || changes.all || changes.functions || !changes.run.is_empty() || leaves {
            break;
        }
    }
    found
}

/// Whether something in the text spoils all knowledge of variables, and of the folder: traps that run between
/// commands, and references from one name to another.
pub(crate) fn poisons(tree: &Tree, functions: &BTreeSet<String>) -> (bool, bool) {
    let (mut variables, mut place) = (false, false);
    for node in &tree.nodes {
        let Kind::Simple { words, .. } = &node.kind else { continue };
        let mut words: Vec<Option<String>> = words.iter().take(16).map(|word| argument(tree, *word)).collect();
        while matches!(words.first(), Some(Some(name)) if name == "builtin" || name == "command") {
            words.remove(0);
        }
        let texts: Vec<Option<&str>> = words.iter().map(Option::as_deref).collect();
        let args = texts.get(1..).unwrap_or_default();
        match texts.first() {
            Some(Some("trap")) if trap_matters(args, functions) => {
                variables = true;
                place = true;
            }
            Some(Some("declare" | "typeset" | "local")) => {
                variables |=
                    args.iter().any(|arg| matches!(arg, Some(text) if text.starts_with('-') && text.contains('n')));
            }
            _ => {}
        }
    }
    (variables, place)
}

fn range(tree: &Tree, first: Id, last: Id, functions: &BTreeSet<String>, inside: bool, out: &mut Effects) {
    let mut ranges = vec![(first, last)];
    while let Some((first, last)) = ranges.pop() {
        let mut id = last;
        loop {
            out.steps += 1;
            let Some(node) = tree.get(id) else { break };
            let skip = !inside
                && match &node.kind {
                    Kind::Subshell { .. } | Kind::Coproc { .. } | Kind::Function { .. } => id != last || first != last,
                    Kind::Subst { how, .. } => !matches!(how, Subst::Inline | Subst::Reply),
                    _ => false,
                };
            let next = if skip {
                node.first
            } else {
                one(tree, &node.kind, functions, out);
                if let Kind::Redirect { here: Some(slot), .. } = &node.kind
                    && let Some(Some(here)) = tree.heres.get(*slot as usize)
                    && let Some(word) = tree.get(here.word)
                    && here.word > last
                {
                    ranges.push((word.first, here.word));
                }
                id
            };
            if next <= first {
                break;
            }
            id = next - 1;
        }
    }
}

fn one(tree: &Tree, kind: &Kind, functions: &BTreeSet<String>, out: &mut Effects) {
    match kind {
        Kind::Assign { name, index, .. } => {
            out.names.insert(name.clone());
            arithmetic(tree, index, out);
        }
        Kind::For { name, words, .. } => {
            let texts: Option<Vec<String>> = words
                .as_deref()
                .and_then(|words| words.iter().map(|word| tree.plain(*word).map(str::to_owned)).collect());
            let plain = texts.filter(|texts| !texts.iter().any(|text| text.contains(['{', '*', '?', '[', '~'])));
            out.lists(name, Listed { loops: 1, texts: plain });
        }
        Kind::Param(param) => {
            if matches!(param.op, Op::Assign(_)) {
                if param.indirect {
                    out.all = true;
                }
                out.names.insert(param.name.clone());
            }
            arithmetic(tree, &param.index, out);
            if param.op == Op::Slice {
                arithmetic(tree, &param.args, out);
            }
        }
        Kind::Arith { word, .. } | Kind::Math { word, .. } | Kind::ArithFor { head: word, .. } => {
            arithmetic(tree, [word], out);
        }
        Kind::Cond { words } => arithmetic(tree, words, out),
        Kind::Redirect { fd: Fd::Name(name), .. } => {
            out.names.insert(name.split('[').next().unwrap_or_default().to_owned());
        }
        Kind::Coproc { name, .. } => {
            out.names.insert(name.clone().unwrap_or_else(|| "COPROC".to_owned()));
        }
        Kind::Simple { words, .. } => {
            let texts: Vec<Option<String>> = words.iter().map(|word| argument(tree, *word)).collect();
            let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
            match words.first().and_then(|word| variable(tree, *word)) {
                Some(name) => drop(out.run.insert(name.to_owned())),
                None if texts.is_empty() => {}
                None => command(&texts, functions, out),
            }
        }
        _ => {}
    }
}

/// The variable that a word is, whole and without any operator.
fn variable(tree: &Tree, word: Id) -> Option<&str> {
    let [part] = tree.parts(word) else { return None };
    match tree.get(*part).map(|node| &node.kind) {
        Some(Kind::Param(param))
            if param.op == Op::None && param.index.is_none() && !param.indirect && !param.length =>
        {
            Some(&param.name)
        }
        _ => None,
    }
}

impl Effects {
    /// Says what the variables that are run as programs do: `value` tells what one holds, if anything else than
    /// these effects sets it. A value that nobody knows is nobody's business: the command itself is unknown.
    pub(crate) fn resolve(&mut self, functions: &BTreeSet<String>, value: impl Fn(&str) -> Option<Vec<String>>) {
        let listed = std::mem::take(&mut self.listed);
        for name in std::mem::take(&mut self.run) {
            let candidates = if self.names.contains(&name) || self.all {
                None
            } else {
                match listed.get(&name) {
                    Some(listed) => listed.texts.clone(),
                    None => value(&name).or_else(|| Some(Vec::new())),
                }
            };
            match candidates {
                Some(texts) => {
                    for text in texts {
                        let words: Vec<Option<&str>> = text.split_ascii_whitespace().map(Some).chain([None]).collect();
                        command(&words, functions, self);
                    }
                }
                None => {
                    self.all = true;
                    self.place = true;
                    self.positional = true;
                    self.calls = true;
                    self.functions = true;
                }
            }
        }
        self.names.extend(listed.into_keys());
    }
}

/// A word that is plain text; of `NAME=$x` the part up to the `=`, which is enough to know what is assigned.
pub(crate) fn argument(tree: &Tree, word: Id) -> Option<String> {
    if let Some(Kind::Assign { name, .. }) = tree.get(word).map(|node| &node.kind) {
        return Some(name.clone());
    }
    if let Some(text) = tree.literal(word) {
        return String::from_utf8(text).ok();
    }
    let first = tree.parts(word).first()?;
    match tree.get(*first).map(|node| &node.kind) {
        Some(Kind::Text { text, .. }) => {
            let text = std::str::from_utf8(text).ok()?;
            let name = name_of(text);
            let named = !name.is_empty() && name.bytes().all(is_name) && text.len() > name.len();
            named.then(|| text.to_owned())
        }
        _ => None,
    }
}

/// Whether a `trap` with these arguments may change what later commands see.
pub(crate) fn trap_matters(args: &[Option<&str>], functions: &BTreeSet<String>) -> bool {
    let action = args.first().copied().flatten();
    let signals = args.get(1..).unwrap_or_default();
    let quiet = matches!(action, Some("-" | "" | "-p" | "-l"));
    let at_exit = !signals.is_empty() && signals.iter().all(|signal| matches!(signal, Some("EXIT" | "0")));
    !(quiet || at_exit || args.is_empty() || action.is_some_and(|text| changes_nothing(text, functions)))
}

/// Whether code that runs between any two commands is certain to change neither variables nor the folder.
fn changes_nothing(action: &str, functions: &BTreeSet<String>) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " _./-$\"'{};|&>:%@*\n".contains(c);
    let words = action.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '-'));
    let mut programs = words.filter(|word| !word.is_empty());
    action.chars().all(plain)
        && !action.trim_start().starts_with('$')
        && !action.contains("=")
        && programs.all(|word| {
            !functions.contains(word)
                && !matches!(
                    word,
                    "cd" | "chdir"
                        | "pushd"
                        | "popd"
                        | "read"
                        | "set"
                        | "eval"
                        | "source"
                        | "."
                        | "printf"
                        | "mapfile"
                        | "readarray"
                        | "export"
                        | "declare"
                        | "local"
                        | "typeset"
                        | "readonly"
                        | "let"
                        | "getopts"
                        | "shift"
                        | "unset"
                        | "trap"
                        | "for"
                        | "select"
                        | "wait"
                        | "coproc"
                        | "builtin"
                        | "command"
                        | "exec"
                        | "enable"
                        | "shopt"
                        | "setopt"
                        | "function"
                )
        })
}

/// Names that arithmetic in these words assigns to.
pub(crate) fn arithmetic<'a>(tree: &Tree, words: impl IntoIterator<Item = &'a Id>, out: &mut Effects) {
    for word in words {
        assigned(&raw(tree, *word), out);
    }
}

/// The text of a word with `$` for each expansion.
pub(crate) fn raw(tree: &Tree, word: Id) -> Vec<u8> {
    let mut text = Vec::new();
    for part in tree.parts(word) {
        match tree.get(*part).map(|node| &node.kind) {
            Some(Kind::Text { text: piece, .. }) => text.extend_from_slice(piece),
            _ => text.push(b'$'),
        }
    }
    text
}

/// Whether arithmetic text assigns: `=` that is no comparison, `++`, `--`.
pub(crate) fn changes(text: &[u8]) -> bool {
    let byte = |index: usize| text.get(index).copied().unwrap_or(0);
    (0..text.len()).any(|index| {
        let before = |by: usize| index.checked_sub(by).map_or(0, byte);
        match byte(index) {
            b'=' => {
                let comparison = match before(1) {
                    b'=' | b'!' => true,
                    c @ (b'<' | b'>') => before(2) != c,
                    _ => false,
                };
                !comparison && byte(index + 1) != b'='
            }
            c @ (b'+' | b'-') => byte(index + 1) == c,
            _ => false,
        }
    })
}

/// Names in arithmetic text that holds an assignment; all of them, as which one is assigned does not matter.
pub(crate) fn assigned(text: &[u8], out: &mut Effects) {
    if !changes(text) {
        return;
    }
    if text.contains(&b'$') {
        // `$x=1` assigns to whatever `x` names
        out.all = true;
    }
    let mut name = String::new();
    for c in text.iter().chain(b" ") {
        if is_name(*c) && (!name.is_empty() || is_name_start(*c)) {
            name.push(char::from(*c));
        } else if !name.is_empty() {
            out.names.insert(std::mem::take(&mut name));
        }
    }
}

/// The name before `=`, `+=` or `[`.
pub(crate) fn name_of(text: &str) -> &str {
    let end = text.find(['=', '[', '+']).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Changes made by a command with these words (none where a word is not known).
pub(crate) fn command(words: &[Option<&str>], functions: &BTreeSet<String>, out: &mut Effects) {
    let mut words = words;
    loop {
        match words.first() {
            None => return,
            Some(None) => {
                out.all = true;
                out.place = true;
                out.positional = true;
                out.calls = true;
                out.functions = true;
                return;
            }
            Some(Some(name)) if functions.contains(*name) && !matches!(*name, "builtin" | "command") => {
                // and what the name means without the function, which may not be there
                out.calls = true;
                break;
            }
            Some(Some("builtin" | "command" | "noglob" | "nocorrect")) => {
                words = words.get(1..).unwrap_or_default();
                while matches!(words.first(), Some(Some(option)) if option.starts_with('-')) {
                    words = words.get(1..).unwrap_or_default();
                }
            }
            Some(Some(_)) => break,
        }
    }
    let name = words.first().copied().flatten().unwrap_or_default();
    let args = words.get(1..).unwrap_or_default();
    match name {
        "cd" | "pushd" | "popd" | "chdir" => out.place = true,
        "set" | "shift" => out.positional = true,
        "break" | "continue" | "return" => out.jumps = true,
        "trap" if !trap_matters(args, functions) => {}
        "eval" | "source" | "." | "trap" => {
            out.all = true;
            out.place = true;
            out.positional = true;
            out.calls = true;
            out.functions = true;
        }
        "export" | "readonly" | "declare" | "typeset" | "local" | "unset" | "read" | "mapfile" | "readarray"
        | "getopts" | "printf" | "wait" | "let" | "integer" | "float" | "vared" | "zparseopts" => {
            builtin(name, args, out);
        }
        _ => {}
    }
}

fn builtin(name: &str, args: &[Option<&str>], out: &mut Effects) {
    match name {
        "unset" => {
            for arg in args {
                match arg {
                    Some(text) => drop(out.unset.insert((*text).to_owned())),
                    None => out.functions = true,
                }
            }
        }
        "read" => drop(out.names.insert("REPLY".to_owned())),
        "mapfile" | "readarray" => drop(out.names.insert("MAPFILE".to_owned())),
        "getopts" => out.names.extend(["OPTARG".to_owned(), "OPTIND".to_owned()]),
        "printf" | "wait" => {
            // only `-v NAME` and `-p NAME` assign
            let flag = if name == "printf" { "-v" } else { "-p" };
            for (index, arg) in args.iter().enumerate() {
                match arg {
                    None => out.all |= index == 0 && args.len() > 1,
                    Some(text) if text.starts_with(flag) => match text.get(2..) {
                        Some("") | None => match args.get(index + 1) {
                            Some(Some(next)) => drop(out.names.insert(name_of(next).to_owned())),
                            _ => out.all = true,
                        },
                        Some(rest) => drop(out.names.insert(name_of(rest).to_owned())),
                    },
                    Some(_) => {}
                }
            }
            return;
        }
        _ => {}
    }
    for arg in args {
        match arg {
            None => out.all = true,
            Some(text) if name == "let" => {
                // the text of the word may be cut at an expansion
                out.all |= text.ends_with('=');
                assigned(text.as_bytes(), out);
            }
            Some(text) if text.starts_with('-') => {
                // a name glued to its option, as in `read -ax`
                let rest: String = text.chars().skip(2).collect();
                if rest.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
                    out.names.insert(name_of(&rest).to_owned());
                }
                if text.contains('n') && matches!(name, "declare" | "typeset" | "local") {
                    out.all = true;
                }
            }
            Some(text) => drop(out.names.insert(name_of(text).to_owned())),
        }
    }
}
