// `knowledge/browsers.toml` → `browsers.rs`: the words by which a call is known for a navigation.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use crate::tables::{read, save};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    server: Vec<Server>,
    tools: Tools,
    words: Words,
    keys: Keys,
    suffixes: Suffixes,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    names: Vec<String>,
    class: String,
    home: String,
    #[serde(default)]
    history: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    history: Vec<String>,
    perceive: Vec<String>,
    act: Vec<String>,
    script: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    script: Vec<String>,
    navigate: Vec<String>,
    open: Vec<String>,
    fetch: Vec<String>,
    search: Vec<String>,
    typing: Vec<String>,
    act: Vec<String>,
    perceive: Vec<String>,
    history: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    address: Vec<String>,
    addresses: Vec<String>,
    maybe: Vec<String>,
    launch: Vec<String>,
    file: Vec<String>,
    verb: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suffixes {
    registries: Vec<String>,
    tenants: Vec<String>,
}

pub(crate) fn write(knowledge: &Path, out: &Path) -> Result<(), String> {
    let table: Table = read(&knowledge.join("browsers.toml"))?;
    let mut code = String::from("/// Every row of the table.\npub static SERVERS: &[Server] = &[\n");
    for server in &table.server {
        let class = match server.class.as_str() {
            "browser" => "Browser",
            "fetch" => "Fetch",
            "data" => "Data",
            other => return Err(format!("browsers.toml: unknown class `{other}`")),
        };
        let names = list(&server.names)?;
        let (home, history) = (&server.home, server.history);
        let _ = writeln!(
            code,
            "    Server {{ names: {names}, class: Class::{class}, home: {home:?}, history: {history} }},"
        );
    }
    code.push_str("];\n");
    let (tools, words, keys, suffixes) = (&table.tools, &table.words, &table.keys, &table.suffixes);
    for (name, values) in [
        ("TOOL_HISTORY", &tools.history),
        ("TOOL_PERCEIVE", &tools.perceive),
        ("TOOL_ACT", &tools.act),
        ("TOOL_SCRIPT", &tools.script),
        ("SCRIPT", &words.script),
        ("NAVIGATE", &words.navigate),
        ("OPEN", &words.open),
        ("FETCH", &words.fetch),
        ("SEARCH", &words.search),
        ("TYPING", &words.typing),
        ("ACT", &words.act),
        ("PERCEIVE", &words.perceive),
        ("HISTORY", &words.history),
        ("KEY_ADDRESS", &keys.address),
        ("KEY_ADDRESSES", &keys.addresses),
        ("KEY_MAYBE", &keys.maybe),
        ("KEY_LAUNCH", &keys.launch),
        ("KEY_FILE", &keys.file),
        ("KEY_VERB", &keys.verb),
        ("REGISTRIES", &suffixes.registries),
        ("TENANTS", &suffixes.tenants),
    ] {
        let _ = writeln!(code, "pub(super) static {name}: &[&str] = {};", list(values)?);
    }
    save(&out.join("browsers.rs"), &code)
}

fn list(values: &[String]) -> Result<String, String> {
    match values.iter().find(|text| text.is_empty() || **text != text.to_ascii_lowercase()) {
        Some(text) => Err(format!("browsers.toml: `{text}` must be in lower case")),
        None => Ok(format!("&{values:?}")),
    }
}
