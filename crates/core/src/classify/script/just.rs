//! `just RECIPE`: recipes and their dependencies of the justfile in the project.

use std::collections::{BTreeMap, BTreeSet};

use leastgrant_shell::Cwd;

use super::{body, by_name, nearest};
use crate::action::Capability;
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;

/// One recipe: parameters, dependencies, lines.
#[derive(Debug, Default)]
struct Recipe {
    parameters: Vec<String>,
    before: Vec<String>,
    lines: Vec<String>,
}

/// The recipes named by the operands, or the first one.
pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some((file, folder)) = nearest(scene.world, &scene.cwd, &["justfile", "Justfile", ".justfile"]) else {
        parsed
            .operands
            .iter()
            .filter(|(_, task)| !task.prefix().contains('='))
            .for_each(|(_, task)| by_name(draft, task));
        if parsed.operands.is_empty() {
            draft.become_(Capability::Inspect);
        }
        return;
    };
    let (recipes, first) = match read(&file.text) {
        Ok(read) => read,
        Err(what) => {
            draft.opaque(Some(scene.span), format!("a justfile with `{what}`"));
            return;
        }
    };
    let mut open: Vec<String> = Vec::new();
    let mut words = parsed.operands.iter().map(|operand| &operand.1);
    while let Some(arg) = words.next() {
        let Some(name) = arg.exact() else {
            draft.opaque(Some(arg.span), "which recipe is run is not known");
            return;
        };
        open.push(name.to_owned());
        // arguments of the recipe stand before the next recipe's name
        if recipes.get(name).is_some_and(|recipe| !recipe.parameters.is_empty()) {
            if words.clone().any(|word| word.exact().is_none_or(|word| recipes.contains_key(word))) {
                draft.opaque(Some(arg.span), "what is an argument and what a recipe is not known");
            }
            break;
        }
    }
    if parsed.operands.is_empty() {
        open.extend(first);
    }
    let wanted = open.first().cloned().unwrap_or_default();
    let mut done = BTreeSet::new();
    let mut text = String::new();
    while let Some(name) = open.pop() {
        if !done.insert(name.clone()) {
            continue;
        }
        let Some(recipe) = recipes.get(&name) else {
            by_name(draft, &Arg::text(&name, scene.span));
            return;
        };
        open.extend(recipe.before.iter().cloned());
        for line in &recipe.lines {
            text.push_str(&interpolated(line.trim_start_matches(['@', '-', ' ', '\t'])));
            text.push('\n');
        }
        if recipe.lines.first().is_some_and(|line| line.trim_start().starts_with("#!")) {
            draft.opaque(Some(scene.span), format!("the recipe `{name}` is in another language"));
            return;
        }
    }
    body(draft, scene, &wanted, text, file.hash, Cwd::At(folder));
}

/// `{{ … }}` is a value that is not known here.
fn interpolated(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("{{") {
        out.push_str(rest.get(..at).unwrap_or_default());
        out.push_str("\"$LEASTGRANT_UNKNOWN\"");
        rest = rest.get(at..).and_then(|tail| tail.find("}}").and_then(|end| tail.get(end + 2..))).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn read(text: &str) -> Result<(BTreeMap<String, Recipe>, Option<String>), String> {
    let mut recipes: BTreeMap<String, Recipe> = BTreeMap::new();
    let mut first = None;
    let mut current: Option<String> = None;
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some(recipe) = current.as_ref().and_then(|name| recipes.get_mut(name)) {
                recipe.lines.push(line.to_owned());
            }
            continue;
        }
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') || line.starts_with('[') {
            continue;
        }
        let word = line.split_whitespace().next().unwrap_or_default();
        if matches!(word, "import" | "mod" | "import?" | "mod?") || line.contains('`') || line.contains("shell(") {
            return Err(word.to_owned());
        }
        if word == "set" || word == "export" || word == "alias" || line.contains(":=") {
            if line.contains("shell") {
                return Err(String::from("set shell"));
            }
            current = None;
            continue;
        }
        let Some((head, before)) = line.split_once(':') else {
            current = None;
            continue;
        };
        let mut words = head.trim_start_matches('@').split_whitespace();
        let name = words.next().unwrap_or_default().to_owned();
        let recipe = Recipe {
            parameters: words.map(str::to_owned).collect(),
            before: before
                .split("&&")
                .flat_map(str::split_whitespace)
                .map(|word| word.trim_matches(['(', ')']).to_owned())
                .collect(),
            lines: Vec::new(),
        };
        if first.is_none() && recipe.parameters.is_empty() {
            first = Some(name.clone());
        }
        recipes.insert(name.clone(), recipe);
        current = Some(name);
    }
    Ok((recipes, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_and_dependencies() {
        let (recipes, first) =
            read("x := '1'\n\ntest: build\n  cargo test {{x}}\n\nbuild mode='dev':\n  cargo build\n").unwrap();
        assert_eq!(first.as_deref(), Some("test"));
        assert_eq!(recipes["test"].before, ["build"]);
        assert_eq!(interpolated("cargo test {{x}} y"), "cargo test \"$LEASTGRANT_UNKNOWN\" y");
        assert!(read("x := `rm y`\n").is_err());
    }
}
