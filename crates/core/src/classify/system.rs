//! The system: which calls of settings programs only look, what opening a thing runs, Windows commands.

mod windows;

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Exposure, Mark, Role};

pub(super) const CODES: &[(&str, Code)] = &[
    ("system.unmark", unmark),
    ("system.disks", disks),
    ("system.settings", settings),
    ("system.people", people),
    ("system.preferences", preferences),
    ("system.open", open),
    ("system.desktop", desktop),
    ("system.windows", windows::run),
];

/// `mount` alone only looks.
fn unmark(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    if parsed.operands.is_empty() && !parsed.args.iter().any(|arg| verb::is(arg, &["-a", "--all", "-o", "-t"])) {
        looks(draft);
    }
}

fn looks(draft: &mut Draft) {
    draft.become_(Capability::Inspect);
    draft.marks.retain(|mark| *mark != Mark::Privilege);
}

fn disks(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let first = parsed.args.first().map(Arg::prefix).unwrap_or_default();
    let second = parsed.args.get(1).map(Arg::prefix).unwrap_or_default();
    let given = |names: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, names));
    let asks = match verb::program(scene).as_str() {
        "fdisk" | "sfdisk" | "gdisk" | "sgdisk" | "parted" => {
            given(&["-l", "--list", "-p", "--print", "print"])
                && !given(&["mklabel", "rm", "-Z", "--zap-all", "-d", "-n"])
        }
        "zfs" | "zpool" | "btrfs" => {
            matches!(first, "list" | "get" | "status" | "history" | "iostat" | "diff" | "version" | "holds")
                || first == "filesystem" && matches!(second, "df" | "show" | "usage" | "du")
                || first == "subvolume" && matches!(second, "list" | "show")
        }
        "hdparm" => given(&["-I", "-i", "-g"]),
        "nvme" => matches!(first, "list" | "smart-log" | "id-ctrl"),
        "mdadm" => given(&["--detail", "--query", "--examine", "-D", "-Q", "-E"]),
        "swapon" => given(&["--show", "-s", "--summary"]),
        "losetup" => parsed.args.is_empty() || given(&["-a", "-l", "--list", "-j"]),
        "cryptsetup" => matches!(first, "status" | "luksDump" | "isLuks"),
        "tmutil" => {
            first.starts_with("list")
                || matches!(first, "status" | "latestbackup" | "destinationinfo" | "isexcluded" | "machinedirectory")
        }
        "vssadmin" => first == "list",
        "bcdedit" => first == "/enum" || parsed.args.is_empty(),
        "wipefs" => parsed.args.iter().all(|arg| !arg.prefix().starts_with('-')),
        "dmsetup" => matches!(first, "ls" | "info" | "status" | "table"),
        "fsck" | "e2fsck" | "xfs_repair" => given(&["-n", "-N"]),
        "tune2fs" => given(&["-l"]),
        "manage-bde" => first == "-status",
        "chkdsk" => !given(&["/f", "/r", "/x", "/F", "/R"]),
        "cipher" => !parsed
            .args
            .iter()
            .any(|arg| matches!(arg.prefix().get(..2), Some("/w" | "/e" | "/d" | "/W" | "/E" | "/D"))),
        _ => given(&["--version", "-V", "--help", "-h"]) && parsed.args.len() == 1,
    };
    if asks {
        looks(draft);
    }
}

/// Programs whose looking and changing differ by a word.
fn settings(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let first = plain.first().copied().unwrap_or_default();
    let second = plain.get(1).copied().unwrap_or_default();
    let given = |names: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, names));
    let program = verb::program(scene);
    let known = parsed.args.iter().all(|arg| arg.exact().is_some());
    let asks = match program.as_str() {
        "ip" | "bridge" | "tc" => {
            let changes = [
                "add",
                "del",
                "delete",
                "set",
                "change",
                "replace",
                "flush",
                "append",
                "exec",
                "up",
                "down",
                "attach",
                "restore",
                "save",
                "link-netnsid",
            ];
            !plain.iter().any(|word| changes.contains(word)) && !given(&["-batch", "-b", "-force"])
        }
        "ifconfig" | "iwconfig" | "brctl" => plain.len() <= 1 || first == "show",
        "route" => plain.is_empty() || matches!(first, "get" | "monitor" | "print" | "PRINT"),
        "arp" => !given(&["-d", "-s", "-f", "-D", "-S"]),
        "ipconfig" => {
            !plain.iter().any(|word| matches!(*word, "set" | "setverbose"))
                && !parsed.args.iter().any(|arg| {
                    let lower = arg.prefix().to_ascii_lowercase();
                    lower.starts_with("/release")
                        || lower.starts_with("/renew")
                        || lower.starts_with("/flushdns")
                        || lower.starts_with("/setclassid")
                        || lower.starts_with("/registerdns")
                })
        }
        "networksetup" => words
            .first()
            .is_some_and(|word| word.starts_with("-list") || word.starts_with("-get") || word.starts_with("-show")),
        "scutil" => given(&["--dns", "--proxy", "--nwi", "--get", "-r"]) && !given(&["--set"]),
        "nmcli" | "firewall-cmd" | "tailscale" | "zerotier-cli" | "ufw" | "wg" | "spctl" | "csrutil" | "semanage"
        | "chronyc" => {
            plain.is_empty()
                && !parsed.args.iter().any(|arg| {
                    arg.prefix().starts_with("--add")
                        || arg.prefix().starts_with("--remove")
                        || arg.prefix().starts_with("--set")
                        || arg.prefix().starts_with("--reload")
                        || arg.prefix().starts_with("--master")
                })
                || matches!(
                    first,
                    "status"
                        | "show"
                        | "list"
                        | "info"
                        | "listnetworks"
                        | "peers"
                        | "tracking"
                        | "sources"
                        | "ip"
                        | "netcheck"
                        | "version"
                        | "app"
                        | "ping"
                        | "whois"
                )
                || matches!(second, "status" | "show" | "list")
                    && !plain
                        .iter()
                        .any(|word| matches!(*word, "up" | "down" | "add" | "delete" | "modify" | "connect"))
                || given(&["--status", "--assess", "--state", "--list-all"])
        }
        "iptables" | "ip6tables" | "ipset" | "nft" | "pfctl" | "conntrack" => {
            (given(&[
                "-L",
                "-S",
                "--list",
                "--list-rules",
                "-nL",
                "-vnL",
                "-nvL",
                "-Lnv",
                "list",
                "-sr",
                "-si",
                "-s",
                "-C",
            ]) || first == "list")
                && !given(&[
                    "-F", "-X", "-A", "-D", "-I", "-P", "-f", "-e", "-d", "add", "delete", "flush", "destroy", "-Z",
                ])
        }
        "netsh" => {
            if words.iter().any(|word| word.to_ascii_lowercase().starts_with("key=")) {
                verb::prints_secret(draft, "prints the password of a network");
                draft.marks.clear();
                return;
            }
            plain.contains(&"show") || plain.contains(&"dump")
        }
        "sysctl" => {
            !given(&["-w", "--write", "-p", "--load", "--system"]) && !plain.iter().any(|word| word.contains('='))
        }
        "hostname" | "domainname" => plain.is_empty() && !given(&["-F", "-b", "--file"]),
        "ethtool" => words.first().is_some_and(|word| !word.starts_with('-')) || given(&["-i", "-S", "-k", "-g"]),
        "iw" => {
            plain.iter().any(|word| matches!(*word, "info" | "scan" | "link" | "list" | "dev"))
                && !plain.contains(&"set")
        }
        "airport" => given(&["-I", "-s", "--getinfo", "--scan"]) || parsed.args.is_empty(),
        "nvram" => given(&["-p", "-x"]) && !plain.iter().any(|word| word.contains('=')),
        "systemsetup" => words.first().is_some_and(|word| word.starts_with("-get")),
        "update-alternatives" | "alternatives" => given(&["--list", "--display", "--query", "--get-selections"]),
        "locale-gen" | "hwclock" => given(&["--show", "-r", "--version"]),
        "efibootmgr" | "mokutil" => parsed.args.is_empty() || given(&["-v", "--sb-state", "--list-enrolled"]),
        "dns-sd" | "avahi-browse" | "wpa_cli" => given(&["-B", "-L", "-G", "-a", "-t", "-r"]) || first == "status",
        "ldconfig" => given(&["-p", "--print-cache"]),
        "modprobe" => given(&["-n", "--dry-run", "--show-depends", "-D", "-c"]),
        _ => false,
    };
    if asks && known {
        looks(draft);
        return;
    }
    let opens = matches!(program.as_str(), "ngrok" | "localtunnel" | "lt" | "bore" | "frpc" | "sshuttle")
        || program == "tailscale" && matches!(first, "funnel" | "serve");
    if opens && !matches!(first, "version" | "help" | "config") {
        draft.marks.clear();
        draft.become_(Capability::NetSend);
        draft.blast.exposure = Exposure::CanExfiltrate;
        draft.note("opens a way into this machine");
    }
}

fn people(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let given = |names: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, names));
    let asks = match verb::program(scene).as_str() {
        "dscl" => given(&["-read", "-list", "-search", "-readall", "read", "list", "search"]),
        "dscacheutil" => given(&["-q", "-cachedump", "-statistics"]),
        "passwd" => given(&["-S", "--status"]),
        "chage" | "chsh" => given(&["-l", "--list", "--list-shells"]),
        "dseditgroup" => given(&["read", "checkmember"]),
        _ => false,
    };
    if asks {
        looks(draft);
    }
}

/// Settings of the desktop and its programs.
fn preferences(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    let given = |names: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, names));
    let lower: Vec<String> = parsed.args.iter().map(|arg| arg.prefix().to_ascii_lowercase()).collect();
    match verb::program(scene).as_str() {
        "defaults" if matches!(first, "read" | "read-type" | "domains" | "find" | "help" | "export") => {
            read_of(draft, parsed, scene)
        }
        "plutil" | "plistbuddy" => {
            let looks = given(&["-lint", "-p", "-type", "-extract", "-help"]) && !given(&["-o"])
                || lower.iter().any(|arg| arg.starts_with("print") || arg.starts_with("-c=print"));
            if looks {
                read_of(draft, parsed, scene);
            } else {
                draft.become_(Capability::WriteWorkspace);
                for arg in parsed.args.iter().filter(|arg| draft::looks_like_path(arg.prefix())) {
                    verb::path(draft, scene, arg, Role::Write);
                }
            }
        }
        "gsettings" | "dconf" | "kreadconfig5" | "gconftool-2"
            if matches!(
                first,
                "get"
                    | "list-recursively"
                    | "list-keys"
                    | "list-schemas"
                    | "range"
                    | "describe"
                    | "read"
                    | "list"
                    | "dump"
                    | "writable"
                    | "watch"
            ) || given(&["--get"]) =>
        {
            draft.become_(Capability::Inspect);
        }
        "xfconf-query" if !given(&["-s", "--set", "-r", "--reset", "-n", "--create"]) => {
            draft.become_(Capability::Inspect)
        }
        "reg" if first == "query" || first == "compare" => draft.become_(Capability::Inspect),
        "reg" | "regedit" => {
            verb::privileged(draft, "changes the registry");
            let starts = lower.iter().any(|arg| {
                ["\\run", "\\services", "winlogon", "image file execution", "\\shell\\", "startup"]
                    .iter()
                    .any(|part| arg.contains(part))
            });
            if starts || matches!(first, "import" | "load" | "restore") {
                draft.mark(Mark::Persistence);
            }
        }
        "setx" | "assoc" | "ftype" => {
            draft.become_(Capability::WriteOutside);
            draft.mark(Mark::Persistence);
        }
        "xdotool" | "ydotool" | "cliclick" | "wmctrl" => {
            draft.become_(Capability::Unknown);
            draft.opaque(Some(scene.span), "types and clicks in other windows");
        }
        "tccutil" | "profiles" | "mdmclient" => {
            verb::privileged(draft, "changes what programs may reach on this machine")
        }
        "xprop" | "xrandr" | "xset" | "xinput"
            if words.len() <= 1 || matches!(first, "q" | "list" | "-q" | "--query") =>
        {
            draft.become_(Capability::Inspect)
        }
        "xdg-settings" | "xdg-mime" if matches!(first, "get" | "query" | "check") => draft.become_(Capability::Inspect),
        "fc-cache" | "update-desktop-database" | "lsregister" => draft.become_(Capability::Build),
        "mdutil" if given(&["-s"]) => draft.become_(Capability::Inspect),
        "duti" if given(&["-x", "-l", "-e"]) => draft.become_(Capability::Inspect),
        _ => {}
    }
}

fn read_of(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    draft.become_(Capability::Inspect);
    for arg in parsed.args.iter().filter(|arg| draft::looks_like_path(arg.prefix()) && arg.prefix().contains('/')) {
        verb::path(draft, scene, arg, Role::Read);
    }
}

/// An address is fetched by the browser; anything else is run by the program that is registered for it.
fn open(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let addresses: Vec<Arg> = parsed
        .operands
        .iter()
        .map(|operand| operand.1.clone())
        .filter(|arg| arg.prefix().starts_with("http://") || arg.prefix().starts_with("https://"))
        .collect();
    let all = !parsed.operands.is_empty() && addresses.len() == parsed.operands.len();
    if !all || parsed.has(&["--remote-debugging-port", "--user-data-dir"]) {
        draft.opaque(Some(scene.span), "opens something with a program that is not known");
        for (_, arg) in &parsed.operands {
            if draft::looks_like_path(arg.prefix()) {
                verb::path(draft, scene, arg, Role::Execute);
            }
        }
        return;
    }
    for arg in &addresses {
        draft::add_url(draft, arg, Role::Connect);
    }
    let here =
        draft.targets.iter().all(|target| matches!(&target.kind, crate::action::TargetKind::Host { local: true, .. }));
    draft.become_(if here { Capability::NetLoopback } else { Capability::NetFetch });
    let program = verb::program(scene);
    let texts = matches!(program.as_str(), "lynx" | "w3m" | "links" | "elinks")
        && parsed.args.iter().any(|arg| matches!(arg.prefix(), "-dump" | "-source" | "-dump_source"));
    let posts = parsed.args.iter().any(|arg| arg.prefix().trim_start_matches('-').starts_with("post"));
    if posts {
        draft.become_(Capability::NetSend);
    } else if !here && !texts {
        // a page that a browser shows runs code, with the person's own sessions
        draft.mark(Mark::Unusual);
    }
}

/// Screen, sound and clipboard.
fn desktop(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    let given = |names: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, names));
    let program = verb::program(scene);
    match program.as_str() {
        "pbpaste" | "wl-paste" | "get-clipboard" => {
            verb::prints_secret(draft, "prints the clipboard, which can hold a password")
        }
        "xclip" | "xsel" if given(&["-o", "-out", "--output"]) => {
            verb::prints_secret(draft, "prints the clipboard, which can hold a password")
        }
        "screencapture" | "scrot" | "grim" | "maim" | "flameshot" | "gnome-screenshot" | "spectacle" | "imagesnap" => {
            draft.become_(Capability::WriteWorkspace);
            draft.note("takes a picture of the screen");
            let names: Vec<&Arg> = parsed.args.iter().filter(|arg| !arg.prefix().starts_with('-')).collect();
            for arg in names {
                verb::path(draft, scene, arg, Role::Write);
            }
        }
        "getent" if matches!(first, "shadow" | "gshadow") => verb::prints_secret(draft, "prints password hashes"),
        "qrencode" | "espeak" | "say" if given(&["-o", "-w", "--output-file"]) => {
            draft.become_(Capability::WriteWorkspace);
            if let Some(file) = parsed
                .args
                .iter()
                .position(|arg| verb::is(arg, &["-o", "-w", "--output-file"]))
                .and_then(|at| parsed.args.get(at + 1))
            {
                verb::path(draft, scene, file, Role::Write);
            }
        }
        "say" | "espeak" | "aplay" | "afplay" | "paplay" | "mpg123" | "zbarimg" | "aspell" | "hunspell" | "spell"
        | "mdls" | "getfileinfo" | "units" | "qalc" => {
            for arg in parsed.args.iter().filter(|arg| draft::looks_like_path(arg.prefix())) {
                verb::path(draft, scene, arg, Role::Read);
            }
        }
        "setfile" | "tic" | "loadkeys" | "localedef" => {
            draft.become_(Capability::WriteOutside);
        }
        "zenity" | "kdialog" | "dialog" | "whiptail" | "yad" => draft.note("asks the person"),
        "trans" | "dict" => draft.become_(Capability::NetFetch),
        "bc" | "dc" => {
            // `!` in dc starts a program
            let shell = program == "dc" && parsed.args.iter().any(|arg| arg.prefix().contains('!'));
            for arg in parsed.args.iter().filter(|arg| draft::looks_like_path(arg.prefix())) {
                verb::path(draft, scene, arg, Role::Read);
            }
            if shell
                || program == "dc"
                    && !matches!(scene.feed, super::shell::Feed::Inherited)
                    && !parsed.args.iter().any(|arg| verb::is(arg, &["-e"]))
            {
                draft.opaque(Some(scene.span), "`dc` can start programs");
            }
        }
        _ => {}
    }
}
