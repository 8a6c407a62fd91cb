//! `npx`, `bunx`, `pnpm dlx`, `uvx`, `pipx run`: a program of the project's packages, or one that is fetched to be run.

use crate::action::{Capability, Mark, Role};
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;
use crate::classify::verb::{self, runs_as};
use crate::knowledge;

/// Packages whose program has another name.
const PROGRAMS: &[(&str, &str)] = &[
    ("@biomejs/biome", "biome"),
    ("@angular/cli", "ng"),
    ("@playwright/test", "playwright"),
    ("@expo/cli", "expo"),
    ("@tailwindcss/cli", "tailwindcss"),
    ("@graphql-codegen/cli", "graphql-codegen"),
    ("@changesets/cli", "changeset"),
    ("typescript", "tsc"),
];

/// Families of tools that projects bring along.
const TOOLS: &[&str] = &["build", "test", "format"];

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some((argv, _)) = scene.command.take() else {
        if scene.nested.is_empty() {
            draft.opaque(Some(scene.span), "which package is run is not known");
        }
        draft.mark(Mark::FetchRun);
        return;
    };
    let Some(first) = argv.first() else { return };
    let rest = argv.get(1..).unwrap_or_default().to_vec();
    let Some(text) = first.exact() else {
        draft.mark(Mark::FetchRun);
        draft.opaque(Some(first.span), "which package is run is not known");
        return;
    };
    let (package, versioned) = match text.get(1..).and_then(|tail| tail.find('@')).map(|at| at + 1) {
        Some(at) => (text.get(..at).unwrap_or(text), true),
        None => (text, false),
    };
    let name = PROGRAMS.iter().find(|row| row.0 == package).map_or(package, |row| row.1);
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'));
    // a package that is named like a program of the system is not that program
    let known = plain && knowledge::program(name).is_some_and(|known| super::TOOLS.contains(&known.family));
    let node = matches!(verb::program(scene).as_str(), "npx" | "bunx" | "pnpx" | "npm" | "bun" | "pnpm" | "yarn");
    let other = parsed.has(&["-p", "--package"]);
    let here = node
        && !versioned
        && !other
        && plain
        && verb::find_up(scene, &[&format!("node_modules/.bin/{name}")]).is_some();
    let never = parsed.has(&["--no-install", "--no", "--offline"]) && node && !other;
    // without a package.json in sight the folder is not there to look at, and a project tool is judged by its name
    let unseen = verb::find_up(scene, &["package.json"]).is_none();
    let conventional = unseen && node && known && !versioned && !other && !parsed.has(&["-y", "--yes"]);
    let conventional = conventional && knowledge::program(name).is_some_and(|program| TOOLS.contains(&program.family));
    if here || never || conventional {
        draft.silent = true;
        draft.become_(Capability::Meta);
        if known {
            runs_as(scene, name, &rest);
        } else {
            draft.silent = false;
            draft.become_(Capability::Unknown);
            draft.opaque(Some(first.span), format!("nothing is known of `{name}`"));
        }
        return;
    }
    draft.mark(Mark::FetchRun);
    draft.note(&format!("fetches `{text}` if it is not there and runs it"));
    let package = Arg::text(text, first.span);
    crate::classify::draft::add_slot(draft, scene.world, &scene.cwd, &package, knowledge::Slot::Package);
    if known && !other && (!name.contains('/') || !versioned) {
        draft.silent = true;
        draft.targets.clear();
        runs_as(scene, name, &rest);
    } else {
        draft.opaque(Some(first.span), "fetches a package and runs it");
        for arg in rest.iter().filter(|arg| crate::classify::draft::looks_like_path(arg.prefix())) {
            verb::path(draft, scene, arg, Role::Read);
        }
    }
}
