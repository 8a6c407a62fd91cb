//! One edit of a file at a time, whichever process asks: an advisory lock in our state folder, named after the file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

const WAIT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// Held until dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of a file, at most ten seconds.
    ///
    /// # Errors
    /// The lock folder can't be written, or somebody else kept the lock all that time.
    pub fn take(folder: &Path, target: &Path) -> io::Result<Self> {
        super::atomic::private_folder(folder)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(format!("{}.lock", key(target))))?;
        let end = Instant::now() + WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if Instant::now() >= end => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        format!("another leastgrant has been editing `{}` for ten seconds", target.display()),
                    ));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
    }
}

/// A short name for a path that is safe as a file name.
#[must_use]
pub fn key(target: &Path) -> String {
    let digest = Sha256::digest(target.as_os_str().as_encoded_bytes());
    digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}
