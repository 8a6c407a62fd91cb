//! Cursor's tools, as others describe them.

use leastgrant_core::call::Tool;
use leastgrant_shell::Dialect;

use crate::agent::tools::{self, Input, Prints, Row, Shape};

const TOOLS: &[Row] = &[
    (
        "Shell",
        Shape::Shell { command: &["command"], folder: &["working_directory", "cwd"], unsandboxed: "" },
        "runs a command line",
    ),
    ("Read", Shape::Read(&["file_path", "path"]), "reads a file"),
    (
        "Write",
        Shape::Write { path: &["file_path", "path"], content: &["content", "contents"] },
        "creates or replaces a file",
    ),
    ("Delete", Shape::Delete(&["file_path", "path"]), "deletes a file"),
    (
        "Grep",
        Shape::Grep { pattern: &["pattern"], root: &["path"], glob: &["glob"], prints: Prints::Lines },
        "searches in files",
    ),
    ("Task", Shape::Spawn, "starts a subagent"),
];

/// What a call of this tool would do.
pub(super) fn tool(name: &str, input: &Input) -> Tool {
    match name.strip_prefix("MCP:") {
        Some(tool) => of_server(None, tool, input),
        None => tools::tool(TOOLS, name, input, Dialect::Unknown),
    }
}

/// A server's tool. The server is who the message says it is: a tool cannot name itself into another one.
pub(super) fn of_server(server: Option<&str>, name: &str, input: &Input) -> Tool {
    let last = name.rsplit(['/', ':']).next().unwrap_or(name);
    tools::mcp(server.unwrap_or("*"), last, input)
}
