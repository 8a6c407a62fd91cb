//! The demo, as the real program: every answer as expected, nothing left behind.

use std::process::Command;

#[test]
fn every_answer_is_the_expected_one_and_nothing_stays() {
    let place = tempfile::Builder::new().prefix("demo-test-").tempdir().unwrap();
    let home = place.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_leastgrant"))
        .args(["demo", "--json"])
        .env("HOME", &home)
        .env("TMPDIR", place.path())
        .env_remove("LEASTGRANT_HOME")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let shown: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    let steps = shown["steps"].as_array().unwrap();
    let wrong: Vec<String> = steps
        .iter()
        .filter(|step| step["good"] != true)
        .map(|step| format!("{}: wanted {}, got {}: {}", step["title"], step["expect"], step["answer"], step["told"]))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(steps.len() >= 12);
    let answered = shown["ledger"].as_array().unwrap().iter().filter(|line| line.get("answer").is_some()).count();
    assert_eq!(answered, steps.len());
    assert_eq!(shown["uninstall"]["same_bytes"], true);
    assert_eq!(shown["without_program"]["code"], 2);
    assert_eq!(shown["persona"]["outside"], "deny");
    assert_eq!(shown["persona"]["good"], true, "{}", shown["persona"]);
    assert_eq!(shown["as_expected"], true, "{told}");
    assert_eq!(output.status.code(), Some(0));
    let mut left: Vec<_> = std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.retain(|name| name != "home");
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(std::fs::read_dir(&home).unwrap().count(), 0);
}
