//! The edit of a settings file: refused, or our entries in and out again give the bytes that were there; what ours reads
//! is what another JSON reader accepts.

#![no_main]

use std::sync::LazyLock;

use leastgrant::edit::json::{Document, strip};
use leastgrant::install::claude_code::{EVENTS, check, find, unwire, wire};
use leastgrant::install::place::Scope;
use leastgrant::install::wiring::Wiring;
use libfuzzer_sys::fuzz_target;

static WIRING: LazyLock<Wiring> = LazyLock::new(|| Wiring {
    agent: String::from("claude-code"),
    program: "/opt/it's ours/leastgrant".into(),
    timeout: Some("/usr/bin/timeout".into()),
    closed: true,
    file: "/home/dev/.claude/settings.json".into(),
    scope: Scope::User,
    trust: false,
    plugin: None,
});

fn strictly_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

fuzz_target!(|data: &[u8]| {
    if let Ok(stripped) = strip(data) {
        assert!(Document::parse(&stripped.bytes()).is_ok(), "a stripped file is strict");
    }
    let original = match Document::parse(data) {
        Ok(original) => original,
        Err(refusal) => {
            assert!(refusal.line > 0 && refusal.column > 0 && !refusal.to_string().is_empty());
            return;
        }
    };
    assert_eq!(original.bytes(), data, "reading changed the file");
    assert!(original.text().trim().is_empty() || strictly_json(data), "read although it is no JSON");
    let Ok(wired) = wire(&original, &WIRING) else {
        assert!(check(&original).is_err(), "refused although nothing is wrong with it");
        return;
    };
    assert!(strictly_json(&wired.document.bytes()), "the edit broke the file");
    assert_eq!(find(&wired.document).len(), EVENTS.len());
    let twice = wire(&wired.document, &WIRING).expect("our own file is one that we edit");
    assert_eq!(twice.document.bytes(), wired.document.bytes(), "a second time changed the file");
    assert!(twice.repairs.is_empty());
    let bare = unwire(&wired.document, None).expect("what was put in can be taken out");
    assert!(find(&bare).is_empty());
    if find(&original).is_empty() {
        assert!(wired.repairs.is_empty());
        let out = unwire(&wired.document, Some(&original)).expect("what was put in can be taken out");
        // an empty outermost object is put back as a whole by the caller
        if original.root().members().is_empty() {
            assert!(out.root().members().is_empty());
        } else {
            assert_eq!(out.bytes(), data, "in and out is not nothing");
        }
    }
});
