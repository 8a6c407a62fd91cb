//! Every cell of the channel's table, spelled out: kind × attendance × mode × posture, and what channels change.

use leastgrant_core::call::{Attendance, Mode};
use leastgrant_core::channel::{self, Allow, Answer, Ask, Channel, Silence, fit};
use leastgrant_core::control::RECORDS;
use leastgrant_core::policy::Posture;
use leastgrant_core::reason::{Reason, Weight};
use leastgrant_core::verdict::{AskKind, Decision, Verdict};

const CLAUDE: Channel = Channel {
    agent: "claude-code",
    name: "Claude Code",
    silence: Silence::Defers,
    allow: Allow::Grants,
    ask_attended: Ask::Prompts,
    ask_unattended: Ask::Refuses,
    deny_ends: false,
};

/// What goes out on each agent.
struct Sent {
    agent: &'static str,
    /// where the table holds a call: attended, unattended, not said
    held: [&'static str; 3],
    /// where we have no opinion
    silent: &'static str,
    /// what a bundle allows, what a rule allows
    allowed: [&'static str; 2],
}

/// Spelled out from what was measured, not from the records, so that a record that says too much fails here.
const SENT: &[Sent] = &[
    // described by others only: nothing in it is relied on, and its silence would let calls run
    Sent { agent: "antigravity", held: ["refuse"; 3], silent: "refuse", allowed: ["silent"; 2] },
    Sent { agent: "claude-code", held: ["ask", "refuse", "ask"], silent: "silent", allowed: ["allow", "allow"] },
    // an ask runs the call
    Sent { agent: "codex", held: ["refuse"; 3], silent: "silent", allowed: ["silent"; 2] },
    // an allow skips the agent's own deny rules
    Sent { agent: "copilot", held: ["ask", "refuse", "ask"], silent: "silent", allowed: ["silent", "allow"] },
    Sent { agent: "cursor", held: ["refuse"; 3], silent: "refuse", allowed: ["silent"; 2] },
    // an ask with nobody there hangs
    Sent { agent: "gemini-cli", held: ["ask", "refuse", "refuse"], silent: "silent", allowed: ["silent"; 2] },
    // a plugin can throw or return
    Sent { agent: "opencode", held: ["refuse"; 3], silent: "silent", allowed: ["silent"; 2] },
    // an ask is a refusal without a dialog, and an allow lifts another hook's deny
    Sent { agent: "qwen-code", held: ["refuse"; 3], silent: "silent", allowed: ["silent"; 2] },
];

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

/// A row of the table on every agent: `expected` is what Claude Code is sent.
fn check(kind: AskKind, contained: bool, modes: &[Mode], attendance: Attendance, posture: Posture, expected: &str) {
    let made = verdict(Decision::Ask, Some(kind), contained, "gap.blast");
    let column = match attendance {
        Attendance::Attended => 0,
        Attendance::Unattended => 1,
        Attendance::Unknown => 2,
    };
    for (mode, sent) in modes.iter().flat_map(|mode| SENT.iter().map(move |sent| (mode, sent))) {
        let channel = channel::of(sent.agent).unwrap_or(&channel::UNKNOWN);
        let expected = match (posture, expected, sent.agent) {
            // observing is silent, unless silence lets the call run unasked
            (Posture::Observe, _, "antigravity") => sent.silent,
            (Posture::Observe, ..) => "silent",
            (_, "silent", _) => sent.silent,
            _ => sent.held.get(column).copied().unwrap_or_default(),
        };
        let answer = fit(&made, channel, mode, attendance, posture);
        let agent = sent.agent;
        assert_eq!(word(&answer), expected, "{agent} {kind:?} {contained} {mode:?} {attendance:?} {posture:?}");
    }
}

#[test]
fn every_record_has_a_row_and_a_channel() {
    let rows: Vec<&str> = SENT.iter().map(|sent| sent.agent).collect();
    let records: Vec<&str> = RECORDS.iter().map(|record| record.id).collect();
    assert_eq!(rows, records);
    for record in RECORDS {
        assert_eq!(channel::of(record.id).map(|channel| channel.name), Some(record.name));
    }
    assert!(channel::of("nobody").is_none());
}

#[test]
fn the_record_of_claude_code_says_what_the_rows_were_written_for() {
    assert_eq!(format!("{:?}", channel::of("claude-code")), format!("{:?}", Some(CLAUDE)));
}

#[test]
fn an_unknown_agent_is_relied_on_for_nothing() {
    for attendance in [Attendance::Attended, Attendance::Unattended, Attendance::Unknown] {
        for kind in [AskKind::Floor, AskKind::Heavy, AskKind::Unreadable, AskKind::Unfamiliar] {
            let made = verdict(Decision::Ask, Some(kind), false, "gap.blast");
            let answer = fit(&made, &channel::UNKNOWN, &Mode::Default, attendance, Posture::Assist);
            assert_eq!(word(&answer), "refuse");
        }
    }
}

#[test]
fn only_qwen_needs_a_deny_that_ends_the_call() {
    let ending: Vec<&str> = channel::CHANNELS.iter().filter(|row| row.deny_ends).map(|row| row.agent).collect();
    assert_eq!(ending, ["qwen-code"]);
}

#[test]
fn an_ask_goes_out_in_no_situation_in_which_it_does_not_hold() {
    let asks = [Ask::Prompts, Ask::Refuses, Ask::None, Ask::Unknown, Ask::Hangs, Ask::Passes];
    for (attended, alone) in asks.iter().flat_map(|attended| asks.iter().map(move |alone| (*attended, *alone))) {
        let channel = Channel { ask_attended: attended, ask_unattended: alone, ..CLAUDE };
        for (attendance, may) in [
            (Attendance::Attended, attended == Ask::Prompts),
            (Attendance::Unattended, false),
            (Attendance::Unknown, attended == Ask::Prompts && alone == Ask::Refuses),
        ] {
            let made = verdict(Decision::Ask, Some(AskKind::Floor), false, "gap.blast");
            let answer = fit(&made, &channel, &Mode::Default, attendance, Posture::Assist);
            assert_eq!(word(&answer), if may { "ask" } else { "refuse" }, "{attended:?} {alone:?} {attendance:?}");
        }
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
    let codex = channel::of("codex").unwrap();
    for attendance in [Attendance::Attended, Attendance::Unattended, Attendance::Unknown] {
        for kind in [AskKind::Floor, AskKind::Heavy, AskKind::Unreadable] {
            let made = verdict(Decision::Ask, Some(kind), false, "gap.blast");
            let Answer::Deny { reason } = fit(&made, codex, &Mode::Default, attendance, Posture::Assist) else {
                panic!("not refused");
            };
            assert!(reason.starts_with("leastgrant: refused, since Codex CLI does not ask for a hook"), "{reason}");
            assert!(reason.contains("leastgrant allow"), "{reason}");
        }
    }
    let made = verdict(Decision::Ask, Some(AskKind::Floor), false, "gap.blast");
    let Answer::Deny { reason } = fit(&made, &CLAUDE, &Mode::Default, Attendance::Unattended, Posture::Assist) else {
        panic!("not refused");
    };
    assert!(reason.starts_with("leastgrant: refused, since nobody is there to ask"), "{reason}");
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
    let overrides = Channel { allow: Allow::Overrides, ..CLAUDE };
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
    for sent in SENT {
        for (id, expected) in ["bundle.granted", "rule.allow"].into_iter().zip(sent.allowed) {
            let made = verdict(Decision::Allow, None, true, id);
            let channel = channel::of(sent.agent).unwrap();
            for attendance in [Attendance::Attended, Attendance::Unattended, Attendance::Unknown] {
                let answer = fit(&made, channel, &Mode::Default, attendance, Posture::Assist);
                assert_eq!(word(&answer), expected, "{} {id}", sent.agent);
            }
        }
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
