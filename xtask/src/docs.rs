//! Pages about the agents, made from `compatibility/*.json` and from nothing else, and what must not be in them.

mod page;
mod text;

use std::path::Path;

use leastgrant::command::verify::keep;
use leastgrant_core::compatibility::{self, Record};

const FOLDER: &str = "docs/generated/agents";
const SUITE: &str = "crates/leastgrant/tests/conformance.rs";
const BEGIN: &str = "<!-- agents -->";
const END: &str = "<!-- /agents -->";

/// A file of the repository and what has to stand in it.
pub(crate) type Wanted = (String, String);

/// Writes the pages and the README's table.
pub(crate) fn run(root: &Path) -> crate::Outcome {
    let records = compatibility::all()?;
    for (name, text) in wanted(root, records)? {
        let path = root.join(&name);
        let folder = path.parent().unwrap_or(root);
        std::fs::create_dir_all(folder).map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
        std::fs::write(&path, text).map_err(|error| format!("cannot write `{name}`: {error}"))?;
        println!("{name}");
    }
    let strays = strays(root, records);
    for name in &strays {
        println!("`{name}` is the page of no record");
    }
    Ok(strays.is_empty())
}

/// What drifted, and what is claimed without being shown.
pub(crate) fn check(root: &Path) -> Result<Vec<String>, String> {
    let records = compatibility::all()?;
    let mut found = drift(root, &wanted(root, records)?, "cargo xtask docs");
    found.extend(strays(root, records).into_iter().map(|name| format!("`{name}` is the page of no record")));
    found.extend(compatibility::faults_between(records, &adapters()));
    found.extend(unshown(root, records));
    Ok(found)
}

/// Files that are not what they have to be.
pub(crate) fn drift(root: &Path, wanted: &[Wanted], command: &str) -> Vec<String> {
    let stands = |name: &str| std::fs::read_to_string(root.join(name)).unwrap_or_default();
    let drifted = wanted.iter().filter(|(name, text)| stands(name) != *text);
    drifted.map(|(name, _)| format!("`{name}` is not what `{command}` would write")).collect()
}

fn wanted(root: &Path, records: &[Record]) -> Result<Vec<Wanted>, String> {
    let adapters = adapters();
    // receipts that are kept in the repository, and no others: a page is the same wherever it is made
    let proofs = keep::proofs(None);
    let mut wanted: Vec<Wanted> = records
        .iter()
        .map(|record| (format!("{FOLDER}/{}.md", record.id), page::agent(record, &adapters, &proofs)))
        .collect();
    let readme = crate::read(&root.join("README.md"))?;
    wanted.push((String::from("README.md"), between(&readme, &page::table(records, &adapters, &proofs))?));
    Ok(wanted)
}

fn between(readme: &str, table: &str) -> Result<String, String> {
    let parts = readme.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let (head, tail) = parts.ok_or_else(|| format!("README.md has no {BEGIN} … {END}"))?;
    Ok(format!("{head}{BEGIN}\n{table}{END}{tail}"))
}

fn strays(root: &Path, records: &[Record]) -> Vec<String> {
    let names = std::fs::read_dir(root.join(FOLDER)).into_iter().flatten().filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        let known = records.iter().any(|record| name == format!("{}.md", record.id));
        (!known).then(|| format!("{FOLDER}/{name}"))
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Records that say their conformance was tested where there is no suite to test it.
fn unshown(root: &Path, records: &[Record]) -> Vec<String> {
    let claimed = records.iter().filter(|record| record.verification.conformance.done && !root.join(SUITE).exists());
    claimed
        .map(|record| format!("{}.verification.conformance: it is done, and there is no `{SUITE}`", record.id))
        .collect()
}

fn adapters() -> Vec<&'static str> {
    leastgrant::agent::ALL.iter().map(|agent| agent.id()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_byte_is_drift() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("crates/leastgrant/tests")).unwrap();
        std::fs::write(root.path().join(SUITE), "").unwrap();
        std::fs::write(root.path().join("README.md"), format!("# head\n{BEGIN}\nold\n{END}\ntail\n")).unwrap();
        assert!(run(root.path()).unwrap());
        assert_eq!(check(root.path()).unwrap(), Vec::<String>::new());
        for name in ["README.md", "docs/generated/agents/codex.md", "docs/generated/agents/claude-code.md"] {
            let path = root.path().join(name);
            let before = std::fs::read(&path).unwrap();
            let mut bytes = before.clone();
            let last = bytes.iter().rposition(|byte| *byte == b'|').unwrap();
            bytes[last] = b'!';
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(check(root.path()).unwrap(), [format!("`{name}` is not what `cargo xtask docs` would write")]);
            std::fs::write(&path, before).unwrap();
        }
        std::fs::remove_file(root.path().join("docs/generated/agents/cursor.md")).unwrap();
        std::fs::write(root.path().join("docs/generated/agents/windsurf.md"), "x").unwrap();
        let found = check(root.path()).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("cursor.md") && found[1].contains("windsurf.md"), "{found:?}");
    }

    #[test]
    fn conformance_without_a_suite_is_a_claim() {
        let root = tempfile::tempdir().unwrap();
        let record = compatibility::of("codex").unwrap().clone();
        let records = [record];
        assert_eq!(unshown(root.path(), &records).len(), 1);
        std::fs::create_dir_all(root.path().join("crates/leastgrant/tests")).unwrap();
        std::fs::write(root.path().join(SUITE), "").unwrap();
        assert_eq!(unshown(root.path(), &records), Vec::<String>::new());
    }

    #[test]
    fn every_page_has_every_section_in_its_order() {
        for record in compatibility::all().unwrap() {
            let page = page::agent(record, &adapters(), &[]);
            let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
            assert_eq!(
                sections,
                [
                    "How it attaches",
                    "What a verdict does here",
                    "Interactive and unattended",
                    "When the hook breaks",
                    "What it can see",
                    "What decides this later",
                    "What has actually been run",
                    "What it cannot do",
                ],
                "{}",
                record.id
            );
            for kind in ["Live agent test", "Real transport probed", "Contract read from", "Conformance suite"] {
                assert_eq!(page.matches(&format!("- **{kind}")).count(), 1, "{} {kind}", record.id);
            }
            for rows in page.split("\n\n").filter(|block| block.starts_with('|')) {
                let columns: Vec<usize> =
                    rows.trim_end().lines().map(|line| line.replace("\\|", "").matches('|').count()).collect();
                assert!(columns.iter().all(|count| *count == columns[0]), "{}\n{rows}", record.id);
            }
        }
    }

    #[test]
    fn what_is_not_done_is_said_to_be_not_done() {
        let record = compatibility::of("cursor").unwrap();
        let page = page::agent(record, &[], &[]);
        assert!(page.contains("**Enforcement: not claimed.**") && page.contains("**Verification: conformance only.**"));
        assert_eq!(page.matches(": not done.**").count(), 3);
        assert!(page.contains("leastgrant has no adapter for it yet"));
        assert!(!page.contains("leastgrant install cursor"));
    }

    #[test]
    fn what_stands_around_the_table_is_kept() {
        let readme = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        assert_eq!(between(&readme, "new\n").unwrap(), format!("a\n{BEGIN}\nnew\n{END}\nb\n"));
        assert!(between("a\n", "new\n").is_err());
    }

    #[test]
    fn the_pages_of_the_repository_are_what_they_have_to_be() {
        assert_eq!(check(&crate::root()).unwrap(), Vec::<String>::new());
    }
}
