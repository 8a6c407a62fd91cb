//! A turn and an outcome as a worker declares them: read strictly, refused by name. Nothing is repaired.

use serde_json::{Map, Value};

use super::mask;
use crate::persona::json;

/// The schema of turns and of the journal.
pub const SCHEMA: &str = "persona-runtime-result/1.0";

/// URLs that one turn may declare.
const MOST_NAVIGATIONS: usize = 32;

/// A turn that may be weighed.
#[derive(Clone, Debug)]
pub struct Turn {
    /// its number, from one
    pub number: u32,
    /// where in the flow, as the worker calls it
    pub step: Option<String>,
    /// the URLs that it will visit, as written
    pub navigations: Vec<String>,
    /// what it will do, in the worker's words: the action, the next one, further declared actions
    pub actions: Vec<String>,
    /// the state afterwards, masked
    pub delta: Value,
    /// the whole turn, masked
    pub fields: Map<String, Value>,
}

/// How a journey ended, by the worker's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// the goal was reached
    Succeeded,
    /// the persona gave up
    Abandoned,
    /// it could not go on
    Blocked,
}

impl Outcome {
    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Abandoned => "abandoned",
            Self::Blocked => "blocked",
        }
    }

    /// The outcome with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Succeeded, Self::Abandoned, Self::Blocked].into_iter().find(|outcome| outcome.word() == word)
    }
}

/// The id of a turn.
#[must_use]
pub fn id(number: u32) -> String {
    format!("turn-{number}")
}

/// A turn as people read it; what happened before the first has no turn of its own.
#[must_use]
pub fn shown(number: u32) -> String {
    if number == 0 { String::from("before turn-1") } else { id(number) }
}

/// The number of a turn id, written the one way that it is written.
#[must_use]
pub fn number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("turn-")?;
    let number: u32 = digits.parse().ok()?;
    (number > 0 && id(number) == text).then_some(number)
}

/// Reads a turn.
///
/// # Errors
/// What is wrong with it, in words for the worker.
pub fn read(body: &str, persona: &str, expected: u32) -> Result<Turn, String> {
    let fields = object(body).map_err(|why| format!("the block is not one JSON object: {why}"))?;
    let schema = text(&fields, "schema_version")?;
    if schema != SCHEMA {
        return Err(format!("`schema_version` is `{}`, it must be `{SCHEMA}`", short(schema)));
    }
    let turn = text(&fields, "turn_id")?;
    let who = text(&fields, "persona_id")?;
    let delta = fields.get("state_delta").filter(|delta| delta.is_object());
    let delta = delta.ok_or("`state_delta` is missing or no object")?;
    if who != persona {
        return Err(format!("`persona_id` is `{}`, this run is of `{persona}`", short(who)));
    }
    if number(turn) != Some(expected) {
        return Err(format!("`turn_id` is `{}`, the next one is `{}`", short(turn), id(expected)));
    }
    let navigations = navigations(&fields)?;
    let step = optional(&fields, "flow_step")?.map(|step| mask::line(step, 80));
    let actions = actions(&fields, delta)?;
    evidence(&fields)?;
    Ok(Turn { number: expected, step, navigations, actions, delta: mask::value(delta), fields: mask::fields(&fields) })
}

/// Reads an outcome.
///
/// # Errors
/// What is wrong with it, in words for the worker.
pub fn outcome(body: &str) -> Result<(Outcome, String), String> {
    let fields = object(body).map_err(|why| format!("the outcome block is not one JSON object: {why}"))?;
    let word = text(&fields, "outcome")?;
    let outcome = Outcome::from_word(word)
        .ok_or_else(|| format!("`outcome` is `{}`, it must be `succeeded`, `abandoned` or `blocked`", short(word)))?;
    let detail = optional(&fields, "detail")?.unwrap_or_default();
    Ok((outcome, mask::line(detail, 400)))
}

fn object(body: &str) -> Result<Map<String, Value>, String> {
    match json::read(body)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(String::from("it is another value")),
    }
}

fn navigations(fields: &Map<String, Value>) -> Result<Vec<String>, String> {
    let wrong = "`declared_navigations` must be a list of absolute URLs, empty when nothing is visited";
    let list = fields.get("declared_navigations").and_then(Value::as_array).ok_or(wrong)?;
    if list.len() > MOST_NAVIGATIONS {
        return Err(format!("`declared_navigations` has more than {MOST_NAVIGATIONS} URLs"));
    }
    let urls: Option<Vec<String>> = list.iter().map(|url| url.as_str().map(str::to_owned)).collect();
    let urls = urls.ok_or(wrong)?;
    if urls.iter().any(|url| url::Url::parse(url).is_err()) {
        return Err(wrong.to_owned());
    }
    Ok(urls)
}

/// Every text that says what will be done.
fn actions(fields: &Map<String, Value>, delta: &Value) -> Result<Vec<String>, String> {
    let observed = fields.get("observed_behavior");
    if observed.is_some_and(|observed| !observed.is_object()) {
        return Err(String::from("`observed_behavior` must be an object"));
    }
    let mut actions = Vec::new();
    let places = [
        ("observed_behavior.intended_action", observed.and_then(|observed| observed.get("intended_action"))),
        ("state_delta.next_action", delta.get("next_action")),
        ("declared_actions", fields.get("declared_actions")),
    ];
    for (name, value) in places {
        match value {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => actions.push(text.clone()),
            Some(Value::Array(list)) => {
                for text in list {
                    let text = text.as_str().ok_or_else(|| format!("`{name}` must hold texts"))?;
                    actions.push(text.to_owned());
                }
            }
            Some(_) => return Err(format!("`{name}` must be a text")),
        }
    }
    Ok(actions)
}

/// Evidence is a file of the run's own folder.
fn evidence(fields: &Map<String, Value>) -> Result<(), String> {
    for path in paths(fields) {
        let path = path.ok_or("`evidence` must be a text or a list of texts")?;
        if !is_evidence(path) {
            return Err(format!("`evidence` names `{}`, it must be a file below `evidence/`", short(path)));
        }
    }
    Ok(())
}

/// The evidence that a turn names.
pub(super) fn paths(fields: &Map<String, Value>) -> Vec<Option<&str>> {
    match fields.get("evidence") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => list.iter().map(Value::as_str).collect(),
        Some(one) => vec![one.as_str()],
    }
}

/// Whether a path stays in the evidence folder.
#[must_use]
pub fn is_evidence(path: &str) -> bool {
    path.strip_prefix("evidence/").is_some_and(|rest| {
        !rest.is_empty()
            && rest.len() < 200
            && !rest.contains(['\\', '\0', '\n'])
            && rest.split('/').all(|part| !matches!(part, "" | "." | ".."))
    })
}

fn text<'a>(fields: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    let text = fields.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| format!("`{key}` is missing or no text"))
}

fn optional<'a>(fields: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` must be a text")),
    }
}

fn short(text: &str) -> String {
    mask::line(text, 60)
}
