//! One line of the ledger: its fields, and how a call, a verdict and an answer become one. Everything that came from an
//! agent goes through the redactor and is cut to a bounded length here, nowhere else.

use std::fmt::Write as _;
use std::time::Duration;

use leastgrant_core::call::{Attendance, Call, Mode, Tool};
use leastgrant_core::channel::Answer;
use leastgrant_core::learn;
use leastgrant_core::redact::redact;
use leastgrant_core::verdict::Verdict;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Longest text that is stored of one field, in bytes.
const SHOWN: usize = 1000;
/// Longest name or id that is stored, in bytes.
const NAMED: usize = 200;
/// What is looked at of a text before it is redacted: longer, so that a secret is not cut in half and missed.
const LOOKED_AT: usize = 8 * SHOWN;
/// Longest input that is digested.
const HASHED: usize = 512 * 1024;
/// Most entries of one list.
const LISTED: usize = 32;

/// A line of the ledger, version 1. Absent fields are not written. `sum`, `prev` and `digest` are added by
/// [`super::ledger`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct Event {
    /// version of this format
    pub v: u32,
    /// milliseconds since 1970
    pub at: i64,
    /// `call`, `ran`, `failed`, `prompted`, `session-start`, `session-end`, `subagent-start`, `subagent-stop`,
    /// `config-change`, `unreadable`, `rule-added`, `rule-removed`, `policy-written`,
    /// `evidence`
    pub event: &'static str,
    /// record id of the agent; empty for what a person did in a terminal
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// the agent's version
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// the agent's session
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// the subagent, where one is meant
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// the agent's id of the call: joins `call` with `ran` and `failed`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// the project's root
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// the tool as the agent spells it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// what the call would do, as a person would say it: redacted, cut
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<String>,
    /// the learnable identity of the call: redacted, cut
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// each action's own signature, whole, each once: what is learned from
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
    /// digest of the input that was judged, or that ran: evidence counts only where both are the same
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// for `evidence`: `confirmed`, `granted`, `observed`, `denied` or `forgotten`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<&'static str>,
    /// ids of what its actions do, each once
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capability: Vec<&'static str>,
    /// the highest tier among its actions
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<u8>,
    /// the verdict: `allow`, `ask` or `deny`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<&'static str>,
    /// for an ask: `floor`, `unreadable`, `heavy` or `unfamiliar`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// ids of the floors that hold
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub floors: Vec<&'static str>,
    /// ids of the reasons, strictest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<&'static str>,
    /// what the agent was told: `allow`, `ask`, `deny` or `silent`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<&'static str>,
    /// the agent's permission mode
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// `attended`, `unattended` or `unknown`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attendance: Option<&'static str>,
    /// anything else worth telling: redacted, cut
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// milliseconds from the start of the hook to this line
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
}

impl Event {
    /// An event of this name, now.
    #[must_use]
    pub fn new(event: &'static str, at: i64) -> Self {
        Self { v: 1, at, event, ..Self::default() }
    }

    /// With what a call says about itself.
    #[must_use]
    pub fn of_call(mut self, call: &Call) -> Self {
        call.agent.clone_into(&mut self.agent);
        self.version = call.agent_version.as_deref().map(brief);
        self.session = brief(&call.session);
        self.subagent = call.subagent.as_deref().map(brief);
        self.call = call.call_id.as_deref().map(brief);
        self.tool = Some(brief(&call.tool_name));
        self.display = Some(shown(&display(call)));
        self.input = digest_of(call);
        self.mode = Some(mode(&call.mode));
        self.attendance = Some(attendance(call.attendance));
        self
    }

    /// With what was decided and what was sent.
    #[must_use]
    pub fn of_verdict(mut self, verdict: &Verdict, answer: &Answer) -> Self {
        self.signature = Some(shown(&verdict.signature));
        self.signatures = signatures(verdict);
        for action in &verdict.actions {
            if self.capability.len() < LISTED && !self.capability.contains(&action.capability.id()) {
                self.capability.push(action.capability.id());
            }
        }
        self.tier = verdict.actions.iter().map(|action| action.blast.tier()).max();
        self.decision = Some(verdict.decision.id());
        self.kind = verdict.kind.map(leastgrant_core::verdict::AskKind::id);
        self.floors = verdict.floors.iter().copied().take(LISTED).collect();
        for reason in &verdict.reasons {
            if self.reasons.len() < LISTED && !self.reasons.contains(&reason.id) {
                self.reasons.push(reason.id);
            }
        }
        self.answer = Some(answered(answer));
        self
    }

    /// With the project, unless there is none.
    #[must_use]
    pub fn in_project(mut self, project: Option<&str>) -> Self {
        self.project = project.map(shown);
        self
    }

    /// With a remark.
    #[must_use]
    pub fn noting(mut self, note: &str) -> Self {
        self.note = Some(shown(note));
        self
    }

    /// Without what an address holds beyond its host, where a persona run may be active.
    #[must_use]
    pub fn walked(mut self, walked: bool) -> Self {
        if walked {
            let own = [&mut self.display, &mut self.signature, &mut self.note].into_iter().flatten();
            for text in own.chain(&mut self.signatures) {
                *text = leastgrant_core::persona::mask::addresses(text);
            }
        }
        self
    }

    /// With the time it took.
    #[must_use]
    pub fn took(mut self, time: Duration) -> Self {
        self.ms = Some((time.as_secs_f64() * 1_000_000.0).round() / 1000.0);
        self
    }
}

/// The signatures to learn from. Of more than can be kept, the one that a no would be about.
fn signatures(verdict: &Verdict) -> Vec<String> {
    let mut all: Vec<String> = verdict.actions.iter().map(|action| learnable(&action.signature)).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() > LISTED {
        let names: Vec<&str> = all.iter().map(String::as_str).collect();
        return learn::blamed(&names).map(str::to_owned).into_iter().collect();
    }
    all
}

/// A signature as it is stored and looked up.
#[must_use]
pub fn learnable(signature: &str) -> String {
    redact(signature)
}

/// A digest of what a tool was given; none of what is too long for it to cost nothing.
#[must_use]
pub fn digest_of(call: &Call) -> Option<String> {
    struct Hashed(Sha256, usize);
    impl std::fmt::Write for Hashed {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.update(text.as_bytes());
            self.1 += text.len();
            if self.1 > HASHED { Err(std::fmt::Error) } else { Ok(()) }
        }
    }
    let mut hashed = Hashed(Sha256::new(), 0);
    match &call.tool {
        // which shell reads it is the environment's, and the same text may be looked at from another one
        Tool::Shell(shell) => {
            let leastgrant_core::call::ShellCall { command, workdir, unsandboxed, .. } = shell;
            write!(hashed, "{} {command:?} {workdir:?} {unsandboxed}", call.tool_name).ok()?;
        }
        tool => write!(hashed, "{} {tool:?}", call.tool_name).ok()?,
    }
    let mut text = super::ledger::hex(&hashed.0.finalize());
    text.truncate(32);
    Some(text)
}

/// Redacted, without control characters, and cut to what is stored.
#[must_use]
pub fn shown(text: &str) -> String {
    bounded(text, SHOWN)
}

/// The same for names and ids.
#[must_use]
pub fn brief(text: &str) -> String {
    bounded(text, NAMED)
}

fn bounded(text: &str, max: usize) -> String {
    let whole = text.len() <= LOOKED_AT;
    let safe: String = redact(cut(text, LOOKED_AT))
        .chars()
        .map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c })
        .collect();
    if whole && safe.len() <= max { safe } else { format!("{}…", cut(&safe, max)) }
}

fn cut(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

/// A call as a person would say it.
#[must_use]
pub fn display(call: &Call) -> String {
    let name = &call.tool_name;
    match &call.tool {
        Tool::Shell(shell) => cut(&shell.command, LOOKED_AT + 4).to_owned(),
        Tool::Read { path } | Tool::Write { path, .. } | Tool::Edit { path, .. } | Tool::Delete { path } => {
            format!("{name} {path}")
        }
        Tool::Patch(files) => {
            let paths: Vec<&str> = files.iter().take(LISTED).map(|file| file.path.as_str()).collect();
            format!("{name} {}", paths.join(" "))
        }
        Tool::Search(search) => format!("{name} {} in {}", search.pattern, search.root.as_deref().unwrap_or(".")),
        Tool::Fetch { url } => format!("{name} {url}"),
        Tool::FetchAll { urls } => {
            format!("{name} {}", urls.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(" "))
        }
        Tool::WebSearch { query } => format!("{name} {query}"),
        Tool::Mcp { server, tool, .. } => format!("{server}: {tool}"),
        Tool::Skill { name: skill } => format!("{name} {skill}"),
        Tool::Spawn { .. } | Tool::Meta | Tool::Unknown { .. } => name.clone(),
        Tool::Unreadable { why } => format!("{name}: {why}"),
    }
}

/// What the agent was told, in one word.
#[must_use]
pub fn answered(answer: &Answer) -> &'static str {
    match answer {
        Answer::Silent => "silent",
        Answer::Allow { .. } => "allow",
        Answer::Ask { .. } => "ask",
        Answer::Deny { .. } => "deny",
    }
}

fn mode(mode: &Mode) -> String {
    match mode {
        Mode::Default => "default",
        Mode::AcceptEdits => "accept-edits",
        Mode::Plan => "plan",
        Mode::Auto => "auto",
        Mode::DontAsk => "dont-ask",
        Mode::Bypass => "bypass",
        Mode::Unsaid => "unsaid",
        Mode::Unknown(word) => return format!("unknown: {}", brief(word)),
    }
    .to_owned()
}

/// `attended`, `unattended` or `unknown`.
#[must_use]
pub fn attendance(attendance: Attendance) -> &'static str {
    match attendance {
        Attendance::Attended => "attended",
        Attendance::Unattended => "unattended",
        Attendance::Unknown => "unknown",
    }
}
