//! Starter bundles: what a person accepts at `init`, each with what it does not cover in words. Floors stay above all;
//! what was not understood is in none.

mod holds;

use crate::action::Action;

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
        holds: holds::read_search,
    },
    Bundle {
        id: "git-read",
        title: "look at git",
        covers: "git status, diff, log, show, blame, fetch; reading issues and pull requests",
        does_not_cover: "anything that changes a branch, a commit, a remote or a pull request",
        ticked: true,
        up_to: HEAVY - 1,
        holds: holds::git_read,
    },
    Bundle {
        id: "edit-project",
        title: "edit in the project",
        covers: "writing files in the project and in folders for temporary files; deleting build output, files made in this session and unchanged files that git has",
        does_not_cover: "files that decide what an agent, a build or a shell runs; other deletes; anything outside",
        ticked: true,
        up_to: HEAVY - 1,
        holds: holds::edit_project,
    },
    Bundle {
        id: "build-test-lint",
        title: "build, test, lint",
        covers: "the project's builds, tests, linters and formatters; requests to servers on this machine",
        does_not_cover: "deploying, publishing, installing. With edits accepted too, the agent can run code that it wrote itself",
        ticked: true,
        up_to: HEAVY - 1,
        holds: holds::build_test_lint,
    },
    Bundle {
        id: "git-write-local",
        title: "local git writes",
        covers: "git add, commit, branch, switch, stash, tag, merge and rebase without force",
        does_not_cover: "push; whatever throws away work (reset --hard, clean, branch -D, checkout of files)",
        ticked: true,
        up_to: HEAVY - 1,
        holds: holds::git_write_local,
    },
    Bundle {
        id: "install-locked",
        title: "locked installs",
        covers: "installing what the project's lock file names",
        does_not_cover: "adding or upgrading packages; installing on the system; fetching a package to run it",
        ticked: true,
        up_to: HEAVY - 1,
        holds: holds::install_locked,
    },
    Bundle {
        id: "container-bounded",
        title: "bounded containers",
        covers: "building and running containers without mounts from outside the project, privileges or the host's network",
        does_not_cover: "privileged containers, the container daemon's socket, removing volumes",
        ticked: true,
        up_to: HEAVY - 1,
        holds: holds::container_bounded,
    },
    Bundle {
        id: "fetch-docs",
        title: "look things up on the web",
        covers: "plain GET requests to named hosts, and web search",
        does_not_cover: "sending data, also in a long address; bare IP addresses, other ports, addresses with a password; saving into the project",
        ticked: true,
        up_to: HEAVY - 1,
        holds: holds::fetch_docs,
    },
    Bundle {
        id: "push",
        title: "push branches",
        covers: "git push of a branch to the remote that it tracks or names",
        does_not_cover: "force, deleting or mirroring; pushing tags of a release",
        ticked: false,
        up_to: HEAVY - 1,
        holds: holds::push,
    },
    Bundle {
        id: "publish",
        title: "pull requests and comments",
        covers: "opening and editing pull requests, issues and comments; merging; pushing tags",
        does_not_cover: "publishing a package to a registry; rewriting published history",
        ticked: false,
        up_to: 4,
        holds: holds::publish,
    },
    Bundle {
        id: "other-installs",
        title: "other installs",
        covers: "adding, upgrading and removing packages with the project's package manager",
        does_not_cover: "installing with more rights; fetching a package to run it",
        ticked: false,
        up_to: HEAVY,
        holds: holds::other_installs,
    },
    Bundle {
        id: "mcp-read",
        title: "read through MCP servers",
        covers: "tools of MCP servers whose name says that they only read",
        does_not_cover: "tools that create, change, send or run; what a server does beyond what it says",
        ticked: false,
        up_to: HEAVY - 1,
        holds: holds::mcp_read,
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
        action.opaque.is_none() && action.marks.is_empty() && action.blast.tier() <= self.up_to && (self.holds)(action)
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

#[cfg(test)]
mod tests {
    use super::BUNDLES;

    #[test]
    fn what_is_ticked_is_light() {
        for bundle in BUNDLES {
            assert!(!bundle.ticked || bundle.up_to <= 2, "{}", bundle.id);
            assert!(!bundle.does_not_cover.is_empty() && !bundle.covers.is_empty());
        }
    }
}
