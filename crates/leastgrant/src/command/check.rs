//! `leastgrant check`: the verdict of one call, with everything that led to it.

use crate::exit::Exit;
use crate::render::Ui;

/// Arguments of `check`.
#[derive(clap::Args)]
pub struct Args {
    /// the command to judge
    command: Option<String>,
}

/// Judges and shows.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let _ = (&args.command, ui);
    Exit::Bug
}
