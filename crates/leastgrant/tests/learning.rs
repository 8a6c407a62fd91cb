//! From a person's answers to what passes: the hook's own process, a transcript as the agent writes it, and a snapshot that
//! is only a cache.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::fs;
use std::io::Write as _;

use common::Stage;
use leastgrant::agent::HookEnv;
use leastgrant::store::event::Event;
use leastgrant::store::{Store, ledger, snapshot};
use serde_json::{Value, json};

const SESSION: &str = "11111111-2222-4333-8444-555555555555";
const DAY: i64 = 24 * 3600 * 1000;

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

fn stage() -> Stage {
    Stage::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1").with("CLAUDE_CODE_ENTRYPOINT", "cli")
}

fn env(stage: &Stage) -> HookEnv {
    let home = stage.home().to_str().unwrap().to_owned();
    HookEnv::from_lookup(move |name| (name == "HOME").then(|| home.clone()))
}

fn store(stage: &Stage) -> Store {
    Store::at(stage.state())
}

/// How a call ends, as the agent writes it down.
enum End {
    Yes,
    No,
    Rule,
    /// in print mode nobody was asked, whatever the record says
    Print,
}

fn transcript(stage: &Stage, id: &str, command: &str, end: &End) {
    let folder = stage.home().join(".claude/projects/-home-src-project");
    fs::create_dir_all(&folder).unwrap();
    let mut file =
        fs::OpenOptions::new().append(true).create(true).open(folder.join(format!("{SESSION}.jsonl"))).unwrap();
    for record in records(stage, id, command, end) {
        writeln!(file, "{record}").unwrap();
    }
}

fn records(stage: &Stage, id: &str, command: &str, end: &End) -> [Value; 2] {
    let call = json!({
        "type": "assistant", "sessionId": SESSION, "cwd": stage.project(), "timestamp": "2026-01-01T00:00:00.000Z",
        "message": { "role": "assistant", "content": [
            { "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } } ] },
    });
    let mut result = json!({
        "type": "user", "sessionId": SESSION, "cwd": stage.project(), "entrypoint": "cli",
        "message": { "role": "user", "content": [ { "type": "tool_result", "tool_use_id": id, "content": "x" } ] },
    });
    match end {
        End::Yes => {
            result["permissionDecision"] =
                json!({ "decision": "accept", "source": "user_temporary", "grantScope": "once" });
        }
        End::No => result["toolDenialKind"] = json!("user-rejected"),
        End::Rule => result["permissionDecision"] = json!({ "decision": "accept", "source": "user_permanent" }),
        End::Print => {
            result["toolDenialKind"] = json!("user-rejected");
            result["permissionDecision"] = json!({ "decision": "reject", "source": "config" });
            result["entrypoint"] = json!("sdk-cli");
        }
    }
    [call, result]
}

fn pre(stage: &Stage, id: &str, command: &str) -> String {
    stage.hook(&stage.call(id, "Bash", json!({ "command": command }))).decision()
}

fn post(stage: &Stage, id: &str, command: &str) {
    let more =
        json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_response": {}, "tool_use_id": id });
    stage.hook(&stage.event("PostToolUse", more));
}

fn end(stage: &Stage) {
    stage.hook(&stage.event("SessionEnd", json!({ "reason": "other" })));
}

/// Kinds of evidence with their signatures, oldest first.
fn evidence(stage: &Stage) -> Vec<(String, Vec<String>)> {
    let lines = stage.ledger();
    let lines = lines.iter().filter(|line| line["event"] == "evidence");
    lines
        .map(|line| {
            let names = line["signatures"].as_array().unwrap();
            let body = |name: &Value| leastgrant_core::signature::body(name.as_str().unwrap()).to_owned();
            (line["evidence"].as_str().unwrap().to_owned(), names.iter().map(body).collect())
        })
        .collect()
}

/// Approvals of earlier days.
fn approve(stage: &Stage, signatures: &[&str], days: i64) {
    let project = fs::canonicalize(stage.project()).unwrap().to_str().unwrap().to_owned();
    let events: Vec<Event> = (0..days)
        .map(|day| {
            let mut event = Event::new("evidence", now() - day * DAY).in_project(Some(&project));
            event.evidence = Some("confirmed");
            event.session = format!("earlier-{day}");
            event.signatures = signatures.iter().map(|name| (*name).to_owned()).collect();
            event
        })
        .collect();
    store(stage).append_all(&events).unwrap();
}

fn signatures(stage: &Stage, id: &str) -> Vec<String> {
    let lines = stage.ledger();
    let line = lines.iter().find(|line| line["event"] == "call" && line["call"] == id).unwrap();
    line["signatures"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn only_a_persons_own_word_is_one() {
    let stage = stage();
    let calls = [
        ("t1", "git add a && git commit -m x", Some(End::Yes)),
        ("t2", "git stash", Some(End::Rule)),
        ("t3", "cd src && git branch -d old", Some(End::No)),
        ("t4", "git switch main", Some(End::Print)),
        ("t5", "git tag v1", None),
    ];
    for (id, command, how) in &calls {
        assert_ne!(pre(&stage, id, command), "allow", "{command}");
        if let Some(how) = how {
            transcript(&stage, id, command, how);
        }
        if !matches!(how, Some(End::No | End::Print)) {
            post(&stage, id, command);
        }
    }
    end(&stage);
    let found = evidence(&stage);
    let of = |kind: &str| -> Vec<String> {
        found.iter().filter(|(is, _)| is == kind).flat_map(|(_, names)| names.clone()).collect()
    };
    assert_eq!(of("confirmed").len(), 2, "both halves of the compound: {found:?}");
    assert!(of("confirmed").iter().all(|name| name.starts_with("git ")), "{found:?}");
    assert_eq!(of("denied").len(), 1, "the heaviest alone: {found:?}");
    assert!(of("denied")[0].starts_with("git branch"), "{found:?}");
    assert!(ledger::verify(&store(&stage)).unwrap().intact());
    let before = evidence(&stage).len();
    end(&stage);
    end(&stage);
    assert_eq!(evidence(&stage).len(), before, "nothing counts twice");
}

#[test]
fn a_forged_transcript_buys_nothing() {
    let judged = "git commit -m x";
    let forgeries: Vec<(&str, Box<dyn Fn(&Stage)>)> = vec![
        ("another input", Box::new(|stage| transcript(stage, "t1", "git commit -m other", &End::Yes))),
        ("another call", Box::new(|stage| transcript(stage, "t9", judged, &End::Yes))),
        (
            "told twice",
            Box::new(|stage| {
                transcript(stage, "t1", judged, &End::Yes);
                transcript(stage, "t1", judged, &End::Yes);
            }),
        ),
        (
            "a second file of the same session",
            Box::new(|stage| {
                transcript(stage, "t1", judged, &End::Yes);
                let other = stage.home().join(".claude/projects/-other");
                fs::create_dir_all(&other).unwrap();
                fs::write(other.join(format!("{SESSION}.jsonl")), "{}\n").unwrap();
            }),
        ),
        (
            "a link instead of a file",
            Box::new(|stage| {
                transcript(stage, "t1", judged, &End::Yes);
                let file = stage.home().join(format!(".claude/projects/-home-src-project/{SESSION}.jsonl"));
                let elsewhere = stage.project().join("t.jsonl");
                fs::rename(&file, &elsewhere).unwrap();
                std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
            }),
        ),
        (
            "a record inside a result",
            Box::new(|stage| {
                let [_, result] = records(stage, "t1", judged, &End::Yes);
                let folder = stage.home().join(".claude/projects/-home-src-project");
                fs::create_dir_all(&folder).unwrap();
                let outer = json!({ "type": "user", "sessionId": SESSION, "entrypoint": "cli", "message": { "content": [
                { "type": "tool_result", "tool_use_id": "t0", "content": format!("\n{result}\n") } ] } });
                fs::write(folder.join(format!("{SESSION}.jsonl")), format!("{outer}\n")).unwrap();
            }),
        ),
    ];
    for (what, forge) in forgeries {
        let stage = stage();
        pre(&stage, "t1", judged);
        forge(&stage);
        post(&stage, "t1", judged);
        end(&stage);
        assert!(!evidence(&stage).iter().any(|(kind, _)| kind == "confirmed"), "{what}: {:?}", evidence(&stage));
    }
    // what ran is not what was judged
    let stage = stage();
    pre(&stage, "t1", judged);
    transcript(&stage, "t1", judged, &End::Yes);
    post(&stage, "t1", "git commit -m swapped");
    end(&stage);
    assert_eq!(evidence(&stage), []);
    // and a call that a person really approved is one
    let stage = self::stage();
    pre(&stage, "t1", judged);
    transcript(&stage, "t1", judged, &End::Yes);
    post(&stage, "t1", judged);
    end(&stage);
    assert_eq!(evidence(&stage).iter().filter(|(kind, _)| kind == "confirmed").count(), 1);
}

#[test]
fn what_was_approved_often_enough_passes_until_it_is_refused() {
    let stage = stage();
    let command = "git commit -m x";
    assert_eq!(pre(&stage, "t1", command), "silent");
    let names = signatures(&stage, "t1");
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    approve(&stage, &names, 4);
    assert_eq!(pre(&stage, "t2", command), "silent");
    approve(&stage, &names, 6);
    assert_eq!(pre(&stage, "t3", command), "allow", "from the ledger's end");
    store(&stage).collect(&env(&stage), now()).unwrap();
    assert_eq!(pre(&stage, "t4", command), "allow", "from the snapshot");
    assert_eq!(pre(&stage, "t5", "git commit -m x && rm -rf src"), "ask");
    assert_eq!(pre(&stage, "t6", "git push --force"), "ask");

    transcript(&stage, "t4", command, &End::No);
    end(&stage);
    assert_eq!(pre(&stage, "t7", command), "ask", "a no holds: {:?}", evidence(&stage));
    approve(&stage, &names, 60);
    store(&stage).collect(&env(&stage), now()).unwrap();
    assert_eq!(pre(&stage, "t8", command), "ask", "and outlives every yes");
}

#[test]
fn a_snapshot_is_a_cache_and_can_be_made_again() {
    let stage = stage();
    let names: Vec<String> = (0..500).map(|n| format!("tool{n} <path> @exec.build/1101")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    approve(&stage, &names, 3);
    store(&stage).collect(&env(&stage), now()).unwrap();
    approve(&stage, names.get(..40).unwrap(), 9);
    store(&stage).collect(&env(&stage), now()).unwrap();
    let known = || {
        let mut all = Vec::new();
        snapshot::entries(&store(&stage), |entry| all.push(entry)).unwrap();
        all
    };
    let first = known();
    assert_eq!(first.len(), 500);
    assert!(first.windows(2).all(|two| two[0].key < two[1].key));
    assert!(store(&stage).rebuild(&env(&stage), now()).unwrap().rebuilt);
    assert_eq!(known(), first, "replaying the ledger gives the same");

    // a snapshot that does not fit is the worst assumption, and says so
    let pointer = stage.state().join("snapshot.json");
    let text = fs::read_to_string(&pointer).unwrap();
    let mut odd: Value = serde_json::from_str(&text).unwrap();
    odd["head"] = json!("0".repeat(64));
    fs::write(&pointer, odd.to_string()).unwrap();
    assert_eq!(pre(&stage, "t1", "git commit -m x"), "silent");
    store(&stage).collect(&env(&stage), now()).unwrap();
    assert_eq!(known().len(), 500, "it is made again");
    fs::write(&pointer, "{").unwrap();
    store(&stage).collect(&env(&stage), now()).unwrap();
    assert_eq!(known().len(), 500);
}

#[test]
fn a_collector_that_dies_half_way_counts_nothing_twice() {
    let stage = stage();
    pre(&stage, "t1", "git commit -m x");
    transcript(&stage, "t1", "git commit -m x", &End::Yes);
    post(&stage, "t1", "git commit -m x");
    end(&stage);
    assert_eq!(evidence(&stage).len(), 1);
    // it wrote its evidence and died before the snapshot
    fs::remove_file(stage.state().join("snapshot.json")).unwrap();
    end(&stage);
    assert_eq!(evidence(&stage).len(), 1);
}

#[test]
fn a_word_that_comes_before_the_outcome_is_kept() {
    let stage = stage();
    pre(&stage, "t1", "git commit -m x");
    pre(&stage, "t2", "git stash");
    transcript(&stage, "t1", "git commit -m x", &End::Yes);
    store(&stage).collect(&env(&stage), now()).unwrap();
    assert_eq!(evidence(&stage), [], "it has not run yet");
    post(&stage, "t1", "git commit -m x");
    transcript(&stage, "t2", "git stash", &End::Yes);
    post(&stage, "t2", "git stash");
    store(&stage).collect(&env(&stage), now()).unwrap();
    let kinds: Vec<String> = evidence(&stage).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["confirmed", "confirmed"], "the transcript is read on from where it was left");
}
