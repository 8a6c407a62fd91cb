//! `leastgrant doctor`: which bound is in force, what is amiss, and how to mend it. It starts every hook that is wired.

use std::path::PathBuf;

use crate::doctor::{self, Check, Group, Scene, Status, fix};
use crate::exit::Exit;
use crate::install::place::Places;
use crate::install::terminal;
use crate::render::{Ui, doctor as show};

use super::install::now_ms;

/// Arguments of `doctor`.
#[derive(clap::Args)]
pub struct Args {
    /// mend what is safe to mend, or the checks that are named
    #[arg(long, value_name = "CHECK", num_args = 0..)]
    fix: Option<Vec<String>>,
    /// a folder that stands for `/` (tests)
    #[arg(long, hide = true, value_name = "FOLDER")]
    root_prefix: Option<PathBuf>,
}

/// Examines, mends on request, and says what holds.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let places = match Places::from_env(args.root_prefix.as_deref()) {
        Ok(places) => places,
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    };
    let mut scene = Scene::look(places, now_ms());
    let mut checks = doctor::examine(&scene);
    let mut tried = Vec::new();
    if let Some(named) = &args.fix {
        let person = terminal::person();
        if let (Err(why), Some(mark)) = (&person, terminal::inside_agent()) {
            ui.error(&format!("doctor mends nothing from inside an agent (`{mark}` is set): {why}"));
            return Exit::Bad;
        }
        tried = fix::repair(&scene, &checks, named, person.is_ok());
        scene = Scene::look(scene.places, now_ms());
        checks = doctor::examine(&scene);
    }
    let bad = checks.iter().any(|check| check.status == Status::Bad) || tried.iter().any(|tried| tried.outcome.is_err());
    if ui.json {
        ui.json(&serde_json::json!({
            "ok": !bad,
            "checks": checks,
            "fixed": tried.iter().map(|tried| serde_json::json!({"id": tried.id, "error": tried.outcome.as_ref().err()})).collect::<Vec<_>>(),
        }));
    } else {
        for tried in &tried {
            match &tried.outcome {
                Ok(()) => ui.line(format!("mended: {}", tried.id)),
                Err(why) => ui.error(&format!("{}: {why}", tried.id)),
            }
        }
        for group in Group::ALL {
            let of_group: Vec<&Check> = checks.iter().filter(|check| check.group == group).collect();
            show::group(ui, group.id(), &of_group);
        }
        show::closing(ui, &checks);
    }
    if bad { Exit::Bad } else { Exit::Ok }
}
