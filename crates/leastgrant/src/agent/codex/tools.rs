//! Codex's tools (agents/codex facts §d).

use leastgrant_core::call::Tool;
use leastgrant_shell::Dialect;

use crate::agent::tools::{self, Input, Row, Shape};

const TOOLS: &[Row] = &[
    ("Bash", Shape::Shell { command: &["command"], folder: &[], unsandboxed: "" }, "runs a command line"),
    (
        "exec_command",
        Shape::Shell { command: &["cmd", "command"], folder: &["workdir"], unsandboxed: "" },
        "the same, under the name that its rollouts use",
    ),
    (
        "apply_patch",
        Shape::Patch(&["command", "input", "patch"]),
        "changes files; the patch stands where a command would",
    ),
    ("view_image", Shape::Read(&["path"]), "shows an image file to the model"),
    ("list_mcp_resources", Shape::Resource("list_resources"), "asks servers what they offer"),
    ("list_mcp_resource_templates", Shape::Resource("list_resources"), "asks servers what they offer"),
    ("read_mcp_resource", Shape::Resource("read_resource"), "reads from a server"),
    ("spawn_agent", Shape::Spawn, "starts a subagent"),
    ("collaborationspawn_agent", Shape::Spawn, "starts a subagent (names are glued to their group)"),
    ("collaborationsend_message", Shape::Spawn, "gives a subagent work"),
    ("collaborationfollowup_task", Shape::Spawn, "gives a subagent work"),
    ("send_input", Shape::Spawn, "gives a subagent work"),
    ("collaborationwait_agent", Shape::Meta, "waits for a subagent"),
    ("collaborationlist_agents", Shape::Meta, "lists subagents"),
    ("collaborationinterrupt_agent", Shape::Meta, "stops a subagent"),
    ("wait", Shape::Meta, "waits for a subagent"),
    ("close_agent", Shape::Meta, "ends a subagent"),
    ("update_plan", Shape::Meta, "the agent's own list"),
    ("get_goal", Shape::Meta, "the agent's own goal"),
    ("create_goal", Shape::Meta, "the agent's own goal"),
    ("update_goal", Shape::Meta, "the agent's own goal"),
    ("clocksleep", Shape::Meta, "waits"),
    ("clockcurr_time", Shape::Meta, "tells the time"),
    ("request_user_input", Shape::Meta, "asks the person"),
    ("send_message_to_user_async", Shape::Meta, "tells the person"),
    (
        "write_stdin",
        Shape::MetaUnless(&["chars"]),
        "types into a program that runs; what that makes of it is not known",
    ),
    ("exec", Shape::Unknown, "a program of calls; each of them is judged, the program is not read"),
];

/// What a call of this tool would do.
pub(super) fn tool(name: &str, input: &Input, dialect: Dialect, escalated: bool) -> Tool {
    let tool = match name.strip_prefix("mcp__") {
        Some(rest) => tools::mcp_named(rest, input),
        None => tools::tool(TOOLS, name, input, dialect),
    };
    match tool {
        Tool::Shell(shell) => {
            let asked = input.get("sandbox_permissions").is_some_and(|wanted| wanted != "use_default");
            let unsandboxed =
                escalated || asked || input.get("with_escalated_permissions").is_some_and(|flag| flag != false);
            Tool::Shell(leastgrant_core::call::ShellCall { unsandboxed, ..shell })
        }
        other => other,
    }
}
