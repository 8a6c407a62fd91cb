//! Clouds and hosting services: their command lines are too wide for tables, so verbs decide, after the operations that
//! print credentials, run code or change rights.

mod aws;
mod hosting;
mod storage;

use super::code::Code;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Exposure, Scale};

pub(super) const CODES: &[(&str, Code)] = &[
    ("cloud.aws", aws::run),
    ("cloud.verbs", verbs),
    ("cloud.storage", storage::run),
    ("cloud.hosting", hosting::run),
    ("cloud.bare", hosting::bare),
];

const READS: &[&str] = &[
    "list", "ls", "describe", "show", "get", "read", "status", "version", "info", "search", "history", "tail", "logs", "log", "view", "wait",
    "list-versions", "list-tags", "get-iam-policy", "get-value", "exists", "check-name", "whoami", "check", "diff", "validate", "lint",
    "list-defaults", "list-skus", "list-sizes", "list-images", "list-locations", "inspect", "head", "preview", "plan", "test-iam-permissions",
    "list-usage", "metrics", "top", "events", "usage", "export-template", "list-runs", "list-deployments", "help", "docs", "open", "ratelimit",
];
const DESTROYS: &[&str] = &[
    "delete", "destroy", "remove", "rm", "purge", "terminate", "drop", "delete-all", "reset", "revoke", "wipe", "abandon", "unlink",
    "delete-version", "erase", "flush", "nuke", "rb",
];
const CHANGES: &[&str] = &[
    "create", "update", "add", "set", "deploy", "apply", "patch", "put", "start", "stop", "restart", "reboot", "resize", "scale", "enable",
    "disable", "attach", "detach", "import", "export", "upload", "move", "mv", "rename", "link", "append", "replace", "promote", "rollback",
    "publish", "submit", "cancel", "clone", "restore", "backup", "snapshot", "migrate", "assign", "associate", "register", "undelete",
    "rotate", "deallocate", "redeploy", "swap", "configure", "up", "down", "sync", "copy", "cp", "failover", "power-off", "power-on",
    "reset-windows-password", "shutdown", "rebuild", "change-protection", "request", "accept", "grant", "run", "execute", "call",
    "add-metadata", "remove-metadata", "add-tags", "remove-tags", "set-default-version", "write", "fork", "transfer", "release", "invoke",
];

/// gcloud, az, doctl and their kin.
fn verbs(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let has = |word: &str| words.contains(&word);
    let first = words.first().copied().unwrap_or_default();
    if words.is_empty() {
        draft.become_(Capability::Inspect);
        return;
    }
    let prints = has("print-access-token")
        || has("print-identity-token")
        || has("get-access-token")
        || has("application-default") && !has("login") && !has("revoke")
        || has("access") && has("versions")
        || has("keys") && (has("list") || has("create") || has("get-key-string") || has("renew"))
        || has("secret") && (has("show") || has("download") || has("backup"))
        || has("secrets") && (has("show") || has("get") || has("access"))
        || has("list-keys") || has("show-connection-string") || has("connection-string") || has("list-publishing-credentials")
        || has("list-publishing-profiles") || has("get-credentials") && has("acr") || has("credential") || has("credentials") && !has("get-credentials")
        || has("decrypt") || has("reset-credentials") || has("show-secrets") || has("connection") && first == "databases"
        || has("service-accounts") && has("keys") || has("token") || has("kubeconfig") && has("show") || has("registry") && has("docker-config")
        || has("get-server-credentials") || has("password") || has("generate-sas");
    let executes = has("ssh") || has("scp") || has("run-command") || has("tunnel") || has("start-iap-tunnel") || has("bastion")
        || has("exec") || has("remote-build") || has("cloud-shell") || has("console") || has("rdp")
        || has("call") && first == "functions" || has("execute") && (has("jobs") || has("workflows"));
    let rights = words.iter().any(|word| word.ends_with("iam-policy-binding") || word.ends_with("iam-policy") && !word.starts_with("get"))
        || first == "iam" && !words.iter().any(|word| READS.contains(word))
        || has("role") && (has("assignment") || has("definition")) && !has("list")
        || first == "ad" && !words.iter().any(|word| READS.contains(word));
    if prints {
        draft.become_(Capability::SecretRead);
        draft.note("prints a credential");
    } else if executes {
        draft.become_(Capability::Remote);
        draft.opaque(Some(scene.span), "runs a program on another machine");
    } else if rights {
        verb::privileged(draft, "changes rights in the cloud");
    } else if has("get-credentials") {
        draft.become_(Capability::WriteOutside);
        draft.note("writes a cluster's credentials into the person's configuration");
    } else if matches!(first, "config" | "configure" | "cloud" | "context") {
        let asks = words.iter().any(|word| matches!(*word, "list" | "get-value" | "get" | "show" | "describe" | "list-contexts"));
        draft.become_(if asks { Capability::Inspect } else { Capability::WriteOutside });
    } else if matches!(first, "login" | "logout" | "init") || first == "auth" && !has("list") {
        draft.become_(Capability::SecretRead);
        draft.note("signs in or out");
    } else if matches!(first, "components" | "extension" | "upgrade" | "plugin") {
        draft.become_(if has("list") { Capability::Inspect } else { Capability::Package });
    } else if matches!(first, "version" | "help" | "info" | "feedback" | "topic") {
        draft.become_(Capability::Inspect);
    } else if matches!(first, "storage") && words.iter().any(|word| matches!(*word, "cp" | "mv" | "rsync" | "cat" | "upload" | "download" | "sign-url")) {
        storage::run(draft, parsed, scene);
    } else {
        by_verb(draft, scene, &words);
    }
    let public = parsed.args.iter().any(|arg| matches!(arg.prefix(), "allUsers" | "allAuthenticatedUsers" | "--allow-unauthenticated"));
    if public {
        draft.blast.exposure = Exposure::CanExfiltrate;
        draft.note("opens it to everyone");
    }
}

/// The first word that is a verb decides.
fn by_verb(draft: &mut Draft, scene: &Scene<'_>, words: &[&str]) {
    let root = words.first().copied().unwrap_or_default();
    for word in words {
        if READS.contains(word) {
            return verb::looks(draft, Capability::Cloud);
        }
        if DESTROYS.contains(word) {
            let whole = matches!(root, "projects" | "group" | "sql" | "container" | "aks" | "databases" | "volume" | "storage");
            return verb::destroys(draft, Capability::Cloud, if whole { Scale::Sweeping } else { Scale::Many });
        }
        if CHANGES.contains(word) {
            return draft.become_(Capability::Cloud);
        }
    }
    draft.opaque(Some(scene.span), "a subcommand that is not known");
}
