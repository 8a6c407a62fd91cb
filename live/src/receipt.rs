//! The proof of one run: which agent, where, when, and what each claim came to. Small enough to be kept beside the code,
//! and nothing in it says whose machine it was.

use serde::{Deserialize, Serialize};
use serde_json::Value;

include!(concat!(env!("OUT_DIR"), "/receipts.rs"));

/// The receipts that are kept beside the scenarios, by file name. One that can't be read is left out, and a test says so.
#[must_use]
pub fn kept() -> Vec<(&'static str, Receipt)> {
    RECEIPTS.iter().filter_map(|(name, text)| Some((*name, serde_json::from_str(text).ok()?))).collect()
}

/// Version of this format.
pub const FORMAT: u32 = 1;

/// One claim, recorded and observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// short dotted id
    pub claim: String,
    /// the claim in words
    pub says: String,
    /// what the record says is seen
    pub recorded: String,
    /// what was seen here
    pub observed: String,
    /// each difference; none, and the claim holds
    pub drift: Vec<String>,
    /// what a difference means for a person
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub means: String,
    /// the fact of the compatibility record that was re-measured
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    /// how long it took
    pub seconds: f64,
    /// what hooks were sent, verbatim but for home paths and ids
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payloads: Vec<Value>,
}

impl Row {
    /// Whether what was seen is what is recorded.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.drift.is_empty()
    }
}

/// The agent that was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// record id
    pub id: String,
    /// as it says itself
    pub version: String,
    /// digest of the file that was started
    pub sha256: String,
}

/// Where it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// `linux`
    pub os: String,
    /// release of the kernel
    pub kernel: String,
    /// `x86_64`
    pub arch: String,
    /// `network namespace` or `not isolated`
    pub isolation: String,
}

/// The whole proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// version of this format
    pub format: u32,
    /// what was run
    pub agent: Agent,
    /// version of leastgrant
    pub leastgrant: String,
    /// where
    pub machine: Machine,
    /// day, `YYYY-MM-DD`
    pub date: String,
    /// how long all of it took
    pub seconds: f64,
    /// the claims
    pub rows: Vec<Row>,
}

impl Receipt {
    /// Claims that do not hold.
    pub fn drift(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.holds())
    }

    /// The receipt as it is kept in a repository: a payload of each kind once, in the first row that has it.
    #[must_use]
    pub fn small(&self) -> Self {
        let mut small = self.clone();
        let mut known = std::collections::BTreeSet::new();
        for row in &mut small.rows {
            row.payloads.retain(|payload| {
                let key = |name: &str| payload.get(name).map(Value::to_string).unwrap_or_default();
                known.insert((key("hook_event_name"), key("tool_name") + &key("toolName") + &key("tool")))
            });
        }
        small
    }

    /// The file name under which it is kept.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}-{}-{}.json", self.agent.id, self.agent.version, self.machine.os)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kept_receipt_can_be_read_bears_its_own_name_and_names_no_home() {
        assert_eq!(kept().len(), RECEIPTS.len());
        for ((name, receipt), (_, text)) in kept().iter().zip(RECEIPTS) {
            assert_eq!(*name, receipt.file_name());
            // an agent's own folder of that name, below a home that was replaced
            let text = text.replace("<home>/.gemini/tmp/", "");
            for place in ["/home/", "/root/", "/tmp/", "/work/", "/Users/"] {
                assert!(!text.contains(place), "{name} holds `{place}`");
            }
            assert!(text.len() < 200_000, "{name} is small");
        }
    }
}
