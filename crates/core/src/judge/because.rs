//! Reasons, made of facts. Words only: nothing in here decides.

use leastgrant_shell::Span;

use crate::action::Action;
use crate::floor::Fired;
use crate::persona::why::Block;
use crate::reason::{Reason, Weight};
use crate::rule::Rule;

/// An id with its words.
pub(super) struct Said {
    id: &'static str,
    text: &'static str,
}

impl Said {
    pub(super) fn reason(&self, weight: Weight, span: Option<Span>) -> Reason {
        Reason { id: self.id, text: self.text.to_owned(), weight, span }
    }
}

pub(super) const HOUSEKEEPING: Said =
    Said { id: "meta.housekeeping", text: "has no effect on files, programs or the network" };
pub(super) const STRICT: Said = Said { id: "posture.strict", text: "posture strict: only rules allow" };
pub(super) const DENIED: Said = Said { id: "gap.denied", text: "a person refused this before" };
pub(super) const WALKED: Said =
    Said { id: "persona.granted", text: "part of the persona run that a person armed, inside its bounds" };
pub(super) const OBSERVED: Said =
    Said { id: "familiar.observed", text: "ran often enough before, stays in the project and leaves no trace" };
pub(super) const FAMILIAR: Said = Said { id: "familiar.confirmed", text: "approved often enough before" };

pub(super) fn floors(fired: &[Fired], weight: impl Fn(&Fired) -> Weight) -> Vec<Reason> {
    fired
        .iter()
        .map(|floor| Reason { id: floor.id, text: floor.text.clone(), weight: weight(floor), span: floor.span })
        .collect()
}

pub(super) fn ruled(rule: &Rule, id: &'static str, weight: Weight, span: Option<Span>) -> Reason {
    let mut text = format!("your rule `{} {}` holds", rule.effect.id(), rule.shown());
    if let Some(note) = &rule.note {
        text.push_str(&format!(" ({note})"));
    }
    Reason { id, text, weight, span }
}

pub(super) fn not_understood(action: &Action, why: &str, span: Option<Span>) -> Reason {
    let text = format!("`{}` could not be accounted for: {why}", shown(action));
    Reason { id: "guard.not-understood", text, weight: Weight::Raises, span: span.or(action.span) }
}

pub(super) fn persona(block: &Block, weight: Weight) -> Reason {
    Reason { id: "persona.bound", text: block.text(), weight, span: None }
}

pub(super) fn broken(problem: &str, span: Option<Span>) -> Reason {
    let text = format!("a rule file cannot be read in full, so everything asks: {problem}");
    Reason { id: "policy.broken", text, weight: Weight::Raises, span }
}

/// The action in one line of bounded length.
pub(super) fn shown(action: &Action) -> String {
    const MOST: usize = 80;
    let line: String = action.display.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    if line.chars().count() <= MOST { line } else { line.chars().take(MOST).chain(['…']).collect() }
}

/// Where an id stands in the list of all ids: that is the order of telling.
pub(super) fn rank(id: &str) -> usize {
    crate::reason::IDS.iter().position(|row| row.0 == id).unwrap_or(usize::MAX)
}
