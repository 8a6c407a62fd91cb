//! Settings that came with our entries in them (a synced home, a file written by hand): at a session's start they are
//! taken into our records, so that a change in mid-session is seen there too.

use std::path::Path;

use super::claude_code::{self, AGENT, ClaudeCode};
use super::perform::groups;
use super::place::{Places, Scope};
use super::record::{self, Record};
use super::wiring::Wiring;
use crate::edit::atomic;
use crate::edit::json::{Document, MAX_BYTES};

/// Records every settings file that starts this very program and of which nothing is on record.
pub fn adopt(places: &Places, own: &Path, now_ms: i64) {
    for scope in [Scope::User, Scope::Project, Scope::Local] {
        // what can't be recorded is guarded as before: by its off-switches alone
        let _ = one(places, scope, own, now_ms);
    }
}

fn one(places: &Places, scope: Scope, own: &Path, now_ms: i64) -> Option<()> {
    let file = places.settings(scope);
    let real = atomic::resolve(&file).ok()?;
    if record::load(&places.state, &real).is_some_and(|record| record.is_wired()) {
        return None;
    }
    let bytes = atomic::read(&real, MAX_BYTES).ok()??;
    let document = Document::parse(&bytes).ok()?;
    let found = claude_code::find(&document);
    let guard = found.iter().find(|found| found.event == "PreToolUse")?;
    if Path::new(&guard.ours.program) != own {
        return None;
    }
    let record = Record {
        format: record::FORMAT,
        groups: groups(&ClaudeCode, &file, &bytes).ok()?,
        wiring: Wiring {
            agent: AGENT.to_owned(),
            program: own.to_owned(),
            timeout: guard.ours.timeout.as_ref().map(Into::into),
            closed: guard.ours.blocks,
            file,
            scope,
            trust: false,
            plugin: None,
        },
        // not written by us: an uninstall takes our entries out, whatever else is there
        written: String::new(),
        existed: true,
        beside: Vec::new(),
        folders: Vec::new(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        at_ms: now_ms,
        removed_ms: None,
        real,
    };
    let without = claude_code::unwire(&document, None).ok()?.bytes();
    record::store(&places.state, &record, Some(&without)).ok()
}
