//! The guard's block in Codex's `config.toml`, between two comment lines with the tag. The block is text that is put at the
//! end and taken out whole; the file is read before and after, and must mean the same but for the block.

use std::path::Path;

use leastgrant_core::persona::armed::digest;

use super::{Found, Harness, command};
use crate::persona::{ENTRY_SECONDS, MATCHER, TAG};

fn begin() -> String {
    format!("# >>> leopold:{TAG} (managed) >>>")
}

fn end() -> String {
    format!("# <<< leopold:{TAG} (managed) <<<")
}

/// A file taken apart: text before, block, text after.
struct Parts<'a> {
    before: &'a str,
    block: Option<&'a str>,
    after: &'a str,
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|fault| format!("it is not UTF-8 from byte {}", fault.valid_up_to()))
}

/// Finds the block.
fn parts(text: &str) -> Result<Parts<'_>, String> {
    let mut at = 0;
    let mut found: Option<(usize, usize)> = None;
    let mut block: Option<(usize, usize)> = None;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim();
        if bare == begin() {
            if found.is_some() || block.is_some() {
                return Err(format!("line {}: a second block of {TAG} begins; take one out by hand", number + 1));
            }
            found = Some((at, number + 1));
        }
        at += line.len();
        if bare == end() {
            let Some((from, _)) = found.take() else {
                return Err(format!("line {}: a block of {TAG} ends that never began; take the line out", number + 1));
            };
            block = Some((from, at));
        }
    }
    if let Some((_, line)) = found {
        return Err(format!(
            "line {line}: a block of {TAG} begins and its end `{}` is missing; put the end back where the block ends",
            end()
        ));
    }
    Ok(match block {
        None => Parts { before: text, block: None, after: "" },
        Some((from, to)) => Parts {
            before: text.get(..from).unwrap_or_default(),
            block: text.get(from..to),
            after: text.get(to..).unwrap_or_default(),
        },
    })
}

/// Refuses a block of the same tag that somebody else's conductor wrote.
fn ours(block: &str) -> Result<(), String> {
    let table: toml::Table =
        toml::from_str(block).map_err(|fault| format!("the block of {TAG}: {}", fault.message()))?;
    match commands(&table).as_slice() {
        [(_, line)] if command::is_ours(line, Harness::Codex.id()) => Ok(()),
        _ => Err(format!("the block of {TAG} is another conductor's: end its run first")),
    }
}

/// Every command before a tool call, with the number of its group.
fn commands(table: &toml::Table) -> Vec<(usize, String)> {
    let groups = table.get("hooks").and_then(|hooks| hooks.get("PreToolUse")).and_then(toml::Value::as_array);
    let mut all = Vec::new();
    for (number, group) in groups.into_iter().flatten().enumerate() {
        for entry in group.get("hooks").and_then(toml::Value::as_array).into_iter().flatten() {
            let line = entry.get("command").and_then(toml::Value::as_str).unwrap_or_default();
            all.push((number, line.to_owned()));
        }
    }
    all
}

fn meaning(text: &str) -> Result<toml::Table, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    toml::from_str(text).map_err(|fault| {
        let at = fault.span().map_or(0, |span| span.start);
        let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        format!("line {line}: {}", fault.message())
    })
}

/// Our entry, if the file holds one.
pub(super) fn found(bytes: &[u8], file: &Path) -> Result<Option<Found>, String> {
    let text = text(bytes)?;
    parts(text)?;
    let table = meaning(text)?;
    let Some((group, line)) =
        commands(&table).into_iter().find(|(_, line)| command::is_ours(line, Harness::Codex.id()))
    else {
        return Ok(None);
    };
    let groups = table.get("hooks").and_then(|hooks| hooks.get("PreToolUse"));
    let matcher = groups.and_then(|groups| groups.get(group)?.get("matcher")?.as_str()).unwrap_or_default().to_owned();
    let state = table.get("hooks").and_then(|hooks| hooks.get("state")?.get(trust_key(file, group)));
    let hash = state.and_then(|state| state.get("trusted_hash")?.as_str());
    let on = state.and_then(|state| state.get("enabled")?.as_bool()).unwrap_or(true);
    let off = table.get("features").and_then(|features| features.get("hooks")?.as_bool()) == Some(false);
    let trusted = Some(hash == Some(&trusted_hash(&line)) && on && !off);
    Ok(Some(Found { command: line, matcher, trusted }))
}

/// Our blocks, line ends folded, for comparing.
pub(super) fn entries(bytes: &[u8]) -> Vec<String> {
    let block = text(bytes).ok().and_then(|text| parts(text).ok()?.block.map(|block| block.replace("\r\n", "\n")));
    block.map(|block| block.trim_end().to_owned()).into_iter().collect()
}

/// The file with our block at its end. `bytes` holds none.
pub(super) fn with(bytes: &[u8], command: &str, file: &Path, trust: bool) -> Result<Vec<u8>, String> {
    let text = text(bytes)?;
    let before = meaning(text)?;
    let newline = match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    };
    let group = before
        .get("hooks")
        .and_then(|hooks| hooks.get("PreToolUse"))
        .and_then(toml::Value::as_array)
        .map_or(0, Vec::len);
    let mut lines = vec![
        begin(),
        String::from("[[hooks.PreToolUse]]"),
        format!("matcher = {}", quoted(MATCHER)),
        String::new(),
        String::from("[[hooks.PreToolUse.hooks]]"),
        String::from("type = \"command\""),
        format!("command = {}", quoted(command)),
        format!("timeout = {ENTRY_SECONDS}"),
        String::new(),
    ];
    if trust {
        lines.push(format!("[hooks.state.{}]", quoted(&trust_key(file, group))));
        lines.push(format!("trusted_hash = {}", quoted(&trusted_hash(command))));
        lines.push(String::new());
    }
    lines.push(end());
    let mut after = text.to_owned();
    if !after.is_empty() {
        if !after.ends_with('\n') {
            after.push_str(newline);
        }
        after.push_str(newline);
    }
    for line in lines {
        after.push_str(&line);
        after.push_str(newline);
    }
    let read = meaning(&after).map_err(|why| {
        format!("the hooks in it are written in a form that the block can't be added to ({why}); write them as `[[hooks.PreToolUse]]`")
    })?;
    let all = commands(&read);
    let last = all.last().is_some_and(|(number, line)| *number == group && line == command);
    if !last || all.len() != commands(&before).len() + 1 {
        return Err(String::from("the block would not be read as one more hook"));
    }
    Ok(after.into_bytes())
}

/// The file without our block and the blank line that led to it.
pub(super) fn without(bytes: &[u8], _: &Path) -> Result<Vec<u8>, String> {
    let text = text(bytes)?;
    let parts = parts(text)?;
    let Some(block) = parts.block else {
        meaning(text)?;
        return Ok(bytes.to_vec());
    };
    ours(block)?;
    let before = ["\r\n", "\n"]
        .into_iter()
        .find_map(|newline| {
            let rest = parts.before.strip_suffix(newline)?;
            (rest.is_empty() || rest.ends_with('\n')).then_some(rest)
        })
        .unwrap_or(parts.before);
    let left = format!("{before}{}", parts.after);
    meaning(&left)?;
    Ok(left.into_bytes())
}

/// A TOML string in one line; the escapes are those of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// The name under which Codex keeps what a person said about a hook (agents/codex facts §a).
fn trust_key(file: &Path, group: usize) -> String {
    format!("{}:pre_tool_use:{group}:0", file.display())
}

/// What Codex compares: a digest of the definition, keys sorted, without blanks.
fn trusted_hash(command: &str) -> String {
    let definition = serde_json::json!({
        "event_name": "pre_tool_use",
        "hooks": [{ "async": false, "command": command, "timeout": ENTRY_SECONDS, "type": "command" }],
        "matcher": MATCHER,
    });
    format!("sha256:{}", digest(definition.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::persona::wiring::{Guard, Target};

    fn line() -> String {
        let guard = Guard { program: "/opt/it's here/leastgrant".into(), timeout: None, trust: false };
        let (home, file) = ("/home/u/.codex".into(), "/home/u/.codex/config.toml".into());
        guard.command(&Target { harness: Harness::Codex, home, file })
    }

    #[test]
    fn in_and_out_again_to_the_byte() {
        let file = Path::new("/home/u/.codex/config.toml");
        for text in [
            "",
            "model = \"x\"\n",
            "# only a comment\n",
            "a = 1\r\n[hooks]\r\n",
            "[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"git-lock\"\n\n\n",
        ] {
            for trust in [false, true] {
                let with = with(text.as_bytes(), &line(), file, trust).unwrap();
                let found = found(&with, file).unwrap().unwrap();
                assert_eq!((found.command, found.matcher.as_str()), (line(), MATCHER));
                assert_eq!(found.trusted, Some(trust));
                assert_eq!(String::from_utf8(without(&with, file).unwrap()).unwrap(), text);
            }
        }
    }

    #[test]
    fn what_cannot_be_edited_safely_is_refused_with_its_line() {
        let file = Path::new("/home/u/.codex/config.toml");
        let whole = String::from_utf8(with(b"a = 1\n", &line(), file, false).unwrap()).unwrap();
        let lost = whole.replace(&end(), "# gone");
        assert!(without(lost.as_bytes(), file).unwrap_err().starts_with("line 3: "));
        let twice = format!("{whole}{}", whole.replace("a = 1", "b = 1"));
        assert!(without(twice.as_bytes(), file).unwrap_err().contains("second block"));
        let foreign = whole.replace(" hook persona --agent codex", " guard.sh");
        assert!(without(foreign.as_bytes(), file).unwrap_err().contains("another conductor"));
        assert!(with(b"hooks = { PreToolUse = [] }\n", &line(), file, false).is_err());
        assert!(with(b"a = \n", &line(), file, false).unwrap_err().starts_with("line 1: "));
    }

    /// The digest that Codex 0.171.0 accepted for this definition is made the same way; this pins the text that is digested.
    #[test]
    fn the_trusted_hash_is_of_the_sorted_definition() {
        let text = format!(
            "{{\"event_name\":\"pre_tool_use\",\"hooks\":[{{\"async\":false,\"command\":\"x\",\"timeout\":5,\"type\":\"command\"}}],\"matcher\":\"{MATCHER}\"}}"
        );
        assert_eq!(trusted_hash("x"), format!("sha256:{}", digest(text.as_bytes())));
    }
}
