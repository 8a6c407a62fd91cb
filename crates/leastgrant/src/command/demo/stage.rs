//! The throwaway home: folders, files and the environment in which the real program runs. Gone when it is dropped.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::agent::HookEnv;

/// A home with a project in it.
pub(super) struct Stage {
    root: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
    program: PathBuf,
}

/// How one run of the program ended.
pub(super) struct Run {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) code: Option<i32>,
    pub(super) took: Duration,
}

impl Stage {
    pub(super) fn new() -> Result<Self, String> {
        let root = tempfile::Builder::new().prefix("leastgrant-demo-").tempdir().map_err(words)?;
        let real = root.path().canonicalize().map_err(words)?;
        let (home, project) = (real.join("home"), real.join("home/shop"));
        for folder in [&project, &real.join("tmp")] {
            std::fs::create_dir_all(folder).map_err(words)?;
        }
        let program = std::env::current_exe().map_err(words)?;
        Ok(Self { root, home, project, program })
    }

    pub(super) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    pub(super) fn state(&self) -> PathBuf {
        self.home.join(".leastgrant")
    }

    /// `@HOME@` and `@PROJECT@` as they are here.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("@HOME@", &self.home.to_string_lossy()).replace("@PROJECT@", &self.project.to_string_lossy())
    }

    /// The same paths as a person would write them, for showing.
    pub(super) fn shorten(&self, text: &str) -> String {
        text.replace(&*self.project.to_string_lossy(), "~/shop").replace(&*self.home.to_string_lossy(), "~")
    }

    pub(super) fn place(&self, path: &str, content: &str) -> Result<(), String> {
        let path = PathBuf::from(self.fill(path));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(words)?;
        }
        std::fs::write(path, content).map_err(words)
    }

    pub(super) fn read(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(self.fill(path)).map_err(words)
    }

    /// What a person's terminal has here.
    fn environment(&self) -> BTreeMap<&'static str, String> {
        BTreeMap::from([
            ("HOME", self.home.to_string_lossy().into_owned()),
            ("LEASTGRANT_HOME", self.state().to_string_lossy().into_owned()),
            ("TMPDIR", self.root().join("tmp").to_string_lossy().into_owned()),
            ("PATH", String::from("/usr/local/bin:/usr/bin:/bin")),
            ("SHELL", String::from("/bin/bash")),
            ("LANG", String::from("C.UTF-8")),
        ])
    }

    /// What a session of Claude Code 2.1.332 adds, with a person there.
    fn session(&self) -> BTreeMap<&'static str, String> {
        let mut all = self.environment();
        all.insert("CLAUDECODE", String::from("1"));
        all.insert("CLAUDE_CODE_ENTRYPOINT", String::from("cli"));
        all.insert("CLAUDE_CODE_SESSION_ATTENDED", String::from("1"));
        all.insert("AI_AGENT", String::from("claude-code_2-1-332_harness"));
        all.insert("CLAUDE_PROJECT_DIR", self.project.to_string_lossy().into_owned());
        all
    }

    /// The environment that the hook sees, for judging here what it judges there.
    pub(super) fn hook_env(&self) -> HookEnv {
        let session = self.session();
        HookEnv::from_lookup(|name| session.get(name).cloned())
    }

    /// The hook as the agent starts it: through a shell, by the line in the settings.
    pub(super) fn hook(&self, line: &str, payload: &[u8]) -> Result<Run, String> {
        self.run(Path::new("/bin/sh"), &["-c", line], &self.session(), payload)
    }

    /// A command as the person types it.
    pub(super) fn typed(&self, args: &[&str]) -> Result<Run, String> {
        self.run(&self.program, args, &self.environment(), b"")
    }

    fn run(
        &self,
        program: &Path,
        args: &[&str],
        env: &BTreeMap<&'static str, String>,
        input: &[u8],
    ) -> Result<Run, String> {
        let begun = Instant::now();
        let mut child = Command::new(program)
            .args(args)
            .current_dir(&self.project)
            .env_clear()
            .envs(env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(words)?;
        if let Some(mut stdin) = child.stdin.take() {
            // a program that does not read its input is seen by its answer
            let _ = stdin.write_all(input);
        }
        let output = child.wait_with_output().map_err(words)?;
        Ok(Run {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
            took: begun.elapsed(),
        })
    }

    /// Removes everything.
    pub(super) fn strike(self) -> Result<(), String> {
        self.root.close().map_err(words)
    }
}

fn words(error: std::io::Error) -> String {
    format!("the throwaway home could not be used: {error}")
}
