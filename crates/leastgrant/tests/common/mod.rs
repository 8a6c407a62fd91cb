//! A throwaway home with a project in it, and the real hook process run there.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Where a test plays; nothing outside is touched.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    /// more environment for the hook
    pub(crate) env: Vec<(String, String)>,
}

/// What a process said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Stage {
    /// A home, a project with a `.git` in it, and no state yet.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stage = Self { folder, env: Vec::new() };
        std::fs::create_dir_all(stage.project().join(".git")).unwrap();
        std::fs::create_dir_all(stage.home().join(".claude")).unwrap();
        stage
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("src/project")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home().join(".leastgrant")
    }

    /// The program with nothing of the outer environment but what it is given here.
    pub(crate) fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leastgrant"));
        command.args(args).env_clear().env("HOME", self.home()).env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/bash");
        command.envs(self.env.iter().cloned()).current_dir(self.project());
        command
    }

    /// One event through the real process.
    pub(crate) fn hook(&self, payload: &[u8]) -> Said {
        run(self.program(&["hook", "claude-code"]), payload)
    }

    /// A call as Claude Code would send it.
    pub(crate) fn call(&self, id: &str, tool: &str, input: Value) -> Vec<u8> {
        self.event("PreToolUse", json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id }))
    }

    /// Any event as Claude Code would send it.
    pub(crate) fn event(&self, name: &str, more: Value) -> Vec<u8> {
        let mut event = json!({
            "session_id": "11111111-2222-4333-8444-555555555555",
            "cwd": self.project(),
            "hook_event_name": name,
            "permission_mode": "default",
        });
        for (key, value) in more.as_object().unwrap() {
            event[key.as_str()] = value.clone();
        }
        format!("{event}\n").into_bytes()
    }

    /// The ledger's lines, oldest first.
    pub(crate) fn ledger(&self) -> Vec<Value> {
        leastgrant::store::ledger::read(&leastgrant::store::Store::at(self.state())).unwrap()
    }
}

/// Runs a process with this on its standard input.
pub(crate) fn run(mut command: Command, input: &[u8]) -> Said {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // a process that answers without reading breaks the pipe, which is its right
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    Said {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    }
}

impl Said {
    /// The decision in an answer to a call: `silent`, `allow`, `ask` or `deny`. Anything that the agent would not take
    /// for an answer is a failure of the test: the measured agents then run the call.
    pub(crate) fn decision(&self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        assert_eq!(self.stderr, "", "an answer leaves nothing on standard error");
        if self.stdout.is_empty() {
            return String::from("silent");
        }
        assert_eq!(self.stdout.lines().count(), 1, "one line: {self:?}");
        let answer: Value = serde_json::from_str(&self.stdout).unwrap();
        let top: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(top, ["hookSpecificOutput"], "no unknown key");
        let inner = answer["hookSpecificOutput"].as_object().unwrap();
        let keys: Vec<&String> = inner.keys().collect();
        assert_eq!(keys, ["hookEventName", "permissionDecision", "permissionDecisionReason"], "no unknown key");
        assert_eq!(inner["hookEventName"], "PreToolUse");
        let reason = inner["permissionDecisionReason"].as_str().unwrap();
        assert!(!reason.trim().is_empty(), "a decision has a reason");
        assert!(reason.len() < 8_000, "a reason is for people: {} bytes", reason.len());
        let decision = inner["permissionDecision"].as_str().unwrap();
        assert!(["allow", "ask", "deny"].contains(&decision), "{decision}");
        decision.to_owned()
    }
}
