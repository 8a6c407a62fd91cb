//! `leastgrant status`: what passes unasked here, what does not yet and what is missing, what always asks, what was refused.

use std::collections::BTreeMap;

use leastgrant_core::action::Capability;
use leastgrant_core::learn::{Worth, worth};
use leastgrant_core::policy::{Policy, Posture};
use leastgrant_core::signature;
use serde_json::json;

use super::past::{DAY, Here, bar};
use crate::exit::Exit;
use crate::render::table::Table;
use crate::render::{Ui, theme, words};
use crate::store::line::Line;
use crate::store::snapshot::{self, Entry};

/// Arguments of `status`.
#[derive(clap::Args)]
pub struct Args {
    /// a row for every project
    #[arg(long)]
    all: bool,
}

/// Days that are counted.
const DAYS: i64 = 30;

/// Shows.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let here = Here::find();
    match (args.all, &here.project) {
        (false, Some(project)) => one(&here, project, ui),
        _ => all(&here, ui),
    }
}

/// How a project's calls were answered.
#[derive(Default)]
struct Counts {
    calls: usize,
    passed: usize,
    asked: usize,
    refused: usize,
    capabilities: BTreeMap<String, usize>,
    floors: BTreeMap<String, usize>,
}

impl Counts {
    fn of<'a>(lines: impl Iterator<Item = &'a Line>) -> Self {
        let mut counts = Self::default();
        for line in lines.filter(|line| line.event == "call") {
            counts.calls += 1;
            match line.answer.as_str() {
                "ask" => counts.asked += 1,
                "deny" => counts.refused += 1,
                "allow" => counts.passed += 1,
                _ => {}
            }
            for id in &line.capability {
                *counts.capabilities.entry(id.clone()).or_default() += 1;
            }
            for id in &line.floors {
                *counts.floors.entry(id.clone()).or_default() += 1;
            }
        }
        counts
    }

    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    fn share(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.passed as f64 / self.calls as f64 }
    }
}

/// The entries with what each is worth; sorted by how often it came.
fn assessed(here: &Here, project: Option<&str>, policy: &Policy) -> Result<Vec<(Entry, Worth)>, String> {
    let mut all = Vec::new();
    snapshot::entries(&here.store, |entry| {
        if project.is_none_or(|project| entry.project == project) {
            let does = signature::does(&entry.signature);
            let worth = does.map(|does| worth(&entry.account, does, &policy.terms, policy.posture, here.now));
            all.extend(worth.map(|worth| (entry, worth)));
        }
    })
    .map_err(|fault| format!("what was learned cannot be read: {fault}; `leastgrant ledger compact` makes it new"))?;
    all.sort_by_key(|(entry, _)| {
        let times = entry.account.confirmed.times() + entry.account.observed.times();
        (std::cmp::Reverse(times), entry.signature.clone())
    });
    Ok(all)
}

fn meaning(posture: Posture) -> &'static str {
    match posture {
        Posture::Observe => "everything is recorded; only integrity floors are enforced",
        Posture::Assist => "the ordinary passes, the rest is asked about",
        Posture::Autopilot => "what stays in the project passes although it was not understood",
        Posture::Strict => "only rules allow; what was learned does not count",
    }
}

fn one(here: &Here, project: &str, ui: &mut Ui) -> Exit {
    let settings = here.store.settings_in(Some(project), "");
    let policy = &settings.policy;
    let (lines, torn) = here.lines(here.now - DAYS * DAY, false).unwrap_or_default();
    let counts = Counts::of(lines.iter());
    let known = match assessed(here, Some(project), policy) {
        Ok(known) => known,
        Err(why) => {
            ui.error(&why);
            Vec::new()
        }
    };
    let passes: Vec<&(Entry, Worth)> =
        known.iter().filter(|(_, worth)| !matches!(worth, Worth::Short(_) | Worth::Denied)).collect();
    let short: Vec<&(Entry, Worth)> = known
        .iter()
        .filter(|(entry, worth)| matches!(worth, Worth::Short(_)) && entry.account.confirmed.times() > 0)
        .collect();
    let denied: Vec<&(Entry, Worth)> = known.iter().filter(|(_, worth)| *worth == Worth::Denied).collect();
    if ui.json {
        let row = |(entry, worth): &&(Entry, Worth)| {
            json!({
                "signature": entry.signature, "worth": told(worth), "approved": entry.account.confirmed.times(),
                "days": entry.account.confirmed.days.len(), "ran": entry.account.observed.times(),
            })
        };
        ui.json(&json!({
            "project": project, "posture": policy.posture.id(), "bundles": policy.bundles, "rules": policy.rules.len(),
            "problems": policy.problems, "days": DAYS, "calls": counts.calls, "allowed": counts.passed, "asked": counts.asked,
            "refused": counts.refused, "share_allowed": counts.share(),
            "passes": passes.iter().map(row).collect::<Vec<_>>(), "short": short.iter().map(row).collect::<Vec<_>>(),
            "refused_by_a_person": denied.iter().map(row).collect::<Vec<_>>(),
            "floors": counts.floors, "capabilities": counts.capabilities, "torn": torn,
        }));
        return if policy.problems.is_empty() { Exit::Ok } else { Exit::Bad };
    }
    ui.heading(&words::safe(project));
    ui.line(format!("posture {}: {}", policy.posture.id(), meaning(policy.posture)));
    let bundles = if policy.bundles.is_empty() {
        String::from("no bundle accepted")
    } else {
        format!("bundles: {}", policy.bundles.join(", "))
    };
    ui.line(format!("{bundles}; {}", words::count(policy.rules.len(), "rule", "rules")));
    if let Some(until) = crate::install::pause::paused(here.store.root(), here.now) {
        let _ = until;
        ui.warn("paused: only what protects leastgrant itself is enforced");
    }
    ui.blank();
    ui.line(format!(
        "in {DAYS} days {}: {} allowed, {} asked, {} refused, the rest left to the agent",
        words::count(counts.calls, "call", "calls"),
        counts.passed,
        counts.asked,
        counts.refused
    ));
    ui.line(format!("{}{:.0} % passed without a question", bar(counts.share(), 30), counts.share() * 100.0));
    section("learned", &passes, 12, ui);
    section("not yet", &short, 8, ui);
    section("refused by a person: asks until a rule is written", &denied, 6, ui);
    histogram("always held, whatever was learned", &counts.floors, 8, |id| id.to_owned(), ui);
    histogram(
        "what the calls did",
        &counts.capabilities,
        8,
        |id| Capability::from_id(id).map_or(id.to_owned(), |capability| words::capability(capability).to_owned()),
        ui,
    );
    if let Some((entry, _)) = short.first() {
        let pattern = leastgrant_core::rule::quote(signature::body(&entry.signature));
        ui.blank();
        ui.hint(&format!("`leastgrant allow {}` lets the first of them pass from now on", words::safe(&pattern)));
    }
    for problem in &policy.problems {
        ui.warn(problem);
    }
    if torn > 0 {
        ui.warn(&format!(
            "{} in the ledger: `leastgrant ledger verify` names them",
            words::count(torn, "torn line", "torn lines")
        ));
    }
    if policy.problems.is_empty() { Exit::Ok } else { Exit::Bad }
}

fn told(worth: &Worth) -> String {
    match worth {
        Worth::Granted => String::from("accepted as a proposal"),
        Worth::Confirmed { times, days } => format!("approved {times} times on {days} days"),
        Worth::Observed { times } => format!("ran {times} times and leaves no trace"),
        Worth::Denied => String::from("refused"),
        Worth::Short(gap) => gap.to_string(),
    }
}

fn section(title: &str, rows: &[&(Entry, Worth)], most: usize, ui: &mut Ui) {
    if rows.is_empty() {
        return;
    }
    ui.blank();
    ui.heading(title);
    let mut table = Table::new(&["kind of action", "why"]);
    for (entry, worth) in rows.iter().take(most) {
        table.row([
            (theme::PLAIN, words::safe(signature::body(&entry.signature))),
            (theme::DIM, words::safe(&told(worth))),
        ]);
    }
    ui.line(table.render(2, ui.width()));
    if rows.len() > most {
        ui.line(theme::paint(theme::DIM, &format!("  and {} more", rows.len() - most)));
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share for people")]
fn histogram(title: &str, counts: &BTreeMap<String, usize>, most: usize, name: impl Fn(&str) -> String, ui: &mut Ui) {
    let mut rows: Vec<(&String, &usize)> = counts.iter().collect();
    rows.sort_by_key(|(id, count)| (std::cmp::Reverse(**count), (*id).clone()));
    let Some(largest) = rows.first().map(|(_, count)| **count) else { return };
    ui.blank();
    ui.heading(title);
    for (id, count) in rows.into_iter().take(most) {
        let share = *count as f64 / largest.max(1) as f64;
        ui.line(format!("  {}{count:>6}  {}", bar(share, 16), words::safe(&name(id))));
    }
}

fn all(here: &Here, ui: &mut Ui) -> Exit {
    let (lines, _) = here.lines(here.now - DAYS * DAY, true).unwrap_or_default();
    let known = assessed(here, None, &here.store.settings().policy).unwrap_or_default();
    let mut projects: BTreeMap<&str, (Vec<&Line>, usize)> = BTreeMap::new();
    for line in lines.iter().filter(|line| !line.project.is_empty()) {
        projects.entry(&line.project).or_default().0.push(line);
    }
    for (entry, worth) in &known {
        let row = projects.entry(&entry.project).or_default();
        row.1 += usize::from(!matches!(worth, Worth::Short(_) | Worth::Denied));
    }
    if ui.json {
        let rows: Vec<_> = projects
            .iter()
            .map(|(project, (lines, learned))| {
                let counts = Counts::of(lines.iter().copied());
                json!({ "project": project, "calls": counts.calls, "allowed": counts.passed, "asked": counts.asked, "refused": counts.refused, "learned": learned })
            })
            .collect();
        ui.json(&json!({ "days": DAYS, "projects": rows }));
        return Exit::Ok;
    }
    if projects.is_empty() {
        ui.line("nothing was recorded yet; `leastgrant doctor` says whether the hook is in place");
        return Exit::Ok;
    }
    let mut table = Table::new(&["project", "calls", "allowed", "asked", "refused", "learned"]);
    for (project, (lines, learned)) in &projects {
        let counts = Counts::of(lines.iter().copied());
        let cells = [counts.calls, counts.passed, counts.asked, counts.refused, *learned]
            .map(|count| (theme::DIM, count.to_string()));
        table.row(std::iter::once((theme::PLAIN, words::safe(project))).chain(cells));
    }
    ui.line(table.render(0, ui.width()));
    Exit::Ok
}
