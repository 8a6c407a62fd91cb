//! Control files: every path of every record by every spelling, cases as data, contents, off-switches.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use leastgrant_core::control::{
    self, Control, Hold, RECORDS, agent_env_moves, agent_off_switch, agent_off_switch_env, content, control_below,
    control_prefix, fragment, replaced, runs_code, text_disarms,
};
use leastgrant_core::path::{Place, place};
use leastgrant_core::world::FakeWorld;
use proptest::prelude::*;

const PLACES: &str = include_str!("cases/control/places.toml");
const CONTENT: &str = include_str!("cases/control/content.toml");
const TEXT: &str = include_str!("cases/control/text.toml");
const LAUNCH: &str = include_str!("cases/control/launch.toml");
const ENTRY: &str = r#"{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/x/leastgrant hook claude-code"}]}]}}"#;

fn list(text: &str, key: &str) -> Vec<String> {
    let table: toml::Table = text.parse().unwrap();
    table.get(key).unwrap().as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

fn world() -> FakeWorld {
    FakeWorld::new("/home/u/proj")
        .locked("/home/u/proj/locked")
        .link("/home/u/proj/state-link", "/home/u/.leastgrant")
        .link("/home/u/proj/settings-link", "/home/u/.claude/settings.json")
        .link("/home/u/.claude/settings.json", "/home/u/dot/claude.json")
        .link("/home/u/proj/dangling", "/home/u/.bashrc")
        .file("/home/u/dot/claude.json", ENTRY)
        .file("/home/u/proj/with-settings/.claude/settings.json", "{}")
        .file("/home/u/proj/outer/inner/.mcp.json", "{}")
        .file("/home/u/proj/src/main.rs", "")
        .file("/home/u/proj/node_modules/x/package.json", "{}")
        .dir("/home/u/proj/sub/none")
        .with(|facts| {
            facts.binary = Some(String::from("/home/u/.local/bin/leastgrant"));
            facts.agent_homes = vec![(String::from("claude-code"), String::from("/home/u/.moved"))];
        })
}

fn at(world: &FakeWorld, text: &str) -> Place {
    place(world, Some("/home/u/proj"), text)
}

fn wrong(key: &str, fine: impl Fn(&Option<Control>) -> bool, ask: impl Fn(&str) -> Option<Control>) -> Vec<String> {
    let one = |text: String| {
        let said = ask(&text);
        (!fine(&said)).then(|| format!("{text}: {said:?}"))
    };
    list(PLACES, key).into_iter().filter_map(one).collect()
}

#[test]
fn places() {
    let world = world();
    for (key, hold) in [
        ("own", Some(Hold::Own)),
        ("record", Some(Hold::Record)),
        ("config", Some(Hold::Config)),
        ("persistence", Some(Hold::Persistence)),
        ("none", None),
    ] {
        let found = wrong(
            key,
            |said| said.as_ref().map(|said| said.hold) == hold,
            |text| control::control(&world, &at(&world, text)),
        );
        assert!(found.is_empty(), "{key}: {found:#?}");
    }
}

#[test]
fn below_and_beginnings() {
    let world = world();
    let below = |text: &str| control_below(&world, &at(&world, text));
    let begins = |text: &str| control_prefix(&world, Some("/home/u/proj"), text);
    let all = [
        wrong("below", Option::is_some, below),
        wrong("below_none", Option::is_none, below),
        wrong("prefix", Option::is_some, begins),
        wrong("prefix_none", Option::is_none, begins),
    ];
    assert!(all.iter().all(Vec::is_empty), "{all:#?}");
    assert_eq!(below("~").unwrap().hold, Hold::Own, "the state goes with the home");
    assert_eq!(begins("~/.leastgrant/").unwrap().hold, Hold::Own);
    assert!(runs_code(&at(&world, "vite.config.ts")).is_some() && runs_code(&at(&world, "src/main.rs")).is_none());
}

/// A path that a record's row stands for, with the folder it is relative to.
fn instances(row: &str) -> Vec<String> {
    let tail = |path: &str| if path.ends_with('/') { format!("{path}x/y") } else { path.replace('*', "a") };
    let below = |root: &str, rest: &str| format!("{root}/{}", tail(rest));
    if let Some(rest) = row.strip_prefix("<repo>/") {
        return vec![below("/home/u/proj", rest), below("/home/u/proj/deep/er", rest)];
    }
    if let Some(rest) = row.strip_prefix("<any>/") {
        return vec![below("/home/u/proj", rest), below("/srv/x", rest)];
    }
    match row.strip_prefix("~/") {
        Some(rest) => vec![below("/home/u", rest)],
        None => vec![tail(row)],
    }
}

#[test]
fn every_path_of_every_record_by_every_spelling() {
    let mut checked = 0;
    let mut missed = Vec::new();
    for record in RECORDS {
        for row in record.control_paths {
            for path in instances(row.path) {
                let upper = path.to_uppercase();
                let mut spellings = vec![path.clone()];
                let mut world = world();
                if path.starts_with('/') {
                    let (folder, name) = path.rsplit_once('/').unwrap();
                    spellings.push(format!("{folder}/z/../{name}"));
                    spellings.push(format!("/home/u/proj/../../..{path}"));
                    spellings.extend(path.strip_prefix("/home/u/").map(|rest| format!("~/{rest}")));
                    world = world
                        .link("/home/u/proj/l-file", &path)
                        .link("/home/u/proj/l-dir", folder)
                        .link("/home/u/proj/l-rel", &format!("../../..{path}"));
                    spellings.extend([String::from("l-file"), format!("l-dir/{name}"), String::from("l-rel")]);
                }
                let blind = world.clone().with(|facts| facts.case_blind = true);
                let mut ask = |world: &FakeWorld, text: &str| {
                    checked += 1;
                    let said = control::control(world, &at(world, text));
                    if said.as_ref().is_none_or(|said| said.hold < row.hold) {
                        missed.push(format!("{} {}: {text}: {said:?}", record.id, row.path));
                    }
                };
                spellings.iter().for_each(|text| ask(&world, text));
                ask(&blind, &upper);
            }
        }
    }
    println!("{checked} spellings of the records' control paths, {} missed", missed.len());
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(checked > 1500, "{checked}");
}

#[test]
fn contents() {
    let cases: toml::Table = CONTENT.parse().unwrap();
    let world = world();
    let mut failed = Vec::new();
    for case in cases.get("case").unwrap().as_array().unwrap() {
        let text = |key: &str| case.get(key).and_then(toml::Value::as_str);
        let path = text("path").unwrap();
        let said = content(&world, &at(&world, path), text("before"), text("after").unwrap());
        let hold = said.as_ref().map(|said| format!("{:?}", said.0));
        let says = text("says").is_none_or(|part| said.as_ref().is_some_and(|said| said.1.contains(part)));
        if hold.as_deref() != text("hold") || !says {
            failed.push(format!("{path} {:?}: {said:?}", text("after")));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn what_takes_our_entry_away() {
    let world = world();
    let hold = |text: &str| replaced(&world, &at(&world, text)).map(|said| said.0);
    assert_eq!(hold("~/.claude/settings.json"), Some(Hold::Own));
    assert_eq!(hold("settings-link"), Some(Hold::Own));
    assert_eq!(hold("~/dot/claude.json"), Some(Hold::Own));
    assert_eq!(hold("with-settings/.claude/settings.json"), None);
    assert_eq!(hold("src/main.rs"), None);
    let settings = at(&world, "~/.claude/settings.json");
    assert!(fragment(&world, &settings, "\"theme\": \"dark\"").is_none(), "part of a file takes nothing away");
    assert_eq!(fragment(&world, &settings, "\"disableAllHooks\": true").unwrap().0, Hold::Own);
}

#[test]
fn texts_that_disarm() {
    let missed: Vec<_> = list(TEXT, "disarms").into_iter().filter(|text| text_disarms(text).is_none()).collect();
    let alarms: Vec<_> = list(TEXT, "quiet").into_iter().filter(|text| text_disarms(text).is_some()).collect();
    assert!(missed.is_empty() && alarms.is_empty(), "missed {missed:#?} alarms {alarms:#?}");
}

#[test]
fn agents_started_with_guards_off() {
    let start = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let (program, args) = words.split_first().unwrap();
        agent_off_switch(program, args).is_some()
    };
    let set = |line: &String| {
        let (name, value) = line.split_once('=').unwrap();
        agent_off_switch_env(name, Some(value)).is_some()
    };
    let missed: Vec<_> = list(LAUNCH, "off")
        .into_iter()
        .filter(|line| !start(line))
        .chain(list(LAUNCH, "env_off").into_iter().filter(|line| !set(line)))
        .collect();
    let alarms: Vec<_> =
        list(LAUNCH, "on").into_iter().filter(start).chain(list(LAUNCH, "env_on").into_iter().filter(set)).collect();
    assert!(missed.is_empty() && alarms.is_empty(), "missed {missed:#?} alarms {alarms:#?}");
    assert!(agent_off_switch_env("CLAUDE_CODE_SIMPLE", None).is_some(), "an unknown value counts");
    assert!(agent_env_moves("claude", "HOME").is_some() && agent_env_moves("ls", "HOME").is_none());
}

proptest! {
    /// Any text in any place is answered, and a settings file that does not parse is never harmless.
    #[test]
    fn total(text in any::<String>(), path in any::<String>()) {
        let world = world();
        for written in [".claude/settings.json", "~/.codex/config.toml", ".vscode/settings.json", "package.json"] {
            let said = content(&world, &at(&world, written), None, &text);
            if written.ends_with("json") && !text.contains('/') && serde_json::from_str::<serde_json::Value>(&text).is_err() && written != ".vscode/settings.json" {
                prop_assert!(said.is_some(), "{written}: {text:?}");
            }
        }
        let _ = (text_disarms(&text), control_prefix(&world, Some("/home/u/proj"), &path), control_below(&world, &at(&world, &path)));
    }

    /// What is kept by its own name stays kept under every folder of the project.
    #[test]
    fn nesting_never_hides(before in prop::collection::vec(prop::sample::select(vec!["a", ".", "..", "b c", ""]), 0..6)) {
        let world = world();
        let written = before.into_iter().chain([".claude/settings.json"]).collect::<Vec<_>>().join("/");
        prop_assert!(control::control(&world, &at(&world, &written)).is_some(), "{written}");
    }
}
