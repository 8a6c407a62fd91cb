//! Gemini CLI's tools (agents/gemini-cli facts, "What is gated").

use leastgrant_core::call::Tool;
use leastgrant_shell::Dialect;

use crate::agent::tools::{self, Change, Input, Prints, Row, Shape};

const CHANGE: Change = Change { old: &["old_string"], new: &["new_string"], all: "allow_multiple" };
const GREP: Shape = Shape::Grep {
    pattern: &["pattern"],
    root: &["dir_path", "path"],
    glob: &["include_pattern", "include", "glob"],
    prints: Prints::Lines,
};

const TOOLS: &[Row] = &[
    (
        "run_shell_command",
        Shape::Shell { command: &["command"], folder: &["dir_path", "directory"], unsandboxed: "" },
        "runs a command line",
    ),
    ("read_file", Shape::Read(&["file_path", "absolute_path", "path"]), "reads a file"),
    ("write_file", Shape::Write { path: &["file_path", "path"], content: &["content"] }, "creates or replaces a file"),
    ("replace", Shape::Edit { path: &["file_path", "path"], change: CHANGE }, "changes a part of a file"),
    ("list_directory", Shape::List(&["dir_path", "path"]), "lists a folder"),
    ("glob", Shape::Glob { pattern: &["pattern"], root: &["dir_path", "path"] }, "lists files by name"),
    ("grep_search", GREP, "searches in files"),
    ("search_file_content", GREP, "searches in files (older name)"),
    ("web_fetch", Shape::FetchText(&["prompt", "url"]), "fetches every page that its text names"),
    ("google_web_search", Shape::WebSearch(&["query"]), "searches the web"),
    ("invoke_agent", Shape::Spawn, "starts a subagent"),
    ("activate_skill", Shape::Skill(&["name"]), "loads instructions"),
    ("write_todos", Shape::Meta, "the agent's own list"),
    ("update_topic", Shape::Meta, "the agent's own list"),
    ("list_background_processes", Shape::Meta, "lists commands that were judged when they started"),
    ("read_background_output", Shape::Meta, "output of a command that was judged when it started"),
    ("enter_plan_mode", Shape::Meta, "the agent's own mode; it only tightens"),
    ("exit_plan_mode", Shape::Meta, "the agent asks its person by itself"),
    ("ask_user", Shape::Meta, "asks the person"),
    ("get_internal_docs", Shape::Meta, "reads the agent's own manual"),
    ("complete_task", Shape::Meta, "the end of a subagent's work"),
    ("save_memory", Shape::Unknown, "writes what later sessions are told"),
    ("read_many_files", Shape::Unknown, "reads files by patterns that are not known here"),
];

/// What a call of this tool would do. A server's tool is known by the message's own word for it, not by its name.
pub(super) fn tool(name: &str, input: &Input, server: Option<(Option<&str>, Option<&str>)>, dialect: Dialect) -> Tool {
    match server {
        Some((Some(server), Some(tool))) => tools::mcp(server, tool, input),
        Some(_) => tools::unknown(input),
        None => tools::tool(TOOLS, name, input, dialect),
    }
}
