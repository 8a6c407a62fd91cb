//! Each shape of a settings file: install twice, uninstall, and the bytes are what they were.

mod setup;

use std::path::Path;

use leastgrant::edit::json::{Document, Json};
use leastgrant::install::claude_code::{EVENTS, find, hooks};
use setup::{Machine, done};

fn ours_once(document: &Document) {
    let found = find(document);
    for event in EVENTS {
        let count = found.iter().filter(|found| found.event == event.name).count();
        assert_eq!(count, 1, "{} of {}", count, event.name);
    }
    assert_eq!(found.len(), EVENTS.len());
}

/// Every value that was there is there, in its order and spelling.
fn kept(before: &Document, after: &Document) {
    let mut members = after.root().members().iter().filter(|member| member.key != "hooks");
    for member in before.root().members().iter().filter(|member| member.key != "hooks") {
        let now = members.next().expect("a member is gone");
        assert_eq!(now.key, member.key);
        assert_eq!(after.raw(&now.value.span), before.raw(&member.value.span));
    }
    assert!(members.next().is_none(), "a member was added");
    for event in hooks(before) {
        let now = hooks(after).iter().find(|now| now.key == event.key).expect("an event is gone");
        for (group, now) in event.value.elements().iter().zip(now.value.elements()) {
            assert_eq!(after.raw(&now.span), before.raw(&group.span));
        }
    }
}

fn shape(path: &Path) -> datatest_stable::Result<()> {
    let original = std::fs::read(path)?;
    let before = Document::parse(&original)?;
    let machine = Machine::new();
    machine.put_settings(&original);
    done(&machine.install(&[]));
    let wired = machine.read_settings();
    let after = Document::parse(&wired)?;
    ours_once(&after);
    kept(&before, &after);
    if !original.is_empty() && !original.windows(6).any(|window| window.eq_ignore_ascii_case(b"\\ud800")) {
        let text = String::from_utf8(wired.clone())?;
        serde_json::from_str::<serde_json::Value>(text.trim_start_matches('\u{feff}'))?;
    }
    let line_ends = |bytes: &[u8]| (bytes.windows(2).filter(|pair| pair == b"\r\n").count(), bytes.iter().filter(|byte| **byte == b'\n').count());
    if let (crlf, lf) = line_ends(&original)
        && crlf == lf
        && lf > 0
    {
        let (crlf, lf) = line_ends(&wired);
        assert_eq!(crlf, lf, "mixed line ends");
    }

    done(&machine.install(&[]));
    assert_eq!(machine.read_settings(), wired, "a second install changed something");

    done(&machine.uninstall(&[]));
    assert_eq!(machine.read_settings(), original, "uninstall did not give the bytes back");
    assert_eq!(machine.leftovers(), [Path::new(".claude"), Path::new(".claude/settings.json")]);

    later_edit(&before, &original)?;
    Ok(())
}

/// Somebody else edits the file while we are in it: that edit stays, the rest is as it was.
fn later_edit(before: &Document, original: &[u8]) -> datatest_stable::Result<()> {
    let machine = Machine::new();
    machine.put_settings(original);
    done(&machine.install(&[]));
    let edited = Document::parse(&machine.read_settings())?.add_member(&[], "later", &Json::text("edit"))?;
    machine.put_settings(&edited.bytes());
    done(&machine.uninstall(&[]));
    let after = Document::parse(&machine.read_settings())?;
    assert!(find(&after).is_empty());
    assert_eq!(after.root().get("later").and_then(|node| node.str()), Some("edit"));
    if !before.root().members().is_empty() {
        let wanted = before.add_member(&[], "later", &Json::text("edit"))?;
        assert_eq!(String::from_utf8_lossy(&after.bytes()), String::from_utf8_lossy(&wanted.bytes()));
    }
    Ok(())
}

datatest_stable::harness! {
    { test = shape, root = "tests/cases/install/shapes", pattern = r".*\.json$" },
}
