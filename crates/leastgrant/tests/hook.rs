//! The hook process as the agent meets it: how it is called, what it leaves behind, how it fails.

mod common;

use std::io::Write;
use std::process::Stdio;

use common::{Stage, run};
use serde_json::{Value, json};

#[test]
fn the_agent_is_named_in_any_of_three_ways() {
    let stage = Stage::new();
    let call = stage.call("t", "Bash", json!({ "command": "rm -rf /" }));
    let expected = stage.hook(&call);
    for args in [&["hook", "--agent", "claude-code"][..], &["hook", "--agent=claude-code"]] {
        assert_eq!(run(stage.program(args), &call), expected, "{args:?}");
    }
}

#[test]
fn words_that_are_not_understood_block() {
    let stage = Stage::new();
    let call = stage.call("t", "Bash", json!({ "command": "ls" }));
    for args in [
        &["hook"][..],
        &["hook", "nobody"],
        &["hook", "--agent", "nobody"],
        &["hook", "claude-code", "--more"],
        &["hook", "--help"],
    ] {
        let said = run(stage.program(args), &call);
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(said.stderr.contains("leastgrant hook"), "{args:?}: {}", said.stderr);
    }
}

#[test]
fn an_answer_that_cannot_be_written_becomes_the_other_refusal() {
    let stage = Stage::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut child = stage
        .program(&["hook", "claude-code"])
        .stdin(Stdio::piped())
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let call = stage.call("t", "Bash", json!({ "command": "rm -rf /" }));
    child.stdin.take().unwrap().write_all(&call).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stderr.is_empty());
}

#[test]
fn an_agent_that_never_finishes_is_answered_all_the_same() {
    let stage = Stage::new();
    let mut child = stage
        .program(&["hook", "claude-code"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&stage.call("t", "Bash", json!({ "command": "ls" }))).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let said = common::Said {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    };
    assert_eq!(said.decision(), "deny");
    assert!(said.stdout.contains("did not end within"), "{}", said.stdout);
}

#[test]
fn what_happens_in_a_session_is_recorded_and_answered_with_silence() {
    let stage = Stage::new().with("AI_AGENT", "claude-code_2-1-332_harness").with("CLAUDE_CODE_ENTRYPOINT", "cli");
    let file = stage.project().join("new.txt");
    for (event, more) in [
        ("SessionStart", json!({ "source": "startup" })),
        (
            "PostToolUse",
            json!({
                "tool_name": "Write", "tool_input": { "file_path": file, "content": "x" }, "tool_use_id": "t1",
                "tool_response": { "type": "create", "filePath": file, "content": "x" },
            }),
        ),
        (
            "PostToolUseFailure",
            json!({ "tool_name": "Bash", "tool_input": { "command": "exit 3" }, "tool_use_id": "t2" }),
        ),
        ("PermissionRequest", json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } })),
        ("SubagentStart", json!({ "agent_id": "a1", "agent_type": "general-purpose" })),
        ("SubagentStop", json!({ "agent_id": "a1" })),
        ("ConfigChange", json!({ "source": "user_settings", "file_path": "/x/settings.json" })),
        ("SessionEnd", json!({ "reason": "other" })),
        ("Stop", json!({})),
    ] {
        assert_eq!(stage.hook(&stage.event(event, more)).decision(), "silent", "{event}");
    }
    let ledger = stage.ledger();
    let names: Vec<&str> = ledger.iter().map(|line| line.get("event").unwrap().as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "session-start",
            "ran",
            "failed",
            "prompted",
            "subagent-start",
            "subagent-stop",
            "config-change",
            "session-end"
        ]
    );
    let project = stage.project().canonicalize().unwrap();
    for line in &ledger {
        assert_eq!(line.get("version").unwrap(), "2.1.332");
        assert_eq!(line.get("attendance").unwrap(), "attended");
        assert_eq!(line.get("project").unwrap(), project.to_str().unwrap());
    }
    let record = leastgrant::store::Store::at(stage.state()).session("11111111-2222-4333-8444-555555555555");
    assert!(record.made.contains(file.to_str().unwrap()), "{record:?}");
}

#[test]
fn a_session_is_remembered_line_by_line_and_damage_is_the_worst_assumption() {
    let stage = Stage::new();
    let store = leastgrant::store::Store::at(stage.state());
    assert!(!store.session("s").session.unreadable, "a new session has nothing on record");
    std::thread::scope(|scope| {
        for one in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for number in 0..50 {
                    store.read_secret("s", &format!("/secret/{one}/{number}")).unwrap();
                }
            });
        }
    });
    let record = store.session("s");
    assert_eq!(record.session.read_secrets.len(), 400);
    assert!(!record.session.unreadable);
    let file = stage.state().join("sessions/s.jsonl");
    let mut torn = std::fs::OpenOptions::new().append(true).open(&file).unwrap();
    torn.write_all(b"\n{\"secret\":\"/a").unwrap();
    store.read_secret("s", "/after").unwrap();
    let record = store.session("s");
    assert!(record.session.unreadable);
    assert!(record.session.read_secrets.contains(&String::from("/after")));
    let odd = store.read_secret("../../../escape", "/x").is_ok();
    assert!(odd && !stage.home().join("escape.jsonl").exists());
    assert_eq!(store.session("../../../escape").session.read_secrets, ["/x"]);
}

/// The agent shows nothing at a session's end, so the line comes again when the next one starts.
#[test]
fn a_session_ends_with_a_line_and_the_next_begins_with_it() {
    let stage = Stage::new();
    let told = |payload: &[u8]| {
        let said = stage.hook(payload);
        assert_eq!(said.code, Some(0), "{said:?}");
        let answer: Option<Value> = (!said.stdout.is_empty()).then(|| serde_json::from_str(&said.stdout).unwrap());
        answer.map(|answer| {
            assert_eq!(answer.as_object().unwrap().len(), 1, "no key that the agent could take for an answer");
            answer["systemMessage"].as_str().unwrap().to_owned()
        })
    };
    let start = |id: &str, source: &str| stage.event("SessionStart", json!({ "session_id": id, "source": source }));
    let end = stage.event("SessionEnd", json!({ "reason": "other" }));
    assert_eq!(told(&start("first", "startup")), None);
    assert_eq!(told(&end), None, "nothing was judged");
    let own = stage.state().join("ledger.jsonl");
    let refused = stage.hook(&stage.call("toolu_1", "Write", json!({ "file_path": own, "content": "" })));
    assert_eq!(refused.decision(), "deny");
    assert_eq!(told(&end).unwrap(), "leastgrant: 0 allowed, 0 asked, 1 denied in this session");
    let next = "leastgrant: 0 allowed, 0 asked, 1 denied in the last session here";
    assert_eq!(told(&start("next", "startup")).unwrap(), next);
    assert_eq!(told(&start("next", "clear")).unwrap(), next);
    assert_eq!(told(&start("next", "compact")), None);
    assert_eq!(told(&start("next", "resume")), None);
}
