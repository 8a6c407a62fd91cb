//! What was seen of one session, held against what was expected. Only effects count as having run: a file that is there,
//! a call that reached the stub, content that came back. Silence proves nothing, so a call that was never played is drift.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::model::Log;
use crate::probe::Seen;
use crate::scenario::{Expect, Scenario, Step};
use crate::stage::{Ended, Stage};

/// One session's traces.
#[derive(Debug, Default)]
pub struct Traces {
    pub(crate) log: Log,
    pub(crate) seen: Vec<Seen>,
    pub(crate) stub: Vec<String>,
    pub(crate) ledger: Vec<Value>,
    pub(crate) journal: Vec<Value>,
    pub(crate) transcript: String,
    pub(crate) ended: Ended,
    /// id and status of doctor's checks, where it was asked
    pub(crate) doctor: Option<Vec<(String, String)>>,
}

/// A claim's two sides.
#[derive(Debug, Default)]
pub struct Compared {
    /// what should be seen, short
    pub recorded: String,
    /// what was seen, short
    pub observed: String,
    /// each difference, in words
    pub drift: Vec<String>,
}

impl Traces {
    /// Ids of calls that left an effect.
    fn ran(&self, scenario: &Scenario, stage: &Stage) -> BTreeSet<String> {
        let ran = |step: &&Step| {
            if let Some(url) = &step.navigate {
                return self.stub.contains(&format!("navigate {}", stage.fill(url)));
            }
            if let Some(label) = &step.click {
                return self.stub.contains(&format!("click {label}"));
            }
            if step.spawn.is_some() {
                return scenario.sub.iter().flatten().any(|inner| self.log.played.contains(&inner.id));
            }
            if let Some(path) = &step.made {
                return std::path::Path::new(&stage.fill(path)).exists();
            }
            let told = self.log.told.get(&step.id);
            step.shows.as_ref().is_some_and(|shown| told.is_some_and(|told| told.contains(&stage.fill(shown))))
        };
        scenario.calls().into_iter().filter(ran).map(|step| step.id.clone()).collect()
    }

    /// Ids of calls that a hook was asked about.
    fn hooked(&self, scenario: &Scenario, stage: &Stage) -> BTreeSet<String> {
        let asked = |step: &&Step| {
            let needle = needle(step, stage);
            let in_json = Value::from(needle.as_str()).to_string();
            let in_json = in_json.trim_matches('"');
            let by_probe = self.seen.iter().any(|seen| seen.stdin.contains(in_json));
            let by_product =
                self.ledger.iter().filter(|event| event.get("event").and_then(Value::as_str) == Some("call"));
            by_probe || by_product.map(Value::to_string).any(|event| event.contains(in_json))
        };
        scenario.calls().into_iter().filter(asked).map(|step| step.id.clone()).collect()
    }
}

/// A text that only this call's payload holds.
fn needle(step: &Step, stage: &Stage) -> String {
    let input = || step.input.as_ref().and_then(longest).or_else(|| step.text.clone());
    let parts = [&step.shell, &step.navigate, &step.click, &step.write, &step.read, &step.fetch, &step.spawn];
    let text = parts.into_iter().flatten().next().cloned().or_else(input).or_else(|| step.tool.clone());
    stage.fill(&text.unwrap_or_default())
}

fn longest(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Table(table) => table.values().filter_map(longest).max_by_key(String::len),
        toml::Value::Array(list) => list.iter().filter_map(longest).max_by_key(String::len),
        _ => None,
    }
}

/// Holds what was seen against what was expected.
#[must_use]
pub fn compare(scenario: &Scenario, expect: &Expect, traces: &Traces, stage: &Stage) -> Compared {
    let mut both = Sides::default();
    let ids: Vec<&str> = scenario.calls().iter().map(|step| step.id.as_str()).collect();
    let main: BTreeSet<&str> =
        scenario.turns.iter().flatten().filter(|step| step.is_call()).map(|step| step.id.as_str()).collect();
    let hangs = expect.hangs == Some(true);
    if let Some(ran) = &expect.ran {
        let seen = traces.ran(scenario, stage);
        both.side(
            calls(&ids, &|id| ran.iter().any(|ran| ran == id), "runs", "held"),
            calls(&ids, &|id| seen.contains(id), "runs", "held"),
        );
        for id in main.iter().filter(|id| !traces.log.played.contains(**id)) {
            let late = if traces.ended.late { " (its time was over)" } else { "" };
            both.drift
                .push(format!("`{id}` was never played: the session ended before{late}{}", last_words(traces, stage)));
        }
    }
    if let Some(hooked) = &expect.hooked {
        let seen = traces.hooked(scenario, stage);
        both.side(
            calls(&ids, &|id| hooked.iter().any(|hooked| hooked == id), "hook asked", "hook not asked"),
            calls(&ids, &|id| seen.contains(id), "hook asked", "hook not asked"),
        );
    }
    if expect.hangs.is_some() || traces.ended.late {
        let words = |late: bool| if late { "the agent hangs" } else { "the agent ends" };
        both.side(String::from(words(hangs)), String::from(words(traces.ended.late)));
    }
    told(expect, traces, stage, &mut both.drift);
    recorded(expect, traces, stage, &mut both);
    if let Some(code) = expect.exit
        && traces.ended.code != Some(code)
    {
        let was = traces.ended.code.map_or_else(|| String::from("a signal or its limit"), |code| code.to_string());
        both.drift.push(format!("the agent ended with {was}, expected {code}{}", last_words(traces, stage)));
    }
    for (path, text) in &expect.holds {
        if !stage.read(path).contains(&stage.fill(text)) {
            both.drift.push(format!("`{path}` does not hold `{text}`"));
        }
    }
    for (path, text) in &expect.lacks {
        if stage.read(path).contains(&stage.fill(text)) {
            both.drift.push(format!("`{path}` holds `{text}`"));
        }
    }
    if traces.log.requests == 0 && !hangs && expect.exit.is_none() {
        both.drift.push(format!("the agent never asked its model{}", last_words(traces, stage)));
    }
    both.done()
}

#[derive(Default)]
struct Sides {
    recorded: Vec<String>,
    observed: Vec<String>,
    drift: Vec<String>,
}

impl Sides {
    fn side(&mut self, recorded: String, observed: String) {
        if recorded != observed {
            self.drift.push(format!("expected `{recorded}`, saw `{observed}`"));
        }
        self.recorded.push(recorded);
        self.observed.push(observed);
    }

    fn done(mut self) -> Compared {
        if self.recorded.is_empty() {
            self.recorded.push(String::from("as described"));
            self.observed.push(String::from(if self.drift.is_empty() { "as described" } else { "otherwise" }));
        } else if self.recorded == self.observed && !self.drift.is_empty() {
            self.observed.push(String::from("but not all as described"));
        }
        Compared { recorded: self.recorded.join("; "), observed: self.observed.join("; "), drift: self.drift }
    }
}

/// `runs` where all do, `held` where none does, the ids where some do.
fn calls(ids: &[&str], did: &dyn Fn(&str) -> bool, yes: &str, no: &str) -> String {
    let of = |wanted: bool| ids.iter().filter(|id| did(id) == wanted).copied().collect::<Vec<_>>().join(", ");
    match (of(true), of(false)) {
        (did, left) if left.is_empty() && !did.is_empty() => yes.to_owned(),
        (did, _) if did.is_empty() => no.to_owned(),
        (did, left) => format!("{yes}: {did}; {no}: {left}"),
    }
}

fn told(expect: &Expect, traces: &Traces, stage: &Stage, drift: &mut Vec<String>) {
    let empty = String::new();
    for (id, texts) in &expect.told {
        let told = traces.log.told.get(id).unwrap_or(&empty);
        for text in texts.list().iter().filter(|text| !told.contains(&stage.fill(text))) {
            drift.push(format!("the model was not told `{text}` about `{id}`, but `{}`", cut(&stage.clean(told))));
        }
    }
    for (id, texts) in &expect.untold {
        let told = traces.log.told.get(id).unwrap_or(&empty);
        for text in texts.list().iter().filter(|text| told.contains(&stage.fill(text))) {
            drift.push(format!("the model was told `{text}` about `{id}`"));
        }
    }
}

/// What stands in the stub's log, the ledger, the journal, the agent's own record and doctor's report.
fn recorded(expect: &Expect, traces: &Traces, stage: &Stage, both: &mut Sides) {
    if let Some(stub) = &expect.stub {
        let expected: Vec<String> = stub.iter().map(|line| stage.fill(line)).collect();
        if expected != traces.stub {
            both.drift.push(format!(
                "the stub received [{}], expected [{}]",
                cut(&traces.stub.join(", ")),
                expected.join(", ")
            ));
        }
    }
    for wanted in &expect.ledger {
        let wanted = filled(wanted, stage);
        if !traces.ledger.iter().any(|event| holds(event, &wanted)) {
            both.drift.push(format!("no line of the ledger holds {wanted}; it has {}", brief(&traces.ledger)));
        }
    }
    if let Some(journal) = &expect.journal {
        let same = journal.len() == traces.journal.len()
            && journal.iter().zip(&traces.journal).all(|(wanted, event)| holds(event, &filled(wanted, stage)));
        if !same {
            let lines: Vec<String> = traces.journal.iter().map(|event| stage.clean(&event.to_string())).collect();
            both.drift.push(format!(
                "the journal holds {} events [{}], expected {}",
                lines.len(),
                lines.join(", "),
                journal.len()
            ));
        }
    }
    for text in expect.transcript.iter().map(|text| stage.fill(text)).filter(|text| !traces.transcript.contains(text)) {
        both.drift.push(format!("the session's record does not hold `{text}`"));
    }
    for text in expect.said.iter().map(|text| stage.fill(text)) {
        let in_json = Value::from(text.as_str()).to_string();
        if !traces.ended.stdout.contains(&text) && !traces.ended.stdout.contains(in_json.trim_matches('"')) {
            both.drift.push(format!("the agent did not say `{text}`{}", last_words(traces, stage)));
        }
    }
    if let Some(checks) = &traces.doctor {
        let bad: BTreeMap<&str, &str> = checks
            .iter()
            .filter(|(_, status)| status == "bad")
            .map(|(id, status)| (id.as_str(), status.as_str()))
            .collect();
        let list = bad.keys().copied().collect::<Vec<_>>().join(", ");
        for id in expect.doctor.iter().filter(|id| !bad.keys().any(|bad| bad.starts_with(id.as_str()))) {
            both.drift.push(format!("doctor does not report `{id}` as bad; bad are: [{list}]"));
        }
        if expect.doctor_ok == Some(true) && !bad.is_empty() {
            both.drift.push(format!("doctor reports as bad: [{list}]"));
        }
        if !expect.doctor.is_empty() {
            let says = |is: bool| String::from(if is { "doctor reports it" } else { "doctor is content" });
            both.side(
                says(true),
                says(expect.doctor.iter().all(|id| bad.keys().any(|bad| bad.starts_with(id.as_str())))),
            );
        }
    }
}

fn filled(table: &toml::Table, stage: &Stage) -> Value {
    let value = serde_json::to_value(table).unwrap_or_default();
    serde_json::from_str(&stage.fill(&value.to_string())).unwrap_or(value)
}

/// Whether `event` has all of `wanted`: texts by containing, lists by holding each.
fn holds(event: &Value, wanted: &Value) -> bool {
    match (event, wanted) {
        (Value::Object(event), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| event.get(key).is_some_and(|value| holds(value, wanted)))
        }
        (Value::Array(event), Value::Array(wanted)) => {
            wanted.iter().all(|wanted| event.iter().any(|value| holds(value, wanted)))
        }
        (Value::String(event), Value::String(wanted)) => event.contains(wanted.as_str()),
        (event, wanted) => event == wanted,
    }
}

fn brief(ledger: &[Value]) -> String {
    let word = |event: &Value, key: &str| event.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
    let lines: Vec<String> = ledger
        .iter()
        .filter(|event| event.get("decision").is_some())
        .map(|event| {
            format!(
                "{} {}/{} {}",
                word(event, "tool"),
                word(event, "decision"),
                word(event, "answer"),
                event.get("floors").unwrap_or(&Value::Null)
            )
        })
        .collect();
    format!("[{}]", lines.join(", "))
}

fn last_words(traces: &Traces, stage: &Stage) -> String {
    let text =
        [&traces.ended.stderr, &traces.ended.stdout].into_iter().map(|text| text.trim()).find(|text| !text.is_empty());
    text.map_or_else(String::new, |text| {
        let from = text.char_indices().rev().nth(299).map_or(0, |(at, _)| at);
        format!("; its last words: `{}`", stage.clean(text.get(from..).unwrap_or_default()))
    })
}

fn cut(text: &str) -> String {
    if text.chars().count() > 300 { text.chars().take(300).chain("…".chars()).collect() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_none_and_some() {
        let ids = ["a", "b"];
        assert_eq!(calls(&ids, &|_| true, "runs", "held"), "runs");
        assert_eq!(calls(&ids, &|_| false, "runs", "held"), "held");
        assert_eq!(calls(&ids, &|id| id == "a", "runs", "held"), "runs: a; held: b");
    }

    #[test]
    fn a_line_is_held_against_what_is_given_of_it() {
        let event = serde_json::json!({"decision": "deny", "floors": ["a.b", "c"], "note": "long text"});
        assert!(holds(&event, &serde_json::json!({"decision": "deny", "floors": ["a.b"], "note": "text"})));
        assert!(!holds(&event, &serde_json::json!({"decision": "ask"})));
    }
}
