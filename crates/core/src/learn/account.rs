//! What is known of one signature: counts by day, sessions, a no, a grant. Bounded in size, and the same whatever the order
//! of what was added: sums, maxima and the newest entries only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Kind;

/// Most days that are kept, the newest ones: with a half-life of months the older ones weigh nothing.
const DAYS: usize = 64;
/// Most sessions that are kept, the newest ones.
const SESSIONS: usize = 16;
const DAY_MS: i64 = 24 * 3600 * 1000;

/// The day of a time, counted from 1970.
#[must_use]
pub(super) fn day(at_ms: i64) -> i64 {
    at_ms.div_euclid(DAY_MS)
}

/// Evidence of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strand {
    /// how often on which day
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub days: BTreeMap<i64, u32>,
    /// the newest day of each session, by a digest of its name
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sessions: BTreeMap<u64, i64>,
}

impl Strand {
    fn is_empty(&self) -> bool {
        self.days.is_empty() && self.sessions.is_empty()
    }

    fn add(&mut self, day: i64, session: &str) {
        let count = self.days.entry(day).or_default();
        *count = count.saturating_add(1);
        if self.days.len() > DAYS {
            self.days.pop_first();
        }
        if !session.is_empty() {
            let last = self.sessions.entry(digest(session)).or_insert(day);
            *last = day.max(*last);
        }
        if self.sessions.len() > SESSIONS {
            self.drop_oldest();
        }
    }

    fn join(&mut self, other: &Self) {
        for (day, count) in &other.days {
            let sum = self.days.entry(*day).or_default();
            *sum = sum.saturating_add(*count);
        }
        while self.days.len() > DAYS {
            self.days.pop_first();
        }
        for (name, last) in &other.sessions {
            let known = self.sessions.entry(*name).or_insert(*last);
            *known = (*last).max(*known);
        }
        while self.sessions.len() > SESSIONS {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let oldest = self.sessions.iter().min_by_key(|(name, last)| (**last, **name)).map(|(name, _)| *name);
        oldest.and_then(|name| self.sessions.remove(&name));
    }

    fn forget(&mut self, day: i64) {
        self.days.retain(|at, _| *at > day);
        self.sessions.retain(|_, last| *last > day);
    }

    /// How much it weighs on a day. What comes from the future weighs like today's.
    #[must_use]
    pub fn weight(&self, today: i64, half_life: f64) -> f64 {
        self.days
            .iter()
            .map(|(day, count)| {
                let age = i32::try_from((today - day).clamp(0, 1 << 20)).map_or(0.0, f64::from);
                f64::from(*count) * (-age / half_life).exp2()
            })
            .sum()
    }

    /// How often, without decay.
    #[must_use]
    pub fn times(&self) -> u64 {
        self.days.values().map(|count| u64::from(*count)).sum()
    }

    /// On how many days; those to come are no days yet.
    #[must_use]
    pub fn days_until(&self, today: i64) -> usize {
        self.days.range(..=today).count()
    }
}

/// What is known of one signature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// a person's yes
    #[serde(default, skip_serializing_if = "Strand::is_empty")]
    pub confirmed: Strand,
    /// it ran
    #[serde(default, skip_serializing_if = "Strand::is_empty")]
    pub observed: Strand,
    /// the newest day of a person's no
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied: Option<i64>,
    /// the newest day on which a person accepted it as a proposal
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted: Option<i64>,
    /// the newest day on which a person took back what was learned: what is not newer does not count
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten: Option<i64>,
}

impl Account {
    fn forget(&mut self, day: i64) {
        self.forgotten = self.forgotten.max(Some(day));
        self.confirmed.forget(day);
        self.observed.forget(day);
        self.granted = self.granted.filter(|at| *at > day);
    }

    /// Adds everything that another account of the same signature knows, as if it had been added piece by piece.
    pub fn join(&mut self, other: &Self) {
        self.confirmed.join(&other.confirmed);
        self.observed.join(&other.observed);
        self.denied = self.denied.max(other.denied);
        self.granted = self.granted.max(other.granted);
        if let Some(day) = self.forgotten.max(other.forgotten) {
            self.forget(day);
        }
    }

    /// Adds one piece of evidence. A time before 1970 makes a no, and nothing else.
    pub fn add(&mut self, kind: Kind, at_ms: i64, session: &str) {
        let day = day(at_ms);
        let counts = at_ms > 0 && self.forgotten.is_none_or(|forgotten| day > forgotten);
        match kind {
            Kind::Denied => self.denied = self.denied.max(Some(day)),
            Kind::Forgotten => self.forget(day),
            Kind::Confirmed if counts => self.confirmed.add(day, session),
            Kind::Observed if counts => self.observed.add(day, session),
            Kind::Granted if counts => self.granted = self.granted.max(Some(day)),
            Kind::Confirmed | Kind::Observed | Kind::Granted => {}
        }
    }
}

/// FNV-1a: two sessions that collide count as one, which only asks for more.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
