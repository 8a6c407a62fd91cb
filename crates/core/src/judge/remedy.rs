//! What would change an answer, in words. A hint may never name a command that would not do what it says.

use crate::floor;
use crate::policy::Policy;
use crate::rule::{EXACT, quote};
use crate::signature;
use crate::verdict::{Decision, Verdict};

/// Longest command that a hint names, in bytes.
const LONGEST: usize = 700;

/// What would change the answer; none where it is allow.
pub(super) fn remedy(verdict: &Verdict, call_text: &str, policy: &Policy) -> Option<String> {
    let has = |id: &str| verdict.reasons.iter().any(|reason| reason.id == id);
    let answer = match verdict.decision {
        Decision::Allow => return None,
        Decision::Deny if verdict.floors.iter().any(|id| floor::is_integrity(id)) => String::from(
            "nothing does: what guards the agent is changed by a person, in a terminal, with leastgrant's own commands",
        ),
        Decision::Deny if has("persona.bound") => String::from(
            "inside the run nothing does; a person ends it with `leastgrant persona disarm`, or changes its flow and arms it again",
        ),
        Decision::Deny => String::from("the deny rule holds until you change it: `leastgrant rules` lists it"),
        Decision::Ask if has("persona.bound") => {
            String::from("a person adds `- web search` under `## Permissions` of the flow and arms it again")
        }
        Decision::Ask if has("policy.broken") => {
            let problem = policy.problems.first().map_or("", String::as_str);
            format!("mend the rule file: {problem}")
        }
        Decision::Ask => allow(verdict, call_text, has("guard.not-understood")),
    };
    match verdict.actions.iter().filter_map(|action| action.safer.as_ref()).min() {
        Some(safer) => Some(format!("{answer}; safer: {safer}")),
        None => Some(answer),
    }
}

fn allow(verdict: &Verdict, call_text: &str, opaque: bool) -> String {
    let exact = call_text.trim();
    // with a wildcard in it the text would be read as a glob
    let pattern = if exact.contains(['*', '?']) { format!("{EXACT}{exact}") } else { exact.to_owned() };
    let command = format!("`leastgrant allow {}`", quote(&pattern));
    match (command.len() <= LONGEST, opaque, verdict.actions.as_slice()) {
        (true, true, _) => {
            format!("no shape of it can be approved safely; {command} in a terminal allows exactly this text")
        }
        (true, false, _) => format!("{command} in a terminal allows exactly this"),
        (false, false, [action]) => {
            let shape = quote(signature::body(&action.signature));
            format!("`leastgrant allow {shape}` in a terminal allows every call of this shape")
        }
        (false, ..) => String::from("its text is too long to repeat here; split it into smaller commands"),
    }
}
