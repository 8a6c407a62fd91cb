//! `leastgrant forget`: takes rules back, or what was learned. A person's no stays: a rule lifts it, forgetting does not.

use leastgrant_core::rule::{Effect, Layer, Rule, glob};
use leastgrant_core::signature;

use super::past::Here;
use super::rule;
use crate::exit::Exit;
use crate::render::{Ui, words};
use crate::store::event::Event;
use crate::store::snapshot;

/// Arguments of `forget`.
#[derive(clap::Args)]
pub struct Args {
    /// the pattern and the conditions as they stand in the rule; with `--learned`, a glob on signatures
    #[arg(allow_hyphen_values = true)]
    pattern: String,
    /// more conditions
    #[arg(value_name = "KEY=VALUE")]
    more: Vec<String>,
    /// the rule for every project instead of this one
    #[arg(long)]
    global: bool,
    /// what was learned from approvals and runs, instead of rules
    #[arg(long)]
    learned: bool,
}

/// Removes and tells.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let shown = words::safe(&words_of(args).join(" "));
    let (done, one, many) = if args.learned {
        (unlearned(args), "signature unlearned", "signatures unlearned")
    } else {
        (removed(args), "rule removed", "rules removed")
    };
    match done {
        Ok(0) if args.learned => {
            ui.error(&format!("nothing that matches `{shown}` was learned here"));
            ui.hint("`leastgrant status` shows what was");
            Exit::Bad
        }
        Ok(0) => {
            ui.error(&format!("there is no rule `{shown}` here"));
            ui.hint("`leastgrant rules` lists all rules; `--global` names those for every project");
            Exit::Bad
        }
        Ok(count) if ui.json => {
            ui.json(&serde_json::json!({ "removed": count }));
            Exit::Ok
        }
        Ok(count) => {
            ui.line(words::count(count, one, many));
            Exit::Ok
        }
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

fn words_of(args: &Args) -> Vec<String> {
    std::iter::once(&args.pattern).chain(&args.more).cloned().collect()
}

fn removed(args: &Args) -> Result<usize, String> {
    let here = Here::find();
    rule::person(&here.env)?;
    let project = rule::project(args.global, &here.env)?;
    let gone = Rule { project, layer: Layer::User, ..rule::written(Effect::Ask, &words_of(args))? };
    let count = here.store.remove_rules(&gone)?;
    if count > 0 {
        let mut event = rule::recorded("rule-removed", &gone);
        event.decision = None;
        let _ = here.store.append(&event);
    }
    Ok(count)
}

fn unlearned(args: &Args) -> Result<usize, String> {
    let here = Here::find();
    rule::person(&here.env)?;
    let project = rule::project(args.global, &here.env)?;
    let pattern = words_of(args).join(" ");
    let mut events = Vec::new();
    snapshot::entries(&here.store, |entry| {
        let here_too = project.as_ref().is_none_or(|root| entry.project == *root);
        let fits = glob(&pattern, &entry.signature) || glob(&pattern, signature::body(&entry.signature));
        let learned =
            entry.account.confirmed.times() + entry.account.observed.times() > 0 || entry.account.granted.is_some();
        if here_too && fits && learned {
            let mut event = Event::new("evidence", here.now).in_project(Some(&entry.project));
            event.evidence = Some("forgotten");
            event.signatures = vec![entry.signature];
            events.push(event);
        }
    })
    .map_err(|fault| format!("what was learned cannot be read: {fault}"))?;
    here.store.append_all(&events).map_err(|fault| format!("the ledger cannot be written: {fault}"))?;
    let _ = here.store.collect(&here.env, here.now);
    Ok(events.len())
}
