//! Reading and replacing one file so that nobody ever sees half of it: links followed first, a new file in the same
//! folder with the old mode and owner, synced, renamed over the old one only if that is still what we read.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

const MAX_LINKS: usize = 40;

/// Why a file was not replaced.
#[derive(Debug)]
pub enum Fault {
    /// it is not what it was when it was read
    Changed,
    /// it is no regular file, or a link that leads nowhere useful
    Unfit(String),
    /// the system said no
    Io(io::Error),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Changed => f.write_str("somebody else changed the file meanwhile"),
            Self::Unfit(text) => f.write_str(text),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Where a file really is: links followed, also the last one, also one that leads to a file yet to be made.
///
/// # Errors
/// Links in a circle.
pub fn resolve(path: &Path) -> Result<PathBuf, Fault> {
    let mut path = std::path::absolute(path)?;
    for _ in 0..MAX_LINKS {
        match fs::canonicalize(&path) {
            Ok(real) => return Ok(real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().map_or(link.clone(), |parent| parent.join(&link)),
            Err(_) => return Ok(resolve_parent(&path)),
        }
    }
    Err(Fault::Unfit(format!("`{}` is a circle of links", path.display())))
}

/// The nearest folder that exists is followed; the rest is taken as it is written.
fn resolve_parent(path: &Path) -> PathBuf {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    match fs::canonicalize(parent) {
        Ok(real) => real.join(name),
        Err(_) => resolve_parent(parent).join(name),
    }
}

/// The bytes of a regular file, none if there is nothing. Reads one byte more than `max` at most.
///
/// # Errors
/// It is no regular file, or can't be read.
pub fn read(path: &Path, max: usize) -> Result<Option<Vec<u8>>, Fault> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !meta.is_file() {
        return Err(Fault::Unfit(format!("`{}` is not a regular file", path.display())));
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Puts `after` in the place of `before` (none: no file), if `before` is still there. `path` is already resolved.
///
/// # Errors
/// The file changed meanwhile, or the system said no; then the old file still stands.
pub fn replace(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> Result<(), Fault> {
    let folder = path.parent().unwrap_or_else(|| Path::new("/"));
    let Some(after) = after else {
        unchanged(path, before)?;
        fs::remove_file(path)?;
        sync_folder(folder);
        return Ok(());
    };
    let old = fs::metadata(path).ok();
    if let Some(old) = old.as_ref().filter(|old| old.nlink() > 1) {
        return in_place(path, before, after, old);
    }
    let mut new = match &old {
        Some(_) => tempfile::Builder::new().prefix(".leastgrant-").tempfile_in(folder)?,
        None => tempfile::Builder::new()
            .prefix(".leastgrant-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder)?,
    };
    new.write_all(after)?;
    if let Some(old) = &old {
        keep_owner(new.as_file(), old)?;
        new.as_file().set_permissions(Permissions::from_mode(old.mode() & 0o7777))?;
    }
    new.as_file().sync_all()?;
    unchanged(path, before)?;
    match before {
        Some(_) => new.persist(path).map_err(|error| error.error)?,
        None => new.persist_noclobber(path).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => Fault::Changed,
            _ => Fault::Io(error.error),
        })?,
    };
    sync_folder(folder);
    Ok(())
}

/// A file with several names keeps them: the bytes are written into it. Not atomic, which is why there is a backup.
fn in_place(path: &Path, before: Option<&[u8]>, after: &[u8], old: &fs::Metadata) -> Result<(), Fault> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    if file.metadata()?.ino() != old.ino() {
        return Err(Fault::Changed);
    }
    unchanged(path, before)?;
    file.write_all(after)?;
    file.set_len(u64::try_from(after.len()).unwrap_or(u64::MAX))?;
    file.sync_all()?;
    Ok(())
}

fn unchanged(path: &Path, before: Option<&[u8]>) -> Result<(), Fault> {
    let now = read(path, before.map_or(0, <[u8]>::len))?;
    if now.as_deref() == before { Ok(()) } else { Err(Fault::Changed) }
}

fn keep_owner(file: &File, old: &fs::Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if new.uid() == old.uid() && new.gid() == old.gid() {
        return Ok(());
    }
    fchown(file, Some(old.uid()), Some(old.gid()))
}

/// A rename is durable once its folder is; a system that can't sync folders is no reason to fail.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Keeps one copy of a file beside it, same mode, overwritten each time.
///
/// # Errors
/// The system said no.
pub fn backup(path: &Path, bytes: &[u8]) -> Result<PathBuf, Fault> {
    let beside = backup_path(path);
    let mode = fs::metadata(path)?.mode() & 0o7777;
    if fs::symlink_metadata(&beside).is_ok_and(|meta| !meta.is_file()) {
        return Err(Fault::Unfit(format!("`{}` is in the way of the backup", beside.display())));
    }
    let mut new = tempfile::Builder::new().prefix(".leastgrant-").tempfile_in(path.parent().unwrap_or(path))?;
    new.write_all(bytes)?;
    keep_owner(new.as_file(), &fs::metadata(path)?)?;
    new.as_file().set_permissions(Permissions::from_mode(mode))?;
    new.as_file().sync_all()?;
    new.persist(&beside).map_err(|error| error.error)?;
    Ok(beside)
}

/// Where the backup of a file is.
#[must_use]
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".leastgrant-backup");
    path.with_file_name(name)
}

/// Makes a folder that only its owner may enter; the folders above as usual.
///
/// # Errors
/// The system said no.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Writes a file of our own: mode 0600, replaced in one step.
///
/// # Errors
/// The system said no.
pub fn write_own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("/"));
    private_folder(folder)?;
    let mut new = tempfile::Builder::new().prefix(".leastgrant-").tempfile_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(path).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

/// Makes the folders above a file and names those that were not there, outermost first.
///
/// # Errors
/// The system said no.
pub fn make_folders(path: &Path, mode: u32) -> io::Result<Vec<PathBuf>> {
    let mut missing = Vec::new();
    let mut folder = path.parent();
    while let Some(here) = folder.filter(|here| !here.exists()) {
        missing.push(here.to_owned());
        folder = here.parent();
    }
    missing.reverse();
    for (made, folder) in missing.iter().enumerate() {
        if let Err(error) = fs::DirBuilder::new().mode(mode).create(folder) {
            for folder in missing.iter().take(made).rev() {
                let _ = fs::remove_dir(folder);
            }
            return Err(error);
        }
    }
    Ok(missing)
}

/// Writes a program that its folder's owner alone may change.
///
/// # Errors
/// The system said no.
pub fn write_program(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("/"));
    let mut new = tempfile::Builder::new().prefix(".leastgrant-").tempfile_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().set_permissions(Permissions::from_mode(0o755))?;
    new.as_file().sync_all()?;
    new.persist(path).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

/// Opens for appending, made with mode 0600.
///
/// # Errors
/// The system said no.
pub fn append_own(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        private_folder(folder)?;
    }
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn litter(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn what_somebody_else_wrote_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        fs::write(&file, b"theirs").unwrap();
        for before in [Some(b"read".as_slice()), Some(b"thei"), Some(b"theirs and more"), None] {
            assert!(matches!(replace(&file, before, Some(b"ours")), Err(Fault::Changed)), "{before:?}");
        }
        for before in [Some(b"read".as_slice()), None] {
            assert!(matches!(replace(&file, before, None), Err(Fault::Changed)), "{before:?}");
        }
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
        assert_eq!(litter(folder.path()), 1);
        fs::remove_file(&file).unwrap();
        assert!(matches!(replace(&file, Some(b"theirs"), Some(b"ours")), Err(Fault::Changed)));
        assert_eq!(litter(folder.path()), 0);
    }

    #[test]
    fn a_new_file_has_the_usual_mode_and_a_replaced_one_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let usual = folder.path().join("usual");
        File::create(&usual).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
        let file = folder.path().join("new.json");
        replace(&file, None, Some(b"a")).unwrap();
        assert_eq!(mode(&file), mode(&usual));
        fs::set_permissions(&file, Permissions::from_mode(0o604)).unwrap();
        replace(&file, Some(b"a"), Some(b"b")).unwrap();
        assert_eq!(mode(&file), 0o604);
        assert_eq!(fs::read(&file).unwrap(), b"b");
        assert_eq!(litter(folder.path()), 2);
    }

    #[test]
    fn a_plan_that_fails_in_the_middle_leaves_no_half() {
        use crate::edit::plan::{Change, Plan};
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("deep/er/first"), folder.path().join("second"));
        fs::write(&second, b"theirs").unwrap();
        let change = |path: &Path, before: Option<&[u8]>| Change {
            path: path.to_owned(),
            real: path.to_owned(),
            before: before.map(<[u8]>::to_vec),
            after: Some(b"ours".to_vec()),
            folder_mode: 0o700,
            program: false,
        };
        let plan = Plan { changes: vec![change(&first, None), change(&second, Some(b"stale"))] };
        let (fault, left) = plan.apply().unwrap_err();
        assert!(matches!(fault, Fault::Changed) && left.is_empty(), "{fault} {left:?}");
        assert_eq!(fs::read(&second).unwrap(), b"theirs");
        assert!(!folder.path().join("deep").exists());
    }
}
