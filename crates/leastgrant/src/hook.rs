//! The path of one call: stdin → agent → call → judge → verdict → ledger → channel → agent → stdout. Whatever goes wrong
//! on it ends in a refusal; the answer is the last thing that is written.

pub(crate) mod net;
mod record;
pub(crate) mod wire;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use leastgrant_core::call::Call;
use leastgrant_core::channel::{self, Answer};
use leastgrant_core::judge;

use crate::agent::{self, Agent, ConfigChange, Decoded, Held, HookEnv, Output, Passing};
use crate::ground::Ground;
use crate::store::release;
use record::Desk;

/// `leastgrant hook AGENT`: reads one payload, answers with one JSON object or with silence.
#[must_use]
pub fn main(args: &[OsString]) -> ExitCode {
    if args.first().is_some_and(|word| word == "persona") {
        return crate::persona::hook::main(args.get(1..).unwrap_or_default());
    }
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
        (_, Some(why)) => Decoded::Broken { held: Held::Call, why },
        (decoded, None) => decoded,
    };
    let desk = Desk { agent, env: &env, start };
    match decoded {
        Decoded::Pre(call) => judged(&desk, &call),
        Decoded::Post(done) => desk.record(|desk| desk.done(&done)),
        Decoded::Prompted(call) => prompted(&desk, &call),
        Decoded::Passing(passing) => passed(&desk, &passing),
        Decoded::ConfigChange(change) => changed(&desk, &change),
        Decoded::Foreign(_) => Output::silent(),
        Decoded::Broken { held, why } => broken(&desk, held, &why),
    }
}

fn judged(desk: &Desk<'_>, call: &Call) -> Output {
    let ground = Ground::of(desk.agent, desk.env, call);
    let verdict = net::caught(|| ground.judge(call)).unwrap_or_else(|why| judge::refuse("engine.error", &why));
    let answer = channel::fit(&verdict, desk.agent.channel(), &call.mode, call.attendance, ground.policy.posture);
    desk.record(|desk| desk.call(&ground, call, &verdict, &answer));
    desk.agent.encode(&answer, Some(call))
}

/// The agent is about to ask its person. Where it takes an answer here, it gets ours; an ask leaves it to that question.
fn prompted(desk: &Desk<'_>, call: &Call) -> Output {
    let Some(channel) = desk.agent.prompt_channel() else { return desk.record(|desk| desk.prompted(call, None)) };
    let ground = Ground::of(desk.agent, desk.env, call);
    let verdict = net::caught(|| ground.judge(call)).unwrap_or_else(|why| judge::refuse("engine.error", &why));
    let answer = channel::fit(&verdict, channel, &call.mode, call.attendance, ground.policy.posture);
    desk.record(|desk| desk.prompted(call, Some((&verdict, &answer))));
    desk.agent.encode_prompt(&answer)
}

fn passed(desk: &Desk<'_>, passing: &Passing) -> Output {
    let silence = desk.record(|desk| desk.passing(passing));
    if passing.event == "session-start" {
        let _ = net::caught(|| release::adopt(&passing.cwd));
    }
    if matches!(passing.event, "session-start" | "session-end") {
        let _ = desk.record(|desk| desk.collect());
    }
    let line = net::caught(|| desk.tally(passing)).ok().flatten();
    line.map_or(silence, |line| desk.agent.tell(&line))
}

fn changed(desk: &Desk<'_>, change: &ConfigChange) -> Output {
    let refusal = net::caught(|| release::refusal(change)).unwrap_or_else(Some);
    let silence = desk.record(|desk| desk.change(change, refusal.as_deref()));
    refusal.map_or(silence, |why| desk.agent.refuse_change(&why))
}

fn broken(desk: &Desk<'_>, held: Held, why: &str) -> Output {
    let silence = desk.record(|desk| desk.broken(held, why));
    let said = format!("the agent's message could not be read: {why}");
    match held {
        Held::Call => refused(desk.agent, &said),
        Held::Change => desk.agent.refuse_change(&format!("leastgrant keeps the old settings: {said}")),
        Held::Nothing => silence,
    }
}

fn refused(agent: &dyn Agent, why: &str) -> Output {
    agent.encode(&Answer::Deny { reason: format!("leastgrant: {why}, so this call is refused") }, None)
}
