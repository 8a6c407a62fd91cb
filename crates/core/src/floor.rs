//! Floors: which action fires which, and whether it asks or refuses. No learning lifts one; no rule lifts an integrity
//! floor. A floor only tightens: nothing in here may make a verdict weaker.

mod content;
mod trigger;

use leastgrant_shell::Span;

use crate::action::{Action, Capability, Exposure, Role, TargetKind};
use crate::call::Call;
use crate::control::Control;
use crate::path::Place;
use crate::policy::Session;
use crate::secret;
use crate::world::World;

/// One floor: its id, whether it refuses, what fires it.
pub struct Floor {
    /// one of [`crate::reason::IDS`]
    pub id: &'static str,
    /// refuses, and no rule lifts it
    pub integrity: bool,
    fires: fn(&Sight<'_>) -> Option<Cause>,
}

/// Every floor, integrity floors first.
pub const FLOORS: &[Floor] = &[
    Floor { id: "guard.self-write", integrity: true, fires: trigger::self_write },
    Floor { id: "guard.own-command", integrity: true, fires: trigger::own_command },
    Floor { id: "guard.transcript", integrity: true, fires: trigger::transcript },
    Floor { id: "guard.agent-config", integrity: false, fires: trigger::agent_config },
    Floor { id: "guard.secret-read", integrity: false, fires: trigger::secret_read },
    Floor { id: "guard.exfiltrate", integrity: false, fires: trigger::exfiltrate },
    Floor { id: "guard.flow", integrity: false, fires: trigger::flow },
    Floor { id: "guard.write-outside", integrity: false, fires: trigger::write_outside },
    Floor { id: "guard.persistence", integrity: false, fires: trigger::persistence },
    Floor { id: "guard.privilege", integrity: false, fires: trigger::privilege },
    Floor { id: "guard.injection", integrity: false, fires: trigger::injection },
    Floor { id: "guard.pipe-to-shell", integrity: false, fires: trigger::pipe_to_shell },
    Floor { id: "guard.fetch-run", integrity: false, fires: trigger::fetch_run },
    Floor { id: "guard.production", integrity: false, fires: trigger::production },
    Floor { id: "guard.publish", integrity: false, fires: trigger::publish },
    Floor { id: "guard.irreversible", integrity: false, fires: trigger::irreversible },
    Floor { id: "guard.agent-off-switch", integrity: false, fires: trigger::agent_off_switch },
    Floor { id: "guard.later-input", integrity: false, fires: trigger::later_input },
];

/// Whether this id is a floor that refuses and that no rule lifts.
#[must_use]
pub fn is_integrity(id: &str) -> bool {
    FLOORS.iter().any(|floor| floor.integrity && floor.id == id)
}

/// Why a floor fired.
struct Cause {
    text: String,
    span: Option<Span>,
}

/// A floor that holds for an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fired {
    /// its id
    pub id: &'static str,
    /// it refuses, and no rule lifts it
    pub integrity: bool,
    /// why, in words
    pub text: String,
    /// the part of the shell text it is about
    pub span: Option<Span>,
}

/// What was read from a secret before, or is read by the same call.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    source: Option<String>,
}

impl Flow {
    /// What bears on a call with these actions. The order of the actions does not matter: a loop, a background job or a
    /// function may run them in another.
    #[must_use]
    pub fn of(actions: &[Action], session: &Session, world: &dyn World) -> Self {
        if session.unreadable {
            return Self {
                source: Some(String::from("the record of this session cannot be read, so a secret may have been read")),
            };
        }
        let here = actions.iter().flat_map(|action| secrets_read(action, world)).min();
        let source = match (session.read_secrets.first(), here) {
            (Some(before), _) => Some(format!("`{before}` was read in this session")),
            (None, Some(now)) => Some(format!("`{now}` is read by the same call")),
            (None, None) => None,
        };
        Self { source }
    }
}

/// What an action lays open, by path or name: the session's record of it makes later sends a floor.
#[must_use]
pub fn secrets_read(action: &Action, world: &dyn World) -> Vec<String> {
    let by_kind =
        action.capability == crate::action::Capability::SecretRead || action.blast.exposure == Exposure::ReadsSecrets;
    // what a server or an unknown tool does with a file that it is given is not known
    let unsure = matches!(action.capability, Capability::McpCall | Capability::Unknown);
    let mut names: Vec<String> = action
        .targets
        .iter()
        .filter(|target| matches!(target.role, Role::Read | Role::Send | Role::Execute) || unsure)
        .filter_map(|target| match &target.kind {
            TargetKind::Path(place) if secret::secret(world, place).is_some() => Some(target.text.clone()),
            _ => None,
        })
        .collect();
    if names.is_empty() && by_kind {
        names.push(action.targets.first().map_or_else(|| action.display.clone(), |target| target.text.clone()));
    }
    names
}

/// What the triggers look at.
struct Sight<'a> {
    action: &'a Action,
    world: &'a dyn World,
    flow: &'a Flow,
    kept: Vec<Kept<'a>>,
}

/// A target that is changed and that decides something.
struct Kept<'a> {
    control: Control,
    text: &'a str,
    span: Option<Span>,
    /// what the new content does, where the call carries it and it matters
    effect: Option<String>,
}

impl Sight<'_> {
    /// The places that the action changes, with their targets' text.
    fn changed(&self) -> impl Iterator<Item = (&Place, Role, &str, Option<Span>)> {
        self.action.targets.iter().filter(|target| target.role.changes()).filter_map(|target| match &target.kind {
            TargetKind::Path(place) => Some((place, target.role, target.text.as_str(), target.span)),
            _ => None,
        })
    }
}

/// The floors that an action fires, integrity floors first.
#[must_use]
pub fn fired(action: &Action, call: &Call, flow: &Flow, world: &dyn World) -> Vec<Fired> {
    let kept = content::kept(action, call, world);
    let sight = Sight { action, world, flow, kept };
    FLOORS
        .iter()
        .filter_map(|floor| {
            let cause = (floor.fires)(&sight)?;
            Some(Fired { id: floor.id, integrity: floor.integrity, text: cause.text, span: cause.span.or(action.span) })
        })
        .collect()
}
