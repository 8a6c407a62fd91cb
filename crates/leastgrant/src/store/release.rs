//! Whether a changed settings file may take hold in a running session: asked of the wiring, which knows what it put there.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::agent::{ConfigChange, HookEnv};
use crate::install::config_change::{self, Ruling};
use crate::install::place::Places;

/// The reason why the change is refused; none lets it through.
#[must_use]
pub fn refusal(change: &ConfigChange) -> Option<String> {
    let env = HookEnv::of_process();
    // the session's own folder: the payload's follows the agent's `cd`
    let here = env.folder("CLAUDE_PROJECT_DIR").unwrap_or(&change.cwd);
    let places = match Places::of(&env, PathBuf::from(here), None) {
        Ok(places) => places,
        Err(why) => return Some(format!("leastgrant keeps the old settings for this session: {why}")),
    };
    let now_ms = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    match config_change::decide(change, &places, now_ms) {
        Ruling::Let { .. } => None,
        Ruling::Refuse { reason } => Some(reason),
    }
}
