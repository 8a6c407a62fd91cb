//! The probe: a hook that writes down what it was given and then answers, or misbehaves, as it was told. What it is told
//! stands in a file beside its log, so that one program serves every agent's dialect.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::scenario::Hook;

/// What a probe does once it has read its input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Behaviour {
    /// only for tools whose name holds one of these
    pub only: Vec<String>,
    /// before anything is written
    pub sleep_ms: u64,
    /// on standard output
    pub stdout: String,
    /// on standard error
    pub stderr: String,
    /// how it ends
    pub exit: u8,
    /// ends by this signal instead
    pub signal: i32,
}

/// A decision in an agent's own form, by its name.
pub type Say<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What a hook does, by its name: a decision in the agent's form, or one of the ways to misbehave.
///
/// # Errors
/// The name is unknown, or the agent has no such decision.
pub fn misbehave(hook: &Hook, say: &Say<'_>) -> Result<Behaviour, String> {
    let decision = |name: &str| say(name).ok_or_else(|| format!("this agent has no answer called `{name}`"));
    let mut does = Behaviour { only: hook.only.clone(), ..Behaviour::default() };
    let deny = || decision("deny");
    match hook.answer.as_str() {
        "" | "silent" => {}
        "exit-1" => (does.exit, does.stderr) = (1, String::from("LIVE-STDERR\n")),
        "exit-1-after-deny" => (does.exit, does.stdout) = (1, deny()?),
        "exit-2" => (does.exit, does.stderr) = (2, String::from("LIVE-STDERR\n")),
        "exit-2-silent" => does.exit = 2,
        "exit-101" => (does.exit, does.stderr) = (101, String::from("LIVE-STDERR panicked\n")),
        "killed" => does.signal = 9,
        "timeout" => (does.sleep_ms, does.stdout) = (30_000, deny()?),
        "slow" => (does.sleep_ms, does.stdout) = (1_500, deny()?),
        "bad-json" => does.stdout = deny()?.chars().take(24).collect(),
        "text" => does.stdout = String::from("LIVE-TEXT"),
        "text-before-deny" => does.stdout = format!("LIVE-TEXT\n{}", deny()?),
        "text-after-deny" => does.stdout = format!("{}\nLIVE-TEXT", deny()?),
        "empty-object" => does.stdout = String::from("{}"),
        "array" => does.stdout = String::from("[]"),
        other => does.stdout = decision(other)?,
    }
    if let Some(stdout) = &hook.stdout {
        stdout.clone_into(&mut does.stdout);
    }
    if let Some(stderr) = &hook.stderr {
        stderr.clone_into(&mut does.stderr);
    }
    if let Some(exit) = hook.exit {
        does.exit = u8::try_from(exit).map_err(|_| format!("an exit code of {exit} can't be"))?;
    }
    Ok(does)
}

/// One event as a probe saw it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seen {
    /// which probe
    pub label: String,
    /// its input, byte for byte
    pub stdin: String,
}

/// Runs as the hook itself. Returns the exit code.
#[must_use]
pub fn main(folder: &Path, label: &str) -> u8 {
    let mut stdin = String::new();
    // input that is not text is still a call that has to be answered
    let _ = std::io::stdin().take(64 << 20).read_to_string(&mut stdin);
    let seen = Seen { label: label.to_owned(), stdin };
    if let Ok(mut line) = serde_json::to_vec(&seen) {
        line.push(b'\n');
        let log = std::fs::OpenOptions::new().create(true).append(true).open(folder.join("hooks.jsonl"));
        let _ = log.and_then(|mut log| log.write_all(&line));
    }
    let text = std::fs::read(folder.join(format!("{label}.json"))).unwrap_or_default();
    let Ok(does) = serde_json::from_slice::<Behaviour>(&text) else {
        let _ = writeln!(std::io::stderr(), "the probe `{label}` was not told what to do");
        return 2;
    };
    let tool = tool(&seen.stdin);
    if !does.only.is_empty() && !does.only.iter().any(|part| tool.contains(part.as_str())) {
        return 0;
    }
    std::thread::sleep(Duration::from_millis(does.sleep_ms));
    let _ = std::io::stderr().write_all(does.stderr.as_bytes());
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(does.stdout.as_bytes()).and_then(|()| stdout.flush());
    if let Some(signal) = rustix::process::Signal::from_named_raw(does.signal) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
        std::thread::sleep(Duration::from_secs(5));
    }
    does.exit
}

/// The tool of a payload, whichever agent sent it.
#[must_use]
pub fn tool(payload: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(payload).unwrap_or_default();
    ["tool_name", "toolName", "tool"]
        .iter()
        .find_map(|key| value.get(key).and_then(serde_json::Value::as_str))
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decisions_or_misbehaviour() {
        let say = |name: &str| (name == "deny").then(|| String::from(r#"{"decision":"deny","reason":"LIVE-REASON"}"#));
        let hook = |answer: &str| Hook { answer: answer.to_owned(), ..Hook::default() };
        assert_eq!(misbehave(&hook("exit-2"), &say).unwrap().exit, 2);
        assert_eq!(misbehave(&hook("killed"), &say).unwrap().signal, 9);
        let cut = misbehave(&hook("bad-json"), &say).unwrap().stdout;
        assert!(serde_json::from_str::<serde_json::Value>(&cut).is_err(), "{cut}");
        assert!(misbehave(&hook("defer"), &say).is_err());
    }
}
