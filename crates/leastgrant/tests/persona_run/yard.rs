//! A throwaway home with a project, a flow, personas, and a stand-in for the agent.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const FLOW: &str = "\
# Flow — checkout

## Entry point
https://shop.stage.test/

## Goal
Find the price of a shirt.

## Success criteria
The price is on the screen.

## Domain allowlist
- shop.stage.test

## Out of bounds
- Submitting support tickets

## App version pin
v7

## Step budget
max_turns: 6
";

pub(crate) struct Yard {
    folder: tempfile::TempDir,
}

impl Yard {
    pub(crate) fn new(personas: &[&str]) -> Self {
        let yard = Self { folder: tempfile::tempdir().unwrap() };
        let home = yard.persona_home();
        fs::create_dir_all(yard.project().join(".git")).unwrap();
        fs::create_dir_all(yard.home().join(".claude")).unwrap();
        fs::create_dir_all(yard.fake()).unwrap();
        fs::create_dir_all(home.join("flows")).unwrap();
        fs::write(home.join("flows/checkout.md"), FLOW).unwrap();
        for persona in personas {
            yard.contract(persona, "ready");
        }
        fs::write(yard.settings(), yard.before()).unwrap();
        yard
    }

    pub(crate) fn contract(&self, persona: &str, status: &str) {
        let folder = self.persona_home().join("personas").join(persona);
        fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "persona_contract:\n  schema_version: persona-contract/1.0\n  persona_id: {persona}\n  contract_status: {status}\n"
        );
        fs::write(folder.join("contract.yaml"), text).unwrap();
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("src/shop")
    }

    pub(crate) fn persona_home(&self) -> PathBuf {
        self.project().join(".leopold/persona")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home().join(".leastgrant")
    }

    pub(crate) fn fake(&self) -> PathBuf {
        self.folder.path().join("fake")
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.home().join(".claude/settings.json")
    }

    /// A person's settings, in their own hand.
    pub(crate) fn before(&self) -> &'static str {
        "{\n    \"model\": \"opus\",\n\t\"hooks\": {}\n}\n"
    }

    /// The steps of a start of a persona's agent.
    pub(crate) fn script(&self, persona: &str, start: u32, steps: &[String]) {
        fs::write(self.fake().join(format!("{persona}.{start}")), steps.join("\n") + "\n").unwrap();
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leastgrant"));
        command.args(args).env_clear().env("HOME", self.home()).env("PATH", "/usr/bin:/bin").env("FAKE", self.fake());
        command.current_dir(self.project()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, more: &[&str]) -> Output {
        self.command(&self.words(more)).output().unwrap()
    }

    pub(crate) fn start(&self, more: &[&str]) -> Child {
        self.command(&self.words(more)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn words<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        let agent = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/persona_run/agent.sh");
        [&["--json", "persona", "run", "checkout", "--agent-bin", agent, "--browser", "browser"], more].concat()
    }

    /// The folder of the only run.
    pub(crate) fn only_run(&self) -> PathBuf {
        let mut runs: Vec<PathBuf> =
            fs::read_dir(self.persona_home().join("runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs.remove(0)
    }

    pub(crate) fn journal(&self, persona: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.only_run().join(persona).join("JOURNEY.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.fake().join(name)).unwrap_or_default()
    }

    /// Nothing is armed or wired, and the person's settings are theirs.
    pub(crate) fn is_clean(&self) {
        assert!(!self.persona_home().join("ACTIVE.json").exists(), "armed still");
        assert_eq!(fs::read_to_string(self.settings()).unwrap(), self.before(), "wired still");
        for folder in ["armed", "lease", "workers", "refused"] {
            let left = fs::read_dir(self.state().join("persona").join(folder)).map_or(0, Iterator::count);
            assert_eq!(left, 0, "{folder} is not empty");
        }
    }

    /// Waits until the journal has so many turns.
    pub(crate) fn has_turns(&self, persona: &str, turns: u32) {
        let end = Instant::now() + Duration::from_secs(60);
        let journal = self.only_run().join(persona).join("JOURNEY.jsonl");
        let wanted = format!("\"turn_id\":\"turn-{turns}\"");
        while turns > 0 && !fs::read_to_string(&journal).unwrap_or_default().contains(&wanted) {
            assert!(Instant::now() < end, "no turn {turns}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn awaits(&self, name: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.fake().join(name).exists() {
            assert!(Instant::now() < end, "no `{name}`: {}", self.read("stderr"));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A turn as a worker writes it.
pub(crate) fn turn(persona: &str, number: u32, action: &str, urls: &[&str]) -> String {
    let turn = json!({
        "schema_version": "persona-runtime-result/1.0",
        "turn_id": format!("turn-{number}"),
        "persona_id": persona,
        "flow_step": format!("step {number}"),
        "observed_behavior": { "intended_action": action, "friction_points": [] },
        "state_delta": { "next_action": action },
        "declared_navigations": urls,
    });
    says(&format!("I look.\n```persona-turn\n{turn}\n```\n"))
}

pub(crate) fn outcome(word: &str) -> String {
    says(&format!("```persona-outcome\n{}\n```\n", json!({ "outcome": word, "detail": "that was it" })))
}

pub(crate) fn says(text: &str) -> String {
    format!("says {}", Value::from(text))
}

pub(crate) fn call(tool: &str, input: &Value) -> String {
    format!("call {tool} {input}")
}

pub(crate) fn visit(url: &str) -> String {
    call("mcp__browser__navigate", &json!({ "url": url }))
}

/// Whether a process still runs.
pub(crate) fn lives(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}
