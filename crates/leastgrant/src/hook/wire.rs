//! The two ends of the hook process: what comes in is bounded in size and time, what goes out is written in one piece.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::agent::Output;

/// The largest payload that is read.
pub(super) const MAX: usize = 8 * 1024 * 1024;
/// How long the agent may take to send it.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// What came in.
#[derive(Debug)]
pub(crate) struct Received {
    /// the bytes, at most [`MAX`]
    pub(crate) bytes: Vec<u8>,
    /// why it is not the whole payload
    pub(crate) fault: Option<String>,
}

/// Reads standard input to its end. What is too much is read and dropped: an agent whose pipe breaks may take our answer
/// for a failure and go on.
#[must_use]
pub(crate) fn receive() -> Received {
    let mut bytes = Vec::with_capacity(16 * 1024);
    let fault = match own(io::stdin()) {
        Ok(file) => fill(file, &mut bytes, PATIENCE),
        Err(fault) => Some(format!("standard input cannot be read: {fault}")),
    };
    Received { bytes, fault }
}

fn fill(mut file: File, bytes: &mut Vec<u8>, patience: Duration) -> Option<String> {
    let start = Instant::now();
    let mut piece = vec![0; 64 * 1024];
    let mut dropped = false;
    loop {
        let left = patience.saturating_sub(start.elapsed());
        match ready(&file, left) {
            Ok(true) => {}
            Ok(false) => return Some(format!("it did not end within {} s", patience.as_secs())),
            Err(fault) => return Some(format!("standard input cannot be read: {fault}")),
        }
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => {
                let room = MAX.saturating_sub(bytes.len()).min(count);
                bytes.extend_from_slice(piece.get(..room).unwrap_or_default());
                dropped |= room < count;
            }
            Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
            Err(fault) => return Some(format!("standard input cannot be read: {fault}")),
        }
    }
    dropped.then(|| format!("it is larger than {} MB", MAX / 1024 / 1024))
}

fn ready(file: &File, left: Duration) -> io::Result<bool> {
    let wait =
        Timespec { tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX), tv_nsec: left.subsec_nanos().into() };
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&wait)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(fault) => Err(fault.into()),
    }
}

/// Writes the answer and gives the exit code. An answer that cannot be written becomes the refusal that needs no standard
/// output.
#[must_use]
pub(crate) fn send(output: &Output) -> u8 {
    let code = match write_whole(io::stdout(), &output.stdout) {
        Ok(()) => output.code,
        Err(_) => 2,
    };
    let reason = if code == output.code {
        output.stderr.as_str()
    } else {
        "leastgrant could not write its answer, so this is refused"
    };
    if !reason.is_empty() {
        // nobody is left to tell
        let _ = write_whole(io::stderr(), &format!("{reason}\n"));
    }
    code
}

fn write_whole(stream: impl AsFd, text: &str) -> io::Result<()> {
    if text.is_empty() { Ok(()) } else { own(stream)?.write_all(text.as_bytes()) }
}

/// The stream without the buffer in front of it.
fn own(stream: impl AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_fd().try_clone_to_owned()?))
}
