//! What went wrong with other installers, from public reports: each row is set up, done, and looked at.
//! `code` is the last step's exit code.

mod setup;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use leastgrant::edit::json::{Document, Node, Step};
use leastgrant::install::claude_code::{EVENTS, find, hooks};
use setup::{Machine, put, said};

#[derive(serde::Deserialize)]
struct Row {
    id: String,
    home: Option<String>,
    given: BTreeMap<String, String>,
    r#do: Vec<String>,
    code: i32,
    says: Vec<String>,
    checks: Vec<String>,
    left: Option<String>,
}

fn filled(machine: &Machine, text: &str) -> String {
    text.replace("@HOME@", machine.home().to_str().unwrap()).replace("@LGBIN@", machine.wired().to_str().unwrap())
}

fn place(machine: &Machine, name: &str) -> PathBuf {
    machine.home().join(name.strip_prefix("HOME/").unwrap())
}

fn give(machine: &Machine, row: &Row) {
    for (name, text) in &row.given {
        match name.strip_prefix("SYMLINK ") {
            Some(link) => {
                let link = place(machine, link);
                std::fs::create_dir_all(link.parent().unwrap()).unwrap();
                std::os::unix::fs::symlink(place(machine, text), link).unwrap();
            }
            None => put(&place(machine, name), filled(machine, text).as_bytes()),
        }
    }
}

fn act(machine: &Machine, step: &str) -> Output {
    match step {
        "install" => machine.install(&[]),
        "uninstall" => machine.uninstall(&[]),
        "doctor" => machine.run(&["doctor"]),
        "install x 8" => {
            let wired = machine.wired();
            let args = ["install", "claude-code", "--force", "--program", wired.to_str().unwrap()];
            let children: Vec<_> =
                (0..8).map(|_| machine.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()).collect();
            children.into_iter().map(|child| child.wait_with_output().unwrap()).max_by_key(|output| output.status.code()).unwrap()
        }
        other => panic!("no such step: {other}"),
    }
}

fn commands(document: &Document) -> Vec<String> {
    let found = find(document);
    let command = |found: &leastgrant::install::claude_code::Found| {
        let path = [
            Step::Key("hooks"),
            Step::Key(&found.event),
            Step::Index(found.group),
            Step::Key("hooks"),
            Step::Index(found.entry),
            Step::Key("command"),
        ];
        document.at(&path).and_then(Node::str).map(str::to_owned)
    };
    found.iter().filter_map(command).collect()
}

fn check(machine: &Machine, row: &Row, name: &str, before_last: Option<&[u8]>) {
    let bytes = machine.read_settings();
    let given = row.given.iter().find(|(name, _)| !name.starts_with("SYMLINK")).map(|(_, text)| filled(machine, text));
    let document = || Document::parse(&bytes).unwrap();
    match name {
        "ours-once" => {
            let found = find(&document());
            assert_eq!(found.len(), EVENTS.len());
            assert!(EVENTS.iter().all(|event| found.iter().any(|found| found.event == event.name)));
        }
        "ours-gone" => assert!(find(&document()).is_empty()),
        "untouched" => assert_eq!(String::from_utf8(bytes.clone()).unwrap(), given.unwrap()),
        "nothing-left" => assert_eq!(machine.leftovers(), [Path::new(".claude"), Path::new(".claude/settings.json")]),
        "last-step-changes-nothing" => assert_eq!(Some(bytes.as_slice()), before_last),
        "link-kept" => assert!(machine.settings().is_symlink()),
        "crlf-only" => {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert_eq!(text.matches("\r\n").count(), text.matches('\n').count());
        }
        "given-kept" => {
            let before = Document::parse(given.unwrap().as_bytes()).unwrap();
            let after = document();
            for member in before.root().members().iter().filter(|member| member.key != "hooks") {
                let now = after.root().get(&member.key).unwrap();
                assert_eq!(after.raw(&now.span), before.raw(&member.value.span));
            }
            for event in hooks(&before) {
                let now = hooks(&after).iter().find(|now| now.key == event.key).unwrap();
                for (group, now) in event.value.elements().iter().zip(now.value.elements()) {
                    assert_eq!(after.raw(&now.span), before.raw(&group.span));
                }
            }
        }
        "commands-start" => {
            for command in commands(&document()) {
                let ran = Command::new("/bin/sh").args(["-c", &command]).stdin(Stdio::null()).output().unwrap();
                assert!(ran.status.success() && !ran.stdout.is_empty(), "{command}: {}", said(&ran));
            }
        }
        "every-tool" => {
            let document = document();
            for found in find(&document) {
                let path = [Step::Key("hooks"), Step::Key(&found.event), Step::Index(found.group), Step::Key("matcher")];
                assert!(matches!(document.at(&path).and_then(Node::str), None | Some("*")));
            }
        }
        "no-backslash-in-program" => {
            for command in commands(&document()) {
                assert!(!command.split(" hook ").next().unwrap().contains('\\'), "{command}");
            }
        }
        other => panic!("no such check: {other}"),
    }
}

#[test]
fn reported_cases_hold() {
    for line in include_str!("cases/install/reported.jsonl").lines() {
        let row: Row = serde_json::from_str(line).unwrap();
        let machine = Machine::with_home(row.home.as_deref().unwrap_or("home"));
        give(&machine, &row);
        let mut before_last = None;
        let mut last = None;
        for step in &row.r#do {
            before_last = std::fs::read(machine.settings()).ok();
            last = Some(act(&machine, step));
        }
        let last = last.unwrap();
        assert_eq!(last.status.code(), Some(row.code), "{}: {}", row.id, said(&last));
        // a narrow terminal wraps; what is said is the same
        let words = said(&last).split_whitespace().collect::<Vec<_>>().join(" ");
        for says in &row.says {
            let says = says.replace("HOME", machine.home().to_str().unwrap());
            assert!(words.contains(&says), "{}: no `{says}` in {words}", row.id);
        }
        for name in &row.checks {
            check(&machine, &row, name, before_last.as_deref());
        }
        if let Some(left) = &row.left {
            assert_eq!(String::from_utf8(machine.read_settings()).unwrap(), filled(&machine, left), "{}", row.id);
        }
    }
}
