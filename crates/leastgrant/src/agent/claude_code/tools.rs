//! Claude Code's tools: a table of what each one is to us, and the reading of its input. A tool that is not in the table
//! is unknown; an input that does not fit is unreadable; neither is ever taken for harmless.

use leastgrant_core::call::{Edit, SearchCall, ShellCall, Tool};
use leastgrant_shell::Dialect;
use serde_json::{Map, Value};

use crate::agent::payload::{kind, text};

type Input = Map<String, Value>;

/// How a tool's input is read.
#[derive(Clone, Copy)]
enum Shape {
    Shell,
    Read(&'static str),
    Write,
    Edit,
    MultiEdit,
    Notebook,
    Glob,
    Grep,
    List,
    Fetch,
    WebSearch,
    Resource(&'static str),
    Spawn,
    Skill(&'static str),
    Worktree,
    Meta,
    Unknown,
}

/// Every tool seen or named in the measured versions, and why it is what it is.
const TOOLS: &[(&str, Shape, &str)] = &[
    ("Bash", Shape::Shell, "runs a command line"),
    ("Monitor", Shape::Shell, "runs a command line and watches its output"),
    ("Read", Shape::Read("file_path"), "reads a file"),
    ("NotebookRead", Shape::Read("notebook_path"), "reads a notebook"),
    ("LSP", Shape::Read("filePath"), "asks a language server about a file"),
    ("Write", Shape::Write, "creates or replaces a file"),
    ("Edit", Shape::Edit, "changes a part of a file"),
    ("MultiEdit", Shape::MultiEdit, "changes parts of a file"),
    ("NotebookEdit", Shape::Notebook, "changes a notebook"),
    ("Glob", Shape::Glob, "lists files by name"),
    ("Grep", Shape::Grep, "searches in files"),
    ("LS", Shape::List, "lists a folder"),
    ("WebFetch", Shape::Fetch, "fetches a page"),
    ("WebSearch", Shape::WebSearch, "searches the web"),
    ("ListMcpResourcesTool", Shape::Resource("list_resources"), "asks an MCP server what it offers"),
    ("ReadMcpResourceTool", Shape::Resource("read_resource"), "reads from an MCP server"),
    ("Task", Shape::Spawn, "starts a subagent (older name)"),
    ("Agent", Shape::Spawn, "starts a subagent"),
    ("SendMessage", Shape::Spawn, "gives another agent work"),
    ("Skill", Shape::Skill("skill"), "loads instructions"),
    ("SlashCommand", Shape::Skill("command"), "loads instructions (older name)"),
    ("EnterWorktree", Shape::Worktree, "adds a branch and a folder in the project, and goes there"),
    ("ExitWorktree", Shape::Worktree, "leaves a worktree; may throw its changes away"),
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
    let read = match name.strip_prefix("mcp__") {
        Some(rest) => Ok(mcp(rest, input, server)),
        None => match TOOLS.iter().find(|row| row.0 == name) {
            Some((_, shape, _)) => shaped(*shape, input, dialect),
            None => Ok(Tool::Unknown { input: Value::Object(input.clone()) }),
        },
    };
    read.unwrap_or_else(|why| Tool::Unreadable { why })
}

fn shaped(shape: Shape, input: &Input, dialect: Dialect) -> Result<Tool, String> {
    Ok(match shape {
        Shape::Shell => Tool::Shell(ShellCall {
            command: must(input, "command")?,
            dialect,
            workdir: None,
            unsandboxed: flag(input, "dangerouslyDisableSandbox")?,
        }),
        Shape::Read(key) => Tool::Read { path: must(input, key)? },
        Shape::Write => Tool::Write { path: must(input, "file_path")?, content: may(input, "content")? },
        Shape::Edit => Tool::Edit { path: must(input, "file_path")?, edits: vec![edit(input)?] },
        Shape::MultiEdit => Tool::Edit { path: must(input, "file_path")?, edits: edits(input)? },
        Shape::Notebook => Tool::Edit {
            path: must(input, "notebook_path")?,
            edits: vec![Edit { old: String::new(), new: may(input, "new_source")?.unwrap_or_default(), all: false }],
        },
        Shape::Glob => {
            let pattern = must(input, "pattern")?;
            let root = may(input, "path")?;
            Tool::Search(SearchCall { root, glob: Some(pattern.clone()), pattern, content: false })
        }
        Shape::Grep => Tool::Search(SearchCall {
            root: may(input, "path")?,
            pattern: must(input, "pattern")?,
            glob: may(input, "glob")?,
            content: text(input, "output_mode")? == Some("content")
                || ["-A", "-B", "-C", "context"].iter().any(|key| input.contains_key(*key)),
        }),
        Shape::List => {
            Tool::Search(SearchCall { root: may(input, "path")?, pattern: String::new(), glob: None, content: false })
        }
        Shape::Fetch => Tool::Fetch { url: must(input, "url")? },
        Shape::WebSearch => Tool::WebSearch { query: must(input, "query")? },
        Shape::Resource(tool) => Tool::Mcp {
            server: may(input, "server")?.unwrap_or_else(|| String::from("*")),
            tool: tool.to_owned(),
            input: Value::Object(input.clone()),
        },
        Shape::Spawn => Tool::Spawn { input: Value::Object(input.clone()) },
        Shape::Skill(key) => {
            let said = must(input, key)?;
            let word = said.split_whitespace().next().unwrap_or_default();
            Tool::Skill { name: word.trim_start_matches('/').to_owned() }
        }
        // leaving with `discard_changes` loses work, and a path may lead anywhere: not ours to call harmless
        Shape::Worktree if flag(input, "discard_changes")? || input.contains_key("path") => {
            Tool::Unknown { input: Value::Object(input.clone()) }
        }
        Shape::Worktree | Shape::Meta => Tool::Meta,
        Shape::Unknown => Tool::Unknown { input: Value::Object(input.clone()) },
    })
}

/// `server__tool`. The payload's own word for the server decides where one ends and the other begins; without it the
/// first `__` does.
fn mcp(rest: &str, input: &Input, server: Option<&str>) -> Tool {
    let said = server.map(normal).and_then(|name| {
        let tool = rest.strip_prefix(name.as_str())?.strip_prefix("__")?;
        Some((name.clone(), tool.to_owned()))
    });
    let split = said.or_else(|| rest.split_once("__").map(|(name, tool)| (name.to_owned(), tool.to_owned())));
    let input = Value::Object(input.clone());
    match split {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => Tool::Mcp { server, tool, input },
        _ => Tool::Unknown { input },
    }
}

/// A server's name as it stands in a tool's name.
fn normal(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

fn must(input: &Input, key: &str) -> Result<String, String> {
    may(input, key)?.ok_or_else(|| format!("its input has no `{key}`"))
}

fn may(input: &Input, key: &str) -> Result<Option<String>, String> {
    match text(input, key)? {
        // no program can be given one, so what would run is not what was read
        Some(value) if value.contains('\0') && key != "content" && key != "new_source" => {
            Err(format!("`{key}` holds a NUL byte"))
        }
        value => Ok(value.map(str::to_owned)),
    }
}

fn flag(input: &Input, key: &str) -> Result<bool, String> {
    match input.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(format!("`{key}` is {} where true or false belongs", kind(other))),
    }
}

fn edit(input: &Input) -> Result<Edit, String> {
    Ok(Edit {
        old: text(input, "old_string")?.unwrap_or_default().to_owned(),
        new: text(input, "new_string")?.unwrap_or_default().to_owned(),
        all: flag(input, "replace_all")?,
    })
}

fn edits(input: &Input) -> Result<Vec<Edit>, String> {
    let Some(Value::Array(list)) = input.get("edits") else {
        return Err(String::from("its input has no list `edits`"));
    };
    list.iter()
        .map(|item| match item {
            Value::Object(map) => edit(map),
            other => Err(format!("an item of `edits` is {} where an object belongs", kind(other))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
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
