//! What an install does to the world around the file: links, modes, several at once, drift, scopes, odd homes.

mod setup;

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use leastgrant::edit::json::{Document, Node, Step};
use leastgrant::install::claude_code::{EVENTS, find};
use setup::{GUARD, Machine, done, put, said};

fn document(machine: &Machine) -> Document {
    Document::parse(&machine.read_settings()).unwrap()
}

fn entry(document: &Document, event: &str) -> String {
    let path = [Step::Key("hooks"), Step::Key(event), Step::Index(0), Step::Key("hooks"), Step::Index(0)];
    let node = document.at(&path).unwrap();
    document.raw(&node.span).to_owned()
}

fn command(document: &Document, event: &str) -> String {
    let path = [Step::Key("hooks"), Step::Key(event), Step::Index(0), Step::Key("hooks"), Step::Index(0), Step::Key("command")];
    document.at(&path).and_then(Node::str).unwrap().to_owned()
}

#[test]
fn the_entries_are_those_of_the_design() {
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    done(&machine.install(&[]));
    let text = String::from_utf8(machine.read_settings()).unwrap();
    let text = text.replace(machine.home().to_str().unwrap(), "/home/dev");
    insta::assert_snapshot!(text);
}

#[test]
fn a_link_stays_a_link() {
    let machine = Machine::new();
    let dotfile = machine.home().join("dotfiles/claude.json");
    put(&dotfile, b"{\n  \"model\": \"opus\"\n}\n");
    std::fs::create_dir_all(machine.home().join(".claude")).unwrap();
    std::os::unix::fs::symlink("../dotfiles/claude.json", machine.settings()).unwrap();
    done(&machine.install(&[]));
    assert_eq!(std::fs::read_link(machine.settings()).unwrap(), Path::new("../dotfiles/claude.json"));
    assert!(!dotfile.is_symlink());
    assert_eq!(find(&document(&machine)).len(), EVENTS.len());
    done(&machine.uninstall(&[]));
    assert_eq!(std::fs::read_link(machine.settings()).unwrap(), Path::new("../dotfiles/claude.json"));
    assert_eq!(std::fs::read(&dotfile).unwrap(), b"{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn a_link_to_a_file_yet_to_be_made_is_followed() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.home().join(".claude")).unwrap();
    std::fs::create_dir_all(machine.home().join("dotfiles")).unwrap();
    std::os::unix::fs::symlink(machine.home().join("dotfiles/new.json"), machine.settings()).unwrap();
    done(&machine.install(&[]));
    assert!(machine.settings().is_symlink());
    assert!(machine.home().join("dotfiles/new.json").is_file());
    done(&machine.uninstall(&[]));
    assert!(machine.settings().is_symlink());
    assert!(!machine.home().join("dotfiles/new.json").exists());
}

#[test]
fn links_in_a_circle_are_refused() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.home().join(".claude")).unwrap();
    std::os::unix::fs::symlink("settings.json", machine.settings()).unwrap();
    assert_eq!(machine.install(&[]).status.code(), Some(1));
    assert!(machine.settings().is_symlink());
}

#[test]
fn a_file_with_two_names_keeps_both() {
    let machine = Machine::new();
    let other = machine.home().join("dotfiles/claude.json");
    put(&other, b"{\"long\": \"so that the file gets shorter on the way back\"}\n");
    std::fs::create_dir_all(machine.home().join(".claude")).unwrap();
    std::fs::hard_link(&other, machine.settings()).unwrap();
    done(&machine.install(&[]));
    assert_eq!(std::fs::metadata(&other).unwrap().ino(), std::fs::metadata(machine.settings()).unwrap().ino());
    assert_eq!(find(&document(&machine)).len(), EVENTS.len());
    done(&machine.uninstall(&[]));
    assert_eq!(std::fs::read(&other).unwrap(), b"{\"long\": \"so that the file gets shorter on the way back\"}\n");
}

#[test]
fn modes_are_kept_and_the_backup_has_the_same() {
    for mode in [0o600, 0o644, 0o640, 0o444] {
        let machine = Machine::new();
        machine.put_settings(b"{\"a\": 1}");
        std::fs::set_permissions(machine.settings(), std::fs::Permissions::from_mode(mode)).unwrap();
        done(&machine.install(&[]));
        let backup = machine.home().join(".claude/settings.json.leastgrant-backup");
        assert_eq!(std::fs::read(&backup).unwrap(), b"{\"a\": 1}");
        for file in [machine.settings(), backup] {
            assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o7777, mode, "{}", file.display());
        }
        done(&machine.uninstall(&[]));
        assert_eq!(std::fs::metadata(machine.settings()).unwrap().mode() & 0o7777, mode);
    }
}

#[test]
fn what_we_made_goes_and_our_state_is_closed() {
    let machine = Machine::new();
    done(&machine.install(&[]));
    assert_eq!(std::fs::metadata(machine.state()).unwrap().mode() & 0o777, 0o700);
    for entry in std::fs::read_dir(machine.state().join("install")).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().mode() & 0o077, 0);
    }
    done(&machine.uninstall(&[]));
    assert!(machine.leftovers().is_empty(), "{:?}", machine.leftovers());
}

#[test]
fn a_folder_that_others_use_stays() {
    let machine = Machine::new();
    done(&machine.install(&[]));
    put(&machine.home().join(".claude/history.jsonl"), b"");
    done(&machine.uninstall(&[]));
    assert_eq!(machine.leftovers(), [Path::new(".claude"), Path::new(".claude/history.jsonl")]);
}

#[test]
fn a_file_that_we_made_and_others_filled_stays() {
    let machine = Machine::new();
    done(&machine.install(&[]));
    let edited = document(&machine).add_member(&[], "model", &leastgrant::edit::json::Json::text("opus")).unwrap();
    machine.put_settings(&edited.bytes());
    done(&machine.install(&[]));
    done(&machine.uninstall(&[]));
    let left = document(&machine);
    assert_eq!(left.root().members().len(), 1);
    assert_eq!(left.root().get("model").and_then(Node::str), Some("opus"));
}

#[test]
fn eight_at_once_are_one() {
    let machine = Machine::new();
    machine.put_settings(b"{\n  \"model\": \"opus\"\n}\n");
    let wired = machine.wired();
    let args = ["install", "claude-code", "--force", "--program", wired.to_str().unwrap()];
    let children: Vec<_> = (0..8).map(|_| machine.command(&args).stdout(std::process::Stdio::null()).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(find(&document(&machine)).len(), EVENTS.len());
    done(&machine.uninstall(&[]));
    assert_eq!(machine.read_settings(), b"{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn drift_is_repaired_and_said() {
    let machine = Machine::new();
    machine.put_settings(b"{\n  \"model\": \"opus\"\n}\n");
    done(&machine.install(&[]));
    let good = String::from_utf8(machine.read_settings()).unwrap();
    let program = machine.wired();
    let program = program.to_str().unwrap();
    let cases: Vec<(String, &str)> = vec![
        (good.replace(program, "/opt/old/leastgrant"), "another program (`/opt/old/leastgrant`)"),
        (good.replacen("\"timeout\": 10", "\"timeout\": 600", 1), "another `timeout`"),
        (good.replacen(",\n            \"onFailure\": \"block\"", "", 1), "another `onFailure`"),
        (good.replacen("\"matcher\": \"*\"", "\"matcher\": \"Bash\"", 1), "a narrower matcher"),
        (good.replacen("\"type\": \"command\"", "\"type\": \"command\", \"async\": true", 1), "our entry was edited"),
        (good.replacen("exit 2; }", "exit 0; }", 1), "our entry was edited"),
        (good.replacen("/usr/bin/timeout -k 1 8 ", "", 1), "another outer `timeout`"),
    ];
    for (text, says) in cases {
        assert_ne!(text, good, "{says}");
        machine.put_settings(text.as_bytes());
        let output = machine.install(&[]);
        done(&output);
        assert!(said(&output).contains(says), "no `{says}` in {}", said(&output));
        assert_eq!(String::from_utf8(machine.read_settings()).unwrap(), good, "{says}");
    }
    done(&machine.uninstall(&[]));
    assert_eq!(machine.read_settings(), b"{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn doubled_shared_and_stray_entries_become_one_each() {
    let machine = Machine::new();
    let program = machine.wired();
    let mine = format!("{{\"type\": \"command\", \"command\": \"{} hook claude-code\"}}", program.display());
    let theirs = "{\"type\": \"command\", \"command\": \"chime\"}";
    let text = format!(
        "{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{mine}, {theirs}, {mine}]}}, {{\"hooks\": [{mine}]}}], \"Stop\": [{{\"hooks\": [{mine}]}}, {{\"hooks\": [{theirs}]}}]}}}}"
    );
    machine.put_settings(text.as_bytes());
    let output = machine.install(&[]);
    done(&output);
    assert!(said(&output).contains("PreToolUse: 3 entries of ours") && said(&output).contains("Stop: "), "{}", said(&output));
    let after = document(&machine);
    let found = find(&after);
    assert_eq!(found.len(), EVENTS.len());
    assert!(found.iter().all(|found| found.alone));
    let text = String::from_utf8(machine.read_settings()).unwrap();
    assert_eq!(text.matches("chime").count(), 2);
    done(&machine.uninstall(&[]));
    let left = String::from_utf8(machine.read_settings()).unwrap();
    assert_eq!(left, format!("{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{theirs}]}}], \"Stop\": [{{\"hooks\": [{theirs}]}}]}}}}"));
}

#[test]
fn odd_homes_are_quoted_for_the_shell() {
    for home in ["home with space", "home'quote", "größe 日本", "a\"b", "do$llar`tick", "back\\slash", "semi;colon&amp"] {
        let machine = Machine::with_home(home);
        machine.put_settings(b"{}\n");
        done(&machine.install(&[]));
        let document = document(&machine);
        for event in EVENTS {
            let command = command(&document, event.name);
            let ran = Command::new("/bin/sh").args(["-c", &command]).stdin(std::process::Stdio::null()).output().unwrap();
            assert!(ran.status.success(), "{command}: {}", said(&ran));
            assert!(String::from_utf8_lossy(&ran.stdout).contains("\"deny\""), "{command}");
        }
        assert_eq!(find(&document).len(), EVENTS.len(), "an entry is not known again: {home}");
        done(&machine.uninstall(&[]));
        assert_eq!(machine.read_settings(), b"{}\n");
    }
}

/// What the wired line does when the program fails, by exit code and text.
#[test]
fn every_failure_blocks_the_call_and_nothing_else() {
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    done(&machine.install(&[]));
    let document = document(&machine);
    let failures = ["#!/bin/sh\nexit 1\n", "#!/bin/sh\nkill -9 $$\n", "#!/bin/sh\necho '{garbage'; exit 3\n", "#!/nowhere\n", "gone", "not executable"];
    for failure in failures {
        match failure {
            "gone" => std::fs::remove_file(machine.wired()).unwrap(),
            "not executable" => {
                machine.put_program(GUARD);
                std::fs::set_permissions(machine.wired(), std::fs::Permissions::from_mode(0o644)).unwrap();
            }
            text => machine.put_program(text),
        }
        for event in EVENTS {
            let ran = Command::new("/bin/sh").args(["-c", &command(&document, event.name)]).output().unwrap();
            let code = ran.status.code().unwrap();
            match event.name {
                "PreToolUse" => {
                    assert_eq!(code, 2, "{failure}");
                    let text = said(&ran);
                    assert!(text.contains("leastgrant install claude-code"), "{text}");
                    assert!(text.contains(machine.settings().to_str().unwrap()), "{text}");
                }
                "ConfigChange" => assert_ne!(code, 2, "{failure}: a person must be able to repair"),
                name => assert_eq!(code, 0, "{name} {failure}"),
            }
        }
    }
}

#[test]
fn open_on_failure_is_a_choice() {
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    let output = machine.install(&["--on-failure", "open"]);
    done(&output);
    assert!(said(&output).contains("calls run unjudged"), "{}", said(&output));
    let entry = entry(&document(&machine), "PreToolUse");
    assert!(!entry.contains("exit 2") && !entry.contains("onFailure"), "{entry}");
    done(&machine.install(&[]));
    let closed = self::entry(&document(&machine), "PreToolUse");
    assert!(closed.contains("exit 2") && closed.contains("onFailure"), "{closed}");
}

#[test]
fn each_scope_has_its_file() {
    let machine = Machine::new();
    for (flag, file) in [("--project", ".claude/settings.json"), ("--local", ".claude/settings.local.json")] {
        let file = machine.project().join(file);
        done(&machine.install(&[flag]));
        assert_eq!(find(&Document::parse(&std::fs::read(&file).unwrap()).unwrap()).len(), EVENTS.len());
        done(&machine.uninstall(&[flag]));
        assert!(!machine.project().join(".claude").exists());
    }
    let prefix = machine.root().join("machine");
    std::fs::create_dir(&prefix).unwrap();
    let prefix = prefix.to_str().unwrap();
    done(&machine.install(&["--managed", "--root-prefix", prefix]));
    let copy = Path::new(prefix).join("usr/local/lib/leastgrant/leastgrant");
    assert_eq!(std::fs::metadata(&copy).unwrap().mode() & 0o777, 0o755);
    let file = Path::new(prefix).join("etc/claude-code/managed-settings.d/leastgrant.json");
    let document = Document::parse(&std::fs::read(&file).unwrap()).unwrap();
    assert!(command(&document, "PreToolUse").contains(copy.to_str().unwrap()));
    done(&machine.install(&["--managed", "--root-prefix", prefix]));
    done(&machine.uninstall(&["--managed", "--root-prefix", prefix]));
    assert!(!file.exists() && !copy.exists());
    assert!(!Path::new(prefix).join("usr/local/lib/leastgrant").exists());
}

#[test]
fn a_dry_run_writes_nothing() {
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    let output = machine.install(&["--dry-run"]);
    done(&output);
    assert!(said(&output).contains("+  \"hooks\": {"), "{}", said(&output));
    assert_eq!(machine.read_settings(), b"{}\n");
    assert!(!machine.state().exists());
    done(&machine.install(&[]));
    let wired = machine.read_settings();
    let output = machine.uninstall(&["--dry-run"]);
    done(&output);
    assert!(said(&output).contains("-  \"hooks\": {"), "{}", said(&output));
    assert_eq!(machine.read_settings(), wired);
}

#[test]
fn programs_can_read_what_was_done() {
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    let read = |output: std::process::Output| -> serde_json::Value { serde_json::from_slice(&output.stdout).unwrap() };
    let first = read(machine.install(&["--json"]));
    assert_eq!(first[0]["changed"], true);
    assert_eq!(first[0]["file"], machine.settings().to_str().unwrap());
    assert_eq!(read(machine.install(&["--json"]))[0]["changed"], false);
    assert_eq!(read(machine.uninstall(&["--json"]))[0]["restored"], true);
    machine.put_settings(b"{,}");
    let refused = machine.install(&["--json"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(read(refused)[0]["error"].as_str().unwrap().contains("line 1, column 2"));
}

#[test]
fn a_posture_is_kept_with_what_else_is_there() {
    let machine = Machine::new();
    put(&machine.state().join("policy.toml"), b"# mine\nextra_roots = [\"/srv\"]\n");
    done(&machine.install(&["--posture", "strict"]));
    let text = std::fs::read_to_string(machine.state().join("policy.toml")).unwrap();
    assert_eq!(text, "# mine\nextra_roots = [\"/srv\"]\nposture = \"strict\"\n");
}

#[test]
fn a_pause_needs_a_terminal() {
    let machine = Machine::new();
    let output = machine.run(&["pause", "15m"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(!machine.state().exists());
    assert_eq!(machine.run(&["pause", "5h"]).status.code(), Some(2));
    done(&machine.run(&["resume"]));
}
