//! Each dialect plays the same script and hears the same.

use super::*;

fn script() -> Script {
    let call = |id: &str, name: &str| {
        (id.to_owned(), ToolCall { name: name.to_owned(), input: json!({"a": 1}), ..ToolCall::default() })
    };
    let main = vec![
        Turn { calls: vec![call("one", "first"), call("two", "second")], ..Turn::default() },
        Turn { say: Some(String::from("BLOCKED @TOLD:two@")), ..Turn::default() },
    ];
    let sub = vec![Turn { calls: vec![call("inner", "third")], ..Turn::default() }];
    Script { main, sub, act: Box::new(|_| ()), log: Mutex::default(), answers: AtomicU64::new(0) }
}

fn ask(script: &Script, path: &str, body: &Value) -> String {
    let body = body.to_string().into_bytes();
    let request = Request { method: String::from("POST"), path: path.to_owned(), headers: Vec::new(), body };
    let response = script.answer(&request);
    assert_eq!(response.status, 200, "{path}");
    response.body
}

fn heard(script: &Script) {
    let log = script.log();
    assert_eq!(log.told.get("two").map(String::as_str), Some("no: outside"));
    assert!(log.told.contains_key("one"));
    assert!(log.played.contains("one"));
}

#[test]
fn messages() {
    let script = script();
    let tools = json!([{"name": "first"}]);
    let user = json!({"role": "user", "content": "go"});
    let first = ask(&script, "/v1/messages", &json!({"tools": tools, "messages": [user], "stream": true}));
    assert!(first.contains("event: content_block_start") && first.contains("toolu_call_live_main_0_1"), "{first}");
    let results = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_call_live_main_0_0", "content": "fine"},
        {"type": "tool_result", "tool_use_id": "toolu_call_live_main_0_1", "content": [{"type": "text", "text": "no: outside"}]},
    ]});
    let spoken = json!({"role": "assistant", "content": []});
    let last = ask(&script, "/v1/messages", &json!({"tools": tools, "messages": [user, spoken, results]}));
    assert!(last.contains("BLOCKED no: outside"), "{last}");
    heard(&script);
    let side = ask(&script, "/v1/messages", &json!({"messages": [user]}));
    assert!(side.contains(r#""text":"ok""#), "a side request gets harmless text: {side}");
    let sub = json!({"role": "user", "content": "SUBAGENT do it"});
    let inner = ask(&script, "/v1/messages", &json!({"tools": tools, "messages": [sub]}));
    assert!(inner.contains("toolu_call_live_sub_0_0"), "{inner}");
}

#[test]
fn responses() {
    let script = script();
    let first = ask(&script, "/v1/responses", &json!({"prompt_cache_key": "a", "stream": true, "input": []}));
    assert!(first.contains("response.output_item.done") && first.contains("call_live_main_0_0"), "{first}");
    let input = json!([
        {"type": "function_call_output", "call_id": "call_live_main_0_0", "output": "fine"},
        {"type": "custom_tool_call_output", "call_id": "call_live_main_0_1", "output": [{"text": "no: outside"}]},
    ]);
    let last = ask(&script, "/v1/responses", &json!({"prompt_cache_key": "a", "input": input}));
    assert!(last.contains("BLOCKED no: outside"), "{last}");
    heard(&script);
    let inner = ask(&script, "/v1/responses", &json!({"prompt_cache_key": "b", "input": []}));
    assert!(inner.contains("call_live_sub_0_0"), "another thread is a subagent's: {inner}");
}

#[test]
fn chat() {
    let script = script();
    let tools = json!([{"function": {"name": "first"}}]);
    let user = json!({"role": "user", "content": "go"});
    let first = ask(&script, "/v1/chat/completions", &json!({"tools": tools, "messages": [user], "stream": true}));
    assert!(first.contains("tool_calls") && first.ends_with("data: [DONE]\n\n"), "{first}");
    let messages = json!([
        user,
        {"role": "assistant", "tool_calls": [{"id": "call_live_main_0_0"}]},
        {"role": "tool", "tool_call_id": "call_live_main_0_0", "content": "fine"},
        {"role": "tool", "tool_call_id": "call_live_main_0_1", "content": "no: outside"},
    ]);
    let last = ask(&script, "/v1/chat/completions", &json!({"tools": tools, "messages": messages}));
    assert!(last.contains("BLOCKED no: outside"), "{last}");
    heard(&script);
}

#[test]
fn generate_content() {
    let script = script();
    let tools = json!([{"functionDeclarations": [{"name": "first"}]}]);
    let user = json!({"role": "user", "parts": [{"text": "go"}]});
    let path = "/v1beta/models/m:streamGenerateContent";
    let first = ask(&script, path, &json!({"tools": tools, "contents": [user]}));
    assert!(first.starts_with("data: ") && first.contains("functionCall"), "{first}");
    let contents = json!([
        user,
        {"role": "model", "parts": [{"functionCall": {"name": "first"}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "first", "response": "fine"}},
            {"functionResponse": {"name": "second", "response": "no: outside"}},
        ]},
    ]);
    let last = ask(&script, "/v1beta/models/m:generateContent", &json!({"tools": tools, "contents": contents}));
    assert!(last.contains("BLOCKED"), "{last}");
    assert!(script.log().told.get("two").is_some_and(|text| text.contains("no: outside")));
}
