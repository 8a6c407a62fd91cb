//! `leastgrant install`: puts our hook into agents' settings. In a terminal it shows what it will write and asks;
//! elsewhere it does what was said and never asks.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use leastgrant_core::policy::Posture;
use serde_json::{Value, json};

use crate::edit::json::{Document, MAX_BYTES, Node, Step};
use crate::edit::{atomic, plan::Plan};
use crate::exit::Exit;
use crate::install::dialect::{self, Dialect, READ_ONLY};
use crate::install::find::{self, Sign};
use crate::install::perform::{self, Done};
use crate::install::place::{Places, Scope};
use crate::install::terminal;
use crate::install::work::{self, Prepared, Request, Stop};
use crate::render::{Ui, diff, words};
use crate::store::Store;

/// Whose settings, as flags.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ScopeArgs {
    /// the project's settings instead of yours (usually shared by version control)
    #[arg(long, conflicts_with_all = ["local", "managed"])]
    project: bool,
    /// the project's settings on this machine
    #[arg(long, conflicts_with = "managed")]
    local: bool,
    /// the whole machine's settings, which a repository can't switch off (as root)
    #[arg(long)]
    managed: bool,
    /// a folder that stands for `/` (tests)
    #[arg(long, hide = true, value_name = "FOLDER")]
    root_prefix: Option<PathBuf>,
}

impl ScopeArgs {
    /// The scope that was chosen.
    #[must_use]
    pub fn scope(&self) -> Scope {
        match (self.project, self.local, self.managed) {
            (true, _, _) => Scope::Project,
            (_, true, _) => Scope::Local,
            (_, _, true) => Scope::Managed,
            _ => Scope::User,
        }
    }

    /// Where things are.
    ///
    /// # Errors
    /// There is no home.
    pub fn places(&self) -> Result<Places, String> {
        Places::from_env(self.root_prefix.as_deref())
    }
}

/// What a hook that can't answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OnFailure {
    /// the call is blocked
    Closed,
    /// the call runs unjudged
    Open,
}

/// Arguments of `install`.
#[derive(clap::Args)]
pub struct Args {
    /// agents to wire (default: those found on this machine)
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// one agent to wire (may be given again)
    #[arg(long = "agent", value_name = "AGENT")]
    more: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// tell Codex to trust our entries, which it otherwise leaves inert until a person accepts them on its start screen
    #[arg(long)]
    trust: bool,
    /// how much may pass unasked: observe, assist, autopilot or strict
    #[arg(long, value_name = "POSTURE", value_parser = posture)]
    posture: Option<Posture>,
    /// what it means when the hook can't answer
    #[arg(long, value_enum, default_value = "closed", value_name = "WHAT")]
    on_failure: OnFailure,
    /// wire a program that will not stay where it is (never overrides a refused file)
    #[arg(long)]
    force: bool,
    /// take comments and trailing commas out of the file first, shown in the diff
    #[arg(long)]
    strip_comments: bool,
    /// don't ask
    #[arg(long, short)]
    yes: bool,
    /// the program to wire instead of this one
    #[arg(long, hide = true, value_name = "PATH")]
    program: Option<PathBuf>,
}

fn posture(text: &str) -> Result<Posture, String> {
    Posture::from_id(text).ok_or_else(|| String::from("it is observe, assist, autopilot or strict"))
}

/// Milliseconds since 1970.
#[must_use]
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Installs, agent by agent: one that is refused leaves the others as they are, and each is named.
pub fn run(args: &Args, ui: &mut Ui) -> Exit {
    let places = match args.scope.places() {
        Ok(places) => places,
        Err(why) => {
            ui.error(&why);
            return Exit::Bad;
        }
    };
    let named: Vec<String> = args.agents.iter().chain(&args.more).cloned().collect();
    let dialects = match chosen(&named, &places, args.scope.scope(), ui) {
        Ok(dialects) => dialects,
        Err(exit) => return exit,
    };
    let person = terminal::person().is_ok();
    let asks = person && !args.yes && !ui.json;
    let mut outcome = Outcome::default();
    for dialect in dialects {
        let request = Request {
            dialect,
            scope: args.scope.scope(),
            closed: args.on_failure == OnFailure::Closed,
            force: args.force,
            strip: args.strip_comments,
            trust: args.trust,
            program: args.program.clone(),
            person,
            now_ms: now_ms(),
        };
        one(args, &places, &request, asks, ui, &mut outcome);
    }
    outcome.print(ui);
    if args.dry_run || outcome.worst.is_some() {
        return outcome.exit();
    }
    if let Some(posture) = args.posture
        && let Err(why) = Store::at(&places.state).set_posture(posture)
    {
        ui.error(&format!("the posture could not be set: {why}"));
        return Exit::Bad;
    }
    if asks && outcome.written {
        offer_bundles(ui, &places);
        propose(ui, &places);
    }
    Exit::Ok
}

/// What came of several agents.
#[derive(Default)]
pub(super) struct Outcome {
    values: Vec<Value>,
    /// nothing, or the first failure's exit
    worst: Option<bool>,
    written: bool,
}

impl Outcome {
    /// One agent's result, for machines.
    pub(super) fn add(&mut self, value: Value) {
        self.values.push(value);
    }

    /// One agent that could not be done.
    pub(super) fn stopped(&mut self, ui: &mut Ui, request: &Request, places: &Places, stop: &Stop) {
        let usage = matches!(stop, Stop::Usage(_));
        self.worst = Some(self.worst.unwrap_or(true) && usage);
        let why = stop.why();
        if ui.json {
            let file = request.file(places).ok().map(|file| file.display().to_string());
            self.add(json!({ "agent": request.dialect.agent(), "file": file, "changed": false, "error": why }));
            return;
        }
        ui.error(&plain(why));
        if matches!(stop, Stop::Refused(_)) {
            ui.hint("nothing was touched");
        }
    }

    /// Everything at once, for machines.
    pub(super) fn print(&self, ui: &mut Ui) {
        if ui.json {
            ui.json(&json!(self.values));
        }
    }

    /// What the process ends with.
    pub(super) fn exit(&self) -> Exit {
        match self.worst {
            None => Exit::Ok,
            Some(true) => Exit::Usage,
            Some(false) => Exit::Bad,
        }
    }
}

fn one(args: &Args, places: &Places, request: &Request, asks: bool, ui: &mut Ui, outcome: &mut Outcome) {
    let mut shown = match work::prepare_install(places, request) {
        Ok(prepared) => prepared,
        Err(stop) => return outcome.stopped(ui, request, places, &stop),
    };
    if args.dry_run {
        return dry(ui, request, &shown, outcome);
    }
    let (prepared, done) = loop {
        if asks && !shown.plan.is_empty() {
            show(ui, &shown);
            if !confirm("write this?") {
                ui.line("nothing was written");
                return;
            }
        }
        let installed = perform::install(places, request, asks.then_some(&shown));
        match installed {
            Ok((_, Done::Moved(moved))) => {
                ui.warn("the file changed meanwhile; this is the new plan");
                shown = *moved;
            }
            Ok(finished) => break finished,
            Err(stop) => return outcome.stopped(ui, request, places, &stop),
        }
    };
    outcome.written = true;
    report(ui, request, &prepared, &done, outcome);
}

/// The agents that are named, or else every one that is found on this machine.
fn chosen(named: &[String], places: &Places, scope: Scope, ui: &mut Ui) -> Result<Vec<&'static dyn Dialect>, Exit> {
    let dialects = by_name(named, ui)?;
    if !dialects.is_empty() {
        return Ok(dialects);
    }
    let all = named.iter().any(|name| name == "all");
    let there = |dialect: &&dyn Dialect| Sign::glance(*dialect, places).is_there();
    let found: Vec<&'static dyn Dialect> =
        dialect::ALL.iter().copied().filter(|dialect| all || there(dialect)).collect();
    for (agent, name) in READ_ONLY {
        if find::programs(agent).iter().any(|program| find::on_path(program).is_some()) {
            ui.hint(&format!("{name} is here too: {}", read_only(agent, name)));
        }
    }
    if found.is_empty() {
        ui.error(
            "no agent was found on this machine; to wire one all the same, name it: `leastgrant install claude-code`",
        );
        return Err(Exit::Bad);
    }
    // a scope that an agent has not is no fault of whoever named no agent
    Ok(found.into_iter().filter(|dialect| dialect.file(places, scope).is_ok()).collect())
}

/// The agents of these names; none where none is named, or `all`.
pub(super) fn by_name(named: &[String], ui: &mut Ui) -> Result<Vec<&'static dyn Dialect>, Exit> {
    let mut dialects: Vec<&'static dyn Dialect> = Vec::new();
    for name in named.iter().filter(|name| *name != "all") {
        if let Some(dialect) = dialect::of(name) {
            if !dialects.iter().any(|other| other.agent() == dialect.agent()) {
                dialects.push(dialect);
            }
            continue;
        }
        if let Some((agent, name)) = READ_ONLY.iter().find(|(agent, _)| agent == name) {
            ui.error(&read_only(agent, name));
        } else {
            let known: Vec<String> = dialect::ALL.iter().map(|dialect| format!("`{}`", dialect.agent())).collect();
            ui.error(&format!(
                "`{}` is not an agent that leastgrant can wire; it can wire {}",
                words::safe(name),
                known.join(", ")
            ));
        }
        return Err(Exit::Usage);
    }
    Ok(if named.iter().any(|name| name == "all") { Vec::new() } else { dialects })
}

fn read_only(agent: &str, name: &str) -> String {
    format!(
        "leastgrant reads what {name} sends (`leastgrant hook {agent}`) and records it, but does not wire it: nobody could run it here, so what its settings would do is not known"
    )
}

/// Our own text that quotes a file: control characters can't act, spans of secrets are none of ours to hide.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c != '\n' && words::is_unsafe(c) { '\u{fffd}' } else { c }).collect()
}

/// The changes as diffs, with what a person should know.
pub(super) fn show(ui: &mut Ui, prepared: &Prepared) {
    for text in diffs(&prepared.plan) {
        ui.line(text);
    }
    for note in &prepared.notes {
        ui.warn(&plain(note));
    }
}

fn diffs(plan: &Plan) -> Vec<String> {
    let text = |bytes: &Option<Vec<u8>>| String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
    plan.changes
        .iter()
        .filter(|change| !change.is_empty())
        .map(|change| match (change.program, &change.after) {
            (true, Some(after)) => {
                format!("+ {} (a copy of the program, {} bytes)", change.path.display(), after.len())
            }
            (true, None) => format!("- {} (our copy of the program)", change.path.display()),
            _ => diff::unified(&change.path.display().to_string(), &text(&change.before), &text(&change.after)),
        })
        .collect()
}

/// The outcome of `--dry-run`.
pub(super) fn dry(ui: &mut Ui, request: &Request, prepared: &Prepared, outcome: &mut Outcome) {
    if ui.json {
        let mut value = summary(request, prepared);
        if let Value::Object(value) = &mut value {
            value.insert(String::from("dry_run"), json!(true));
            value.insert(
                String::from("diff"),
                json!(diffs(&prepared.plan).iter().map(|text| crate::render::theme::strip(text)).collect::<Vec<_>>()),
            );
        }
        outcome.add(value);
    } else if prepared.plan.is_empty() {
        ui.line(format!("{}: nothing to change", prepared.file.display()));
    } else {
        show(ui, prepared);
    }
}

fn summary(request: &Request, prepared: &Prepared) -> Value {
    json!({
        "agent": request.dialect.agent(),
        "scope": request.scope.id(),
        "file": prepared.file,
        "changed": !prepared.plan.is_empty(),
        "repairs": prepared.repairs,
        "notes": prepared.notes,
    })
}

/// Says what was done.
fn report(ui: &mut Ui, request: &Request, prepared: &Prepared, done: &Done, outcome: &mut Outcome) {
    let agent = request.dialect.agent();
    let backups = match done {
        Done::Written { backups, .. } => backups.as_slice(),
        _ => &[],
    };
    if ui.json {
        let mut value = summary(request, prepared);
        if let Value::Object(value) = &mut value {
            value.insert(String::from("backups"), json!(backups));
        }
        outcome.add(value);
        return;
    }
    let file = prepared.file.display();
    match done {
        Done::Unchanged => {
            ui.line(format!("{agent}: `{file}` is wired already; the hook starts and refuses what it must"))
        }
        _ if prepared.repairs.is_empty() => {
            let bound = if request.closed {
                "a call that leastgrant can't judge is blocked"
            } else {
                "a call that leastgrant can't judge RUNS"
            };
            ui.line(format!(
                "{agent}: `{file}` is wired ({} events); the hook starts and refuses what it must; {bound}",
                request.dialect.events().len()
            ));
        }
        _ => {
            ui.line(format!("{agent}: `{file}` is repaired; the hook starts and refuses what it must"));
            for repair in &prepared.repairs {
                ui.line(format!("  {}", plain(repair)));
            }
        }
    }
    for backup in backups {
        ui.line(format!("  before: `{}`", backup.display()));
    }
    for note in &prepared.notes {
        ui.warn(&plain(note));
    }
    ui.hint("`leastgrant doctor` shows which bound is in force; `leastgrant uninstall` takes the hook out again");
}

/// Asks; anything but a yes is a no.
pub(super) fn confirm(question: &str) -> bool {
    inquire::Confirm::new(question).with_default(true).prompt().unwrap_or(false)
}

/// The starter bundles, for a person who has not accepted any yet. Floors stay above all of them.
fn offer_bundles(ui: &mut Ui, places: &Places) {
    let store = Store::at(&places.state);
    if !store.settings().policy.bundles.is_empty() {
        return;
    }
    match super::init::ask().and_then(|ids| store.accept(&ids)) {
        Ok((_, accepted)) => super::init::tell(&accepted, ui),
        Err(why) => ui.warn(&why),
    }
}

/// What the agent lets pass by its own standing rules: shown, never taken over unasked.
fn propose(ui: &mut Ui, places: &Places) {
    let rules: Vec<(PathBuf, String)> = [Scope::User, Scope::Project, Scope::Local]
        .iter()
        .map(|scope| places.settings(*scope))
        .flat_map(|file| {
            let document = atomic::read(&file, MAX_BYTES).ok().flatten().and_then(|bytes| Document::parse(&bytes).ok());
            allow_rules(document.as_ref()).into_iter().map(move |rule| (file.clone(), rule)).collect::<Vec<_>>()
        })
        .collect();
    if rules.is_empty() {
        return;
    }
    ui.line("the agent allows these by its own rules; leastgrant's ask and deny still stand above them:");
    for (file, rule) in rules {
        ui.line(format!("  {} ({})", words::safe(&rule), places.short(&file)));
    }
    ui.hint("to let such a call pass leastgrant too: `leastgrant allow`");
}

/// `permissions.allow` of a settings file.
#[must_use]
pub fn allow_rules(document: Option<&Document>) -> Vec<String> {
    let rules = document.and_then(|document| document.at(&[Step::Key("permissions"), Step::Key("allow")]));
    rules.map_or(&[][..], Node::elements).iter().filter_map(|rule| rule.str().map(str::to_owned)).collect()
}

/// Says what was taken out, what is kept and where the hook still is.
pub(super) fn report_removed(
    ui: &mut Ui,
    request: &Request,
    prepared: &Prepared,
    done: &Done,
    elsewhere: &[Scope],
    kept: Option<&std::path::Path>,
    outcome: &mut Outcome,
) {
    let agent = request.dialect.agent();
    let (backups, restored) = match done {
        Done::Written { backups, restored } => (backups.as_slice(), *restored),
        _ => (&[][..], false),
    };
    if ui.json {
        let mut value = summary(request, prepared);
        if let Value::Object(value) = &mut value {
            value.insert(String::from("restored"), json!(restored));
            value.insert(
                String::from("kept"),
                json!(backups.iter().map(|path| path.as_path()).chain(kept).collect::<Vec<_>>()),
            );
            value.insert(
                String::from("still_wired"),
                json!(elsewhere.iter().map(|scope| scope.id()).collect::<Vec<_>>()),
            );
        }
        outcome.add(value);
        return;
    }
    let file = prepared.file.display();
    let gone = prepared.plan.changes.iter().any(|change| change.path == prepared.file && change.after.is_none());
    match done {
        Done::Unchanged => ui.line(format!("{agent}: `{file}` holds nothing of ours")),
        _ if gone => ui.line(format!("{agent}: `{file}` was ours alone and is gone")),
        _ if restored => ui.line(format!("{agent}: `{file}` is byte for byte what it was before")),
        _ => ui.line(format!("{agent}: our entries are out of `{file}`; later edits by others are kept")),
    }
    for path in backups.iter().map(|path| path.as_path()).chain(kept) {
        ui.line(format!("  kept on purpose: `{}`", path.display()));
    }
    for scope in elsewhere {
        ui.warn(&format!(
            "the hook is still in the {} settings: `leastgrant uninstall {agent}{}`",
            scope.id(),
            scope.flag()
        ));
    }
}
