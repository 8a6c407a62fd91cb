//! The hosts that a flow may visit: bare names, each exactly or as a subdomain at a dot, never a part of a name.

use url::Host;

use super::servers::{REGISTRIES, TENANTS};
use super::visit::ldh;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    host: String,
    /// an address, or written with `=`: no subdomain is meant
    exact: bool,
}

/// The hosts of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowlist {
    entries: Vec<Entry>,
}

/// Why an entry is no host, with the right form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// what is wrong
    pub why: String,
    /// what to write instead
    pub fix: String,
}

impl Allowlist {
    /// Adds an entry of a flow: a bare host name in ASCII, with `=` before it for this name alone.
    ///
    /// # Errors
    /// It is something else.
    pub fn add(&mut self, item: &str) -> Result<(), Unfit> {
        let (exact, name) = item.strip_prefix('=').map_or((false, item), |name| (true, name.trim()));
        let lower = name.to_ascii_lowercase();
        let host = lower.strip_suffix('.').unwrap_or(&lower);
        if !host.split('.').all(ldh) {
            return Err(unfit(name));
        }
        let entry = match Host::parse(host) {
            Ok(Host::Domain(domain)) if domain == host => Entry { host: domain, exact },
            Ok(Host::Ipv4(address)) if address.to_string() == host => Entry { host: address.to_string(), exact: true },
            _ => return Err(unfit(name)),
        };
        if !entry.exact && too_wide(&entry.host) {
            return Err(Unfit {
                why: format!("`{name}` would let in everybody below it"),
                fix: String::from("write the host itself, such as `shop.example.com`"),
            });
        }
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
        Ok(())
    }

    /// Whether nothing is on it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The hosts, in the order of the flow.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.host.as_str())
    }

    /// Whether a host, spelled as [`super::visit::Web`] spells it, is on it.
    #[must_use]
    pub fn holds(&self, host: &str) -> bool {
        !host.is_empty()
            && self.entries.iter().any(|entry| {
                let below = || host.strip_suffix(&entry.host).is_some_and(|front| front.ends_with('.'));
                host == entry.host || (!entry.exact && below())
            })
    }
}

/// A name under which strangers register.
fn too_wide(host: &str) -> bool {
    (!host.contains('.') && host != "localhost") || REGISTRIES.contains(&host) || TENANTS.contains(&host)
}

fn unfit(name: &str) -> Unfit {
    let why = format!("`{name}` is not a bare host name");
    let fix = match super::visit::read(name) {
        super::visit::Address::Web(web) if web.host.parse::<std::net::IpAddr>().is_err() => {
            format!("write `{}`; ports and http go under `## Permissions`", web.host)
        }
        _ if name.starts_with("*.") => {
            format!("write `{}`: subdomains are included", name.trim_start_matches("*."))
        }
        _ => String::from("write one host name, such as `shop.example.com`, and nothing after it"),
    };
    Unfit { why, fix }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[&str]) -> Allowlist {
        let mut list = Allowlist::default();
        for item in items {
            list.add(item).unwrap();
        }
        list
    }

    #[test]
    fn a_host_is_held_exactly_or_below_a_dot() {
        let list = list(&["Shop.Stage.test.", "=id.stage.test", "127.0.0.1", "localhost"]);
        for host in [
            "shop.stage.test",
            "eu.shop.stage.test",
            "a.b.shop.stage.test",
            "id.stage.test",
            "127.0.0.1",
            "localhost",
            "app.localhost",
        ] {
            assert!(list.holds(host), "{host}");
        }
        for host in
            ["", "stage.test", "xshop.stage.test", "shop.stage.test.bad.test", "x.id.stage.test", "1.127.0.0.1", "test"]
        {
            assert!(!list.holds(host), "{host}");
        }
    }

    #[test]
    fn what_is_no_bare_host_is_refused_with_the_right_form() {
        for (item, fix) in [
            ("https://shop.stage.test/x", "`shop.stage.test`"),
            ("shop.stage.test:8443", "`shop.stage.test`"),
            ("shop.stage.test/x", "`shop.stage.test`"),
            ("*.stage.test", "`stage.test`"),
            ("münchen.test", "`xn--mnchen-3ya.test`"),
            ("shop.stage.test # main", "such as"),
            ("[::1]", "such as"),
            ("a..b", "such as"),
            ("-a.test", "such as"),
            ("2130706433", "such as"),
            ("0x7f.1", "such as"),
            ("xn--a.test", "such as"),
            ("", "such as"),
            ("com", "the host itself"),
            ("co.uk", "the host itself"),
            ("vercel.app", "the host itself"),
        ] {
            let unfit = Allowlist::default().add(item).unwrap_err();
            assert!(unfit.fix.contains(fix), "{item}: {} / {}", unfit.why, unfit.fix);
        }
    }
}
