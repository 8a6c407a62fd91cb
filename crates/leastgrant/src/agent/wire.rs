//! What several agents' messages have in common, and the forms in which answers are written.

use leastgrant_core::call::Mode;
use leastgrant_shell::Dialect;
use serde_json::Value;

use super::payload::Payload;
use super::{HookEnv, Output};

/// What stands in an answer where a reason is missing: several agents take a refusal without one for none.
const NO_REASON: &str = "leastgrant gives no reason: this is a bug";

/// One JSON object on a line of its own.
#[must_use]
pub fn object(value: &Value) -> Output {
    Output { stdout: format!("{value}\n"), stderr: String::new(), code: 0 }
}

/// The reason, or a word that there is none.
#[must_use]
pub fn reason(text: &str) -> &str {
    if text.trim().is_empty() { NO_REASON } else { text }
}

/// A text field, empty where it is absent.
///
/// # Errors
/// It holds something else than text.
pub fn said(payload: &Payload, key: &str) -> Result<String, String> {
    Ok(payload.text(key)?.unwrap_or_default().to_owned())
}

/// A text field, if it is there.
///
/// # Errors
/// It holds something else than text.
pub fn maybe(payload: &Payload, key: &str) -> Result<Option<String>, String> {
    Ok(payload.text(key)?.map(str::to_owned))
}

/// The agent's folder; empty where it is not said or not absolute, so that relative paths cannot be placed.
///
/// # Errors
/// It holds something else than text.
pub fn folder(payload: &Payload, key: &str) -> Result<String, String> {
    Ok(absolute(payload.text(key)?).unwrap_or_default().to_owned())
}

/// A path that can be a folder.
#[must_use]
pub fn absolute(path: Option<&str>) -> Option<&str> {
    path.filter(|path| path.starts_with('/') && !path.contains('\0'))
}

/// The permission mode by the agent's own word for it.
#[must_use]
pub fn mode(table: &[(&str, Mode)], word: Option<&str>) -> Mode {
    let Some(word) = word else { return Mode::Unsaid };
    table.iter().find(|row| row.0 == word).map_or_else(|| Mode::Unknown(word.to_owned()), |row| row.1.clone())
}

/// The shell that an agent starts where it follows the person's own, if it is one of the two that agents can drive.
#[must_use]
pub fn person_shell(env: &HookEnv) -> Dialect {
    shell_named(env.get("SHELL").unwrap_or_default())
}

/// The dialect of a shell program.
#[must_use]
pub fn shell_named(program: &str) -> Dialect {
    match program.rsplit('/').next() {
        Some("bash") => Dialect::Bash,
        Some("zsh") => Dialect::Zsh,
        _ => Dialect::Unknown,
    }
}
