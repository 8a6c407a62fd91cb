//! A second parser as the judge, on the recorded commands that are easy for it: the same programs in the same
//! number.

use std::collections::BTreeMap;

use leastgrant_shell::{Cwd, Dialect, Env, Limits, read};
use rable::{Node, NodeKind};

fn plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.' | b'/' | b':'))
}

/// Every program of the tree whose name is plain text.
fn programs(nodes: &[Node], out: &mut Vec<String>) {
    for node in nodes {
        match &node.kind {
            NodeKind::Word { parts, .. } => programs(parts, out),
            NodeKind::Command { assignments, words, redirects } => {
                if let Some(Node { kind: NodeKind::Word { value, .. }, .. }) = words.first()
                    && plain(value)
                {
                    out.push(value.clone());
                }
                programs(assignments, out);
                programs(words, out);
                programs(redirects, out);
            }
            NodeKind::Pipeline { commands, .. } => programs(commands, out),
            NodeKind::List { items } => {
                items.iter().for_each(|item| programs(std::slice::from_ref(&item.command), out))
            }
            NodeKind::If { condition, then_body, else_body, redirects } => {
                programs(std::slice::from_ref(condition), out);
                programs(std::slice::from_ref(then_body), out);
                else_body.iter().for_each(|body| programs(std::slice::from_ref(body), out));
                programs(redirects, out);
            }
            NodeKind::While { condition, body, redirects } | NodeKind::Until { condition, body, redirects } => {
                programs(std::slice::from_ref(condition), out);
                programs(std::slice::from_ref(body), out);
                programs(redirects, out);
            }
            NodeKind::For { words, body, redirects, .. } | NodeKind::Select { words, body, redirects, .. } => {
                programs(words.as_deref().unwrap_or_default(), out);
                programs(std::slice::from_ref(body), out);
                programs(redirects, out);
            }
            NodeKind::ForArith { body, redirects, .. }
            | NodeKind::Subshell { body, redirects }
            | NodeKind::BraceGroup { body, redirects } => {
                programs(std::slice::from_ref(body), out);
                programs(redirects, out);
            }
            NodeKind::Case { word, patterns, redirects } => {
                programs(std::slice::from_ref(word), out);
                for arm in patterns {
                    programs(&arm.patterns, out);
                    arm.body.iter().for_each(|body| programs(std::slice::from_ref(body), out));
                }
                programs(redirects, out);
            }
            NodeKind::Function { body, .. } => programs(std::slice::from_ref(body), out),
            NodeKind::Coproc { command, .. }
            | NodeKind::CommandSubstitution { command, .. }
            | NodeKind::ProcessSubstitution { command, .. } => programs(std::slice::from_ref(command), out),
            NodeKind::Redirect { target, .. } => programs(std::slice::from_ref(target), out),
            NodeKind::Negation { pipeline } | NodeKind::Time { pipeline, .. } => {
                programs(std::slice::from_ref(pipeline), out);
            }
            NodeKind::Array { elements } => programs(elements, out),
            _ => {}
        }
    }
}

fn ours(text: &str) -> Vec<String> {
    let env = Env { home: None, cwd: Cwd::Unknown, vars: BTreeMap::new(), positional: Vec::new() };
    let inventory = read(text.as_bytes(), &env, Dialect::Bash, &Limits::default());
    let firsts = inventory.commands.iter().filter_map(|command| command.words.first());
    let mut names: Vec<String> = firsts
        .filter(|word| word.verbatim.is_some() && !word.quoted)
        .filter_map(|word| word.value.exact())
        .filter(|name| plain(name))
        .map(str::to_owned)
        .collect();
    names.sort();
    names
}

#[test]
fn rable_sees_the_same_programs() {
    let (mut compared, mut skipped) = (0, 0);
    let mut different = Vec::new();
    for line in include_str!("cases/corpus.jsonl").lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = row["command"].as_str().unwrap();
        // what it does not look into
        if ["${", "((", "[[", "<<"].iter().any(|hard| text.contains(hard)) {
            skipped += 1;
            continue;
        }
        let Ok(nodes) = rable::parse(text, false) else {
            skipped += 1;
            continue;
        };
        compared += 1;
        let mut theirs = Vec::new();
        programs(&nodes, &mut theirs);
        theirs.sort();
        let ours = ours(text);
        if ours != theirs {
            different.push(format!("{text:?}: ours {ours:?}, theirs {theirs:?}"));
        }
    }
    eprintln!("{compared} compared, {skipped} not easy, {} different", different.len());
    assert!(compared >= 250, "only {compared} compared");
    assert!(different.is_empty(), "{different:#?}");
}
