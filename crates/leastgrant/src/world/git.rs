//! Whether git has a file exactly as it is, read from the index itself: starting git would run hooks and filters of the
//! repository. Only a plain yes counts; anything odd is a no.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use leastgrant_core::world::Small;

/// The largest index that is read.
const MAX: usize = 16 * 1024 * 1024;
/// Bytes of an entry before its name: times, device, file, owner, size, object (SHA-1), flags.
const FIXED: usize = 62;

/// A regular file whose entry has this file's size and times, and was written well before the index.
pub(super) fn tracked_clean(path: &str) -> bool {
    check(Path::new(path)).unwrap_or(false)
}

fn check(path: &Path) -> Option<bool> {
    let about = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let root = path
        .parent()?
        .ancestors()
        .take(super::DEPTH)
        .find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok())?;
    let index = folder_of(root)?.join("index");
    let written = fs::symlink_metadata(&index).ok()?;
    let Small::Bytes(bytes) = super::read(&index, MAX) else { return None };
    let entry = find(&bytes, path.strip_prefix(root).ok()?.to_str()?.as_bytes())?;
    // an entry as young as the index may have changed after it was taken
    let settled = (i64::from(entry.seconds), i64::from(entry.nanoseconds)) < (written.mtime(), written.mtime_nsec());
    let same = u64::from(entry.size) == about.size()
        && i64::from(entry.seconds) == about.mtime()
        && i64::from(entry.nanoseconds) == about.mtime_nsec();
    Some(settled && same)
}

/// The repository's own folder; a worktree's `.git` is a file that names it.
fn folder_of(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if fs::symlink_metadata(&git).ok()?.is_dir() {
        return Some(git);
    }
    let Small::Bytes(bytes) = super::read(&git, 4096) else { return None };
    let text = String::from_utf8(bytes).ok()?;
    Some(root.join(text.strip_prefix("gitdir: ")?.trim_end()))
}

/// The main checkout of a worktree; none for anything else. Both sides must name each other: a `.git` file alone is
/// written by whoever writes in the folder.
pub(super) fn main_checkout(root: &str) -> Option<String> {
    let link = Path::new(root).join(".git");
    if !fs::symlink_metadata(&link).ok()?.is_file() {
        return None;
    }
    let own = folder_of(Path::new(root))?;
    let main = own.parent().filter(|folder| folder.ends_with(".git/worktrees"))?.parent()?.parent()?;
    let Small::Bytes(back) = super::read(&own.join("gitdir"), 4096) else { return None };
    let back = fs::canonicalize(String::from_utf8(back).ok()?.trim_end()).ok()?;
    let same = back == fs::canonicalize(&link).ok()?;
    same.then(|| fs::canonicalize(main).ok()?.to_str().map(str::to_owned)).flatten()
}

struct Entry {
    seconds: u32,
    nanoseconds: u32,
    size: u32,
}

/// The entry of a plain, merged, watched file. The length of each name is stated twice; where the two differ (another
/// object format, a damaged file) nothing is believed.
fn find(index: &[u8], wanted: &[u8]) -> Option<Entry> {
    let head = index.get(..12)?;
    let version = word(head, 4)?;
    if head.get(..4)? != b"DIRC" || !(version == 2 || version == 3) {
        return None;
    }
    let mut rest = index.get(12..)?;
    for _ in 0..word(head, 8)? {
        let entry = rest.get(..FIXED)?;
        let flags = u16::from_be_bytes(entry.get(60..62)?.try_into().ok()?);
        let extended = flags & 0x4000 != 0;
        let start = if extended { FIXED + 2 } else { FIXED };
        let tail = rest.get(start..)?;
        let length = tail.iter().position(|byte| *byte == 0)?;
        if usize::from(flags & 0x0fff) != length.min(0x0fff) {
            return None;
        }
        if tail.get(..length)? == wanted {
            let plain = word(entry, 24)? >> 12 == 0o10;
            // assumed unchanged, conflicted, skipped or only intended: not known to be what is on the disk
            let watched = flags & 0xf000 == 0;
            return (plain && watched).then_some(Entry {
                seconds: word(entry, 8)?,
                nanoseconds: word(entry, 12)?,
                size: word(entry, 36)?,
            });
        }
        // names end in one to eight zeros, so that entries start at multiples of eight
        rest = rest.get((start + length + 8) & !7..)?;
    }
    None
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, flags: u16) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in [1, 2, 1_700_000_000, 5, 0, 0, 0o10_0644, 0, 0, 42_u32] {
            bytes.extend(field.to_be_bytes());
        }
        bytes.extend([7; 20]);
        bytes.extend((flags | u16::try_from(name.len()).unwrap()).to_be_bytes());
        if flags & 0x4000 != 0 {
            bytes.extend([0, 0]);
        }
        bytes.extend(name.as_bytes());
        bytes.resize((bytes.len() + 8) & !7, 0);
        bytes
    }

    fn index(version: u32, entries: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        bytes.extend(entries.concat());
        bytes.extend([9; 20]);
        bytes
    }

    #[test]
    fn finds_an_entry_behind_names_of_every_length() {
        for length in 1..20 {
            let index = index(2, &[entry(&"a".repeat(length), 0), entry("src/lib.rs", 0)]);
            let found = find(&index, b"src/lib.rs").unwrap();
            assert_eq!((found.seconds, found.nanoseconds, found.size), (1_700_000_000, 5, 42));
        }
    }

    #[test]
    fn anything_odd_is_a_no() {
        let plain = entry("f", 0);
        assert!(find(&index(2, std::slice::from_ref(&plain)), b"f").is_some());
        assert!(find(&index(4, std::slice::from_ref(&plain)), b"f").is_none(), "compressed names");
        assert!(find(&index(2, std::slice::from_ref(&plain)), b"g").is_none());
        for flags in [0x8000, 0x1000, 0x2000, 0x4000] {
            assert!(find(&index(3, &[entry("f", flags)]), b"f").is_none(), "{flags:x}");
        }
        let mut long_objects = index(2, &[entry("a", 0), plain]);
        long_objects.splice(60..60, [7; 12]);
        assert!(find(&long_objects, b"f").is_none(), "an object format with longer names");
        let whole = index(2, &[entry("a", 0), entry("f", 0)]);
        for length in 0..whole.len() - 21 {
            assert!(find(&whole[..length], b"f").is_none(), "cut off at {length}");
        }
    }
}
