//! What a journal shows: findings, each with the turns and the lines it stands on. Nothing is found without a line.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::irreversible::signals;
use super::journal::{Entry, Journal};
use super::mask;
use super::turn::{self, Outcome};

/// How bad. Order: worse first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// the journey ended there
    Blocker,
    /// understanding or a bound failed
    Major,
    /// it went on
    Minor,
}

impl Severity {
    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Blocker => "blocker",
            Self::Major => "major",
            Self::Minor => "minor",
        }
    }
}

/// One thing that a journal shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// how bad
    pub severity: Severity,
    /// `friction`, `comprehension`, `bound`, `integrity`, `abandonment`, `blocked`
    pub kind: &'static str,
    /// where, as the worker called it
    pub step: Option<String>,
    /// who
    pub persona: String,
    /// the turn
    pub turn: u32,
    /// the line of the journal
    pub line: usize,
    /// in words, masked
    pub happened: String,
    /// files below `evidence/`
    pub evidence: Vec<String>,
}

/// The findings of a journal, in its order.
#[must_use]
pub fn of(journal: &Journal) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut place = Place { step: None, turn: 0 };
    let mut gave_up = false;
    for (line, entry) in &journal.entries {
        let at = |place: &Place, severity, kind, happened: &str, evidence: Vec<String>| Finding {
            severity,
            kind,
            step: place.step.clone(),
            persona: journal.header.persona.clone(),
            turn: place.turn,
            line: *line,
            happened: mask::line(happened, 400),
            evidence,
        };
        match entry {
            Entry::Turn { number, fields } => {
                place = Place { step: text(fields, "flow_step").map(|step| mask::line(step, 80)), turn: *number };
                for (severity, kind, happened) in signs(fields, &mut gave_up) {
                    found.push(at(&place, severity, kind, &happened, evidence(fields)));
                }
            }
            Entry::Note(note) => {
                let severity = match note.kind.as_str() {
                    "refused-navigation" | "refused-act" => Severity::Major,
                    "early-action" => Severity::Minor,
                    _ => continue,
                };
                let kind = if note.kind == "early-action" { "integrity" } else { "bound" };
                found.push(at(&place, severity, kind, &note.detail, Vec::new()));
            }
            Entry::Outcome { outcome: Outcome::Abandoned, detail } if !gave_up => {
                found.push(at(&place, Severity::Blocker, "abandonment", detail, Vec::new()));
            }
            Entry::Outcome { outcome: Outcome::Blocked, detail } => {
                found.push(at(&place, Severity::Blocker, "blocked", detail, Vec::new()));
            }
            Entry::Stop { reason, detail }
                if reason == "turn-gate" || reason == "allowlist" || reason == "irreversible" =>
            {
                // a violation that a turn declared is already a finding of that turn
                let told = found.iter().any(|one: &Finding| one.kind == "bound" && one.happened == *detail);
                if !told {
                    found.push(at(&place, Severity::Major, "bound", detail, Vec::new()));
                }
            }
            Entry::Outcome { .. } | Entry::Stop { .. } => {}
        }
    }
    found
}

/// Where a journey is.
struct Place {
    step: Option<String>,
    turn: u32,
}

fn signs(fields: &Map<String, Value>, gave_up: &mut bool) -> Vec<(Severity, &'static str, String)> {
    let mut signs = Vec::new();
    let observed = fields.get("observed_behavior").and_then(Value::as_object);
    let observed = |key: &str| observed.and_then(|observed| observed.get(key));
    let friction: Vec<&str> = texts(observed("friction_points"));
    if !friction.is_empty() {
        signs.push((Severity::Minor, "friction", friction.join("; ")));
    }
    if let Some(words) =
        observed("comprehension").and_then(Value::as_str).filter(|words| signals(words, "comprehension"))
    {
        signs.push((Severity::Major, "comprehension", words.to_owned()));
    }
    for (stamp, severity) in [("bound_violation", Severity::Major), ("withheld", Severity::Minor)] {
        if let Some(broken) = fields.get(stamp) {
            let detail = broken.get("detail").and_then(Value::as_str).unwrap_or("a bound was left");
            signs.push((severity, "bound", detail.to_owned()));
        }
    }
    let flags = ["knowledge_leakage_detected", "voice_drift_detected", "stimulus_boundary_breach_detected"];
    let integrity = fields.get("integrity");
    for flag in flags.into_iter().filter(|flag| is_true(integrity.and_then(|integrity| integrity.get(flag)))) {
        signs.push((Severity::Minor, "integrity", flag.replace('_', " ")));
    }
    let intent = observed("continuation_intent").and_then(Value::as_str);
    if let Some(words) = intent.filter(|words| !*gave_up && signals(words, "abandonment")) {
        *gave_up = true;
        signs.push((Severity::Blocker, "abandonment", words.to_owned()));
    }
    signs
}

/// Models write truth as a word as well.
fn is_true(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(truth)) => *truth,
        Some(Value::String(word)) => matches!(word.trim().to_ascii_lowercase().as_str(), "true" | "yes"),
        _ => false,
    }
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    let texts = match value {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => vec![text.as_str()],
        _ => Vec::new(),
    };
    texts.into_iter().map(str::trim).filter(|text| !text.is_empty()).collect()
}

fn text<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    fields.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// The evidence that a turn names, where it stays in the folder.
#[must_use]
pub fn evidence(fields: &Map<String, Value>) -> Vec<String> {
    turn::paths(fields).into_iter().flatten().filter(|path| turn::is_evidence(path)).map(str::to_owned).collect()
}

/// `FINDINGS.md` of one persona.
#[must_use]
pub fn page(journal: &Journal) -> String {
    let findings = of(journal);
    let mut text = format!("# Findings — {}\n", escaped(&journal.header.persona));
    if findings.is_empty() {
        text.push_str("\nNo findings.\n");
    }
    for (n, finding) in findings.iter().enumerate() {
        let _ = write!(
            text,
            "\n## F{} — [{}] {} {}\n\n- journal: {} (line {})\n- what happened: {}\n",
            n + 1,
            finding.severity.word(),
            finding.kind,
            at(finding.step.as_deref()),
            turn::shown(finding.turn),
            finding.line,
            escaped(&finding.happened),
        );
        for path in &finding.evidence {
            let _ = writeln!(text, "- evidence: {}", escaped(path));
        }
    }
    let stops: Vec<_> = journal
        .entries
        .iter()
        .filter_map(|(line, entry)| match entry {
            Entry::Stop { reason, detail } => Some((line, reason, detail)),
            _ => None,
        })
        .collect();
    if !stops.is_empty() {
        text.push_str("\n## Conductor stops\n\n");
        for (line, reason, detail) in stops {
            let _ = writeln!(text, "- {} (line {line}): {}", escaped(reason), escaped(&mask::line(detail, 400)));
        }
    }
    text
}

/// Where a finding is, in words.
pub(super) fn at(step: Option<&str>) -> String {
    step.map_or_else(|| String::from("unlocated"), |step| format!("at step \"{}\"", escaped(step)))
}

/// Text in a Markdown line: it opens no markup and no HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '!' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
