//! Codex's rollouts: `sessions/YYYY/MM/DD/rollout-*.jsonl` (also `.jsonl.zst`). They say what was called and how it ended,
//! and not who decided: nothing in them is a person's yes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::below::Below;
use super::{Found, Read, Told, Word, millis};

const LINE: u64 = 4 * 1024 * 1024;
const OPEN: usize = 512;

/// Every rollout below an agent's folder, compressed ones too.
#[must_use]
pub fn all(home: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    for top in ["sessions", "archived_sessions"] {
        if let Ok(folder) = Below::open(home).and_then(|home| home.folder(top)) {
            walk(&folder, top, 4, &mut found);
        }
    }
    found
}

fn walk(folder: &Below, path: &str, depth: u8, found: &mut Vec<Found>) {
    for name in folder.names().unwrap_or_default() {
        if name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst")) {
            found.extend(Found::of(folder, path, &name));
        } else if depth > 0
            && name.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(inner) = folder.folder(&name)
        {
            walk(&inner, &format!("{path}/{name}"), depth - 1, found);
        }
    }
}

/// Reads a rollout file, whether compressed or not.
///
/// # Errors
/// It cannot be read.
pub fn read_file(found: &mut Found, each: impl FnMut(Told)) -> std::io::Result<Read> {
    if !found.path.ends_with(".zst") {
        return read(&mut found.file, each);
    }
    let decoder = ruzstd::decoding::StreamingDecoder::new(BufReader::new(&mut found.file));
    let decoder = decoder.map_err(|fault| std::io::Error::new(std::io::ErrorKind::InvalidData, fault.to_string()))?;
    // a few bytes can stand for very many
    read(decoder.take(UNPACKED), each)
}

/// Most that is read of one compressed file.
const UNPACKED: u64 = 8 * 1024 * 1024 * 1024;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Record {
    timestamp: String,
    r#type: String,
    payload: Value,
}

struct Use {
    tool: String,
    input: Value,
    at: i64,
}

/// Reads a rollout from its beginning.
///
/// # Errors
/// It cannot be read.
pub fn read(source: impl std::io::Read, mut each: impl FnMut(Told)) -> std::io::Result<Read> {
    let mut reader = BufReader::with_capacity(256 * 1024, source);
    let mut read = Read::default();
    let (mut session, mut cwd) = (String::new(), String::new());
    let mut open: BTreeMap<String, Use> = BTreeMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = std::io::Read::by_ref(&mut reader).take(LINE).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(read);
        }
        read.offset += count as u64;
        let Ok(record) = serde_json::from_slice::<Record>(&line) else {
            read.skipped += 1;
            continue;
        };
        let text = |key: &str| record.payload.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        match (record.r#type.as_str(), text("type").as_str()) {
            ("session_meta", _) => (session, cwd) = (text("id"), text("cwd")),
            ("turn_context", _) if !text("cwd").is_empty() => cwd = text("cwd"),
            ("response_item", "function_call" | "custom_tool_call") => {
                if open.len() >= OPEN {
                    open.clear();
                }
                let input = match (text("arguments"), text("input")) {
                    (arguments, _) if !arguments.is_empty() => serde_json::from_str(&arguments).unwrap_or(Value::Null),
                    (_, input) => json!({ "input": input }),
                };
                open.insert(text("call_id"), Use { tool: text("name"), input, at: millis(&record.timestamp) });
            }
            ("response_item", "function_call_output" | "custom_tool_call_output") => {
                let call = text("call_id");
                let Some(used) = open.remove(&call) else { continue };
                let output = record.payload.get("output");
                let said = output.and_then(Value::as_str).or_else(|| output?.get("content")?.as_str());
                let said = said.unwrap_or_default();
                let blocked = ["Command blocked by", "Tool call blocked by"].iter().any(|head| said.starts_with(head));
                let word = if said.starts_with("exec command rejected by user") { Word::No } else { Word::Nobody };
                each(Told {
                    call,
                    word,
                    tool: used.tool,
                    input: used.input,
                    ran: !blocked && word != Word::No,
                    cwd: cwd.clone(),
                    at: used.at,
                    session: session.clone(),
                    mode: String::new(),
                });
            }
            _ => {}
        }
    }
}
