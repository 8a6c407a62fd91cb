// `knowledge/secrets.toml` and `knowledge/control.toml` → `secrets.rs`, `control.rs`. What a path pattern means is said in those files.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Secrets {
    secret: Vec<Secret>,
    exempt: Exempt,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Secret {
    why: String,
    paths: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    soft: bool,
    #[serde(default)]
    outside: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exempt {
    endings: Vec<String>,
    names: Vec<String>,
    below: Vec<String>,
    sources: Vec<String>,
    folders: Vec<String>,
    words: Vec<String>,
    pairs: Vec<String>,
    harmless: Vec<String>,
}

pub(crate) fn write(knowledge: &Path, out: &Path) -> Result<(), String> {
    secrets(knowledge, out)?;
    control(knowledge, out)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Controls {
    control: Vec<Control>,
    manifest: Vec<Manifest>,
    runs: Vec<Runs>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Control {
    hold: String,
    kind: String,
    decides: String,
    paths: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    name: String,
    format: String,
    keys: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Runs {
    why: String,
    names: Vec<String>,
}

fn control(knowledge: &Path, out: &Path) -> Result<(), String> {
    let table: Controls = read(&knowledge.join("control.toml"))?;
    let mut code = String::from("pub(super) static GENERIC: &[ControlPath] = &[\n");
    for row in &table.control {
        for path in &row.paths {
            let hold = crate::records::hold(&row.hold)?;
            let (kind, decides, pattern) = (&row.kind, &row.decides, pattern(path)?);
            let _ = writeln!(
                code,
                "    ControlPath {{ path: {path:?}, pattern: {pattern}, kind: {kind:?}, decides: {decides:?}, hold: Hold::{hold} }},"
            );
        }
    }
    code.push_str("];\npub(super) static MANIFESTS: &[Manifest] = &[\n");
    for row in &table.manifest {
        let format = match row.format.as_str() {
            "json" => "Json",
            "jsonc" => "Jsonc",
            "toml" => "Toml",
            other => return Err(format!("unknown format `{other}`")),
        };
        let _ =
            writeln!(code, "    Manifest {{ name: {:?}, format: Format::{format}, keys: &{:?} }},", row.name, row.keys);
    }
    code.push_str("];\npub(super) static RUNS: &[(&[&str], &str)] = &[\n");
    for row in &table.runs {
        let _ = writeln!(code, "    ({}, {:?}),", strings(&row.names)?, row.why);
    }
    code.push_str("];\n");
    save(&out.join("control.rs"), &code)
}

fn secrets(knowledge: &Path, out: &Path) -> Result<(), String> {
    let table: Secrets = read(&knowledge.join("secrets.toml"))?;
    let mut code = String::from("pub(super) static SECRETS: &[Secret] = &[\n");
    for secret in &table.secret {
        for path in &secret.paths {
            let except = strings(&secret.except)?;
            let _ = writeln!(
                code,
                "    Secret {{ pattern: {}, except: {except}, soft: {}, outside: {}, why: {:?} }},",
                pattern(path)?,
                secret.soft,
                secret.outside,
                secret.why,
            );
        }
    }
    code.push_str("];\n");
    let exempt = &table.exempt;
    for (name, list) in [
        ("TEMPLATE_ENDINGS", &exempt.endings),
        ("PUBLIC_NAMES", &exempt.names),
        ("SOURCES", &exempt.sources),
        ("LOOKALIKE_FOLDERS", &exempt.folders),
        ("SECRET_WORDS", &exempt.words),
        ("SECRET_PAIRS", &exempt.pairs),
        ("HARMLESS_NAMES", &exempt.harmless),
    ] {
        let _ = writeln!(code, "pub(super) static {name}: &[&str] = {};", strings(list)?);
    }
    let _ = writeln!(code, "static PUBLIC_PLACES: &[Pattern] = &[");
    for path in &exempt.below {
        let _ = writeln!(code, "    {},", pattern(path)?);
    }
    code.push_str("];\n");
    save(&out.join("secrets.rs"), &code)
}

/// A path pattern as a constant; the tables are compared in lower case.
pub(crate) fn pattern(text: &str) -> Result<String, String> {
    if text != text.to_ascii_lowercase() {
        return Err(format!("`{text}` must be in lower case"));
    }
    let prefixes = [("~/", "Home"), ("<repo>/", "Repo"), ("/", "Root"), ("c:/", "Drive")];
    let (anchor, rest) = prefixes
        .iter()
        .find_map(|(prefix, anchor)| Some((*anchor, text.strip_prefix(prefix)?)))
        .unwrap_or(("Anywhere", text));
    let folder = rest.ends_with('/');
    let parts: Vec<&str> = rest.trim_end_matches('/').split('/').collect();
    if parts.iter().any(|part| part.is_empty() || *part == "." || *part == "..") {
        return Err(format!("`{text}` is no path pattern"));
    }
    Ok(format!("Pattern {{ anchor: Anchor::{anchor}, parts: &{parts:?}, folder: {folder} }}"))
}

fn strings(list: &[String]) -> Result<String, String> {
    match list.iter().find(|text| **text != text.to_ascii_lowercase()) {
        Some(text) => Err(format!("`{text}` must be in lower case")),
        None => Ok(format!("&{list:?}")),
    }
}

pub(crate) fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn save(path: &Path, code: &str) -> Result<(), String> {
    std::fs::write(path, code).map_err(|error| format!("{}: {error}", path.display()))
}
