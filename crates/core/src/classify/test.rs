//! Test runners: plugins, wrapped commands, and tests that are not the project's.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::script;
use super::usage::Parsed;
use super::verb::{self, runs, runs_as, words};
use crate::action::Capability;
use crate::path::{self, Zone};

pub(super) const CODES: &[(&str, Code)] =
    &[("test.plugin", plugin), ("test.outside", outside), ("test.coverage", coverage), ("test.runner", runner)];

/// `-p NAME` loads a plugin; `-p no:NAME` does not. `-o addopts=…` is options again.
fn plugin(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| matches!(found.name.as_str(), "-p" | "-o")) {
        let Some(value) = &found.value else { continue };
        let harmless = match (found.name.as_str(), value.exact()) {
            ("-p", Some(text)) => {
                text.starts_with("no:")
                    || matches!(text, "xdist" | "pytest_cov" | "pytest_asyncio" | "pytester" | "randomly")
            }
            ("-o", Some(text)) => ["log_cli", "cache_dir", "asyncio_", "log_", "console_output_style", "junit_"]
                .iter()
                .any(|start| text.starts_with(start)),
            _ => false,
        };
        if !harmless {
            draft.opaque(Some(value.span), "a plugin or setting that loads code");
        }
    }
}

/// Tests are code that is run: files outside the project are not the project's tests.
pub(super) fn outside(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for (_, arg) in &parsed.operands {
        let text = arg.prefix();
        let text = text.split_once("::").map_or(text, |split| split.0);
        if !draft::looks_like_path(text) || text.starts_with("./...") {
            continue;
        }
        // in a folder that is not known a name says as little as no name
        let climbs = text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..");
        for folder in draft::folders(&scene.cwd).into_iter().filter(|folder| folder.is_some() || climbs) {
            if path::place(scene.world, folder, text).zone != Zone::Project {
                draft.opaque(Some(arg.span), format!("`{}` is not in the project, and would be run", arg.shown()));
            }
        }
    }
}

/// `coverage run [-m MODULE | FILE]`
fn coverage(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let program = verb::program(scene);
    if !program.ends_with("coverage") {
        outside(draft, parsed, scene);
        return;
    }
    match words.first().copied().unwrap_or_default() {
        "run" => {
            let rest: Vec<Arg> = parsed.operands.iter().skip(1).map(|operand| operand.1.clone()).collect();
            if let Some(module) = parsed.value(&["-m"]) {
                let mut args = vec![Arg::text("-m", module.span), module.clone()];
                args.extend(rest);
                draft.silent = true;
                runs_as(scene, "python", &args);
            } else if let Some(file) = rest.first() {
                draft.become_(Capability::Unknown);
                script::file(draft, scene, file, rest.get(1..).unwrap_or_default(), Some(parsed));
            } else {
                verb::unknown(draft, scene, "which program is run is not known");
            }
        }
        "erase" => draft.become_(Capability::DeleteKnown),
        _ => {}
    }
}

/// `nyc CMD…`, `c8 CMD…` measure another command; the rest are tests of the project.
fn runner(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if matches!(verb::program(scene).as_str(), "nyc" | "c8") {
        let own = words(parsed)
            .first()
            .is_some_and(|word| matches!(*word, "report" | "check-coverage" | "merge" | "instrument"));
        let start = parsed.operands.first().map(|operand| operand.1.span.start);
        let rest: Vec<Arg> = parsed.args.iter().skip_while(|arg| Some(arg.span.start) != start).cloned().collect();
        if !own && !rest.is_empty() {
            draft.silent = true;
            runs(scene, rest);
        }
        return;
    }
    outside(draft, parsed, scene);
}
