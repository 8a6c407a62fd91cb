//! A pause that a person asked for: friction off for a while, floors stay. The reader is what the hook uses.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::edit::atomic;

/// The longest pause.
pub const MAX_MS: i64 = 4 * 60 * 60 * 1000;

#[derive(serde::Serialize, serde::Deserialize)]
struct Pause {
    since_ms: i64,
    until_ms: i64,
}

fn path(state: &Path) -> PathBuf {
    state.join("pause.json")
}

/// When the pause that holds now ends, in milliseconds since 1970. A file that makes no sense is no pause.
#[must_use]
pub fn paused(state: &Path, now_ms: i64) -> Option<i64> {
    let pause: Pause = serde_json::from_slice(&fs::read(path(state)).ok()?).ok()?;
    let length = pause.until_ms.checked_sub(pause.since_ms)?;
    (pause.since_ms <= now_ms && now_ms < pause.until_ms && length <= MAX_MS).then_some(pause.until_ms)
}

/// Pauses for at most [`MAX_MS`] from now.
///
/// # Errors
/// The state folder can't be written.
pub fn pause(state: &Path, now_ms: i64, length_ms: i64) -> io::Result<i64> {
    let until_ms = now_ms + length_ms.clamp(0, MAX_MS);
    atomic::private_folder(state)?;
    atomic::write_own(&path(state), &serde_json::to_vec(&Pause { since_ms: now_ms, until_ms })?)?;
    Ok(until_ms)
}

/// Ends the pause; says whether a file was there.
///
/// # Errors
/// The file can't be removed.
pub fn resume(state: &Path) -> io::Result<bool> {
    match fs::remove_file(path(state)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// `90s`, `15m`, `2h` in milliseconds; a bare number is minutes.
///
/// # Errors
/// In words, what is off.
pub fn duration(text: &str) -> Result<i64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.strip_prefix(digits).unwrap_or_default();
    let factor = match unit {
        "s" => 1_000,
        "" | "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return Err(format!("`{text}` is no length of time: write `15m`, `90s` or `2h`")),
    };
    let number: i64 = digits.parse().map_err(|_| format!("`{text}` is no length of time: write `15m`, `90s` or `2h`"))?;
    match number.checked_mul(factor) {
        Some(length) if length > 0 && length <= MAX_MS => Ok(length),
        _ => Err(format!("`{text}` is not between a moment and four hours")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_by_itself_and_is_never_long() {
        let state = tempfile::tempdir().unwrap();
        let state = state.path();
        assert_eq!(paused(state, 1_000), None);
        assert_eq!(pause(state, 1_000, 60_000).unwrap(), 61_000);
        assert_eq!(paused(state, 1_000), Some(61_000));
        assert_eq!(paused(state, 60_999), Some(61_000));
        assert_eq!(paused(state, 61_000), None);
        assert_eq!(paused(state, 999), None, "not before it began: the clock was set back");
        pause(state, 0, i64::MAX).unwrap();
        assert_eq!(paused(state, 1), Some(MAX_MS));
        fs::write(path(state), format!("{{\"since_ms\":0,\"until_ms\":{}}}", i64::MAX)).unwrap();
        assert_eq!(paused(state, 1), None, "longer than any pause is no pause");
        fs::write(path(state), "{").unwrap();
        assert_eq!(paused(state, 1), None);
        assert!(resume(state).unwrap());
        assert!(!resume(state).unwrap());
    }

    #[test]
    fn lengths_of_time() {
        assert_eq!(duration("15m"), Ok(900_000));
        assert_eq!(duration("15"), Ok(900_000));
        assert_eq!(duration("90s"), Ok(90_000));
        assert_eq!(duration("4h"), Ok(MAX_MS));
        for wrong in ["", "m", "0", "-5m", "5h", "241m", "1d", "1.5h", "9999999999999999h", "15 m"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
