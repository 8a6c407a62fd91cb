//! `leastgrant persona resume RUN_DIR`: goes on with a run from its journals, with the agent that it was started with.

use std::path::PathBuf;

use crate::agent::HookEnv;
use crate::conduct::Cast;
use crate::exit::Exit;
use crate::install::place::Places;
use crate::install::terminal;
use crate::render::Ui;

/// Arguments of `persona resume`.
#[derive(clap::Args)]
pub struct Args {
    /// the run's folder
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
}

/// Resumes.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    if let Some(mark) = terminal::inside_agent() {
        ui.error(&format!(
            "an agent runs this (`{mark}` is set); a persona run is resumed by a person or by a machine of theirs"
        ));
        return Exit::Impossible;
    }
    let env = HookEnv::of_process();
    match Places::from_env(None) {
        Ok(places) => super::persona_run::walk(Cast::resume(&args.run, &places), &places, &env, ui),
        Err(why) => {
            ui.error(&why);
            Exit::Impossible
        }
    }
}
