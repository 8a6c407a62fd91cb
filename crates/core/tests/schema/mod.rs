//! As much of JSON Schema as `schema.json` uses, and ways to break a record.

use serde_json::{Map, Value};

/// What is wrong with a value by the schema; a keyword that is not known here is a fault too.
pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, String::from("$"), &mut found);
    found
}

fn check(root: &Value, rule: &Value, value: &Value, place: String, found: &mut Vec<String>) {
    let Some(rule) = rule.as_object() else {
        found.push(format!("{place}: the rule is no object"));
        return;
    };
    for (keyword, said) in rule {
        match keyword.as_str() {
            "$ref" => {
                let name = said.as_str().unwrap_or_default().trim_start_matches('#');
                match root.pointer(name) {
                    Some(rule) => check(root, rule, value, place.clone(), found),
                    None => found.push(format!("{place}: no {name}")),
                }
            }
            "type" => {
                let kinds: Vec<&str> = match said {
                    Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
                    one => one.as_str().into_iter().collect(),
                };
                if !kinds.iter().any(|kind| is(kind, value)) {
                    found.push(format!("{place}: {value} is no {kinds:?}"));
                }
            }
            "enum" => {
                if !said.as_array().is_some_and(|list| list.contains(value)) {
                    found.push(format!("{place}: {value} is not one of {said}"));
                }
            }
            "properties" | "required" | "additionalProperties" => {}
            "items" => {
                for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, said, item, format!("{place}[{at}]"), found);
                }
            }
            "minimum" => {
                if value.as_i64().is_some_and(|number| Some(number) < said.as_i64()) {
                    found.push(format!("{place}: {value} is below {said}"));
                }
            }
            "$schema" | "$id" | "$defs" | "title" | "description" => {}
            other => found.push(format!("{place}: `{other}` is not understood")),
        }
    }
    if let (Some(map), Some(keys)) = (value.as_object(), rule.get("properties").and_then(Value::as_object)) {
        object(root, rule, keys, map, &place, found);
    }
}

fn object(
    root: &Value,
    rule: &Map<String, Value>,
    keys: &Map<String, Value>,
    map: &Map<String, Value>,
    place: &str,
    found: &mut Vec<String>,
) {
    for key in rule.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !map.contains_key(key) {
            found.push(format!("{place}: no `{key}`"));
        }
    }
    for (key, value) in map {
        match keys.get(key) {
            Some(rule) => check(root, rule, value, format!("{place}.{key}"), found),
            None => found.push(format!("{place}: `{key}` is one too many")),
        }
    }
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "null" => value.is_null(),
        _ => false,
    }
}

/// The record with one item left in every list.
pub(crate) fn short(record: &Value) -> Value {
    match record {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), short(value))).collect(),
        Value::Array(list) => Value::Array(list.iter().take(1).map(short).collect()),
        other => other.clone(),
    }
}

/// The record with one thing changed, in every place: a key taken out, a key put in, a value of another kind, a word that
/// is none.
pub(crate) fn changes(record: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    pointers(record, String::new(), &mut places);
    let mut made = Vec::new();
    for place in places {
        let there = record.pointer(&place).cloned().unwrap_or_default();
        let mut put = |what: &str, value: Value| {
            let mut changed = record.clone();
            if let Some(at) = changed.pointer_mut(&place) {
                *at = value;
                made.push((format!("{place} {what}"), changed));
            }
        };
        if let Some(map) = there.as_object() {
            for key in map.keys() {
                let mut less = map.clone();
                less.remove(key);
                put(&format!("without {key}"), Value::Object(less));
            }
            let mut more = map.clone();
            more.insert(String::from("zzz"), Value::Null);
            put("with zzz", Value::Object(more));
        }
        for (what, value) in [
            ("null", Value::Null),
            ("a number", Value::from(7)),
            ("a negative number", Value::from(-7)),
            ("a list", Value::from(Vec::<Value>::new())),
            ("a truth", Value::from(true)),
        ] {
            put(what, value);
        }
        // free text takes any word, so this tells only where the words are fixed; versions have a grammar of their own
        if there.is_string() && !place.ends_with("/version") && !place.ends_with("/versions") {
            put("another word", Value::from("zzz"));
        }
    }
    made
}

fn pointers(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                pointers(value, format!("{place}/{key}"), places);
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                pointers(value, format!("{place}/{at}"), places);
            }
        }
        _ => {}
    }
    places.push(place);
}
