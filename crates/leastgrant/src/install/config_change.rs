//! A settings file changed while a session runs: may the session take the change over? Refused is what would disarm us,
//! unless a person announced it with our own command. It protects the running session; the file stays as it is, which
//! is why the text names the command that repairs it.

use std::path::{Path, PathBuf};

use super::claude_code::{self, AGENT};
use super::place::{Places, Scope};
use super::record::{self, Record};
use super::release;
use crate::agent::ConfigChange;
use crate::edit::atomic;
use crate::edit::json::{Document, MAX_BYTES, Node, Step};

/// How long a session may go on after an uninstall without a terminal.
const REMEMBERED_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// What the session is told.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// take it over
    Let {
        /// for the ledger: why it was looked at twice
        note: Option<String>,
    },
    /// keep the old settings
    Refuse {
        /// for the agent, the person and the ledger
        reason: String,
    },
}

/// Rules on a change. Everything that can't be found out counts as disarming.
pub fn decide(change: &ConfigChange, places: &Places, now_ms: i64) -> Ruling {
    let scope = scope_of(&change.source);
    let states = [places.state.clone(), places.state_for(Scope::Managed)];
    let records: Vec<Record> =
        states.iter().flat_map(|state| record::all(state)).filter(|record| record.wiring.agent == AGENT).collect();
    let files: Vec<PathBuf> = match &change.file_path {
        Some(file) => vec![PathBuf::from(file)],
        // an agent that does not say which: every file that holds our hook must still hold it
        None => records.iter().map(|record| record.wiring.file.clone()).collect(),
    };
    let mut notes = Vec::new();
    for named in files {
        let Err(harm) = unharmed(&named, scope, &records, now_ms) else { continue };
        let released = harm.real.as_ref().is_some_and(|real| {
            states.iter().any(|state| release::consume(state, &change.session, real, harm.content.as_deref(), now_ms))
        });
        if !released {
            return Ruling::Refuse { reason: refusal(&harm.why, scope) };
        }
        notes.push(format!("released from a terminal: {}", harm.why));
    }
    Ruling::Let { note: (!notes.is_empty()).then(|| notes.join(", ")) }
}

fn refusal(why: &str, scope: Scope) -> String {
    let flag = scope.flag();
    format!(
        "leastgrant keeps the old settings for this session: {why}. in a terminal, a person runs `leastgrant install {AGENT}{flag}` to repair the file, or `leastgrant uninstall {AGENT}{flag}` to take the hook out"
    )
}

struct Harm {
    why: String,
    real: Option<PathBuf>,
    content: Option<String>,
}

fn unharmed(named: &Path, scope: Scope, records: &[Record], now_ms: i64) -> Result<(), Harm> {
    let shown = named.display();
    let Ok(real) = atomic::resolve(named) else {
        return Err(Harm { why: format!("`{shown}` can't be followed"), real: None, content: None });
    };
    let Ok(bytes) = atomic::read(&real, MAX_BYTES) else {
        return Err(Harm { why: format!("`{shown}` can't be read"), real: Some(real), content: None });
    };
    // the file may have become a link, or stopped being one, since it was wired
    let recent = |since: i64| (0..REMEMBERED_MS).contains(&(now_ms - since));
    let current = records.iter().filter(|record| record.removed_ms.is_none_or(recent));
    let record = current.into_iter().find(|record| {
        record.real == real
            || record.wiring.file == named
            || atomic::resolve(&record.wiring.file).is_ok_and(|file| file == real)
    });
    match harm(&shown.to_string(), scope, bytes.as_deref(), record) {
        None => Ok(()),
        Some(why) => Err(Harm { why, real: Some(real), content: bytes.as_deref().map(record::digest) }),
    }
}

fn scope_of(source: &str) -> Scope {
    match source {
        "project_settings" => Scope::Project,
        "local_settings" => Scope::Local,
        "policy_settings" => Scope::Managed,
        _ => Scope::User,
    }
}

/// What the change would do to us, none if nothing.
fn harm(file: &str, scope: Scope, bytes: Option<&[u8]>, record: Option<&Record>) -> Option<String> {
    let Some(bytes) = bytes else {
        return record.map(|_| format!("`{file}` holds the hook and is gone"));
    };
    let document = match Document::parse(bytes) {
        Ok(document) => document,
        // a file that the agent drops switches nothing off by what it says, only by what it no longer says
        Err(refusal) => {
            return record.map(|_| format!("`{file}` holds the hook and the agent would drop it ({refusal})"));
        }
    };
    if let Some(switch) = switches(&document, scope).first() {
        return Some(format!("`{}` in `{file}` {}", switch.key, switch.what));
    }
    let record = record?;
    if !record.is_wired() {
        return Some(format!("the hook was taken out of `{file}` without a terminal"));
    }
    if let Err(refusal) = claude_code::check(&document) {
        return Some(format!("`{file}` holds the hook and the agent would drop it ({refusal})"));
    }
    let missing = record.groups.iter().find(|(event, text)| !holds(&document, event, text));
    missing.map(|(event, _)| format!("our `{event}` entry in `{file}` is gone or changed"))
}

fn holds(document: &Document, event: &str, text: &str) -> bool {
    let Ok(recorded) = Document::parse(text.as_bytes()) else { return false };
    let groups = document.at(&[Step::Key("hooks"), Step::Key(event)]).map_or(&[] as &[Node], Node::elements);
    groups.iter().any(|group| document.same(group, &recorded, recorded.root()))
}

/// A key that turns our hook off, or puts something between it and us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// the key, dotted
    pub key: String,
    /// its path in the file
    pub path: Vec<String>,
    /// where it stands
    pub at: usize,
    /// what it does
    pub what: &'static str,
}

/// Names that turn hooks off, or lead them astray, when they are in the agent's environment.
pub const ENVIRONMENT: [(&str, bool, &str); 9] = [
    ("CLAUDE_CODE_SIMPLE", true, "turns hooks off"),
    ("CLAUDE_CODE_SAFE_MODE", true, "turns hooks off"),
    ("CLAUDE_CODE_RESTRICTED", true, "turns hooks of people and projects off"),
    ("CLAUDE_CONFIG_DIR", false, "makes the agent read other settings"),
    ("LEASTGRANT_HOME", false, "makes the hook use another state folder"),
    ("LD_PRELOAD", false, "puts code into the hook"),
    ("LD_AUDIT", false, "puts code into the hook"),
    ("BASH_ENV", false, "runs a script before the hook"),
    ("HOME", false, "makes agent and hook use another home"),
];

/// Whether a value of one of these names does anything.
#[must_use]
pub fn effective(is_flag: bool, value: &str) -> bool {
    if is_flag {
        !matches!(value.trim().to_ascii_lowercase().as_str(), "" | "0" | "false" | "no" | "off")
    } else {
        !value.is_empty()
    }
}

/// Every off-switch in a settings file of this scope.
#[must_use]
pub fn switches(document: &Document, scope: Scope) -> Vec<Switch> {
    let root = document.root();
    let mut found = Vec::new();
    let mut flag = |key: &str, what: &'static str| {
        if let Some(node) = root.get(key).filter(|node| node.is_true()) {
            found.push(Switch { key: key.to_owned(), path: vec![key.to_owned()], at: node.span.start, what });
        }
    };
    flag("disableAllHooks", "turns every hook off");
    if scope == Scope::Managed {
        flag("allowManagedHooksOnly", "turns hooks of people and projects off");
    }
    for member in root.get("env").map_or(&[][..], Node::members) {
        let known = ENVIRONMENT.iter().find(|(name, _, _)| *name == member.key);
        let Some((_, is_flag, what)) = known else { continue };
        // a number or `true` is taken for a set flag
        if member.value.str().is_none_or(|value| effective(*is_flag, value)) {
            found.push(Switch {
                key: format!("env.{}", member.key),
                path: vec![String::from("env"), member.key.clone()],
                at: member.value.span.start,
                what,
            });
        }
    }
    found
}
