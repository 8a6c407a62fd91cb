//! The command line of the guard's entry. It is closed while a run is active and only then: where the guard does not answer,
//! the shell itself looks for `ACTIVE.json`, from the project's folder upwards, so that a stale entry never bounds a normal
//! session, even with the program gone.

use std::path::PathBuf;

use super::Target;
use crate::install::wiring::quote;
use crate::persona::{ENTRY_SECONDS, TAG};

/// Seconds after which the outer `timeout` ends the guard; shorter than the entry's own.
const OUTER_SECONDS: u32 = ENTRY_SECONDS - 1;

/// What is wired.
#[derive(Clone, Debug)]
pub struct Guard {
    /// our program, absolute
    pub program: PathBuf,
    /// the outer `timeout`, absolute; none where the machine has none
    pub timeout: Option<PathBuf>,
    /// Codex: say that the person trusts this entry
    pub trust: bool,
}

impl Guard {
    /// The command line for an agent's settings.
    #[must_use]
    pub fn command(&self, target: &Target) -> String {
        let outer = self
            .timeout
            .as_ref()
            .map(|timeout| format!("{} -k 1 {OUTER_SECONDS} ", quote(&timeout.to_string_lossy())))
            .unwrap_or_default();
        let program = quote(&self.program.to_string_lossy());
        let agent = target.harness.id();
        let said = quote(&format!(
            "Leopold persona guard: the guard did not answer while a run is active — fail closed. a person runs `leastgrant persona wire` to repair it, or takes the entry with {TAG} out of {}",
            target.file.display()
        ));
        let file = "$d/.leopold/persona/ACTIVE.json";
        format!(
            "{outer}{program} hook persona --agent {agent} || {{ d=${{CLAUDE_PROJECT_DIR:-$PWD}}; while [ -n \"$d\" ]; do if [ -e \"{file}\" ] || [ -L \"{file}\" ]; then printf '%s\\n' {said} >&2; exit 2; fi; d=${{d%/*}}; done; exit 0; }} # {TAG}"
        )
    }
}

/// Whether a command line is the guard of ours for an agent.
#[must_use]
pub fn is_ours(command: &str, agent: &str) -> bool {
    command.trim_end().ends_with(&format!("# {TAG}")) && command.contains(&format!(" hook persona --agent {agent} "))
}

/// The program that a command line of ours starts.
#[must_use]
pub fn program(command: &str) -> Option<String> {
    let front = command.split_once(" hook persona --agent ")?.0;
    let mut words: Vec<String> = vec![String::new()];
    let mut chars = front.chars();
    while let Some(char) = chars.next() {
        let Some(word) = words.last_mut() else { break };
        match char {
            ' ' => words.push(String::new()),
            '\'' => word.extend(chars.by_ref().take_while(|char| *char != '\'')),
            '\\' => word.extend(chars.next()),
            char => word.push(char),
        }
    }
    words.pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::persona::wiring::Harness;

    #[test]
    fn the_program_is_found_again_in_the_line() {
        for path in ["/usr/bin/leastgrant", "/home/a b/leastgrant", "/it's/leastgrant", "/größe/leastgrant"] {
            for timeout in [None, Some("/usr/bin/timeout"), Some("/my tools/gtimeout")] {
                let guard = Guard { program: path.into(), timeout: timeout.map(Into::into), trust: false };
                let target = Target {
                    harness: Harness::ClaudeCode,
                    home: "/home/o'brien/.claude".into(),
                    file: "/home/o'brien/.claude/settings.json".into(),
                };
                let line = guard.command(&target);
                assert!(is_ours(&line, "claude-code") && !is_ours(&line, "codex"), "{line}");
                assert_eq!(program(&line).as_deref(), Some(path));
            }
        }
        assert!(!is_ours("echo leastgrant hook persona --agent codex", "codex"));
        assert!(!is_ours("bash /abs/hooks/persona-guard.sh", "codex"));
    }
}
