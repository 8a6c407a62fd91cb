//! Other coding agents, and leastgrant itself.

use super::arg::Arg;
use super::code::Code;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Mark, Reach};
use crate::control;

pub(super) const CODES: &[(&str, Code)] =
    &[("agents.spawn", spawn), ("agents.own", own), ("agents.workmux_run", workmux_run)];

/// Starting another agent: what its flags switch off, and subcommands that do something else.
fn spawn(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = verb::program(scene);
    let texts: Vec<&str> = parsed.args.iter().map(Arg::prefix).collect();
    if let Some(why) = control::agent_off_switch(&program, &texts) {
        draft.mark(Mark::AgentOffSwitch);
        draft.note(&why);
    }
    let unknown_option = parsed
        .args
        .iter()
        .take_while(|arg| !verb::is(arg, &["--"]))
        .any(|arg| arg.exact().is_none() && (arg.split || arg.prefix().starts_with('-')));
    if unknown_option {
        draft.opaque(Some(scene.span), "an option that is not known could switch its guards off");
    }
    let off = parsed.args.iter().any(|arg| match arg.prefix() {
        "--dangerously-skip-permissions"
        | "--allow-dangerously-skip-permissions"
        | "--dangerously-bypass-approvals-and-sandbox"
        | "--dangerously-bypass-hook-trust"
        | "--yolo"
        | "--full-auto"
        | "--allow-all-tools"
        | "--allow-all"
        | "--allow-all-paths"
        | "--yes-always"
        | "--bare"
        | "--trust-all-tools"
        | "--dangerously-allow-all"
        | "--no-hooks" => true,
        text => {
            let plain: String =
                text.chars().filter(|letter| !letter.is_whitespace() && !matches!(letter, '"' | '\'')).collect();
            plain.contains("disableAllHooks") && !plain.contains("disableAllHooks:false")
                || plain.contains("features.hooks=false")
                || matches!(
                    plain.as_str(),
                    "bypassPermissions"
                        | "danger-full-access"
                        | "yolo"
                        | "--approval-mode=yolo"
                        | "--permission-mode=bypassPermissions"
                        | "--sandbox=danger-full-access"
                        | "--ask-for-approval=never"
                        | "-anever"
                )
                || plain.starts_with("approval_policy=never")
                || plain.starts_with("sandbox_mode=danger")
        }
    });
    let never = parsed.value(&["-a", "--ask-for-approval"]).is_some_and(|value| verb::is(value, &["never"]));
    let yes = matches!(program.as_str(), "gemini" | "qwen") && parsed.args.iter().any(|arg| verb::is(arg, &["-y"]));
    let no_sources = parsed
        .value(&["--setting-sources"])
        .is_some_and(|value| value.exact().is_none_or(|text| !text.contains("user")));
    if off || never || yes || no_sources {
        draft.mark(Mark::AgentOffSwitch);
        draft.note("without asking a person, or without its hooks");
    }
    subcommand(draft, parsed, scene);
}

/// Subcommands of agents that do not start a session.
fn subcommand(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    let prompt = parsed.has(&["-p", "--print", "--prompt", "-i", "--message", "-f"]);
    if prompt || !draft.marks.is_empty() {
        return;
    }
    let asks = matches!(second, "list" | "get" | "ls" | "show" | "status" | "path" | "help");
    match first {
        "mcp" | "plugin" | "plugins" | "extensions" | "extension" | "marketplace" | "skills" | "skill" | "hooks"
        | "features"
            if asks =>
        {
            draft.become_(Capability::Inspect);
        }
        "mcp" if matches!(second, "serve" | "") => draft.become_(Capability::Process),
        "mcp" | "plugin" | "plugins" | "extensions" | "extension" | "marketplace" | "skills" | "skill" | "hooks"
        | "features" => {
            draft.become_(Capability::Package);
            draft.mark(Mark::Persistence);
            draft.note("changes what the agent starts from now on");
        }
        "config" if asks || second.is_empty() => draft.become_(Capability::Inspect),
        "config" => {
            draft.become_(Capability::WriteOutside);
            draft.mark(Mark::Persistence);
            draft.note("changes the agent's settings");
        }
        "doctor" | "version" | "help" | "models" | "completion" | "stats" | "agents" | "sessions" | "about"
        | "status" => {
            draft.become_(Capability::Inspect);
        }
        "login" | "logout" | "auth" | "setup-token" => draft.become_(Capability::SecretRead),
        "update" | "upgrade" | "install" | "migrate-installer" | "uninstall" => {
            draft.become_(Capability::Package);
            draft.blast.undo = crate::action::Undo::Hard;
        }
        "sandbox" | "debug" | "serve" | "web" | "app-server" | "mcp-server" | "attach" | "remote-control" | "cloud"
        | "acp" => {
            draft.opaque(Some(scene.span), "a mode of the agent that is not known");
        }
        _ => draft.blast.reach = draft.blast.reach.max(Reach::Network),
    }
}

/// Subcommands of leastgrant that only look, whatever follows.
const ASKS: &[&str] = &["check", "explain", "why", "knowledge", "help", "version", "completions"];
/// Subcommands that only look with nothing but plain options behind them.
const LOOKS: &[&str] = &[
    "status",
    "doctor",
    "trail",
    "rules",
    "simulate",
    "replay",
    "benchmark",
    "compat",
    "schema",
    "persona",
    "pending",
    "bundles",
];
/// Options that change nothing.
const PLAIN: &[&str] = &[
    "--json",
    "--no-color",
    "--color",
    "-h",
    "--help",
    "--brief",
    "--all",
    "-a",
    "-n",
    "--limit",
    "--since",
    "--verbose",
    "-v",
    "--quiet",
    "-q",
    "--agent",
    "--project",
    "--global",
    "--user",
    "--here",
    "--exit-code",
    "--unattended",
    "--cwd",
    "--tool",
    "--input",
    "--mode",
];
/// Words behind a looking subcommand that only look too.
const SHOWS: &[&str] = &["status", "show", "list", "check", "help", "ls"];

/// leastgrant itself: an allow-list of looking, everything else is a person's.
fn own(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let at = parsed.args.iter().position(|arg| !verb::is(arg, &["--json", "--no-color"])).unwrap_or(parsed.args.len());
    let rest = parsed.args.get(at + 1..).unwrap_or_default();
    let plain = || {
        rest.iter().all(|arg| {
            arg.exact().is_some_and(|text| {
                let name = text.split('=').next().unwrap_or(text);
                if text.starts_with('-') {
                    PLAIN.contains(&name)
                } else {
                    SHOWS.contains(&text) || text.chars().all(|letter| letter.is_ascii_digit())
                }
            })
        })
    };
    let looks = match parsed.args.get(at).map(Arg::exact) {
        None => true,
        Some(None) => false,
        Some(Some("--version" | "-V" | "--help" | "-h")) => true,
        Some(Some(name)) if ASKS.contains(&name) => true,
        Some(Some(name)) if LOOKS.contains(&name) => (name != "persona" || !rest.is_empty()) && plain(),
        Some(Some(_)) => rest.len() == 1 && rest.iter().all(|arg| verb::is(arg, &["--help", "-h"])),
    };
    if looks {
        draft.marks.retain(|mark| *mark != Mark::OwnCommand);
        draft.notes.clear();
        draft.become_(Capability::Inspect);
    }
}

/// `workmux run NAME -- CMD…`
fn workmux_run(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    draft.targets.clear();
    if scene.command.is_none() {
        draft.silent = false;
        draft.opaque(Some(scene.span), "which command is run is not known");
    }
}
