//! What happens in a run, for whoever watches: a line each for people, a JSON object each for programs, and the events that
//! an existing conductor writes beside the run. No address beyond its host is in any of them.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use leastgrant_core::conduct::turn;
use leastgrant_core::conduct::walk::{Ending, Tell};
use serde_json::{Value, json};

use super::clock;
use crate::render::words::safe;
use crate::render::{Ui, theme};

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum News {
    /// the run begins
    Began {
        /// the flow's name
        flow: String,
        /// who walks
        personas: Vec<String>,
        /// the run's folder
        run: PathBuf,
        /// it goes on with an earlier one
        resumed: bool,
    },
    /// a persona is left out
    Skipped {
        /// who
        persona: String,
        /// why
        why: String,
    },
    /// something within a journey
    Told {
        /// who
        persona: String,
        /// what
        tell: Tell,
    },
    /// a journey is over
    Ended {
        /// who
        persona: String,
        /// how
        ending: Ending,
        /// turns in its journal
        turns: u32,
        /// findings in it
        findings: usize,
    },
    /// the report is written
    Reported {
        /// the file
        path: PathBuf,
    },
}

/// Shows one piece of news and writes its event.
pub fn spread(news: &News, root: &Path, ui: &mut Ui) {
    for event in events(news) {
        record(root, &event);
        if ui.json {
            ui.line(event);
        }
    }
    if !ui.json
        && let Some(line) = line(news)
    {
        ui.line(line);
    }
}

/// How an ending is named.
#[must_use]
pub fn word(ending: &Ending) -> String {
    match ending {
        Ending::Completed(outcome) => outcome.word().to_owned(),
        Ending::Stopped { reason, .. } => format!("stopped ({reason})"),
        Ending::Failed(_) => String::from("failed"),
        Ending::Interrupted => String::from("interrupted"),
    }
}

fn line(news: &News) -> Option<String> {
    let who =
        |persona: &str, text: String| format!("{}  {text}", theme::paint(theme::STRONG, &format!("{persona:<12}")));
    Some(match news {
        News::Began { flow, personas, run, resumed } => {
            let verb = if *resumed { "resuming" } else { "walking" };
            format!("{verb} flow `{}` with {} in {}", safe(flow), personas.join(", "), run.display())
        }
        News::Skipped { persona, why } => who(persona, format!("left out: {}", safe(why))),
        News::Told { persona, tell } => who(
            persona,
            match tell {
                Tell::Turn(number) => format!("{} written", turn::id(*number)),
                Tell::Held(number, broken) => format!("{} held: {}", turn::id(*number), safe(&broken.detail)),
                Tell::Bound(broken) => theme::paint(theme::WARN, &format!("{}: {}", broken.rule, safe(&broken.detail))),
                Tell::Repeat(why) => format!("asked again: {}", safe(why)),
                Tell::Again(why) => format!("started again: {}", safe(why)),
            },
        ),
        News::Ended { persona, ending, turns, findings } => {
            let detail = match ending {
                Ending::Stopped { detail, .. } | Ending::Failed(detail) => format!(": {}", safe(detail)),
                Ending::Completed(_) | Ending::Interrupted => String::new(),
            };
            let style = if matches!(ending, Ending::Completed(_)) { theme::GOOD } else { theme::BAD };
            let ended = theme::paint(style, &word(ending));
            who(persona, format!("{ended} after {turns} turns, {findings} findings{detail}"))
        }
        News::Reported { path } => format!("report: {}", path.display()),
    })
}

fn events(news: &News) -> Vec<Value> {
    let event = |name: &str, mut fields: Value| {
        if let Some(fields) = fields.as_object_mut() {
            fields.insert(String::from("ts"), Value::from(clock::now_iso()));
            fields.insert(String::from("event"), Value::from(name));
        }
        fields
    };
    match news {
        News::Began { flow, personas, run, resumed } => {
            let mut fields = json!({ "flow": flow, "personas": personas, "run_dir": run });
            if *resumed && let Some(fields) = fields.as_object_mut() {
                fields.insert(String::from("resumed"), Value::Bool(true));
            }
            vec![event("persona_run_start", fields)]
        }
        News::Skipped { persona, why } => vec![event("persona_skipped", json!({ "persona": persona, "reason": why }))],
        News::Told { persona, tell } => vec![match tell {
            Tell::Turn(number) => event("persona_turn", json!({ "persona": persona, "turn_id": turn::id(*number) })),
            Tell::Held(number, broken) => event(
                "persona_hold",
                json!({ "persona": persona, "turn_id": turn::id(*number), "detail": broken.detail }),
            ),
            Tell::Bound(broken) => {
                event("persona_violation", json!({ "persona": persona, "rule": broken.rule, "detail": broken.detail }))
            }
            Tell::Repeat(why) => event("persona_retry", json!({ "persona": persona, "reason": why })),
            Tell::Again(why) => event("persona_relaunch", json!({ "persona": persona, "reason": why })),
        }],
        News::Ended { persona, ending, turns, findings } => {
            let end = match ending {
                Ending::Completed(outcome) => {
                    event("persona_outcome", json!({ "persona": persona, "outcome": outcome.word(), "turns": turns }))
                }
                Ending::Failed(why) => {
                    event("persona_stall", json!({ "persona": persona, "reason": why, "turns": turns }))
                }
                Ending::Stopped { reason, detail } => event(
                    "persona_stop",
                    json!({ "persona": persona, "reason": reason, "detail": detail, "turns": turns }),
                ),
                Ending::Interrupted => event("persona_interrupted", json!({ "persona": persona, "turns": turns })),
            };
            vec![end, event("persona_findings", json!({ "persona": persona, "count": findings }))]
        }
        News::Reported { path } => vec![event("persona_run_report", json!({ "path": path }))],
    }
}

/// A failure here is no reason to stop a run.
fn record(root: &Path, event: &Value) {
    let path = root.join(".leopold/events.jsonl");
    let file = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(crate::store::NONBLOCK).open(path);
    if let Ok(mut file) = file {
        let _ = file.write_all(format!("{event}\n").as_bytes());
    }
}
