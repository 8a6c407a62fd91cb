//! A scenario: one session of one agent, what its model plays, how hooks answer or misbehave, and what must be seen
//! afterwards. Read from TOML; an unknown key is an error, so that no expectation is lost by a slip of the pen.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// How a scenario's hooks come into the agent's settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wiring {
    /// a probe, with nothing around it: what the agent itself does with an answer or a failure
    #[default]
    Probe,
    /// `leastgrant install`, as a person runs it
    Product,
    /// `leastgrant persona wire`, as a conductor runs it
    Persona,
    /// no hook at all
    None,
}

/// How the installed program is broken before the agent starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Broken {
    /// it is gone
    Missing,
    /// it may not be run
    NotExecutable,
    /// it dies by a signal
    Killed,
    /// it never answers
    Hangs,
    /// it ends as a panic does
    Panics,
    /// half an answer and a failure
    Garbage,
    /// half an answer and success
    GarbageAtZero,
}

/// One hook: a name of an answer or a misbehaviour, or both in detail.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hook {
    /// `silent`, `allow`, `ask`, `deny`, or a misbehaviour (see [`crate::probe::misbehave`])
    pub answer: String,
    /// answers only for tools whose name holds one of these; silent for others
    pub only: Vec<String>,
    /// exactly this on standard output
    pub stdout: Option<String>,
    /// exactly this on standard error
    pub stderr: Option<String>,
    /// exit code
    pub exit: Option<i32>,
    /// matcher of its group
    pub matcher: Option<String>,
    /// event of its group, where it is not the one before a tool
    pub event: Option<String>,
    /// the entry's own limit, seconds
    pub timeout: Option<u64>,
    /// more keys of the entry
    pub extra: toml::Table,
    /// the settings it stands in: `user` (default), `project` or `local`
    pub scope: String,
    /// a command line instead of the probe
    pub command: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum HookForm {
    Name(String),
    Full(Box<Hook>),
}

/// What a model does in one call, in words that hold for every agent.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Step {
    /// name of the call in expectations; default: the kind
    pub id: String,
    /// a shell command
    pub shell: Option<String>,
    /// the stub's `navigate`
    pub navigate: Option<String>,
    /// the stub's `click`
    pub click: Option<String>,
    /// a file that is written
    pub write: Option<String>,
    /// a file that is read
    pub read: Option<String>,
    /// a page that is fetched by the agent's own tool
    pub fetch: Option<String>,
    /// a subagent with this task; it plays `sub`
    pub spawn: Option<String>,
    /// any other tool, by the agent's name for it
    pub tool: Option<String>,
    /// its input
    pub input: Option<toml::Value>,
    /// content of a written file, or a tool's free-form input
    pub text: Option<String>,
    /// proof that it ran: this file is there afterwards
    pub made: Option<String>,
    /// proof that it ran: the model was told this
    pub shows: Option<String>,
    /// the model says this and ends its turn
    pub say: Option<String>,
    /// the world does this just before the next turn: `write`, `append`, `replace`, `remove`, `sleep`, `product`
    pub act: Option<String>,
    /// its file
    pub path: Option<String>,
    /// what is replaced
    pub from: Option<String>,
    /// how long it sleeps
    pub ms: Option<u64>,
    /// arguments of the product
    pub run: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TurnForm {
    Name(String),
    // before `One`: a list could be taken for a step's fields in their order
    Many(Vec<StepForm>),
    One(Box<Step>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StepForm {
    Name(String),
    Full(Box<Step>),
}

/// What is expected; also the overlay for some versions, where only what is set counts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Expect {
    /// overlay only: for versions from this one on
    pub since: Option<String>,
    /// overlay only: for versions before this one
    pub before: Option<String>,
    /// calls that ran; all others must not have run
    pub ran: Option<Vec<String>>,
    /// calls that the hook was asked about; all others must not have been
    pub hooked: Option<Vec<String>>,
    /// text that the model was told for a call (all of them)
    pub told: BTreeMap<String, OneOrMany>,
    /// text that the model must not have been told for a call
    pub untold: BTreeMap<String, OneOrMany>,
    /// everything that reached the stub, in order: `navigate URL`
    pub stub: Option<Vec<String>>,
    /// lines of our ledger: each must be there
    pub ledger: Vec<toml::Table>,
    /// the persona journal: exactly these, each as far as it is given
    pub journal: Option<Vec<toml::Table>>,
    /// checks of `doctor` that must be bad
    pub doctor: Vec<String>,
    /// `doctor` must find nothing bad
    pub doctor_ok: Option<bool>,
    /// text in the session's record
    pub transcript: Vec<String>,
    /// text in what the agent printed
    pub said: Vec<String>,
    /// files and a text that they must hold afterwards
    pub holds: BTreeMap<String, String>,
    /// files and a text that they must not hold afterwards
    pub lacks: BTreeMap<String, String>,
    /// the agent's exit code
    pub exit: Option<i32>,
    /// the agent must not come to an end
    pub hangs: Option<bool>,
}

/// What the compatibility record says of a scenario's fact: its word, and what must therefore be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// the record's own word: `open`, `refuses`, …
    pub word: String,
    /// every call of the scenario runs, or none
    pub ran: Option<bool>,
    /// the hook is asked about every call, or about none
    pub hooked: Option<bool>,
    /// the agent does not come to an end
    pub hangs: Option<bool>,
}

/// One text or several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// one
    One(String),
    /// several
    Many(Vec<String>),
}

impl OneOrMany {
    /// As a list.
    #[must_use]
    pub fn list(&self) -> Vec<&str> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// One session and what must be seen of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// short dotted id: what is claimed
    pub claim: String,
    /// the claim in words
    pub says: String,
    /// what it means for a person when this is not so
    pub means: String,
    /// the fact of the compatibility record that this re-measures, as `verify` reads it: `failures/crash/bare`
    pub fact: Option<String>,
    /// the overlay's bounds, for a scenario that some versions do not know at all
    pub since: Option<String>,
    /// as above
    pub before: Option<String>,
    /// how hooks come into the settings
    pub wiring: Wiring,
    /// hooks, in order
    #[serde(deserialize_with = "hooks")]
    pub hooks: Vec<Hook>,
    /// how the program is broken
    pub broken: Option<Broken>,
    /// more arguments of `install`
    pub install: Vec<String>,
    /// commands of the product that a person runs before the agent starts
    pub prepare: Vec<Vec<String>>,
    /// the same at a terminal, for what only a person there may do
    pub terminal: Vec<Vec<String>>,
    /// permission mode
    pub mode: Option<String>,
    /// the agent's own rules let shell, MCP and writes pass (default yes)
    pub grants: Option<bool>,
    /// model name, where the agent's tools depend on it
    pub model: Option<String>,
    /// more of the agent's user settings
    pub settings: toml::Table,
    /// files, by paths with placeholders
    pub files: BTreeMap<String, String>,
    /// more environment
    pub env: BTreeMap<String, String>,
    /// more arguments of the agent
    pub args: Vec<String>,
    /// what the model plays
    #[serde(deserialize_with = "turns")]
    pub turns: Vec<Vec<Step>>,
    /// what the model plays in a subagent
    #[serde(deserialize_with = "turns")]
    pub sub: Vec<Vec<Step>>,
    /// the agent's time, seconds
    pub seconds: Option<u64>,
    /// what must be seen
    pub expect: Expect,
    /// what other versions show
    pub versions: Vec<Expect>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    scenario: Vec<Scenario>,
}

fn hooks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Hook>, D::Error> {
    let forms = Vec::<HookForm>::deserialize(deserializer)?;
    Ok(forms
        .into_iter()
        .map(|form| match form {
            HookForm::Name(answer) => Hook { answer, ..Hook::default() },
            HookForm::Full(hook) => *hook,
        })
        .collect())
}

fn turns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<Step>>, D::Error> {
    let forms = Vec::<TurnForm>::deserialize(deserializer)?;
    let named =
        |name: String| named(&name).ok_or_else(|| serde::de::Error::custom(format!("no step is called `{name}`")));
    forms
        .into_iter()
        .map(|form| match form {
            TurnForm::Name(name) => Ok(vec![named(name)?]),
            TurnForm::One(step) => Ok(vec![with_id(*step)]),
            TurnForm::Many(steps) => steps
                .into_iter()
                .map(|step| match step {
                    StepForm::Name(name) => named(name),
                    StepForm::Full(step) => Ok(with_id(*step)),
                })
                .collect(),
        })
        .collect()
}

/// The calls that most scenarios play.
fn named(name: &str) -> Option<Step> {
    let step = match name {
        "shell" => Step { shell: Some(String::from("echo ran > ran-shell.txt")), ..Step::default() },
        "navigate" => Step { navigate: Some(String::from("https://shop.example/start?q=1")), ..Step::default() },
        "click" => Step { click: Some(String::from("Buy")), ..Step::default() },
        "write" => Step { write: Some(String::from("@PROJECT@/ran-write.txt")), ..Step::default() },
        "read" => Step { read: Some(String::from("@PROJECT@/notes.txt")), ..Step::default() },
        "fetch" => Step { fetch: Some(String::from("https://shop.example/page")), ..Step::default() },
        "spawn" => Step { spawn: Some(String::from("SUBAGENT do it")), ..Step::default() },
        _ => return None,
    };
    Some(with_id(step))
}

fn with_id(mut step: Step) -> Step {
    let kind = if step.shell.is_some() {
        "shell"
    } else if step.navigate.is_some() {
        "navigate"
    } else if step.click.is_some() {
        "click"
    } else if step.write.is_some() {
        "write"
    } else if step.read.is_some() {
        "read"
    } else if step.fetch.is_some() {
        "fetch"
    } else if step.spawn.is_some() {
        "spawn"
    } else {
        ""
    };
    if step.id.is_empty() {
        kind.clone_into(&mut step.id);
        if step.id.is_empty() {
            step.id = step.tool.clone().unwrap_or_default();
        }
    }
    let proof = step.made.is_some() || step.shows.is_some();
    match kind {
        "shell" if !proof && step.shell.as_deref() == Some("echo ran > ran-shell.txt") => {
            step.made = Some(String::from("@PROJECT@/ran-shell.txt"));
        }
        "write" if !proof => step.made = step.write.clone(),
        "read" if !proof => step.shows = Some(String::from("alpha")),
        _ => {}
    }
    step
}

impl Step {
    /// A tool call, and not something that the world or the model's mouth does.
    #[must_use]
    pub fn is_call(&self) -> bool {
        self.say.is_none() && self.act.is_none()
    }
}

impl Scenario {
    /// What must be seen on this version.
    #[must_use]
    pub fn expected(&self, version: &str) -> Expect {
        let mut expect = self.expect.clone();
        for other in
            self.versions.iter().filter(|other| within(version, other.since.as_deref(), other.before.as_deref()))
        {
            let other = other.clone();
            expect.ran = other.ran.or(expect.ran);
            expect.hooked = other.hooked.or(expect.hooked);
            expect.stub = other.stub.or(expect.stub);
            expect.journal = other.journal.or(expect.journal);
            expect.exit = other.exit.or(expect.exit);
            expect.hangs = other.hangs.or(expect.hangs);
            expect.doctor_ok = other.doctor_ok.or(expect.doctor_ok);
            expect.told.extend(other.told);
            expect.untold.extend(other.untold);
            expect.holds.extend(other.holds);
            expect.lacks.extend(other.lacks);
            if !other.transcript.is_empty() {
                expect.transcript = other.transcript;
            }
            if !other.said.is_empty() {
                expect.said = other.said;
            }
            if !other.ledger.is_empty() {
                expect.ledger = other.ledger;
            }
        }
        expect
    }

    /// The same, where the record has the last word.
    #[must_use]
    pub fn expected_by(&self, version: &str, recorded: Option<&Recorded>) -> Expect {
        let mut expect = self.expected(version);
        let all = |all: bool| {
            let ids = self.calls().into_iter().map(|step| step.id.clone());
            if all { ids.collect() } else { Vec::new() }
        };
        if let Some(recorded) = recorded {
            expect.ran = recorded.ran.map(all).or(expect.ran);
            expect.hooked = recorded.hooked.map(all).or(expect.hooked);
            expect.hangs = recorded.hangs.or(expect.hangs);
        }
        expect
    }

    /// Whether this version knows what the scenario is about.
    #[must_use]
    pub fn applies(&self, version: &str) -> bool {
        within(version, self.since.as_deref(), self.before.as_deref())
    }

    /// Ids of its calls, in order, each once.
    #[must_use]
    pub fn calls(&self) -> Vec<&Step> {
        self.turns.iter().chain(&self.sub).flatten().filter(|step| step.is_call()).collect()
    }
}

fn within(version: &str, since: Option<&str>, before: Option<&str>) -> bool {
    since.is_none_or(|bound| numbers(version) >= numbers(bound))
        && before.is_none_or(|bound| numbers(version) < numbers(bound))
}

/// The numbers of a version, for comparing.
#[must_use]
pub fn numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// All scenarios of an agent, in the order of the files.
///
/// # Errors
/// A file that can't be read, by name.
pub fn of(agent: &str) -> Result<Vec<Scenario>, String> {
    let mut all: Vec<Scenario> = Vec::new();
    for (_, name, text) in FILES.iter().filter(|(id, _, _)| *id == agent) {
        all.extend(parse(text).map_err(|why| format!("scenarios/{agent}/{name}: {why}"))?);
    }
    Ok(all)
}

/// The scenarios of one file.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str) -> Result<Vec<Scenario>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    for scenario in &file.scenario {
        check(scenario).map_err(|why| format!("`{}`: {why}", scenario.claim))?;
    }
    Ok(file.scenario)
}

/// An expectation about a call that nobody makes would always hold.
fn check(scenario: &Scenario) -> Result<(), String> {
    if scenario.claim.is_empty() || scenario.says.is_empty() {
        return Err(String::from("a scenario has a `claim` and `says` it in words"));
    }
    let ids: Vec<&str> = scenario.calls().iter().map(|step| step.id.as_str()).collect();
    for (i, id) in ids.iter().enumerate() {
        if id.is_empty() || ids.iter().skip(i + 1).any(|other| other == id) {
            return Err(format!("two calls are called `{id}`; give one an `id`"));
        }
    }
    for expect in std::iter::once(&scenario.expect).chain(&scenario.versions) {
        let lists = [&expect.ran, &expect.hooked];
        let named = lists.into_iter().flatten().flatten().chain(expect.told.keys()).chain(expect.untold.keys());
        if let Some(unknown) = named.into_iter().find(|id| !ids.contains(&id.as_str())) {
            return Err(format!("it expects something of `{unknown}`, which is not played"));
        }
    }
    let nothing = Expect::default();
    if scenario.expect == nothing && scenario.versions.is_empty() {
        return Err(String::from("it expects nothing, so it could not fail"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_can_be_read_and_claims_are_unique() {
        for agent in crate::agent::ids() {
            let all = of(agent).unwrap();
            assert!(!all.is_empty(), "{agent} has scenarios");
            let mut claims: Vec<&str> = all.iter().map(|scenario| scenario.claim.as_str()).collect();
            claims.sort_unstable();
            let many = claims.len();
            claims.dedup();
            assert_eq!(many, claims.len(), "claims of {agent} are unique");
            assert!(all.iter().all(|scenario| !scenario.means.is_empty()), "drift of {agent} is explained");
        }
    }

    #[test]
    fn expectations_that_cannot_fail_are_refused() {
        let none = "[[scenario]]\nclaim = 'x'\nsays = 'y'\nturns = ['shell']\n";
        assert!(parse(none).unwrap_err().contains("could not fail"));
        let other = format!("{none}[scenario.expect]\nran = ['write']\n");
        assert!(parse(&other).unwrap_err().contains("`write`, which is not played"));
    }

    #[test]
    fn versions_compare_by_numbers() {
        assert!(within("2.1.332", Some("2.1.300"), None));
        assert!(!within("2.1.197", Some("2.1.300"), None));
        assert!(within("0.171.0", None, Some("0.172.0")));
    }
}
