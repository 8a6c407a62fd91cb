//! The lock on history: a worker writes the files of its run and nothing else, so commits and pushes are refused in every
//! spelling that the shell reader sees. A forced push is refused always. What can't be read and has to do with git is
//! refused as well.

use crate::action::Capability;
use crate::call::{Call, Tool};
use crate::classify;
use crate::world::World;

/// Words behind `git` that write history here.
const COMMITS: &[&str] = &[
    "commit",
    "commit-tree",
    "update-ref",
    "merge",
    "cherry-pick",
    "rebase",
    "revert",
    "am",
    "pull",
    "fast-import",
    "filter-branch",
    "replace",
    "notes",
    "tag",
    "subtree",
    "stash",
];

/// Words behind `git` that send it away.
const PUSHES: &[&str] = &["push", "send-pack", "send-email", "http-push"];

/// What the lock says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Lock {
    /// not its concern
    Passes,
    /// refused, with the words for the worker
    Shut(String),
}

/// Asks the lock about a call. `unlocked` holds `commit` and `push` where a person let them through.
pub fn ask(call: &Call, world: &dyn World, unlocked: &[String]) -> Lock {
    let Tool::Shell(shell) = &call.tool else { return Lock::Passes };
    let open = |word: &str| unlocked.iter().any(|unlocked| unlocked == word);
    for action in classify::classify(call, world) {
        let words: Vec<&str> = action.display.split_whitespace().collect();
        let verb = if action.family == "git" || action.family == "vcs" { subcommand(&words) } else { None };
        let forced = action.capability == Capability::VcsPublish || words.iter().any(|word| forces(word));
        let pushes = matches!(action.capability, Capability::VcsPush | Capability::VcsPublish)
            || verb.is_some_and(|verb| PUSHES.contains(&verb));
        if pushes && forced {
            return shut("a forced push is refused in a persona run, whoever unlocked what");
        }
        if pushes && !open("push") {
            return shut(
                "pushing is locked in a persona run; a person unlocks it with `leastgrant persona unlock push`",
            );
        }
        let history = action.capability == Capability::VcsWrite && verb.is_none_or(|verb| COMMITS.contains(&verb));
        if (history || verb.is_some_and(|verb| COMMITS.contains(&verb) && action.capability != Capability::VcsRead))
            && !open("commit")
        {
            return shut(
                "commits are locked in a persona run; a person unlocks them with `leastgrant persona unlock commit`",
            );
        }
        if let Some(opaque) = &action.opaque
            && names_git(&shell.command)
        {
            return shut(&format!("this could write history and can't be read: {}", opaque.why));
        }
    }
    Lock::Passes
}

fn shut(why: &str) -> Lock {
    Lock::Shut(why.to_owned())
}

fn forces(word: &str) -> bool {
    let short = word.starts_with('-') && !word.starts_with("--") && word.contains('f');
    short || word.starts_with("--force") || word.starts_with("--mirror") || word.starts_with('+')
}

/// The word behind `git` and its own options.
fn subcommand<'a>(words: &[&'a str]) -> Option<&'a str> {
    const EATS: &[&str] = &["-c", "-C", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"];
    let git = words.iter().position(|word| *word == "git" || word.ends_with("/git"))?;
    let mut rest = words.iter().skip(git + 1);
    while let Some(word) = rest.next() {
        if EATS.contains(word) {
            rest.next();
        } else if !word.starts_with('-') {
            return Some(word);
        }
    }
    None
}

fn names_git(command: &str) -> bool {
    let plain: String = command.chars().filter(|letter| !matches!(letter, '\\' | '"' | '\'')).collect();
    plain.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| matches!(word, "git" | "hub" | "gh"))
}
