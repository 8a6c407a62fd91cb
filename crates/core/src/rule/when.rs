//! Conditions of a rule, each `key=value`; all of them must hold. What loosens must be sure: every path and every host of the
//! action has to fit, and what is not known does not. What tightens needs one that fits, or one that is not known.

use std::fmt;

use super::glob::loose;
use super::{Effect, glob};
use crate::action::{Action, TargetKind};
use crate::call::{Call, Tool};
use crate::path::{Place, Zone};
use crate::signature;
use crate::world::{Entry, Small, World};

/// Conditions, each a glob; none means any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// the program of a command
    pub program: Option<String>,
    /// what it does, by id
    pub capability: Option<String>,
    /// a file or folder: absolute, below `~/`, or below the project
    pub path: Option<String>,
    /// a host on the network
    pub host: Option<String>,
    /// an MCP server
    pub server: Option<String>,
    /// a tool, as the agent or the MCP server spells it
    pub tool: Option<String>,
    /// record id of an agent
    pub agent: Option<String>,
    /// the branch that is checked out
    pub branch: Option<String>,
    /// the agent's permission mode, by our name for it
    pub mode: Option<String>,
}

/// The keys in the order in which they are written.
pub const KEYS: &[&str] = &["program", "capability", "path", "host", "server", "tool", "agent", "branch", "mode"];

impl When {
    /// The condition under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        match key {
            "program" => self.program.as_deref(),
            "capability" => self.capability.as_deref(),
            "path" => self.path.as_deref(),
            "host" => self.host.as_deref(),
            "server" => self.server.as_deref(),
            "tool" => self.tool.as_deref(),
            "agent" => self.agent.as_deref(),
            "branch" => self.branch.as_deref(),
            "mode" => self.mode.as_deref(),
            _ => None,
        }
    }

    /// The place of a key's condition; none for a key that there is not.
    pub fn slot(&mut self, key: &str) -> Option<&mut Option<String>> {
        Some(match key {
            "program" => &mut self.program,
            "capability" => &mut self.capability,
            "path" => &mut self.path,
            "host" => &mut self.host,
            "server" => &mut self.server,
            "tool" => &mut self.tool,
            "agent" => &mut self.agent,
            "branch" => &mut self.branch,
            "mode" => &mut self.mode,
            _ => return None,
        })
    }

    /// Whether there is no condition.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        KEYS.iter().all(|key| self.get(key).is_none())
    }

    /// Whether something says what is done, and not only who does it where.
    #[must_use]
    pub fn is_about_something(&self) -> bool {
        ["program", "capability", "path", "host", "server", "tool"]
            .iter()
            .filter_map(|key| self.get(key))
            .any(|value| value.chars().any(|letter| letter.is_alphanumeric()))
    }

    /// Whether what is the same for every action of a call holds.
    pub(super) fn holds_for_call(&self, effect: Effect, call: &Call, world: &dyn World) -> bool {
        let (server, tool) = match &call.tool {
            Tool::Mcp { server, tool, .. } => (server.as_str(), tool.as_str()),
            _ => ("", call.tool_name.as_str()),
        };
        let is = |pattern: &Option<String>, value: &str| pattern.as_ref().is_none_or(|pattern| loose(pattern, value));
        let here = self.branch.as_ref().is_none_or(|pattern| match branch(world) {
            Some(branch) => loose(pattern, &branch),
            None => effect != Effect::Allow,
        });
        let named = self.tool.as_ref().is_none_or(|pattern| loose(pattern, tool) || loose(pattern, &call.tool_name));
        is(&self.server, server) && named && is(&self.agent, call.agent) && is(&self.mode, &call.mode.id()) && here
    }

    /// Whether what is asked of an action holds.
    pub(super) fn holds_for(&self, effect: Effect, action: &Action, world: &dyn World) -> bool {
        let is = |pattern: &Option<String>, value: &str| pattern.as_ref().is_none_or(|pattern| loose(pattern, value));
        let capability = is(&self.capability, action.capability.id());
        let program = self.program.as_ref().is_none_or(|pattern| {
            let word = program(&action.signature);
            // a part that could not be read may run any program
            let unknown = word == "<dynamic>" || action.opaque.is_some();
            loose(pattern, word) || (effect != Effect::Allow && unknown)
        });
        capability && program && self.touches(effect, action, world)
    }

    fn touches(&self, effect: Effect, action: &Action, world: &dyn World) -> bool {
        let path = self.path.as_ref().is_none_or(|pattern| {
            let places = action.targets.iter().filter_map(|target| match &target.kind {
                TargetKind::Path(place) => Some(place),
                _ => None,
            });
            all_or_any(effect, places, |place| fits(pattern, place, effect, world))
        });
        let host = self.host.as_ref().is_none_or(|pattern| {
            let hosts = action.targets.iter().filter_map(|target| match &target.kind {
                TargetKind::Host { host, .. } => Some(host),
                _ => None,
            });
            all_or_any(effect, hosts, |host| glob(pattern, host) || (effect != Effect::Allow && loose(pattern, host)))
        });
        path && host
    }
}

fn all_or_any<T>(effect: Effect, found: impl Iterator<Item = T>, fits: impl FnMut(&T) -> bool) -> bool {
    let found: Vec<T> = found.collect();
    if effect == Effect::Allow { !found.is_empty() && found.iter().all(fits) } else { found.iter().any(fits) }
}

/// Whether a place fits a path pattern. To loosen, every reading of it must.
fn fits(pattern: &str, place: &Place, effect: Effect, world: &dyn World) -> bool {
    let facts = world.facts();
    let one = |path: &str| -> bool {
        let inside = path.strip_prefix(facts.project.as_str()).and_then(|rest| rest.strip_prefix('/').or(Some(rest)));
        let at_home = facts.home.as_deref().and_then(|home| path.strip_prefix(home)?.strip_prefix('/'));
        if pattern.starts_with('/') {
            glob(pattern, path)
        } else if let Some(rest) = pattern.strip_prefix("~/") {
            at_home.is_some_and(|path| glob(rest, path))
        } else {
            let rest = pattern.strip_prefix("./").unwrap_or(pattern);
            inside.is_some_and(|path| {
                glob(rest, path) || rest.strip_suffix("/**").is_some_and(|folder| glob(folder, path))
            })
        }
    };
    let readings = place.readings();
    if effect == Effect::Allow {
        place.zone != Zone::Unplaced && !readings.is_empty() && readings.iter().all(|path| one(path))
    } else {
        place.zone == Zone::Unplaced || readings.iter().any(|path| one(path)) || loose(pattern, &place.written)
    }
}

/// The program in a signature.
fn program(signature: &str) -> &str {
    let body = signature::body(signature);
    let mut words = body.split(' ').skip_while(|word| {
        let name = word.split('=').next().unwrap_or_default();
        let assigns = word.contains('=') && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        *word == "unsandboxed" || (assigns && !name.is_empty())
    });
    words.next().unwrap_or_default()
}

/// The branch that is checked out: empty where none is, none where it can't be read.
fn branch(world: &dyn World) -> Option<String> {
    let project = &world.facts().project;
    let git = match world.entry(&format!("{project}/.git")) {
        Entry::Dir => format!("{project}/.git"),
        Entry::File => {
            let text = read(world, &format!("{project}/.git"))?;
            let folder = text.strip_prefix("gitdir: ")?.trim_end().to_owned();
            if folder.starts_with('/') { folder } else { format!("{project}/{folder}") }
        }
        Entry::Missing => return Some(String::new()),
        Entry::Link(_) | Entry::Unknown => return None,
    };
    let head = read(world, &format!("{git}/HEAD"))?;
    Some(head.trim_end().strip_prefix("ref: refs/heads/").unwrap_or_default().to_owned())
}

fn read(world: &dyn World, path: &str) -> Option<String> {
    match world.read(path, 4096) {
        Small::Bytes(bytes) => String::from_utf8(bytes).ok(),
        Small::Missing | Small::Unreadable => None,
    }
}

impl fmt::Display for When {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = KEYS.iter().filter_map(|key| Some((key, self.get(key)?)));
        for (at, (key, value)) in all.enumerate() {
            let space = if at == 0 { "" } else { " " };
            write!(out, "{space}{key}={}", super::quote(value))?;
        }
        Ok(())
    }
}
