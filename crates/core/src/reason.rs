//! Why a verdict is what it is: ids for programs, words for people.

use leastgrant_shell::Span;

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// stable id (`guard.secret-read`, `rule.deny`, `gap.blast`, …); all ids are in [`IDS`]
    pub id: &'static str,
    /// in words: lower case, no full stop, the person's text in backticks
    pub text: String,
    /// what it does to the verdict
    pub weight: Weight,
    /// the part of the shell text it is about
    pub span: Option<Span>,
}

/// What a reason does to a verdict; the order is the order of telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Weight {
    /// holds the call
    Blocks,
    /// makes it ask
    Raises,
    /// lets it pass
    Lowers,
    /// told, without effect
    Info,
}

/// Every reason id with its meaning.
pub const IDS: &[(&str, &str)] = &[
    ("guard.self-write", "writes leastgrant's own state, program or hook entries, or switches hooks off"),
    ("guard.own-command", "runs a leastgrant subcommand that only a person may run"),
    ("guard.transcript", "writes an agent's transcripts or persona state"),
    ("guard.agent-config", "writes a file that decides what an agent may do next"),
    ("guard.secret-read", "reads a credential"),
    ("guard.exfiltrate", "can send data away"),
    ("guard.flow", "sends after a secret was read in this session"),
    ("guard.write-outside", "writes outside the project"),
    ("guard.persistence", "starts again by itself later"),
    ("guard.privilege", "runs with more rights"),
    ("guard.injection", "environment that injects code into other programs"),
    ("guard.pipe-to-shell", "runs what was fetched in the same call"),
    ("guard.fetch-run", "fetches a package and runs it"),
    ("guard.production", "touches production"),
    ("guard.publish", "publishes a package"),
    ("guard.irreversible", "cannot be undone and reaches beyond the project"),
    ("guard.not-understood", "could not be accounted for"),
    ("guard.agent-off-switch", "starts another agent with its guards off"),
    ("guard.later-input", "opens a shell that would read its commands later, unseen"),
    ("persona.bound", "navigation outside the persona run's allowlist"),
    ("persona.granted", "inside the bounds of a persona run that a person armed"),
    ("rule.deny", "a deny rule matches"),
    ("rule.ask", "an ask rule matches"),
    ("rule.allow", "an allow rule matches"),
    ("bundle.granted", "an accepted starter bundle covers it"),
    ("familiar.confirmed", "approved often enough before"),
    ("familiar.observed", "ran often enough before, contained in the project"),
    ("posture.strict", "posture strict: only rules allow"),
    ("posture.autopilot", "posture autopilot: contained in the project"),
    ("posture.observe", "posture observe: recorded only"),
    ("meta.housekeeping", "the agent's own housekeeping, without effect on anything"),
    ("gap.blast", "understood, but too much at stake to pass unasked"),
    ("gap.evidence", "not approved often enough yet"),
    ("gap.denied", "a person refused this before"),
    ("multi.actions", "several actions; the strictest decides"),
    ("payload.unreadable", "the agent's message could not be read"),
    ("engine.error", "leastgrant failed while judging"),
    ("policy.broken", "a rule file could not be read in full"),
];
