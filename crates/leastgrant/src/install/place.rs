//! Where things are on this machine: homes, settings files of each scope, our state.

use std::env;
use std::path::{Path, PathBuf};

use crate::agent::HookEnv;
use crate::world::Real;

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// everything this person does
    User,
    /// one project, usually shared by version control
    Project,
    /// one project, on this machine
    Local,
    /// the whole machine; a repository can't switch it off
    Managed,
}

impl Scope {
    /// `user`, `project`, `local` or `managed`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Managed => "managed",
        }
    }

    /// The flag that selects it, with a leading blank.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Self::User => "",
            Self::Project => " --project",
            Self::Local => " --local",
            Self::Managed => " --managed",
        }
    }
}

/// Folders that decide where files are.
#[derive(Clone, Debug)]
pub struct Places {
    /// the person's home
    pub home: PathBuf,
    /// Claude Code's configuration folder
    pub claude: PathBuf,
    /// Codex's folder
    pub codex: PathBuf,
    /// Gemini CLI's folder
    pub gemini: PathBuf,
    /// Qwen Code's folder
    pub qwen: PathBuf,
    /// Copilot CLI's folder
    pub copilot: PathBuf,
    /// OpenCode's folder
    pub opencode: PathBuf,
    /// the project: the nearest repository root above the current folder, or that folder
    pub project: PathBuf,
    /// where the command was started
    pub here: PathBuf,
    /// our state folder
    pub state: PathBuf,
    /// `/`, or a throwaway folder that stands for it
    pub root: PathBuf,
}

impl Places {
    /// As the environment says.
    ///
    /// # Errors
    /// There is no home, or the current folder is gone.
    pub fn from_env(root: Option<&Path>) -> Result<Self, String> {
        let here = env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
        Self::of(&HookEnv::of_process(), here, root)
    }

    /// As an environment says, for a session in `here`.
    ///
    /// # Errors
    /// There is no home.
    pub fn of(env: &HookEnv, here: PathBuf, root: Option<&Path>) -> Result<Self, String> {
        let home = env.folder("HOME").map(PathBuf::from);
        let home = home.ok_or_else(|| String::from("`HOME` is not set to an absolute path"))?;
        Ok(Self {
            claude: env.folder("CLAUDE_CONFIG_DIR").map_or_else(|| home.join(".claude"), PathBuf::from),
            // Codex follows links in the folder that it is told
            codex: env.folder("CODEX_HOME").map_or_else(
                || home.join(".codex"),
                |folder| std::fs::canonicalize(folder).unwrap_or_else(|_| PathBuf::from(folder)),
            ),
            gemini: home.join(".gemini"),
            qwen: home.join(".qwen"),
            copilot: env.folder("COPILOT_HOME").map_or_else(|| home.join(".copilot"), PathBuf::from),
            opencode: env
                .folder("XDG_CONFIG_HOME")
                .map_or_else(|| home.join(".config"), PathBuf::from)
                .join("opencode"),
            state: PathBuf::from(Real::state(env)),
            project: project(&here, &home),
            root: root.unwrap_or_else(|| Path::new("/")).to_owned(),
            home,
            here,
        })
    }

    /// Claude Code's settings file of a scope.
    #[must_use]
    pub fn settings(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::User => self.claude.join("settings.json"),
            Scope::Project => self.project.join(".claude/settings.json"),
            Scope::Local => self.project.join(".claude/settings.local.json"),
            Scope::Managed => self.managed().join("managed-settings.d/leastgrant.json"),
        }
    }

    /// The folder of managed settings.
    #[must_use]
    pub fn managed(&self) -> PathBuf {
        self.root.join("etc/claude-code")
    }

    /// Where a copy of the program for the whole machine goes.
    #[must_use]
    pub fn managed_program(&self) -> PathBuf {
        self.managed_home().join("leastgrant")
    }

    /// Our folder for the whole machine.
    #[must_use]
    pub fn managed_home(&self) -> PathBuf {
        self.root.join("usr/local/lib/leastgrant")
    }

    /// Our state for a scope: the machine's own for managed, so that a run by root leaves nothing in a person's folder.
    #[must_use]
    pub fn state_for(&self, scope: Scope) -> PathBuf {
        if scope == Scope::Managed { self.managed_home().join("state") } else { self.state.clone() }
    }

    /// A path as people write it.
    #[must_use]
    pub fn short(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

/// A home that is itself a repository (dotfiles) is no project.
fn project(here: &Path, home: &Path) -> PathBuf {
    here.ancestors()
        .take_while(|folder| *folder != home)
        .find(|folder| folder.join(".git").exists())
        .unwrap_or(here)
        .to_owned()
}
