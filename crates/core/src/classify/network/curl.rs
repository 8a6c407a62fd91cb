//! `curl`: what is sent, from which files, to whom, and which files it writes.

use super::{by_address, credential, fetches, header, sends, unguarded, urls};
use crate::action::{Capability, Mark, Role};
use crate::classify::arg::Arg;
use crate::classify::draft::{self, Draft};
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;
use crate::knowledge::Slot;

/// Most bytes that a query may have before it counts as sending.
const QUERY: usize = 100;

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let addresses: Vec<Arg> = parsed
        .in_role(Slot::Url)
        .cloned()
        .chain(parsed.options.iter().filter(|found| found.name == "--url").filter_map(|found| found.value.clone()))
        .collect();
    redirected(draft, parsed);
    urls(draft, scene, &addresses);
    if parsed.has(&["-O", "-J"]) {
        by_address(draft, parsed, scene);
    }
    socket(draft, parsed);
    let mut carries = false;
    let get = parsed.has(&["-G"]);
    for found in &parsed.options {
        if matches!(found.name.as_str(), "-n" | "--netrc" | "--netrc-optional")
            || found.arg.prefix().starts_with("--netrc-file")
        {
            credential(draft);
        }
        let Some(value) = &found.value else { continue };
        match found.name.as_str() {
            "-d" | "--data-raw" | "--data-urlencode" | "--url-query" => {
                let from_file = data(draft, scene, &found.name, value);
                let query = get || found.name == "--url-query";
                carries |= from_file
                    || !query
                    || value.value.all().is_none_or(|all| all.iter().any(|text| text.len() > QUERY));
            }
            "-F" | "--form-string" => {
                carries = true;
                if found.name == "-F" {
                    form(draft, scene, value);
                }
            }
            "-T" => carries = true,
            "-X" => {
                carries |= value.exact().is_none_or(|method| !is_read(method));
                // a service of this machine may hold something that is lost by it
                if value.exact().is_none_or(|method| !is_read(method) && !method.eq_ignore_ascii_case("POST")) {
                    draft.mark(Mark::Unusual);
                }
            }
            "-H" => carries |= header(draft, scene, value),
            "-u" => credential(draft),
            "-A" => carries |= value.value.all().is_none(),
            "-b" => {
                if value.prefix().contains('=') {
                    carries |= value.value.all().is_none();
                } else {
                    draft::add_path(draft, scene.world, &scene.cwd, value, Role::Read);
                }
            }
            "-w" => written(draft, scene, value),
            _ => {}
        }
    }
    unguarded(
        draft,
        parsed,
        &["-k", "--insecure", "--proxy-insecure", "--doh-insecure", "-x", "--resolve", "--unix-socket"],
    );
    let sends_anyway = draft.capability == Capability::NetSend;
    if carries || sends_anyway { sends(draft) } else { fetches(draft) }
}

fn is_read(method: &str) -> bool {
    matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS")
}

/// `@file`, and for the encoding form `name@file`; the raw form takes it as it is.
fn data(draft: &mut Draft, scene: &Scene<'_>, option: &str, value: &Arg) -> bool {
    let text = value.prefix();
    let at = match option {
        "--data-raw" => None,
        "-d" => text.starts_with('@').then_some(0),
        // up to the first `=` or `@`, whichever comes first
        _ => text.find(['=', '@']).filter(|at| text.get(*at..=*at) == Some("@")),
    };
    let Some(at) = at else { return false };
    let file = value.after(at + 1);
    if file.exact() != Some("-") {
        draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Read);
    }
    true
}

/// `name=@file;type=…`, `name=<file`, and several files between commas.
fn form(draft: &mut Draft, scene: &Scene<'_>, value: &Arg) {
    let text = value.prefix();
    let Some(at) = text.find("=@").or_else(|| text.find("=<")) else { return };
    let file = value.after(at + 2);
    let Some(names) = file.exact().map(str::to_owned) else {
        draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Read);
        return;
    };
    let names = names.split(';').next().unwrap_or_default();
    for name in names.split(',').map(|name| name.trim_matches('"')).filter(|name| *name != "-") {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(name, file.span), Role::Read);
    }
}

/// `--resolve HOST:PORT:ADDRESS` and `--connect-to HOST:PORT:HOST:PORT` say who is really reached.
fn redirected(draft: &mut Draft, parsed: &Parsed<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "--resolve") {
        let Some(value) = &found.value else { continue };
        let option = found.arg.prefix();
        let mut parts = value.prefix().splitn(3, ':');
        let to = if option.starts_with("--resolve") || option.starts_with("--connect-to") {
            parts.nth(2).unwrap_or_default()
        } else if option.starts_with("--doh") {
            value.prefix()
        } else {
            continue;
        };
        let name = to.trim_start_matches("https://").split([',', ':', '/']).next().unwrap_or_default();
        let host = if value.exact().is_some() { Arg::text(name, value.span) } else { Arg::unknown(value.span) };
        draft::add_host(draft, &host, Role::Connect);
    }
}

/// A socket of a container's daemon is the machine.
fn socket(draft: &mut Draft, parsed: &Parsed<'_>) {
    let Some(value) = parsed.value(&["--unix-socket"]) else { return };
    let daemon = ["docker", "containerd", "podman", "crio", "lxd", "snapd", "dbus", "systemd"];
    if value.exact().is_none_or(|path| daemon.iter().any(|name| path.contains(name))) {
        draft.become_(Capability::Privilege);
        draft.mark(Mark::Privilege);
        draft.note("talks to a daemon that has this machine's rights");
    }
}

/// `%output{FILE}` in what is printed at the end writes a file; the rest of it is told to nobody.
fn written(draft: &mut Draft, scene: &Scene<'_>, value: &Arg) {
    let text = value.prefix().to_owned();
    for part in text.split("%output{").skip(1) {
        let name = part.split('}').next().unwrap_or_default().trim_start_matches(">>");
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(name, value.span), Role::Write);
    }
}
