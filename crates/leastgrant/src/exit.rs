//! Exit codes of people's commands. Hook codes are decided in [`crate::hook`] alone.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// done
    Ok,
    /// done, and the answer is bad news (a bound that should hold does not; a file was refused)
    Bad,
    /// the words of the command are off
    Usage,
    /// `check --exit-code`: the verdict is ask
    Ask,
    /// `check --exit-code`: the verdict is deny
    Deny,
    /// `persona run`: a journey was stopped at a bound or at its budget
    Stopped,
    /// `persona run`: a journey did not work
    Failed,
    /// `persona run`: nothing could be started
    Impossible,
    /// `persona run`: it was interrupted and can be resumed
    Interrupted,
    /// our own failure
    Bug,
    /// a part of a live session: what it was told to end with
    Code(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Ok => 0,
            Exit::Bad => 1,
            Exit::Usage => 2,
            Exit::Ask => 10,
            Exit::Deny => 11,
            Exit::Stopped => 20,
            Exit::Failed => 21,
            Exit::Impossible => 22,
            Exit::Interrupted => 23,
            Exit::Bug => 70,
            Exit::Code(code) => code,
        })
    }
}
