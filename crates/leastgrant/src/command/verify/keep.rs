//! Where proofs are kept: receipts in our state folder and, for the versions that CI pins, in the repository; and the
//! record of this machine, which says what the installed version was seen to do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use leastgrant_core::compatibility::{Proof, Versions};
use leastgrant_live::receipt::{self, Receipt};
use serde::{Deserialize, Serialize};

/// Folder of receipts in the state folder.
const RECEIPTS: &str = "receipts";
/// Folder of this machine's records in the state folder.
const RECORDS: &str = "compatibility";
/// Larger files are not read.
const MOST: u64 = 8 << 20;

/// What one version of an agent was seen to do here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Local {
    /// record id
    pub agent: String,
    /// its version
    pub version: String,
    /// the system
    pub os: String,
    /// the day
    pub date: String,
    /// the version of leastgrant that measured
    pub leastgrant: String,
    /// every claim that was as recorded
    pub holds: Vec<String>,
    /// by claim: what was seen instead of what is recorded
    pub drift: BTreeMap<String, String>,
    /// by fact of the compatibility record: what was seen
    pub facts: BTreeMap<String, String>,
}

/// Keeps a receipt in the state folder.
///
/// # Errors
/// It can't be written.
pub(super) fn receipt(state: &Path, receipt: &Receipt) -> Result<PathBuf, String> {
    let file = state.join(RECEIPTS).join(receipt.file_name());
    write(&file, receipt)?;
    Ok(file)
}

/// Keeps what this version does as the record of this machine.
///
/// # Errors
/// It can't be written.
pub(super) fn record(state: &Path, receipt: &Receipt) -> Result<PathBuf, String> {
    let rows = || receipt.rows.iter();
    let local = Local {
        agent: receipt.agent.id.clone(),
        version: receipt.agent.version.clone(),
        os: receipt.machine.os.clone(),
        date: receipt.date.clone(),
        leastgrant: receipt.leastgrant.clone(),
        holds: rows().filter(|row| row.holds()).map(|row| row.claim.clone()).collect(),
        drift: receipt.drift().map(|row| (row.claim.clone(), row.observed.clone())).collect(),
        facts: rows().filter_map(|row| Some((row.fact.clone()?, row.observed.clone()))).collect(),
    };
    let file = state.join(RECORDS).join(format!("{}.json", local.agent));
    write(&file, &local)?;
    Ok(file)
}

/// The record of this machine on an agent; none where nothing was recorded or it can't be read.
#[must_use]
pub fn local(state: &Path, agent: &str) -> Option<Local> {
    read(&state.join(RECORDS).join(format!("{agent}.json")))
}

/// Live runs that a record may rest on: receipts that came with this program, and those of this machine. Only a run in
/// which every claim held, without a network, proves anything.
#[must_use]
pub fn proofs(state: Option<&Path>) -> Vec<Proof> {
    let folder = state.map(|state| state.join(RECEIPTS));
    let here = folder.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().filter_map(Result::ok);
    let here: Vec<(String, Receipt)> = here
        .filter_map(|entry| Some((entry.file_name().to_string_lossy().into_owned(), read::<Receipt>(&entry.path())?)))
        .collect();
    let ours = receipt::kept().into_iter().map(|(name, receipt)| (format!("live/receipts/{name}"), receipt));
    ours.chain(here).filter_map(|(name, receipt)| proof(name, &receipt)).collect()
}

fn proof(name: String, receipt: &Receipt) -> Option<Proof> {
    let whole = receipt.drift().next().is_none() && !receipt.rows.is_empty();
    let alone = receipt.machine.isolation == leastgrant_live::isolate::Isolation::Namespace.id();
    if !whole || !alone {
        return None;
    }
    let product = receipt.rows.iter().filter(|row| row.claim.starts_with("product.")).count();
    if product == 0 {
        return None;
    }
    Some(Proof {
        agent: receipt.agent.id.clone(),
        version: Versions::try_from(receipt.agent.version.clone()).ok()?,
        os: receipt.machine.os.clone(),
        date: receipt.date.clone(),
        what: format!(
            "leastgrant was installed into the real agent and driven through {} sessions by a scripted model without a network; every one of {} claims was seen to hold, {product} of them on the installed product",
            receipt.rows.len(),
            receipt.rows.len(),
        ),
        receipt: name,
    })
}

/// Writes a value as JSON for people.
///
/// # Errors
/// It can't be written.
pub(super) fn write<T: Serialize>(file: &Path, value: &T) -> Result<(), String> {
    let words = |error: std::io::Error| format!("`{}`: {error}", file.display());
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(words)?;
    }
    std::fs::write(file, text + "\n").map_err(words)
}

fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Option<T> {
    let size = std::fs::metadata(file).ok()?.len();
    let text = (size <= MOST).then(|| std::fs::read(file).ok()).flatten()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use leastgrant_live::receipt::{Agent, Machine, Row};

    use super::*;

    fn receipt() -> Receipt {
        let row = |claim: &str| Row {
            claim: claim.to_owned(),
            fact: Some(format!("{claim}/fact")),
            observed: String::from("held"),
            ..Row::default()
        };
        Receipt {
            format: receipt::FORMAT,
            agent: Agent { id: String::from("claude-code"), version: String::from("2.1.332"), sha256: String::new() },
            leastgrant: String::from("0.1.0"),
            machine: Machine {
                os: String::from("linux"),
                kernel: String::new(),
                arch: String::from("x86_64"),
                isolation: String::from("network namespace"),
            },
            date: String::from("2026-12-01"),
            seconds: 1.0,
            rows: vec![row("product.session"), row("deny.default")],
        }
    }

    #[test]
    fn a_proof_needs_every_claim_the_product_and_no_network() {
        let good = receipt();
        let proof = |receipt: &Receipt| proof(String::from("r"), receipt);
        assert_eq!(proof(&good).unwrap().version.ends(), ["2.1.332"]);
        let mut drift = good.clone();
        drift.rows[1].drift.push(String::from("otherwise"));
        assert_eq!(proof(&drift), None, "drift");
        let mut open = good.clone();
        open.machine.isolation = String::from("not isolated");
        assert_eq!(proof(&open), None, "a network");
        let mut probes = good;
        probes.rows.remove(0);
        assert_eq!(proof(&probes), None, "probes alone");
    }

    #[test]
    fn what_was_recorded_is_read_again() {
        let state = tempfile::tempdir().unwrap();
        let mut seen = receipt();
        seen.rows[1].drift.push(String::from("otherwise"));
        super::receipt(state.path(), &seen).unwrap();
        record(state.path(), &seen).unwrap();
        let local = local(state.path(), "claude-code").unwrap();
        assert_eq!(local.holds, ["product.session"]);
        assert_eq!(local.drift["deny.default"], "held");
        assert_eq!(local.facts["deny.default/fact"], "held");
        assert_eq!(super::local(state.path(), "codex"), None);
    }
}
