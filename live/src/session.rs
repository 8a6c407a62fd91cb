//! One session: the stage is set, the product installed or the probe wired, the agent run to its end, the traces
//! gathered. What they mean is decided in [`crate::observe`].

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::agent::{Driver, Line};
use crate::isolate::Isolation;
use crate::model::{Model, Turn};
use crate::observe::{Traces, compare};
use crate::probe::{Behaviour, misbehave};
use crate::receipt::Row;
use crate::scenario::{Broken, Recorded, Scenario, Step, Wiring};
use crate::stage::{Programs, Stage};

/// How long an agent may take where the scenario does not say, in seconds.
const LIMIT: u64 = 120;
/// Most bytes of a session's record that are looked at.
const RECORD: u64 = 16 << 20;

/// What a session is measured with.
pub struct Means<'a> {
    /// the agent
    pub driver: &'a dyn Driver,
    /// its version
    pub version: &'a str,
    /// what is started
    pub programs: &'a Programs,
    /// what stands between it and the network
    pub isolation: Isolation,
}

/// Plays one scenario below `root` and says what was seen.
#[must_use]
pub fn play(means: &Means<'_>, scenario: &Scenario, recorded: Option<&Recorded>, root: PathBuf) -> Row {
    let begun = Instant::now();
    let expect = scenario.expected_by(means.version, recorded);
    let mut row = Row {
        claim: scenario.claim.clone(),
        says: scenario.says.clone(),
        means: scenario.means.clone(),
        fact: scenario.fact.clone(),
        ..Row::default()
    };
    match traces(means.driver, scenario, means.programs, means.isolation, root) {
        Ok((stage, traces)) => {
            let compared = compare(scenario, &expect, &traces, &stage);
            row.recorded = match recorded {
                Some(fact) => format!("{}: {}", fact.word, compared.recorded),
                None => compared.recorded,
            };
            row.observed = compared.observed;
            row.drift = compared.drift;
            row.payloads = payloads(&stage, &traces);
        }
        Err(why) => {
            row.observed = String::from("could not be measured");
            row.drift.push(why);
        }
    }
    row.seconds = (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0;
    row
}

fn traces(
    driver: &dyn Driver,
    scenario: &Scenario,
    programs: &Programs,
    isolation: Isolation,
    root: PathBuf,
) -> Result<(Arc<Stage>, Traces), String> {
    let mut stage = Stage::build(root, programs, isolation)?;
    let turns = |turns: &[Vec<Step>]| turns.iter().flatten().filter(|step| step.is_call()).count();
    // the model needs the stage for its calls, and the stage the model's port for its files
    let script = Script { main: played(driver, &scenario.turns, &stage)?, sub: played(driver, &scenario.sub, &stage)? };
    let for_acts = Arc::new(std::sync::OnceLock::<Arc<Stage>>::new());
    let acting = Arc::clone(&for_acts);
    let env = scenario.env.clone();
    let act = move |step: &Step| {
        if let Some(stage) = acting.get() {
            // what the world could not do is seen by what follows from it
            let _ = world(stage, step, &env);
        }
    };
    let model = Model::start(script.main, script.sub, Box::new(act))?;
    stage.port = model.port();
    let stage = Arc::new(stage);
    let _ = for_acts.set(Arc::clone(&stage));
    let lines = lines(driver, scenario, &stage)?;
    driver.configure(&stage, scenario, &lines)?;
    for (path, text) in &scenario.files {
        stage.write(path, text)?;
    }
    install(driver, scenario, &stage)?;
    let mut launch = driver.launch(&stage, scenario);
    launch.env.extend(scenario.env.clone());
    let limit = Duration::from_secs(scenario.seconds.unwrap_or(LIMIT + 2 * turns(&scenario.turns) as u64));
    let ended = stage.agent(&launch.args, &launch.env, limit)?;
    let mut traces = Traces { log: model.log(), ended, ..Traces::default() };
    drop(model);
    gather(driver, scenario, &stage, &mut traces)?;
    Ok((stage, traces))
}

struct Script {
    main: Vec<Turn>,
    sub: Vec<Turn>,
}

/// The scenario's turns in the agent's words.
fn played(driver: &dyn Driver, turns: &[Vec<Step>], stage: &Stage) -> Result<Vec<Turn>, String> {
    let mut out = Vec::new();
    let mut acts = Vec::new();
    for steps in turns {
        let mut turn = Turn::default();
        for step in steps {
            if step.act.is_some() {
                acts.push(step.clone());
            } else if let Some(text) = &step.say {
                turn.say = Some(stage.fill(text));
            } else {
                turn.calls.push((step.id.clone(), driver.call(step, stage)?));
            }
        }
        if turn.say.is_some() || !turn.calls.is_empty() {
            turn.acts = std::mem::take(&mut acts);
            out.push(turn);
        }
    }
    if !acts.is_empty() {
        out.push(Turn { acts, calls: Vec::new(), say: Some(crate::model::DONE.to_owned()) });
    }
    Ok(out)
}

/// What the world does between two turns.
fn world(stage: &Stage, step: &Step, env: &std::collections::BTreeMap<String, String>) -> Result<(), String> {
    let path = step.path.as_deref().unwrap_or_default();
    let text = step.text.as_deref().unwrap_or_default();
    match step.act.as_deref() {
        Some("write") => stage.write(path, text),
        Some("append") => stage.write(path, &(stage.read(path) + text)),
        Some("replace") => stage
            .write(path, &stage.read(path).replacen(&stage.fill(step.from.as_deref().unwrap_or_default()), text, 1)),
        Some("remove") => std::fs::remove_file(stage.fill(path)).map_err(|error| error.to_string()),
        Some("sleep") => {
            std::thread::sleep(Duration::from_millis(step.ms.unwrap_or(1000)));
            Ok(())
        }
        Some("product") => stage.product(&step.run, env).map(|_| ()),
        other => Err(format!("the world can't `{}`", other.unwrap_or_default())),
    }
}

/// The scenario's hooks with their command lines, and what each probe is told to do.
fn lines(driver: &dyn Driver, scenario: &Scenario, stage: &Stage) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    for (i, hook) in scenario.hooks.iter().enumerate() {
        let label = format!("h{i}");
        let command = match &hook.command {
            Some(command) => stage.fill(command).replace("@PROBE@", &stage.probe(&label)),
            None => stage.probe(&label),
        };
        let does: Behaviour = misbehave(hook, &|decision| driver.say(decision))?;
        let text = serde_json::to_string(&does).map_err(|error| error.to_string())?;
        stage.write(&format!("@LOG@/{label}.json"), &text)?;
        lines.push(Line { hook: hook.clone(), command });
    }
    Ok(lines)
}

/// What a person does in a terminal before the agent starts, then what happens to the program.
fn install(driver: &dyn Driver, scenario: &Scenario, stage: &Stage) -> Result<(), String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut commands: Vec<Vec<String>> = Vec::new();
    match scenario.wiring {
        Wiring::Product => {
            let mut install = words(&["install", driver.id(), "--yes", "--force"]);
            install.extend(scenario.install.iter().cloned());
            commands.push(install);
        }
        Wiring::Persona => {
            let mut wire = words(&["persona", "wire", "--force"]);
            wire.extend(scenario.install.iter().cloned());
            commands.push(wire);
        }
        Wiring::Probe | Wiring::None => {}
    }
    commands.extend(scenario.prepare.iter().cloned());
    let commands = commands.into_iter().map(|command| (command, false));
    for (command, terminal) in commands.chain(scenario.terminal.iter().map(|command| (command.clone(), true))) {
        let ended =
            if terminal { stage.at_terminal(&command, &scenario.env) } else { stage.product(&command, &scenario.env) }?;
        if ended.code != Some(0) {
            let said = stage.clean(&format!("{}{}", ended.stdout, ended.stderr));
            return Err(format!("`leastgrant {}` ended with {:?}: {}", command.join(" "), ended.code, said.trim()));
        }
    }
    scenario.broken.map_or(Ok(()), |broken| damage(stage, broken))
}

fn damage(stage: &Stage, broken: Broken) -> Result<(), String> {
    let words = |error: std::io::Error| format!("the program could not be broken: {error}");
    // it is a link into this run's folder: what is damaged must be this name alone
    std::fs::remove_file(&stage.program).map_err(words)?;
    let body = match broken {
        Broken::Missing => return Ok(()),
        Broken::NotExecutable => "exit 0\n",
        Broken::Killed => "kill -9 $$\n",
        Broken::Hangs => "trap '' TERM\nwhile :; do sleep 1; done\n",
        Broken::Panics => "echo panicked >&2\nexit 101\n",
        Broken::Garbage => "cat >/dev/null\necho '{\"half'\nexit 1\n",
        Broken::GarbageAtZero => "cat >/dev/null\necho '{\"half'\n",
    };
    std::fs::write(&stage.program, format!("#!/bin/sh\n{body}")).map_err(words)?;
    let mode = if broken == Broken::NotExecutable { 0o644 } else { 0o755 };
    std::fs::set_permissions(&stage.program, std::fs::Permissions::from_mode(mode)).map_err(words)
}

fn gather(driver: &dyn Driver, scenario: &Scenario, stage: &Stage, traces: &mut Traces) -> Result<(), String> {
    traces.seen =
        stage.lines("@LOG@/hooks.jsonl").into_iter().filter_map(|line| serde_json::from_value(line).ok()).collect();
    traces.stub = stage.lines("@LOG@/stub.jsonl").iter().map(received).collect();
    traces.ledger = stage.lines("@HOME@/.leastgrant/ledger.jsonl");
    traces.journal = stage.lines("@PROJECT@/.leopold/persona/events.jsonl");
    traces.transcript = record(&driver.transcripts(stage), RECORD);
    let asked = scenario
        .versions
        .iter()
        .chain([&scenario.expect])
        .any(|expect| !expect.doctor.is_empty() || expect.doctor_ok.is_some());
    if asked {
        let words: Vec<String> = ["doctor", "--json"].map(str::to_owned).to_vec();
        let ended = stage.product(&words, &scenario.env)?;
        let report: Value =
            serde_json::from_str(&ended.stdout).map_err(|_| format!("doctor said no JSON: {}", ended.stderr))?;
        let text = |check: &Value, key: &str| check.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let checks = report.get("checks").and_then(Value::as_array).cloned().unwrap_or_default();
        traces.doctor = Some(checks.iter().map(|check| (text(check, "id"), text(check, "status"))).collect());
    }
    Ok(())
}

/// A call as the stub received it: name and first argument.
fn received(line: &Value) -> String {
    let name = line.get("name").and_then(Value::as_str).unwrap_or_default();
    let argument =
        ["url", "label"].iter().find_map(|key| line.pointer(&format!("/arguments/{key}")).and_then(Value::as_str));
    format!("{name} {}", argument.unwrap_or_default()).trim_end().to_owned()
}

/// Text of all records below a folder, up to a bound.
fn record(folder: &Path, most: u64) -> String {
    let mut text = String::new();
    let mut left = most;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl" || ending == "json") {
                let size = entry.metadata().map_or(u64::MAX, |meta| meta.len());
                if size <= left {
                    left -= size;
                    text.push_str(&String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()));
                }
            }
        }
    }
    text
}

/// Verbatim payloads, each event and tool once, without anything of this machine.
fn payloads(stage: &Stage, traces: &Traces) -> Vec<Value> {
    let mut known = std::collections::BTreeSet::new();
    let mut out = Vec::new();
    for seen in &traces.seen {
        let text = stage.clean(seen.stdin.trim());
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let event = value.get("hook_event_name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if known.insert((event, crate::probe::tool(&seen.stdin))) {
            out.push(value);
        }
    }
    out
}
