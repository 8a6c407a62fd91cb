//! `leastgrant persona`: the files of persona runs, arming a project for one, and the guard in agents' settings.

mod arm;
mod list;
mod wire;

use std::path::PathBuf;

use super::{persona_report, persona_resume, persona_run, persona_unlock};
use crate::exit::Exit;
use crate::install::place::Places;
use crate::persona::scene;
use crate::render::Ui;

/// Arguments of `persona`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// what can be run here: flows and personas
    List,
    /// whether flows and contracts can be run, each error with its line and how to mend it
    Check(list::CheckArgs),
    /// a flow or a persona's contract from the template
    New(list::NewArgs),
    /// bound navigation here to a flow's allowlist (a person, at a terminal)
    Arm(arm::ArmArgs),
    /// end that (a person, at a terminal)
    Disarm(arm::DisarmArgs),
    /// put the guard into the settings of every agent here
    Wire(wire::WireArgs),
    /// take it out again; it stays while others want it
    Unwire,
    /// walk a flow with personas, each in an agent process that is watched
    Run(persona_run::Args),
    /// go on with a run that was interrupted
    Resume(persona_resume::Args),
    /// write the report of a run again, from its journals
    Report(persona_report::Args),
    /// let the workers of the run here commit or push (a person, at a terminal)
    Unlock(persona_unlock::Args),
}

/// Runs the subcommand.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    match &args.command {
        Command::Run(args) => return persona_run::run(args, ui),
        Command::Resume(args) => return persona_resume::run(args, ui),
        Command::Report(args) => return persona_report::run(args, ui),
        Command::Unlock(args) => return persona_unlock::run(args, ui),
        _ => {}
    }
    let places = match Places::from_env(None) {
        Ok(places) => places,
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    };
    match &args.command {
        Command::List => list::list(&places, ui),
        Command::Check(args) => list::check(args, &places, ui),
        Command::New(args) => list::new(args, &places, ui),
        Command::Arm(args) => arm::arm(args, &places, ui),
        Command::Disarm(args) => arm::disarm(args, &places, ui),
        Command::Wire(args) => wire::wire(args, &places, ui),
        Command::Unwire => wire::unwire(&places, ui),
        // answered above: they need no places of ours
        Command::Run(_) | Command::Resume(_) | Command::Report(_) | Command::Unlock(_) => Exit::Bug,
    }
}

/// The project that is meant: the nearest above with a persona folder, else the repository; links followed.
fn root(places: &Places) -> PathBuf {
    let found = scene::project(&places.here).unwrap_or_else(|| places.project.clone());
    std::fs::canonicalize(&found).unwrap_or(found)
}
