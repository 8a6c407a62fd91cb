//! OpenAI's Responses API, streamed and whole.

use serde_json::{Value, json};

use super::anthropic::Events;
use super::{Said, Script, list_of, str_of, text_of};
use crate::http::{Request, Response};

/// Headers that name a conversation, best first.
const THREAD: [&str; 4] = ["thread-id", "thread_id", "session_id", "session-id"];

pub(super) fn answer(script: &Script, request: &Request, body: &Value) -> Response {
    let input = list_of(body, "input");
    script.offered(list_of(body, "tools").iter().chain(input.iter().flat_map(|item| list_of(item, "tools"))).flat_map(
        |tool| {
            let inner = list_of(tool, "tools")
                .iter()
                .map(|inner| format!("{}/{}", str_of(tool, "name"), str_of(inner, "name")));
            std::iter::once(str_of(tool, "name").to_owned()).chain(inner).collect::<Vec<_>>()
        },
    ));
    for item in input.iter().filter(|item| str_of(item, "type").ends_with("_output")) {
        script.told(str_of(item, "call_id"), &text_of(item.get("output").unwrap_or(&Value::Null)));
    }
    let thread = THREAD
        .iter()
        .find_map(|name| request.header(name))
        .unwrap_or_else(|| str_of(body, "prompt_cache_key"))
        .to_owned();
    let place = script.thread(&thread);
    write(body, &script.play(place), script.next())
}

fn write(body: &Value, said: &Said, nth: u64) -> Response {
    let mut items: Vec<Value> = said
        .calls
        .iter()
        .map(|(id, call)| {
            let mut item = match &call.text {
                Some(text) => {
                    json!({"type": "custom_tool_call", "name": call.name, "input": text, "status": "completed"})
                }
                None => json!({"type": "function_call", "name": call.name, "arguments": call.input.to_string()}),
            };
            if let Value::Object(item) = &mut item {
                item.insert(String::from("id"), json!(format!("fc_{id}")));
                item.insert(String::from("call_id"), json!(id));
                if let Some(namespace) = &call.namespace {
                    item.insert(String::from("namespace"), json!(namespace));
                }
            }
            item
        })
        .collect();
    items.extend(said.text.iter().map(|text| {
        json!({
            "type": "message", "id": format!("msg_live_{nth}"), "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        })
    }));
    let usage = json!({
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
    });
    let response = |status: &str, output: &[Value]| json!({"id": format!("resp_live_{nth}"), "object": "response", "status": status, "output": output, "usage": usage});
    if body.get("stream").and_then(Value::as_bool) != Some(true) {
        return Response::json(&response("completed", &items));
    }
    let mut events = Events::default();
    events.push("response.created", json!({"response": {"id": format!("resp_live_{nth}"), "status": "in_progress"}}));
    for (index, item) in items.iter().enumerate() {
        events.push("response.output_item.added", json!({"output_index": index, "item": item}));
        events.push("response.output_item.done", json!({"output_index": index, "item": item}));
    }
    events.push("response.completed", json!({"response": response("completed", &[])}));
    Response::events(events.0)
}
