//! OpenAI's chat completions, streamed and whole.

use serde_json::{Value, json};

use super::{Place, SUBAGENT, Said, Script, list_of, str_of, text_of};
use crate::http::Response;

pub(super) fn answer(script: &Script, body: &Value) -> Response {
    let tools = list_of(body, "tools");
    let messages = list_of(body, "messages");
    if tools.is_empty() {
        return write(body, &Said::text("ok"), script.next());
    }
    script.offered(
        tools.iter().filter_map(|tool| tool.get("function")).map(|function| str_of(function, "name").to_owned()),
    );
    let role = |message: &&Value, role: &str| str_of(message, "role") == role;
    let sub =
        messages.iter().filter(|message| role(message, "user")).any(|message| text_of(message).contains(SUBAGENT));
    let spoken = |message: &&Value| role(message, "assistant") && !list_of(message, "tool_calls").is_empty();
    let place = Place { sub, turn: messages.iter().filter(spoken).count() };
    for message in messages.iter().filter(|message| role(message, "tool")) {
        script.told(str_of(message, "tool_call_id"), &text_of(message.get("content").unwrap_or(&Value::Null)));
    }
    write(body, &script.play(place), script.next())
}

fn write(body: &Value, said: &Said, nth: u64) -> Response {
    let calls: Vec<Value> = said
        .calls
        .iter()
        .enumerate()
        .map(|(index, (id, call))| {
            json!({
                "index": index, "id": id, "type": "function",
                "function": {"name": call.name, "arguments": call.input.to_string()},
            })
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": said.text});
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    if let (false, Value::Object(message)) = (calls.is_empty(), &mut message) {
        message.insert(String::from("tool_calls"), json!(calls));
    }
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let whole = |object: &str, choice: Value, usage: &Value| {
        json!({
            "id": format!("chatcmpl-live-{nth}"), "object": object, "created": 1,
            "model": body.get("model").cloned().unwrap_or_else(|| json!("live-model")),
            "choices": [choice], "usage": usage,
        })
    };
    if body.get("stream").and_then(Value::as_bool) != Some(true) {
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        return Response::json(&whole("chat.completion", choice, &usage));
    }
    let first = json!({"index": 0, "delta": message, "finish_reason": null});
    let last = json!({"index": 0, "delta": {}, "finish_reason": finish});
    let first = whole("chat.completion.chunk", first, &Value::Null);
    let last = whole("chat.completion.chunk", last, &usage);
    Response::events(format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n"))
}
