//! Gemini's generateContent, streamed and whole.

use serde_json::{Value, json};

use super::{Place, SUBAGENT, Said, Script, list_of, str_of, text_of};
use crate::http::Response;

/// What classifiers and turn-takers of the agent understand.
const SIDE: &str = r#"{"reasoning":"scripted","model_choice":"pro","next_speaker":"user"}"#;

pub(super) fn answer(script: &Script, body: &Value, stream: bool) -> Response {
    let contents = list_of(body, "contents");
    let tools: Vec<&Value> =
        list_of(body, "tools").iter().flat_map(|tool| list_of(tool, "functionDeclarations")).collect();
    if tools.is_empty() {
        return write(&Said::text(SIDE), stream);
    }
    script.offered(tools.iter().map(|tool| str_of(tool, "name").to_owned()));
    let spoken = |content: &&Value| {
        str_of(content, "role") == "model"
            && list_of(content, "parts").iter().any(|part| part.get("functionCall").is_some())
    };
    let users = contents.iter().filter(|content| str_of(content, "role") == "user");
    let sub = users.flat_map(|content| list_of(content, "parts")).any(|part| text_of(part).contains(SUBAGENT));
    let place = Place { sub, turn: contents.iter().filter(spoken).count() };
    let results = contents.last().map_or(&[][..], |content| list_of(content, "parts"));
    for (nth, result) in results.iter().filter_map(|part| part.get("functionResponse")).enumerate() {
        script.told_at(place, nth, &result.get("response").map(Value::to_string).unwrap_or_default());
    }
    write(&script.play(place), stream)
}

fn write(said: &Said, stream: bool) -> Response {
    let mut parts: Vec<Value> = said.text.iter().map(|text| json!({"text": text})).collect();
    parts.extend(said.calls.iter().map(|(_, call)| json!({"functionCall": {"name": call.name, "args": call.input}})));
    let whole = json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "live-model",
    });
    if stream { Response::events(format!("data: {whole}\r\n\r\n")) } else { Response::json(&whole) }
}
