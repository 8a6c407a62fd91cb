//! Tools of MCP servers: the first word of a tool's name says whether it reads or runs; everything else is taken to
//! change something far away. The server's own word is all there is, so nothing here is ever light but reading.

use serde_json::Value as Json;

use super::{Scene, arguments, does};
use crate::action::{Action, Blast, Capability, Exposure, Reach, Role, Scale, Undo};
use crate::classify::draft::{self, Draft};
use crate::signature;

/// First words of tools that only look.
const READS: &[&str] = &[
    "about",
    "browse",
    "check",
    "count",
    "describe",
    "diff",
    "fetch",
    "find",
    "get",
    "has",
    "health",
    "help",
    "inspect",
    "introspect",
    "is",
    "list",
    "log",
    "logs",
    "lookup",
    "ping",
    "preview",
    "query",
    "read",
    "resolve",
    "schema",
    "screenshot",
    "search",
    "show",
    "snapshot",
    "stat",
    "status",
    "view",
    "watch",
];
/// First words of tools that run something.
const RUNS: &[&str] = &[
    "build", "call", "command", "compile", "eval", "evaluate", "exec", "execute", "invoke", "launch", "run", "script",
    "shell", "spawn", "start", "terminal",
];
/// Words that join a second thing to the first.
const JOINS: &[&str] = &["and", "or", "then"];

impl Scene<'_> {
    pub(super) fn mcp(&self, tool: &str, input: &Json) -> Action {
        let mut words = words(tool);
        // browsers' tools carry the word in front of the verb
        if words.len() > 1 && words.first().is_some_and(|word| word == "browser") {
            words.remove(0);
        }
        if let [take, picture, ..] = words.as_slice()
            && take == "take"
            && READS.contains(&picture.as_str())
        {
            words.remove(0);
        }
        let first = words.first().map(String::as_str).unwrap_or_default();
        let joined = words.iter().any(|word| JOINS.contains(&word.as_str()));
        let runs = words.iter().take(2).any(|word| RUNS.contains(&word.as_str())) && !READS.contains(&first);
        let reads = READS.contains(&first) && !joined && !changes_data(input);
        let mut draft = Draft::new(if reads { Capability::McpRead } else { Capability::McpCall }, "mcp");
        if runs {
            draft.blast =
                Blast { reach: Reach::Machine, undo: Undo::Hard, exposure: Exposure::None, scale: Scale::Single };
            draft.note("runs something that the server decides");
        }
        arguments::add(self, &mut draft, input, if reads { Role::Read } else { Role::Write });
        draft::settle(&mut draft, self.world);
        let signature = signature::mcp(&self.call.tool_name, input, does(&draft));
        draft::finish(draft, signature, self.call.tool_name.clone(), None)
    }
}

/// The words of a name in snake, kebab or camel case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut low = false;
    for char in name.chars().take(256) {
        let breaks = !char.is_alphanumeric() || (low && char.is_uppercase());
        if breaks && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        low = char.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Beginnings of database statements that change data.
const CHANGES: &[&str] = &[
    "insert into",
    "update ",
    "delete from",
    "drop ",
    "truncate",
    "alter ",
    "create table",
    "create or",
    "create index",
    "create user",
    "create role",
    "create database",
    "grant ",
    "revoke ",
    "copy ",
    "merge into",
    "vacuum",
    "call ",
    "do $",
];

/// Whether an argument holds a database statement that changes data.
fn changes_data(input: &Json) -> bool {
    input.as_object().is_some_and(|fields| {
        fields.iter().any(|(key, value)| {
            let statement = matches!(key.to_ascii_lowercase().as_str(), "sql" | "statement" | "query" | "cypher");
            statement && value.as_str().is_some_and(changes)
        })
    })
}

fn changes(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let in_sql =
        ["select ", "with ", "set ", "into ", "from ", "table ", "(", ";"].iter().any(|part| lower.contains(part));
    in_sql
        && lower.split(';').any(|statement| {
            let statement = statement.trim_start();
            // a common table expression can end in any statement
            let begins = CHANGES.iter().any(|start| statement.starts_with(start));
            begins || (statement.starts_with("with ") && CHANGES.iter().any(|start| statement.contains(start)))
        })
}

#[cfg(test)]
mod tests {
    use super::{changes, words};

    #[test]
    fn names_come_apart() {
        for (name, expected) in [
            ("get_issue", &["get", "issue"][..]),
            ("getDiagnostics", &["get", "diagnostics"]),
            ("resolve-library-id", &["resolve", "library", "id"]),
            ("runSQL", &["run", "sql"]),
            ("", &[]),
        ] {
            assert_eq!(words(name), expected);
        }
    }

    #[test]
    fn statements_that_change_data() {
        for (text, expected) in [
            ("select * from a", false),
            ("SELECT 1; DROP TABLE a", true),
            ("update the docs", false),
            ("UPDATE a SET b = 1", true),
            ("with x as (select 1) delete from a", true),
            ("how do I delete a branch", false),
        ] {
            assert_eq!(changes(text), expected, "{text}");
        }
    }
}
