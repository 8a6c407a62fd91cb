//! The journal of one persona: a header, then one line for each turn, note, stop and outcome. The only state that
//! outlives a process: what to do next after a crash is read from here and from nowhere else. A line that can't be read
//! is named, never guessed at.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::bounds::Broken;
use super::mask;
use super::turn::{self, Outcome, SCHEMA};

/// Bytes of a journal that are read.
pub const LARGEST: usize = 64 * 1024 * 1024;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Header {
    /// [`SCHEMA`]
    pub journey_schema: String,
    /// the flow's name
    pub flow: String,
    /// the persona's id
    pub persona: String,
    /// the app's version, or `unpinned`
    pub app_version: String,
    /// when the journey began, in ISO form
    pub started_at: String,
}

/// A later line.
#[derive(Clone, Debug)]
pub enum Entry {
    /// a turn
    Turn {
        /// its number
        number: u32,
        /// all of it
        fields: Map<String, Value>,
    },
    /// something that happened between turns
    Note(Note),
    /// the journey was ended
    Stop {
        /// `allowlist`, `irreversible`, `turn-gate`, `budget`, `stall`, `interrupted`
        reason: String,
        /// one line
        detail: String,
    },
    /// the journey came to its own end
    Outcome {
        /// how
        outcome: Outcome,
        /// one line
        detail: String,
    },
}

/// Something that happened between turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// `early-action`, `refused-navigation`, `refused-act`, `retry`, `relaunch`, `resumed`
    pub kind: String,
    /// the turn it belongs to: the last one that was written
    pub turn: u32,
    /// one line
    pub detail: String,
}

/// A journal as it was read.
#[derive(Clone, Debug)]
pub struct Journal {
    /// the first line
    pub header: Header,
    /// the others, with their line numbers
    pub entries: Vec<(usize, Entry)>,
    /// lines that could not be read: number, why
    pub warnings: Vec<(usize, String)>,
    /// the last line has no end: it was cut off while it was written
    pub torn: bool,
}

impl Header {
    /// Its line.
    #[must_use]
    pub fn line(&self) -> String {
        // the order of the fields is fixed: other conductors write the same bytes
        let text = |text: &str| Value::from(mask::line(text, 120)).to_string();
        format!(
            "{{\"journey_schema\":{},\"flow\":{},\"persona\":{},\"app_version\":{},\"started_at\":{}}}\n",
            text(&self.journey_schema),
            text(&self.flow),
            text(&self.persona),
            text(&self.app_version),
            text(&self.started_at),
        )
    }
}

impl Note {
    /// Its line.
    #[must_use]
    pub fn line(&self) -> String {
        line(
            &json!({ "journey_event": { "kind": self.kind, "turn": turn::id(self.turn), "detail": mask::line(&self.detail, 400) } }),
        )
    }
}

/// The line of a turn, with what was found amiss and where it was taken.
#[must_use]
pub fn turn_line(fields: &Map<String, Value>, step: Option<&str>, broken: Option<(&str, &Broken)>) -> String {
    let mut fields = fields.clone();
    for stamp in ["bound_violation", "withheld", "flow_step"] {
        // ours to say, not the worker's
        fields.remove(stamp);
    }
    if let Some(step) = step {
        fields.insert("flow_step".to_owned(), Value::from(step));
    }
    if let Some((stamp, broken)) = broken {
        fields.insert(stamp.to_owned(), json!({ "rule": broken.rule, "detail": broken.detail }));
    }
    line(&Value::Object(fields))
}

/// The line of a stop.
#[must_use]
pub fn stop_line(reason: &str, detail: &str) -> String {
    line(&json!({ "journey_stop": { "reason": reason, "detail": mask::line(detail, 400) } }))
}

/// The line of an outcome.
#[must_use]
pub fn outcome_line(outcome: Outcome, detail: &str) -> String {
    line(&json!({ "journey_outcome": { "outcome": outcome.word(), "detail": mask::line(detail, 400) } }))
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

impl Journal {
    /// Reads a journal.
    ///
    /// # Errors
    /// Why nothing in it can be trusted: empty, too large, no header.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.is_empty() {
            return Err(String::from("the journal is empty"));
        }
        if bytes.len() > LARGEST {
            return Err(format!("the journal is larger than {LARGEST} bytes"));
        }
        let text = String::from_utf8_lossy(bytes);
        let torn = !text.ends_with('\n');
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        let header = Header::read(header).map_err(|why| format!("line 1 is no header: {why}"))?;
        let mut journal = Self { header, entries: Vec::new(), warnings: Vec::new(), torn };
        let mut next = 1;
        for (n, text) in lines.enumerate() {
            match Entry::read(text, &journal.header.persona, next) {
                Ok(entry) => {
                    if let Entry::Turn { .. } = entry {
                        next += 1;
                    }
                    journal.entries.push((n + 2, entry));
                }
                Err(why) => journal.warnings.push((n + 2, why)),
            }
        }
        Ok(journal)
    }

    /// The turns, in order.
    pub fn turns(&self) -> impl Iterator<Item = (usize, u32, &Map<String, Value>)> {
        self.entries.iter().filter_map(|(line, entry)| match entry {
            Entry::Turn { number, fields } => Some((*line, *number, fields)),
            _ => None,
        })
    }

    /// How many turns there are.
    #[must_use]
    pub fn enacted(&self) -> u32 {
        self.turns().last().map_or(0, |(_, number, _)| number)
    }

    /// The line that ended the journey, if anything did for good: an interruption does not.
    #[must_use]
    pub fn ended(&self) -> Option<&Entry> {
        self.entries.iter().rev().map(|(_, entry)| entry).find(|entry| match entry {
            Entry::Stop { reason, .. } => reason != "interrupted",
            Entry::Outcome { .. } => true,
            _ => false,
        })
    }

    /// How often a note of this kind stands in it.
    #[must_use]
    pub fn noted(&self, kind: &str) -> usize {
        self.entries.iter().filter(|(_, entry)| matches!(entry, Entry::Note(note) if note.kind == kind)).count()
    }
}

impl Header {
    fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let field = |key: &str| {
            let text = value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map(str::to_owned).ok_or_else(|| format!("`{key}` is missing"))
        };
        let schema = field("journey_schema")?;
        if schema != SCHEMA {
            return Err(format!("`journey_schema` must be `{SCHEMA}`"));
        }
        Ok(Self {
            journey_schema: schema,
            flow: field("flow")?,
            persona: field("persona")?,
            app_version: field("app_version")?,
            started_at: field("started_at")?,
        })
    }
}

impl Entry {
    fn read(text: &str, persona: &str, next: u32) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err(String::from("the line is blank"));
        }
        let value: Value = serde_json::from_str(text).map_err(|_| String::from("the line is not JSON"))?;
        let Value::Object(fields) = value else { return Err(String::from("the line is no object")) };
        let inner = |key: &str, field: &str| {
            let text = fields.get(key).and_then(|inner| inner.get(field)).and_then(Value::as_str);
            text.map(str::to_owned).ok_or_else(|| format!("`{key}.{field}` is missing"))
        };
        if fields.contains_key("journey_stop") {
            let reason = inner("journey_stop", "reason")?;
            return Ok(Self::Stop { reason, detail: inner("journey_stop", "detail")? });
        }
        if fields.contains_key("journey_outcome") {
            let word = inner("journey_outcome", "outcome")?;
            let outcome = Outcome::from_word(&word).ok_or("`journey_outcome.outcome` is an unknown word")?;
            return Ok(Self::Outcome { outcome, detail: inner("journey_outcome", "detail")? });
        }
        if fields.contains_key("journey_event") {
            let turn = turn::number(&inner("journey_event", "turn")?).unwrap_or(0);
            let kind = inner("journey_event", "kind")?;
            return Ok(Self::Note(Note { kind, turn, detail: inner("journey_event", "detail")? }));
        }
        let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("schema_version") != SCHEMA {
            return Err(String::from("the line is no turn and no record of ours"));
        }
        if text("persona_id") != persona {
            return Err(String::from("the turn is of another persona"));
        }
        match turn::number(text("turn_id")) {
            Some(number) if number == next => Ok(Self::Turn { number, fields }),
            _ => Err(format!("the turn's id is not `{}`", turn::id(next))),
        }
    }
}
