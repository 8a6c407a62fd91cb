//! A judged call for programs: everything that led to the verdict, redacted, as JSON.

use leastgrant_core::action::{Action, Target, TargetKind};
use leastgrant_core::channel::Answer;
use leastgrant_core::reason::{Reason, Weight};
use leastgrant_core::redact::redact;
use leastgrant_core::verdict::AskKind;
use leastgrant_shell::Span;
use serde_json::{Value, json};

use super::{theme, words};
use crate::judged::Judged;
use crate::store::event::{answered, attendance, display};

/// The whole verdict.
#[must_use]
pub fn verdict(judged: &Judged) -> Value {
    let verdict = &judged.verdict;
    json!({
        "decision": verdict.decision.id(),
        "kind": verdict.kind.map(AskKind::id),
        "subject": redact(&display(&judged.call)),
        "tool": judged.call.tool_name,
        "cwd": judged.call.cwd,
        "reasons": verdict.reasons.iter().map(reason).collect::<Vec<_>>(),
        "actions": verdict.actions.iter().map(action).collect::<Vec<_>>(),
        "floors": verdict.floors,
        "signature": redact(&verdict.signature),
        "contained": verdict.contained,
        "remedy": verdict.remedy.as_deref().map(redact),
        "answer": {
            "agent": judged.call.agent,
            "version": judged.call.agent_version,
            "attendance": attendance(judged.call.attendance),
            "posture": judged.posture.id(),
            "sends": answered(&judged.answer),
            "reason": text(&judged.answer),
        },
        "problems": judged.problems,
    })
}

/// What the agent would be sent, in words.
#[must_use]
pub fn sent(judged: &Judged) -> String {
    let there = match judged.call.attendance {
        leastgrant_core::call::Attendance::Attended => "a person there",
        leastgrant_core::call::Attendance::Unattended => "nobody there",
        leastgrant_core::call::Attendance::Unknown => "not known whether a person is there",
    };
    let what = match &judged.answer {
        Answer::Silent => "nothing: its own rules and prompt decide",
        Answer::Allow { .. } => "allow",
        Answer::Ask { .. } => "ask: it asks the person",
        Answer::Deny { .. } => "deny",
    };
    let says = theme::paint(theme::DIM, &format!("({}, {there})", judged.call.agent));
    format!("{what} {says}")
}

fn text(answer: &Answer) -> Option<String> {
    match answer {
        Answer::Silent => None,
        Answer::Allow { reason } | Answer::Ask { reason } | Answer::Deny { reason } => Some(redact(reason)),
    }
}

fn span(span: Option<Span>) -> Value {
    span.map_or(Value::Null, |span| json!([span.start, span.end]))
}

fn reason(reason: &Reason) -> Value {
    let weight = match reason.weight {
        Weight::Blocks => "blocks",
        Weight::Raises => "raises",
        Weight::Lowers => "lowers",
        Weight::Info => "info",
    };
    json!({"id": reason.id, "text": redact(&reason.text), "weight": weight, "span": span(reason.span)})
}

fn action(action: &Action) -> Value {
    let blast = action.blast;
    json!({
        "capability": action.capability.id(),
        "family": action.family,
        "display": redact(&action.display),
        "signature": redact(&action.signature),
        "span": span(action.span),
        "tier": blast.tier(),
        "blast": {
            "reach": word(&format!("{:?}", blast.reach)),
            "undo": word(&format!("{:?}", blast.undo)),
            "exposure": word(&format!("{:?}", blast.exposure)),
            "scale": word(&format!("{:?}", blast.scale)),
        },
        "targets": action.targets.iter().map(|target| self::target(action, target)).collect::<Vec<_>>(),
        "opaque": action.opaque.as_ref().map(|opaque| json!({"why": redact(&opaque.why), "span": span(opaque.span)})),
        "marks": action.marks.iter().map(|mark| word(&format!("{mark:?}"))).collect::<Vec<_>>(),
        "notes": action.notes.iter().map(|note| redact(note)).collect::<Vec<_>>(),
        "safer": action.safer.as_deref().map(redact),
    })
}

fn target(action: &Action, target: &Target) -> Value {
    let (kind, detail) = match &target.kind {
        TargetKind::Path(place) => {
            ("path", json!({"real": place.real.as_deref().map(redact), "zone": word(&format!("{:?}", place.zone))}))
        }
        TargetKind::Host { host, local } => ("host", json!({"host": host, "local": local})),
        TargetKind::Package(name) => ("package", json!({"package": redact(name)})),
        TargetKind::Named(name) => ("named", json!({"name": redact(name)})),
    };
    let mut value = json!({
        "role": word(&format!("{:?}", target.role)),
        "kind": kind,
        "text": redact(&target.text),
        "mark": words::mark(action, target),
        "span": span(target.span),
    });
    if let (Value::Object(value), Value::Object(detail)) = (&mut value, detail) {
        value.extend(detail);
    }
    value
}

/// `ReadsSecrets` → `reads-secrets`.
#[must_use]
pub fn word(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
