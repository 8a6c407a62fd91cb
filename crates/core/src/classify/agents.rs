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

/// Subcommands of leastgrant that only look; every other one is a person's.
const LOOKS: &[&str] = &[
    "check",
    "why",
    "explain",
    "status",
    "doctor",
    "trail",
    "knowledge",
    "simulate",
    "rules",
    "help",
    "version",
    "replay",
    "benchmark",
    "compat",
    "completions",
    "schema",
];

fn own(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let first = parsed.args.first();
    let text = first.and_then(Arg::exact);
    let second = parsed.args.get(1).and_then(Arg::exact).unwrap_or_default();
    let changes = parsed.args.iter().skip(1).any(|arg| {
        arg.exact().is_none()
            || matches!(
                arg.exact(),
                Some(
                    "--fix"
                        | "--write"
                        | "--apply"
                        | "--repair"
                        | "--out"
                        | "-o"
                        | "--output"
                        | "--force"
                        | "--record"
                        | "--learn"
                        | "--rebuild"
                        | "--erase"
                        | "--prune"
                        | "--update"
                        | "--accept"
                )
            )
    });
    let group = matches!(text, Some("rules" | "trail" | "knowledge" | "persona" | "compat" | "simulate"));
    let deeper = [
        "add", "remove", "rm", "set", "allow", "deny", "edit", "import", "clear", "erase", "export", "arm", "disarm",
        "run", "reset", "prune", "delete", "verify", "rebuild", "new", "init", "approve", "revoke", "expire",
    ];
    let looks = match text {
        None if first.is_none() => true,
        Some("--version" | "-V" | "--help" | "-h") => true,
        Some("persona") => matches!(second, "status" | "show" | "list" | "check" | "help"),
        Some(name) if LOOKS.contains(&name) => !(changes || group && deeper.contains(&second)),
        _ => parsed.args.len() == 2 && matches!(second, "--help" | "-h"),
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
