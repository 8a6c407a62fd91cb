//! What a person decides with `init`, `allow`, `deny` and `forget`, and that the next call is judged by it.

mod common;

use std::fs;

use common::{Said, Stage, run};
use serde_json::json;

fn typed(stage: &Stage, args: &[&str]) -> Said {
    run(stage.program(args), b"")
}

fn reads(stage: &Stage, path: &str) -> String {
    stage.hook(&stage.call("t", "Read", json!({ "file_path": path }))).decision()
}

fn writes(stage: &Stage, path: &str) -> Said {
    stage.hook(&stage.call("t", "Write", json!({ "file_path": path, "content": "x" })))
}

/// A person is there.
fn stage() -> Stage {
    Stage::new().with("CLAUDE_CODE_ENTRYPOINT", "cli")
}

#[test]
fn accepted_bundles_let_everyday_work_pass() {
    let stage = stage();
    assert_eq!(reads(&stage, "src/lib.rs"), "silent", "nothing is accepted yet");
    let said = typed(&stage, &["init", "--yes", "--no-history"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("look at git") && said.stdout.contains("not: "), "{}", said.stdout);
    assert_eq!(reads(&stage, "src/lib.rs"), "allow");
    assert_eq!(writes(&stage, "src/lib.rs").decision(), "allow");
    assert_eq!(writes(&stage, "/opt/x").decision(), "ask");
    let text = fs::read_to_string(stage.state().join("policy.toml")).unwrap();
    fs::write(stage.state().join("policy.toml"), text.replace("assist", "strict")).unwrap();
    assert_eq!(reads(&stage, "src/lib.rs"), "ask", "a person's edit holds");
    let again = typed(&stage, &["init", "--yes", "--json"]);
    let bundles: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert!(bundles["bundles"].as_array().unwrap().len() > 4);
    let kept = fs::read_to_string(stage.state().join("policy.toml")).unwrap();
    assert!(kept.contains("strict"), "what was chosen is kept: {kept}");
}

#[test]
fn without_a_terminal_init_needs_a_yes() {
    let stage = stage();
    let said = typed(&stage, &["init"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("--yes"), "{}", said.stderr);
    assert!(!stage.state().join("policy.toml").exists());
}

#[test]
fn a_rule_holds_from_the_next_call_on_in_its_project_only() {
    let stage = stage();
    let (path, pattern) = ("/opt/it's \"x\" $HOME", "Write(/opt/it's \"x\" $HOME)");
    assert_eq!(writes(&stage, path).decision(), "ask");
    let allowed = typed(&stage, &["allow", pattern, "--note", "the vendor's file"]);
    assert_eq!(allowed.code, Some(0), "{allowed:?}");
    assert_eq!(writes(&stage, path).decision(), "allow");
    assert_eq!(writes(&stage, "/opt/it's").decision(), "ask", "no more than what was written");

    let rules: serde_json::Value = serde_json::from_str(&typed(&stage, &["rules", "--json"]).stdout).unwrap();
    assert_eq!(rules["rules"][0]["pattern"], pattern);
    assert_eq!(rules["rules"][0]["project"], stage.project().canonicalize().unwrap().to_str().unwrap());
    let elsewhere = stage.home().join("other");
    fs::create_dir_all(elsewhere.join(".git")).unwrap();
    let call = String::from_utf8(stage.call("t", "Write", json!({ "file_path": path, "content": "x" }))).unwrap();
    let call = call.replace(stage.project().to_str().unwrap(), elsewhere.to_str().unwrap());
    assert_eq!(stage.hook(call.as_bytes()).decision(), "ask", "in another project");

    assert_eq!(typed(&stage, &["deny", "Read(src/lib.rs)", "--global"]).code, Some(0));
    assert_eq!(reads(&stage, "src/lib.rs"), "deny");
    assert_eq!(typed(&stage, &["forget", "Read(src/lib.rs)"]).code, Some(1), "the rule is for every project");
    assert_eq!(typed(&stage, &["forget", "Read(src/lib.rs)", "--global"]).code, Some(0));
    assert_eq!(typed(&stage, &["forget", pattern]).code, Some(0));
    assert_eq!(writes(&stage, path).decision(), "ask");

    let names: Vec<_> = stage
        .ledger()
        .iter()
        .filter(|line| line.get("agent").is_none())
        .map(|line| line["event"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["rule-added", "rule-added", "rule-removed", "rule-removed"]);
}

#[test]
fn the_same_rule_twice_is_one_rule() {
    let stage = stage();
    for note in ["one", "two"] {
        assert_eq!(typed(&stage, &["allow", "make x", "--note", note]).code, Some(0));
    }
    let text = fs::read_to_string(stage.state().join("rules.toml")).unwrap();
    assert_eq!(text.matches("[[rule]]").count(), 1, "{text}");
    assert!(text.contains("two"));
}

#[test]
fn what_a_person_wrote_by_hand_is_kept() {
    let stage = stage();
    let file = stage.state().join("rules.toml");
    fs::create_dir_all(stage.state()).unwrap();
    let by_hand = "# mine\n[[rule]]\neffect = \"deny\" # never\npattern = \"git push *\"\n";
    fs::write(&file, by_hand).unwrap();
    assert_eq!(typed(&stage, &["allow", "make x"]).code, Some(0));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with(by_hand), "{text}");
}

#[test]
fn a_broken_file_makes_everything_ask_and_is_not_written_over() {
    let stage = stage();
    typed(&stage, &["init", "--yes"]);
    let file = stage.state().join("rules.toml");
    fs::write(&file, "[[rule]]\neffect = \"deny\"\npattern = ").unwrap();
    assert_eq!(reads(&stage, "src/lib.rs"), "ask");
    let said = typed(&stage, &["allow", "git status"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("must be mended first"), "{}", said.stderr);
    assert!(typed(&stage, &["rules"]).stderr.contains("rules.toml:3:"));
}

#[test]
fn a_pause_silences_what_asks_until_it_ends() {
    let stage = stage();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = i64::try_from(now.as_millis()).unwrap();
    assert_eq!(writes(&stage, "/opt/x").decision(), "ask");
    leastgrant::install::pause::pause(&stage.state(), now, 60_000).unwrap();
    assert_eq!(writes(&stage, "/opt/x").decision(), "silent");
    assert_eq!(stage.ledger().last().unwrap()["note"], "paused");
    leastgrant::install::pause::resume(&stage.state()).unwrap();
    assert_eq!(writes(&stage, "/opt/x").decision(), "ask");
}

#[test]
fn what_the_installer_chose_is_read_as_it_wrote_it() {
    let stage = stage();
    let store = leastgrant::store::Store::at(stage.state());
    store.set_posture(leastgrant_core::policy::Posture::Strict).unwrap();
    store.accept(&["read-search"]).unwrap();
    let settings = store.settings();
    assert_eq!(settings.policy.problems, Vec::<String>::new());
    assert_eq!(settings.policy.posture, leastgrant_core::policy::Posture::Strict);
    assert_eq!(settings.policy.bundles, ["read-search"]);
}

#[test]
fn an_agent_may_not_change_what_it_may_do() {
    for name in ["CLAUDECODE", "AI_AGENT", "CODEX_SANDBOX"] {
        let stage = stage().with(name, "1");
        for args in [&["allow", "rm -rf /"][..], &["deny", "x"], &["forget", "x"], &["init", "--yes"]] {
            let said = typed(&stage, args);
            assert_eq!(said.code, Some(2), "{name} {args:?}");
            assert!(said.stderr.contains(name), "{}", said.stderr);
        }
        assert!(!stage.state().exists());
    }
}

#[test]
fn a_wildcard_that_covers_too_much_and_a_credential_are_held() {
    let stage = stage();
    for pattern in ["*", "rm*", "gi*"] {
        assert_eq!(typed(&stage, &["allow", pattern]).code, Some(2), "{pattern}");
    }
    assert_eq!(typed(&stage, &["allow", "gi*", "--force"]).code, Some(0));
    assert_eq!(typed(&stage, &["deny", "gi*"]).code, Some(0), "a deny rule may be broad");
}

#[test]
fn the_refusal_names_the_rule_that_would_permit_it_and_a_shell_takes_it_back_unchanged() {
    let stage = Stage::new().with("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    for path in ["/opt/x", "/opt/it's \"x\" $HOME `id`", "/opt/*", "/opt/a\\b\u{1b}[2J", "/opt/two\nlines"] {
        let said = writes(&stage, path);
        assert_eq!(said.decision(), "deny", "{path}");
        let answer: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
        let (_, hint) = reason.split_once("to change that: `leastgrant ").unwrap();
        let (hint, _) = hint.rsplit_once("` in a terminal").unwrap();
        let mut shell = std::process::Command::new("/bin/bash");
        shell.arg("-c").arg(format!("\"$LEASTGRANT\" {hint}")).env_clear().env("HOME", stage.home());
        shell.env("LEASTGRANT", env!("CARGO_BIN_EXE_leastgrant")).current_dir(stage.project());
        let ran = run(shell, b"");
        assert_eq!(ran.code, Some(0), "{hint}: {ran:?}");
        assert_eq!(writes(&stage, path).decision(), "allow", "{hint}");
    }
}
