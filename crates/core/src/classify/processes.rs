//! Processes, services, schedules and terminals.

use super::arg::Arg;
use super::code::Code;
use super::draft::Draft;
use super::program::{Nested, Scene, joined};
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Mark, Role, Scale, Undo};

pub(super) const CODES: &[(&str, Code)] = &[
    ("processes.kill", kill),
    ("processes.killall", killall),
    ("processes.taskkill", taskkill),
    ("processes.inspect", inspect),
    ("processes.log", log),
    ("processes.service", service),
    ("processes.later", later),
    ("processes.tmux", tmux),
];

/// Jobs of the same shell are one's own; a number could be anybody's process.
fn kill(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let mut args = parsed.args.iter().peekable();
    let mut own = true;
    let mut named = false;
    let mut asks = false;
    let mut wide = false;
    while let Some(arg) = args.next() {
        let text = arg.prefix();
        match text {
            "-l" | "-L" | "--list" | "--table" | "-0" | "--help" | "--version" => asks = true,
            "-s" | "--signal" | "-n" | "-q" => {
                asks |= args.next().is_some_and(|value| verb::is(value, &["0"]));
            }
            "--" => {}
            _ if text.starts_with('-') && !named && !is_number(text) => {}
            _ if text.starts_with('-') && !named && args.peek().is_some() => {}
            _ => {
                named = true;
                // `-1` behind a signal is every process
                wide |= text.starts_with('-') && is_number(text);
                own &= text.starts_with('%');
            }
        }
    }
    if asks {
        draft.become_(Capability::Inspect);
    } else if wide {
        verb::set(draft, Capability::Process, crate::action::Reach::Machine, Undo::Hard, Scale::Sweeping);
        draft.note("hits a whole group of processes, or every one");
    } else if !own {
        draft.blast.undo = Undo::Hard;
        draft.note("a process that this call did not start");
    }
}

fn is_number(text: &str) -> bool {
    text.trim_start_matches('-').chars().all(|letter| letter.is_ascii_digit())
}

fn killall(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    if parsed.args.iter().any(|arg| verb::is(arg, &["-0", "-l", "--list", "--help", "--version", "-V"])) {
        draft.become_(Capability::Inspect);
        draft.notes.clear();
        draft.safer = None;
    }
}

fn taskkill(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let lower: Vec<String> = parsed.args.iter().map(|arg| arg.prefix().to_ascii_lowercase()).collect();
    let has = |words: &[&str]| lower.iter().any(|arg| words.contains(&arg.as_str()));
    if verb::program(scene) == "wmic" {
        if has(&["call", "create", "delete", "set", "terminate"]) {
            draft.opaque(Some(scene.span), "starts, changes or ends something by the system's own interface");
        } else {
            draft.become_(Capability::Inspect);
        }
    } else if has(&["/im", "-im", "/fi", "-name", "/t"]) {
        draft.blast.scale = Scale::Many;
        draft.note("hits every process of that name");
    }
}

/// What looks, and the options of lookers that do not.
fn inspect(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let given = |names: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, names));
    let starts = |start: &str| parsed.args.iter().any(|arg| arg.prefix().starts_with(start));
    match verb::program(scene).as_str() {
        "ps" => {
            let first = parsed.args.first().map(Arg::prefix).unwrap_or_default();
            let bsd = !first.starts_with('-')
                && first.contains('e')
                && first.chars().all(|letter| letter.is_ascii_alphabetic());
            let named =
                parsed.args.iter().any(|arg| arg.prefix().split(',').any(|field| matches!(field, "environ" | "env")));
            if bsd || named || given(&["-E", "-wE", "e", "eww"]) {
                verb::prints_secret(draft, "prints the environment of processes, credentials among it");
            }
        }
        "fuser"
            if given(&["-k", "--kill"])
                || parsed.args.iter().any(|arg| arg.prefix().starts_with('-') && arg.prefix().contains('k')) =>
        {
            verb::set(draft, Capability::Process, crate::action::Reach::Machine, Undo::Hard, Scale::Many);
        }
        "ss" if given(&["-K", "--kill"]) => draft.become_(Capability::Process),
        "dmesg" if given(&["-C", "-c", "--clear", "--read-clear", "-n", "-D", "-E"]) => {
            verb::privileged(draft, "changes the kernel's log")
        }
        "nvidia-smi" | "rocm-smi"
            if starts("--gpu-reset")
                || starts("-r")
                || starts("-p")
                || starts("--set")
                || given(&["-pl", "-pm", "-mig"]) =>
        {
            draft.become_(Capability::Process);
            draft.blast.undo = Undo::Hard;
        }
        "jmap" | "jcmd" | "jstack"
            if starts("-dump") || given(&["GC.heap_dump", "JFR.start", "JFR.dump", "VM.set_flag"]) =>
        {
            draft.become_(Capability::Process);
            draft.blast.undo = Undo::Hard;
            draft.note("writes or changes something of a running program");
        }
        _ => {}
    }
}

fn log(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    match verb::program(scene).as_str() {
        "log" if matches!(first, "erase" | "config" | "collect") => {
            verb::privileged(draft, "changes the machine's log")
        }
        "wevtutil" if matches!(first, "cl" | "clear-log" | "sl" | "um" | "im") => {
            verb::privileged(draft, "changes the machine's log")
        }
        "auditctl" if !words.is_empty() || parsed.args.len() > 1 => {
            verb::privileged(draft, "changes the machine's log")
        }
        _ => {}
    }
}

/// `service NAME VERB`, `launchctl VERB`, `sc VERB`, `net VERB` and settings of the machine.
fn service(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default().to_ascii_lowercase();
    let second =
        words.iter().filter(|word| !word.starts_with('-')).nth(1).copied().unwrap_or_default().to_ascii_lowercase();
    let program = verb::program(scene);
    let persists = |draft: &mut Draft| {
        draft.blast.undo = Undo::Hard;
        draft.mark(Mark::Persistence);
        draft.note("changes what starts with the machine");
    };
    match (program.as_str(), first.as_str(), second.as_str()) {
        ("service", _, "status") | ("service", "", _) | ("service", "status", _) => draft.become_(Capability::Inspect),
        ("service", _, "start" | "restart" | "reload" | "force-reload" | "try-restart") => {}
        ("service", _, "stop") => draft.blast.undo = Undo::Hard,
        (
            "launchctl",
            "list" | "print" | "blame" | "print-disabled" | "managername" | "manageruid" | "version" | "help"
            | "hostinfo" | "dumpstate",
            _,
        ) => {
            draft.become_(Capability::Inspect);
        }
        ("launchctl", "getenv" | "export", _) => draft.become_(Capability::SecretRead),
        (
            "launchctl",
            "load" | "bootstrap" | "enable" | "submit" | "setenv" | "disable" | "unload" | "bootout" | "remove"
            | "config",
            _,
        ) => persists(draft),
        ("launchctl", "start" | "kickstart", _) => {}
        ("launchctl", "stop" | "kill", _) => draft.blast.undo = Undo::Hard,
        ("sc", "query" | "queryex" | "qc" | "getdisplayname" | "enumdepend" | "qdescription", _) => {
            draft.become_(Capability::Inspect)
        }
        ("sc", "create" | "config" | "failure" | "delete" | "sdset", _) => persists(draft),
        ("sc", "start", _) | ("net", "start", _) => {}
        ("sc", "stop" | "pause", _) | ("net", "stop", _) => draft.blast.undo = Undo::Hard,
        ("net", "use" | "view" | "statistics" | "config" | "time" | "accounts" | "help" | "session" | "file", "") => {
            draft.become_(Capability::Inspect)
        }
        ("net", _, _) => verb::privileged(draft, "changes people, shares or services of the machine"),
        ("rc-update" | "chkconfig" | "update-rc.d" | "insserv" | "nssm", _, _) => {
            if matches!(first.as_str(), "show" | "--list" | "status" | "") {
                draft.become_(Capability::Inspect);
            } else {
                persists(draft);
            }
        }
        (
            "loginctl" | "networkctl" | "resolvectl" | "bootctl" | "coredumpctl" | "systemd-analyze" | "busctl"
            | "localectl" | "timedatectl" | "hostnamectl",
            _,
            _,
        ) => {
            let asks = first.is_empty()
                || first.starts_with("list")
                || first.starts_with("show")
                || matches!(
                    first.as_str(),
                    "status"
                        | "query"
                        | "statistics"
                        | "info"
                        | "tree"
                        | "introspect"
                        | "get-property"
                        | "blame"
                        | "time"
                        | "critical-chain"
                        | "dump"
                        | "verify"
                        | "timesync-status"
                        | "is-installed"
                        | "plot"
                        | "security"
                        | "calendar"
                        | "cat-config"
                );
            if asks {
                draft.become_(Capability::Inspect);
            } else {
                verb::privileged(draft, "changes settings of the machine");
            }
        }
        _ => draft.opaque(Some(scene.span), "a subcommand that is not known"),
    }
}

/// at, schtasks and queues.
fn later(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let lower: Vec<String> = parsed.args.iter().map(|arg| arg.prefix().to_ascii_lowercase()).collect();
    let has = |names: &[&str]| lower.iter().any(|arg| names.contains(&arg.as_str()));
    let program = verb::program(scene);
    let asks = match program.as_str() {
        "atq" => true,
        "at" | "batch" => has(&["-l", "-c", "-v"]) && !has(&["-d", "-r"]),
        "schtasks" => has(&["/query", "-query"]),
        "pueue" | "tsp" | "nq" => has(&["status", "log", "-l", "-s"]),
        _ => false,
    };
    if asks {
        draft.marks.clear();
        draft.become_(Capability::Inspect);
    } else if matches!(program.as_str(), "at" | "batch" | "nq" | "tsp" | "pueue" | "task-spooler")
        && !has(&["-d", "-r"])
    {
        draft.opaque(Some(scene.span), "runs later what it reads now");
    }
}

/// tmux and screen: what looks, what starts a command, what types into another terminal.
fn tmux(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = verb::program(scene);
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    if parsed.args.iter().any(|arg| arg.prefix().contains("#(")) {
        draft.opaque(Some(scene.span), "a format that runs a command");
    }
    if program != "tmux" && program != "tmate" && program != "byobu" {
        if parsed.args.iter().any(|arg| verb::is(arg, &["-ls", "-list", "list-sessions", "ls"])) {
            draft.become_(Capability::Inspect);
        } else {
            if words.is_empty() && !parsed.args.iter().any(|arg| verb::is(arg, &["-d", "-dm", "-D"])) {
                draft.mark(Mark::LaterInput);
            }
            draft.opaque(Some(scene.span), "another terminal, whose commands are not followed");
        }
        return;
    }
    match first {
        "" if scene.nested.is_empty() => {
            draft.mark(Mark::LaterInput);
            draft.opaque(Some(scene.span), "a terminal that reads what is typed later");
        }
        "ls" | "list-sessions" | "lsw" | "list-windows" | "lsp" | "list-panes" | "list-clients" | "lsc"
        | "has-session" | "has" | "capture-pane" | "capturep" | "display-message" | "display" | "show-options"
        | "show" | "show-buffer" | "list-keys" | "list-commands" | "info" | "show-messages" | "lsb"
        | "list-buffers" | "start-server" => {
            draft.become_(Capability::Inspect);
        }
        "show-environment" | "showenv" => draft.become_(Capability::SecretRead),
        "kill-session" | "kill-server" | "kill-pane" | "kill-window" | "killp" | "killw" | "respawn-pane"
        | "respawn-window" => {
            draft.blast.undo = Undo::Hard;
            if first.starts_with("respawn") {
                draft.opaque(Some(scene.span), "starts a command in another terminal");
            }
        }
        "new-session" | "new" | "new-window" | "neww" | "split-window" | "splitw" | "run-shell" | "run"
        | "if-shell" | "if" | "display-popup" | "popup" => {
            let commands = started(parsed, &["-s", "-n", "-t", "-c", "-x", "-y", "-F", "-e", "-l", "-p", "-f"]);
            let detached =
                parsed.args.iter().any(|arg| verb::is(arg, &["-d"])) || !first.starts_with("new-s") && first != "new";
            if !commands.is_empty() {
                scene
                    .nested
                    .push(Nested::Shell { text: joined(&commands.iter().collect::<Vec<_>>()), positional: Vec::new() });
            } else if !detached {
                draft.mark(Mark::LaterInput);
                draft.opaque(Some(scene.span), "a terminal that reads what is typed later");
            }
        }
        "rename-session" | "rename-window" | "select-window" | "select-pane" | "resize-pane" | "switch-client"
        | "detach-client" | "detach" | "set-buffer" | "move-window" | "swap-pane" | "select-layout"
        | "clear-history" | "renamew" | "wait-for" | "delete-buffer" => {}
        "save-buffer" | "saveb" => {
            for arg in parsed
                .operands
                .iter()
                .skip(1)
                .map(|operand| operand.1.clone())
                .filter(|arg| !arg.prefix().starts_with('-'))
                .collect::<Vec<_>>()
            {
                verb::path(draft, scene, &arg, Role::Write);
            }
        }
        _ => draft.opaque(Some(scene.span), "types into another terminal, or changes its settings"),
    }
}

/// The words behind the options of a tmux subcommand.
fn started(parsed: &Parsed<'_>, values: &[&str]) -> Vec<Arg> {
    let mut args = parsed.operands.iter().skip(1).map(|operand| operand.1.clone()).peekable();
    while let Some(arg) = args.peek() {
        if !arg.prefix().starts_with('-') {
            break;
        }
        let takes = verb::is(arg, values);
        args.next();
        if takes {
            args.next();
        }
    }
    args.collect()
}
