//! Variables that a text sets without `NAME=value`: `read`, `printf -v`, `for`, `${NAME:=…}`, arithmetic, `{NAME}>`, a
//! reference to another name. Only which ones; what the flow makes of them is told in `effects`.

use crate::effects::{self, Effects};
use crate::tree::{Fd, Id, Kind, Op, Tree};
use crate::{Assignment, Span, Value};

/// What the pieces of the tree themselves set; builtins are told by [`by_builtin`] once their words are known.
pub(crate) fn by_syntax(tree: &Tree) -> Vec<Assignment> {
    let mut found = Vec::new();
    for node in &tree.nodes {
        let mut push =
            |name: &str, value: Value| found.push(Assignment { span: node.span, name: name.to_owned(), value });
        match &node.kind {
            Kind::For { name, words, select, .. } => push(name, listed(tree, words.as_deref(), *select)),
            Kind::Param(param) if matches!(param.op, Op::Assign(_)) => {
                // `${!x:=v}` sets what `x` names
                let name = if param.indirect { "" } else { param.name.as_str() };
                let value = match param.args.as_slice() {
                    [word] => text(tree, *word).map_or(Value::Unknown, Value::Exact),
                    _ => Value::Unknown,
                };
                push(name, value);
            }
            Kind::Arith { word, .. } | Kind::Math { word, .. } | Kind::ArithFor { head: word, .. } => {
                let mut changed = Effects::default();
                effects::arithmetic(tree, [word], &mut changed);
                changed.names.iter().for_each(|name| push(name, Value::Unknown));
            }
            Kind::Redirect { fd: Fd::Name(name), .. } => push(effects::name_of(name), Value::Unknown),
            Kind::Coproc { name: Some(name), .. } => push(name, Value::Unknown),
            _ => {}
        }
    }
    found
}

fn listed(tree: &Tree, words: Option<&[Id]>, select: bool) -> Value {
    let texts: Option<Vec<String>> =
        words.filter(|_| !select).and_then(|words| words.iter().map(|word| text(tree, *word)).collect());
    let plain = texts.filter(|texts| !texts.iter().any(|text| text.contains(['{', '*', '?', '[', '~'])));
    plain.map_or(Value::Unknown, Value::OneOf)
}

fn text(tree: &Tree, word: Id) -> Option<String> {
    tree.literal(word).and_then(|text| String::from_utf8(text).ok())
}

/// What a builtin with these words sets (a word that is not known is none): the name is empty where it is not known.
pub(crate) fn by_builtin(words: &[Option<&str>], span: Span) -> Vec<Assignment> {
    let mut words = words;
    while let Some(Some("builtin" | "command" | "noglob" | "nocorrect")) = words.first() {
        words = words.get(1..).unwrap_or_default();
        while matches!(words.first(), Some(Some(option)) if option.starts_with('-')) {
            words = words.get(1..).unwrap_or_default();
        }
    }
    let args = words.get(1..).unwrap_or_default();
    let names: Vec<Option<String>> = match words.first().copied().flatten() {
        Some("read" | "sysread") => operands(args, "pdinNtu", "aA"),
        Some("mapfile" | "readarray") => operands(args, "dnOsuCc", ""),
        Some("getopts") => args.get(1..2).unwrap_or_default().iter().map(|arg| name(*arg)).collect(),
        Some("vared") => operands(args, "prtMmfi", ""),
        Some("integer" | "float") => operands(args, "", ""),
        Some("printf") => behind(args, "-v"),
        Some("wait") => behind(args, "-p"),
        Some("let") => computed(args),
        Some("declare" | "typeset" | "local" | "readonly" | "nameref") => referred(args),
        _ => Vec::new(),
    };
    let set = |name: Option<String>| Assignment { span, name: name.unwrap_or_default(), value: Value::Unknown };
    names.into_iter().map(set).collect()
}

fn name(arg: Option<&str>) -> Option<String> {
    // zsh: `read name?prompt`
    arg.map(|text| effects::name_of(text).split('?').next().unwrap_or_default().to_owned())
}

/// The operands behind options; `values` are letters that take a word, `named` letters whose word is a variable too.
fn operands(args: &[Option<&str>], values: &str, named: &str) -> Vec<Option<String>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let Some(letters) = arg.and_then(|text| text.strip_prefix('-')).filter(|letters| !letters.is_empty()) else {
            found.push(name(*arg));
            continue;
        };
        let Some(split) = letters.find(|letter| values.contains(letter) || named.contains(letter)) else { continue };
        let is_named = letters.get(split..).is_some_and(|rest| rest.starts_with(|letter| named.contains(letter)));
        let glued = letters.get(split + 1..).filter(|rest| !rest.is_empty());
        let value = glued.map(Some).or_else(|| {
            at += 1;
            args.get(at - 1).copied()
        });
        if let Some(value) = value.filter(|_| is_named) {
            found.push(name(value));
        }
    }
    found
}

/// The word behind one option, glued or not; an option that is not known could be it.
fn behind(args: &[Option<&str>], option: &str) -> Vec<Option<String>> {
    let mut found = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        match arg.map(|text| text.strip_prefix(option)) {
            Some(Some("")) => found.push(args.get(at + 1).copied().and_then(name)),
            Some(Some(glued)) => found.push(name(Some(glued))),
            Some(None) if option == "-v" => break,
            _ => {}
        }
    }
    found
}

fn computed(args: &[Option<&str>]) -> Vec<Option<String>> {
    let mut changed = Effects::default();
    for arg in args.iter().flatten() {
        effects::assigned(arg.as_bytes(), &mut changed);
    }
    changed.names.into_iter().map(Some).collect()
}

/// `declare -n NAME=OTHER`: what is said to the name is said to the other one.
fn referred(args: &[Option<&str>]) -> Vec<Option<String>> {
    let is_reference = |arg: &Option<&str>| {
        arg.is_some_and(|text| text.starts_with('-') && !text.starts_with("--") && text.contains('n'))
    };
    if !args.iter().any(is_reference) {
        return Vec::new();
    }
    let other = |arg: &Option<&str>| match arg {
        Some(text) => text.split_once('=').map(|split| name(Some(split.1))),
        None => None,
    };
    args.iter().filter_map(other).collect()
}
