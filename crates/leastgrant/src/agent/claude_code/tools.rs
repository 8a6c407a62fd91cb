//! Claude Code's tools: a table of what each one is to us. A tool that is not in the table is unknown; an input that does
//! not fit is unreadable; neither is ever taken for harmless.

use leastgrant_core::call::Tool;
use leastgrant_shell::Dialect;

use crate::agent::tools::{self, Change, Input, Prints, Row, Shape};

const SHELL: Shape = Shape::Shell { command: &["command"], folder: &[], unsandboxed: "dangerouslyDisableSandbox" };
const CHANGE: Change = Change { old: &["old_string"], new: &["new_string"], all: "replace_all" };
/// Leaving with `discard_changes` loses work, and a path may lead anywhere.
const LEAVE: Shape = Shape::MetaUnless(&["discard_changes", "path"]);

/// Every tool seen or named in the measured versions, and why it is what it is.
const TOOLS: &[Row] = &[
    ("Bash", SHELL, "runs a command line"),
    ("Monitor", SHELL, "runs a command line and watches its output"),
    ("Read", Shape::Read(&["file_path"]), "reads a file"),
    ("NotebookRead", Shape::Read(&["notebook_path"]), "reads a notebook"),
    ("LSP", Shape::Read(&["filePath"]), "asks a language server about a file"),
    ("Write", Shape::Write { path: &["file_path"], content: &["content"] }, "creates or replaces a file"),
    ("Edit", Shape::Edit { path: &["file_path"], change: CHANGE }, "changes a part of a file"),
    ("MultiEdit", Shape::Edits { path: &["file_path"], list: "edits", change: CHANGE }, "changes parts of a file"),
    ("NotebookEdit", Shape::Insert { path: &["notebook_path"], content: &["new_source"] }, "changes a notebook"),
    ("Glob", Shape::Glob { pattern: &["pattern"], root: &["path"] }, "lists files by name"),
    (
        "Grep",
        Shape::Grep { pattern: &["pattern"], root: &["path"], glob: &["glob"], prints: Prints::AsAsked },
        "searches in files",
    ),
    ("LS", Shape::List(&["path"]), "lists a folder"),
    ("WebFetch", Shape::Fetch(&["url"]), "fetches a page"),
    ("WebSearch", Shape::WebSearch(&["query"]), "searches the web"),
    ("ListMcpResourcesTool", Shape::Resource("list_resources"), "asks an MCP server what it offers"),
    ("ReadMcpResourceTool", Shape::Resource("read_resource"), "reads from an MCP server"),
    ("Task", Shape::Spawn, "starts a subagent (older name)"),
    ("Agent", Shape::Spawn, "starts a subagent"),
    ("SendMessage", Shape::Spawn, "gives another agent work"),
    ("Skill", Shape::Skill(&["skill"]), "loads instructions"),
    ("SlashCommand", Shape::Skill(&["command"]), "loads instructions (older name)"),
    ("EnterWorktree", LEAVE, "adds a branch and a folder in the project, and goes there"),
    ("ExitWorktree", LEAVE, "leaves a worktree; may throw its changes away"),
    ("TodoWrite", Shape::Meta, "the agent's own list"),
    ("TodoRead", Shape::Meta, "the agent's own list"),
    ("TaskCreate", Shape::Meta, "the agent's own list"),
    ("TaskUpdate", Shape::Meta, "the agent's own list"),
    ("TaskGet", Shape::Meta, "the agent's own list"),
    ("TaskList", Shape::Meta, "the agent's own list"),
    ("TaskOutput", Shape::Meta, "output of a command that was judged when it started"),
    ("BashOutput", Shape::Meta, "output of a command that was judged when it started"),
    ("AgentOutput", Shape::Meta, "output of a subagent whose calls are judged"),
    ("TaskStop", Shape::Meta, "ends a task of this session"),
    ("KillShell", Shape::Meta, "ends a command of this session"),
    ("KillBash", Shape::Meta, "ends a command of this session (older name)"),
    ("ListAgents", Shape::Meta, "lists subagents"),
    ("ToolSearch", Shape::Meta, "loads descriptions of tools; each call of them is judged"),
    ("EnterPlanMode", Shape::Meta, "the agent's own mode; it only tightens"),
    ("ExitPlanMode", Shape::Meta, "the agent asks its person by itself"),
    ("AskUserQuestion", Shape::Meta, "asks the person"),
    ("ReportFindings", Shape::Meta, "tells the person"),
    ("StructuredOutput", Shape::Meta, "the form of the agent's own answer"),
    ("CronList", Shape::Meta, "lists timers"),
    ("CronDelete", Shape::Meta, "removes a timer"),
    ("ScheduleWakeup", Shape::Meta, "continues this session later; each call of it is judged"),
    ("CronCreate", Shape::Unknown, "runs a prompt later, perhaps when nobody is there, perhaps in another session"),
    ("Workflow", Shape::Unknown, "runs a script of the agent's own language"),
];

/// What a call of this tool would do.
pub(super) fn tool(name: &str, input: &Input, server: Option<&str>, dialect: Dialect) -> Tool {
    match name.strip_prefix("mcp__") {
        Some(rest) => mcp(rest, input, server),
        None => tools::tool(TOOLS, name, input, dialect),
    }
}

/// `server__tool`. The payload's own word for the server decides where one ends and the other begins; without it the
/// first `__` does.
fn mcp(rest: &str, input: &Input, server: Option<&str>) -> Tool {
    let said = server.map(normal).and_then(|name| {
        let tool = rest.strip_prefix(name.as_str())?.strip_prefix("__")?;
        Some(tools::mcp(&name, tool, input))
    });
    said.unwrap_or_else(|| tools::mcp_named(rest, input))
}

/// A server's name as it stands in a tool's name.
fn normal(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(name: &str, input: &str, server: Option<&str>) -> String {
        let Value::Object(input) = serde_json::from_str(input).unwrap() else { panic!("an object") };
        format!("{:?}", tool(name, &input, server, Dialect::Bash))
    }

    #[test]
    fn a_server_is_cut_where_the_payload_says() {
        assert!(read("mcp__stub__navigate", "{}", None).starts_with("Mcp { server: \"stub\", tool: \"navigate\""));
        assert!(
            read("mcp__my__box__go", "{}", Some("my  box")).starts_with("Mcp { server: \"my__box\", tool: \"go\""),
            "the payload's name wins over the first `__`"
        );
        assert!(read("mcp__a__b", "{}", Some("other")).starts_with("Mcp { server: \"a\", tool: \"b\""));
        for name in ["mcp__", "mcp__stub", "mcp____go", "mcp__stub__"] {
            assert!(read(name, "{}", None).starts_with("Unknown"), "{name}");
        }
    }

    #[test]
    fn an_input_that_does_not_fit_is_unreadable() {
        for (name, input) in [
            ("Bash", r#"{"command":7}"#),
            ("Bash", r#"{}"#),
            ("Bash", r#"{"command":null}"#),
            ("Bash", r#"{"command":["ls"]}"#),
            ("Bash", r#"{"command":"ls\u0000"}"#),
            ("Bash", r#"{"command":"ls","dangerouslyDisableSandbox":"yes"}"#),
            ("Read", r#"{"path":"x"}"#),
            ("Write", r#"{"file_path":"x","content":{}}"#),
            ("MultiEdit", r#"{"file_path":"x","edits":{}}"#),
            ("MultiEdit", r#"{"file_path":"x","edits":[1]}"#),
            ("WebFetch", r#"{"url":"https://a\u0000b"}"#),
        ] {
            assert!(read(name, input, None).starts_with("Unreadable"), "{name} {input}");
        }
    }

    #[test]
    fn only_the_tables_own_housekeeping_is_meta() {
        assert_eq!(read("TodoWrite", "{}", None), "Meta");
        assert_eq!(read("ExitWorktree", r#"{"action":"keep"}"#, None), "Meta");
        for (name, input) in [
            ("ExitWorktree", r#"{"action":"remove","discard_changes":true}"#),
            ("EnterWorktree", r#"{"path":"../x"}"#),
            ("CronCreate", "{}"),
            ("todowrite", "{}"),
            ("SomethingNew", "{}"),
            ("", "{}"),
        ] {
            assert!(read(name, input, None).starts_with("Unknown"), "{name}");
        }
    }

    #[test]
    fn a_search_shows_lines_when_it_says_so() {
        assert!(read("Grep", r#"{"pattern":"x","output_mode":"content"}"#, None).contains("content: true"));
        assert!(read("Grep", r#"{"pattern":"x","-C":2}"#, None).contains("content: true"));
        assert!(read("Grep", r#"{"pattern":"x"}"#, None).contains("content: false"));
    }
}
