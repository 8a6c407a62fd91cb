//! Settings that change while a session runs, through the real hook process: what disarms us is refused, what a person
//! announced from a terminal passes, once per session.

#![expect(clippy::unwrap_used, clippy::panic, clippy::string_slice, reason = "helpers of tests")]

mod setup;

use std::path::PathBuf;

use leastgrant::agent::{ConfigChange, HookEnv};
use leastgrant::install::config_change::{Ruling, decide};
use leastgrant::install::place::Places;
use leastgrant::install::record::{all, digest};
use leastgrant::install::release;
use setup::{Machine, done, put, said};

const NOW: i64 = 1_800_000_000_000;

fn wired() -> Machine {
    let machine = Machine::new();
    machine.put_settings(b"{\n  \"model\": \"opus\"\n}\n");
    done(&machine.install(&[]));
    machine
}

fn places(machine: &Machine) -> Places {
    let home = machine.home().to_str().unwrap().to_owned();
    let env = HookEnv::from_lookup(|name| (name == "HOME").then(|| home.clone()));
    Places::of(&env, machine.project(), Some(&machine.root().join("machine"))).unwrap()
}

fn change(session: &str, source: &str, file: PathBuf) -> ConfigChange {
    ConfigChange {
        session: session.to_owned(),
        cwd: String::from("/"),
        source: source.to_owned(),
        file_path: Some(file.to_str().unwrap().to_owned()),
    }
}

fn user(machine: &Machine) -> Ruling {
    decide(&change("one", "user_settings", machine.settings()), &places(machine), NOW)
}

#[track_caller]
fn refused(ruling: &Ruling, says: &str) {
    match ruling {
        Ruling::Refuse { reason } => {
            assert!(reason.contains(says), "no `{says}` in {reason}");
            assert!(reason.contains("leastgrant install claude-code"), "{reason}");
        }
        Ruling::Let { note } => panic!("let through: {note:?}"),
    }
}

#[track_caller]
fn let_through(ruling: &Ruling) {
    assert!(matches!(ruling, Ruling::Let { .. }), "{ruling:?}");
}

#[test]
fn edits_that_leave_us_alone_pass() {
    let machine = wired();
    let_through(&user(&machine));
    let text = String::from_utf8(machine.read_settings()).unwrap();
    machine.put_settings(text.replace("opus", "haiku").as_bytes());
    let_through(&user(&machine));
    machine.put_settings(text.replace("\"hooks\": {", "\"hooks\": {\"Stop\": [{\"hooks\": []}],").as_bytes());
    let_through(&user(&machine));
    // written anew by a program that has its own idea of blanks
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    machine.put_settings(value.to_string().as_bytes());
    let_through(&user(&machine));
}

#[test]
fn what_disarms_is_refused() {
    let good = String::from_utf8(wired().read_settings()).unwrap();
    let cases: Vec<(String, &str)> = vec![
        (good.replacen('{', "{\"disableAllHooks\": true,", 1), "disableAllHooks"),
        (good.replacen('{', "{\"env\": {\"CLAUDE_CODE_SIMPLE\": \"1\"},", 1), "env.CLAUDE_CODE_SIMPLE"),
        (good.replacen('{', "{\"env\": {\"LEASTGRANT_HOME\": \"/tmp/x\"},", 1), "env.LEASTGRANT_HOME"),
        (good.replacen('{', "{ // c\n", 1), "would drop it"),
        (good.trim_end().trim_end_matches('}').to_owned(), "would drop it"),
        (String::new(), "`PreToolUse` entry"),
        (String::from("{}"), "`PreToolUse` entry"),
        (good.replacen("\"matcher\": \"*\"", "\"matcher\": \"Read\"", 1), "`PreToolUse` entry"),
        (good.replacen("\"timeout\": 10", "\"timeout\": 1", 1), "`PreToolUse` entry"),
        (good.replacen("exit 2; }", "exit 0; }", 1), "`PreToolUse` entry"),
        (good.replacen("hook claude-code", "hook claude-code --help", 1), "`PreToolUse` entry"),
        (good.replacen("\"ConfigChange\"", "\"Other\"", 1), "`ConfigChange` entry"),
        (good.replacen("\"PreToolUse\"", "\"PreToolUse\": [], \"Old\"", 1), "`PreToolUse` entry"),
        (
            good.replacen("\"hooks\": {", "\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"nonsense\"}]}],", 1),
            "would drop it",
        ),
    ];
    for (text, says) in cases {
        let machine = wired();
        // each machine has its own home; the case is told in the first one's words
        let mine = String::from_utf8(machine.read_settings()).unwrap();
        let (old, new) = (home_in(&good), home_in(&mine));
        machine.put_settings(text.replace(&old, &new).as_bytes());
        refused(&user(&machine), says);
    }
    let machine = wired();
    std::fs::remove_file(machine.settings()).unwrap();
    refused(&user(&machine), "is gone");
    std::fs::create_dir(machine.settings()).unwrap();
    refused(&user(&machine), "can't be read");
}

fn home_in(text: &str) -> String {
    let at = text.find("/bin/leastgrant hook").unwrap();
    let start = text[..at].rfind(' ').unwrap() + 1;
    text[start..at].to_owned()
}

#[test]
fn off_switches_elsewhere_are_refused_and_the_rest_passes() {
    let machine = wired();
    for (source, name) in [("project_settings", "settings.json"), ("local_settings", "settings.local.json")] {
        let file = machine.project().join(".claude").join(name);
        let rule = |text: &str| {
            put(&file, text.as_bytes());
            decide(&change("one", source, file.clone()), &places(&machine), NOW)
        };
        refused(&rule("{\"disableAllHooks\": true}"), "disableAllHooks");
        refused(&rule("{\"env\": {\"LD_PRELOAD\": \"/x.so\"}}"), "env.LD_PRELOAD");
        let_through(&rule("{\"disableAllHooks\": false, \"model\": \"opus\"}"));
        let_through(&rule("{ broken"));
        let_through(&rule(""));
        std::fs::remove_file(&file).unwrap();
        let_through(&decide(&change("one", source, file.clone()), &places(&machine), NOW));
    }
}

#[test]
fn a_link_that_became_a_file_is_still_the_wired_file() {
    let machine = Machine::new();
    let dotfile = machine.home().join("dotfiles/claude.json");
    put(&dotfile, b"{}\n");
    std::fs::create_dir_all(machine.home().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&dotfile, machine.settings()).unwrap();
    done(&machine.install(&[]));
    let_through(&user(&machine));
    std::fs::remove_file(machine.settings()).unwrap();
    std::fs::write(machine.settings(), b"{}\n").unwrap();
    refused(&user(&machine), "`PreToolUse` entry");
}

#[test]
fn an_announced_change_passes_once_per_session_and_not_for_long() {
    let machine = wired();
    machine.put_settings(b"{}\n");
    let real = machine.settings().canonicalize().unwrap();
    let content = || Some(digest(b"{}\n"));
    let rule =
        |session: &str, now: i64| decide(&change(session, "user_settings", machine.settings()), &places(&machine), now);
    release::leave(&machine.state(), &real, content(), NOW).unwrap();
    let_through(&rule("one", NOW + 1));
    refused(&rule("one", NOW + 2), "entry");
    let_through(&rule("two", NOW + 3));
    refused(&rule("three", NOW + 120_001), "entry");
    // a clock that was set back makes none last longer
    refused(&rule("three", NOW - 1), "entry");

    release::leave(&machine.state(), &real, content(), NOW).unwrap();
    machine.put_settings(b"{\"other\": 1}\n");
    refused(&rule("one", NOW), "entry");
    release::leave(&machine.state(), &machine.home().join("else.json"), Some(digest(b"{\"other\": 1}\n")), NOW)
        .unwrap();
    refused(&rule("one", NOW), "entry");
    machine.put_settings(b"{}\n");
    release::withdraw(&machine.state(), &real, NOW).unwrap();
    refused(&rule("one", NOW), "entry");
}

#[test]
fn an_uninstall_without_a_terminal_does_not_disarm_what_runs() {
    let machine = wired();
    done(&machine.uninstall(&[]));
    let now = leastgrant::command::install::now_ms();
    let rule = |now: i64| decide(&change("one", "user_settings", machine.settings()), &places(&machine), now);
    refused(&rule(now), "without a terminal");
    // no session runs for ever: elsewhere still wired, the file is free again
    put(&machine.project().join(".claude/settings.json"), b"{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"leastgrant hook claude-code\"}]}]}}");
    refused(&rule(now + 6 * 24 * 60 * 60_000), "without a terminal");
    let_through(&rule(now + 8 * 24 * 60 * 60_000));
    done(&machine.install(&[]));
    let_through(&user(&machine));
}

/// Settings that came with a synced home: no install ever ran here.
#[test]
fn entries_without_a_record_are_taken_over_at_a_sessions_start() {
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    // the real program, since it records only what starts itself
    done(&machine.run(&["install", "claude-code", "--force"]));
    let wired = machine.read_settings();
    std::fs::remove_dir_all(machine.state()).unwrap();
    put(&machine.project().join(".claude/settings.json"), &wired);
    let foreign = String::from_utf8(wired.clone()).unwrap().replace("/leastgrant hook", "/other/leastgrant hook");
    put(&machine.project().join(".claude/settings.local.json"), foreign.as_bytes());
    let start = format!(
        "{{\"session_id\":\"11111111-2222-4333-8444-555555555555\",\"cwd\":\"{}\",\"hook_event_name\":\"SessionStart\",\"source\":\"startup\"}}\n",
        machine.project().display()
    );
    let started = hook(&machine, &start);
    assert!(started.status.success(), "{}", said(&started));
    let scopes: Vec<&str> = all(&machine.state()).iter().map(|record| record.wiring.scope.id()).collect();
    assert_eq!(scopes.len(), 2, "{scopes:?}");
    assert!(scopes.contains(&"user") && scopes.contains(&"project"), "{scopes:?}");
    let_through(&user(&machine));
    machine.put_settings(b"{}\n");
    refused(&user(&machine), "`PreToolUse` entry");
    machine.put_settings(&wired);
    done(&machine.uninstall(&[]));
    assert_eq!(machine.read_settings(), b"{}\n");
}

fn hook(machine: &Machine, payload: &str) -> std::process::Output {
    let mut child = machine
        .command(&["hook", "claude-code"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), payload.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn the_hook_answers_as_the_agent_understands_and_writes_it_down() {
    let machine = wired();
    let payload = |file: &str| {
        format!(
            "{{\"session_id\":\"11111111-2222-4333-8444-555555555555\",\"transcript_path\":\"/nowhere.jsonl\",\"cwd\":\"{}\",\"hook_event_name\":\"ConfigChange\",\"source\":\"user_settings\",\"file_path\":\"{file}\"}}\n",
            machine.project().display()
        )
    };
    let file = machine.settings();
    let file = file.to_str().unwrap();
    let passed = hook(&machine, &payload(file));
    assert!(passed.status.success() && passed.stdout.is_empty(), "{}", said(&passed));
    machine.put_settings(b"{\"disableAllHooks\": true}");
    let refused = hook(&machine, &payload(file));
    let text = said(&refused);
    assert!(text.contains("disableAllHooks"), "{text}");
    let blocks = refused.status.code() == Some(2)
        || serde_json::from_slice::<serde_json::Value>(&refused.stdout)
            .is_ok_and(|answer| answer["decision"] == "block");
    assert!(blocks, "{text}");
    let ledger = std::fs::read_to_string(machine.state().join("ledger.jsonl")).unwrap();
    assert_eq!(ledger.matches("\"event\":\"config-change\"").count(), 2);
    assert!(ledger.contains("\"answer\":\"deny\""));
}
