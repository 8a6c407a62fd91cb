//! A throwaway machine for installs: a home, a project, a program that answers as leastgrant would.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a guard answers to the test call.
pub(crate) const GUARD: &str = r#"#!/bin/sh
cat > /dev/null
printf '%s\n' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'
"#;

/// Where a test plays; nothing outside is touched.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
    home: PathBuf,
    path: String,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self::with_home("home")
    }

    /// With a home of this name.
    pub(crate) fn with_home(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join(name);
        let machine = Self { home, folder, path: String::from("/usr/bin:/bin") };
        std::fs::create_dir_all(machine.project().join(".git")).unwrap();
        machine.put_program(GUARD);
        machine
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home.join(".leastgrant")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.join("src/project")
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.home.join(".claude/settings.json")
    }

    /// The program that gets wired.
    pub(crate) fn wired(&self) -> PathBuf {
        self.home.join("bin/leastgrant")
    }

    pub(crate) fn put_program(&self, text: &str) {
        put(&self.wired(), text.as_bytes());
        std::fs::set_permissions(self.wired(), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Puts a `claude` of this version on the search path.
    pub(crate) fn put_claude(&mut self, version: &str) {
        let file = self.home.join("agent/claude");
        put(&file, format!("#!/bin/sh\necho '{version} (Claude Code)'\n").as_bytes());
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.path = format!("{}:{}", self.home.join("agent").display(), self.path);
    }

    pub(crate) fn put_settings(&self, bytes: &[u8]) {
        put(&self.settings(), bytes);
    }

    pub(crate) fn read_settings(&self) -> Vec<u8> {
        std::fs::read(self.settings()).unwrap()
    }

    /// The real program with nothing of the outer environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leastgrant"));
        command
            .args(args)
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", &self.path)
            .current_dir(self.project())
            .stdin(std::process::Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// `install claude-code` of the program above, with more words.
    pub(crate) fn install(&self, more: &[&str]) -> Output {
        let wired = self.wired();
        let mut args = vec!["install", "claude-code", "--force", "--program", wired.to_str().unwrap()];
        args.extend(more);
        self.run(&args)
    }

    pub(crate) fn uninstall(&self, more: &[&str]) -> Output {
        let mut args = vec!["uninstall", "claude-code"];
        args.extend(more);
        self.run(&args)
    }

    /// Everything below the home but our state, the project and the programs.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.home.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let known = ["bin", "src", "agent", ".leastgrant"].iter().any(|name| path == self.home.join(name));
                if known {
                    continue;
                }
                found.push(path.strip_prefix(&self.home).unwrap().to_owned());
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

pub(crate) fn put(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// What a process said on both ends.
pub(crate) fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub(crate) fn done(output: &Output) {
    assert!(output.status.success(), "{}", said(output));
}
