//! The verdict block: what the answer is, what decided it, how far it reaches, and what would change it.

use leastgrant_core::action::{Action, Target};
use leastgrant_core::call::{Call, Tool};
use leastgrant_core::reason::Weight;
use leastgrant_core::verdict::{Decision, Verdict};

use super::snippet::snippet;
use super::theme::{self, paint};
use super::words;

/// width of the labels on the left
const LABEL: usize = 15;
const TARGETS: usize = 4;
const ACTIONS: usize = 6;
const REASONS: usize = 6;

/// The answer as a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Badge {
    /// may run
    Allow,
    /// a person decides
    Ask,
    /// must not run
    Deny,
}

impl From<Decision> for Badge {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Allow => Self::Allow,
            Decision::Ask => Self::Ask,
            Decision::Deny => Self::Deny,
        }
    }
}

impl Badge {
    /// Mark and word, coloured.
    #[must_use]
    pub fn paint(self) -> String {
        match self {
            Self::Allow => paint(theme::ALLOW, "✓ allow"),
            Self::Ask => paint(theme::ASK, "? ask"),
            Self::Deny => paint(theme::DENY, "✗ deny"),
        }
    }
}

/// What was judged.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// the call as a person would say it
    pub title: &'a str,
    /// the shell text, where there is one: reasons point into it
    pub command: Option<&'a str>,
}

impl<'a> Subject<'a> {
    /// A call under this title.
    #[must_use]
    pub fn of(call: &'a Call, title: &'a str) -> Self {
        let command = match &call.tool {
            Tool::Shell(shell) => Some(shell.command.as_str()),
            _ => None,
        };
        Self { title, command }
    }
}

/// The first lines: mark, subject, and the deciding part underlined.
#[must_use]
pub fn head(verdict: &Verdict, subject: Subject<'_>, width: usize) -> String {
    let badge = Badge::from(verdict.decision);
    let mut first = badge.paint();
    if let Some(kind) = verdict.kind {
        first.push_str(&paint(theme::DIM, &format!("  {}: {}", kind.id(), words::kind(kind))));
    }
    let drawn = subject.command.and_then(|command| snippet(command, &verdict.reasons, &verdict.actions, badge, width));
    match drawn {
        Some(drawn) => format!("{first}\n{drawn}"),
        None => format!("{first}\n  {}", words::cut(&words::safe(subject.title), width.saturating_sub(2))),
    }
}

/// The whole block; `sent` is what the agent would get, in words.
#[must_use]
pub fn block(verdict: &Verdict, subject: Subject<'_>, sent: Option<&str>, width: usize) -> String {
    let mut rows = Rows { out: vec![head(verdict, subject, width), String::new()], width };
    rows.add("what it does", &does(verdict));
    rows.add("blast radius", &[strip(&verdict.actions)]);
    rows.add("touches", &touches(&verdict.actions));
    if verdict.actions.len() > 1 {
        rows.add("actions", &actions(&verdict.actions, width));
    }
    rows.add("why", &why(verdict));
    if let Some(sent) = sent {
        rows.add("the agent gets", &[sent.to_owned()]);
    }
    rows.add("instead", &safer(&verdict.actions));
    rows.add("to change it", &[remedy(verdict)]);
    rows.out.join("\n")
}

struct Rows {
    out: Vec<String>,
    width: usize,
}

impl Rows {
    fn add(&mut self, label: &str, lines: &[String]) {
        let mut label = label;
        for text in lines.iter().filter(|text| !text.is_empty()) {
            for part in words::wrap(text, self.width.saturating_sub(LABEL + 2)) {
                let pad = " ".repeat(LABEL.saturating_sub(label.len()));
                self.out.push(format!("  {}{pad}{part}", paint(theme::DIM, label)).trim_end().to_owned());
                label = "";
            }
        }
    }
}

fn does(verdict: &Verdict) -> Vec<String> {
    let Some(worst) = worst(&verdict.actions) else { return Vec::new() };
    let note = worst.notes.first().map(|text| words::safe(text)).filter(|text| !text.is_empty());
    vec![note.unwrap_or_else(|| words::capability(worst.capability).to_owned())]
}

/// The action that weighs most: what was not understood, then the highest tier, then the first.
fn worst(actions: &[Action]) -> Option<&Action> {
    let mut best: Option<&Action> = None;
    for action in actions {
        let key = |a: &Action| (a.opaque.is_some(), a.blast.tier(), a.capability);
        if best.is_none_or(|b| key(action) > key(b)) {
            best = Some(action);
        }
    }
    best
}

fn strip(actions: &[Action]) -> String {
    let Some(joined) = actions.iter().map(|a| a.blast).reduce(leastgrant_core::action::Blast::at_least) else {
        return String::new();
    };
    // the tier is the worst action's: a joined radius would overstate it
    let tier = actions.iter().map(|a| a.blast.tier()).max().unwrap_or(0);
    let words = words::blast(joined);
    let said = if words.is_empty() { String::from("nothing that lasts") } else { words.join(" · ") };
    format!("{} {said} {}", dot(tier), paint(theme::DIM, &format!("(tier {tier} of 4)")))
}

fn dot(tier: u8) -> String {
    let style = match tier {
        0 | 1 => theme::GOOD,
        2 => theme::WARN,
        _ => theme::BAD,
    };
    paint(style, "●")
}

fn touches(actions: &[Action]) -> Vec<String> {
    let rank = |mark: Option<&str>| match mark {
        Some("credential") => 0,
        Some("outside" | "cannot be placed") => 1,
        Some("host") => 2,
        Some(_) => 3,
        None => 4,
    };
    let mut all: Vec<(usize, String)> = Vec::new();
    let pairs = actions.iter().flat_map(|a| a.targets.iter().map(move |t| (a, t)));
    for (action, target) in pairs {
        let mark = words::mark(action, target);
        let line = target_line(target, mark);
        if !all.iter().any(|(_, seen)| *seen == line) {
            all.push((rank(mark), line));
        }
    }
    all.sort_by_key(|(rank, _)| *rank);
    let more = all.len().saturating_sub(TARGETS);
    let mut lines: Vec<String> = all.into_iter().take(TARGETS).map(|(_, line)| line).collect();
    if more > 0 {
        lines.push(paint(theme::DIM, &format!("and {more} more")));
    }
    lines
}

fn target_line(target: &Target, mark: Option<&str>) -> String {
    let text = words::cut(&words::safe(&target.text), 60);
    let mark = mark.map_or_else(String::new, |mark| {
        let style = match mark {
            "credential" => theme::DENY,
            "outside" | "cannot be placed" | "host" => theme::WARN,
            _ => theme::DIM,
        };
        format!("  {}", paint(style, mark))
    });
    format!("{} {text}{mark}", paint(theme::DIM, words::role(target.role)))
}

/// The worst actions, in the order in which they happen.
fn actions(actions: &[Action], width: usize) -> Vec<String> {
    let mut ranked: Vec<(usize, &Action)> = actions.iter().enumerate().collect();
    ranked.sort_by_key(|(at, action)| (std::cmp::Reverse((action.opaque.is_some(), action.blast.tier())), *at));
    ranked.truncate(ACTIONS);
    ranked.sort_by_key(|(at, _)| *at);
    let room = width.saturating_sub(LABEL + 26).clamp(20, 64);
    let mut lines: Vec<String> = ranked
        .iter()
        .map(|(_, action)| {
            let display = words::cut(&words::safe(&action.display), room);
            let id = paint(theme::DIM, action.capability.id());
            let opaque = action.opaque.as_ref().map_or_else(String::new, |o| {
                format!("  {}", paint(theme::WARN, &words::cut(&words::safe(&o.why), 60)))
            });
            format!("{} {display}  {id}{opaque}", dot(action.blast.tier()))
        })
        .collect();
    let more = actions.len().saturating_sub(ACTIONS);
    if more > 0 {
        lines.push(paint(theme::DIM, &format!("and {more} more")));
    }
    lines
}

fn why(verdict: &Verdict) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for reason in verdict.reasons.iter().take(REASONS) {
        let mark = match reason.weight {
            Weight::Blocks => paint(theme::BAD, "!"),
            Weight::Raises => paint(theme::WARN, "+"),
            Weight::Lowers => paint(theme::GOOD, "-"),
            Weight::Info => paint(theme::DIM, "·"),
        };
        lines.push(format!("{mark} {} {}", words::safe(&reason.text), paint(theme::DIM, reason.id)));
    }
    let more = verdict.reasons.len().saturating_sub(REASONS);
    if more > 0 {
        lines.push(paint(theme::DIM, &format!("and {more} more")));
    }
    lines
}

/// What would change the answer, without the safe way that has its own row.
fn remedy(verdict: &Verdict) -> String {
    let Some(text) = &verdict.remedy else { return String::new() };
    let safer = verdict.actions.iter().filter_map(|action| action.safer.as_ref());
    let bare = safer.filter_map(|safer| text.strip_suffix(&format!("; safer: {safer}"))).next();
    words::safe(bare.unwrap_or(text))
}

fn safer(actions: &[Action]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for text in actions.iter().filter_map(|a| a.safer.as_deref()).map(words::safe) {
        if !lines.contains(&text) && lines.len() < 2 {
            lines.push(text);
        }
    }
    lines
}
