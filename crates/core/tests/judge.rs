//! Cases of judging (`cases/judge/*.toml`): a tool call, what the person decided, and the verdict.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a case file that cannot be read is a failed test")]

use std::collections::BTreeMap;

use leastgrant_core::bundle;
use leastgrant_core::call::{Attendance, Call, ChangeKind, Edit, FileChange, Mode, SearchCall, ShellCall, Tool};
use leastgrant_core::judge::{Bench, judge};
use leastgrant_core::policy::{Policy, Posture, Session, Standing};
use leastgrant_core::rule::{Effect, Layer, Rule};
use leastgrant_core::signature;
use leastgrant_core::world::FakeWorld;
use leastgrant_shell::Dialect;
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    call: Input,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    given: Given,
    verdict: Expected,
}

/// One of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum Input {
    Shell(String),
    Unsandboxed(String),
    Read(String),
    Write(String),
    /// path, content
    WriteText(String, String),
    /// path, old, new
    Edit(String, String, String),
    Delete(String),
    /// `+new`, `changed`, `-gone`, `old => new`
    Patch(Vec<String>),
    /// root, pattern
    Names(String, String),
    /// root, file name glob
    Content(String, String),
    Fetch(String),
    WebSearch(String),
    /// name of the tool, arguments as JSON
    Mcp(String, String),
    Spawn(String),
    Skill(String),
    Meta,
    Unknown(String),
    Unreadable(String),
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Given {
    /// `ticked` or ids
    #[serde(default)]
    bundles: Vec<String>,
    #[serde(default)]
    posture: Option<String>,
    /// `effect pattern`
    #[serde(default)]
    rules: Vec<String>,
    #[serde(default)]
    layer: Option<String>,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    expired: bool,
    #[serde(default)]
    problems: Vec<String>,
    #[serde(default)]
    read_secrets: Vec<String>,
    #[serde(default)]
    session_unreadable: bool,
    /// its own signature was approved often, or refused
    #[serde(default)]
    familiar: bool,
    #[serde(default)]
    denied: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// `allow`, `deny`, or the kind of ask
    is: String,
    #[serde(default)]
    floors: Vec<String>,
    /// ids that must be among the reasons
    #[serde(default)]
    because: Vec<String>,
    /// capability of the strictest action
    #[serde(default)]
    does: Option<String>,
    #[serde(default)]
    tier: Option<u8>,
    /// what rules see of the whole signature
    #[serde(default)]
    signature: Option<String>,
    #[serde(default)]
    contained: Option<bool>,
    /// part of what would change the answer
    #[serde(default)]
    remedy: Option<String>,
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

fn tool(input: Input) -> (Tool, &'static str) {
    let shell =
        |command, unsandboxed| Tool::Shell(ShellCall { command, dialect: Dialect::Bash, workdir: None, unsandboxed });
    match input {
        Input::Shell(command) => (shell(command, false), "Bash"),
        Input::Unsandboxed(command) => (shell(command, true), "Bash"),
        Input::Read(path) => (Tool::Read { path }, "Read"),
        Input::Write(path) => (Tool::Write { path, content: None }, "Write"),
        Input::WriteText(path, content) => (Tool::Write { path, content: Some(content) }, "Write"),
        Input::Edit(path, old, new) => (Tool::Edit { path, edits: vec![Edit { old, new, all: false }] }, "Edit"),
        Input::Delete(path) => (Tool::Delete { path }, "Delete"),
        Input::Patch(files) => (Tool::Patch(files.iter().map(|file| change(file)).collect()), "apply_patch"),
        Input::Names(root, pattern) => (search(root, pattern, None, false), "Glob"),
        Input::Content(root, glob) => (search(root, String::from("x"), Some(glob), true), "Grep"),
        Input::Fetch(url) => (Tool::Fetch { url }, "WebFetch"),
        Input::WebSearch(query) => (Tool::WebSearch { query }, "WebSearch"),
        Input::Mcp(tool, input) => (Tool::Mcp { server: String::from("srv"), tool, input: json(&input) }, "mcp__srv"),
        Input::Spawn(input) => (Tool::Spawn { input: json(&input) }, "Agent"),
        Input::Skill(name) => (Tool::Skill { name }, "Skill"),
        Input::Meta => (Tool::Meta, "TodoWrite"),
        Input::Unknown(input) => (Tool::Unknown { input: json(&input) }, "Novelty"),
        Input::Unreadable(why) => (Tool::Unreadable { why }, "Bash"),
    }
}

fn search(root: String, pattern: String, glob: Option<String>, content: bool) -> Tool {
    let root = (!root.is_empty()).then_some(root);
    Tool::Search(SearchCall { root, pattern, glob: glob.filter(|glob| !glob.is_empty()), content })
}

fn change(file: &str) -> FileChange {
    let (path, kind) = match (file.split_once(" => "), file.strip_prefix('+'), file.strip_prefix('-')) {
        (Some((from, to)), _, _) => (from, ChangeKind::Move { to: to.to_owned() }),
        (_, Some(path), _) => (path, ChangeKind::Add),
        (_, _, Some(path)) => (path, ChangeKind::Delete),
        _ => (file, ChangeKind::Update),
    };
    FileChange { path: path.to_owned(), kind, added: String::new() }
}

fn world() -> FakeWorld {
    FakeWorld::new("/home/u/project")
        .file("/home/u/project/src/a.rs", "fn a() {}")
        .file("/home/u/project/src/tracked.rs", "fn b() {}")
        .tracked("/home/u/project/src/tracked.rs")
        .file("/home/u/project/src/made.rs", "fn c() {}")
        .made("/home/u/project/src/made.rs")
        .file(
            "/home/u/project/package.json",
            "{\n  \"name\": \"p\",\n  \"scripts\": {\"test\": \"x\"},\n  \"version\": \"1\"\n}\n",
        )
        .file("/home/u/project/.claude/settings.json", "{\n  \"statusLine\": {}\n}\n")
        .file("/home/u/other/notes.md", "hello")
        .dir("/home/u/project/.git")
        .link("/home/u/project/out", "/home/u/other")
}

fn policy(given: &Given) -> Policy {
    let layer = match given.layer.as_deref() {
        None | Some("user") => Layer::User,
        Some("machine") => Layer::Machine,
        Some("project") => Layer::Project,
        Some("session") => Layer::Session,
        Some(other) => panic!("no layer `{other}`"),
    };
    let rules = given
        .rules
        .iter()
        .map(|rule| {
            let (effect, pattern) = rule.split_once(' ').unwrap();
            Rule {
                when: leastgrant_core::rule::When::default(),
                effect: Effect::from_id(effect).unwrap(),
                pattern: pattern.to_owned(),
                layer,
                project: given.project.clone(),
                note: None,
                until_ms: given.expired.then_some(1),
            }
        })
        .collect();
    let mut bundles = Vec::new();
    for id in &given.bundles {
        match id.as_str() {
            "ticked" => bundles.extend(bundle::ticked().map(str::to_owned)),
            id => bundles.push(bundle::Bundle::from_id(id).unwrap().id.to_owned()),
        }
    }
    Policy {
        posture: given.posture.as_deref().map_or(Posture::Assist, |id| Posture::from_id(id).unwrap()),
        rules,
        bundles,
        problems: given.problems.clone(),
        ..Policy::default()
    }
}

fn run(case: Case) -> Vec<String> {
    let world = world();
    let policy = policy(&case.given);
    let (tool, name) = tool(case.call);
    let tool_name = match (&case.tool, &tool) {
        (Some(name), _) => name.clone(),
        (None, Tool::Mcp { tool, .. }) => format!("{name}__{tool}"),
        (None, _) => name.to_owned(),
    };
    let call = Call {
        agent: "claude-code",
        agent_version: None,
        session: String::from("s"),
        call_id: None,
        subagent: None,
        mode: Mode::Default,
        attendance: Attendance::Attended,
        cwd: String::from("/home/u/project"),
        tool_name,
        tool,
    };
    let session = Session { read_secrets: case.given.read_secrets.clone(), unreadable: case.given.session_unreadable };
    let own: Vec<String> =
        leastgrant_core::classify::classify(&call, &world).into_iter().map(|action| action.signature).collect();
    let standing = Standing {
        familiar: if case.given.familiar { own.clone() } else { Vec::new() },
        denied: if case.given.denied { own } else { Vec::new() },
        ..Standing::default()
    };
    let bench = Bench { policy: &policy, standing: &standing, session: &session, world: &world };
    let verdict = judge(&call, &bench);

    let mut faults = Vec::new();
    let mut wants = |what: &str, is: String, expected: String| {
        if is != expected {
            faults.push(format!("{what}: {is}, not {expected}"));
        }
    };
    let is = verdict.kind.map_or(verdict.decision.id(), |kind| kind.id());
    wants("verdict", is.to_owned(), case.verdict.is.clone());
    wants("floors", verdict.floors.join(" "), case.verdict.floors.join(" "));
    let worst = verdict.actions.iter().max_by_key(|action| action.blast.tier());
    if let Some(does) = &case.verdict.does {
        wants("does", worst.unwrap().capability.id().to_owned(), does.clone());
    }
    if let Some(tier) = case.verdict.tier {
        wants("tier", worst.unwrap().blast.tier().to_string(), tier.to_string());
    }
    if let Some(expected) = &case.verdict.signature {
        let bodies: Vec<&str> = verdict.actions.iter().map(|action| signature::body(&action.signature)).collect();
        wants("signature", bodies.join(" ; "), expected.clone());
    }
    if let Some(contained) = case.verdict.contained {
        wants("contained", verdict.contained.to_string(), contained.to_string());
    }
    for id in &case.verdict.because {
        if !verdict.reasons.iter().any(|reason| reason.id == id) {
            let ids: Vec<&str> = verdict.reasons.iter().map(|reason| reason.id).collect();
            faults.push(format!("reasons: {}, without {id}", ids.join(" ")));
        }
    }
    if let Some(part) = &case.verdict.remedy
        && !verdict.remedy.as_deref().unwrap_or_default().contains(part.as_str())
    {
        faults.push(format!("remedy: {:?}, without {part}", verdict.remedy));
    }
    faults.into_iter().map(|fault| format!("{}: {fault}", case.name)).collect()
}

#[test]
fn every_case() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/judge");
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        files.insert(path.clone(), std::fs::read_to_string(&path).unwrap());
    }
    let mut faults = Vec::new();
    let mut count = 0;
    for (path, text) in files {
        let file: File = toml::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        for case in file.case {
            count += 1;
            faults.extend(run(case));
        }
    }
    assert!(count > 80, "only {count} cases were found");
    assert!(faults.is_empty(), "{} faults in {count} cases:\n{}", faults.len(), faults.join("\n"));
}
