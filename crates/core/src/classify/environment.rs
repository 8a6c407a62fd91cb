//! Environment that makes other programs run something else: `LD_PRELOAD`, `PATH`, `BASH_ENV`, `NODE_OPTIONS`, …

mod names;
mod options;

use leastgrant_shell::{Cwd, Value};

use self::names::{EXEMPT, FOLDERS, HARMLESS_VALUES, NAMES, PREFIXES, TIED};
use super::draft::{self, Draft};
use super::shell::Layer;
use crate::action::{Capability, Mark};
use crate::control;
use crate::path::{self, Zone};
use crate::world::World;

/// Names among the assignments that inject code, in words. `tied`: the shell may be one in which `path` is `PATH`.
#[must_use]
pub fn injections(assigned: &[(String, Value)], cwd: &Cwd, world: &dyn World, tied: bool) -> Vec<String> {
    assigned
        .iter()
        .filter(|(name, value)| injects(name, value, cwd, world, tied))
        .map(|(name, _)| format!("`{name}` changes what other programs run"))
        .chain(assigned.iter().filter_map(|(name, value)| control::agent_off_switch_env(name, value.exact())))
        .collect()
}

/// The name as the tables have it. Letter case counts, save where the machine or the program that reads the variable
/// makes no difference.
fn known_as(name: &str, world: &dyn World, tied: bool) -> String {
    let lower = name.to_ascii_lowercase();
    let blind = path::is_windows(&world.facts().project)
        || lower.starts_with("npm_config_")
        || lower.ends_with("_proxy")
        || tied && TIED.contains(&name);
    if blind { name.to_ascii_uppercase() } else { name.to_owned() }
}

fn injects(name: &str, value: &Value, cwd: &Cwd, world: &dyn World, tied: bool) -> bool {
    let upper = known_as(name, world, tied);
    if EXEMPT.contains(&upper.as_str()) {
        return false;
    }
    if let Some(texts) = value.all() {
        let named = |text: &&str| HARMLESS_VALUES.iter().any(|row| row.0 == upper && row.1.contains(text));
        if texts.iter().all(|text| named(text) || options::plain(&upper, text) == Some(true)) {
            return false;
        }
    }
    // a folder or file of the system is what would be taken anyway
    if FOLDERS.contains(&upper.as_str()) {
        return !path_stays_usual(value, cwd, world);
    }
    // `less` does what a `+` in it says as if it were typed
    if upper == "LESS" || upper == "MORE" {
        return value
            .exact()
            .is_none_or(|text| !text.chars().all(|letter| "-FRXSiIMmJNnqQcCdeEsuUwWgGh0123456789# ".contains(letter)));
    }
    if upper == "PATH" {
        return !path_stays_usual(value, cwd, world);
    }
    NAMES.contains(&upper.as_str())
        || options::reads(&upper)
        || upper.ends_with("PATH") && upper != "INFOPATH" && upper.len() <= 16
        || PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

/// `PATH` keeps only folders of the system or of the person's own tools, and the old value.
fn path_stays_usual(value: &Value, cwd: &Cwd, world: &dyn World) -> bool {
    let text = match value {
        Value::Exact(text) | Value::Prefix(text) => text,
        Value::OneOf(_) | Value::Matches(_) | Value::Unknown => return false,
    };
    let mut parts: Vec<&str> = text.split(':').collect();
    if matches!(value, Value::Prefix(_)) {
        // `/usr/local/bin:$PATH`: the unknown rest is the old value or something of which nothing is known; only a
        // prefix that ends at a colon keeps its own parts whole
        if parts.pop().is_some_and(|last| !last.is_empty()) {
            return false;
        }
    }
    parts.iter().all(|part| {
        let Some(Some(folder)) = draft::folders(cwd).first().copied() else { return part.starts_with("/usr/") };
        let place = path::place(world, Some(folder), part);
        match place.zone {
            Zone::System => true,
            Zone::Home => {
                let below = place.lexical.as_deref().unwrap_or_default();
                TOOL_FOLDERS.iter().any(|end| below.ends_with(end))
            }
            _ => false,
        }
    })
}

/// Where people's own tools are installed, below their home.
const TOOL_FOLDERS: &[&str] = &[
    "/.cargo/bin",
    "/.local/bin",
    "/go/bin",
    "/.bun/bin",
    "/.deno/bin",
    "/.local/share/mise/shims",
    "/.pyenv/shims",
    "/.pyenv/bin",
    "/.rbenv/shims",
    "/.volta/bin",
    "/.asdf/shims",
    "/.dotnet/tools",
    "/.local/share/pnpm",
    "/Library/pnpm",
];

/// Marks a draft with what was injected.
pub fn inject(draft: &mut Draft, injected: &[String]) {
    draft.mark(Mark::Injection);
    draft.at_least(Capability::Unknown);
    for words in injected {
        draft.note(words);
    }
}

/// Whether a program in this folder is one of the person's own tools.
#[must_use]
pub fn is_tool_folder(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folder, _)| TOOL_FOLDERS.iter().any(|end| folder.ends_with(end)))
}

/// The layer that carries injected environment to the command below it.
#[must_use]
pub fn layer(injected: &[String]) -> Layer {
    Layer {
        effects: Vec::new(),
        targets: Vec::new(),
        marks: vec![Mark::Injection],
        sweeps_secrets: None,
        elsewhere: false,
        opaque: None,
        name: injected.join(", "),
    }
}
