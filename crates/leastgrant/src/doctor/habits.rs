//! How it is used, from the ledger of the last thirty days.

use serde_json::Value;

use super::scene::{Scene, field};
use super::{Check, Group, Status};

const HALF: f64 = 0.5;

pub(super) fn checks(scene: &Scene) -> Vec<Check> {
    let Ok(events) = &scene.events else { return Vec::new() };
    let calls: Vec<&Value> = events.iter().filter(|event| field(event, "event") == Some("call")).collect();
    if calls.is_empty() {
        return vec![Check::new(Group::Habits, "calls", Status::Info, "nothing was judged in the last thirty days")];
    }
    vec![answers(&calls), unattended(&calls)]
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
    Check::new(Group::Habits, "calls", Status::Info, text)
}

#[expect(clippy::cast_precision_loss, reason = "a share for people; counts are far below the limit")]
fn unattended(calls: &[&Value]) -> Check {
    let alone = count(calls, "attendance", "unattended");
    let share = alone as f64 / calls.len() as f64;
    let text = format!("{alone} of {} calls ran with nobody there", calls.len());
    if share >= HALF {
        Check::new(Group::Habits, "unattended", Status::Warn, format!("{text}: what asks is refused there; give such sessions rules of their own"))
            .fix("leastgrant trail --asked")
    } else {
        Check::new(Group::Habits, "unattended", Status::Ok, text)
    }
}
