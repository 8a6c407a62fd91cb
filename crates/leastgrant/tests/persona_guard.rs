//! The guard as a process: what it says, what it writes down, and what nobody writes down while a run is active.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::path::{Path, PathBuf};

use common::{Said, Stage, run};
use leastgrant::persona::arm::{PERSON, Yard};
use leastgrant::persona::scene;
use leastgrant_core::persona::run::Run;
use serde_json::{Value, json};

const FLOW: &str = "# Flow — checkout\n\n## Entry point\nhttps://shop.stage.test/\n\n## Goal\nbuy\n\n## Success criteria\n- bought\n\n## Domain allowlist\n- shop.stage.test\n- id.stage.test\n\n## Out of bounds\n- paying\n\n## App version pin\nunpinned\n";
const OUTSIDE: &str = "https://prod.other.test/orders/S3CRETPATH?token=S3CRETQUERY";

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn folder(stage: &Stage) -> PathBuf {
    stage.project().join(".leopold/persona")
}

/// A project with a run that somebody else's conductor armed.
fn walked() -> Stage {
    let stage = Stage::new();
    put(&folder(&stage).join("flows/checkout.md"), FLOW);
    put(&folder(&stage).join("ACTIVE.json"), r#"{"active": true, "flow": "flows/checkout.md", "started_at": "x"}"#);
    stage
}

fn guard(stage: &Stage, agent: &str, payload: &[u8]) -> Said {
    run(stage.program(&["hook", "persona", "--agent", agent]), payload)
}

fn navigate(stage: &Stage, id: &str, url: &str) -> Vec<u8> {
    stage.call(id, "mcp__personastub__navigate", json!({ "url": url }))
}

fn events(stage: &Stage) -> Vec<String> {
    let text = std::fs::read_to_string(folder(stage).join("events.jsonl")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn reason(said: &Said) -> String {
    let answer: Value = serde_json::from_str(&said.stdout).unwrap();
    answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned()
}

#[test]
fn inside_is_silence_and_outside_is_held_with_one_event() {
    for agent in ["claude-code", "codex"] {
        let stage = walked();
        let inside = guard(&stage, agent, &navigate(&stage, "t1", "https://eu.shop.stage.test/a?b=c"));
        assert_eq!(inside.decision(), "silent");
        assert_eq!(events(&stage), [""; 0]);
        let outside = guard(&stage, agent, &navigate(&stage, "t2", OUTSIDE));
        assert_eq!(outside.decision(), "deny");
        assert_eq!(
            reason(&outside),
            "Leopold persona guard: navigation to host \"prod.other.test\" is outside the domain allowlist of flow \
             \"checkout\" — the persona stays inside the flow's bounds; journal the wall as a finding instead of retrying."
        );
        let lines = events(&stage);
        let [line] = lines.as_slice() else { panic!("{lines:?}") };
        let (stamp, rest) = line.strip_prefix("{\"ts\":\"").unwrap().split_once('"').unwrap();
        assert_eq!(stamp.len(), "2026-08-19T00:28:06Z".len());
        assert_eq!(
            rest,
            ",\"event\":\"persona_guard_block\",\"tool\":\"mcp__personastub__navigate\",\"host\":\"prod.other.test\",\"flow\":\"checkout\"}"
        );
    }
}

#[test]
fn one_event_a_call_whoever_judges_it() {
    let stage = walked();
    let call = navigate(&stage, "t1", OUTSIDE);
    assert_eq!(guard(&stage, "claude-code", &call).decision(), "deny");
    assert_eq!(stage.hook(&call).decision(), "deny");
    assert_eq!(guard(&stage, "claude-code", &call).decision(), "deny");
    assert_eq!(events(&stage).len(), 1);
    assert_eq!(stage.hook(&navigate(&stage, "t2", OUTSIDE)).decision(), "deny");
    assert_eq!(events(&stage).len(), 2, "another call is another event");
}

#[test]
fn no_cd_link_or_worktree_leaves_the_bound() {
    let stage = walked();
    let inner = stage.project().join("src/deep");
    std::fs::create_dir_all(&inner).unwrap();
    let link = stage.home().join("link");
    std::os::unix::fs::symlink(&inner, &link).unwrap();
    let tree = stage.home().join("tree");
    std::fs::create_dir_all(&tree).unwrap();
    put(&tree.join(".git"), &format!("gitdir: {}/.git/worktrees/tree\n", stage.project().display()));
    let away = stage.home().join("away");
    std::fs::create_dir_all(&away).unwrap();
    for (cwd, env) in [(&inner, None), (&link, None), (&tree, None), (&away, Some(stage.project()))] {
        let payload = json!({
            "session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "WebFetch",
            "tool_input": { "url": OUTSIDE },
        });
        let mut command = stage.program(&["hook", "persona", "--agent", "claude-code"]);
        command.current_dir(cwd);
        command.envs(env.map(|env| ("CLAUDE_PROJECT_DIR", env)));
        assert_eq!(run(command, payload.to_string().as_bytes()).decision(), "deny", "{}", cwd.display());
    }
    let stage = walked().with("CLAUDE_PROJECT_DIR", "/nowhere/at/all");
    assert_eq!(guard(&stage, "claude-code", &navigate(&stage, "t", OUTSIDE)).decision(), "deny", "a moved variable");
    let mut command = stage.program(&["hook", "persona", "--agent", "codex"]);
    command.current_dir(&away);
    let payload = json!({ "cwd": away, "hook_event_name": "PreToolUse", "tool_name": "WebFetch", "tool_input": { "url": OUTSIDE } });
    assert_eq!(run(command, payload.to_string().as_bytes()).decision(), "silent", "another project is none of ours");
}

#[test]
fn what_cannot_be_read_is_held_while_a_run_is_active_and_only_then() {
    let payloads: [&[u8]; 6] = [
        b"",
        b"{",
        b"[1]",
        b"{\"hook_event_name\":\"PreToolUse\"}",
        b"{\"tool_name\":\"mcp__b__navigate\",\"tool_input\":{\"url\":\"https://bad.test/\",\"url\":\"https://shop.stage.test/\"}}",
        b"{\"tool_name\":\"mcp__b__navigate\",\"tool_input\":[7]}",
    ];
    let (active, idle) = (walked(), Stage::new());
    for payload in payloads {
        let shown = String::from_utf8_lossy(payload);
        let held = guard(&active, "claude-code", payload);
        assert_eq!(held.decision(), "deny", "{shown}");
        assert!(reason(&held).starts_with("Leopold persona guard: "), "{shown}");
        assert_eq!(guard(&idle, "claude-code", payload).decision(), "silent", "{shown}");
    }
    let strange = guard(&active, "nobody", &navigate(&active, "t", "https://shop.stage.test/"));
    assert_eq!(strange.code, Some(2), "{strange:?}");
    assert_eq!(guard(&idle, "nobody", b"{}").code, Some(0));
    let text = json!({ "tool_name": "mcp__b__navigate", "tool_input": "{\"url\":\"https://bad.test/\"}" }).to_string();
    assert_eq!(guard(&active, "codex", text.as_bytes()).decision(), "deny");
    let other = json!({ "tool_name": "Bash", "tool_input": { "command": "curl https://bad.test/" } }).to_string();
    assert_eq!(guard(&active, "codex", other.as_bytes()).decision(), "silent", "the shell is the main hook's");
    let after = active.event("PostToolUse", json!({ "tool_name": "WebFetch", "tool_input": { "url": OUTSIDE } }));
    assert_eq!(guard(&active, "claude-code", &after).decision(), "silent");
}

#[test]
fn a_broken_run_holds_navigation_and_nothing_else() {
    let stage = walked();
    let active = folder(&stage).join("ACTIVE.json");
    std::fs::remove_file(&active).unwrap();
    std::fs::create_dir(&active).unwrap();
    assert_eq!(guard(&stage, "claude-code", &navigate(&stage, "t1", "https://shop.stage.test/")).decision(), "deny");
    let edit = stage.call("t2", "Edit", json!({ "file_path": "a", "old_string": "a", "new_string": "b" }));
    assert_eq!(guard(&stage, "claude-code", &edit).decision(), "silent");
    assert!(events(&stage)[0].contains("\"host\":\"\",\"flow\":\"\""));
    std::fs::remove_dir(&active).unwrap();
    std::os::unix::fs::symlink("nowhere", &active).unwrap();
    assert_eq!(guard(&stage, "claude-code", &navigate(&stage, "t3", "https://shop.stage.test/")).decision(), "deny");
}

fn arm(stage: &Stage, owner: &str) -> Result<(), String> {
    yard(stage, |yard| {
        yard.arm("checkout", owner, 1, "2026-12-01T00:00:00Z").map(|_| ()).map_err(|stop| format!("{stop:?}"))
    })
}

fn yard<T>(stage: &Stage, work: impl FnOnce(&Yard<'_>) -> T) -> T {
    let root = std::fs::canonicalize(stage.project()).unwrap();
    let home = stage.home().to_string_lossy().into_owned();
    let env = leastgrant::agent::HookEnv::from_lookup(|name| (name == "HOME").then(|| home.clone()));
    let world = leastgrant::world::Real::of(&env, &root.to_string_lossy(), std::collections::HashSet::new());
    work(&Yard { state: &stage.state(), world: &world, root: &root })
}

fn bound(stage: &Stage) -> Vec<Run> {
    yard(stage, |yard| scene::runs(yard.world, &yard.state.to_string_lossy(), &[&yard.root.to_string_lossy()]))
}

#[test]
fn arming_grants_what_is_inside_pins_the_flow_and_ends_cleanly() {
    let stage = Stage::new();
    put(&folder(&stage).join("flows/checkout.md"), FLOW);
    arm(&stage, PERSON).unwrap();
    assert!(bound(&stage)[0].armed);
    let inside = stage.hook(&navigate(&stage, "t1", "https://shop.stage.test/"));
    assert_eq!(inside.decision(), "allow");
    assert!(reason(&inside).contains("persona.granted"), "{inside:?}");
    // strict: what an existing conductor's hook would have let pass
    let port = stage.hook(&navigate(&stage, "t2", "https://shop.stage.test:2375/"));
    assert_eq!(port.decision(), "deny");
    assert_eq!(
        guard(&stage, "claude-code", &navigate(&stage, "t3", "https://shop.stage.test:2375/")).decision(),
        "deny"
    );
    put(&folder(&stage).join("flows/checkout.md"), &FLOW.replace("id.stage", "prod.other"));
    let changed = guard(&stage, "claude-code", &navigate(&stage, "t4", "https://shop.stage.test/"));
    assert!(reason(&changed).contains("is not what it was when"), "{changed:?}");
    put(&folder(&stage).join("flows/checkout.md"), FLOW);
    put(&folder(&stage).join("ACTIVE.json"), r#"{"active": false}"#);
    assert_eq!(
        guard(&stage, "claude-code", &navigate(&stage, "t5", OUTSIDE)).decision(),
        "deny",
        "switched off by hand"
    );
    let gone = yard(&stage, |yard| yard.disarm(PERSON, false, 2).unwrap());
    assert_eq!(gone.len(), 2);
    assert_eq!(bound(&stage), []);
    assert_eq!(guard(&stage, "claude-code", &navigate(&stage, "t6", OUTSIDE)).decision(), "silent");
}

#[test]
fn one_run_never_disarms_another() {
    let stage = walked();
    assert!(arm(&stage, PERSON).unwrap_err().contains("somebody else's"));
    assert!(yard(&stage, |yard| yard.disarm(PERSON, false, 2)).is_err(), "a foreign run is not ours to end");
    yard(&stage, |yard| yard.disarm(PERSON, true, 2)).unwrap();
    arm(&stage, "run-1").unwrap();
    assert!(arm(&stage, "run-2").unwrap_err().contains("run-1"));
    assert!(yard(&stage, |yard| yard.disarm("run-2", false, 2)).is_err());
    assert!(yard(&stage, |yard| yard.disarm("run-1", false, 2)).is_ok());
}

#[test]
fn arming_is_a_persons_and_no_judged_calls() {
    let stage = Stage::new();
    put(&folder(&stage).join("flows/checkout.md"), FLOW);
    for words in ["arm checkout", "disarm --force"] {
        let args: Vec<&str> = std::iter::once("persona").chain(words.split(' ')).collect();
        let said = run(stage.program(&args), b"");
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.stderr.contains("only a person at a terminal"), "{said:?}");
    }
    for command in [
        "leastgrant persona arm checkout",
        "leastgrant persona disarm",
        "leastgrant persona wire",
        "leastgrant persona unwire",
        "echo '{}' > .leopold/persona/ACTIVE.json",
    ] {
        let call = stage.call("t", "Bash", json!({ "command": command }));
        assert_eq!(stage.hook(&call).decision(), "deny", "{command}");
    }
}

/// Every file below a folder.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, all) } else { all.push(path) }
    }
}

#[test]
fn nothing_of_an_address_but_scheme_and_host_is_written_down() {
    for armed in [false, true] {
        let stage = if armed { Stage::new() } else { walked() };
        if armed {
            put(&folder(&stage).join("flows/checkout.md"), FLOW);
            arm(&stage, PERSON).unwrap();
        }
        let urls = [
            OUTSIDE,
            "https://shop.stage.test/S3CRETPATH/x?q=S3CRETQUERY#S3CRETHASH",
            "https://S3CRETUSER:S3CRETPASS@shop.stage.test/",
            "shop.stage.test/S3CRETPATH",
            "data:text/html,S3CRETDATA",
            "https://prod.other.test:S3CRETPORT/",
        ];
        for (at, url) in urls.iter().enumerate() {
            let id = format!("t{at}");
            for (tool, input) in [
                ("mcp__playwright__browser_navigate", json!({ "url": url })),
                ("mcp__unknown__lookup", json!({ "q": url, "urls": [url] })),
                ("WebFetch", json!({ "url": url, "prompt": "x" })),
                ("WebSearch", json!({ "query": format!("site {url}") })),
                ("Bash", json!({ "command": format!("curl -s '{url}' | head") })),
                ("Bash", json!({ "command": format!("curl -s {url}") })),
            ] {
                let call = stage.call(&id, tool, input.clone());
                stage.hook(&call);
                guard(&stage, "claude-code", &call);
                let more = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": "x" });
                for event in ["PostToolUse", "PostToolUseFailure", "PermissionRequest"] {
                    stage.hook(&stage.event(event, more.clone()));
                }
            }
        }
        assert!(stage.ledger().len() > 100 && events(&stage).len() > 3);
        let mut all = Vec::new();
        files(&stage.state(), &mut all);
        files(&folder(&stage), &mut all);
        for path in all {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            let leak = text.lines().find(|line| line.contains("S3CRET"));
            assert_eq!(leak, None, "{} (armed: {armed})", path.display());
        }
    }
}

#[test]
fn the_events_are_written_to_no_other_place() {
    let stage = walked();
    let outside = stage.home().join("outside.txt");
    std::fs::write(&outside, "").unwrap();
    std::os::unix::fs::symlink(&outside, folder(&stage).join("events.jsonl")).unwrap();
    assert_eq!(guard(&stage, "claude-code", &navigate(&stage, "t1", OUTSIDE)).decision(), "deny");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "");
    let long = format!("https://{}.test/", "a.".repeat(4000));
    std::fs::remove_file(folder(&stage).join("events.jsonl")).unwrap();
    assert_eq!(guard(&stage, "claude-code", &navigate(&stage, "t2", &long)).decision(), "deny");
    assert!(events(&stage)[0].len() < 1000);
}

#[test]
fn the_guard_by_hand_says_what_it_needs() {
    let stage = walked();
    let said = run(stage.program(&["hook", "persona"]), &navigate(&stage, "t", "https://shop.stage.test/"));
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("`--agent`"), "{said:?}");
}
