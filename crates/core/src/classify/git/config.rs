//! git's configuration: which keys run programs, hold credentials or decide where pushes go.

use super::operands;
use crate::action::{Capability, Mark, Role, Undo};
use crate::classify::arg::Arg;
use crate::classify::draft::{self, Draft};
use crate::classify::program::{Nested, Scene};
use crate::classify::usage::Parsed;
use leastgrant_shell::Value;

/// What a key's value does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// nothing
    No,
    /// it is a command
    Command,
    /// it decides which programs run, or what is trusted
    Decides,
}

/// Whether this key (any letter case) runs programs.
fn runs(key: &str) -> Runs {
    let key = key.to_ascii_lowercase();
    let section = key.split('.').next().unwrap_or_default();
    let name = key.rsplit('.').next().unwrap_or_default();
    let deep = key.matches('.').count() > 1;
    match (section, name) {
        (
            "core",
            "pager"
            | "editor"
            | "sshcommand"
            | "fsmonitor"
            | "gitproxy"
            | "askpass"
            | "externaldiff"
            | "alternaterefscommand",
        ) => Runs::Command,
        ("core", "hookspath" | "attributesfile" | "worktree" | "protecthfs" | "protectntfs") => Runs::Decides,
        ("alias" | "pager", _) => Runs::Command,
        ("credential", "username" | "usehttppath") => Runs::No,
        ("credential", _) => Runs::Command,
        ("gpg", "program" | "defaultkeycommand") => Runs::Command,
        ("gpg", "format" | "mintrustlevel" | "allowedsignersfile" | "revocationfile") => Runs::No,
        ("gpg" | "guitool" | "browser" | "man" | "instaweb", _) => Runs::Command,
        ("diff", "external") => Runs::Command,
        ("diff", "command" | "textconv") if deep => Runs::Command,
        (
            "difftool" | "mergetool",
            "prompt" | "trustexitcode" | "keepbackup" | "keeptemporaries" | "writetotemp" | "guidefault",
        ) => Runs::No,
        ("difftool" | "mergetool" | "filter", _) => Runs::Command,
        ("diff" | "merge", "tool" | "guitool") => Runs::No,
        ("merge", "driver") => Runs::Command,
        ("trailer", "command" | "cmd") => Runs::Command,
        ("sequence", "editor") | ("interactive", "difffilter") => Runs::Command,
        ("uploadpack", "packobjectshook") | ("uploadarchive" | "receive" | "fetch", "hook") => Runs::Command,
        ("uploadpack" | "receive", _) => Runs::Decides,
        ("remote", "uploadpack" | "receivepack" | "vcs" | "proxy") => Runs::Command,
        ("sendemail", name) if name.ends_with("cmd") || name == "smtpserver" || name == "sendmailcmd" => Runs::Command,
        ("submodule", "update") if deep => Runs::Command,
        ("protocol", "version") => Runs::No,
        ("tar", "command") | ("imap", "tunnel") => Runs::Command,
        ("lfs", "path" | "args" | "clean" | "smudge" | "standalonetransferagent") => Runs::Command,
        ("http", "proxy" | "sslcainfo" | "sslverify" | "curloptresolve") => Runs::Decides,
        ("protocol" | "include" | "includeif" | "safe", _) => Runs::Decides,
        ("url", "insteadof" | "pushinsteadof") => Runs::Decides,
        ("init", "templatedir") | ("ssh", "variant") | ("help", "browser" | "autocorrect") | ("web", "browser") => {
            Runs::Decides
        }
        ("hook", _) => Runs::Command,
        _ => Runs::No,
    }
}

/// Values that start nothing: they turn a program off or name one that only prints.
fn harmless(key: &str, value: &Value) -> bool {
    let Some(text) = value.exact() else { return false };
    let key = key.to_ascii_lowercase();
    let off = matches!(text.to_ascii_lowercase().as_str(), "" | "false" | "no" | "off" | "0");
    match key.as_str() {
        "core.fsmonitor" => off || matches!(text, "true" | "1" | "yes" | "on"),
        "core.pager" | "interactive.difffilter" => {
            matches!(text, "" | "cat" | "less" | "less -F" | "less -FRX" | "less -R")
        }
        "core.editor" | "sequence.editor" => matches!(text, "true" | ":" | "cat"),
        "core.askpass" | "diff.external" | "credential.helper" => text.is_empty(),
        "core.hookspath" => text == "/dev/null",
        "http.sslverify" => !off,
        _ if key.starts_with("pager.") => off || matches!(text, "true" | "cat"),
        _ if key.starts_with("alias.") => !text.trim_start().starts_with('!'),
        _ if key.starts_with("protocol.") => matches!(text, "never" | "user"),
        _ => false,
    }
}

/// Whether the key decides where later fetches and pushes go.
fn routes(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let name = key.rsplit('.').next().unwrap_or_default();
    key.starts_with("remote.")
        || key.starts_with("lfs.") && name.ends_with("url")
        || key.starts_with("branch.") && matches!(name, "remote" | "pushremote")
        || key.starts_with("submodule.") && name == "url"
}

/// Whether the key's value is a credential.
fn credential(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["token", "password", "passwd", "secret", "credential", "extraheader", "smtppass", "apikey", "oauth", "cookiefile"]
        .iter()
        .any(|word| key.contains(word))
        && !key.ends_with("credential.helper")
}

fn privileged(draft: &mut Draft) {
    if draft.capability != Capability::Privilege {
        draft.become_(Capability::Privilege);
    }
    draft.mark(Mark::Privilege);
}

/// `-c key=value`, `--config-env=key=NAME`, `--exec-path=FOLDER` and `clone -c`, wherever they stand.
pub(super) fn given(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let clone = parsed.path.first() == Some(&"clone");
    for found in &parsed.options {
        let global = found.row.is_some_and(|row| {
            parsed.chain.first().is_some_and(|usage| usage.options.iter().any(|option| std::ptr::eq(option, row)))
        });
        match (found.name.as_str(), &found.value) {
            ("-c", Some(value)) if global || clone => one(draft, scene, value),
            ("--config-env", Some(value)) => from_environment(draft, value),
            ("--exec-path", Some(value)) => {
                privileged(draft);
                draft.opaque(Some(value.span), "git's own programs are taken from another folder");
            }
            _ => {}
        }
    }
}

/// `key=value`; without `=` the value is true.
fn one(draft: &mut Draft, scene: &mut Scene<'_>, arg: &Arg) {
    let text = arg.prefix();
    let (key, value) = match text.find('=') {
        Some(at) => (text.get(..at).unwrap_or_default(), arg.after(at + 1)),
        None if arg.exact().is_some() => (text, Arg::text("true", arg.span)),
        None => {
            privileged(draft);
            draft.opaque(Some(arg.span), "which configuration this sets is not known");
            return;
        }
    };
    let what = runs(key);
    if credential(key) {
        draft.note("carries a secret in clear");
    }
    if routes(key) && !matches!(what, Runs::Command) {
        draft.blast.undo = draft.blast.undo.max(Undo::Hard);
        draft.note("sends to another address than the configured one");
    }
    if what == Runs::No || harmless(key, &value.value) {
        return;
    }
    privileged(draft);
    draft.note(&format!("`{key}` makes git run a program"));
    draft.opaque(Some(arg.span), format!("`{key}` makes git run a program"));
    if what != Runs::Command {
        return;
    }
    let alias = key.to_ascii_lowercase().starts_with("alias.");
    let shell = match value.exact() {
        Some(text) => text.strip_prefix('!').or((!alias).then_some(text)).map(str::to_owned),
        None => return,
    };
    if let Some(shell) = shell.filter(|shell| !shell.trim().is_empty()) {
        let skip = usize::from(value.prefix().starts_with('!'));
        let text = Arg { value: Value::Exact(shell), ..value.after(skip) };
        scene.nested.push(Nested::Shell { text, positional: Vec::new() });
    }
}

fn from_environment(draft: &mut Draft, arg: &Arg) {
    let key = arg.prefix().split('=').next().unwrap_or_default();
    if arg.exact().is_none() && !arg.prefix().contains('=') || runs(key) != Runs::No {
        privileged(draft);
        draft.opaque(Some(arg.span), "configuration from the environment makes git run a program");
    }
}

/// What `git config` is asked to do.
enum Asked {
    Get,
    List,
    Set,
    Unset,
    Rename,
    Edit,
}

/// `git config`, in its old spelling and the new one.
pub(super) fn command(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let mut words = operands(parsed);
    let verb = words.first().and_then(|arg| arg.exact()).unwrap_or_default().to_owned();
    let named =
        matches!(verb.as_str(), "list" | "get" | "set" | "unset" | "rename-section" | "remove-section" | "edit");
    if named {
        words.remove(0);
    }
    let asked = match verb.as_str() {
        "list" => Asked::List,
        "get" if parsed.has(&["--regexp"]) => Asked::List,
        "get" => Asked::Get,
        "set" => Asked::Set,
        "rename-section" => Asked::Rename,
        "unset" | "remove-section" => Asked::Unset,
        "edit" => Asked::Edit,
        _ => by_option(parsed, words.len()),
    };
    let key = words.first().copied();
    match asked {
        Asked::Edit => {
            draft.become_(Capability::VcsWrite);
            draft.blast.undo = Undo::Hard;
            draft.opaque(Some(scene.span), "opens an editor");
        }
        Asked::List => listed(draft, parsed, key),
        Asked::Get => {
            if key.is_none_or(|key| key.exact().is_none_or(credential)) {
                draft::reads_secret(draft, "prints a credential from the configuration");
            }
        }
        Asked::Set => set(draft, key, words.get(1).copied()),
        Asked::Rename => {
            privileged(draft);
            draft.note("under another name a setting can make git run a program");
        }
        Asked::Unset => {
            draft.become_(Capability::VcsWrite);
            draft.blast.undo =
                if key.is_none_or(|key| key.exact().is_none_or(routes)) { Undo::Hard } else { Undo::Easy };
            draft.blast.scale = crate::action::Scale::Single;
        }
    }
    scope(draft, parsed, scene, matches!(asked, Asked::Get | Asked::List));
}

fn by_option(parsed: &Parsed<'_>, words: usize) -> Asked {
    if parsed.has(&["-l", "--list", "--get-regexp"]) {
        Asked::List
    } else if parsed.has(&["-e", "--edit"]) {
        Asked::Edit
    } else if parsed.has(&["--get", "--get-all", "--get-urlmatch", "--get-color", "--get-colorbool"]) {
        Asked::Get
    } else if parsed.has(&["--rename-section"]) {
        Asked::Rename
    } else if parsed.has(&["--unset", "--unset-all", "--remove-section"]) {
        Asked::Unset
    } else if words > 1 || parsed.has(&["--add", "--replace-all"]) {
        Asked::Set
    } else {
        Asked::Get
    }
}

/// A list prints what stands in addresses and headers, unless it shows names only or a part without credentials.
fn listed(draft: &mut Draft, parsed: &Parsed<'_>, pattern: Option<&Arg>) {
    if parsed.has(&["--name-only"]) {
        return;
    }
    const PLAIN: &[&str] =
        &["user", "core", "alias", "branch", "color", "merge", "pull", "push", "init", "diff", "commit", "submodule"];
    let narrow = pattern.and_then(Arg::exact).is_some_and(|text| {
        let text = text.trim_start_matches('^');
        let head: String = text.chars().take_while(char::is_ascii_alphanumeric).collect();
        PLAIN.contains(&head.as_str()) && !credential(text) && !text.contains('|')
    });
    if !narrow {
        draft::reads_secret(draft, "prints the configuration, credentials in it among them");
        draft.safer = Some(String::from("ask for the one key you need: `git config --get KEY`"));
    }
}

fn set(draft: &mut Draft, key: Option<&Arg>, value: Option<&Arg>) {
    draft.become_(Capability::VcsWrite);
    draft.blast.scale = crate::action::Scale::Single;
    let Some(name) = key.and_then(Arg::exact) else {
        privileged(draft);
        draft.opaque(key.map(|key| key.span), "which configuration this sets is not known");
        return;
    };
    let what = runs(name);
    let off = value.is_some_and(|value| harmless(name, &value.value));
    if what != Runs::No && !off {
        privileged(draft);
        draft.note(&format!("`{name}` makes later git commands run a program"));
    }
    if routes(name) {
        draft.blast.undo = draft.blast.undo.max(Undo::Hard);
        draft.note("later pushes may go elsewhere");
    }
    if credential(name) {
        draft.note("stores a secret in clear");
    }
}

/// Whose configuration it is.
fn scope(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>, reads: bool) {
    let role = if reads { Role::Read } else { Role::Write };
    if parsed.has(&["--system"]) && !reads {
        privileged(draft);
    }
    if parsed.has(&["--global"]) && !reads {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text("~/.gitconfig", scene.span), role);
    }
    if let Some(file) = parsed.value(&["-f"]) {
        draft::add_path(draft, scene.world, &scene.cwd, file, role);
    }
}
