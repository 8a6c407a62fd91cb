//! What only a person at a terminal may do, on a real (pseudo) terminal.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod setup;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::{Duration, Instant};

use leastgrant::agent::{ConfigChange, HookEnv};
use leastgrant::install::config_change::{Ruling, decide};
use leastgrant::install::pause::paused;
use leastgrant::install::place::Places;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use setup::{Machine, said};

struct Terminal {
    keys: File,
    other_end: std::path::PathBuf,
}

impl Terminal {
    fn open() -> Self {
        let keys: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let other_end = ptsname(&keys, Vec::new()).unwrap().into_string().unwrap().into();
        Self { keys: File::from(keys), other_end }
    }

    fn end(&self) -> Stdio {
        Stdio::from(File::options().read(true).write(true).open(&self.other_end).unwrap())
    }
}

/// Runs at a terminal; after each text that appears, the keys beside it are pressed.
fn at_terminal(machine: &Machine, args: &[&str], env: &[(&str, &str)], talk: &[(&str, &str)]) -> (Option<i32>, String) {
    let terminal = Terminal::open();
    let mut command = machine.command(args);
    command.envs(env.iter().copied()).env("TERM", "xterm");
    command.stdin(terminal.end()).stdout(terminal.end()).stderr(terminal.end());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut screen = terminal.keys.try_clone().unwrap();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(count) = screen.read(&mut piece) {
            if count == 0 || send.send(piece[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut seen = Vec::new();
    let mut keys = terminal.keys;
    let mut talk = talk.iter();
    let mut next = talk.next();
    let mut from = 0;
    let end = Instant::now() + Duration::from_secs(30);
    let code = loop {
        if let Ok(bytes) = receive.recv_timeout(Duration::from_millis(50)) {
            seen.extend(bytes);
        }
        if let Some((text, press)) = next
            && String::from_utf8_lossy(&seen[from..]).contains(text)
        {
            from = seen.len();
            keys.write_all(press.as_bytes()).unwrap();
            next = talk.next();
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("no end in sight: {}", String::from_utf8_lossy(&seen));
        }
    };
    while let Ok(bytes) = receive.recv_timeout(Duration::from_millis(200)) {
        seen.extend(bytes);
    }
    (code, String::from_utf8_lossy(&seen).into_owned())
}

fn now() -> i64 {
    leastgrant::command::install::now_ms()
}

/// Tests that an agent started have an agent above them, and nobody there is a person.
fn person_is_there() -> bool {
    leastgrant::install::terminal::inside_agent().is_none()
}

#[test]
fn a_person_can_pause_and_anybody_can_resume() {
    let machine = Machine::new();
    let (code, screen) = at_terminal(&machine, &["pause", "15m"], &[], &[]);
    if !person_is_there() {
        assert_eq!(code, Some(1), "{screen}");
        return;
    }
    assert_eq!(code, Some(0), "{screen}");
    let until = paused(&machine.state(), now()).unwrap();
    assert!((now() + 14 * 60_000..=now() + 15 * 60_000).contains(&until));
    let doctor = machine.run(&["doctor"]);
    assert!(said(&doctor).contains("paused for another"), "{}", said(&doctor));
    assert!(machine.run(&["resume"]).status.success());
    assert_eq!(paused(&machine.state(), now()), None);
}

#[test]
fn an_agent_with_a_terminal_can_not() {
    for mark in ["CLAUDECODE", "AI_AGENT", "CODEX_SANDBOX", "GEMINI_CLI", "COPILOT_CLI"] {
        let machine = Machine::new();
        let (code, screen) = at_terminal(&machine, &["pause", "15m"], &[(mark, "1")], &[]);
        assert_eq!(code, Some(1), "{screen}");
        assert!(screen.contains(mark), "{screen}");
        assert!(!machine.state().exists());
    }
}

#[test]
fn an_agent_that_hides_itself_is_seen_above_us() {
    let machine = Machine::new();
    let terminal = Terminal::open();
    let program = env!("CARGO_BIN_EXE_leastgrant");
    let mut shell = std::process::Command::new("/bin/sh");
    // the shell stays, so that the agent's child is our parent
    shell.args(["-c", "env -u CLAUDECODE \"$0\" pause 15m; exit $?", program]).env_clear();
    shell.env("HOME", machine.home()).env("PATH", "/usr/bin:/bin").env("CLAUDECODE", "1");
    shell.stdin(terminal.end()).stderr(terminal.end()).stdout(Stdio::null()).current_dir(machine.project());
    assert_eq!(shell.status().unwrap().code(), Some(1));
    assert!(!machine.state().exists());
}

#[test]
fn a_person_is_shown_the_change_and_asked() {
    if !person_is_there() {
        return;
    }
    let machine = Machine::new();
    machine.put_settings(b"{}\n");
    let wired = machine.wired();
    let args = ["install", "claude-code", "--force", "--program", wired.to_str().unwrap()];
    let (code, screen) = at_terminal(&machine, &args, &[], &[("write this?", "n\r")]);
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("\"hooks\": {") && screen.contains("nothing was written"), "{screen}");
    assert_eq!(machine.read_settings(), b"{}\n");

    let talk = [("write this?", "y\r"), ("what may pass unasked", "\r")];
    let (code, screen) = at_terminal(&machine, &args, &[], &talk);
    assert_eq!(code, Some(0), "{screen}");
    let accepted = leastgrant::store::Store::at(machine.state()).settings().policy.bundles;
    let ticked: Vec<&str> =
        leastgrant_core::bundle::BUNDLES.iter().filter(|bundle| bundle.ticked).map(|bundle| bundle.id).collect();
    assert_eq!(accepted, ticked);
    // the sessions that run let this through
    assert!(machine.state().join("release.json").is_file());

    let (code, screen) = at_terminal(&machine, &["uninstall"], &[], &[("write this?", "y\r")]);
    assert_eq!(code, Some(0), "{screen}");
    assert_eq!(machine.read_settings(), b"{}\n");
    let home = machine.home().to_str().unwrap().to_owned();
    let env = HookEnv::from_lookup(|name| (name == "HOME").then(|| home.clone()));
    let places = Places::of(&env, machine.project(), Some(&machine.root().join("machine"))).unwrap();
    let change = ConfigChange {
        session: String::from("one"),
        cwd: home.clone(),
        source: String::from("user_settings"),
        file_path: Some(machine.settings().to_str().unwrap().to_owned()),
    };
    assert!(matches!(decide(&change, &places, now()), Ruling::Let { .. }), "a person's uninstall is honoured");
}
