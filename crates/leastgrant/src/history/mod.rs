//! What agents wrote down about their own sessions. It is read, never believed further than it goes: a transcript can be
//! written by whatever runs as the same user, so a yes in it counts only for a call that came to our hook, with the input
//! that was judged and that ran, and only where the record says that a person in a terminal gave it.

pub mod below;
pub mod claude_code;
pub mod codex;
pub mod mine;

/// Who decided about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// a person said yes
    Yes,
    /// a person said no
    No,
    /// a rule, a mode, a hook, or it can't be told
    Nobody,
}

/// What a transcript says about one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// the agent's id of the call
    pub call: String,
    /// who decided
    pub word: Word,
    /// the tool, as the agent spells it
    pub tool: String,
    /// its input
    pub input: serde_json::Value,
    /// it ended without an error
    pub ran: bool,
    /// the folder the agent was in
    pub cwd: String,
    /// milliseconds since 1970; 0 where it is not said
    pub at: i64,
    /// the agent's session
    pub session: String,
    /// the permission mode, as the agent spells it
    pub mode: String,
}

/// A file of an agent's history.
#[derive(Debug)]
pub struct Found {
    /// below the agent's folder
    pub path: String,
    /// open for reading
    pub file: std::fs::File,
    /// bytes
    pub size: u64,
    /// when it was changed, in seconds since 1970
    pub changed: i64,
}

impl Found {
    fn of(folder: &below::Below, path: &str, name: &str) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let file = folder.file(name).ok()?;
        let about = file.metadata().ok()?;
        Some(Self { path: format!("{path}/{name}"), file, size: about.len(), changed: about.mtime() })
    }
}

/// What reading a file came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// calls with an outcome
    pub told: Vec<Told>,
    /// lines that could not be read
    pub skipped: usize,
    /// how far the file was read
    pub offset: u64,
    /// from where to read on: before the first call that has no outcome yet
    pub resume: u64,
}

/// Milliseconds since 1970 of a time as agents write it.
#[must_use]
pub fn millis(text: &str) -> i64 {
    text.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_millisecond)
}
