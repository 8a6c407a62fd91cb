//! What `allow`, `deny`, `forget` and `rules` share: who may change rules, and for which project a rule holds.

use std::time::{SystemTime, UNIX_EPOCH};

use leastgrant_core::redact::redact;
use leastgrant_core::rule::{Effect, KEYS, Layer, Rule, When, glob, too_broad};
use leastgrant_core::signature;

use super::past::{DAY, Here, matched};
use crate::agent::HookEnv;
use crate::exit::Exit;
use crate::render::{Ui, theme, words};
use crate::store::event::{Event, shown};
use crate::store::{Store, ledger};
use crate::world::Real;

/// Arguments of `allow` and `deny`.
#[derive(clap::Args)]
pub struct Args {
    /// exact command text, a glob on signatures, or conditions `key=value`: program, capability, path, host, server, tool,
    /// agent, branch, mode
    #[arg(allow_hyphen_values = true)]
    pattern: String,
    /// more conditions
    #[arg(value_name = "KEY=VALUE")]
    more: Vec<String>,
    /// it ends after so long: `24h`, `30d`, `2w`, `6mo`
    #[arg(long, value_name = "TIME", value_parser = super::past::span)]
    expires: Option<i64>,
    /// in one session of an agent only
    #[arg(long, value_name = "ID", conflicts_with = "global")]
    session: Option<String>,
    /// show what it would have matched, and keep nothing
    #[arg(long)]
    dry_run: bool,
    /// why, for whoever reads the rule later
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// in every project instead of this one
    #[arg(long)]
    global: bool,
    /// although the pattern covers more than was seen here
    #[arg(long)]
    force: bool,
}

/// Adds a rule: shows it, and what it would have matched lately, before it is kept.
pub(super) fn add(effect: Effect, args: &Args, ui: &mut Ui) -> Exit {
    match added(effect, args, ui) {
        Ok(exit) => exit,
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

fn added(effect: Effect, args: &Args, ui: &mut Ui) -> Result<Exit, String> {
    let env = HookEnv::of_process();
    person(&env)?;
    let here = Here::find();
    let rule = rule(effect, args, &here)?;
    if effect == Effect::Allow && !args.force {
        narrow(&rule, &here.store)?;
    }
    let (lines, _) = here.lines(here.now - 30 * DAY, rule.project.is_none())?;
    let (count, examples) = matched(&rule, &lines, &env);
    if !ui.json {
        ui.line(format!("{} {}", styled(rule.effect), words::safe(&rule.shown())));
        let times = words::count(count, "call", "calls");
        ui.line(theme::paint(
            theme::DIM,
            &format!("  {}; in the last 30 days it would have matched {times}", place(&rule)),
        ));
        for example in &examples {
            let cut = words::cut(&words::safe(example), ui.width().saturating_sub(6));
            ui.line(theme::paint(theme::DIM, &format!("    {cut}")));
        }
    }
    let file = if args.dry_run {
        None
    } else {
        let file = match args.session.as_deref() {
            Some(session) => {
                let name = here.store.session_rules(session).ok_or("this is no id of a session")?;
                here.store.add_rule_to(&name, &rule)?
            }
            None => here.store.add_rule(&rule)?,
        };
        let _ = here.store.append(&recorded("rule-added", &rule));
        Some(file)
    };
    if ui.json {
        let more = serde_json::json!({ "matched_in_30_days": count, "examples": examples, "kept": file.is_some() });
        ui.json(&with(json(&rule), more));
    } else {
        let kept = file.map_or_else(|| String::from("  not kept"), |file| format!("  written to {}", file.display()));
        ui.line(theme::paint(theme::DIM, &kept));
    }
    let shadowed = here.store.settings().policy.rules.iter().any(|other| {
        other.effect == Effect::Deny
            && (&other.pattern, &other.when) == (&rule.pattern, &rule.when)
            && (other.project.is_none() || other.project == rule.project)
    });
    if rule.effect == Effect::Allow && shadowed {
        ui.warn("a deny rule with this pattern holds as well, and deny wins: `leastgrant forget` removes both");
    }
    Ok(Exit::Ok)
}

/// A rule as JSON.
pub(super) fn json(rule: &Rule) -> serde_json::Value {
    serde_json::json!({
        "effect": rule.effect.id(),
        "pattern": rule.pattern,
        "when": KEYS.iter().filter_map(|key| Some(((*key).to_owned(), rule.when.get(key)?.into()))).collect::<serde_json::Map<_, _>>(),
        "layer": layer(rule.layer),
        "project": rule.project,
        "note": rule.note,
        "until_ms": rule.until_ms,
    })
}

/// One object with the keys of another added.
pub(super) fn with(mut value: serde_json::Value, more: serde_json::Value) -> serde_json::Value {
    if let (Some(value), serde_json::Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
    value
}

/// A layer's name.
pub(super) fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::Machine => "machine",
        Layer::User => "user",
        Layer::Project => "project",
        Layer::Trusted => "project (trusted)",
        Layer::Session => "session",
    }
}

/// The effect in its colour.
pub(super) fn styled(effect: Effect) -> String {
    let style = match effect {
        Effect::Allow => theme::ALLOW,
        Effect::Ask => theme::ASK,
        Effect::Deny => theme::DENY,
    };
    theme::paint(style, effect.id())
}

/// Where a rule holds, in words.
pub(super) fn place(rule: &Rule) -> String {
    let until =
        rule.until_ms.map_or_else(String::new, |ms| format!(", until {}", super::past::clock(ms, "%Y-%m-%d %H:%M")));
    match (&rule.project, rule.layer) {
        (_, Layer::Session) => format!("in one session{until}"),
        (Some(root), _) => format!("in {}{until}", words::safe(root)),
        (None, Layer::Project | Layer::Trusted) => format!("in this project{until}"),
        (None, _) => format!("in every project{until}"),
    }
}

/// Rules are a person's: an agent that could write them would need no hook.
///
/// # Errors
/// An agent started this process.
pub(super) fn person(env: &HookEnv) -> Result<(), String> {
    match env.inside_agent() {
        Some(name) => Err(format!(
            "only a person may change what is allowed, in a terminal of their own: `{name}` says that an agent started this"
        )),
        None => Ok(()),
    }
}

/// The root that a rule is bound to.
///
/// # Errors
/// The folder is nobody's project.
pub(super) fn project(global: bool, env: &HookEnv) -> Result<Option<String>, String> {
    if global {
        return Ok(None);
    }
    let here = std::env::current_dir().ok().and_then(|path| Some(path.to_str()?.to_owned())).unwrap_or_default();
    match Real::project_of(env, &here) {
        Some(root) => Ok(Some(root)),
        None => Err(format!("`{here}` is no project: go to one, or add `--global`")),
    }
}

fn rule(effect: Effect, args: &Args, here: &Here) -> Result<Rule, String> {
    let words: Vec<String> = std::iter::once(&args.pattern).chain(&args.more).cloned().collect();
    let mut rule = written(effect, &words)?;
    for text in words.iter().chain(args.note.as_ref()) {
        if redact(text) != *text {
            return Err(String::from(
                "this holds a credential, and rules are kept in the clear: write `*` in its place",
            ));
        }
    }
    if effect == Effect::Allow && rule.pattern.is_empty() && !rule.when.is_about_something() && !args.force {
        return Err(String::from(
            "this says who and where, not what: add `program=`, `capability=`, `path=`, `host=`, `server=` or `tool=`; `--force` takes it all the same",
        ));
    }
    rule.note.clone_from(&args.note);
    rule.until_ms = args.expires.map(|span| here.now.saturating_add(span));
    if args.session.is_some() {
        rule.layer = Layer::Session;
    } else {
        rule.project = project(args.global, &here.env)?;
    }
    Ok(rule)
}

/// A rule as it is written after the command: a pattern, conditions, or both.
///
/// # Errors
/// Nothing is left of it, or a condition stands there twice.
pub(super) fn written(effect: Effect, words: &[String]) -> Result<Rule, String> {
    let (mut pattern, mut when) = (Vec::new(), When::default());
    for word in words {
        let condition =
            word.split_once('=').filter(|(key, value)| KEYS.contains(key) && !value.contains(char::is_whitespace));
        match condition {
            Some((key, "")) => return Err(format!("`{key}=` says nothing")),
            Some((key, value)) => {
                let Some(slot) = when.slot(key) else { continue };
                if slot.replace(value.to_owned()).is_some() {
                    return Err(format!("`{key}` stands there twice"));
                }
            }
            None => pattern.push(word.trim()),
        }
    }
    let pattern = pattern.join(" ").trim().to_owned();
    if (pattern.is_empty() && when.is_empty()) || pattern.contains('\0') {
        return Err(String::from("an empty pattern covers nothing"));
    }
    Ok(Rule { effect, pattern, when, layer: Layer::User, project: None, note: None, until_ms: None })
}

/// Holds an allow rule that covers more than its author is likely to mean.
fn narrow(rule: &Rule, store: &Store) -> Result<(), String> {
    let lines = ledger::read(store).unwrap_or_default();
    let here = |line: &&serde_json::Value| {
        rule.project.is_none() || line.get("project").and_then(|root| root.as_str()) == rule.project.as_deref()
    };
    let seen: Vec<&str> = lines
        .iter()
        .filter(here)
        .filter_map(|line| line.get("signature")?.as_str())
        .flat_map(|signature| signature.split(" ; "))
        .filter(|signature| !signature.is_empty())
        .collect();
    if rule.pattern.is_empty() {
        let heavy = seen.iter().find(|signature| {
            let does = signature::does(signature);
            let does = does.filter(|does| !does.opaque && does.blast.tier() >= 3);
            does.is_some_and(|does| {
                rule.when.capability.as_deref().is_some_and(|name| glob(name, does.capability.id()))
            })
        });
        return match heavy {
            Some(heavy) => Err(format!(
                "`{}` covers `{}`, where too much is at stake for a condition alone; `--force` takes it all the same",
                words::safe(&rule.shown()),
                words::safe(signature::body(heavy))
            )),
            None => Ok(()),
        };
    }
    let Some(broad) = too_broad(&rule.pattern, &seen) else { return Ok(()) };
    let narrower = broad.narrower.map(|pattern| format!("; narrower: `{}`", words::safe(&pattern)));
    Err(format!("{}{}; `--force` takes it all the same", broad.why, narrower.unwrap_or_default()))
}

/// A change of rules as a line of the ledger.
pub(super) fn recorded(name: &'static str, rule: &Rule) -> Event {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut event = Event::new(name, i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    event.decision = Some(rule.effect.id());
    event.display = Some(shown(&rule.shown()));
    event.note = rule.note.as_deref().map(shown);
    event.in_project(rule.project.as_deref())
}
