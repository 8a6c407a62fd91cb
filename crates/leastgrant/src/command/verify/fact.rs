//! What the compatibility record says of the fact that a scenario re-measures, and what must therefore be seen. A fact
//! that the record calls unknown decides nothing: the scenario's own expectation stands.
//!
//! `channel/allow` · `channel/ask/<attendance>/<mode>` · `channel/deny?<words of the form>` ·
//! `failures/<kind>/<bare or wired>?<words of how>` · `coverage/<surface>?<words>` · `off/<form>/<name>`

use leastgrant_core::channel::{Allow, Ask};
use leastgrant_core::compatibility::{self, Failure, Gate, Record, Seen, WhoIsThere, on};
use leastgrant_live::scenario::Recorded;

/// The record's word on a fact of an agent's version.
pub(super) fn recorded(agent: &str, fact: &str, version: &str) -> Option<Recorded> {
    of(compatibility::of(agent)?, fact, version)
}

fn of(record: &Record, fact: &str, version: &str) -> Option<Recorded> {
    let (path, words) = fact.split_once('?').unwrap_or((fact, ""));
    let version = Some(version);
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["channel", "allow"] => {
            let said = on(&record.channel.allow, version);
            said.iter().find(|said| said.value.what.contains(words)).map(|said| allow(said.value.worth))
        }
        ["channel", "ask", there, mode] => {
            let there = if *there == "attended" { WhoIsThere::Attended } else { WhoIsThere::Unattended };
            let said = on(&record.channel.ask, version);
            let fits = said.iter().find(|said| {
                let modes = &said.value.modes;
                said.value.attendance == there && (modes.is_empty() || modes.iter().any(|one| one == mode))
            });
            fits.map(|said| ask(said.value.worth))
        }
        ["channel", "deny"] => {
            let forms = on(&record.channel.deny.forms, version);
            let form = forms.iter().find(|form| form.value.form.contains(words))?;
            let holds = form.value.holds;
            Some(Recorded { ran: Some(!holds), ..word(if holds { "holds" } else { "does not hold" }) })
        }
        ["failures", kind, side] => {
            let kind = |failure: &&Failure| id(&failure.kind).as_deref() == Some(*kind);
            let failure = record.failures.iter().filter(kind).find(|failure| failure.how.contains(words))?;
            let said = on(if *side == "wired" { &failure.wired } else { &failure.bare }, version);
            said.first().map(|said| gate(said.value))
        }
        ["coverage", surface] => {
            let said = on(&record.coverage, version);
            let of = |said: &&&compatibility::Fact<compatibility::Coverage>| {
                id(&said.value.surface).as_deref() == Some(*surface) && said.value.what.contains(words)
            };
            let gated = said.iter().find(of)?.value.seen == Seen::Gated;
            Some(Recorded { hooked: Some(gated), ..word(if gated { "gated" } else { "not gated" }) })
        }
        ["off", form, name] => {
            let said = on(&record.off_switches, version);
            let hooks = said
                .iter()
                .any(|said| said.value.form == *form && said.value.name == *name && said.value.effect == "hooks");
            hooks.then(|| Recorded { hooked: Some(false), ..word("off") })
        }
        _ => None,
    }
}

fn word(word: &str) -> Recorded {
    Recorded { word: word.to_owned(), ..Recorded::default() }
}

fn allow(worth: Allow) -> Recorded {
    let ran = match worth {
        Allow::Grants | Allow::Overrides => Some(true),
        Allow::Advisory | Allow::Passes => Some(false),
        Allow::Unknown => None,
    };
    Recorded { ran, ..word(&id(&worth).unwrap_or_default()) }
}

fn ask(worth: Ask) -> Recorded {
    let (ran, hangs) = match worth {
        Ask::Refuses => (Some(false), None),
        Ask::Hangs => (Some(false), Some(true)),
        Ask::Passes => (Some(true), None),
        // a prompt is for a person, and there is none in a scripted session
        Ask::Prompts | Ask::None | Ask::Unknown => (None, None),
    };
    Recorded { ran, hangs, ..word(&id(&worth).unwrap_or_default()) }
}

fn gate(gate: Gate) -> Recorded {
    let ran = match gate {
        Gate::Open => Some(true),
        Gate::Closed => Some(false),
        Gate::Unknown => None,
    };
    Recorded { ran, ..word(&id(&gate).unwrap_or_default()) }
}

/// A word of the record as it is spelled there.
fn id<T: serde::Serialize>(word: &T) -> Option<String> {
    serde_json::to_value(word).ok()?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Agents with the versions on which they were measured.
    const MEASURED: [(&str, &str); 7] = [
        ("claude-code", "2.1.332"),
        ("claude-code", "2.1.197"),
        ("codex", "0.171.0"),
        ("gemini-cli", "0.61.0"),
        ("qwen-code", "0.15.10"),
        ("copilot", "1.0.102"),
        ("opencode", "1.18.33"),
    ];

    #[test]
    fn every_fact_is_in_its_record_and_says_what_the_scenario_expects() {
        for (agent, version) in MEASURED {
            for scenario in leastgrant_live::scenario::of(agent).unwrap() {
                let Some(fact) = scenario.fact.as_deref().filter(|_| scenario.applies(version)) else { continue };
                let claim = scenario.claim.as_str();
                let recorded = recorded(agent, fact, version).unwrap_or_else(|| panic!("{agent} {claim}: no `{fact}`"));
                let by_record = scenario.expected_by(version, Some(&recorded));
                assert_eq!(by_record, scenario.expected(version), "{agent} {version} {claim}: the record has changed");
            }
        }
    }

    #[test]
    fn a_record_that_says_otherwise_changes_what_is_expected() {
        let mut record = compatibility::of("claude-code").unwrap().clone();
        for failure in &mut record.failures {
            for fact in &mut failure.bare {
                fact.value = Gate::Closed;
            }
        }
        let recorded = of(&record, "failures/crash/bare", "2.1.332").unwrap();
        assert_eq!((recorded.word.as_str(), recorded.ran), ("closed", Some(false)));
        assert_eq!(of(&record, "failures/nothing/bare", "2.1.332"), None);
    }
}
