//! What each bundle holds, as a question about one action that was understood, is light enough and fires no floor.

use crate::action::{Action, Capability, Role, Scale, Target, TargetKind};
use crate::path::Zone;

/// Whether all paths that the action touches in a way that matters lie in these zones.
fn paths(action: &Action, matters: fn(Role) -> bool, zones: &[Zone]) -> bool {
    action.targets.iter().filter(|target| matters(target.role)).all(|target| match &target.kind {
        TargetKind::Path(place) => zones.contains(&place.zone),
        _ => true,
    })
}

const OWN: &[Zone] = &[Zone::Project, Zone::Null];
const OWN_OR_TEMP: &[Zone] = &[Zone::Project, Zone::Null, Zone::Temp];

/// Reads what it touches and changes nothing but a file for temporary use.
fn changes_nothing(action: &Action) -> bool {
    paths(action, Role::changes, OWN_OR_TEMP) && !action.targets.iter().any(|target| target.role == Role::Send)
}

fn placed(action: &Action) -> bool {
    action.targets.iter().all(|target| match &target.kind {
        TargetKind::Path(place) => place.zone != Zone::Unplaced,
        _ => true,
    })
}

pub(super) fn read_search(action: &Action) -> bool {
    use Capability as C;
    let kind = matches!(action.capability, C::ReadWorkspace | C::ReadOutside | C::Inspect | C::Meta);
    kind && paths(action, Role::changes, &[Zone::Null])
        && placed(action)
        && !action.targets.iter().any(|target| reaches_out(target) || raw_device(target))
}

/// A disk or another device read as a file.
fn raw_device(target: &Target) -> bool {
    match &target.kind {
        TargetKind::Path(place) => {
            let opened = !matches!(place.zone, Zone::Null) && target.role != Role::List;
            opened && place.readings().iter().any(|path| path.starts_with("/dev/"))
        }
        _ => false,
    }
}

fn reaches_out(target: &Target) -> bool {
    target.role == Role::Send || matches!(target.kind, TargetKind::Host { local: false, .. })
}

pub(super) fn git_read(action: &Action) -> bool {
    action.capability == Capability::VcsRead && changes_nothing(action) && placed(action)
}

pub(super) fn edit_project(action: &Action) -> bool {
    use Capability as C;
    // a whole folder of build output is learnable, but nothing that a person granted by editing
    let whole = action.capability == C::DeleteKnown && action.blast.scale > Scale::Single;
    let in_project = matches!(action.capability, C::WriteWorkspace | C::DeleteKnown) && !whole;
    let in_temp = matches!(action.capability, C::WriteOutside | C::Delete);
    let changed = |zones| paths(action, Role::changes, zones);
    let names_one = action.targets.iter().any(|target| target.role.changes());
    let out = action.targets.iter().any(reaches_out);
    placed(action) && !out && ((in_project && changed(OWN_OR_TEMP)) || (in_temp && names_one && changed(&[Zone::Temp])))
}

pub(super) fn build_test_lint(action: &Action) -> bool {
    use Capability as C;
    matches!(action.capability, C::Build | C::Test | C::NetLoopback)
        && changes_nothing_or_project(action)
        && !action.targets.iter().any(|target| matches!(target.kind, TargetKind::Host { local: false, .. }))
}

fn changes_nothing_or_project(action: &Action) -> bool {
    placed(action) && paths(action, Role::changes, OWN_OR_TEMP)
}

pub(super) fn git_write_local(action: &Action) -> bool {
    action.capability == Capability::VcsWrite && changes_nothing_or_project(action)
}

pub(super) fn install_locked(action: &Action) -> bool {
    action.capability == Capability::PackageLocked && changes_nothing_or_project(action)
}

pub(super) fn container_bounded(action: &Action) -> bool {
    action.capability == Capability::ContainerBounded && placed(action) && paths(action, Role::changes, OWN)
}

pub(super) fn fetch_docs(action: &Action) -> bool {
    action.capability == Capability::NetFetch
        && placed(action)
        && paths(action, Role::changes, &[Zone::Null, Zone::Temp])
        && !action.targets.is_empty()
        && action.targets.iter().all(|target| match &target.kind {
            TargetKind::Host { host, .. } => target.role == Role::Connect && plain(host, &target.text),
            TargetKind::Path(_) => true,
            TargetKind::Named(_) => action.family == "web",
            TargetKind::Package(_) => false,
        })
}

/// Longest address that counts as looking something up; a longer one can carry data away.
const ADDRESS: usize = 240;
/// Longest query of such an address.
const QUERY: usize = 100;

/// Whether an address is one that a person would look something up at.
fn plain(host: &str, text: &str) -> bool {
    // an address of which a part is put in
    if text.contains('…') {
        return false;
    }
    let named = host.contains('.') && host.chars().any(|char| char.is_ascii_alphabetic()) && !host.contains(':');
    let Some((_, rest)) = text.split_once("://") else {
        return named && text.len() <= ADDRESS && !text.contains(['?', '@', ':']);
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let port = authority.rsplit_once(':').is_none_or(|(_, port)| matches!(port, "" | "80" | "443"));
    named && text.len() <= ADDRESS && query.len() <= QUERY && !authority.contains('@') && port
}

pub(super) fn push(action: &Action) -> bool {
    action.capability == Capability::VcsPush
}

pub(super) fn publish(action: &Action) -> bool {
    action.capability == Capability::VcsPublish && paths(action, Role::changes, OWN)
}

pub(super) fn other_installs(action: &Action) -> bool {
    matches!(action.capability, Capability::Package | Capability::PackageLocked) && changes_nothing_or_project(action)
}

pub(super) fn mcp_read(action: &Action) -> bool {
    action.capability == Capability::McpRead && changes_nothing(action) && placed(action)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn addresses_that_carry_data_are_not_plain() {
        let long = "x".repeat(101);
        for (host, text, expected) in [
            ("docs.rs", "https://docs.rs/serde/latest/serde/", true),
            ("docs.rs", "https://docs.rs/serde?search=x", true),
            ("docs.rs", "https://docs.rs:443/serde", true),
            ("docs.rs", "https://docs.rs:8443/serde", false),
            ("docs.rs", "https://user:pass@docs.rs/", false),
            ("docs.rs", &format!("https://docs.rs/?d={long}"), false),
            ("10.0.0.1", "http://10.0.0.1/", false),
            ("intranet", "http://intranet/", false),
            ("2001:db8::1", "http://[2001:db8::1]/", false),
        ] {
            assert_eq!(plain(host, text), expected, "{text}");
        }
    }
}
