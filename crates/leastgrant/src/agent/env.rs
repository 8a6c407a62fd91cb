//! The few environment variables that the hook reads. The agent's environment holds keys and tokens: only the names
//! listed here are ever looked at, and none is ever written down.

use std::collections::BTreeMap;

/// Every name that is read, and what for.
pub const NAMES: &[(&str, &str)] = &[
    ("HOME", "the person's home"),
    ("LEASTGRANT_HOME", "moves our state folder"),
    ("TMPDIR", "the folder for temporary files"),
    ("SHELL", "which shell the agent starts"),
    ("CLAUDE_CODE_SHELL", "which shell Claude Code starts"),
    ("CLAUDE_CONFIG_DIR", "moves Claude Code's configuration"),
    ("CODEX_HOME", "moves Codex's configuration"),
    ("COPILOT_HOME", "moves Copilot CLI's configuration"),
    ("XDG_CONFIG_HOME", "moves OpenCode's configuration"),
    ("CLAUDE_PROJECT_DIR", "the folder in which Claude Code was started"),
    ("GEMINI_PROJECT_DIR", "the folder in which Gemini CLI was started"),
    ("QWEN_PROJECT_DIR", "the folder in which Qwen Code was started"),
    ("COPILOT_PROJECT_DIR", "the folder in which Copilot CLI was started"),
    ("CLAUDE_CODE_SESSION_ATTENDED", "whether a person is there"),
    ("CLAUDE_CODE_ENTRYPOINT", "how Claude Code was started"),
    ("AI_AGENT", "the agent's name and version"),
    ("CLAUDECODE", "set inside Claude Code"),
    ("CODEX_SANDBOX", "set inside Codex"),
    ("CODEX_THREAD_ID", "set inside Codex"),
    ("GEMINI_CLI", "set inside Gemini CLI"),
    ("QWEN_CODE", "set inside Qwen Code"),
    ("OPENCODE", "set inside OpenCode"),
    ("COPILOT_CLI", "set inside Copilot CLI"),
];

/// The values of the names above that are set, not empty, and text.
#[derive(Clone, Debug, Default)]
pub struct HookEnv {
    here: Option<String>,
    values: BTreeMap<&'static str, String>,
}

impl HookEnv {
    /// What this process was started with.
    #[must_use]
    pub fn of_process() -> Self {
        let here = std::env::current_dir().ok().and_then(|here| Some(here.to_str()?.to_owned()));
        Self { here, ..Self::from_lookup(|name| std::env::var(name).ok()) }
    }

    /// The same, for a process that was started in this folder.
    #[must_use]
    pub fn in_folder(self, here: &str) -> Self {
        Self { here: Some(here.to_owned()), ..self }
    }

    /// The folder that this process was started in.
    #[must_use]
    pub fn here(&self) -> Option<&str> {
        self.here.as_deref()
    }

    /// What a lookup knows; for tests and `check`.
    #[must_use]
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let values = NAMES
            .iter()
            .filter_map(|(name, _)| lookup(name).filter(|value| !value.is_empty()).map(|value| (*name, value)))
            .collect();
        Self { here: None, values }
    }

    /// The value of a name in [`NAMES`].
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The value, if it is an absolute path.
    #[must_use]
    pub fn folder(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| value.starts_with('/'))
    }

    /// The variable that says that a coding agent started this process, if any does.
    #[must_use]
    pub fn inside_agent(&self) -> Option<&'static str> {
        [
            "CLAUDECODE",
            "AI_AGENT",
            "CODEX_SANDBOX",
            "CODEX_THREAD_ID",
            "GEMINI_CLI",
            "QWEN_CODE",
            "OPENCODE",
            "COPILOT_CLI",
        ]
        .into_iter()
        .find(|name| self.get(name).is_some())
    }
}
