//! Searchers: what they walk, what they start, what they print.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::{Found, Parsed};
use crate::action::{Capability, Scale};
use crate::knowledge::Slot;
use crate::{path, secret};
use leastgrant_shell::Value;

pub(super) const CODES: &[(&str, Code)] =
    &[("search.grep", grep), ("search.recursive", recursive), ("search.tree", tree), ("search.structural", structural)];

/// Files that match are paths below what was searched; without a file it searches what comes in.
fn grep(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let walks = parsed.has(&["-r"]) || recurses(parsed);
    if recurses(parsed) && !parsed.has(&["-r"]) {
        recursive(draft, parsed, scene);
    }
    if walks {
        chosen(draft, parsed, scene, &["--include"]);
    }
    if shows_all(parsed) {
        if walks && !parsed.has(&["--include"]) {
            given(draft, parsed, scene);
        }
        if let Some(what) = draft.given_secrets {
            draft.sweeps_secrets.get_or_insert(what);
        }
    }
    let files: Vec<&Arg> =
        parsed.operands.iter().filter(|operand| operand.0 != Slot::Text).map(|operand| &operand.1).collect();
    if files.is_empty() && !walks && !parsed.has(&["-f"]) {
        draft.become_(Capability::Inspect);
        return;
    }
    if parsed.has(&["-l", "-L", "--files-with-matches", "--files-without-match"]) {
        scene.paths = below(&files);
    }
}

/// `-d recurse`, which may be cut; a value that is not known could be it.
fn recurses(parsed: &Parsed<'_>) -> bool {
    let asked = |found: &&Found<'_>| found.name == "-d";
    parsed.options.iter().filter(asked).any(|found| match found.value.as_ref().map(|value| &value.value) {
        Some(Value::Exact(text)) => text.starts_with('r') && "recurse".starts_with(text.as_str()),
        _ => true,
    })
}

/// Recursive: the folder it runs in where none is named; with `-e` the pattern is no operand.
fn recursive(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let pattern = usize::from(!parsed.has(&["-e", "-f"]));
    for (_, arg) in parsed.operands.iter().skip(pattern) {
        draft::add_slot(draft, scene.world, &scene.cwd, arg, Slot::Sweep);
    }
    if parsed.operands.len() <= pattern {
        draft::add_slot(draft, scene.world, &scene.cwd, &Arg::text(".", scene.span), Slot::Sweep);
    }
}

/// A search among files of a name that is meant for credentials (`--include='.env*'`).
fn chosen(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>, options: &[&str]) {
    for glob in globs(parsed, options) {
        for folder in draft::folders(&scene.cwd) {
            if let Some(what) = secret::glob_may_be_secret(scene.world, folder, &format!("**/{glob}")) {
                draft.sweeps_secrets.get_or_insert(what);
            }
        }
    }
}

/// Globs of the files that are searched. A dot at the start is matched by a star of these tools.
fn globs(parsed: &Parsed<'_>, options: &[&str]) -> Vec<String> {
    let given = parsed.options.iter().filter(|found| options.contains(&found.name.as_str()));
    let texts = given.filter_map(|found| found.value.as_ref().and_then(Arg::exact));
    let mut all = Vec::new();
    for text in texts.filter(|text| !text.starts_with('!')).take(GLOBS) {
        let text = text.trim_start_matches('/').trim_start_matches("**/");
        all.push(text.to_owned());
        all.extend(dotted(text));
    }
    all
}

/// Most globs that are looked at.
const GLOBS: usize = 64;

/// What a star in front, which stands for a dot or for nothing too, makes of a name that tells something: `*env` and
/// `*.env` are both meant for `.env`.
pub(super) fn dotted(name: &str) -> Option<String> {
    let rest = name.trim_start_matches(['*', '?']);
    let starts = rest.len() < name.len() && !name.contains('/');
    (starts && path::glob::literal(rest) > 1)
        .then(|| if rest.starts_with('.') { rest.to_owned() } else { format!(".{rest}") })
}

/// Whether the pattern holds so little that nearly every line of every file is shown.
fn shows_all(parsed: &Parsed<'_>) -> bool {
    const QUIET: &[&str] =
        &["-l", "-L", "-c", "-q", "--files-with-matches", "--files-without-match", "--count", "--quiet", "--silent"];
    if parsed.has(QUIET) {
        return false;
    }
    let given = parsed.value(&["-e", "--regexp"]);
    let pattern = given.or_else(|| parsed.operands.first().map(|operand| &operand.1));
    parsed.has(&["-v", "--invert-match", "--passthru"]) || pattern.and_then(Arg::exact).is_some_and(matches_all)
}

/// No two letters in a row that stand for themselves.
pub(crate) fn matches_all(pattern: &str) -> bool {
    let mut run = 0;
    let mut class = false;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
                run = 0;
            }
            '[' => class = true,
            ']' => class = false,
            _ if class => {}
            _ if letter.is_alphanumeric() || letter == '_' => run += 1,
            _ => run = 0,
        }
        if run >= 2 {
            return false;
        }
    }
    pattern.chars().filter(|letter| letter.is_alphanumeric()).count() < 6
}

/// Credentials that stand now below what is searched.
fn given(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    let mut roots: Vec<Arg> =
        parsed.operands.iter().filter(|operand| operand.0 != Slot::Text).map(|operand| operand.1.clone()).collect();
    if roots.is_empty() {
        roots.push(Arg::text(".", scene.span));
    }
    for text in roots.iter().filter_map(Arg::exact).take(GLOBS) {
        for folder in draft::folders(&scene.cwd) {
            if let Some(what) = secret::stands_below(scene.world, &path::place(scene.world, folder, text)) {
                draft.given_secrets.get_or_insert(what);
            }
        }
    }
}

/// Tree searchers walk the folder they run in where none is named, unless something comes in.
fn tree(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let roots: Vec<Arg> =
        parsed.operands.iter().filter(|operand| operand.0 != Slot::Text).map(|operand| operand.1.clone()).collect();
    let names_only = parsed.has(&["--files"]);
    let piped = !matches!(scene.feed, super::shell::Feed::Inherited) && !names_only;
    if roots.is_empty() && !piped {
        let here = Arg::text(".", scene.span);
        let slot = if names_only { Slot::List } else { Slot::Sweep };
        draft::add_slot(draft, scene.world, &scene.cwd, &here, slot);
    } else if roots.is_empty() {
        draft.become_(Capability::Inspect);
        return;
    }
    let by_name = ["-g", "--glob", "--iglob"];
    if !names_only {
        chosen(draft, parsed, scene, &by_name);
        // hidden files are searched only where they are asked for
        let hidden = parsed.has(&["--hidden", "-.", "-uu", "-uuu"])
            || parsed.options.iter().filter(|found| found.name == "-u").count() > 1;
        if hidden && shows_all(parsed) && !parsed.has(&by_name) {
            given(draft, parsed, scene);
            if let Some(what) = draft.given_secrets {
                draft.sweeps_secrets.get_or_insert(what);
            }
        }
    }
    if names_only || parsed.has(&["-l", "--files-with-matches", "--files-without-match"]) {
        let all = below(&roots.iter().collect::<Vec<_>>());
        let names = globs(parsed, &by_name);
        scene.paths = match all {
            Some(all) if !names.is_empty() && names.iter().all(|name| !name.contains('/')) => Some(
                all.iter()
                    .flat_map(|root| names.iter().map(move |name| format!("{root}/{name}")))
                    .take(GLOBS)
                    .collect(),
            ),
            all => all,
        };
    }
}

/// `ast-grep`: a rewrite that is applied at once writes below what it searches.
fn structural(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let writes = parsed.has(&["-U"]);
    let mut roots: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    if roots.is_empty() {
        roots.push(Arg::text(".", scene.span));
    }
    for root in &roots {
        draft::add_slot(draft, scene.world, &scene.cwd, root, if writes { Slot::WriteDir } else { Slot::Sweep });
    }
    if writes {
        draft.blast.scale = Scale::Many;
    }
}

/// Patterns that hold every path below these.
pub(super) fn below(roots: &[&Arg]) -> Option<Vec<String>> {
    if roots.is_empty() {
        return Some(vec![String::from("./**")]);
    }
    roots
        .iter()
        .map(|arg| arg.exact().map(|text| format!("{}/**", text.trim_end_matches('/'))))
        .collect::<Option<Vec<_>>>()
        .filter(|all| all.len() <= 16)
}
