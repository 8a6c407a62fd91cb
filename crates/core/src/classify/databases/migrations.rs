//! Programs that change a schema by description: generating only writes files, resetting empties the database.

use crate::action::{Capability, Reach, Scale, Undo};
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;
use crate::classify::verb::{self, words};

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let program = verb::program(scene);
    let parts: Vec<String> = words.iter().take(3).flat_map(|word| word.split(':')).map(str::to_ascii_lowercase).collect();
    if parts.is_empty() {
        draft.become_(Capability::Inspect);
        return;
    }
    let any = |names: &[&str]| parts.iter().any(|part| names.contains(&part.as_str()));
    let lossy = parsed.has(&["--accept-data-loss", "--force-reset"]);
    let first = parts.first().map(String::as_str).unwrap_or_default();
    if lossy || any(&["reset", "clean", "drop", "dropall", "drop-all", "downgrade", "down", "undo", "rollback", "rollback-all", "wipe", "revert", "refresh", "fresh", "redo", "downto", "down-to", "rollback-count", "undo-all", "truncate"]) {
        verb::destroys(draft, Capability::Database, Scale::Sweeping);
    } else if any(&["studio", "execute", "seed", "console", "shell", "repl", "serve", "query", "run-sql", "execute-sql"]) {
        draft.become_(Capability::Database);
        if !any(&["studio"]) {
            draft.opaque(Some(scene.span), "runs statements or code that are not read");
        }
    } else if any(&["status", "history", "current", "info", "heads", "branches", "show", "list", "check", "version", "diff", "pull", "introspect", "fetch", "log", "plan", "inspect", "debug", "test-connection", "ls", "validate-db"]) {
        verb::set(draft, Capability::Database, Reach::Machine, Undo::Trivial, Scale::Single);
    } else if any(&["validate", "lint", "--help", "help", "docs", "deps", "parse"]) && !any(&["deploy"]) {
        draft.become_(Capability::Inspect);
    } else if any(&["format", "make", "new", "create", "init", "add", "fix", "skeleton"]) && !any(&["database"]) {
        draft.become_(Capability::WriteWorkspace);
    } else if any(&["revision", "stamp", "merge"]) {
        verb::set(draft, Capability::Database, Reach::Machine, Undo::Easy, Scale::Single);
    } else if any(&["generate", "gen", "prepare", "compile", "export", "dump", "print-schema", "sql", "up-sql", "codegen", "check-types"]) && !any(&["push"]) {
        draft.become_(Capability::Build);
    } else if any(&["migrate", "dev", "deploy", "push", "up", "upgrade", "latest", "apply", "run", "build", "test", "update", "setup", "seed-run", "sync", "baseline", "repair", "create", "migration", "resolve", "mark", "force", "goto", "up-to", "snapshot", "resolve-migration", "change", "tag"]) {
        draft.become_(Capability::Database);
    } else {
        draft.opaque(Some(scene.span), format!("the subcommand `{first}` of `{program}` is not known"));
    }
}
