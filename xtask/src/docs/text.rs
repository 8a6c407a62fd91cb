//! Pieces of a page: how a grade is shown, what a value is called.

use leastgrant_core::channel::{Allow, Ask, Silence};
use leastgrant_core::compatibility::{
    Dialect, Enforcement, Fact, FailureKind, Gate, Grade, Record, Run, Scope, Seen, Surface, Unit, Use, Verified,
};

/// How a fact is known, and on which versions if not on all that were measured.
pub(crate) fn grade<T>(record: &Record, fact: &Fact<T>) -> String {
    let narrow = fact.version.as_ref().filter(|version| Some(*version) != record.measured.versions.as_ref());
    match (narrow, fact.evidence) {
        (Some(version), Grade::Probe | Grade::Source) => format!("*({}, {version})*", fact.evidence.id()),
        (Some(version), Grade::Docs) => {
            let os = fact.os.as_deref().map(|os| format!(" on {os}")).unwrap_or_default();
            format!("*(docs, {version}{os})*")
        }
        _ => format!("*({})*", fact.evidence.id()),
    }
}

/// A list item: the text and its grade.
pub(crate) fn item(record: &Record, fact: &Fact<String>) -> String {
    format!("- {} {}\n", sentence(&fact.value), grade(record, fact))
}

/// Begins large, but for names that are written small, and ends in a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    if ["leastgrant", "macOS"].iter().any(|name| text.starts_with(name)) {
        return format!("{text}{end}");
    }
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}{end}", chars.as_str())
}

/// A text in a cell of a table.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

pub(crate) fn allow(worth: Allow) -> &'static str {
    match worth {
        Allow::Grants => "yes",
        Allow::Overrides => "yes, and over the agent's own rules",
        Allow::Advisory => "heard, lifts nothing",
        Allow::Passes => "can't be said",
        Allow::Unknown => "unknown",
    }
}

pub(crate) fn ask(worth: Ask) -> &'static str {
    match worth {
        Ask::Prompts => "yes, a person is asked",
        Ask::Refuses => "as a refusal",
        Ask::None => "can't be said",
        Ask::Unknown => "unknown",
        Ask::Hangs => "no, the agent hangs",
        Ask::Passes => "no, the call runs",
    }
}

pub(crate) fn silence(worth: Silence) -> &'static str {
    match worth {
        Silence::Defers => "the agent decides",
        Silence::Unknown => "unknown",
        Silence::Allows => "the call runs",
    }
}

pub(crate) fn gate(gate: Gate) -> &'static str {
    match gate {
        Gate::Closed => "the call does not run",
        Gate::Open => "**the call runs**",
        Gate::Unknown => "unknown",
    }
}

pub(crate) fn failure(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Crash => "crash",
        FailureKind::Signal => "signal",
        FailureKind::Timeout => "timeout",
        FailureKind::Missing => "missing program",
        FailureKind::BadOutput => "bad output",
        FailureKind::BadSettings => "bad settings",
    }
}

pub(crate) fn seen(seen: Seen) -> &'static str {
    match seen {
        Seen::Gated => "gated",
        Seen::Partly => "partly gated",
        Seen::After => "seen after",
        Seen::Never => "not covered",
        Seen::Unknown => "unknown",
    }
}

pub(crate) fn surface(surface: Surface) -> &'static str {
    match surface {
        Surface::Shell => "shell commands",
        Surface::Read => "file reads",
        Surface::Write => "file writes",
        Surface::Delete => "deletions",
        Surface::Mcp => "MCP calls",
        Surface::Subagent => "subagents",
        Surface::Web => "network / web",
        Surface::Other => "other",
    }
}

pub(crate) fn used(used: Use) -> &'static str {
    match used {
        Use::Judges => "every call is judged",
        Use::Records => "what happened is recorded",
        Use::Protects => "a change of settings is refused",
        Use::Unused => "not used",
    }
}

pub(crate) fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "the person's",
        Scope::Project => "the project's",
        Scope::Local => "the project's, on this machine",
        Scope::Flag => "named at start",
        Scope::Managed => "the machine's",
        Scope::Plugin => "a plugin's",
    }
}

pub(crate) fn dialect(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::ExactOrRegex => "a list of exact names, or else a regex",
        Dialect::Regex => "a regex",
        Dialect::WholeRegex => "a regex on the whole name",
        Dialect::None => "there is none",
        Dialect::Unknown => "not measured",
    }
}

pub(crate) fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "in seconds",
        Unit::Milliseconds => "in milliseconds",
        Unit::None => "there is no such field",
        Unit::Unknown => "unit not measured",
    }
}

pub(crate) fn enforcement(enforcement: Enforcement) -> (&'static str, &'static str) {
    match enforcement {
        Enforcement::Unclaimed => ("not claimed", "nothing was measured by us, so nothing is claimed."),
        Enforcement::Veto => (
            "refusals only",
            "a refusal holds. No ask can be relied on to reach a person, so what would be asked is refused, with how to approve.",
        ),
        Enforcement::Partial => (
            "partial",
            "a refusal holds and an ask reaches a person. Something stays open or unseen: it is named below.",
        ),
        Enforcement::Whole => {
            ("whole", "a refusal holds, an ask reaches a person, every failure is closed and every surface is gated.")
        }
    }
}

pub(crate) fn verified(verified: Verified) -> (&'static str, &'static str) {
    match verified {
        Verified::Nothing => ("not run", "nothing was run."),
        Verified::Conformance => ("conformance only", "our side passes the suite; the agent itself was not run."),
        Verified::Contract => ("contract read", "its contract was read in the shipped program; it was not run."),
        Verified::Transport => {
            ("transport", "the real agent called a hook over its own transport. That hook was a probe, not leastgrant.")
        }
        Verified::Live => ("live", "the real agent ran with leastgrant, and enforcement was seen happening."),
    }
}

/// Version, system and day of a run.
pub(crate) fn told(run: &Run) -> String {
    let parts: Vec<String> = [
        run.version.as_ref().map(ToString::to_string),
        run.os.clone(),
        run.date.clone(),
        run.receipt.as_ref().map(|receipt| format!("receipt `{receipt}`")),
    ]
    .into_iter()
    .flatten()
    .collect();
    parts.join(" · ")
}
