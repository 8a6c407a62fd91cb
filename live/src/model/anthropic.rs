//! Anthropic's Messages API, streamed and whole.

use serde_json::{Value, json};

use super::{Place, SUBAGENT, Said, Script, list_of, str_of, text_of};
use crate::http::Response;

pub(super) fn answer(script: &Script, body: &Value) -> Response {
    let tools = list_of(body, "tools");
    let messages = list_of(body, "messages");
    if tools.is_empty() {
        return write(body, &Said::text("ok"), script.next());
    }
    script.offered(tools.iter().map(|tool| str_of(tool, "name").to_owned()));
    let first = messages.iter().find(|message| str_of(message, "role") == "user");
    let sub = first.is_some_and(|message| text_of(message).contains(SUBAGENT));
    let place = Place { sub, turn: messages.iter().filter(|message| str_of(message, "role") == "assistant").count() };
    for block in messages.iter().flat_map(|message| list_of(message, "content")) {
        if str_of(block, "type") == "tool_result" {
            script.told(str_of(block, "tool_use_id"), &text_of(block.get("content").unwrap_or(&Value::Null)));
        }
    }
    write(body, &script.play(place), script.next())
}

/// `nth`: an agent takes two messages with one id for one message.
fn write(body: &Value, said: &Said, nth: u64) -> Response {
    let mut blocks: Vec<Value> = said.text.iter().map(|text| json!({"type": "text", "text": text})).collect();
    blocks.extend(said.calls.iter().map(
        |(id, call)| json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": call.name, "input": call.input}),
    ));
    let stop = if said.calls.is_empty() { "end_turn" } else { "tool_use" };
    let usage = json!({
        "input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    });
    let message = |content: &[Value], stop: Option<&str>| {
        json!({
            "id": format!("msg_live_{nth}"), "type": "message", "role": "assistant",
            "model": body.get("model").cloned().unwrap_or_else(|| json!("live-model")),
            "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage,
        })
    };
    if body.get("stream").and_then(Value::as_bool) != Some(true) {
        return Response::json(&message(&blocks, Some(stop)));
    }
    let mut events = Events::default();
    events.push("message_start", json!({"message": message(&[], None)}));
    for (index, block) in blocks.iter().enumerate() {
        let (start, delta) = if str_of(block, "type") == "text" {
            let text = str_of(block, "text");
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}))
        } else {
            let mut start = block.clone();
            if let Some(input) = start.get_mut("input") {
                *input = json!({});
            }
            let input = block.get("input").map(Value::to_string).unwrap_or_default();
            (start, json!({"type": "input_json_delta", "partial_json": input}))
        };
        events.push("content_block_start", json!({"index": index, "content_block": start}));
        events.push("content_block_delta", json!({"index": index, "delta": delta}));
        events.push("content_block_stop", json!({"index": index}));
    }
    let delta = json!({"delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 5}});
    events.push("message_delta", delta);
    events.push("message_stop", json!({}));
    Response::events(events.0)
}

/// Server-sent events whose type stands in the data too.
#[derive(Default)]
pub(super) struct Events(pub(super) String);

impl Events {
    pub(super) fn push(&mut self, name: &str, mut data: Value) {
        if let Value::Object(data) = &mut data {
            data.insert(String::from("type"), json!(name));
        }
        self.0.push_str(&format!("event: {name}\ndata: {data}\n\n"));
    }
}
