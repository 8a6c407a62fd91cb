//! Arguments of people's commands; each command's own are in its file.

use clap::{CommandFactory as _, Parser};

use crate::command;
use crate::exit::Exit;
use crate::render::Ui;

/// the permission layer for coding agents
#[derive(Parser)]
#[command(name = "leastgrant", version, about, disable_help_subcommand = true)]
struct Cli {
    /// machine-readable output
    #[arg(long, global = true)]
    json: bool,
    /// no colour (NO_COLOR does the same)
    #[arg(long, global = true)]
    no_color: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// judge a command without running it
    Check(command::check::Args),
    /// what leastgrant believes of a program, and the file to patch
    Knowledge(command::knowledge::Args),
}

/// The arguments as a tree, for the pages that are made from it.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Reads the arguments and runs the command.
#[must_use]
pub fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Ok };
            // a closed pipe while help is printed is not our failure
            let _ = error.print();
            return code;
        }
    };
    let mut ui = Ui::new(cli.json, cli.no_color);
    match cli.command {
        Command::Check(args) => command::check::run(&args, &mut ui),
        Command::Knowledge(args) => command::knowledge::run(&args, &mut ui),
    }
}
