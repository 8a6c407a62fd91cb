//! What the real agents sent: every recorded message is understood, and answered in a form that the agent takes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use leastgrant::agent::{Decoded, HookEnv};
use serde_json::{Value, json};

use crate::dialect::Dialect;
use crate::stage::{Stage, Word};

const RECORDED: &[&str] = &["codex", "gemini-cli", "qwen-code", "copilot", "opencode"];

/// Recordings of an agent, sorted, by name.
fn recordings(agent: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/payloads").join(agent);
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let named = |path: &PathBuf| path.strip_prefix(&root).unwrap().with_extension("").to_str().unwrap().to_owned();
    files.iter().map(|path| (named(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// A recording with real folders. What OpenCode's plugin was called with becomes what our plugin makes of it.
fn filled(agent: &str, text: &str, project: &str, home: &str) -> String {
    let text = text
        .replace("<PROJECT-SLUG>", "project")
        .replace("<PROJECT>", project)
        .replace("<HOME>", home)
        .replace("/CODEX_HOME", &format!("{home}/.codex"))
        .replace("/PROJECT", project);
    if agent != "opencode" {
        return text;
    }
    let called: Value = serde_json::from_str(&text).unwrap();
    let Some(session) = called.get("sessionID") else { return text };
    let (event, args) = match called.get("args") {
        Some(args) => ("tool.execute.after", args),
        None => ("tool.execute.before", &called["output"]["args"]),
    };
    json!({
        "session_id": session, "call_id": called["callID"], "cwd": project, "hook_event_name": event,
        "tool_name": called["tool"], "tool_input": args,
    })
    .to_string()
}

/// One line about what a message was understood as.
fn told(decoded: &Decoded) -> String {
    match decoded {
        Decoded::Pre(call) => {
            format!("pre {} in {} {:?} {:?} {:?}", call.tool_name, call.cwd, call.mode, call.subagent, call.tool)
        }
        Decoded::Post(done) => format!("post {} ran={}", done.call.tool_name, done.ran),
        Decoded::Prompted(call) => format!("prompted {} {:?}", call.tool_name, call.tool),
        Decoded::Passing(passing) => format!("{} {:?} {:?}", passing.event, passing.subagent, passing.detail),
        Decoded::ConfigChange(change) => format!("config-change {}", change.source),
        Decoded::Foreign(name) => format!("foreign {name}"),
        Decoded::Broken { held, why } => format!("BROKEN held={held:?} {why}"),
    }
}

/// Recordings that our hook is never sent: they are the plugin's own.
fn ours(agent: &str, name: &str) -> bool {
    agent != "opencode" || name.contains("tool-execute")
}

#[test]
fn every_recorded_message_is_understood() {
    let env = HookEnv::from_lookup(|name| (name == "SHELL").then(|| String::from("/bin/bash")));
    for agent in RECORDED {
        let adapter = leastgrant::agent::named(&[(*agent).into()]).unwrap();
        let mut table = String::new();
        for (name, text) in recordings(agent) {
            if ours(agent, &name) {
                let decoded = adapter.decode(filled(agent, &text, "/p", "/h").as_bytes(), &env);
                let _ = writeln!(table, "{name}: {}", told(&decoded));
            }
        }
        assert!(table.lines().count() >= 20, "{agent}: the recordings are there");
        assert!(!table.contains("BROKEN") && !table.contains("Unreadable"), "{table}");
        insta::assert_snapshot!(format!("decoded_{agent}"), table);
    }
}

#[test]
fn every_recorded_message_is_answered_in_the_agents_form() {
    let mut table = String::new();
    for dialect in Dialect::all().iter().filter(|dialect| RECORDED.contains(&dialect.id.as_str())) {
        let stage = Stage::new(dialect).accepting();
        for (name, text) in recordings(&dialect.id) {
            let (project, home) = (stage.project(), stage.home());
            let message = filled(&dialect.id, &text, project.to_str().unwrap(), home.to_str().unwrap());
            let word = stage.hook(message.as_bytes());
            if !ours(&dialect.id, &name) {
                assert_eq!(word, Word::Deny, "{} {name}: no message of our plugin's", dialect.id);
                continue;
            }
            let env = HookEnv::default().in_folder(project.to_str().unwrap());
            if matches!(dialect.agent().decode(message.as_bytes(), &env), Decoded::Pre(_)) {
                let _ = writeln!(table, "{} {name}: {word:?}", dialect.id);
            } else {
                assert_eq!(word, Word::Silent, "{} {name}", dialect.id);
            }
        }
        let store = leastgrant::store::Store::at(stage.home().join(".leastgrant"));
        let checked = leastgrant::store::ledger::verify(&store).unwrap();
        assert!(checked.intact() && checked.torn.is_empty(), "{}: {checked:?}", dialect.id);
        let lines = leastgrant::store::ledger::read(&store).unwrap();
        let of_calls = lines.iter().filter(|line| line["event"] == "call");
        assert!(of_calls.clone().count() > 5 && of_calls.clone().all(|line| line["agent"] == *dialect.id));
    }
    insta::assert_snapshot!("answers", table);
}
