//! Which tools only look: an agent's own by `knowledge/conduct.toml`, a server's by the words of its name as the guard reads
//! them. A tool that neither knows acts; a tool that is given a URL goes there, whatever its name.

use serde_json::Value;

use super::table::{LOOKS, PRESSES};
use crate::persona::servers::{self, Does};

/// What a tool does to the world of a persona.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// it looks at what is there
    Looks,
    /// it does something
    Acts,
}

/// What this call of a tool does. Names are as agents spell them: `mcp__SERVER__TOOL`, or their own.
#[must_use]
pub fn deed(tool: &str, input: &Value) -> Deed {
    let looks = match servers::split(tool) {
        Some((_, name)) => servers::does(name) == Does::Perceive,
        None => LOOKS.contains(&tool),
    };
    if looks && !is_given_a_place(input) { Deed::Looks } else { Deed::Acts }
}

/// Whether the tool presses, chooses or sends something that has a name.
#[must_use]
pub fn presses(tool: &str) -> bool {
    let name = local(tool);
    servers::split(tool).is_some() && (servers::does(name) == Does::Act || PRESSES.contains(&name))
}

/// The tool's name on its server.
fn local(tool: &str) -> &str {
    servers::split(tool).map_or(tool, |(_, name)| name)
}

/// The server, where there is one.
#[must_use]
pub fn server(tool: &str) -> Option<&str> {
    servers::split(tool).map(|(server, _)| server)
}

/// A looking tool has no business with an address.
fn is_given_a_place(input: &Value) -> bool {
    let keys = ["url", "urls", "uri", "href"];
    input.as_object().is_some_and(|fields| fields.keys().any(|key| keys.contains(&key.to_ascii_lowercase().as_str())))
}
