//! The report of a run's folder: journals and pictures are read, `FINDINGS.md`, `REPORT.md` and `REPORT.html` are written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use leastgrant_core::conduct::findings;
use leastgrant_core::conduct::page::{self, LARGEST_PICTURE, Pictures};
use leastgrant_core::conduct::report::Report;

use super::{folder, journal};
use crate::edit::atomic;

/// Bytes of all pictures of a page.
const ALL_PICTURES: usize = 48 * 1024 * 1024;

/// What was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// `REPORT.md`
    pub markdown: PathBuf,
    /// `REPORT.html`
    pub html: PathBuf,
    /// personas with a journal that could be read
    pub personas: usize,
    /// walls in it
    pub findings: usize,
}

/// Reads the journals of a run.
///
/// # Errors
/// The folder can't be listed, or holds no journal.
pub fn read(run: &Path) -> Result<Report, String> {
    let ids = folder::walked(run).map_err(|error| format!("`{}`: {error}", run.display()))?;
    let mut journeys = BTreeMap::new();
    for id in ids {
        let journal = journal::read(&run.join(&id)).and_then(|journal| {
            if journal.header.persona == id {
                Ok(journal)
            } else {
                Err(String::from("its header names another persona"))
            }
        });
        journeys.insert(id, journal);
    }
    if journeys.is_empty() {
        return Err(format!("`{}` holds no persona's journal", run.display()));
    }
    Ok(Report::of(journeys))
}

/// Writes the report of a run.
///
/// # Errors
/// The journals can't be read, or a file can't be written.
pub fn write(run: &Path) -> Result<Written, String> {
    let report = read(run)?;
    for (id, journal) in report.readable() {
        put(&run.join(id).join("FINDINGS.md"), &findings::page(journal))?;
    }
    let (markdown, html) = (run.join("REPORT.md"), run.join("REPORT.html"));
    put(&markdown, &report.markdown())?;
    put(&html, &page::html(&report, &pictures(run, &report)))?;
    Ok(Written { markdown, html, personas: report.readable().count(), findings: report.walls.len() })
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    atomic::write_own(path, text.as_bytes()).map_err(|error| format!("`{}`: {error}", path.display()))
}

fn pictures(run: &Path, report: &Report) -> Pictures {
    let mut pictures = Pictures::new();
    let mut left = ALL_PICTURES;
    for (id, journal) in report.readable() {
        for path in journal.turns().flat_map(|(_, _, fields)| findings::evidence(fields)) {
            let file = run.join(id).join(&path);
            // evidence that leads elsewhere is none
            let inside = file.canonicalize().is_ok_and(|real| real.starts_with(run.join(id)));
            let bytes = if inside { atomic::read(&file, LARGEST_PICTURE).ok().flatten() } else { None };
            if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= left && page::kind(bytes).is_some()) {
                left -= bytes.len();
                pictures.insert((id.to_owned(), path), bytes);
            }
        }
    }
    pictures
}
