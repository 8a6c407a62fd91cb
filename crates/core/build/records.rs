// `compatibility/<agent>.json` → `records.rs`. Only what core decides by is read here; the rest of a record is for others.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::channels;
use crate::tables::{pattern, save};

#[derive(Deserialize)]
struct Record {
    id: String,
    name: String,
    home: String,
    #[serde(default)]
    home_env: Vec<String>,
    #[serde(default)]
    programs: Vec<String>,
    #[serde(default)]
    control_paths: Vec<Fact<ControlPath>>,
    #[serde(default)]
    off_switches: Vec<Fact<OffSwitch>>,
    #[serde(default)]
    grants: Vec<Fact<Grant>>,
    channel: channels::Channel,
}

#[derive(Deserialize)]
pub(crate) struct Fact<T> {
    pub(crate) value: T,
    pub(crate) evidence: String,
}

#[derive(Deserialize)]
struct ControlPath {
    path: String,
    kind: String,
    decides: String,
    hold: String,
}

#[derive(Deserialize)]
struct OffSwitch {
    form: String,
    name: String,
    is: String,
    effect: String,
}

#[derive(Deserialize)]
struct Grant {
    key: String,
    what: String,
}

pub(crate) fn write(folder: &Path, out: &Path) -> Result<(), String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .filter(|path| path.file_name().is_none_or(|name| name != "schema.json"))
        .collect();
    files.sort();
    let mut code = String::from("/// Every compatibility record, by id.\npub static RECORDS: &[Record] = &[\n");
    let mut worth = String::from("/// What the answers are worth, by agent.\npub static CHANNELS: &[Channel] = &[\n");
    for path in &files {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
        let record: Record = serde_json::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
        one(&mut code, &record).map_err(|error| format!("{shown}: {error}"))?;
        channels::one(&mut worth, &record.id, &record.name, &record.channel)
            .map_err(|error| format!("{shown}: {error}"))?;
    }
    code.push_str("];\n");
    worth.push_str("];\n");
    save(&out.join("channels.rs"), &worth)?;
    save(&out.join("records.rs"), &code)
}

fn one(code: &mut String, record: &Record) -> Result<(), String> {
    let _ = writeln!(
        code,
        "    Record {{ id: {:?}, name: {:?}, home: {:?}, home_env: &{:?}, programs: &{:?}, control_paths: &[",
        record.id, record.name, record.home, record.home_env, record.programs
    );
    for fact in &record.control_paths {
        known(&fact.evidence)?;
        let entry = &fact.value;
        let lower = entry.path.to_lowercase().replace("<any>/", "");
        let _ = writeln!(
            code,
            "        ControlPath {{ path: {:?}, pattern: {}, kind: {:?}, decides: {:?}, hold: Hold::{} }},",
            entry.path,
            pattern(&lower)?,
            entry.kind,
            entry.decides,
            hold(&entry.hold)?
        );
    }
    code.push_str("    ], off_switches: &[\n");
    for fact in &record.off_switches {
        known(&fact.evidence)?;
        let entry = &fact.value;
        let form = match entry.form.as_str() {
            "setting" => "Setting",
            "flag" => "Flag",
            "flag-value" => "FlagValue",
            "env" => "Env",
            other => return Err(format!("unknown form `{other}`")),
        };
        let hooks = match entry.effect.as_str() {
            "hooks" => true,
            "prompts" => false,
            other => return Err(format!("unknown effect `{other}`")),
        };
        let _ = writeln!(
            code,
            "        OffSwitch {{ form: Form::{form}, name: {:?}, is: {:?}, hooks: {hooks} }},",
            entry.name, entry.is
        );
    }
    code.push_str("    ], grants: &[\n");
    for fact in &record.grants {
        known(&fact.evidence)?;
        let _ = writeln!(code, "        ({:?}, {:?}),", fact.value.key, fact.value.what);
    }
    code.push_str("    ] },\n");
    Ok(())
}

pub(crate) fn hold(word: &str) -> Result<&'static str, String> {
    match word {
        "config" => Ok("Config"),
        "persistence" => Ok("Persistence"),
        "record" => Ok("Record"),
        "own" => Ok("Own"),
        other => Err(format!("unknown hold `{other}`")),
    }
}

pub(crate) fn known(evidence: &str) -> Result<(), String> {
    match evidence {
        "probe" | "source" | "docs" | "unknown" => Ok(()),
        other => Err(format!("unknown evidence `{other}`")),
    }
}
