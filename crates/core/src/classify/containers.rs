//! Containers: what a run may touch of this machine, and which of the many subcommands only look.

mod mounts;

use super::arg::Arg;
use super::code::Code;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use super::verb::{self, after, runs, runs_as, words};
use crate::action::{Capability, Exposure, Reach, Role, Scale, Undo};
use crate::knowledge;

pub(super) const CODES: &[(&str, Code)] = &[
    ("containers.group", group),
    ("containers.container", container),
    ("containers.compose", compose),
    ("containers.run", run),
    ("containers.exec", exec),
    ("containers.inspect", inspect),
    ("containers.copy", copy),
    ("containers.build", build),
    ("containers.to_build", to_build),
    ("containers.machines", machines),
];

/// Subcommands of docker that hold others.
const GROUPS: &[&str] = &[
    "build",
    "buildx",
    "builder",
    "image",
    "container",
    "volume",
    "network",
    "system",
    "context",
    "compose",
    "manifest",
    "plugin",
    "swarm",
    "stack",
    "service",
    "node",
    "secret",
    "config",
    "trust",
    "pod",
    "machine",
    "kube",
    "play",
    "generate",
    "quadlet",
    "scout",
    "model",
    "mcp",
    "desktop",
    "sandbox",
    "init",
    "extension",
    "debug",
    "offload",
    "ai",
    "checkpoint",
    "farm",
    "artifact",
    "dev",
    "pass",
];

/// `docker GROUP …`: each group stands in the tables as a program of its own.
fn group(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    // a value of an option before it may look like a group: the first operand is the one
    let Some(at) = parsed.args.iter().position(|arg| verb::is(arg, GROUPS) && !is_value(parsed, arg)) else {
        verb::unknown(draft, scene, "a subcommand that is not known");
        return;
    };
    let rest = parsed.args.get(at + 1..).unwrap_or_default().to_vec();
    match parsed.args.get(at).and_then(Arg::exact).unwrap_or_default() {
        "compose" => runs_as(scene, "docker compose", &rest),
        "build" => runs_as(scene, "docker image-build", &rest),
        name => {
            let mut args = vec![Arg::text(name, scene.span)];
            args.extend(rest);
            runs_as(scene, "docker group", &args);
        }
    }
}

fn is_value(parsed: &Parsed<'_>, arg: &Arg) -> bool {
    parsed
        .options
        .iter()
        .any(|found| found.value.as_ref().is_some_and(|value| value.span == arg.span) && found.arg.span != arg.span)
}

/// `docker container run …` is `docker run …`.
fn container(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let rest = after(parsed.args, &["container"]).unwrap_or_default().to_vec();
    match rest.first().and_then(Arg::exact) {
        Some("prune") => {
            draft.silent = false;
            verb::set(draft, Capability::Container, Reach::Machine, Undo::Hard, Scale::Sweeping);
        }
        Some("ls" | "list") => runs_as(scene, "docker", &[Arg::text("ps", scene.span)]),
        Some("exists" | "checkpoint" | "stats" | "runlabel") => {
            draft.silent = false;
            draft.become_(Capability::Container);
        }
        _ => runs_as(scene, "docker", &rest),
    }
}

fn compose(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let rest = match verb::program(scene).as_str() {
        "docker group" => after(parsed.args, &["compose"]).unwrap_or_default().to_vec(),
        _ => parsed.args.to_vec(),
    };
    runs_as(scene, "docker compose", &rest);
}

fn to_build(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let rest =
        parsed.args.iter().position(|arg| verb::is(arg, &["build", "b"])).and_then(|at| parsed.args.get(at + 1..));
    let rest = rest.unwrap_or_default().to_vec();
    runs_as(scene, "docker image-build", &rest);
}

/// Capabilities of the kernel that open the machine.
const POWERS: &[&str] = &[
    "ALL",
    "SYS_ADMIN",
    "SYS_PTRACE",
    "SYS_MODULE",
    "SYS_RAWIO",
    "SYS_BOOT",
    "DAC_READ_SEARCH",
    "DAC_OVERRIDE",
    "NET_ADMIN",
    "BPF",
    "PERFMON",
    "SYS_TIME",
    "MKNOD",
];

/// No longer bounded, with words.
fn opens(draft: &mut Draft, undo: Undo, note: &str) {
    draft.capability = Capability::Container;
    draft.blast = draft.blast.at_least(Capability::Container.default_blast());
    draft.blast.undo = draft.blast.undo.max(undo);
    draft.note(note);
}

fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for found in &parsed.options {
        let Some(value) = &found.value else { continue };
        let text = value.prefix();
        let known = value.exact().is_some();
        // the row is known by its first name, the option as written says which it was
        let written = found.arg.prefix().split('=').next().unwrap_or_default();
        match written {
            "--cap-add" if !known || POWERS.contains(&text.to_ascii_uppercase().trim_start_matches("CAP_")) => {
                opens(draft, Undo::Irreversible, "adds rights over the machine");
            }
            "--security-opt"
                if !known
                    || text.contains("unconfined")
                    || text.contains("disable")
                    || text.contains("systempaths") =>
            {
                opens(draft, Undo::Irreversible, "switches the container's confinement off");
            }
            "--pid" | "--ipc" | "--userns" | "--uts" | "--cgroupns" if !known || text.contains("host") => {
                opens(draft, Undo::Irreversible, "shares the machine's namespaces");
            }
            "--net" | "--network" if !known || text == "host" => {
                opens(draft, Undo::Easy, "shares the machine's network")
            }
            "--device" | "--device-cgroup-rule" | "--cgroup-parent" | "--runtime" | "--sysctl" => {
                opens(draft, Undo::Irreversible, "reaches devices or settings of the machine");
            }
            "-v" | "--volume" | "--mount" => mounts::mount(draft, scene, value, written == "--mount"),
            _ if found.name == "-v" && written.starts_with("-v") => mounts::mount(draft, scene, value, false),
            "-e" | "--env" if takes_along(value) => {
                draft.blast.exposure = draft.blast.exposure.max(Exposure::ReadsSecrets);
                draft.note("hands a credential of this environment to the container");
            }
            "--volumes-from" => opens(draft, Undo::Easy, "takes another container's mounts"),
            _ => {}
        }
    }
    let entrypoint = parsed
        .options
        .iter()
        .find(|found| found.arg.prefix().starts_with("--entrypoint"))
        .and_then(|found| found.value.clone());
    let argv = scene.command.take().map(|command| command.0).unwrap_or_default();
    match entrypoint {
        Some(program) if program.prefix() != "" => {
            let mut words = vec![program];
            words.extend(argv);
            runs(scene, words);
        }
        // words for the image's own program say nothing of another one
        _ if argv.first().is_some_and(own_program) => runs(scene, argv),
        _ => {}
    }
}

/// `-e TOKEN` and `-e TOKEN=$TOKEN` take a credential along; `-e PASSWORD=x` says one that everybody sees anyway.
fn takes_along(value: &Arg) -> bool {
    let (name, given) = value.prefix().split_once('=').map_or((value.prefix(), false), |split| (split.0, true));
    let lower = name.to_ascii_lowercase();
    let credential =
        ["token", "secret", "password", "passwd", "apikey", "api_key", "credential", "private_key", "access_key"]
            .iter()
            .any(|word| lower.contains(word));
    credential && !(given && value.exact().is_some())
}

/// Whether the first word behind the image is a program that the tables know.
fn own_program(first: &Arg) -> bool {
    first.exact().is_none_or(|text| knowledge::program(text.rsplit('/').next().unwrap_or(text)).is_some())
}

fn exec(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    if scene.command.is_none() {
        draft.opaque(Some(scene.span), "which command is run is not known");
    }
}

/// A format that prints the environment lays its credentials open.
fn inspect(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let lays_open = parsed.value(&["-f"]).is_some_and(|value| {
        value
            .exact()
            .is_none_or(|text| text.contains("Env") || text.contains("json .Config") || text.contains("range .Config"))
    });
    if lays_open {
        verb::prints_secret(draft, "prints the container's environment, credentials among it");
    }
}

/// `cp SRC DEST`: one side is a file here.
fn copy(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for (at, (_, arg)) in parsed.operands.iter().enumerate() {
        let text = arg.prefix();
        let there =
            text.split_once(':').is_some_and(|(name, _)| !name.is_empty() && !name.starts_with(['.', '/', '~']));
        if !there && arg.exact() != Some("-") {
            verb::path(draft, scene, arg, if at == 0 { Role::Read } else { Role::Write });
        }
    }
}

/// What a build reads, takes along and writes beside the image.
fn build(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for (_, context) in &parsed.operands {
        let text = context.prefix();
        if text.contains("://") || text.starts_with("git@") {
            opens(draft, Undo::Easy, "builds what an address holds");
            super::draft::add_url(draft, context, Role::Connect);
        } else if context.exact() != Some("-") {
            super::draft::add_slot(draft, scene.world, &scene.cwd, context, knowledge::Slot::Sweep);
        }
    }
    for found in &parsed.options {
        let Some(value) = &found.value else { continue };
        let written = found.arg.prefix().split('=').next().unwrap_or_default();
        let part = |name: &str| {
            value.exact().and_then(|text| text.split(',').find_map(|part| part.strip_prefix(name)).map(str::to_owned))
        };
        match written {
            "--secret" => match part("src=").or_else(|| part("source=")) {
                Some(file) => verb::path(draft, scene, &Arg::text(&file, value.span), Role::Read),
                None if value.exact().is_none() => {
                    draft.opaque(Some(value.span), "which secret is taken along is not known")
                }
                None => {}
            },
            "-o" | "--output" | "--cache-to" => {
                let to = part("dest=").or_else(|| (!value.prefix().contains('=')).then(|| value.prefix().to_owned()));
                if let Some(to) = to.filter(|to| to != "-") {
                    verb::path(draft, scene, &Arg::text(&to, value.span), Role::Write);
                }
                if value.prefix().contains("push=true") || value.prefix().contains("type=registry") {
                    opens(draft, Undo::Irreversible, "publishes the image");
                    draft.blast.reach = draft.blast.reach.max(Reach::External);
                }
            }
            "--network" if value.prefix() == "host" => opens(draft, Undo::Easy, "shares the machine's network"),
            "--ssh" => draft.blast.exposure = draft.blast.exposure.max(Exposure::ReadsSecrets),
            "--build-context" => {
                if let Some((_, place)) = value.prefix().split_once('=')
                    && !place.contains("://")
                {
                    verb::path(draft, scene, &Arg::text(place, value.span), Role::Read);
                }
            }
            _ => {}
        }
    }
}

/// Other programs around images and virtual machines, by their verbs.
fn machines(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let program = verb::program(scene);
    let lists = parsed.args.iter().any(|arg| verb::is(arg, &["-l", "--list"]));
    if program == "act" {
        if lists {
            draft.become_(Capability::Inspect);
        } else {
            draft.opaque(Some(scene.span), "runs the project's workflows");
        }
        return;
    }
    if matches!(program.as_str(), "wsl" | "systemd-nspawn" | "devcontainer" | "distrobox" | "toolbox") && !lists {
        draft.opaque(Some(scene.span), "runs a program in a machine or container");
        return;
    }
    let remote = matches!(program.as_str(), "skopeo" | "crane" | "oras" | "regctl" | "cosign");
    for word in words.iter().take(2) {
        match *word {
            "inspect" | "ls" | "list" | "ps" | "status" | "version" | "info" | "images" | "search" | "list-tags"
            | "global-status" | "show" | "config" | "digest" | "manifest" | "tree" | "verify" | "validate" | "port"
            | "ssh-config" | "help" | "dumpxml" => {
                return if remote {
                    verb::looks(draft, Capability::NetFetch)
                } else {
                    draft.become_(Capability::Inspect)
                };
            }
            "pull" | "export" | "export-none" => return draft.become_(Capability::NetFetch),
            "push" | "copy" | "cp" | "sync" | "tag" | "mutate" | "append" | "sign" | "attach" | "publish" | "apply"
            | "resolve" => {
                opens(draft, Undo::Irreversible, "publishes an image");
                draft.blast.reach = Reach::External;
                return;
            }
            "destroy" | "delete" | "rm" | "remove" | "rmi" | "prune" | "unregister" | "purge" | "undefine"
            | "--unregister" => {
                opens(draft, Undo::Irreversible, "removes machines, containers or images");
                return;
            }
            "ssh" | "exec" | "run" | "shell" | "enter" | "console" | "up" | "provision" | "build" | "bud" | "from"
            | "create" | "attach-none" => {
                draft.opaque(Some(scene.span), "runs a program in a machine or container");
                return;
            }
            _ => {}
        }
    }
}
