//! The only place that prints.

/// Where a command's output goes and how it may look.
pub struct Ui {
    /// one JSON value instead of text
    pub json: bool,
    /// never colour
    pub no_color: bool,
}

impl Ui {
    /// An output with these wishes; colour also ends in a pipe and with `NO_COLOR`.
    #[must_use]
    pub fn new(json: bool, no_color: bool) -> Self {
        Self { json, no_color }
    }
}
