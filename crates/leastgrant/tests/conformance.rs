//! The conformance suite: every adapter with its own messages, through the real hook process, against what its
//! compatibility record says. `cargo test -p leastgrant --test conformance -- --nocapture` prints the table.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "helpers of tests, and a table that people want to see"
)]

#[path = "conformance/control_files.rs"]
mod control_files;
#[path = "conformance/dialect.rs"]
mod dialect;
#[path = "conformance/fixtures.rs"]
mod fixtures;
#[path = "conformance/hostile.rs"]
mod hostile;
#[path = "conformance/later_input.rs"]
mod later_input;
#[path = "conformance/plugin.rs"]
mod plugin;
#[path = "conformance/stage.rs"]
mod stage;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dialect::{Dialect, Kind, Sent, calls};
use leastgrant_core::channel::{Allow, Ask, Channel, Silence, of};
use leastgrant_core::verdict::Decision;
use stage::{Stage, Word};

/// Tries one property on one agent.
type Property = fn(&Dialect, &mut Cases);

/// What is held against every agent.
const PROPERTIES: &[(&str, Property)] = &[
    ("secret", secrets_are_never_allowed),
    ("floor", floors_are_never_weakened),
    ("integrity", integrity_floors_are_always_refused),
    ("opaque", what_is_not_understood_is_held),
    ("words", only_words_of_the_record_are_written),
    ("foreign", foreign_events_are_never_allowed),
    ("broken", broken_messages_are_refused),
    ("post", a_post_event_alone_teaches_nothing),
    ("plain", plain_work_is_not_held),
];

/// How many cases a property was tried on, and what failed.
#[derive(Default)]
pub(crate) struct Cases {
    tried: usize,
    failed: Vec<String>,
}

impl Cases {
    pub(crate) fn check(&mut self, good: bool, about: impl FnOnce() -> String) {
        self.tried += 1;
        if !good {
            self.failed.push(about());
        }
    }
}

#[test]
fn every_adapter_keeps_every_property() {
    let dialects = Dialect::all();
    let mut table = format!("{:<12}", "");
    for (name, _) in PROPERTIES {
        let _ = write!(table, "{name:>11}");
    }
    let mut failed = Vec::new();
    let rows: Vec<(String, Vec<Cases>)> = std::thread::scope(|scope| {
        let running: Vec<_> = dialects
            .iter()
            .map(|dialect| {
                scope.spawn(move || {
                    let tried = |(_, property): &(&str, fn(&Dialect, &mut Cases))| {
                        let mut cases = Cases::default();
                        property(dialect, &mut cases);
                        cases
                    };
                    (dialect.id.clone(), PROPERTIES.iter().map(tried).collect())
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (id, row) in rows {
        let _ = write!(table, "\n{id:<12}");
        for (cases, (name, _)) in row.iter().zip(PROPERTIES) {
            assert!(cases.tried > 0, "{id}: nothing was tried for `{name}`");
            let said = if cases.failed.is_empty() { "holds" } else { "FAILS" };
            let _ = write!(table, "{:>11}", format!("{said} {}", cases.tried));
            failed.extend(cases.failed.iter().map(|why| format!("{id} {name}: {why}")));
        }
    }
    println!("{table}");
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    insta::assert_snapshot!("table", table);
}

/// Whether an ask may be written where nobody said whether a person is there.
fn may_ask(channel: &Channel, attended: bool) -> bool {
    channel.ask_attended == Ask::Prompts && (attended || channel.ask_unattended == Ask::Refuses)
}

/// The stages on which a property is tried: without bundles and with them, and with every silence that a posture gives.
fn stages(dialect: &Dialect) -> Vec<(&'static str, Stage)> {
    vec![
        ("bundles", Stage::new(dialect).accepting()),
        ("autopilot", Stage::new(dialect).accepting().posture("autopilot")),
        ("strict", Stage::new(dialect).posture("strict")),
    ]
}

fn held(dialect: &Dialect, kind: Kind, cases: &mut Cases) {
    let channel = of(&dialect.id).expect("every adapter has a record");
    for (name, stage) in stages(dialect) {
        for mode in dialect.modes() {
            for sent in calls(dialect, kind, &stage) {
                let word = stage.hook(&sent.message(dialect, &stage, mode));
                let good = match word {
                    Word::Deny => true,
                    Word::Ask => may_ask(channel, stage.attended()),
                    _ => false,
                };
                cases.check(good, || format!("{name} {mode}: {word:?} for {sent:?}"));
            }
        }
    }
}

fn secrets_are_never_allowed(dialect: &Dialect, cases: &mut Cases) {
    held(dialect, Kind::Secret, cases);
}

fn floors_are_never_weakened(dialect: &Dialect, cases: &mut Cases) {
    held(dialect, Kind::Floor, cases);
}

fn integrity_floors_are_always_refused(dialect: &Dialect, cases: &mut Cases) {
    for (name, stage) in [
        ("bundles", Stage::new(dialect).accepting()),
        ("observe", Stage::new(dialect).accepting().posture("observe")),
        ("autopilot", Stage::new(dialect).accepting().posture("autopilot")),
    ] {
        for mode in dialect.modes() {
            for sent in calls(dialect, Kind::Integrity, &stage) {
                let word = stage.hook(&sent.message(dialect, &stage, mode));
                cases.check(word == Word::Deny, || format!("{name} {mode}: {word:?} for {sent:?}"));
            }
        }
    }
}

fn what_is_not_understood_is_held(dialect: &Dialect, cases: &mut Cases) {
    let channel = of(&dialect.id).unwrap();
    let stage = Stage::new(dialect).accepting();
    for mode in dialect.modes() {
        for sent in calls(dialect, Kind::Opaque, &stage) {
            let word = stage.hook(&sent.message(dialect, &stage, mode));
            let good = word == Word::Deny || (word == Word::Ask && may_ask(channel, stage.attended()));
            cases.check(good, || format!("{mode}: {word:?} for {sent:?}"));
        }
    }
}

/// Whatever is judged, only what the record gives a worth is written; the form is checked when the answer is read.
fn only_words_of_the_record_are_written(dialect: &Dialect, cases: &mut Cases) {
    let channel = of(&dialect.id).unwrap();
    for (name, stage) in [
        ("bundles", Stage::new(dialect).accepting()),
        ("rule", Stage::new(dialect).accepting().ruled("allow", "git status")),
    ] {
        for mode in dialect.modes() {
            for kind in [Kind::Plain, Kind::Open, Kind::Opaque, Kind::Floor] {
                for sent in calls(dialect, kind, &stage) {
                    let word = stage.hook(&sent.message(dialect, &stage, mode));
                    let good = match word {
                        Word::Deny => true,
                        Word::Ask => may_ask(channel, stage.attended()),
                        Word::Allow => match channel.allow {
                            Allow::Grants => kind == Kind::Plain || name == "rule",
                            Allow::Overrides => name == "rule",
                            Allow::Advisory | Allow::Passes | Allow::Unknown => false,
                        },
                        // no opinion is one only where the agent then decides for itself
                        Word::Pass | Word::Silent => {
                            kind == Kind::Plain || name == "rule" || channel.silence == Silence::Defers
                        }
                    };
                    cases.check(good, || format!("{name} {mode}: {word:?} for {sent:?}"));
                }
            }
        }
    }
}

/// An answer that always holds would keep every other property: plain work passes, in the best word that the record has.
fn plain_work_is_not_held(dialect: &Dialect, cases: &mut Cases) {
    let channel = of(&dialect.id).unwrap();
    let bundles = Stage::new(dialect).accepting();
    let ruled = Stage::new(dialect).accepting().ruled("allow", "git status");
    for (stage, ruled) in [(&bundles, false), (&ruled, true)] {
        for sent in calls(dialect, Kind::Plain, stage) {
            let word = stage.hook(&sent.message(dialect, stage, dialect.modes()[0]));
            let best = match channel.allow {
                Allow::Grants => Word::Allow,
                Allow::Overrides if ruled && sent.say == ["git status"] => Word::Allow,
                _ if dialect.pass.is_some() => Word::Pass,
                _ => Word::Silent,
            };
            cases.check(word == best, || format!("{word:?} and not {best:?} for {sent:?}"));
        }
    }
}

fn foreign_events_are_never_allowed(dialect: &Dialect, cases: &mut Cases) {
    let stage = Stage::new(dialect).accepting();
    for (about, message) in hostile::foreign(dialect, &stage) {
        let word = stage.hook(&message);
        let calls = about.starts_with("with a call");
        let good = if calls { word == Word::Deny } else { matches!(word, Word::Deny | Word::Silent) };
        cases.check(good, || format!("{word:?} for an event {about}"));
    }
}

fn broken_messages_are_refused(dialect: &Dialect, cases: &mut Cases) {
    let stage = Stage::new(dialect).accepting();
    for (about, message) in hostile::broken(dialect, &stage) {
        let word = stage.hook(&message);
        cases.check(matches!(word, Word::Deny | Word::Ask), || format!("{word:?} for a message that is {about}"));
    }
}

fn a_post_event_alone_teaches_nothing(dialect: &Dialect, cases: &mut Cases) {
    for kind in [Kind::Open, Kind::Floor, Kind::Opaque] {
        let fresh = Stage::new(dialect).accepting();
        let told = Stage::new(dialect).accepting();
        for (sent, same) in calls(dialect, kind, &fresh).into_iter().zip(calls(dialect, kind, &told)) {
            for _ in 0..5 {
                told.hook(&same.over(dialect, &told));
            }
            let mode = dialect.modes()[0];
            let (before, after) =
                (fresh.hook(&sent.message(dialect, &fresh, mode)), told.hook(&same.message(dialect, &told, mode)));
            cases.check(before == after, || format!("{before:?} became {after:?} for {sent:?}"));
        }
    }
}

/// What core makes of a call does not depend on who sent it.
#[test]
fn the_same_call_is_judged_the_same_through_every_adapter() {
    let dialects = Dialect::all();
    let mut compared = 0;
    for kind in Kind::ALL {
        let mut said: BTreeMap<(String, String), BTreeMap<String, Vec<String>>> = BTreeMap::new();
        for dialect in &dialects {
            let stage = Stage::new(dialect).accepting();
            for sent in calls(dialect, *kind, &stage) {
                // a patch is a write where the agent has no other way, and tools without a common meaning are left out
                let Sent { kind: call, say, .. } = &sent;
                if !["shell", "read", "write", "fetch", "mcp", "grep"].contains(&call.as_str()) {
                    continue;
                }
                let verdict = stage.judged(&sent.message(dialect, &stage, dialect.modes()[0]));
                let told = (call.clone(), stage.plain(&say.join(" ")));
                said.entry(told).or_default().entry(verdict).or_default().push(dialect.id.clone());
            }
        }
        for ((call, say), verdicts) in said {
            compared += 1;
            assert_eq!(verdicts.len(), 1, "{call} {say}: {verdicts:#?}");
        }
    }
    assert!(compared > 15, "only {compared} calls were compared");
}

/// Two denies and an allow say nothing about a record that nobody has: every adapter has one, and every record an adapter.
#[test]
fn adapters_and_records_are_the_same_set() {
    let mut adapters: Vec<&str> = leastgrant::agent::ALL.iter().map(|agent| agent.id()).collect();
    let mut records: Vec<&str> = leastgrant_core::control::RECORDS.iter().map(|record| record.id).collect();
    let mut dialects: Vec<String> = Dialect::all().into_iter().map(|dialect| dialect.id).collect();
    adapters.sort_unstable();
    records.sort_unstable();
    dialects.sort_unstable();
    assert_eq!(adapters, records);
    assert_eq!(adapters, dialects);
    assert!(adapters.iter().all(|id| of(id).is_some()));
    assert!(Decision::Deny > Decision::Ask && Decision::Ask > Decision::Allow);
}
