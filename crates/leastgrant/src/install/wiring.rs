//! The command line that an agent runs as our hook, and how it is told from anybody else's.
//!
//! Closed by construction: `timeout PROGRAM hook AGENT || { reason; exit 2; }` refuses the call when the program is
//! missing, killed, stuck or fails in any other way (agents/claude-code facts §l). An answer at exit 0 is not touched.

use std::path::{Path, PathBuf};

use super::place::Scope;

/// Seconds after which the outer `timeout` ends the hook; shorter than the entry's own.
pub const OUTER_SECONDS: u32 = 8;
/// Seconds that the agent waits for the entry.
pub const ENTRY_SECONDS: u64 = 10;

/// What a failed hook means for the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// the call must not run
    Blocks,
    /// nothing to hold: the failure stays quiet
    Passes,
    /// no fallback of any kind, so that a person can repair the settings while a session runs
    Bare,
}

/// How our hook is wired into one settings file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Wiring {
    /// agent id, the word after `hook`
    pub agent: String,
    /// our program, absolute
    pub program: PathBuf,
    /// the outer `timeout`, absolute; none where the machine has none
    pub timeout: Option<PathBuf>,
    /// failures block (`--on-failure closed`)
    pub closed: bool,
    /// the settings file, for the text that a person reads
    pub file: PathBuf,
    /// whose settings
    pub scope: Scope,
    /// the agent is told to trust our entries (`--trust`, where it has such a thing)
    #[serde(default)]
    pub trust: bool,
    /// the generated plugin that the settings name, on agents that have no hooks
    #[serde(default)]
    pub plugin: Option<PathBuf>,
}

impl Wiring {
    /// The command line for an event with this kind of failure.
    #[must_use]
    pub fn command(&self, failure: Failure) -> String {
        let mut command = String::new();
        if let Some(timeout) = &self.timeout {
            command.push_str(&format!("{} -k 1 {OUTER_SECONDS} ", quote(&timeout.to_string_lossy())));
        }
        command.push_str(&format!("{} hook {}", quote(&self.program.to_string_lossy()), self.agent));
        match failure {
            Failure::Blocks if self.closed => {
                command.push_str(&format!(" || {{ printf '%s\\n' {} >&2; exit 2; }}", quote(&self.recovery())));
            }
            Failure::Blocks | Failure::Bare => {}
            Failure::Passes => command.push_str(" || exit 0"),
        }
        command
    }

    /// What a person reads when the hook could not answer.
    #[must_use]
    pub fn recovery(&self) -> String {
        let sudo = if self.scope == Scope::Managed { "sudo " } else { "" };
        let flag = self.scope.flag();
        format!(
            "leastgrant did not answer, so this call is blocked. to repair, a person runs `{sudo}leastgrant install {agent}{flag}` in a terminal; to remove the hook, take the `leastgrant` entries out of `{file}`",
            agent = self.agent,
            file = self.file.display(),
        )
    }
}

/// A command line of ours, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ours {
    /// the program it starts
    pub program: String,
    /// the word after `hook`
    pub agent: String,
    /// the outer `timeout`
    pub timeout: Option<String>,
    /// it ends in a fallback that blocks
    pub blocks: bool,
}

/// Whether a command line runs a program named `leastgrant` with `hook AGENT`. A mere mention is somebody else's.
#[must_use]
pub fn ours(command: &str, agent: &str) -> Option<Ours> {
    let (words, rest) = words(command);
    let mut words = words.into_iter().skip_while(|word| assignment(word)).peekable();
    let mut timeout = None;
    if words.peek().is_some_and(|word| matches!(name(word), "timeout" | "gtimeout")) {
        timeout = words.next();
        // flags and the duration; a flag with a value is followed by a number
        while words.peek().is_some_and(|word| word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit())) {
            words.next();
        }
    }
    let program = words.next()?;
    let hook = words.next()?;
    let named = match words.next()?.as_str() {
        "--agent" => words.next()?,
        word => word.strip_prefix("--agent=").unwrap_or(word).to_owned(),
    };
    (matches!(name(&program), "leastgrant" | "leastgrant.exe") && hook == "hook" && named == agent).then(|| Ours {
        program,
        agent: named,
        timeout,
        blocks: rest.trim_end().ends_with("exit 2; }"),
    })
}

fn name(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

fn assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// The words of the first simple command, quotes removed, and the text from the operator that ends it. A word whose
/// value the shell would work out ends the reading: such a command is not one that we wrote.
fn words(command: &str) -> (Vec<String>, &str) {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => {
                words.extend(word.take());
                return (words, command.get(at..).unwrap_or_default());
            }
            '$' | '`' => return (words, ""),
            '\'' => {
                let word = word.get_or_insert_default();
                for (_, c) in chars.by_ref().take_while(|(_, c)| *c != '\'') {
                    word.push(c);
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some((_, c)) = chars.next() {
                    match c {
                        '"' => break,
                        '$' | '`' => return (words, ""),
                        '\\' => word.extend(chars.next().map(|(_, c)| c)),
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next().map(|(_, c)| c)),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (words, "")
}

/// A word that the shell takes as it is.
#[must_use]
pub fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Why a path can't be written into a hook.
#[must_use]
pub fn unfit(path: &Path) -> Option<String> {
    match path.to_str() {
        None => Some(format!("`{}` is not UTF-8, which JSON can't hold", path.display())),
        Some(text) if text.contains(char::is_control) => {
            Some(format!("`{}` holds a control character", path.display().to_string().escape_debug()))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wiring(program: &str, timeout: Option<&str>) -> Wiring {
        Wiring {
            agent: String::from("claude-code"),
            program: program.into(),
            timeout: timeout.map(Into::into),
            closed: true,
            file: "/home/o'brien/.claude/settings.json".into(),
            scope: Scope::User,
            trust: false,
            plugin: None,
        }
    }

    #[test]
    fn what_we_write_is_known_again() {
        let programs = [
            "/usr/bin/leastgrant",
            "/home/a b/leastgrant",
            "/it's/leastgrant",
            "/größe/leastgrant",
            "/a$b/`c`/leastgrant",
        ];
        for program in programs {
            for timeout in [None, Some("/usr/bin/timeout"), Some("/my tools/gtimeout")] {
                for failure in [Failure::Blocks, Failure::Passes, Failure::Bare] {
                    let command = wiring(program, timeout).command(failure);
                    let ours = ours(&command, "claude-code").unwrap_or_else(|| panic!("{command}"));
                    assert_eq!(ours.program, program);
                    assert_eq!(ours.timeout.as_deref(), timeout);
                    assert_eq!(ours.blocks, failure == Failure::Blocks);
                }
            }
        }
    }

    #[test]
    fn other_spellings_of_ours() {
        for command in [
            "leastgrant hook claude-code",
            "  leastgrant   hook --agent claude-code ",
            "LEASTGRANT_HOME=/x /opt/leastgrant hook --agent=claude-code",
            "\"/opt/lg dir/leastgrant\" hook claude-code 2>/dev/null",
            "/opt/lg\\ dir/leastgrant hook claude-code; true",
            "timeout --kill-after=1 9 leastgrant hook claude-code",
        ] {
            assert!(ours(command, "claude-code").is_some(), "{command}");
        }
    }

    #[test]
    fn a_mention_is_somebody_elses() {
        for command in [
            "node /src/leastgrant/notes.js",
            "echo leastgrant hook claude-code",
            "notes leastgrant hook claude-code",
            "leastgrant-notes hook claude-code",
            "/src/leastgrant/my-hook claude-code",
            "leastgrant hook codex",
            "leastgrant hook persona --agent claude-code",
            "leastgrant doctor",
            "leastgrant",
            "sh -c 'leastgrant hook claude-code'",
            "true; leastgrant hook claude-code",
            "$X/leastgrant hook claude-code",
            "'leastgrant hook claude-code'",
            "",
        ] {
            assert_eq!(ours(command, "claude-code"), None, "{command}");
        }
    }
}
