//! Laws of the edit over generated files: in and out is nothing, twice is once, what is not ours stays to the byte.

use leastgrant::edit::json::{Document, Fault, strip};
use leastgrant::install::claude_code::{EVENTS, find, unwire, wire};
use leastgrant::install::place::Scope;
use leastgrant::install::wiring::Wiring;
use proptest::prelude::*;

fn wiring() -> Wiring {
    Wiring {
        agent: String::from("claude-code"),
        program: "/opt/it's ours/leastgrant".into(),
        timeout: Some("/usr/bin/timeout".into()),
        closed: true,
        file: "/home/dev/.claude/settings.json".into(),
        scope: Scope::User,
        trust: false,
        plugin: None,
    }
}

/// Blanks as people and tools write them.
fn blank() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        2 => Just(String::from(" ")),
        3 => Just(String::from("\n  ")),
        1 => Just(String::from("\r\n\t")),
        1 => "[ \t\r\n]{0,6}",
    ]
}

fn string() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z_*|]{0,8}",
        Just(String::from("\\u00e9\\/\\n")),
        Just(String::from("日本 😀")),
        Just(String::from("\\ud83d\\ude00 \\\" \\\\")),
    ]
    .prop_map(|text| format!("\"{text}\""))
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        string(),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?",
        Just(String::from("true")),
        Just(String::from("null")),
    ]
}

fn joined(open: char, close: char, items: Vec<(String, String, String)>, inside: String) -> String {
    let items: Vec<String> = items.into_iter().map(|(before, item, after)| format!("{before}{item}{after}")).collect();
    if items.is_empty() { format!("{open}{inside}{close}") } else { format!("{open}{}{close}", items.join(",")) }
}

fn list(item: impl Strategy<Value = String>, max: usize) -> impl Strategy<Value = String> {
    (prop::collection::vec((blank(), item, blank()), 0..max), blank())
        .prop_map(|(items, inside)| joined('[', ']', items, inside))
}

/// An object of these members, each of which may be absent.
fn object(members: Vec<(&'static str, BoxedStrategy<String>)>) -> BoxedStrategy<String> {
    let members: Vec<_> = members
        .into_iter()
        .map(|(key, value)| {
            prop::option::of(
                (blank(), blank(), value, blank())
                    .prop_map(move |(a, b, value, c)| (a, format!("\"{key}\"{b}:{b}{value}"), c)),
            )
        })
        .collect();
    (members, any::<prop::sample::Index>(), blank())
        .prop_map(|(members, turn, inside)| {
            let mut members: Vec<_> = members.into_iter().flatten().collect();
            if !members.is_empty() {
                let turn = turn.index(members.len());
                members.rotate_left(turn);
            }
            joined('{', '}', members, inside)
        })
        .boxed()
}

fn entry() -> BoxedStrategy<String> {
    (blank(), string(), prop::option::of(1..600_u32), blank())
        .prop_map(|(a, command, timeout, b)| {
            let timeout = timeout.map_or(String::new(), |timeout| format!(",{b}\"timeout\":{a}{timeout}"));
            format!("{{{a}\"type\":{b}\"command\",{a}\"command\": {command}{timeout}{b}}}")
        })
        .boxed()
}

fn groups() -> BoxedStrategy<String> {
    let group = (blank(), string(), list(entry(), 3))
        .prop_map(|(a, matcher, entries)| format!("{{{a}\"matcher\":{matcher},{a}\"hooks\":{a}{entries}}}"));
    prop_oneof![4 => list(group, 3), 1 => Just(String::from("null"))].boxed()
}

fn settings() -> impl Strategy<Value = String> {
    let nested = object(vec![("x", scalar().boxed()), ("hooks", list(scalar(), 3).boxed()), ("y", scalar().boxed())]);
    let hooks = prop_oneof![
        5 => object(vec![
            ("PreToolUse", groups()),
            ("Stop", groups()),
            ("ConfigChange", groups()),
            ("SessionStart", groups()),
        ]),
        1 => Just(String::from("null")),
    ];
    let root = object(vec![
        ("model", scalar().boxed()),
        ("hooks", hooks.boxed()),
        ("permissions", nested.clone()),
        ("env", nested),
        ("list", list(scalar(), 4).boxed()),
    ]);
    (prop::bool::weighted(0.1), blank(), root, blank())
        .prop_map(|(bom, before, root, after)| format!("{}{before}{root}{after}", if bom { "\u{feff}" } else { "" }))
}

/// Comments and trailing commas at places where they may stand.
fn spoilt(text: &str, comma: bool) -> Option<String> {
    let at = text.rfind('}')?;
    let (head, tail) = text.split_at(at);
    let trailing = if comma && !head.trim_end().ends_with('{') { "," } else { "" };
    Some(format!("{head}{trailing} // mine\n /* and\n mine */ {tail}"))
}

/// What a repair of stale entries writes, and what an install into the untouched file would have written.
#[expect(clippy::unwrap_used, reason = "a test that cannot build its documents fails")]
fn repaired_and_fresh(text: &str, old: &str) -> (usize, String, String) {
    let original = Document::parse(text.as_bytes()).unwrap();
    let stale = Wiring { program: format!("/old/{old}/leastgrant").into(), timeout: None, ..wiring() };
    let drifted = wire(&original, &stale).unwrap().document;
    let repaired = wire(&drifted, &wiring()).unwrap();
    let fresh = wire(&original, &wiring()).unwrap().document;
    let written = |document: &Document| String::from_utf8(document.bytes()).unwrap();
    (repaired.repairs.len(), written(&repaired.document), written(&fresh))
}

/// Found by the law below: the only CRLF stood in an array that the install filled.
#[test]
fn a_repair_keeps_the_line_ends_of_what_it_replaces() {
    let (_, repaired, fresh) =
        repaired_and_fresh("{\"hooks\":{\"SessionStart\":[\r\n\t],\n  \"ConfigChange\":[]}}", "a");
    assert_eq!(repaired, fresh);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_and_out_is_nothing(text in settings()) {
        let original = Document::parse(text.as_bytes()).unwrap();
        let wired = wire(&original, &wiring()).unwrap();
        prop_assert_eq!(wired.repairs.len(), 0);
        prop_assert_eq!(find(&wired.document).len(), EVENTS.len());
        let twice = wire(&wired.document, &wiring()).unwrap();
        prop_assert_eq!(twice.document.bytes(), wired.document.bytes());
        prop_assert_eq!(twice.repairs.len(), 0);
        let out = unwire(&wired.document, Some(&original)).unwrap();
        // an empty outermost object is put back as a whole by the caller
        if original.root().members().is_empty() {
            prop_assert!(out.root().members().is_empty());
        } else {
            prop_assert_eq!(String::from_utf8(out.bytes()).unwrap(), text);
        }
    }

    #[test]
    fn drift_is_repaired_to_what_an_install_writes(text in settings(), old in "[a-z/]{1,9}") {
        let (repairs, repaired, fresh) = repaired_and_fresh(&text, &old);
        prop_assert_eq!(repairs, EVENTS.len());
        prop_assert_eq!(repaired, fresh);
    }

    #[test]
    fn our_reading_is_that_of_strict_json(text in "[\\[\\]{},:\"\\\\0-9a-z\\-+.eE \n]{0,40}") {
        let strict = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        let mine = Document::parse(text.as_bytes());
        if text.trim().is_empty() {
            prop_assert!(mine.is_ok());
        } else {
            // the one difference is deliberate: a key that is there twice
            let twice = mine.as_ref().is_err_and(|refusal| refusal.fault == Fault::DuplicateKey);
            prop_assert!(mine.is_ok() == strict || twice, "{:?} {:?}", text, mine);
        }
    }

    #[test]
    fn stripping_leaves_what_was_said(text in settings(), comma in any::<bool>()) {
        let original = Document::parse(text.as_bytes()).unwrap();
        let Some(spoilt) = spoilt(&text, comma) else { return Ok(()) };
        let refusal = Document::parse(spoilt.as_bytes()).unwrap_err();
        prop_assert!(matches!(refusal.fault, Fault::Comment | Fault::TrailingComma));
        let stripped = strip(spoilt.as_bytes()).unwrap();
        prop_assert!(original.same(original.root(), &stripped, stripped.root()));
    }

    #[test]
    fn no_bytes_crash_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Document::parse(&bytes);
        let _ = strip(&bytes);
    }
}
