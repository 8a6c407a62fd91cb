//! Rules that a person wrote: schema, matching, layers. A deny rule wins over everything but an integrity floor; an allow
//! rule lifts ask floors and ask rules, never an integrity floor; order as in [`crate::judge`].

mod broad;
mod glob;
mod parse;
mod text;

pub use broad::{Broad, too_broad};
pub use glob::glob;
pub use parse::{Problem, parse};
pub use text::{call_text, quote};

use crate::action::Action;
use crate::call::Call;
use crate::signature;
use crate::world::Facts;

/// What a matching rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// may run, although an ask floor holds
    Allow,
    /// a person decides
    Ask,
    /// must not run
    Deny,
}

impl Effect {
    /// `allow`, `ask` or `deny`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The effect with this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::Deny].into_iter().find(|effect| effect.id() == id)
    }
}

/// Where a rule comes from; later is narrower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// for every user of the machine
    Machine,
    /// the person's own
    User,
    /// the project's: it can only tighten (a person who trusts a project takes its rules over into their own)
    Project,
    /// this session's
    Session,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// what it says
    pub effect: Effect,
    /// exact command text, or a glob on signatures; with [`EXACT`] before it, exact text only
    pub pattern: String,
    /// where it comes from
    pub layer: Layer,
    /// the project root it is bound to; none for all
    pub project: Option<String>,
    /// why, in the person's words
    pub note: Option<String>,
    /// milliseconds since 1970 after which it no longer counts
    pub until_ms: Option<i64>,
}

/// Before a pattern: it is exact command text and no glob, whatever characters it holds.
pub const EXACT: &str = "= ";

impl Rule {
    /// Whether it counts here and now.
    #[must_use]
    pub fn applies(&self, facts: &Facts) -> bool {
        let here = self.project.as_deref().is_none_or(|root| root.trim_end_matches('/') == facts.project);
        let now = self.until_ms.is_none_or(|until| facts.now_ms <= until);
        let may = self.effect != Effect::Allow || self.layer != Layer::Project;
        here && now && may
    }

    /// Whether its pattern is the whole text of a call.
    #[must_use]
    pub fn is_text(&self, call_text: &str) -> bool {
        let pattern = self.pattern.strip_prefix(EXACT).unwrap_or(&self.pattern);
        !pattern.trim().is_empty() && pattern.trim() == call_text.trim()
    }

    /// Whether its pattern, as a glob, is the signature of an action.
    #[must_use]
    pub fn is_shape(&self, signature: &str) -> bool {
        !self.pattern.starts_with(EXACT)
            && (glob(&self.pattern, signature::body(signature)) || glob(&self.pattern, signature))
    }

    /// Whether its pattern, as a loose glob, is a text that a person sees. Only for rules that tighten: `*` crosses
    /// everything, so that a deny rule holds however its author spelled it.
    fn is_seen(&self, text: &str) -> bool {
        !self.pattern.starts_with(EXACT) && glob::loose(&self.pattern, text.trim())
    }
}

/// The rules that count for one call.
pub struct Book<'a> {
    rules: Vec<(&'a Rule, bool)>,
    call_text: String,
}

impl<'a> Book<'a> {
    /// Picks from `rules` what counts for this call here and now.
    #[must_use]
    pub fn open(rules: &'a [Rule], call: &Call, facts: &Facts) -> Self {
        let call_text = call_text(call);
        let rules =
            rules.iter().filter(|rule| rule.applies(facts)).map(|rule| (rule, rule.is_text(&call_text))).collect();
        Self { rules, call_text }
    }

    /// The text of the whole call, as exact patterns are compared with it.
    #[must_use]
    pub fn call_text(&self) -> &str {
        &self.call_text
    }

    /// The rule of this effect that holds for an action; the narrowest layer first.
    #[must_use]
    pub fn find(&self, effect: Effect, action: &Action) -> Option<&'a Rule> {
        self.rules
            .iter()
            .filter(|(rule, _)| rule.effect == effect)
            .filter(|(rule, whole)| *whole || self.covers(rule, action))
            .map(|(rule, _)| *rule)
            .max_by(|a, b| (a.layer, &b.pattern).cmp(&(b.layer, &a.pattern)))
    }

    fn covers(&self, rule: &Rule, action: &Action) -> bool {
        match rule.effect {
            // the shape of what was not understood says nothing about what it does
            Effect::Allow => action.opaque.is_none() && rule.is_shape(&action.signature),
            Effect::Ask | Effect::Deny => {
                rule.is_shape(&action.signature) || rule.is_seen(&action.display) || rule.is_seen(&self.call_text)
            }
        }
    }
}
