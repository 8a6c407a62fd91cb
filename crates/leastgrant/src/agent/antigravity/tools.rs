//! Antigravity's tools, as others describe them. It takes argument names in any case, so one that is written differently
//! is not read and the call is held.

use leastgrant_core::call::Tool;
use leastgrant_shell::Dialect;

use crate::agent::payload::text;
use crate::agent::tools::{self, Change, Input, Prints, Row, Shape};

const CHANGE: Change = Change { old: &["TargetContent"], new: &["ReplacementContent"], all: "AllowMultiple" };
const CHUNKS: Shape = Shape::Edits { path: &["TargetFile"], list: "ReplacementChunks", change: CHANGE };
const READ: Shape = Shape::Read(&["AbsolutePath"]);

const TOOLS: &[Row] = &[
    (
        "run_command",
        Shape::Shell { command: &["CommandLine"], folder: &["Cwd"], unsandboxed: "" },
        "runs a command line",
    ),
    ("write_to_file", Shape::Write { path: &["TargetFile"], content: &["CodeContent"] }, "creates or replaces a file"),
    ("replace_file_content", CHUNKS, "changes parts of a file"),
    ("multi_replace_file_content", CHUNKS, "changes parts of a file"),
    ("single_replace_file_content", Shape::Edit { path: &["TargetFile"], change: CHANGE }, "changes a part of a file"),
    ("view_file", READ, "reads a file"),
    ("read_file", READ, "reads a file"),
    ("list_dir", Shape::List(&["DirectoryPath", "AbsolutePath"]), "lists a folder"),
    (
        "grep_search",
        Shape::Grep { pattern: &["Query"], root: &["SearchDirectory", "SearchPath"], glob: &[], prints: Prints::Lines },
        "searches in files",
    ),
    ("find_by_name", Shape::Glob { pattern: &["Pattern"], root: &["SearchDirectory"] }, "lists files by name"),
    ("read_url_content", Shape::Fetch(&["Url"]), "fetches a page"),
    ("send_command_input", Shape::Unknown, "types into a program that runs; what that makes of it is not known"),
];

/// What a call of this tool would do.
pub(super) fn tool(name: &str, input: &Input) -> Tool {
    if name != "call_mcp_tool" {
        return tools::tool(TOOLS, name, input, Dialect::Unknown);
    }
    match (text(input, "ServerName"), text(input, "ToolName"), input.get("Arguments")) {
        (Ok(Some(server)), Ok(Some(tool)), Some(serde_json::Value::Object(arguments))) => {
            tools::mcp(server, tool, arguments)
        }
        _ => tools::unknown(input),
    }
}
