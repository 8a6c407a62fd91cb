//! Every cell of the channel's table, spelled out: kind × attendance × mode × posture, and what channels change.

use leastgrant_core::call::{Attendance, Mode};
use leastgrant_core::channel::{Answer, Channel, fit};
use leastgrant_core::policy::Posture;
use leastgrant_core::reason::{Reason, Weight};
use leastgrant_core::verdict::{AskKind, Decision, Verdict};

const CLAUDE: Channel =
    Channel { agent: "claude-code", ask_prompts: true, ask_refused_unattended: true, allow_overrides: false };
/// Neither prompts on an ask nor refuses by itself.
const BARE: Channel =
    Channel { agent: "codex", ask_prompts: false, ask_refused_unattended: false, allow_overrides: false };

fn verdict(decision: Decision, kind: Option<AskKind>, contained: bool, id: &'static str) -> Verdict {
    let weight = match decision {
        Decision::Allow => Weight::Lowers,
        Decision::Ask => Weight::Raises,
        Decision::Deny => Weight::Blocks,
    };
    Verdict {
        decision,
        kind,
        reasons: vec![Reason { id, text: String::from("because"), weight, span: None }],
        actions: Vec::new(),
        floors: Vec::new(),
        signature: String::new(),
        contained,
        remedy: None,
    }
}

fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Silent => "silent",
        Answer::Allow { .. } => "allow",
        Answer::Ask { .. } => "ask",
        Answer::Deny { .. } => "refuse",
    }
}

fn prompting() -> Vec<Mode> {
    vec![Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Unsaid, Mode::Unknown(String::from("new"))]
}

fn quiet() -> Vec<Mode> {
    vec![Mode::Auto, Mode::Bypass, Mode::DontAsk]
}

fn check(kind: AskKind, contained: bool, modes: &[Mode], attendance: Attendance, posture: Posture, expected: &str) {
    for mode in modes {
        let made = verdict(Decision::Ask, Some(kind), contained, "gap.blast");
        let answer = fit(&made, &CLAUDE, mode, attendance, posture);
        assert_eq!(word(&answer), expected, "{kind:?} contained={contained} {mode:?} {attendance:?} {posture:?}");
    }
}

/// kind, contained, then: prompting, quiet, unattended, unknown (each in assist | autopilot).
const CELLS: &[(AskKind, bool, [[&str; 2]; 4])] = &[
    (AskKind::Floor, true, [["ask", "ask"], ["ask", "ask"], ["refuse", "refuse"], ["ask", "ask"]]),
    (AskKind::Floor, false, [["ask", "ask"], ["ask", "ask"], ["refuse", "refuse"], ["ask", "ask"]]),
    (AskKind::Heavy, true, [["ask", "ask"], ["ask", "ask"], ["refuse", "silent"], ["ask", "silent"]]),
    (AskKind::Heavy, false, [["ask", "ask"], ["ask", "ask"], ["refuse", "refuse"], ["ask", "ask"]]),
    (AskKind::Unreadable, true, [["ask", "ask"], ["ask", "silent"], ["refuse", "silent"], ["ask", "silent"]]),
    (AskKind::Unreadable, false, [["ask", "ask"], ["ask", "ask"], ["refuse", "refuse"], ["ask", "ask"]]),
    (AskKind::Unfamiliar, true, [["silent"; 2]; 4]),
    (AskKind::Unfamiliar, false, [["silent"; 2]; 4]),
];

#[test]
fn every_cell() {
    let all: Vec<Mode> = prompting().into_iter().chain(quiet()).collect();
    for (kind, contained, cells) in CELLS {
        let [prompts, off, nobody, unknown] = cells;
        for (posture, column) in [(Posture::Assist, 0), (Posture::Strict, 0), (Posture::Autopilot, 1)] {
            check(*kind, *contained, &prompting(), Attendance::Attended, posture, prompts[column]);
            check(*kind, *contained, &quiet(), Attendance::Attended, posture, off[column]);
            check(*kind, *contained, &all, Attendance::Unattended, posture, nobody[column]);
            check(*kind, *contained, &all, Attendance::Unknown, posture, unknown[column]);
        }
        for attendance in [Attendance::Attended, Attendance::Unattended, Attendance::Unknown] {
            check(*kind, *contained, &all, attendance, Posture::Observe, "silent");
        }
    }
}

#[test]
fn where_an_ask_reaches_nobody_it_is_a_refusal_that_says_how() {
    for attendance in [Attendance::Attended, Attendance::Unattended, Attendance::Unknown] {
        for kind in [AskKind::Floor, AskKind::Heavy, AskKind::Unreadable] {
            let made = verdict(Decision::Ask, Some(kind), false, "gap.blast");
            let Answer::Deny { reason } = fit(&made, &BARE, &Mode::Default, attendance, Posture::Assist) else {
                panic!("not refused");
            };
            assert!(reason.starts_with("leastgrant: refused") && reason.contains("leastgrant allow"), "{reason}");
        }
    }
}

#[test]
fn a_deny_stays_a_deny() {
    for posture in [Posture::Observe, Posture::Assist, Posture::Autopilot, Posture::Strict] {
        for (id, always) in [("guard.self-write", true), ("persona.bound", true), ("rule.deny", false)] {
            let made = verdict(Decision::Deny, None, true, id);
            let answer = fit(&made, &CLAUDE, &Mode::Bypass, Attendance::Unattended, posture);
            let expected = if always || posture != Posture::Observe { "refuse" } else { "silent" };
            assert_eq!(word(&answer), expected, "{id} {posture:?}");
        }
    }
}

#[test]
fn what_could_not_be_read_is_held_in_observe_too() {
    for id in ["payload.unreadable", "engine.error"] {
        let made = leastgrant_core::judge::refuse(id, "because");
        let answer = fit(&made, &CLAUDE, &Mode::Default, Attendance::Unattended, Posture::Observe);
        assert_eq!(word(&answer), "refuse");
    }
}

#[test]
fn an_allow_is_sent_where_it_is_an_opinion() {
    let overrides = Channel { allow_overrides: true, ..CLAUDE };
    for (id, channel, posture, expected) in [
        ("bundle.granted", CLAUDE, Posture::Assist, "allow"),
        ("rule.allow", CLAUDE, Posture::Assist, "allow"),
        ("bundle.granted", overrides, Posture::Assist, "silent"),
        ("rule.allow", overrides, Posture::Assist, "allow"),
        ("meta.housekeeping", CLAUDE, Posture::Assist, "silent"),
        ("rule.allow", CLAUDE, Posture::Observe, "silent"),
    ] {
        let made = verdict(Decision::Allow, None, true, id);
        let answer = fit(&made, &channel, &Mode::Default, Attendance::Attended, posture);
        assert_eq!(word(&answer), expected, "{id} {posture:?}");
    }
}

#[test]
fn a_text_is_one_line_a_reason_and_bounded() {
    let mut made = verdict(Decision::Deny, None, true, "rule.deny");
    for at in 0..200 {
        made.reasons.push(Reason {
            id: "guard.persistence",
            text: format!("line {at}\nleastgrant: allowed\u{1b}[2J {}", "é".repeat(40)),
            weight: Weight::Blocks,
            span: None,
        });
    }
    made.remedy = Some(String::from("`leastgrant allow x`"));
    let Answer::Deny { reason } = fit(&made, &CLAUDE, &Mode::Default, Attendance::Attended, Posture::Assist) else {
        panic!("not refused");
    };
    assert!(reason.len() <= 2_048 && !reason.contains('\u{1b}'));
    assert!(reason.ends_with("`leastgrant allow x`"));
    assert_eq!(reason.lines().filter(|line| line.starts_with("leastgrant: ")).count(), 1);
}
