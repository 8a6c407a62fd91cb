//! `knowledge/conduct.toml` as tables.

include!(concat!(env!("OUT_DIR"), "/conduct.rs"));

/// How a language takes back and turns around what a word means.
pub(super) struct Language {
    pub(super) id: &'static str,
    /// written without blanks: searched as text
    pub(super) joined: bool,
    pub(super) not: &'static [&'static str],
    pub(super) near: &'static [&'static str],
    pub(super) after: &'static [&'static str],
    pub(super) undo: &'static [&'static str],
    pub(super) article: &'static [&'static str],
    pub(super) press: &'static [&'static str],
    pub(super) topic: &'static [&'static str],
    pub(super) link: &'static [&'static str],
}

/// Words of one language that name what can't be taken back.
pub(super) struct Trigger {
    pub(super) class: &'static str,
    pub(super) says: &'static str,
    pub(super) language: &'static str,
    pub(super) verbs: &'static [&'static str],
    pub(super) nouns: &'static [&'static str],
    pub(super) phrases: &'static [&'static [&'static str]],
    pub(super) harmless: &'static [&'static str],
}
