//! Messages that no agent should send.

use serde_json::{Map, Value, json};

use crate::dialect::Dialect;
use crate::stage::Stage;

type Messages = Vec<(String, Vec<u8>)>;

fn object(bytes: &[u8]) -> Map<String, Value> {
    serde_json::from_slice(bytes).unwrap()
}

fn bytes(map: Map<String, Value>) -> Vec<u8> {
    Value::Object(map).to_string().into_bytes()
}

/// The key that holds the call's arguments.
fn arguments(message: &Map<String, Value>) -> String {
    let known = ["tool_input", "toolArgs", "toolCall"];
    message.keys().find(|key| known.contains(&key.as_str())).unwrap().clone()
}

/// Events of others, with a call in them and without.
pub(crate) fn foreign(dialect: &Dialect, stage: &Stage) -> Messages {
    let sent = dialect.sent("shell", &["git status"]).unwrap();
    let whole = object(&sent.message(dialect, stage, dialect.modes()[0]));
    let mut all = Messages::new();
    if dialect.event.is_empty() {
        // without a name for the event, what is no call of this agent's is nobody's
        all.push((String::from("of nobody"), bytes(Map::new())));
        all.push((
            String::from("of another agent"),
            json!({ "session_id": "s", "prompt": "x" }).to_string().into_bytes(),
        ));
        return all;
    }
    for name in ["SomethingNew", "PRETOOLUSE", "beforeToolSelected", ""] {
        let mut message = whole.clone();
        message.insert(dialect.event.clone(), Value::from(name));
        all.push((format!("with a call, named `{name}`"), bytes(message)));
        let message = json!({ dialect.event.clone(): name, "session_id": "s", "prompt": "x" });
        all.push((format!("without a call, named `{name}`"), message.to_string().into_bytes()));
    }
    all
}

/// Messages that are a call, or may be one, and that cannot be read as one.
pub(crate) fn broken(dialect: &Dialect, stage: &Stage) -> Messages {
    let sent = dialect.sent("shell", &["git status"]).unwrap();
    let good = sent.message(dialect, stage, dialect.modes()[0]);
    let text = String::from_utf8(good.clone()).unwrap();
    let whole = object(&good);
    let key = arguments(&whole);
    let mut all: Messages = vec![
        (String::from("empty"), Vec::new()),
        (String::from("white space"), b" \r\n\t".to_vec()),
        (String::from("no JSON"), b"git status".to_vec()),
        (String::from("a list"), format!("[{text}]").into_bytes()),
        (String::from("text"), Value::from(text.clone()).to_string().into_bytes()),
        (String::from("null"), b"null".to_vec()),
        (String::from("two objects"), format!("{text}{text}").into_bytes()),
        (String::from("followed by text"), format!("{text} and more").into_bytes()),
        (String::from("not UTF-8"), [&good[..good.len() - 1], b",\"x\":\"\xff\xfe\"}"].concat()),
        (String::from("huge"), [&good[..good.len() - 1], b",\"x\":\"", &vec![b'a'; 9 << 20][..], b"\"}"].concat()),
        (String::from("deep"), {
            let mut message = whole.clone();
            message.insert(key.clone(), Value::from("@"));
            let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
            String::from_utf8(bytes(message)).unwrap().replace("\"@\"", &deep).into_bytes()
        }),
    ];
    for cut in [1, text.len() / 3, text.len() / 2, text.len() - 1] {
        all.push((format!("cut at {cut}"), text.as_bytes()[..cut].to_vec()));
    }
    for twice in whole.keys() {
        let again = format!("{{{}:{},{}", Value::from(twice.clone()), whole[twice], &text[1..]);
        all.push((format!("one with `{twice}` twice"), again.into_bytes()));
    }
    for value in [json!(7), json!(null), json!(["git status"]), json!(true), json!("git status")] {
        let mut message = whole.clone();
        message.insert(key.clone(), value.clone());
        all.push((format!("one whose arguments are {value}"), bytes(message)));
    }
    let mut without = whole.clone();
    without.remove(&key);
    all.push((String::from("without arguments"), bytes(without)));
    for name in ["tool_name", "toolName"].into_iter().filter(|name| whole.contains_key(*name)) {
        for value in [json!(7), json!(null), json!({})] {
            let mut message = whole.clone();
            message.insert(name.to_owned(), value.clone());
            all.push((format!("one whose tool is {value}"), bytes(message)));
        }
    }
    // the command as something that is no text, or with what no program can be given
    for value in ["7", "[\"git\",\"status\"]", "null", "{}", "\"git status\\u0000\""] {
        let message = if text.contains("\\\"git status\\\"") {
            text.replace("\\\"git status\\\"", &value.replace('\\', "\\\\").replace('"', "\\\""))
        } else {
            text.replace("\"git status\"", value)
        };
        assert_ne!(message, text);
        all.push((format!("one whose command is {value}"), message.into_bytes()));
    }
    all
}
