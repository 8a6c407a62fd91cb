//! `leastgrant forget`: takes rules back.

use leastgrant_core::rule::{Effect, Layer, Rule};

use super::rule;
use crate::agent::HookEnv;
use crate::exit::Exit;
use crate::render::{Ui, words};
use crate::store::Store;
use crate::world::Real;

/// Arguments of `forget`.
#[derive(clap::Args)]
pub struct Args {
    /// the pattern as it stands in the rule
    #[arg(allow_hyphen_values = true)]
    pattern: String,
    /// the rule for every project instead of this one
    #[arg(long)]
    global: bool,
}

/// Removes and tells.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    match removed(args) {
        Ok(0) => {
            ui.error(&format!("there is no rule `{}` here", words::safe(&args.pattern)));
            ui.hint("`leastgrant rules` lists all rules; `--global` names those for every project");
            Exit::Bad
        }
        Ok(count) if ui.json => {
            ui.json(&serde_json::json!({ "removed": count }));
            Exit::Ok
        }
        Ok(count) => {
            ui.line(format!("{} removed", words::count(count, "rule", "rules")));
            Exit::Ok
        }
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

fn removed(args: &Args) -> Result<usize, String> {
    let env = HookEnv::of_process();
    rule::person(&env)?;
    let project = rule::project(args.global, &env)?;
    let store = Store::at(Real::state(&env));
    let count = store.remove_rules(args.pattern.trim(), project.as_deref())?;
    if count > 0 {
        let gone = Rule {
            effect: Effect::Ask,
            pattern: args.pattern.trim().to_owned(),
            when: leastgrant_core::rule::When::default(),
            layer: Layer::User,
            project,
            note: None,
            until_ms: None,
        };
        let mut event = rule::recorded("rule-removed", &gone);
        event.decision = None;
        let _ = store.append(&event);
    }
    Ok(count)
}
