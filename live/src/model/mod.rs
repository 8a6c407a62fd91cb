//! A scripted model. It plays a scenario's turns in whichever of four dialects it is asked, remembers what it was told
//! about each call, and answers side requests (titles, classifiers) with harmless text. It decides nothing.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::http::{Request, Response, Server};
use crate::scenario::Step;

/// What the model ends with where the scenario says nothing else.
pub(crate) const DONE: &str = "LIVE-DONE";
/// A conversation whose first words hold this is a subagent's.
pub(crate) const SUBAGENT: &str = "SUBAGENT";

/// A tool call in an agent's own words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// the tool
    pub name: String,
    /// the namespace that it is offered in, where the dialect has such
    pub namespace: Option<String>,
    /// its input
    pub input: Value,
    /// free-form input, where the dialect has such
    pub text: Option<String>,
}

/// One answer of the model, and what the world does just before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    pub(crate) acts: Vec<Step>,
    /// scenario id and call
    pub(crate) calls: Vec<(String, ToolCall)>,
    pub(crate) say: Option<String>,
}

/// What was asked of the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// by scenario id: what the model was told about the call
    pub(crate) told: BTreeMap<String, String>,
    /// scenario ids of calls that were played
    pub(crate) played: BTreeSet<String>,
    /// requests that were answered from the script
    pub(crate) requests: u32,
    /// requests for something that no dialect has
    pub(crate) unknown: Vec<String>,
    /// tools on offer
    pub(crate) tools: BTreeSet<String>,
    acted: BTreeSet<(bool, usize)>,
    threads: Vec<(String, usize)>,
}

/// Changes the world.
pub(crate) type Act = dyn Fn(&Step) + Send + Sync;

pub(crate) struct Script {
    pub(crate) main: Vec<Turn>,
    pub(crate) sub: Vec<Turn>,
    act: Box<Act>,
    log: Mutex<Log>,
    answers: AtomicU64,
}

/// A model that is being asked.
pub(crate) struct Model {
    script: Arc<Script>,
    server: Server,
}

impl Model {
    pub(crate) fn start(main: Vec<Turn>, sub: Vec<Turn>, act: Box<Act>) -> Result<Self, String> {
        let script = Arc::new(Script { main, sub, act, log: Mutex::default(), answers: AtomicU64::new(0) });
        let asked = Arc::clone(&script);
        let server = Server::start(move |request| asked.answer(request))
            .map_err(|error| format!("no loopback port: {error}"))?;
        Ok(Self { script, server })
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.port()
    }

    pub(crate) fn log(&self) -> Log {
        self.script.log().clone()
    }
}

/// Which conversation a request belongs to, and how far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) sub: bool,
    pub(crate) turn: usize,
}

/// What is said at one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// wire id and call
    pub(crate) calls: Vec<(String, ToolCall)>,
    pub(crate) text: Option<String>,
}

impl Said {
    fn text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }
}

impl Script {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &Request) -> Response {
        let path = request.path.as_str();
        if request.method != "POST" {
            return if path.trim_end_matches('/').ends_with("/models") {
                let model = json!({"id": "live-model", "object": "model", "created": 1, "owned_by": "live"});
                Response::json(&json!({"object": "list", "data": [model], "models": [], "has_more": false}))
            } else {
                Response::missing()
            };
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        if path.ends_with("/count_tokens") {
            Response::json(&json!({"input_tokens": 100}))
        } else if path.ends_with(":countTokens") {
            Response::json(&json!({"totalTokens": 100}))
        } else if path.ends_with("/messages") {
            anthropic::answer(self, &body)
        } else if path.ends_with("/responses") {
            responses::answer(self, request, &body)
        } else if path.ends_with("/chat/completions") {
            chat::answer(self, &body)
        } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            gemini::answer(self, &body, path.ends_with(":streamGenerateContent"))
        } else {
            self.log().unknown.push(path.to_owned());
            Response::missing()
        }
    }

    /// Plays the turn at a place; what the world does happens once, however often the agent asks again.
    fn play(&self, place: Place) -> Said {
        let turns = if place.sub { &self.sub } else { &self.main };
        self.log().requests += 1;
        let Some(turn) = turns.get(place.turn) else { return Said::text(DONE) };
        let first = self.log().acted.insert((place.sub, place.turn));
        if first {
            for step in &turn.acts {
                (self.act)(step);
            }
        }
        let mut log = self.log();
        let thread = if place.sub { "sub" } else { "main" };
        let session = log.told.values().find_map(|told| session(told));
        let mut said = Said { calls: Vec::new(), text: turn.say.as_ref().map(|text| quote(text, &log.told)) };
        for (i, (id, call)) in turn.calls.iter().enumerate() {
            log.played.insert(id.clone());
            let mut call = call.clone();
            if let Some(session) = &session {
                with_session(&mut call.input, session);
            }
            said.calls.push((format!("call_live_{thread}_{}_{i}", place.turn), call));
        }
        said
    }

    /// Remembers what was told for a wire id; the first time counts.
    fn told(&self, wire: &str, text: &str) {
        if let Some(id) = self.id(wire) {
            self.log().told.entry(id).or_insert_with(|| text.to_owned());
        }
    }

    /// Remembers what was told for the nth call of the turn before a place.
    fn told_at(&self, place: Place, nth: usize, text: &str) {
        if let Some(turn) = place.turn.checked_sub(1) {
            self.told(&format!("call_live_{}_{turn}_{nth}", if place.sub { "sub" } else { "main" }), text);
        }
    }

    /// The scenario's id of a call by its id on the wire.
    fn id(&self, wire: &str) -> Option<String> {
        let mut parts = wire.split("call_live_").nth(1)?.split('_');
        let turns = if parts.next()? == "sub" { &self.sub } else { &self.main };
        let (turn, nth): (usize, usize) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(turns.get(turn)?.calls.get(nth)?.0.clone())
    }

    /// How often this conversation has asked before; the first to ask is the main one.
    fn thread(&self, name: &str) -> Place {
        let mut log = self.log();
        if let Some((at, (_, asked))) = log.threads.iter_mut().enumerate().find(|(_, (thread, _))| thread == name) {
            *asked += 1;
            return Place { sub: at > 0, turn: *asked };
        }
        log.threads.push((name.to_owned(), 0));
        Place { sub: log.threads.len() > 1, turn: 0 }
    }

    /// A number that no other answer of this model has.
    fn next(&self) -> u64 {
        self.answers.fetch_add(1, Ordering::Relaxed)
    }

    fn offered(&self, tools: impl IntoIterator<Item = String>) {
        self.log().tools.extend(tools);
    }
}

/// `@TOLD:id@` in what the model says is what it was told.
fn quote(text: &str, told: &BTreeMap<String, String>) -> String {
    told.iter().fold(text.to_owned(), |text, (id, said)| text.replace(&format!("@TOLD:{id}@"), said))
}

/// The number of a shell that an agent keeps open, as it told the model.
fn session(told: &str) -> Option<Value> {
    let rest = told.split("session ID ").nth(1)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<u64>().ok().map(Value::from)
}

/// `@SESSION@` in an input is that number.
fn with_session(input: &mut Value, session: &Value) {
    for value in input.as_object_mut().into_iter().flat_map(|input| input.values_mut()) {
        if value == "@SESSION@" {
            *value = session.clone();
        }
    }
}

/// Text of a message's content, whichever form it has.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => match (part.get("text"), part.get("content"), part.get("output")) {
            (Some(text), ..) => text_of(text),
            (None, Some(content), _) => text_of(content),
            (None, None, Some(output)) => text_of(output),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

fn str_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list_of<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests;
