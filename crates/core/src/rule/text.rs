//! The text of a whole call, as a person would write it into a rule, and how a shell takes it back unchanged.

use crate::call::{Call, ChangeKind, Tool};

/// The text that an exact rule is compared with. It names everything that makes the call what it is: the same command
/// outside the sandbox or in another folder is another text.
#[must_use]
pub fn call_text(call: &Call) -> String {
    let name = &call.tool_name;
    match &call.tool {
        Tool::Shell(shell) => {
            let mut text = String::new();
            if shell.unsandboxed {
                text.push_str("unsandboxed ");
            }
            if let Some(folder) = shell.workdir.as_deref().filter(|folder| *folder != call.cwd) {
                text.push_str(&format!("in {}: ", quote(folder)));
            }
            text.push_str(shell.command.trim());
            text
        }
        Tool::Read { path } | Tool::Write { path, .. } | Tool::Edit { path, .. } | Tool::Delete { path } => {
            format!("{name}({path})")
        }
        Tool::Patch(changes) => {
            let files: Vec<String> = changes
                .iter()
                .map(|change| match &change.kind {
                    ChangeKind::Add => format!("+{}", change.path),
                    ChangeKind::Update => change.path.clone(),
                    ChangeKind::Delete => format!("-{}", change.path),
                    ChangeKind::Move { to } => format!("{} => {to}", change.path),
                })
                .collect();
            format!("{name}({})", files.join(", "))
        }
        Tool::Search(search) => format!(
            "{name}({} in {}{})",
            search.pattern,
            search.root.as_deref().unwrap_or("."),
            search.glob.as_ref().map_or_else(String::new, |glob| format!(", {glob}"))
        ),
        Tool::Fetch { url } => format!("{name}({url})"),
        Tool::FetchAll { urls } => format!("{name}({})", urls.join(" ")),
        Tool::WebSearch { query } => format!("{name}({query})"),
        Tool::Mcp { input, .. } | Tool::Spawn { input } | Tool::Unknown { input } => format!("{name}({input})"),
        Tool::Skill { name: skill } => format!("{name}({skill})"),
        Tool::Meta | Tool::Unreadable { .. } => name.clone(),
    }
}

/// The text as one word of a POSIX shell.
#[must_use]
pub fn quote(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,=".contains(&byte);
    if !text.is_empty() && !text.starts_with('=') && text.bytes().all(plain) {
        return text.to_owned();
    }
    if text.chars().any(char::is_control) {
        return ansi(text);
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// `$'…'`, so that line breaks and other control characters reach the shell but not the terminal that shows the hint.
fn ansi(text: &str) -> String {
    let mut quoted = String::from("$'");
    for char in text.chars() {
        match char {
            '\'' => quoted.push_str("\\'"),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            char if char.is_control() => {
                let mut bytes = [0; 4];
                for byte in char.encode_utf8(&mut bytes).bytes() {
                    quoted.push_str(&format!("\\x{byte:02x}"));
                }
            }
            char => quoted.push(char),
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn a_quoted_text_is_one_word() {
        for (text, word) in [
            ("ls", "ls"),
            ("git status", "'git status'"),
            ("echo 'a'", "'echo '\\''a'\\'''"),
            ("", "''"),
            ("a;b", "'a;b'"),
            ("= rm *", "'= rm *'"),
            ("a\u{1b}[2J'\\", "$'a\\x1b[2J\\'\\\\'"),
            ("two\nlines", "$'two\\nlines'"),
        ] {
            assert_eq!(quote(text), word);
        }
    }
}
