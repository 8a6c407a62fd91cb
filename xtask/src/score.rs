//! `score [SET…]`: every case set against its expectation: `reported` (cases from the field), `recorded` (calls of real
//! agents), `hidden` (commands hidden in shell syntax). Ends badly where something that must not run would run.

use std::collections::BTreeMap;
use std::path::Path;

use crate::recorded;
use crate::reported::{self, Came};

pub(crate) fn run(root: &Path, sets: &[&str]) -> crate::Outcome {
    let sets = if sets.is_empty() { &["hidden", "recorded", "reported"][..] } else { sets };
    let mut good = true;
    for set in sets {
        println!("── {set}");
        good &= match *set {
            "hidden" => hidden(root)?,
            "recorded" => recorded::score(root)?,
            "reported" => field(root)?,
            other => return Err(format!("no case set `{other}`; there are hidden, recorded and reported")),
        };
    }
    Ok(good)
}

#[derive(Default)]
struct Tally {
    cases: usize,
    met: usize,
    slipped: usize,
    prefer: usize,
    preferred: usize,
    skipped: usize,
    by_answer: BTreeMap<&'static str, usize>,
}

fn field(root: &Path) -> crate::Outcome {
    let listed = expected_to_fail(root)?;
    let mut kinds: BTreeMap<String, Tally> = BTreeMap::new();
    let mut failed = Vec::new();
    let mut unwelcome = Vec::new();
    let mut slipped = Vec::new();
    for case in reported::cases(&root.join("cases/reported.jsonl"))? {
        let tally = kinds.entry(case.kind.clone()).or_default();
        let outcome = match reported::run(&case)? {
            Came::Skipped => {
                tally.skipped += 1;
                continue;
            }
            Came::Judged(outcome) => outcome,
        };
        tally.cases += 1;
        *tally.by_answer.entry(outcome.answer).or_default() += 1;
        tally.met += usize::from(outcome.met);
        tally.slipped += usize::from(outcome.slipped);
        tally.prefer += usize::from(outcome.preferred.is_some());
        tally.preferred += usize::from(outcome.preferred == Some(true));
        if outcome.met && outcome.preferred == Some(false) {
            unwelcome.push(format!("  {} {}", case.id, outcome.line()));
        }
        if !outcome.met {
            failed.push(format!("  {} {}", case.id, outcome.line()));
        }
        if outcome.slipped && !listed.contains(&case.id) {
            slipped.push(case.id);
        }
    }
    println!("kind             cases   met  slipped  preferred  allow   ask  deny silent  (not built)");
    for (kind, t) in &kinds {
        let answered = |word: &str| t.by_answer.get(word).copied().unwrap_or_default();
        println!(
            "{kind:<16} {:>5} {:>5} {:>8} {:>10} {:>6} {:>5} {:>5} {:>6}  {:>5}",
            t.cases,
            t.met,
            t.slipped,
            if t.prefer == 0 { String::from("-") } else { format!("{}/{}", t.preferred, t.prefer) },
            answered("allow"),
            answered("ask"),
            answered("deny"),
            answered("silent"),
            t.skipped,
        );
    }
    println!("not as expected: {}", failed.len());
    failed.iter().for_each(|line| println!("{line}"));
    println!("acceptable, but not what people prefer: {}", unwelcome.len());
    unwelcome.iter().for_each(|line| println!("{line}"));
    if !slipped.is_empty() {
        println!("would run although they must not: {}", slipped.join(" "));
    }
    Ok(slipped.is_empty())
}

/// Ids of cases that are known to fail; the test of the same set fails when one of them starts to pass.
fn expected_to_fail(root: &Path) -> Result<Vec<String>, String> {
    let list = crate::read(&root.join("crates/leastgrant/tests/cases/reported-expected-fail.txt"))?;
    Ok(list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(':').next())
        .map(|id| id.trim().to_owned())
        .collect())
}

fn hidden(root: &Path) -> crate::Outcome {
    let (mut found, mut opaque, mut missed) = (0, 0, Vec::new());
    for line in crate::read(&root.join("cases/hidden-commands.jsonl"))?.lines() {
        let row: serde_json::Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |name: &str| row.get(name).and_then(|v| v.as_str()).unwrap_or_default();
        let (command, program) = (text("command"), text("must_see"));
        let inventory = crate::corpus::read(command);
        let sees = inventory.commands.iter().filter_map(|c| c.words.first()).any(|word| {
            let known = word.value.all().unwrap_or_default();
            known.contains(&program) || known.iter().any(|name| name.rsplit('/').next() == Some(program))
        });
        match (sees, inventory.opaque.is_empty()) {
            (true, _) => found += 1,
            (false, false) => opaque += 1,
            (false, true) => missed.push(command.to_owned()),
        }
    }
    println!("found {found}, opaque {opaque}, missed {}", missed.len());
    missed.iter().for_each(|command| println!("  {}", command.replace('\n', " ⏎ ")));
    Ok(missed.is_empty())
}
