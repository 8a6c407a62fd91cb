//! Prints the inventory of the command text given as the first argument.
#![expect(clippy::print_stdout, reason = "an example prints")]

use leastgrant_shell::{Cwd, Dialect, Env, Limits, read};

fn main() {
    let text = std::env::args().nth(1).unwrap_or_default();
    let dialect = match std::env::args().nth(2).as_deref() {
        Some("sh") => Dialect::Sh,
        Some("zsh") => Dialect::Zsh,
        Some("unknown") => Dialect::Unknown,
        _ => Dialect::Bash,
    };
    let env = Env {
        home: Some("/home/dev".to_owned()),
        cwd: Cwd::At("/home/dev/project".to_owned()),
        vars: std::collections::BTreeMap::new(),
        positional: Vec::new(),
    };
    let inventory = read(text.as_bytes(), &env, dialect, &Limits::default());
    for (index, command) in inventory.commands.iter().enumerate() {
        let words: Vec<_> = command.words.iter().map(|word| &word.value).collect();
        let source = String::from_utf8_lossy(command.span.of(text.as_bytes()));
        println!(
            "{index}: {words:?} assigns={:?} redirects={:?} ctx={:?} pipe={:?} stdin={:?} parent={:?} cwd={:?} fn={} «{source}»",
            command
                .assignments
                .iter()
                .map(|a| (&a.name, &a.value))
                .collect::<Vec<_>>(),
            command
                .redirects
                .iter()
                .map(|r| (r.op, &r.target.value))
                .collect::<Vec<_>>(),
            command.contexts.0,
            command.pipe.map(|p| (p.id, p.member, p.of)),
            match &command.stdin {
                leastgrant_shell::Stdin::Redirect(_) => "redirect".to_owned(),
                other => format!("{other:?}"),
            },
            command.parent,
            command.cwd,
            command.calls_function,
        );
    }
    println!(
        "opaque {:?} functions {:?} steps {}",
        inventory.opaque, inventory.functions, inventory.steps
    );
}
