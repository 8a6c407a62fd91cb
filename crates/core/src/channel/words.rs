//! The text that goes with an answer: never empty, one line a reason, bounded.

use super::Channel;
use crate::reason::{Reason, Weight};
use crate::verdict::Verdict;

/// Most bytes of a whole text.
const MOST: usize = 2_000;
/// Most bytes of one line.
const LINE: usize = 900;

pub(super) fn allow(verdict: &Verdict) -> String {
    compose("allowed", verdict, &[Weight::Lowers], None)
}

pub(super) fn ask(verdict: &Verdict) -> String {
    compose("asks you", verdict, &[Weight::Blocks, Weight::Raises], verdict.remedy.as_deref())
}

/// An ask that reaches nobody: nobody is there, or the agent has no way of asking.
pub(super) fn refuse(verdict: &Verdict, channel: &Channel, prompts: bool) -> String {
    let how = verdict.remedy.as_deref().unwrap_or("a person has to run it, or to allow it with `leastgrant allow`");
    let head = if prompts {
        String::from("refused, since nobody is there to ask")
    } else {
        format!("refused, since {} does not ask for a hook", channel.name)
    };
    compose(&head, verdict, &[Weight::Blocks, Weight::Raises], Some(how))
}

pub(super) fn deny(verdict: &Verdict) -> String {
    compose("refused", verdict, &[Weight::Blocks], verdict.remedy.as_deref())
}

fn compose(head: &str, verdict: &Verdict, weights: &[Weight], last: Option<&str>) -> String {
    let mut told: Vec<&Reason> = verdict.reasons.iter().filter(|reason| weights.contains(&reason.weight)).collect();
    if told.is_empty() {
        told = verdict.reasons.iter().collect();
    }
    let mut text = format!("leastgrant: {head}");
    let last = last.map(|last| format!("\nto change that: {}", line(last))).unwrap_or_default();
    let room = MOST.saturating_sub(last.len());
    for (at, reason) in told.iter().enumerate() {
        let next = format!("{}{} [{}]", if at == 0 { ": " } else { "\nand: " }, line(&reason.text), reason.id);
        let left = told.len() - at;
        let more = format!("\nand {left} more");
        if text.len() + next.len() + more.len() > room {
            text.push_str(&more);
            break;
        }
        text.push_str(&next);
    }
    text.push_str(&last);
    text
}

/// One line: line breaks and other control characters would forge lines of ours.
fn line(text: &str) -> String {
    let mut line = String::new();
    for char in text.chars() {
        let shown = if char.is_control() { ' ' } else { char };
        if line.len() + shown.len_utf8() > LINE {
            line.push('…');
            break;
        }
        line.push(shown);
    }
    line
}
