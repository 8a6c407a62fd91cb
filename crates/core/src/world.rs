//! The only way in which facts come in: real paths, small files, where things are.

mod fake;

pub use fake::FakeWorld;

/// What stands at a path, the last component not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// nothing
    Missing,
    /// a file, socket, device
    File,
    /// a folder
    Dir,
    /// a symbolic link with this target
    Link(String),
    /// it could not be found out (no permission, a name that is not UTF-8, a dead mount)
    Unknown,
}

/// A small file's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Small {
    /// the bytes
    Bytes(Vec<u8>),
    /// nothing there
    Missing,
    /// larger than asked for, unreadable, or not a regular file
    Unreadable,
}

/// Where things are. Absolute paths without a trailing slash.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// the person's home
    pub home: Option<String>,
    /// the project: the nearest repository root above the session's folder, or that folder
    pub project: String,
    /// the main checkout, where the project is a worktree of it: rules and what was learned are shared
    pub checkout: Option<String>,
    /// other folders that count as the project (configured)
    pub extra_roots: Vec<String>,
    /// our state folder
    pub state: String,
    /// our program, links followed
    pub binary: Option<String>,
    /// agents' configuration folders that the environment moves (`CLAUDE_CONFIG_DIR`, `CODEX_HOME`): record id, folder
    pub agent_homes: Vec<(String, String)>,
    /// the folder for temporary files
    pub temp: String,
    /// the file system folds letter case (macOS, Windows)
    pub case_blind: bool,
    /// milliseconds since 1970
    pub now_ms: i64,
    /// globs of files that the person counts as secret
    pub secret_globs: Vec<String>,
}

/// Facts about the machine, each bounded by its implementation.
pub trait World {
    /// Where things are.
    fn facts(&self) -> &Facts;
    /// What stands at an absolute path; the last component is not followed.
    fn entry(&self, path: &str) -> Entry;
    /// At most `max` bytes of a regular file.
    fn read(&self, path: &str, max: usize) -> Small;
    /// Names in a folder, unsorted; none if it cannot be listed or holds more than `max`.
    fn list(&self, path: &str, max: usize) -> Option<Vec<String>>;
    /// Another person's home (`~name`).
    fn home_of(&self, user: &str) -> Option<String>;
    /// Whether the path is a file that version control has and that has no changes, so that a delete can be undone.
    fn tracked_clean(&self, path: &str) -> bool;
    /// Whether this session created the file itself.
    fn made_in_session(&self, path: &str) -> bool;
}
