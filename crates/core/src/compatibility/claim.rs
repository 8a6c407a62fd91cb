//! Whether a record claims more than its evidence. The walk is over the written form, so that no fact can be left out of
//! it by being added in a new place.

use serde_json::{Map, Value};

use super::{Record, Run, Versions};

/// Words that say how strong something is, by the key that holds them; in a fact about a gate the value itself is one.
const STRENGTHS: [&str; 2] = ["worth", "seen"];
const GATES: [&str; 3] = ["closed", "open", "unknown"];

/// Every claim of a record that is stronger than its evidence; none is the answer wanted.
#[must_use]
pub fn faults(record: &Record) -> Vec<String> {
    let mut faults = Vec::new();
    match serde_json::to_value(record) {
        Ok(value) => walk(record, &value, record.id.clone(), &mut faults),
        Err(error) => faults.push(format!("{}: {error}", record.id)),
    }
    let runs = &record.verification;
    for (name, one) in [
        ("live", &runs.live),
        ("transport", &runs.transport),
        ("contract", &runs.contract),
        ("conformance", &runs.conformance),
    ] {
        let place = format!("{}.verification.{name}", record.id);
        faults.extend(run(record, name, one).into_iter().map(|fault| format!("{place}: {fault}")));
    }
    let measured = &record.measured;
    if measured.os.iter().any(|os| measured.not_on.contains(os)) {
        faults.push(format!("{}.measured: a system is in `os` and in `not_on`", record.id));
    }
    if measured.versions.is_some() == measured.os.is_empty() || measured.versions.is_some() != measured.date.is_some() {
        faults.push(format!("{}.measured: `versions`, `os` and `date` are said together or not at all", record.id));
    }
    faults
}

/// The same over all records, and against the agents that the program has an adapter for.
#[must_use]
pub fn faults_between(records: &[Record], adapters: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = records.iter().flat_map(faults).collect();
    for adapter in adapters {
        if !records.iter().any(|record| record.id == *adapter) {
            found.push(format!("there is an adapter for `{adapter}` and no record"));
        }
    }
    for record in records.iter().filter(|record| !adapters.contains(&record.id.as_str())) {
        for (name, one) in [("live", &record.verification.live), ("conformance", &record.verification.conformance)] {
            if one.done {
                found.push(format!("{}.verification.{name}: it is done, and there is no adapter", record.id));
            }
        }
    }
    found
}

fn walk(record: &Record, value: &Value, place: String, faults: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            if let Some(fault) = fact(record, map) {
                faults.push(format!("{place}: {fault}"));
            }
            for (key, value) in map {
                walk(record, value, format!("{place}.{key}"), faults);
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                walk(record, value, format!("{place}[{at}]"), faults);
            }
        }
        _ => {}
    }
}

fn fact(record: &Record, map: &Map<String, Value>) -> Option<String> {
    let evidence = map.get("evidence")?.as_str()?;
    let value = map.get("value")?;
    let text = |key: &str| map.get(key).and_then(Value::as_str);
    let (version, os, date) = (text("version"), text("os"), text("date"));
    if value.as_str().is_some_and(|value| value.trim().is_empty()) {
        return Some(String::from("it says nothing"));
    }
    if matches!(evidence, "probe" | "source") {
        let (Some(version), Some(os), Some(date)) = (version, os, date) else {
            return Some(format!("`{evidence}` without version, os and date"));
        };
        if !record.measured.os.iter().any(|measured| measured == os) {
            return Some(format!("`{evidence}` on `{os}`, where nothing was measured"));
        }
        let seen = Versions::try_from(version.to_owned()).ok();
        let within = seen.zip(record.measured.versions.as_ref()).is_some_and(|(seen, all)| all.contain(&seen));
        if !within {
            return Some(format!("`{evidence}` on version {version}, which is not among the measured ones"));
        }
        if !is_day(date) {
            return Some(format!("`{date}` is no day"));
        }
    }
    if evidence == "unknown" && (version.is_some() || os.is_some() || date.is_some()) {
        return Some(String::from("`unknown` with a version, a system or a day"));
    }
    let strength = STRENGTHS.iter().find_map(|key| value.get(key)?.as_str());
    let gate = value.as_str().filter(|word| GATES.contains(word));
    let word = strength.or(gate)?;
    match (evidence == "unknown", word == "unknown") {
        (true, false) => Some(format!("`{word}` without any evidence")),
        (false, true) => Some(format!("`unknown`, graded `{evidence}`")),
        _ => None,
    }
}

fn run(record: &Record, name: &str, run: &Run) -> Option<String> {
    let told = run.version.is_some() && run.os.is_some() && run.date.as_deref().is_some_and(is_day);
    if run.what.trim().is_empty() {
        return Some(String::from("it says neither what was done nor why not"));
    }
    if !run.done {
        let said = run.version.is_some() || run.os.is_some() || run.date.is_some() || run.receipt.is_some();
        return said.then(|| String::from("it is not done, and names a version, a system, a day or a receipt"));
    }
    if !told {
        return Some(String::from("it is done without version, os and date"));
    }
    if name == "live" && run.receipt.is_none() {
        return Some(String::from("a live run without a receipt"));
    }
    // our side of the contract runs without the agent
    if name == "conformance" {
        return None;
    }
    let there = run.os.as_ref().is_some_and(|os| record.measured.os.contains(os));
    let within = run.version.as_ref().zip(record.measured.versions.as_ref()).is_some_and(|(run, all)| all.contain(run));
    (!there || !within).then(|| String::from("it was done where nothing was measured"))
}

/// `2026-11-30`.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |text: &str, digits: usize, most: u32| {
        text.len() == digits && text.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
    };
    matches!(parts.as_slice(), [year, month, day] if number(year, 4, 9999) && number(month, 2, 12) && number(day, 2, 31))
}
