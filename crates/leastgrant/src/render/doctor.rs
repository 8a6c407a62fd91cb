//! Checks as people read them.

use super::theme::{self, paint};
use super::{Ui, words};
use crate::doctor::{Check, Status};

/// One group of checks.
pub fn group(ui: &mut Ui, name: &str, checks: &[&Check]) {
    if checks.is_empty() {
        return;
    }
    ui.heading(name);
    for check in checks {
        let (style, word) = match check.status {
            Status::Ok => (theme::GOOD, "ok  "),
            Status::Info => (theme::DIM, "info"),
            Status::Warn => (theme::WARN, "warn"),
            Status::Bad => (theme::BAD, "bad "),
        };
        let width = ui.width().saturating_sub(7).max(40);
        let text = format!("{}: {}", check.id, shown(&check.text));
        for (index, line) in words::wrap(&text, width).iter().enumerate() {
            let label = if index == 0 { paint(style, word) } else { String::from("    ") };
            ui.line(format!("  {label} {line}"));
        }
        if let Some(fix) = check.fix.as_ref().filter(|_| check.status != Status::Ok) {
            ui.line(format!("       {} {}", paint(theme::DIM, "fix:"), paint(theme::NOTE, &shown(fix))));
        }
    }
    ui.blank();
}

/// How many of each, and the first thing to do.
pub fn closing(ui: &mut Ui, checks: &[Check]) {
    let count = |status: Status| checks.iter().filter(|check| check.status == status).count();
    let (bad, warn) = (count(Status::Bad), count(Status::Warn));
    ui.line(format!("{} ok, {warn} to look at, {bad} bad", count(Status::Ok)));
    let first = checks.iter().filter(|check| check.status == Status::Bad).chain(checks.iter().filter(|check| check.status == Status::Warn));
    if let Some(fix) = first.filter_map(|check| check.fix.as_deref()).next() {
        ui.hint(&format!("first: {}", shown(fix)));
    }
}

fn shown(text: &str) -> String {
    text.chars().map(|c| if words::is_unsafe(c) { '\u{fffd}' } else { c }).collect()
}
