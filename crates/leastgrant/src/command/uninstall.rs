//! `leastgrant uninstall`: takes our entries out again and nothing else.

use crate::exit::Exit;
use crate::install::claude_code;
use crate::install::claude_code::AGENT;
use crate::install::perform::{self, Done};
use crate::install::place::Scope;
use crate::install::terminal;
use crate::install::work::{self, Request, Stop};
use crate::render::Ui;

use super::install::{ScopeArgs, confirm, dry, now_ms, report_removed, show, stopped};

/// Arguments of `uninstall`.
#[derive(clap::Args)]
pub struct Args {
    /// agents to take the hook out of (default: all)
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// take comments and trailing commas out of the file first, shown in the diff
    #[arg(long)]
    strip_comments: bool,
    /// don't ask
    #[arg(long, short)]
    yes: bool,
}

/// Uninstalls.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let places = match args.scope.places() {
        Ok(places) => places,
        Err(why) => return stopped(ui, &Stop::Failed(why), None),
    };
    if let Some(unknown) = args.agents.iter().find(|name| *name != AGENT && *name != "all") {
        ui.error(&format!("`{}` is not an agent that leastgrant can wire", crate::render::words::safe(unknown)));
        return Exit::Usage;
    }
    let request = Request {
        scope: args.scope.scope(),
        closed: true,
        force: false,
        strip: args.strip_comments,
        program: None,
        person: terminal::person().is_ok(),
        now_ms: now_ms(),
    };
    let asks = request.person && !args.yes && !ui.json;
    let mut shown = match work::prepare_uninstall(&places, &request) {
        Ok(prepared) => prepared,
        Err(stop) => return stopped(ui, &stop, Some((&places, request.scope))),
    };
    if args.dry_run {
        return dry(ui, &request, &shown);
    }
    let (prepared, done) = loop {
        if asks && !shown.plan.is_empty() {
            show(ui, &shown);
            if !confirm("write this?") {
                ui.line("nothing was written");
                return Exit::Ok;
            }
        }
        match perform::uninstall(&places, &request, asks.then_some(&shown)) {
            Ok((_, Done::Moved(moved))) => {
                ui.warn("the file changed meanwhile; this is the new plan");
                shown = *moved;
            }
            Ok(finished) => break finished,
            Err(stop) => return stopped(ui, &stop, Some((&places, request.scope))),
        }
    };
    let elsewhere: Vec<Scope> = [Scope::User, Scope::Project, Scope::Local, Scope::Managed]
        .into_iter()
        .filter(|scope| *scope != request.scope && claude_code::is_wired(&places.settings(*scope)))
        .collect();
    let kept = places.state.is_dir().then(|| places.state.clone());
    report_removed(ui, &request, &prepared, &done, &elsewhere, kept.as_deref());
    Exit::Ok
}
