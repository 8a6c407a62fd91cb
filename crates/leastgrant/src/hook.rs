//! The path of one call: stdin → agent → call → judge → verdict → ledger → channel → agent → stdout. Whatever goes wrong
//! on it ends in a refusal; the answer is the last thing that is written.

mod net;
mod record;
mod wire;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use leastgrant_core::call::Call;
use leastgrant_core::channel::{self, Answer};
use leastgrant_core::judge::{self, Bench};
use leastgrant_core::policy::Standing;

use crate::agent::{self, Agent, Decoded, HookEnv, Output};
use crate::store::{Store, release};
use crate::world::Real;
use record::Desk;

/// `leastgrant hook AGENT`: reads one payload, answers with one JSON object or with silence.
#[must_use]
pub fn main(args: &[OsString]) -> ExitCode {
    let start = Instant::now();
    net::spread();
    let output = match agent::named(args) {
        Ok(agent) => net::caught(|| answer(agent, start)).unwrap_or_else(|why| refused(agent, &why)),
        Err(why) => Output::blocked(&format!("{why}; the call is refused until the hook's command line is mended")),
    };
    ExitCode::from(wire::send(&output))
}

fn answer(agent: &dyn Agent, start: Instant) -> Output {
    let env = HookEnv::of_process();
    let received = wire::receive();
    let decoded = match (agent.decode(&received.bytes, &env), received.fault) {
        (Decoded::Broken { held, .. }, Some(why)) => Decoded::Broken { held, why },
        (_, Some(why)) => Decoded::Broken { held: true, why },
        (decoded, None) => decoded,
    };
    let desk = Desk { agent, env: &env, start };
    match decoded {
        Decoded::Pre(call) => judged(&desk, &call),
        Decoded::Post(done) => desk.record(|desk| desk.done(&done)),
        Decoded::Prompted(call) => desk.record(|desk| desk.prompted(&call)),
        Decoded::Passing(passing) => desk.record(|desk| desk.passing(&passing)),
        Decoded::ConfigChange(change) => {
            let refusal = release::refusal(&change);
            let silence = desk.record(|desk| desk.change(&change, refusal.as_deref()));
            refusal.map_or(silence, |why| agent.refuse_change(&why))
        }
        Decoded::Foreign(_) => Output::silent(),
        Decoded::Broken { held, why } => {
            let silence = desk.record(|desk| desk.broken(held, &why));
            if held { refused(agent, &format!("the agent's message could not be read: {why}")) } else { silence }
        }
    }
}

fn judged(desk: &Desk<'_>, call: &Call) -> Output {
    let store = Store::at(Real::state(desk.env));
    let session = store.session(&call.session);
    let world = Real::of(desk.env, desk.agent.started_in(desk.env).unwrap_or(&call.cwd), session.made);
    let policy = store.policy(&world);
    let bench = Bench { policy: &policy, standing: &Standing::default(), session: &session.session, world: &world };
    let verdict = net::caught(|| judge::judge(call, &bench)).unwrap_or_else(|why| judge::refuse("engine.error", &why));
    let answer = channel::fit(&verdict, desk.agent.channel(), &call.mode, call.attendance, policy.posture);
    desk.record(|desk| desk.call(&store, &world, call, &verdict, &answer));
    desk.agent.encode(&answer)
}

fn refused(agent: &dyn Agent, why: &str) -> Output {
    agent.encode(&Answer::Deny { reason: format!("leastgrant: {why}, so this call is refused") })
}
