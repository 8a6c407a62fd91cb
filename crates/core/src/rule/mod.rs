//! Rules that a person wrote: schema, matching, layers. A deny rule wins over everything but an integrity floor; an allow
//! rule lifts ask floors and ask rules, never an integrity floor; order as in [`crate::judge`].

mod broad;
mod glob;
mod parse;
mod text;
mod when;

pub use broad::{Broad, too_broad};
pub use glob::glob;
pub use parse::{Problem, parse};
pub use text::{call_text, quote};
pub use when::{KEYS, When};

use crate::action::Action;
use crate::call::Call;
use crate::signature;
use crate::world::{Facts, World};

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
    /// the project's: it can only tighten
    Project,
    /// the project's, whose content a person trusts as it stands
    Trusted,
    /// this session's
    Session,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// what it says
    pub effect: Effect,
    /// exact command text, or a glob on signatures; with [`EXACT`] before it, exact text only; empty where only the
    /// conditions count
    pub pattern: String,
    /// conditions that must hold as well
    pub when: When,
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
    /// How much it says: of two that hold in a layer, the one that says more is told.
    fn weight(&self) -> usize {
        KEYS.iter().filter(|key| self.when.get(key).is_some()).count()
    }

    /// Whether it counts here and now.
    #[must_use]
    pub fn applies(&self, facts: &Facts) -> bool {
        let here = self.project.as_deref().is_none_or(|root| {
            let root = root.trim_end_matches('/');
            root == facts.project || facts.checkout.as_deref() == Some(root)
        });
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

    /// As a person would write it after `leastgrant allow`.
    #[must_use]
    pub fn shown(&self) -> String {
        let parts = [self.pattern.clone(), self.when.to_string()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
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
    world: &'a dyn World,
}

impl<'a> Book<'a> {
    /// Picks from `rules` what counts for this call here and now.
    #[must_use]
    pub fn open(rules: &'a [Rule], call: &Call, world: &'a dyn World) -> Self {
        let call_text = call_text(call);
        let facts = world.facts();
        let rules = rules
            .iter()
            .filter(|rule| rule.applies(facts) && rule.when.holds_for_call(rule.effect, call, world))
            .map(|rule| (rule, rule.is_text(&call_text)))
            .collect();
        Self { rules, call_text, world }
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
            .filter(|(rule, whole)| self.covers(rule, *whole, action))
            .map(|(rule, _)| *rule)
            .max_by(|a, b| (a.layer, a.weight(), &b.pattern).cmp(&(b.layer, b.weight(), &a.pattern)))
    }

    fn covers(&self, rule: &Rule, whole: bool, action: &Action) -> bool {
        if !rule.when.is_empty() && !rule.when.holds_for(rule.effect, action, self.world) {
            return false;
        }
        let any = rule.pattern.is_empty() && !rule.when.is_empty();
        match rule.effect {
            // the shape of what was not understood says nothing about what it does
            Effect::Allow => whole || (action.opaque.is_none() && (any || rule.is_shape(&action.signature))),
            Effect::Ask | Effect::Deny => {
                whole
                    || any
                    || rule.is_shape(&action.signature)
                    || rule.is_seen(&action.display)
                    || rule.is_seen(&self.call_text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use leastgrant_shell::Dialect;

    use super::{Book, Effect, KEYS, Layer, Rule, When};
    use crate::action::{Action, Capability, Opaque};
    use crate::call::{Attendance, Call, Mode, ShellCall, Tool};
    use crate::signature::{Does, seal};
    use crate::world::FakeWorld;

    fn call(command: &str) -> Call {
        Call {
            agent: "claude-code",
            agent_version: None,
            session: String::new(),
            call_id: None,
            subagent: None,
            mode: Mode::Default,
            attendance: Attendance::Attended,
            cwd: String::from("/p"),
            tool_name: String::from("Bash"),
            tool: Tool::Shell(ShellCall {
                command: command.to_owned(),
                dialect: Dialect::Bash,
                workdir: None,
                unsandboxed: false,
            }),
        }
    }

    fn action(display: &str, body: &str, opaque: bool) -> Action {
        let capability = Capability::Delete;
        let blast = capability.default_blast();
        Action {
            capability,
            blast,
            targets: Vec::new(),
            signature: seal(body, Does { capability, blast, opaque }),
            display: display.to_owned(),
            span: None,
            opaque: opaque.then(|| Opaque { span: None, why: String::from("x") }),
            marks: Vec::new(),
            notes: Vec::new(),
            safer: None,
            family: "test",
        }
    }

    fn rule(effect: Effect, pattern: &str) -> Rule {
        let (pattern, layer, when) = (pattern.to_owned(), Layer::User, When::default());
        Rule { effect, pattern, when, layer, project: None, note: None, until_ms: None }
    }

    fn holds(effect: Effect, pattern: &str, command: &str, action: &Action) -> bool {
        let rule = rule(effect, pattern);
        Book::open(&[rule], &call(command), &FakeWorld::project()).find(effect, action).is_some()
    }

    #[test]
    fn what_tightens_matches_however_it_is_spelled_and_what_loosens_does_not() {
        let plain = action("rm -rf a/b", "rm <path> -rf", false);
        let opaque = action("rm -rf a/b", "rm <path> -rf", true);
        for (pattern, allows, denies) in [
            ("rm -rf *", false, true),
            ("rm *", true, true),
            ("rm <path> -rf", true, true),
            ("rm <path> -rf @fs.delete/1200", true, true),
            ("rm <path> -rf @fs.delete/1201", false, false),
            ("rm -rf a/b", false, true),
            ("cd x && rm -rf a/b", true, true),
            ("= cd x && rm -rf a/b", true, true),
            ("= rm *", false, false),
            ("cd *", false, true),
            ("cd x", false, false),
        ] {
            let command = " cd x && rm -rf a/b\n";
            assert_eq!(holds(Effect::Allow, pattern, command, &plain), allows, "allow {pattern}");
            assert_eq!(holds(Effect::Deny, pattern, command, &plain), denies, "deny {pattern}");
            let exact = pattern.contains("&&");
            assert_eq!(holds(Effect::Allow, pattern, command, &opaque), exact, "allow {pattern} of what is opaque");
            // a whole signature says whether it was understood
            let tightens = denies && !pattern.ends_with("1200");
            assert_eq!(holds(Effect::Deny, pattern, command, &opaque), tightens, "deny {pattern} of what is opaque");
        }
    }

    fn when(text: &str) -> When {
        let mut when = When::default();
        for part in text.split(' ') {
            let (key, value) = part.split_once('=').unwrap();
            *when.slot(key).unwrap() = Some(value.to_owned());
        }
        when
    }

    #[test]
    fn what_loosens_must_be_sure_and_what_tightens_need_not() {
        let world = FakeWorld::project().file("/home/u/project/.git/HEAD", "ref: refs/heads/topic/x\n");
        for (conditions, command, allows, denies) in [
            ("program=rm", "rm src/a", true, true),
            ("program=rm", "$x src/a", false, true),
            ("program=mv", "rm src/a", false, false),
            ("path=src/**", "rm src/a src/b/c", true, true),
            ("path=src/**", "rm src/a docs/b", false, true),
            ("path=src/**", "rm src/../docs/b", false, true),
            ("path=src/**", "rm $x", false, true),
            ("path=~/project/src/*", "rm src/a", true, true),
            ("path=/etc/**", "cat /etc/hosts", true, true),
            ("path=src/**", "ls", false, false),
            ("program=rm path=docs/*", "rm src/a", false, false),
            ("host=*.example.org", "curl https://a.example.org/x", true, true),
            ("host=*.example.org", "curl https://a.example.org https://example.net", false, true),
            ("capability=exec.vcs.*", "git status", true, true),
            ("branch=topic/*", "git status", true, true),
            ("branch=main", "git status", false, false),
            ("agent=claude-*", "git status", true, true),
            ("agent=codex", "git status", false, false),
            ("mode=bypass", "git status", false, false),
            ("mode=default tool=Bash", "git status", true, true),
        ] {
            let mut call = call(command);
            call.cwd = String::from("/home/u/project");
            let actions = crate::classify::classify(&call, &world);
            for (effect, wanted) in [(Effect::Allow, allows), (Effect::Deny, denies)] {
                let rules = [Rule { pattern: String::new(), when: when(conditions), ..rule(effect, "") }];
                let book = Book::open(&rules, &call, &world);
                let mut found = actions.iter().map(|action| book.find(effect, action).is_some());
                // one action that a deny fits holds the call; a call passes only as a whole
                let holds = if effect == Effect::Deny { found.any(|hit| hit) } else { found.all(|hit| hit) };
                assert_eq!(holds, wanted, "{} {conditions} for {command}", effect.id());
            }
        }
        assert_eq!(when("program=rm path=src/**").to_string(), "program=rm path='src/**'");
        assert!(KEYS.iter().all(|key| When::default().slot(key).is_some()));
    }
}
