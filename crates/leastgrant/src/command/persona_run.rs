//! `leastgrant persona run FLOW`: walks a flow with personas, each in an agent process that is watched. Exit codes say how
//! it ended, so that a script needs no reading.

use std::path::PathBuf;

use leastgrant_core::conduct::walk::Ending;
use leastgrant_core::persona::flow::Problem;

use crate::agent::HookEnv;
use crate::conduct::cast::{No, Ran};
use crate::conduct::news;
use crate::conduct::stop::Stop;
use crate::conduct::worker::Kind;
use crate::conduct::{Cast, Wish};
use crate::exit::Exit;
use crate::install::place::Places;
use crate::install::terminal;
use crate::render::Ui;
use crate::render::words::{count, safe};

/// Arguments of `persona run`.
#[derive(clap::Args)]
pub struct Args {
    /// the flow: a file below `.leopold/persona/flows`, without `.md`
    flow: String,
    /// who walks, or `all`; may be given several times
    #[arg(long = "persona", value_name = "ID")]
    personas: Vec<String>,
    /// how many walk at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    parallel: u8,
    /// which agent enacts them
    #[arg(long, value_enum, default_value_t = Kind::ClaudeCode)]
    agent: Kind,
    /// the agent's program
    #[arg(long, value_name = "PATH")]
    agent_bin: Option<PathBuf>,
    /// fewer turns than the flow allows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: Option<u32>,
    /// seconds that one turn may take
    #[arg(long, value_name = "S", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    turn_timeout: u64,
    /// a server whose tools the personas may use; those that drive a browser unless named
    #[arg(long = "browser", value_name = "SERVER")]
    browsers: Vec<String>,
    /// refuse commits and pushes
    #[arg(long, value_name = "YES", default_value_t = true, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true")]
    lock_git: bool,
}

/// Runs.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    if let Some(mark) = terminal::inside_agent() {
        ui.error(&format!(
            "an agent runs this (`{mark}` is set); a persona run is started by a person or by a machine of theirs"
        ));
        return Exit::Impossible;
    }
    let wish = Wish {
        flow: args.flow.clone(),
        personas: args.personas.clone(),
        parallel: usize::from(args.parallel),
        kind: args.agent,
        program: args.agent_bin.clone(),
        max_turns: args.max_turns,
        turn_timeout: args.turn_timeout,
        lock_git: args.lock_git,
        servers: args.browsers.clone(),
    };
    let env = HookEnv::of_process();
    match Places::from_env(None) {
        Ok(places) => walk(Cast::prepare(&wish, &places, &env), &places, &env, ui),
        Err(why) => {
            ui.error(&why);
            Exit::Impossible
        }
    }
}

/// Walks a cast and says how it went.
pub(super) fn walk(cast: Result<Cast, No>, places: &Places, env: &HookEnv, ui: &mut Ui) -> Exit {
    let stop = match Stop::listening() {
        Ok(stop) => stop,
        Err(error) => {
            ui.error(&format!("signals cannot be heard: {error}"));
            return Exit::Impossible;
        }
    };
    match cast.and_then(|cast| cast.walk(places, env, &stop, ui)) {
        Ok(ran) => ended(&ran, ui),
        Err(No::Flow(path, problems)) => {
            tell(&path.display().to_string(), &problems, ui);
            Exit::Impossible
        }
        Err(No::Usage(why)) => {
            ui.error(&why);
            Exit::Usage
        }
        Err(No::Impossible(why)) => {
            ui.error(&why);
            Exit::Impossible
        }
    }
}

fn tell(path: &str, problems: &[Problem], ui: &mut Ui) {
    ui.error(&format!("`{path}` cannot be run"));
    for problem in problems {
        ui.error(&problem.to_string());
    }
}

fn ended(ran: &Ran, ui: &mut Ui) -> Exit {
    for trouble in &ran.troubles {
        ui.warn(trouble);
    }
    let exit = exit(ran);
    if exit == Exit::Interrupted {
        ui.hint(&format!("`leastgrant persona resume {}` goes on with it", ran.run.display()));
    }
    if !ui.json {
        let completed = ran.done.iter().filter(|done| matches!(done.ending, Ending::Completed(_))).count();
        ui.line(format!("{} of {} completed", completed, count(ran.done.len(), "journey", "journeys")));
        for done in ran.done.iter().filter(|done| !matches!(done.ending, Ending::Completed(_))) {
            ui.line(format!("  {}: {}", safe(&done.persona), news::word(&done.ending)));
        }
    }
    exit
}

/// The worst of all endings decides.
fn exit(ran: &Ran) -> Exit {
    let any = |is: fn(&Ending) -> bool| ran.done.iter().any(|done| is(&done.ending));
    if any(|ending| matches!(ending, Ending::Interrupted)) {
        return Exit::Interrupted;
    }
    if any(|ending| matches!(ending, Ending::Failed(_))) {
        return Exit::Failed;
    }
    if any(|ending| matches!(ending, Ending::Stopped { .. })) {
        return Exit::Stopped;
    }
    if ran.troubles.is_empty() { Exit::Ok } else { Exit::Bad }
}
