//! A live run as people read it.

use leastgrant_live::receipt::{Receipt, Row};
use leastgrant_live::scenario::Scenario;

use super::table::Table;
use super::theme::{self, paint};
use super::{Ui, words};

/// most columns for what is recorded; all of it stands in the receipt
const RECORDED: usize = 36;

/// One claim is done.
pub fn progress(ui: &mut Ui, row: &Row, done: usize, all: usize) {
    let word = if row.holds() { paint(theme::GOOD, "ok") } else { paint(theme::BAD, "drift") };
    ui.aside(&format!("{done:>3}/{all} {} {word} {}", row.claim, paint(theme::DIM, &format!("{:.1} s", row.seconds))));
}

/// The claims of an agent.
pub fn claims(ui: &mut Ui, agent: &str, all: &[Scenario]) {
    ui.heading(agent);
    let mut table = Table::new(&["claim", "in words"]);
    for scenario in all {
        table.row([(theme::NOTE, scenario.claim.clone()), (theme::PLAIN, scenario.says.clone())]);
    }
    ui.line(table.render(2, ui.width()));
    ui.blank();
}

/// The whole run: claim, recorded, observed; then each difference, and what it means.
pub fn receipt(ui: &mut Ui, receipt: &Receipt) {
    let machine = &receipt.machine;
    ui.heading(&format!("{} {}", receipt.agent.id, words::safe(&receipt.agent.version)));
    ui.line(format!(
        "{} {}, {}, leastgrant {}, {}",
        machine.os, machine.kernel, machine.isolation, receipt.leastgrant, receipt.date
    ));
    ui.blank();
    let mut table = Table::new(&["", "claim", "recorded", "observed here"]);
    for row in &receipt.rows {
        let (style, mark) = if row.holds() { (theme::GOOD, "ok") } else { (theme::BAD, "drift") };
        table.row([
            (style, mark.to_owned()),
            (theme::NOTE, row.claim.clone()),
            (theme::PLAIN, words::cut(&row.recorded, RECORDED)),
            (if row.holds() { theme::PLAIN } else { theme::BAD }, row.observed.clone()),
        ]);
    }
    ui.line(table.render(0, ui.width()));
    ui.blank();
    for row in receipt.drift() {
        drift(ui, row);
    }
    let bad = receipt.drift().count();
    let all = words::count(receipt.rows.len(), "claim", "claims");
    let verdict = match bad {
        0 => paint(theme::GOOD, "all hold"),
        _ => paint(theme::BAD, &format!("{bad} do not hold")),
    };
    ui.line(format!("{all} in {:.0} s: {verdict}", receipt.seconds));
}

fn drift(ui: &mut Ui, row: &Row) {
    ui.line(format!("{} {}: {}", paint(theme::BAD, "drift"), paint(theme::NOTE, &row.claim), row.says));
    let width = ui.width().saturating_sub(4).max(40);
    for text in &row.drift {
        for line in words::wrap(&words::safe(text), width) {
            ui.line(format!("    {line}"));
        }
    }
    for line in words::wrap(&row.means, width.saturating_sub(7)) {
        ui.line(format!("    {} {line}", paint(theme::ASK, "means:")));
    }
    ui.blank();
}
