//! Cases from the field whose verdicts are tests. A case that fails is listed with its reason; a listed case that passes
//! fails the test, so the list only shrinks.

#[path = "../../../xtask/src/reported.rs"]
mod reported;

use std::collections::BTreeMap;
use std::path::Path;

use reported::Came;

#[test]
fn what_was_reported_is_answered_as_people_want() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed: BTreeMap<String, String> = std::fs::read_to_string(root.join("tests/cases/reported-expected-fail.txt"))
        .unwrap()
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(':').unwrap())
        .map(|(id, why)| (id.trim().to_owned(), why.trim().to_owned()))
        .collect();
    let mut wrong = Vec::new();
    let mut judged = Vec::new();
    for case in reported::cases(&root.join("../../cases/reported.jsonl")).unwrap() {
        let Came::Judged(outcome) = reported::run(&case).unwrap() else { continue };
        match (outcome.met, listed.get(&case.id)) {
            (false, None) => {
                let runs = if outcome.slipped { "WOULD RUN " } else { "" };
                wrong.push(format!("{} {runs}{}", case.id, outcome.line()));
            }
            (true, Some(_)) => wrong.push(format!("{} passes now: take it off the list of expected failures", case.id)),
            _ => {}
        }
        let wish = format!("{}+prefer", case.id);
        match (outcome.preferred, listed.contains_key(&wish)) {
            (Some(false), false) => wrong.push(format!("{} is not what people prefer: {}", case.id, outcome.line())),
            (Some(true), true) => wrong.push(format!("{wish} passes now: take it off the list")),
            _ => {}
        }
        judged.extend([case.id, wish]);
    }
    for (id, why) in &listed {
        if !judged.contains(id) || why.is_empty() {
            wrong
                .push(format!("{id} is listed as an expected failure without a reason, or is not a case of this test"));
        }
    }
    let count = judged.len() / 2;
    assert!(count > 100, "only {count} cases were judged");
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), count, wrong.join("\n"));
}
