//! Files that are not touched, and programs that are not wired: exit 1, the bytes stay, the message says what to do.

mod setup;

use leastgrant::install::claude_code::EVENTS;
use setup::{GUARD, Machine, done, said};

#[derive(serde::Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    text: String,
    says: Vec<String>,
    stripped: Option<String>,
}

fn bytes(text: &str) -> Vec<u8> {
    match text {
        "@DEEP@" => [b"{\"a\":".to_vec(), vec![b'['; 100_000]].concat(),
        "@LARGE@" => format!("{{\"a\": \"{}\"}}\n", "x".repeat(1024 * 1024)).into_bytes(),
        "@LATIN1@" => b"{\n  \"a\": \xe9\n}\n".to_vec(),
        text => text.as_bytes().to_vec(),
    }
}

#[test]
fn refused_files_keep_their_bytes() {
    let cases: Cases = toml::from_str(include_str!("cases/install/refusals/settings.toml")).unwrap();
    for case in cases.case {
        let machine = Machine::new();
        let text = bytes(&case.text);
        machine.put_settings(&text);
        // force is about the program and never about the file
        let output = machine.install(&[]);
        assert_eq!(output.status.code(), Some(1), "{}: {}", case.name, said(&output));
        for says in &case.says {
            assert!(said(&output).contains(says), "{}: no `{says}` in {}", case.name, said(&output));
        }
        assert!(said(&output).contains(".claude/settings.json"), "{}: {}", case.name, said(&output));
        assert_eq!(machine.read_settings(), text, "{}", case.name);
        assert_eq!(machine.leftovers().len(), 2, "{}: {:?}", case.name, machine.leftovers());
    }
}

#[test]
fn comments_are_taken_out_on_request_and_come_back_with_the_uninstall() {
    let cases: Cases = toml::from_str(include_str!("cases/install/refusals/settings.toml")).unwrap();
    for case in cases.case {
        let Some(stripped) = &case.stripped else { continue };
        let machine = Machine::new();
        machine.put_settings(case.text.as_bytes());
        let plan = machine.install(&["--strip-comments", "--dry-run"]);
        done(&plan);
        assert!(said(&plan).lines().any(|line| line.starts_with('-')), "{}: {}", case.name, said(&plan));
        assert_eq!(machine.read_settings(), case.text.as_bytes());

        done(&machine.install(&["--strip-comments"]));
        let clean = Machine::new();
        clean.put_settings(stripped.as_bytes());
        done(&clean.install(&[]));
        let without_paths = |machine: &Machine| {
            String::from_utf8(machine.read_settings()).unwrap().replace(machine.root().to_str().unwrap(), "")
        };
        assert_eq!(without_paths(&machine), without_paths(&clean), "{}", case.name);

        done(&machine.uninstall(&[]));
        assert_eq!(machine.read_settings(), case.text.as_bytes(), "{}", case.name);
    }
}

#[test]
fn uninstall_refuses_a_broken_file_too() {
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    done(&machine.install(&[]));
    let mut broken = machine.read_settings();
    broken.pop();
    broken.pop();
    machine.put_settings(&broken);
    let output = machine.uninstall(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(machine.read_settings(), broken);
}

#[test]
fn a_program_that_will_not_stay_is_not_wired() {
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    let wired = machine.wired();
    let output = machine.run(&["install", "claude-code", "--program", wired.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("--force"), "{}", said(&output));
    assert_eq!(machine.read_settings(), b"{}\n");
}

/// A program and what the message says about it.
const NO_GUARDS: [(&str, &str); 7] = [
    ("#!/bin/sh\nexit 1\n", "ended with code 2"),
    ("#!/bin/sh\nkill -9 $$\n", "ended with code 2"),
    ("#!/bin/sh\ncat > /dev/null\n", "let a write into its own state pass"),
    ("#!/bin/sh\ncat > /dev/null\necho ready\n", "not one JSON object"),
    (
        "#!/bin/sh\ncat > /dev/null\necho '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'\n",
        "answered `allow`",
    ),
    ("#!/bin/sh\ncat > /dev/null\necho '{\"decision\":\"deny\"}'\n", "not one that the agent understands"),
    ("#!/nowhere/sh\n", "ended with code 2"),
];

#[test]
fn what_is_no_guard_is_undone() {
    for (program, why) in NO_GUARDS {
        for before in [Some("{\n  \"model\": \"opus\"\n}"), None] {
            let machine = Machine::new();
            machine.put_program(program);
            if let Some(before) = before {
                machine.put_settings(before.as_bytes());
            }
            let output = machine.install(&[]);
            assert_eq!(output.status.code(), Some(1), "{}", said(&output));
            assert!(said(&output).contains(why) && said(&output).contains("undone"), "{program}: {}", said(&output));
            match before {
                Some(before) => assert_eq!(machine.read_settings(), before.as_bytes()),
                None => assert!(machine.leftovers().is_empty(), "{:?}", machine.leftovers()),
            }
            assert!(leastgrant::install::record::all(&machine.state()).is_empty());
        }
    }
}

#[test]
fn a_failed_repair_leaves_what_worked() {
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    done(&machine.install(&[]));
    let wired = machine.read_settings();
    let other = machine.home().join("bin2/leastgrant");
    setup::put(&other, b"#!/bin/sh\nexit 9\n");
    let output = machine.run(&["install", "claude-code", "--force", "--program", other.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(machine.read_settings(), wired);
    done(&machine.uninstall(&[]));
    assert_eq!(machine.read_settings(), b"{}\n");
}

#[test]
fn root_leaves_nothing_in_a_persons_home() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let machine = Machine::new();
    std::os::unix::fs::chown(machine.home(), Some(1000), Some(1000)).unwrap();
    let output = machine.install(&[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("as the person whose home it is"), "{}", said(&output));
    assert!(machine.leftovers().is_empty() && !machine.state().exists());
}

#[test]
fn other_things_than_files_are_refused() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.settings()).unwrap();
    let output = machine.install(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("not a regular file"), "{}", said(&output));
    assert!(machine.settings().is_dir());
}

#[test]
fn unknown_agents_and_words_are_usage_errors() {
    let machine = Machine::new();
    for args in
        [["install", "emacs"], ["uninstall", "emacs"], ["install", "--posture=lax"], ["install", "--on-failure=maybe"]]
    {
        let output = machine.run(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", said(&output));
        assert!(machine.leftovers().is_empty());
    }
}

#[test]
fn without_a_name_only_agents_that_are_there_are_wired() {
    let mut machine = Machine::new();
    let wired = machine.wired();
    let args = ["install", "--force", "--program", wired.to_str().unwrap()];
    let output = machine.run(&args);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(machine.leftovers().is_empty());
    machine.put_claude("2.1.332");
    done(&machine.run(&args));
    let text = String::from_utf8(machine.read_settings()).unwrap();
    assert_eq!(text.matches("hook claude-code").count(), EVENTS.len());
    assert!(!GUARD.is_empty());
}
