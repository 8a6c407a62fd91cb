//! One message of an agent, judged as the hook would judge it, without writing anything down: for `check`, `demo` and
//! the scores. The hook itself goes its own, recorded way; `demo` proves that both say the same.

use leastgrant_core::call::{Attendance, Call};
use leastgrant_core::channel::{self, Answer};
use leastgrant_core::policy::{Policy, Posture};
use leastgrant_core::verdict::Verdict;

use crate::agent::{Agent, Decoded, Held, HookEnv};
use crate::ground::Ground;

/// One call with its verdict.
#[derive(Debug)]
pub struct Judged {
    /// what was asked
    pub call: Call,
    /// the verdict
    pub verdict: Verdict,
    /// what the agent would be sent
    pub answer: Answer,
    /// the posture in force
    pub posture: Posture,
    /// what of the policy could not be read
    pub problems: Vec<String>,
}

/// Why a message was not judged.
#[derive(Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// it is no call: the hook says nothing
    NoCall,
    /// it could not be read, and may be a call: the hook refuses
    Refused(String),
}

/// What is taken as given, instead of what is found.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// whether a person is there; none for what the environment says
    pub present: Option<Attendance>,
    /// what the person decided; none for what the state folder says
    pub policy: Option<Policy>,
}

/// Judges a message.
///
/// # Errors
/// The message is no call, or cannot be read.
pub fn judge(agent: &dyn Agent, payload: &[u8], env: &HookEnv, given: &Given) -> Result<Judged, Unjudged> {
    let mut call = match agent.decode(payload, env) {
        Decoded::Pre(call) => *call,
        Decoded::Broken { held: Held::Call, why } => return Err(Unjudged::Refused(why)),
        _ => return Err(Unjudged::NoCall),
    };
    call.attendance = given.present.unwrap_or(call.attendance);
    let mut ground = Ground::of(agent, env, &call);
    if let Some(policy) = &given.policy {
        // a run binds whatever the person decided otherwise
        let persona = std::mem::take(&mut ground.policy.persona);
        ground.policy = Policy { persona, ..policy.clone() };
    }
    let verdict = ground.judge(&call);
    let policy = ground.policy;
    let answer = channel::fit(&verdict, agent.channel(), &call.mode, call.attendance, policy.posture);
    Ok(Judged { call, verdict, answer, posture: policy.posture, problems: policy.problems })
}
