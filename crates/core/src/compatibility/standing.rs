//! What a record amounts to: how much is enforced, and how sure we are of it. Two scales, never one.

use super::{Coverage, Fact, Gate, Record, Run, Seen, Versions};
use crate::channel::{self, Ask};

/// How much is enforced, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Enforcement {
    /// nothing was measured here, so nothing is claimed
    Unclaimed,
    /// a refusal holds; no ask goes out through the hook
    Veto,
    /// a refusal holds and an ask reaches a person; something stays open or unseen
    Partial,
    /// every failure is closed as we wire it, and every surface is gated
    Whole,
}

/// How sure we are, least first. Each kind stands for itself; this is only the best of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verified {
    /// nothing was run
    Nothing,
    /// our side passes the suite
    Conformance,
    /// the contract was read in the shipped program
    Contract,
    /// the real agent called a hook
    Transport,
    /// the real agent ran with leastgrant
    Live,
}

/// Proof of one live run: what a receipt says, as far as a record is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// record id
    pub agent: String,
    /// the agent's version
    pub version: Versions,
    /// the system
    pub os: String,
    /// the day
    pub date: String,
    /// what was seen happening
    pub what: String,
    /// the name of the receipt
    pub receipt: String,
}

/// How much is enforced. Of several versions the weakest counts.
#[must_use]
pub fn enforcement(record: &Record) -> Enforcement {
    let holds = record.channel.deny.forms.iter().any(|form| form.value.holds && form.evidence.is_ours());
    if !holds {
        return Enforcement::Unclaimed;
    }
    if !asks(record) {
        return Enforcement::Veto;
    }
    let closed = record.failures.iter().all(|failure| !failure.wired.is_empty() && failure.wired.iter().all(is_closed));
    if closed && !record.coverage.is_empty() && record.coverage.iter().all(is_gated) {
        Enforcement::Whole
    } else {
        Enforcement::Partial
    }
}

/// Whether it can be told that a person is there.
#[must_use]
pub fn tells(record: &Record) -> bool {
    record.attendance.says.iter().any(|fact| fact.evidence.is_ours())
}

/// Whether an ask ever goes out: it prompts, and either a person is known to be there or an ask without one is refused.
fn asks(record: &Record) -> bool {
    channel::of(&record.id).is_some_and(|channel| {
        channel.ask_attended == Ask::Prompts && (channel.ask_unattended == Ask::Refuses || tells(record))
    })
}

fn is_closed(fact: &Fact<Gate>) -> bool {
    fact.value == Gate::Closed && fact.evidence.is_ours()
}

fn is_gated(fact: &Fact<Coverage>) -> bool {
    fact.value.seen == Seen::Gated && fact.evidence.is_ours()
}

/// The best kind of verification that was done; `live` as [`live`] makes it.
#[must_use]
pub fn verified(record: &Record, live: &Run) -> Verified {
    let runs = &record.verification;
    let done = [
        (live.done, Verified::Live),
        (runs.transport.done, Verified::Transport),
        (runs.contract.done, Verified::Contract),
        (runs.conformance.done, Verified::Conformance),
    ];
    done.iter().find(|row| row.0).map_or(Verified::Nothing, |row| row.1)
}

/// The live run of an agent: the latest proof of it, or what the record itself says. This is where receipts come in.
#[must_use]
pub fn live(record: &Record, proofs: &[Proof]) -> Run {
    let of_it = proofs.iter().filter(|proof| proof.agent == record.id);
    of_it.max_by(|one, two| one.date.cmp(&two.date)).map_or_else(
        || record.verification.live.clone(),
        |proof| Run {
            done: true,
            what: proof.what.clone(),
            version: Some(proof.version.clone()),
            os: Some(proof.os.clone()),
            date: Some(proof.date.clone()),
            receipt: Some(proof.receipt.clone()),
        },
    )
}
