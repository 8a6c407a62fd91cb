//! The ledger under crowds, crashes, full disks and meddling: nothing acknowledged is lost, damage shows, and no answer
//! waits for it or changes by it.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Stdio;
use std::time::Duration;

use common::Stage;
use leastgrant::store::Store;
use leastgrant::store::event::Event;
use leastgrant::store::ledger::{self, Kept, verify};
use serde_json::json;

fn store(stage: &Stage) -> Store {
    Store::at(stage.state())
}

fn event(number: usize) -> Event {
    let mut event = Event::new("call", 1_700_000_000_000).noting(&format!("number {number}"));
    event.call = Some(format!("t{number}"));
    event
}

/// Ids of the calls that are in the ledger or wait for it.
fn kept(stage: &Stage) -> BTreeSet<String> {
    let mut ids: Vec<String> =
        stage.ledger().iter().filter_map(|line| Some(line["call"].as_str()?.to_owned())).collect();
    for entry in fs::read_dir(stage.state().join("spool")).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            let line: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            ids.push(line["call"].as_str().unwrap().to_owned());
        }
    }
    let count = ids.len();
    let ids: BTreeSet<String> = ids.into_iter().collect();
    assert_eq!(ids.len(), count, "no line is there twice");
    ids
}

#[test]
fn lines_follow_from_one_another_and_are_for_the_person_alone() {
    let stage = Stage::new();
    for number in 0..5 {
        assert_eq!(store(&stage).append(&event(number)).unwrap(), Kept::Ledger);
    }
    let checked = verify(&store(&stage)).unwrap();
    assert!(checked.intact());
    assert_eq!((checked.lines, checked.torn.len(), checked.spooled), (5, 0, 0));
    assert_eq!(stage.ledger()[0]["prev"], ledger::GENESIS);
    let mode = |path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(stage.state()), 0o700);
    assert_eq!(mode(stage.state().join("ledger.jsonl")), 0o600);
}

#[test]
fn meddling_shows() {
    let stage = Stage::new();
    for number in 0..6 {
        store(&stage).append(&event(number)).unwrap();
    }
    let file = stage.state().join("ledger.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let meddled = |lines: &[String]| {
        fs::write(&file, lines.join("\n") + "\n").unwrap();
        verify(&store(&stage)).unwrap()
    };
    let owned = || lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();

    let mut changed = owned();
    changed[2] = changed[2].replace("number 2", "number 9");
    assert_eq!(meddled(&changed).changed, [3]);

    let mut missing = owned();
    missing.remove(2);
    assert_eq!(meddled(&missing).broken, [3]);

    let mut swapped = owned();
    swapped.swap(1, 2);
    assert_eq!(meddled(&swapped).broken, [2, 3, 4]);

    let mut erased = owned();
    let (_, seal) = erased[2].split_once(r#","sum":"#).unwrap();
    erased[2] = format!(r#"{{"v":1,"erased":true,"sum":{seal}"#);
    let checked = meddled(&erased);
    assert!(checked.intact(), "an erased body leaves the chain whole: {checked:?}");
    assert_eq!((checked.lines, checked.erased), (6, 1));
}

#[test]
fn a_torn_end_costs_no_other_line() {
    let stage = Stage::new();
    store(&stage).append(&event(0)).unwrap();
    let file = stage.state().join("ledger.jsonl");
    let mut torn = fs::OpenOptions::new().append(true).open(&file).unwrap();
    torn.write_all(br#"{"v":1,"at":17000"#).unwrap();
    store(&stage).append(&event(1)).unwrap();
    store(&stage).append(&event(2)).unwrap();
    let checked = verify(&store(&stage)).unwrap();
    assert!(checked.intact(), "{checked:?}");
    assert_eq!((checked.lines, checked.torn), (3, vec![2]));
}

#[test]
fn a_held_lock_delays_a_line_and_nothing_else() {
    let stage = Stage::new();
    let call = |id: &str| stage.call(id, "Bash", json!({ "command": "git status" }));
    let expected = stage.hook(&call("t0"));
    let lock = fs::File::open(stage.state().join("ledger.lock")).unwrap();
    lock.lock().unwrap();
    for number in 1..4 {
        assert_eq!(stage.hook(&call(&format!("t{number}"))), expected);
    }
    assert_eq!(verify(&store(&stage)).unwrap().spooled, 3);
    assert_eq!(stage.ledger().len(), 1);
    lock.unlock().unwrap();
    assert_eq!(stage.hook(&call("t4")), expected);
    let order: Vec<_> = stage.ledger().iter().map(|line| line["call"].as_str().unwrap().to_owned()).collect();
    assert_eq!(order, ["t0", "t1", "t2", "t3", "t4"]);
    let checked = verify(&store(&stage)).unwrap();
    assert!(checked.intact() && checked.spooled == 0, "{checked:?}");
    assert!(!stage.state().join("spool").exists(), "an empty spool goes");
}

#[test]
fn a_line_that_was_taken_over_before_a_crash_is_not_taken_twice() {
    let stage = Stage::new();
    store(&stage).append(&event(0)).unwrap();
    let lock = fs::File::open(stage.state().join("ledger.lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(store(&stage).append(&event(1)).unwrap(), Kept::Spool);
    let waiting = fs::read_dir(stage.state().join("spool")).unwrap().next().unwrap().unwrap().path();
    let body = fs::read(&waiting).unwrap();
    lock.unlock().unwrap();
    store(&stage).append(&event(2)).unwrap();
    // the writer died between its append and its clean-up
    fs::create_dir_all(waiting.parent().unwrap()).unwrap();
    fs::write(&waiting, body).unwrap();
    store(&stage).append(&event(3)).unwrap();
    assert_eq!(kept(&stage).len(), 4);
    assert!(!waiting.exists());
}

#[test]
fn state_that_cannot_be_written_changes_no_answer() {
    let stage = Stage::new();
    let call = stage.call("t", "Bash", json!({ "command": "rm -rf /" }));
    let expected = stage.hook(&call);

    // (a folder without write permission would not stop root)
    let file_in_its_place = Stage::new();
    fs::write(file_in_its_place.state(), "not a folder").unwrap();

    let full = Stage::new();
    fs::create_dir_all(full.state()).unwrap();
    std::os::unix::fs::symlink("/dev/full", full.state().join("ledger.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/full", full.state().join("spool")).unwrap();

    let pipe = Stage::new();
    fs::create_dir_all(pipe.state()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(pipe.state().join("ledger.jsonl")).status().unwrap();
    assert!(made.success());

    let nowhere = Stage::new().with("LEASTGRANT_HOME", "/dev/null/state");

    for broken in [file_in_its_place, full, pipe, nowhere] {
        let call = broken.call("t", "Bash", json!({ "command": "rm -rf /" }));
        assert_eq!(broken.hook(&call).decision(), expected.decision());
    }
}

#[test]
fn a_crowd_loses_nothing() {
    let stage = Stage::new();
    let (crowd, each) = (64, 4);
    std::thread::scope(|scope| {
        for one in 0..crowd {
            let stage = &stage;
            scope.spawn(move || {
                for number in 0..each {
                    let call = stage.call(&format!("t{one}-{number}"), "Bash", json!({ "command": "git status" }));
                    stage.hook(&call).decision();
                }
            });
        }
    });
    assert_eq!(kept(&stage).len(), crowd * each);
    store(&stage).append(&event(0)).unwrap();
    let checked = verify(&store(&stage)).unwrap();
    assert!(checked.intact() && checked.torn.is_empty(), "{checked:?}");
}

#[test]
fn whoever_answered_is_on_record_although_others_were_killed() {
    let stage = Stage::new();
    let number = |name: &str, plain: usize| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(plain);
    // the whole of it (64 and 200) is a matter of minutes
    let (crowd, each) = (number("LEASTGRANT_CROWD", 64), number("LEASTGRANT_EACH", 4));
    let over = std::sync::atomic::AtomicBool::new(false);
    let answered: Vec<String> = std::thread::scope(|scope| {
        let (stage, over) = (&stage, &over);
        // somebody collects evidence all the while
        scope.spawn(move || {
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = store(stage).collect(&leastgrant::agent::HookEnv::from_lookup(|_| None), 1_800_000_000_000);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let players: Vec<_> = (0..crowd)
            .map(|one| {
                scope.spawn(move || {
                    let mut answered = Vec::new();
                    for number in 0..each {
                        let id = format!("t{one}-{number}");
                        let mut child = stage
                            .program(&["hook", "claude-code"])
                            .stdin(Stdio::piped())
                            .stdout(Stdio::piped())
                            .spawn()
                            .unwrap();
                        let call = stage.call(&id, "Bash", json!({ "command": "git status" }));
                        child.stdin.take().unwrap().write_all(&call).unwrap();
                        if (one + number) % 2 == 0 {
                            std::thread::sleep(Duration::from_micros(700 * ((one + number) as u64 % 13)));
                            let _ = child.kill();
                        }
                        let output = child.wait_with_output().unwrap();
                        if output.status.success() {
                            answered.push(id);
                        }
                    }
                    answered
                })
            })
            .collect();
        let answered = players.into_iter().flat_map(|player| player.join().unwrap()).collect();
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        answered
    });
    assert!(answered.len() >= crowd * each / 2);
    let kept = kept(&stage);
    for id in &answered {
        assert!(kept.contains(id), "{id} was answered and is not on record");
    }
    assert!(verify(&store(&stage)).unwrap().intact());
}

#[test]
fn nothing_of_the_environment_and_no_secret_of_a_command_is_stored() {
    let stage = Stage::new().with("ANTHROPIC_API_KEY", "sk-ant-of-the-environment");
    stage.hook(&stage.call("t", "Bash", json!({ "command": "ls" })));
    let text = fs::read_to_string(stage.state().join("ledger.jsonl")).unwrap();
    assert!(!text.contains("sk-ant"), "{text}");
}

#[test]
fn a_loosened_mode_of_the_folder_is_not_tightened_behind_the_persons_back() {
    let stage = Stage::new();
    fs::create_dir_all(stage.state()).unwrap();
    fs::set_permissions(stage.state(), fs::Permissions::from_mode(0o755)).unwrap();
    store(&stage).append(&event(0)).unwrap();
    assert_eq!(fs::metadata(stage.state()).unwrap().mode() & 0o777, 0o755);
}
