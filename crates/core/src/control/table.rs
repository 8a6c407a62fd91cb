//! The compatibility records and `knowledge/control.toml` as tables.

use super::Hold;
use crate::path::pattern::{Anchor, Pattern};

include!(concat!(env!("OUT_DIR"), "/records.rs"));
include!(concat!(env!("OUT_DIR"), "/control.rs"));

/// What core needs of an agent's compatibility record.
#[derive(Debug)]
pub struct Record {
    /// `claude-code`, `codex`, …
    pub id: &'static str,
    /// as people write it
    pub name: &'static str,
    /// its configuration folder unless the environment moves it
    pub home: &'static str,
    /// variables that move it
    pub home_env: &'static [&'static str],
    /// programs that start it
    pub programs: &'static [&'static str],
    /// files that decide what it may do later
    pub control_paths: &'static [ControlPath],
    pub(super) off_switches: &'static [OffSwitch],
    pub(super) grants: &'static [(&'static str, &'static str)],
}

/// One control file or folder.
#[derive(Debug)]
pub struct ControlPath {
    /// as the record spells it: `~/`, `<repo>/`, `<any>/`, absolute; a trailing `/` is everything below
    pub path: &'static str,
    pub(super) pattern: Pattern,
    /// hook config, settings, MCP wiring, instructions, …
    pub kind: &'static str,
    /// in words
    pub decides: &'static str,
    /// how strictly it is kept
    pub hold: Hold,
}

/// What switches an agent's hooks or questions off.
#[derive(Debug)]
pub(super) struct OffSwitch {
    pub(super) form: Form,
    pub(super) name: &'static str,
    /// the value that does it; empty for any, `*` for any that is not empty
    pub(super) is: &'static str,
    /// hooks, not questions only
    pub(super) hooks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Setting,
    Flag,
    FlagValue,
    Env,
}

/// A file that is kept for some of its keys only.
pub(super) struct Manifest {
    pub(super) name: &'static str,
    pub(super) format: Format,
    pub(super) keys: &'static [&'static str],
}

/// How a settings file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Jsonc,
    Toml,
}

/// Whether only the places of the machine count, not any folder with such a name in it.
pub(super) fn anywhere(pattern: &Pattern) -> bool {
    matches!(pattern.anchor, Anchor::Repo | Anchor::Anywhere)
}
