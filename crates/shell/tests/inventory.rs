//! What is said of each command: values, folder, input, surroundings, opaque. Cases are data: one family a file in
//! `cases/inventory/`, a text and the lines that describe its inventory.
//!
//! A line: the words (`(a|b)` one of these, `a…` begins with it, `?` unknown, `+` may be several, `*` glob), then
//! what is not plain: `@` the folder, `<` the input, `[…]` the surroundings, `^` the parent, `=` the assignments, `>`
//! the redirects, `!` a call of a function.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr, reason = "a test harness")]

use std::collections::BTreeMap;
use std::fmt::Write;

use leastgrant_shell::{Command, Contexts, Cwd, Dialect, Env, Inventory, Limits, Stdin, Value, Word, read};

const PROJECT: &str = "/home/dev/project";

fn value(value: &Value) -> String {
    match value {
        Value::Exact(text) if text.is_empty() || text.contains([' ', '\n', '?', '|', '(']) => format!("{text:?}"),
        Value::Exact(text) => text.clone(),
        Value::OneOf(texts) => format!("({})", texts.join("|")),
        Value::Prefix(text) => format!("{text}…"),
        Value::Matches(text) => format!("~{text}~"),
        Value::Unknown => "?".to_owned(),
    }
}

fn word(word: &Word) -> String {
    format!("{}{}{}", value(&word.value), if word.glob { "*" } else { "" }, if word.split { "+" } else { "" })
}

fn line(command: &Command) -> String {
    let mut out: Vec<String> = command.words.iter().map(word).collect();
    for assignment in &command.assignments {
        out.push(format!("={}:{}", assignment.name, value(&assignment.value)));
    }
    for redirect in &command.redirects {
        let mut text = format!(">{:?}:{}", redirect.op, word(&redirect.target));
        if let Some(here) = &redirect.here {
            write!(text, ":{}", value(&here.value)).unwrap();
        }
        out.push(text);
    }
    match &command.cwd {
        Cwd::At(path) if path == PROJECT => {}
        Cwd::At(path) => out.push(format!("@{path}")),
        Cwd::OneOf(paths) => out.push(format!("@({})", paths.join("|"))),
        Cwd::Unknown => out.push("@?".to_owned()),
    }
    match &command.stdin {
        Stdin::Inherited => {}
        Stdin::Pipe(from) => out.push(format!("<{from:?}")),
        Stdin::Redirect(redirect) => out.push(format!("<{:?}", redirect.op)),
    }
    if let Some(pipe) = command.pipe {
        out.push(format!("|{}/{}", pipe.member, pipe.of));
    }
    let letters = [
        (Contexts::SUBSHELL, 'S'),
        (Contexts::SUBSTITUTION, '$'),
        (Contexts::PROCESS, 'P'),
        (Contexts::LOOP, 'L'),
        (Contexts::CONDITIONAL, 'C'),
        (Contexts::FUNCTION, 'F'),
        (Contexts::BACKGROUND, 'B'),
    ];
    let set: String =
        letters.iter().filter(|(context, _)| command.contexts.has(*context)).map(|(_, letter)| letter).collect();
    if !set.is_empty() {
        out.push(format!("[{set}]"));
    }
    if let Some(parent) = command.parent {
        out.push(format!("^{parent}"));
    }
    if command.calls_function {
        out.push("!".to_owned());
    }
    out.join(" ")
}

fn ours(text: &str, dialect: &str) -> Inventory {
    let vars = [("KNOWN", Value::Exact("known".to_owned())), ("TMPDIR", Value::Exact("/tmp".to_owned()))];
    let env = Env {
        home: Some("/home/dev".to_owned()),
        cwd: Cwd::At(PROJECT.to_owned()),
        vars: vars.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<BTreeMap<_, _>>(),
        positional: Vec::new(),
    };
    let dialect = match dialect {
        "sh" => Dialect::Sh,
        "zsh" => Dialect::Zsh,
        "unknown" => Dialect::Unknown,
        _ => Dialect::Bash,
    };
    read(text.as_bytes(), &env, dialect, &Limits::default())
}

fn family(name: &str, file: &str) {
    let rewrite = std::env::var_os("LEASTGRANT_SHOW_CASES").is_some();
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in file.lines().filter(|line| !line.trim().is_empty()) {
        let case: serde_json::Value = serde_json::from_str(row).unwrap();
        let text = case["text"].as_str().unwrap();
        let inventory = ours(text, case["dialect"].as_str().unwrap_or_default());
        let lines: Vec<String> = inventory.commands.iter().map(line).collect();
        let mut opaque: Vec<String> = inventory.opaque.iter().map(|opaque| format!("{:?}", opaque.why)).collect();
        opaque.dedup();
        count += 1;
        if rewrite {
            let mut made = serde_json::Map::new();
            made.insert("text".to_owned(), case["text"].clone());
            if !case["dialect"].is_null() {
                made.insert("dialect".to_owned(), case["dialect"].clone());
            }
            made.insert("see".to_owned(), lines.clone().into());
            if !opaque.is_empty() {
                made.insert("opaque".to_owned(), opaque.clone().into());
            }
            eprintln!("{name}: {}", serde_json::Value::Object(made));
            continue;
        }
        let listed = |key: &str| -> Vec<String> {
            case[key].as_array().into_iter().flatten().map(|line| line.as_str().unwrap().to_owned()).collect()
        };
        if lines != listed("see") || opaque != listed("opaque") {
            wrong.push(format!(
                "{text:?}\n  see    {lines:?}\n  opaque {opaque:?}\n  wanted {:?} {:?}",
                listed("see"),
                listed("opaque")
            ));
        }
    }
    assert!(count > 5, "{name}: only {count} cases");
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}

#[test]
fn values() {
    family("values", include_str!("cases/inventory/values.jsonl"));
}

#[test]
fn folders() {
    family("folders", include_str!("cases/inventory/folders.jsonl"));
}

#[test]
fn inputs() {
    family("inputs", include_str!("cases/inventory/inputs.jsonl"));
}

#[test]
fn functions() {
    family("functions", include_str!("cases/inventory/functions.jsonl"));
}

#[test]
fn dialects() {
    family("dialects", include_str!("cases/inventory/dialects.jsonl"));
}

#[test]
fn grammar() {
    family("grammar", include_str!("cases/inventory/grammar.jsonl"));
}
