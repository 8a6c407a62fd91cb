//! The only place where verdicts are made.

mod because;
mod remedy;

use crate::action::{Action, Capability, Exposure, Mark, Reach, TargetKind};
use crate::bundle;
use crate::call::{Call, Tool};
use crate::classify::classify;
use crate::classify::shell::only_comments;
use crate::floor::{self, Fired, Flow};
use crate::learn::Gap;
use crate::path::Zone;
use crate::persona::guard::{self, Asked, Profile, Ruling};
use crate::policy::{Policy, Posture, Session, Standing};
use crate::reason::{Reason, Weight};
use crate::rule::{Book, Effect, Rule};
use crate::verdict::{AskKind, Decision, Verdict};
use crate::world::World;
use because::{
    DENIED, FAMILIAR, HOUSEKEEPING, OBSERVED, STRICT, WALKED, broken, floors, not_understood, persona, rank, ruled,
    shown,
};

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

/// From this tier on an action is too heavy to pass by what was learned.
const HEAVY: u8 = 3;

/// Judges one call. Order, strictest first: integrity floor, persona bound, deny rule, allow rule, ask floor or ask
/// rule, strict posture, granted or learned, ask (DESIGN §4).
pub fn judge(call: &Call, bench: &Bench<'_>) -> Verdict {
    match actions(call, bench.world) {
        Ok(actions) => weigh(call, actions, bench),
        Err(refused) => match bound(call, &[], bench) {
            Ruling::Outside(block) => {
                Verdict { decision: Decision::Deny, kind: None, ..refuse("persona.bound", &block.text()) }
            }
            _ => *refused,
        },
    }
}

/// What a call would do.
///
/// # Errors
/// It cannot be read; the error is the verdict.
pub fn actions(call: &Call, world: &dyn World) -> Result<Vec<Action>, Box<Verdict>> {
    match &call.tool {
        Tool::Unreadable { why } => {
            let text = format!("the input of `{}` cannot be read: {why}", call.tool_name);
            Err(Box::new(refuse("payload.unreadable", &text)))
        }
        _ => Ok(classify(call, world)),
    }
}

/// What the persona runs say that bind the session. More is judged here than an existing conductor expects of the hook
/// alone: whoever installed the layer wants the bound to hold.
fn bound(call: &Call, actions: &[Action], bench: &Bench<'_>) -> Ruling {
    let runs = &bench.policy.persona;
    if runs.is_empty() {
        return Ruling::Free;
    }
    let asked = Asked::of_call(call, actions);
    guard::rule_all(runs, Some(Profile::Strict), asked, &call.session, bench.world.facts().now_ms)
}

/// Judges a call whose actions are known.
pub fn weigh(call: &Call, actions: Vec<Action>, bench: &Bench<'_>) -> Verdict {
    if actions.is_empty() {
        return match &call.tool {
            Tool::Meta => housekeeping(),
            Tool::Shell(shell) if only_comments(&shell.command) => housekeeping(),
            _ => refuse("engine.error", "nothing of the call was understood"),
        };
    }
    let sight = Sight {
        call,
        bench,
        book: Book::open(&bench.policy.rules, call, bench.world),
        flow: Flow::of(&actions, bench.session, bench.world),
        bound: bound(call, &actions, bench),
    };
    let outcomes: Vec<Outcome> = actions.iter().map(|action| sight.outcome(action)).collect();
    fold(actions, outcomes, &sight)
}

/// The one place where "anything went wrong" becomes a verdict: an ask of the strictest kind with no action known.
pub fn refuse(id: &'static str, text: &str) -> Verdict {
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

/// The agent's own housekeeping: nothing to hold, and nothing to grant either.
fn housekeeping() -> Verdict {
    Verdict {
        decision: Decision::Allow,
        kind: None,
        reasons: vec![HOUSEKEEPING.reason(Weight::Lowers, None)],
        actions: Vec::new(),
        floors: Vec::new(),
        signature: String::new(),
        contained: true,
        remedy: None,
    }
}

struct Sight<'a> {
    call: &'a Call,
    bench: &'a Bench<'a>,
    book: Book<'a>,
    flow: Flow,
    bound: Ruling,
}

/// What one action alone leads to.
struct Outcome {
    decision: Decision,
    kind: Option<AskKind>,
    reasons: Vec<Reason>,
    floors: Vec<&'static str>,
}

impl Outcome {
    fn allow(reason: Reason) -> Self {
        Self { decision: Decision::Allow, kind: None, reasons: vec![reason], floors: Vec::new() }
    }

    fn ask(kind: AskKind, reasons: Vec<Reason>) -> Self {
        Self { decision: Decision::Ask, kind: Some(kind), reasons, floors: Vec::new() }
    }

    fn deny(reasons: Vec<Reason>) -> Self {
        Self { decision: Decision::Deny, kind: None, reasons, floors: Vec::new() }
    }

    fn with_floors(mut self, fired: &[Fired]) -> Self {
        self.floors = fired.iter().map(|floor| floor.id).collect();
        self
    }
}

impl Sight<'_> {
    /// DESIGN §4's order, top to bottom.
    fn outcome(&self, action: &Action) -> Outcome {
        let policy = self.bench.policy;
        let fired = floor::fired(action, self.call, &self.flow, self.bench.world);
        let opaque = action.opaque.as_ref().map(|opaque| not_understood(action, &opaque.why, opaque.span));

        if fired.iter().any(|floor| floor.integrity) {
            let mut reasons = floors(&fired, |floor| if floor.integrity { Weight::Blocks } else { Weight::Info });
            reasons.extend(opaque.map(|reason| Reason { weight: Weight::Info, ..reason }));
            return Outcome::deny(reasons).with_floors(&fired);
        }
        if let Ruling::Outside(block) = &self.bound {
            let mut reasons = vec![persona(block, Weight::Blocks)];
            reasons.extend(floors(&fired, |_| Weight::Info));
            return Outcome::deny(reasons).with_floors(&fired);
        }
        if let Some(rule) = self.book.find(Effect::Deny, action) {
            let mut reasons = vec![ruled(rule, "rule.deny", Weight::Blocks, action.span)];
            reasons.extend(floors(&fired, |_| Weight::Info));
            return Outcome::deny(reasons).with_floors(&fired);
        }
        if let Ruling::Doubt(block) = &self.bound {
            let mut reasons = vec![persona(block, Weight::Raises)];
            reasons.extend(floors(&fired, |_| Weight::Raises));
            return Outcome::ask(AskKind::Floor, reasons).with_floors(&fired);
        }
        let allow = self.book.find(Effect::Allow, action);
        if let Some(rule) = allow
            && policy.problems.is_empty()
        {
            return self.allowed_by_rule(rule, &fired, opaque, action);
        }
        let ask = self.book.find(Effect::Ask, action);
        if !fired.is_empty() || ask.is_some() {
            let mut reasons = floors(&fired, |_| Weight::Raises);
            reasons.extend(ask.map(|rule| ruled(rule, "rule.ask", Weight::Raises, action.span)));
            reasons.extend(opaque);
            return Outcome::ask(AskKind::Floor, reasons).with_floors(&fired);
        }
        self.unfloored(action, opaque)
    }

    fn allowed_by_rule(&self, rule: &Rule, fired: &[Fired], opaque: Option<Reason>, action: &Action) -> Outcome {
        let mut outcome = Outcome::allow(ruled(rule, "rule.allow", Weight::Lowers, action.span));
        let lifted = floors(fired, |_| Weight::Info).into_iter().chain(opaque);
        outcome.reasons.extend(lifted.map(|reason| Reason {
            text: format!("{}, allowed by your rule", reason.text),
            weight: Weight::Info,
            ..reason
        }));
        outcome
    }

    /// No floor and no rule holds.
    fn unfloored(&self, action: &Action, opaque: Option<Reason>) -> Outcome {
        let Bench { policy, standing, .. } = self.bench;
        let housekeeping = matches!(self.call.tool, Tool::Meta) && action.capability == Capability::Meta;
        if housekeeping && opaque.is_none() {
            return Outcome::allow(HOUSEKEEPING.reason(Weight::Lowers, action.span));
        }
        let floor =
            |reason: Reason| Outcome::ask(AskKind::Floor, std::iter::once(reason).chain(opaque.clone()).collect());
        if let Some(problem) = policy.problems.first() {
            return floor(broken(problem, action.span));
        }
        if policy.posture == Posture::Strict {
            return floor(STRICT.reason(Weight::Raises, action.span));
        }
        if standing.denied.contains(&action.signature) {
            return floor(DENIED.reason(Weight::Raises, action.span));
        }
        if let Some(reason) = opaque {
            return Outcome::ask(AskKind::Unreadable, vec![reason]);
        }
        self.granted(action).map_or_else(|| self.gap(action), Outcome::allow)
    }

    /// Why it may pass by what the person accepted or by what was learned.
    fn granted(&self, action: &Action) -> Option<Reason> {
        let Bench { policy, standing, .. } = self.bench;
        // a no that cannot be read may be about this
        if standing.unreadable.is_some() {
            return None;
        }
        if let Some(bundle) = bundle::covering(&policy.bundles, action) {
            let text = format!("the accepted bundle `{}` covers it: {}", bundle.id, bundle.title);
            return Some(Reason { id: "bundle.granted", text, weight: Weight::Lowers, span: action.span });
        }
        if self.bound == (Ruling::Inside { granted: true }) {
            return Some(WALKED.reason(Weight::Lowers, action.span));
        }
        let unmarked = action.marks.iter().all(|mark| *mark == Mark::Unusual);
        if action.blast.tier() >= HEAVY || !unmarked {
            return None;
        }
        if standing.familiar.contains(&action.signature) {
            return Some(FAMILIAR.reason(Weight::Lowers, action.span));
        }
        let seen = contained(action) && standing.observed.contains(&action.signature);
        seen.then(|| OBSERVED.reason(Weight::Lowers, action.span))
    }

    /// Understood, without a floor, and nothing lets it pass.
    fn gap(&self, action: &Action) -> Outcome {
        let tier = action.blast.tier();
        let subject = shown(action);
        if tier >= HEAVY {
            let note = action.notes.first().map_or_else(String::new, |note| format!(": {note}"));
            let text = format!("too much is at stake to pass `{subject}` unasked (tier {tier} of 4){note}");
            let reason = Reason { id: "gap.blast", text, weight: Weight::Raises, span: action.span };
            return Outcome::ask(AskKind::Heavy, vec![reason]);
        }
        let standing = self.bench.standing;
        let short = standing.short.iter().find(|(signature, _)| *signature == action.signature);
        let learned = match (&standing.unreadable, short) {
            (Some(why), _) => format!("; what was learned cannot be read: {why}"),
            (None, None | Some((_, Gap::Unknown | Gap::Never))) => String::new(),
            (None, Some((_, gap))) => format!("; {gap}"),
        };
        let text = format!("no rule or accepted bundle covers `{subject}`{learned}");
        let reason = Reason { id: "gap.evidence", text, weight: Weight::Raises, span: action.span };
        Outcome::ask(AskKind::Unfamiliar, vec![reason])
    }
}

/// Strictest of all; what is told does not depend on the order of the actions.
fn fold(actions: Vec<Action>, outcomes: Vec<Outcome>, sight: &Sight<'_>) -> Verdict {
    let decision = outcomes.iter().map(|outcome| outcome.decision).max().unwrap_or(Decision::Ask);
    let kind = outcomes.iter().filter_map(|outcome| outcome.kind).max();
    let kind = if decision == Decision::Ask { kind.or(Some(AskKind::Floor)) } else { None };

    let mut floors: Vec<&'static str> = outcomes.iter().flat_map(|outcome| outcome.floors.iter().copied()).collect();
    floors.sort_unstable();
    floors.dedup();

    let mut reasons: Vec<Reason> = outcomes.into_iter().flat_map(|outcome| outcome.reasons).collect();
    if actions.len() > 1 {
        let text = format!("{} actions; the strictest decides", actions.len());
        reasons.push(Reason { id: "multi.actions", text, weight: Weight::Info, span: None });
    }
    reasons.sort_by(|a, b| (a.weight, rank(a.id), &a.text, a.span).cmp(&(b.weight, rank(b.id), &b.text, b.span)));
    reasons.dedup_by(|a, b| a.id == b.id && a.text == b.text);

    let mut signatures: Vec<&str> = actions.iter().map(|action| action.signature.as_str()).collect();
    signatures.dedup();
    let signature = signatures.join(" ; ");
    let contained = actions.iter().all(contained);
    let mut verdict = Verdict { decision, kind, reasons, actions, floors, signature, contained, remedy: None };
    verdict.remedy = remedy::remedy(&verdict, sight.book.call_text(), sight.bench.policy);
    verdict
}

/// Contained in the project: nothing outside is touched, nothing is laid open, and no mark says that more happens.
fn contained(action: &Action) -> bool {
    let blast = action.blast;
    let inside = action.targets.iter().all(|target| match &target.kind {
        TargetKind::Path(place) => matches!(place.zone, Zone::Project | Zone::Null),
        TargetKind::Host { .. } | TargetKind::Package(_) => false,
        TargetKind::Named(_) => true,
    });
    blast.reach <= Reach::Workspace && blast.exposure == Exposure::None && inside && action.marks.is_empty()
}
