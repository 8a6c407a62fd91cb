//! What a person chose while installing: `posture` and `bundles` in `policy.toml` of the state folder, other keys and
//! comments kept.

use std::fs;
use std::io;
use std::path::Path;

use leastgrant_core::policy::Posture;
use toml_edit::{Array, DocumentMut, value};

use crate::edit::atomic;

const FILE: &str = "policy.toml";

fn load(state: &Path) -> Result<DocumentMut, String> {
    let path = state.join(FILE);
    match fs::read_to_string(&path) {
        Ok(text) => text.parse().map_err(|error: toml_edit::TomlError| format!("`{}`: {}", path.display(), error.message())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(DocumentMut::new()),
        Err(error) => Err(format!("`{}`: {error}", path.display())),
    }
}

fn save(state: &Path, document: &DocumentMut) -> Result<(), String> {
    let path = state.join(FILE);
    atomic::private_folder(state)
        .and_then(|()| atomic::write_own(&path, document.to_string().as_bytes()))
        .map_err(|error| format!("`{}`: {error}", path.display()))
}

/// Sets the posture.
///
/// # Errors
/// The file can't be read or written, in words.
pub fn set_posture(state: &Path, posture: Posture) -> Result<(), String> {
    let mut document = load(state)?;
    document["posture"] = value(posture.id());
    save(state, &document)
}

/// The posture that was chosen, if any.
///
/// # Errors
/// The file can't be read, or names none that there is.
pub fn chosen_posture(state: &Path) -> Result<Option<Posture>, String> {
    let document = load(state)?;
    let Some(item) = document.get("posture") else { return Ok(None) };
    let posture = item.as_str().and_then(Posture::from_id);
    posture.map(Some).ok_or_else(|| format!("`{}` names no posture that there is", state.join(FILE).display()))
}

/// The bundles that were accepted, none if nobody was asked yet.
///
/// # Errors
/// The file can't be read.
pub fn accepted_bundles(state: &Path) -> Result<Option<Vec<String>>, String> {
    let document = load(state)?;
    let ids = document.get("bundles").and_then(toml_edit::Item::as_array);
    Ok(ids.map(|ids| ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect()))
}

/// Keeps the accepted bundles.
///
/// # Errors
/// The file can't be read or written.
pub fn accept_bundles(state: &Path, ids: &[String]) -> Result<(), String> {
    let mut document = load(state)?;
    document["bundles"] = value(ids.iter().collect::<Array>());
    save(state, &document)
}
