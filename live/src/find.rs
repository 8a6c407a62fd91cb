//! Which agents are installed here, which version each says it is, and the digest of what would be started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::agent::Driver;
use crate::stage;

/// An agent on this machine.
#[derive(Clone, Debug)]
pub struct Found {
    /// what is started
    pub program: PathBuf,
    /// folders that must be on PATH for it
    pub path: Vec<PathBuf>,
}

/// Looks for an agent on PATH, or takes the program that a person named.
///
/// # Errors
/// It is not there.
pub fn find(driver: &dyn Driver, named: Option<&Path>) -> Result<Found, String> {
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let on_path = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    let program = match named {
        Some(path) => path.canonicalize().map_err(|error| format!("`{}`: {error}", path.display()))?,
        None => driver.programs().iter().find_map(|name| on_path(name)).ok_or_else(|| {
            format!("`{}` is not on PATH; name it with `--agent-bin`", driver.programs().join("` or `"))
        })?,
    };
    // agents that are scripts need their interpreter, wherever the person keeps it
    let path = on_path("node").and_then(|node| node.parent().map(Path::to_path_buf)).into_iter().collect();
    Ok(Found { program, path })
}

/// The version that it says it is.
///
/// # Errors
/// It can't be started, or says none.
pub fn version(driver: &dyn Driver, found: &Found) -> Result<String, String> {
    let home = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut path = found.path.clone();
    path.extend(["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from));
    let env: BTreeMap<String, OsString> = [
        ("HOME", home.path().as_os_str().to_owned()),
        ("PATH", std::env::join_paths(path).unwrap_or_default()),
        ("LANG", OsString::from("C.UTF-8")),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    let output = stage::ask(&found.program, driver.arguments_of_version(), &env)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    number(&said).ok_or_else(|| {
        format!(
            "`{}` does not say its version but `{}`",
            found.program.display(),
            said.lines().next().unwrap_or_default()
        )
    })
}

/// The first thing in a text that looks like a version.
fn number(text: &str) -> Option<String> {
    text.split(|c: char| c.is_whitespace() || c == '(' || c == ')' || c == ',')
        .map(|word| word.trim_start_matches('v').trim_end_matches('.'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.matches('.').count() >= 2)
        .map(str::to_owned)
}

/// Digest of a file, read in pieces.
///
/// # Errors
/// It can't be read.
pub fn sha256(path: &Path) -> Result<String, String> {
    let words = |error: std::io::Error| format!("`{}`: {error}", path.display());
    let mut file = std::fs::File::open(path).map_err(words)?;
    let mut digest = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        let many = file.read(&mut piece).map_err(words)?;
        if many == 0 {
            break;
        }
        digest.update(piece.get(..many).unwrap_or_default());
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Release of the kernel.
#[must_use]
pub fn kernel() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_agents_say() {
        assert_eq!(number("2.1.332 (Claude Code)\n").as_deref(), Some("2.1.332"));
        assert_eq!(number("codex-cli 0.171.0\n").as_deref(), Some("0.171.0"));
        assert_eq!(number("GitHub Copilot CLI 1.0.102.\n").as_deref(), Some("1.0.102"));
        assert_eq!(number("no idea"), None);
    }
}
