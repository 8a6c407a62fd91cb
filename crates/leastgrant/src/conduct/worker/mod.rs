//! A worker: an agent that is started, spoken to and listened to. Two ways of speaking are known; both become the same
//! sounds. An agent's word that a call did not run is believed only where the words are the guard's or the agent's own.

mod claude_code;
mod codex;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use leastgrant_core::conduct::gate;
use leastgrant_core::conduct::walk::Answer;
use leastgrant_core::persona::why;
use serde_json::Value;

use super::process::{Came, Process};

/// Which agent walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
}

impl Kind {
    /// The id of its compatibility record.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    /// The kind with this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::ClaudeCode, Self::Codex].into_iter().find(|kind| kind.id() == id)
    }

    /// The program, where none is named.
    #[must_use]
    pub fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
        }
    }
}

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct Setup {
    /// which agent
    pub kind: Kind,
    /// its program
    pub program: PathBuf,
    /// the project
    pub root: PathBuf,
    /// the guard's command line, for every tool of this process alone
    pub guard: String,
    /// servers whose tools it may use without being asked
    pub servers: Vec<String>,
    /// a folder for what this run hands to its processes
    pub scratch: PathBuf,
}

/// What is heard of a worker.
#[derive(Debug)]
pub(super) enum Sound {
    /// the agent's session
    Session(String),
    Said(String),
    Paused,
    Called {
        id: String,
        tool: String,
        input: Value,
    },
    Answered {
        id: String,
        answer: Answer,
        text: String,
    },
    /// it waits for words
    Rests,
    /// its process is gone, or can't be used any more
    Gone(String),
}

/// An agent at work.
#[derive(Debug)]
pub(super) struct Worker {
    setup: Setup,
    session: Option<String>,
    process: Option<Process>,
    heard: VecDeque<Sound>,
    rests: bool,
}

impl Worker {
    pub(super) fn new(setup: Setup) -> Self {
        Self { setup, session: None, process: None, heard: VecDeque::new(), rests: false }
    }

    pub(super) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Starts a process that has seen nothing yet. The session it will have, where that can be said before.
    pub(super) fn launch(&mut self) -> Result<(), String> {
        self.end();
        self.session = match self.setup.kind {
            Kind::ClaudeCode => Some(super::clock::session_id().map_err(|error| error.to_string())?),
            Kind::Codex => None,
        };
        Ok(())
    }

    /// Says the first or a further message.
    pub(super) fn say(&mut self, text: &str) -> Result<(), String> {
        self.rests = false;
        match self.setup.kind {
            Kind::ClaudeCode => {
                if self.process.is_none() {
                    let session = self.session.as_deref().unwrap_or_default();
                    self.process = Some(Process::start(claude_code::command(&self.setup, session)?)?);
                }
                let process = self.process.as_mut().ok_or("there is no process")?;
                process.say(&claude_code::message(text))
            }
            Kind::Codex => {
                // every message is a process of its own, of the same thread
                self.process = None;
                let mut process = Process::start(codex::command(&self.setup, self.session.as_deref())?)?;
                let said = process.say(text);
                process.close();
                self.process = Some(process);
                said
            }
        }
    }

    /// What is heard next, within a time; none if nothing is.
    pub(super) fn next(&mut self, wait: Duration) -> Option<Sound> {
        if let Some(sound) = self.heard.pop_front() {
            return Some(self.keep(sound));
        }
        let came = self.process.as_mut()?.next(wait);
        match came {
            Came::Nothing => return None,
            Came::Line(line) => self.heard.extend(match self.setup.kind {
                Kind::ClaudeCode => claude_code::sounds(&line),
                Kind::Codex => codex::sounds(&line),
            }),
            // Codex ends after each message, which is how it rests
            Came::End(_) if self.rests && self.setup.kind == Kind::Codex => {
                self.process = None;
            }
            Came::End(how) => {
                self.process = None;
                self.heard.push_back(Sound::Gone(how));
            }
        }
        self.heard.pop_front().map(|sound| self.keep(sound))
    }

    fn keep(&mut self, sound: Sound) -> Sound {
        match &sound {
            Sound::Session(id) => self.session = Some(id.clone()),
            Sound::Rests => self.rests = true,
            _ => {}
        }
        sound
    }

    /// Ends the process, if there is one.
    pub(super) fn end(&mut self) {
        self.process = None;
        self.heard.clear();
    }
}

/// How a call came back, by the agent's flag and the words.
fn answer(failed: bool, text: &str) -> Answer {
    const OWN: &[&str] = &[
        "No such tool available",
        "InputValidationError",
        "haven't granted it",
        "has been denied",
        "requires approval",
        "unsupported call",
        "Permission to use",
    ];
    if !failed {
        return Answer::Ran;
    }
    if text.contains(gate::PREFIX) || text.contains(why::PREFIX) || text.contains("leastgrant:") {
        return Answer::Refused;
    }
    if OWN.iter().any(|words| text.contains(words)) { Answer::NotRun } else { Answer::Ran }
}

/// The text in a tool's result: a text, or a list of parts.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
