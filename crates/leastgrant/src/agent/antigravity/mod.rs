//! Antigravity, which nobody here could run: its messages as others describe them are read and judged. Silence allows
//! there, so what is not allowed is always answered. Nothing is claimed for it.

mod tools;

use leastgrant_core::call::{Attendance, Call, Mode};
use leastgrant_core::channel::Answer;
use serde_json::{Value, json};

use super::payload::{Payload, Unread, Wanted, text};
use super::wire::{self, object};
use super::{Agent, Decoded, Done, Held, HookEnv, MadeUp, Output};

/// The adapter.
pub struct Antigravity;

const ID: &str = "antigravity";

const WANTED: Wanted = Wanted {
    whole: &["conversationId", "workspacePaths", "toolCall", "stepIdx", "executionId", "result", "error"],
    skimmed: &[],
};

impl Agent for Antigravity {
    fn id(&self) -> &'static str {
        ID
    }

    fn started_in<'e>(&self, _: &'e HookEnv) -> Option<&'e str> {
        None
    }

    fn about(&self, _: &HookEnv) -> (Option<String>, Attendance) {
        (None, Attendance::Unknown)
    }

    /// No message names its event: one that tells how a call ended comes after it.
    fn decode(&self, raw: &[u8], _: &HookEnv) -> Decoded {
        match Payload::read(raw, WANTED) {
            Err(Unread { why, .. }) => Decoded::Broken { held: Held::Call, why },
            Ok(payload) => {
                let there = |key: &str| payload.value(key).is_some_and(|value| !value.is_null());
                let after = there("result") || there("error");
                let held = if after { Held::Nothing } else { Held::Call };
                match call(&payload) {
                    Err(why) => Decoded::Broken { held, why },
                    Ok(call) if after => Decoded::Post(Box::new(Done { call, ran: !there("error"), made: None })),
                    Ok(call) => Decoded::Pre(Box::new(call)),
                }
            }
        }
    }

    fn encode(&self, answer: &Answer, _: Option<&Call>) -> Output {
        match answer {
            Answer::Silent | Answer::Allow { .. } => Output::silent(),
            Answer::Ask { reason } | Answer::Deny { reason } => {
                object(&json!({ "decision": "deny", "reason": wire::reason(reason) }))
            }
        }
    }

    fn shell(&self) -> &'static str {
        "run_command"
    }

    fn compose(&self, made: &MadeUp<'_>) -> Value {
        let mut args = made.input.clone();
        if let (Some(args), "run_command") = (args.as_object_mut(), made.tool)
            && let Some(command) = args.remove("command")
        {
            args.insert(String::from("CommandLine"), command);
        }
        json!({
            "conversationId": made.session, "workspacePaths": [made.cwd], "stepIdx": 1, "executionId": "made-up",
            "toolCall": { "name": made.tool, "args": args },
        })
    }
}

fn call(payload: &Payload) -> Result<Call, String> {
    let sent = payload.object("toolCall")?.ok_or("it has no `toolCall`")?;
    let name = text(sent, "name")?.ok_or("it names no tool (`toolCall.name`)")?;
    let input = match sent.get("args") {
        Some(Value::Object(input)) => input,
        _ => return Err(String::from("it has no `toolCall.args`")),
    };
    let first = payload.value("workspacePaths").and_then(|paths| paths.get(0)).and_then(Value::as_str);
    let id = payload.value("executionId").and_then(Value::as_str).filter(|id| !id.is_empty());
    Ok(Call {
        agent: ID,
        agent_version: None,
        session: wire::said(payload, "conversationId")?,
        call_id: id.map(str::to_owned).or_else(|| payload.value("stepIdx").map(ToString::to_string)),
        subagent: None,
        mode: Mode::Unsaid,
        attendance: Attendance::Unknown,
        cwd: wire::absolute(first).unwrap_or_default().to_owned(),
        tool_name: name.to_owned(),
        tool: tools::tool(name, input),
    })
}
