//! All scenarios of one agent, some at a time, and the receipt of the run.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::agent::Driver;
use crate::find::{self, Found};
use crate::isolate::Isolation;
use crate::receipt::{Agent, FORMAT, Machine, Receipt, Row};
use crate::scenario::{Recorded, Scenario};
use crate::session::{self, Means};
use crate::stage::Programs;

/// One run.
pub struct Suite<'a> {
    /// the agent
    pub driver: &'static dyn Driver,
    /// where it is
    pub found: Found,
    /// what is played
    pub scenarios: Vec<Scenario>,
    /// this program, which is also probe and stub
    pub own: PathBuf,
    /// the words that turn it into these
    pub part: Vec<String>,
    /// leastgrant as it is measured
    pub product: PathBuf,
    /// the version of leastgrant
    pub leastgrant: &'a str,
    /// today
    pub date: &'a str,
    /// sessions at a time
    pub at_once: usize,
    /// what the compatibility record says of a scenario's fact on a version
    pub recorded: &'a (dyn Fn(&Scenario, &str) -> Option<Recorded> + Sync),
    /// keep every session's folder here instead of throwing it away
    pub keep: Option<PathBuf>,
}

/// Runs it; `told` hears of each row as it is done, with how many are done and how many there are.
///
/// # Errors
/// The agent can't be started at all, or there is no room for the sessions.
pub fn run(suite: &Suite<'_>, told: &(dyn Fn(&Row, usize, usize) + Sync)) -> Result<Receipt, String> {
    let begun = Instant::now();
    let version = find::version(suite.driver, &suite.found)?;
    let words = |error: std::io::Error| format!("no room for the sessions: {error}");
    let root = tempfile::Builder::new().prefix("leastgrant-live-").tempdir().map_err(words)?;
    let base = match &suite.keep {
        Some(keep) => {
            std::fs::create_dir_all(keep).map_err(words)?;
            keep.canonicalize().map_err(words)?
        }
        None => root.path().canonicalize().map_err(words)?,
    };
    // a copy near the sessions, so that each can have it as a link of its own
    let product = base.join("leastgrant");
    std::fs::copy(&suite.product, &product).map_err(words)?;
    let programs = Programs {
        agent: suite.found.program.clone(),
        product,
        part: suite.part.clone(),
        own: suite.own.clone(),
        path: suite.found.path.clone(),
    };
    let isolation = Isolation::here();
    let scenarios: Vec<&Scenario> = suite.scenarios.iter().filter(|scenario| scenario.applies(&version)).collect();
    let means = Means { driver: suite.driver, version: &version, programs: &programs, isolation };
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let rows: Mutex<Vec<(usize, Row)>> = Mutex::default();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(scenario) = scenarios.get(at) else { break };
            let folder = base.join(format!("s{at:03}"));
            let recorded = (suite.recorded)(scenario, &version);
            let row = session::play(&means, scenario, recorded.as_ref(), folder.clone());
            if suite.keep.is_none() {
                // some agents leave files that can't be removed at once; the run's own folder goes at its end
                let _ = std::fs::remove_dir_all(folder);
            }
            told(&row, done.fetch_add(1, Ordering::Relaxed) + 1, scenarios.len());
            rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, row));
        }
    };
    let digest = std::thread::scope(|scope| {
        for _ in 0..suite.at_once.max(1) {
            scope.spawn(work);
        }
        find::sha256(&suite.found.program)
    })?;
    let mut rows = rows.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    rows.sort_by_key(|(at, _)| *at);
    Ok(Receipt {
        format: FORMAT,
        agent: Agent { id: suite.driver.id().to_owned(), version, sha256: digest },
        leastgrant: suite.leastgrant.to_owned(),
        machine: Machine {
            os: std::env::consts::OS.to_owned(),
            kernel: find::kernel(),
            arch: std::env::consts::ARCH.to_owned(),
            isolation: isolation.id().to_owned(),
        },
        date: suite.date.to_owned(),
        seconds: (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0,
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    })
}
