//! What goes from the ledger again, and how it leaves it: bodies of old or unwanted lines are dropped, their digests stay,
//! so that the chain still holds; exports are what a person takes along.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

use super::Store;
use super::ledger::{self, Seal};
use super::line::Line;
use super::open_regular;

const PATIENCE: Duration = Duration::from_secs(30);
const ERASED: &str = r#"{"v":1,"erased":true"#;

impl Store {
    /// Drops the bodies of the lines that `which` names; gives how many. The snapshot has to be made again afterwards.
    ///
    /// # Errors
    /// The ledger cannot be locked, read or written; then it is as it was.
    pub fn erase(&self, which: impl Fn(&Line) -> bool) -> io::Result<usize> {
        let path = self.path(ledger::FILE);
        let _lock = self.lock_ledger(PATIENCE)?;
        let ledger = match open_regular(&path) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(0),
            other => other?,
        };
        let part = self.path("ledger.part");
        let _ = fs::remove_file(&part);
        let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
        let mut out = BufWriter::with_capacity(256 * 1024, file);
        let (mut count, mut failed) = (0, None);
        ledger::each_from(&ledger, 0, |text| {
            let gone = Seal::of(text)
                .filter(|seal| !seal.body.starts_with(ERASED) && Line::of(text).is_some_and(|line| which(&line)));
            let written = match gone {
                Some(seal) => {
                    count += 1;
                    let rest = text.get(seal.body.len()..).unwrap_or_default();
                    writeln!(out, "{ERASED}{rest}")
                }
                None => writeln!(out, "{text}"),
            };
            failed = failed.take().or(written.err());
        })?;
        if let Some(fault) = failed {
            let _ = fs::remove_file(&part);
            return Err(fault);
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&part, &path)?;
        Ok(count)
    }
}

/// Columns of an export as CSV.
pub const COLUMNS: &[&str] = &[
    "at",
    "event",
    "agent",
    "session",
    "project",
    "tool",
    "decision",
    "kind",
    "answer",
    "tier",
    "capability",
    "floors",
    "reasons",
    "evidence",
    "mode",
    "attendance",
    "signature",
    "display",
];

/// A line as a row of a CSV file. A text that a spreadsheet would take for a formula is kept from it.
#[must_use]
pub fn csv(line: &Line) -> String {
    let tier = line.tier.map_or_else(String::new, |tier| tier.to_string());
    let lists = [line.capability.join(" "), line.floors.join(" "), line.reasons.join(" ")];
    let [capability, floors, reasons] = &lists;
    let at = line.at.to_string();
    let cells: [&str; 18] = [
        &at,
        &line.event,
        &line.agent,
        &line.session,
        &line.project,
        &line.tool,
        &line.decision,
        &line.kind,
        &line.answer,
        &tier,
        capability,
        floors,
        reasons,
        &line.evidence,
        &line.mode,
        &line.attendance,
        &line.signature,
        &line.display,
    ];
    cells.map(cell).join(",")
}

fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
