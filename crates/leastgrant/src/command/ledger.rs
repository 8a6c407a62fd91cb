//! `leastgrant ledger`: what is recorded, checked, taken along, erased, compacted.

use std::path::PathBuf;

use super::past::{DAY, Here, span};
use super::rule::person;
use crate::exit::Exit;
use crate::render::{Ui, words};
use crate::store::event::Event;
use crate::store::keep::{COLUMNS, csv};
use crate::store::ledger::{self, verify};

/// Arguments of `ledger`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// whether every line is what was written and follows from the one before
    Verify,
    /// everything that is recorded, a line each
    Export {
        /// as CSV instead of JSON lines
        #[arg(long)]
        csv: bool,
        /// not older than this: `30m`, `6h`, `7d`, `2w`
        #[arg(long, value_parser = span)]
        since: Option<i64>,
    },
    /// drop the text of what is recorded; digests stay, and what was learned from it goes
    Erase {
        /// of one project
        #[arg(long, value_name = "DIR", required_unless_present = "all")]
        project: Option<PathBuf>,
        /// of all
        #[arg(long, conflicts_with = "project")]
        all: bool,
        /// without a question
        #[arg(long, short)]
        yes: bool,
    },
    /// apply the retention settings and make the snapshot new
    Compact,
}

/// Does it.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let here = Here::find();
    let done = match &args.what {
        What::Verify => check(&here, ui),
        What::Export { csv, since } => export(&here, *csv, *since, ui),
        What::Erase { project, all, yes } => erase(&here, project.as_ref().filter(|_| !all), *yes, ui),
        What::Compact => compact(&here, ui),
    };
    done.unwrap_or_else(|why| {
        ui.error(&why);
        Exit::Usage
    })
}

fn check(here: &Here, ui: &mut Ui) -> Result<Exit, String> {
    let checked = verify(&here.store).map_err(|fault| format!("the ledger cannot be read: {fault}"))?;
    if ui.json {
        ui.json(&serde_json::json!({
            "intact": checked.intact(), "lines": checked.lines, "erased": checked.erased, "torn": checked.torn,
            "changed": checked.changed, "broken": checked.broken, "head": checked.head, "spooled": checked.spooled,
        }));
        return Ok(if checked.intact() { Exit::Ok } else { Exit::Bad });
    }
    ui.line(format!(
        "{}, {} erased, {} waiting in the spool",
        words::count(checked.lines, "line", "lines"),
        checked.erased,
        checked.spooled
    ));
    let list = |numbers: &[usize]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    for (what, numbers) in [
        ("torn, and skipped", &checked.torn),
        ("changed after they were written", &checked.changed),
        ("not following from the line before", &checked.broken),
    ] {
        if !numbers.is_empty() {
            ui.warn(&format!("lines {what}: {}", list(numbers)));
        }
    }
    if checked.intact() {
        ui.line("every line is what was written and follows from the one before");
        Ok(Exit::Ok)
    } else {
        ui.error("the ledger is not what was written: somebody or something changed it");
        Ok(Exit::Bad)
    }
}

fn export(here: &Here, as_csv: bool, since: Option<i64>, ui: &mut Ui) -> Result<Exit, String> {
    let from = since.map_or(i64::MIN, |span| here.now - span);
    let mut lines = Vec::new();
    if as_csv {
        lines.push(COLUMNS.join(","));
    }
    let (found, torn) = ledger::since(&here.store, from).map_err(|fault| fault.to_string())?;
    for line in &found {
        // what a line holds is redacted when it is written; control characters are data in a JSON text and go in a CSV one
        lines.push(if as_csv {
            words::safe(&csv(line))
        } else {
            serde_json::json!({
            "at": line.at, "event": line.event, "agent": line.agent, "session": line.session, "subagent": line.subagent,
            "call": line.call, "project": line.project, "tool": line.tool, "display": line.display,
            "signatures": line.signatures, "evidence": line.evidence, "capability": line.capability, "tier": line.tier,
            "decision": line.decision, "kind": line.kind, "floors": line.floors, "reasons": line.reasons,
            "answer": line.answer, "mode": line.mode, "attendance": line.attendance, "note": line.note, "ms": line.ms,
            "digest": line.digest,
        }).to_string()
        });
    }
    if !lines.is_empty() {
        ui.line(lines.join("\n"));
    }
    if torn > 0 {
        ui.warn(&format!("{} left out", words::count(torn, "torn line", "torn lines")));
    }
    Ok(Exit::Ok)
}

fn erase(here: &Here, project: Option<&PathBuf>, yes: bool, ui: &mut Ui) -> Result<Exit, String> {
    person(&here.env)?;
    let root = match project {
        Some(folder) => {
            let folder = std::path::absolute(folder).map_err(|fault| fault.to_string())?;
            let folder = folder.canonicalize().unwrap_or(folder);
            Some(folder.to_str().ok_or("the folder's name is not UTF-8")?.to_owned())
        }
        None => None,
    };
    if !yes {
        return Err(String::from("what is erased does not come back: add `--yes`"));
    }
    let fault = |fault: std::io::Error| format!("the ledger could not be rewritten: {fault}");
    let count = here.store.erase(|line| root.as_ref().is_none_or(|root| line.project == *root)).map_err(fault)?;
    here.store.rebuild(&here.env, here.now).map_err(fault)?;
    let _ = here.store.append(&Event::new("erased", here.now).noting(&format!("{count} lines")));
    ui.line(format!(
        "{} erased; their digests stay, what was learned from them is gone",
        words::count(count, "line", "lines")
    ));
    Ok(Exit::Ok)
}

fn compact(here: &Here, ui: &mut Ui) -> Result<Exit, String> {
    let fault = |fault: std::io::Error| format!("the state folder could not be written: {fault}");
    let mut dropped = 0;
    if let Some(days) = here.store.settings().retention_days {
        person(&here.env)?;
        let before = here.now - days.saturating_mul(DAY);
        // evidence stays: it holds no text of a call, and a no is for good
        dropped = here.store.erase(|line| line.at < before && line.event != "evidence").map_err(fault)?;
    }
    let collected = here.store.rebuild(&here.env, here.now).map_err(fault)?;
    let mut signatures = 0;
    let _ = crate::store::snapshot::entries(&here.store, |_| signatures += 1);
    if ui.json {
        ui.json(&serde_json::json!({ "dropped": dropped, "signatures": signatures, "rebuilt": collected.rebuilt }));
    } else {
        ui.line(format!(
            "{} dropped; the snapshot is new: {}",
            words::count(dropped, "old text", "old texts"),
            words::count(signatures, "signature", "signatures")
        ));
    }
    Ok(Exit::Ok)
}
