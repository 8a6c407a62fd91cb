//! `knowledge/secrets.toml` as a table, and when one of its lines names a path.

use crate::path::glob;
use crate::path::pattern::{Anchor, Pattern, Subject};

include!(concat!(env!("OUT_DIR"), "/secrets.rs"));

/// One line of the table.
pub(super) struct Secret {
    pub(super) pattern: Pattern,
    except: &'static [&'static str],
    soft: bool,
    outside: bool,
    pub(super) why: &'static str,
}

impl Secret {
    pub(super) fn names(&self, subject: &Subject) -> bool {
        let Some(below) = subject.find(&self.pattern) else {
            return false;
        };
        if let Some(child) = below.first() {
            return !any(self.except, child);
        }
        if self.pattern.folder {
            return true;
        }
        let name = subject.name();
        let template = TEMPLATE_ENDINGS.iter().any(|end| name.ends_with(end));
        if template || any(PUBLIC_NAMES, name) || self.outside && subject.in_project().is_some() {
            return false;
        }
        !(self.soft && looks_only(subject))
    }
}

/// A name that people also give to harmless files, in a place where it is one.
fn looks_only(subject: &Subject) -> bool {
    let ending = subject.name().rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    if SOURCES.contains(&ending) || PUBLIC_PLACES.iter().any(|place| subject.find(place).is_some()) {
        return true;
    }
    let folders = subject.in_project().and_then(<[String]>::split_last).map(|(_, folders)| folders);
    folders.is_some_and(|folders| folders.iter().any(|folder| LOOKALIKE_FOLDERS.contains(&folder.as_str())))
}

fn any(globs: &[&str], name: &str) -> bool {
    globs.iter().any(|pattern| glob::matches(pattern, name))
}

/// Whether the pattern is one place of the machine, so that a folder above it surely holds it.
pub(super) fn is_place(pattern: &Pattern) -> bool {
    let fixed = pattern.parts.first().is_some_and(|first| *first != "proc" && *first != "dev");
    matches!(pattern.anchor, Anchor::Home | Anchor::Root) && fixed
}
