//! One agent process in a group of its own: lines out, words in, and an end that takes everything it started with it.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Bytes of one line of an agent.
const LINE: u64 = 16 * 1024 * 1024;
/// Bytes of its standard error that are kept.
const LAST_WORDS: usize = 4 * 1024;
/// How long it may take to end by itself.
const GRACE: Duration = Duration::from_secs(3);
/// How long after its end its last lines may take.
const TAIL: Duration = Duration::from_millis(500);

/// A process that is watched.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Result<String, String>>,
    last_words: Arc<Mutex<String>>,
    ended: bool,
}

/// What came from it.
#[derive(Debug)]
pub(super) enum Came {
    Line(String),
    /// nothing in this time
    Nothing,
    /// it is gone: how
    End(String),
}

impl Process {
    /// Starts it.
    pub(super) fn start(mut command: Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = command.spawn().map_err(|error| format!("`{name}` cannot be started: {error}"))?;
        let (send, lines) = sync_channel(1024);
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || read(stdout, &send));
        }
        let last_words = Arc::new(Mutex::new(String::new()));
        if let Some(stderr) = child.stderr.take() {
            let kept = Arc::clone(&last_words);
            thread::spawn(move || listen(stderr, &kept));
        }
        let stdin = child.stdin.take();
        Ok(Self { child, stdin, lines, last_words, ended: false })
    }

    /// Says something; a process that no longer listens is gone, which its end tells.
    pub(super) fn say(&mut self, text: &str) -> Result<(), String> {
        let stdin = self.stdin.as_mut().ok_or("the process takes no more words")?;
        stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).map_err(|error| error.to_string())
    }

    /// No more words will come.
    pub(super) fn close(&mut self) {
        self.stdin = None;
    }

    /// What comes next, within a time.
    pub(super) fn next(&mut self, wait: Duration) -> Came {
        match self.lines.recv_timeout(wait) {
            Ok(Ok(line)) => Came::Line(line),
            Ok(Err(why)) => Came::End(why),
            Err(RecvTimeoutError::Timeout) => match self.child.try_wait() {
                // something that it started may hold its output open for ever
                Ok(Some(status)) => match self.lines.recv_timeout(TAIL) {
                    Ok(Ok(line)) => Came::Line(line),
                    _ => self.over(&status.to_string()),
                },
                Ok(None) => Came::Nothing,
                Err(error) => Came::End(error.to_string()),
            },
            Err(RecvTimeoutError::Disconnected) => {
                let end = self.wait(GRACE);
                self.over(&end)
            }
        }
    }

    fn over(&mut self, how: &str) -> Came {
        self.ended = true;
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let last = words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let last = leastgrant_core::conduct::mask::line(last, 200);
        Came::End(if last.is_empty() { how.to_owned() } else { format!("{how}: {last}") })
    }

    fn wait(&mut self, most: Duration) -> String {
        let end = Instant::now() + most;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(10)),
                Ok(None) => return String::from("it closed its output and goes on"),
                Err(error) => return error.to_string(),
            }
        }
    }

    /// Ends it and everything in its group: first it is asked, then it is made to.
    pub(super) fn end(&mut self) {
        self.stdin = None;
        self.signal(Signal::TERM);
        self.wait(GRACE);
        self.signal(Signal::KILL);
        let _ = self.child.wait();
        self.ended = true;
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // the leader may be gone while what it started lives on
        self.end();
    }
}

fn read(stdout: impl Read, send: &SyncSender<Result<String, String>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let said = match stdout.by_ref().take(LINE).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(count) if count as u64 >= LINE => Err(format!("a line of its output is longer than {LINE} bytes")),
            Ok(_) => Ok(String::from_utf8_lossy(&line).into_owned()),
            Err(error) => Err(error.to_string()),
        };
        let over = said.is_err();
        if send.send(said).is_err() || over {
            return;
        }
    }
}

fn listen(mut stderr: impl Read, kept: &Mutex<String>) {
    let mut bytes = [0_u8; 4096];
    while let Ok(count) = stderr.read(&mut bytes) {
        if count == 0 {
            return;
        }
        let text = String::from_utf8_lossy(bytes.get(..count).unwrap_or_default());
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_str(&text);
        if kept.len() > LAST_WORDS {
            let cut = kept.len() - LAST_WORDS;
            let cut = (cut..kept.len()).find(|at| kept.is_char_boundary(*at)).unwrap_or(0);
            kept.drain(..cut);
        }
    }
}
