//! Recorded commands of real agents: every byte accounted for, hardly anything opaque, every program known.

use std::collections::BTreeMap;

use leastgrant_shell::{Cwd, Dialect, Env, Limits, coverage, read};

#[test]
fn recorded_commands_are_understood() {
    let env = Env { home: None, cwd: Cwd::Unknown, vars: BTreeMap::new(), positional: Vec::new() };
    let limits = Limits::default();
    for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Unknown] {
        let (mut texts, mut opaque, mut unknown) = (0, 0, 0);
        for line in include_str!("cases/corpus.jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = row["command"].as_str().unwrap().as_bytes();
            texts += 1;
            assert!(coverage(text, dialect, &limits).gaps.is_empty(), "{row}");
            let inventory = read(text, &env, dialect, &limits);
            opaque += usize::from(!inventory.opaque.is_empty());
            let firsts = inventory.commands.iter().filter_map(|command| command.words.first());
            unknown += firsts.filter(|word| word.value.exact().is_none()).count();
        }
        eprintln!("{dialect:?}: {texts} texts, {opaque} with an opaque, {unknown} programs unknown");
        assert!(texts >= 300);
        assert!(opaque * 100 <= texts * 3, "{opaque} of {texts} hold an opaque");
        assert!(unknown * 100 <= texts, "{unknown} programs are unknown");
    }
}
