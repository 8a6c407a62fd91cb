//! `leastgrant pause`: asks and refusals stop for a while, floors of integrity and the persona bound stay. Only a person
//! at a terminal can.

use crate::exit::Exit;
use crate::install::place::Places;
use crate::install::{pause, terminal};
use crate::render::Ui;

use super::install::now_ms;

/// Arguments of `pause`.
#[derive(clap::Args)]
pub struct Args {
    /// how long, at most four hours: `15m`, `90s`, `2h`
    #[arg(default_value = "15m", value_parser = pause::duration)]
    length: i64,
}

/// Pauses.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    if let Err(why) = terminal::person() {
        ui.error(&format!("only a person at a terminal can pause leastgrant: {why}"));
        return Exit::Bad;
    }
    let paused = Places::from_env(None)
        .and_then(|places| pause::pause(&places.state, now_ms(), args.length).map_err(|error| error.to_string()));
    match paused {
        Ok(until) if ui.json => ui.json(&serde_json::json!({ "paused_until_ms": until })),
        Ok(_) => {
            ui.line(format!("paused for {} minutes; what protects leastgrant itself stays", args.length.div_euclid(60_000).max(1)));
            ui.hint("`leastgrant resume` ends it at once");
        }
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    }
    Exit::Ok
}
