//! Sessions that the agent kept a transcript of, against those that called us: one that never did ran unjudged.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::Value;

use super::scene::{Scene, at, field};
use super::{Check, Group, Status};
use crate::install::claude_code::AGENT;
use crate::render::words;

const WEEK_MS: i64 = 7 * 24 * 60 * 60 * 1000;
const MAX_PROJECTS: usize = 500;
const MAX_TRANSCRIPTS: usize = 5_000;
/// The first hook of a session may come a moment after its transcript was begun.
const GRACE_MS: i64 = 60_000;
const SHOWN: usize = 5;
/// Transcripts that are read, newest first, and how much of each.
const READ: usize = 20;
const TAIL: u64 = 512 * 1024;

struct Transcript {
    session: String,
    project: String,
    path: PathBuf,
    written_ms: i64,
    began_ms: Option<i64>,
}

pub(super) fn checks(scene: &Scene) -> Vec<Check> {
    let events = match &scene.events {
        Ok(events) => events,
        Err(why) => return vec![check("ledger", Status::Bad, format!("the ledger can't be read: {why}"))],
    };
    let mut heard: HashMap<&str, i64> = HashMap::new();
    for event in events.iter().filter(|event| field(event, "agent") == Some(AGENT)) {
        if let (Some(session), Some(at)) = (field(event, "session"), at(event)) {
            let last = heard.entry(session).or_insert(at);
            *last = (*last).max(at);
        }
    }
    let mut checks = Vec::new();
    checks.push(match heard.iter().max_by_key(|(_, at)| **at) {
        Some((session, at)) => {
            let text =
                format!("the agent last called {} ago (session {})", ago(scene.now_ms - at), words::safe(session));
            check("heartbeat", Status::Ok, text)
        }
        None => check("heartbeat", Status::Info, String::from("no session has called yet")),
    });
    let Some(since) = installed(scene) else { return checks };
    let recent: Vec<Transcript> = transcripts(scene)
        .into_iter()
        .filter(|transcript| transcript.written_ms > since.max(scene.now_ms - WEEK_MS))
        .collect();
    checks.extend(silent(scene, &recent, &heard, since));
    let judged: HashSet<&str> = events.iter().filter_map(|event| field(event, "call")).collect();
    checks.extend(unjudged(&recent, &heard, &judged, since));
    checks
}

/// Sessions that never called at all.
fn silent(scene: &Scene, recent: &[Transcript], heard: &HashMap<&str, i64>, since: i64) -> Option<Check> {
    let silent: Vec<&Transcript> = recent
        .iter()
        // a session that was there before the install was not to be judged
        .filter(|transcript| transcript.began_ms.is_none_or(|began| began > since))
        .filter(|transcript| transcript.began_ms.is_none_or(|began| began < scene.now_ms - GRACE_MS))
        .filter(|transcript| !heard.contains_key(transcript.session.as_str()))
        .collect();
    if silent.is_empty() {
        return None;
    }
    let named = named(silent.iter().map(|transcript| {
        let (session, project) = (words::safe(&transcript.session), words::safe(&transcript.project));
        format!("{session} ({project}, {} ago)", ago(scene.now_ms - transcript.written_ms))
    }));
    let text = format!(
        "sessions ran since the install that never called leastgrant: {named}; they were started with a switch that turns hooks off, or with other settings"
    );
    Some(check("silent-sessions", Status::Warn, text).fix("sudo leastgrant install --managed"))
}

/// Calls that a transcript says have run, and that never came to us, in sessions that did call.
fn unjudged(recent: &[Transcript], heard: &HashMap<&str, i64>, judged: &HashSet<&str>, since: i64) -> Option<Check> {
    let mut sessions = Vec::new();
    for transcript in recent.iter().take(READ).filter(|transcript| heard.contains_key(transcript.session.as_str())) {
        let ran = ran(&transcript.path, since).unwrap_or_default();
        let missed = ran.iter().filter(|id| !judged.contains(id.as_str())).count();
        if missed > 0 {
            sessions.push(format!("{missed} in {}", words::safe(&transcript.session)));
        }
    }
    if sessions.is_empty() {
        return None;
    }
    let text = format!("calls ran that leastgrant was never asked about: {}", named(sessions.into_iter()));
    Some(check("unjudged-calls", Status::Warn, text).fix("sudo leastgrant install --managed"))
}

/// Ids of calls that ran after a moment, from a transcript's end.
fn ran(path: &Path, since: i64) -> std::io::Result<HashSet<String>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut asked: HashSet<String> = HashSet::new();
    let mut ended: HashSet<String> = HashSet::new();
    for record in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let later = field(&record, "timestamp")
            .and_then(|stamp| stamp.parse::<jiff::Timestamp>().ok())
            .is_some_and(|stamp| stamp.as_millisecond() > since);
        let content = record.pointer("/message/content").and_then(Value::as_array);
        for part in content.into_iter().flatten().filter(|_| later) {
            match field(part, "type") {
                Some("tool_use") => asked.extend(field(part, "id").map(str::to_owned)),
                Some("tool_result") if part.get("is_error") != Some(&Value::Bool(true)) => {
                    ended.extend(field(part, "tool_use_id").map(str::to_owned));
                }
                _ => {}
            }
        }
    }
    // what failed may never have come as far as a hook
    Ok(asked.intersection(&ended).cloned().collect())
}

fn named(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    let more = all.len().saturating_sub(SHOWN);
    let shown: Vec<String> = all.into_iter().take(SHOWN).collect();
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

fn check(id: &str, status: Status, text: String) -> Check {
    Check::new(Group::Enforcement, id, status, text)
}

/// Since when the user's or the machine's settings hold the hook.
fn installed(scene: &Scene) -> Option<i64> {
    use crate::install::place::Scope;
    let wide = |scope| matches!(scope, Scope::User | Scope::Managed);
    scene.records.iter().filter(|record| wide(record.wiring.scope)).map(|record| record.at_ms).min()
}

fn transcripts(scene: &Scene) -> Vec<Transcript> {
    let Ok(projects) = fs::read_dir(scene.places.claude.join("projects")) else { return Vec::new() };
    let mut found = Vec::new();
    for project in projects.filter_map(Result::ok).take(MAX_PROJECTS) {
        let Ok(files) = fs::read_dir(project.path()) else { continue };
        for file in files.filter_map(Result::ok) {
            if found.len() >= MAX_TRANSCRIPTS {
                return found;
            }
            found.extend(transcript(&file.path(), &project.file_name().to_string_lossy()));
        }
    }
    found.sort_by_key(|transcript| std::cmp::Reverse(transcript.written_ms));
    found
}

fn transcript(path: &Path, project: &str) -> Option<Transcript> {
    if path.extension().is_none_or(|extension| extension != "jsonl") {
        return None;
    }
    let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let millis = |time: std::io::Result<std::time::SystemTime>| {
        time.ok()?.duration_since(UNIX_EPOCH).ok().and_then(|since| i64::try_from(since.as_millis()).ok())
    };
    Some(Transcript {
        session: path.file_stem()?.to_string_lossy().into_owned(),
        project: project.to_owned(),
        path: path.to_owned(),
        written_ms: millis(meta.modified())?,
        began_ms: millis(meta.created()),
    })
}

fn ago(ms: i64) -> String {
    let minutes = ms.max(0).div_euclid(60_000);
    match minutes {
        0 => String::from("less than a minute"),
        1..=119 => format!("{minutes} minutes"),
        120..=2879 => format!("{} hours", minutes / 60),
        _ => format!("{} days", minutes / 1440),
    }
}
