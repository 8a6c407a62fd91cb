//! Packages of the system: which calls only ask.

use crate::action::Capability;
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;
use crate::classify::verb;

/// pacman says what it does in one cluster of letters.
pub(super) fn pacman(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let first = parsed.args.first().map(Arg::prefix).unwrap_or_default();
    let asks = first.starts_with("-Q") || first.starts_with("-F") && !first.contains('y');
    let searches = first.starts_with("-S") && first.contains(['s', 'i', 'g', 'l']) && !first.contains(['y', 'u', 'c']);
    if asks || searches || matches!(first, "--version" | "-V" | "--help" | "-h" | "--query") {
        draft.become_(Capability::Inspect);
    }
}

/// Calls of the other package programs that only ask.
pub(super) fn query(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = verb::program(scene);
    let first = parsed.args.first().map(Arg::prefix).unwrap_or_default();
    let any = |options: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, options));
    let asks = match program.as_str() {
        "apt-cache" | "dpkg-query" => !matches!(first, "gencaches"),
        "apt-file" => matches!(first, "search" | "list" | "show"),
        "dpkg" => any(&["-l", "-L", "-S", "-s", "-p", "-I", "-c", "--list", "--listfiles", "--search", "--status", "--print-architecture", "--version"]),
        "dpkg-deb" => any(&["-I", "-c", "-f", "--info", "--contents", "--field"]),
        "apt-mark" => first.starts_with("show"),
        "rpm" => first.starts_with("-q") || matches!(first, "--query" | "-V" | "--version" | "--eval" | "-E" | "-K"),
        "apk" => matches!(first, "info" | "list" | "search" | "policy" | "version" | "stats" | "dot" | "verify"),
        "flatpak" | "pkg" | "opkg" | "eopkg" => matches!(first, "list" | "info" | "search" | "ps" | "history" | "remotes" | "query" | "which"),
        "pkgutil" => !any(&["--forget", "--unlink", "--expand", "--expand-full", "--flatten", "--edit-pkg"]),
        "softwareupdate" => any(&["-l", "--list", "--history"]),
        "emerge" => any(&["-p", "--pretend", "-s", "--search", "--info"]),
        "xbps-query" => true,
        _ => false,
    };
    if asks || parsed.args.len() == 1 && matches!(first, "--version" | "--help" | "-h") {
        draft.become_(Capability::Inspect);
    }
}
