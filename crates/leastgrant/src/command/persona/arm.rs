//! `persona arm` and `disarm`: what bounds the agents here is a person's to say.

use serde_json::json;

use super::root;
use crate::agent::HookEnv;
use crate::command::install::now_ms;
use crate::exit::Exit;
use crate::install::place::Places;
use crate::install::terminal;
use crate::persona::arm::{PERSON, Stop, Yard};
use crate::render::Ui;
use crate::world::Real;

/// Arguments of `arm`.
#[derive(clap::Args)]
pub(super) struct ArmArgs {
    /// the flow, by name
    flow: String,
}

/// Arguments of `disarm`.
#[derive(clap::Args)]
pub(super) struct DisarmArgs {
    /// also a run that is somebody else's, or that a conductor still holds
    #[arg(long)]
    force: bool,
}

fn person(what: &str, ui: &mut Ui) -> bool {
    match terminal::person() {
        Ok(()) => true,
        Err(why) => {
            ui.error(&format!("only a person at a terminal can {what} a project: {why}"));
            false
        }
    }
}

fn stopped(stop: Stop, places: &Places, ui: &mut Ui) -> Exit {
    match stop {
        Stop::Refused(why) => ui.error(&why),
        Stop::Flow(file, problems) => {
            for problem in problems {
                ui.error(&format!("{}, line {}: {}", places.short(&file), problem.line, problem.text));
                ui.hint(&problem.fix);
            }
        }
    }
    Exit::Bad
}

/// Arms.
pub(super) fn arm(args: &ArmArgs, places: &Places, ui: &mut Ui) -> Exit {
    if !person("arm", ui) {
        return Exit::Bad;
    }
    let root = root(places);
    let world = Real::of(&HookEnv::of_process(), &root.to_string_lossy(), std::collections::HashSet::new());
    let yard = Yard { state: &places.state, world: &world, root: &root };
    let started = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    match yard.arm(&args.flow, PERSON, now_ms(), &started) {
        Ok((armed, flow)) => {
            let hosts: Vec<&str> = flow.bounds.allowlist.hosts().collect();
            if ui.json {
                ui.json(&json!({ "armed": armed, "hosts": hosts }));
            } else {
                ui.line(format!("armed: navigation here stays on {} (flow `{}`)", hosts.join(", "), flow.bounds.name));
                ui.hint("`leastgrant persona wire` puts the guard into the agents' settings; `leastgrant doctor` says what holds");
                ui.hint("`leastgrant persona disarm` ends it");
            }
            Exit::Ok
        }
        Err(stop) => stopped(stop, places, ui),
    }
}

/// Disarms.
pub(super) fn disarm(args: &DisarmArgs, places: &Places, ui: &mut Ui) -> Exit {
    if !person("disarm", ui) {
        return Exit::Bad;
    }
    let root = root(places);
    let world = Real::of(&HookEnv::of_process(), &root.to_string_lossy(), std::collections::HashSet::new());
    let yard = Yard { state: &places.state, world: &world, root: &root };
    match yard.disarm(PERSON, args.force, now_ms()) {
        Ok(gone) if ui.json => ui.json(&json!({ "removed": gone })),
        Ok(gone) if gone.is_empty() => ui.line("nothing was armed here"),
        Ok(_) => ui.line("disarmed: navigation here is no longer bounded"),
        Err(stop) => return stopped(stop, places, ui),
    }
    Exit::Ok
}
