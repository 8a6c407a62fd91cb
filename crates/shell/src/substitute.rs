//! Output of `$(…)` where a few well-known programs print known text.

use crate::escape;
use crate::tree::{Id, Kind, Tree};
use crate::walk::Walk;
use crate::{Command, Cwd, Stdin, Value, Word};

/// Longest output that is worked out.
const LONGEST: usize = 16 * 1024;

/// What the list prints, as `$(…)` sees it; its commands stand in the inventory from `from` on.
pub(crate) fn output(walk: &Walk<'_>, t: &Tree, list: Id, from: usize) -> Value {
    let Some(Kind::List { items }) = t.get(list).map(|node| &node.kind) else {
        return Value::Unknown;
    };
    let [(only, false)] = items.as_slice() else {
        return Value::Unknown;
    };
    if !matches!(t.get(*only).map(|node| &node.kind), Some(Kind::Simple { .. })) {
        return Value::Unknown;
    }
    let Some(command) = walk.out.commands.get(from) else {
        return Value::Unknown;
    };
    let name = command.words.first().and_then(|word| word.value.exact()).unwrap_or_default();
    if walk.functions.contains(name) || !command.assignments.is_empty() {
        return Value::Unknown;
    }
    let words: Option<Vec<&str>> = command.words.iter().map(plain).collect();
    let printed = match words.as_deref() {
        Some(["cat"]) => here_document(command),
        Some(["cat", ..]) | None => None,
        Some(_) if !command.redirects.is_empty() => None,
        Some(["pwd"] | ["pwd", "-L"]) => match &command.cwd {
            Cwd::At(path) => Some(path.clone()),
            _ => None,
        },
        Some(["echo", args @ ..]) => echo(args),
        Some(["printf", args @ ..]) => printf(args),
        Some(["dirname", path]) if !path.starts_with('-') => Some(dirname(path)),
        Some(["basename", path]) if !path.starts_with('-') => Some(basename(path).to_owned()),
        Some(["basename", path, suffix]) if !path.starts_with('-') => {
            let name = basename(path);
            Some(name.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(name).to_owned())
        }
        _ => None,
    };
    match printed {
        Some(text) if text.len() <= LONGEST && !text.contains('\0') => {
            Value::Exact(text.trim_end_matches('\n').to_owned())
        }
        _ => Value::Unknown,
    }
}

fn plain(word: &Word) -> Option<&str> {
    if word.glob || word.split { None } else { word.value.exact() }
}

fn here_document(command: &Command) -> Option<String> {
    let [redirect] = command.redirects.as_slice() else {
        return None;
    };
    if !matches!(command.stdin, Stdin::Redirect(_)) {
        return None;
    }
    let here = redirect.here.as_ref()?;
    here.value.exact().map(str::to_owned)
}

fn echo(args: &[&str]) -> Option<String> {
    // options and backslashes: shells differ
    if args.first().is_some_and(|arg| arg.starts_with('-')) || args.iter().any(|arg| arg.contains('\\')) {
        return None;
    }
    Some(args.join(" "))
}

/// `printf FORMAT [ARG…]` with `%s`, `%%`, `%b`-free formats and escapes.
fn printf(args: &[&str]) -> Option<String> {
    let (format, args) = match args {
        ["--", format, rest @ ..] => (*format, rest),
        [format, rest @ ..] if !format.starts_with('-') => (*format, rest),
        _ => return None,
    };
    let mut left = args.iter();
    let mut out = Vec::new();
    loop {
        let mut used = false;
        let bytes = format.as_bytes();
        let mut index = 0;
        while let Some(c) = bytes.get(index).copied() {
            match (c, bytes.get(index + 1).copied()) {
                (b'%', Some(b'%')) => {
                    out.push(b'%');
                    index += 2;
                }
                (b'%', Some(b's')) => {
                    used = true;
                    out.extend_from_slice(left.next().copied().unwrap_or_default().as_bytes());
                    index += 2;
                }
                (b'%', _) => return None,
                (b'\\', Some(b'c' | b'"' | b'\'' | b'?' | b'u' | b'U') | None) => return None,
                (b'\\', Some(_)) => {
                    let (decoded, len) = escape::ansi(bytes.get(index..).unwrap_or_default());
                    out.extend_from_slice(decoded.as_slice());
                    index += len.max(1);
                }
                _ => {
                    out.push(c);
                    index += 1;
                }
            }
            if out.len() > LONGEST {
                return None;
            }
        }
        if !used || left.len() == 0 {
            break;
        }
    }
    String::from_utf8(out).ok()
}

fn dirname(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { ".".to_owned() } else { "/".to_owned() };
    }
    match trimmed.rfind('/') {
        None => ".".to_owned(),
        Some(at) => {
            let folder = trimmed.get(..at).unwrap_or_default().trim_end_matches('/');
            if folder.is_empty() { "/".to_owned() } else { folder.to_owned() }
        }
    }
}

fn basename(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "" } else { "/" };
    }
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}
