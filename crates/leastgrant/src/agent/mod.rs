//! What each agent sends and understands. An adapter only translates: payload in, answer out. It never judges, and what
//! it cannot read it says so, so that the call is held.

pub mod antigravity;
pub mod claude_code;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod env;
pub mod gemini_cli;
pub mod opencode;
pub mod patch;
pub mod payload;
pub mod qwen_code;
pub mod tools;
pub mod wire;

use std::ffi::OsString;

use leastgrant_core::call::{Attendance, Call};
use leastgrant_core::channel::{self, Answer, Channel};
use serde_json::{Value, json};

pub use env::HookEnv;

/// One agent's dialect.
pub trait Agent: Sync {
    /// id of its compatibility record
    fn id(&self) -> &'static str;
    /// what answers are worth on it, by its record
    fn channel(&self) -> &'static Channel {
        channel::of(self.id()).unwrap_or(&channel::UNKNOWN)
    }
    /// the folder in which it was started, where it says so (the payload's folder may follow the agent's `cd`)
    fn started_in<'e>(&self, env: &'e HookEnv) -> Option<&'e str>;
    /// what it says about whatever happens in this session
    fn about(&self, env: &HookEnv) -> (Option<String>, Attendance);
    /// reads one payload
    fn decode(&self, raw: &[u8], env: &HookEnv) -> Decoded;
    /// writes the answer to a tool call; none where what came could not be read as one
    fn encode(&self, answer: &Answer, call: Option<&Call>) -> Output;
    /// what an answer is worth where the agent says that it is about to ask its person; none where none is given
    fn prompt_channel(&self) -> Option<&'static Channel> {
        None
    }
    /// writes the answer to that
    fn encode_prompt(&self, answer: &Answer) -> Output {
        let _ = answer;
        Output::silent()
    }
    /// the agent's name for its shell
    fn shell(&self) -> &'static str {
        "Bash"
    }
    /// a call as the agent would send it, for `check` and for tests
    fn compose(&self, made: &MadeUp<'_>) -> Value {
        json!({
            "session_id": made.session, "cwd": made.cwd, "permission_mode": made.mode,
            "hook_event_name": "PreToolUse", "tool_name": made.tool, "tool_input": made.input,
        })
    }
    /// a line for the person, at an event that needs no answer; silence where the agent would not show it
    fn tell(&self, line: &str) -> Output {
        let _ = line;
        Output::silent()
    }
    /// keeps a changed settings file from taking hold
    fn refuse_change(&self, reason: &str) -> Output {
        Output::blocked(reason)
    }
}

/// A call that nobody sent.
#[derive(Clone, Debug)]
pub struct MadeUp<'a> {
    /// the session
    pub session: &'a str,
    /// the folder the agent is in
    pub cwd: &'a str,
    /// the permission mode, as the agent spells it
    pub mode: &'a str,
    /// the tool, as the agent spells it
    pub tool: &'a str,
    /// its input
    pub input: Value,
}

/// One event of an agent, in our words.
#[derive(Debug)]
pub enum Decoded {
    /// a call that wants to be judged
    Pre(Box<Call>),
    /// a call that has run, or has failed
    Post(Box<Done>),
    /// the agent is about to ask its person
    Prompted(Box<Call>),
    /// something that is recorded and answered with silence
    Passing(Passing),
    /// a settings file changed
    ConfigChange(ConfigChange),
    /// an event that is not ours
    Foreign(String),
    /// an event that could not be read
    Broken {
        /// what it may have been
        held: Held,
        /// why, in words
        why: String,
    },
}

/// What is done about an event that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// it may have been a call: it is refused
    Call,
    /// it was a change of settings: it is refused
    Change,
    /// it needs no answer
    Nothing,
}

/// A call after the fact.
#[derive(Debug)]
pub struct Done {
    /// the call
    pub call: Call,
    /// it ended without an error
    pub ran: bool,
    /// a file that it created, as the agent says
    pub made: Option<String>,
}

/// Something that happens in a session and needs no answer.
#[derive(Debug)]
pub struct Passing {
    /// `session-start`, `session-end`, `subagent-start` or `subagent-stop`
    pub event: &'static str,
    /// the agent's session
    pub session: String,
    /// the folder the agent is in
    pub cwd: String,
    /// the subagent it is about
    pub subagent: Option<String>,
    /// the agent's own word for how or why
    pub detail: Option<String>,
}

/// A change of a settings file.
#[derive(Debug)]
pub struct ConfigChange {
    /// the agent's session
    pub session: String,
    /// the folder the agent is in
    pub cwd: String,
    /// which settings, in the agent's words
    pub source: String,
    /// the file
    pub file_path: Option<String>,
}

/// What the hook process leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// one JSON object, or nothing
    pub stdout: String,
    /// for exit code 2: the reason
    pub stderr: String,
    /// the exit code
    pub code: u8,
}

impl Output {
    /// No opinion.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// The way of refusing that needs no standard output.
    #[must_use]
    pub fn blocked(reason: &str) -> Self {
        Self { stdout: String::new(), stderr: reason.to_owned(), code: 2 }
    }
}

/// Every agent that has an adapter.
pub static ALL: &[&dyn Agent] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &gemini_cli::GeminiCli,
    &qwen_code::QwenCode,
    &copilot::Copilot,
    &opencode::OpenCode,
    &cursor::Cursor,
    &antigravity::Antigravity,
];

/// The agent that the hook's arguments name: `AGENT`, `--agent AGENT` or `--agent=AGENT`, and nothing else.
///
/// # Errors
/// No agent, an unknown one, or words that are not understood.
pub fn named(args: &[OsString]) -> Result<&'static dyn Agent, String> {
    let words: Vec<&str> = args.iter().map(|word| word.to_str().unwrap_or("\u{fffd}")).collect();
    let name = match words.as_slice() {
        ["--agent", name] => name,
        [word] => word.strip_prefix("--agent=").unwrap_or(word),
        _ => return Err(String::from("`leastgrant hook` takes the name of one agent and nothing else")),
    };
    ALL.iter().copied().find(|agent| agent.id() == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|agent| agent.id()).collect();
        format!("`leastgrant hook` knows no agent `{name}`; it knows {}", known.join(", "))
    })
}
