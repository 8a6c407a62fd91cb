//! Whether a changed settings file may take hold in a running session: asked of the wiring, which knows what it put there.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::agent::{ConfigChange, HookEnv};
use crate::install::adopt;
use crate::install::config_change::{self, Ruling};
use crate::install::place::Places;

/// The reason why the change is refused; none lets it through.
#[must_use]
pub fn refusal(change: &ConfigChange) -> Option<String> {
    let places = match places(&change.cwd) {
        Ok(places) => places,
        Err(why) => return Some(format!("leastgrant keeps the old settings for this session: {why}")),
    };
    match config_change::decide(change, &places, now_ms()) {
        Ruling::Let { .. } => None,
        Ruling::Refuse { reason } => Some(reason),
    }
}

/// At a session's start: what wires this program is on record from now on.
pub fn adopt(cwd: &str) {
    let program = std::env::current_exe().and_then(std::fs::canonicalize);
    if let (Ok(places), Ok(program)) = (places(cwd), program) {
        adopt::adopt(&places, &program, now_ms());
    }
}

/// The session's own folder counts: the payload's follows the agent's `cd`.
fn places(cwd: &str) -> Result<Places, String> {
    let env = HookEnv::of_process();
    let here = env.folder("CLAUDE_PROJECT_DIR").unwrap_or(cwd);
    Places::of(&env, PathBuf::from(here), None)
}

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
