//! `leastgrant init`: what may pass from the start. The agents' history is replayed, with the engine's own mistakes said
//! first; the person sees what each starter bundle covers and what it does not, and accepts.

use std::io::IsTerminal;

use leastgrant_core::bundle::{BUNDLES, Bundle, ticked};
use leastgrant_core::redact::redact;
use leastgrant_core::rule::quote;

use crate::agent::HookEnv;
use crate::exit::Exit;
use crate::history::mine::{Mined, mine};
use crate::render::progress::Progress;
use crate::render::{Ui, theme, words};
use crate::store::Store;
use crate::store::collect::transcripts;
use crate::store::event::Event;
use crate::world::Real;

use super::past::bar;
use super::rule::person;

/// Arguments of `init`.
#[derive(clap::Args)]
pub struct Args {
    /// accept the ticked bundles without a question
    #[arg(long, short)]
    yes: bool,
    /// do not look at what the agents did before
    #[arg(long)]
    no_history: bool,
    /// look and show, write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Looks, asks, writes, tells.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    match done(args, ui) {
        Ok(exit) => exit,
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

fn done(args: &Args, ui: &mut Ui) -> Result<Exit, String> {
    let env = HookEnv::of_process();
    person(&env)?;
    if !args.yes && !args.dry_run && !std::io::stdin().is_terminal() {
        return Err(String::from("there is no terminal to ask in: `--yes` accepts the ticked bundles"));
    }
    let store = Store::at(Real::state(&env));
    let now = super::past::Here::find().now;
    let mined = if args.no_history {
        None
    } else {
        let mut progress = None;
        let mined = mine(&env, &store, !args.dry_run, |done, total| {
            progress.get_or_insert_with(|| Progress::new(total)).at(done, "of the agents' history");
        })?;
        if let Some(progress) = progress {
            progress.end();
        }
        let _ = store.collect(&env, now);
        Some(mined)
    };
    let grants = grants(&env);
    if !ui.json {
        if let Some(mined) = mined.as_ref().filter(|mined| mined.files + mined.known > 0) {
            history(mined, ui);
        }
        proposals(&grants, ui);
    }
    if args.dry_run {
        if ui.json {
            ui.json(&serde_json::json!({ "history": mined, "agents_own_grants": grants, "kept": false }));
        } else {
            ui.line(theme::paint(theme::DIM, "nothing was written"));
        }
        return Ok(Exit::Ok);
    }
    let ids = chosen(args, mined.as_ref())?;
    let (file, accepted) = store.accept(&ids)?;
    let event = Event::new("policy-written", now);
    let _ = store.append(&event.noting(&format!("bundles: {}", accepted.join(" "))));
    if ui.json {
        ui.json(
            &serde_json::json!({ "file": file, "bundles": accepted, "history": mined, "agents_own_grants": grants }),
        );
    } else {
        tell(&accepted, ui);
        ui.line(theme::paint(theme::DIM, &format!("written to {}", file.display())));
    }
    Ok(Exit::Ok)
}

/// What the history came to; mistakes come first and loudest.
#[expect(clippy::cast_precision_loss, reason = "shares for people")]
fn history(mined: &Mined, ui: &mut Ui) {
    ui.heading("what your agents did before");
    let of = |part: usize| part as f64 * 100.0 / mined.calls.max(1) as f64;
    let megabytes = mined.bytes as f64 / 1e6;
    ui.line(format!(
        "{} in {} sessions, {} projects, {} days; {} read ({megabytes:.1} MB, {:.1} MB/s), {} known from before",
        words::count(mined.calls, "call", "calls"),
        mined.sessions,
        mined.projects,
        mined.days,
        words::count(mined.files, "file", "files"),
        megabytes / (mined.ms.max(1) as f64 / 1000.0),
        mined.known,
    ));
    if mined.skipped + mined.unreadable > 0 {
        ui.warn(&format!(
            "{} and {} could not be read, and were left out",
            words::count(mined.skipped, "line", "lines"),
            words::count(mined.unreadable, "file", "files")
        ));
    }
    if of(mined.unsupervised) > 50.0 {
        ui.line(format!("{:.0} % of it ran in a mode in which nobody is asked", of(mined.unsupervised)));
    }
    ui.line(format!(
        "with the ticked bundles leastgrant would have let {:.0} % pass, asked about {:.0} %, refused {:.1} %",
        of(mined.allowed),
        of(mined.asked),
        of(mined.refused)
    ));
    if mined.mistakes.is_empty() {
        ui.line(format!(
            "checked against {}: none of them would have passed",
            words::count(mined.person_refused, "refusal of yours", "refusals of yours")
        ));
    } else {
        ui.error(&format!(
            "of {} of yours, {} would have passed:",
            words::count(mined.person_refused, "refusal", "refusals"),
            mined.mistakes.len()
        ));
        for text in &mined.mistakes {
            ui.line(format!("  {}", words::cut(&words::safe(text), ui.width().saturating_sub(2))));
        }
        ui.hint("`leastgrant deny` holds such a call for good");
    }
    ui.blank();
    let mut rows: Vec<_> = mined.bundles.iter().collect();
    rows.sort_by_key(|(id, (times, _))| (std::cmp::Reverse(*times), **id));
    for (id, (times, refused)) in rows {
        let Some(bundle) = Bundle::from_id(id) else { continue };
        let refused = if *refused > 0 { format!(", {refused} of it refused by you") } else { String::new() };
        ui.line(format!(
            "  {}{:>7}  {}{refused}",
            bar(*times as f64 / mined.calls.max(1) as f64, 16),
            times,
            bundle.title
        ));
    }
    ui.blank();
}

/// What the agents let pass by their own settings.
fn grants(env: &HookEnv) -> Vec<String> {
    let Some(home) = transcripts(env) else { return Vec::new() };
    let Ok(text) = std::fs::read_to_string(home.join("settings.json")) else { return Vec::new() };
    let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let allow = value.pointer("/permissions/allow").and_then(|allow| allow.as_array());
    allow.into_iter().flatten().filter_map(|rule| rule.as_str()).take(200).map(redact).collect()
}

fn proposals(grants: &[String], ui: &mut Ui) {
    if grants.is_empty() {
        return;
    }
    ui.heading("what Claude Code lets pass by itself");
    for grant in grants.iter().take(12) {
        let exact =
            grant.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')).filter(|text| !text.contains('*'));
        let how = match exact {
            Some(text) => format!("`leastgrant allow {}` takes it over", words::safe(&quote(text))),
            None => String::from("a pattern of its own kind: not taken over"),
        };
        ui.line(format!("  {}  {}", words::cut(&words::safe(grant), 48), theme::paint(theme::DIM, &how)));
    }
    if grants.len() > 12 {
        ui.line(theme::paint(theme::DIM, &format!("  and {} more", grants.len() - 12)));
    }
    ui.blank();
}

/// Ids of the bundles that the person accepts.
fn chosen(args: &Args, mined: Option<&Mined>) -> Result<Vec<&'static str>, String> {
    if args.yes {
        return Ok(ticked().collect());
    }
    ask_with(mined)
}

/// Shows the bundles, ticked as recommended, and takes what the person picks.
pub(super) fn ask() -> Result<Vec<&'static str>, String> {
    ask_with(None)
}

fn ask_with(mined: Option<&Mined>) -> Result<Vec<&'static str>, String> {
    let counted = |id: &str| {
        let times = mined.and_then(|mined| mined.bundles.get(id)).map_or(0, |(times, _)| *times);
        if times == 0 { String::new() } else { format!(" ({times} times before)") }
    };
    let lines: Vec<String> =
        BUNDLES.iter().map(|bundle| format!("{}{}: {}", bundle.title, counted(bundle.id), bundle.covers)).collect();
    let ticks: Vec<usize> = BUNDLES.iter().enumerate().filter(|(_, bundle)| bundle.ticked).map(|(at, _)| at).collect();
    let answer = inquire::MultiSelect::new("what may pass unasked?", lines).with_default(&ticks).raw_prompt();
    let picked = answer.map_err(|_| String::from("nothing was accepted, and nothing was written"))?;
    Ok(picked.iter().filter_map(|option| BUNDLES.get(option.index)).map(|bundle| bundle.id).collect())
}

pub(super) fn tell(accepted: &[String], ui: &mut Ui) {
    ui.heading("may pass unasked");
    for bundle in accepted.iter().filter_map(|id| Bundle::from_id(id)) {
        ui.line(format!("  {} {}", theme::paint(theme::GOOD, "✓"), bundle.title));
        let width = ui.width().saturating_sub(6);
        for line in words::wrap(bundle.covers, width) {
            ui.line(format!("      {line}"));
        }
        for line in words::wrap(&format!("not: {}", bundle.does_not_cover), width) {
            ui.line(format!("      {}", theme::paint(theme::DIM, &line)));
        }
    }
    let left: Vec<&str> =
        BUNDLES.iter().filter(|bundle| !accepted.iter().any(|id| id == bundle.id)).map(|bundle| bundle.id).collect();
    if !left.is_empty() {
        ui.line(theme::paint(theme::DIM, &format!("not accepted: {}", left.join(", "))));
    }
}
