//! Statements for databases: what they do by their first words, never by text within quotes. Whatever is not known, and
//! whatever leaves the database (files, programs, other commands of the client), is an escape.

/// What a text of statements does at most. Order: worse is greater.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Does {
    /// nothing but reading
    Reads,
    /// adds or makes
    Writes,
    /// changes or removes what is there; everything of a table where nothing restricts it
    Destroys {
        /// everything of it
        whole: bool,
    },
    /// cannot be accounted for, and why
    Escapes(&'static str),
}

/// How the client reads its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Client {
    /// backslash commands
    Postgres,
    /// `\!`, `system`, `source`
    MySql,
    /// dot commands
    Sqlite,
    /// neither
    Other,
}

/// Most bytes of a text that is read.
const BYTES: usize = 64 * 1024;

/// What a text does.
pub(super) fn judge(text: &str, client: Client) -> Does {
    if text.len() > BYTES {
        return Does::Escapes("more statements than the limit");
    }
    let mut worst = Does::Reads;
    let statements = match split(text, client) {
        Ok(statements) => statements,
        Err(why) => return Does::Escapes(why),
    };
    for statement in statements {
        worst = worst.max(one(&statement, client));
    }
    worst
}

/// A word, a sign, or a literal whose text does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Word(String),
    Sign(char),
    Literal,
    /// a command of the client itself, to the end of its line
    Command(String),
}

fn split(text: &str, client: Client) -> Result<Vec<Vec<Part>>, &'static str> {
    let mut all = Vec::new();
    let mut now: Vec<Part> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let tail = rest.get(first.len_utf8()..).unwrap_or_default();
        let starts = now.is_empty();
        if first.is_whitespace() {
            rest = tail;
        } else if rest.starts_with("--") || first == '#' && client == Client::MySql {
            rest = rest.split_once('\n').map_or("", |split| split.1);
        } else if rest.starts_with("/*") {
            if rest.starts_with("/*!") || rest.starts_with("/*M!") || rest.starts_with("/*+") {
                return Err("a comment that some databases run");
            }
            let Some((comment, after)) = tail.split_once("*/") else { return Err("a comment that does not end") };
            if comment.get(1..).is_some_and(|body| body.contains("/*")) {
                return Err("comments within comments");
            }
            rest = after;
        } else if starts && (first == '.' && client == Client::Sqlite || first == '\\') {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            now.push(Part::Command(line.trim().to_owned()));
            all.push(std::mem::take(&mut now));
            rest = after;
        } else if first == '\\' {
            return Err("a command of the client within a statement");
        } else if matches!(first, '\'' | '"' | '`') {
            rest = quoted(tail, first)?;
            now.push(Part::Literal);
        } else if first == '[' && client == Client::Other {
            rest = tail.split_once(']').map(|split| split.1).ok_or("a name that does not end")?;
            now.push(Part::Literal);
        } else if first == '$' && client == Client::Postgres {
            return Err("a body in dollar quotes");
        } else if first == ';' {
            all.push(std::mem::take(&mut now));
            rest = tail;
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
            now.push(Part::Word(rest.get(..end).unwrap_or_default().to_ascii_lowercase()));
            rest = rest.get(end..).unwrap_or_default();
        } else {
            now.push(Part::Sign(first));
            rest = tail;
        }
    }
    all.push(now);
    Ok(all.into_iter().filter(|statement| !statement.is_empty()).collect())
}

/// Behind a quoted text; a backslash before the mark is read differently by different databases.
fn quoted(mut rest: &str, mark: char) -> Result<&str, &'static str> {
    loop {
        let Some(at) = rest.find([mark, '\\']) else { return Err("a quoted text that does not end") };
        let tail = rest.get(at..).unwrap_or_default();
        if tail.starts_with('\\') {
            let next = tail.chars().nth(1);
            if next == Some(mark) || next == Some('\\') {
                return Err("a backslash that databases read differently");
            }
            rest = tail.get(1..).unwrap_or_default();
            continue;
        }
        let after = tail.get(1..).unwrap_or_default();
        match after.strip_prefix(mark) {
            Some(doubled) => rest = doubled,
            None => return Ok(after),
        }
    }
}

/// Functions that reach out of the database or change it from within a read.
const FUNCTIONS: &[&str] = &[
    "pg_read_file",
    "pg_read_binary_file",
    "pg_ls_dir",
    "pg_stat_file",
    "lo_import",
    "lo_export",
    "lo_unlink",
    "lo_put",
    "lo_from_bytea",
    "pg_terminate_backend",
    "pg_cancel_backend",
    "pg_reload_conf",
    "pg_rotate_logfile",
    "dblink",
    "dblink_exec",
    "dblink_connect",
    "load_file",
    "load_extension",
    "sys_exec",
    "sys_eval",
    "xp_cmdshell",
    "readfile",
    "writefile",
    "edit",
    "fts3_tokenizer",
    "setval",
    "query_to_xml",
    "database_to_xml",
    "pg_execute_server_program",
    "http_get",
    "http_post",
    "url",
    "file",
    "s3",
    "remote",
    "mysql",
    "postgresql",
    "jdbc",
    "executable",
    "openrowset",
    "opendatasource",
    "utl_http",
    "utl_file",
    "dbms_scheduler",
    "set_config",
    "pg_logical_emit_message",
    "pg_create_restore_point",
    "pg_switch_wal",
    "pg_promote",
    "exec",
    "execute",
    "shell",
    "system",
    "eval",
];

fn one(parts: &[Part], client: Client) -> Does {
    let first = match parts.first() {
        Some(Part::Command(line)) => return command(line, client),
        Some(Part::Word(word)) => word.as_str(),
        Some(Part::Sign('(')) => return one(parts.get(1..).unwrap_or_default(), client),
        Some(_) => return Does::Escapes("a statement that is not known"),
        None => return Does::Reads,
    };
    let words: Vec<&str> =
        parts.iter().filter_map(|part| if let Part::Word(word) = part { Some(word.as_str()) } else { None }).collect();
    let has = |word: &str| words.contains(&word);
    let called = parts
        .windows(2)
        .any(|pair| matches!(pair, [Part::Word(name), Part::Sign('(')] if FUNCTIONS.contains(&name.as_str())));
    if called {
        return Does::Escapes("a function that reaches out of the database");
    }
    if has("outfile") || has("dumpfile") || has("program") && has("copy") {
        return Does::Escapes("writes files or runs programs");
    }
    match first {
        "select" | "values" | "table" if has("into") => Does::Writes,
        "select" | "values" | "table" | "show" | "describe" | "desc" | "help" | "use" | "begin" | "commit"
        | "rollback" | "end" | "start" | "savepoint" | "release" | "abort" | "return" | "list" | "from" => {
            if changes(&words) { worst_of(&words) } else { Does::Reads }
        }
        "explain" if !has("analyze") && !has("analyse") => Does::Reads,
        "explain" | "with" => {
            if changes(&words) {
                worst_of(&words)
            } else if has("select") || has("values") || has("table") || has("show") {
                Does::Reads
            } else {
                Does::Escapes("a statement that is not known")
            }
        }
        "pragma" => pragma(parts),
        "set" => {
            if has("global") || has("persist") || has("role") || has("authorization") || has("password") {
                Does::Destroys { whole: false }
            } else {
                Does::Reads
            }
        }
        "vacuum" if has("into") => Does::Escapes("writes a copy into a file"),
        "insert" | "comment" | "analyze" | "vacuum" | "reindex" | "refresh" | "cluster" | "optimize" | "import" => {
            Does::Writes
        }
        "create"
            if has("extension")
                || has("language")
                || has("server")
                || has("trigger")
                || has("event")
                || has("function")
                || has("procedure") =>
        {
            Does::Escapes("makes something that runs later or with more rights")
        }
        "create" if has("replace") || has("user") || has("role") => Does::Destroys { whole: false },
        "create" => Does::Writes,
        "replace" | "merge" | "upsert" => Does::Destroys { whole: false },
        "update" | "delete" => Does::Destroys { whole: !has("where") },
        "drop" | "truncate" => Does::Destroys { whole: true },
        "alter" | "grant" | "revoke" | "rename" | "reset" | "flush" | "kill" | "lock" | "unlock" | "purge"
        | "discard" | "detach" | "reassign" => Does::Destroys { whole: false },
        "copy" if has("stdout") => Does::Reads,
        "copy" if has("stdin") => Does::Writes,
        _ => Does::Escapes("a statement that is not known, or that leaves the database"),
    }
}

/// Words that change something, within a statement that begins harmlessly.
fn changes(words: &[&str]) -> bool {
    ["insert", "update", "delete", "merge", "drop", "truncate", "alter", "create", "replace", "upsert"]
        .iter()
        .any(|verb| words.iter().enumerate().any(|(at, word)| word == verb && !harmless(words, at)))
}

/// `FOR UPDATE`, `ON UPDATE`, `SHOW CREATE TABLE`, `replace(…)`: words that only look like a change.
fn harmless(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
    matches!(before, "for" | "on" | "show" | "key") || words.get(at) == Some(&"replace") && before != "or"
}

fn worst_of(words: &[&str]) -> Does {
    let has = |word: &str| words.contains(&word);
    if has("drop") || has("truncate") {
        Does::Destroys { whole: true }
    } else if has("update") || has("delete") || has("merge") || has("alter") {
        Does::Destroys { whole: !has("where") }
    } else {
        Does::Writes
    }
}

/// `PRAGMA name`, `PRAGMA name(table)` read; `PRAGMA name = value` sets.
fn pragma(parts: &[Part]) -> Does {
    let sets = parts.iter().any(|part| matches!(part, Part::Sign('=')));
    let name = parts
        .iter()
        .skip(1)
        .filter_map(|part| if let Part::Word(word) = part { Some(word.as_str()) } else { None })
        .next_back();
    let reads = [
        "table_info",
        "table_xinfo",
        "index_list",
        "index_info",
        "foreign_key_list",
        "foreign_key_check",
        "database_list",
        "integrity_check",
        "quick_check",
        "user_version",
        "schema_version",
        "page_count",
        "page_size",
        "journal_mode",
        "encoding",
        "compile_options",
        "table_list",
        "function_list",
        "foreign_keys",
        "application_id",
        "freelist_count",
        "auto_vacuum",
        "synchronous",
    ];
    let known = parts.iter().any(|part| matches!(part, Part::Word(word) if reads.contains(&word.as_str())));
    match (sets, known, name) {
        (false, true, _) => Does::Reads,
        (_, _, Some("writable_schema" | "trusted_schema")) => Does::Escapes("loosens the database's own protection"),
        _ => Does::Writes,
    }
}

/// Commands of the client itself.
fn command(line: &str, client: Client) -> Does {
    let word = line.split_whitespace().next().unwrap_or_default();
    let pipes = line.contains(['|', '`', '!']);
    let reads = match client {
        Client::Postgres => {
            let plain = word.trim_start_matches('\\').trim_end_matches('+');
            plain.starts_with('d') && plain.chars().all(|letter| letter.is_ascii_alphabetic() || letter == 'S')
                || matches!(
                    plain,
                    "l" | "x"
                        | "q"
                        | "?"
                        | "h"
                        | "timing"
                        | "pset"
                        | "conninfo"
                        | "echo"
                        | "encoding"
                        | "z"
                        | "sf"
                        | "sv"
                        | "a"
                        | "t"
                        | "c"
                        | "connect"
                        | "errverbose"
                        | "set"
                        | "unset"
                        | "qecho"
                        | "warn"
                        | "if"
                        | "else"
                        | "endif"
                        | "elif"
                )
        }
        Client::Sqlite => matches!(
            word,
            ".tables"
                | ".schema"
                | ".headers"
                | ".header"
                | ".mode"
                | ".indexes"
                | ".indices"
                | ".dump"
                | ".databases"
                | ".width"
                | ".nullvalue"
                | ".print"
                | ".show"
                | ".help"
                | ".stats"
                | ".timer"
                | ".exit"
                | ".quit"
                | ".fullschema"
                | ".separator"
                | ".explain"
                | ".echo"
                | ".bail"
                | ".changes"
                | ".dbinfo"
                | ".version"
                | ".timeout"
                | ".eqp"
        ),
        Client::MySql => matches!(word, "\\G" | "\\g" | "\\q" | "\\s" | "\\h" | "\\u"),
        Client::Other => false,
    };
    if reads && !(pipes && client != Client::Sqlite) {
        Does::Reads
    } else {
        Does::Escapes("a command of the client that can leave the database")
    }
}

#[cfg(test)]
mod tests {
    use super::{Client, Does, judge};

    #[test]
    fn statements_by_what_they_do() {
        let whole = Does::Destroys { whole: true };
        let part = Does::Destroys { whole: false };
        for (text, expected) in [
            ("select 1", Does::Reads),
            ("select 'drop table x'", Does::Reads),
            ("select * from t -- drop\n where a=1", Does::Reads),
            ("SELECT * FROM t FOR UPDATE", Does::Reads),
            ("select replace(a,'x','y') from t", Does::Reads),
            ("show create table t", Does::Reads),
            ("explain select 1", Does::Reads),
            ("explain analyze delete from t", whole.clone()),
            ("with x as (delete from t where a=1 returning *) select * from x", part.clone()),
            ("select 1; drop table t", whole.clone()),
            ("select * into x from t", Does::Writes),
            ("insert into t values (1)", Does::Writes),
            ("update t set a=1", whole.clone()),
            ("update t set a=1 where b=2", part.clone()),
            ("grant all on t to x", part),
            ("\\dt+", Does::Reads),
            ("(select 1)", Does::Reads),
        ] {
            assert_eq!(judge(text, Client::Postgres), expected, "{text}");
        }
        let _ = whole;
    }

    #[test]
    fn whatever_leaves_the_database_escapes() {
        for text in [
            "copy t to program 'x'",
            "\\! rm x",
            "\\copy t to 'x'",
            "\\i x.sql",
            "\\o |rm x",
            "do $$ begin end $$",
            "call x()",
            "select pg_read_file('/x')",
            "select 1 \\g |x",
            "/*! drop table t */",
            "select 'a\\'; drop table t; --'",
            "create extension x",
            "vacuumize",
            "'x",
            "\\dt | rm",
        ] {
            assert!(matches!(judge(text, Client::Postgres), Does::Escapes(_)), "{text}");
        }
        for text in [".shell x", ".import a b", "attach '/x' as y", "select load_extension('x')", ".output x"] {
            assert!(matches!(judge(text, Client::Sqlite), Does::Escapes(_)), "{text}");
        }
        for text in
            ["system rm x", "source x.sql", "\\! x", "select 1 into outfile '/x'", "load data infile 'x' into table t"]
        {
            assert!(matches!(judge(text, Client::MySql), Does::Escapes(_)), "{text}");
        }
    }
}
