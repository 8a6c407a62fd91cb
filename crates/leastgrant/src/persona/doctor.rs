//! The checks on persona runs: which bound is in force for whom, what is left over, what can't be run. Nothing is claimed
//! that was not looked at: wired means that the entry is in the file, with its matcher, and that its program answers.

use std::path::Path;

use leastgrant_core::persona::armed::Arming;
use leastgrant_core::persona::contract::Contract;
use leastgrant_core::persona::guard::{Asked, Profile, Ruling, rule};
use leastgrant_core::persona::lease::Gate;
use leastgrant_core::persona::run::{FOLDER, Run, State, active_path};
use leastgrant_core::persona::servers::{self, Class};
use leastgrant_core::world::World as _;

use super::files::Module;
use super::scene::{armed_path, lease_path, runs};
use super::wiring::{Found, Harness, Target, command, wanted_by};
use super::{MATCHER, owners};
use crate::agent::HookEnv;
use crate::doctor::{Check, Group, Status};
use crate::edit::atomic;
use crate::edit::json::MAX_BYTES;
use crate::install::find::on_path;
use crate::install::place::Places;
use crate::world::Real;

const GROUP: Group = Group::Persona;

fn check(id: impl Into<String>, status: Status, text: impl Into<String>) -> Check {
    Check::new(GROUP, id, status, text)
}

/// How the guard stands in one agent's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wired {
    /// it is there, its program answers, and the agent will run it
    Works,
    /// it is there and does not hold, and why
    Not(String),
    /// it is not there
    No,
}

/// The checks of this group.
#[must_use]
pub fn checks(places: &Places, now_ms: i64) -> Vec<Check> {
    let env = HookEnv::of_process();
    let here = places.here.to_string_lossy().into_owned();
    let world = Real::of(&env, &here, std::collections::HashSet::new());
    let runs = runs(&world, &places.state.to_string_lossy(), &[&here]);
    let wired: Vec<(Target, Wired)> =
        Target::all(places, &env).into_iter().filter(seen).map(|target| (target.clone(), how(&target))).collect();
    let mut checks = vec![bound(&wired, &runs)];
    for (target, wired) in &wired {
        checks.push(harness(target, wired, !runs.is_empty(), &places.state));
        checks.push(browsers(target, places));
    }
    checks.extend(active(&runs));
    checks.extend(leftovers(places, &world, now_ms));
    checks.extend(module(places));
    checks
}

fn seen(target: &Target) -> bool {
    target.is_there() || on_path(target.harness.program()).is_some()
}

/// Looks at the entry in the file and at the program that it starts.
fn how(target: &Target) -> Wired {
    let Found { command: line, matcher, trusted } = match target.found() {
        Err(why) => return Wired::Not(why),
        Ok(None) => return Wired::No,
        Ok(Some(found)) => found,
    };
    if matcher != MATCHER {
        return Wired::Not(format!("its matcher is `{matcher}`, not `{MATCHER}`"));
    }
    let program = command::program(&line).unwrap_or_default();
    let there = std::fs::metadata(&program).is_ok_and(|about| about.is_file());
    match (there, trusted) {
        (false, _) => {
            Wired::Not(format!("its program `{program}` is gone: it blocks while a run is active, and says so"))
        }
        (true, Some(false)) => Wired::Not(String::from(
            "Codex has not been told to trust it, so it does not run (start `codex` once and review its hooks, or `leastgrant persona wire --trust-codex`)",
        )),
        (true, _) => match canary(target, &line) {
            Ok(()) => Wired::Works,
            Err(why) => Wired::Not(why),
        },
    }
}

/// Starts the entry on a throwaway project whose run can't be read: a guard that works holds the call.
fn canary(target: &Target, line: &str) -> Result<(), String> {
    let failed = |fault: std::io::Error| format!("it can't be tried: {fault}");
    let yard = tempfile::tempdir().map_err(failed)?;
    std::fs::create_dir_all(yard.path().join(FOLDER)).map_err(failed)?;
    std::fs::write(active_path(&yard.path().to_string_lossy()), "not a run").map_err(failed)?;
    let payload = serde_json::json!({
        "session_id": "leastgrant-doctor", "cwd": yard.path(), "hook_event_name": "PreToolUse",
        "tool_name": "mcp__leastgrant__navigate", "tool_input": { "url": "https://canary.invalid/" },
    });
    let mut shell = std::process::Command::new("/bin/sh");
    shell.arg("-c").arg(line).current_dir(yard.path());
    shell.env("CLAUDE_PROJECT_DIR", yard.path()).env("LEASTGRANT_HOME", yard.path().join("state"));
    let ran = crate::install::probe::run(&mut shell, &payload.to_string(), std::time::Duration::from_secs(6))
        .map_err(|why| format!("it can't be tried: {why}"))?;
    let held = ran.code == Some(0) && ran.stdout.contains("\"permissionDecision\":\"deny\"");
    if held { Ok(()) } else { Err(format!("it did not hold a call on {}", target.harness.name())) }
}

/// `hook_bound = both | claude | codex | none`, really computed.
#[must_use]
pub fn hook_bound(wired: &[(Target, Wired)]) -> &'static str {
    let works = |harness: Harness| wired.iter().any(|(target, how)| target.harness == harness && *how == Wired::Works);
    match (works(Harness::ClaudeCode), works(Harness::Codex)) {
        (true, true) => "both",
        (true, false) => "claude",
        (false, true) => "codex",
        (false, false) => "none",
    }
}

fn bound(wired: &[(Target, Wired)], runs: &[Run]) -> Check {
    let bound = hook_bound(wired);
    let (status, rest) = match (bound, runs.is_empty()) {
        ("none", false) => (Status::Bad, "a run is active here and no agent's hook bounds it"),
        ("none", true) => (Status::Ok, "no run is active here; the guard is wired while one is"),
        (_, false) => (Status::Ok, "a run is active here"),
        (_, true) => (Status::Info, "no run is active here: the guard is inert"),
    };
    let check = check("hook-bound", status, format!("hook_bound={bound}: {rest}"));
    if status == Status::Bad { check.fix("leastgrant persona wire") } else { check }
}

/// One of four states: wired or not, active or not.
fn harness(target: &Target, wired: &Wired, active: bool, state: &Path) -> Check {
    let name = target.harness.name();
    let id = format!("bound:{}", target.harness.id());
    match (wired, active) {
        (Wired::Works, true) => check(
            id,
            Status::Ok,
            format!(
                "{name}: hook wired + run active here: navigation is held upstream of the tool, and by a conductor where one is"
            ),
        ),
        (Wired::Works, false) => {
            let owners = wanted_by(state, target);
            let left = format!("{name}: hook wired but no ACTIVE.json here: inert");
            if owners.is_empty() {
                check(id, Status::Warn, format!("{left}; nobody wants it any more (a crashed run may have left it)"))
                    .fix("leastgrant persona unwire")
            } else {
                check(id, Status::Info, format!("{left}; wanted by {}", owners.join(", ")))
            }
        }
        (Wired::Not(why), true) => {
            check(id, Status::Bad, format!("{name}: ACTIVE.json is here and the wired hook does not hold: {why}"))
                .fix("leastgrant persona wire")
        }
        (Wired::Not(why), false) => check(id, Status::Warn, format!("{name}: the wired hook would not hold: {why}"))
            .fix("leastgrant persona wire"),
        (Wired::No, true) => check(
            id,
            Status::Warn,
            format!("{name}: ACTIVE.json is here but the hook is not wired: a conductor's checks are the only bound"),
        )
        .fix("leastgrant persona wire"),
        (Wired::No, false) => check(
            id,
            Status::Ok,
            format!("{name}: not wired: a conductor is the only bound; the hook is in the settings during runs"),
        ),
    }
}

/// The servers in the agent's settings that browse, by name.
fn browsers(target: &Target, places: &Places) -> Check {
    let id = format!("browser:{}", target.harness.id());
    let names = configured(target, places);
    let mut found: Vec<&str> = names
        .iter()
        .filter(|name| servers::server(name).is_some_and(|server| server.class == Class::Browser))
        .map(String::as_str)
        .collect();
    found.dedup();
    let name = target.harness.name();
    let asymmetry = match target.harness {
        Harness::ClaudeCode => "",
        Harness::Codex => {
            " (measured on 0.171.0: headless runs refuse calls of a server without `default_tools_approval_mode = \"approve\"`; denies hold in every mode)"
        }
    };
    if found.is_empty() {
        let known = if names.is_empty() { String::from("no server at all") } else { names.join(", ") };
        return check(id, Status::Info, format!("{name}: no browser server is configured ({known}){asymmetry}"));
    }
    check(id, Status::Ok, format!("{name}: browses with {}{asymmetry}", found.join(", ")))
}

/// Names of the MCP servers in user and project settings. Nothing is started.
fn configured(target: &Target, places: &Places) -> Vec<String> {
    let mut names = Vec::new();
    match target.harness {
        Harness::ClaudeCode => {
            let user = places.claude.parent().map(|home| home.join(".claude.json"));
            let files = [user, Some(places.claude.join(".claude.json")), Some(places.project.join(".mcp.json"))];
            for file in files.into_iter().flatten() {
                let bytes = atomic::read(&file, 8 * MAX_BYTES).ok().flatten().unwrap_or_default();
                let Ok(value) = serde_json::from_slice::<serde_json::Value>(&bytes) else { continue };
                let project = places.project.to_string_lossy().into_owned();
                let of_project = value.get("projects").and_then(|all| all.get(&project)?.get("mcpServers"));
                for servers in [value.get("mcpServers"), of_project].into_iter().flatten() {
                    names.extend(servers.as_object().into_iter().flat_map(serde_json::Map::keys).cloned());
                }
            }
        }
        Harness::Codex => {
            for file in [target.file.clone(), places.project.join(".codex/config.toml")] {
                let bytes = atomic::read(&file, MAX_BYTES).ok().flatten().unwrap_or_default();
                let table: toml::Table = toml::from_str(&String::from_utf8_lossy(&bytes)).unwrap_or_default();
                let servers = table.get("mcp_servers").and_then(toml::Value::as_table);
                names.extend(servers.into_iter().flat_map(toml::Table::keys).cloned());
            }
        }
    }
    names.sort();
    names.dedup();
    names.iter().map(|name| crate::render::words::safe(name)).collect()
}

/// What each run that binds this folder says.
fn active(runs: &[Run]) -> Vec<Check> {
    runs.iter()
        .map(|run| {
            let file = active_path(&run.root);
            match &run.state {
                State::Closed(block) => {
                    check("active", Status::Bad, format!("`{file}` holds every navigation: {}", block.why.id()))
                        .fix("leastgrant persona check")
                }
                State::Open(bounds) => {
                    let hosts: Vec<&str> = bounds.allowlist.hosts().collect();
                    let by = if run.armed {
                        "armed by a person"
                    } else {
                        "armed by somebody else: it binds, and grants nothing"
                    };
                    let shown = rule(run, Profile::Strict, Asked::Fetch("https://canary.invalid/"), "", 0);
                    let held = matches!(shown, Ruling::Outside(_));
                    let status = if held { Status::Ok } else { Status::Bad };
                    check("active", status, format!("flow `{}` ({by}): {}", bounds.name, hosts.join(", ")))
                }
            }
        })
        .collect()
}

/// Records of ours that nothing belongs to any more.
fn leftovers(places: &Places, world: &Real, now_ms: i64) -> Vec<Check> {
    let mut checks = Vec::new();
    for folder in ["armed", "lease"] {
        let folder = places.state.join("persona").join(folder);
        for path in
            std::fs::read_dir(&folder).into_iter().flatten().take(256).filter_map(|entry| Some(entry.ok()?.path()))
        {
            let bytes = std::fs::read(&path).ok();
            let root = bytes
                .as_deref()
                .and_then(|bytes| serde_json::from_slice::<serde_json::Value>(bytes).ok())
                .and_then(|value| Some(value.get("root")?.as_str()?.to_owned()));
            let Some(root) = root else {
                checks.push(
                    check("leftover", Status::Warn, format!("`{}` can't be read", path.display()))
                        .fix("leastgrant persona disarm"),
                );
                continue;
            };
            let there = !matches!(world.entry(&active_path(&root)), leastgrant_core::world::Entry::Missing);
            let text = if path == armed_path(&places.state, Path::new(&root)) {
                let Arming::Ours(armed) = Arming::read(bytes.as_deref(), &root) else { continue };
                (!there).then(|| {
                    format!("`{root}` was armed ({}) and its ACTIVE.json is gone: it binds nothing", armed.owner)
                })
            } else if path == lease_path(&places.state, Path::new(&root)) {
                let Gate::Conducted(lease) = Gate::read(bytes.as_deref(), &root) else { continue };
                let dead = lease.expires_ms <= now_ms || owners::started(lease.pid) != Some(lease.started);
                dead.then(|| {
                    format!("the conductor of `{root}` (run `{}`) is gone; its run lets nothing act", lease.owner)
                })
            } else {
                Some(format!("`{}` is in a place that is not its own", path.display()))
            };
            checks.extend(text.map(|text| check("leftover", Status::Warn, text).fix("leastgrant persona disarm")));
        }
    }
    checks
}

/// Contracts and flows, counted; what can't be run is named.
fn module(places: &Places) -> Vec<Check> {
    let Some(root) = super::scene::project(&places.here) else { return Vec::new() };
    let module = Module::look(&root);
    if module.contracts.is_empty() && module.flows.is_empty() {
        return vec![check("contracts", Status::Ok, "no contracts yet")];
    }
    let count = |status: &str| {
        let of = |contract: &Result<Contract, _>| match contract {
            Ok(Contract::Ready) => "ready",
            Ok(Contract::Skipped(unready)) => unready.id(),
            Err(_) => "INVALID",
        };
        module.contracts.iter().filter(|file| of(&file.contract) == status).count()
    };
    let invalid = count("INVALID");
    let mut counted = format!("{} ready · {} draft · {} blocked", count("ready"), count("draft"), count("blocked"));
    if invalid > 0 {
        counted.push_str(&format!(" · {invalid} INVALID"));
    }
    let text = format!("contracts {} ({counted}) · flows {}", module.contracts.len(), module.flows.len());
    let mut bad: Vec<String> = module
        .contracts
        .iter()
        .filter(|file| file.contract.is_err())
        .map(|file| format!("persona `{}`", file.id))
        .collect();
    bad.extend(module.flows.iter().filter(|file| file.flow.is_err()).map(|file| format!("flow `{}`", file.name)));
    if bad.is_empty() {
        return vec![check("contracts", Status::Ok, text)];
    }
    vec![
        check("contracts", Status::Warn, format!("{text}; can't be run: {}", bad.join(", ")))
            .fix("leastgrant persona check"),
    ]
}
