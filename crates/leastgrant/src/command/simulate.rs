//! `leastgrant simulate`: what another posture or other rules would have done with the calls on record, before anything is
//! changed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use leastgrant_core::policy::{Policy, Posture};
use leastgrant_core::rule::{Layer, parse};
use leastgrant_core::verdict::Decision;
use serde_json::json;

use super::past::{DAY, Here};
use crate::exit::Exit;
use crate::ground::Ground;
use crate::render::table::Table;
use crate::render::{Ui, theme, words};
use crate::store::again;

/// Arguments of `simulate`.
#[derive(clap::Args)]
pub struct Args {
    /// one posture instead of all
    #[arg(long)]
    posture: Option<String>,
    /// rules from a file in addition to those that hold
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// how many days back
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(i64).range(1..=3650))]
    days: i64,
    /// of every project
    #[arg(long)]
    all: bool,
}

/// What one way of deciding came to.
#[derive(Default)]
struct Came {
    allow: usize,
    ask: usize,
    deny: usize,
    changed: BTreeMap<String, (usize, &'static str, &'static str)>,
}

/// Judges again, once for each.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    match simulated(args, ui) {
        Ok(exit) => exit,
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

fn simulated(args: &Args, ui: &mut Ui) -> Result<Exit, String> {
    let here = Here::find();
    let extra = match &args.with {
        Some(file) => {
            let text = std::fs::read_to_string(file).map_err(|fault| format!("`{}`: {fault}", file.display()))?;
            let (rules, problems) = parse(&text, &file.display().to_string(), Layer::User);
            if let Some(problem) = problems.first() {
                return Err(problem.to_string());
            }
            rules
        }
        None => Vec::new(),
    };
    let (lines, _) = here.lines(here.now - args.days * DAY, args.all || here.project.is_none())?;
    let current = here.store.settings_in(here.project.as_deref(), "").policy.posture;
    let postures = match &args.posture {
        Some(id) => vec![Posture::from_id(id).ok_or("posture is observe, assist, autopilot or strict")?],
        None if args.with.is_some() => vec![current],
        None => vec![Posture::Assist, Posture::Autopilot, Posture::Strict],
    };
    let mut came: Vec<Came> = postures.iter().map(|_| Came::default()).collect();
    let (mut total, mut skipped) = (0, 0);
    for line in lines.iter().filter(|line| line.event == "call") {
        let Some((agent, call, _)) = again::call(line, &here.env) else {
            skipped += 1;
            continue;
        };
        total += 1;
        let mut ground = Ground::of(agent, &here.env, &call);
        let before = ground.judge(&call).decision;
        let held: Policy = ground.policy.clone();
        for (posture, came) in postures.iter().zip(&mut came) {
            ground.policy = Policy { posture: *posture, ..held.clone() };
            ground.policy.rules.extend(extra.iter().cloned());
            let after = ground.judge(&call).decision;
            match after {
                Decision::Allow => came.allow += 1,
                Decision::Ask => came.ask += 1,
                Decision::Deny => came.deny += 1,
            }
            if after != before {
                let row = came.changed.entry(line.display.clone()).or_insert((0, before.id(), after.id()));
                row.0 += 1;
            }
        }
    }
    show(args, &postures, &came, (total, skipped), ui);
    Ok(Exit::Ok)
}

fn show(args: &Args, postures: &[Posture], came: &[Came], (total, skipped): (usize, usize), ui: &mut Ui) {
    let named = |posture: &Posture| {
        if args.with.is_some() { format!("{} with these rules", posture.id()) } else { posture.id().to_owned() }
    };
    if ui.json {
        let rows: Vec<_> = postures
            .iter()
            .zip(came)
            .map(|(posture, came)| {
                let changed: Vec<_> = came.changed.iter().map(|(text, (times, before, after))| json!({ "display": text, "times": times, "was": before, "would_be": after })).collect();
                json!({ "posture": posture.id(), "allow": came.allow, "ask": came.ask, "deny": came.deny, "changed": changed })
            })
            .collect();
        ui.json(&json!({ "days": args.days, "calls": total, "not_judged_again": skipped, "outcomes": rows }));
        return;
    }
    let mut table = Table::new(&["posture", "allow", "ask", "deny", "other than today"]);
    for (posture, came) in postures.iter().zip(came) {
        let changed: usize = came.changed.values().map(|row| row.0).sum();
        let cells = [came.allow, came.ask, came.deny, changed].map(|count| (theme::PLAIN, count.to_string()));
        table.row(std::iter::once((theme::STRONG, named(posture))).chain(cells));
    }
    ui.line(format!("{} of the last {} days, judged again", words::count(total, "call", "calls"), args.days));
    ui.line(table.render(0, ui.width()));
    if let ([_], [came]) = (postures, came) {
        let mut rows: Vec<_> = came.changed.iter().collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.0));
        for (text, (times, before, after)) in rows.into_iter().take(20) {
            let cut = words::cut(&words::safe(text), ui.width().saturating_sub(28));
            ui.line(format!("  {before} → {after} ×{times}  {cut}"));
        }
    }
    if skipped > 0 {
        ui.line(theme::paint(
            theme::DIM,
            &format!("{skipped} could not be judged again: what was recorded is not enough"),
        ));
    }
}
