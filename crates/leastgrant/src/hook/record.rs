//! What the hook writes down. Recording never changes an answer: a failure, even a panic, is dropped here.

use std::collections::HashSet;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use leastgrant_core::action::{Capability, Exposure, TargetKind};
use leastgrant_core::call::{Attendance, Call};
use leastgrant_core::channel::{Answer, Ask};
use leastgrant_core::persona::guard::{self, Asked, Profile, Ruling};
use leastgrant_core::persona::mask::addresses;
use leastgrant_core::verdict::Verdict;

use super::net;
use crate::agent::{Agent, ConfigChange, Done, Held, HookEnv, Output, Passing};
use crate::ground::Ground;
use crate::persona::hook::masks;
use crate::persona::journal;
use crate::store::Store;
use crate::store::event::{Event, attendance, brief};
use crate::store::tally::Tally;
use crate::world::Real;

/// Where the events of one hook process are written.
pub(super) struct Desk<'a> {
    pub(super) agent: &'a dyn Agent,
    pub(super) env: &'a HookEnv,
    pub(super) start: Instant,
}

impl Desk<'_> {
    /// Records, and has no opinion.
    pub(super) fn record(&self, write: impl FnOnce(&Self)) -> Output {
        let _ = net::caught(|| write(self));
        Output::silent()
    }

    pub(super) fn call(&self, ground: &Ground, call: &Call, verdict: &Verdict, answer: &Answer) {
        let walked = masks(&ground.world, self.agent.started_in(self.env), &call.cwd);
        if !ground.policy.persona.is_empty() {
            self.bound(ground, call, verdict);
        }
        if may_run(self.agent, call, answer) {
            for secret in secrets(verdict) {
                let secret = if walked { addresses(&secret) } else { secret };
                let _ = ground.store.read_secret(&call.session, &secret);
            }
        }
        let mut event = Event::new("call", now()).of_call(call).of_verdict(verdict, answer);
        if ground.paused {
            event = event.noting("paused");
        }
        event = event.walked(walked);
        let _ = ground.store.append(&event.in_project(ground.world.project()).took(self.start.elapsed()));
    }

    /// The event of a call that a persona run held, for those who read the run's own file.
    fn bound(&self, ground: &Ground, call: &Call, verdict: &Verdict) {
        let asked = Asked::of_call(call, &verdict.actions);
        for run in &ground.policy.persona {
            if let Ruling::Outside(block) = guard::rule(run, Profile::Strict, asked, &call.session, now()) {
                let call_id = call.call_id.as_deref();
                let held =
                    journal::Held { root: &run.root, session: &call.session, call: call_id, tool: &call.tool_name };
                return journal::block(ground.store.root(), held, &block);
            }
        }
    }

    /// Whether a persona run may be active where the call was made.
    fn walked(&self, cwd: &str) -> bool {
        masks(&Real::of(self.env, cwd, HashSet::new()), self.agent.started_in(self.env), cwd)
    }

    pub(super) fn done(&self, done: &Done) {
        let store = self.store();
        let call = &done.call;
        if let Some(path) = &done.made {
            let _ = store.made_file(&call.session, path);
        }
        let event =
            Event::new(if done.ran { "ran" } else { "failed" }, now()).of_call(call).walked(self.walked(&call.cwd));
        let _ = store.append(&event.in_project(self.project(&call.cwd).as_deref()).took(self.start.elapsed()));
        if store.is_behind() {
            self.collect();
        }
    }

    /// Takes what happened since the last time into what was learned.
    pub(super) fn collect(&self) {
        let _ = self.store().collect(self.env, now());
    }

    pub(super) fn prompted(&self, call: &Call, told: Option<(&Verdict, &Answer)>) {
        let mut event = Event::new("prompted", now()).of_call(call);
        if let Some((verdict, answer)) = told {
            event = event.of_verdict(verdict, answer);
        }
        event = event.walked(self.walked(&call.cwd));
        let _ = self.store().append(&event.in_project(self.project(&call.cwd).as_deref()).took(self.start.elapsed()));
    }

    pub(super) fn passing(&self, passing: &Passing) {
        let mut event = self.said(passing.event, &passing.session, &passing.cwd);
        event.subagent = passing.subagent.as_deref().map(brief);
        event.note = passing.detail.as_deref().map(brief);
        let store = self.store();
        let _ = store.append(&event.took(self.start.elapsed()));
        if passing.event == "session-start" {
            store.prune_sessions();
        }
    }

    /// What a session came to, in a line for its person: when it ends, and, since agents don't show that (measured on
    /// Claude Code 2.1.197 and 2.1.332), when the next one starts in the project.
    pub(super) fn tally(&self, passing: &Passing) -> Option<String> {
        let store = self.store();
        match (passing.event, passing.detail.as_deref()) {
            ("session-end", _) => Tally::of(&store, &passing.session).line("this session"),
            ("session-start", Some("startup" | "clear")) => {
                Tally::before(&store, &self.project(&passing.cwd)?, &passing.session).line("the last session here")
            }
            _ => None,
        }
    }

    pub(super) fn change(&self, change: &ConfigChange, refusal: Option<&str>) {
        let mut event = self.said("config-change", &change.session, &change.cwd);
        event.display = change.file_path.as_deref().map(crate::store::event::shown);
        event.answer = Some(if refusal.is_some() { "deny" } else { "silent" });
        event = event.noting(refusal.unwrap_or(&change.source));
        let _ = self.store().append(&event.took(self.start.elapsed()));
    }

    pub(super) fn broken(&self, held: Held, why: &str) {
        let mut event = self.said("unreadable", "", "");
        event.reasons = vec!["payload.unreadable"];
        event.answer = Some(if held == Held::Nothing { "silent" } else { "deny" });
        let _ = self.store().append(&event.noting(why).took(self.start.elapsed()));
    }

    fn said(&self, name: &'static str, session: &str, cwd: &str) -> Event {
        let (version, presence) = self.agent.about(self.env);
        let mut event = Event::new(name, now()).in_project(self.project(cwd).as_deref());
        self.agent.id().clone_into(&mut event.agent);
        event.version = version;
        event.session = brief(session);
        event.attendance = Some(attendance(presence));
        event
    }

    fn store(&self) -> Store {
        Store::at(Real::state(self.env))
    }

    fn project(&self, cwd: &str) -> Option<String> {
        Real::project_of(self.env, self.agent.started_in(self.env).unwrap_or(cwd))
    }
}

/// Whether the call can still run after this answer. An ask with nobody there is refused where the agent does so itself.
fn may_run(agent: &dyn Agent, call: &Call, answer: &Answer) -> bool {
    match answer {
        Answer::Deny { .. } => false,
        Answer::Ask { .. } => {
            call.attendance != Attendance::Unattended || agent.channel().ask_unattended != Ask::Refuses
        }
        Answer::Allow { .. } | Answer::Silent => true,
    }
}

/// The credentials that a call would read, by path or by what was written.
fn secrets(verdict: &Verdict) -> Vec<String> {
    let reads = |action: &&leastgrant_core::action::Action| {
        action.capability == Capability::SecretRead || action.blast.exposure >= Exposure::ReadsSecrets
    };
    let mut names = Vec::new();
    for action in verdict.actions.iter().filter(reads) {
        let paths = action.targets.iter().filter_map(|target| match &target.kind {
            TargetKind::Path(place) => Some(place.best()),
            _ => None,
        });
        names.extend(paths.map(str::to_owned));
        if action.capability == Capability::SecretRead && action.targets.is_empty() {
            names.push(brief(&action.display));
        }
    }
    names.truncate(16);
    names
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
