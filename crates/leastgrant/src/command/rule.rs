//! What `allow`, `deny`, `forget` and `rules` share: who may change rules, and for which project a rule holds.

use std::time::{SystemTime, UNIX_EPOCH};

use leastgrant_core::redact::redact;
use leastgrant_core::rule::{Effect, Layer, Rule, too_broad};

use crate::agent::HookEnv;
use crate::exit::Exit;
use crate::render::{Ui, theme, words};
use crate::store::event::{Event, shown};
use crate::store::{Store, ledger};
use crate::world::Real;

/// Arguments of `allow` and `deny`.
#[derive(clap::Args)]
pub struct Args {
    /// exact command text, or a glob on signatures
    #[arg(allow_hyphen_values = true)]
    pattern: String,
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

/// Adds a rule and shows it.
pub(super) fn add(effect: Effect, args: &Args, ui: &mut Ui) -> Exit {
    let env = HookEnv::of_process();
    let done = person(&env).and_then(|()| {
        let store = Store::at(Real::state(&env));
        let rule = rule(effect, args, &env)?;
        if effect == Effect::Allow && !args.force {
            narrow(&rule, &store)?;
        }
        let file = store.add_rule(&rule)?;
        let _ = store.append(&recorded("rule-added", &rule));
        Ok((rule, file, store))
    });
    match done {
        Ok((rule, file, store)) => {
            tell(&rule, &file.display().to_string(), &store, ui);
            Exit::Ok
        }
        Err(why) => {
            ui.error(&why);
            Exit::Usage
        }
    }
}

fn tell(rule: &Rule, file: &str, store: &Store, ui: &mut Ui) {
    let denied = store.settings().policy.rules.iter().any(|other| {
        other.effect == Effect::Deny
            && other.pattern == rule.pattern
            && (other.project.is_none() || other.project == rule.project)
    });
    if ui.json {
        ui.json(&json(rule));
    } else {
        ui.line(format!("{} {}", styled(rule.effect), words::safe(&rule.pattern)));
        ui.line(theme::paint(theme::DIM, &format!("  {}; written to {file}", place(rule))));
    }
    if rule.effect == Effect::Allow && denied {
        ui.warn("a deny rule with this pattern holds as well, and deny wins: `leastgrant forget` removes both");
    }
}

/// A rule as JSON.
pub(super) fn json(rule: &Rule) -> serde_json::Value {
    serde_json::json!({
        "effect": rule.effect.id(),
        "pattern": rule.pattern,
        "project": rule.project,
        "note": rule.note,
        "until_ms": rule.until_ms,
    })
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
    match &rule.project {
        Some(root) => format!("in {root}"),
        None => String::from("in every project"),
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

fn rule(effect: Effect, args: &Args, env: &HookEnv) -> Result<Rule, String> {
    let pattern = args.pattern.trim();
    if pattern.is_empty() || pattern.contains('\0') {
        return Err(String::from("an empty pattern covers nothing"));
    }
    for text in std::iter::once(pattern).chain(args.note.as_deref()) {
        if redact(text) != text {
            return Err(String::from(
                "this holds a credential, and rules are kept in the clear: write `*` in its place",
            ));
        }
    }
    Ok(Rule {
        effect,
        pattern: pattern.to_owned(),
        when: leastgrant_core::rule::When::default(),
        layer: Layer::User,
        project: project(args.global, env)?,
        note: args.note.clone(),
        until_ms: None,
    })
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
    let Some(broad) = too_broad(&rule.pattern, &seen) else { return Ok(()) };
    let narrower = broad.narrower.map(|pattern| format!("; narrower: `{}`", words::safe(&pattern)));
    Err(format!("{}{}; `--force` takes it all the same", broad.why, narrower.unwrap_or_default()))
}

/// A change of rules as a line of the ledger.
pub(super) fn recorded(name: &'static str, rule: &Rule) -> Event {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut event = Event::new(name, i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    event.decision = Some(rule.effect.id());
    event.display = Some(shown(&rule.pattern));
    event.note = rule.note.as_deref().map(shown);
    event.in_project(rule.project.as_deref())
}
