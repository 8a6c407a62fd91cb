//! What `leastgrant verify --record` saw the agents of this machine do.

use leastgrant_live::agent;

use super::{Check, Group, Scene, Status};
use crate::command::verify::keep::{self, Local};
use crate::render::words;

/// A check for every agent that was recorded here.
pub(super) fn checks(scene: &Scene) -> Vec<Check> {
    agent::ids().into_iter().filter_map(|id| keep::local(&scene.places.state, id)).map(|local| of(&local)).collect()
}

fn of(local: &Local) -> Check {
    let Local { agent, version, date, holds, drift, .. } = local;
    let ran = format!(
        "{agent} {version} was run here on {date}: {} of {} hold",
        holds.len(),
        words::count(holds.len() + drift.len(), "claim", "claims")
    );
    let id = format!("proof:{agent}");
    if drift.is_empty() {
        return Check::new(Group::Enforcement, id, Status::Ok, ran);
    }
    let not: Vec<&str> = drift.keys().map(String::as_str).collect();
    let text = format!("{ran}, these do not: {}", not.join(", "));
    Check::new(Group::Enforcement, id, Status::Warn, text).fix(format!("leastgrant verify {agent}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_is_worth_a_look() {
        let mut local = Local {
            agent: String::from("codex"),
            version: String::from("0.171.0"),
            os: String::from("linux"),
            date: String::from("2026-12-01"),
            leastgrant: String::from("0.1.0"),
            holds: vec![String::from("deny.mcp")],
            drift: [].into(),
            facts: [].into(),
        };
        assert_eq!(of(&local).status, Status::Ok);
        local.drift.insert(String::from("wired.missing"), String::from("runs"));
        let check = of(&local);
        assert_eq!(check.status, Status::Warn);
        assert_eq!(
            check.text,
            "codex 0.171.0 was run here on 2026-12-01: 1 of 2 claims hold, these do not: wired.missing"
        );
    }
}
