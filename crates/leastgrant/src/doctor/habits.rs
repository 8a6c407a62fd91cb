//! How it is used: answers and attendance of the last thirty days, rules against what they met in sixty.

use std::collections::BTreeSet;

use leastgrant_core::policy::Policy;
use leastgrant_core::rule::{Effect, Rule, quote};
use leastgrant_core::signature;
use serde_json::Value;

use super::scene::{MONTH_MS, Scene, at, field};
use super::{Check, Group, Status};
use crate::render::words;
use crate::store::Store;

const HALF: f64 = 0.5;
/// Tier from which an allow rule with a wildcard is a hole.
const HEAVY: u8 = 3;

pub(super) fn checks(scene: &Scene) -> Vec<Check> {
    let Ok(events) = &scene.events else { return Vec::new() };
    let recent = |event: &&Value| at(event).is_some_and(|at| at > scene.now_ms - MONTH_MS);
    let all: Vec<&Value> = events.iter().filter(|event| field(event, "event") == Some("call")).collect();
    let calls: Vec<&Value> = all.iter().copied().filter(recent).collect();
    let mut checks = match calls.is_empty() {
        true => vec![check("calls", Status::Info, "nothing was judged in the last thirty days")],
        false => vec![answers(&calls), unattended(&calls)],
    };
    let policy = Store::at(&scene.places.state).settings().policy;
    checks.extend(broad(&policy, &all));
    checks.extend(stale(&policy, events, &all));
    checks
}

fn check(id: impl Into<String>, status: Status, text: impl Into<String>) -> Check {
    Check::new(Group::Habits, id, status, text)
}

fn count(calls: &[&Value], name: &str, value: &str) -> usize {
    calls.iter().filter(|call| field(call, name) == Some(value)).count()
}

fn answers(calls: &[&Value]) -> Check {
    let text = format!(
        "{} calls in thirty days: {} allowed, {} left to the agent, {} asked, {} denied",
        calls.len(),
        count(calls, "answer", "allow"),
        count(calls, "answer", "silent"),
        count(calls, "answer", "ask"),
        count(calls, "answer", "deny"),
    );
    check("calls", Status::Info, text)
}

#[expect(clippy::cast_precision_loss, reason = "a share for people; counts are far below the limit")]
fn unattended(calls: &[&Value]) -> Check {
    let alone = count(calls, "attendance", "unattended");
    let share = alone as f64 / calls.len() as f64;
    let text = format!("{alone} of {} calls came with nobody there", calls.len());
    if share < HALF {
        return check("unattended", Status::Ok, text);
    }
    let text = format!("{text}: what asks is refused then; rules for what such sessions need make them work");
    check("unattended", Status::Warn, text).fix("leastgrant rules")
}

/// Signatures of the actions of a call.
fn shapes<'v>(call: &&'v Value) -> impl Iterator<Item = &'v str> {
    field(call, "signature").unwrap_or_default().split(" ; ")
}

fn allows(policy: &Policy) -> impl Iterator<Item = &Rule> {
    policy.rules.iter().filter(|rule| rule.effect == Effect::Allow)
}

/// Allow rules whose wildcard let something heavy pass.
fn broad(policy: &Policy, calls: &[&Value]) -> Vec<Check> {
    let mut checks = Vec::new();
    for rule in allows(policy).filter(|rule| rule.pattern.contains(['*', '?'])) {
        let heavy = |shape: &&str| signature::tier(shape).is_none_or(|tier| tier >= HEAVY) && rule.is_shape(shape);
        let held: BTreeSet<&str> = calls.iter().flat_map(shapes).filter(heavy).collect();
        if let Some(shape) = held.first() {
            let pattern = words::safe(&rule.pattern);
            let text = format!(
                "the allow rule `{pattern}` covers `{}`, where much is at stake",
                words::safe(signature::body(shape))
            );
            checks.push(check(format!("broad-rule:{pattern}"), Status::Bad, text).fix(forget(rule)));
        }
    }
    if checks.is_empty() && allows(policy).next().is_some() {
        checks.push(check("broad-rules", Status::Ok, "no allow rule covers anything heavy that was seen"));
    }
    checks
}

/// Allow rules that met nothing in sixty days, if the ledger reaches back that far and they are not new.
fn stale(policy: &Policy, events: &[Value], calls: &[&Value]) -> Option<Check> {
    let oldest = events.iter().filter_map(at).min()?;
    let newest = events.iter().filter_map(at).max()?;
    if newest - oldest < 2 * MONTH_MS - MONTH_MS / 30 {
        return None;
    }
    let added = |rule: &Rule| {
        let is_it = |event: &&Value| field(event, "display") == Some(rule.pattern.as_str());
        events.iter().filter(|event| field(event, "event") == Some("rule-added")).any(|event| is_it(&event))
    };
    let met = |rule: &Rule| {
        calls.iter().any(|call| {
            shapes(call).any(|shape| rule.is_shape(shape))
                || field(call, "display").is_some_and(|text| rule.is_text(text))
        })
    };
    let stale: Vec<&Rule> = allows(policy).filter(|rule| !added(rule) && !met(rule)).collect();
    let first = stale.first()?;
    let named: Vec<String> = stale.iter().map(|rule| format!("`{}`", words::safe(&rule.pattern))).collect();
    let text = format!("allow rules that met nothing in sixty days: {}", named.join(", "));
    Some(check("stale-rules", Status::Warn, text).fix(forget(first)))
}

fn forget(rule: &Rule) -> String {
    let global = if rule.project.is_none() { " --global" } else { "" };
    format!("leastgrant forget {}{global}", quote(&rule.pattern))
}
