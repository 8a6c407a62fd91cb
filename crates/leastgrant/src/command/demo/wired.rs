//! Installing into the throwaway home, asking the doctor, breaking the hook, and taking everything out again.

use serde::Serialize;
use serde_json::Value;

use super::stage::Stage;
use crate::render::{Ui, theme, words};

const SETTINGS: &str = "@HOME@/.claude/settings.json";

/// What the wiring looks like while it is in place.
#[derive(Serialize)]
pub(super) struct Wired {
    /// lines that came to the settings file
    added: usize,
    /// lines of it that are no longer there
    lost: usize,
    /// the command line that the agent runs before each call
    pub(super) line: String,
    #[serde(skip)]
    before: String,
}

/// What came of the hook without its program.
#[derive(Serialize)]
pub(super) struct Broken {
    code: Option<i32>,
    told: String,
    pub(super) good: bool,
}

/// What the doctor says of the wired home.
#[derive(Serialize)]
pub(super) struct Examined {
    checks: usize,
    bad: Vec<String>,
    bound: String,
    pub(super) good: bool,
}

/// What was left after uninstalling.
#[derive(Serialize)]
pub(super) struct Removed {
    same_bytes: bool,
    pub(super) good: bool,
}

/// `leastgrant install claude-code`, as a person types it.
pub(super) fn install(stage: &Stage) -> Result<Wired, String> {
    let before = stage.read(SETTINGS)?;
    let run = stage.typed(&["install", "claude-code", "--force", "--yes"])?;
    if run.code != Some(0) {
        return Err(format!("`leastgrant install` failed: {}", words::safe(&run.stderr)));
    }
    let after = stage.read(SETTINGS)?;
    let lines = |text: &str, other: &str| {
        let bare = |line: &str| line.trim_end_matches(',').to_owned();
        let there: Vec<String> = other.lines().map(bare).collect();
        text.lines().filter(|line| !there.contains(&bare(line))).count()
    };
    let settings: Value = serde_json::from_str(&after).map_err(|error| format!("the wired settings: {error}"))?;
    let line = settings
        .pointer("/hooks/PreToolUse/0/hooks/0/command")
        .and_then(Value::as_str)
        .ok_or("the wired settings hold no command")?;
    Ok(Wired { added: lines(&after, &before), lost: lines(&before, &after), line: line.to_owned(), before })
}

/// The wired line when the program behind it is gone.
pub(super) fn broken(stage: &Stage, wired: &Wired, message: &[u8]) -> Result<Broken, String> {
    let line = wired.line.replace(&*stage.program().to_string_lossy(), "/nowhere/leastgrant");
    let run = stage.hook(&line, message)?;
    let told = words::safe(run.stderr.lines().last().unwrap_or_default());
    let good = run.code == Some(2) && told.contains("blocked");
    Ok(Broken { code: run.code, told: stage.shorten(&told), good })
}

/// `leastgrant doctor`.
pub(super) fn examine(stage: &Stage) -> Result<Examined, String> {
    let run = stage.typed(&["doctor", "--json"])?;
    let told: Value =
        serde_json::from_str(&run.stdout).map_err(|error| format!("`leastgrant doctor`: {error}: {}", run.stderr))?;
    let checks = told.get("checks").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |check: &Value, key: &str| check.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let bad = checks.iter().filter(|check| text(check, "status") == "bad").map(|check| text(check, "text")).collect();
    let bound = checks.iter().find(|check| text(check, "id") == "bound");
    Ok(Examined {
        good: told.get("ok") == Some(&Value::Bool(true)),
        bound: bound.map(|check| stage.shorten(&text(check, "text"))).unwrap_or_default(),
        checks: checks.len(),
        bad,
    })
}

/// `leastgrant uninstall claude-code`.
pub(super) fn uninstall(stage: &Stage, wired: &Wired) -> Result<Removed, String> {
    let run = stage.typed(&["uninstall", "claude-code", "--yes"])?;
    let same_bytes = stage.read(SETTINGS)? == wired.before;
    Ok(Removed { same_bytes, good: run.code == Some(0) && same_bytes })
}

impl Wired {
    pub(super) fn tell(&self, stage: &Stage, ui: &mut Ui) {
        typed("leastgrant install claude-code", ui);
        ui.line(format!(
            "  ~/.claude/settings.json: {} added, {} lost; before each call the agent now runs",
            words::count(self.added, "line", "lines"),
            self.lost,
        ));
        let line = stage.shorten(&self.line).replace(&*stage.program().to_string_lossy(), "leastgrant");
        ui.line(theme::paint(
            theme::DIM,
            &format!("  {}", words::cut(&words::safe(&line), ui.width().saturating_sub(2))),
        ));
    }
}

impl Broken {
    pub(super) fn tell(&self, ui: &mut Ui) {
        ui.blank();
        ui.heading("the same hook, with its program deleted");
        let mark =
            if self.good { theme::paint(theme::DENY, "✗ blocked") } else { theme::paint(theme::DENY, "LET THROUGH") };
        ui.line(format!("  {mark} {}", theme::paint(theme::DIM, "by the command line itself")));
        for line in words::wrap(&self.told, ui.width().saturating_sub(6).min(100)) {
            ui.line(format!("    {}", theme::paint(theme::DIM, &line)));
        }
    }
}

impl Examined {
    pub(super) fn tell(&self, ui: &mut Ui) {
        ui.blank();
        typed("leastgrant doctor", ui);
        ui.line(format!("  {}; bound: {}", words::count(self.checks, "check", "checks"), words::safe(&self.bound)));
        for bad in &self.bad {
            ui.line(format!("  {} {}", theme::paint(theme::BAD, "bad"), words::safe(bad)));
        }
    }
}

impl Removed {
    pub(super) fn tell(&self, ui: &mut Ui) {
        ui.blank();
        typed("leastgrant uninstall claude-code", ui);
        ui.line(if self.same_bytes {
            "  ~/.claude/settings.json is byte for byte what it was"
        } else {
            "  ~/.claude/settings.json is NOT what it was"
        });
    }
}

pub(super) fn typed(command: &str, ui: &mut Ui) {
    ui.line(format!("{} {}", theme::paint(theme::DIM, "$"), theme::paint(theme::STRONG, command)));
}
