//! What a person sees of what happened: `status`, `why`, `trail`, `simulate`, `ledger`, `config`, `trust`, `rules test`,
//! `forget --learned`.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fs;

use common::{Said, Stage, run};
use leastgrant::store::Store;
use leastgrant::store::event::Event;
use serde_json::{Value, json};

const DAY: i64 = 24 * 3600 * 1000;

fn stage() -> Stage {
    Stage::new().with("CLAUDE_CODE_ENTRYPOINT", "cli").with("CLAUDE_CODE_SESSION_ATTENDED", "1")
}

/// In a terminal of the person's own: nothing says that an agent started it.
fn typed(stage: &Stage, args: &[&str]) -> Said {
    let mut program = stage.program(args);
    program.env_remove("CLAUDE_CODE_ENTRYPOINT");
    run(program, b"")
}

fn ok(stage: &Stage, args: &[&str]) -> String {
    let said = typed(stage, args);
    assert_eq!(said.code, Some(0), "{args:?}: {said:?}");
    said.stdout
}

fn parsed(stage: &Stage, args: &[&str]) -> Value {
    serde_json::from_str(&ok(stage, args)).unwrap()
}

fn bash(stage: &Stage, id: &str, command: &str) -> String {
    stage.hook(&stage.call(id, "Bash", json!({ "command": command }))).decision()
}

/// An ordinary hour: some of it asked about, one refused.
fn lived() -> Stage {
    let stage = stage();
    for (id, command) in
        [("t1", "git status"), ("t2", "rm -rf /"), ("t3", "git status"), ("t4", "git commit -m x"), ("t5", "cat .env")]
    {
        bash(&stage, id, command);
    }
    assert_eq!(stage.ledger().iter().filter(|line| line["event"] == "call").count(), 5, "all of it is there to see");
    stage
}

#[test]
fn the_trail_tells_everything_and_an_agent_forges_nothing_in_it() {
    let stage = lived();
    let evil = "echo a\n  12:00:00 ✓ rm -rf /\u{1b}[2J\u{1b}]8;;x\u{7}\u{202e}b";
    bash(&stage, "t6", evil);
    let text = ok(&stage, &["trail"]);
    assert!(text.contains("git status") && text.contains("rm -rf /"), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{7}') && !text.contains('\u{202e}'), "{text:?}");
    assert!(!text.lines().any(|line| line.starts_with("  12:00:00 ✓ rm")), "{text}");
    assert!(text.contains("6 calls"), "{text}");
    let asked = parsed(&stage, &["trail", "--asked", "--json"]);
    assert!(asked["calls"].as_array().unwrap().iter().all(|call| call["answer"] != "silent"));
    assert_eq!(parsed(&stage, &["trail", "-n", "2", "--json"])["calls"].as_array().unwrap().len(), 2);
    assert_eq!(typed(&stage, &["trail", "--since", "soon"]).code, Some(2));
    assert_eq!(typed(&stage, &["trail", "-n", "0"]).code, Some(2));
    for (args, says) in [(&["trail"][..], "anywhere"), (&["trail", "--asked"][..], "anywhere")] {
        assert!(ok(&self::stage(), args).contains(says));
    }
}

#[test]
fn why_explains_a_call_by_what_was_stored_and_by_today() {
    let stage = lived();
    let newest = ok(&stage, &["why"]);
    assert!(newest.contains("cat .env") && newest.contains("guard.secret-read"), "{newest}");
    assert!(ok(&stage, &["why", "t2"]).contains("rm -rf /"));
    assert!(ok(&stage, &["why", "5"]).contains("git status"));
    let one = parsed(&stage, &["why", "t4", "--json"]);
    assert_eq!(one["today"]["changed"], false);
    assert_eq!(typed(&stage, &["deny", "git commit -m x"]).code, Some(0));
    let one = parsed(&stage, &["why", "t4", "--json"]);
    assert_eq!((&one["today"]["changed"], &one["today"]["decision"]), (&json!(true), &json!("deny")));
    assert_eq!(typed(&stage, &["why", "99"]).code, Some(2));
    assert_eq!(typed(&stage, &["why", "no-such-call"]).code, Some(2));
    bash(&stage, "t9", "git commit -m x");
    assert!(ok(&stage, &["why", "--last-block"]).contains("git commit"));
}

#[test]
fn status_says_what_passes_and_what_is_missing() {
    let stage = lived();
    let project = fs::canonicalize(stage.project()).unwrap().to_str().unwrap().to_owned();
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = i64::try_from(since.as_millis()).unwrap();
    let evidence = |signature: &str, times: i64| -> Vec<Event> {
        (0..times)
            .map(|day| {
                let mut event = Event::new("evidence", now - day * DAY).in_project(Some(&project));
                event.evidence = Some("confirmed");
                event.session = format!("s{day}");
                event.signatures = vec![signature.to_owned()];
                event
            })
            .collect()
    };
    let store = Store::at(stage.state());
    store.append_all(&evidence("make all @exec.build/1101", 9)).unwrap();
    store.append_all(&evidence("make some @exec.build/1101", 2)).unwrap();
    let text = ok(&stage, &["status"]);
    assert!(text.contains("make all") && text.contains("approved 9 times on 9 days"), "{text}");
    assert!(text.contains("make some") && text.contains("3 more approvals needed"), "{text}");
    assert!(text.contains("guard.secret-read"), "{text}");
    assert!(!text.contains('█'), "no bars in a pipe: {text}");
    let status = parsed(&stage, &["status", "--json"]);
    assert_eq!(status["passes"][0]["signature"], "make all @exec.build/1101");
    assert_eq!(parsed(&stage, &["status", "--all", "--json"])["projects"][0]["learned"], 1);

    assert_eq!(ok(&stage, &["forget", "--learned", "make *"]).trim(), "2 signatures unlearned");
    assert_eq!(parsed(&stage, &["status", "--json"])["passes"], json!([]));
    assert_eq!(typed(&stage, &["forget", "--learned", "make *"]).code, Some(1));
}

#[test]
fn a_change_is_simulated_before_it_is_made() {
    let stage = lived();
    let before = parsed(&stage, &["simulate", "--json"]);
    let row =
        |id: &str| before["outcomes"].as_array().unwrap().iter().find(|row| row["posture"] == id).unwrap().clone();
    assert_eq!(before["calls"], 5);
    assert_eq!(row("strict")["allow"], 0);
    let rules = stage.project().join("more.toml");
    fs::write(&rules, "[[rule]]\neffect = \"allow\"\nprogram = \"git\"\n").unwrap();
    let with = parsed(&stage, &["simulate", "--with", rules.to_str().unwrap(), "--json"]);
    assert_eq!(with["outcomes"][0]["allow"], 3, "{with}");
    let dry = parsed(&stage, &["allow", "program=git", "capability=exec.vcs.*", "--dry-run", "--json"]);
    assert_eq!((&dry["matched_in_30_days"], &dry["kept"]), (&json!(3), &json!(false)));
    assert!(!stage.state().join("rules.toml").exists());
    assert_eq!(typed(&stage, &["allow", "agent=claude-code"]).code, Some(2), "says who, not what");
    assert_eq!(bash(&stage, "t7", "git status"), "silent");
    ok(&stage, &["allow", "program=git", "capability=exec.vcs.*", "--expires", "1d"]);
    assert_eq!(bash(&stage, "t8", "git status"), "allow");
    assert!(ok(&stage, &["rules"]).contains("program=git capability='exec.vcs.*'"));
    assert!(ok(&stage, &["rules", "test", "git status"]).contains("allow program=git"));
    ok(&stage, &["forget", "program=git", "capability=exec.vcs.*"]);
    assert_eq!(bash(&stage, "t9", "git status"), "silent");
    ok(&stage, &["ask", "git status"]);
    assert_eq!(bash(&stage, "t10", "git status"), "ask");
}

#[test]
fn a_projects_rules_loosen_only_as_a_person_saw_them() {
    let stage = stage();
    let file = stage.project().join(".leastgrant/rules.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = "[[rule]]\neffect = \"allow\"\npattern = \"git status\"\n\n[[rule]]\neffect = \"deny\"\npattern = \"git stash*\"\n";
    fs::write(&file, text).unwrap();
    assert_eq!(bash(&stage, "t1", "git status"), "silent");
    assert_eq!(bash(&stage, "t2", "git stash"), "deny", "tightening needs no trust");
    assert!(ok(&stage, &["rules"]).contains("not trusted"));
    ok(&stage, &["trust"]);
    assert_eq!(bash(&stage, "t3", "git status"), "allow");
    fs::write(&file, format!("{text}\n# touched\n")).unwrap();
    assert_eq!(bash(&stage, "t4", "git status"), "silent", "any change undoes it");
    ok(&stage, &["trust"]);
    ok(&stage, &["trust", "--undo"]);
    assert_eq!(bash(&stage, "t5", "git status"), "silent");
    fs::write(&file, "[[rule]]\neffect = \"deny\"\npattern = \"git stash*\"\n\n[[rule]]\neffect = \"no\"\n").unwrap();
    assert_eq!(bash(&stage, "t6", "git stash"), "deny", "good rules stay");
    assert_eq!(bash(&stage, "t7", "git status"), "ask", "and the scope asks");
    let said = typed(&stage, &["rules"]);
    assert!(said.stderr.contains(".leastgrant/rules.toml:6:10"), "{said:?}");
    let write = stage.call("t8", "Write", json!({ "file_path": file, "content": "" }));
    assert_eq!(stage.hook(&write).decision(), "ask");
}

#[test]
fn a_worktree_shares_the_rules_of_its_main_checkout() {
    let stage = stage();
    let tree = stage.home().join("src/topic");
    let own = stage.project().join(".git/worktrees/topic");
    fs::create_dir_all(&own).unwrap();
    fs::create_dir_all(&tree).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    ok(&stage, &["allow", "git status"]);
    let ask = |stage: &Stage| {
        let call = String::from_utf8(stage.call("t", "Bash", json!({ "command": "git status" }))).unwrap();
        stage.hook(call.replace(stage.project().to_str().unwrap(), tree.to_str().unwrap()).as_bytes()).decision()
    };
    assert_eq!(ask(&stage), "silent", "a file alone names nobody's checkout");
    fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    assert_eq!(ask(&stage), "allow");
}

#[test]
fn settings_are_shown_changed_and_never_broken() {
    let stage = stage();
    assert_eq!(ok(&stage, &["config", "posture"]).trim(), "assist");
    ok(&stage, &["config", "posture", "strict"]);
    assert_eq!(bash(&stage, "t1", "git status"), "ask");
    assert_eq!(typed(&stage, &["config", "posture", "lax"]).code, Some(2));
    assert_eq!(typed(&stage, &["config", "no-such", "x"]).code, Some(2));
    assert_eq!(typed(&stage, &["config", "half-life-days", "0"]).code, Some(2));
    assert_eq!(ok(&stage, &["config", "posture"]).trim(), "strict", "what does not fit is not written");
    ok(&stage, &["config", "bundles", "git-read", "read-search"]);
    ok(&stage, &["config", "posture", "--unset"]);
    assert_eq!(bash(&stage, "t2", "git status"), "allow");
    let agent = Stage::new().with("CLAUDECODE", "1");
    assert_eq!(run(agent.program(&["config", "posture", "observe"]), b"").code, Some(2), "an agent may not");
}

#[test]
fn the_ledger_is_checked_exported_and_erased() {
    let stage = lived();
    assert!(ok(&stage, &["ledger", "verify"]).contains("follows from the one before"));
    let lines = ok(&stage, &["ledger", "export"]);
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    bash(&stage, "t6", "=cmd|' /c calc'!A0");
    let csv = ok(&stage, &["ledger", "export", "--csv"]);
    assert!(csv.starts_with("at,event,agent") && csv.contains("git commit"), "{csv}");
    assert!(!csv.contains(",=cmd") && csv.contains("'=cmd"), "{csv}");
    assert_eq!(typed(&stage, &["ledger", "erase", "--all"]).code, Some(2), "not without a yes");
    ok(&stage, &["ledger", "erase", "--project", stage.project().to_str().unwrap(), "--yes"]);
    let text = fs::read_to_string(stage.state().join("ledger.jsonl")).unwrap();
    assert!(!text.contains("git commit") && text.contains("\"erased\":true"), "{text}");
    assert!(ok(&stage, &["ledger", "verify"]).contains("erased"));
    bash(&stage, "t7", "git status");
    ok(&stage, &["ledger", "verify"]);
    let file = stage.state().join("ledger.jsonl");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("git status", "git stutus")).unwrap();
    let said = typed(&stage, &["ledger", "verify"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stderr.contains("changed after they were written"), "{said:?}");
}
