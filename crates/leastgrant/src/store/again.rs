//! A recorded call, judged again by today's rules and evidence. What was recorded is redacted and cut, so the same call is
//! not always made of it; who asks is told so.

use leastgrant_core::call::Call;
use serde_json::{Value, json};

use super::line::Line;
use crate::agent::{self, Agent, Decoded, HookEnv, MadeUp};

/// The call that a line is about, as far as it can be told. The flag says that something of it is missing.
#[must_use]
pub fn call(line: &Line, env: &HookEnv) -> Option<(&'static dyn Agent, Call, bool)> {
    let agent = agent::named(&[line.agent.clone().into()]).ok()?;
    let (input, whole) = input(agent, line)?;
    let missing = !whole || line.display.contains("«redacted:") || line.display.ends_with('…');
    let made = MadeUp { session: &line.session, cwd: &line.project, mode: "default", tool: &line.tool, input };
    match agent.decode(agent.compose(&made).to_string().as_bytes(), env) {
        Decoded::Pre(call) => Some((agent, *call, missing)),
        _ => None,
    }
}

/// The input of the call, and whether nothing of it is missing.
fn input(agent: &dyn Agent, line: &Line) -> Option<(Value, bool)> {
    let display = line.display.as_str();
    if line.tool == agent.shell() {
        return Some((json!({ "command": display }), true));
    }
    let rest = display.strip_prefix(line.tool.as_str())?.strip_prefix(' ')?;
    Some(match line.tool.as_str() {
        "Read" => (json!({ "file_path": rest }), true),
        "Write" => (json!({ "file_path": rest, "content": "" }), false),
        "Edit" => (json!({ "file_path": rest, "old_string": "", "new_string": "" }), false),
        "WebFetch" => (json!({ "url": rest, "prompt": "" }), true),
        "WebSearch" => (json!({ "query": rest }), true),
        _ => return None,
    })
}
