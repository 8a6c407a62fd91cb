//! The strongest judge: real bash runs generated text with nothing but recording stubs to run, and every
//! program that ran must be in our inventory (or stand where we said that we do not know).
//!
//! `LEASTGRANT_RAN_COUNT` sets how many texts (2,000 by default), `LEASTGRANT_RAN_SEED` where to begin.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test harness")]

#[path = "support/grammar.rs"]
mod grammar;
#[path = "support/rng.rs"]
mod rng;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use leastgrant_shell::{Cwd, Dialect, Env, Limits, Why, read};

/// Lines that are no syntax.
const ERRORS: &[&str] =
    &[")\n", "fi\n", "a;;\n", "if x; then\n", "echo 'x\n", "| x\n", "x $(\n", "done; x\n", "( x\n", "}\n"];

/// A folder that is removed again.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("leastgrant-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn write_stubs(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for number in 0..grammar::STUBS {
        let name = grammar::stub(number);
        let path = folder.join(&name);
        // what it prints is the sometimes the name of another stub, so that output can become a program
        let printed = if number % 10 == 7 { grammar::stub(number * 7 + 3) } else { "x".to_owned() };
        let body = format!(
            "#!/bin/sh\necho {name} >> \"$LEASTGRANT_LOG\"\necho {printed}\nexit {}\n",
            usize::from(number % 3 == 1)
        );
        std::fs::write(&path, body).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// The start of a command line that runs something as nobody, without network and other processes, if this machine can.
/// What it starts ends with it, so that no endless loop in the background outlives a test.
fn isolation() -> Vec<String> {
    let Some(program) = find("unshare") else { return Vec::new() };
    // an absolute path: the child's own PATH holds nothing but stubs
    let program = program.display().to_string();
    let wrapper = [program.as_str(), "--user", "--mount", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--"];
    let works = Command::new(&program)
        .args(&wrapper[1..])
        .arg("true")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if works { wrapper.iter().map(|word| (*word).to_owned()).collect() } else { Vec::new() }
}

/// Runs the text; false if it had to be stopped.
fn run(bash: &Path, wrapper: &[String], text: &str, stubs: &Path, home: &Path, log: &Path) -> bool {
    let mut command = match wrapper.first() {
        Some(first) => {
            let mut command = Command::new(first);
            command.args(&wrapper[1..]).arg(bash);
            command
        }
        None => Command::new(bash),
    };
    let mut child = command
        .args(["--norc", "--noprofile", "-c", text])
        .env_clear()
        .env("PATH", stubs)
        .env("HOME", home)
        .env("LEASTGRANT_LOG", log)
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let group = format!("-{}", child.id());
    let stopped = wait(&mut child);
    if wrapper.is_empty() {
        // what the text left in the background goes too
        let _ = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
    }
    !stopped
}

/// Waits for the end; true if it had to be brought about.
fn wait(child: &mut Child) -> bool {
    let start = Instant::now();
    loop {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        if start.elapsed() > Duration::from_secs(5) {
            let _ = child.kill();
            let _ = child.wait();
            return true;
        }
        std::thread::sleep(Duration::from_micros(300));
    }
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// What our reading says of the text: programs by name, and whether it says anywhere that it does not know.
fn listed(text: &str, home: &Path) -> (BTreeSet<String>, bool, bool) {
    let env = Env {
        home: Some(home.display().to_string()),
        cwd: Cwd::At(home.display().to_string()),
        vars: BTreeMap::new(),
        positional: Vec::new(),
    };
    let inventory = read(text.as_bytes(), &env, Dialect::Bash, &Limits::default());
    let mut names = BTreeSet::new();
    let mut unknown = false;
    for command in &inventory.commands {
        let Some(first) = command.words.first() else { continue };
        if command.calls_function {
            // we say that no program of this name runs here
            continue;
        }
        match first.value.all() {
            Some(all) if !first.glob && !first.split => names.extend(all.into_iter().map(str::to_owned)),
            _ => unknown = true,
        }
    }
    // an error behind everything excuses nothing before it
    let excuses = |why: Why| !matches!(why, Why::Syntax | Why::Unterminated);
    unknown |= inventory.opaque.iter().any(|opaque| excuses(opaque.why));
    (names, unknown, !inventory.opaque.is_empty())
}

#[derive(Default)]
struct Tally {
    texts: usize,
    ran: usize,
    programs: usize,
    by_name: usize,
    by_unknown: usize,
    opaque: usize,
    stopped: usize,
    misses: Vec<String>,
    unknown: Vec<String>,
}

fn work(worker: usize, workers: usize, seed: u64, count: usize, bash: &Path, wrapper: &[String]) -> Tally {
    let scratch = Scratch::new(&format!("ran-{worker}"));
    let stubs = scratch.0.join("stubs");
    write_stubs(&stubs);
    let mut tally = Tally::default();
    for number in (worker..count).step_by(workers) {
        let mut grammar = grammar::Grammar::new(seed.wrapping_add(number as u64));
        let (text, broken) = match number % 4 {
            // an error behind everything: what stands before it runs, and is known
            0 => (grammar.text() + ERRORS[number / 4 % ERRORS.len()], true),
            1 => (grammar.changed(), false),
            _ => (grammar.text(), false),
        };
        // nothing that was changed by chance may name a place outside
        if text.replace("/dev/null", "").replace("a/b/", "").contains("/") && number % 4 == 1 {
            continue;
        }
        // a folder and a log each: what one text left running must not be taken for another's
        let (home, log) = (scratch.0.join(format!("home-{number}")), scratch.0.join(format!("log-{number}")));
        std::fs::create_dir_all(&home).unwrap();
        tally.texts += 1;
        if !run(bash, wrapper, &text, &stubs, &home, &log) {
            tally.stopped += 1;
        }
        let ran: BTreeSet<String> =
            std::fs::read_to_string(&log).unwrap_or_default().lines().map(str::to_owned).collect();
        if ran.is_empty() {
            continue;
        }
        tally.ran += 1;
        let (names, unknown, opaque) = listed(&text, &home);
        tally.opaque += usize::from(opaque);
        for program in ran {
            tally.programs += 1;
            if names.contains(&program) {
                tally.by_name += 1;
            } else if unknown || (opaque && !broken) {
                tally.by_unknown += 1;
                tally.unknown.push(format!("{program} ran: {text}"));
            } else {
                tally.misses.push(format!("seed {}: {program} ran: {text}", seed.wrapping_add(number as u64)));
            }
        }
    }
    tally
}

#[test]
fn every_program_that_ran_is_listed() {
    let Some(bash) = find("bash") else {
        eprintln!("no bash on this machine: nothing was compared");
        return;
    };
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let seed = number("LEASTGRANT_RAN_SEED", 20_261_201);
    let count = usize::try_from(number("LEASTGRANT_RAN_COUNT", 2_000)).unwrap();
    let wrapper = isolation();
    let workers = 2;
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let (bash, wrapper) = (&bash, &wrapper);
                scope.spawn(move || work(worker, workers, seed, count, bash, wrapper))
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    let mut all = Tally::default();
    for tally in tallies {
        all.texts += tally.texts;
        all.ran += tally.ran;
        all.programs += tally.programs;
        all.by_name += tally.by_name;
        all.by_unknown += tally.by_unknown;
        all.opaque += tally.opaque;
        all.stopped += tally.stopped;
        all.misses.extend(tally.misses);
        all.unknown.extend(tally.unknown);
    }
    eprintln!(
        "seed {seed}: {} texts ({} isolated), {} ran something, {} programs: {} by name, {} where we said unknown, \
         {} texts with an opaque, {} stopped, {} misses",
        all.texts,
        if wrapper.is_empty() { "not" } else { "all" },
        all.ran,
        all.programs,
        all.by_name,
        all.by_unknown,
        all.opaque,
        all.stopped,
        all.misses.len()
    );
    if std::env::var_os("LEASTGRANT_RAN_SHOW").is_some() {
        all.unknown.sort_by_key(String::len);
        all.unknown.iter().take(150).for_each(|text| eprintln!("unknown: {text:?}"));
    }
    all.misses.sort_by_key(String::len);
    assert!(
        all.misses.is_empty(),
        "{} misses, the shortest: {:#?}",
        all.misses.len(),
        &all.misses[..all.misses.len().min(12)]
    );
    assert!(all.ran * 2 > all.texts, "most texts should run something");
    assert!(all.by_name * 10 > all.programs * 7, "most programs should be known by name");
}
