//! Cases from the field: each is set up in a throwaway home, judged as the hook would, and compared with what is
//! acceptable. Used by the score and, included by path, by the test that holds the must-hold cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use leastgrant::agent::{self, Agent, HookEnv, MadeUp};
use leastgrant::judged::{Given, Judged, Unjudged, judge};
use leastgrant::persona::arm::{PERSON, Yard};
use leastgrant::store::Store;
use leastgrant::store::event::{Event, learnable};
use leastgrant::world::Real;
use leastgrant_core::bundle::BUNDLES;
use leastgrant_core::call::{Attendance, Mode};
use leastgrant_core::channel::{Allow, Answer};
use leastgrant_core::policy::Policy;
use leastgrant_core::rule::{Effect, Layer, Rule};
use leastgrant_core::verdict::Decision;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Kinds that the judge alone decides.
pub(crate) const KINDS: &[&str] = &["browsing", "bypass", "control-file", "false-positive", "hooks", "incident"];

/// One case.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) kind: String,
    agent: String,
    payload: Option<Value>,
    raw: Option<String>,
    #[serde(default)]
    given: Map<String, Value>,
    expect: Value,
    prefer: Option<String>,
    same_as: Option<Value>,
    expand: Option<Map<String, Value>>,
    platform: Option<String>,
    why: String,
}

/// What came of a case.
pub(crate) enum Came {
    /// it needs an agent, a kind of test or a system that is not here
    Skipped,
    /// it was judged
    Judged(Outcome),
}

/// How a case was answered.
pub(crate) struct Outcome {
    /// `allow`, `ask`, `deny` or `silent`
    pub(crate) answer: &'static str,
    /// the answer is acceptable
    pub(crate) met: bool,
    /// something ran, or would run unasked, that must not
    pub(crate) slipped: bool,
    /// the answer is the one that people want, where the case says which
    pub(crate) preferred: Option<bool>,
    /// the first reason
    reason: String,
    /// what the case is about
    why: String,
    /// the call, in short
    call: String,
    expect: Vec<String>,
}

impl Outcome {
    /// What was answered, what was wanted, and why.
    pub(crate) fn line(&self) -> String {
        let wanted = self.expect.join(" or ");
        format!(
            "{} (wanted {wanted}): {}\n      case: {}\n      told: {}",
            self.answer, self.call, self.why, self.reason
        )
    }
}

/// Reads a case file.
pub(crate) fn cases(path: &Path) -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), number + 1))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
}

/// Sets a case up and judges it.
pub(crate) fn run(case: &Case) -> Result<Came, String> {
    let Ok(agent) = agent::named(&[record(&case.agent).into()]) else { return Ok(Came::Skipped) };
    if !KINDS.contains(&case.kind.as_str()) {
        return Ok(Came::Skipped);
    }
    if case.platform.as_deref().is_some_and(|platform| platform != std::env::consts::OS) {
        return Ok(Came::Skipped);
    }
    let scene = Scene::of(case)?;
    let message = scene.message(case)?;
    let judged = judge(agent, message.as_bytes(), &scene.env(), &scene.given(case));
    let mut outcome = outcome(case, &judged);
    if let (Some(other), Some(payload)) = (&case.same_as, &case.payload) {
        let mut payload = payload.clone();
        if let Some(input) = payload.get_mut("tool_input") {
            *input = other.clone();
        }
        let twin = judge(agent, scene.fill(&payload.to_string()).as_bytes(), &scene.env(), &scene.given(case));
        outcome.met &= answer(&twin) == outcome.answer;
    }
    // the same approvals as evidence instead of rules: they must not buy more
    if scene.train(case, agent)? {
        let given = Given { policy: Some(ticked()), ..scene.given(case) };
        let learned = judge(agent, message.as_bytes(), &scene.env(), &given);
        if answer(&learned) == "allow" && !outcome.expect.iter().any(|word| word == "allow") {
            outcome.met = false;
            outcome.slipped = true;
        }
    }
    Ok(Came::Judged(outcome))
}

/// The ticked bundles and nothing else.
fn ticked() -> Policy {
    Policy {
        bundles: BUNDLES.iter().filter(|bundle| bundle.ticked).map(|bundle| bundle.id.to_owned()).collect(),
        ..Policy::default()
    }
}

/// The record that a case's agent belongs to: the cases tell the forms of Copilot's messages apart.
fn record(agent: &str) -> &str {
    if agent == "copilot-cli" { "copilot" } else { agent }
}

fn outcome(case: &Case, judged: &Result<Judged, Unjudged>) -> Outcome {
    let expect: Vec<String> = match &case.expect {
        Value::Array(list) => list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect(),
        other => other.as_str().map(str::to_owned).into_iter().collect(),
    };
    let wants = |word: &str| expect.iter().any(|e| e == word);
    let answer = answer(judged);
    // silence leaves it to the agent: where that prompts by itself it is an ask, where it does not the call runs
    let prompts = judged
        .as_ref()
        .is_ok_and(|j| matches!(j.call.mode, Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::Unsaid));
    let ask_refused = judged.as_ref().is_ok_and(|j| j.verdict.decision == Decision::Ask);
    let met = match answer {
        "silent" if prompts => wants("ask"),
        "silent" => wants("allow"),
        "deny" => wants("deny") || (ask_refused && wants("ask")),
        word => wants(word),
    };
    let runs = answer == "allow" || (answer == "silent" && !prompts);
    let (reason, call) = match judged {
        Ok(j) => (
            j.verdict.reasons.first().map(|r| format!("{} {}", r.id, r.text)).unwrap_or_default(),
            leastgrant::store::event::display(&j.call),
        ),
        Err(Unjudged::Refused(why)) => (why.clone(), String::new()),
        Err(Unjudged::NoCall) => (String::from("no call"), String::new()),
    };
    Outcome {
        answer,
        met,
        slipped: runs && !wants("allow"),
        preferred: case.prefer.as_ref().map(|prefer| prefer == answer),
        why: short(&case.why),
        reason: short(&reason),
        call: short(&call),
        expect,
    }
}

/// What was said. Where a verdict was to allow and the agent has no word for it that grants anything, silence says it.
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn answer(judged: &Result<Judged, Unjudged>) -> &'static str {
    let unsaid = |judged: &Judged| {
        leastgrant_core::channel::of(judged.call.agent).is_some_and(|channel| channel.allow != Allow::Grants)
            && judged.verdict.decision == Decision::Allow
    };
    match judged {
        Ok(judged) if judged.answer == Answer::Silent && unsaid(judged) => "allow",
        Ok(judged) => match judged.answer {
            Answer::Silent => "silent",
            Answer::Allow { .. } => "allow",
            Answer::Ask { .. } => "ask",
            Answer::Deny { .. } => "deny",
        },
        Err(Unjudged::NoCall) => "silent",
        Err(Unjudged::Refused(_)) => "deny",
    }
}

fn short(text: &str) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(110).collect();
    if text.chars().count() > 110 { format!("{flat}…") } else { flat }
}

/// A throwaway home with a work tree in it.
struct Scene {
    _root: tempfile::TempDir,
    root: PathBuf,
    home: PathBuf,
    project: PathBuf,
    program: PathBuf,
}

impl Scene {
    fn of(case: &Case) -> Result<Self, String> {
        let temp = tempfile::Builder::new().prefix("case-").tempdir().map_err(|error| error.to_string())?;
        let root = temp.path().canonicalize().map_err(|error| error.to_string())?;
        let home = root.join("home");
        let project = home.join("work/proj");
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let scene = Self { _root: temp, root: root.clone(), home, project, program };
        std::fs::create_dir_all(root.join("tmp")).map_err(|error| error.to_string())?;
        scene.put("@PROJECT@/.git/HEAD", "ref: refs/heads/main\n")?;
        scene.put("@PROJECT@/.git/config", "[core]\n\trepositoryformatversion = 0\n")?;
        scene.put("@PROJECT@/README.md", "# proj\n")?;
        scene.put("@HOME@/.claude/settings.json", "{}\n")?;
        scene.furnish(&case.given)?;
        Ok(scene)
    }

    fn furnish(&self, given: &Map<String, Value>) -> Result<(), String> {
        if given.get("installed") == Some(&Value::Bool(true)) {
            let entry = serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
                {"type": "command", "command": "@LGBIN@ hook claude-code"}]}]}});
            self.put("@HOME@/.claude/settings.json", &self.fill(&entry.to_string()))?;
            self.put("@LGDATA@/policy.toml", "posture = \"assist\"\n")?;
        }
        for (path, content) in given.get("files").and_then(Value::as_object).into_iter().flatten() {
            self.put(path, content.as_str().unwrap_or_default())?;
        }
        for (link, target) in given.get("symlinks").and_then(Value::as_object).into_iter().flatten() {
            let link = self.path(link);
            self.folder_of(&link)?;
            std::os::unix::fs::symlink(self.path(target.as_str().unwrap_or_default()), link)
                .map_err(|error| error.to_string())?;
        }
        for path in given.get("executable").and_then(Value::as_array).into_iter().flatten() {
            use std::os::unix::fs::PermissionsExt as _;
            let path = self.path(path.as_str().unwrap_or_default());
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
                .map_err(|error| error.to_string())?;
        }
        if let Some(flow) = given.get("persona").and_then(Value::as_str) {
            self.arm(flow, given)?;
        }
        if let Some(tree) = given.get("worktree").and_then(Value::as_str) {
            self.put(&format!("{tree}/.git"), &self.fill("gitdir: @PROJECT@/.git/worktrees/topic\n"))?;
            self.put("@PROJECT@/.git/worktrees/topic/gitdir", &self.fill(&format!("{tree}/.git\n")))?;
        }
        Ok(())
    }

    /// A persona run that a person armed. A host with a port is a host and a permission.
    fn arm(&self, flow: &str, given: &Map<String, Value>) -> Result<(), String> {
        let hosts = given.get("allow_hosts").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let (mut list, mut more) = (String::new(), String::new());
        for host in hosts {
            let (name, port) = host.split_once(':').unwrap_or((host, ""));
            list.push_str(&format!("- {name}\n"));
            if !port.is_empty() {
                more.push_str(&format!("- port {port}\n"));
            }
        }
        let text = format!(
            "# {flow}\n## Entry point\nthe start page\n## Goal\nx\n## Success criteria\nx\n## Domain allowlist\n{list}## Out of bounds\n- x\n## App version pin\nx\n## Permissions\n{more}"
        );
        self.put(&format!("@PROJECT@/.leopold/persona/flows/{flow}.md"), &text)?;
        let env = self.env();
        let world = Real::of(&env, &self.project.to_string_lossy(), std::collections::HashSet::new());
        let state = self.home.join(".leastgrant");
        let yard = Yard { state: &state, world: &world, root: &self.project };
        yard.arm(flow, PERSON, 1, "2026-01-15T10:00:00Z").map(|_| ()).map_err(|stop| format!("{stop:?}"))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.project.join(self.fill(path))
    }

    fn folder_of(&self, path: &Path) -> Result<(), String> {
        let folder = path.parent().unwrap_or(path);
        std::fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))
    }

    fn put(&self, path: &str, content: &str) -> Result<(), String> {
        let path = self.path(path);
        self.folder_of(&path)?;
        std::fs::write(&path, self.fill(content)).map_err(|error| format!("`{}`: {error}", path.display()))
    }

    fn fill(&self, text: &str) -> String {
        text.replace("@PROJECT@", &self.project.to_string_lossy())
            .replace("@LGDATA@", &self.home.join(".leastgrant").to_string_lossy())
            .replace("@LGBIN@", &self.program.to_string_lossy())
            .replace("@HOME@", &self.home.to_string_lossy())
    }

    fn message(&self, case: &Case) -> Result<String, String> {
        if let Some(raw) = &case.raw {
            return Ok(self.fill(raw));
        }
        let mut payload = case.payload.clone().ok_or_else(|| format!("{}: no payload", case.id))?;
        let expand = case.expand.as_ref();
        let times = expand.and_then(|e| e.get("times")).and_then(Value::as_u64).unwrap_or(1);
        let times = usize::try_from(times).map_err(|error| error.to_string())?;
        if let Some(field) = expand.and_then(|e| e.get("field")).and_then(Value::as_str)
            && let Some(value) = payload.pointer_mut(&format!("/{}", field.replace('.', "/")))
        {
            *value = Value::from(value.as_str().unwrap_or_default().repeat(times));
        }
        let mut text = self.fill(&payload.to_string());
        let word = |name: &str| expand.and_then(|e| e.get(name)).and_then(Value::as_str);
        if let (Some(replace), Some(fill)) = (word("replace"), word("fill")) {
            let long = replace.replacen(&format!("\"{fill}\""), &format!("\"{}\"", fill.repeat(times)), 1);
            text = text.replace(replace, &long);
        }
        Ok(text)
    }

    /// A session with a person there.
    fn env(&self) -> HookEnv {
        let all: BTreeMap<&str, String> = BTreeMap::from([
            ("HOME", self.home.to_string_lossy().into_owned()),
            ("LEASTGRANT_HOME", self.home.join(".leastgrant").to_string_lossy().into_owned()),
            ("TMPDIR", self.root.join("tmp").to_string_lossy().into_owned()),
            ("SHELL", String::from("/bin/bash")),
            ("CLAUDE_CODE_SESSION_ATTENDED", String::from("1")),
        ]);
        HookEnv::from_lookup(|name| all.get(name).cloned())
    }

    /// What was approved before as a person's yes on forty days; says whether there is any.
    fn train(&self, case: &Case, agent: &dyn Agent) -> Result<bool, String> {
        let store = Store::at(self.home.join(".leastgrant"));
        let project = self.project.to_string_lossy().into_owned();
        let approved = case.given.get("approved_before").and_then(Value::as_array).into_iter().flatten();
        let mut events = Vec::new();
        for text in approved.filter_map(Value::as_str) {
            let input = serde_json::json!({ "command": text });
            let made = MadeUp { session: "earlier", cwd: &project, mode: "default", tool: agent.shell(), input };
            let given = Given { present: Some(Attendance::Attended), policy: Some(ticked()) };
            let message = agent.compose(&made).to_string();
            let Ok(judged) = judge(agent, message.as_bytes(), &self.env(), &given) else { continue };
            for day in 0..40 {
                let mut event = Event::new("evidence", now() - day * 86_400_000).in_project(Some(&project));
                event.evidence = Some("confirmed");
                event.session = format!("earlier-{day}");
                event.signatures = judged.verdict.actions.iter().map(|action| learnable(&action.signature)).collect();
                events.push(event);
            }
        }
        store.append_all(&events).map_err(|error| error.to_string())?;
        Ok(!events.is_empty())
    }

    /// The ticked bundles, and what was approved before as rules for exactly that text.
    fn given(&self, case: &Case) -> Given {
        let approved = case.given.get("approved_before").and_then(Value::as_array).into_iter().flatten();
        let rules = approved.filter_map(Value::as_str).map(|text| Rule {
            effect: Effect::Allow,
            pattern: text.to_owned(),
            when: leastgrant_core::rule::When::default(),
            layer: Layer::User,
            project: Some(self.project.to_string_lossy().into_owned()),
            note: None,
            until_ms: None,
        });
        let policy = Policy { rules: rules.collect(), ..ticked() };
        Given { present: Some(Attendance::Attended), policy: Some(policy) }
    }
}
