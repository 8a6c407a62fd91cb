//! `leastgrant hook persona --agent AGENT`: the guard by itself, beside whatever else judges calls. Silent unless a run is
//! active; while one is, whatever can't be read is held. It never allows anything: silence leaves the call to the agent.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use leastgrant_core::persona::guard::{Asked, Ruling, rule};
use leastgrant_core::persona::run::{Run, State};
use leastgrant_core::persona::why::{Block, PREFIX, Why};
use leastgrant_core::world::World as _;
use serde_json::Value as Json;

use super::journal::{self, Held};
use super::scene;
use crate::agent::payload::{Payload, Unread, Wanted};
use crate::agent::{HookEnv, Output};
use crate::conduct::guard as conduct;
use crate::hook::{net, wire};
use crate::world::Real;

/// Agents whose settings the guard is wired into.
pub const AGENTS: [&str; 2] = ["claude-code", "codex"];

const WANTED: Wanted =
    Wanted { whole: &["session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "tool_use_id"], skimmed: &[] };

/// Reads one payload, answers with a deny or with silence.
#[must_use]
pub fn main(args: &[OsString]) -> ExitCode {
    net::spread();
    let env = HookEnv::of_process();
    let output = net::caught(|| answer(args, &env)).unwrap_or_else(|why| fallen(&env, &why));
    ExitCode::from(wire::send(&output))
}

fn answer(args: &[OsString], env: &HookEnv) -> Output {
    let received = wire::receive();
    let (payload, fault) = match (Payload::read(&received.bytes, WANTED), received.fault) {
        (Ok(payload), None) => (payload, None),
        (Ok(payload), Some(why)) => (payload, Some(why)),
        (Err(Unread { why, before }), _) => (before, Some(why)),
    };
    let text = |key: &str| payload.text(key).ok().flatten().unwrap_or_default();
    let here = here();
    let start = env.folder("CLAUDE_PROJECT_DIR").unwrap_or_default();
    let starts = [start, text("cwd"), here.as_str()];
    let state = Real::state(env);
    let world =
        Real::of(env, starts.into_iter().find(|start| start.starts_with('/')).unwrap_or("/"), Default::default());
    let mut runs = scene::runs(&world, &state, &starts);
    runs.retain(|run| !conduct::is_left_over(run, text("session_id")));
    let Some(first) = runs.first() else { return alone(&payload) };
    if let Err(why) = named(args) {
        return Output::blocked(&format!("{PREFIX}{why}"));
    }
    if fault.is_none() && !judged(text("hook_event_name")) {
        return Output::silent();
    }
    let tool = text("tool_name");
    let held = |run: &Run, block: &Block| {
        let call = Some(text("tool_use_id")).filter(|id| !id.is_empty());
        journal::block(Path::new(&state), Held { root: &run.root, session: text("session_id"), call, tool }, block);
        conduct::tell_block(Path::new(&state), run, text("session_id"), tool, block);
        refusal(&block.text())
    };
    let unread = |why: &str| Block::new(Why::Payload, first.flow()).of(why);
    if let Some(why) = &fault {
        return held(first, &unread(why));
    }
    if tool.is_empty() {
        return held(first, &unread("it names no tool"));
    }
    let input = match (payload.object("tool_input"), payload.text("tool_input")) {
        (Ok(Some(fields)), _) => Json::Object(fields.clone()),
        (_, Ok(Some(text))) => Json::from(text),
        (_, Ok(None)) => Json::Null,
        (_, Err(_)) if Asked::of_hook(tool, &Json::Null).is_other() => Json::Null,
        (_, Err(why)) => return held(first, &unread(&why)),
    };
    let now = world.facts().now_ms;
    for run in &runs {
        let ruling = rule(run, run.profile, Asked::of_hook(tool, &input), text("session_id"), now);
        if let Ruling::Outside(block) | Ruling::Doubt(block) = ruling {
            return held(run, &block);
        }
        if let Some(why) = conduct::held(&world, run, text("session_id"), text("cwd"), tool, &input) {
            conduct::tell_gate(Path::new(&state), run, text("session_id"), &why);
            return refusal(&why);
        }
    }
    Output::silent()
}

/// No run is active here. A worker that outlived its conductor still may not act.
fn alone(payload: &Payload) -> Output {
    let text = |key: &str| payload.text(key).ok().flatten().unwrap_or_default();
    if !conduct::is_worker() || !judged(text("hook_event_name")) {
        return Output::silent();
    }
    let input = payload.object("tool_input").ok().flatten().cloned().map_or(Json::Null, Json::Object);
    conduct::orphaned(text("tool_name"), &input).map_or_else(Output::silent, |why| refusal(&why))
}

/// Whether an event is about a call to come. A name that nobody knows may be a newer spelling of one.
fn judged(event: &str) -> bool {
    const OTHERS: &[&str] = &[
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PermissionRequest",
        "SessionStart",
        "SessionEnd",
        "SubagentStart",
        "SubagentStop",
        "UserPromptSubmit",
        "Stop",
        "Notification",
        "ConfigChange",
    ];
    !OTHERS.contains(&event)
}

fn named(args: &[OsString]) -> Result<(), String> {
    let words: Vec<&str> = args.iter().map(|word| word.to_str().unwrap_or("\u{fffd}")).collect();
    let name = match words.as_slice() {
        ["--agent", name] => name,
        [word] => word.strip_prefix("--agent=").unwrap_or(word),
        _ => "",
    };
    if AGENTS.contains(&name) {
        return Ok(());
    }
    Err(format!(
        "`leastgrant hook persona` takes `--agent` and one of {}; fail closed until a person mends the hook's command line",
        AGENTS.join(", ")
    ))
}

/// The form that holds a call on both agents, in all their measured versions.
fn refusal(reason: &str) -> Output {
    let value = serde_json::json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }});
    Output { stdout: format!("{value}\n"), stderr: String::new(), code: 0 }
}

/// The guard itself failed: closed while a run is there, silent otherwise.
fn fallen(env: &HookEnv, why: &str) -> Output {
    let starts = [env.folder("CLAUDE_PROJECT_DIR").unwrap_or_default().to_owned(), here()];
    let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
    let there = net::caught(|| scene::any(&Real::of(env, "/", Default::default()), &starts)).unwrap_or(true);
    if there {
        refusal(&format!("{PREFIX}{why}, while a run may be active — fail closed."))
    } else {
        Output::silent()
    }
}

fn here() -> String {
    std::env::current_dir().ok().and_then(|here| Some(here.to_str()?.to_owned())).unwrap_or_default()
}

/// The runs that bind a call of the main hook.
#[must_use]
pub fn binding(world: &Real, state: &str, started: Option<&str>, cwd: &str) -> Vec<Run> {
    let here = here();
    scene::runs(world, state, &[started.unwrap_or_default(), cwd, &here])
}

/// Whether nothing of an address may be written down for a session in this folder.
#[must_use]
pub fn masks(world: &Real, started: Option<&str>, cwd: &str) -> bool {
    scene::any(world, &[started.unwrap_or_default(), cwd, &here()])
}

/// Whether a run's files are amiss, for those who only look.
#[must_use]
pub fn is_closed(run: &Run) -> bool {
    matches!(run.state, State::Closed(_))
}
