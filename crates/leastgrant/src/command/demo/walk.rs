//! A persona run in the throwaway home: what the doctor says before and after the guard is wired, one navigation inside of
//! the flow's allowlist, one outside, and the event that is left.

use serde::Serialize;
use serde_json::Value;

use super::stage::Stage;
use super::wired::typed;
use crate::render::{Ui, theme, words};

const SETTINGS: &str = "@HOME@/.claude/settings.json";
const FOLDER: &str = "@PROJECT@/.leopold/persona";
const FLOW: &str = "# Flow — checkout\n\n## Domain allowlist\n- shop.example.com\n";
const INSIDE: &str = "https://shop.example.com/cart";
const OUTSIDE: &str = "https://prod-dashboard.example.org/orders?token=secret";

/// What came of it.
#[derive(Serialize)]
pub(super) struct Walked {
    doctor_before: String,
    doctor_after: String,
    inside: String,
    outside: String,
    told: String,
    event: String,
    same_bytes: bool,
    pub(super) good: bool,
}

/// Walks.
pub(super) fn walk(stage: &Stage) -> Result<Walked, String> {
    let before = stage.read(SETTINGS)?;
    stage.place(&format!("{FOLDER}/flows/checkout.md"), FLOW)?;
    stage.place(&format!("{FOLDER}/ACTIVE.json"), "{\"active\": true, \"flow\": \"flows/checkout.md\"}\n")?;
    let doctor_before = bound(stage)?;
    let wired = stage.typed(&["persona", "wire", "--force"])?;
    if wired.code != Some(0) {
        return Err(format!("`leastgrant persona wire` failed: {}", words::safe(&wired.stderr)));
    }
    let line = line(&stage.read(SETTINGS)?)?;
    let doctor_after = bound(stage)?;
    let (inside, _) = visit(stage, &line, INSIDE, "walk-1")?;
    let (outside, told) = visit(stage, &line, OUTSIDE, "walk-2")?;
    let event = stage.read(&format!("{FOLDER}/events.jsonl"))?.trim_end().to_owned();
    let unwired = stage.typed(&["persona", "unwire"])?;
    let same_bytes = stage.read(SETTINGS)? == before;
    let one = event.lines().count() == 1 && event.contains("prod-dashboard.example.org") && !event.contains("secret");
    let bounds = doctor_before.starts_with("hook_bound=none") && doctor_after.starts_with("hook_bound=claude");
    let answers = inside == "silent" && outside == "deny";
    let good = one && bounds && answers && same_bytes && unwired.code == Some(0);
    Ok(Walked { doctor_before, doctor_after, inside, outside, told, event, same_bytes, good })
}

/// The command line of the guard in the settings.
fn line(settings: &str) -> Result<String, String> {
    let value: Value = serde_json::from_str(settings).map_err(|error| format!("the wired settings: {error}"))?;
    let groups = value.pointer("/hooks/PreToolUse").and_then(Value::as_array).cloned().unwrap_or_default();
    let lines = groups.iter().filter_map(|group| group.pointer("/hooks/0/command")?.as_str());
    let ours = lines.filter(|line| line.contains(" hook persona ")).map(str::to_owned).next();
    ours.ok_or_else(|| String::from("the settings hold no guard"))
}

fn bound(stage: &Stage) -> Result<String, String> {
    let run = stage.typed(&["doctor", "--json"])?;
    let told: Value = serde_json::from_str(&run.stdout).map_err(|error| format!("`leastgrant doctor`: {error}"))?;
    let checks = told.get("checks").and_then(Value::as_array).cloned().unwrap_or_default();
    let of = |check: &Value| {
        let id = check.get("id").and_then(Value::as_str)?;
        (id == "hook-bound").then(|| check.get("text").and_then(Value::as_str).unwrap_or_default().to_owned())
    };
    Ok(checks.iter().find_map(of).unwrap_or_default())
}

fn visit(stage: &Stage, line: &str, url: &str, id: &str) -> Result<(String, String), String> {
    let payload = serde_json::json!({
        "session_id": "demo", "cwd": stage.fill("@PROJECT@"), "hook_event_name": "PreToolUse",
        "tool_name": "mcp__playwright__browser_navigate", "tool_input": { "url": url }, "tool_use_id": id,
    });
    let run = stage.hook(line, payload.to_string().as_bytes())?;
    let value: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let field = |name: &str| value.pointer(&format!("/hookSpecificOutput/{name}")).and_then(Value::as_str);
    let decision = match (run.code, run.stdout.trim()) {
        (Some(0), "") => "silent",
        (Some(0), _) => field("permissionDecision").unwrap_or("nothing"),
        _ => "failed",
    };
    Ok((decision.to_owned(), words::safe(field("permissionDecisionReason").unwrap_or_default())))
}

impl Walked {
    pub(super) fn tell(&self, ui: &mut Ui) {
        ui.blank();
        ui.heading("a persona run: flow `checkout` may visit shop.example.com");
        ui.line(format!("  doctor: {}", words::safe(&self.doctor_before)));
        typed("leastgrant persona wire", ui);
        ui.line(format!("  doctor: {}", words::safe(&self.doctor_after)));
        ui.line(format!(
            "  {INSIDE}  {}",
            theme::paint(theme::GOOD, if self.inside == "silent" { "✓ passes" } else { "HELD" })
        ));
        let mark = if self.outside == "deny" { "✗ held upstream of the tool" } else { "LET THROUGH" };
        ui.line(format!("  {OUTSIDE}  {}", theme::paint(theme::DENY, mark)));
        for line in words::wrap(&self.told, ui.width().saturating_sub(6).min(100)) {
            ui.line(format!("    {}", theme::paint(theme::DIM, &line)));
        }
        ui.line(format!("  the event, host only: {}", theme::paint(theme::DIM, &words::safe(&self.event))));
        typed("leastgrant persona unwire", ui);
        ui.line(if self.same_bytes {
            "  ~/.claude/settings.json is byte for byte what it was"
        } else {
            "  ~/.claude/settings.json is NOT what it was"
        });
    }
}
