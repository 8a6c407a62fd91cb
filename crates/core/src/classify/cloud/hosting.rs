//! Hosting services: `vercel`, `fly`, `heroku`, `supabase`, … They share verbs, spelled `db:reset`, `db reset` or `db-reset`.

use crate::action::{Capability, Exposure, Mark, Reach, Scale, Undo};
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;
use crate::classify::verb::{self, words};

/// Programs that deploy when no subcommand is given.
const DEPLOYS: &[&str] = &["vercel", "vc", "now", "surge", "gh-pages"];

pub(super) fn bare(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let keeps = parsed.has(&["--prod"]);
    if !DEPLOYS.contains(&verb::program(scene).as_str()) && !keeps {
        draft.become_(Capability::Inspect);
    }
}

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let parts: Vec<String> = words.iter().flat_map(|word| word.split(':')).map(str::to_ascii_lowercase).collect();
    let first = parts.first().map(String::as_str).unwrap_or_default();
    let second = parts.get(1).map(String::as_str).unwrap_or_default();
    let third = parts.get(2).map(String::as_str).unwrap_or_default();
    if parts.is_empty() {
        if DEPLOYS.contains(&verb::program(scene).as_str()) {
            draft.become_(Capability::Cloud);
        }
        return restore_marks(draft, parsed);
    }
    let any = |names: &[&str]| parts.iter().take(3).any(|part| names.contains(&part.as_str()));
    let executes = matches!(
        first,
        "ssh"
            | "sftp"
            | "console"
            | "run"
            | "exec"
            | "shell"
            | "sh"
            | "connect"
            | "psql"
            | "listen"
            | "trigger"
            | "tunnel"
            | "proxy"
            | "attach"
    ) || any(&[
        "ssh",
        "psql",
        "console",
        "execute",
        "query",
        "exec",
        "shell",
        "invoke",
        "sql",
        "run-command",
        "credentials-exec",
    ]) && !matches!(first, "functions" | "dev");
    let secret_group =
        matches!(
            first,
            "env"
                | "secrets"
                | "secret"
                | "variables"
                | "variable"
                | "config"
                | "vars"
                | "envs"
                | "configs"
                | "credentials"
        ) || parts.windows(2).any(|pair| matches!(pair, [config, get] if config == "config" && get == "get"))
            || any(&[
                "secret",
                "secrets",
                "env",
                "api-keys",
                "connection-string",
                "postgres-credentials",
                "keys",
                "token",
                "tokens",
                "password",
                "credentials",
            ]);
    let writes = any(&[
        "set", "add", "put", "import", "push", "create", "update", "edit", "bulk", "unset", "rm", "remove", "delete",
        "link", "deploy",
    ]);
    let local = matches!(
        first,
        "dev"
            | "build"
            | "emulators"
            | "serve"
            | "start"
            | "stop"
            | "preview"
            | "init"
            | "new"
            | "package"
            | "types"
            | "local"
            | "validate"
            | "pages-dev"
            | "codegen"
            | "compile"
            | "generate"
            | "test"
            | "lint"
    );
    if any(&["login", "logout", "auth", "signup"]) && !any(&["list", "whoami", "show"]) {
        draft.become_(Capability::SecretRead);
        draft.note("signs in or out");
    } else if matches!(
        first,
        "db" | "database" | "pg" | "d1" | "postgres" | "migration" | "migrations" | "schema" | "mysql" | "redis"
    ) {
        database(draft, scene, &parts);
    } else if secret_group && !writes {
        draft.become_(Capability::SecretRead);
        draft.note("prints credentials of the service");
    } else if executes {
        draft.become_(Capability::Remote);
        draft.opaque(Some(scene.span), "runs a program or opens a way that is not known");
        if any(&["tunnel", "proxy", "listen"]) {
            draft.become_(Capability::Cloud);
            draft.blast.exposure = Exposure::CanExfiltrate;
        }
    } else if any(&[
        "destroy", "delete", "rm", "remove", "purge", "reset", "drop", "teardown", "prune", "disable", "nuke",
        "undeploy", "down",
    ]) {
        verb::destroys(draft, Capability::Cloud, Scale::Many);
    } else if any(&["promote", "rollback", "alias"]) {
        draft.become_(Capability::Cloud);
    } else if local && !any(&["push", "publish"]) {
        let makes = matches!(first, "init" | "new" | "generate" | "types" | "codegen");
        draft.become_(if makes { Capability::WriteWorkspace } else { Capability::Build });
    } else if any(&[
        "list",
        "ls",
        "status",
        "show",
        "info",
        "logs",
        "log",
        "tail",
        "whoami",
        "view",
        "inspect",
        "versions",
        "history",
        "releases",
        "ps",
        "domains-list",
        "get",
        "search",
        "open",
        "docs",
        "help",
        "doctor",
        "describe",
        "check",
        "platform",
        "services",
        "regions",
        "projects",
        "apps",
        "gen",
        "diff",
    ]) && !any(&["create", "update", "scale", "set", "add", "deploy"])
    {
        verb::looks(draft, Capability::Cloud);
    } else if known_change(first)
        || known_change(second)
        || known_change(third)
        || any(&["deploy", "set", "add", "push", "publish", "upload", "scale", "restart", "create", "update"])
    {
        draft.become_(Capability::Cloud);
    } else if DEPLOYS.contains(&verb::program(scene).as_str()) {
        // a folder to deploy
        draft.become_(Capability::Cloud);
    } else {
        draft.opaque(Some(scene.span), "a subcommand that is not known");
    }
    restore_marks(draft, parsed);
}

fn known_change(word: &str) -> bool {
    matches!(
        word,
        "launch"
            | "up"
            | "link"
            | "unlink"
            | "certs"
            | "domains"
            | "dns"
            | "pull"
            | "extensions"
            | "plugins"
            | "apply"
            | "import"
            | "export"
            | "migrate"
            | "redeploy"
            | "cancel"
            | "resume"
            | "suspend"
            | "start"
            | "stop"
            | "machine"
            | "volumes"
            | "addons"
            | "pipelines"
            | "functions"
            | "hosting"
            | "storage"
            | "sites"
            | "sourcemaps"
            | "release"
            | "releases"
            | "event"
            | "send"
            | "publish-preview"
    )
}

/// `--prod` was said before the verbs were read.
fn restore_marks(draft: &mut Draft, parsed: &Parsed<'_>) {
    if parsed.has(&["--prod"]) && draft.blast.reach >= Reach::External {
        draft.blast.reach = Reach::Production;
        draft.mark(Mark::Production);
    } else if draft.blast.reach < Reach::External {
        draft.marks.retain(|mark| *mark != Mark::Production);
    }
}

fn database(draft: &mut Draft, scene: &Scene<'_>, parts: &[String]) {
    let any = |names: &[&str]| parts.iter().any(|part| names.contains(&part.as_str()));
    if any(&["execute", "query", "psql", "connect", "sql", "shell", "console", "proxy"]) {
        draft.opaque(Some(scene.span), "statements that are not read");
    } else if any(&["reset", "drop", "delete", "destroy", "wipe", "restore", "repair", "squash"]) {
        verb::destroys(draft, Capability::Database, Scale::Sweeping);
    } else if any(&[
        "push", "migrate", "apply", "up", "deploy", "create", "branch", "seed", "promote", "upgrade", "attach",
        "detach", "copy",
    ]) {
        draft.become_(Capability::Database);
    } else if any(&["new", "diff", "pull", "dump", "lint", "start", "generate"]) {
        verb::set(draft, Capability::Database, Reach::Machine, Undo::Easy, Scale::Single);
    } else if any(&["list", "ls", "status", "info", "show", "backups", "ps", "credentials"]) {
        verb::looks(draft, Capability::Database);
        if any(&["credentials"]) {
            draft.blast.exposure = Exposure::ReadsSecrets;
        }
    } else {
        draft.opaque(Some(scene.span), "a subcommand that is not known");
    }
}
