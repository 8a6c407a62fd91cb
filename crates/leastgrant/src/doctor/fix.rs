//! The repairs of `doctor --fix`. Safe ones are done when nothing is named; what a person may have meant only by name.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::scene::Settings;
use super::{Check, Repair, Scene, agents};
use crate::edit::atomic;
use crate::edit::json::{self, Document, MAX_BYTES, Reading, Step};
use crate::edit::lock::Lock;
use crate::edit::plan::{Change, Plan};
use crate::edit::toml;
use crate::install::claude_code;
use crate::install::codex;
use crate::install::dialect;
use crate::install::perform;
use crate::install::place::Scope;
use crate::install::release;
use crate::install::work::Request;

/// One repair that was tried.
#[derive(Debug)]
pub struct Tried {
    /// the check
    pub id: String,
    /// what came of it
    pub outcome: Result<(), String>,
}

/// Repairs what is named, or what is safe.
#[must_use]
pub fn repair(scene: &Scene, checks: &[Check], named: &[String], person: bool) -> Vec<Tried> {
    let mut tried: Vec<Tried> = Vec::new();
    let mut installed: Vec<(&str, Scope)> = Vec::new();
    for check in checks {
        let Some(repair) = &check.repair else { continue };
        let wanted = if named.is_empty() { repair.is_safe() } else { named.contains(&check.id) };
        if !wanted {
            continue;
        }
        if let Repair::Install(agent, scope) = repair {
            // several checks are mended by one install
            if installed.contains(&(*agent, *scope)) {
                continue;
            }
            installed.push((*agent, *scope));
        }
        tried.push(Tried { id: check.id.clone(), outcome: one(scene, repair, person) });
    }
    for id in named {
        if !tried.iter().any(|tried| tried.id == *id) {
            let why = if checks.iter().any(|check| check.id == *id) {
                String::from("this is not mended by doctor; see its own command")
            } else {
                String::from("there is no such check now")
            };
            tried.push(Tried { id: id.clone(), outcome: Err(why) });
        }
    }
    tried
}

fn one(scene: &Scene, repair: &Repair, person: bool) -> Result<(), String> {
    match repair {
        Repair::StateFolder => {
            let folder = &scene.places.state;
            atomic::private_folder(folder).map_err(|error| error.to_string())?;
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(|error| error.to_string())
        }
        Repair::Install(agent, scope) => {
            let dialect = dialect::of(agent).ok_or_else(|| format!("`{agent}` is not an agent that can be wired"))?;
            let closed = if *agent == claude_code::AGENT {
                let wired = |settings: &&Settings| settings.scope == *scope && settings.is_wired();
                scene.settings.iter().find(wired).is_none_or(|settings| scene.blocks(settings))
            } else {
                agents::blocks(scene, dialect, *scope)
            };
            let request = Request {
                dialect,
                trust: false,
                scope: *scope,
                closed,
                force: false,
                strip: false,
                program: None,
                person,
                now_ms: scene.now_ms,
            };
            perform::install(&scene.places, &request, None).map(|_| ()).map_err(|stop| stop.why().to_owned())
        }
        Repair::Switch { file, path } => edit(scene, file, person, |bytes| {
            let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
            let without = if codex::is_toml(file) {
                toml::Document::parse(bytes)
                    .and_then(|document| document.remove(&steps))
                    .map(|document| document.bytes())
            } else {
                Document::parse_as(bytes, Reading::Loose)
                    .and_then(|document| document.remove(&steps))
                    .map(|document| document.bytes())
            };
            without.map_err(|refusal| refusal.to_string())
        }),
        Repair::Strip(scope) => edit(scene, &scene.places.settings(*scope), person, |bytes| {
            json::strip(bytes).map(|document| document.bytes()).map_err(|refusal| refusal.to_string())
        }),
    }
}

fn edit(
    scene: &Scene,
    file: &Path,
    person: bool,
    change: impl Fn(&[u8]) -> Result<Vec<u8>, String>,
) -> Result<(), String> {
    let real = atomic::resolve(file).map_err(|fault| fault.to_string())?;
    let _lock = Lock::take(&scene.places.state.join("locks"), &real).map_err(|error| error.to_string())?;
    let before = atomic::read(&real, MAX_BYTES).map_err(|fault| fault.to_string())?;
    let before = before.ok_or_else(|| String::from("the file is gone"))?;
    let after = change(&before)?;
    if person {
        let content = Some(crate::install::record::digest(&after));
        release::leave(&scene.places.state, &real, content, scene.now_ms).map_err(|error| error.to_string())?;
    }
    let change = Change {
        path: file.to_owned(),
        real,
        before: Some(before),
        after: Some(after),
        folder_mode: 0o700,
        program: false,
    };
    Plan { changes: vec![change] }.apply().map(|_| ()).map_err(|(fault, left)| {
        let left = if left.is_empty() { String::new() } else { format!(", but {}", left.join(", ")) };
        format!("{fault}{left}")
    })
}
