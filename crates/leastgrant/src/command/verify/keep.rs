//! Where proofs are kept: receipts in our state folder and, for the versions that CI pins, in the repository; and the
//! record of this machine, which says what the installed version was seen to do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use leastgrant_core::compatibility::{Proof, Versions};
use leastgrant_live::receipt::{self, Receipt, Row};
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
/// which every claim held, some of them on the installed product, without a network, proves anything. Runs of several
/// versions on one day are one proof.
#[must_use]
pub fn proofs(state: Option<&Path>) -> Vec<Proof> {
    let folder = state.map(|state| state.join(RECEIPTS));
    let here = folder.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().filter_map(Result::ok);
    let here: Vec<(String, Receipt)> = here
        .filter_map(|entry| Some((entry.file_name().to_string_lossy().into_owned(), read::<Receipt>(&entry.path())?)))
        .collect();
    let ours = receipt::kept().into_iter().map(|(name, receipt)| (format!("live/receipts/{name}"), receipt));
    let mut days: BTreeMap<(String, String, String), Vec<(String, Receipt)>> = BTreeMap::new();
    for (name, receipt) in ours.chain(here).filter(|(_, receipt)| proves(receipt)) {
        let day = (receipt.agent.id.clone(), receipt.machine.os.clone(), receipt.date.clone());
        let of_day = days.entry(day).or_default();
        if !of_day.iter().any(|(_, other)| other.agent.version == receipt.agent.version) {
            of_day.push((name, receipt));
        }
    }
    days.into_iter().filter_map(|((agent, os, date), receipts)| proof(agent, os, date, &receipts)).collect()
}

fn proves(receipt: &Receipt) -> bool {
    let alone = receipt.machine.isolation == leastgrant_live::isolate::Isolation::Namespace.id();
    alone && receipt.drift().next().is_none() && receipt.rows.iter().any(product)
}

fn product(row: &Row) -> bool {
    row.claim.starts_with("product.")
}

fn proof(agent: String, os: String, date: String, receipts: &[(String, Receipt)]) -> Option<Proof> {
    let join = |part: &dyn Fn(&(String, Receipt)) -> String| receipts.iter().map(part).collect::<Vec<_>>().join(", ");
    let most = receipts.iter().map(|(_, receipt)| receipt).max_by_key(|receipt| receipt.rows.len())?;
    Some(Proof {
        agent,
        version: Versions::try_from(join(&|(_, receipt)| receipt.agent.version.clone())).ok()?,
        os,
        date,
        what: format!(
            "leastgrant drove the real agent through {} sessions, with a scripted model, a stub MCP server and no network; every claim was seen to hold, also with leastgrant installed into it: what it refused did not run, and the ledger had it",
            most.rows.len(),
        ),
        receipt: join(&|(name, _)| name.clone()),
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
    use leastgrant_live::receipt::{Agent, Machine};

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
        assert!(proves(&good));
        let mut drift = good.clone();
        drift.rows[1].drift.push(String::from("otherwise"));
        assert!(!proves(&drift), "drift");
        let mut open = good.clone();
        open.machine.isolation = String::from("not isolated");
        assert!(!proves(&open), "a network");
        let mut probes = good;
        probes.rows.remove(0);
        assert!(!proves(&probes), "probes alone");
    }

    #[test]
    fn versions_of_one_day_are_one_proof() {
        let state = tempfile::tempdir().unwrap();
        for version in ["9.1.0", "9.2.0"] {
            let mut seen = receipt();
            version.clone_into(&mut seen.agent.version);
            seen.date = String::from("2999-01-01");
            super::receipt(state.path(), &seen).unwrap();
        }
        let proofs = proofs(Some(state.path()));
        let of_day: Vec<&Proof> = proofs.iter().filter(|proof| proof.date == "2999-01-01").collect();
        let [proof] = of_day.as_slice() else { panic!("{of_day:?}") };
        assert_eq!(proof.version.ends(), ["9.1.0", "9.2.0"]);
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
