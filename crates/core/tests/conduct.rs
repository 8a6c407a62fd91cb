//! Conducting a persona run: blocks, turns, bounds, the machine, journals and reports. Cases are in `cases/conduct/`.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use leastgrant_core::conduct::irreversible::{self, Reach};
use serde::Deserialize;

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    is: String,
    #[serde(default)]
    keeps_out: Vec<String>,
    #[serde(default)]
    pressed: bool,
}

fn word(reach: &Reach) -> String {
    match reach {
        Reach::Revocable => String::from("revocable"),
        Reach::Unclear(_) => String::from("unclear"),
        Reach::Irreversible(why) => why.class.to_owned(),
    }
}

#[test]
fn what_can_not_be_taken_back() {
    let cases: Cases = toml::from_str(include_str!("cases/conduct/irreversible.toml")).unwrap();
    let mut wrong = Vec::new();
    for case in &cases.case {
        let reach = if case.pressed {
            irreversible::pressed(&case.text, &case.keeps_out)
        } else {
            irreversible::declared(&case.text, &case.keeps_out)
        };
        if word(&reach) != case.is {
            wrong.push(format!("`{}` is {reach:?}, not {}", case.text, case.is));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.case.len(), wrong.join("\n"));
    assert!(cases.case.len() > 100);
}
