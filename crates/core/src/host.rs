//! Hosts of URLs as a browser would visit them. The WHATWG parser decides, never a search in the text: what is judged
//! is what would be connected to.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// A longer URL is not read.
const MOST: usize = 64 * 1024;

/// A URL taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// `https`, `file`, …
    pub scheme: String,
    /// ASCII, lower case, no trailing dot; none where the scheme has no host
    pub host: Option<String>,
    /// the port in force, where there is one
    pub port: Option<u16>,
    /// this machine itself (loopback, unspecified, `*.localhost`)
    pub local: bool,
}

/// Reads a URL by the WHATWG rules; none means unparseable (which counts as outside).
#[must_use]
pub fn visit(url: &str) -> Option<Visit> {
    if url.len() > MOST {
        return None;
    }
    let url = Url::parse(url).ok()?;
    let host = url.host().map(|host| spelled(&host)).filter(|host| !host.is_empty());
    let local = host.as_deref().is_some_and(is_local);
    Some(Visit { scheme: url.scheme().to_owned(), host, port: url.port_or_known_default(), local })
}

/// The same for what clients such as `curl` take: without a scheme it is `http`.
#[must_use]
pub fn visit_loose(text: &str) -> Option<Visit> {
    let text = text.trim();
    if text.contains("://") {
        return visit(text);
    }
    // `localhost:3000` reads as a scheme to the URL parser, and as a host to every client
    visit(&format!("http://{text}"))
}

/// Whether a bare host name, IPv4/IPv6 text or `localhost` means this machine itself. A private network is not this
/// machine.
#[must_use]
pub fn is_local(host: &str) -> bool {
    match read(host) {
        Some(Host::Ipv4(address)) => local_v4(address),
        Some(Host::Ipv6(address)) => local_v6(address),
        Some(Host::Domain(name)) => {
            let name = dotless(&name);
            matches!(
                name,
                "localhost" | "localhost.localdomain" | "ip6-localhost" | "ip6-loopback" | "host.docker.internal"
            ) || name.strip_suffix(".localhost").is_some_and(|front| !front.is_empty())
        }
        None => false,
    }
}

/// Addresses where clouds hand out credentials to whoever asks from inside.
const METADATA: &[&str] = &[
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "100.100.100.200",
    "metadata.google.internal",
    "metadata",
    "metadata.goog",
    "fd00:ec2::254",
    "instance-data",
    "192.0.0.192",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
    "rancher-metadata",
];

/// Whether a cloud hands out credentials there; every spelling of the address counts.
#[must_use]
pub fn is_metadata(host: &str) -> bool {
    let bare = |host: &str| dotless(host.trim_matches(['[', ']'])).to_ascii_lowercase();
    let read = match read(host) {
        Some(Host::Ipv6(address)) => address.to_ipv4_mapped().map_or(address.to_string(), |mapped| mapped.to_string()),
        Some(host) => spelled(&host),
        None => bare(host),
    };
    METADATA.contains(&read.as_str()) || METADATA.contains(&bare(host).as_str())
}

/// Whether the list allows a host: exactly, or as a subdomain at a dot. An address is allowed exactly only; what cannot
/// be read is allowed by nothing.
#[must_use]
pub fn allowed(host: &str, allowlist: &[String]) -> bool {
    let Some(host) = read(host) else { return false };
    allowlist.iter().filter_map(|entry| read(entry)).any(|entry| match (&host, &entry) {
        (Host::Domain(host), Host::Domain(entry)) => {
            let (host, entry) = (dotless(host), dotless(entry));
            let below = host.strip_suffix(entry).is_some_and(|front| front.ends_with('.'));
            !entry.is_empty() && (host == entry || below)
        }
        (host, entry) => host == entry,
    })
}

/// A bare host as a URL would have it: folded, decoded, numbers of every spelling as an address.
fn read(host: &str) -> Option<Host<String>> {
    let host = host.trim();
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if host.is_empty() || host.len() > 512 {
        return None;
    }
    if let Ok(address) = bare.parse::<Ipv6Addr>() {
        return Some(Host::Ipv6(address));
    }
    if bare.contains(['/', '\\', '@', '?', '#', ':', '\t', '\n', '\r']) {
        return None;
    }
    Host::parse(bare).ok()
}

fn spelled<S: AsRef<str>>(host: &Host<S>) -> String {
    match host {
        Host::Domain(name) => dotless(name.as_ref()).to_ascii_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    }
}

fn dotless(name: &str) -> &str {
    name.trim_end_matches('.')
}

fn local_v4(address: Ipv4Addr) -> bool {
    address.is_loopback() || address.is_unspecified()
}

fn local_v6(address: Ipv6Addr) -> bool {
    address.is_loopback() || address.is_unspecified() || address.to_ipv4_mapped().is_some_and(local_v4)
}
