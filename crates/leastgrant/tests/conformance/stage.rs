//! A throwaway home with a project, the real hook process in it, and the strict reading of what it answers.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leastgrant::agent::HookEnv;
use leastgrant::judged::{Given, judge};
use serde_json::Value;

use crate::dialect::Dialect;

/// What an agent was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Silent,
    /// an agent's word for no opinion
    Pass,
    Allow,
    Ask,
    Deny,
}

/// Where a property is tried.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    dialect: Dialect,
}

impl Stage {
    pub(crate) fn new(dialect: &Dialect) -> Self {
        let stage = Self { folder: tempfile::tempdir().unwrap(), dialect: dialect.clone() };
        stage.put(&stage.project().join(".git/HEAD"), "ref: refs/heads/main\n");
        stage.put(&stage.project().join("README.md"), "a\n");
        stage.put(&stage.project().join("src/main.rs"), "a\n");
        stage
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("src/project")
    }

    fn put(&self, path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// With the ticked bundles.
    pub(crate) fn accepting(self) -> Self {
        let done = self.program(&["init", "--yes", "--no-history"]).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        self
    }

    /// With another posture.
    pub(crate) fn posture(self, posture: &str) -> Self {
        let file = self.home().join(".leastgrant/policy.toml");
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        let kept: Vec<&str> = before.lines().filter(|line| !line.starts_with("posture")).collect();
        self.put(&file, &format!("posture = \"{posture}\"\n{}\n", kept.join("\n")));
        self
    }

    /// With a rule of the person's for this command.
    pub(crate) fn ruled(self, effect: &str, pattern: &str) -> Self {
        let file = self.home().join(".leastgrant/rules.toml");
        self.put(&file, &format!("[[rule]]\neffect = \"{effect}\"\npattern = \"{pattern}\"\n"));
        self
    }

    /// Whether the agent says that a person is there; only Claude Code can.
    pub(crate) fn attended(&self) -> bool {
        self.dialect.id == "claude-code"
    }

    pub(crate) fn filled(&self, text: &str) -> String {
        text.replace("@HOME@", self.home().to_str().unwrap()).replace("@PROJECT@", self.project().to_str().unwrap())
    }

    /// Without the folder's name, which is another one on every stage.
    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(self.home().to_str().unwrap(), "~")
    }

    fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leastgrant"));
        command.args(args).env_clear().envs(self.env()).current_dir(self.project());
        command
    }

    fn env(&self) -> Vec<(&'static str, String)> {
        let mut env = vec![
            ("HOME", self.home().to_str().unwrap().to_owned()),
            ("PATH", String::from("/usr/bin:/bin")),
            ("SHELL", String::from("/bin/bash")),
        ];
        if self.attended() {
            env.push(("CLAUDE_CODE_SESSION_ATTENDED", String::from("1")));
        }
        env
    }

    /// One message through the real process.
    pub(crate) fn hook(&self, message: &[u8]) -> Word {
        self.read(&self.raw(message))
    }

    pub(crate) fn raw(&self, message: &[u8]) -> std::process::Output {
        let mut child = self
            .program(&["hook", &self.dialect.id])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let message = message.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&message));
        let output = child.wait_with_output().unwrap();
        let _ = writer.join();
        output
    }

    /// What an answer says, if the agent takes it for one at all: anything else is a failure of the test, since the
    /// measured agents run the call then.
    pub(crate) fn read(&self, output: &std::process::Output) -> Word {
        let stdout = std::str::from_utf8(&output.stdout).unwrap();
        let stderr = std::str::from_utf8(&output.stderr).unwrap();
        let code = output.status.code().expect("it was not killed");
        assert!(code == 0 || code == 2, "{}: exit {code}: {stdout} {stderr}", self.dialect.id);
        if code == 2 {
            assert!(!stderr.trim().is_empty(), "{}: a refusal by exit code has a reason", self.dialect.id);
        } else {
            assert_eq!(stderr, "", "{}: an answer leaves nothing on standard error", self.dialect.id);
        }
        if stdout.is_empty() {
            return if code == 2 { Word::Deny } else { Word::Silent };
        }
        assert_eq!(stdout.lines().count(), 1, "{}: one line: {stdout}", self.dialect.id);
        let said: Value = serde_json::from_str(stdout).unwrap();
        let forms = [
            (Some(&self.dialect.deny), Word::Deny),
            (self.dialect.ask.as_ref(), Word::Ask),
            (self.dialect.allow.as_ref(), Word::Allow),
            (self.dialect.pass.as_ref(), Word::Pass),
        ];
        for (form, word) in forms {
            let Some(form) = form else { continue };
            if fits(&serde_json::from_str(form).unwrap(), &said) {
                assert!(code == 0 || word == Word::Deny, "{}: {word:?} beside a blocking exit code", self.dialect.id);
                return word;
            }
        }
        panic!("{}: no answer that its record knows: {said}", self.dialect.id);
    }

    /// The verdict of a message, in short.
    pub(crate) fn judged(&self, message: &[u8]) -> String {
        let env = self.env();
        let env = HookEnv::from_lookup(|name| env.iter().find(|row| row.0 == name).map(|row| row.1.clone()));
        let judged = judge(self.dialect.agent(), message, &env, &Given::default()).unwrap();
        let verdict = judged.verdict;
        let does: Vec<&str> = verdict.actions.iter().map(|action| action.capability.id()).collect();
        format!("{:?} {:?} {:?} {does:?}", verdict.decision, verdict.kind, verdict.floors)
    }
}

/// Whether an answer has exactly a form's keys; `@` is any text that says something.
fn fits(form: &Value, said: &Value) -> bool {
    match (form, said) {
        (Value::Object(form), Value::Object(said)) => {
            form.len() == said.len() && form.iter().all(|(key, value)| said.get(key).is_some_and(|it| fits(value, it)))
        }
        (Value::String(any), Value::String(text)) if any == "@" => !text.trim().is_empty() && text.len() < 8_000,
        (form, said) => form == said,
    }
}
