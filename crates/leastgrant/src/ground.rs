//! What one judgement stands on, found in one place for the hook and for whoever wants to know what the hook would say:
//! the state folder, the machine, the policy, and what the session did so far.

use leastgrant_core::call::Call;
use leastgrant_core::judge::{self, Bench};
use leastgrant_core::policy::{Policy, Posture, Session};
use leastgrant_core::verdict::Verdict;
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
}

impl Ground {
    /// Finds it. Nothing is written.
    #[must_use]
    pub fn of(agent: &dyn Agent, env: &HookEnv, call: &Call) -> Self {
        let store = Store::at(Real::state(env));
        let record = store.session(&call.session);
        let started = agent.started_in(env).unwrap_or(&call.cwd);
        let mut settings = store.settings_in(Real::project_of(env, started).as_deref(), &call.session);
        if let Some(problem) = Real::misplaced(env) {
            settings.policy.problems.push(problem);
        }
        let world = Real::of(env, started, record.made).with(settings.extra_roots, settings.secret_globs);
        settings.policy.persona = binding(&world, &Real::state(env), agent.started_in(env), &call.cwd);
        settings.policy.persona.retain(|run| !is_left_over(run, &call.session));
        let paused = paused(store.root(), world.facts().now_ms).is_some();
        if paused {
            // only what a pause must never lift is enforced
            settings.policy.posture = Posture::Observe;
        }
        Self { paused, store, world, policy: settings.policy, session: record.session }
    }

    /// Judges a call by it: classifies once, and looks up what is known of the signatures that came out.
    pub fn judge(&self, call: &Call) -> Verdict {
        let actions = match judge::actions(call, &self.world) {
            Ok(actions) => actions,
            Err(refused) => return *refused,
        };
        let project = self.world.project();
        let standing = self.store.standing(project, &actions, &self.policy, self.world.facts().now_ms);
        let Self { policy, session, world, .. } = self;
        judge::weigh(call, actions, &Bench { policy, standing: &standing, session, world })
    }
}
