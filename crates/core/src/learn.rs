//! Evidence → standing: what earlier answers of a person are worth, as a pure fold.
//!
//! Confirmed evidence is a person's own yes, granted is a proposal that they accepted, observed is a call that ran without
//! their word, denied is their no. The fold never depends on the order of what comes in, and it never decides: floors, rules
//! and the tier limit stand in [`crate::judge`], above whatever is learned here. A no is permanent until a rule is written.

mod account;

pub use account::{Account, Strand};

use std::collections::BTreeMap;

use crate::action::{Exposure, Reach, Scale, Undo};
use crate::policy::Posture;
use crate::signature::{self, Does};

/// Where a piece of evidence comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// it ran, and nobody was asked or nobody is known to have answered
    Observed,
    /// a person answered yes to our question
    Confirmed,
    /// a person accepted it as a proposal
    Granted,
    /// a person answered no
    Denied,
    /// a person took back what was learned; a no stays
    Forgotten,
}

impl Kind {
    /// The id in the ledger.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Confirmed => "confirmed",
            Self::Granted => "granted",
            Self::Denied => "denied",
            Self::Forgotten => "forgotten",
        }
    }

    /// The kind with this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::Observed, Self::Confirmed, Self::Granted, Self::Denied, Self::Forgotten]
            .into_iter()
            .find(|kind| kind.id() == id)
    }
}

/// One piece of evidence about one signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence<'a> {
    /// where it comes from
    pub kind: Kind,
    /// about which signature, or which key of one
    pub signature: &'a str,
    /// milliseconds since 1970
    pub at_ms: i64,
    /// the agent's session
    pub session: &'a str,
}

/// What is asked of evidence before it lets anything pass (parity table §12.2, §12.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// approvals on so many days
    pub days: usize,
    /// approvals in so many sessions
    pub sessions: usize,
    /// runs of the observed kind
    pub observed: f64,
    /// days after which an approval counts half
    pub half_life: f64,
    /// above it nothing is learned; the judge's own limit can't be raised by it
    pub max_tier: u8,
}

impl Default for Terms {
    fn default() -> Self {
        Self { days: 2, sessions: 2, observed: 8.0, half_life: 90.0, max_tier: 2 }
    }
}

/// What the evidence about one signature comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Worth {
    /// a person accepted it as a proposal
    Granted,
    /// approved often enough
    Confirmed {
        /// how often
        times: u64,
        /// on how many days
        days: usize,
    },
    /// ran often enough, and stays in the project
    Observed {
        /// how often
        times: u64,
    },
    /// a person refused it
    Denied,
    /// not yet
    Short(Gap),
}

/// What is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// nothing is known of it
    Unknown,
    /// it can't be learned: not understood, or too much at stake
    Never,
    /// so many more approvals
    Approvals(u32),
    /// approvals on so many more days
    Days(usize),
    /// approvals in so many more sessions
    Sessions(usize),
}

impl std::fmt::Display for Gap {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let many = |n: usize, word: &str| format!("{n} more {word}{}", if n == 1 { "" } else { "s" });
        match self {
            Self::Unknown => out.write_str("not approved before"),
            Self::Never => out.write_str("never learned: not understood, or too much is at stake"),
            Self::Approvals(n) => {
                write!(out, "{} needed", many(usize::try_from(*n).unwrap_or(usize::MAX), "approval"))
            }
            Self::Days(n) => write!(out, "approved often enough, but on {} needed", many(*n, "day")),
            Self::Sessions(n) => write!(out, "approved often enough, but in {} needed", many(*n, "session")),
        }
    }
}

/// z of a one-sided 95 % bound.
const Z: f64 = 1.645;

/// The lower end of what a clean record of so many approvals says about the next one (Wilson).
#[must_use]
pub fn bound(approvals: f64) -> f64 {
    if approvals > 0.0 { approvals / (approvals + Z * Z) } else { 0.0 }
}

/// The bound that a tier asks for.
#[must_use]
pub fn required(tier: u8) -> f64 {
    match tier {
        0 | 1 => 0.60,
        2 => 0.80,
        3 => 0.95,
        _ => 0.9875,
    }
}

/// What an account is worth for an action that does this, on this day.
#[must_use]
pub fn worth(account: &Account, does: Does, terms: &Terms, posture: Posture, now_ms: i64) -> Worth {
    if account.denied.is_some() {
        return Worth::Denied;
    }
    let tier = does.blast.tier();
    if does.opaque || tier > terms.max_tier {
        return Worth::Short(Gap::Never);
    }
    if account.granted.is_some() {
        return Worth::Granted;
    }
    let today = account::day(now_ms);
    let approved = account.confirmed.weight(today, terms.half_life);
    let (days, sessions) = (account.confirmed.days_until(today), account.confirmed.sessions.len());
    let enough = bound(approved) >= required(tier);
    if enough && days >= terms.days && sessions >= terms.sessions {
        return Worth::Confirmed { times: account.confirmed.times(), days };
    }
    let seen = approved + account.observed.weight(today, terms.half_life);
    let observed_in = account.observed.sessions.keys().chain(account.confirmed.sessions.keys());
    let observed_in = observed_in.collect::<std::collections::BTreeSet<_>>().len();
    if harmless(does, posture) && seen >= terms.observed && observed_in >= terms.sessions {
        return Worth::Observed { times: account.observed.times().saturating_add(account.confirmed.times()) };
    }
    Worth::Short(if account.confirmed.times() == 0 {
        Gap::Unknown
    } else if !enough {
        Gap::Approvals(missing(approved, tier))
    } else if days < terms.days {
        Gap::Days(terms.days - days)
    } else {
        Gap::Sessions(terms.sessions - sessions)
    })
}

/// What may pass because it ran before: it stays in the project, leaves no trace, lays nothing open. In posture autopilot
/// what is easily undone may, too.
fn harmless(does: Does, posture: Posture) -> bool {
    let blast = does.blast;
    let undo = if posture == Posture::Autopilot { Undo::Easy } else { Undo::Trivial };
    blast.reach <= Reach::Workspace
        && blast.undo <= undo
        && blast.exposure == Exposure::None
        && blast.scale < Scale::Sweeping
}

/// How many approvals of today would close the gap.
fn missing(approved: f64, tier: u8) -> u32 {
    (1..=1000).find(|more| bound(approved + f64::from(*more)) >= required(tier)).unwrap_or(u32::MAX)
}

/// What is known, by signature or by the key that a store makes of it.
pub type Accounts = BTreeMap<String, Account>;

/// Adds one piece of evidence. Any order gives the same.
pub fn fold(accounts: &mut Accounts, evidence: &Evidence<'_>) {
    accounts.entry(evidence.signature.to_owned()).or_default().add(evidence.kind, evidence.at_ms, evidence.session);
}

/// The one that a person's no to several actions is about: what is not understood before what is, then the heaviest. If it
/// were all of them, one refused compound would hold every ordinary command in it for good.
#[must_use]
pub fn blamed<'a>(signatures: &[&'a str]) -> Option<&'a str> {
    signatures.iter().copied().max_by_key(|signature| {
        let does = signature::does(signature);
        (does.is_none_or(|does| does.opaque), does.map_or(u8::MAX, |does| does.blast.tier()), *signature)
    })
}

/// What earlier evidence is worth for the signatures at hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// signatures that may pass because a person approved them often enough, or accepted them
    pub familiar: Vec<String>,
    /// signatures that may pass because they ran often enough and stay in the project
    pub observed: Vec<String>,
    /// signatures that a person refused
    pub denied: Vec<String>,
    /// what the others still lack
    pub short: Vec<(String, Gap)>,
    /// why what is known could not be read in full, in words: then nothing passes by what was learned
    pub unreadable: Option<String>,
}

impl Standing {
    /// Adds what an account says about a signature.
    pub fn learn(&mut self, signature: &str, account: &Account, terms: &Terms, posture: Posture, now_ms: i64) {
        let does = signature::does(signature);
        let worth = does.map_or(Worth::Short(Gap::Never), |does| worth(account, does, terms, posture, now_ms));
        match worth {
            Worth::Granted | Worth::Confirmed { .. } => self.familiar.push(signature.to_owned()),
            Worth::Observed { .. } => self.observed.push(signature.to_owned()),
            Worth::Denied => self.denied.push(signature.to_owned()),
            Worth::Short(gap) => self.short.push((signature.to_owned(), gap)),
        }
    }
}

#[cfg(test)]
mod tests;
