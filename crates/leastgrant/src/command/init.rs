//! `leastgrant init`: what may pass from the start. The person sees what each starter bundle covers and what it does
//! not, and accepts.

use std::io::IsTerminal;

use leastgrant_core::bundle::{BUNDLES, Bundle, ticked};

use crate::agent::HookEnv;
use crate::exit::Exit;
use crate::render::{Ui, theme, words};
use crate::store::Store;
use crate::store::event::Event;
use crate::world::Real;

use super::rule::person;

/// Arguments of `init`.
#[derive(clap::Args)]
pub struct Args {
    /// accept the ticked bundles without a question
    #[arg(long, short)]
    yes: bool,
    /// do not look at what the agents did before (they are not looked at yet)
    #[arg(long)]
    no_history: bool,
}

/// Asks, writes, tells.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let env = HookEnv::of_process();
    let done = person(&env).and_then(|()| chosen(args)).and_then(|ids| {
        let store = Store::at(Real::state(&env));
        let (file, accepted) = store.accept(&ids)?;
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let event = Event::new("policy-written", i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        let _ = store.append(&event.noting(&format!("bundles: {}", accepted.join(" "))));
        Ok((file, accepted))
    });
    match done {
        Ok((file, accepted)) => {
            if ui.json {
                ui.json(&serde_json::json!({ "file": file, "bundles": accepted }));
            } else {
                tell(&accepted, ui);
                ui.line(theme::paint(theme::DIM, &format!("written to {}", file.display())));
            }
            Exit::Ok
        }
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

/// Ids of the bundles that the person accepts.
fn chosen(args: &Args) -> Result<Vec<&'static str>, String> {
    if args.yes {
        return Ok(ticked().collect());
    }
    if !std::io::stdin().is_terminal() {
        return Err(String::from("there is no terminal to ask in: `--yes` accepts the ticked bundles"));
    }
    let lines: Vec<String> = BUNDLES.iter().map(|bundle| format!("{}: {}", bundle.title, bundle.covers)).collect();
    let ticks: Vec<usize> = BUNDLES.iter().enumerate().filter(|(_, bundle)| bundle.ticked).map(|(at, _)| at).collect();
    let answer = inquire::MultiSelect::new("what may pass unasked?", lines).with_default(&ticks).raw_prompt();
    let picked = answer.map_err(|_| String::from("nothing was accepted, and nothing was written"))?;
    Ok(picked.iter().filter_map(|option| BUNDLES.get(option.index)).map(|bundle| bundle.id).collect())
}

fn tell(accepted: &[String], ui: &mut Ui) {
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
