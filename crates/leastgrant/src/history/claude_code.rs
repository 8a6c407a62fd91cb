//! Claude Code's transcripts: `projects/<folder>/<session>.jsonl`, and `<session>/subagents/agent-*.jsonl` beside them
//! (measured on 2.1.197 and 2.1.332; only the latter writes down who decided).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::below::Below;
use super::{Found, Read, Told, Word, millis};

/// Longer lines are skipped (a whole image or a whole log in one result).
const LINE: u64 = 4 * 1024 * 1024;
/// Most calls that wait for their result while a file is read; beyond it the older ones have none.
const OPEN: usize = 512;

/// The files of one session, the main one first. More than one main file says that somebody else wrote one.
#[must_use]
pub fn files_of(home: &Path, session: &str) -> (Vec<File>, usize) {
    let mut files = Vec::new();
    let mut mains = 0;
    let plain = !session.is_empty() && session.len() <= 64;
    let plain = plain && session.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let Some(projects) = plain.then(|| Below::open(&home.join("projects")).ok()).flatten() else { return (files, 0) };
    for name in projects.names().unwrap_or_default() {
        let Ok(folder) = projects.folder(&name) else { continue };
        if let Ok(file) = folder.file(&format!("{session}.jsonl")) {
            mains += 1;
            files.push(file);
        }
        files.extend(subagents(&folder, session));
    }
    (files, mains)
}

fn subagents(folder: &Below, session: &str) -> Vec<File> {
    let Ok(folder) = folder.folder(session).and_then(|folder| folder.folder("subagents")) else { return Vec::new() };
    let names = folder.names().unwrap_or_default();
    names.iter().filter(|name| name.ends_with(".jsonl")).filter_map(|name| folder.file(name).ok()).collect()
}

/// Every transcript below an agent's folder: path, size.
#[must_use]
pub fn all(home: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    let Ok(projects) = Below::open(&home.join("projects")) else { return found };
    for name in projects.names().unwrap_or_default() {
        let Ok(folder) = projects.folder(&name) else { continue };
        let names = folder.names().unwrap_or_default();
        found.extend(
            names.iter().filter(|file| file.ends_with(".jsonl")).filter_map(|file| Found::of(&folder, &name, file)),
        );
        for session in names.iter().filter(|session| !session.ends_with(".jsonl")) {
            let Ok(inner) = folder.folder(session).and_then(|inner| inner.folder("subagents")) else { continue };
            let path = format!("{name}/{session}/subagents");
            let names = inner.names().unwrap_or_default();
            found.extend(
                names.iter().filter(|file| file.ends_with(".jsonl")).filter_map(|file| Found::of(&inner, &path, file)),
            );
        }
    }
    found
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Record {
    r#type: String,
    cwd: String,
    session_id: String,
    timestamp: String,
    permission_mode: String,
    entrypoint: String,
    tool_denial_kind: Option<String>,
    permission_decision: Option<Decision>,
    message: Message,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Decision {
    decision: String,
    source: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    content: Value,
}

struct Use {
    tool: String,
    input: Value,
    cwd: String,
    session: String,
    at: i64,
    /// where its line begins
    from: u64,
}

/// Reads a transcript from an offset on. What is after the last line end is left for later.
///
/// # Errors
/// The file cannot be read.
pub fn read(file: &mut File, from: u64, mut each: impl FnMut(Told)) -> std::io::Result<Read> {
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let mut read = Read { offset: from, ..Read::default() };
    let mut open: BTreeMap<String, Use> = BTreeMap::new();
    let mut mode = String::from("default");
    let mut line = Vec::new();
    loop {
        line.clear();
        line.shrink_to(64 * 1024);
        let count = std::io::Read::by_ref(&mut reader).take(LINE).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(ended(read, &open));
        }
        let start = read.offset;
        if line.last() != Some(&b'\n') {
            if (count as u64) < LINE {
                return Ok(ended(read, &open));
            }
            read.skipped += 1;
            read.offset += count as u64 + skip(&mut reader)?;
            continue;
        }
        read.offset += count as u64;
        if !(holds(&line, b"tool_use") || holds(&line, b"tool_result") || holds(&line, b"permissionMode")) {
            read.skipped += usize::from(!looks_like_json(&line));
            continue;
        }
        let Some(record) = lenient(&line) else {
            read.skipped += 1;
            continue;
        };
        if !record.permission_mode.is_empty() {
            mode.clone_from(&record.permission_mode);
        }
        take(&record, &mode, start, &mut open, &mut each);
    }
}

/// With where to read on.
fn ended(read: Read, open: &BTreeMap<String, Use>) -> Read {
    let resume = open.values().map(|used| used.from).min().unwrap_or(read.offset);
    Read { resume, ..read }
}

/// A line as a record; half an emoji (an escape without its other half) is no reason to lose it.
fn lenient(line: &[u8]) -> Option<Record> {
    serde_json::from_slice(line).ok().or_else(|| {
        let text = String::from_utf8_lossy(line);
        let mut whole = String::with_capacity(text.len());
        let mut rest = text.as_ref();
        while let Some(at) = rest.find("\\ud") {
            whole.push_str(rest.get(..at)?);
            let pair = rest.get(at + 6..at + 8) == Some("\\u");
            whole.push_str(if pair { rest.get(at..at + 12)? } else { "\\ufffd" });
            rest = rest.get(at + if pair { 12 } else { 6 }..).unwrap_or_default();
        }
        whole.push_str(rest);
        serde_json::from_str(&whole).ok()
    })
}

fn take(record: &Record, mode: &str, from: u64, open: &mut BTreeMap<String, Use>, each: &mut impl FnMut(Told)) {
    let blocks = record.message.content.as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |block: &Value, key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for block in blocks {
        match (record.r#type.as_str(), text(block, "type").as_str()) {
            ("assistant", "tool_use") => {
                if open.len() >= OPEN {
                    open.clear();
                }
                let used = Use {
                    tool: text(block, "name"),
                    input: block.get("input").cloned().unwrap_or_default(),
                    cwd: record.cwd.clone(),
                    session: record.session_id.clone(),
                    at: millis(&record.timestamp),
                    from,
                };
                open.insert(text(block, "id"), used);
            }
            ("user", "tool_result") => {
                let call = text(block, "tool_use_id");
                let Some(used) = open.remove(&call) else { continue };
                let failed = block.get("is_error").and_then(Value::as_bool).unwrap_or_default();
                each(Told {
                    call,
                    word: word(record, failed, block),
                    tool: used.tool,
                    input: used.input,
                    ran: !failed,
                    cwd: used.cwd,
                    at: used.at,
                    session: used.session,
                    mode: mode.to_owned(),
                });
            }
            _ => {}
        }
    }
}

/// Who decided. `user-rejected` alone is no person's word: a call that nobody was asked about in print mode has it too.
fn word(record: &Record, failed: bool, block: &Value) -> Word {
    let terminal = record.entrypoint == "cli";
    match (&record.permission_decision, record.tool_denial_kind.as_deref()) {
        (Some(made), None) if made.decision == "accept" && made.source == "user_temporary" && terminal => Word::Yes,
        (None, Some("user-rejected")) if terminal => Word::No,
        // older versions say it in words only; a no may be believed on less than a yes
        (None, None) if failed && record.entrypoint != "sdk-cli" && refused(block) => Word::No,
        _ => Word::Nobody,
    }
}

fn refused(block: &Value) -> bool {
    let content = block.get("content");
    let text = content.and_then(Value::as_str).or_else(|| content?.get(0)?.get("text")?.as_str()).unwrap_or_default();
    text.starts_with("The user doesn't want to proceed with this tool use")
        || text.starts_with("User rejected tool use")
}

fn holds(line: &[u8], part: &[u8]) -> bool {
    let Some(first) = part.first() else { return true };
    let mut rest = line;
    while let Some(at) = rest.iter().position(|byte| byte == first) {
        rest = rest.get(at..).unwrap_or_default();
        if rest.starts_with(part) {
            return true;
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    false
}

fn looks_like_json(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || (line.starts_with(b"{") && line.ends_with(b"}"))
}

fn skip(reader: &mut impl BufRead) -> std::io::Result<u64> {
    let mut skipped = 0;
    loop {
        let part = reader.fill_buf()?;
        if part.is_empty() {
            return Ok(skipped);
        }
        let (count, end) = match part.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (part.len(), false),
        };
        reader.consume(count);
        skipped += count as u64;
        if end {
            return Ok(skipped);
        }
    }
}
