//! `make TARGET`: recipes and prerequisites of the Makefile in the project, plain variables expanded; anything that make
//! itself would run or include is opaque.

use std::collections::{BTreeMap, BTreeSet};

use leastgrant_shell::Cwd;

use super::{body, by_name, nearest};
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;

/// Most recipe lines of one call.
const LINES: usize = 400;

/// What of a Makefile is read.
#[derive(Debug, Default)]
struct Makefile {
    rules: BTreeMap<String, (Vec<String>, Vec<String>)>,
    variables: BTreeMap<String, String>,
    first: Option<String>,
    refused: Option<String>,
}

/// The targets named by the operands, or the first one.
pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.has(&["-f"]) {
        draft.opaque(Some(scene.span), "another makefile");
        return;
    }
    let mut targets: Vec<&Arg> = Vec::new();
    let mut set: BTreeMap<String, String> = BTreeMap::new();
    for (_, arg) in &parsed.operands {
        match arg.exact() {
            Some(text) if text.contains('=') => {
                if let Some((name, value)) = text.split_once('=') {
                    if matches!(
                        name.trim_end_matches(['?', ':', '+', '!']),
                        "SHELL" | ".SHELLFLAGS" | "MAKE" | "MAKEFLAGS" | "GNUMAKEFLAGS" | "MAKEFILES"
                    ) {
                        draft.opaque(Some(arg.span), format!("`{name}` changes what make runs"));
                    }
                    set.insert(name.trim_end_matches(['?', ':', '+']).to_owned(), value.to_owned());
                }
            }
            Some(_) => targets.push(arg),
            None => {
                draft.opaque(Some(arg.span), "which target is made is not known");
                return;
            }
        }
    }
    let Some((file, folder)) = nearest_here(scene) else {
        match targets.as_slice() {
            [] => by_name(draft, &Arg::text("all", scene.span)),
            several => several.iter().for_each(|task| by_name(draft, task)),
        }
        return;
    };
    let mut makefile = read(&file.text);
    makefile.variables.extend(set);
    if let Some(what) = &makefile.refused {
        draft.opaque(Some(scene.span), format!("a makefile with `{what}`"));
        return;
    }
    let names: Vec<String> = if targets.is_empty() {
        makefile.first.iter().cloned().collect()
    } else {
        targets.iter().filter_map(|arg| arg.exact().map(str::to_owned)).collect()
    };
    let mut lines = Vec::new();
    let mut done = BTreeSet::new();
    let mut open: Vec<String> = names.iter().rev().cloned().collect();
    while let Some(name) = open.pop() {
        if !done.insert(name.clone()) {
            continue;
        }
        let Some((before, recipe)) = makefile.rules.get(&name) else {
            // a prerequisite without a rule is a file; a target that was asked for is not
            if names.contains(&name) {
                by_name(draft, &Arg::text(&name, scene.span));
            }
            continue;
        };
        open.extend(before.iter().rev().cloned());
        lines.extend(recipe.iter().cloned());
        if lines.len() > LINES {
            draft.opaque(Some(scene.span), "more recipe lines than the limit");
            return;
        }
    }
    let mut text = String::new();
    for line in lines {
        let Some(line) = expand(&line, &makefile.variables, 0) else {
            draft.opaque(Some(scene.span), "a recipe with a make function");
            return;
        };
        text.push_str(line.trim_start_matches(['@', '-', '+', ' ', '\t']));
        text.push('\n');
    }
    if !text.is_empty() || draft.opaque.is_none() {
        body(draft, scene, &names.join(" "), text, file.hash, Cwd::At(folder));
    }
}

fn nearest_here(scene: &Scene<'_>) -> Option<(super::Body, String)> {
    let Cwd::At(folder) = &scene.cwd else { return None };
    // make looks in its own folder only
    nearest(scene.world, &scene.cwd, &["GNUmakefile", "makefile", "Makefile"]).filter(|found| found.1 == *folder)
}

fn read(text: &str) -> Makefile {
    let mut makefile = Makefile::default();
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut current: Vec<String> = Vec::new();
    for line in joined.lines() {
        if let Some(recipe) = line.strip_prefix('\t') {
            for name in &current {
                if let Some(rule) = makefile.rules.get_mut(name) {
                    rule.1.push(recipe.to_owned());
                }
            }
            continue;
        }
        let line = line.split(" #").next().unwrap_or_default();
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        current = statement(&mut makefile, trimmed);
    }
    makefile
}

/// One line that is not a recipe; answers the targets that following recipe lines belong to.
fn statement(makefile: &mut Makefile, line: &str) -> Vec<String> {
    let word = line.split_whitespace().next().unwrap_or_default();
    if matches!(word, "include" | "-include" | "sinclude" | "define" | "load" | "vpath")
        || line.contains("$(shell")
        || line.contains("$(eval")
        || line.contains("!=")
    {
        makefile.refused.get_or_insert_with(|| word.to_owned());
        return Vec::new();
    }
    if matches!(word, "export" | "unexport" | "override") && !line.contains('=') {
        return Vec::new();
    }
    // both arms of a condition count; their definitions overwrite one another, so a variable set in one is not known
    if matches!(word, "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif") {
        return Vec::new();
    }
    let equals = line.find('=');
    let colon = line.find(':');
    if let Some(at) = equals
        && colon.is_none_or(|colon| {
            colon + 1 >= at || line.get(..at).is_some_and(|name| !name.contains(':') || name.ends_with(':'))
        })
    {
        let name = line.get(..at).unwrap_or_default().trim_end_matches([':', '?', '+', ' ']).trim();
        let name = name.rsplit(' ').next().unwrap_or_default();
        let value = line.get(at + 1..).unwrap_or_default().trim();
        let twice = makefile.variables.contains_key(name);
        let value = if twice { String::from("$(two-values)") } else { value.to_owned() };
        makefile.variables.insert(name.to_owned(), value);
        return Vec::new();
    }
    let Some((names, rest)) = line.split_once(':') else { return Vec::new() };
    let (before, inline) = rest.split_once(';').map_or((rest, None), |(before, recipe)| (before, Some(recipe)));
    let names: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
    for name in &names {
        if !name.starts_with('.') && makefile.first.is_none() && !name.contains('%') {
            makefile.first = Some(name.clone());
        }
        let rule = makefile.rules.entry(name.clone()).or_default();
        rule.0.extend(before.split_whitespace().filter(|word| *word != "|").map(str::to_owned));
        rule.1.extend(inline.map(|recipe| recipe.trim().to_owned()));
    }
    names
}

/// Plain variables replaced; none where a make function or an unknown automatic variable stands.
fn expand(line: &str, variables: &BTreeMap<String, String>, depth: usize) -> Option<String> {
    if depth > 8 || line.len() > 16 * 1024 {
        return None;
    }
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('$') {
        out.push_str(rest.get(..at)?);
        let after = rest.get(at + 1..)?;
        let first = after.chars().next()?;
        match first {
            '$' => {
                out.push('$');
                rest = after.get(1..)?;
            }
            '(' | '{' => {
                let close = if first == '(' { ')' } else { '}' };
                let end = after.find(close)?;
                let name = after.get(1..end)?;
                match name {
                    "MAKE" => out.push_str("make"),
                    "CURDIR" | "PWD" => out.push('.'),
                    _ => match variables.get(name) {
                        Some(value) => out.push_str(&expand(value, variables, depth + 1)?),
                        None if name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') => {
                            // from the environment, or empty
                            out.push_str("${");
                            out.push_str(name);
                            out.push('}');
                        }
                        None => return None,
                    },
                }
                rest = after.get(end + 1..)?;
            }
            '@' | '<' | '^' | '*' | '?' | '+' | '|' => {
                out.push_str("\"$LEASTGRANT_UNKNOWN\"");
                rest = after.get(1..)?;
            }
            _ => return None,
        }
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_variables_and_prerequisites() {
        let makefile = read("CC := gcc\nall: build test\nbuild:\n\t$(CC) -o x x.c\ntest: build ; ./x\n.PHONY: all\n");
        assert_eq!(makefile.first.as_deref(), Some("all"));
        assert_eq!(makefile.rules["all"].0, ["build", "test"]);
        assert_eq!(makefile.rules["test"].1, ["./x"]);
        assert_eq!(expand("$(CC) -o $@ $$x", &makefile.variables, 0).unwrap(), "gcc -o \"$LEASTGRANT_UNKNOWN\" $x");
        assert!(read("X := $(shell rm x)\n").refused.is_some());
        assert!(read("include other.mk\n").refused.is_some());
        assert_eq!(expand("$(wildcard *.c)", &makefile.variables, 0), None);
    }
}
