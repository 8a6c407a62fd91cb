//! `persona wire` and `unwire`: the guard in the settings of every agent that has a home here.

use serde_json::json;

use super::root;
use crate::agent::HookEnv;
use crate::command::install::now_ms;
use crate::exit::Exit;
use crate::install::find;
use crate::install::place::Places;
use crate::persona::owners::Owner;
use crate::persona::wiring::{self, Done, Guard, Harness, Target};
use crate::render::Ui;

/// Arguments of `wire`.
#[derive(clap::Args)]
pub(super) struct WireArgs {
    /// wire a program that will not be there for long
    #[arg(long)]
    force: bool,
    /// also tell Codex that you trust this hook; without that it does not run until you review it there
    #[arg(long)]
    trust_codex: bool,
}

/// Wires.
pub(super) fn wire(args: &WireArgs, places: &Places, ui: &mut Ui) -> Exit {
    let program = match find::own_program(None) {
        Ok(program) => program,
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    };
    if let Some(why) = find::short_lived(&program).filter(|_| !args.force) {
        ui.error(&format!("{why}: install the program first, or say --force"));
        return Exit::Usage;
    }
    let timeout = find::timeout();
    let guard = Guard { program, timeout, trust: args.trust_codex };
    let owner = Owner::of_project(&root(places), now_ms());
    each(
        places,
        ui,
        |target| wiring::wire(&places.state, target, &guard, &owner),
        |target, ui| {
            if target.harness == Harness::Codex && !args.trust_codex {
                ui.hint("Codex runs a hook only after you reviewed it: start `codex` once, or `leastgrant persona wire --trust-codex`");
            }
        },
    )
}

/// Unwires.
pub(super) fn unwire(places: &Places, ui: &mut Ui) -> Exit {
    let owner = Owner::of_project(&root(places), now_ms());
    each(places, ui, |target| wiring::unwire(&places.state, target, &owner.id), |_, _| {})
}

fn each(
    places: &Places,
    ui: &mut Ui,
    mut work: impl FnMut(&Target) -> Result<Done, String>,
    mut after: impl FnMut(&Target, &mut Ui),
) -> Exit {
    let mut failed = false;
    let mut told = Vec::new();
    let mut any = false;
    for target in Target::all(places, &HookEnv::of_process()) {
        if !target.is_there() {
            if find::on_path(target.harness.program()).is_some() && !ui.json {
                ui.warn(&format!(
                    "{}: `{}` is not there yet and is not made: start it once",
                    target.harness.name(),
                    places.short(&target.home)
                ));
            }
            continue;
        }
        any = true;
        let outcome = work(&target);
        failed |= outcome.is_err();
        if ui.json {
            told.push(json!({
                "agent": target.harness.id(), "file": target.file,
                "done": outcome.as_ref().ok().map(said), "error": outcome.as_ref().err(),
            }));
            continue;
        }
        match &outcome {
            Ok(done) => {
                ui.line(format!("{}: {} (`{}`)", target.harness.name(), said(done), places.short(&target.file)));
                after(&target, ui);
            }
            Err(why) => ui.error(&format!("{}: {why}", target.harness.name())),
        }
    }
    if ui.json {
        ui.json(&told);
    } else if !any {
        ui.warn("no agent has a home here: nothing was done");
    }
    if failed { Exit::Bad } else { Exit::Ok }
}

fn said(done: &Done) -> String {
    match done {
        Done::Wired => String::from("the guard is wired"),
        Done::Already => String::from("the guard was wired already"),
        Done::Restored => String::from("the guard is out, and the file is byte for byte what it was"),
        Done::Removed => String::from("the guard is out; later edits by others are kept"),
        Done::Kept(owners) => format!("the guard stays, for others want it: {}", owners.join(", ")),
        Done::Nothing => String::from("there was no guard"),
    }
}
