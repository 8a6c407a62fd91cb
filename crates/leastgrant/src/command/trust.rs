//! `leastgrant trust`: a project's own rules may loosen too, as they stand now. Any change of the file undoes it.

use leastgrant_core::rule::{Effect, Layer, parse};

use super::past::Here;
use super::rule::{person, styled};
use crate::exit::Exit;
use crate::render::{Ui, theme, words};
use crate::store::event::Event;
use crate::store::policy::{MAX, PROJECT};

/// Arguments of `trust`.
#[derive(clap::Args)]
pub struct Args {
    /// trust it no more
    #[arg(long)]
    undo: bool,
}

/// Shows what would count, and keeps the content's digest.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    match trust(args, ui) {
        Ok(exit) => exit,
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

fn trust(args: &Args, ui: &mut Ui) -> Result<Exit, String> {
    let here = Here::find();
    person(&here.env)?;
    let project = here.project.as_deref().ok_or("this folder is no project")?;
    let path = std::path::Path::new(project).join(PROJECT);
    if args.undo {
        here.store.trust(project, None)?;
        let _ = here
            .store
            .append(&Event::new("policy-written", here.now).in_project(Some(project)).noting("no longer trusted"));
        ui.line(format!("`{}` only tightens from now on", words::safe(&path.display().to_string())));
        return Ok(Exit::Ok);
    }
    let bytes = std::fs::read(&path).map_err(|fault| format!("`{}`: {fault}", path.display()))?;
    if bytes.len() as u64 > MAX {
        return Err(format!("`{}` is too long", path.display()));
    }
    let text = String::from_utf8(bytes.clone()).map_err(|_| format!("`{}` is not UTF-8", path.display()))?;
    let (rules, problems) = parse(&text, PROJECT, Layer::Trusted);
    for problem in &problems {
        ui.warn(&problem.to_string());
    }
    if !problems.is_empty() {
        return Err(String::from("it cannot be read in full, so it is not trusted"));
    }
    here.store.trust(project, Some(&bytes))?;
    let _ = here.store.append(&Event::new("policy-written", here.now).in_project(Some(project)).noting("trusted"));
    if ui.json {
        ui.json(&serde_json::json!({ "project": project, "rules": rules.iter().map(super::rule::json).collect::<Vec<_>>() }));
        return Ok(Exit::Ok);
    }
    for rule in &rules {
        ui.line(format!("{} {}", styled(rule.effect), words::safe(&rule.shown())));
    }
    let loosens = rules.iter().filter(|rule| rule.effect == Effect::Allow).count();
    let text = format!("{} of them loosen; trusted as it stands, until the file changes", loosens);
    ui.line(theme::paint(theme::DIM, &text));
    Ok(Exit::Ok)
}
