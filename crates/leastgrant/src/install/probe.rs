//! Starts a hook exactly as the agent would, with a call that can do no harm and that must be refused: a write into
//! our own state, in a throwaway folder. What starts but lets that pass is no guard.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::dialect::Dialect;

const LIMIT: Duration = Duration::from_secs(12);
const MAX_OUTPUT: u64 = 64 * 1024;

/// What a program did in the time that it had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// its exit code, none if a signal ended it
    pub code: Option<i32>,
    /// it had to be ended
    pub hung: bool,
    /// what it said, cut off at 64 kB
    pub stdout: String,
    /// what it complained about
    pub stderr: String,
}

/// Runs a program with a bound on time and output; its children go with it.
///
/// # Errors
/// It could not be started.
pub fn run(command: &mut Command, input: &str, limit: Duration) -> std::io::Result<Ran> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()?;
    let stdin = child.stdin.take();
    let input = input.to_owned();
    // a program that never reads must not hold us up
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let (status, hung) = wait(&mut child, limit)?;
    Ok(Ran {
        code: status.and_then(|status| status.code()),
        hung,
        stdout: collected(stdout),
        stderr: collected(stderr),
    })
}

fn reader<R: Read + Send + 'static>(from: Option<R>) -> std::sync::mpsc::Receiver<Vec<u8>> {
    let (send, receive) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            let _ = from.take(MAX_OUTPUT).read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    receive
}

/// A grandchild may keep the pipe open; what it says later is not waited for.
fn collected(from: std::sync::mpsc::Receiver<Vec<u8>>) -> String {
    let bytes = from.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn wait(child: &mut Child, limit: Duration) -> std::io::Result<(Option<ExitStatus>, bool)> {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((Some(status), false));
        }
        if Instant::now() >= end {
            if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = child.kill();
            return Ok((child.wait().ok(), true));
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a hook's command line and looks at its answer.
///
/// # Errors
/// In words, why it is no guard.
pub fn starts(dialect: &dyn Dialect, command: &str) -> Result<(), String> {
    let folder = tempfile::Builder::new()
        .prefix("leastgrant-probe-")
        .tempdir()
        .map_err(|error| format!("no throwaway folder for the test call: {error}"))?;
    let here = folder.path();
    let payload = dialect.trial(here);
    let ran = run(
        Command::new("/bin/sh")
            .args(["-c", command])
            .current_dir(here)
            .env("LEASTGRANT_HOME", here.join("state"))
            .env("CLAUDE_PROJECT_DIR", here)
            .env("GEMINI_PROJECT_DIR", here)
            .env("QWEN_PROJECT_DIR", here)
            .env("COPILOT_PROJECT_DIR", here),
        &format!("{payload}\n"),
        LIMIT,
    )
    .map_err(|error| format!("the shell could not be started: {error}"))?;
    verdict(dialect, &ran)
}

fn verdict(dialect: &dyn Dialect, ran: &Ran) -> Result<(), String> {
    let complaint = ran.stderr.lines().next().map(|line| format!(": {}", plain(line))).unwrap_or_default();
    match ran.code {
        _ if ran.hung => return Err(String::from("it did not end in time")),
        None => return Err(format!("a signal ended it{complaint}")),
        Some(0) => {}
        Some(code) => return Err(format!("it ended with code {code}{complaint}")),
    }
    if ran.stdout.trim().is_empty() {
        return Err(String::from("it starts, but let a write into its own state pass"));
    }
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout)
        .map_err(|_| format!("its answer is not one JSON object: {}", plain(&ran.stdout)))?;
    match dialect.decision(&answer) {
        Some("deny") => Ok(()),
        Some(other) => Err(format!("it starts, but answered {} to a write into its own state", plain(other))),
        None => Err(format!("its answer is not one that the agent understands: {}", plain(&ran.stdout))),
    }
}

fn plain(text: &str) -> String {
    let text: String = text.trim().chars().take(120).map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("`{text}`")
}
