//! Calls that real agents made, judged with the ticked bundles in a made-up world: the folder of the call is the project,
//! nothing is known of what stands in it. How many of the routine ones pass, and whether any other does.

use std::collections::BTreeMap;
use std::path::Path;

use leastgrant::agent::{self, Decoded, HookEnv};
use leastgrant_core::bundle::BUNDLES;
use leastgrant_core::call::{Attendance, Call, ChangeKind, Edit, FileChange, Mode, SearchCall, ShellCall, Tool};
use leastgrant_core::judge::{Bench, judge};
use leastgrant_core::policy::{Policy, Session, Standing};
use leastgrant_core::verdict::{AskKind, Decision, Verdict};
use leastgrant_core::world::FakeWorld;
use leastgrant_shell::Dialect;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// the project of calls that were recorded without a folder
const ELSEWHERE: &str = "/home/person/project";

#[derive(Deserialize)]
struct Row {
    id: String,
    agent: String,
    tool: String,
    input: Map<String, Value>,
    cwd: Option<String>,
    label: Option<String>,
}

#[derive(Default)]
struct Tally {
    allow: usize,
    ask: BTreeMap<&'static str, usize>,
    deny: usize,
}

pub(crate) fn score(root: &Path) -> crate::Outcome {
    let policy = Policy {
        bundles: BUNDLES.iter().filter(|bundle| bundle.ticked).map(|bundle| bundle.id.to_owned()).collect(),
        ..Policy::default()
    };
    let mut labels: BTreeMap<String, Tally> = BTreeMap::new();
    let mut held = Vec::new();
    let mut slipped = Vec::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for line in crate::read(&root.join("cases/agent-calls.jsonl"))?.lines() {
        let row: Row = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let call = call(&row);
        let world = world(row.cwd.as_deref().unwrap_or(ELSEWHERE));
        let (standing, session) = (Standing::default(), Session::default());
        let bench = Bench { policy: &policy, standing: &standing, session: &session, world: &world };
        let verdict = judge(&call, &bench);
        let label = row.label.clone().unwrap_or_else(|| String::from("(none)"));
        count(labels.entry(label.clone()).or_default(), &verdict);
        let told = format!("{} {}: {}", row.id, short(&leastgrant::store::event::display(&call)), why(&verdict));
        match (label.as_str(), verdict.decision) {
            ("routine", Decision::Ask | Decision::Deny) => held.push(told),
            ("sensitive" | "opaque", Decision::Allow) => slipped.push(told),
            (_, Decision::Ask) => *reasons.entry(why(&verdict)).or_default() += 1,
            _ => {}
        }
    }
    print(&labels);
    println!("routine calls that are still asked about: {}", held.len());
    held.iter().for_each(|line| println!("  {line}"));
    let mut often: Vec<(&String, &usize)> = reasons.iter().collect();
    often.sort_by_key(|row| std::cmp::Reverse(row.1));
    println!("why the calls without a label are asked about:");
    often.iter().take(40).for_each(|(why, times)| println!("  {times:>4} {why}"));
    println!("sensitive or opaque calls that are allowed: {}", slipped.len());
    slipped.iter().for_each(|line| println!("  {line}"));
    Ok(slipped.is_empty())
}

fn count(tally: &mut Tally, verdict: &Verdict) {
    match verdict.decision {
        Decision::Allow => tally.allow += 1,
        Decision::Ask => *tally.ask.entry(verdict.kind.map_or("?", AskKind::id)).or_default() += 1,
        Decision::Deny => tally.deny += 1,
    }
}

fn print(labels: &BTreeMap<String, Tally>) {
    println!("label        calls  allowed            unfamiliar  heavy  unreadable  floor  denied");
    for (label, tally) in labels {
        let asked: usize = tally.ask.values().sum();
        let all = tally.allow + asked + tally.deny;
        let kind = |id: &str| tally.ask.get(id).copied().unwrap_or_default();
        println!(
            "{label:<12} {all:>5} {:>8} ({:>5.1} %) {:>12} {:>6} {:>11} {:>6} {:>7}",
            tally.allow,
            100.0 * tally.allow as f64 / all.max(1) as f64,
            kind("unfamiliar"),
            kind("heavy"),
            kind("unreadable"),
            kind("floor"),
            tally.deny
        );
    }
}

fn why(verdict: &Verdict) -> String {
    let first = verdict.reasons.first();
    short(&first.map(|reason| format!("{} {}", reason.id, reason.text)).unwrap_or_default())
}

fn short(text: &str) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(130).collect();
    if text.chars().count() > 130 { format!("{flat}…") } else { flat }
}

/// The home is read off the folder: `/Users/dev1/…`, `/home/dev2/…`, `/root/…`.
fn world(cwd: &str) -> FakeWorld {
    let parts: Vec<&str> = cwd.split('/').collect();
    let home = match parts.as_slice() {
        ["", base @ ("Users" | "home"), name, ..] => format!("/{base}/{name}"),
        ["", "root", ..] => String::from("/root"),
        _ => String::from("/home/person"),
    };
    FakeWorld::new(cwd).home(&home)
}

fn call(row: &Row) -> Call {
    let cwd = row.cwd.as_deref().unwrap_or(ELSEWHERE);
    let payload = json!({
        "session_id": "recorded", "cwd": cwd, "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": row.tool, "tool_input": row.input,
    });
    let adapter = agent::named(&[row.agent.clone().into()]).ok();
    let env = HookEnv::from_lookup(|name| (name == "SHELL").then(|| String::from("/bin/bash")));
    if let Some(Decoded::Pre(call)) = adapter.map(|agent| agent.decode(payload.to_string().as_bytes(), &env)) {
        return Call { attendance: Attendance::Attended, ..*call };
    }
    Call {
        agent: "claude-code",
        agent_version: None,
        session: String::from("recorded"),
        call_id: None,
        subagent: None,
        mode: Mode::Default,
        attendance: Attendance::Attended,
        cwd: cwd.to_owned(),
        tool_name: row.tool.clone(),
        tool: foreign(&row.tool, &row.input),
    }
}

/// The tools of agents that have no adapter yet, by their names.
fn foreign(name: &str, input: &Map<String, Value>) -> Tool {
    let text = |keys: &[&str]| keys.iter().find_map(|key| input.get(*key)?.as_str().map(str::to_owned));
    let path = || text(&["filePath", "file_path", "path", "absolute_path"]);
    let unread = || Tool::Unreadable { why: String::from("its input is not as expected") };
    match name {
        "exec_command" | "shell" | "bash" | "run_shell_command" => {
            let Some(command) = text(&["cmd", "command"]) else { return unread() };
            Tool::Shell(ShellCall {
                command,
                dialect: Dialect::Bash,
                workdir: text(&["workdir", "directory"]),
                unsandboxed: false,
            })
        }
        "read" | "view" | "read_file" | "view_image" => path().map_or_else(unread, |path| Tool::Read { path }),
        "write" | "write_file" | "create" => {
            path().map_or_else(unread, |path| Tool::Write { path, content: text(&["content", "file_text"]) })
        }
        "edit" | "replace" => path().map_or_else(unread, |path| {
            let part = |keys: &[&str]| text(keys).unwrap_or_default();
            let edit = Edit {
                old: part(&["oldString", "old_string", "old_str"]),
                new: part(&["newString", "new_string", "new_str"]),
                all: false,
            };
            Tool::Edit { path, edits: vec![edit] }
        }),
        "apply_patch" => Tool::Patch(patch(&text(&["patch", "input", "patchText"]).unwrap_or_default())),
        "glob" | "grep" | "list" | "codesearch" => Tool::Search(SearchCall {
            root: text(&["path"]),
            pattern: text(&["pattern", "query"]).unwrap_or_default(),
            glob: text(&["include"]),
            content: name != "glob" && name != "list",
        }),
        "webfetch" | "web_fetch" => text(&["url"]).map_or_else(unread, |url| Tool::Fetch { url }),
        "websearch" | "google_web_search" => Tool::WebSearch { query: text(&["query"]).unwrap_or_default() },
        "task" => Tool::Spawn { input: Value::Object(input.clone()) },
        "ask_question" | "ask_user" | "todowrite" | "todoread" | "update_plan" => Tool::Meta,
        _ => Tool::Unknown { input: Value::Object(input.clone()) },
    }
}

fn patch(text: &str) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    for line in text.lines() {
        let heads = [
            ("*** Add File: ", ChangeKind::Add),
            ("*** Update File: ", ChangeKind::Update),
            ("*** Delete File: ", ChangeKind::Delete),
        ];
        if let Some((path, kind)) = heads.into_iter().find_map(|(head, kind)| Some((line.strip_prefix(head)?, kind))) {
            files.push(FileChange { path: path.to_owned(), kind, added: String::new() });
        } else if let (Some(to), Some(file)) = (line.strip_prefix("*** Move to: "), files.last_mut()) {
            file.kind = ChangeKind::Move { to: to.to_owned() };
        } else if let (Some(added), Some(file)) = (line.strip_prefix('+'), files.last_mut()) {
            file.added.push_str(added);
            file.added.push('\n');
        }
    }
    files
}
