//! A tool call in our words, whichever agent sent it.

use leastgrant_shell::Dialect;
use serde_json::Value as Json;

/// One call that an agent wants to make.
#[derive(Clone, Debug)]
pub struct Call {
    /// id of the agent's compatibility record (`claude-code`, `codex`, …)
    pub agent: &'static str,
    /// the agent's version, where the agent says it
    pub agent_version: Option<String>,
    /// the agent's session
    pub session: String,
    /// the agent's id of this call
    pub call_id: Option<String>,
    /// the subagent that makes the call
    pub subagent: Option<String>,
    /// the permission mode as the agent reports it
    pub mode: Mode,
    /// whether a person is there
    pub attendance: Attendance,
    /// the folder that the agent says it is in
    pub cwd: String,
    /// the tool's name as the agent spells it
    pub tool_name: String,
    /// what it would do
    pub tool: Tool,
}

/// Permission modes; what they mean for an ask is in [`crate::channel`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// the agent prompts by itself
    Default,
    /// file edits pass without a prompt
    AcceptEdits,
    /// planning: the agent refuses changes by itself
    Plan,
    /// a classifier of the agent decides instead of a person
    Auto,
    /// what is not allowed by rule is refused without a prompt
    DontAsk,
    /// nothing prompts
    Bypass,
    /// a word we do not know
    Unknown(String),
    /// the agent did not say
    Unsaid,
}

impl Mode {
    /// Our name for it.
    #[must_use]
    pub fn id(&self) -> String {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "accept-edits",
            Self::Plan => "plan",
            Self::Auto => "auto",
            Self::DontAsk => "dont-ask",
            Self::Bypass => "bypass",
            Self::Unsaid => "unsaid",
            Self::Unknown(word) => return format!("unknown: {word}"),
        }
        .to_owned()
    }
}

/// Whether a person is there to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attendance {
    /// the agent says so
    Attended,
    /// the agent says that nobody is there
    Unattended,
    /// not said: counts as unattended
    Unknown,
}

/// What a call asks for.
#[derive(Clone, Debug)]
pub enum Tool {
    /// run a command line
    Shell(ShellCall),
    /// read a file
    Read {
        /// its path
        path: String,
    },
    /// create or replace a file
    Write {
        /// its path
        path: String,
        /// its new content, if the call carries it
        content: Option<String>,
    },
    /// change parts of a file
    Edit {
        /// its path
        path: String,
        /// the replacements, in order
        edits: Vec<Edit>,
    },
    /// change several files at once (a patch)
    Patch(Vec<FileChange>),
    /// delete a file
    Delete {
        /// its path
        path: String,
    },
    /// list or search files
    Search(SearchCall),
    /// fetch a URL
    Fetch {
        /// the URL as sent
        url: String,
    },
    /// fetch several URLs at once
    FetchAll {
        /// the URLs as sent
        urls: Vec<String>,
    },
    /// search the web
    WebSearch {
        /// the query
        query: String,
    },
    /// a tool of an MCP server
    Mcp {
        /// the server's name
        server: String,
        /// the tool's name on it
        tool: String,
        /// its arguments
        input: Json,
    },
    /// start a subagent
    Spawn {
        /// its arguments
        input: Json,
    },
    /// load a skill
    Skill {
        /// its name
        name: String,
    },
    /// the agent's own housekeeping (lists, plans, questions to the person)
    Meta,
    /// a tool we do not know
    Unknown {
        /// its arguments
        input: Json,
    },
    /// a payload that names a tool whose input could not be read
    Unreadable {
        /// why
        why: String,
    },
}

/// A command line.
#[derive(Clone, Debug)]
pub struct ShellCall {
    /// the text
    pub command: String,
    /// which shell reads it
    pub dialect: Dialect,
    /// the folder it runs in, where that is not the session's
    pub workdir: Option<String>,
    /// the agent was asked to run it outside its sandbox
    pub unsandboxed: bool,
}

/// One replacement.
#[derive(Clone, Debug)]
pub struct Edit {
    /// what is replaced
    pub old: String,
    /// by what
    pub new: String,
    /// everywhere
    pub all: bool,
}

/// One file of a patch.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// its path
    pub path: String,
    /// what happens to it
    pub kind: ChangeKind,
    /// the lines that are added
    pub added: String,
}

/// What a patch does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// it is new
    Add,
    /// it changes
    Update,
    /// it goes
    Delete,
    /// it changes its path
    Move {
        /// the new path
        to: String,
    },
}

/// A search.
#[derive(Clone, Debug)]
pub struct SearchCall {
    /// the folder or file searched, where one was named
    pub root: Option<String>,
    /// the pattern
    pub pattern: String,
    /// file names that are searched
    pub glob: Option<String>,
    /// lines of the files are shown, not their names alone
    pub content: bool,
}
