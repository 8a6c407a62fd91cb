//! Every example in `knowledge/programs/*.toml`, run; every function that a table names, found.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data fails")]

use std::collections::BTreeMap;

use leastgrant_core::action::{Action, TargetKind};
use leastgrant_core::call::ShellCall;
use leastgrant_core::classify::{code, shell};
use leastgrant_core::world::FakeWorld;
use leastgrant_shell::Dialect;

#[derive(serde::Deserialize)]
struct File {
    #[serde(default)]
    program: Vec<Program>,
}

#[derive(serde::Deserialize)]
struct Program {
    names: Vec<String>,
    examples: Vec<Example>,
    #[serde(flatten)]
    rest: BTreeMap<String, toml::Value>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    run: String,
    is: String,
    tier: Option<u8>,
    #[serde(default)]
    opaque: bool,
    #[serde(default)]
    marks: Vec<String>,
    #[serde(default)]
    targets: Vec<String>,
    #[serde(default)]
    cwd: String,
}

fn files() -> Vec<(String, File)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/knowledge/programs");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        all.push((path.display().to_string(), toml::from_str(&text).unwrap()));
    }
    all.sort_by(|a: &(String, File), b| a.0.cmp(&b.0));
    all
}

fn strictest(actions: &[Action]) -> &Action {
    actions.iter().max_by_key(|action| (action.opaque.is_some(), action.blast.tier(), action.marks.len())).unwrap()
}

fn kebab(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

#[test]
fn every_example_is_what_it_says() {
    let world = FakeWorld::project();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (path, file) in files() {
        for program in file.program {
            for example in program.examples {
                count += 1;
                let call = ShellCall {
                    command: example.run.clone(),
                    dialect: Dialect::Bash,
                    workdir: None,
                    unsandboxed: false,
                };
                let cwd = format!("/home/u/project/{}", example.cwd);
                let actions = shell::shell_actions(&call, cwd.trim_end_matches('/'), &world);
                if actions.is_empty() {
                    wrong.push(format!("{path}: `{}`: no action", example.run));
                    continue;
                }
                let worst = strictest(&actions);
                let mut faults = Vec::new();
                if worst.capability.id() != example.is {
                    faults.push(format!("is {}", worst.capability.id()));
                }
                if example.tier.is_some_and(|tier| tier != worst.blast.tier()) {
                    faults.push(format!("tier {}", worst.blast.tier()));
                }
                if worst.opaque.is_some() != example.opaque {
                    faults.push(format!("opaque {:?}", worst.opaque));
                }
                for mark in &example.marks {
                    if !actions.iter().any(|action| action.marks.iter().any(|m| kebab(&format!("{m:?}")) == *mark)) {
                        faults.push(format!("no mark {mark}"));
                    }
                }
                for wanted in &example.targets {
                    let hit = actions.iter().flat_map(|action| &action.targets).any(|target| {
                        let text = match &target.kind {
                            TargetKind::Host { host, .. } => host.clone(),
                            _ => target.text.clone(),
                        };
                        format!("{:?} {text}", target.role).to_lowercase() == wanted.to_lowercase()
                            || format!("{:?} {}", target.role, target.text).to_lowercase() == wanted.to_lowercase()
                    });
                    if !hit {
                        faults.push(format!("no target `{wanted}`"));
                    }
                }
                if !faults.is_empty() {
                    wrong.push(format!("{path}: `{}`: {}", example.run, faults.join(", ")));
                }
            }
        }
    }
    println!("{count} examples, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn named(value: &toml::Value, codes: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, inner) in table {
                if key == "code"
                    && let Some(name) = inner.as_str()
                {
                    codes.push(name.to_owned());
                }
                named(inner, codes);
            }
        }
        toml::Value::Array(values) => values.iter().for_each(|inner| named(inner, codes)),
        _ => {}
    }
}

#[test]
fn every_function_that_a_table_names_is_there() {
    let mut missing = Vec::new();
    for (path, file) in files() {
        for program in file.program {
            let mut codes = Vec::new();
            named(&toml::Value::Table(program.rest.into_iter().collect()), &mut codes);
            for name in codes {
                if code::find(&name).is_none() {
                    missing.push(format!("{path}: {:?} names `{name}`", program.names));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
