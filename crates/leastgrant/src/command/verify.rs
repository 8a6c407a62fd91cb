//! `leastgrant verify`: runs the agent that is installed here against a scripted model and a stub MCP server, without a
//! network, and holds what it does against what is recorded. It touches no settings of the person's.

mod fact;
pub mod keep;

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use leastgrant_live::agent::{self, Driver};
use leastgrant_live::find::{self, Found};
use leastgrant_live::isolate;
use leastgrant_live::receipt::Receipt;
use leastgrant_live::scenario::{self, Scenario};
use leastgrant_live::suite::{self, Suite};
use leastgrant_live::{probe, stub};

use crate::exit::Exit;
use crate::install::place::Places;
use crate::render::{Ui, verify as show, words};

/// The words that turn this program into a part of a session.
const PART: [&str; 2] = ["verify", "--part"];
/// Set inside the private network; a person has no reason to.
const INSIDE: &str = "--inside";

/// Arguments of `verify`.
#[derive(clap::Args)]
pub struct Args {
    /// agents to run (default: those found on this machine)
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// the agent's program, where it is not the one on PATH
    #[arg(long, value_name = "PATH")]
    agent_bin: Option<PathBuf>,
    /// only claims that begin so
    #[arg(long, value_name = "CLAIM", num_args = 1)]
    only: Vec<String>,
    /// keep what this version does as a record of this machine, for doctor and the hook
    #[arg(long)]
    record: bool,
    /// run without a private network, where the machine forbids one
    #[arg(long)]
    no_netns: bool,
    /// list the claims and run nothing
    #[arg(long)]
    list: bool,
    /// write the receipt here too, as it is kept in a repository
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
    /// sessions at a time
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// keep every session's folder here
    #[arg(long, hide = true, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// measure this program instead of this one
    #[arg(long, hide = true, value_name = "PATH")]
    program: Option<PathBuf>,
    /// this is the run inside the private network
    #[arg(long, hide = true)]
    inside: bool,
    /// be a part of a session
    #[arg(long, hide = true, num_args = 1.., value_name = "WORD")]
    part: Vec<String>,
}

/// Runs, shows and keeps the proof.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    if !args.part.is_empty() {
        return part(&args.part);
    }
    let agents = match agents(args) {
        Ok(agents) => agents,
        Err(why) => {
            ui.error(&why);
            return Exit::Usage;
        }
    };
    if args.list {
        return list(&agents, ui);
    }
    if !args.inside && !args.no_netns {
        return enter(ui);
    }
    let mut worst = Exit::Ok;
    let mut receipts = Vec::new();
    for (driver, found) in agents {
        match measure(args, driver, found, ui) {
            Ok(receipt) => {
                if receipt.drift().next().is_some() {
                    worst = Exit::Bad;
                }
                receipts.push(receipt);
            }
            Err(why) => {
                ui.error(&format!("{}: {why}", driver.id()));
                worst = Exit::Bad;
            }
        }
    }
    if ui.json {
        ui.json(&receipts);
    }
    worst
}

/// Probe or stub, for the sessions of a run.
fn part(words: &[String]) -> Exit {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let code = match words.as_slice() {
        ["probe", folder, label] => probe::main(Path::new(folder), label),
        ["stub", log] => stub::main(Path::new(log)),
        _ => return Exit::Usage,
    };
    Exit::Code(code)
}

/// The agents that are meant, and where they are.
fn agents(args: &Args) -> Result<Vec<(&'static dyn Driver, Found)>, String> {
    let known = || agent::ids().join("`, `");
    let mut out = Vec::new();
    for name in &args.agents {
        let driver = agent::driver(name)
            .ok_or_else(|| format!("`{}` can't be run by verify; it can run `{}`", words::safe(name), known()))?;
        out.push((driver, find::find(driver, args.agent_bin.as_deref())?));
    }
    if args.agents.is_empty() {
        if args.agent_bin.is_some() {
            return Err(format!("say which agent `--agent-bin` is: `{}`", known()));
        }
        let all = agent::ids().into_iter().filter_map(agent::driver);
        out.extend(all.filter_map(|driver| find::find(driver, None).ok().map(|found| (driver, found))));
        if out.is_empty() {
            return Err(format!("none of `{}` was found on PATH", known()));
        }
    } else if args.agent_bin.is_some() && out.len() > 1 {
        return Err(String::from("`--agent-bin` goes with one agent"));
    }
    Ok(out)
}

/// The same command again, where there is no network.
fn enter(ui: &mut Ui) -> Exit {
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let at = words.iter().position(|word| word == "verify").map_or(words.len(), |at| at + 1);
    words.insert(at, OsString::from(INSIDE));
    let entered = std::env::current_exe()
        .map_err(|error| error.to_string())
        .and_then(|program| isolate::reenter(&program, &words));
    match entered {
        Ok(status) if status.code() == Some(0) => Exit::Ok,
        Ok(status) if status.code() == Some(2) => Exit::Usage,
        Ok(status) if status.code().is_some() => Exit::Bad,
        Ok(status) => {
            ui.error(&format!("the run ended by signal {}", status.signal().unwrap_or_default()));
            Exit::Bad
        }
        Err(why) => {
            ui.error(&format!("this machine allows no private network: {why}"));
            ui.hint("`--no-netns` runs with loopback addresses and dead proxies; the receipt then says `not isolated`");
            Exit::Bad
        }
    }
}

fn list(agents: &[(&'static dyn Driver, Found)], ui: &mut Ui) -> Exit {
    for (driver, _) in agents {
        match scenario::of(driver.id()) {
            Ok(all) => show::claims(ui, driver.id(), &all),
            Err(why) => {
                ui.error(&why);
                return Exit::Bug;
            }
        }
    }
    Exit::Ok
}

fn measure(args: &Args, driver: &'static dyn Driver, found: Found, ui: &mut Ui) -> Result<Receipt, String> {
    let mut scenarios: Vec<Scenario> = scenario::of(driver.id())?;
    if scenarios.is_empty() {
        return Err(String::from("there are no scenarios, so nothing would be proved"));
    }
    if !args.only.is_empty() {
        scenarios.retain(|scenario| args.only.iter().any(|only| scenario.claim.starts_with(only.as_str())));
        if scenarios.is_empty() {
            return Err(format!(
                "no claim begins with `{}`; `--list` shows them",
                words::safe(&args.only.join("`, `"))
            ));
        }
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let date: String = jiff::Timestamp::now().to_string().chars().take(10).collect();
    let suite = Suite {
        driver,
        found,
        scenarios,
        product: args.program.clone().unwrap_or_else(|| own.clone()),
        own,
        part: PART.map(str::to_owned).to_vec(),
        leastgrant: env!("CARGO_PKG_VERSION"),
        date: &date,
        at_once: args.jobs,
        recorded: &|scenario, version| fact::recorded(driver.id(), scenario.fact.as_deref()?, version),
        keep: args.keep.as_ref().map(|keep| keep.join(driver.id())),
    };
    let progress = Mutex::new(&mut *ui);
    let receipt = suite::run(&suite, &|row, done, all| {
        show::progress(&mut progress.lock().unwrap_or_else(PoisonError::into_inner), row, done, all);
    })?;
    if !ui.json {
        show::receipt(ui, &receipt);
    }
    // a part of the claims is no proof of the version
    if args.only.is_empty() {
        let places = Places::from_env(None)?;
        let file = keep::receipt(&places.state, &receipt)?;
        if !ui.json {
            ui.hint(&format!("the receipt is `{}`", places.short(&file)));
        }
        if args.record {
            let file = keep::record(&places.state, &receipt)?;
            ui.hint(&format!("what this version does is recorded in `{}`", places.short(&file)));
        }
    }
    if let Some(file) = &args.receipt {
        keep::write(file, &receipt.small())?;
    }
    Ok(receipt)
}
