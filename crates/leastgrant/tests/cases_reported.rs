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
    let (mut wanted, mut preferred) = (0, 0);
    for case in reported::cases(&root.join("../../cases/reported.jsonl")).unwrap() {
        let Came::Judged(outcome) = reported::run(&case).unwrap() else { continue };
        wanted += usize::from(outcome.preferred.is_some());
        preferred += usize::from(outcome.preferred == Some(true));
        match (outcome.met, listed.get(&case.id)) {
            (false, None) => {
                let runs = if outcome.slipped { "WOULD RUN " } else { "" };
                wrong.push(format!("{} {runs}{}", case.id, outcome.line()));
            }
            (true, Some(_)) => wrong.push(format!("{} passes now: take it off the list of expected failures", case.id)),
            _ => {}
        }
        judged.push(case.id);
    }
    for (id, why) in &listed {
        if !judged.contains(id) || why.is_empty() {
            wrong
                .push(format!("{id} is listed as an expected failure without a reason, or is not a case of this test"));
        }
    }
    assert!(judged.len() > 100, "only {} cases were judged", judged.len());
    assert!(preferred * 10 >= wanted * 9, "only {preferred} of {wanted} cases are answered as people prefer");
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), judged.len(), wrong.join("\n"));
}
