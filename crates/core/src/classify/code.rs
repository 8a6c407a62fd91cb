//! What a table can't say, by name; each function stands in the file of its family.

use super::arg::Arg;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use crate::action::{Mark, Reach};

/// A function that a table names with `code = "…"`.
pub type Code = fn(&mut Draft, &Parsed<'_>, &mut Scene<'_>);

/// The functions of every family, by their names in the tables.
const FAMILIES: &[&[(&str, Code)]] = &[
    super::agents::CODES,
    super::archives::CODES,
    super::build::CODES,
    super::cloud::CODES,
    super::containers::CODES,
    super::databases::CODES,
    super::editors::CODES,
    super::files::CODES,
    super::find::CODES,
    super::forge::CODES,
    super::format::CODES,
    super::git::CODES,
    super::helpers::CODES,
    super::infrastructure::CODES,
    super::interpreters::CODES,
    super::kubernetes::CODES,
    super::media::CODES,
    super::network::CODES,
    super::packages::CODES,
    super::processes::CODES,
    super::script::CODES,
    super::search::CODES,
    super::secrets::CODES,
    super::system::CODES,
    super::test::CODES,
    super::text::CODES,
    super::vcs::CODES,
    super::wrappers::CODES,
];

/// Runs the function of this name; a name that is not there makes the action opaque.
pub fn call(name: &str, draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    match find(name) {
        Some(code) => code(draft, parsed, scene),
        None => draft.opaque(None, format!("the knowledge names `{name}`, which is not there")),
    }
}

/// The function of this name.
#[must_use]
pub fn find(name: &str) -> Option<Code> {
    FAMILIES.iter().flat_map(|family| family.iter()).find(|row| row.0 == name).map(|row| row.1)
}

/// Words like `prod` in the arguments of something that reaches out mean production (spec §8.5).
pub fn production(draft: &mut Draft, args: &[Arg]) {
    if draft.blast.reach < Reach::External {
        return;
    }
    let hit = args.iter().any(|arg| {
        arg.prefix()
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|word| matches!(word.to_ascii_lowercase().as_str(), "prod" | "prd" | "production" | "live"))
    });
    if hit {
        draft.blast.reach = Reach::Production;
        draft.mark(Mark::Production);
    }
}
