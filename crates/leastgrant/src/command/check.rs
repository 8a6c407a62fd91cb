//! `leastgrant check`: the verdict of one call, with everything that led to it, as the hook would give it. Nothing runs
//! and nothing is written down.

use std::io::Read as _;
use std::path::PathBuf;

use leastgrant_core::call::Attendance;
use leastgrant_core::verdict::Decision;
use serde_json::{Value, json};

use crate::agent::{self, Agent, HookEnv, MadeUp};
use crate::exit::Exit;
use crate::judged::{Given, Judged, Unjudged, judge};
use crate::render::verdict::{self as block, Subject};
use crate::render::{Ui, report};
use crate::store::event::display;

/// Longest payload that is read from a file.
const MAX_PAYLOAD: u64 = 16 * 1024 * 1024;

/// Arguments of `check`.
#[derive(clap::Args)]
pub struct Args {
    /// the command to judge
    #[arg(required_unless_present_any = ["tool", "payload"], conflicts_with_all = ["tool", "payload"])]
    command: Option<String>,
    /// a tool instead of a command, as the agent spells it
    #[arg(long, value_name = "NAME", requires = "input", conflicts_with = "payload")]
    tool: Option<String>,
    /// the tool's input, a JSON object
    #[arg(long, value_name = "JSON", requires = "tool")]
    input: Option<String>,
    /// a recorded message of the agent, from a file or from standard input (`-`)
    #[arg(long, value_name = "FILE")]
    payload: Option<PathBuf>,
    /// the agent whose call it would be
    #[arg(long, default_value = "claude-code")]
    agent: String,
    /// the agent's permission mode, as it spells it
    #[arg(long, value_name = "MODE", default_value = "default", conflicts_with = "payload")]
    mode: String,
    /// the folder the agent would be in
    #[arg(long, value_name = "DIR", conflicts_with = "payload")]
    cwd: Option<PathBuf>,
    /// nobody is there to answer
    #[arg(long)]
    unattended: bool,
    /// the answer and what decided it, no more
    #[arg(long)]
    brief: bool,
    /// end with 0 for allow, 10 for ask, 11 for deny
    #[arg(long)]
    exit_code: bool,
}

/// Judges and shows.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let (agent, payload) = match request(args) {
        Ok(request) => request,
        Err(why) => {
            ui.error(&why);
            return Exit::Usage;
        }
    };
    let present = match (args.unattended, args.payload.is_some()) {
        (true, _) => Some(Attendance::Unattended),
        (false, true) => None,
        (false, false) => Some(Attendance::Attended),
    };
    match judge(agent, &payload, &HookEnv::of_process(), &Given { present, policy: None }) {
        Ok(judged) => {
            show(&judged, args.brief, ui);
            if args.exit_code { code(judged.verdict.decision) } else { Exit::Ok }
        }
        Err(Unjudged::NoCall) => {
            ui.error("this message is no call, so the hook would say nothing");
            Exit::Usage
        }
        Err(Unjudged::Refused(why)) => {
            ui.error(&format!("the message cannot be read, so the hook would refuse: {why}"));
            if args.exit_code { Exit::Deny } else { Exit::Bad }
        }
    }
}

fn code(decision: Decision) -> Exit {
    match decision {
        Decision::Allow => Exit::Ok,
        Decision::Ask => Exit::Ask,
        Decision::Deny => Exit::Deny,
    }
}

/// The verdict block, or all of it as JSON.
fn show(judged: &Judged, brief: bool, ui: &mut Ui) {
    for problem in &judged.problems {
        ui.warn(problem);
    }
    if ui.json {
        ui.json(&report::verdict(judged));
        return;
    }
    let title = display(&judged.call);
    let subject = Subject::of(&judged.call, &title);
    let text = if brief {
        block::head(&judged.verdict, subject, ui.width())
    } else {
        block::block(&judged.verdict, subject, Some(&report::sent(judged)), ui.width())
    };
    ui.line(text);
}

/// The agent, and the message that it would send.
fn request(args: &Args) -> Result<(&'static dyn Agent, Vec<u8>), String> {
    let agent = agent::named(&[args.agent.clone().into()])?;
    if let Some(file) = &args.payload {
        return Ok((agent, recorded(file)?));
    }
    let (tool, input) = match (&args.command, &args.tool, &args.input) {
        (Some(command), ..) => (agent.shell(), json!({ "command": command })),
        (None, Some(tool), Some(input)) => {
            let input: Value =
                serde_json::from_str(input).map_err(|error| format!("`--input` is not JSON: {error}"))?;
            if !input.is_object() {
                return Err(String::from("`--input` is not a JSON object"));
            }
            (tool.as_str(), input)
        }
        _ => return Err(String::from("nothing to check: give a command, `--tool` with `--input`, or `--payload`")),
    };
    let cwd = folder(args.cwd.as_ref())?;
    let made = MadeUp { session: "check", cwd: &cwd, mode: &args.mode, tool, input };
    let payload = agent.compose(&made);
    Ok((agent, payload.to_string().into_bytes()))
}

fn folder(named: Option<&PathBuf>) -> Result<String, String> {
    let folder = match named {
        Some(named) => std::path::absolute(named).map_err(|error| format!("`{}`: {error}", named.display()))?,
        None => std::env::current_dir().map_err(|error| format!("the current folder cannot be found: {error}"))?,
    };
    if !folder.is_dir() {
        return Err(format!("`{}` is no folder", folder.display()));
    }
    folder.to_str().map(str::to_owned).ok_or_else(|| format!("`{}` is not UTF-8", folder.display()))
}

fn recorded(file: &PathBuf) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().take(MAX_PAYLOAD).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MAX_PAYLOAD).read_to_end(&mut bytes))
    };
    read.map(|_| bytes).map_err(|error| format!("cannot read `{}`: {error}", file.display()))
}
