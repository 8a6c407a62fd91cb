//! A hook message, from its bytes to the answer, read by every adapter: no message panics, a call is never taken for something
//! that needs no answer, what is judged is what another JSON reader sees, and every answer is one JSON object.

#![no_main]

use std::sync::LazyLock;

use leastgrant::agent::claude_code::ClaudeCode;
use leastgrant::agent::{ALL, Agent, Decoded, Held, HookEnv};
use leastgrant_core::bundle;
use leastgrant_core::call::{Call, Tool};
use leastgrant_core::channel::fit;
use leastgrant_core::judge::{Bench, judge};
use leastgrant_core::policy::{Policy, Session, Standing};
use leastgrant_core::verdict::Decision;
use leastgrant_core::world::FakeWorld;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

static WORLD: LazyLock<FakeWorld> = LazyLock::new(FakeWorld::project);
static POLICY: LazyLock<Policy> =
    LazyLock::new(|| Policy { bundles: bundle::ticked().map(str::to_owned).collect(), ..Policy::default() });
static ENV: LazyLock<HookEnv> = LazyLock::new(|| {
    HookEnv::from_lookup(|name| match name {
        "HOME" => Some(String::from("/home/u")),
        "SHELL" => Some(String::from("/bin/bash")),
        "CLAUDE_CODE_ENTRYPOINT" => Some(String::from("cli")),
        _ => None,
    })
});

/// Events that are a call, or that say nothing about what they are.
fn may_be_a_call(decoded: &Decoded) -> bool {
    matches!(decoded, Decoded::Pre(_) | Decoded::Broken { held: Held::Call, .. })
}

fn answered(agent: &dyn Agent, call: &Call) {
    let (standing, session) = (Standing::default(), Session::default());
    let verdict = judge(call, &Bench { policy: &POLICY, standing: &standing, session: &session, world: &*WORLD });
    if verdict.decision == Decision::Allow {
        assert!(!matches!(call.tool, Tool::Unreadable { .. } | Tool::Unknown { .. }), "an unknown tool passed");
        assert!(verdict.actions.iter().all(|action| action.opaque.is_none()), "what was not understood passed");
    }
    let answer = fit(&verdict, agent.channel(), &call.mode, call.attendance, POLICY.posture);
    let output = agent.encode(&answer, Some(call));
    if !output.stdout.is_empty() {
        let object: Value = serde_json::from_str(&output.stdout).expect("the answer is JSON");
        let places =
            ["/hookSpecificOutput/permissionDecision", "/permissionDecision", "/decision", "/permission"];
        let said = places.iter().find_map(|place| object.pointer(place).and_then(Value::as_str));
        assert!(matches!(said, Some("allow" | "ask" | "deny" | "pass")), "an answer without a decision: {object}");
        if verdict.decision == Decision::Deny {
            assert_eq!(said, Some("deny"));
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let decoded = ClaudeCode.decode(data, &ENV);
    if let Decoded::Pre(call) | Decoded::Prompted(call) = &decoded {
        answered(&ClaudeCode, call);
    }
    for agent in ALL.iter().filter(|agent| agent.id() != ClaudeCode.id()) {
        if let Decoded::Pre(call) = agent.decode(data, &ENV) {
            assert_eq!(call.agent, agent.id());
            answered(*agent, &call);
        }
    }
    let raw = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(raw) else {
        // half a surrogate pair is mended by ours and refused by theirs
        if !data.windows(3).any(|part| part.eq_ignore_ascii_case(b"\\ud")) {
            assert!(matches!(decoded, Decoded::Broken { .. }), "read although it is no object: {decoded:?}");
        }
        return;
    };
    let said = |key: &str| fields.get(key).and_then(Value::as_str);
    if said("hook_event_name") == Some("PreToolUse") {
        assert!(may_be_a_call(&decoded), "a call was taken for something else: {decoded:?}");
    }
    if let Decoded::Pre(call) = &decoded {
        assert_eq!(said("hook_event_name"), Some("PreToolUse"));
        assert_eq!(said("tool_name"), Some(call.tool_name.as_str()));
        if let Tool::Shell(shell) = &call.tool {
            let theirs = fields.get("tool_input").and_then(|input| input.get("command")).and_then(Value::as_str);
            assert_eq!(theirs, Some(shell.command.as_str()), "another command is judged than is run");
        }
    }
});
