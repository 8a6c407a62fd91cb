//! The bounds of a flow as the conductor checks them: every URL that a turn declares or names, and what it says it will
//! do. The same host rule as the guard's.

use serde_json::json;

use super::irreversible::{self, Reach};
use super::mask;
use super::turn::Turn;
use crate::persona::flow::Flow;
use crate::persona::guard::{self, Asked, Profile, Ruling};
use crate::persona::lease::Gate;
use crate::persona::run::{Run, State};
use crate::persona::why::{self, Block};

/// What a run may not leave.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// the flow, as the guard holds a run to it
    run: Run,
    /// the flow's own list of what may not be done
    pub out_of_bounds: Vec<String>,
    /// turns that a persona may take
    pub max_turns: u32,
}

/// What a turn may do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Weighed {
    /// it may act
    Go,
    /// not yet: the worker says what it means, then goes on
    Held(Broken),
    /// it leaves the bounds: the journey of this persona is over
    Over(Broken),
}

/// A bound and how it is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// `allowlist`, `irreversible`, `unclear`
    pub rule: &'static str,
    /// one line, masked
    pub detail: String,
}

impl Bounds {
    /// The bounds of a flow in a project.
    #[must_use]
    pub fn of(flow: &Flow, root: &str) -> Self {
        let run = Run {
            root: root.to_owned(),
            profile: Profile::Strict,
            armed: true,
            gate: Gate::Open,
            state: State::Open(flow.bounds.clone()),
        };
        Self { run, out_of_bounds: flow.out_of_bounds.clone(), max_turns: flow.max_turns }
    }

    /// The flow's name.
    #[must_use]
    pub fn flow(&self) -> &str {
        self.run.flow()
    }

    /// Why the guard would hold this URL, if it would.
    #[must_use]
    pub fn outside(&self, url: &str) -> Option<Broken> {
        self.held(Asked::Tool { server: "", tool: "fetch", input: &json!({ "url": url }) })
    }

    /// Why the guard would hold this call, if it would.
    pub(super) fn held(&self, asked: Asked<'_>) -> Option<Broken> {
        match guard::rule(&self.run, Profile::Strict, asked, "", 0) {
            Ruling::Outside(block) | Ruling::Doubt(block) => {
                Some(Broken { rule: "allowlist", detail: words_of(&block) })
            }
            Ruling::Free | Ruling::Inside { .. } => None,
        }
    }

    /// Weighs what a turn declares: the allowlist first, then what can't be taken back.
    pub fn weigh(&self, turn: &Turn) -> Weighed {
        let named = turn.actions.iter().flat_map(|text| urls(text));
        for url in turn.navigations.iter().map(String::as_str).chain(named) {
            if let Some(broken) = self.outside(url) {
                return Weighed::Over(broken);
            }
        }
        let mut weighed = Weighed::Go;
        for action in &turn.actions {
            match irreversible::declared(action, &self.out_of_bounds) {
                Reach::Revocable => {}
                Reach::Irreversible(why) => {
                    let detail = format!("{}: `{}` in what it says it will do", why.says, why.words);
                    return Weighed::Over(Broken { rule: "irreversible", detail: mask::line(&detail, 240) });
                }
                Reach::Unclear(why) => {
                    let detail = format!("{}: `{}`", why.says, why.words);
                    weighed = Weighed::Held(Broken { rule: "unclear", detail: mask::line(&detail, 240) });
                }
            }
        }
        weighed
    }
}

/// A refusal of the guard in one line, without its advice to the worker.
#[must_use]
pub fn words_of(block: &Block) -> String {
    let text = block.text();
    let detail = text.strip_prefix(why::PREFIX).unwrap_or(&text);
    mask::line(detail.split_once(" — ").map_or(detail, |(front, _)| front), 240)
}

/// The URLs in a text.
pub(super) fn urls(text: &str) -> impl Iterator<Item = &str> {
    mask::found(text)
        .into_iter()
        .filter_map(|(start, end)| text.get(start..end))
        .map(|url| url.trim_end_matches(['.', ',', ';', '!', '?']))
}
