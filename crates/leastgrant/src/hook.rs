//! The path of one call: stdin → agent → call → judge → verdict → ledger → channel → agent → stdout.

use std::ffi::OsString;
use std::process::ExitCode;

/// `leastgrant hook AGENT`: reads one payload, answers with one JSON object or with silence.
#[must_use]
pub fn main(args: &[OsString]) -> ExitCode {
    let _ = args;
    ExitCode::from(2)
}
