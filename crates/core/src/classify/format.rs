//! Formatters and linters: which of several options wins, configurations from elsewhere, subcommands that rewrite.

use super::arg::Arg;
use super::code::Code;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Role};
use crate::knowledge::Slot;

pub(super) const CODES: &[(&str, Code)] = &[
    ("format.check_wins", check_wins),
    ("format.outside", outside),
    ("format.golangci", golangci),
    ("format.formatter", formatter),
    ("format.checker", checker),
    ("format.hooks", hooks),
];

/// `--check` beside a rewriting default: the check holds, whatever its tier is.
fn check_wins(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let checks = parsed.options.iter().any(|found| {
        matches!(found.name.as_str(), "-c" | "--check" | "--check-only" | "--diff")
            && found.value.as_ref().is_none_or(|value| value.exact() == Some("true"))
    });
    let writes = parsed.has(&["-i", "--in-place", "--reformat"]);
    if checks && !writes {
        reads_only(draft);
    }
}

fn reads_only(draft: &mut Draft) {
    draft.become_(Capability::Test);
    for target in &mut draft.targets {
        if target.role == Role::Write {
            target.role = Role::List;
        }
    }
}

/// A configuration outside the project can load code (`eslint -c /tmp/x.js`).
fn outside(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "-c" || found.name == "--config") {
        let Some(value) = &found.value else { continue };
        let code = [".js", ".cjs", ".mjs", ".ts", ".py", ".rb"].iter().any(|end| value.prefix().ends_with(end))
            || value.exact().is_none();
        if code {
            let args = [value.clone()];
            super::test::outside(draft, &as_operands(parsed, &args), scene);
        }
    }
}

fn as_operands<'a>(parsed: &Parsed<'a>, args: &[Arg]) -> Parsed<'a> {
    Parsed {
        usage: parsed.usage,
        chain: Vec::new(),
        path: Vec::new(),
        options: Vec::new(),
        operands: args.iter().map(|arg| (Slot::Text, arg.clone())).collect(),
        command: None,
        opaque: None,
        args: parsed.args,
    }
}

fn golangci(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if verb::program(scene) != "golangci-lint" {
        return;
    }
    match words(parsed).first().copied().unwrap_or_default() {
        "fmt" => draft.become_(Capability::WriteWorkspace),
        "custom" => verb::unknown(draft, scene, "builds and runs plugins"),
        "migrate" => draft.become_(Capability::WriteWorkspace),
        "cache" | "version" | "help" | "linters" | "config" | "formatters" | "completion" => {
            draft.become_(Capability::Inspect)
        }
        _ => {}
    }
}

/// Programs that print the result unless told to write, and those whose first word is a subcommand.
fn formatter(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let given = |options: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, options));
    let program = verb::program(scene);
    let prints = match program.as_str() {
        "clang-format" | "google-java-format" | "astyle-print" | "sql-formatter" | "swift-format" => {
            !given(&["-i", "--in-place", "--replace", "-r", "--fix"])
        }
        "shfmt" => !given(&["-w", "--write"]),
        "elm-format" => given(&["--stdin"]),
        "ktlint" => !given(&["-F", "--format"]),
        "terraform-fmt" | "pg_format" | "xmlformat" => !given(&["-i", "--inplace", "-o"]),
        "ormolu" | "fourmolu" | "stylish-haskell" => !given(&["-i", "--inplace", "-m", "--mode=inplace"]),
        "ocamlformat" => !given(&["-i", "--inplace"]),
        "php-cs-fixer" => {
            words(parsed).first().is_some_and(|word| matches!(*word, "check" | "describe" | "list-files"))
        }
        _ => false,
    };
    let checks = given(&[
        "--check",
        "--dry-run",
        "-n",
        "--lint",
        "-l",
        "-d",
        "--diff",
        "--list",
        "--test",
        "--validate",
        "--validate-only",
    ]);
    if checks {
        reads_only(draft);
    } else if prints {
        draft.become_(Capability::Inspect);
        for target in &mut draft.targets {
            if target.role == Role::Write {
                target.role = Role::Read;
            }
        }
    }
}

/// Checkers whose first word is a subcommand that does something else.
fn checker(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = verb::program(scene);
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    match (program.as_str(), first) {
        ("sqlfluff", "fix" | "format")
        | ("spectral" | "vacuum", "fix")
        | ("redocly", "bundle" | "split")
        | ("pinact", "run") => {
            draft.become_(Capability::WriteWorkspace);
        }
        ("trivy", "image" | "repo" | "repository" | "k8s" | "registry")
        | ("grype" | "syft" | "dive" | "lychee" | "linkinator" | "osv-scanner", _) => {
            draft.become_(Capability::NetFetch);
        }
        ("semgrep", "ci" | "login" | "publish")
        | ("safety", "auth" | "scan")
        | ("snyk", "monitor" | "auth" | "config")
        | ("sonar-scanner", _)
        | ("ggshield", "auth") => draft.become_(Capability::NetSend),
        ("trufflehog", "github" | "gitlab" | "s3" | "gcs" | "docker") => draft.become_(Capability::NetFetch),
        ("semgrep", _) => draft.become_(Capability::NetFetch),
        ("dotenv-linter", "fix") | ("detect-secrets", "audit") => draft.become_(Capability::WriteWorkspace),
        ("ast-grep" | "sg", "run" | "scan" | "test" | "new" | "lsp") if first == "new" => {
            draft.become_(Capability::WriteWorkspace)
        }
        ("srb", "init" | "rbi") | ("flow", "init" | "codemod") | ("talisman", "install") => {
            draft.become_(Capability::WriteWorkspace)
        }
        ("vale", "sync") => draft.become_(Capability::NetFetch),
        _ => {}
    }
    if program == "trivy" && second == "clean" {
        draft.become_(Capability::DeleteKnown);
    }
}

/// `lint-staged` and `pre-commit` alone run what the project's file names.
fn hooks(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    verb::unknown(draft, scene, "runs the commands that the project's hook file names");
}
