//! Which servers of an agent drive a browser, by the names in its own settings and the guard's table. Only looked at: no
//! server is started.

use std::path::Path;

use leastgrant_core::persona::servers::{self, Class};
use serde_json::Value;

use super::worker::Kind;
use crate::agent::HookEnv;
use crate::edit::atomic;
use crate::install::place::Places;

const LARGEST: usize = 16 * 1024 * 1024;

/// The browser's servers of an agent, in order.
#[must_use]
pub(super) fn found(kind: Kind, places: &Places, env: &HookEnv, root: &Path) -> Vec<String> {
    let mut names = match kind {
        Kind::ClaudeCode => claude_code(places, env, root),
        Kind::Codex => codex(places, env),
    };
    names.retain(|name| servers::server(name).is_some_and(|server| server.class == Class::Browser));
    names.sort();
    names.dedup();
    names
}

fn claude_code(places: &Places, env: &HookEnv, root: &Path) -> Vec<String> {
    let own = env.folder("CLAUDE_CONFIG_DIR").map_or_else(|| places.home.clone(), std::path::PathBuf::from);
    let person = json(&own.join(".claude.json"));
    let project = json(&root.join(".mcp.json"));
    let here = person.get("projects").and_then(|projects| projects.get(root.to_string_lossy().as_ref()));
    let of = |value: Option<&Value>| {
        let servers = value.and_then(|value| value.get("mcpServers")).and_then(Value::as_object);
        servers.map(|servers| servers.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    };
    [of(Some(&person)), of(here), of(Some(&project))].concat()
}

fn codex(places: &Places, env: &HookEnv) -> Vec<String> {
    let home = env.folder("CODEX_HOME").map_or_else(|| places.home.join(".codex"), std::path::PathBuf::from);
    let bytes = atomic::read(&home.join("config.toml"), LARGEST).ok().flatten().unwrap_or_default();
    let text = String::from_utf8(bytes).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let servers = table.get("mcp_servers").and_then(toml::Value::as_table);
    servers.map(|servers| servers.keys().cloned().collect()).unwrap_or_default()
}

fn json(path: &Path) -> Value {
    let bytes = atomic::read(path, LARGEST).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
