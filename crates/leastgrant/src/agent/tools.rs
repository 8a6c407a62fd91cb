//! How the input of a tool is read, whichever agent sent it: a table says what each tool is, a shape says which keys hold
//! what. A tool that is not in the table is unknown, an input that does not fit is unreadable, and neither is ever taken
//! for harmless.

use leastgrant_core::call::{ChangeKind, Edit, FileChange, SearchCall, ShellCall, Tool};
use leastgrant_shell::Dialect;
use serde_json::{Map, Value};

use super::payload::{kind, text};

/// A tool's input.
pub type Input = Map<String, Value>;

/// Names under which one argument may stand. Where several of them are there, they must say the same: which of them the
/// agent obeys is not ours to guess.
pub type Keys = &'static [&'static str];

/// Most files or addresses that one call may name in a list.
const LISTED: usize = 2_000;

/// Whether a search prints lines of the files, not their names alone.
#[derive(Clone, Copy)]
pub enum Prints {
    /// it always does
    Lines,
    /// `output_mode` and the options for context say so
    AsAsked,
}

/// How a tool's input is read.
#[derive(Clone, Copy)]
pub enum Shape {
    /// a command line
    Shell {
        /// the text
        command: Keys,
        /// the folder it runs in
        folder: Keys,
        /// true where it leaves the agent's sandbox
        unsandboxed: &'static str,
    },
    /// reads a file
    Read(Keys),
    /// creates or replaces a file
    Write {
        /// its path
        path: Keys,
        /// its content
        content: Keys,
    },
    /// changes a part of a file
    Edit {
        /// its path
        path: Keys,
        /// how the change is written
        change: Change,
    },
    /// changes parts of a file
    Edits {
        /// its path
        path: Keys,
        /// the list of changes
        list: &'static str,
        /// how each is written
        change: Change,
    },
    /// changes parts of several files
    EditsOfFiles {
        /// the list of changes
        list: &'static str,
        /// the path in each
        path: Keys,
        /// how each is written
        change: Change,
    },
    /// puts text into a file at a place that is not a text
    Insert {
        /// its path
        path: Keys,
        /// the text
        content: Keys,
    },
    /// a patch in the envelope that begins with `*** Begin Patch`
    Patch(Keys),
    /// deletes a file
    Delete(Keys),
    /// lists files by name
    Glob {
        /// the pattern
        pattern: Keys,
        /// where it begins
        root: Keys,
    },
    /// searches in files
    Grep {
        /// what is searched
        pattern: Keys,
        /// where
        root: Keys,
        /// in which names
        glob: Keys,
        /// what it prints
        prints: Prints,
    },
    /// lists a folder
    List(Keys),
    /// fetches a page
    Fetch(Keys),
    /// fetches the pages of a list
    FetchList(&'static str),
    /// fetches every page that a text names
    FetchText(Keys),
    /// searches the web
    WebSearch(Keys),
    /// asks an MCP server for what it offers
    Resource(&'static str),
    /// starts a subagent
    Spawn,
    /// loads instructions
    Skill(Keys),
    /// the agent's own housekeeping
    Meta,
    /// housekeeping, unless one of these keys says more than no
    MetaUnless(Keys),
    /// known by name, and known to be more than we can account for
    Unknown,
}

/// The keys of one replacement.
#[derive(Clone, Copy)]
pub struct Change {
    /// what is replaced
    pub old: Keys,
    /// by what
    pub new: Keys,
    /// everywhere
    pub all: &'static str,
}

/// A tool's name, its shape, and why it is what it is.
pub type Row = (&'static str, Shape, &'static str);

/// What a call of this tool would do; unknown where the table does not have it.
#[must_use]
pub fn tool(table: &[Row], name: &str, input: &Input, dialect: Dialect) -> Tool {
    match table.iter().find(|row| row.0 == name) {
        Some((_, shape, _)) => shaped(*shape, input, dialect).unwrap_or_else(|why| Tool::Unreadable { why }),
        None => unknown(input),
    }
}

/// A tool of which nothing is known.
#[must_use]
pub fn unknown(input: &Input) -> Tool {
    Tool::Unknown { input: Value::Object(input.clone()) }
}

/// A tool of a server. A name or a server that is empty makes it unknown.
#[must_use]
pub fn mcp(server: &str, tool: &str, input: &Input) -> Tool {
    if server.is_empty() || tool.is_empty() {
        return unknown(input);
    }
    Tool::Mcp { server: server.to_owned(), tool: tool.to_owned(), input: Value::Object(input.clone()) }
}

/// `server__tool`, cut at the first `__`: which of several it is cannot be known where the agent says no more.
#[must_use]
pub fn mcp_named(rest: &str, input: &Input) -> Tool {
    rest.split_once("__").map_or_else(|| unknown(input), |(server, tool)| mcp(server, tool, input))
}

fn shaped(shape: Shape, input: &Input, dialect: Dialect) -> Result<Tool, String> {
    Ok(match shape {
        Shape::Shell { command, folder, unsandboxed } => Tool::Shell(ShellCall {
            command: must(input, command)?,
            dialect,
            workdir: may(input, folder)?.filter(|folder| !folder.is_empty()),
            unsandboxed: !unsandboxed.is_empty() && flag(input, unsandboxed)?,
        }),
        Shape::Read(path) => Tool::Read { path: must(input, path)? },
        Shape::Write { path, content } => Tool::Write { path: must(input, path)?, content: body(input, content)? },
        Shape::Edit { path, change } => Tool::Edit { path: must(input, path)?, edits: vec![edit(input, change)?] },
        Shape::Edits { path, list, change } => {
            let edits = items(input, list)?.into_iter().map(|item| edit(item, change)).collect::<Result<_, _>>()?;
            Tool::Edit { path: must(input, path)?, edits }
        }
        Shape::EditsOfFiles { list, path, change } => Tool::Patch(
            items(input, list)?
                .into_iter()
                .map(|item| {
                    let added = body(item, change.new)?.unwrap_or_default();
                    Ok(FileChange { path: must(item, path)?, kind: ChangeKind::Update, added })
                })
                .collect::<Result<_, String>>()?,
        ),
        Shape::Insert { path, content } => {
            let new = body(input, content)?.unwrap_or_default();
            Tool::Edit { path: must(input, path)?, edits: vec![Edit { old: String::new(), new, all: false }] }
        }
        Shape::Patch(keys) => Tool::Patch(super::patch::read(&body(input, keys)?.ok_or_else(|| missing(keys))?)?),
        Shape::Delete(path) => Tool::Delete { path: must(input, path)? },
        Shape::Glob { pattern, root } => {
            let pattern = must(input, pattern)?;
            Tool::Search(SearchCall { root: may(input, root)?, glob: Some(pattern.clone()), pattern, content: false })
        }
        Shape::Grep { pattern, root, glob, prints } => Tool::Search(SearchCall {
            root: may(input, root)?,
            pattern: must(input, pattern)?,
            glob: may(input, glob)?,
            content: match prints {
                Prints::Lines => true,
                Prints::AsAsked => {
                    text(input, "output_mode")? == Some("content")
                        || ["-A", "-B", "-C", "context"].iter().any(|key| input.contains_key(*key))
                }
            },
        }),
        Shape::List(root) => {
            Tool::Search(SearchCall { root: may(input, root)?, pattern: String::new(), glob: None, content: false })
        }
        Shape::Fetch(url) => Tool::Fetch { url: must(input, url)? },
        Shape::FetchList(key) => fetches(addresses(input, key)?, key)?,
        Shape::FetchText(keys) => fetches(named_addresses(&must(input, keys)?), keys.first().unwrap_or(&""))?,
        Shape::WebSearch(query) => Tool::WebSearch { query: must(input, query)? },
        Shape::Resource(tool) => {
            mcp(&may(input, &["server", "server_name"])?.unwrap_or_else(|| String::from("*")), tool, input)
        }
        Shape::Spawn => Tool::Spawn { input: Value::Object(input.clone()) },
        Shape::Skill(keys) => {
            let said = must(input, keys)?;
            let word = said.split_whitespace().next().unwrap_or_default();
            Tool::Skill { name: word.trim_start_matches('/').to_owned() }
        }
        Shape::MetaUnless(keys) if keys.iter().filter_map(|key| input.get(*key)).any(says_more) => unknown(input),
        Shape::Meta | Shape::MetaUnless(_) => Tool::Meta,
        Shape::Unknown => unknown(input),
    })
}

/// Whether a value is more than a no: `null`, `false` and an empty text are one.
fn says_more(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value.as_str() != Some("")
}

fn missing(keys: Keys) -> String {
    format!("its input has no `{}`", keys.first().unwrap_or(&""))
}

fn must(input: &Input, keys: Keys) -> Result<String, String> {
    may(input, keys)?.ok_or_else(|| missing(keys))
}

/// An argument that names something: no program can be given a NUL, so what would run is not what was read.
fn may(input: &Input, keys: Keys) -> Result<Option<String>, String> {
    let value = body(input, keys)?;
    match &value {
        Some(text) if text.contains('\0') => Err(format!("`{}` holds a NUL byte", keys.first().unwrap_or(&""))),
        _ => Ok(value),
    }
}

/// An argument that is content.
fn body(input: &Input, keys: Keys) -> Result<Option<String>, String> {
    let mut found: Option<(&str, &str)> = None;
    for key in keys {
        let Some(value) = text(input, key)? else { continue };
        match found {
            Some((other, before)) if before != value => {
                return Err(format!("`{other}` and `{key}` say different things"));
            }
            _ => found = Some((key, value)),
        }
    }
    Ok(found.map(|(_, value)| value.to_owned()))
}

fn flag(input: &Input, key: &str) -> Result<bool, String> {
    match input.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(format!("`{key}` is {} where true or false belongs", kind(other))),
    }
}

fn edit(input: &Input, change: Change) -> Result<Edit, String> {
    Ok(Edit {
        old: body(input, change.old)?.unwrap_or_default(),
        new: body(input, change.new)?.unwrap_or_default(),
        all: !change.all.is_empty() && flag(input, change.all)?,
    })
}

fn items<'a>(input: &'a Input, key: &str) -> Result<Vec<&'a Input>, String> {
    list(input, key)?
        .iter()
        .map(|item| match item {
            Value::Object(map) => Ok(map),
            other => Err(format!("an item of `{key}` is {} where an object belongs", kind(other))),
        })
        .collect()
}

fn list<'a>(input: &'a Input, key: &str) -> Result<&'a [Value], String> {
    match input.get(key) {
        Some(Value::Array(list)) if list.len() <= LISTED => Ok(list),
        Some(Value::Array(list)) => Err(format!("`{key}` has {} items", list.len())),
        _ => Err(format!("its input has no list `{key}`")),
    }
}

fn addresses(input: &Input, key: &str) -> Result<Vec<String>, String> {
    list(input, key)?
        .iter()
        .map(|item| match item {
            Value::String(url) => Ok(url.clone()),
            other => Err(format!("an item of `{key}` is {} where text belongs", kind(other))),
        })
        .collect()
}

fn fetches(mut urls: Vec<String>, key: &str) -> Result<Tool, String> {
    match urls.len() {
        0 => Err(format!("`{key}` names no address")),
        1 => Ok(Tool::Fetch { url: urls.remove(0) }),
        2..=LISTED => Ok(Tool::FetchAll { urls }),
        many => Err(format!("`{key}` names {many} addresses")),
    }
}

/// Every address in a text. A word may hold several, and how the agent cuts them apart is not known, so each beginning is
/// followed to the end of its word.
fn named_addresses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        for (at, _) in word.match_indices("://") {
            let before = word.get(..at).unwrap_or_default();
            let scheme = before.len()
                - before.bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
            let url = word.get(scheme..).unwrap_or(word);
            found.push(url.trim_end_matches(['.', ',', ';', ')', ']', '>', '"', '\'', '`']).to_owned());
            if found.len() > LISTED {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Row] = &[
        ("sh", Shape::Shell { command: &["command"], folder: &["dir"], unsandboxed: "free" }, ""),
        ("read", Shape::Read(&["file_path", "path"]), ""),
        ("web", Shape::FetchText(&["prompt"]), ""),
        ("pages", Shape::FetchList("urls"), ""),
        ("leave", Shape::MetaUnless(&["discard"]), ""),
    ];

    fn read(name: &str, input: &str) -> String {
        let Value::Object(input) = serde_json::from_str(input).unwrap() else { panic!("an object") };
        format!("{:?}", tool(TABLE, name, &input, Dialect::Bash))
    }

    #[test]
    fn two_names_of_one_argument_must_agree() {
        assert_eq!(read("read", r#"{"path":"a"}"#), "Read { path: \"a\" }");
        assert_eq!(read("read", r#"{"path":"a","file_path":"a"}"#), "Read { path: \"a\" }");
        assert!(read("read", r#"{"path":"a","file_path":"b"}"#).contains("say different things"));
        assert!(read("read", r#"{"path":"a","file_path":7}"#).starts_with("Unreadable"));
        assert!(read("read", r#"{}"#).starts_with("Unreadable"));
    }

    #[test]
    fn every_address_of_a_text_counts() {
        assert!(read("web", r#"{"prompt":"see (https://a.example/x)."}"#).contains("url: \"https://a.example/x\""));
        let two = read("web", r#"{"prompt":"https://a.example,https://b.example and"}"#);
        assert!(two.contains("https://a.example,https://b.example") && two.contains("\"https://b.example\""), "{two}");
        assert!(read("web", r#"{"prompt":"nothing to see"}"#).starts_with("Unreadable"));
        assert!(read("pages", r#"{"urls":["https://a.example","https://b.example"]}"#).starts_with("FetchAll"));
        assert!(read("pages", r#"{"urls":[1]}"#).starts_with("Unreadable"));
        assert!(read("pages", r#"{"urls":[]}"#).starts_with("Unreadable"));
    }

    #[test]
    fn housekeeping_ends_where_a_key_says_more() {
        assert_eq!(read("leave", r#"{"discard":false}"#), "Meta");
        assert!(read("leave", r#"{"discard":true}"#).starts_with("Unknown"));
        assert!(read("leave", r#"{"discard":"no"}"#).starts_with("Unknown"));
        assert!(read("sh", r#"{"command":"ls","free":1}"#).starts_with("Unreadable"));
        assert!(read("other", r#"{}"#).starts_with("Unknown"));
    }
}
