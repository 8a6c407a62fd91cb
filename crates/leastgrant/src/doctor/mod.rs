//! What is really in force on this machine: every check looks for itself and names the command that mends it.

pub mod agents;
pub mod enforcement;
pub mod exposure;
pub mod fix;
pub mod habits;
mod proof;
pub mod scene;
pub mod sessions;
pub mod setup;
pub mod switches;

use serde::Serialize;

pub use scene::Scene;

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// is everything where it should be
    Setup,
    /// which bound is in force
    Enforcement,
    /// what an agent could reach
    Exposure,
    /// how it is used
    Habits,
    /// the bound of persona runs
    Persona,
}

impl Group {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Setup, Self::Enforcement, Self::Exposure, Self::Habits, Self::Persona];

    /// Its name.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Enforcement => "enforcement",
            Self::Exposure => "exposure",
            Self::Habits => "habits",
            Self::Persona => "persona",
        }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// as it should be
    Ok,
    /// good to know
    Info,
    /// worth mending
    Warn,
    /// a bound that should hold does not
    Bad,
}

/// What `doctor --fix` can do by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// make our state folder, or close it to others
    StateFolder,
    /// install again into a scope that is wired
    Install(&'static str, crate::install::place::Scope),
    /// take an off-switch out of a settings file; only when named, a person may have meant it
    Switch {
        /// the settings file
        file: std::path::PathBuf,
        /// where the key is
        path: Vec<String>,
    },
    /// take comments and trailing commas out of a settings file; only when named
    Strip(crate::install::place::Scope),
}

impl Repair {
    /// Whether it is done without being named.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        matches!(self, Self::StateFolder | Self::Install(..))
    }
}

/// The outcome of one check.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// what was looked at
    pub id: String,
    /// which group it is in
    pub group: Group,
    /// how bad it is
    pub status: Status,
    /// what was found
    pub text: String,
    /// the command that mends it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// what `--fix` would do
    #[serde(skip)]
    pub repair: Option<Repair>,
}

impl Check {
    /// A check without a remedy.
    #[must_use]
    pub fn new(group: Group, id: impl Into<String>, status: Status, text: impl Into<String>) -> Self {
        Self { id: id.into(), group, status, text: text.into(), fix: None, repair: None }
    }

    /// With a command that a person runs.
    #[must_use]
    pub fn fix(mut self, command: impl Into<String>) -> Self {
        self.fix = Some(command.into());
        self
    }

    /// With a repair that `doctor` does on request.
    #[must_use]
    pub fn repair(mut self, repair: Repair) -> Self {
        self.fix = Some(if repair.is_safe() {
            String::from("leastgrant doctor --fix")
        } else {
            format!("leastgrant doctor --fix {}", crate::install::wiring::quote(&self.id))
        });
        self.repair = Some(repair);
        self
    }
}

/// Looks at everything.
#[must_use]
pub fn examine(scene: &Scene) -> Vec<Check> {
    let mut checks = setup::checks(scene);
    checks.extend(proof::checks(scene));
    checks.extend(enforcement::checks(scene));
    checks.extend(agents::checks(scene));
    checks.extend(exposure::checks(scene));
    checks.extend(habits::checks(scene));
    checks.extend(crate::persona::doctor::checks(&scene.places, scene.now_ms));
    checks
}
