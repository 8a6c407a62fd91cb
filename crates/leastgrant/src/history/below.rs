//! Files below an agent's own folder, and nothing else: no link is followed on the way, only regular files of the same user
//! are opened, and what is listed is bounded.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{self, FileType, Mode, OFlags};

/// Most names that are looked at in one folder.
const NAMES: usize = 20_000;

/// A folder below which files are read.
#[derive(Debug)]
pub struct Below {
    root: rustix::fd::OwnedFd,
}

impl Below {
    /// The folder at a path. Links that lead to the folder itself are the person's own matter.
    ///
    /// # Errors
    /// It is not there, or is no folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { root: fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())? })
    }

    /// The folder of this name in it.
    ///
    /// # Errors
    /// It is not there, is a link, or is no folder.
    pub fn folder(&self, name: &str) -> io::Result<Self> {
        plain(name)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self { root: fs::openat(&self.root, name, flags, Mode::empty())? })
    }

    /// The regular file of this name in it.
    ///
    /// # Errors
    /// It is not there, is a link, is no regular file, or is somebody else's.
    pub fn file(&self, name: &str) -> io::Result<File> {
        plain(name)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(fs::openat(&self.root, name, flags, Mode::empty())?);
        let about = fs::fstat(&file)?;
        let ours = about.st_uid == rustix::process::geteuid().as_raw();
        if FileType::from_raw_mode(about.st_mode) == FileType::RegularFile && ours {
            Ok(file)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "no regular file of this user"))
        }
    }

    /// Names in it, sorted; at most as many as are looked at.
    ///
    /// # Errors
    /// It cannot be listed.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = fs::Dir::read_from(&self.root)?
            .take(NAMES)
            .filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_owned))
            .filter(|name| name != "." && name != "..")
            .collect();
        names.sort_unstable();
        Ok(names)
    }
}

fn plain(name: &str) -> io::Result<()> {
    let odd = name.is_empty() || name.contains(['/', '\0']) || name == "." || name == "..";
    if odd { Err(io::ErrorKind::InvalidInput.into()) } else { Ok(()) }
}
