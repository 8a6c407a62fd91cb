//! The shell reader on any bytes: it returns, within counted work, with spans inside the text, every byte accounted
//! for, and a command that follows is never hidden by what was understood.

#![no_main]

use std::collections::BTreeMap;

use leastgrant_shell::{Cwd, Dialect, Env, Inventory, Limits, Stdin, Value, coverage, read};
use libfuzzer_sys::fuzz_target;

fn env() -> Env {
    Env {
        home: Some("/home/dev".to_owned()),
        cwd: Cwd::At("/home/dev/project".to_owned()),
        vars: BTreeMap::new(),
        positional: Vec::new(),
    }
}

/// A first byte that no text starts with picks another dialect; seeds stay plain text.
fn dialect(data: &[u8]) -> (Dialect, &[u8]) {
    match data {
        [1, text @ ..] => (Dialect::Sh, text),
        [2, text @ ..] => (Dialect::Zsh, text),
        [3, text @ ..] => (Dialect::Unknown, text),
        text => (Dialect::Bash, text),
    }
}

fn programs(inventory: &Inventory) -> Vec<&str> {
    let first = inventory.commands.iter().filter_map(|command| command.words.first());
    first.filter_map(|word| word.value.exact()).collect()
}

fn within(inventory: &Inventory, text: &[u8]) {
    let count = inventory.commands.len();
    for opaque in &inventory.opaque {
        assert!(opaque.span.start <= opaque.span.end && opaque.span.end as usize <= text.len(), "{opaque:?}");
    }
    for pair in inventory.commands.windows(2) {
        assert!(pair[0].span.start <= pair[1].span.start, "commands out of order");
    }
    for command in &inventory.commands {
        assert!(command.span.start <= command.span.end && command.span.end as usize <= text.len());
        assert!(command.parent.is_none_or(|parent| (parent as usize) < count));
        if let Stdin::Pipe(from) = &command.stdin {
            assert!(from.iter().all(|index| (*index as usize) < count));
        }
        for word in &command.words {
            assert!(word.span.start <= word.span.end && word.span.end as usize <= text.len());
            if let (Some(at), Value::Exact(value)) = (word.verbatim, &word.value) {
                let here = text.get(at as usize..at as usize + value.len());
                assert_eq!(here, Some(value.as_bytes()), "a verbatim value differs from the text");
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let (dialect, text) = dialect(data);
    let limits = Limits::default();
    let inventory = read(text, &env(), dialect, &limits);
    assert!(inventory.steps <= 130 * text.len() as u64 + 22_000, "{} steps for {} bytes", inventory.steps, text.len());
    within(&inventory, text);
    let gaps = coverage(text, dialect, &limits).gaps;
    assert!(gaps.is_empty(), "bytes that belong to nothing: {gaps:?}");

    let small = Limits { nesting: 3, nodes: 40, ..limits };
    let bounded = read(text, &env(), dialect, &small);
    if bounded.opaque.is_empty() {
        assert_eq!(programs(&bounded), programs(&inventory), "a limit hides commands without saying so");
    }

    if inventory.opaque.is_empty() && !text.ends_with(b"\\") {
        let more = [text, b"\nnew arg\n"].concat();
        let after = read(&more, &env(), dialect, &limits);
        let names = programs(&after);
        assert!(names.contains(&"new"), "the command that follows is missing in {names:?}");
        for name in programs(&inventory) {
            assert!(names.contains(&name), "`{name}` is gone once a command follows");
        }
    }
});
