//! The arming record: what a person armed, kept in our state folder, where no agent may write. It pins the flow and
//! `ACTIVE.json` to what they were, and it is what makes navigation inside the bounds granted.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Version of the format.
pub const FORMAT: u32 = 1;

/// What was armed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Armed {
    /// version of this format
    pub v: u32,
    /// the project's root, links followed
    pub root: String,
    /// the flow file, links followed
    pub flow: String,
    /// digest of the flow file
    pub flow_sha256: String,
    /// digest of `ACTIVE.json`
    pub active_sha256: String,
    /// milliseconds since 1970
    pub at_ms: i64,
    /// `person`, or the id of a run
    pub owner: String,
}

/// What is known of arming a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Arming {
    /// nobody armed it with us: a foreign `ACTIVE.json` binds, and grants nothing
    #[default]
    Foreign,
    /// somebody did
    Ours(Armed),
    /// there is a record that can't be read: it binds as if it were ours, and grants nothing
    Unreadable,
}

impl Arming {
    /// Reads a record's bytes; none where there is no file.
    #[must_use]
    pub fn read(bytes: Option<&[u8]>, root: &str) -> Self {
        let Some(bytes) = bytes else { return Self::Foreign };
        match serde_json::from_slice::<Armed>(bytes) {
            Ok(armed) if armed.v == FORMAT && armed.root == root => Self::Ours(armed),
            _ => Self::Unreadable,
        }
    }
}

/// A digest as it is recorded.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        text.push_str(&format!("{byte:02x}"));
        text
    })
}
