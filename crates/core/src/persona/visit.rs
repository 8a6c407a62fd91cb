//! Where an address leads, as a browser would read it: the WHATWG parser gives the host, and whatever other programs could
//! read differently is no address. Must never take a host from the text by searching in it.

use url::{Host, Url};

use super::why::Why;

/// A longer address is not read.
const MOST: usize = 64 * 1024;

/// An address taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// a page
    Web(Web),
    /// the empty page
    Blank,
    /// no address that may be visited
    Bad(Bad),
}

/// A page's address. Path and query are not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Web {
    /// by http, not https
    pub plain: bool,
    /// ASCII, lower case, no trailing dot; an address in its canonical form
    pub host: String,
    /// the port in force
    pub port: u16,
    /// a user name or password stands before the host
    pub credentials: bool,
    /// this machine itself
    pub local: bool,
}

/// Why an address may not be visited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// the named reason
    pub why: Why,
    /// where a browser would go, where that is known
    pub host: String,
    /// what of it
    pub detail: String,
}

/// Schemes that mean something to a browser although no `//` follows.
const BARE: &[&str] = &["javascript", "data", "file", "view-source", "blob", "about", "chrome", "http", "https"];

/// Reads an address. Without a scheme it is what a browser makes of it: https.
#[must_use]
pub fn read(text: &str) -> Address {
    if text.len() > MOST {
        return bad(Why::Limit, None, "");
    }
    if text.eq_ignore_ascii_case("about:blank") {
        return Address::Blank;
    }
    if text.contains(char::is_control) || text.trim() != text {
        return bad(Why::Control, Url::parse(text.trim()).ok().as_ref(), "");
    }
    match scheme(text) {
        Some((scheme, rest)) if matches!(scheme.as_str(), "http" | "https") => {
            let regular = rest.strip_prefix("//").is_some_and(|rest| !rest.starts_with(['/', '\\']));
            if regular { web(text) } else { bad(Why::NotAUrl, Url::parse(text).ok().as_ref(), "") }
        }
        Some((scheme, _)) => {
            let shown: String = scheme.chars().take(32).collect();
            bad(Why::Scheme, Url::parse(text).ok().as_ref(), &shown)
        }
        None if text.starts_with("//") => bad(Why::NotAUrl, Url::parse(&format!("https:{text}")).ok().as_ref(), ""),
        None if like_a_host(text) => web(&format!("https://{text}")),
        None => bad(Why::NotAUrl, None, ""),
    }
}

/// Whether a text as a whole is an address with a scheme.
#[must_use]
pub fn is_whole(text: &str) -> bool {
    !text.contains(char::is_whitespace)
        && scheme(text).is_some_and(|(scheme, rest)| {
            BARE.contains(&scheme.as_str()) || rest.starts_with("//") || rest.starts_with("\\\\")
        })
}

/// Whether a text without a scheme begins with a host.
#[must_use]
pub fn like_a_host(text: &str) -> bool {
    let authority = text.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let host = host.strip_suffix('.').unwrap_or(host);
    let labels = host.split('.').all(|label| {
        !label.is_empty()
            && label.chars().all(|char| char.is_alphanumeric() || char == '-' || char == '%')
            && !label.starts_with('-')
    });
    labels && (host.contains('.') || host.eq_ignore_ascii_case("localhost")) && port.bytes().all(|b| b.is_ascii_digit())
}

/// The scheme in lower case and what follows its colon. `localhost:3000` and `a.test:80/` have none.
fn scheme(text: &str) -> Option<(String, &str)> {
    let (front, rest) = text.split_once(':')?;
    let mut chars = front.chars();
    let word = chars.next().is_some_and(|first| first.is_ascii_alphabetic())
        && chars.all(|char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.'));
    let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = front.contains('.') || front.eq_ignore_ascii_case("localhost");
    let ported = host && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    (word && !ported).then(|| (front.to_ascii_lowercase(), rest))
}

fn web(text: &str) -> Address {
    let Ok(url) = Url::parse(text) else { return bad(Why::NotAUrl, None, "") };
    let Some(port) = url.port_or_known_default() else { return bad(Why::NotAUrl, Some(&url), "") };
    if let Err(detail) = form(&url, &written(text)) {
        return bad(Why::HostForm, Some(&url), detail);
    }
    let host = spelled(&url);
    Address::Web(Web {
        plain: url.scheme() == "http",
        local: crate::host::is_local(&host),
        credentials: !url.username().is_empty() || url.password().is_some(),
        host,
        port,
    })
}

/// The host as it was written: for telling how it was spelled, never for judging where it leads.
fn written(text: &str) -> String {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let end = if host.starts_with('[') {
        host.find(']').map_or(host.len(), |at| at + 1)
    } else {
        host.find(':').unwrap_or(host.len())
    };
    host.get(..end).unwrap_or_default().to_lowercase()
}

fn form(url: &Url, written: &str) -> Result<(), &'static str> {
    match url.host() {
        None => Err("there is none"),
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            if name.split('.').any(str::is_empty) {
                return Err("an empty label");
            }
            if !name.split('.').all(ldh) {
                return Err("a character that is neither letter, digit nor hyphen");
            }
            let foreign = !written.is_ascii() && !name.split('.').any(|label| label.starts_with("xn--"));
            if foreign { Err("letters that only look like these") } else { Ok(()) }
        }
        Some(Host::Ipv4(address)) if written != address.to_string() => Err("a number in place of an address"),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => Ok(()),
    }
}

/// A label of letters, digits and inner hyphens.
pub(super) fn ldh(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

fn spelled(url: &Url) -> String {
    match url.host() {
        None => String::new(),
        Some(Host::Domain(name)) => name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(_)) => url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned(),
    }
}

fn bad(why: Why, url: Option<&Url>, detail: &str) -> Address {
    Address::Bad(Bad { why, host: url.map(spelled).unwrap_or_default(), detail: detail.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_alone_is_told_from_what_has_a_scheme() {
        for text in ["https://a.test/", "file:///etc", "JavaScript:1", "data:,x", "ws://a", "http:a", "x:\\\\a"] {
            assert!(is_whole(text), "{text}");
        }
        for text in ["a.test", "localhost:3000", "say: this", "note:this", "C:\\x", "https://a b", ""] {
            assert!(!is_whole(text), "{text}");
        }
        for text in ["a.test", "a.test:80/x", "localhost", "A.b.", "münchen.test/x", "a%2Eb.test"] {
            assert!(like_a_host(text), "{text}");
        }
        for text in ["/cart", "hello", "hello there", "a..b", "", ".", "u@a.test", "-a.test", "a.test:x"] {
            assert!(!like_a_host(text), "{text}");
        }
    }
}
