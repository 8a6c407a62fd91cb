//! What is said to people: text that came from an agent made safe to show, and words for the ids of core.
//!
//! Nothing that an agent chose may reach a terminal past [`safe`] or [`crate::render::snippet`].

use leastgrant_core::action::{Action, Blast, Capability, Exposure, Reach, Role, Scale, Target, TargetKind, Undo};
use leastgrant_core::path::Zone;
use leastgrant_core::redact::redact;
use leastgrant_core::verdict::AskKind;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether a character could move the cursor, hide text or turn its direction.
#[must_use]
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text from an agent as one line that can't forge rows: secrets out, white space to blanks, control characters shown
/// as `�`.
#[must_use]
pub fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4096));
    for c in redact(text).trim().chars() {
        match c {
            '\n' | '\r' | '\t' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c if is_unsafe(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// At most `width` columns of `text`, the rest as `…`.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 0;
    let mut out = String::new();
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if used + w + 1 > width {
            break;
        }
        used += w;
        out.push(c);
    }
    out.push('…');
    out
}

/// Columns that `text` takes, colour codes not counted.
#[must_use]
pub fn columns(text: &str) -> usize {
    super::theme::strip(text).width()
}

/// Breaks `text` at blanks into lines of at most `width` columns; a longer word gets a line of its own.
#[must_use]
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let w = columns(word);
        if used > 0 && used + 1 + w > width.max(8) {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += w;
    }
    lines.push(line);
    lines
}

/// `1 file`, `2 files`.
#[must_use]
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// What a capability does, as a person would say it.
#[must_use]
pub fn capability(capability: Capability) -> &'static str {
    use Capability as C;
    match capability {
        C::Meta => "housekeeping of the agent",
        C::ReadWorkspace => "reads in the project",
        C::ReadOutside => "reads outside the project",
        C::WriteWorkspace => "writes in the project",
        C::WriteOutside => "writes outside the project",
        C::Delete => "deletes files",
        C::DeleteKnown => "deletes what can be made again",
        C::SecretRead => "reads a credential",
        C::Inspect => "looks around",
        C::Build => "builds",
        C::Test => "runs tests",
        C::Package => "installs packages",
        C::PackageLocked => "installs what the lock file names",
        C::PackagePublish => "publishes a package",
        C::VcsRead => "reads version control",
        C::VcsWrite => "changes the local repository",
        C::VcsPush => "pushes commits",
        C::VcsPublish => "changes a remote repository",
        C::Container => "runs a container",
        C::ContainerBounded => "runs a container that is closed off",
        C::Cloud => "changes cloud resources",
        C::Iac => "changes infrastructure",
        C::Database => "works on a database",
        C::Process => "controls processes",
        C::Privilege => "runs with more rights",
        C::Remote => "runs on another machine",
        C::Unknown => "runs something that leastgrant does not know",
        C::NetFetch => "fetches from the network",
        C::NetSend => "sends to the network",
        C::NetLoopback => "talks to a server on this machine",
        C::McpCall => "calls a tool server",
        C::McpRead => "reads from a tool server",
        C::AgentSpawn => "starts a subagent",
    }
}

/// The dimensions of a blast radius that say something, in words.
#[must_use]
pub fn blast(blast: Blast) -> Vec<&'static str> {
    let reach = match blast.reach {
        Reach::None => "",
        Reach::Workspace => "the project",
        Reach::Machine => "this machine",
        Reach::Network => "the network",
        Reach::External => "beyond this machine",
        Reach::Production => "production",
    };
    let undo = match blast.undo {
        Undo::Trivial => "",
        Undo::Easy => "easy to undo",
        Undo::Hard => "hard to undo",
        Undo::Irreversible => "cannot be undone",
    };
    let exposure = match blast.exposure {
        Exposure::None => "",
        Exposure::ReadsSecrets => "reads secrets",
        Exposure::CanExfiltrate => "can send data away",
    };
    let scale = match blast.scale {
        Scale::Single => "",
        Scale::Many => "many things at once",
        Scale::Sweeping => "everything in reach",
    };
    [reach, undo, exposure, scale].into_iter().filter(|word| !word.is_empty()).collect()
}

/// What kind of ask it is.
#[must_use]
pub fn kind(kind: AskKind) -> &'static str {
    match kind {
        AskKind::Unfamiliar => "understood and small, but nobody has said yes to it",
        AskKind::Heavy => "understood, but much is at stake",
        AskKind::Unreadable => "not fully accounted for",
        AskKind::Floor => "known danger",
    }
}

/// What happens to a target, in a word.
#[must_use]
pub fn role(role: Role) -> &'static str {
    match role {
        Role::List => "lists",
        Role::Read => "reads",
        Role::Write => "writes",
        Role::Delete => "deletes",
        Role::Execute => "runs",
        Role::Connect => "connects to",
        Role::Send => "sends to",
    }
}

/// What is worth saying about a target, strongest first.
#[must_use]
pub fn mark(action: &Action, target: &Target) -> Option<&'static str> {
    let secret = action.capability == Capability::SecretRead || action.blast.exposure == Exposure::ReadsSecrets;
    match &target.kind {
        TargetKind::Path(_) if secret && matches!(target.role, Role::Read | Role::List) => Some("credential"),
        TargetKind::Path(place) => match place.zone {
            Zone::Project | Zone::Null => None,
            Zone::Unplaced => Some("cannot be placed"),
            Zone::Temp => Some("temporary folder"),
            _ => Some("outside"),
        },
        TargetKind::Host { local: true, .. } => Some("this machine"),
        TargetKind::Host { .. } => Some("host"),
        TargetKind::Package(_) => Some("package"),
        TargetKind::Named(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_text_stays_one_line_without_control_characters() {
        assert_eq!(safe("a\n✓ allow\r\n\u{1b}[2Jb\u{202e}c\u{200b}"), "a ✓ allow \u{fffd}[2Jb\u{fffd}c\u{fffd}");
    }

    #[test]
    fn cutting_counts_columns() {
        assert_eq!(cut("日本語テスト", 7), "日本語…");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
    }

    #[test]
    fn wrapping_keeps_every_word() {
        assert_eq!(wrap("one two three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrap("", 9), [""]);
    }

    #[test]
    fn capabilities_have_their_own_words() {
        let mut words: Vec<_> = Capability::ALL.iter().map(|row| capability(row.0)).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Capability::ALL.len());
    }
}
