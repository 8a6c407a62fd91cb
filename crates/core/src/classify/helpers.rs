//! Helpers of every day: wrappers that shorten output, programs that put something around a command, packages that do
//! file work.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::{Nested, Scene};
use super::shell::Feed;
use super::usage::{self, Parsed};
use super::verb::{self, after, runs, runs_as, words};
use crate::action::{Capability, Mark, Role};
use crate::knowledge;

pub(super) const CODES: &[(&str, Code)] = &[
    ("helpers.rtk", rtk),
    ("helpers.shell_helpers", shell_helpers),
    ("helpers.screens", screens),
    ("helpers.around", around),
    ("helpers.files", files),
];

/// `rtk CMD…`, `rtk test CMD…`: its own subcommands, else the words are a command.
fn rtk(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let rest: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    let Some(first) = rest.first() else {
        draft.become_(Capability::Inspect);
        return;
    };
    let tail = rest.get(1..).unwrap_or_default().to_vec();
    match first.exact().unwrap_or_default() {
        "gain" | "discover" | "cc-economics" | "learn" | "session" | "verify" => draft.become_(Capability::Inspect),
        "env" => draft.become_(Capability::SecretRead),
        "init" | "hook" | "hook-audit" | "config" | "trust" | "telemetry" => {
            draft.become_(Capability::Unknown);
            draft.mark(Mark::Persistence);
            draft.note("puts itself into an agent's hooks");
        }
        "read" | "smart" | "json" | "log" => {
            draft.silent = true;
            runs_as(scene, "cat", &tail);
        }
        "deps" => draft.become_(Capability::Inspect),
        "test" | "err" | "proxy" | "summary" | "run" | "lint" | "format" | "rewrite" => {
            draft.silent = true;
            let known = tail.first().and_then(Arg::exact).is_some_and(|word| knowledge::program(word).is_some());
            match first.exact() {
                // `rtk lint src` finds the linter itself
                Some("lint") if !known => {
                    draft.silent = false;
                    draft.become_(Capability::Test);
                }
                Some("format") if !known => {
                    draft.silent = false;
                    draft.become_(Capability::WriteWorkspace);
                }
                _ if tail.is_empty() => verb::unknown(draft, scene, "which command is run is not known"),
                _ => runs(scene, tail),
            }
        }
        _ => {
            draft.silent = true;
            runs(scene, rest);
        }
    }
}

fn shell_helpers(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    match verb::program(scene).as_str() {
        "fuck" | "thefuck" => verb::unknown(draft, scene, "runs a corrected form of the last command"),
        "atuin" | "mcfly" => verb::prints_secret(draft, "prints the shell's history, which can hold credentials"),
        _ => {}
    }
}

fn screens(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    match verb::program(scene).as_str() {
        "lazygit" | "tig" | "gitui" | "lazydocker" | "gh-dash" | "visidata" | "vd" => {
            draft.become_(Capability::Unknown);
            draft.mark(Mark::LaterInput);
            draft.opaque(Some(scene.span), "a screen that acts on what is typed later");
        }
        _ => {
            let _ = parsed;
        }
    }
}

/// Programs that put something around a command.
fn around(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let rest: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    match verb::program(scene).as_str() {
        "cross-env" | "cross-env-shell" => {
            draft.silent = true;
            let (assigned, command): (Vec<Arg>, Vec<Arg>) = {
                let at = rest.iter().position(|arg| !usage::is_assignment(arg.prefix())).unwrap_or(rest.len());
                (rest.get(..at).unwrap_or_default().to_vec(), rest.get(at..).unwrap_or_default().to_vec())
            };
            let mut argv = vec![Arg::text("env", scene.span)];
            argv.extend(assigned);
            if command.len() == 1 && command.first().is_some_and(|arg| arg.prefix().contains(' ')) {
                command.into_iter().for_each(|text| scene.nested.push(Nested::Shell { text, positional: Vec::new() }));
            } else {
                argv.extend(command);
                runs(scene, argv);
            }
        }
        "sponge" => {
            draft.become_(Capability::WriteWorkspace);
            rest.iter().for_each(|arg| verb::path(draft, scene, arg, Role::Write));
        }
        "ts" | "isutf8" | "errno" | "ccze" | "mbuffer" | "pee" if verb::program(scene) != "pee" => {
            draft.become_(Capability::Inspect);
            rest.iter().for_each(|arg| draft::add_slot(draft, scene.world, &scene.cwd, arg, knowledge::Slot::MaybeRead));
        }
        "pv" => {
            draft.become_(Capability::ReadWorkspace);
            rest.iter().for_each(|arg| verb::path(draft, scene, arg, Role::Read));
        }
        "logger" | "systemd-cat" => draft.become_(Capability::Process),
        "script" => script_log(draft, parsed, scene),
        "sshpass" => {
            let at = parsed.args.iter().position(|arg| matches!(arg.exact(), Some("ssh" | "scp" | "rsync" | "sftp")));
            let rest = at.and_then(|at| parsed.args.get(at..)).unwrap_or_default().to_vec();
            draft.silent = true;
            draft.note("carries a secret in clear");
            runs(scene, rest);
        }
        "sshfs" | "bindfs" => {
            draft.become_(Capability::Remote);
            draft.note("attaches folders of another machine");
        }
        "dotenv" | "dotenv-cli" | "env-cmd" | "op-run" | "infisical-run" => {
            draft.become_(Capability::SecretRead);
            draft.note("puts credentials into the environment of a command");
            draft.opaque(Some(scene.span), "runs a program with secrets in its environment");
        }
        "devbox" | "flox" | "pixi" if matches!(words(parsed).first().copied(), Some("list" | "info" | "search" | "version")) => draft.become_(Capability::Inspect),
        "devbox" | "flox" | "pixi" if matches!(words(parsed).first().copied(), Some("add" | "install" | "update" | "rm" | "remove" | "init")) => draft.become_(Capability::Package),
        "rlwrap" | "fakeroot" | "numactl" | "cpulimit" | "ifne" | "grc" | "dbus-run-session" | "gamemoderun" | "cronic" => {
            let at = rest.iter().position(|arg| !arg.prefix().starts_with('-')).unwrap_or(rest.len());
            let command = rest.get(at..).unwrap_or_default().to_vec();
            verb::unknown(draft, scene, "a command behind options that are not read");
            if !command.is_empty() && parsed.options.is_empty() {
                draft.opaque = None;
                draft.become_(Capability::Meta);
                draft.silent = true;
            }
            runs(scene, command);
        }
        _ => verb::unknown(draft, scene, "a command behind options that are not read"),
    }
}

/// `script -c CMD FILE` logs a command, without `-c` a whole session.
fn script_log(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let text = after(parsed.args, &["-c", "--command"]).and_then(<[Arg]>::first).cloned();
    match text {
        Some(text) => {
            draft.become_(Capability::Meta);
            let span = text.span;
            scene.nested.push(Nested::Shell { text, positional: Vec::new() });
            for arg in parsed.operands.iter().map(|operand| operand.1.clone()).filter(|arg| arg.span != span).collect::<Vec<_>>() {
                verb::path(draft, scene, &arg, Role::Write);
            }
            draft.targets.retain(|target| target.text != "/dev/null");
            draft.silent = draft.targets.is_empty();
        }
        None => {
            draft.become_(Capability::Unknown);
            if matches!(scene.feed, Feed::Inherited) {
                draft.mark(Mark::LaterInput);
            }
            draft.opaque(Some(scene.span), "logs a session that reads what is typed later");
        }
    }
}

/// Packages that do the work of `rm`, `cp` and `mkdir`, and makers of projects.
fn files(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let rest: Vec<Arg> = parsed.args.to_vec();
    match verb::program(scene).as_str() {
        "rimraf" | "del-cli" | "trash" | "trash-cli" | "trash-put" | "rmtrash" | "rip" | "gtrash" => {
            draft.silent = true;
            let names: Vec<Arg> = rest.into_iter().filter(|arg| !arg.prefix().starts_with('-')).collect();
            let mut args = vec![Arg::text("-rf", scene.span), Arg::text("--", scene.span)];
            args.extend(names);
            runs_as(scene, "rm", &args);
        }
        "npkill" => verb::unknown(draft, scene, "removes what is chosen later"),
        "shx" => {
            draft.silent = true;
            runs(scene, rest);
        }
        "mkdirp" | "make-dir-cli" | "touch-cli" => rest.iter().for_each(|arg| verb::path(draft, scene, arg, Role::Write)),
        "cpx" | "cpy" | "copyfiles" | "ncp" | "cpr" | "cp-cli" | "move-cli" => {
            let names: Vec<&Arg> = rest.iter().filter(|arg| !arg.prefix().starts_with('-')).collect();
            if let Some((to, from)) = names.split_last() {
                from.iter().for_each(|arg| verb::path(draft, scene, arg, Role::Read));
                verb::path(draft, scene, to, Role::Write);
            }
        }
        "degit" | "tiged" | "giget" | "create-vite" | "create-next-app" | "create-react-app" => {
            draft.become_(Capability::Package);
            draft.mark(Mark::FetchRun);
            draft.note("fetches a template");
        }
        "source-map-explorer" | "esbuild-visualizer" => draft.become_(Capability::Build),
        _ => {
            draft.become_(Capability::Unknown);
            draft.mark(Mark::FetchRun);
            draft.opaque(Some(scene.span), "runs what a template or generator says");
        }
    }
}
