//! Time, and who a process is: a number can be given out again, the moment at which a process began can't.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
#[must_use]
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Now, in ISO form, to the second, in UTC.
#[must_use]
pub fn now_iso() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Now, as a part of a file's name.
#[must_use]
pub fn stamp() -> String {
    jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// When a process began, in the kernel's own count; none if there is no such process.
#[must_use]
pub fn began(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // the name may hold anything, brackets too
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    // a zombie does nothing any more
    let living = !matches!(state, "Z" | "X");
    fields.nth(18).filter(|_| living)?.parse().ok()
}

/// Whether the process that began then still runs.
#[must_use]
pub fn lives(pid: u32, started: u64) -> bool {
    began(pid) == Some(started)
}

/// A random id in the form that agents take for a session.
///
/// # Errors
/// The system has no random bytes.
pub fn session_id() -> std::io::Result<String> {
    use std::io::Read as _;
    let mut bytes = [0_u8; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut bits = u128::from_be_bytes(bytes);
    bits = bits & !(0xf << 76) | 0x4 << 76;
    bits = bits & !(0x3 << 62) | 0x2 << 62;
    let text = format!("{bits:032x}");
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    Ok(format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)))
}
