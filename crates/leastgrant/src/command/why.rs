//! `leastgrant why`: one recorded call, what was decided and by which facts, and what today's rules and evidence would say.

use leastgrant_core::reason::IDS;
use leastgrant_core::verdict::AskKind;
use serde_json::json;

use super::past::{DAY, Here, clock};
use super::trail::sign;
use crate::exit::Exit;
use crate::ground::Ground;
use crate::render::verdict::{self as block, Subject};
use crate::render::{Ui, theme, words};
use crate::store::line::Line;
use crate::store::{again, event};

/// Arguments of `why`.
#[derive(clap::Args)]
pub struct Args {
    /// which call: 1 is the newest, or the agent's id of a call; without it, the newest that was asked about or refused
    which: Option<String>,
    /// the newest that was refused
    #[arg(long, conflicts_with = "which")]
    last_block: bool,
    /// of every project
    #[arg(long)]
    all: bool,
}

/// Finds and explains.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let here = Here::find();
    let found = here.lines(here.now - 90 * DAY, args.all || here.project.is_none());
    let lines = match found {
        Ok((lines, _)) => lines,
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    };
    let calls: Vec<&Line> = lines.iter().filter(|line| line.event == "call").rev().collect();
    match pick(args, &calls) {
        Ok((line, picked)) => {
            explain(&here, line, picked, &lines, ui);
            Exit::Ok
        }
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

fn pick<'a>(args: &Args, calls: &[&'a Line]) -> Result<(&'a Line, &'static str), String> {
    if calls.is_empty() {
        return Err(String::from("no call of this project is on record; `--all` looks at every project"));
    }
    let first = |which: &dyn Fn(&Line) -> bool| calls.iter().find(|line| which(line)).copied();
    if args.last_block {
        let found = first(&|line| line.answer == "deny");
        return found
            .map(|line| (line, "the newest that was refused"))
            .ok_or_else(|| String::from("nothing was refused"));
    }
    let Some(which) = &args.which else {
        let stopped = first(&Line::stopped).map(|line| (line, "the newest that was asked about or refused"));
        let newest = calls.first().map(|line| (*line, "the newest; nothing was asked about or refused"));
        return stopped.or(newest).ok_or_else(|| String::from("nothing is on record"));
    };
    if let Ok(number) = which.parse::<usize>() {
        let at = number.checked_sub(1).and_then(|at| calls.get(at)).copied();
        return at
            .map(|line| (line, "as asked"))
            .ok_or_else(|| format!("there are {} calls; 1 is the newest", calls.len()));
    }
    first(&|line| line.call == *which)
        .map(|line| (line, "as asked"))
        .ok_or_else(|| format!("there is no call `{}`", words::safe(which)))
}

fn explain(here: &Here, line: &Line, picked: &str, lines: &[Line], ui: &mut Ui) {
    let again = again::call(line, &here.env);
    let now = again.as_ref().map(|(agent, call, missing)| (Ground::of(*agent, &here.env, call).judge(call), *missing));
    let outcome = lines.iter().find(|other| {
        matches!(other.event.as_str(), "ran" | "failed" | "evidence")
            && other.session == line.session
            && other.call == line.call
    });
    let outcome = outcome.map_or("no outcome on record", |other| match other.event.as_str() {
        "ran" => "it ran",
        "failed" => "it failed",
        _ if other.evidence == "denied" => "a person refused it",
        _ if other.evidence == "confirmed" => "a person approved it",
        _ => "it ran",
    });
    let history: Vec<(String, String)> =
        line.signatures.iter().map(|signature| (signature.clone(), known(here, &line.project, signature))).collect();
    if ui.json {
        ui.json(&json!({
            "picked": picked, "at": line.at, "agent": line.agent, "session": line.session, "call": line.call,
            "project": line.project, "tool": line.tool, "display": line.display, "decision": line.decision,
            "kind": line.kind, "floors": line.floors, "reasons": line.reasons, "answer": line.answer,
            "attendance": line.attendance, "mode": line.mode, "outcome": outcome,
            "history": history.iter().map(|(signature, text)| json!({ "signature": signature, "known": text })).collect::<Vec<_>>(),
            "today": now.as_ref().map(|(verdict, missing)| json!({
                "decision": verdict.decision.id(), "kind": verdict.kind.map(AskKind::id), "incomplete": missing,
                "changed": verdict.decision.id() != line.decision,
                "reasons": verdict.reasons.iter().map(|reason| reason.id).collect::<Vec<_>>(),
                "remedy": verdict.remedy.as_deref().map(event::shown),
            })),
        }));
        return;
    }
    let (glyph, style) = sign(line);
    ui.line(format!(
        "{} {}",
        theme::paint(style, glyph),
        words::cut(&words::safe(&line.display), ui.width().saturating_sub(2))
    ));
    let context = format!(
        "{} by {} ({}, mode {}); {outcome}; {picked}",
        clock(line.at, "%Y-%m-%d %H:%M:%S"),
        words::safe(&line.agent),
        words::safe(&line.attendance),
        words::safe(&line.mode)
    );
    ui.line(theme::paint(theme::DIM, &format!("  {context}")));
    ui.blank();
    let kind = if line.kind.is_empty() { String::new() } else { format!(" ({})", words::safe(&line.kind)) };
    ui.line(format!(
        "decided then: {}{kind}; the agent got: {}",
        words::safe(&line.decision),
        words::safe(&line.answer)
    ));
    for id in line.reasons.iter().take(8) {
        let about = IDS.iter().find(|row| row.0 == id).map_or("", |row| row.1);
        ui.line(format!("  {} {}", words::safe(id), theme::paint(theme::DIM, about)));
    }
    for (signature, text) in history.iter().take(8) {
        ui.line(format!("  {}: {text}", words::cut(&words::safe(leastgrant_core::signature::body(signature)), 60)));
    }
    ui.blank();
    match (&again, &now) {
        (Some((_, call, missing)), Some((verdict, _))) => {
            ui.heading("judged again today");
            let title = event::display(call);
            ui.line(block::block(verdict, Subject::of(call, &title), None, ui.width()));
            if *missing {
                ui.warn("what was recorded is redacted or cut, so this may be another call");
            }
            if verdict.decision.id() != line.decision {
                ui.hint(&format!(
                    "the answer has changed: it was {}, it would be {}",
                    words::safe(&line.decision),
                    verdict.decision.id()
                ));
            }
        }
        _ => ui.hint("what was recorded is not enough to judge it again"),
    }
}

fn known(here: &Here, project: &str, signature: &str) -> String {
    match here.store.account(project, signature) {
        Ok(account) => {
            let refused = if account.denied.is_some() { ", refused" } else { "" };
            format!(
                "approved {} on {}, ran {}{refused}",
                words::count(usize::try_from(account.confirmed.times()).unwrap_or(usize::MAX), "time", "times"),
                words::count(account.confirmed.days.len(), "day", "days"),
                words::count(usize::try_from(account.observed.times()).unwrap_or(usize::MAX), "time", "times"),
            )
        }
        Err(why) => why,
    }
}
