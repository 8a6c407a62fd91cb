//! What a run says of a call, case by case: `compat` is the hook alone, as an existing conductor expects it; `strict` is the
//! whole judgement with the run in force; `armed` is the same after a person armed the run.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use leastgrant_core::call::{Attendance, Call, Edit, Mode, ShellCall, Tool};
use leastgrant_core::judge::{Bench, judge};
use leastgrant_core::persona::armed::{Armed, Arming, FORMAT, digest};
use leastgrant_core::persona::guard::{Asked, Profile, Ruling, rule};
use leastgrant_core::persona::lease::Gate;
use leastgrant_core::persona::run::{FOLDER, Run, active_path};
use leastgrant_core::persona::why::PREFIX;
use leastgrant_core::persona::{json, servers};
use leastgrant_core::policy::{Policy, Session, Standing};
use leastgrant_core::reason::Weight;
use leastgrant_core::verdict::{Decision, Verdict};
use leastgrant_core::world::FakeWorld;
use leastgrant_shell::Dialect;
use serde::Deserialize;
use serde_json::Value as Json;

const ROOT: &str = "/home/u/project";
const ACTIVE: &str = r#"{"active":true,"flow":"flows/checkout.md"}"#;
const FLOW: &str = "# Flow — checkout\n\n## Domain allowlist (hosts)\n- shop.stage.test\n- id.stage.test\n";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    about: String,
    tool: String,
    input: String,
    active: Option<String>,
    flow: Option<String>,
    name: Option<String>,
    armed: Option<String>,
    compat: Option<String>,
    strict: String,
}

fn world(case: &Case) -> FakeWorld {
    let folder = format!("{ROOT}/{FOLDER}");
    let active = active_path(ROOT);
    let mut world = FakeWorld::project().dir(&folder).dir(&format!("{folder}/flows")).file("/etc/x.md", FLOW);
    world = match case.active.as_deref().unwrap_or(ACTIVE) {
        "missing" => world,
        "folder" => world.dir(&active),
        "dangling" => world.link(&active, "nowhere"),
        "locked" => world.locked(&active),
        text => world.file(&active, text),
    };
    match case.flow.as_deref().unwrap_or(FLOW) {
        "missing" => world,
        text => world.file(&format!("{folder}/flows/checkout.md"), text),
    }
}

fn arming(case: &Case) -> Arming {
    let flow = case.flow.as_deref().unwrap_or(FLOW);
    let changed = case.armed.as_deref() == Some("changed");
    Arming::Ours(Armed {
        v: FORMAT,
        root: ROOT.to_owned(),
        flow: format!("{ROOT}/{FOLDER}/flows/checkout.md"),
        flow_sha256: digest(if changed { b"what it was before" } else { flow.as_bytes() }),
        active_sha256: digest(case.active.as_deref().unwrap_or(ACTIVE).as_bytes()),
        at_ms: 1,
        owner: String::from("person"),
    })
}

fn call(case: &Case, input: &Json) -> Call {
    let text = |key: &str| input.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let tool = match case.tool.as_str() {
        "Bash" => Tool::Shell(ShellCall {
            command: text("command"),
            dialect: Dialect::Bash,
            workdir: None,
            unsandboxed: false,
        }),
        "Edit" => Tool::Edit {
            path: text("file_path"),
            edits: vec![Edit { old: text("old_string"), new: text("new_string"), all: false }],
        },
        "WebFetch" => Tool::Fetch { url: text("url") },
        "WebSearch" => Tool::WebSearch { query: text("query") },
        name => match servers::split(name) {
            Some((server, tool)) => {
                Tool::Mcp { server: server.to_owned(), tool: tool.to_owned(), input: input.clone() }
            }
            None => Tool::Unknown { input: input.clone() },
        },
    };
    Call {
        agent: "claude-code",
        agent_version: None,
        session: String::from("s"),
        call_id: None,
        subagent: None,
        mode: Mode::Default,
        attendance: Attendance::Attended,
        cwd: ROOT.to_owned(),
        tool_name: case.tool.clone(),
        tool,
    }
}

fn hook(case: &Case, run: Option<&Run>) -> String {
    let Some(run) = run else { return String::from("pass") };
    assert_eq!(run.profile, Profile::Compat);
    let input = json::read(&case.input);
    let asked = input.as_ref().map_or(Asked::Unreadable, |input| Asked::of_hook(&case.tool, input));
    match rule(run, Profile::Compat, asked, "s", 0) {
        Ruling::Free | Ruling::Inside { granted: false } => String::from("pass"),
        Ruling::Inside { granted: true } => String::from("granted"),
        Ruling::Doubt(_) => panic!("{}: the hook alone never asks", case.id),
        Ruling::Outside(block) => {
            assert!(block.text().starts_with(PREFIX), "{}", block.text());
            if let Some(name) = &case.name {
                assert_eq!(&block.flow, name);
            }
            format!("{} {}", block.why.id(), block.host).trim().to_owned()
        }
    }
}

/// The whole judgement, told in the words of the cases.
fn whole(case: &Case, world: &FakeWorld, run: Option<Run>) -> String {
    let runs: Vec<Run> = run.into_iter().collect();
    let Ok(input) = json::read(&case.input) else {
        // the adapter would say so; the call cannot be read in one way only
        let policy = Policy { persona: runs, ..Policy::default() };
        let mut call = call(case, &Json::Null);
        call.tool = Tool::Unreadable { why: String::from("a key stands there twice") };
        return told(&verdict(&call, policy, world), &Asked::Unreadable, case, world);
    };
    let policy = Policy { persona: runs, ..Policy::default() };
    let call = call(case, &input);
    let verdict = verdict(&call, policy, world);
    told(&verdict, &Asked::of_call(&call, &verdict.actions), case, world)
}

fn verdict(call: &Call, policy: Policy, world: &FakeWorld) -> Verdict {
    judge(call, &Bench { policy: &policy, standing: &Standing::default(), session: &Session::default(), world })
}

fn told(verdict: &Verdict, asked: &Asked<'_>, case: &Case, world: &FakeWorld) -> String {
    let floor =
        verdict.reasons.iter().find(|reason| reason.weight == Weight::Blocks && reason.id.starts_with("guard."));
    let bound = verdict.reasons.iter().find(|reason| reason.id == "persona.bound");
    match (verdict.decision, floor, bound) {
        (Decision::Deny, Some(floor), _) => return floor.id.to_owned(),
        (_, _, None) if verdict.reasons.iter().any(|reason| reason.id == "persona.granted") => {
            assert_eq!(verdict.decision, Decision::Allow);
            return String::from("granted");
        }
        (Decision::Deny, None, None) => panic!("{}: {:?}", case.id, verdict.reasons),
        (_, _, None) => return String::from("pass"),
        _ => {}
    }
    // the reason's name and host are not in a verdict: asked again
    let run = Run::at(world, ROOT, &if case.armed.is_some() { arming(case) } else { Arming::Foreign }, Gate::Open);
    let (word, block) = match rule(&run.expect("a run"), Profile::Strict, *asked, "s", 0) {
        Ruling::Outside(block) => ("", block),
        Ruling::Doubt(block) => ("ask ", block),
        other => panic!("{}: {other:?}", case.id),
    };
    let expected = if word.is_empty() { Decision::Deny } else { Decision::Ask };
    assert_eq!(verdict.decision, expected, "{}", case.id);
    format!("{word}{} {}", block.why.id(), block.host).trim().to_owned()
}

#[test]
fn every_case() {
    let mut faults = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/persona")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let file: File = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for case in &file.case {
            count += 1;
            let world = world(case);
            let mut wants = |what: &str, is: String, expected: &str| {
                if is != expected {
                    faults.push(format!("{} ({}) {what}: {is}, not {expected}", case.id, case.about));
                }
            };
            let foreign = || Run::at(&world, ROOT, &Arming::Foreign, Gate::Open);
            if let Some(expected) = &case.compat {
                wants("compat", hook(case, foreign().as_ref()), expected);
            }
            match case.armed.as_deref() {
                Some("changed") => {
                    let run = Run::at(&world, ROOT, &arming(case), Gate::Open);
                    wants("armed", whole(case, &world, run), &case.strict);
                }
                Some(expected) => {
                    let run = Run::at(&world, ROOT, &arming(case), Gate::Open);
                    wants("armed", whole(case, &world, run), expected);
                }
                None => {}
            }
            if case.armed.is_none() {
                wants("strict", whole(case, &world, foreign()), &case.strict);
            }
        }
    }
    assert!(count > 150, "only {count} cases");
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
}
