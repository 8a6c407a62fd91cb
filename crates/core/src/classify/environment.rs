//! Environment that makes other programs run something else: `LD_PRELOAD`, `PATH`, `BASH_ENV`, `NODE_OPTIONS`, …

use leastgrant_shell::{Cwd, Value};

use super::draft::{self, Draft};
use super::shell::Layer;
use crate::action::{Capability, Mark};
use crate::control;
use crate::path::{self, Zone};
use crate::world::World;

/// Names that redirect execution (source: parity table §7.3, with ours added).
const NAMES: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "SHELL",
    "IFS",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "CDPATH",
    "GLOBIGNORE",
    "HOME",
    "USERPROFILE",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "DIFFTOOL",
    "MERGETOOL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "FTP_PROXY",
    "KUBECONFIG",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CLOUDSDK_CONFIG",
    "VAULT_ADDR",
    "VAULT_TOKEN",
    "LESSOPEN",
    "RIPGREP_CONFIG_PATH",
    "BAT_PAGER",
    "BAT_CONFIG_PATH",
    "BAT_CONFIG_DIR",
    "ACK_PAGER",
    "ACK_PAGER_COLOR",
    "ACKRC",
    "ACK_OPTIONS",
    "DELTA_PAGER",
    "DELTA_FEATURES",
    "SYSTEMD_PAGER",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "GH_PAGER",
    "GH_EDITOR",
    "GH_BROWSER",
    "GH_CONFIG_DIR",
    "GH_PATH",
    "GLAB_PAGER",
    "GLAB_CONFIG_DIR",
    "FZF_DEFAULT_COMMAND",
    "FZF_DEFAULT_OPTS",
    "FZF_DEFAULT_OPTS_FILE",
    "CURL_HOME",
    "WGETRC",
    "HTTPIE_CONFIG_DIR",
    "XH_CONFIG_DIR",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "ZIPOPT",
    "UNZIP",
    "UNZIPOPT",
    "LESSKEY",
    "LESSKEYIN",
    "LESSKEY_CONTENT",
    "LESSEDIT",
    "LESSMETACHARS",
    "SVN_EDITOR",
    "SVN_SSH",
    "HGEDITOR",
    "HGRCPATH",
    "HGMERGE",
    "JJ_EDITOR",
    "JJ_CONFIG",
    "CVS_RSH",
    "P4EDITOR",
    "VIMINIT",
    "EXINIT",
    "MYVIMRC",
    "LUA_INIT",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "ERL_AFLAGS",
    "ERL_FLAGS",
    "ELIXIR_ERL_OPTIONS",
    "R_PROFILE",
    "R_PROFILE_USER",
    "R_ENVIRON_USER",
    "BUNDLE_GEMFILE",
    "GTK_MODULES",
    "KUBE_EDITOR",
    "TF_CLI_CONFIG_FILE",
    "ANSIBLE_CONFIG",
    "TMUX_CONF",
    "INPUTRC",
    "SUDO_EDITOR",
    "FCEDIT",
    "BASH_LOADABLES_PATH",
    "HISTFILE",
    "MAILCAPS",
    "W3M_PAGER",
    "DOCKER_CONTEXT",
    "GH_HOST",
    "GITLAB_HOST",
    "SVN_MERGE",
    "LESSCLOSE",
    "MANPAGER",
    "PROMPT",
    "RPROMPT",
    "ZDOTDIR",
    "FPATH",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CC",
    "CXX",
    "LD",
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "TAR_OPTIONS",
    "RSYNC_RSH",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "GOFLAGS",
    "TERM_PROGRAM_PATH",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "LEASTGRANT_HOME",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "TF_CLI_CONFIG_FILE",
    "PGSERVICEFILE",
    "MYSQL_HOME",
    "ANSIBLE_CONFIG",
    "MAKEFILES",
    "CLASSPATH",
    "OPENSSL_CONF",
    "VIMINIT",
    "EXINIT",
    "BUN_OPTIONS",
    "DENO_DIR",
    "HELM_PLUGINS",
];
const PREFIXES: &[&str] = &[
    "GIT_",
    "LD_",
    "DYLD_",
    "PYTHON",
    "PERL5",
    "PERLLIB",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_",
    "JAVA_",
    "_JAVA",
    "JDK_JAVA",
    "DOTNET_",
    "NPM_CONFIG_",
    "AWS_",
    "AZURE_",
    "PSMODULE",
    "BASH_FUNC_",
    "CARGO_TARGET_",
    "LEASTGRANT_",
];
/// Names that begin like one of those and are known to be harmless.
const EXEMPT: &[&str] = &[
    "NODE_ENV",
    "NODE_NO_WARNINGS",
    "NODE_DISABLE_COLORS",
    "PYTHONUNBUFFERED",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONWARNINGS",
    "GIT_TERMINAL_PROMPT",
    "GIT_ADVICE",
    "GIT_PAGER_IN_USE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PAGER",
    "AWS_DEFAULT_OUTPUT",
    "AWS_PROFILE",
    "JAVA_OPTS_APPEND",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "DOTNET_CLI_TELEMETRY_OPTOUT",
    "DOTNET_NOLOGO",
    "GIT_OPTIONAL_LOCKS",
];
/// Values that only silence a pager or an editor.
const HARMLESS_VALUES: &[(&str, &[&str])] = &[
    ("PAGER", &["cat", ""]),
    ("GIT_PAGER", &["cat", ""]),
    ("MANPAGER", &["cat", ""]),
    ("GH_PAGER", &["cat", ""]),
    ("GLAB_PAGER", &["cat", ""]),
    ("BAT_PAGER", &["cat", ""]),
    ("DELTA_PAGER", &["cat", ""]),
    ("SYSTEMD_PAGER", &["cat", ""]),
    ("PSQL_PAGER", &["cat", ""]),
    ("HISTFILE", &["", "/dev/null"]),
    ("EDITOR", &["true", ":", "cat"]),
    ("VISUAL", &["true", ":", "cat"]),
    ("GIT_EDITOR", &["true", ":", "cat"]),
    ("GIT_SEQUENCE_EDITOR", &["true", ":"]),
    ("IFS", &["", " ", "\n", "\t", ",", ":", "|", "=", " \t\n", ";", "/"]),
    ("BROWSER", &["none", "echo", "true"]),
];

/// Names among the assignments that inject code, in words.
#[must_use]
pub fn injections(assigned: &[(String, Value)], cwd: &Cwd, world: &dyn World) -> Vec<String> {
    assigned
        .iter()
        .filter(|(name, value)| injects(name, value, cwd, world))
        .map(|(name, _)| format!("`{name}` changes what other programs run"))
        .chain(assigned.iter().filter_map(|(name, value)| control::agent_off_switch_env(name, value.exact())))
        .collect()
}

fn injects(name: &str, value: &Value, cwd: &Cwd, world: &dyn World) -> bool {
    let upper = name.to_ascii_uppercase();
    if EXEMPT.contains(&upper.as_str()) {
        return false;
    }
    if let Some(text) = value.exact()
        && HARMLESS_VALUES.iter().any(|row| row.0 == upper && row.1.contains(&text))
    {
        return false;
    }
    if upper == "NODE_OPTIONS"
        && value
            .exact()
            .is_some_and(|text| text.split_whitespace().all(|word| word.starts_with("--max-old-space-size=")))
    {
        return false;
    }
    // `less` does what a `+` in it says as if it were typed
    if upper == "LESS" || upper == "MORE" {
        return value
            .exact()
            .is_none_or(|text| !text.chars().all(|letter| "-FRXSiIMmJNnqQcCdeEsuUwWgGh0123456789# ".contains(letter)));
    }
    if upper == "PATH" {
        return !path_stays_usual(value, cwd, world);
    }
    NAMES.contains(&upper.as_str())
        || upper.ends_with("PATH") && upper != "INFOPATH" && upper.contains("PATH") && upper.len() <= 16
        || PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

/// `PATH` keeps only folders of the system or of the person's own tools, and the old value.
fn path_stays_usual(value: &Value, cwd: &Cwd, world: &dyn World) -> bool {
    let text = match value {
        Value::Exact(text) | Value::Prefix(text) => text,
        Value::OneOf(_) | Value::Matches(_) | Value::Unknown => return false,
    };
    let mut parts: Vec<&str> = text.split(':').collect();
    if matches!(value, Value::Prefix(_)) {
        // `/usr/local/bin:$PATH`: the unknown rest is the old value or something of which nothing is known; only a
        // prefix that ends at a colon keeps its own parts whole
        if parts.pop().is_some_and(|last| !last.is_empty()) {
            return false;
        }
    }
    parts.iter().all(|part| {
        let Some(Some(folder)) = draft::folders(cwd).first().copied() else { return part.starts_with("/usr/") };
        let place = path::place(world, Some(folder), part);
        match place.zone {
            Zone::System => true,
            Zone::Home => {
                let below = place.lexical.as_deref().unwrap_or_default();
                TOOL_FOLDERS.iter().any(|end| below.ends_with(end))
            }
            _ => false,
        }
    })
}

/// Where people's own tools are installed, below their home.
const TOOL_FOLDERS: &[&str] = &[
    "/.cargo/bin",
    "/.local/bin",
    "/go/bin",
    "/.bun/bin",
    "/.deno/bin",
    "/.local/share/mise/shims",
    "/.pyenv/shims",
    "/.pyenv/bin",
    "/.rbenv/shims",
    "/.volta/bin",
    "/.asdf/shims",
    "/.dotnet/tools",
    "/.local/share/pnpm",
    "/Library/pnpm",
];

/// Marks a draft with what was injected.
pub fn inject(draft: &mut Draft, injected: &[String]) {
    draft.mark(Mark::Injection);
    draft.at_least(Capability::Unknown);
    for words in injected {
        draft.note(words);
    }
}

/// Whether a program in this folder is one of the person's own tools.
#[must_use]
pub fn is_tool_folder(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folder, _)| TOOL_FOLDERS.iter().any(|end| folder.ends_with(end)))
}

/// The layer that carries injected environment to the command below it.
#[must_use]
pub fn layer(injected: &[String]) -> Layer {
    Layer {
        effects: Vec::new(),
        targets: Vec::new(),
        marks: vec![Mark::Injection],
        sweeps_secrets: None,
        elsewhere: false,
        opaque: None,
        name: injected.join(", "),
    }
}
