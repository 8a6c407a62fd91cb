//! Copilot's tools: those of the command line under both of its spellings (agents/copilot facts, "What is gated"), and
//! those of VS Code (from its documentation).

use leastgrant_core::call::{Call, Tool};
use leastgrant_shell::Dialect;

use crate::agent::tools::{self, Change, Input, Prints, Row, Shape};

const SHELL: Shape = Shape::Shell { command: &["command"], folder: &[], unsandboxed: "" };
const CREATE: Shape = Shape::Write { path: &["path", "file_path"], content: &["file_text", "content"] };
const EDIT: Shape = Shape::Edit {
    path: &["path", "file_path"],
    change: Change { old: &["old_str", "old_string"], new: &["new_str", "new_string"], all: "" },
};
const GREP: Shape =
    Shape::Grep { pattern: &["pattern"], root: &["path"], glob: &["glob", "include"], prints: Prints::Lines };
const GLOB: Shape = Shape::Glob { pattern: &["pattern"], root: &["path"] };
const READ: Shape = Shape::Read(&["path", "file_path"]);

/// The command line's.
const TOOLS: &[Row] = &[
    ("bash", SHELL, "runs a command line"),
    ("Bash", SHELL, "runs a command line"),
    ("view", READ, "reads a file or lists a folder"),
    ("Read", READ, "reads a file or lists a folder"),
    ("create", CREATE, "creates or replaces a file"),
    ("Write", CREATE, "creates or replaces a file"),
    ("edit", EDIT, "changes a part of a file"),
    ("Edit", EDIT, "changes a part of a file"),
    ("apply_patch", Shape::Patch(&["input", "patch"]), "changes files"),
    ("grep", GREP, "searches in files"),
    ("Grep", GREP, "searches in files"),
    ("glob", GLOB, "lists files by name"),
    ("Glob", GLOB, "lists files by name"),
    ("web_fetch", Shape::Fetch(&["url"]), "fetches a page"),
    ("WebFetch", Shape::Fetch(&["url"]), "fetches a page"),
    ("web_search", Shape::WebSearch(&["query"]), "searches the web"),
    ("task", Shape::Spawn, "starts a subagent"),
    ("Task", Shape::Spawn, "starts a subagent"),
    ("skill", Shape::Skill(&["skill", "name"]), "loads instructions"),
    ("list_agents", Shape::Meta, "lists subagents"),
    ("read_agent", Shape::Meta, "output of a subagent whose calls are judged"),
    ("list_bash", Shape::Meta, "lists commands that were judged when they started"),
    ("read_bash", Shape::Meta, "output of a command that was judged when it started"),
    ("stop_bash", Shape::Meta, "ends a command of this session"),
    ("report_intent", Shape::Meta, "tells the person"),
    ("update_todo", Shape::Meta, "the agent's own list"),
    ("ask_user", Shape::Meta, "asks the person"),
    ("exit_plan_mode", Shape::Meta, "the agent asks its person by itself"),
    ("fetch_copilot_cli_documentation", Shape::Meta, "reads the agent's own manual"),
    ("write_bash", Shape::Unknown, "types into a program that runs; what that makes of it is not known"),
    ("sql", Shape::Unknown, "statements for the agent's own database, which can open files"),
    ("session_store_sql", Shape::Unknown, "statements for the agent's own database, which can open files"),
];

/// VS Code's.
const EDITOR: &[Row] = &[
    ("run_in_terminal", SHELL, "runs a command line"),
    ("read_file", Shape::Read(&["filePath"]), "reads a file"),
    ("create_file", Shape::Write { path: &["filePath"], content: &["content"] }, "creates a file"),
    ("create_directory", Shape::Write { path: &["dirPath"], content: &[] }, "creates a folder"),
    (
        "replace_string_in_file",
        Shape::Edit { path: &["filePath"], change: Change { old: &["oldString"], new: &["newString"], all: "" } },
        "changes a part of a file",
    ),
    (
        "multi_replace_string_in_file",
        Shape::EditsOfFiles {
            list: "replacements",
            path: &["filePath"],
            change: Change { old: &["oldString"], new: &["newString"], all: "" },
        },
        "changes parts of files",
    ),
    ("insert_edit_into_file", Shape::Insert { path: &["filePath"], content: &["code"] }, "changes a file"),
    ("edit_notebook_file", Shape::Insert { path: &["filePath"], content: &["newCode"] }, "changes a notebook"),
    ("list_dir", Shape::List(&["path"]), "lists a folder"),
    ("file_search", Shape::Glob { pattern: &["query"], root: &[] }, "lists files by name"),
    (
        "grep_search",
        Shape::Grep { pattern: &["query"], root: &[], glob: &["includePattern"], prints: Prints::Lines },
        "searches in files",
    ),
    (
        "semantic_search",
        Shape::Grep { pattern: &["query"], root: &[], glob: &[], prints: Prints::Lines },
        "searches in files",
    ),
    ("fetch_webpage", Shape::FetchList("urls"), "fetches pages"),
    ("open_simple_browser", Shape::Fetch(&["url"]), "opens a page"),
    ("runSubagent", Shape::Spawn, "starts a subagent"),
    ("get_terminal_output", Shape::Meta, "output of a command that was judged when it started"),
    ("terminal_last_command", Shape::Meta, "output of a command that was judged when it started"),
    ("get_errors", Shape::Meta, "what the editor found wrong"),
    ("manage_todo_list", Shape::Meta, "the agent's own list"),
];

/// What a call of this tool would do. A name with a dash is a server's, `SERVER-TOOL` (`/` where it asks); where either
/// holds a dash the cut is a guess.
pub(super) fn tool(name: &str, input: &Input) -> Tool {
    if TOOLS.iter().any(|row| row.0 == name) {
        return tools::tool(TOOLS, name, input, Dialect::Bash);
    }
    if EDITOR.iter().any(|row| row.0 == name) {
        return tools::tool(EDITOR, name, input, Dialect::Unknown);
    }
    if let Some(rest) = name.strip_prefix("mcp__") {
        return tools::mcp_named(rest, input);
    }
    let cut = name.split_once('/').or_else(|| name.split_once('-'));
    cut.map_or_else(|| tools::unknown(input), |(server, tool)| tools::mcp(server, tool, input))
}

/// Whether a call came in VS Code's form: its tools have names of their own, and only it gives calls an id.
pub(super) fn of_editor(call: &Call) -> bool {
    call.call_id.is_some() || EDITOR.iter().any(|row| row.0 == call.tool_name)
}
