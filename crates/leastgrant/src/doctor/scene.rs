//! Everything that the checks look at, read once.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::agents;
use crate::edit::atomic;
use crate::edit::json::{Document, MAX_BYTES, Refusal};
use crate::install::claude_code::{self, ClaudeCode, Found};
use crate::install::config_change::{self, Switch};
use crate::install::find::{self, Sign};
use crate::install::place::{Places, Scope};
use crate::install::probe;
use crate::install::record::{self, Record};
use crate::install::wiring::Failure;
use crate::store::{Store, ledger};

/// What a settings file is to the agent.
#[derive(Debug)]
pub enum Content {
    /// there is none
    Missing,
    /// it can't be read, so the agent can't either
    Unreadable(String),
    /// the agent drops it as a whole
    Dropped(Refusal),
    /// it holds
    Holds(Document),
}

/// One settings file.
#[derive(Debug)]
pub struct Settings {
    /// whose
    pub scope: Scope,
    /// where
    pub path: PathBuf,
    /// what it is to the agent
    pub content: Content,
    /// our entries
    pub found: Vec<Found>,
    /// off-switches
    pub switches: Vec<Switch>,
}

impl Settings {
    fn read(scope: Scope, path: PathBuf) -> Self {
        let content = match atomic::read(&path, MAX_BYTES) {
            Ok(None) => Content::Missing,
            Err(fault) => Content::Unreadable(fault.to_string()),
            Ok(Some(bytes)) => match Document::parse(&bytes).and_then(|document| {
                claude_code::check(&document)?;
                Ok(document)
            }) {
                Ok(document) => Content::Holds(document),
                Err(refusal) => Content::Dropped(refusal),
            },
        };
        let mut settings = Self { scope, path, content, found: Vec::new(), switches: Vec::new() };
        if let Content::Holds(document) = &settings.content {
            settings.found = claude_code::find(document);
            settings.switches = config_change::switches(document, scope);
        }
        settings
    }

    /// The document, if the agent takes it.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        if let Content::Holds(document) = &self.content { Some(document) } else { None }
    }

    /// The command line of our entry for an event.
    #[must_use]
    pub fn command(&self, event: &str) -> Option<String> {
        use crate::edit::json::{Node, Step};
        let found = self.found.iter().find(|found| found.event == event)?;
        let path = [
            Step::Key("hooks"),
            Step::Key(event),
            Step::Index(found.group),
            Step::Key("hooks"),
            Step::Index(found.entry),
            Step::Key("command"),
        ];
        self.document()?.at(&path).and_then(Node::str).map(str::to_owned)
    }

    /// Whether a hook of ours stands before every tool call.
    #[must_use]
    pub fn is_wired(&self) -> bool {
        self.found.iter().any(|found| found.event == "PreToolUse")
    }

    /// How it is called in an id: `user`, `project`, `managed:NAME`, …
    #[must_use]
    pub fn id(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match self.scope {
            Scope::Managed if name != "leastgrant.json" => format!("managed:{name}"),
            scope => scope.id().to_owned(),
        }
    }
}

/// The machine as the checks see it.
#[derive(Debug)]
pub struct Scene {
    /// where things are
    pub places: Places,
    /// the agent
    pub claude: Sign,
    /// a `timeout` that works
    pub timeout: Option<PathBuf>,
    /// our program
    pub program: Result<PathBuf, String>,
    /// all settings files that the agent reads, also those that are not there
    pub settings: Vec<Settings>,
    /// what was installed into Claude Code
    pub records: Vec<Record>,
    /// what was installed into other agents
    pub foreign: Vec<Record>,
    /// the other agents of which there is any sign
    pub others: Vec<agents::Seen>,
    /// the ledger's events of the last sixty days, or why it can't be read
    pub events: Result<Vec<serde_json::Value>, String>,
    /// what became of our hook when it was started, by command line
    pub started: HashMap<String, Result<(), String>>,
    /// now, in milliseconds since 1970
    pub now_ms: i64,
}

/// Thirty days.
pub const MONTH_MS: i64 = 30 * 24 * 60 * 60 * 1000;
const MAX_MANAGED: usize = 200;

impl Scene {
    /// Looks around. Starts each hook that is wired, once; in a project's files only what we wrote there, since whoever
    /// wrote the project could have it start anything.
    #[must_use]
    pub fn look(places: Places, now_ms: i64) -> Self {
        let settings = files(&places);
        let records: Vec<Record> = [places.state.clone(), places.state_for(Scope::Managed)]
            .iter()
            .flat_map(|state| record::all(state))
            .filter(Record::is_wired)
            .collect();
        let others = agents::look(&places, &records);
        let (records, foreign) = records.into_iter().partition(|record| record.wiring.agent == claude_code::AGENT);
        let records: Vec<Record> = records;
        let mut started = HashMap::new();
        for file in settings.iter().filter(|file| is_own(file, &records)) {
            if let Some(command) = file.command("PreToolUse") {
                started.entry(command.clone()).or_insert_with(|| probe::starts(&ClaudeCode, &command));
            }
        }
        let events = ledger::read(&Store::at(&places.state)).map_err(|error| error.to_string()).map(|events| {
            let recent = |event: &serde_json::Value| at(event).is_some_and(|at| at > now_ms - 2 * MONTH_MS);
            events.into_iter().filter(recent).collect()
        });
        Self {
            claude: Sign::look(&ClaudeCode, &places),
            timeout: find::timeout(),
            program: find::own_program(None),
            settings,
            records,
            foreign,
            others,
            events,
            started,
            now_ms,
            places,
        }
    }

    /// Whether Claude Code is to be looked at: there is a sign of it, or no other agent either.
    #[must_use]
    pub fn has_claude(&self) -> bool {
        let there = self.claude.is_there() || !self.records.is_empty();
        there || self.wired().next().is_some() || self.others.is_empty()
    }

    /// The settings files in which we are wired.
    pub fn wired(&self) -> impl Iterator<Item = &Settings> {
        self.settings.iter().filter(|settings| settings.is_wired())
    }

    /// The record of a settings file.
    #[must_use]
    pub fn record(&self, path: &Path) -> Option<&Record> {
        let real = atomic::resolve(path).ok();
        self.records.iter().find(|record| record.wiring.file == path || Some(&record.real) == real.as_ref())
    }

    /// Whether the hook in this file starts and guards; none where it was not tried (see [`Scene::look`]).
    #[must_use]
    pub fn starts(&self, settings: &Settings) -> Option<&Result<(), String>> {
        self.started.get(&settings.command("PreToolUse")?)
    }

    /// Whether the entry in this file blocks when it fails.
    #[must_use]
    pub fn blocks(&self, settings: &Settings) -> bool {
        let found = settings.found.iter().find(|found| found.event == "PreToolUse");
        found.is_some_and(|found| found.ours.blocks)
    }
}

/// Whether the hook of a file may be started to see what it does.
fn is_own(file: &Settings, records: &[Record]) -> bool {
    match file.scope {
        Scope::User | Scope::Managed => file.is_wired(),
        Scope::Project | Scope::Local => file.command("PreToolUse").is_some_and(|command| {
            let wrote = |record: &&Record| record.wiring.file == file.path;
            records.iter().filter(wrote).any(|record| record.wiring.command(Failure::Blocks) == command)
        }),
    }
}

/// When an event happened.
#[must_use]
pub fn at(event: &serde_json::Value) -> Option<i64> {
    event.get("at").and_then(serde_json::Value::as_i64)
}

/// A text field of an event.
#[must_use]
pub fn field<'e>(event: &'e serde_json::Value, name: &str) -> Option<&'e str> {
    event.get(name).and_then(serde_json::Value::as_str)
}

fn files(places: &Places) -> Vec<Settings> {
    let mut files = vec![
        (Scope::Managed, places.managed().join("managed-settings.json")),
        (Scope::User, places.settings(Scope::User)),
        (Scope::Project, places.settings(Scope::Project)),
        (Scope::Local, places.settings(Scope::Local)),
    ];
    if places.here != places.project {
        files.push((Scope::Project, places.here.join(".claude/settings.json")));
        files.push((Scope::Local, places.here.join(".claude/settings.local.json")));
    }
    if let Ok(entries) = fs::read_dir(places.managed().join("managed-settings.d")) {
        let mut more: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .take(MAX_MANAGED)
            .collect();
        more.sort();
        files.extend(more.into_iter().map(|path| (Scope::Managed, path)));
    }
    // in the home, the project's file is the person's own
    let mut seen = Vec::new();
    files.retain(|(_, path)| {
        let fresh = !seen.contains(path);
        seen.push(path.clone());
        fresh
    });
    files.into_iter().map(|(scope, path)| Settings::read(scope, path)).collect()
}
