//! The lease: what the conductor of a run allows the guard to let pass right now. It lies in our state folder, is written
//! whole, and ends by itself. Without a conductor there is none, and nothing waits for a go-ahead.

use serde::{Deserialize, Serialize};

/// Version of the format.
pub const FORMAT: u32 = 1;

/// One worker of a conducted run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worker {
    /// the persona
    pub persona: String,
    /// the agent's session, once it is known
    pub session: Option<String>,
    /// the turn it is in
    pub turn: u32,
    /// the conductor has said to act
    pub acting: bool,
}

/// The lease of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// version of this format
    pub v: u32,
    /// the project's root, links followed
    pub root: String,
    /// id of the run that owns it
    pub owner: String,
    /// the conductor's process
    pub pid: u32,
    /// when that process was started, in the kernel's own count, so that a number used again is told apart
    pub started: u64,
    /// milliseconds since 1970
    pub expires_ms: i64,
    /// who walks
    pub workers: Vec<Worker>,
    /// the flow's own list of what may not be done
    #[serde(default)]
    pub out_of_bounds: Vec<String>,
    /// commits and pushes of workers are refused
    #[serde(default)]
    pub lock_git: bool,
    /// `commit`, `push`: what a person let through at a terminal
    #[serde(default)]
    pub unlocked: Vec<String>,
}

/// What the guard knows of a conductor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Gate {
    /// nobody conducts: nothing waits
    #[default]
    Open,
    /// a conductor does
    Conducted(Lease),
    /// there is a lease that can't be read: nothing may act
    Unreadable,
}

impl Gate {
    /// Reads a lease's bytes; none where there is no file.
    #[must_use]
    pub fn read(bytes: Option<&[u8]>, root: &str) -> Self {
        let Some(bytes) = bytes else { return Self::Open };
        match serde_json::from_slice::<Lease>(bytes) {
            Ok(lease) if lease.v == FORMAT && lease.root == root => Self::Conducted(lease),
            _ => Self::Unreadable,
        }
    }

    /// Whether the session may act now. An expired lease lets nothing pass: its conductor is gone or stuck.
    #[must_use]
    pub fn acts(&self, session: &str, now_ms: i64) -> bool {
        match self {
            Self::Open => true,
            Self::Unreadable => false,
            Self::Conducted(lease) => {
                let of_session = |worker: &&Worker| worker.session.as_deref().is_none_or(|known| known == session);
                let mut workers = lease.workers.iter().filter(of_session).peekable();
                now_ms < lease.expires_ms && workers.peek().is_some() && workers.all(|worker| worker.acting)
            }
        }
    }

    /// Whether a conductor gave its go-ahead, rather than nobody being there to give one.
    #[must_use]
    pub fn said_go(&self, session: &str, now_ms: i64) -> bool {
        matches!(self, Self::Conducted(_)) && self.acts(session, now_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(workers: &[(&str, Option<&str>, bool)]) -> Gate {
        let worker = |row: &(&str, Option<&str>, bool)| Worker {
            persona: row.0.to_owned(),
            session: row.1.map(str::to_owned),
            turn: 1,
            acting: row.2,
        };
        Gate::Conducted(Lease {
            v: FORMAT,
            root: String::from("/p"),
            owner: String::from("r"),
            pid: 1,
            started: 1,
            expires_ms: 100,
            workers: workers.iter().map(worker).collect(),
            out_of_bounds: Vec::new(),
            lock_git: false,
            unlocked: Vec::new(),
        })
    }

    #[test]
    fn only_a_living_go_ahead_lets_act() {
        assert!(Gate::Open.acts("s", 0));
        assert!(!Gate::Open.said_go("s", 0));
        assert!(!Gate::Unreadable.acts("s", 0));
        assert!(gate(&[("ana", Some("s"), true), ("bo", Some("t"), false)]).acts("s", 99));
        assert!(!gate(&[("ana", Some("s"), true)]).acts("s", 100));
        assert!(!gate(&[("ana", Some("s"), true), ("bo", Some("t"), false)]).acts("t", 99));
        assert!(!gate(&[("ana", Some("s"), true)]).acts("foreign", 99));
        assert!(gate(&[("ana", None, true)]).acts("any", 99));
        assert!(!gate(&[("ana", Some("s"), true), ("bo", None, false)]).acts("s", 99), "not yet known whose it is");
        assert!(!gate(&[]).acts("s", 0));
    }

    #[test]
    fn a_lease_of_another_place_is_none() {
        let Gate::Conducted(lease) = gate(&[]) else { panic!() };
        let bytes = serde_json::to_vec(&lease).unwrap();
        assert_eq!(Gate::read(Some(&bytes), "/p"), Gate::Conducted(lease));
        assert_eq!(Gate::read(Some(&bytes), "/q"), Gate::Unreadable);
        assert_eq!(Gate::read(Some(b"{"), "/p"), Gate::Unreadable);
        assert_eq!(Gate::read(None, "/p"), Gate::Open);
    }
}
