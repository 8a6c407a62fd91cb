//! The records: every one parses, claims no more than its evidence, and agrees with `schema.json`; what is wrong with a
//! broken one is named.

#![expect(clippy::unwrap_used, reason = "a record that cannot be read is a failed test")]

mod schema;

use std::collections::BTreeSet;

use leastgrant_core::channel::{self, Ask};
use leastgrant_core::compatibility::{
    self, Enforcement, Gate, Grade, Proof, Record, TEXTS, Verified, Versions, all, enforcement, faults, faults_between,
    live, on, parse, verified,
};
use leastgrant_core::control::RECORDS;
use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../compatibility");

fn text(id: &str) -> String {
    TEXTS.iter().find(|row| row.0 == id).map(|row| row.1.to_owned()).unwrap_or_default()
}

/// A record with one place of it changed.
fn changed(id: &str, pointer: &str, value: Value) -> Record {
    let mut json: Value = serde_json::from_str(&text(id)).unwrap_or_default();
    let place = json.pointer_mut(pointer);
    assert!(place.is_some(), "{pointer} is not in the record");
    if let Some(place) = place {
        *place = value;
    }
    let changed = parse(&json.to_string());
    assert!(changed.is_ok(), "{id} {pointer}: {changed:?}");
    changed.unwrap()
}

#[test]
fn every_record_of_the_folder_parses_and_is_built_in() {
    let mut files = BTreeSet::new();
    for entry in std::fs::read_dir(FOLDER).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name != "schema" {
            let record = parse(&std::fs::read_to_string(&path).unwrap());
            assert_eq!(record.as_ref().map(|record| record.id.as_str()), Ok(name.as_str()));
            files.insert(name);
        }
    }
    let built: BTreeSet<String> = TEXTS.iter().map(|row| row.0.to_owned()).collect();
    assert_eq!(files, built);
    let read: Vec<&str> = all().unwrap().iter().map(|record| record.id.as_str()).collect();
    let tables: Vec<&str> = RECORDS.iter().map(|record| record.id).collect();
    assert_eq!(read, tables);
    assert_eq!(compatibility::of("codex").unwrap().name, "Codex CLI");
    assert!(compatibility::of("nobody").is_none());
}

#[test]
fn no_record_claims_more_than_its_evidence() {
    let found: Vec<String> = all().unwrap().iter().flat_map(faults).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn nothing_is_claimed_where_nothing_was_run() {
    for id in ["cursor", "antigravity"] {
        let record = compatibility::of(id).unwrap();
        assert_eq!(enforcement(record), Enforcement::Unclaimed, "{id}");
        assert_eq!(verified(record, &live(record, &[])), Verified::Conformance, "{id}");
        assert!(record.measured.not_on.iter().any(|os| os == "linux"), "{id}");
        let graded = text(id);
        assert!(!graded.contains("\"probe\"") && !graded.contains("\"source\""), "{id}");
    }
}

#[test]
fn enforcement_and_verification_are_two_scales() {
    for (id, enforced, sure) in [
        ("claude-code", Enforcement::Partial, Verified::Transport),
        ("codex", Enforcement::Veto, Verified::Transport),
        ("copilot", Enforcement::Partial, Verified::Transport),
        ("gemini-cli", Enforcement::Veto, Verified::Transport),
        ("opencode", Enforcement::Veto, Verified::Transport),
        ("qwen-code", Enforcement::Veto, Verified::Transport),
    ] {
        let record = compatibility::of(id).unwrap();
        assert_eq!((enforcement(record), verified(record, &live(record, &[]))), (enforced, sure), "{id}");
    }
}

#[test]
fn receipts_make_a_live_run() {
    let record = compatibility::of("codex").unwrap();
    let proof = |agent: &str, date: &str, receipt: &str| Proof {
        agent: agent.to_owned(),
        version: Versions::try_from(String::from("0.171.0")).unwrap(),
        os: String::from("linux"),
        date: date.to_owned(),
        what: String::from("a deny held"),
        receipt: receipt.to_owned(),
    };
    assert!(!live(record, &[proof("qwen-code", "2026-12-03", "other")]).done);
    let run = live(record, &[proof("codex", "2026-12-01", "old"), proof("codex", "2026-12-02", "new")]);
    assert_eq!((run.done, run.receipt.as_deref()), (true, Some("new")));
    assert_eq!(verified(record, &run), Verified::Live);
}

#[test]
fn what_a_version_does_is_looked_up_and_an_unmeasured_one_gets_all_of_it() {
    let record = compatibility::of("claude-code").unwrap();
    let failure = record.failures.iter().find(|failure| failure.how.contains("wrong shape")).unwrap();
    for (version, expected) in [
        (Some("2.1.332"), &[Gate::Closed][..]),
        (Some("2.1.197"), &[Gate::Open]),
        (Some("2.1.240"), &[Gate::Closed, Gate::Open]),
        (Some("3.0.0"), &[Gate::Closed, Gate::Open]),
        (None, &[Gate::Closed, Gate::Open]),
    ] {
        let gates: Vec<Gate> = on(&failure.wired, version).iter().map(|fact| fact.value).collect();
        assert_eq!(gates, expected, "{version:?}");
    }
}

#[test]
fn the_static_channel_is_never_stronger_than_the_record() {
    for record in all().unwrap() {
        let channel = channel::of(&record.id).unwrap();
        let rows = record.channel.ask.iter().filter(|row| row.value.attendance == compatibility::WhoIsThere::Attended);
        let prompts = rows.clone().count() > 0
            && rows.clone().all(|row| row.value.worth == Ask::Prompts && row.evidence.is_ours());
        assert_eq!(channel.ask_attended == Ask::Prompts, prompts, "{}", record.id);
        for fact in record.channel.allow.iter().filter(|fact| fact.value.modes != ["plan"]) {
            assert!(channel.allow >= fact.value.worth, "{}", record.id);
        }
        for fact in &record.channel.silence {
            assert!(channel.silence >= fact.value.worth, "{}", record.id);
        }
        assert_eq!(channel.deny_ends, record.channel.deny.ends.value, "{}", record.id);
    }
}

#[test]
fn a_claim_stronger_than_its_evidence_is_named() {
    let null = || Value::Null;
    for (pointer, value, said) in [
        ("/attach/mechanism/version", null(), "claude-code.attach.mechanism: `probe` without version, os and date"),
        ("/attach/mechanism/date", null(), "`probe` without version, os and date"),
        ("/attach/mechanism/date", "soon".into(), "`soon` is no day"),
        ("/attach/mechanism/os", "windows".into(), "`probe` on `windows`, where nothing was measured"),
        ("/attach/mechanism/version", "2.1.400".into(), "version 2.1.400, which is not among the measured ones"),
        ("/attach/mechanism/evidence", "unknown".into(), "`unknown` with a version, a system or a day"),
        ("/attach/mechanism/value", " ".into(), "it says nothing"),
        ("/failures/0/bare/0/value", "unknown".into(), "failures[0].bare[0]: `unknown`, graded `probe`"),
        ("/coverage/0/value/seen", "unknown".into(), "coverage[0]: `unknown`, graded `probe`"),
        ("/verification/live/done", true.into(), "verification.live: it is done without version, os and date"),
        ("/verification/live/what", "".into(), "verification.live: it says neither"),
        ("/verification/live/date", "2026-11-30".into(), "verification.live: it is not done, and names"),
        ("/verification/transport/version", null(), "verification.transport: it is done without"),
        ("/verification/transport/os", "macos".into(), "verification.transport: it was done where nothing"),
        ("/verification/conformance/version", null(), "verification.conformance: it is done without"),
        ("/measured/not_on", serde_json::json!(["linux"]), "claude-code.measured: a system is in"),
        ("/measured/os", serde_json::json!([]), "claude-code.measured: `versions`, `os` and `date`"),
    ] {
        let found = faults(&changed("claude-code", pointer, value));
        assert!(found.iter().any(|fault| fault.contains(said)), "{pointer}: {found:?}");
    }
    let strong = serde_json::json!({
        "value": "closed", "evidence": "unknown", "note": "", "version": null, "os": null, "date": null
    });
    let found = faults(&changed("codex", "/failures/1/wired/0", strong));
    assert_eq!(found, ["codex.failures[1].wired[0]: `closed` without any evidence"]);
    let told = serde_json::json!({
        "done": true, "what": "ran", "version": "2.1.332", "os": "linux", "date": "2026-12-01", "receipt": null
    });
    let found = faults(&changed("claude-code", "/verification/live", told));
    assert_eq!(found, ["claude-code.verification.live: a live run without a receipt"]);
}

#[test]
fn adapters_and_records_go_together() {
    let records = all().unwrap();
    let mut adapters: Vec<&str> = records.iter().map(|record| record.id.as_str()).collect();
    assert_eq!(faults_between(records, &adapters), Vec::<String>::new());
    adapters.push("windsurf");
    assert_eq!(faults_between(records, &adapters), ["there is an adapter for `windsurf` and no record"]);
    let claims = [compatibility::of("codex").unwrap().clone()];
    let found = faults_between(&claims, &[]);
    assert_eq!(found, ["codex.verification.conformance: it is done, and there is no adapter"]);
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let good = text("qwen-code");
    for (broken, said) in [
        (String::new(), "EOF while parsing a value at line 1"),
        (String::from("[]"), "invalid length 0, expected struct Record"),
        (good.replacen("\"probe\"", "\"proven\"", 1), "unknown variant `proven`, expected one of `probe`"),
        (good.replacen("\"name\"", "\"nome\"", 1), "unknown field `nome`"),
        (good.replacen("\"note\"", "\"hint\"", 1), "unknown field `hint`"),
        (good.replacen("\"0.15.10\"", "\"recent\"", 1), "`recent` is no version and no range of two"),
        (good.replacen("\"os\": \"linux\", ", "", 1), "missing field `os`"),
        (good.replacen("\"closed\"", "\"shut\"", 1), "unknown variant `shut`"),
        (good.clone() + "{}", "trailing characters"),
        (" ".repeat(300 * 1024), "at most 262144 bytes"),
        ("[".repeat(10_000), "invalid type"),
    ] {
        let error = parse(&broken).unwrap_err();
        assert!(error.contains(said), "{said}: {error}");
        assert!(error.contains(" line ") || error.contains(" bytes"), "{said}: {error}");
    }
}

#[test]
fn the_schema_and_the_types_say_the_same() {
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(format!("{FOLDER}/schema.json")).unwrap()).unwrap();
    for (id, text) in TEXTS {
        let record: Value = serde_json::from_str(text).unwrap();
        assert_eq!(schema::faults(&schema, &record), Vec::<String>::new(), "{id}");
    }
    // one item of every list has every key and every kind of value
    let short = schema::short(&serde_json::from_str(&text("claude-code")).unwrap());
    let changes = schema::changes(&short);
    assert!(changes.len() > 1_500, "{}", changes.len());
    for (what, changed) in changes {
        let (ours, theirs) = (parse(&changed.to_string()), schema::faults(&schema, &changed));
        assert_eq!(ours.is_err(), !theirs.is_empty(), "{what}: {ours:?} {theirs:?}");
    }
}

#[test]
fn every_grade_is_used_and_spelled() {
    for grade in [Grade::Probe, Grade::Source, Grade::Docs, Grade::Unknown] {
        let spelled = format!("\"{}\"", grade.id());
        assert!(TEXTS.iter().any(|row| row.1.contains(&spelled)), "{spelled}");
        assert_eq!(serde_json::to_string(&grade).unwrap(), spelled);
    }
}
