//! Is everything where it should be: our program, our state, the entries in each settings file.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::scene::{Content, Scene, Settings};
use super::{Check, Group, Repair, Status};
use crate::install::claude_code::{self, AGENT, EVENTS};
use crate::install::place::Scope;
use crate::install::wiring::Wiring;
use crate::install::{find, pause, probe, wiring};
use crate::store::Store;

const GROUP: Group = Group::Setup;

/// The checks of this group.
pub(super) fn checks(scene: &Scene) -> Vec<Check> {
    let mut checks = vec![program(scene)];
    checks.extend(scene.has_claude().then(|| agent(scene)));
    checks.push(state(scene));
    checks.extend(settings_files(scene));
    checks.extend(scene.has_claude().then(|| hook_pre(scene)));
    for settings in scene.wired() {
        checks.extend(wired(scene, settings));
    }
    checks.extend(lost(scene));
    checks.push(outer_timeout(scene));
    checks.extend(twice(scene));
    checks.push(posture(scene));
    checks.extend(paused(scene));
    checks
}

fn check(id: impl Into<String>, status: Status, text: impl Into<String>) -> Check {
    Check::new(GROUP, id, status, text)
}

fn program(scene: &Scene) -> Check {
    let version = env!("CARGO_PKG_VERSION");
    match &scene.program {
        Err(why) => check("program", Status::Bad, why),
        Ok(program) => match find::short_lived(program) {
            Some(why) => check("program", Status::Warn, format!("version {version}; {why}")),
            None => check("program", Status::Ok, format!("version {version} at `{}`", program.display())),
        },
    }
}

/// Versions on which every claim was measured.
const MEASURED: [&str; 2] = ["2.1.197", "2.1.332"];

fn agent(scene: &Scene) -> Check {
    match (&scene.claude.program, &scene.claude.version) {
        (None, _) => check("agent", Status::Info, "`claude` is not on the search path, so its version is not known"),
        (Some(program), None) => {
            check("agent", Status::Warn, format!("`{}` did not say its version", program.display()))
        }
        (Some(_), Some(version)) if MEASURED.contains(&version.as_str()) => {
            check("agent", Status::Ok, format!("Claude Code {version}, a version that was measured"))
        }
        (Some(_), Some(version)) => {
            let text = format!(
                "Claude Code {version} was not measured ({} were); the stricter reading is taken",
                MEASURED.join(" and ")
            );
            check("agent", Status::Info, text)
        }
    }
}

fn state(scene: &Scene) -> Check {
    let folder = &scene.places.state;
    let shown = scene.places.short(folder);
    let bad = |why: String| check("state-dir", Status::Bad, why);
    let meta = match fs::metadata(folder) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return check("state-dir", Status::Warn, format!("`{shown}` is not there yet; the first call makes it"))
                .repair(Repair::StateFolder);
        }
        Err(error) => return bad(format!("`{shown}`: {error}")),
    };
    if !meta.is_dir() {
        return bad(format!("`{shown}` is not a folder"))
            .fix(format!("mv {0} {0}.old", wiring::quote(&folder.to_string_lossy())));
    }
    if let Err(error) = tempfile::tempfile_in(folder) {
        return bad(format!("`{shown}` can't be written: {error}"))
            .fix(format!("chmod u+rwx {}", wiring::quote(&folder.to_string_lossy())));
    }
    if meta.permissions().mode() & 0o077 != 0 {
        return check("state-dir", Status::Warn, format!("`{shown}` is open to other people"))
            .repair(Repair::StateFolder);
    }
    check("state-dir", Status::Ok, format!("`{shown}` is there and closed to others"))
}

fn settings_files(scene: &Scene) -> Vec<Check> {
    let mut checks = Vec::new();
    for settings in &scene.settings {
        let id = format!("settings:{}", settings.id());
        let file = scene.places.short(&settings.path);
        match &settings.content {
            Content::Missing | Content::Holds(_) => {}
            Content::Unreadable(why) => {
                checks.push(check(id, Status::Bad, format!("`{file}`: {why}")));
            }
            Content::Dropped(refusal) => {
                use crate::edit::json::Fault;
                let ours = scene.record(&settings.path).is_some();
                let text = if ours {
                    format!("the agent drops `{file}`, and our hook with it: {refusal}")
                } else {
                    format!("the agent drops `{file}` as a whole: {refusal}")
                };
                // of two equal keys the agent takes the last; we just don't edit such a file
                let status = if ours || refusal.fault != Fault::DuplicateKey { Status::Bad } else { Status::Warn };
                let check = check(id, status, text);
                checks.push(match refusal.fault {
                    Fault::Comment | Fault::TrailingComma => check.repair(Repair::Strip(settings.scope)),
                    _ => {
                        let line = refusal.line;
                        check
                            .fix(format!("${{EDITOR:-vi}} +{line} {}", wiring::quote(&settings.path.to_string_lossy())))
                    }
                });
            }
        }
    }
    checks
}

fn hook_pre(scene: &Scene) -> Check {
    let wired: Vec<String> = scene.wired().map(Settings::id).collect();
    if wired.is_empty() {
        check("hook-pre", Status::Bad, "no settings file holds our hook: nothing is judged")
            .fix(format!("leastgrant install {AGENT}"))
    } else {
        check("hook-pre", Status::Ok, format!("wired before every tool call in: {}", wired.join(", ")))
    }
}

fn wired(scene: &Scene, settings: &Settings) -> Vec<Check> {
    let id = settings.id();
    let scope = settings.scope;
    let file = scene.places.short(&settings.path);
    let mut checks = Vec::new();
    let again = format!("leastgrant install {AGENT}{}", scope.flag());
    match scene.starts(settings) {
        Some(Ok(())) => checks.push(check(
            format!("starts:{id}"),
            Status::Ok,
            "the hook starts, and refuses a write into leastgrant's own state",
        )),
        Some(Err(why)) => {
            let then = if scene.blocks(settings) { "every call is blocked" } else { "the agent lets calls pass" };
            let program = settings.found.first().map(|found| found.ours.program.clone()).unwrap_or_default();
            let gone =
                if fs::metadata(&program).is_err() { format!("`{program}` does not exist; ") } else { String::new() };
            checks.push(
                check(
                    format!("starts:{id}"),
                    Status::Bad,
                    format!("the hook in `{file}` is no guard, so {then}: {gone}{why}"),
                )
                .fix(again.clone()),
            );
        }
        None => checks.push(
            check(
                format!("starts:{id}"),
                Status::Warn,
                format!("the hook in `{file}` was not started to try it: that line was not written by leastgrant here"),
            )
            .fix(again.clone()),
        ),
    }
    checks.extend(missing_events(settings, &id).map(|check| check.repair(Repair::Install(AGENT, scope))));
    if let Some(said) = drift(scene, settings) {
        checks.push(
            check(
                format!("wiring:{id}"),
                Status::Warn,
                format!("`{file}` is not wired as this version does it: {said}"),
            )
            .repair(Repair::Install(AGENT, scope)),
        );
    }
    if !scene.blocks(settings) {
        // chosen by a person, or taken out since
        let meant_closed = scene.record(&settings.path).is_some_and(|record| record.wiring.closed);
        let (status, why) = if meant_closed {
            (Status::Bad, "although it was installed so that it does")
        } else {
            (Status::Warn, "as was chosen")
        };
        let text = format!("the hook in `{file}` does not block when it fails, {why}: calls then run unjudged");
        checks.push(check(format!("on-failure:{id}"), status, text).fix(again));
    }
    checks
}

fn missing_events(settings: &Settings, id: &str) -> Option<Check> {
    let missing: Vec<&str> = EVENTS
        .iter()
        .map(|event| event.name)
        .filter(|name| !settings.found.iter().any(|found| found.event == *name))
        .collect();
    if missing.is_empty() {
        return None;
    }
    Some(check(format!("hook-post:{id}"), Status::Warn, format!("our hook is missing for: {}", missing.join(", "))))
}

/// What an install would repair. An open wiring is a person's choice and no drift.
fn drift(scene: &Scene, settings: &Settings) -> Option<String> {
    let program = match settings.scope {
        Scope::Managed => scene.places.managed_program(),
        _ => scene.program.clone().ok()?,
    };
    let wiring = Wiring {
        agent: AGENT.to_owned(),
        program,
        timeout: scene.timeout.clone(),
        closed: scene.blocks(settings),
        file: settings.path.clone(),
        scope: settings.scope,
        trust: false,
        plugin: None,
    };
    let wired = claude_code::wire(settings.document()?, &wiring).ok()?;
    let version = scene.starts(settings).and_then(|_| other_version(settings, &wiring.program));
    let repairs: Vec<String> = wired.repairs.into_iter().filter(|repair| !repair.ends_with("was missing")).collect();
    // the same thing is said of every event: once is enough
    let mut said: Vec<String> = Vec::new();
    for repair in repairs {
        let what = repair.split_once(": ").map_or(repair.as_str(), |(_, what)| what);
        if !said.iter().any(|known| known == what) {
            said.push(what.to_owned());
        }
    }
    said.extend(version);
    (!said.is_empty()).then(|| said.join("; "))
}

/// The version of a wired program that is not this one, if it differs.
fn other_version(settings: &Settings, own: &Path) -> Option<String> {
    let wired = Path::new(&settings.found.first()?.ours.program);
    if wired == own {
        return None;
    }
    let mut command = std::process::Command::new(wired);
    let ran = probe::run(command.arg("--version"), "", std::time::Duration::from_secs(5)).ok()?;
    let version = ran.stdout.split_whitespace().last()?.to_owned();
    let differs = ran.code == Some(0) && version != env!("CARGO_PKG_VERSION");
    differs.then(|| format!("that program is version {}", crate::render::words::safe(&version)))
}

/// What was installed and is no longer there.
fn lost(scene: &Scene) -> Vec<Check> {
    let gone = scene.records.iter().filter(|record| {
        let settings = scene.settings.iter().find(|settings| settings.path == record.wiring.file);
        // other projects' files are looked at when somebody is there
        settings.is_some_and(|settings| !settings.is_wired())
    });
    gone.map(|record| {
        let scope = record.wiring.scope;
        let text = format!(
            "the hook was installed into `{}` and is not there any more",
            scene.places.short(&record.wiring.file)
        );
        check(format!("lost:{}", scope.id()), Status::Bad, text)
            .fix(format!("leastgrant install {AGENT}{}", scope.flag()))
    })
    .collect()
}

fn outer_timeout(scene: &Scene) -> Check {
    match &scene.timeout {
        Some(timeout) => check("outer-timeout", Status::Ok, format!("`{}` ends a hook that hangs", timeout.display())),
        None => check(
            "outer-timeout",
            Status::Warn,
            "there is no `timeout` on this machine: a hook that hangs lets the call through on agents without `onFailure`",
        )
        .fix("install coreutils, then `leastgrant install`"),
    }
}

fn twice(scene: &Scene) -> Option<Check> {
    let mut commands: Vec<String> = scene.wired().filter_map(|settings| settings.command("PreToolUse")).collect();
    commands.sort();
    commands.dedup();
    if commands.len() < 2 {
        return None;
    }
    let scopes: Vec<&Settings> = scene.wired().collect();
    let narrow = scopes.iter().rev().find(|settings| settings.scope != Scope::Managed)?;
    Some(
        check(
            "twice",
            Status::Info,
            format!("the hook is wired in {} files: every call is judged and recorded more than once", scopes.len()),
        )
        .fix(format!("leastgrant uninstall {AGENT}{}", narrow.scope.flag())),
    )
}

fn posture(scene: &Scene) -> Check {
    use leastgrant_core::policy::Posture;
    let policy = Store::at(&scene.places.state).settings().policy;
    if let Some(problem) = policy.problems.first() {
        let file = problem.split(':').next().unwrap_or_default();
        let edit = format!("${{EDITOR:-vi}} {}", wiring::quote(&scene.places.state.join(file).to_string_lossy()));
        return check("policy", Status::Bad, format!("{problem}; until it is mended, everything is asked about"))
            .fix(edit);
    }
    match policy.posture {
        Posture::Observe => {
            let text = "observe: nothing but leastgrant's own protection and the persona bound is enforced";
            check("posture", Status::Warn, text).fix(format!("leastgrant install {AGENT} --posture assist"))
        }
        posture => check("posture", Status::Ok, posture.id()),
    }
}

fn paused(scene: &Scene) -> Option<Check> {
    let until = pause::paused(&scene.places.state, scene.now_ms)?;
    let minutes = (until - scene.now_ms).div_euclid(60_000) + 1;
    Some(check("paused", Status::Warn, format!("paused for another {minutes} minutes")).fix("leastgrant resume"))
}
