//! Paths as letters: components, containment, folding. No look at the world, never an index into a string.

use std::borrow::Cow;

/// The components, empty ones and `.` left out; `\` separates on Windows paths only, which callers have normalised.
pub(crate) fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> + Clone {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

/// Whether it is spelled for Windows: a drive, a share or a device prefix.
#[must_use]
pub fn is_windows(path: &str) -> bool {
    let mut letters = path.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some(drive), Some(':'), None | Some('\\' | '/')) => drive.is_ascii_alphabetic(),
        (Some('\\'), Some('\\'), _) => true,
        _ => false,
    }
}

/// The absolute path by letters alone: `..` removes what stands before it.
pub(super) fn join(base: &str, path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let from = if path.starts_with('/') { "" } else { base };
    for part in parts(from).chain(parts(path)) {
        if part == ".." {
            kept.pop();
        } else {
            kept.push(part);
        }
    }
    absolute(&kept)
}

/// `/a/b` of its components.
pub(super) fn absolute<S: AsRef<str>>(kept: &[S]) -> String {
    let mut path = String::new();
    for part in kept {
        path.push('/');
        path.push_str(part.as_ref());
    }
    if path.is_empty() { String::from("/") } else { path }
}

/// The last component; empty for the root.
#[must_use]
pub fn name(path: &str) -> &str {
    parts(path).next_back().unwrap_or_default()
}

/// The folder it is in, by letters.
#[must_use]
pub fn parent(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((parent, _)) => parent,
        None => "",
    }
}

/// Whether two components are the same name. Folding is ASCII only: it decides what lies inside, and a wider one could
/// take a foreign name for ours.
pub(super) fn same_part(one: &str, other: &str, blind: bool) -> bool {
    one == other || blind && one.eq_ignore_ascii_case(other)
}

/// Whether two absolute paths are the same by letters. macOS keeps `/tmp`, `/var` and `/etc` under `/private`.
#[must_use]
pub fn same(one: &str, other: &str, blind: bool) -> bool {
    strip(one, other, blind).is_some_and(str::is_empty)
}

/// Whether `path` is `root` or below it, by whole components.
#[must_use]
pub fn inside(path: &str, root: &str, blind: bool) -> bool {
    strip(path, root, blind).is_some()
}

/// What remains of `path` below `root`: empty where they are the same, none where it is not inside. A root that is not
/// absolute holds nothing.
#[must_use]
pub fn strip<'a>(path: &'a str, root: &str, blind: bool) -> Option<&'a str> {
    if !is_absolute(root) || !is_absolute(path) {
        return None;
    }
    let blind = blind || is_windows(root) || is_windows(path);
    let mut rest = unprivate(path);
    for part in parts(unprivate(root)) {
        rest = rest.trim_start_matches('/');
        let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
        if !same_part(first, part, blind) {
            return None;
        }
        rest = after;
    }
    Some(rest.trim_matches('/'))
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || is_windows(path)
}

fn unprivate(path: &str) -> &str {
    match path.strip_prefix("/private") {
        Some(rest) if ["/tmp", "/var", "/etc"].iter().any(|top| begins(rest, top)) => rest,
        _ => path,
    }
}

fn begins(path: &str, top: &str) -> bool {
    path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A name as a guard compares it: lower case, and on a file system that folds letter case also without the characters
/// that some of them ignore. Wider than [`same`], because here a match is the stricter answer.
pub(crate) fn fold(name: &str, blind: bool) -> Cow<'_, str> {
    if name.is_ascii() || !blind {
        return if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(name)
        };
    }
    let ignored = |letter: &char| !matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let long_s = |letter: char| if letter == '\u{17f}' { 's' } else { letter };
    Cow::Owned(name.chars().filter(ignored).flat_map(char::to_lowercase).map(long_s).collect())
}

/// The path of a `file://` URL; none where it is no such URL, an error where it names another machine or no path.
pub(super) fn file_url(written: &str) -> Option<Result<String, ()>> {
    let scheme = written.get(..7)?;
    if !scheme.eq_ignore_ascii_case("file://") {
        return None;
    }
    Some(file_path(written).ok_or(()))
}

fn file_path(written: &str) -> Option<String> {
    let url = url::Url::parse(written).ok()?;
    if url.host_str().is_some_and(|host| !host.is_empty() && host != "localhost") {
        return None;
    }
    let mut bytes = Vec::with_capacity(url.path().len());
    let mut rest = url.path().bytes();
    while let Some(byte) = rest.next() {
        let hex = |digit: Option<u8>| digit.and_then(|digit| char::from(digit).to_digit(16));
        let mut ahead = rest.clone();
        match (byte, hex(ahead.next()), hex(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).ok()?);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    let drive = path.strip_prefix('/').filter(|path| is_windows(path)).map(str::to_owned);
    Some(drive.unwrap_or(path)).filter(|path| !path.contains('\0'))
}
