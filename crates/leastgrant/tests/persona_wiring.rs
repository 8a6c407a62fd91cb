//! The guard in agents' settings: in once, out to the byte, counted by owner, closed only while a run is active; and what the
//! doctor says of each state.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

mod setup;

use std::path::{Path, PathBuf};
use std::process::Command;

use leastgrant::agent::HookEnv;
use leastgrant::install::place::Places;
use leastgrant::persona::owners::Owner;
use leastgrant::persona::wiring::{Done, Guard, Harness, Target, command, unwire, wire};
use serde_json::Value;
use setup::{Machine, done, put, said};

const LOCK: &str = "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"bash /abs/guard-irreversible.sh\"\ntimeout = 5\n";

fn targets(machine: &Machine) -> [Target; 2] {
    let home = machine.home().to_string_lossy().into_owned();
    let env = HookEnv::from_lookup(|name| (name == "HOME").then(|| home.clone()));
    Target::all(&Places::of(&env, machine.project(), None).unwrap(), &env)
}

fn homes(machine: &Machine) {
    for name in [".claude", ".codex"] {
        std::fs::create_dir_all(machine.home().join(name)).unwrap();
    }
}

fn guard(machine: &Machine) -> Guard {
    Guard { program: machine.wired(), timeout: Some("/usr/bin/timeout".into()), trust: false }
}

fn owner(name: &str) -> Owner {
    Owner { id: name.to_owned(), pid: None, started: None, at_ms: 1 }
}

fn bytes(path: &Path) -> Option<Vec<u8>> {
    std::fs::read(path).ok()
}

/// Settings as people have them, for each agent.
fn shapes(harness: Harness) -> Vec<Option<String>> {
    let texts: &[&str] = match harness {
        Harness::ClaudeCode => &[
            "{}",
            "{\n  \"model\": \"x\"\n}",
            "{\n\t\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"bash /abs/persona-guard.sh\"}]}]}\n}\n",
            "{\"hooks\":{\"PreToolUse\":[]},\"n\":1.50}\r\n",
            "\u{feff}{ }\n",
        ],
        Harness::Codex => &[
            "",
            "# mine\nmodel = \"x\" # why\n\n\n",
            LOCK,
            "a = 1\r\n\r\n[features]\r\nhooks = true",
            "[mcp_servers.playwright]\ncommand = \"npx\"\n",
        ],
    };
    std::iter::once(None).chain(texts.iter().map(|text| Some((*text).to_owned()))).collect()
}

#[test]
fn in_once_however_often_and_out_to_the_byte() {
    for harness in Harness::ALL {
        for shape in shapes(harness) {
            let machine = Machine::with_home("o'brien home");
            homes(&machine);
            let target = targets(&machine).into_iter().find(|target| target.harness == harness).unwrap();
            if let Some(text) = &shape {
                put(&target.file, text.as_bytes());
            }
            let before = bytes(&target.file);
            let me = owner("project:x");
            assert_eq!(wire(&machine.state(), &target, &guard(&machine), &me), Ok(Done::Wired));
            let once = bytes(&target.file);
            for _ in 0..2 {
                assert_eq!(wire(&machine.state(), &target, &guard(&machine), &me), Ok(Done::Already));
            }
            assert_eq!(bytes(&target.file), once);
            let found = target.found().unwrap().unwrap();
            assert_eq!(found.matcher, "mcp__.*|WebFetch");
            assert_eq!(command::program(&found.command).as_deref(), machine.wired().to_str());
            let text = String::from_utf8(once.unwrap()).unwrap();
            assert!(text.contains("leopold-persona-guard") && !text.contains("onFailure"), "{text}");
            let five = if harness == Harness::Codex { "timeout = 5" } else { "\"timeout\":5" };
            assert!(text.replace("\": ", "\":").contains(five), "{text}");
            assert_eq!(unwire(&machine.state(), &target, &me.id), Ok(Done::Restored));
            assert_eq!(bytes(&target.file), before, "{shape:?}");
            assert_eq!(unwire(&machine.state(), &target, &me.id), Ok(Done::Nothing));
            assert_eq!(wire(&machine.state(), &target, &guard(&machine), &me), Ok(Done::Wired));
            assert_eq!(unwire(&machine.state(), &target, &me.id), Ok(Done::Restored));
            assert_eq!(bytes(&target.file), before);
        }
    }
}

#[test]
fn what_others_change_meanwhile_is_kept() {
    for harness in Harness::ALL {
        let machine = Machine::new();
        homes(&machine);
        let target = targets(&machine).into_iter().find(|target| target.harness == harness).unwrap();
        let me = owner("project:x");
        wire(&machine.state(), &target, &guard(&machine), &me).unwrap();
        let text = std::fs::read_to_string(&target.file).unwrap();
        let (edited, mark) = match harness {
            Harness::ClaudeCode => (text.replacen('{', "{\n  \"theirs\": true,", 1), "\"theirs\": true"),
            Harness::Codex => (format!("{text}\n[theirs]\nx = 1\n"), "[theirs]\nx = 1\n"),
        };
        std::fs::write(&target.file, &edited).unwrap();
        assert_eq!(wire(&machine.state(), &target, &guard(&machine), &me), Ok(Done::Already), "{edited}");
        assert_eq!(unwire(&machine.state(), &target, &me.id), Ok(Done::Removed));
        let left = std::fs::read_to_string(&target.file).unwrap();
        assert!(
            left.contains(mark) && !left.contains("leopold-persona-guard") && !left.contains("hook persona"),
            "{left}"
        );
    }
}

#[test]
fn the_entry_goes_with_the_last_who_wants_it() {
    for harness in Harness::ALL {
        let machine = Machine::new();
        homes(&machine);
        let target = targets(&machine).into_iter().find(|target| target.harness == harness).unwrap();
        let (state, guard) = (machine.state(), guard(&machine));
        let run = Owner::of_run("r1", 1);
        let dead = Owner { pid: Some(u32::MAX - 1), started: Some(1), ..owner("run:dead") };
        wire(&state, &target, &guard, &owner("project:x")).unwrap();
        assert_eq!(wire(&state, &target, &guard, &run), Ok(Done::Already));
        assert_eq!(wire(&state, &target, &guard, &dead), Ok(Done::Already));
        assert_eq!(unwire(&state, &target, "project:x"), Ok(Done::Kept(vec![String::from("run:r1")])));
        assert!(target.found().unwrap().is_some());
        assert_eq!(unwire(&state, &target, &run.id), Ok(Done::Restored));
        assert!(!target.file.exists());
    }
}

#[test]
fn two_at_once_lose_nothing() {
    let machine = Machine::new();
    homes(&machine);
    let all = targets(&machine);
    let (state, guard) = (machine.state(), guard(&machine));
    for target in &all {
        std::thread::scope(|scope| {
            for number in 0..6 {
                let (state, target, guard) = (&state, target, &guard);
                scope.spawn(move || wire(state, target, guard, &owner(&format!("run:{number}"))).unwrap());
            }
        });
        let text = std::fs::read_to_string(&target.file).unwrap();
        assert_eq!(text.matches("hook persona --agent").count(), 1, "{text}");
        std::thread::scope(|scope| {
            for number in 0..6 {
                let (state, target) = (&state, target);
                scope.spawn(move || unwire(state, target, &format!("run:{number}")).unwrap());
            }
        });
        assert!(!target.file.exists());
    }
}

#[test]
fn a_link_is_written_through_and_a_lost_mark_is_refused() {
    let machine = Machine::new();
    homes(&machine);
    let [claude, codex] = targets(&machine);
    let (state, guard, me) = (machine.state(), guard(&machine), owner("project:x"));
    let real = machine.home().join("dotfiles/settings.json");
    put(&real, b"{}\n");
    std::os::unix::fs::symlink(&real, &claude.file).unwrap();
    wire(&state, &claude, &guard, &me).unwrap();
    assert!(claude.file.is_symlink() && std::fs::read_to_string(&real).unwrap().contains("hook persona"));
    unwire(&state, &claude, &me.id).unwrap();
    assert_eq!(std::fs::read(&real).unwrap(), b"{}\n");
    wire(&state, &codex, &guard, &me).unwrap();
    let text = std::fs::read_to_string(&codex.file).unwrap();
    let lost = text.replace("# <<< leopold:leopold-persona-guard (managed) <<<\n", "[mine]\nx = 1\n");
    std::fs::write(&codex.file, &lost).unwrap();
    for outcome in [wire(&state, &codex, &guard, &me), unwire(&state, &codex, &me.id)] {
        assert!(outcome.unwrap_err().contains("line 1: "));
    }
    assert_eq!(std::fs::read_to_string(&codex.file).unwrap(), lost);
    put(&claude.file, b"{ // a comment\n}\n");
    assert!(wire(&state, &claude, &guard, &me).is_err(), "the agent reads nothing of such a file");
    assert_eq!(std::fs::read(&real).unwrap(), b"{ // a comment\n}\n");
}

#[test]
fn an_absent_home_is_never_made() {
    let machine = Machine::new();
    let [claude, codex] = targets(&machine);
    for target in [claude, codex] {
        assert!(wire(&machine.state(), &target, &guard(&machine), &owner("x")).is_err());
        assert!(!target.home.exists());
    }
    let run = machine.run(&["persona", "wire", "--force"]);
    assert!(said(&run).contains("no agent has a home here"), "{}", said(&run));
}

/// Runs the command line of an entry as the agents do.
fn entry(line: &str, cwd: &Path) -> (Option<i32>, String) {
    let output = Command::new("/bin/sh").arg("-c").arg(line).current_dir(cwd).env_clear().output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_guard_that_does_not_answer_is_closed_while_a_run_is_active_and_only_then() {
    let machine = Machine::with_home("o'brien");
    homes(&machine);
    for target in targets(&machine) {
        // a hang costs seconds, so one agent's is enough: the lines differ in one word
        let hang = if target.harness == Harness::Codex { "#!/bin/sh\nsleep 30\n" } else { "#!/bin/sh\nexit 3\n" };
        for broken in ["#!/bin/sh\nexit 1\n", "#!/bin/sh\nkill -9 $$\n", hang, ""] {
            if broken.is_empty() {
                let _ = std::fs::remove_file(machine.wired());
            } else {
                machine.put_program(broken);
            }
            let line = guard(&machine).command(&target);
            let active = machine.project().join(".leopold/persona/ACTIVE.json");
            let _ = std::fs::remove_file(&active);
            assert_eq!(entry(&line, &machine.project()).0, Some(0), "{broken}");
            put(&active, b"{}");
            let deep = machine.project().join("src/deep");
            std::fs::create_dir_all(&deep).unwrap();
            for folder in [machine.project(), deep] {
                let (code, stderr) = entry(&line, &folder);
                assert_eq!(code, Some(2), "{broken}");
                assert!(
                    stderr.starts_with("Leopold persona guard: ") || stderr.contains("\nLeopold persona guard: "),
                    "{stderr}"
                );
            }
            std::fs::remove_file(&active).unwrap();
            std::os::unix::fs::symlink("nowhere", &active).unwrap();
            assert_eq!(entry(&line, &machine.project()).0, Some(2), "a link that leads nowhere is there");
        }
    }
}

/// The persona lines of the doctor: id, status, text.
fn doctor(machine: &Machine) -> Vec<(String, String, String)> {
    let output = machine.run(&["doctor", "--json"]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    let text = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
    value["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["group"] == "persona")
        .map(|check| (text(check, "id"), text(check, "status"), text(check, "text")))
        .collect()
}

fn line(all: &[(String, String, String)], id: &str) -> String {
    let found = all.iter().find(|line| line.0 == id).unwrap_or_else(|| panic!("no {id} in {all:?}"));
    format!("{} {}", found.1, found.2)
}

#[test]
fn the_doctor_tells_the_four_states_apart() {
    let machine = Machine::new();
    homes(&machine);
    put(&machine.home().join(".codex/config.toml"), b"[mcp_servers.playwright]\ncommand = \"npx\"\n");
    let persona = machine.project().join(".leopold/persona");
    for (name, status) in [("ana", "ready"), ("bo", "draft"), ("cy", "done")] {
        let text = format!("schema_version: persona-contract/1.0\npersona_id: {name}\ncontract_status: {status}\n");
        put(&persona.join("personas").join(name).join("contract.yaml"), text.as_bytes());
    }
    put(&persona.join("flows/checkout.md"), b"# checkout\n## Domain allowlist\n- shop.stage.test\n");
    let active = persona.join("ACTIVE.json");

    let all = doctor(&machine);
    assert!(line(&all, "hook-bound").starts_with("ok hook_bound=none"), "{all:?}");
    assert!(line(&all, "bound:claude-code").contains("not wired"), "{all:?}");
    assert!(line(&all, "bound:codex").contains("not wired"), "{all:?}");
    assert!(line(&all, "browser:claude-code").contains("no browser server"), "{all:?}");
    assert!(line(&all, "browser:codex").contains("browses with playwright (measured on 0.171.0"), "{all:?}");
    let contracts = line(&all, "contracts");
    assert!(contracts.contains("contracts 3 (1 ready · 1 draft · 0 blocked · 1 INVALID) · flows 1"), "{contracts}");
    assert!(contracts.contains("persona `cy`") && contracts.contains("flow `checkout`"), "{contracts}");

    put(&active, br#"{"active":true,"flow":"flows/checkout.md"}"#);
    let all = doctor(&machine);
    assert!(line(&all, "hook-bound").starts_with("bad hook_bound=none"), "{all:?}");
    assert!(line(&all, "bound:codex").contains("the hook is not wired"), "{all:?}");
    assert!(line(&all, "active").contains("it binds, and grants nothing"), "{all:?}");

    done(&machine.run(&["persona", "wire", "--force"]));
    let all = doctor(&machine);
    assert!(line(&all, "hook-bound").starts_with("ok hook_bound=claude:"), "{all:?}");
    assert!(line(&all, "bound:claude-code").contains("hook wired + run active here"), "{all:?}");
    assert!(line(&all, "bound:codex").contains("has not been told to trust it"), "{all:?}");

    done(&machine.run(&["persona", "unwire"]));
    done(&machine.run(&["persona", "wire", "--force", "--trust-codex"]));
    let all = doctor(&machine);
    assert!(line(&all, "hook-bound").starts_with("ok hook_bound=both:"), "{all:?}");

    std::fs::remove_file(&active).unwrap();
    let all = doctor(&machine);
    assert!(line(&all, "hook-bound").starts_with("info hook_bound=both: no run is active here"), "{all:?}");
    assert!(
        line(&all, "bound:codex").contains("inert") && line(&all, "bound:codex").contains("wanted by project:"),
        "{all:?}"
    );

    done(&machine.run(&["persona", "unwire"]));
    assert_eq!(
        std::fs::read(machine.home().join(".codex/config.toml")).unwrap(),
        b"[mcp_servers.playwright]\ncommand = \"npx\"\n"
    );
    assert!(!machine.home().join(".claude/settings.json").exists());
}

#[test]
fn flows_and_personas_are_made_listed_and_checked() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.project()).unwrap();
    let empty = machine.run(&["persona", "list"]);
    assert!(empty.status.success() && said(&empty).contains("nothing to run here yet"), "{}", said(&empty));
    done(&machine.run(&["persona", "new", "flow", "checkout"]));
    done(&machine.run(&["persona", "new", "persona", "ana"]));
    assert!(!machine.run(&["persona", "new", "flow", "../x"]).status.success());
    assert!(!machine.run(&["persona", "new", "flow", "checkout"]).status.success(), "never over what is there");
    done(&machine.run(&["persona", "check"]));
    let list = said(&machine.run(&["persona", "list"]));
    assert!(
        list.contains("persona ana  draft") && list.contains("flow checkout  staging.example.com, at most 40 turns"),
        "{list}"
    );
    let file = machine.project().join(".leopold/persona/flows/checkout.md");
    let text = std::fs::read_to_string(&file).unwrap();
    put(
        &file,
        text.replace("max_turns: 40", "max_turns = 40")
            .replace("- staging.example.com", "- https://staging.example.com/")
            .as_bytes(),
    );
    let check = machine.run(&["persona", "check", "checkout"]);
    let told = said(&check);
    assert_eq!(check.status.code(), Some(1));
    assert!(told.contains("line 13: `https://staging.example.com/` is not a bare host name"), "{told}");
    assert!(told.contains("write `staging.example.com`") && told.contains("line 23: `max_turns = 40`"), "{told}");
    let unknown: PathBuf = "nothing".into();
    assert!(!machine.run(&["persona", "check", unknown.to_str().unwrap()]).status.success());
}

/// The program at a terminal of its own, as a person starts it.
fn at_terminal(machine: &Machine, args: &[&str]) -> Option<i32> {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&keys).unwrap();
    unlockpt(&keys).unwrap();
    let end = ptsname(&keys, Vec::new()).unwrap().into_string().unwrap();
    let open = || std::fs::File::options().read(true).write(true).open(&end).unwrap();
    let mut command = machine.command(args);
    command.stdin(open()).stdout(open()).stderr(open());
    command.status().unwrap().code()
}

#[test]
fn a_person_at_a_terminal_arms_and_disarms() {
    let machine = Machine::new();
    done(&machine.run(&["persona", "new", "flow", "checkout"]));
    let active = machine.project().join(".leopold/persona/ACTIVE.json");
    assert_eq!(at_terminal(&machine, &["persona", "arm", "nothing"]), Some(1));
    assert_eq!(at_terminal(&machine, &["persona", "arm", "checkout"]), Some(0));
    let text = std::fs::read_to_string(&active).unwrap();
    assert!(text.starts_with("{\"active\": true, \"flow\": \"flows/checkout.md\", \"started_at\": \"20"), "{text}");
    assert!(line(&doctor(&machine), "active").starts_with("ok flow `checkout` (armed by a person)"));
    assert_eq!(at_terminal(&machine, &["persona", "arm", "checkout"]), Some(0), "again is fine");
    assert_eq!(at_terminal(&machine, &["persona", "disarm"]), Some(0));
    assert!(!active.exists());
    assert_eq!(std::fs::read_dir(machine.state().join("persona/armed")).unwrap().count(), 0);
}
