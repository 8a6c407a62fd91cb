//! Sessions that the agent kept a transcript of, against those that called us: one that never did ran unjudged.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

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

struct Transcript {
    session: String,
    project: String,
    written_ms: i64,
    began_ms: Option<i64>,
}

pub(super) fn checks(scene: &Scene) -> Vec<Check> {
    let check = |id: &str, status, text: String| Check::new(Group::Enforcement, id, status, text);
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
            let text = format!("the agent last called {} ago (session {})", ago(scene.now_ms - at), words::safe(session));
            check("heartbeat", Status::Ok, text)
        }
        None => check("heartbeat", Status::Info, String::from("no session has called yet")),
    });
    let Some(since) = installed(scene) else { return checks };
    let silent: Vec<Transcript> = transcripts(scene)
        .into_iter()
        .filter(|transcript| transcript.written_ms > since.max(scene.now_ms - WEEK_MS))
        // a session that was there before the install was not to be judged
        .filter(|transcript| transcript.began_ms.is_none_or(|began| began > since))
        .filter(|transcript| transcript.began_ms.is_none_or(|began| began < scene.now_ms - GRACE_MS))
        .filter(|transcript| !heard.contains_key(transcript.session.as_str()))
        .collect();
    if silent.is_empty() {
        return checks;
    }
    let named: Vec<String> = silent
        .iter()
        .take(SHOWN)
        .map(|transcript| format!("{} ({}, {} ago)", words::safe(&transcript.session), words::safe(&transcript.project), ago(scene.now_ms - transcript.written_ms)))
        .collect();
    let more = silent.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let text = format!(
        "sessions ran since the install that never called leastgrant: {}{more}. they were started with a switch that turns hooks off, or from another folder's settings",
        named.join(", ")
    );
    checks.push(check("silent-sessions", Status::Warn, text).fix("sudo leastgrant install --managed"));
    checks
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

fn transcript(path: &PathBuf, project: &str) -> Option<Transcript> {
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
