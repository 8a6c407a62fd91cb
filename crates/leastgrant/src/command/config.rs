//! `leastgrant config`: settings, shown and changed. A value that would make the file unreadable is not written.

use leastgrant_core::policy::Posture;
use toml_edit::{Array, Value};

use super::past::Here;
use super::rule::person;
use crate::exit::Exit;
use crate::render::{Ui, theme, words};
use crate::store::event::Event;
use crate::store::policy::Settings;

/// Arguments of `config`.
#[derive(clap::Args)]
pub struct Args {
    /// the setting
    key: Option<String>,
    /// its new value; several for a list
    values: Vec<String>,
    /// back to what holds without it
    #[arg(long, requires = "key", conflicts_with = "values")]
    unset: bool,
}

/// Every setting: its name, whether it is a list, what it is.
const KEYS: &[(&str, bool, &str)] = &[
    ("posture", false, "how much may pass unasked: observe, assist, autopilot or strict"),
    ("bundles", true, "accepted starter bundles"),
    ("extra-roots", true, "other folders that count as the project"),
    ("secret-files", true, "globs of files that count as secret"),
    ("half-life-days", false, "after so many days an approval counts half"),
    (
        "retention-days",
        false,
        "after so many days the text of a call goes from the ledger (`leastgrant ledger compact`)",
    ),
];

/// Shows or sets.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    match done(args, ui) {
        Ok(exit) => exit,
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

fn done(args: &Args, ui: &mut Ui) -> Result<Exit, String> {
    let here = Here::find();
    let settings = here.store.settings();
    let Some(key) = &args.key else {
        show(&settings, ui);
        return Ok(if settings.policy.problems.is_empty() { Exit::Ok } else { Exit::Bad });
    };
    let (key, list, _) = KEYS.iter().find(|row| row.0 == key).ok_or_else(|| {
        let names: Vec<&str> = KEYS.iter().map(|row| row.0).collect();
        format!("there is no setting `{}`; there are {}", words::safe(key), names.join(", "))
    })?;
    if args.values.is_empty() && !args.unset {
        ui.line(words::safe(&value(&settings, key)));
        return Ok(Exit::Ok);
    }
    person(&here.env)?;
    let given = if args.unset { None } else { Some(parsed(key, *list, &args.values)?) };
    let loosens = *key == "posture" && args.values.first().is_some_and(|word| word == Posture::Autopilot.id());
    let file = here.store.set(key, given)?;
    let note = format!("{key}: {}", value(&here.store.settings(), key));
    let _ = here.store.append(&Event::new("policy-written", here.now).noting(&note));
    ui.line(words::safe(&note));
    ui.line(theme::paint(theme::DIM, &format!("written to {}", file.display())));
    if loosens {
        ui.warn("posture autopilot lets pass what was not understood as long as it stays in the project");
    }
    Ok(Exit::Ok)
}

fn parsed(key: &str, list: bool, values: &[String]) -> Result<Value, String> {
    if list {
        return Ok(Value::Array(values.iter().map(String::as_str).collect::<Array>()));
    }
    let [one] = values else { return Err(format!("`{key}` takes one value")) };
    match key {
        "posture" => Ok(Value::from(one.as_str())),
        "half-life-days" => {
            one.parse::<f64>().map(Value::from).map_err(|_| format!("`{}` is no number", words::safe(one)))
        }
        _ => one.parse::<i64>().map(Value::from).map_err(|_| format!("`{}` is no whole number", words::safe(one))),
    }
}

fn value(settings: &Settings, key: &str) -> String {
    match key {
        "posture" => settings.policy.posture.id().to_owned(),
        "bundles" => settings.policy.bundles.join(" "),
        "extra-roots" => settings.extra_roots.join(" "),
        "secret-files" => settings.secret_globs.join(" "),
        "half-life-days" => settings.policy.terms.half_life.to_string(),
        _ => settings.retention_days.map_or_else(|| String::from("none"), |days| days.to_string()),
    }
}

fn show(settings: &Settings, ui: &mut Ui) {
    if ui.json {
        let all: serde_json::Map<_, _> =
            KEYS.iter().map(|(key, ..)| ((*key).to_owned(), serde_json::Value::from(value(settings, key)))).collect();
        ui.json(&serde_json::json!({ "settings": all, "problems": settings.policy.problems }));
        return;
    }
    for (key, _, about) in KEYS {
        let value = value(settings, key);
        ui.line(format!("{key} = {}", if value.is_empty() { String::from("none") } else { words::safe(&value) }));
        ui.line(theme::paint(theme::DIM, &format!("    {about}")));
    }
    for problem in &settings.policy.problems {
        ui.warn(problem);
    }
}
