//! Prints what is opaque in a JSON array of `[id, tool, command]` rows.
#![expect(clippy::print_stdout, clippy::expect_used, reason = "an example prints")]

use leastgrant_shell::{Cwd, Dialect, Env, Limits, read};

fn main() {
    let file = std::env::args().nth(1).expect("a file");
    let rows: Vec<(String, String, String)> =
        serde_json::from_str(&std::fs::read_to_string(file).expect("readable")).expect("rows");
    for dialect in [Dialect::Bash, Dialect::Unknown, Dialect::Zsh] {
        let env = Env {
            home: Some("/home/dev".to_owned()),
            cwd: Cwd::At("/home/dev/project".to_owned()),
            vars: std::collections::BTreeMap::new(),
            positional: Vec::new(),
        };
        let (mut opaque, mut unknown, mut commands) = (0, 0, 0);
        let start = std::time::Instant::now();
        let mut bytes = 0;
        for (id, _, text) in &rows {
            bytes += text.len();
            let inventory = read(text.as_bytes(), &env, dialect, &Limits::default());
            commands += inventory.commands.len();
            if !inventory.opaque.is_empty() {
                opaque += 1;
                let why: Vec<_> = inventory
                    .opaque
                    .iter()
                    .map(|o| {
                        (
                            o.why,
                            String::from_utf8_lossy(o.span.of(text.as_bytes())).chars().take(60).collect::<String>(),
                        )
                    })
                    .take(3)
                    .collect();
                println!("{dialect:?} {id} {why:?}");
            }
            for command in &inventory.commands {
                if command.words.first().is_some_and(|word| word.value.exact().is_none()) {
                    unknown += 1;
                    if dialect == Dialect::Bash {
                        println!(
                            "  unknown program {id} {}",
                            String::from_utf8_lossy(command.span.of(text.as_bytes()))
                                .chars()
                                .take(80)
                                .collect::<String>()
                        );
                    }
                }
            }
        }
        println!(
            "{dialect:?}: {} texts, {bytes} bytes, {commands} commands, opaque {opaque}, unknown programs {unknown}, {:?}",
            rows.len(),
            start.elapsed()
        );
    }
}
