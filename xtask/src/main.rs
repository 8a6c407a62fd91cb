//! The developer's tool: checks that nothing drifted, scores the case sets, generates pages. Never shipped.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool for developers; it has no other voice")]

mod capture;
mod corpus;
mod docs;
mod generate;
mod knowledge;
mod lock;
mod recorded;
mod reported;
mod score;
mod size;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What a subcommand answers: whether all is well, or why it could not find out.
type Outcome = Result<bool, String>;

const USAGE: &str = "cargo xtask COMMAND

  size                 the size budget of source files
  lock                 banned crates and foreign sources in the lock file
  generate             writes docs/generated
  docs                 writes docs/generated/agents and the README's table from the compatibility records
  capture              puts what `demo` prints into the README
  check-generated      fails if `generate` or `docs` would change anything, on an adapter without a record, and on a
                       claim that is stronger than its evidence
  corpus FILE…         reads commands and prints what of them was understood
  score [SET…]         runs the case sets and prints verdicts against expectations
  knowledge --missing  programs that occur in recorded calls and have no entry";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["size"] => size::run(&root()),
        ["lock"] => lock::run(&root()),
        ["generate"] => generate::write(&root()),
        ["docs"] => docs::run(&root()),
        ["capture"] => capture::run(&root()),
        ["check-generated"] => generate::check(&root()),
        ["corpus", files @ ..] if !files.is_empty() => corpus::run(files),
        ["score", sets @ ..] => score::run(&root(), sets),
        ["knowledge", "--missing"] => knowledge::missing(&root()),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// The repository: where this crate was built from.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}
