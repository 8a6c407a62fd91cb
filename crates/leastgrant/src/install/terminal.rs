//! Whether a person is at a real terminal: what only a person may do asks here first.

use std::env;
use std::io::{IsTerminal, stderr, stdin};

/// Names that agents put into the environment of what they start.
const AGENT_MARKS: [&str; 9] = [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_CHILD_SESSION",
    "AI_AGENT",
    "CODEX_SANDBOX",
    "GEMINI_CLI",
    "QWEN_CODE",
    "COPILOT_CLI",
    "OPENCODE",
];

const MAX_ANCESTORS: usize = 64;

/// A person at a terminal, or why not.
///
/// # Errors
/// In words, what spoke against it.
pub fn person() -> Result<(), String> {
    if !(stdin().is_terminal() && stderr().is_terminal()) {
        return Err(String::from("this is not a terminal"));
    }
    inside_agent().map_or(Ok(()), |mark| Err(format!("an agent runs this (`{mark}` is set)")))
}

/// The mark of an agent in our environment, or in that of a process above us: `env -u` hides it from us alone.
#[must_use]
pub fn inside_agent() -> Option<String> {
    if let Some(mark) = AGENT_MARKS.iter().find(|mark| env::var_os(mark).is_some()) {
        return Some((*mark).to_owned());
    }
    let mut process = parent("self")?;
    for _ in 0..MAX_ANCESTORS {
        if process <= 1 {
            return None;
        }
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        for entry in environment.split(|byte| *byte == 0) {
            let name = entry.split(|byte| *byte == b'=').next().unwrap_or_default();
            if let Some(mark) = AGENT_MARKS.iter().find(|mark| mark.as_bytes() == name) {
                return Some((*mark).to_owned());
            }
        }
        process = parent(&process.to_string())?;
    }
    None
}

fn parent(process: &str) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}
