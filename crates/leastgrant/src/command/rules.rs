//! `leastgrant rules`: every rule that was written, and what of the files cannot be read.

use crate::agent::HookEnv;
use crate::exit::Exit;
use crate::render::table::Table;
use crate::render::{Ui, theme, words};
use crate::store::Store;
use crate::world::Real;

use super::rule::{json, place};
use leastgrant_core::rule::Effect;

/// Arguments of `rules`.
#[derive(clap::Args)]
pub struct Args {}

/// Lists.
pub fn run(_: &Args, ui: &mut Ui) -> Exit {
    let policy = Store::at(Real::state(&HookEnv::of_process())).settings().policy;
    if ui.json {
        let rules: Vec<_> = policy.rules.iter().map(json).collect();
        ui.json(&serde_json::json!({ "rules": rules, "problems": policy.problems }));
    } else if policy.rules.is_empty() {
        ui.line("no rules; `leastgrant allow` and `leastgrant deny` write them");
    } else {
        let mut table = Table::new(&["rule", "pattern", "where", "note"]);
        for rule in &policy.rules {
            let style = match rule.effect {
                Effect::Allow => theme::ALLOW,
                Effect::Ask => theme::ASK,
                Effect::Deny => theme::DENY,
            };
            table.row([
                (style, rule.effect.id().to_owned()),
                (theme::PLAIN, words::safe(&rule.pattern)),
                (theme::DIM, place(rule)),
                (theme::DIM, words::safe(rule.note.as_deref().unwrap_or_default())),
            ]);
        }
        ui.line(table.render(0, ui.width()));
    }
    for problem in &policy.problems {
        ui.warn(problem);
    }
    if policy.problems.is_empty() { Exit::Ok } else { Exit::Bad }
}
