//! Conducting a persona run: blocks, turns, bounds, the machine, journals and reports. Cases are in `cases/conduct/`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "helpers of tests")]

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

mod lock {
    use leastgrant_core::call::{Attendance, Call, Mode, ShellCall, Tool};
    use leastgrant_core::conduct::gitlock::{self, Lock};
    use leastgrant_core::world::FakeWorld;
    use leastgrant_shell::Dialect;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Cases {
        case: Vec<Case>,
    }

    #[derive(Deserialize)]
    struct Case {
        command: String,
        is: String,
        #[serde(default)]
        unlocked: Vec<String>,
    }

    #[test]
    fn history_is_locked_in_every_spelling() {
        let cases: Cases = toml::from_str(include_str!("cases/conduct/gitlock.toml")).unwrap();
        let world = FakeWorld::default();
        let mut wrong = Vec::new();
        for case in &cases.case {
            let shell =
                ShellCall { command: case.command.clone(), dialect: Dialect::Bash, workdir: None, unsandboxed: false };
            let call = Call {
                agent: "claude-code",
                agent_version: None,
                session: String::from("s"),
                call_id: None,
                subagent: None,
                mode: Mode::Unsaid,
                attendance: Attendance::Unattended,
                cwd: String::from("/home/ana/project"),
                tool_name: String::from("Bash"),
                tool: Tool::Shell(shell),
            };
            let said = match gitlock::ask(&call, &world, &case.unlocked) {
                Lock::Passes => "passes",
                Lock::Shut(_) => "shut",
            };
            if said != case.is {
                wrong.push(format!("`{}` {said}, not {}", case.command, case.is));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

mod stream {
    use leastgrant_core::conduct::block::{Found, Kind, LARGEST, Reader};
    use proptest::prelude::*;

    const TWO: &str = "text\n```persona-turn\n{\"a\": 1}\n```\nmore\n~~~~ persona-outcome x\n```\n{}\n~~~~\n";

    fn expected() -> Vec<Found> {
        vec![
            Found::Block { kind: Kind::Turn, body: String::from("{\"a\": 1}\n") },
            Found::Block { kind: Kind::Outcome, body: String::from("```\n{}\n") },
        ]
    }

    #[test]
    fn an_open_fence_is_waited_for() {
        let mut reader = Reader::default();
        assert!(reader.push("```persona-turn\n{}\n").is_empty());
        assert_eq!(reader.push("```\n"), [Found::Block { kind: Kind::Turn, body: String::from("{}\n") }]);
        assert!(reader.push("```persona-turn\n{}").is_empty());
        assert!(matches!(reader.end(), Some(Found::Bad(why)) if why.contains("no closing fence")));
        assert_eq!(reader.end(), None);
    }

    #[test]
    fn an_example_in_another_fence_is_no_turn() {
        let mut reader = Reader::default();
        assert!(reader.push("````md\n```persona-turn\n{}\n```\n````\n").is_empty());
        assert!(reader.push("use `persona-turn` blocks\n``` `persona-turn` ```\n").is_empty());
        assert_eq!(reader.end(), None);
    }

    #[test]
    fn a_closing_fence_needs_no_line_end() {
        let mut reader = Reader::default();
        assert!(reader.push("```persona-outcome\r\n{}\r\n```").is_empty());
        assert_eq!(reader.end(), Some(Found::Block { kind: Kind::Outcome, body: String::from("{}\n") }));
    }

    #[test]
    fn what_is_too_large_is_refused_by_name() {
        let mut reader = Reader::default();
        assert!(reader.push("```persona-turn\n").is_empty());
        assert!(reader.push(&"x".repeat(LARGEST * 3)).is_empty());
        let found = reader.push("\n```\n");
        assert!(matches!(found.as_slice(), [Found::Bad(why)] if why.contains("larger than")), "{found:?}");
        assert!(reader.push(&"y".repeat(LARGEST * 3)).is_empty());
        assert_eq!(reader.push(&format!("\n{TWO}")), expected());
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(cuts in prop::collection::vec(0..TWO.len(), 0..12)) {
            let mut cuts = cuts;
            cuts.extend([0, TWO.len()]);
            cuts.sort_unstable();
            let mut reader = Reader::default();
            let mut found = Vec::new();
            for pair in cuts.windows(2) {
                found.extend(reader.push(&TWO[pair[0]..pair[1]]));
            }
            prop_assert_eq!(found, expected());
        }

        #[test]
        fn nothing_breaks_it(text in "[`~a\n -]{0,200}") {
            let mut reader = Reader::default();
            let _ = reader.push(&text);
            let _ = reader.end();
        }
    }
}

mod turns {
    use leastgrant_core::conduct::turn::{self, SCHEMA};
    use serde_json::{Value, json};

    fn body(change: impl FnOnce(&mut Value)) -> String {
        let mut turn = json!({
            "schema_version": SCHEMA, "turn_id": "turn-2", "persona_id": "ana", "state_delta": {}, "declared_navigations": [],
        });
        change(&mut turn);
        turn.to_string()
    }

    #[test]
    fn a_wrong_turn_is_refused_by_name() {
        assert!(turn::read(&body(|_| {}), "ana", 2).is_ok());
        let cases: [(&str, String); 16] = [
            ("not one JSON object", String::from("[]")),
            ("not one JSON object", String::from("{} {}")),
            ("not one JSON object", body(|_| {}).replacen('{', "{\"turn_id\":\"turn-1\",", 1)),
            ("`schema_version`", body(|turn| turn["schema_version"] = json!("2.0"))),
            ("`turn_id`", body(|turn| turn["turn_id"] = json!(2))),
            ("the next one is `turn-2`", body(|turn| turn["turn_id"] = json!("turn-3"))),
            ("the next one is `turn-2`", body(|turn| turn["turn_id"] = json!("turn-02"))),
            ("this run is of `ana`", body(|turn| turn["persona_id"] = json!("bo"))),
            ("`state_delta`", body(|turn| turn["state_delta"] = json!("x"))),
            ("`declared_navigations`", body(|turn| turn["declared_navigations"] = Value::Null)),
            ("`declared_navigations`", body(|turn| turn["declared_navigations"] = json!("https://a.test/"))),
            ("`declared_navigations`", body(|turn| turn["declared_navigations"] = json!({ "url": "https://a.test/" }))),
            ("`declared_navigations`", body(|turn| turn["declared_navigations"] = json!(["/cart"]))),
            ("`evidence`", body(|turn| turn["evidence"] = json!("evidence/../../x.png"))),
            ("`observed_behavior`", body(|turn| turn["observed_behavior"] = json!("x"))),
            (
                "`observed_behavior.intended_action`",
                body(|turn| turn["observed_behavior"] = json!({ "intended_action": 1 })),
            ),
        ];
        for (words, body) in cases {
            let why = turn::read(&body, "ana", 2).expect_err(words);
            assert!(why.contains(words), "{why} does not say {words}");
        }
    }

    #[test]
    fn an_outcome_is_one_of_three_words() {
        assert!(turn::outcome(r#"{"outcome":"blocked"}"#).is_ok());
        for body in [r#"{"outcome":"done"}"#, "{}", "[]", r#"{"outcome":"blocked","outcome":"succeeded"}"#] {
            assert!(turn::outcome(body).is_err(), "{body}");
        }
    }
}

mod masked {
    use leastgrant_core::conduct::mask;
    use proptest::prelude::*;

    #[test]
    fn of_an_address_its_host_is_left() {
        let text = mask::text(
            "went to https://u:pw@Shop.Test/a/b?token=geheim, then file:///etc/passwd and JavaScript:alert(1)",
        );
        for gone in ["geheim", "pw@", "/a/b", "passwd", "alert"] {
            assert!(!text.contains(gone), "{gone} is in {text}");
        }
        assert!(text.contains("https://shop.test/«"), "{text}");
        assert!(text.contains(", then "), "{text}");
        assert_ne!(mask::url("https://a.test/x"), mask::url("https://a.test/y"));
        assert!(!mask::text("key sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").contains("AAAA"));
        assert_eq!(mask::text("12:30, note: this is fine"), "12:30, note: this is fine");
    }

    proptest! {
        #[test]
        fn masking_twice_is_masking_once(path in "[a-z0-9/?=&.%-]{0,30}", around in "[ a-z(\",.]{0,10}") {
            let once = mask::text(&format!("{around}https://shop.test/{path}{around}"));
            prop_assert_eq!(mask::text(&once), once);
        }
    }
}

mod reports {
    use std::collections::BTreeMap;

    use leastgrant_core::conduct::findings;
    use leastgrant_core::conduct::journal::Journal;
    use leastgrant_core::conduct::page;
    use leastgrant_core::conduct::report::Report;
    use serde_json::{Value, json};

    fn turn(persona: &str, number: u32, change: impl FnOnce(&mut Value)) -> String {
        let mut turn = json!({
            "schema_version": "persona-runtime-result/1.0", "turn_id": format!("turn-{number}"), "persona_id": persona,
            "flow_step": "sign in", "observed_behavior": { "friction_points": [] }, "state_delta": {}, "integrity": {},
            "declared_navigations": [],
        });
        change(&mut turn);
        turn.to_string()
    }

    fn journal(persona: &str, lines: &[String]) -> Vec<u8> {
        let header = format!(
            "{{\"journey_schema\":\"persona-runtime-result/1.0\",\"flow\":\"checkout\",\"persona\":\"{persona}\",\"app_version\":\"v1\",\"started_at\":\"2026-01-0{}T00:00:00Z\"}}",
            persona.len()
        );
        let lines: Vec<&str> = std::iter::once(header.as_str()).chain(lines.iter().map(String::as_str)).collect();
        (lines.join("\n") + "\n").into_bytes()
    }

    fn says(field: &'static str, words: &'static str) -> impl FnOnce(&mut Value) {
        move |turn| turn["observed_behavior"][field] = json!(words)
    }

    fn cast() -> Report {
        let ana: Vec<String> = (1..=12)
            .map(|number| {
                turn("ana", number, |turn| {
                    if number == 2 || number == 10 {
                        turn["observed_behavior"]["friction_points"] = json!([format!("point {number} <b>")]);
                        turn["evidence"] = json!(["evidence/shot.png"]);
                    }
                })
            })
            .chain([json!({ "journey_outcome": { "outcome": "abandoned", "detail": "too slow" } }).to_string()])
            .collect();
        let bo = [
            turn("bo", 1, |turn| turn["observed_behavior"]["friction_points"] = json!(["same wall"])),
            turn("bo", 2, says("comprehension", "I am confused by https://shop.test/secret?x=1")),
            String::from("not json"),
            json!({ "journey_stop": { "reason": "stall", "detail": "the agent ended" } }).to_string(),
        ];
        let mut journeys = BTreeMap::new();
        journeys.insert(String::from("ana"), Journal::read(&journal("ana", &ana)));
        journeys.insert(String::from("bo"), Journal::read(&journal("bo", &bo)));
        journeys.insert(String::from("cy"), Journal::read(b""));
        Report::of(journeys)
    }

    #[test]
    fn the_report_is_the_same_bytes_every_time_and_ranked() {
        let text = cast().markdown();
        assert_eq!(text, cast().markdown());
        let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("### ")).collect();
        let expected = [
            "### F1 — [blocker] abandonment at step \"sign in\"",
            "### F2 — [major] comprehension at step \"sign in\"",
            "### F3 — [minor] friction at step \"sign in\"",
            "### ana",
            "### bo",
        ];
        assert_eq!(heads, expected, "{text}");
        assert!(text.contains("- personas hit: 2 (ana, bo)"), "{text}");
        assert!(text.contains("- date: 2026-01-02T00:00:00Z"), "the smallest date: {text}");
        assert!(text.contains("persona UNREADABLE: cy — the journal is empty"), "{text}");
        assert!(text.contains("journal warning: line 4: the line is not JSON"), "{text}");
        let (second, tenth) = (text.find("turn-2 (line 3)").unwrap(), text.find("turn-10 (line 11)").unwrap());
        assert!(second < tenth, "turn 10 stands before turn 2");
        assert!(!text.contains("secret") && !text.contains("<b>"), "{text}");
    }

    #[test]
    fn signals_heed_negations_and_other_languages() {
        let found = |change: fn(&mut Value)| {
            let journal = Journal::read(&journal("bo", &[turn("bo", 1, change)])).unwrap();
            findings::of(&journal).into_iter().map(|finding| finding.kind).collect::<Vec<_>>()
        };
        assert_eq!(found(|turn| turn["observed_behavior"]["comprehension"] = json!("not confused, clear")), [""; 0]);
        assert_eq!(
            found(|turn| turn["observed_behavior"]["comprehension"] = json!("no entiendo nada")),
            ["comprehension"]
        );
        assert_eq!(
            found(|turn| turn["observed_behavior"]["continuation_intent"] = json!("I will not abandon it")),
            [""; 0]
        );
        assert_eq!(
            found(|turn| turn["observed_behavior"]["continuation_intent"] = json!("I give up")),
            ["abandonment"]
        );
        assert_eq!(found(|turn| turn["integrity"]["voice_drift_detected"] = json!("true")), ["integrity"]);
        assert_eq!(found(|turn| turn["integrity"]["voice_drift_detected"] = json!("false")), [""; 0]);
    }

    #[test]
    fn the_page_needs_nothing_beside_it() {
        let report = cast();
        let mut pictures = page::Pictures::new();
        let key = (String::from("ana"), String::from("evidence/shot.png"));
        pictures.insert(key, b"\x89PNG\r\n\x1a\nrest".to_vec());
        let html = page::html(&report, &pictures);
        assert!(html.contains("src=\"data:image/png;base64,iVBORw0KGgpyZXN0\""), "{html}");
        for gone in
            ["href=", "src=\"http", "<script", "<link", "@import", "url(", "<table", "<pre", "nowrap", "<b>", "secret"]
        {
            assert!(!html.contains(gone), "{gone} is in the page");
        }
        assert!(
            html.contains("width=device-width")
                && html.contains("max-width:100%")
                && html.contains("overflow-wrap:anywhere")
        );
        assert!(html.contains("default-src 'none'"));
    }

    #[test]
    fn a_line_that_was_cut_off_is_a_warning_and_its_turn_is_to_come() {
        let mut bytes = journal("ana", &[turn("ana", 1, |_| {})]);
        bytes.extend_from_slice(br#"{"schema_version":"persona-runt"#);
        let journal = Journal::read(&bytes).unwrap();
        assert!(journal.torn);
        assert_eq!((journal.enacted(), journal.warnings.len()), (1, 1));
        assert!(journal.ended().is_none());
    }
}

mod machine {
    use leastgrant_core::conduct::bounds::Bounds;
    use leastgrant_core::conduct::journal::Journal;
    use leastgrant_core::conduct::walk::{Answer, Ending, Heard, Step, Walk};
    use leastgrant_core::persona::flow::Flow;
    use serde_json::{Value, json};

    const FLOW: &str = "# Flow — checkout\n\n## Entry point\nhttps://shop.stage.test/\n\n## Goal\nx\n\n## Success criteria\nx\n\n\
        ## Domain allowlist\n- shop.stage.test\n\n## Out of bounds\n- Uploads\n\n## App version pin\nv1\n\n## Step budget\nmax_turns: 50\n";

    fn bounds() -> Bounds {
        Bounds::of(&Flow::read(FLOW).unwrap(), "/p")
    }

    fn walk() -> Walk {
        Walk::new("ana", bounds(), 8)
    }

    fn turn(number: u32, action: &str) -> String {
        let turn = json!({
            "schema_version": "persona-runtime-result/1.0", "turn_id": format!("turn-{number}"), "persona_id": "ana",
            "observed_behavior": { "intended_action": action }, "state_delta": { "n": number }, "declared_navigations": [],
        });
        format!("```persona-turn\n{turn}\n```\n")
    }

    fn short(steps: &[Step]) -> Vec<String> {
        let name = |step: &Step| match step {
            Step::Write(line) => {
                let line: Value = serde_json::from_str(line).unwrap();
                let first = ["turn_id", "journey_stop", "journey_outcome", "journey_event"];
                let kind = first.into_iter().find(|key| line.get(key).is_some()).unwrap();
                format!("write {kind}")
            }
            Step::Go(number) => format!("go {number}"),
            Step::Shut => String::from("shut"),
            Step::Say(text) => format!("say {}", text.split(' ').next().unwrap()),
            Step::Launch(_) => String::from("launch"),
            Step::Tell(_) => String::from("tell"),
            Step::End(ending) => format!("end {ending:?}"),
        };
        steps.iter().map(name).filter(|step| step != "tell").collect()
    }

    fn acts(walk: &mut Walk, number: u32) {
        walk.hear(&Heard::Said(&turn(number, "scroll")));
        assert_eq!(short(&walk.hear(&Heard::Rests)), [format!("go {number}"), String::from("say ACT")]);
    }

    #[test]
    fn written_first_then_the_go_ahead_and_only_at_rest() {
        let mut walk = walk();
        assert_eq!(short(&walk.hear(&Heard::Said(&turn(1, "scroll")))), ["write turn_id"]);
        assert!(!walk.going());
        assert!(walk.hear(&Heard::Said(&turn(2, "scroll"))).is_empty(), "a second block in one message");
        assert_eq!(short(&walk.hear(&Heard::Rests)), ["go 1", "say ACT"]);
        assert_eq!(short(&walk.hear(&Heard::Said(&turn(2, "scroll")))), ["shut", "write turn_id"]);
    }

    #[test]
    fn a_replayed_turn_is_refused() {
        let mut walk = walk();
        acts(&mut walk, 1);
        assert_eq!(short(&walk.hear(&Heard::Said(&turn(1, "scroll")))), ["shut", "write journey_event"]);
        assert_eq!(short(&walk.hear(&Heard::Rests)), ["say REFUSED:"]);
        acts(&mut walk, 2);
    }

    #[test]
    fn all_new_starts_share_one_cap() {
        let mut walk = walk();
        for number in 1..=8 {
            acts(&mut walk, number);
            let lost = if number % 2 == 0 { Heard::Late } else { Heard::Gone("killed") };
            assert_eq!(short(&walk.hear(&lost)), ["shut", "write journey_event", "launch"]);
        }
        acts(&mut walk, 9);
        let steps = walk.hear(&Heard::Gone("killed"));
        assert!(matches!(steps.last(), Some(Step::End(Ending::Failed(why))) if why.contains("cap of 8")), "{steps:?}");
        assert!(walk.hear(&Heard::Rests).is_empty(), "it is over");
    }

    #[test]
    fn two_starts_without_a_turn_are_a_stall() {
        let mut walk = walk();
        assert_eq!(short(&walk.hear(&Heard::Late)), ["write journey_event", "launch"]);
        let steps = walk.hear(&Heard::Late);
        assert!(matches!(steps.last(), Some(Step::End(Ending::Failed(_)))), "{steps:?}");
    }

    #[test]
    fn what_was_not_refused_is_the_end() {
        let evil = json!({ "url": "https://evil.test/x" });
        let mut answered = walk();
        acts(&mut answered, 1);
        answered.hear(&Heard::Called { id: "1", tool: "mcp__b__navigate", input: &evil });
        let steps = answered.hear(&Heard::Answered { id: "1", answer: Answer::Ran, text: "ok" });
        assert!(
            matches!(steps.last(), Some(Step::End(Ending::Stopped { reason, .. })) if reason == "allowlist"),
            "{steps:?}"
        );
        // nothing came back: it counts as done
        let mut silent = walk();
        acts(&mut silent, 1);
        silent.hear(&Heard::Called { id: "1", tool: "mcp__b__navigate", input: &evil });
        let steps = silent.hear(&Heard::Rests);
        assert!(matches!(steps.last(), Some(Step::End(Ending::Stopped { .. }))), "{steps:?}");
        // before the go-ahead
        let mut early = walk();
        early.hear(&Heard::Called { id: "1", tool: "Bash", input: &json!({ "command": "ls" }) });
        let steps = early.hear(&Heard::Answered { id: "1", answer: Answer::Ran, text: "ok" });
        assert!(
            matches!(steps.last(), Some(Step::End(Ending::Stopped { reason, .. })) if reason == "turn-gate"),
            "{steps:?}"
        );
    }

    #[test]
    fn the_name_of_what_is_clicked_comes_from_the_snapshot() {
        let mut walk = walk();
        acts(&mut walk, 1);
        walk.hear(&Heard::Called { id: "1", tool: "mcp__b__snapshot", input: &json!({}) });
        let page = "- button \"Search\" [ref=e1]\n- button \"Delete account\" [ref=e12]\n";
        walk.hear(&Heard::Answered { id: "1", answer: Answer::Ran, text: page });
        walk.hear(&Heard::Called { id: "2", tool: "mcp__b__click", input: &json!({ "ref": "e1" }) });
        assert!(walk.hear(&Heard::Answered { id: "2", answer: Answer::Ran, text: "ok" }).is_empty());
        walk.hear(&Heard::Called { id: "3", tool: "mcp__b__click", input: &json!({ "ref": "e12" }) });
        let steps = walk.hear(&Heard::Answered { id: "3", answer: Answer::Ran, text: "ok" });
        assert!(
            matches!(steps.last(), Some(Step::End(Ending::Stopped { reason, .. })) if reason == "irreversible"),
            "{steps:?}"
        );
    }

    #[test]
    fn addresses_in_prose_count_and_look_alikes_are_outside() {
        for (action, inside) in [
            ("open https://shop.stage.test/x.", true),
            ("open https://eu.shop.stage.test/", true),
            ("open https://xshop.stage.test/", false),
            ("open (https://shop.stage.test@evil.test/)", false),
            ("open https://shop.stage.test:2375/", false),
            ("open javascript:alert(1)", false),
            ("open file:///etc/passwd", false),
        ] {
            let mut walk = walk();
            let steps = walk.hear(&Heard::Said(&turn(1, action)));
            let over = steps.iter().any(|step| matches!(step, Step::End(_)));
            assert_eq!(over, !inside, "{action}: {steps:?}");
        }
    }

    /// Whatever the journal's end, the next turn is the one after the last that stands in it.
    #[test]
    fn a_journal_cut_anywhere_is_gone_on_with() {
        let mut text = String::from(
            "{\"journey_schema\":\"persona-runtime-result/1.0\",\"flow\":\"checkout\",\"persona\":\"ana\",\"app_version\":\"v1\",\"started_at\":\"t\"}\n",
        );
        let header = text.len();
        let mut walk = walk();
        for number in 1..=3 {
            for step in walk.hear(&Heard::Said(&turn(number, "scroll"))) {
                if let Step::Write(line) = step {
                    text.push_str(&line);
                }
            }
            walk.hear(&Heard::Rests);
        }
        for cut in header..=text.len() {
            let journal = Journal::read(&text.as_bytes()[..cut]).unwrap();
            let whole = text[..cut].matches("\"}\n").count().saturating_sub(1);
            let mut walk = Walk::resumed("ana", bounds(), 8, &journal);
            assert!(walk.enacted() as usize == whole || journal.torn, "cut at {cut}");
            acts(&mut walk, journal.enacted() + 1);
        }
    }
}
