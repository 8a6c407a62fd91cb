//! The only place where verdicts are made.

use crate::call::Call;
use crate::policy::{Policy, Session, Standing};
use crate::verdict::Verdict;
use crate::world::World;

/// Everything that a judgement rests on.
pub struct Bench<'a> {
    /// what the person decided
    pub policy: &'a Policy,
    /// what earlier evidence is worth
    pub standing: &'a Standing,
    /// what this session did so far
    pub session: &'a Session,
    /// facts about the machine
    pub world: &'a dyn World,
}

/// Judges one call. Order, strictest first: integrity floor, persona bound, deny rule, allow rule, ask floor or ask
/// rule, strict posture, granted or learned, ask (DESIGN §4).
pub fn judge(call: &Call, bench: &Bench<'_>) -> Verdict {
    let _ = (call, bench);
    refuse("engine.error", "not built yet")
}

/// The one place where "anything went wrong" becomes a verdict: an ask of the strictest kind with no action known.
pub fn refuse(id: &'static str, text: &str) -> Verdict {
    use crate::reason::{Reason, Weight};
    use crate::verdict::{AskKind, Decision};
    Verdict {
        decision: Decision::Ask,
        kind: Some(AskKind::Floor),
        reasons: vec![Reason { id, text: text.to_owned(), weight: Weight::Blocks, span: None }],
        actions: Vec::new(),
        floors: vec![id],
        signature: String::new(),
        contained: false,
        remedy: None,
    }
}
