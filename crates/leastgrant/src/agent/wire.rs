//! What several agents' messages have in common, and the forms in which answers are written.

use leastgrant_core::call::{Call, Mode};
use leastgrant_shell::Dialect;
use serde_json::Value;

use super::payload::{Payload, Unread, Wanted};
use super::{Decoded, Done, Held, HookEnv, Output, Passing};

/// What an event is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// a call that wants to be judged
    Pre,
    /// a call that has run, unless the message says that it failed
    Post,
    /// a call that has failed
    Failed,
    /// the agent is about to ask its person
    Prompt,
    /// recorded under this name
    Passing(&'static str),
    /// not ours
    Foreign,
}

/// How messages are read that name their event and carry a call in `tool_name` and `tool_input`.
pub struct Reader<'a> {
    /// the key that names the event
    pub event: &'static str,
    /// events by name; one that is not here and carries a tool is held: it may be a newer spelling of a call
    pub events: &'static [(&'static str, Event)],
    /// what is read
    pub wanted: Wanted,
    /// reads the call
    pub call: &'a dyn Fn(&Payload) -> Result<Call, String>,
    /// whether a call that is over ended without an error, by its message
    pub ran: fn(&Payload) -> bool,
}

impl Reader<'_> {
    /// Reads one message.
    #[must_use]
    pub fn read(&self, raw: &[u8]) -> Decoded {
        match Payload::read(raw, self.wanted) {
            Ok(payload) => {
                self.decode(&payload).unwrap_or_else(|why| Decoded::Broken { held: self.held(&payload), why })
            }
            Err(Unread { why, before }) => Decoded::Broken { held: self.held(&before), why },
        }
    }

    fn named(&self, name: &str) -> Option<Event> {
        self.events.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// What an event may have been, by what of it could be read.
    pub fn held(&self, payload: &Payload) -> Held {
        match payload.text(self.event).map(|name| name.map(|name| self.named(name))) {
            Ok(Some(Some(Event::Pre) | None) | None) | Err(_) => Held::Call,
            Ok(Some(Some(_))) => Held::Nothing,
        }
    }

    /// Reads one message whose keys are known.
    ///
    /// # Errors
    /// It is not what its event says.
    pub fn decode(&self, payload: &Payload) -> Result<Decoded, String> {
        let name = payload.text(self.event)?.ok_or_else(|| format!("it names no event (`{}`)", self.event))?;
        let call = || (self.call)(payload).map(Box::new);
        Ok(match self.named(name) {
            Some(Event::Pre) => Decoded::Pre(call()?),
            Some(Event::Prompt) => Decoded::Prompted(call()?),
            Some(Event::Post) => {
                Decoded::Post(Box::new(Done { call: (self.call)(payload)?, ran: (self.ran)(payload), made: None }))
            }
            Some(Event::Failed) => {
                Decoded::Post(Box::new(Done { call: (self.call)(payload)?, ran: false, made: None }))
            }
            Some(Event::Passing(event)) => Decoded::Passing(passing(event, payload)?),
            None if payload.has("tool_name") || payload.has("tool_input") => {
                return Err(format!("`{name}` is no event that we know, and it carries a tool"));
            }
            Some(Event::Foreign) | None => Decoded::Foreign(name.to_owned()),
        })
    }
}

fn passing(event: &'static str, payload: &Payload) -> Result<Passing, String> {
    Ok(Passing {
        event,
        session: said(payload, "session_id")?,
        cwd: folder(payload, "cwd")?,
        subagent: maybe(payload, "agent_id")?,
        detail: payload.text("source")?.or(payload.text("reason")?).map(str::to_owned),
    })
}

/// What stands in an answer where a reason is missing: several agents take a refusal without one for none.
const NO_REASON: &str = "leastgrant gives no reason: this is a bug";

/// One JSON object on a line of its own.
#[must_use]
pub fn object(value: &Value) -> Output {
    Output { stdout: format!("{value}\n"), stderr: String::new(), code: 0 }
}

/// The reason, or a word that there is none.
#[must_use]
pub fn reason(text: &str) -> &str {
    if text.trim().is_empty() { NO_REASON } else { text }
}

/// A text field, empty where it is absent.
///
/// # Errors
/// It holds something else than text.
pub fn said(payload: &Payload, key: &str) -> Result<String, String> {
    Ok(payload.text(key)?.unwrap_or_default().to_owned())
}

/// A text field, if it is there.
///
/// # Errors
/// It holds something else than text.
pub fn maybe(payload: &Payload, key: &str) -> Result<Option<String>, String> {
    Ok(payload.text(key)?.map(str::to_owned))
}

/// The agent's folder; empty where it is not said or not absolute, so that relative paths cannot be placed.
///
/// # Errors
/// It holds something else than text.
pub fn folder(payload: &Payload, key: &str) -> Result<String, String> {
    Ok(absolute(payload.text(key)?).unwrap_or_default().to_owned())
}

/// A path that can be a folder.
#[must_use]
pub fn absolute(path: Option<&str>) -> Option<&str> {
    path.filter(|path| path.starts_with('/') && !path.contains('\0'))
}

/// The permission mode by the agent's own word for it.
#[must_use]
pub fn mode(table: &[(&str, Mode)], word: Option<&str>) -> Mode {
    let Some(word) = word else { return Mode::Unsaid };
    table.iter().find(|row| row.0 == word).map_or_else(|| Mode::Unknown(word.to_owned()), |row| row.1.clone())
}

/// The shell that an agent starts where it follows the person's own, if it is one of the two that agents can drive.
#[must_use]
pub fn person_shell(env: &HookEnv) -> Dialect {
    shell_named(env.get("SHELL").unwrap_or_default())
}

/// The dialect of a shell program.
#[must_use]
pub fn shell_named(program: &str) -> Dialect {
    match program.rsplit('/').next() {
        Some("bash") => Dialect::Bash,
        Some("zsh") => Dialect::Zsh,
        _ => Dialect::Unknown,
    }
}
