//! What holds a conducted worker beyond the bounds of navigation: every tool that acts waits for the go-ahead, what can't be
//! taken back is not pressed, history stays as it is. Asked by the guard in front of each call of a worker's session; the
//! lease file is all that is known of the conductor, and no lease is no go.

use serde_json::Value;

use super::gitlock::{self, Lock};
use super::{attempt, tools};
use crate::call::{Call, Tool};
use crate::persona::lease::{Lease, Worker};
use crate::world::World;

/// What every refusal begins with; the conductor knows its own refusals by it.
pub const PREFIX: &str = "leastgrant persona gate: ";

/// What the gate says to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Word {
    /// not a worker's call, or nothing of the gate's concern: the other bounds still hold
    Passes,
    /// refused, with the words for the worker
    Shut(String),
}

/// The worker of this session, if it is one.
#[must_use]
pub fn worker<'a>(lease: &'a Lease, session: &str) -> Option<&'a Worker> {
    lease.workers.iter().find(|worker| worker.session.as_deref() == Some(session))
}

/// Asks the gate about a tool call of a session. `alive`: the conductor still runs.
pub fn ask(lease: &Lease, alive: bool, now_ms: i64, session: &str, tool: &str, input: &Value) -> Word {
    let Some(worker) = worker(lease, session) else { return Word::Passes };
    if tools::deed(tool, input) == tools::Deed::Looks {
        return Word::Passes;
    }
    if !alive {
        return shut("the conductor of this run is gone, so nothing may act; end here, the run can be resumed");
    }
    if now_ms >= lease.expires_ms {
        return shut("the go-ahead has run out, so nothing may act; looking is free");
    }
    if !worker.acting {
        return shut(
            "no turn has the go-ahead: write one `persona-turn` block, then stop and wait for the answer that begins with \
             ACT; looking is free",
        );
    }
    match attempt::irreversible(tool, input, &lease.out_of_bounds) {
        Some(broken) => shut(&format!("{}; report the wish as a turn, do not try again", broken.detail)),
        None => Word::Passes,
    }
}

/// Asks about a call in our words: what [`ask`] says, and the lock on history.
pub fn ask_call(lease: &Lease, alive: bool, call: &Call, input: &Value, world: &dyn World) -> Word {
    let now_ms = world.facts().now_ms;
    if worker(lease, &call.session).is_none() {
        return Word::Passes;
    }
    if lease.lock_git
        && matches!(call.tool, Tool::Shell(_))
        && let Lock::Shut(why) = gitlock::ask(call, world, &lease.unlocked)
    {
        return shut(&why);
    }
    ask(lease, alive, now_ms, &call.session, &call.tool_name, input)
}

fn shut(why: &str) -> Word {
    Word::Shut(format!("{PREFIX}{why}"))
}
