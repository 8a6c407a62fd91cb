//! What one judgement stands on, found in one place for the hook and for whoever wants to know what the hook would say:
//! the state folder, the machine, the policy, and what the session did so far.

use leastgrant_core::call::Call;
use leastgrant_core::judge::Bench;
use leastgrant_core::policy::{Policy, Posture, Session, Standing};
use leastgrant_core::world::World as _;

use crate::agent::{Agent, HookEnv};
use crate::conduct::guard::is_left_over;
use crate::install::pause::paused;
use crate::persona::hook::binding;
use crate::store::Store;
use crate::world::Real;

/// The ground of one call.
#[derive(Debug)]
pub struct Ground {
    /// our state
    pub store: Store,
    /// the machine, as this session sees it
    pub world: Real,
    /// what the person decided
    pub policy: Policy,
    /// a person asked for a pause, and it holds
    pub paused: bool,
    session: Session,
    standing: Standing,
}

impl Ground {
    /// Finds it. Nothing is written.
    #[must_use]
    pub fn of(agent: &dyn Agent, env: &HookEnv, call: &Call) -> Self {
        let store = Store::at(Real::state(env));
        let record = store.session(&call.session);
        let mut settings = store.settings();
        if let Some(problem) = Real::misplaced(env) {
            settings.policy.problems.push(problem);
        }
        let world = Real::of(env, agent.started_in(env).unwrap_or(&call.cwd), record.made)
            .with(settings.extra_roots, settings.secret_globs);
        settings.policy.persona = binding(&world, &Real::state(env), agent.started_in(env), &call.cwd);
        settings.policy.persona.retain(|run| !is_left_over(run, &call.session));
        let paused = paused(store.root(), world.facts().now_ms).is_some();
        if paused {
            // only what a pause must never lift is enforced
            settings.policy.posture = Posture::Observe;
        }
        Self { paused, store, world, policy: settings.policy, session: record.session, standing: Standing::default() }
    }

    /// As core wants it.
    #[must_use]
    pub fn bench(&self) -> Bench<'_> {
        Bench { policy: &self.policy, standing: &self.standing, session: &self.session, world: &self.world }
    }
}
