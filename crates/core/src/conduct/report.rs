//! The report of a run, from its journals alone: the same bytes on every machine, whenever and wherever it is made.
//! Ranked by severity, then by how many personas hit the same wall; every number names the lines it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::findings::{self, Finding, Severity, at, escaped};
use super::journal::{Entry, Journal};
use super::mask;
use super::turn;

/// What a run left.
#[derive(Debug)]
pub struct Report {
    /// personas by id, with what their journals show, or why they can't be read
    pub journeys: BTreeMap<String, Result<Journal, String>>,
    /// walls, worst first
    pub walls: Vec<Wall>,
}

/// The same thing at the same step, for one persona or several.
#[derive(Debug)]
pub struct Wall {
    /// the worst of its findings
    pub severity: Severity,
    /// of what kind
    pub kind: &'static str,
    /// where
    pub step: Option<String>,
    /// by persona, then turn
    pub findings: Vec<Finding>,
}

impl Wall {
    /// Who hit it.
    #[must_use]
    pub fn personas(&self) -> BTreeSet<&str> {
        self.findings.iter().map(|finding| finding.persona.as_str()).collect()
    }
}

impl Report {
    /// Reads what the journals show.
    #[must_use]
    pub fn of(journeys: BTreeMap<String, Result<Journal, String>>) -> Self {
        let mut walls: Vec<Wall> = Vec::new();
        let mut known: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
        let all = journeys.values().filter_map(|journal| journal.as_ref().ok()).flat_map(findings::of);
        for finding in all {
            // what has no place is no shared wall
            let key = finding.step.as_ref().map(|step| (finding.kind, step.to_lowercase()));
            let wall = key.as_ref().and_then(|key| known.get(key)).and_then(|at| walls.get_mut(*at));
            if let Some(wall) = wall {
                wall.severity = wall.severity.min(finding.severity);
                wall.findings.push(finding);
            } else {
                if let Some(key) = key {
                    known.insert(key, walls.len());
                }
                let (severity, kind, step) = (finding.severity, finding.kind, finding.step.clone());
                walls.push(Wall { severity, kind, step, findings: vec![finding] });
            }
        }
        walls.sort_by_cached_key(|wall| {
            let first = wall.findings.first().map(|finding| (finding.persona.clone(), finding.turn));
            let hit = std::cmp::Reverse(wall.personas().len());
            (wall.severity, hit, wall.step.clone(), wall.kind, first)
        });
        Self { journeys, walls }
    }

    /// The journals that could be read.
    pub fn readable(&self) -> impl Iterator<Item = (&str, &Journal)> {
        self.journeys.iter().filter_map(|(id, journal)| Some((id.as_str(), journal.as_ref().ok()?)))
    }

    /// When the first journey began.
    #[must_use]
    pub fn began(&self) -> &str {
        self.readable().map(|(_, journal)| journal.header.started_at.as_str()).min().unwrap_or("unknown")
    }

    /// The flows and the versions that were walked.
    #[must_use]
    pub fn subject(&self) -> (String, String) {
        let join = |all: BTreeSet<&str>| {
            if all.is_empty() { String::from("unknown") } else { all.into_iter().collect::<Vec<_>>().join(", ") }
        };
        let flows = self.readable().map(|(_, journal)| journal.header.flow.as_str()).collect();
        let versions = self.readable().map(|(_, journal)| journal.header.app_version.as_str()).collect();
        (join(flows), join(versions))
    }

    /// `REPORT.md`.
    #[must_use]
    pub fn markdown(&self) -> String {
        let (flow, version) = self.subject();
        let mut text = format!("# Persona run report — {}\n\n", escaped(&flow));
        let _ = writeln!(text, "- flow: {}", escaped(&flow));
        let _ = writeln!(text, "- date: {}", escaped(self.began()));
        let _ = writeln!(text, "- app version: {}", escaped(&version));
        let _ = writeln!(text, "- personas enacted: {}", self.readable().count());
        for (id, journal) in &self.journeys {
            if let Err(why) = journal {
                let _ = writeln!(text, "- persona UNREADABLE: {} — {}", escaped(id), escaped(why));
            }
        }
        let _ = write!(text, "\n## Executive summary\n\n<!-- summary -->\n{}<!-- /summary -->\n", self.summary());
        text.push_str("\n## Findings\n");
        if self.walls.is_empty() {
            text.push_str("\nNo findings.\n");
        }
        for (n, wall) in self.walls.iter().enumerate() {
            wall.write(n + 1, &mut text);
        }
        text.push_str("\n## Journeys\n");
        for (id, journal) in self.readable() {
            journey(id, journal, &mut text);
        }
        text
    }

    /// A few lines of figures.
    fn summary(&self) -> String {
        let mut text = String::new();
        let mut ends: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (id, journal) in self.readable() {
            ends.entry(end(journal).0).or_default().push(id);
        }
        for (end, ids) in &ends {
            let _ = writeln!(text, "- {end}: {} ({})", ids.len(), escaped(&ids.join(", ")));
        }
        for severity in [Severity::Blocker, Severity::Major, Severity::Minor] {
            let count = self.walls.iter().filter(|wall| wall.severity == severity).count();
            if count > 0 {
                let _ = writeln!(text, "- {} findings: {count}", severity.word());
            }
        }
        text
    }
}

impl Wall {
    fn write(&self, number: usize, text: &mut String) {
        let hit = self.personas();
        let ids = hit.iter().copied().collect::<Vec<_>>().join(", ");
        let _ = write!(
            text,
            "\n### F{number} — [{}] {} {}\n\n- personas hit: {} ({})\n",
            self.severity.word(),
            self.kind,
            at(self.step.as_deref()),
            hit.len(),
            escaped(&ids),
        );
        for finding in &self.findings {
            let _ = writeln!(
                text,
                "- `{}/JOURNEY.jsonl` {} (line {})\n  - what happened: {}",
                finding.persona,
                turn::shown(finding.turn),
                finding.line,
                escaped(&finding.happened),
            );
            for path in &finding.evidence {
                let _ = writeln!(text, "  - evidence: {}/{}", escaped(&finding.persona), escaped(path));
            }
        }
    }
}

fn journey(id: &str, journal: &Journal, text: &mut String) {
    let turns: Vec<usize> = journal.turns().map(|(line, _, _)| line).collect();
    let _ = write!(text, "\n### {}\n\n- turns enacted: {}", escaped(id), turns.len());
    if let (Some(first), Some(last)) = (turns.first(), turns.last()) {
        let _ = write!(text, " (lines {first} to {last})");
    }
    text.push('\n');
    for (line, why) in &journal.warnings {
        let _ = writeln!(text, "- journal warning: line {line}: {}", escaped(why));
    }
    if let Some((turn, line, count)) = peak(journal) {
        let _ = writeln!(text, "- most friction: {} (line {line}), {count} points", turn::id(turn));
    }
    let (end, detail) = end(journal);
    let _ = writeln!(
        text,
        "- end: {end}{}",
        if detail.is_empty() { String::new() } else { format!(", {}", escaped(&detail)) }
    );
}

/// The turn with the most points of friction, the first of several.
#[must_use]
pub fn peak(journal: &Journal) -> Option<(u32, usize, usize)> {
    let points = |fields: &serde_json::Map<String, serde_json::Value>| {
        let points = fields.get("observed_behavior").and_then(|observed| observed.get("friction_points"));
        points.and_then(serde_json::Value::as_array).map_or(0, Vec::len)
    };
    let counted = journal.turns().map(|(line, turn, fields)| (turn, line, points(fields)));
    counted.filter(|(_, _, count)| *count > 0).reduce(|best, next| if next.2 > best.2 { next } else { best })
}

/// How a journey ended, in a word or two, and what was said about it with the line it stands on.
#[must_use]
pub fn end(journal: &Journal) -> (String, String) {
    let last =
        journal.entries.iter().rev().find(|(_, entry)| matches!(entry, Entry::Stop { .. } | Entry::Outcome { .. }));
    match last {
        Some((line, Entry::Outcome { outcome, detail })) => {
            (outcome.word().to_owned(), format!("line {line}: {}", mask::line(detail, 400)))
        }
        Some((line, Entry::Stop { reason, detail })) => {
            (format!("stopped ({reason})"), format!("line {line}: {}", mask::line(detail, 400)))
        }
        _ => (String::from("unfinished"), String::new()),
    }
}
