//! Puts scenarios and kept receipts into the crate, so that an installed program can re-measure without a checkout.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), String> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").map_err(|error| error.to_string())?);
    let out = PathBuf::from(std::env::var("OUT_DIR").map_err(|error| error.to_string())?);
    let scenarios = root.join("scenarios");
    let mut text = String::from(
        "/// Agent id, file name and text of every scenario file.\npub(crate) static FILES: &[(&str, &str, &str)] = &[\n",
    );
    for folder in sorted(&scenarios)? {
        for file in sorted(&folder)?.iter().filter(|file| file.extension().is_some_and(|ending| ending == "toml")) {
            let name =
                |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            writeln!(
                text,
                "    ({:?}, {:?}, include_str!({:?})),",
                name(&folder),
                name(file),
                file.display().to_string()
            )
            .map_err(|error| error.to_string())?;
        }
    }
    text.push_str("];\n");
    std::fs::write(out.join("scenarios.rs"), text).map_err(|error| error.to_string())?;
    let receipts = root.join("receipts");
    let mut text =
        String::from("/// File name and text of every kept receipt.\nstatic RECEIPTS: &[(&str, &str)] = &[\n");
    for file in sorted(&receipts)?.iter().filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        writeln!(text, "    ({name:?}, include_str!({:?})),", file.display().to_string())
            .map_err(|error| error.to_string())?;
    }
    text.push_str("];\n");
    std::fs::write(out.join("receipts.rs"), text).map_err(|error| error.to_string())?;
    // each folder too: a file that is added changes its folder's time, not the parent's
    let watch = |path: &Path| format!("cargo:rerun-if-changed={}", path.display());
    let mut lines = vec![watch(&scenarios), watch(&receipts)];
    lines.extend(sorted(&scenarios)?.iter().map(|folder| watch(folder)));
    let text = lines.join("\n") + "\n";
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).map_err(|error| error.to_string())
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
