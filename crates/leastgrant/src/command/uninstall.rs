//! `leastgrant uninstall`: takes our entries out again and nothing else.

use crate::exit::Exit;
use crate::install::dialect::{self, Dialect};
use crate::install::perform::{self, Done};
use crate::install::place::{Places, Scope};
use crate::install::record;
use crate::install::terminal;
use crate::install::work::{self, Request};
use crate::render::Ui;

use super::install::{Outcome, ScopeArgs, by_name, confirm, dry, now_ms, report_removed, show};

/// Arguments of `uninstall`.
#[derive(clap::Args)]
pub struct Args {
    /// agents to take the hook out of (default: all)
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// one agent to take the hook out of (may be given again)
    #[arg(long = "agent", value_name = "AGENT")]
    more: Vec<String>,
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
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    };
    let named: Vec<String> = args.agents.iter().chain(&args.more).cloned().collect();
    let mut dialects = match by_name(&named, ui) {
        Ok(dialects) => dialects,
        Err(exit) => return exit,
    };
    let scope = args.scope.scope();
    if dialects.is_empty() {
        dialects = everywhere(&places, scope);
    }
    if dialects.is_empty() {
        if !ui.json {
            ui.line(format!("no agent's {} settings hold anything of ours", scope.id()));
        }
        Outcome::default().print(ui);
        return Exit::Ok;
    }
    let person = terminal::person().is_ok();
    let mut outcome = Outcome::default();
    for dialect in dialects {
        let request = Request {
            dialect,
            scope,
            closed: true,
            force: false,
            strip: args.strip_comments,
            trust: false,
            program: None,
            person,
            now_ms: now_ms(),
        };
        one(args, &places, &request, ui, &mut outcome);
    }
    outcome.print(ui);
    outcome.exit()
}

/// Every agent that is wired in this scope, or was by us.
fn everywhere(places: &Places, scope: Scope) -> Vec<&'static dyn Dialect> {
    let records = record::all(&places.state_for(scope));
    let known = |dialect: &dyn Dialect| {
        let of = |record: &&record::Record| record.wiring.agent == dialect.agent() && record.wiring.scope == scope;
        let file = dialect.file(places, scope);
        records.iter().filter(of).any(|record| record.is_wired() && Ok(&record.wiring.file) == file.as_ref())
    };
    dialect::ALL
        .iter()
        .copied()
        .filter(|dialect| dialect::is_wired(*dialect, places, scope) || known(*dialect))
        .collect()
}

fn one(args: &Args, places: &Places, request: &Request, ui: &mut Ui, outcome: &mut Outcome) {
    let asks = request.person && !args.yes && !ui.json;
    let mut shown = match work::prepare_uninstall(places, request) {
        Ok(prepared) => prepared,
        Err(stop) => return outcome.stopped(ui, request, places, &stop),
    };
    if args.dry_run {
        return dry(ui, request, &shown, outcome);
    }
    let (prepared, done) = loop {
        if asks && !shown.plan.is_empty() {
            show(ui, &shown);
            if !confirm("write this?") {
                ui.line("nothing was written");
                return;
            }
        }
        match perform::uninstall(places, request, asks.then_some(&shown)) {
            Ok((_, Done::Moved(moved))) => {
                ui.warn("the file changed meanwhile; this is the new plan");
                shown = *moved;
            }
            Ok(finished) => break finished,
            Err(stop) => return outcome.stopped(ui, request, places, &stop),
        }
    };
    let elsewhere: Vec<Scope> = [Scope::User, Scope::Project, Scope::Local, Scope::Managed]
        .into_iter()
        .filter(|scope| dialect::is_wired(request.dialect, places, *scope))
        .filter(|scope| *scope != request.scope || !prepared.plan.is_empty())
        .collect();
    let kept = places.state.is_dir().then(|| places.state.clone());
    report_removed(ui, request, &prepared, &done, &elsewhere, kept.as_deref(), outcome);
}
