//! Databases: the statement decides, and where the database is.

mod migrations;

use leastgrant_shell::Value;

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::script;
use super::shell::Feed;
use super::sql::{self, Client, Does};
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Exposure, Mark, Reach, Role, Scale, Undo};
use crate::knowledge::{Slot, Takes};

pub(super) const CODES: &[(&str, Code)] = &[
    ("databases.client", client),
    ("databases.file", file),
    ("databases.other", other),
    ("databases.redis", redis),
    ("databases.admin", admin),
    ("databases.host", host),
    ("databases.statement", statement),
    ("databases.migrations", migrations::run),
];

/// Statements among options and operands, in the order in which they stand.
fn statements(parsed: &Parsed<'_>) -> Vec<Arg> {
    let by_option =
        parsed.options.iter().filter(|found| found.row.is_some_and(|row| row.takes == Takes::Value(Slot::Sql)));
    by_option.filter_map(|found| found.value.clone()).chain(parsed.in_role(Slot::Sql).cloned()).collect()
}

/// What the statements do at most; those that come in on standard input count where none is given.
fn judge(draft: &mut Draft, scene: &Scene<'_>, given: &[Arg], file: Option<&Arg>, client: Client) -> Option<Does> {
    let mut worst = Does::Reads;
    for arg in given {
        let Some(text) = arg.exact() else {
            draft.opaque(Some(arg.span), "statements that are not known");
            return None;
        };
        worst = worst.max(sql::judge(text, client));
    }
    if let Some(file) = file {
        let Some(text) = script::text_of(draft, scene, file) else {
            draft.opaque(Some(file.span), format!("the statements in `{}` are not read", file.shown()));
            return None;
        };
        worst = worst.max(sql::judge(&text, client));
    }
    if !given.is_empty() || file.is_some() {
        return Some(worst);
    }
    match scene.feed {
        Feed::Inherited => {
            draft.mark(Mark::LaterInput);
            draft.opaque(Some(scene.span), "reads its statements from what is typed later");
            None
        }
        Feed::Pipe { text: Some(Value::Exact(text)), .. } => Some(sql::judge(text, client)),
        Feed::Text(arg) => arg.exact().map(|text| sql::judge(text, client)).or_else(|| {
            draft.opaque(Some(arg.span), "statements that are not known");
            None
        }),
        Feed::File(arg) => match script::text_of(draft, scene, arg) {
            Some(text) => Some(sql::judge(&text, client)),
            None => {
                draft.opaque(Some(arg.span), format!("the statements in `{}` are not read", arg.shown()));
                None
            }
        },
        Feed::Pipe { .. } => {
            draft.opaque(Some(scene.span), "statements that another command prints");
            None
        }
    }
}

/// `host=…` in a connection string; a service could be anywhere.
fn conninfo(parsed: &Parsed<'_>) -> Option<Arg> {
    let fields = parsed.operands.iter().map(|operand| &operand.1).chain(parsed.value(&["-d", "--dbname"]));
    for arg in fields {
        for field in arg.prefix().split_whitespace() {
            if let Some(host) = field.strip_prefix("host=").or_else(|| field.strip_prefix("hostaddr=")) {
                return Some(Arg::text(host, arg.span));
            }
            if field.starts_with("service=") {
                return Some(Arg::unknown(arg.span));
            }
        }
    }
    None
}

/// How far the database is, by the host or the address that is named; a socket is this machine.
fn reach(draft: &mut Draft, parsed: &Parsed<'_>) -> Reach {
    let named = parsed.value(&["-h", "--host"]).cloned().or_else(|| conninfo(parsed));
    let address = parsed
        .operands
        .iter()
        .map(|operand| &operand.1)
        .chain(parsed.options.iter().filter_map(|found| found.value.as_ref()));
    let mut address = address;
    let address = address.find(|arg| arg.prefix().contains("://")).cloned();
    let name = match (&named, &address) {
        (Some(host), _) => host.exact().map(str::to_owned),
        (None, Some(url)) => {
            let rest = url.prefix().split_once("://").map(|split| split.1).unwrap_or_default();
            let authority = rest.split(['/', '?']).next().unwrap_or_default();
            if authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':')) {
                draft.blast.exposure = draft.blast.exposure.max(Exposure::ReadsSecrets);
                draft.note("carries a password in clear");
            }
            let host = authority.rsplit_once('@').map_or(authority, |split| split.1);
            let host = host.rsplit_once(':').map_or(host, |split| split.0);
            url.exact().is_some().then(|| host.to_owned())
        }
        (None, None) => return Reach::Machine,
    };
    match name {
        Some(host) if host.is_empty() || host.starts_with('/') || verb::local(&host) => Reach::Machine,
        Some(host) => {
            draft::add_host(
                draft,
                &Arg::text(&host, named.or(address).map(|arg| arg.span).unwrap_or_default()),
                Role::Connect,
            );
            Reach::External
        }
        None => Reach::External,
    }
}

fn say(draft: &mut Draft, scene: &Scene<'_>, does: Option<Does>, reach: Reach) {
    let exposure = draft.blast.exposure;
    let (undo, scale) = match does {
        Some(Does::Reads) => (Undo::Trivial, Scale::Single),
        Some(Does::Writes) => (Undo::Hard, Scale::Single),
        Some(Does::Destroys { whole }) => {
            draft.note(if whole {
                "removes or changes everything of a table"
            } else {
                "removes or changes what is there"
            });
            (Undo::Irreversible, if whole { Scale::Sweeping } else { Scale::Single })
        }
        Some(Does::Escapes(why)) => {
            draft.opaque(Some(scene.span), why);
            (Undo::Hard, Scale::Many)
        }
        None => (Undo::Hard, Scale::Many),
    };
    verb::set(draft, Capability::Database, reach, undo, scale);
    draft.blast.exposure = exposure;
}

/// psql, mysql.
fn client(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let reach = reach(draft, parsed);
    let kind = if matches!(verb::program(scene).as_str(), "mysql" | "mariadb" | "mycli" | "mysqlsh") {
        Client::MySql
    } else {
        Client::Postgres
    };
    let given = statements(parsed);
    if given.is_empty() && parsed.has(&["-l", "--list"]) {
        say(draft, scene, Some(Does::Reads), reach);
        return;
    }
    let file = parsed.value(&["-f"]).cloned().filter(|_| kind == Client::Postgres);
    let does = judge(draft, scene, &given, file.as_ref(), kind);
    say(draft, scene, does, reach);
}

/// A database in a file: reading it is reading, changing it is writing that file.
fn file(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let given = statements(parsed);
    let database = parsed.operands.first().map(|operand| operand.1.clone());
    draft.targets.clear();
    if database.is_none() && given.is_empty() && !matches!(scene.feed, Feed::Inherited) {
        draft.opaque(Some(scene.span), "which database is meant is not known");
    }
    let does = judge(draft, scene, &given, None, Client::Sqlite);
    let memory = database.as_ref().is_none_or(|arg| matches!(arg.exact(), Some(":memory:" | "")));
    let role = match &does {
        Some(Does::Reads) => {
            draft.become_(Capability::Inspect);
            Role::Read
        }
        Some(Does::Writes) => {
            draft.become_(Capability::WriteWorkspace);
            Role::Write
        }
        Some(Does::Destroys { .. }) => {
            verb::set(draft, Capability::Database, Reach::Workspace, Undo::Hard, Scale::Single);
            draft.note("removes or changes what is there");
            Role::Write
        }
        Some(Does::Escapes(why)) => {
            draft.opaque(Some(scene.span), *why);
            Role::Write
        }
        None => Role::Write,
    };
    if memory {
        return;
    }
    let Some(database) = database else { return };
    let before = draft.targets.len();
    verb::path(draft, scene, &database, role);
    let outside = draft.targets.iter().skip(before).any(|target| match &target.kind {
        crate::action::TargetKind::Path(place) => place.zone != crate::path::Zone::Project,
        _ => false,
    });
    if outside && draft.capability == Capability::Database {
        draft.blast.undo = Undo::Irreversible;
    }
    // DuckDB reads and writes files that statements name
    if verb::program(scene) == "duckdb" {
        for text in given.iter().filter_map(Arg::exact) {
            for (at, literal) in text.split('\'').enumerate() {
                if at % 2 == 1 && draft::looks_like_path(literal) {
                    verb::path(draft, scene, &Arg::text(literal, scene.span), Role::Read);
                }
            }
        }
    }
}

/// Clients whose statements are given by an option.
fn other(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let reach = reach(draft, parsed);
    if parsed.has(&["--eval", "-f"]) {
        return;
    }
    let given = statements(parsed);
    let does = judge(draft, scene, &given, None, Client::Other);
    say(draft, scene, does, reach);
}

/// A statement beside a subcommand (`bq query`).
fn statement(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let given = statements(parsed);
    match judge(draft, scene, &given, None, Client::Other) {
        Some(Does::Reads) => {}
        does => say(draft, scene, does, Reach::External),
    }
}

const REDIS_READS: &[&str] = &[
    "get",
    "mget",
    "keys",
    "scan",
    "sscan",
    "hscan",
    "zscan",
    "hget",
    "hgetall",
    "hmget",
    "hkeys",
    "hvals",
    "hlen",
    "lrange",
    "llen",
    "lindex",
    "smembers",
    "sismember",
    "scard",
    "zrange",
    "zcard",
    "zscore",
    "zrangebyscore",
    "zrevrange",
    "ttl",
    "pttl",
    "type",
    "exists",
    "strlen",
    "dbsize",
    "info",
    "ping",
    "time",
    "echo",
    "memory",
    "object",
    "getrange",
    "xrange",
    "xrevrange",
    "xlen",
    "xinfo",
    "pubsub",
    "role",
    "lastsave",
    "randomkey",
    "bitcount",
    "getbit",
    "hexists",
    "select",
    "hello",
    "json.get",
    "ft.search",
    "ft.info",
    "dump",
    "subscribe",
    "monitor",
    "slowlog",
    "latency",
    "client",
    "command",
    "cluster",
    "acl",
];
const REDIS_DESTROYS: &[&str] = &[
    "flushall",
    "flushdb",
    "del",
    "unlink",
    "rename",
    "expire",
    "pexpire",
    "expireat",
    "hdel",
    "srem",
    "zrem",
    "lrem",
    "ltrim",
    "lpop",
    "rpop",
    "spop",
    "getdel",
    "swapdb",
    "xtrim",
    "xdel",
    "shutdown",
    "migrate",
    "restore",
    "json.del",
    "ft.dropindex",
    "persist",
];

fn redis(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let reach = reach(draft, parsed);
    let words = words(parsed);
    let Some(first) = words.first().map(|word| word.to_ascii_lowercase()) else {
        if parsed.has(&["--scan", "--stat", "--bigkeys", "--memkeys", "--hotkeys", "--latency", "--rdb"]) {
            say(draft, scene, Some(Does::Reads), reach);
            return;
        }
        if matches!(scene.feed, Feed::Inherited) {
            draft.mark(Mark::LaterInput);
        }
        draft.opaque(Some(scene.span), "commands that are not known");
        return say(draft, scene, None, reach);
    };
    let second = words.get(1).map(|word| word.to_ascii_lowercase()).unwrap_or_default();
    let harmless_group = matches!(
        second.as_str(),
        "list"
            | "info"
            | "usage"
            | "stats"
            | "get"
            | "len"
            | "doctor"
            | "id"
            | "getname"
            | "docs"
            | "nodes"
            | "whoami"
            | "encoding"
            | "help"
            | "count"
            | ""
    );
    let group = matches!(
        first.as_str(),
        "memory" | "object" | "client" | "command" | "cluster" | "acl" | "slowlog" | "latency" | "xinfo" | "pubsub"
    );
    let does = match first.as_str() {
        "config" if second == "get" => {
            draft.become_(Capability::SecretRead);
            draft.note("prints settings, the password among them");
            return;
        }
        "config" | "eval" | "evalsha" | "script" | "module" | "function" | "fcall" | "debug" | "replicaof"
        | "slaveof" | "save" | "bgsave" | "bgrewriteaof" | "" => {
            Does::Escapes("scripts, modules or settings of the server")
        }
        name if group && !harmless_group && name != "object" => Does::Destroys { whole: false },
        name if REDIS_READS.contains(&name) => Does::Reads,
        "flushall" | "flushdb" | "swapdb" => Does::Destroys { whole: true },
        name if REDIS_DESTROYS.contains(&name) => Does::Destroys { whole: false },
        _ => Does::Writes,
    };
    say(draft, scene, Some(does), reach);
}

/// Programs that make, fill, remove or serve databases.
fn admin(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let reach = reach(draft, parsed);
    let words = words(parsed);
    let program = verb::program(scene);
    let does = match program.as_str() {
        "pg_isready" => return draft.become_(Capability::Inspect),
        "redis-server" | "mysqld" | "postgres" | "mongod" => return draft.become_(Capability::Process),
        "pg_ctl" | "initdb" => {
            let asks = words.first() == Some(&"status");
            return draft.become_(if asks { Capability::Inspect } else { Capability::Process });
        }
        "mysqladmin" | "mariadb-admin" => match words.first().copied().unwrap_or_default() {
            "status" | "ping" | "version" | "processlist" | "variables" | "extended-status" => Does::Reads,
            "create" => Does::Writes,
            _ => Does::Destroys { whole: true },
        },
        "createdb" | "createuser" | "vacuumdb" | "reindexdb" | "clusterdb" | "mysqlcheck" | "pgbench" => Does::Writes,
        "dropdb" | "dropuser" => Does::Destroys { whole: true },
        _ => Does::Destroys { whole: false },
    };
    say(draft, scene, Some(does), reach);
}

/// Dumps: everything that the database holds, from where it is.
fn host(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let reach = reach(draft, parsed);
    say(draft, scene, Some(Does::Reads), reach);
}
