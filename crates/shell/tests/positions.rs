//! Every position in which a command can hide: the hidden program is in the inventory.

use std::collections::BTreeMap;

use leastgrant_shell::{Cwd, Dialect, Env, Limits, read};

fn env() -> Env {
    Env {
        home: Some("/home/dev".to_owned()),
        cwd: Cwd::At("/home/dev/project".to_owned()),
        vars: BTreeMap::new(),
        positional: Vec::new(),
    }
}

#[test]
fn every_hidden_command_is_seen() {
    let file = include_str!("cases/hidden-commands.jsonl");
    let mut count = 0;
    let mut missed = Vec::new();
    for line in file.lines().filter(|line| !line.trim().is_empty()) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let command = case["command"].as_str().unwrap();
        let wanted = case["must_see"].as_str().unwrap();
        count += 1;
        for dialect in [Dialect::Bash, Dialect::Unknown, Dialect::Zsh, Dialect::Sh] {
            let inventory = read(command.as_bytes(), &env(), dialect, &Limits::default());
            let seen = inventory.commands.iter().any(|command| {
                command
                    .words
                    .first()
                    .is_some_and(|word| word.value.exact() == Some(wanted))
            });
            if !seen {
                missed.push(format!("{dialect:?}: {command}"));
            }
        }
    }
    assert!(count >= 93, "only {count} positions");
    assert!(missed.is_empty(), "missed: {missed:#?}");
}
