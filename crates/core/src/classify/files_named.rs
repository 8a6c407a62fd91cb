//! Files that a command names where its table expects none: an output that leaves the project, a credential among plain
//! words. A net below the tables; it only raises.

use super::arg::Arg;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::Parsed;
use crate::action::{Capability, Role};
use crate::knowledge::{Program, Slot, Style};
use crate::{path, secret};

/// Most arguments that are looked at.
const MOST: usize = 512;

/// Options whose value is a file or folder that is written, whatever the program.
const OUTPUTS: &[&str] = &[
    "--output",
    "--output-file",
    "--output-dir",
    "--output-path",
    "--output-folder",
    "--outfile",
    "--out-file",
    "--outdir",
    "--out-dir",
    "--out",
    "--outDir",
    "--outFile",
    "--logfile",
    "--log-file",
    "--log-dir",
    "--report-file",
    "--report-dir",
    "--report-path",
    "--dest",
    "--dest-dir",
    "--destination",
    "--target-dir",
    "--build-dir",
    "--dist-dir",
    "--site-dir",
    "--junitxml",
    "--junit-xml",
    "--junit",
    "--html",
    "--xml",
    "--json-report-file",
    "--cache-dir",
    "--cachedir",
    "--basetemp",
    "--resultlog",
    "--coverage-dir",
    "--coverageDirectory",
    "--coverage-directory",
    "--outputFile",
    "--coverage.reportsDirectory",
    "--save-to",
    "--write-to",
    "--trace-file",
    "--profile-output",
    "--data-file",
];

/// Programs that are given files and show nothing of what is in them.
const SHOW_NOTHING: &[&str] = &[
    "wc", "cksum", "md5sum", "sum", "shasum", "b2sum", "file", "stat", "du", "ls", "touch", "chmod", "chown", "rm",
    "test", "[", "basename", "dirname", "realpath", "readlink", "grep", "rg", "xargs", "echo", "printf",
];

/// Programs whose words are texts, never files that they open.
const WORDS: &[&str] = &[
    "echo", "printf", "print", "basename", "dirname", "which", "type", "whereis", "command", "man", "info", "tldr",
    "apropos", "whatis", "git", "expr", "seq", "yes", "tr", "alias", "unalias", "hash", "help", "set", "shopt", "trap",
    "kill", "pkill", "pgrep",
];

/// Everything in here.
pub(super) fn all(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>, program: &'static Program) {
    let first = program.names.first().copied().unwrap_or_default();
    if let Some(what) = draft.given_secrets
        && !SHOW_NOTHING.contains(&first)
    {
        draft.sweeps_secrets.get_or_insert(what);
    }
    if !parsed.chain.iter().any(|usage| usage.elsewhere) {
        outputs(draft, parsed, scene);
        credentials(draft, parsed, scene, program);
    }
}

/// `--logfile ~/x`, also behind `--`, where the table ends.
fn outputs(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    let mut args = parsed.args.iter().take(MOST).peekable();
    while let Some(arg) = args.next() {
        let text = arg.prefix();
        let (name, joined) = match text.split_once('=') {
            Some((name, _)) => (name, Some(arg.after(name.len() + 1))),
            None => (text, None),
        };
        if !OUTPUTS.contains(&name) {
            continue;
        }
        let Some(value) = joined.or_else(|| args.peek().map(|next| (*next).clone())) else { continue };
        if leaves(value.prefix()) {
            draft::add_path(draft, scene.world, &scene.cwd, &value, Role::Write);
        }
    }
}

/// Absolute, in a home, or climbing: a name below the folder is where output belongs.
fn leaves(text: &str) -> bool {
    text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..")
}

/// A credential as a plain word of a program that only looks, builds or tests: it opens what it is given.
fn credentials(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>, program: &'static Program) {
    let first = program.names.first().copied().unwrap_or_default();
    let looks = matches!(
        draft.capability,
        Capability::Inspect
            | Capability::ReadWorkspace
            | Capability::ReadOutside
            | Capability::Build
            | Capability::Test
    );
    if !looks || program.family == "secrets" || WORDS.contains(&first) || parsed.usage.style == Style::None {
        return;
    }
    // where a role says what a word is, the other words are patterns, names and the like
    let told = parsed.operands.iter().any(|operand| operand.0 != Slot::Text);
    let words = parsed.operands.iter().filter(|_| !told).map(|operand| operand.1.clone());
    let values = parsed.options.iter().filter(|found| found.row.is_none()).filter_map(|found| found.value.clone());
    let all: Vec<Arg> = words.chain(values.filter(|_| !told)).take(MOST).collect();
    for arg in all {
        let Some(text) = arg.exact().filter(|text| draft::looks_like_path(text)) else { continue };
        let named = draft::folders(&scene.cwd)
            .into_iter()
            .any(|folder| secret::secret(scene.world, &path::place(scene.world, folder, text)).is_some());
        if named && !draft.targets.iter().any(|target| target.span == Some(arg.span)) {
            draft::add_path(draft, scene.world, &scene.cwd, &arg, Role::Read);
        }
    }
}
