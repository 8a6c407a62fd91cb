//! Hosts of URLs as a browser would visit them.

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
    let _ = url;
    None
}

/// Whether a bare host name, IPv4/IPv6 text or `localhost` means this machine itself.
#[must_use]
pub fn is_local(host: &str) -> bool {
    let _ = host;
    false
}
