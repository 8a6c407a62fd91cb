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
    /// choose what may pass from the start
    Init(command::init::Args),
    /// judge a command without running it
    Check(command::check::Args),
    /// which bound is in force, what is amiss, and how to mend it
    Doctor(command::doctor::Args),
    /// put the hook into agents' settings
    Install(command::install::Args),
    /// persona runs: navigation stays inside a flow's allowlist
    Persona(command::persona::Args),
    /// ask and refuse nothing but what protects leastgrant itself, for a while
    Pause(command::pause::Args),
    /// end a pause
    Resume(command::resume::Args),
    /// take the hook out of agents' settings again
    Uninstall(command::uninstall::Args),
    /// play a recorded session through the real hook in a throwaway home
    Demo(command::demo::Args),
    /// let a call pass from now on
    Allow(command::rule::Args),
    /// have a call asked about from now on
    Ask(command::rule::Args),
    /// hold a call from now on
    Deny(command::rule::Args),
    /// take rules back
    Forget(command::forget::Args),
    /// list all rules, or test a call against them
    Rules(command::rules::Args),
    /// run the installed agent without a network and hold what it does against what is recorded
    Verify(command::verify::Args),
    /// let a project's own rules loosen as well as tighten, as they stand now
    Trust(command::trust::Args),
    /// what passes unasked, what does not yet, and why
    Status(command::status::Args),
    /// why a call was answered as it was
    Why(command::why::Args),
    /// what happened, in order
    Trail(command::trail::Args),
    /// what another posture or other rules would have done
    Simulate(command::simulate::Args),
    /// show and change settings
    Config(command::config::Args),
    /// check, export, erase and compact what is recorded
    Ledger(command::ledger::Args),
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
        Command::Init(args) => command::init::run(&args, &mut ui),
        Command::Allow(args) => command::allow::run(&args, &mut ui),
        Command::Deny(args) => command::deny::run(&args, &mut ui),
        Command::Forget(args) => command::forget::run(&args, &mut ui),
        Command::Rules(args) => command::rules::run(&args, &mut ui),
        Command::Ask(args) => command::ask::run(&args, &mut ui),
        Command::Trust(args) => command::trust::run(&args, &mut ui),
        Command::Status(args) => command::status::run(&args, &mut ui),
        Command::Why(args) => command::why::run(&args, &mut ui),
        Command::Trail(args) => command::trail::run(&args, &mut ui),
        Command::Simulate(args) => command::simulate::run(&args, &mut ui),
        Command::Config(args) => command::config::run(&args, &mut ui),
        Command::Ledger(args) => command::ledger::run(&args, &mut ui),
        Command::Check(args) => command::check::run(&args, &mut ui),
        Command::Doctor(args) => command::doctor::run(&args, &mut ui),
        Command::Install(args) => command::install::run(&args, &mut ui),
        Command::Persona(args) => command::persona::run(&args, &mut ui),
        Command::Pause(args) => command::pause::run(&args, &mut ui),
        Command::Resume(args) => command::resume::run(&args, &mut ui),
        Command::Uninstall(args) => command::uninstall::run(&args, &mut ui),
        Command::Demo(args) => command::demo::run(&args, &mut ui),
        Command::Verify(args) => command::verify::run(&args, &mut ui),
        Command::Knowledge(args) => command::knowledge::run(&args, &mut ui),
    }
}
