//! Laws over arbitrary text: a reading always returns, accounts for every byte, stays within the text, and a
//! command more never hides another.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test harness")]

#[path = "support/grammar.rs"]
mod grammar;
#[path = "support/rng.rs"]
mod rng;

use std::collections::BTreeMap;

use leastgrant_shell::{Cwd, Dialect, Env, Inventory, Limits, Stdin, Value, coverage, read};
use proptest::prelude::*;

fn env() -> Env {
    Env {
        home: Some("/home/dev".to_owned()),
        cwd: Cwd::At("/home/dev/project".to_owned()),
        vars: BTreeMap::new(),
        positional: Vec::new(),
    }
}

fn ours(text: &[u8], dialect: Dialect) -> Inventory {
    read(text, &env(), dialect, &Limits::default())
}

/// Text that is more often shell than not.
fn shellish() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(vec![
        "a",
        "b ",
        " c",
        ";",
        "&",
        "|",
        "&&",
        "||",
        "(",
        ")",
        "{ ",
        "; }",
        "<",
        ">",
        "<<E\n",
        "E\n",
        ">>",
        "'",
        "\"",
        "`",
        "$(",
        "$((",
        "))",
        "${",
        "}",
        "\\",
        "\n",
        " ",
        "#",
        "!",
        "if ",
        "then ",
        "fi",
        "do ",
        "done",
        "case ",
        "in ",
        "esac",
        ";;",
        "for ",
        "while ",
        "function f ",
        "f() ",
        "[[ ",
        " ]]",
        "$",
        "a=",
        "=(",
        "*",
        "?",
        "[",
        "]",
        "~",
        "\t",
        "<(",
        "$'",
        "2>&1",
        "elif ",
        "else ",
        "time ",
        "coproc ",
        "((",
        "<<<",
        "<<-",
        "&>",
        "|&",
        ";&",
        "x",
        "1",
        "=",
        "+=",
        "@(",
        ":-",
        "\\\n",
        "\r\n",
        "\u{0}",
        "\u{e9}",
        "{a,b}",
        "{1..3}",
        "cd d; ",
        "${a:-",
        "`b`",
        "$a",
        "\"$@\"",
        "!(",
        "a[1]=",
        "let a=1",
        "exec <f;",
        "/",
        "//",
        "#",
        "%",
        "@P}",
        "${!",
        "read a",
        "eval b",
        "$'\\x41'",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let generated = any::<u64>().prop_map(|seed| grammar::Grammar::new(seed).changed().into_bytes());
    prop_oneof![shellish(), generated, prop::collection::vec(any::<u8>(), 0..300)]
}

fn any_dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(vec![Dialect::Bash, Dialect::Sh, Dialect::Zsh, Dialect::Unknown])
}

fn in_order(inventory: &Inventory, text: &[u8]) -> Result<(), TestCaseError> {
    let count = inventory.commands.len();
    let end = u32::try_from(text.len()).unwrap();
    for pair in inventory.commands.windows(2) {
        prop_assert!(pair[0].span.start <= pair[1].span.start);
    }
    for opaque in &inventory.opaque {
        prop_assert!(opaque.span.start <= opaque.span.end && opaque.span.end <= end);
    }
    for command in &inventory.commands {
        prop_assert!(command.span.start <= command.span.end && command.span.end <= end);
        prop_assert!(command.parent.is_none_or(|parent| (parent as usize) < count));
        if let Stdin::Pipe(from) = &command.stdin {
            prop_assert!(from.iter().all(|index| (*index as usize) < count));
        }
        for word in &command.words {
            prop_assert!(word.span.end <= end);
            if let (Some(at), Value::Exact(value)) = (word.verbatim, &word.value) {
                let here = text.get(at as usize..at as usize + value.len());
                prop_assert_eq!(here, Some(value.as_bytes()), "a verbatim value differs from the text");
            }
            if let Value::OneOf(all) = &word.value {
                prop_assert!(!all.is_empty() && all.len() <= 32);
            }
        }
    }
    Ok(())
}

/// Programs that are known by name, and whether something is not known.
fn programs(inventory: &Inventory) -> Vec<String> {
    inventory
        .commands
        .iter()
        .filter_map(|command| command.words.first())
        .filter_map(|word| word.value.exact().map(str::to_owned))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn a_reading_returns_in_order_and_within_the_text(text in any_text(), dialect in any_dialect()) {
        let inventory = ours(&text, dialect);
        in_order(&inventory, &text)?;
        prop_assert!(inventory.steps <= 130 * text.len() as u64 + 22_000);
    }

    #[test]
    fn every_byte_lies_in_a_node(text in any_text(), dialect in any_dialect()) {
        let coverage = coverage(&text, dialect, &Limits::default());
        prop_assert!(coverage.gaps.is_empty(), "gaps {:?}", coverage.gaps);
    }

    #[test]
    fn a_limit_answers_opaque(text in shellish(), bytes in 0usize..200, nesting in 0usize..4, nodes in 1usize..60) {
        let limits = Limits { bytes, nesting, nodes, steps_per_byte: 64 };
        let inventory = read(&text, &env(), Dialect::Bash, &limits);
        let full = ours(&text, Dialect::Bash);
        if inventory.opaque.is_empty() {
            prop_assert_eq!(programs(&inventory), programs(&full));
        }
    }

    #[test]
    fn a_command_more_hides_none(seed in any::<u64>(), dialect in any_dialect()) {
        let text = grammar::Grammar::new(seed).text();
        let before = ours(text.as_bytes(), dialect);
        prop_assume!(before.opaque.is_empty());
        for join in ["new arg\n", "new arg | other\n", "( new )\n", "{ new; } > f\n", "if new; then a; fi\n"] {
            let more = format!("{text}{join}");
            let after = ours(more.as_bytes(), dialect);
            let names = programs(&after);
            for name in programs(&before) {
                prop_assert!(names.contains(&name), "{name} is gone from {more:?}");
            }
            prop_assert!(names.contains(&"new".to_owned()), "new is missing in {more:?}");
            prop_assert!(after.opaque.len() >= before.opaque.len());
        }
    }

    #[test]
    fn lines_before_an_error_are_listed(text in shellish()) {
        let more = [b"first arg\nsecond `third`\n".as_slice(), text.as_slice(), b"\n)\nlast one\n"].concat();
        let names = programs(&ours(&more, Dialect::Bash));
        for wanted in ["first", "second", "third"] {
            prop_assert!(names.iter().any(|name| name == wanted), "{wanted} is missing in {names:?}");
        }
    }
}
