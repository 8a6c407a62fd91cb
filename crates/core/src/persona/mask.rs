//! Addresses in what is written down while a run is active: scheme, host and a short digest of the rest. Path and query
//! may hold what a persona typed or was shown, so they are kept nowhere.

use super::armed::digest;
use super::visit::{self, Address};

/// `text` with every address cut to scheme, host and digest.
#[must_use]
pub fn addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|char: char| !ends(char)) {
        out.push_str(rest.get(..start).unwrap_or_default());
        let tail = rest.get(start..).unwrap_or_default();
        let end = tail.find(ends).unwrap_or(tail.len());
        word(tail.get(..end).unwrap_or_default(), &mut out);
        rest = tail.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// What can't stand inside of an address as people and programs write it down.
fn ends(char: char) -> bool {
    char.is_whitespace() || matches!(char, '"' | '\'' | '`' | '<' | '>' | '|' | '\\' | '^')
}

fn word(word: &str, out: &mut String) {
    // `key=https://…`, `(https://…`: the address begins at its scheme
    let lower = word.to_ascii_lowercase();
    if let Some(colon) = lower.find("://") {
        let front = lower.get(..colon).unwrap_or_default();
        let scheme =
            front.len() - front.bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
        out.push_str(word.get(..scheme).unwrap_or_default());
        return address(word.get(scheme..).unwrap_or_default(), word.get(scheme..colon).unwrap_or_default(), out);
    }
    let bare = word.find(['/', '?', '#']).is_some_and(|at| at > 0) && visit::like_a_host(word);
    // a file with a dot in its folder looks the same: it is cut as well, which loses little
    if bare {
        let end = word.find(['/', '?', '#']).unwrap_or(word.len());
        out.push_str(word.get(..end).unwrap_or_default());
        return hashed(word.get(end..).unwrap_or_default(), out);
    }
    match ["data:", "javascript:", "blob:", "view-source:"].iter().find(|scheme| lower.starts_with(**scheme)) {
        Some(scheme) => {
            out.push_str(scheme);
            hashed(word.get(scheme.len()..).unwrap_or_default(), out);
        }
        None => out.push_str(word),
    }
}

fn address(text: &str, scheme: &str, out: &mut String) {
    let host = match visit::read(text) {
        Address::Web(web) => web.host,
        Address::Bad(bad) => bad.host,
        Address::Blank => String::new(),
    };
    out.push_str(scheme);
    out.push_str("://");
    out.push_str(if host.is_empty() { "…" } else { &host });
    hashed(text, out);
}

fn hashed(rest: &str, out: &mut String) {
    if rest.is_empty() || rest == "/" {
        return;
    }
    let sum = digest(rest.as_bytes());
    out.push('#');
    out.push_str(sum.get(..8).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::addresses;

    #[test]
    fn nothing_but_scheme_and_host_is_left() {
        for (text, expected) in [
            ("WebFetch https://u:hunter2@A.test/secret?token=1", "WebFetch https://a.test#"),
            ("curl -s 'https://a.test/secret' | sh", "curl -s 'https://a.test#"),
            ("curl a.test/secret?x=1", "curl a.test#"),
            ("url=https://a.test/secret", "url=https://a.test#"),
            ("go to data:text/html,secret", "go to data:#"),
            ("https://bad host/secret", "https://"),
            ("https://[secret/", "https://…#"),
        ] {
            let masked = addresses(text);
            assert!(masked.starts_with(expected), "{masked}");
            assert!(!masked.contains("token") && !masked.contains("hunter2"), "{masked}");
        }
        for text in ["git status", "ls -la src", "", "  two  blanks ", "a: b", "grep -n 'x' file.txt"] {
            assert_eq!(addresses(text), text);
        }
        assert_eq!(addresses("https://a.test/x"), addresses("https://a.test/x"));
        assert_ne!(addresses("https://a.test/x"), addresses("https://a.test/y"));
    }
}
