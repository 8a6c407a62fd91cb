//! `leastgrant trail`: what happened, oldest first, by the hour; what an agent chose to write cannot forge a row.

use std::io::IsTerminal as _;
use std::time::Duration;

use anstyle::Style;

use super::past::{DAY, Here, bar, clock, span};
use crate::exit::Exit;
use crate::render::{Ui, theme, words};
use crate::store::ledger;
use crate::store::line::Line;

/// Arguments of `trail`.
#[derive(clap::Args)]
pub struct Args {
    /// how far back: `30m`, `6h`, `7d`, `2w`
    #[arg(long, value_parser = span)]
    since: Option<i64>,
    /// at most so many rows
    #[arg(long, short = 'n', default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,
    /// only what was asked about or refused
    #[arg(long)]
    asked: bool,
    /// of every project
    #[arg(long)]
    all: bool,
    /// go on showing what happens
    #[arg(long, short)]
    follow: bool,
}

/// Shows.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let here = Here::find();
    let all = args.all || here.project.is_none();
    let since = here.now - args.since.unwrap_or(DAY);
    let (lines, torn) = match here.lines(since, all) {
        Ok(found) => found,
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    };
    let calls: Vec<&Line> =
        lines.iter().filter(|line| line.event == "call" && (!args.asked || line.stopped())).collect();
    if ui.json {
        let rows: Vec<_> = calls.iter().rev().take(usize::from(args.limit)).rev().map(|line| json(line)).collect();
        ui.json(&serde_json::json!({ "calls": rows, "torn": torn }));
        return Exit::Ok;
    }
    if calls.is_empty() {
        ui.line(empty(&here, all, args.asked));
    } else {
        table(&calls, usize::from(args.limit), all, ui);
        foot(&lines, ui);
    }
    if torn > 0 {
        ui.warn(&format!("{} in this window left out", words::count(torn, "torn line", "torn lines")));
    }
    if args.follow {
        follow(&here, all, args.asked, ui);
    }
    Exit::Ok
}

/// Which kind of nothing it is.
fn empty(here: &Here, all: bool, asked: bool) -> String {
    let (ever, _) = ledger::since(&here.store, i64::MIN).unwrap_or_default();
    let calls: Vec<&Line> = ever.iter().filter(|line| line.event == "call").collect();
    let mine = calls.iter().any(|line| all || Some(&line.project) == here.project.as_ref());
    String::from(match (calls.is_empty(), mine, asked) {
        (true, ..) => "nothing was recorded anywhere yet; `leastgrant doctor` says whether the hook is in place",
        (_, false, _) => "nothing was recorded in this project; `--all` shows every project",
        (_, _, true) => "nothing was asked about or refused in this time",
        _ => "nothing happened in this time; `--since 7d` looks further back",
    })
}

/// What a call came to: its sign and its style.
pub(super) fn sign(line: &Line) -> (&'static str, Style) {
    match line.answer.as_str() {
        "allow" => ("✓", theme::ALLOW),
        "ask" => ("?", theme::ASK),
        "deny" => ("✗", theme::DENY),
        _ => ("·", theme::DIM),
    }
}

fn row(line: &Line, times: usize, all: bool, width: usize) -> String {
    let (glyph, style) = sign(line);
    let kind = if line.kind.is_empty() { String::new() } else { format!(" [{}]", words::safe(&line.kind)) };
    let project = if all { format!(" ({})", words::safe(last_name(&line.project))) } else { String::new() };
    let many = if times > 1 { format!(" ×{times}") } else { String::new() };
    let tail = format!("{many}{kind}{project}");
    let room = width.saturating_sub(12 + words::columns(&tail));
    let text = words::cut(&words::safe(&line.display), room);
    format!("  {} {} {text}{}", clock(line.at, "%H:%M:%S"), theme::paint(style, glyph), theme::paint(theme::DIM, &tail))
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn table(calls: &[&Line], limit: usize, all: bool, ui: &mut Ui) {
    let mut rows: Vec<(&Line, usize)> = Vec::new();
    for line in calls {
        match rows.last_mut() {
            Some((last, times))
                if last.signature == line.signature && last.answer == line.answer && !line.signature.is_empty() =>
            {
                *times += 1;
            }
            _ => rows.push((line, 1)),
        }
    }
    let mut hour = String::new();
    for (line, times) in rows.iter().skip(rows.len().saturating_sub(limit)) {
        let this = clock(line.at, "%Y-%m-%d %H:00");
        if this != hour {
            ui.heading(&this);
            hour = this;
        }
        ui.line(row(line, *times, all, ui.width()));
    }
    if rows.len() > limit {
        ui.line(theme::paint(
            theme::DIM,
            &format!("  {} older rows left out: `--limit` shows more", rows.len() - limit),
        ));
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share for people")]
fn foot(lines: &[Line], ui: &mut Ui) {
    let of = |answer: &str| lines.iter().filter(|line| line.event == "call" && line.answer == answer).count();
    let (allow, ask, deny, silent) = (of("allow"), of("ask"), of("deny"), of("silent"));
    let total = allow + ask + deny + silent;
    if total == 0 {
        return;
    }
    let share = (allow + silent) as f64 / total as f64;
    ui.blank();
    ui.line(format!(
        "{}: {allow} allowed, {silent} left to the agent, {ask} asked, {deny} refused",
        words::count(total, "call", "calls")
    ));
    ui.line(format!("{}{:.0} % went on without a question of ours", bar(share, 30), share * 100.0));
    let mut refused: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for line in lines.iter().filter(|line| line.event == "call" && line.answer == "deny") {
        for reason in line.floors.iter().chain(line.reasons.first()) {
            *refused.entry(reason).or_default() += 1;
        }
    }
    for (reason, times) in refused.iter().take(8) {
        ui.line(theme::paint(theme::DIM, &format!("  refused by {} ×{times}", words::safe(reason))));
    }
}

fn json(line: &Line) -> serde_json::Value {
    serde_json::json!({
        "at": line.at, "agent": line.agent, "session": line.session, "project": line.project, "tool": line.tool,
        "display": line.display, "signatures": line.signatures, "decision": line.decision, "kind": line.kind,
        "answer": line.answer, "floors": line.floors, "reasons": line.reasons, "tier": line.tier, "call": line.call,
    })
}

/// Looks again and again until the reader goes away.
fn follow(here: &Here, all: bool, asked: bool, ui: &mut Ui) {
    let mut seen = here.now;
    let mut digests: Vec<String> = Vec::new();
    // a pipe whose reader is gone is noticed by nobody else
    let quiet_limit = if std::io::stdout().is_terminal() { u32::MAX } else { 600 };
    let mut quiet = 0;
    while quiet < quiet_limit {
        std::thread::sleep(Duration::from_millis(500));
        let Ok((lines, _)) = here.lines(seen, all) else { continue };
        quiet += 1;
        for line in lines.iter().filter(|line| line.event == "call" && (!asked || line.stopped())) {
            if !digests.contains(&line.digest) {
                digests.push(line.digest.clone());
                ui.line(row(line, 1, all, ui.width()));
                seen = seen.max(line.at - 2000);
                quiet = 0;
            }
        }
        if digests.len() > 4000 {
            digests.drain(..2000);
        }
    }
}
