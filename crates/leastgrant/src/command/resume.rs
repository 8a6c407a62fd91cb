//! `leastgrant resume`: ends a pause at once. Anybody may: it only makes things stricter.

use crate::exit::Exit;
use crate::install::pause;
use crate::install::place::Places;
use crate::render::Ui;

/// Arguments of `resume`.
#[derive(clap::Args)]
pub struct Args {}

/// Resumes.
pub fn run(_args: &Args, ui: &mut Ui) -> Exit {
    match Places::from_env(None).and_then(|places| pause::resume(&places.state).map_err(|error| error.to_string())) {
        Ok(was) if ui.json => ui.json(&serde_json::json!({ "was_paused": was })),
        Ok(true) => ui.line("the pause is over"),
        Ok(false) => ui.line("there was no pause"),
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    }
    Exit::Ok
}
