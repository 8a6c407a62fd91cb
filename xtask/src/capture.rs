//! `capture`: puts what `demo` really prints into the README.

use std::path::Path;
use std::process::Command;

const BEGIN: &str = "<!-- demo -->";
const END: &str = "<!-- /demo -->";

pub(crate) fn run(root: &Path) -> crate::Outcome {
    let output = Command::new(std::env::var("CARGO").unwrap_or_else(|_| String::from("cargo")))
        .args(["run", "--release", "--locked", "--quiet", "--", "demo", "--no-color"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run the demo: {error}"))?;
    let shown = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("the demo failed:\n{shown}{}", String::from_utf8_lossy(&output.stderr)));
    }
    let path = root.join("README.md");
    let readme = crate::read(&path)?;
    let parts = readme.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let Some((head, tail)) = parts else { return Err(format!("README.md has no {BEGIN} … {END}")) };
    let text = format!("{head}{BEGIN}\n```text\n{}\n```\n{END}{tail}", shown.trim_end());
    std::fs::write(&path, text).map_err(|error| format!("cannot write README.md: {error}"))?;
    Ok(true)
}
