//! Versions that something was measured on: `2.1.197, 2.1.332` or, where both ends were measured and gave the same,
//! `2.1.197..2.1.332`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Numbers between dots.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// Reads `2.1.332`; one to four numbers.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let parts: Vec<u64> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        (text.len() <= 40 && (1..=4).contains(&parts.len()) && !text.contains('+')).then_some(Self(parts))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u64::to_string).collect();
        to.write_str(&parts.join("."))
    }
}

/// Versions and ranges of them, both ends included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Versions(Vec<(Version, Version)>);

impl Versions {
    /// Whether a version is among them; an unknown spelling is not.
    #[must_use]
    pub fn hold(&self, version: &str) -> bool {
        Version::read(version).is_some_and(|version| self.0.iter().any(|(from, to)| *from <= version && version <= *to))
    }

    /// Whether every one of `other` is among them.
    #[must_use]
    pub fn contain(&self, other: &Self) -> bool {
        other.0.iter().all(|(from, to)| self.0.iter().any(|(low, high)| low <= from && to <= high))
    }

    /// Single versions and ends of ranges.
    #[must_use]
    pub fn ends(&self) -> Vec<String> {
        let mut ends: Vec<&Version> = self.0.iter().flat_map(|(from, to)| [from, to]).collect();
        ends.sort();
        ends.dedup();
        ends.into_iter().map(Version::to_string).collect()
    }
}

impl TryFrom<String> for Versions {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let one = |part: &str| {
            let (from, to) = part.split_once("..").unwrap_or((part, part));
            let ends = Version::read(from).zip(Version::read(to)).filter(|(from, to)| from <= to);
            ends.ok_or_else(|| format!("`{part}` is no version and no range of two"))
        };
        let ranges: Vec<_> = text.split(", ").map(one).collect::<Result<_, _>>()?;
        if ranges.len() > 16 {
            return Err(String::from("at most 16 versions are listed"));
        }
        Ok(Self(ranges))
    }
}

impl From<Versions> for String {
    fn from(versions: Versions) -> Self {
        let one = |(from, to): &(Version, Version)| if from == to { from.to_string() } else { format!("{from}..{to}") };
        versions.0.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&String::from(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(text: &str) -> Versions {
        Versions::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn points_and_ranges() {
        for (text, version, expected) in [
            ("2.1.332", "2.1.332", true),
            ("2.1.332", "2.1.333", false),
            ("2.1.197..2.1.332", "2.1.197", true),
            ("2.1.197..2.1.332", "2.1.200", true),
            ("2.1.197..2.1.332", "2.1.1000", false),
            ("2.1.197, 2.1.332", "2.1.200", false),
            ("2.1.197, 2.1.332", "2.1.332", true),
            ("2.1.332", "", false),
            ("2.1.332", "2.1.332-beta", false),
        ] {
            assert_eq!(versions(text).hold(version), expected, "{text} {version}");
            assert_eq!(versions(text).to_string(), text);
        }
        assert!(versions("1.0..2.0").contain(&versions("1.1, 1.2..2.0")));
        assert!(!versions("1.0..2.0").contain(&versions("1.1, 1.2..2.1")));
        assert_eq!(versions("2.1.197..2.1.332").ends(), ["2.1.197", "2.1.332"]);
    }

    #[test]
    fn what_is_no_version_is_named() {
        for text in ["", "x", "1.2..1.1", "1..2..3", "1.2,1.3", ">=1", "1.2.3.4.5", "+1", "99999999999999999999999"] {
            assert!(Versions::try_from(text.to_owned()).unwrap_err().contains("no version"), "{text}");
        }
    }
}
