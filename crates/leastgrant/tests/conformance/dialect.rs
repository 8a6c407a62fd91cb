//! How each agent would say a call, read from `cases/conformance/`.

use std::collections::BTreeMap;

use leastgrant::agent::{self, Agent, MadeUp};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::stage::Stage;

/// One agent's dialect.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Dialect {
    #[serde(skip)]
    pub(crate) id: String,
    /// the key that names the event; empty where none does
    pub(crate) event: String,
    post: Post,
    modes: Vec<String>,
    pub(crate) deny: String,
    pub(crate) ask: Option<String>,
    pub(crate) allow: Option<String>,
    pub(crate) pass: Option<String>,
    call: BTreeMap<String, Form>,
}

#[derive(Clone, Debug, Deserialize)]
struct Post {
    event: String,
    with: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Form {
    tool: String,
    input: String,
    with: Option<String>,
}

/// What a call is an example of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Secret,
    Floor,
    Integrity,
    Opaque,
    Plain,
    Open,
}

impl Kind {
    pub(crate) const ALL: &[Self] =
        &[Self::Secret, Self::Floor, Self::Integrity, Self::Opaque, Self::Plain, Self::Open];

    fn key(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Floor => "floor",
            Self::Integrity => "integrity",
            Self::Opaque => "opaque",
            Self::Plain => "plain",
            Self::Open => "open",
        }
    }
}

#[derive(Deserialize)]
struct Row {
    r#as: Vec<String>,
    say: Vec<String>,
}

/// A call in an agent's dialect.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) kind: String,
    pub(crate) say: Vec<String>,
    tool: String,
    input: Value,
    with: Map<String, Value>,
}

impl Dialect {
    pub(crate) fn all() -> Vec<Self> {
        let all: BTreeMap<String, Self> =
            toml::from_str(include_str!("../cases/conformance/agents.toml")).expect("the dialects are TOML");
        all.into_iter().map(|(id, dialect)| Self { id, ..dialect }).collect()
    }

    pub(crate) fn agent(&self) -> &'static dyn Agent {
        agent::named(&[self.id.clone().into()]).expect("every dialect has an adapter")
    }

    /// The modes, or one that is not sent.
    pub(crate) fn modes(&self) -> Vec<&str> {
        if self.modes.is_empty() { vec![""] } else { self.modes.iter().map(String::as_str).collect() }
    }

    /// A call of a kind, if the agent has a tool for it.
    pub(crate) fn sent(&self, kind: &str, say: &[&str]) -> Option<Sent> {
        let form = self.call.get(kind)?;
        let mut text = form.input.clone();
        for (number, part) in say.iter().enumerate() {
            let quoted = Value::from(*part).to_string();
            text = text.replace(&format!("@{}@", number + 1), &quoted[1..quoted.len() - 1]);
        }
        // texts that a case does not give are empty
        let input = serde_json::from_str(&text.replace("\n", "\\n").replace("@2@", "")).expect("the input is JSON");
        let with = form.with.as_deref().map_or_else(Map::new, |with| serde_json::from_str(with).unwrap());
        let say = say.iter().map(|part| (*part).to_owned()).collect();
        Some(Sent { kind: kind.to_owned(), say, tool: form.tool.clone(), input, with })
    }

    /// The kinds of call that change a file that they are given first.
    pub(crate) fn writers(&self) -> Vec<&str> {
        let all = ["write", "edit", "multi", "notebook", "patch", "delete", "move-to", "move-from"];
        all.into_iter().filter(|kind| self.call.contains_key(*kind)).collect()
    }
}

impl Sent {
    fn composed(&self, dialect: &Dialect, stage: &Stage, mode: &str) -> Map<String, Value> {
        let cwd = stage.project();
        let made = MadeUp {
            session: "11111111-2222-4333-8444-555555555555",
            cwd: cwd.to_str().unwrap(),
            mode,
            tool: &self.tool,
            input: self.input.clone(),
        };
        let Value::Object(mut message) = dialect.agent().compose(&made) else { panic!("a message is an object") };
        message.extend(self.with.clone());
        message
    }

    pub(crate) fn message(&self, dialect: &Dialect, stage: &Stage, mode: &str) -> Vec<u8> {
        Value::Object(self.composed(dialect, stage, mode)).to_string().into_bytes()
    }

    /// The event that follows when the call has run.
    pub(crate) fn over(&self, dialect: &Dialect, stage: &Stage) -> Vec<u8> {
        let mut message = self.composed(dialect, stage, dialect.modes()[0]);
        if !dialect.event.is_empty() {
            message.insert(dialect.event.clone(), Value::from(dialect.post.event.clone()));
        }
        message.extend(serde_json::from_str::<Map<String, Value>>(&dialect.post.with).unwrap());
        Value::Object(message).to_string().into_bytes()
    }
}

/// Every case of a kind that the agent can say.
pub(crate) fn calls(dialect: &Dialect, kind: Kind, stage: &Stage) -> Vec<Sent> {
    let rows: BTreeMap<String, Vec<Row>> = toml::from_str(include_str!("../cases/conformance/calls.toml")).unwrap();
    let mut all = Vec::new();
    for row in &rows[kind.key()] {
        let say: Vec<String> = row.say.iter().map(|part| stage.filled(part)).collect();
        let say: Vec<&str> = say.iter().map(String::as_str).collect();
        all.extend(row.r#as.iter().filter_map(|form| dialect.sent(form, &say)));
    }
    all
}
