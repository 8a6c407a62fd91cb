//! The size budget: half of the source files are under 250 lines, none is over 1,000 but the listed exceptions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const MEDIAN: usize = 250;
const MOST: usize = 1_000;
/// `path: reason` a line; an exception that is no longer needed fails
const EXCEPTIONS: &str = "xtask/size-exceptions.txt";

pub(crate) fn run(root: &Path) -> crate::Outcome {
    let exceptions: BTreeMap<String, String> = crate::read(&root.join(EXCEPTIONS))?
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'))
        .map(|(path, why)| (path.trim().to_owned(), why.trim().to_owned()))
        .collect();
    let mut sizes: Vec<(usize, String)> = Vec::new();
    for folder in ["crates", "xtask", "live", "fuzz"] {
        for file in sources(&root.join(folder)) {
            let lines = crate::read(&file)?.lines().count();
            let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
            sizes.push((lines, name));
        }
    }
    sizes.sort();
    let median = sizes.get(sizes.len() / 2).map_or(0, |row| row.0);
    let mut good = median < MEDIAN;
    println!("{} files, median {median} lines (budget {MEDIAN})", sizes.len());
    for (lines, name) in sizes.iter().rev().take(5) {
        println!("{lines:>6} {name}");
    }
    for (lines, name) in &sizes {
        match (*lines > MOST, exceptions.get(name)) {
            (true, None) => {
                good = false;
                println!(
                    "too long: `{name}` has {lines} lines, at most {MOST} are allowed; split it by what it decides"
                );
            }
            (false, Some(_)) => {
                good = false;
                println!("`{name}` no longer needs its exception in {EXCEPTIONS}");
            }
            (true, Some(why)) if why.is_empty() => {
                good = false;
                println!("`{name}` has an exception without a reason");
            }
            _ => {}
        }
    }
    for name in exceptions.keys().filter(|name| !sizes.iter().any(|row| row.1 == **name)) {
        good = false;
        println!("{EXCEPTIONS} names `{name}`, which is not there");
    }
    Ok(good)
}

/// Every Rust file below a folder, build output aside.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    found
}
