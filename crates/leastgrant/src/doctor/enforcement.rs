//! Which bound is in force, and everything that could stand between it and a call.

use std::env;

use super::scene::{Scene, Settings};
use super::{Check, Group, Repair, Status, sessions};
use crate::edit::json::{Node, Step};
use crate::install::claude_code::AGENT;
use crate::install::config_change::{ENVIRONMENT, effective};
use crate::install::place::Scope;
use crate::install::wiring;
use crate::render::words;

const GROUP: Group = Group::Enforcement;

/// The checks of this group.
pub(super) fn checks(scene: &Scene) -> Vec<Check> {
    let off: Vec<String> = switches(scene).into_iter().map(|(check, _)| check.id).collect();
    let mut checks: Vec<Check> = scene.has_claude().then(|| bound(scene, &off)).into_iter().collect();
    checks.extend(switches(scene).into_iter().map(|(check, _)| check));
    checks.extend(environment());
    checks.extend(foreign(scene));
    checks.extend(allow_rules(scene));
    if scene.has_claude() {
        checks.push(open(scene));
        checks.push(attendance(scene));
    }
    checks.extend(sessions::checks(scene));
    checks
}

fn check(id: impl Into<String>, status: Status, text: impl Into<String>) -> Check {
    Check::new(GROUP, id, status, text)
}

/// One sentence that says what holds.
fn bound(scene: &Scene, off: &[String]) -> Check {
    let mut held = Vec::new();
    let mut broken = Vec::new();
    for settings in scene.wired() {
        let silenced = switches(scene).iter().any(|(_, hits)| hits(settings.scope));
        match scene.starts(settings) {
            _ if silenced => broken.push(format!("{}: switched off", settings.id())),
            Some(Ok(())) => held.push(format!("{}: {}", settings.id(), how(scene, settings))),
            Some(Err(_)) if scene.blocks(settings) => {
                broken.push(format!("{}: blocks every call, because it can't start", settings.id()))
            }
            Some(Err(_)) => broken.push(format!("{}: can't start, calls run unjudged", settings.id())),
            None => broken.push(format!("{}: not tried", settings.id())),
        }
    }
    match (held.is_empty(), broken.is_empty()) {
        (true, true) => check("bound", Status::Bad, "none: the agent does not ask leastgrant")
            .fix(format!("leastgrant install {AGENT}")),
        (true, false) => {
            let fix = off.first().map_or(format!("leastgrant install {AGENT}"), |id| {
                format!("leastgrant doctor --fix {}", wiring::quote(id))
            });
            check("bound", Status::Bad, format!("none ({})", broken.join("; "))).fix(fix)
        }
        (false, true) if scene.wired().any(|settings| !scene.blocks(settings)) => check(
            "bound",
            Status::Warn,
            format!("every tool call is judged while the hook works ({})", held.join("; ")),
        )
        .fix(format!("leastgrant install {AGENT}")),
        (false, true) => check("bound", Status::Ok, format!("every tool call is judged ({})", held.join("; "))),
        (false, false) => {
            check("bound", Status::Warn, format!("{}; not in force: {}", held.join("; "), broken.join("; ")))
        }
    }
}

fn how(scene: &Scene, settings: &Settings) -> &'static str {
    let timed = settings.found.iter().any(|found| found.event == "PreToolUse" && found.ours.timeout.is_some());
    match (scene.blocks(settings), timed) {
        (true, true) => "closed when the hook is missing, killed, fails or hangs",
        (true, false) => "closed when the hook is missing, killed or fails",
        (false, _) => "OPEN when the hook fails",
    }
}

type Hits = Box<dyn Fn(Scope) -> bool>;

/// Off-switches in settings files, with the scopes that they silence (agents/claude-code facts §f).
fn switches(scene: &Scene) -> Vec<(Check, Hits)> {
    let mut found: Vec<(Check, Hits)> = Vec::new();
    for settings in &scene.settings {
        for switch in &settings.switches {
            let id = format!("switch:{}:{}", settings.id(), switch.key);
            let line = settings.document().map_or(0, |document| document.place(switch.at).0);
            let file = scene.places.short(&settings.path);
            let managed = settings.scope == Scope::Managed;
            let all = managed && switch.key == "disableAllHooks";
            let text = format!("`{}` in `{file}`, line {line}, {}", switch.key, switch.what);
            let text = if all || switch.key.starts_with("env.") {
                text
            } else if scene.wired().any(|settings| settings.scope == Scope::Managed) {
                format!("{text} (the managed hook still runs)")
            } else {
                format!("{text}: ours too (a managed hook would still run: `sudo leastgrant install --managed`)")
            };
            let repair = Repair::Switch { file: settings.path.clone(), path: switch.path.clone() };
            found.push((
                check(id, Status::Bad, text).repair(repair),
                Box::new(move |scope| all || scope != Scope::Managed),
            ));
        }
    }
    found
}

/// Off-switches in the environment from which the agent would be started here. Moved folders are looked at where they
/// now are, so they are no fault by themselves.
fn environment() -> Vec<Check> {
    let moved = ["CLAUDE_CONFIG_DIR", "LEASTGRANT_HOME", "HOME"];
    let mut checks = Vec::new();
    for (name, is_flag, what) in ENVIRONMENT {
        let Some(value) = env::var_os(name) else { continue };
        if !effective(is_flag, &value.to_string_lossy()) || name == "HOME" {
            continue;
        }
        let (status, text) = if moved.contains(&name) {
            let text = format!(
                "`{name}` is set: {what}; an agent that is started without it is not bound by what is said here"
            );
            (Status::Info, text)
        } else {
            (Status::Bad, format!("`{name}` is set: it {what} in agents that are started here"))
        };
        checks.push(check(format!("switch:env:{name}"), status, text).fix(format!("unset {name}")));
    }
    checks
}

/// Hooks of others that could change a call after we judged it, or answer the question that we asked.
fn foreign(scene: &Scene) -> Vec<Check> {
    let mut checks = Vec::new();
    let cases = [
        (
            "PreToolUse",
            "foreign-pre",
            "a hook that is not ours also stands before tool calls: if it rewrites the input (`updatedInput`), what runs is not what was judged",
        ),
        (
            "PermissionRequest",
            "foreign-permission",
            "a hook that is not ours answers permission prompts: where leastgrant asks, it may say yes in the person's place",
        ),
    ];
    for settings in &scene.settings {
        let Some(document) = settings.document() else { continue };
        for (event, id, what) in cases {
            let groups = document.at(&[Step::Key("hooks"), Step::Key(event)]).map_or(&[][..], Node::elements);
            let entries = groups.iter().filter_map(|group| group.get("hooks")).flat_map(Node::elements);
            for entry in entries {
                let command = entry.get("command").or_else(|| entry.get("url")).and_then(Node::str).unwrap_or("?");
                if wiring::ours(command, AGENT).is_some() {
                    continue;
                }
                let line = document.place(entry.span.start).0;
                let place = format!("`{}`, line {line}", scene.places.short(&settings.path));
                let command = words::cut(&words::safe(command), 60);
                let text = format!("{what}: `{command}` in {place}");
                let edit = format!("${{EDITOR:-vi}} +{line} {}", wiring::quote(&settings.path.to_string_lossy()));
                checks.push(check(format!("{id}:{}:{line}", settings.id()), Status::Warn, text).fix(edit));
            }
        }
    }
    checks
}

/// Standing rules of the agent that let whole tools pass.
fn allow_rules(scene: &Scene) -> Vec<Check> {
    let mut checks = Vec::new();
    for settings in &scene.settings {
        let rules = crate::command::install::allow_rules(settings.document());
        let blanket: Vec<String> =
            rules.into_iter().filter(|rule| is_blanket(rule)).map(|rule| format!("`{}`", words::safe(&rule))).collect();
        if blanket.is_empty() {
            continue;
        }
        let text = format!(
            "the agent's own rules in `{}` allow whole tools: {}. leastgrant's ask and deny still win over them; where it is silent, nobody is asked, and without the hook nothing is",
            scene.places.short(&settings.path),
            blanket.join(", ")
        );
        let edit = format!("${{EDITOR:-vi}} {}", wiring::quote(&settings.path.to_string_lossy()));
        checks.push(check(format!("allow-rules:{}", settings.id()), Status::Warn, text).fix(edit));
    }
    checks
}

const WIDE: [&str; 8] = ["Bash", "Edit", "Write", "NotebookEdit", "Read", "WebFetch", "Agent", "Task"];

fn is_blanket(rule: &str) -> bool {
    let (tool, inner) = rule.split_once('(').map_or((rule, None), |(tool, rest)| (tool, rest.strip_suffix(')')));
    if tool.starts_with("mcp__") {
        return tool.ends_with("__*") || tool.matches("__").count() == 1;
    }
    let open = match inner {
        None => rule == tool,
        Some(inner) => !inner.chars().any(char::is_alphanumeric),
    };
    tool == "*" || (WIDE.contains(&tool) && open)
}

/// What no wiring closes, so that nobody believes it does.
fn open(scene: &Scene) -> Check {
    let old = scene.claude.version.as_deref().is_none_or(|version| !newer(version, [2, 1, 332]));
    let mut text = String::from(
        "not covered on Claude Code: a hook that ends well but prints something that is no answer; sessions started with --bare, --safe-mode, --setting-sources, another HOME or CLAUDE_CONFIG_DIR; a repository that sets disableAllHooks (all but the first are covered by --managed)",
    );
    if old {
        text.push_str("; before 2.1.332: somebody who kills the shell that runs the hook");
    }
    let check = check("open", Status::Info, text);
    if scene.wired().any(|settings| settings.scope == Scope::Managed) {
        check
    } else {
        check.fix("sudo leastgrant install --managed")
    }
}

/// Whether a version is at least another; unknown spelling is not.
#[must_use]
pub fn newer(version: &str, least: [u64; 3]) -> bool {
    let parts: Option<Vec<u64>> = version.split('.').map(|part| part.parse().ok()).collect();
    parts.is_some_and(|parts| parts.as_slice() >= least.as_slice())
}

fn attendance(scene: &Scene) -> Check {
    let typed = scene.claude.version.as_deref().is_some_and(|version| newer(version, [2, 1, 332]));
    let text = if typed {
        "whether a person is there: the agent says so (`CLAUDE_CODE_SESSION_ATTENDED`)"
    } else {
        "whether a person is there: from 2.1.332 on the agent says so; before, how it was started (`CLAUDE_CODE_ENTRYPOINT`) is taken"
    };
    check("attendance", Status::Info, text)
}
