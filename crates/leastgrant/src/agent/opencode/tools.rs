//! OpenCode's tools (agents/opencode facts, "What is gated").

use leastgrant_core::call::Tool;
use leastgrant_shell::Dialect;

use crate::agent::tools::{self, Change, Input, Prints, Row, Shape};

const CHANGE: Change = Change { old: &["oldString"], new: &["newString"], all: "replaceAll" };

const TOOLS: &[Row] = &[
    ("bash", Shape::Shell { command: &["command"], folder: &["workdir"], unsandboxed: "" }, "runs a command line"),
    ("read", Shape::Read(&["filePath"]), "reads a file"),
    ("write", Shape::Write { path: &["filePath"], content: &["content"] }, "creates or replaces a file"),
    ("edit", Shape::Edit { path: &["filePath"], change: CHANGE }, "changes a part of a file"),
    ("multiedit", Shape::Edits { path: &["filePath"], list: "edits", change: CHANGE }, "changes parts of a file"),
    ("patch", Shape::Patch(&["patchText"]), "changes files"),
    ("apply_patch", Shape::Patch(&["patchText"]), "changes files"),
    ("glob", Shape::Glob { pattern: &["pattern"], root: &["path"] }, "lists files by name"),
    (
        "grep",
        Shape::Grep { pattern: &["pattern"], root: &["path"], glob: &["include"], prints: Prints::Lines },
        "searches in files",
    ),
    ("list", Shape::List(&["path"]), "lists a folder"),
    ("lsp", Shape::Read(&["filePath"]), "asks a language server about a file"),
    ("webfetch", Shape::Fetch(&["url"]), "fetches a page"),
    ("websearch", Shape::WebSearch(&["query"]), "searches the web"),
    ("codesearch", Shape::WebSearch(&["query"]), "searches code on the web"),
    ("task", Shape::Spawn, "starts a subagent"),
    ("skill", Shape::Skill(&["name"]), "loads instructions"),
    ("todowrite", Shape::Meta, "the agent's own list"),
    ("todoread", Shape::Meta, "the agent's own list"),
    ("question", Shape::Meta, "asks the person"),
    ("plan_enter", Shape::Meta, "the agent's own mode"),
    ("plan_exit", Shape::Meta, "the agent asks its person by itself"),
    ("invalid", Shape::Meta, "stands for a tool that does not exist"),
    ("batch", Shape::Unknown, "several calls in one"),
];

/// What a call of this tool would do. A name that the agent does not have itself is a server's, `SERVER_TOOL`; where
/// either holds a `_` the cut is a guess, and a tool of the project looks the same.
pub(super) fn tool(name: &str, input: &Input, dialect: Dialect) -> Tool {
    if TOOLS.iter().any(|row| row.0 == name) {
        return tools::tool(TOOLS, name, input, dialect);
    }
    name.split_once('_').map_or_else(|| tools::unknown(input), |(server, tool)| tools::mcp(server, tool, input))
}
