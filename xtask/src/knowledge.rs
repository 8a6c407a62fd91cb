//! `knowledge --missing`: programs that occur at least twice in recorded calls and have no entry.

use std::collections::BTreeMap;
use std::path::Path;

use crate::corpus;

const CALLS: &str = "cases/agent-calls.jsonl";

pub(crate) fn missing(root: &Path) -> crate::Outcome {
    let mut seen: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for line in crate::read(&root.join(CALLS))?.lines() {
        let Some(command) = corpus::command(line) else { continue };
        let inventory = corpus::read(&command);
        for part in inventory.commands.iter().filter(|part| !part.calls_function) {
            let Some(name) = part.words.first().and_then(|word| word.value.exact()) else { continue };
            let name = name.rsplit('/').next().unwrap_or(name);
            if !name.is_empty() && leastgrant_core::knowledge::program(name).is_none() {
                let example = String::from_utf8_lossy(part.span.of(command.as_bytes())).chars().take(80).collect();
                seen.entry(name.to_owned()).or_insert((0, example)).0 += 1;
            }
        }
    }
    let mut often: Vec<(&String, &(usize, String))> = seen.iter().filter(|row| row.1.0 >= 2).collect();
    often.sort_by_key(|row| std::cmp::Reverse(row.1.0));
    for (name, (times, example)) in &often {
        println!("{times:>4} {name:<20} {}", example.replace('\n', " "));
    }
    println!("{} programs without an entry occur at least twice", often.len());
    Ok(often.is_empty())
}
