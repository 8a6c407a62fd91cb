//! One fact with how it is known. A fact without that can't be written down.

use serde::{Deserialize, Deserializer, Serialize};

use super::Versions;

/// How a fact is known, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// tried on the real program, by us
    Probe,
    /// read in the shipped program
    Source,
    /// somebody says so: its documents, or others who tried it
    Docs,
    /// not known
    Unknown,
}

impl Grade {
    /// As the record spells it.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Source => "source",
            Self::Docs => "docs",
            Self::Unknown => "unknown",
        }
    }

    /// Whether we saw it ourselves, in the running program or in its shipped text.
    #[must_use]
    pub fn is_ours(self) -> bool {
        matches!(self, Self::Probe | Self::Source)
    }
}

/// A value and how it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact<T> {
    /// what is so
    pub value: T,
    /// how it is known
    pub evidence: Grade,
    /// where to look it up, or what is not covered by it; may be empty
    pub note: String,
    /// the agent's versions it was seen on
    #[serde(deserialize_with = "present")]
    pub version: Option<Versions>,
    /// the system it was seen on
    #[serde(deserialize_with = "present")]
    pub os: Option<String>,
    /// the day
    #[serde(deserialize_with = "present")]
    pub date: Option<String>,
}

/// A key that may be null but not absent: forgetting it and not knowing it are two things.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

/// The facts that hold for a version. Where it is not known, or none was measured on it, all of them: the caller takes
/// the strictest.
#[must_use]
pub fn on<'f, T>(facts: &'f [Fact<T>], version: Option<&str>) -> Vec<&'f Fact<T>> {
    let holds = |fact: &&Fact<T>| match (&fact.version, version) {
        (Some(versions), Some(version)) => versions.hold(version),
        (None, _) => true,
        (_, None) => false,
    };
    let held: Vec<&Fact<T>> = facts.iter().filter(holds).collect();
    if held.is_empty() { facts.iter().collect() } else { held }
}
