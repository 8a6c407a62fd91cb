//! A stub MCP server on standard input and output: harmless tools with the shapes of a browser's. It writes down every
//! call that it *receives*, so an empty log proves that a refused call never got this far.

use std::io::{BufRead as _, Read as _, Write as _};
use std::path::Path;

use serde_json::{Value, json};

/// Longest message that is read, in bytes.
const MOST: u64 = 16 << 20;

/// Serves until its input ends. Returns the exit code.
#[must_use]
pub fn main(log: &Path) -> u8 {
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = String::new();
        match input.by_ref().take(MOST).read_line(&mut line) {
            Ok(0) | Err(_) => return 0,
            Ok(_) => {}
        }
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        if message.get("method").and_then(Value::as_str) == Some("tools/call") {
            note(log, message.get("params").unwrap_or(&Value::Null));
        }
        if let Some(answer) = answer(&message) {
            let mut output = std::io::stdout().lock();
            if writeln!(output, "{answer}").and_then(|()| output.flush()).is_err() {
                return 0;
            }
        }
    }
}

fn note(log: &Path, params: &Value) {
    let line = json!({"name": params.get("name"), "arguments": params.get("arguments")});
    let file = std::fs::OpenOptions::new().create(true).append(true).open(log);
    let _ = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
}

/// The answer to one message; none to a notification.
fn answer(message: &Value) -> Option<Value> {
    let id = message.get("id").filter(|id| !id.is_null())?;
    let params = message.get("params").cloned().unwrap_or_default();
    let result = match message.get("method").and_then(Value::as_str).unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": params.get("protocolVersion").cloned().unwrap_or_else(|| json!("2025-06-18")),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "stub", "version": "1"},
        }),
        "tools/list" => json!({"tools": tools()}),
        "tools/call" => {
            let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
            json!({"content": [{"type": "text", "text": format!("STUB-RAN {name}")}], "isError": name == "fail"})
        }
        "ping" => json!({}),
        _ => {
            let error = json!({"code": -32601, "message": "the stub does not know this method"});
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn tools() -> Value {
    let tool = |name: &str, what: &str, arguments: &[&str]| {
        let properties: serde_json::Map<String, Value> =
            arguments.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        json!({
            "name": name,
            "description": what,
            "inputSchema": {"type": "object", "properties": properties, "required": arguments},
        })
    };
    json!([
        tool("navigate", "opens a page in the stub's browser", &["url"]),
        tool("click", "clicks on what bears this label", &["label"]),
        tool("type_text", "types into the field with this label", &["label", "text"]),
        tool("page_text", "the text of the page that is open", &[]),
        tool("fail", "always fails", &[]),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lists_and_answers_and_keeps_quiet_at_notifications() {
        let listed = answer(&json!({"id": 1, "method": "tools/list"})).unwrap();
        assert_eq!(listed.pointer("/result/tools/0/name"), Some(&json!("navigate")));
        let called = answer(&json!({"id": 2, "method": "tools/call", "params": {"name": "click"}})).unwrap();
        assert_eq!(called.pointer("/result/content/0/text"), Some(&json!("STUB-RAN click")));
        assert_eq!(answer(&json!({"method": "notifications/initialized"})), None);
    }
}
