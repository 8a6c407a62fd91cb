//! `corpus FILE…`: what of recorded commands was understood. A line is a command, or a JSON object that holds one
//! under `command`, `cmd`, `input.command` or `input.cmd`.

use std::collections::BTreeMap;
use std::path::Path;

use leastgrant_shell::{Cwd, Dialect, Env, Inventory, Limits};

/// tools that run a command line, as agents spell them; other tools have a `command` that is none
const SHELLS: &[&str] = &["Bash", "Monitor", "bash", "exec_command", "run_shell_command", "shell"];
/// commands named per kind of opaque and for the slowest
const SHOWN: usize = 5;

pub(crate) fn run(files: &[&str]) -> crate::Outcome {
    let mut total = Tally::default();
    for file in files {
        for line in crate::read(Path::new(file))?.lines().filter(|line| !line.trim().is_empty()) {
            if let Some(command) = command(line) {
                total.add(&command);
            }
        }
    }
    total.print();
    Ok(total.crashes.is_empty() && total.uncovered.is_empty())
}

/// The shell text of a line; none where the line is a call of another tool.
pub(crate) fn command(line: &str) -> Option<String> {
    let Ok(serde_json::Value::Object(row)) = serde_json::from_str(line) else { return Some(line.to_owned()) };
    if row.get("tool").and_then(|tool| tool.as_str()).is_some_and(|tool| !SHELLS.contains(&tool)) {
        return None;
    }
    let within = |value: &serde_json::Value| {
        ["command", "cmd"].into_iter().find_map(|key| value.get(key)?.as_str().map(str::to_owned))
    };
    within(&serde_json::Value::Object(row.clone())).or_else(|| row.get("input").and_then(within))
}

/// Reads a command as an agent's shell would, nothing known about the machine.
pub(crate) fn read(command: &str) -> Inventory {
    let env = Env {
        home: Some(String::from("/home/person")),
        cwd: Cwd::At(String::from("/home/person/project")),
        vars: BTreeMap::new(),
        positional: Vec::new(),
    };
    leastgrant_shell::read(command.as_bytes(), &env, Dialect::Bash, &Limits::default())
}

#[derive(Default)]
struct Tally {
    commands: usize,
    bytes: usize,
    programs: usize,
    opaque: usize,
    by_why: BTreeMap<String, Vec<String>>,
    crashes: Vec<String>,
    uncovered: Vec<String>,
    slowest: Vec<(u64, usize, String)>,
}

impl Tally {
    fn add(&mut self, command: &str) {
        self.commands += 1;
        self.bytes += command.len();
        let Ok(inventory) = std::panic::catch_unwind(|| read(command)) else {
            self.crashes.push(short(command));
            return;
        };
        self.programs += inventory.commands.iter().filter(|c| !c.words.is_empty()).count();
        let coverage = leastgrant_shell::coverage(command.as_bytes(), Dialect::Bash, &Limits::default());
        if let Some(gap) = coverage.gaps.first() {
            let bytes = String::from_utf8_lossy(gap.of(command.as_bytes())).into_owned();
            self.uncovered.push(format!("`{}` in {}", short(&bytes), short(command)));
        }
        if !inventory.opaque.is_empty() {
            self.opaque += 1;
        }
        for opaque in &inventory.opaque {
            let place = String::from_utf8_lossy(opaque.span.of(command.as_bytes())).into_owned();
            self.by_why.entry(format!("{:?}", opaque.why)).or_default().push(short(&place));
        }
        self.slowest.push((inventory.steps, command.len(), short(command)));
        self.slowest.sort_by_key(|row| std::cmp::Reverse(row.0));
        self.slowest.truncate(SHOWN);
    }

    fn print(&self) {
        let share = |n: usize| 100.0 * n as f64 / self.commands.max(1) as f64;
        println!("{} commands, {} bytes, {} programs", self.commands, self.bytes, self.programs);
        println!("every byte in a node: {:.2} % of commands", share(self.commands - self.uncovered.len()));
        println!("hold an opaque: {} ({:.2} %)", self.opaque, share(self.opaque));
        println!("crashes: {}", self.crashes.len());
        for (why, places) in &self.by_why {
            println!("  {why}: {}", places.len());
            for place in places.iter().take(SHOWN) {
                println!("      {place}");
            }
        }
        for (what, list) in [("crash", &self.crashes), ("not every byte", &self.uncovered)] {
            for command in list.iter().take(SHOWN) {
                println!("  {what}: {command}");
            }
        }
        println!("slowest by counted steps:");
        for (steps, bytes, command) in &self.slowest {
            println!("  {steps} steps, {bytes} bytes: {command}");
        }
    }
}

fn short(command: &str) -> String {
    let flat: String = command.chars().map(|c| if c.is_control() { ' ' } else { c }).take(120).collect();
    if command.chars().count() > 120 { format!("{flat}…") } else { flat }
}
