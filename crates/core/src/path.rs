//! Where a path really leads: links followed (dangling ones too), `..` taken physically and lexically, never out of
//! the project by string tricks.

/// A path, placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// as written, after quote removal
    pub written: String,
    /// absolute, links followed; none where it cannot be known
    pub real: Option<String>,
    /// absolute by its letters alone (where a `..` after a link makes a difference, both readings count)
    pub lexical: Option<String>,
    /// where that is
    pub zone: Zone,
}

/// Where a path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Zone {
    /// in the project, by every reading
    Project,
    /// in a folder for temporary files
    Temp,
    /// `/dev/null` and the like: neither read nor written
    Null,
    /// the person's home
    Home,
    /// `/usr`, `/opt`, `/bin`, `/lib`, program folders
    System,
    /// `/etc`
    Etc,
    /// `/var`, `/proc`, `/sys`, `/dev`
    Runtime,
    /// anywhere else
    Other,
    /// cannot be placed: counts as outside, never as understood
    Unplaced,
}
