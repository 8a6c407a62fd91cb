//! Every agent: install twice, uninstall, and the bytes are what they were, for each shape of each of its files.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod setup;

use std::path::{Path, PathBuf};

use leastgrant::install::codex::trust::{Spot, key};
use leastgrant::install::dialect;
use setup::{Machine, done, put, said};

/// Refuses as each agent would take it.
const GUARD: &str = r#"#!/bin/sh
cat > /dev/null
case "$2" in
gemini-cli|opencode) printf '%s\n' '{"decision":"deny","reason":"no"}' ;;
copilot) printf '%s\n' '{"permissionDecision":"deny","permissionDecisionReason":"no"}' ;;
*) printf '%s\n' '{"continue":false,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}' ;;
esac
"#;

fn machine() -> Machine {
    let machine = Machine::new();
    machine.put_program(GUARD);
    machine
}

fn install(machine: &Machine, agent: &str, more: &[&str]) -> std::process::Output {
    let wired = machine.wired();
    let mut args = vec!["install", agent, "--force", "--program", wired.to_str().unwrap()];
    args.extend(more);
    machine.run(&args)
}

fn read(machine: &Machine, file: &str) -> Option<Vec<u8>> {
    std::fs::read(machine.home().join(file)).ok()
}

fn parses(file: &Path, bytes: &[u8], agent: &str) {
    let found = dialect::of(agent).unwrap().find(file, bytes).unwrap();
    for event in dialect::of(agent).unwrap().events() {
        let count = found.iter().filter(|found| found.event == event.name).count();
        assert_eq!(count, 1, "{agent}: {} in {}", event.name, String::from_utf8_lossy(bytes));
    }
}

const NESTED: &[&str] = &[
    "",
    "{}",
    "{\n  \"theme\": \"dark\"\n}\n",
    "{\r\n\t\"theme\": \"dark\"\r\n}\r\n",
    "{\n    \"theme\": \"dark\"\n}",
    "\u{feff}{\n  \"theme\": \"dark\"\n}\n",
    "{\"theme\":\"dark\",\"n\":1.50}",
    "{\n  // mine\n  \"theme\": \"dark\", // why\n  \"last\": 1 // really\n}\n",
    "/* head */\n{\n  /* empty */\n}\n",
    "{\n  \"hooks\": {\n    \"@EVENT@\": [\n      { \"matcher\": \"a\", \"hooks\": [{ \"type\": \"command\", \"command\": \"theirs\" }] }\n      // tail\n    ]\n  },\n  \"z\": 1\n}\n",
    "{\n  \"z\": [],\n  \"hooks\": {}\n}\n",
];

const COPILOT: &[&str] = &[
    "",
    "{}",
    "{\"version\":1}",
    "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n",
    "{\r\n\t\"version\": 1\r\n}",
    "{\n  \"hooks\": {\n    \"preToolUse\": [\n      { \"type\": \"command\", \"bash\": \"theirs\" }\n    ]\n  },\n  \"version\": 1\n}\n",
    "{ \"hooks\": { \"sessionStart\": [ { \"type\": \"command\", \"command\": \"theirs\" } ] } }",
    "{\n    \"version\": 1,\n    \"hooks\": {\n        \"preToolUse\": []\n    }\n}\n",
];

const OPENCODE: &[&str] = &[
    "",
    "{}",
    "{\n  \"model\": \"x\"\n}\n",
    "{\r\n\t\"model\": \"x\",\r\n}\r\n",
    "\u{feff}{ \"plugin\": [] }",
    "{\n  // mine\n  \"plugin\": [\n    \"theirs\", // one\n  ],\n}\n",
    "{\n  \"plugin\": [\"theirs\"]\n}",
    "{\n    \"z\": {},\n    \"plugin\": [ ]\n}\n",
];

const TOML: &[&str] = &[
    "",
    "# only a comment",
    "model = \"x\"",
    "model = \"x\"\r\n\r\n[features]\r\nhooks = true # on\r\n",
    "\u{feff}model = 'x'\n",
    "hooks = { SessionStart = [ { hooks = [ { type = \"command\", command = \"notes\" } ] } ] }\n",
    "[hooks]\nPreToolUse = [\n\t{ matcher = \"a\", hooks = [{ type = \"command\", command = \"theirs\" }] }, # one\n]\n",
    "[[hooks.PreToolUse]]\nmatcher = \"a\"\n\n  [[hooks.PreToolUse.hooks]]\n  type = \"command\"\n  command = \"theirs\"\n\n[z]\na = 1",
    "hooks.SessionStart = [{ hooks = [] }]\n\n[c]\nd = 1\n",
    "[mcp_servers.x]\ncommand = \"y\"\n# tail\n\n\n",
];

fn shapes(agent: &str) -> (&'static str, &'static [&'static str]) {
    match agent {
        "codex" => (".codex/config.toml", TOML),
        "copilot" => (".copilot/hooks/leastgrant.json", COPILOT),
        "gemini-cli" => (".gemini/settings.json", NESTED),
        "opencode" => (".config/opencode/opencode.json", OPENCODE),
        "qwen-code" => (".qwen/settings.json", NESTED),
        other => panic!("{other}"),
    }
}

const AGENTS: [&str; 5] = ["codex", "copilot", "gemini-cli", "opencode", "qwen-code"];

#[test]
fn uninstall_gives_the_bytes_back() {
    for agent in AGENTS {
        let (file, shapes) = shapes(agent);
        assert!(shapes.len() >= 8);
        for shape in shapes.iter().copied().map(Some).chain([None]) {
            let event = if agent == "gemini-cli" { "BeforeTool" } else { "PreToolUse" };
            let shape = shape.map(|shape| shape.replace("@EVENT@", event));
            let machine = machine();
            if let Some(shape) = &shape {
                put(&machine.home().join(file), shape.as_bytes());
            }
            let before = machine.leftovers();
            let about = format!("{agent} {shape:?}");
            let output = install(&machine, agent, &[]);
            assert!(output.status.success(), "{about}: {}", said(&output));
            let wired = read(&machine, file).unwrap();
            parses(&machine.home().join(file), &wired, agent);
            let comments = |text: &str| ["// mine", "// why", "# one", "# tail"].map(|comment| text.contains(comment));
            if let Some(shape) = &shape {
                assert_eq!(comments(&String::from_utf8_lossy(&wired)), comments(shape), "{about}");
            }
            done(&install(&machine, agent, &[]));
            assert_eq!(read(&machine, file).unwrap(), wired, "{about}: twice is once");
            let output = machine.run(&["uninstall", agent]);
            assert!(output.status.success(), "{about}: {}", said(&output));
            assert_eq!(read(&machine, file), shape.map(String::into_bytes), "{about}");
            assert_eq!(machine.leftovers(), before, "{about}");
        }
    }
}

#[test]
fn a_later_edit_stays_and_ours_goes() {
    for (agent, edit) in [
        ("gemini-cli", ("\"theme\": \"dark\"", "\"theme\": \"light\"")),
        ("qwen-code", ("\"theme\": \"dark\"", "\"theme\": \"light\"")),
        ("codex", ("model = \"x\"", "model = \"y\"")),
        ("opencode", ("\"model\": \"x\"", "\"model\": \"y\"")),
    ] {
        let (file, shapes) = shapes(agent);
        for shape in shapes.iter().filter(|shape| shape.contains(edit.0)) {
            let machine = machine();
            put(&machine.home().join(file), shape.as_bytes());
            done(&install(&machine, agent, &[]));
            let wired = String::from_utf8(read(&machine, file).unwrap()).unwrap();
            put(&machine.home().join(file), wired.replace(edit.0, edit.1).as_bytes());
            done(&machine.run(&["uninstall", agent]));
            let left = String::from_utf8(read(&machine, file).unwrap()).unwrap();
            assert!(!left.contains("leastgrant"), "{agent}: {left}");
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(squeezed(&left), squeezed(&shape.replace(edit.0, edit.1)), "{agent}");
        }
    }
}

#[test]
fn every_agent_at_once_and_gone_again() {
    let machine = machine();
    let before = machine.leftovers();
    let wired = machine.wired();
    let output = machine.run(&["install", "all", "--force", "--json", "--program", wired.to_str().unwrap()]);
    done(&output);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value.as_array().unwrap().len(), 6, "{value}");
    let output = machine.run(&["uninstall"]);
    done(&output);
    assert_eq!(machine.leftovers(), before, "{}", said(&output));
    assert!(!machine.state().join("opencode/leastgrant.js").exists());
}

#[test]
fn agents_that_nobody_could_run_are_not_wired() {
    for agent in ["cursor", "antigravity"] {
        let machine = machine();
        let output = install(&machine, agent, &[]);
        assert!(!output.status.success());
        assert!(said(&output).contains("does not wire it"), "{}", said(&output));
        assert!(machine.leftovers().is_empty());
    }
}

/// Reckoned by another program that Codex accepted: sha256 of the sorted, compact definition.
#[test]
fn the_trust_hash_is_the_measured_one() {
    let spot = Spot {
        event: String::from("PreToolUse"),
        group: 0,
        entry: 0,
        ours: true,
        matcher: None,
        command: String::from("/bin/echo 'ü \"x\"'"),
        timeout: None,
        is_async: false,
        status: None,
    };
    assert_eq!(spot.hash(), "sha256:4ba2cda2f3e33ff6dff88946b9ecaa4d5965dc3d17354fa3c391c674cd5367a1");
    let spot = Spot { matcher: Some(String::from("*")), timeout: Some(10), ..spot };
    assert_eq!(spot.hash(), "sha256:cc83c59d674d1622d816b7029614bfc8e17a4d6beb75777eeb281adf8afff9d5");
    assert_eq!(key(Path::new("/c/config.toml"), "PreToolUse", 1, 0), "/c/config.toml:pre_tool_use:1:0");
}

fn state(machine: &Machine, file: &Path, group: usize) -> Option<String> {
    let config: toml::Table = toml::from_str(&String::from_utf8(read(machine, ".codex/config.toml")?).ok()?).ok()?;
    let key = key(file, "PreToolUse", group, 0);
    Some(config.get("hooks")?.get("state")?.get(&key)?.get("trusted_hash")?.as_str()?.to_owned())
}

#[test]
fn trust_is_given_on_request_only_and_follows_foreign_hooks() {
    let foreign = |command: &str| {
        format!(
            "\n[[hooks.PreToolUse]]\nmatcher = \"m\"\n\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"{command}\"\n"
        )
    };
    let machine = machine();
    let file: PathBuf = machine.home().join(".codex/config.toml");
    let trusted = |group: usize, hash: &str| {
        format!("\n[hooks.state.\"{}\"]\ntrusted_hash = \"{hash}\"\n", key(&file, "PreToolUse", group, 0))
    };
    let original = format!("model = \"x\"\n{}{}", foreign("first"), trusted(0, "sha256:first"));
    put(&file, original.as_bytes());
    done(&install(&machine, "codex", &[]));
    assert_eq!(state(&machine, &file, 1), None, "no trust unless asked for");
    let output = install(&machine, "codex", &["--trust"]);
    done(&output);
    assert!(state(&machine, &file, 1).unwrap().starts_with("sha256:"), "{}", said(&output));
    // somebody adds and trusts a hook behind ours
    let mut text = String::from_utf8(read(&machine, ".codex/config.toml").unwrap()).unwrap();
    text.push_str(&foreign("second"));
    text.push_str(&trusted(2, "sha256:second"));
    put(&file, text.as_bytes());
    done(&machine.run(&["uninstall", "codex"]));
    let text = String::from_utf8(read(&machine, ".codex/config.toml").unwrap()).unwrap();
    assert_eq!(state(&machine, &file, 0).as_deref(), Some("sha256:first"), "{text}");
    assert_eq!(state(&machine, &file, 1).as_deref(), Some("sha256:second"), "{text}");
    assert_eq!(state(&machine, &file, 2), None);
    assert!(!text.contains("leastgrant"), "{text}");
}

#[test]
fn trust_in_hooks_json_stands_in_the_config_and_goes_with_it() {
    let machine = machine();
    let hooks = machine.home().join(".codex/hooks.json");
    put(&hooks, b"{\"hooks\":{\"PreToolUse\":[]}}\n");
    put(&machine.home().join(".codex/config.toml"), b"model = \"x\" # mine");
    done(&install(&machine, "codex", &["--trust"]));
    assert!(state(&machine, &hooks, 0).is_some());
    done(&machine.run(&["uninstall", "codex"]));
    assert_eq!(read(&machine, ".codex/hooks.json").unwrap(), b"{\"hooks\":{\"PreToolUse\":[]}}\n");
    assert_eq!(read(&machine, ".codex/config.toml").unwrap(), b"model = \"x\" # mine");
}

#[test]
fn reported_cases_of_other_agents_hold() {
    // a byte order mark makes Codex drop its file: it goes, and does not come back
    let codex = machine();
    put(&codex.home().join(".codex/hooks.json"), "\u{feff}{\"hooks\":{\"PreToolUse\":[]}}\n".as_bytes());
    done(&install(&codex, "codex", &[]));
    for step in ["after install", "after uninstall"] {
        let bytes = read(&codex, ".codex/hooks.json").unwrap();
        serde_json::from_slice::<serde_json::Value>(&bytes).unwrap_or_else(|_| panic!("{step}"));
        done(&codex.run(&["uninstall", "codex"]));
    }
    // comments of Gemini's file stay, its own names for events are used, other programs' files are not touched
    let gemini = machine();
    put(&gemini.home().join(".vscode/settings.json"), b"{\n  /* keep */\n  \"editor.tabSize\": 2,\n}\n");
    put(&gemini.home().join(".gemini/settings.json"), b"{\n  // theme\n  \"theme\": \"dark\",\n}\n");
    let output = install(&gemini, "gemini-cli", &[]);
    assert!(!output.status.success(), "a trailing comma is none that Gemini takes");
    assert_eq!(read(&gemini, ".gemini/settings.json").unwrap(), b"{\n  // theme\n  \"theme\": \"dark\",\n}\n");
    put(&gemini.home().join(".gemini/settings.json"), b"{\n  // theme\n  \"theme\": \"dark\"\n}\n");
    done(&install(&gemini, "gemini-cli", &[]));
    let text = String::from_utf8(read(&gemini, ".gemini/settings.json").unwrap()).unwrap();
    assert!(text.contains("// theme") && text.contains("BeforeTool") && !text.contains("PreToolUse"), "{text}");
    // cursor is left alone
    let cursor = machine();
    let hooks = b"{\n  \"version\": 1,\n  \"hooks\": { \"stop\": [ { \"command\": \"chime\" } ] }\n}\n";
    put(&cursor.home().join(".cursor/hooks.json"), hooks);
    let _ = install(&cursor, "cursor", &[]);
    let _ = cursor.run(&["uninstall", "cursor"]);
    assert_eq!(read(&cursor, ".cursor/hooks.json").unwrap(), hooks);
}

#[test]
fn the_machines_layer_is_pinned_and_undone() {
    for (agent, file, pin) in [
        ("codex", "etc/codex/requirements.toml", "[features]\nhooks = true"),
        ("gemini-cli", "etc/gemini-cli/settings.json", "\"enabled\": true"),
        ("qwen-code", "etc/qwen-code/settings.json", "\"disableAllHooks\": false"),
        ("copilot", "etc/github-copilot/policy.d/leastgrant.json", "\"preToolUse\""),
        ("opencode", "etc/opencode/opencode.json", "leastgrant.js"),
    ] {
        let machine = machine();
        let root = machine.home().join("agent/root");
        let prefix = root.to_str().unwrap().to_owned();
        let output = install(&machine, agent, &["--managed", "--root-prefix", &prefix]);
        assert!(output.status.success(), "{agent}: {}", said(&output));
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        assert!(text.contains(pin), "{agent}: {text}");
        assert!(!text.contains("\"*\"") || agent != "copilot", "{text}");
        done(&machine.run(&["uninstall", agent, "--managed", "--root-prefix", &prefix]));
        assert!(!root.join(file).exists(), "{agent}");
        assert!(!root.join("usr/local/lib/leastgrant/leastgrant").exists(), "{agent}");
    }
}

fn checks(machine: &Machine) -> Vec<(String, String, String)> {
    let output = machine.run(&["doctor", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text =
        |check: &serde_json::Value, key: &str| check.get(key).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
    let all = value.get("checks").and_then(|checks| checks.as_array()).unwrap();
    all.iter().map(|check| (text(check, "id"), text(check, "status"), text(check, "fix"))).collect()
}

#[test]
fn doctor_finds_off_switches_in_every_scope() {
    for (agent, file, text, id) in [
        (
            "codex",
            ".codex/config.toml",
            "\n[features]\nhooks = false\n",
            "switch:codex:user:config.toml:features.hooks",
        ),
        (
            "codex",
            "src/project/.codex/config.toml",
            "[features]\nhooks = false\n",
            "switch:codex:project:config.toml:features.hooks",
        ),
        ("codex", ".codex/.env", "BASH_ENV=/x\n", "switch:codex:dotenv"),
        (
            "gemini-cli",
            "src/project/.gemini/settings.json",
            "{\"hooksConfig\":{\"enabled\":false}}",
            "switch:gemini-cli:project:settings.json:hooksConfig.enabled",
        ),
        (
            "gemini-cli",
            "src/project/.gemini/settings.json",
            "{\"hooksConfig\":{\"disabled\":[\"x\"]}}",
            "switch:gemini-cli:project:settings.json:hooksConfig.disabled",
        ),
        (
            "qwen-code",
            "src/project/.qwen/settings.json",
            "{\"disableAllHooks\":true}",
            "switch:qwen-code:project:settings.json:disableAllHooks",
        ),
        (
            "copilot",
            "src/project/.github/copilot/settings.json",
            "{\"disableAllHooks\":true}",
            "switch:copilot:project:settings.json:disableAllHooks",
        ),
        (
            "copilot",
            "src/project/.claude/settings.json",
            "{\"disableAllHooks\":true}",
            "switch:copilot:project:settings.json:disableAllHooks",
        ),
    ] {
        let machine = machine();
        done(&install(&machine, agent, &[]));
        let path = machine.home().join(file);
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        put(&path, format!("{old}{text}").as_bytes());
        let checks = checks(&machine);
        let found = checks.iter().find(|(name, ..)| name == id).unwrap_or_else(|| panic!("{id}: {checks:?}"));
        assert_eq!(found.1, "bad", "{id}");
        assert!(!found.2.is_empty(), "{id} has a fix");
        assert!(checks.iter().any(|(name, ..)| *name == format!("open:{agent}")), "{agent}");
    }
}

#[test]
fn doctor_finds_missing_trust_a_shadow_and_a_plugin_that_is_gone() {
    let codex = machine();
    done(&install(&codex, "codex", &[]));
    assert!(checks(&codex).iter().any(|(id, status, _)| id == "trust:codex:user" && status == "bad"));
    done(&install(&codex, "codex", &["--trust"]));
    assert!(checks(&codex).iter().any(|(id, status, _)| id == "trust:codex:user" && status == "ok"));

    let qwen = machine();
    done(&install(&qwen, "qwen-code", &[]));
    let text = String::from_utf8(read(&qwen, ".qwen/settings.json").unwrap()).unwrap();
    put(&qwen.home().join("src/project/.qwen/settings.json"), text.replace("10000", "1").as_bytes());
    let found = checks(&qwen);
    assert!(found.iter().any(|(id, status, _)| id == "shadow:qwen-code:project" && status == "bad"), "{found:?}");

    let opencode = machine();
    done(&install(&opencode, "opencode", &[]));
    assert!(checks(&opencode).iter().any(|(id, status, _)| id == "hook:opencode:user" && status == "ok"));
    std::fs::remove_file(opencode.state().join("opencode/leastgrant.js")).unwrap();
    assert!(checks(&opencode).iter().any(|(id, status, _)| id == "hook:opencode:user" && status == "bad"));
}
