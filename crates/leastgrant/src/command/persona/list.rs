//! `persona list`, `check` and `new`.

use leastgrant_core::persona::contract::Contract;
use leastgrant_core::persona::flow::Problem;
use serde_json::json;

use super::root;
use crate::exit::Exit;
use crate::install::place::Places;
use crate::persona::files::{self, Module};
use crate::render::{Ui, words};

/// Arguments of `check`.
#[derive(clap::Args)]
pub(super) struct CheckArgs {
    /// flows or personas; all where none is named
    names: Vec<String>,
}

/// Arguments of `new`.
#[derive(clap::Args)]
pub(super) struct NewArgs {
    /// what to make
    #[arg(value_enum)]
    kind: Kind,
    /// its name, which becomes part of a path
    name: String,
}

/// What can be made.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// a flow
    Flow,
    /// a persona's contract
    Persona,
}

/// Lists flows and personas with whether they can be run.
pub(super) fn list(places: &Places, ui: &mut Ui) -> Exit {
    let module = Module::look(&root(places));
    if ui.json {
        let flows: Vec<_> =
            module.flows.iter().map(|file| json!({ "name": file.name, "runs": file.flow.is_ok() })).collect();
        let personas: Vec<_> =
            module.contracts.iter().map(|file| json!({ "id": file.id, "status": status(&file.contract) })).collect();
        ui.json(&json!({ "flows": flows, "personas": personas }));
        return Exit::Ok;
    }
    if module.flows.is_empty() && module.contracts.is_empty() {
        ui.line("nothing to run here yet");
        ui.hint("`leastgrant persona new flow NAME` and `leastgrant persona new persona NAME` make a start");
        return Exit::Ok;
    }
    for file in &module.contracts {
        ui.line(format!("persona {}  {}", words::safe(&file.id), status(&file.contract)));
    }
    for file in &module.flows {
        let text = match &file.flow {
            Ok(flow) => {
                let hosts: Vec<&str> = flow.bounds.allowlist.hosts().collect();
                format!("{}, at most {}", hosts.join(", "), words::count(flow.max_turns as usize, "turn", "turns"))
            }
            Err(problems) => {
                format!("INVALID: {}", problems.first().map(|problem| problem.text.as_str()).unwrap_or_default())
            }
        };
        ui.line(format!("flow {}  {text}", words::safe(&file.name)));
    }
    Exit::Ok
}

fn status(contract: &Result<Contract, Problem>) -> &'static str {
    match contract {
        Ok(Contract::Ready) => "ready",
        Ok(Contract::Skipped(unready)) => unready.id(),
        Err(_) => "INVALID",
    }
}

/// Checks files and names each error with its line.
pub(super) fn check(args: &CheckArgs, places: &Places, ui: &mut Ui) -> Exit {
    let module = Module::look(&root(places));
    let wanted = |name: &str| args.names.is_empty() || args.names.iter().any(|wanted| wanted == name);
    let mut known = Vec::new();
    let mut found = Vec::new();
    for file in module.flows.iter().filter(|file| wanted(&file.name)) {
        known.push(file.name.as_str());
        found.extend(file.flow.iter().map(|_| (&file.path, None)));
        found.extend(file.flow.as_ref().err().into_iter().flatten().map(|problem| (&file.path, Some(problem))));
    }
    for file in module.contracts.iter().filter(|file| wanted(&file.id)) {
        known.push(file.id.as_str());
        found.push((&file.path, file.contract.as_ref().err()));
    }
    let missing: Vec<&String> = args.names.iter().filter(|name| !known.contains(&name.as_str())).collect();
    let bad = !missing.is_empty() || found.iter().any(|(_, problem)| problem.is_some());
    if ui.json {
        let problems: Vec<_> = found
            .iter()
            .filter_map(|(path, problem)| {
                let problem = (*problem)?;
                Some(json!({ "file": path, "line": problem.line, "problem": problem.text, "fix": problem.fix }))
            })
            .collect();
        ui.json(&json!({ "ok": !bad, "problems": problems, "unknown": missing }));
        return if bad { Exit::Bad } else { Exit::Ok };
    }
    for (path, problem) in &found {
        match problem {
            None => ui.line(format!("{}: can be run", places.short(path))),
            Some(problem) => {
                ui.error(&format!("{}, line {}: {}", places.short(path), problem.line, problem.text));
                ui.hint(&problem.fix);
            }
        }
    }
    for name in missing {
        ui.error(&format!("there is no flow or persona `{}`", words::safe(name)));
    }
    if bad { Exit::Bad } else { Exit::Ok }
}

/// Makes a file from a template.
pub(super) fn new(args: &NewArgs, places: &Places, ui: &mut Ui) -> Exit {
    let root = root(places);
    let made = match args.kind {
        Kind::Flow => files::new_flow(&root, &args.name),
        Kind::Persona => files::new_persona(&root, &args.name),
    };
    match made {
        Ok(path) if ui.json => ui.json(&json!({ "file": path })),
        Ok(path) => {
            ui.line(format!("`{}` is there: fill it in", places.short(&path)));
            ui.hint("`leastgrant persona check` says what is missing");
        }
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    }
    Exit::Ok
}
