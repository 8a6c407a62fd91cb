//! The agents besides Claude Code: which of them are here, whether they ask us, whether that holds, what would switch it
//! off, and what their records say it is worth. An agent of which there is no sign is not mentioned.

use std::path::{Path, PathBuf};

use leastgrant_core::compatibility::{self, Gate, Seen as SeenHow};

use super::scene::Scene;
use super::switches::{self, Switch};
use super::{Check, Group, Repair, Status};
use crate::edit::atomic;
use crate::edit::json::MAX_BYTES;
use crate::edit::toml;
use crate::install::codex::trust::{self, Standing};
use crate::install::dialect::{self, Dialect, Found};
use crate::install::find::Sign;
use crate::install::place::{Places, Scope};
use crate::install::record::Record;
use crate::install::{claude_code, codex, copilot, gemini_cli, opencode, probe, qwen_code, wiring};
use crate::render::words;

const GROUP: Group = Group::Enforcement;
const SCOPES: [Scope; 4] = [Scope::Managed, Scope::User, Scope::Project, Scope::Local];

/// One settings file of an agent that is there.
#[derive(Debug)]
pub struct File {
    /// whose
    pub scope: Scope,
    /// where
    pub path: PathBuf,
    /// its bytes, or why they can't be read
    pub bytes: Result<Vec<u8>, String>,
    /// our entries, or why the agent drops the file
    pub found: Result<Vec<Found>, String>,
    /// what became of our hook when it was started
    pub started: Option<Result<(), String>>,
}

impl File {
    fn guard(&self, dialect: &dyn Dialect) -> Option<&Found> {
        let event = dialect.events().first()?;
        self.found.as_ref().ok()?.iter().find(|found| found.event == event.name)
    }
}

/// One agent of which there is a sign.
#[derive(Debug)]
pub struct Seen {
    /// the agent
    pub dialect: &'static dyn Dialect,
    /// its program and folder
    pub sign: Sign,
    /// its settings files that are there
    pub files: Vec<File>,
}

impl Seen {
    /// The files with a hook of ours before tool calls.
    pub fn wired(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.guard(self.dialect).is_some())
    }
}

/// Looks for the other agents; starts what we wrote into their files, once each.
#[must_use]
pub fn look(places: &Places, records: &[Record]) -> Vec<Seen> {
    let others = dialect::ALL.iter().copied().filter(|dialect| dialect.agent() != claude_code::AGENT);
    others
        .filter_map(|dialect| {
            let files: Vec<File> = SCOPES
                .into_iter()
                .flat_map(|scope| dialect.files(places, scope).into_iter().map(move |path| (scope, path)))
                .filter_map(|(scope, path)| file(dialect, scope, path, records))
                .collect();
            let known = records.iter().any(|record| record.wiring.agent == dialect.agent());
            let here = known
                || files.iter().any(|file| file.guard(dialect).is_some())
                || Sign::glance(dialect, places).is_there();
            here.then(|| Seen { dialect, sign: Sign::look(dialect, places), files })
        })
        .collect()
}

fn file(dialect: &'static dyn Dialect, scope: Scope, path: PathBuf, records: &[Record]) -> Option<File> {
    let bytes = match atomic::read(&path, MAX_BYTES) {
        Ok(None) => return None,
        Ok(Some(bytes)) => Ok(bytes),
        Err(fault) => Err(fault.to_string()),
    };
    let found = match &bytes {
        Ok(bytes) => dialect.find(&path, bytes).map_err(|refusal| refusal.to_string()),
        Err(why) => Err(why.clone()),
    };
    let mut file = File { scope, path, bytes, found, started: None };
    let record = records.iter().find(|record| record.wiring.file == file.path);
    file.started = file.guard(dialect).and_then(|found| start(dialect, scope, found, record));
    Some(file)
}

/// In a project's files only what we wrote there is started: whoever wrote the project could have it start anything.
fn start(dialect: &dyn Dialect, scope: Scope, found: &Found, record: Option<&Record>) -> Option<Result<(), String>> {
    if dialect.agent() == opencode::AGENT {
        let record = record?;
        let plugin = Path::new(&found.ours.program);
        return Some(match opencode::plugin_text(plugin) {
            None => Err(format!("the plugin `{}` is gone", plugin.display())),
            Some(text) if text != opencode::text(&record.wiring) => {
                Err(format!("the plugin `{}` is not what leastgrant wrote", plugin.display()))
            }
            Some(_) => probe::starts(dialect, &dialect.guard(&record.wiring)),
        });
    }
    let ours = record.is_some_and(|record| dialect.guard(&record.wiring) == found.command);
    (ours || matches!(scope, Scope::User | Scope::Managed)).then(|| probe::starts(dialect, &found.command))
}

/// Whether the entry of an agent in a scope blocks when it fails; yes where there is none.
#[must_use]
pub fn blocks(scene: &Scene, dialect: &dyn Dialect, scope: Scope) -> bool {
    let seen = scene.others.iter().find(|seen| seen.dialect.agent() == dialect.agent());
    let file = seen.and_then(|seen| seen.wired().find(|file| file.scope == scope));
    file.and_then(|file| file.guard(dialect)).is_none_or(|found| found.ours.blocks)
}

/// The checks of every other agent.
pub(super) fn checks(scene: &Scene) -> Vec<Check> {
    scene.others.iter().flat_map(|seen| of(scene, seen)).collect()
}

fn check(id: String, status: Status, text: impl Into<String>) -> Check {
    Check::new(GROUP, id, status, text)
}

fn of(scene: &Scene, seen: &Seen) -> Vec<Check> {
    let mut checks = vec![version(seen)];
    let agent = seen.dialect.agent();
    for file in &seen.files {
        if let Err(why) = &file.found {
            let shown = scene.places.short(&file.path);
            let known = scene.foreign.iter().any(|record| record.wiring.file == file.path);
            let (status, ours) = if known { (Status::Bad, ", and our hook with it") } else { (Status::Warn, "") };
            let text = format!("{} drops `{shown}`{ours}: {why}", seen.dialect.name());
            checks
                .push(check(format!("settings:{agent}:{}", file.scope.id()), status, text).fix(editor(&file.path, 1)));
        }
    }
    let on = switches::on(agent, &scene.places);
    checks.extend(lost(scene, seen));
    if seen.wired().next().is_none() {
        let text = format!("{} is on this machine and does not ask leastgrant", seen.dialect.name());
        checks.push(check(format!("hook:{agent}"), Status::Warn, text).fix(format!("leastgrant install {agent}")));
    }
    for file in seen.wired() {
        checks.extend(wired(scene, seen, file));
    }
    checks.extend(on.iter().map(|switch| switched(scene, seen, switch)));
    if agent == codex::AGENT
        && let Some(file) = switches::shell_start(&scene.places)
    {
        let text = format!(
            "`{}` sets what the shell of every hook starts with: a script there can end all hooks without a word, those of the whole machine too",
            scene.places.short(&file)
        );
        checks.push(check(format!("switch:{agent}:dotenv"), Status::Bad, text).fix(editor(&file, 1)));
    }
    checks.extend(foreign(scene, seen));
    checks.extend(worth(scene, seen));
    checks
}

fn version(seen: &Seen) -> Check {
    let id = format!("agent:{}", seen.dialect.agent());
    let name = seen.dialect.name();
    let measured = compatibility::of(seen.dialect.agent()).and_then(|record| record.measured.versions.as_ref());
    let measured = measured.map_or_else(String::new, ToString::to_string);
    match &seen.sign.version {
        None => check(id, Status::Info, format!("{name}: its version is not known here; {measured} was measured")),
        Some(version) if measured.contains(version.as_str()) => {
            check(id, Status::Ok, format!("{name} {version}, a version that was measured"))
        }
        Some(version) => {
            let text = format!("{name} {version} was not measured ({measured} was); the stricter reading is taken");
            check(id, Status::Info, text)
        }
    }
}

fn lost(scene: &Scene, seen: &Seen) -> Vec<Check> {
    let agent = seen.dialect.agent();
    let mine = scene.foreign.iter().filter(|record| record.wiring.agent == agent);
    let here = |record: &&Record| {
        let scope = record.wiring.scope;
        seen.dialect.files(&scene.places, scope).contains(&record.wiring.file)
            && !seen.wired().any(|file| file.path == record.wiring.file)
    };
    mine.filter(here)
        .map(|record| {
            let scope = record.wiring.scope;
            let file = scene.places.short(&record.wiring.file);
            let text = format!("the hook was installed into `{file}` and is not there any more");
            check(format!("lost:{agent}:{}", scope.id()), Status::Bad, text)
                .fix(format!("leastgrant install {agent}{}", scope.flag()))
        })
        .collect()
}

fn wired(scene: &Scene, seen: &Seen, file: &File) -> Vec<Check> {
    let dialect = seen.dialect;
    let (agent, scope) = (dialect.agent(), file.scope);
    let id = |what: &str| format!("{what}:{agent}:{}", scope.id());
    let shown = scene.places.short(&file.path);
    let again = format!("leastgrant install {agent}{}", scope.flag());
    let mut checks = Vec::new();
    let Some(found) = file.guard(dialect) else { return checks };
    let then = if found.ours.blocks { "every call is blocked" } else { "calls run unjudged" };
    checks.push(match &file.started {
        Some(Ok(())) => {
            let bound = if found.ours.blocks { "closed when it fails" } else { "OPEN when it fails" };
            let status = if found.ours.blocks { Status::Ok } else { Status::Warn };
            let text = format!(
                "{}: the hook in `{shown}` starts and refuses a write into leastgrant's own state; {bound}",
                dialect.name()
            );
            check(id("hook"), status, text)
        }
        Some(Err(why)) => {
            let then = if agent == opencode::AGENT && why.contains("plugin") { "calls run unjudged" } else { then };
            let gone = if Path::new(&found.ours.program).exists() {
                String::new()
            } else {
                format!("`{}` does not exist; ", words::safe(&found.ours.program))
            };
            let text = format!("{}: the hook in `{shown}` is no guard, so {then}: {gone}{why}", dialect.name());
            check(id("hook"), Status::Bad, text).fix(again.clone())
        }
        None => {
            let text = format!(
                "{}: the hook in `{shown}` was not started to try it: that line was not written by leastgrant here",
                dialect.name()
            );
            check(id("hook"), Status::Warn, text).fix(again.clone())
        }
    });
    let missing: Vec<&str> = dialect
        .events()
        .iter()
        .map(|event| event.name)
        .filter(|name| file.found.as_ref().is_ok_and(|found| !found.iter().any(|found| found.event == *name)))
        .collect();
    if !missing.is_empty() {
        let text = format!("our hook is missing in `{shown}` for: {}", missing.join(", "));
        checks.push(check(id("hook-post"), Status::Warn, text).repair(Repair::Install(agent, scope)));
    }
    if agent == codex::AGENT && scope != Scope::Managed {
        checks.extend(trusted(scene, file, &id("trust"), &shown));
    }
    if agent == qwen_code::AGENT && matches!(scope, Scope::Project | Scope::Local) {
        checks.extend(shadow(scene, seen, file, &shown));
    }
    checks
}

fn trusted(scene: &Scene, file: &File, id: &str, shown: &str) -> Option<Check> {
    let again = format!("leastgrant install codex{} --trust", file.scope.flag());
    let bad = |text: String| Some(check(id.to_owned(), Status::Bad, text).fix(again.clone()));
    match trust::on_disk(&scene.places, &file.path)? {
        Standing::Trusted => Some(check(id.to_owned(), Status::Ok, format!("Codex trusts the hook in `{shown}`"))),
        Standing::Untrusted => bad(format!(
            "nobody has trusted the hook in `{shown}`: Codex leaves it out, without a word in `codex exec`; a person accepts it on Codex's start screen, or says --trust"
        )),
        Standing::Modified => bad(format!(
            "the hook in `{shown}` was trusted and has changed or moved since: Codex leaves it out without a word"
        )),
        Standing::Disabled => {
            bad(format!("the hook in `{shown}` is switched off in Codex's own config (`enabled = false`)"))
        }
    }
}

/// A project's copy of the person's entry comes first on Qwen Code, and only one of two equal ones runs: with a short
/// deadline it replaces the person's.
fn shadow(scene: &Scene, seen: &Seen, file: &File, shown: &str) -> Option<Check> {
    let recorded = scene.foreign.iter().any(|record| record.wiring.file == file.path);
    let same = seen.wired().filter(|other| matches!(other.scope, Scope::User | Scope::Managed)).any(|other| {
        other.guard(seen.dialect).map(|found| &found.command) == file.guard(seen.dialect).map(|found| &found.command)
    });
    if recorded || !same {
        return None;
    }
    let text = format!(
        "`{shown}` repeats your hook word by word: Qwen Code then runs the project's copy in its place, with whatever deadline it says, and lets calls pass when that is over"
    );
    Some(check(format!("shadow:qwen-code:{}", file.scope.id()), Status::Bad, text).fix(editor(&file.path, 1)))
}

/// What the machine's layer withstands, as measured.
fn withstood(seen: &Seen, switch: &Switch) -> bool {
    let managed = seen.wired().any(|file| file.scope == Scope::Managed);
    managed && switch.scope != Some(Scope::Managed) && switch.key != "hooksConfig.disabled" && switch.scope.is_some()
}

fn switched(scene: &Scene, seen: &Seen, switch: &Switch) -> Check {
    let agent = seen.dialect.agent();
    let Some(scope) = switch.scope else {
        let moved =
            switch.key.ends_with("_HOME") || switch.key.contains("CONFIG") || switch.key.contains("SETTINGS_PATH");
        let (status, text) = if moved {
            (
                Status::Info,
                format!(
                    "`{0}` is set: {1} then reads other settings than one that is started without it",
                    switch.key,
                    seen.dialect.name()
                ),
            )
        } else {
            (Status::Bad, format!("`{}` is set: {} that is started here runs no hook", switch.key, seen.dialect.name()))
        };
        return check(format!("switch:{agent}:env:{}", switch.key), status, text).fix(format!("unset {}", switch.key));
    };
    let file = scene.places.short(&switch.file);
    let name = switch.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let id = format!("switch:{agent}:{}:{name}:{}", scope.id(), switch.key);
    let text = format!("`{}` in `{file}`, line {}, turns {}'s hooks off", switch.key, switch.line, seen.dialect.name());
    let repair = Repair::Switch { file: switch.file.clone(), path: switch.path.clone() };
    if withstood(seen, switch) {
        return check(id, Status::Warn, format!("{text} (the managed one still runs)")).repair(repair);
    }
    let status = if seen.wired().next().is_some() { Status::Bad } else { Status::Warn };
    let more = if matches!(scope, Scope::Managed) || switch.key == "hooksConfig.disabled" {
        String::new()
    } else {
        format!(" (a managed one would still run: `sudo leastgrant install {agent} --managed`)")
    };
    check(id, status, format!("{text}{more}")).repair(repair)
}

/// Hooks of others before tool calls: on some agents they can change a call after we judged it, on some lift a refusal.
fn foreign(scene: &Scene, seen: &Seen) -> Vec<Check> {
    let agent = seen.dialect.agent();
    let Some(event) = seen.dialect.events().first() else { return Vec::new() };
    if seen.wired().next().is_none() {
        return Vec::new();
    }
    let what = match agent {
        qwen_code::AGENT => "if it allows, that lifts every refusal but the one that also ends the call (ours does)",
        copilot::AGENT => "if it changes the call's arguments, what runs is not what was judged",
        _ => "if it rewrites the input, what runs is not what was judged",
    };
    let mut checks = Vec::new();
    for file in &seen.files {
        let Ok(bytes) = &file.bytes else { continue };
        for command in commands(agent, &file.path, bytes, event.name) {
            if wiring::ours(&command, agent).is_some() || command.contains("leopold-persona-guard") {
                continue;
            }
            let number = checks.len() + 1;
            let text = format!(
                "a hook that is not ours also stands before tool calls of {}: {what}: `{}` in `{}`",
                seen.dialect.name(),
                words::cut(&words::safe(&command), 60),
                scene.places.short(&file.path)
            );
            let id = format!("foreign-pre:{agent}:{}:{number}", file.scope.id());
            checks.push(check(id, Status::Warn, text).fix(editor(&file.path, 1)));
        }
    }
    checks
}

fn commands(agent: &str, file: &Path, bytes: &[u8], event: &str) -> Vec<String> {
    let form = match agent {
        codex::AGENT if codex::is_toml(file) => {
            let Ok(document) = toml::Document::parse(bytes) else { return Vec::new() };
            let all = codex::table::commands(&document).into_iter();
            return all.filter(|(name, _)| name == event).map(|(_, command)| command).collect();
        }
        codex::AGENT => &codex::FORM,
        gemini_cli::AGENT => &gemini_cli::FORM,
        qwen_code::AGENT => &qwen_code::FORM,
        copilot::AGENT => &copilot::FORM,
        _ => return Vec::new(),
    };
    let Ok(document) = form.parse(bytes) else { return Vec::new() };
    let entries = form.entries(&document).into_iter().filter(|(name, _)| *name == event);
    entries.map(|(_, entry)| form.command_of(entry).unwrap_or("?").to_owned()).collect()
}

/// What the record says of this agent: what an answer is worth, what stays open, what is not seen, what was run.
fn worth(scene: &Scene, seen: &Seen) -> Vec<Check> {
    let agent = seen.dialect.agent();
    let name = seen.dialect.name();
    let Some(record) = compatibility::of(agent) else { return Vec::new() };
    if seen.wired().next().is_none() {
        return Vec::new();
    }
    let mut said: Vec<String> = Vec::new();
    for (gate, word) in [(Gate::Open, "open"), (Gate::Unknown, "not measured")] {
        let ways: Vec<&str> = record
            .failures
            .iter()
            .filter(|failure| failure.wired.iter().any(|fact| fact.value == gate))
            .map(|failure| failure.how.as_str())
            .collect();
        if !ways.is_empty() {
            said.push(format!("{word} when the hook breaks like this: {}", ways.join("; ")));
        }
    }
    let unseen: Vec<&str> = record
        .coverage
        .iter()
        .filter(|fact| fact.value.seen != SeenHow::Gated)
        .map(|fact| fact.value.what.as_str())
        .collect();
    if !unseen.is_empty() {
        said.push(format!("not asked about: {}", unseen.join("; ")));
    }
    let limits: Vec<&str> =
        record.limits.ours.iter().filter(|fact| fact.evidence.is_ours()).map(|fact| fact.value.as_str()).collect();
    if !limits.is_empty() {
        said.push(limits.join("; "));
    }
    let asks: Vec<&str> = record.channel.ask.iter().map(|fact| fact.value.what.as_str()).collect();
    let ran = &record.verification;
    let live = compatibility::live(record, &crate::command::verify::keep::proofs(Some(&scene.places.state)));
    let runs = [
        ("live", &live),
        ("transport", &ran.transport),
        ("contract", &ran.contract),
        ("conformance", &ran.conformance),
    ];
    let done: Vec<&str> = runs.iter().filter(|(_, run)| run.done).map(|(kind, _)| *kind).collect();
    let not: Vec<&str> = runs.iter().filter(|(_, run)| !run.done).map(|(kind, _)| *kind).collect();
    vec![
        check(format!("ask:{agent}"), Status::Info, format!("an ask on {name}: {}", asks.join("; "))),
        check(format!("open:{agent}"), Status::Info, format!("what stays open on {name}: {}", said.join(". "))),
        check(
            format!("verified:{agent}"),
            Status::Info,
            format!("what was run of {name}: {}; not: {}", list(&done), list(&not)),
        ),
    ]
}

fn list(words: &[&str]) -> String {
    if words.is_empty() { String::from("nothing") } else { words.join(", ") }
}

fn editor(file: &Path, line: usize) -> String {
    format!("${{EDITOR:-vi}} +{line} {}", wiring::quote(&file.to_string_lossy()))
}
