//! What real agents sent, and what none should ever send: every payload is answered in a form that the agent takes.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use common::Stage;
use leastgrant::agent::claude_code::ClaudeCode;
use leastgrant::agent::{Agent, Decoded, Held, HookEnv};
use serde::Deserialize;

/// Where the payloads of a version are.
fn recordings(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/payloads/claude-code").join(version)
}

/// Names of the payloads of a version, sorted.
fn names(version: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(recordings(version))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    names.sort();
    names
}

/// Puts real folders in the place of what the recordings left open.
fn fill(text: &str, project: &Path, config: &Path) -> String {
    let slug: String =
        project.to_str().unwrap().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    text.replace("{{PROJECT-SLUG}}", &slug)
        .replace("{{PROJECT}}", project.to_str().unwrap())
        .replace("{{CONFIG}}", config.to_str().unwrap())
        .replace("<uuid-1>", "11111111-2222-4333-8444-555555555555")
        .replace("<uuid-2>", "66666666-7777-4888-8999-aaaaaaaaaaaa")
        .replace("<agent-id>", "a0b1c2d3e4f5")
}

/// A recorded payload of a version, its placeholders filled for this stage.
fn recorded(stage: &Stage, version: &str, name: &str) -> Vec<u8> {
    let text = std::fs::read_to_string(recordings(version).join(name)).unwrap();
    fill(&text, &stage.project(), &stage.home().join(".claude")).into_bytes()
}

const VERSIONS: [&str; 2] = ["197", "332"];

/// One line about what a payload was understood as.
fn told(decoded: &Decoded) -> String {
    match decoded {
        Decoded::Pre(call) => format!("pre {} {:?} {:?} {:?}", call.tool_name, call.mode, call.subagent, call.tool),
        Decoded::Post(done) => {
            format!("post {} ran={} made={:?}", done.call.tool_name, done.ran, done.made)
        }
        Decoded::Prompted(call) => format!("prompted {} {:?}", call.tool_name, call.mode),
        Decoded::Passing(passing) => format!("{} {:?} {:?}", passing.event, passing.subagent, passing.detail),
        Decoded::ConfigChange(change) => format!("config-change {} {:?}", change.source, change.file_path),
        Decoded::Foreign(name) => format!("foreign {name}"),
        Decoded::Broken { held, why } => format!("BROKEN held={held:?} {why}"),
    }
}

fn decoded(version: &str) -> String {
    let env = HookEnv::from_lookup(|name| (name == "SHELL").then(|| String::from("/bin/bash")));
    let mut table = String::new();
    for name in names(version) {
        let text = std::fs::read_to_string(recordings(version).join(&name)).unwrap();
        let text = fill(&text, Path::new("/p"), Path::new("/c"));
        let _ =
            writeln!(table, "{}: {}", name.trim_end_matches(".json"), told(&ClaudeCode.decode(text.as_bytes(), &env)));
    }
    table
}

#[test]
fn every_recorded_payload_is_understood() {
    for version in VERSIONS {
        let table = decoded(version);
        assert!(table.lines().count() > 60, "the recordings are there");
        assert!(!table.contains("BROKEN") && !table.contains("Unreadable"), "{table}");
        insta::assert_snapshot!(format!("decoded_{version}"), table);
    }
}

#[test]
fn every_recorded_payload_is_answered_in_the_agents_form() {
    let stage = Stage::new().with("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    for version in VERSIONS {
        for name in names(version) {
            let said = stage.hook(&recorded(&stage, version, &name));
            if name.starts_with("SessionStart.") || name.starts_with("SessionEnd.") {
                // at most a line for the person
                assert_eq!(said.code, Some(0), "{version} {name}");
                let line = said.stdout.strip_prefix("{\"systemMessage\":\"leastgrant: ");
                assert!(said.stdout.is_empty() || line.is_some(), "{version} {name}: {said:?}");
                continue;
            }
            let decision = said.decision();
            if !name.starts_with("PreToolUse.") {
                assert_eq!(decision, "silent", "{version} {name}");
            }
        }
    }
    let checked = leastgrant::store::ledger::verify(&leastgrant::store::Store::at(stage.state())).unwrap();
    assert!(checked.intact() && checked.torn.is_empty(), "{checked:?}");
}

/// What each recorded call is answered: the decision and, from the ledger, why.
fn answers(version: &str, stage: &Stage) -> Vec<(String, String)> {
    let calls = names(version).into_iter().filter(|name| name.starts_with("PreToolUse."));
    calls
        // what a shell command would do has cases of its own
        .filter(|name| !name.contains(".Bash") && !name.contains(".Monitor"))
        .map(|name| {
            let decision = stage.hook(&recorded(stage, version, &name)).decision();
            let ledger = stage.ledger();
            let line = ledger.last().unwrap();
            let reasons: Vec<&str> = line
                .get("reasons")
                .and_then(|ids| ids.as_array())
                .into_iter()
                .flatten()
                .filter_map(|id| id.as_str())
                .collect();
            (name.trim_end_matches(".json").to_owned(), format!("{decision} ({})", reasons.join(" ")))
        })
        .collect()
}

#[test]
fn recorded_calls_are_answered_as_a_person_would_expect() {
    let with_person = Stage::new().with("CLAUDE_CODE_ENTRYPOINT", "cli");
    let accepted = Stage::new().with("CLAUDE_CODE_ENTRYPOINT", "cli");
    assert_eq!(common::run(accepted.program(&["init", "--yes", "--no-history"]), b"").code, Some(0));
    let nobody = Stage::new().with("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    let mut table = String::new();
    for version in VERSIONS {
        let told: Vec<_> = [&with_person, &accepted, &nobody].map(|stage| answers(version, stage)).into();
        for (at, (name, person)) in told[0].iter().enumerate() {
            let _ = writeln!(table, "{version} {name}\n  a person   {person}");
            let _ = writeln!(table, "  bundles    {}\n  nobody     {}", told[1][at].1, told[2][at].1);
        }
    }
    insta::assert_snapshot!("answers", table);
}

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    payload: String,
    #[serde(default)]
    part: Vec<Part>,
}

/// What stands for `@1@`, `@2@`, … in a payload.
#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
    #[serde(default)]
    bytes: Vec<u8>,
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

impl Case {
    fn bytes(&self, stage: &Stage) -> Vec<u8> {
        let mut bytes = self.payload.replace("@PROJECT@", stage.project().to_str().unwrap()).into_bytes();
        for (number, part) in self.part.iter().enumerate() {
            let mark = format!("@{}@", number + 1).into_bytes();
            let at = bytes.windows(mark.len()).position(|window| window == mark).unwrap();
            let with = [part.text.as_bytes(), &part.bytes].concat().repeat(part.times);
            bytes.splice(at..at + mark.len(), with);
        }
        bytes
    }
}

#[test]
fn awkward_payloads_are_refused_or_asked_about() {
    let text = include_str!("cases/payloads/awkward/calls.toml");
    let cases: Cases = toml::from_str(text).unwrap();
    let stage = Stage::new();
    for case in cases.case {
        let before = stage.ledger().len();
        let decision = stage.hook(&case.bytes(&stage)).decision();
        assert!(decision == "ask" || decision == "deny", "{}: {decision}", case.name);
        let ledger = stage.ledger();
        assert_eq!(ledger.len(), before + 1, "{}: one line is written", case.name);
        let line = ledger[before].to_string();
        assert!(line.len() < 8_000, "{}: a line of {} bytes", case.name, line.len());
        assert!(line.contains(&format!("\"answer\":\"{decision}\"")), "{}: {line}", case.name);
    }
}

#[test]
fn awkward_spellings_of_a_harmless_call_make_no_difference() {
    let stage = Stage::new();
    let plain = stage.call("t", "Bash", serde_json::json!({ "command": "git status" }));
    let expected = stage.hook(&plain);
    let text = String::from_utf8(plain).unwrap();
    for spelled in [
        format!("\u{feff}{text}"),
        format!("\r\n {}\r\n\r\n", text.trim_end()),
        text.replace("{\"", "{\r\n\t\""),
        text.trim_end().to_owned(),
        text.replacen('{', "{\"unheard-of\": [{\"x\": null}],", 1),
    ] {
        assert_eq!(stage.hook(spelled.as_bytes()), expected, "{spelled}");
    }
}

#[test]
fn events_that_are_no_calls_are_answered_with_silence_however_broken() {
    let stage = Stage::new();
    for payload in [
        r#"{"hook_event_name":"PostToolUse","tool_name":7}"#,
        r#"{"hook_event_name":"SessionStart","session_id":[]}"#,
        r#"{"hook_event_name":"Stop"}"#,
        r#"{"hook_event_name":"SomethingNew","prompt":"x"}"#,
        r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_resp"#,
        r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash"}"#,
    ] {
        assert_eq!(stage.hook(payload.as_bytes()).decision(), "silent", "{payload}");
    }
    for payload in [
        r#"{"hook_event_name":"SomethingNew","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        r#"{"hook_event_name":"pretooluse","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        r#"{"hook_event_name":"PostToolUse","hook_event_name":"PreToolUse","tool_name":"Bash"}"#,
        r#"{"hook_event_name":7,"tool_name":"Bash","tool_input":{"command":"ls"}}"#,
    ] {
        assert_eq!(stage.hook(payload.as_bytes()).decision(), "deny", "{payload}");
    }
}

/// A payload as one would be sent, for breaking.
const WHOLE: &[u8] = br#"{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /","deep":[{"a":null}]}}"#;

proptest::proptest! {
    /// Whatever is broken, cut or put in: it is read without a panic, and a call is only what strict JSON says it is.
    #[test]
    fn no_bytes_are_read_as_a_call_that_they_are_not(
        at in 0..WHOLE.len(),
        drop in 0..8_usize,
        put in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..8),
    ) {
        let mut bytes = WHOLE.to_vec();
        let end = (at + drop).min(bytes.len());
        bytes.splice(at..end, put);
        match ClaudeCode.decode(&bytes, &HookEnv::default()) {
            Decoded::Pre(call) => {
                let plain: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                let said = |path: &str| plain.pointer(path).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
                proptest::prop_assert_eq!(&call.tool_name, &said("/tool_name"));
                if let leastgrant_core::call::Tool::Shell(shell) = &call.tool {
                    proptest::prop_assert_eq!(&shell.command, &said("/tool_input/command"));
                }
            }
            Decoded::Foreign(name) => {
                let whole = serde_json::from_slice::<serde_json::Value>(&bytes).unwrap();
                proptest::prop_assert!(whole.get("tool_name").is_none() && whole.get("tool_input").is_none(), "{}", name);
            }
            Decoded::Broken { held, .. } => proptest::prop_assert_eq!(held, Held::Call),
            other => proptest::prop_assert!(false, "{:?}", other),
        }
    }
}
