//! What doctor finds, says to do, and mends.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod setup;

use leastgrant::agent::HookEnv;
use leastgrant::command::install::now_ms;
use leastgrant::doctor::{Scene, examine};
use leastgrant::install::place::Places;
use serde_json::Value;
use setup::{Machine, done, put, said};

struct Report(Value, i32);

fn doctor(machine: &Machine, more: &[&str], env: &[(&str, &str)]) -> Report {
    let mut args = vec!["doctor", "--json"];
    args.extend(more);
    let output = machine.command(&args).envs(env.iter().copied()).output().unwrap();
    Report(
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output))),
        output.status.code().unwrap(),
    )
}

impl Report {
    fn find(&self, id: &str) -> Option<&Value> {
        self.0["checks"].as_array().unwrap().iter().find(|check| check["id"] == id)
    }

    fn status(&self, id: &str) -> &str {
        self.find(id).map_or("absent", |check| check["status"].as_str().unwrap())
    }

    fn bad(&self) -> Vec<&str> {
        let checks = self.0["checks"].as_array().unwrap().iter();
        checks.filter(|check| check["status"] == "bad").map(|check| check["id"].as_str().unwrap()).collect()
    }
}

fn wired() -> Machine {
    let machine = Machine::new();
    machine.put_settings(b"{\n  \"model\": \"opus\"\n}\n");
    done(&machine.install(&[]));
    machine
}

#[test]
fn a_good_install_is_good() {
    let mut machine = wired();
    machine.put_claude("2.1.332");
    let report = doctor(&machine, &[], &[]);
    assert_eq!(report.bad(), [] as [&str; 0]);
    assert_eq!(report.1, 0);
    assert_eq!(report.0["ok"], true);
    for id in ["hook-pre", "starts:user", "bound", "agent", "state-dir", "outer-timeout", "posture"] {
        assert_eq!(report.status(id), "ok", "{id}: {:?}", report.find(id));
    }
    assert!(report.find("bound").unwrap()["text"].as_str().unwrap().contains("missing, killed, fails or hangs"));
}

#[test]
fn nothing_installed_is_bad_and_says_what_to_do() {
    let report = doctor(&Machine::new(), &[], &[]);
    assert_eq!(report.1, 1);
    assert_eq!(report.bad(), ["hook-pre", "bound"]);
    assert_eq!(report.find("hook-pre").unwrap()["fix"], "leastgrant install claude-code");
}

#[test]
fn every_bad_or_warning_check_names_a_fix() {
    let machine = wired();
    put(&machine.project().join(".claude/settings.local.json"), b"{\"disableAllHooks\": true, \"hooks\": {\"PermissionRequest\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"yes-sayer\"}]}]}}");
    put(&machine.project().join(".claude/settings.json"), b"{ // no\n}");
    machine.put_program("#!/bin/sh\nexit 3\n");
    let report = doctor(&machine, &[], &[("CLAUDE_CODE_SIMPLE", "1")]);
    let checks = report.0["checks"].as_array().unwrap();
    assert!(report.bad().len() >= 5, "{:?}", report.bad());
    for check in checks.iter().filter(|check| check["status"] == "bad" || check["status"] == "warn") {
        // the test's own program lives in a build folder, which no command mends
        if check["id"] != "program" {
            assert!(check["fix"].is_string(), "{check}");
        }
    }
}

#[test]
fn off_switches_are_found_in_every_scope() {
    let prefix = |machine: &Machine| machine.root().join("machine");
    let cases: [(&str, &str, &str); 9] = [
        ("HOME/.claude/settings.json", "disableAllHooks", "switch:user:disableAllHooks"),
        ("PROJECT/.claude/settings.json", "disableAllHooks", "switch:project:disableAllHooks"),
        ("PROJECT/.claude/settings.local.json", "disableAllHooks", "switch:local:disableAllHooks"),
        ("ETC/managed-settings.json", "disableAllHooks", "switch:managed:managed-settings.json:disableAllHooks"),
        ("ETC/managed-settings.d/10-it.json", "disableAllHooks", "switch:managed:10-it.json:disableAllHooks"),
        (
            "ETC/managed-settings.json",
            "allowManagedHooksOnly",
            "switch:managed:managed-settings.json:allowManagedHooksOnly",
        ),
        ("PROJECT/.claude/settings.json", "env.CLAUDE_CODE_SIMPLE", "switch:project:env.CLAUDE_CODE_SIMPLE"),
        ("PROJECT/.claude/settings.local.json", "env.LEASTGRANT_HOME", "switch:local:env.LEASTGRANT_HOME"),
        ("PROJECT/.claude/settings.json", "env.LD_PRELOAD", "switch:project:env.LD_PRELOAD"),
    ];
    for (file, key, id) in cases {
        let machine = wired();
        let root = prefix(&machine);
        let path = match file.split_once('/').unwrap() {
            ("HOME", rest) => machine.home().join(rest),
            ("PROJECT", rest) => machine.project().join(rest),
            (_, rest) => root.join("etc/claude-code").join(rest),
        };
        let value = match key.strip_prefix("env.") {
            Some(name) => format!("\"env\": {{\"{name}\": \"/1\"}}"),
            None => format!("\"{key}\": true"),
        };
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| String::from("{\n  \"x\": 1\n}"));
        put(&path, text.replacen('{', &format!("{{{value},"), 1).as_bytes());
        let root = root.to_str().unwrap();
        let report = doctor(&machine, &["--root-prefix", root], &[]);
        assert_eq!(report.status(id), "bad", "{id}: {:?}", report.bad());
        assert_eq!(report.status("bound"), "bad", "{id}");
        assert_eq!(report.1, 1);
        // named, it is taken out, and the rest of the file stays
        let mended = doctor(&machine, &["--root-prefix", root, "--fix", id], &[]);
        assert_eq!(mended.status(id), "absent");
        let left = std::fs::read_to_string(&path).unwrap();
        assert!(!left.contains(key.trim_start_matches("env.")));
        assert!(left.contains("\"x\": 1") || left.contains("\"model\": \"opus\""));
    }
}

#[test]
fn a_key_that_does_nothing_is_no_switch() {
    let machine = wired();
    put(&machine.project().join(".claude/settings.json"), b"{\"disableAllHooks\": false, \"allowManagedHooksOnly\": true, \"env\": {\"CLAUDE_CODE_SIMPLE\": \"0\", \"X\": \"1\"}}");
    assert_eq!(doctor(&machine, &[], &[]).bad(), [] as [&str; 0]);
}

#[test]
fn environment_switches_are_found() {
    let machine = wired();
    for name in ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_RESTRICTED"] {
        let report = doctor(&machine, &[], &[(name, "1")]);
        assert_eq!(report.bad(), [format!("switch:env:{name}")]);
        assert_eq!(report.find(&format!("switch:env:{name}")).unwrap()["fix"], format!("unset {name}"));
    }
    assert_eq!(
        doctor(&machine, &[], &[("CLAUDE_CODE_PERSONAL_HOOKS_OFF", "1"), ("CLAUDE_CODE_SIMPLE", "0")]).bad(),
        [] as [&str; 0]
    );
}

#[test]
fn a_managed_hook_holds_although_a_project_switches_hooks_off() {
    let machine = wired();
    let root = machine.root().join("machine");
    std::fs::create_dir(&root).unwrap();
    let root = root.to_str().unwrap();
    done(&machine.install(&["--managed", "--root-prefix", root]));
    put(&machine.project().join(".claude/settings.json"), b"{\"disableAllHooks\": true}");
    let report = doctor(&machine, &["--root-prefix", root], &[]);
    assert_eq!(report.status("bound"), "warn", "{:?}", report.find("bound"));
    assert!(report.find("bound").unwrap()["text"].as_str().unwrap().contains("managed: closed"));
    assert_eq!(report.status("twice"), "info");
}

#[test]
fn a_hook_that_cannot_start_is_bad_whatever_is_written() {
    for (program, says) in [
        ("#!/bin/sh\nexit 3\n", "every call is blocked"),
        ("#!/bin/sh\ncat >/dev/null\n", "let a write into its own state pass"),
    ] {
        let machine = wired();
        machine.put_program(program);
        let report = doctor(&machine, &[], &[]);
        assert_eq!(report.status("starts:user"), "bad");
        assert_eq!(report.status("bound"), "bad");
        assert!(
            report.find("starts:user").unwrap()["text"].as_str().unwrap().contains(says),
            "{:?}",
            report.find("starts:user")
        );
    }
}

#[test]
fn what_was_installed_and_is_gone_is_bad() {
    let machine = wired();
    machine.put_settings(b"{}\n");
    let report = doctor(&machine, &[], &[]);
    assert_eq!(report.status("lost:user"), "bad");
    done(&machine.uninstall(&[]));
    assert_eq!(doctor(&machine, &[], &[]).status("lost:user"), "absent");
}

#[test]
fn a_dropped_file_is_bad_and_mended_by_name() {
    let machine = wired();
    let text = String::from_utf8(machine.read_settings()).unwrap().replacen('{', "{ // mine", 1);
    machine.put_settings(text.as_bytes());
    let report = doctor(&machine, &["--fix"], &[]);
    assert_eq!(report.status("settings:user"), "bad");
    assert_eq!(machine.read_settings(), text.as_bytes(), "only by name");
    let report = doctor(&machine, &["--fix", "settings:user"], &[]);
    assert_eq!(report.bad(), [] as [&str; 0]);
}

#[test]
fn the_state_folder_is_mended() {
    use std::os::unix::fs::PermissionsExt;
    let machine = wired();
    std::fs::set_permissions(machine.state(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(doctor(&machine, &[], &[]).status("state-dir"), "warn");
    assert_eq!(doctor(&machine, &["--fix", "state-dir"], &[]).status("state-dir"), "ok");
    assert_eq!(std::fs::metadata(machine.state()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn an_agent_may_look_and_not_mend() {
    let machine = wired();
    put(&machine.project().join(".claude/settings.json"), b"{\"disableAllHooks\": true}");
    let args = ["doctor", "--fix", "switch:project:disableAllHooks"];
    let output = machine.command(&args).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("mends nothing from inside an agent"), "{}", said(&output));
    assert_eq!(std::fs::read(machine.project().join(".claude/settings.json")).unwrap(), b"{\"disableAllHooks\": true}");
}

#[test]
fn hooks_of_others_that_matter_are_named() {
    let machine = Machine::new();
    machine.put_settings(b"{\"hooks\": {\n\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"rewriter\"}]}],\n\"PermissionRequest\": [{\"hooks\": [{\"type\": \"http\", \"url\": \"http://127.0.0.1:1/yes\"}]}],\n\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"chime\"}]}]}}");
    done(&machine.install(&[]));
    let report = doctor(&machine, &[], &[]);
    assert_eq!(report.status("foreign-pre:user:2"), "warn");
    assert_eq!(report.status("foreign-permission:user:3"), "warn");
    let texts = report.0.to_string();
    assert!(texts.contains("rewriter") && texts.contains("127.0.0.1:1/yes") && !texts.contains("chime"));
}

#[test]
fn sessions_that_never_called_are_named() {
    const SESSION: &str = "11111111-2222-4333-8444-555555555555";
    let machine = wired();
    let transcript = machine.home().join(format!(".claude/projects/-home-dev/{SESSION}.jsonl"));
    put(&transcript, b"{}\n");
    let home = machine.home().to_str().unwrap().to_owned();
    let look = |later_ms: i64| {
        let env = HookEnv::from_lookup(|name| (name == "HOME").then(|| home.clone()));
        let places = Places::of(&env, machine.project(), Some(&machine.root().join("machine"))).unwrap();
        let checks = examine(&Scene::look(places, now_ms() + later_ms));
        checks.into_iter().find(|check| check.id == "silent-sessions").map(|check| check.text)
    };
    assert_eq!(look(0), None, "too young to tell");
    let later = 10 * 60_000;
    let said = look(later).unwrap();
    assert!(said.contains(SESSION) && said.contains("-home-dev"), "{said}");
    assert_eq!(look(8 * 24 * 60 * 60_000), None, "of last week only");
    let event = leastgrant::store::event::Event {
        agent: String::from("claude-code"),
        session: String::from(SESSION),
        ..leastgrant::store::event::Event::new("session-start", now_ms())
    };
    leastgrant::store::Store::at(machine.state()).append(&event).unwrap();
    assert_eq!(look(later), None, "it called");
}

/// Whoever wrote a project could have its settings start anything: looking must not run it.
#[test]
fn a_projects_own_idea_of_our_hook_is_not_started() {
    let machine = Machine::new();
    let planted = machine.project().join("tools/leastgrant");
    let trace = machine.home().join("ran");
    put(&planted, format!("#!/bin/sh\necho > '{}'\n", trace.display()).as_bytes());
    std::fs::set_permissions(&planted, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for name in ["settings.json", "settings.local.json"] {
        let entry = format!("{{\"type\": \"command\", \"command\": \"{} hook claude-code\"}}", planted.display());
        let text = format!("{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"*\", \"hooks\": [{entry}]}}]}}}}");
        put(&machine.project().join(".claude").join(name), text.as_bytes());
    }
    let report = doctor(&machine, &[], &[]);
    assert!(!trace.exists(), "doctor ran what the project named");
    assert_eq!(report.status("starts:project"), "warn");
    assert_eq!(report.status("starts:local"), "warn");
    assert_eq!(report.status("bound"), "bad");
    // what we wrote there ourselves is tried
    done(&machine.install(&["--local"]));
    assert_eq!(doctor(&machine, &[], &[]).status("starts:local"), "ok");
}

#[test]
fn rules_are_held_against_what_they_met() {
    use leastgrant::store::{Store, event::Event};
    let machine = wired();
    let store = Store::at(machine.state());
    let rules =
        "[[rule]]\neffect = \"allow\"\npattern = \"git *\"\n\n[[rule]]\neffect = \"allow\"\npattern = \"ls *\"\n";
    put(&machine.state().join("rules.toml"), rules.as_bytes());
    let day = 24 * 60 * 60 * 1000;
    let call = |days: i64, signature: &str, attendance: &'static str| {
        let event = Event {
            agent: String::from("claude-code"),
            session: String::from("s"),
            signature: Some(String::from(signature)),
            attendance: Some(attendance),
            answer: Some("allow"),
            ..Event::new("call", now_ms() - days * day)
        };
        store.append(&event).unwrap();
    };
    call(59, "curl <url:api.example.com> @net.fetch/3000", "attended");
    call(1, "git status @exec.vcs.read/1000", "unattended");
    let report = doctor(&machine, &[], &[]);
    assert_eq!(report.status("broad-rules"), "ok");
    assert_eq!(report.status("unattended"), "warn");
    assert_eq!(report.status("stale-rules"), "absent", "the ledger is too young");
    call(59, "true @exec.inspect/1000", "attended");
    call(0, "git push --force @exec.vcs.push/3300 ; ls @exec.inspect/1000", "attended");
    let report = doctor(&machine, &[], &[]);
    assert_eq!(report.status("broad-rule:git *"), "bad", "{}", report.0);
    assert_eq!(report.find("broad-rule:git *").unwrap()["fix"], "leastgrant forget 'git *' --global");
    assert!(report.find("hosts").unwrap()["text"].as_str().unwrap().ends_with("api.example.com"));
    assert!(report.find("stale-rules").unwrap()["text"].as_str().unwrap().contains("`ls *`"));
}

#[test]
fn calls_that_ran_unjudged_are_counted() {
    use leastgrant::store::{Store, event::Event};
    const SESSION: &str = "11111111-2222-4333-8444-555555555555";
    let machine = wired();
    let stamp = jiff::Timestamp::now();
    let line = |kind: &str, part: &str| {
        format!("{{\"type\":\"{kind}\",\"timestamp\":\"{stamp}\",\"message\":{{\"content\":[{part}]}}}}\n")
    };
    let ran = |id: &str, error: bool| {
        let asked = format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"Bash\",\"input\":{{}}}}");
        let ended = format!("{{\"type\":\"tool_result\",\"tool_use_id\":\"{id}\",\"is_error\":{error}}}");
        line("assistant", &asked) + &line("user", &ended)
    };
    let text = [ran("judged", false), ran("unjudged", false), ran("failed", true), String::from("{torn")].concat();
    put(&machine.home().join(format!(".claude/projects/-home-dev/{SESSION}.jsonl")), text.as_bytes());
    let event = Event {
        agent: String::from("claude-code"),
        session: String::from(SESSION),
        call: Some(String::from("judged")),
        ..Event::new("call", now_ms())
    };
    Store::at(machine.state()).append(&event).unwrap();
    let report = doctor(&machine, &[], &[]);
    let text = report.find("unjudged-calls").unwrap()["text"].as_str().unwrap();
    assert!(text.ends_with(&format!("1 in {SESSION}")), "{text}");
}
