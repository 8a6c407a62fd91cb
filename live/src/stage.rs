//! The throwaway world of one session: home, project, logs, and an environment of listed names only. Nothing of the
//! person's own home, configuration or environment goes in.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::isolate::Isolation;

/// The programs of a run.
#[derive(Clone, Debug)]
pub struct Programs {
    /// the agent
    pub agent: PathBuf,
    /// leastgrant as it is measured; linked into each home
    pub product: PathBuf,
    /// the words that turn this program into probe and stub
    pub part: Vec<String>,
    /// this program
    pub own: PathBuf,
    /// more folders for PATH, where the agent needs an interpreter
    pub path: Vec<PathBuf>,
}

/// One session's world.
pub struct Stage {
    root: PathBuf,
    /// home of the session
    pub home: PathBuf,
    /// its project
    pub project: PathBuf,
    /// what probe, stub and model write
    pub log: PathBuf,
    /// leastgrant in that home
    pub program: PathBuf,
    /// the model's port
    pub port: u16,
    programs: Programs,
    isolation: Isolation,
}

/// How a started program ended.
#[derive(Debug, Default)]
pub struct Ended {
    /// exit code; none after a signal or at the end of its time
    pub code: Option<i32>,
    /// it was ended because its time was over
    pub late: bool,
    /// standard output
    pub stdout: String,
    /// standard error
    pub stderr: String,
}

impl Stage {
    /// Builds one below `root`.
    ///
    /// # Errors
    /// The folders can't be made.
    pub fn build(root: PathBuf, programs: &Programs, isolation: Isolation) -> Result<Self, String> {
        let at = |name: &str| root.join(name);
        let stage = Self {
            home: at("home"),
            project: at("home/shop"),
            log: at("log"),
            program: at("home/.local/bin/leastgrant"),
            port: 0,
            programs: programs.clone(),
            isolation,
            root,
        };
        for folder in [&stage.project, &stage.log, &stage.root.join("tmp"), &stage.home.join(".local/bin")] {
            std::fs::create_dir_all(folder).map_err(|error| words(folder, &error))?;
        }
        if std::fs::hard_link(&programs.product, &stage.program).is_err() {
            std::fs::copy(&programs.product, &stage.program).map_err(|error| words(&stage.program, &error))?;
        }
        stage.write("@PROJECT@/notes.txt", "alpha\nbeta\n")?;
        stage.write("@PROJECT@/README.md", "a project that is thrown away\n")?;
        let git = ["init", "-q", "-b", "main"];
        if !stage
            .run(Path::new("git"), &git, &BTreeMap::new(), Duration::from_secs(20))
            .is_ok_and(|git| git.code == Some(0))
        {
            stage.write("@PROJECT@/.git/HEAD", "ref: refs/heads/main\n")?;
        }
        Ok(stage)
    }

    /// Text with placeholders as it is here.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, path) in [
            ("@PROJECT@", &self.project),
            ("@HOME@", &self.home),
            ("@LOG@", &self.log),
            ("@ROOT@", &self.root),
            ("@PROGRAM@", &self.program),
        ] {
            text = text.replace(name, &path.to_string_lossy());
        }
        text.replace("@PORT@", &self.port.to_string())
    }

    /// Text without anything that belongs to this machine or this moment.
    #[must_use]
    pub fn clean(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, path) in
            [("<project>", &self.project), ("<home>", &self.home), ("<log>", &self.log), ("<root>", &self.root)]
        {
            let path = path.to_string_lossy();
            let slug: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            text = text.replace(&*path, name).replace(&slug, &name.replace('>', "-slug>"));
        }
        let own = self.programs.own.to_string_lossy();
        let agent = self.programs.agent.to_string_lossy();
        text = text.replace(&*own, "<leastgrant>").replace(&*agent, "<agent>");
        text = text.replace(&format!("127.0.0.1:{}", self.port), "127.0.0.1:<port>");
        without_uuids(&text)
    }

    /// Writes a file by a path with placeholders.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = PathBuf::from(self.fill(path));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| words(folder, &error))?;
        }
        std::fs::write(&path, self.fill(text)).map_err(|error| words(&path, &error))
    }

    /// A file's text by a path with placeholders; empty where there is none.
    #[must_use]
    pub fn read(&self, path: &str) -> String {
        let bytes = std::fs::read(self.fill(path)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The values of a file of JSON lines.
    #[must_use]
    pub fn lines(&self, path: &str) -> Vec<serde_json::Value> {
        self.read(path).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The command line of a probe.
    #[must_use]
    pub fn probe(&self, label: &str) -> String {
        self.part(&["probe", &self.log.to_string_lossy(), label])
            .iter()
            .map(|word| quote(word))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The words that start the stub server.
    #[must_use]
    pub fn stub(&self) -> Vec<String> {
        self.part(&["stub", &self.log.join("stub.jsonl").to_string_lossy()])
    }

    fn part(&self, words: &[&str]) -> Vec<String> {
        let own = self.programs.own.to_string_lossy().into_owned();
        std::iter::once(own)
            .chain(self.programs.part.iter().cloned())
            .chain(words.iter().map(|word| (*word).to_owned()))
            .collect()
    }

    /// What every program here has for an environment.
    #[must_use]
    pub fn environment(&self) -> BTreeMap<String, OsString> {
        let mut path: Vec<PathBuf> = vec![self.home.join(".local/bin")];
        path.extend(self.programs.path.iter().cloned());
        path.extend(["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"].map(PathBuf::from));
        let mut all: BTreeMap<String, OsString> = [
            ("HOME", self.home.clone().into_os_string()),
            ("LEASTGRANT_HOME", self.home.join(".leastgrant").into_os_string()),
            ("TMPDIR", self.root.join("tmp").into_os_string()),
            ("PATH", std::env::join_paths(path).unwrap_or_default()),
            ("SHELL", OsString::from("/bin/bash")),
            ("LANG", OsString::from("C.UTF-8")),
            ("TERM", OsString::from("dumb")),
            ("USER", OsString::from("somebody")),
            ("GIT_CONFIG_NOSYSTEM", OsString::from("1")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        if self.isolation == Isolation::None {
            for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
                all.insert(name.to_owned(), OsString::from("http://127.0.0.1:9"));
            }
            for name in ["no_proxy", "NO_PROXY"] {
                all.insert(name.to_owned(), OsString::from("127.0.0.1,localhost"));
            }
        }
        all
    }

    /// Runs leastgrant as a person in a terminal's folder would.
    ///
    /// # Errors
    /// It could not be started.
    pub fn product(&self, args: &[String], env: &BTreeMap<String, String>) -> Result<Ended, String> {
        let args: Vec<String> = args.iter().map(|arg| self.fill(arg)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        self.run(&self.program, &args, env, Duration::from_secs(30))
    }

    /// Runs leastgrant at a terminal: `script` makes one.
    ///
    /// # Errors
    /// It could not be started.
    pub fn at_terminal(&self, args: &[String], env: &BTreeMap<String, String>) -> Result<Ended, String> {
        let words =
            std::iter::once("@PROGRAM@").chain(args.iter().map(String::as_str)).map(|word| quote(&self.fill(word)));
        let line = words.collect::<Vec<_>>().join(" ");
        self.run(Path::new("script"), &["-qefc", &line, "/dev/null"], env, Duration::from_secs(30))
    }

    /// Runs the agent.
    ///
    /// # Errors
    /// It could not be started.
    pub fn agent(&self, args: &[String], env: &BTreeMap<String, String>, limit: Duration) -> Result<Ended, String> {
        let args: Vec<String> = args.iter().map(|arg| self.fill(arg)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        self.run(&self.programs.agent, &args, env, limit)
    }

    fn run(
        &self,
        program: &Path,
        args: &[&str],
        env: &BTreeMap<String, String>,
        limit: Duration,
    ) -> Result<Ended, String> {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.project).env_clear().envs(self.environment());
        command.envs(env.iter().map(|(name, value)| (name, self.fill(value))));
        started(command, limit, &self.log).map_err(|error| words(program, &error))
    }
}

/// Runs a program in a process group of its own, its output in files so that a left-over child can't hold us up, and ends
/// the group when its time is over or it has ended.
fn started(mut command: Command, limit: Duration, log: &Path) -> std::io::Result<Ended> {
    use std::os::unix::process::CommandExt as _;
    let (out, err) = (tempfile::NamedTempFile::new_in(log)?, tempfile::NamedTempFile::new_in(log)?);
    let mut child =
        command.stdin(Stdio::null()).stdout(out.reopen()?).stderr(err.reopen()?).process_group(0).spawn()?;
    let begun = Instant::now();
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let end = |signal| group.map(|group| rustix::process::kill_process_group(group, signal));
    let mut ended = Ended::default();
    loop {
        if let Some(status) = child.try_wait()? {
            ended.code = status.code();
            break;
        }
        if begun.elapsed() > limit {
            ended.late = true;
            end(rustix::process::Signal::KILL);
            child.wait()?;
            break;
        }
        std::thread::sleep(Duration::from_millis(15));
    }
    end(rustix::process::Signal::KILL);
    let text = |file: &tempfile::NamedTempFile| {
        std::fs::read(file.path()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    (ended.stdout, ended.stderr) = (text(&out)?, text(&err)?);
    Ok(ended)
}

/// Output of a program that belongs to no stage, within a few seconds.
///
/// # Errors
/// It could not be started.
pub fn ask(program: &Path, args: &[&str], env: &BTreeMap<String, OsString>) -> Result<Output, String> {
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(env).stdin(Stdio::null());
    command.output().map_err(|error| words(program, &error))
}

fn words(path: &Path, error: &std::io::Error) -> String {
    format!("`{}`: {error}", path.display())
}

/// A word of a shell command line.
#[must_use]
pub fn quote(word: &str) -> String {
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-=:@".contains(c)) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Every UUID as `<uuid>`.
fn without_uuids(text: &str) -> String {
    let is = |chunk: &[u8]| {
        chunk.len() == 36
            && chunk
                .iter()
                .enumerate()
                .all(|(i, byte)| if [8, 13, 18, 23].contains(&i) { *byte == b'-' } else { byte.is_ascii_hexdigit() })
    };
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if bytes.get(at..at + 36).is_some_and(is) {
            out.extend_from_slice(b"<uuid>");
            at += 36;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_and_ids_are_gone() {
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(without_uuids("é 01a0175d-536f-7780-a81c-ec4dc582b609."), "é <uuid>.");
    }
}
