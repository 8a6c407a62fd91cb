//! Homes of people, without name services: they could block, and a static program cannot use them.

use std::path::Path;

use leastgrant_core::world::Small;

use crate::agent::HookEnv;

const PASSWD: &str = "/etc/passwd";
const MAX: usize = 1024 * 1024;

/// The home of whoever runs this process, links followed.
pub(super) fn home(env: &HookEnv) -> Option<String> {
    let named = match env.folder("HOME") {
        Some(home) => Some(home.to_owned()),
        None => {
            let uid = rustix::process::getuid().as_raw().to_string();
            field(|fields| fields.get(2).copied() == Some(uid.as_str()))
        }
    };
    named.map(|home| super::real_or_same(super::trimmed(&home)))
}

/// Another person's home.
pub(super) fn home_of(user: &str) -> Option<String> {
    field(|fields| fields.first().copied() == Some(user))
}

fn field(wanted: impl Fn(&[&str]) -> bool) -> Option<String> {
    let Small::Bytes(bytes) = super::read(Path::new(PASSWD), MAX) else { return None };
    let text = String::from_utf8_lossy(&bytes);
    let fields = text.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| wanted(fields))?;
    fields.get(5).filter(|home| home.starts_with('/')).map(|home| (*home).to_owned())
}
