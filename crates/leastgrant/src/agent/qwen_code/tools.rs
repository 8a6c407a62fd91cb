//! Qwen Code's tools by their native names (agents/qwen-code facts, "What is gated").

use leastgrant_core::call::Tool;
use leastgrant_shell::Dialect;

use crate::agent::tools::{self, Change, Input, Prints, Row, Shape};

const SHELL: Shape = Shape::Shell { command: &["command"], folder: &["directory"], unsandboxed: "" };
const CHANGE: Change = Change { old: &["old_string"], new: &["new_string"], all: "replace_all" };

const TOOLS: &[Row] = &[
    ("run_shell_command", SHELL, "runs a command line"),
    ("monitor", SHELL, "runs a command line and watches its output"),
    ("read_file", Shape::Read(&["file_path", "absolute_path"]), "reads a file"),
    ("write_file", Shape::Write { path: &["file_path"], content: &["content"] }, "creates or replaces a file"),
    ("edit", Shape::Edit { path: &["file_path"], change: CHANGE }, "changes a part of a file"),
    ("list_directory", Shape::List(&["path"]), "lists a folder"),
    ("glob", Shape::Glob { pattern: &["pattern"], root: &["path"] }, "lists files by name"),
    (
        "grep_search",
        Shape::Grep { pattern: &["pattern"], root: &["path"], glob: &["glob"], prints: Prints::Lines },
        "searches in files",
    ),
    ("web_fetch", Shape::Fetch(&["url"]), "fetches a page"),
    ("web_search", Shape::WebSearch(&["query"]), "searches the web"),
    ("agent", Shape::Spawn, "starts a subagent"),
    ("task", Shape::Spawn, "starts a subagent (older name)"),
    ("skill", Shape::Skill(&["skill"]), "loads instructions"),
    ("todo_write", Shape::Meta, "the agent's own list"),
    ("tool_search", Shape::Meta, "loads descriptions of tools; each call of them is judged"),
    ("exit_plan_mode", Shape::Meta, "the agent asks its person by itself"),
    ("ask_user_question", Shape::Meta, "asks the person"),
    ("save_memory", Shape::Unknown, "writes what later sessions are told"),
];

/// What a call of this tool would do.
pub(super) fn tool(name: &str, input: &Input, dialect: Dialect) -> Tool {
    match name.strip_prefix("mcp__") {
        Some(rest) => tools::mcp_named(rest, input),
        None => tools::tool(TOOLS, name, input, dialect),
    }
}
