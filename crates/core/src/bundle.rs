//! Starter bundles: what a person accepts at `init`, each with what it does not cover in words. Floors stay above all;
//! what was not understood is in none.

use crate::action::{Action, Capability, Role, Target, TargetKind};
use crate::path::Zone;

/// One bundle.
pub struct Bundle {
    /// what settings and reasons call it
    pub id: &'static str,
    /// in a few words
    pub title: &'static str,
    /// what it lets pass
    pub covers: &'static str,
    /// what it does not, although one might think so
    pub does_not_cover: &'static str,
    /// offered with a tick
    pub ticked: bool,
    /// highest tier it lets pass; above 2 only where a person has to tick it
    pub up_to: u8,
    holds: fn(&Action) -> bool,
}

/// Tier from which an action is too heavy to pass unless a bundle names it.
const HEAVY: u8 = 3;

/// All bundles, in the order in which they are offered.
pub const BUNDLES: &[Bundle] = &[
    Bundle {
        id: "read-search",
        title: "read and search",
        covers: "reading, listing and searching files in the project; looking at single files elsewhere; looking at the machine",
        does_not_cover: "credentials, wherever they are; searches through folders that hold credentials",
        ticked: true,
        up_to: HEAVY - 1,
        holds: read_search,
    },
    Bundle {
        id: "git-read",
        title: "look at git",
        covers: "git status, diff, log, show, blame, fetch; reading issues and pull requests",
        does_not_cover: "anything that changes a branch, a commit, a remote or a pull request",
        ticked: true,
        up_to: HEAVY - 1,
        holds: git_read,
    },
    Bundle {
        id: "edit-project",
        title: "edit in the project",
        covers: "writing files in the project and in folders for temporary files; deleting build output, files made in this session and unchanged files that git has",
        does_not_cover: "files that decide what an agent, a build or a shell runs; other deletes; anything outside",
        ticked: true,
        up_to: HEAVY - 1,
        holds: edit_project,
    },
    Bundle {
        id: "build-test-lint",
        title: "build, test, lint",
        covers: "the project's builds, tests, linters and formatters; requests to servers on this machine",
        does_not_cover: "deploying, publishing, installing. With edits accepted too, the agent can run code that it wrote itself",
        ticked: true,
        up_to: HEAVY - 1,
        holds: build_test_lint,
    },
    Bundle {
        id: "git-write-local",
        title: "local git writes",
        covers: "git add, commit, branch, switch, stash, tag, merge and rebase without force",
        does_not_cover: "push; whatever throws away work (reset --hard, clean, branch -D, checkout of files)",
        ticked: true,
        up_to: HEAVY - 1,
        holds: git_write_local,
    },
    Bundle {
        id: "install-locked",
        title: "locked installs",
        covers: "installing what the project's lock file names",
        does_not_cover: "adding or upgrading packages; installing on the system; fetching a package to run it",
        ticked: true,
        up_to: HEAVY - 1,
        holds: install_locked,
    },
    Bundle {
        id: "container-bounded",
        title: "bounded containers",
        covers: "building and running containers without mounts from outside the project, privileges or the host's network",
        does_not_cover: "privileged containers, the container daemon's socket, removing volumes",
        ticked: true,
        up_to: HEAVY - 1,
        holds: container_bounded,
    },
    Bundle {
        id: "fetch-docs",
        title: "look things up on the web",
        covers: "plain GET requests to named hosts, and web search",
        does_not_cover: "sending data, also in a long address; bare IP addresses, other ports, addresses with a password; saving into the project",
        ticked: true,
        up_to: HEAVY - 1,
        holds: fetch_docs,
    },
    Bundle {
        id: "push",
        title: "push branches",
        covers: "git push of a branch to the remote that it tracks or names",
        does_not_cover: "force, deleting or mirroring; pushing tags of a release",
        ticked: false,
        up_to: HEAVY - 1,
        holds: push,
    },
    Bundle {
        id: "publish",
        title: "pull requests and comments",
        covers: "opening and editing pull requests, issues and comments; merging; pushing tags",
        does_not_cover: "publishing a package to a registry; rewriting published history",
        ticked: false,
        up_to: 4,
        holds: publish,
    },
    Bundle {
        id: "install-other",
        title: "other installs",
        covers: "adding, upgrading and removing packages with the project's package manager",
        does_not_cover: "installing with more rights; fetching a package to run it",
        ticked: false,
        up_to: HEAVY,
        holds: install_other,
    },
    Bundle {
        id: "mcp-read",
        title: "read through MCP servers",
        covers: "tools of MCP servers whose name says that they only read",
        does_not_cover: "tools that create, change, send or run; what a server does beyond what it says",
        ticked: false,
        up_to: HEAVY - 1,
        holds: mcp_read,
    },
];

impl Bundle {
    /// The bundle with this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<&'static Self> {
        BUNDLES.iter().find(|bundle| bundle.id == id)
    }

    /// Whether it lets an action pass. Never what was not understood and what carries a mark; floors are judged before.
    #[must_use]
    pub fn covers(&self, action: &Action) -> bool {
        action.opaque.is_none()
            && action.marks.is_empty()
            && action.blast.tier() <= self.up_to
            && (self.holds)(action)
    }
}

/// Ids of the bundles that are offered with a tick.
pub fn ticked() -> impl Iterator<Item = &'static str> {
    BUNDLES.iter().filter(|bundle| bundle.ticked).map(|bundle| bundle.id)
}

/// The first accepted bundle that covers an action.
#[must_use]
pub fn covering(accepted: &[String], action: &Action) -> Option<&'static Bundle> {
    BUNDLES.iter().find(|bundle| accepted.iter().any(|id| id == bundle.id) && bundle.covers(action))
}

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

fn read_search(action: &Action) -> bool {
    use Capability as C;
    let kind = matches!(action.capability, C::ReadWorkspace | C::ReadOutside | C::Inspect | C::Meta);
    let changes = action.targets.iter().any(|target| match &target.kind {
        TargetKind::Path(place) => target.role.changes() && place.zone != Zone::Null,
        _ => false,
    });
    kind && !changes && placed(action) && !action.targets.iter().any(reaches_out)
}

fn reaches_out(target: &Target) -> bool {
    target.role == Role::Send || matches!(target.kind, TargetKind::Host { local: false, .. })
}

fn git_read(action: &Action) -> bool {
    action.capability == Capability::VcsRead && changes_nothing(action) && placed(action)
}

fn edit_project(action: &Action) -> bool {
    use Capability as C;
    let in_project = matches!(action.capability, C::WriteWorkspace | C::DeleteKnown);
    let in_temp = matches!(action.capability, C::WriteOutside | C::Delete);
    let changed = |zones| paths(action, Role::changes, zones);
    let names_one = action.targets.iter().any(|target| target.role.changes());
    let out = action.targets.iter().any(reaches_out);
    placed(action) && !out && ((in_project && changed(OWN_OR_TEMP)) || (in_temp && names_one && changed(&[Zone::Temp])))
}

fn build_test_lint(action: &Action) -> bool {
    use Capability as C;
    matches!(action.capability, C::Build | C::Test | C::NetLoopback)
        && changes_nothing_or_project(action)
        && !action.targets.iter().any(|target| matches!(target.kind, TargetKind::Host { local: false, .. }))
}

fn changes_nothing_or_project(action: &Action) -> bool {
    placed(action) && paths(action, Role::changes, OWN_OR_TEMP)
}

fn git_write_local(action: &Action) -> bool {
    action.capability == Capability::VcsWrite && changes_nothing_or_project(action)
}

fn install_locked(action: &Action) -> bool {
    action.capability == Capability::PackageLocked && changes_nothing_or_project(action)
}

fn container_bounded(action: &Action) -> bool {
    action.capability == Capability::ContainerBounded && placed(action) && paths(action, Role::changes, OWN)
}

fn fetch_docs(action: &Action) -> bool {
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
    let named = host.contains('.') && host.chars().any(|char| char.is_ascii_alphabetic()) && !host.contains(':');
    let Some((_, rest)) = text.split_once("://") else {
        return named && text.len() <= ADDRESS && !text.contains(['?', '@', ':']);
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let port = authority.rsplit_once(':').is_none_or(|(_, port)| matches!(port, "" | "80" | "443"));
    named && text.len() <= ADDRESS && query.len() <= QUERY && !authority.contains('@') && port
}

fn push(action: &Action) -> bool {
    action.capability == Capability::VcsPush
}

fn publish(action: &Action) -> bool {
    action.capability == Capability::VcsPublish && paths(action, Role::changes, OWN)
}

fn install_other(action: &Action) -> bool {
    matches!(action.capability, Capability::Package | Capability::PackageLocked) && changes_nothing_or_project(action)
}

fn mcp_read(action: &Action) -> bool {
    action.capability == Capability::McpRead && changes_nothing(action) && placed(action)
}

#[cfg(test)]
mod tests {
    use super::{BUNDLES, plain};

    #[test]
    fn what_is_ticked_is_light() {
        for bundle in BUNDLES {
            assert!(!bundle.ticked || bundle.up_to <= 2, "{}", bundle.id);
            assert!(!bundle.does_not_cover.is_empty() && !bundle.covers.is_empty());
        }
    }

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
