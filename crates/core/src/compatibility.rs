//! Compatibility records: what each answer is worth on each agent, as graded facts. Off the hook's path: what core decides
//! by was turned into static tables when it was built ([`crate::channel::of`], [`crate::control::RECORDS`]).
//!
//! Unknown is a value: nothing here may fill a gap with what would be convenient.

mod claim;
mod fact;
mod record;
mod standing;
mod version;

use std::sync::LazyLock;

pub use claim::{faults, faults_between};
pub use fact::{Fact, Grade, on};
pub use record::{
    AllowSaid, AskSaid, Attach, Attendance, AttendanceSource, Channel, ControlPath, Coverage, Deny, DenyForm, Dialect,
    Event, Failure, FailureKind, Format, Gate, Grant, Limits, Matcher, Measured, OffSwitch, Record, Run, Scope, Seen,
    SettingsFile, SilenceSaid, Surface, Timeout, Transcript, Unit, Use, Verification, WhoIsThere,
};
pub use standing::{Enforcement, Proof, Verified, enforcement, live, tells, verified};
pub use version::{Version, Versions};

/// Most bytes of a record.
const MOST: usize = 256 * 1024;

/// Every record as it stands in the repository: id and text.
pub const TEXTS: &[(&str, &str)] = &[
    ("antigravity", include_str!("../../../compatibility/antigravity.json")),
    ("claude-code", include_str!("../../../compatibility/claude-code.json")),
    ("codex", include_str!("../../../compatibility/codex.json")),
    ("copilot", include_str!("../../../compatibility/copilot.json")),
    ("cursor", include_str!("../../../compatibility/cursor.json")),
    ("gemini-cli", include_str!("../../../compatibility/gemini-cli.json")),
    ("opencode", include_str!("../../../compatibility/opencode.json")),
    ("qwen-code", include_str!("../../../compatibility/qwen-code.json")),
];

/// Reads one record.
///
/// # Errors
/// It is too large, no JSON, lacks a key, has one too many, or says a word that is none of the field's; with the place.
pub fn parse(text: &str) -> Result<Record, String> {
    if text.len() > MOST {
        return Err(format!("a record has at most {MOST} bytes, this one has {}", text.len()));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Every record, read on first use.
///
/// # Errors
/// One of them can't be read; which one and where is in the text.
pub fn all() -> Result<&'static [Record], &'static str> {
    static ALL: LazyLock<Result<Vec<Record>, String>> = LazyLock::new(|| {
        let read = |(id, text): &(&str, &str)| parse(text).map_err(|error| format!("compatibility/{id}.json: {error}"));
        TEXTS.iter().map(read).collect()
    });
    ALL.as_deref().map_err(String::as_str)
}

/// The record of one agent; none where there is none or it can't be read.
#[must_use]
pub fn of(id: &str) -> Option<&'static Record> {
    all().ok()?.iter().find(|record| record.id == id)
}
