//! Reads the JSON that an agent sends, so strictly that we and the agent cannot read it differently: one object, valid
//! UTF-8, no key twice at any depth that is read, nothing after it. Must never panic, recurse without a bound, or keep
//! what nobody asked for.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// More top-level keys than any agent sends; beyond it the payload is not what it says it is.
const MAX_KEYS: usize = 256;

/// What of a payload is read; everything else is skipped without being kept.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// top-level keys that are kept whole
    pub whole: &'static [&'static str],
    /// top-level keys of which only some inner keys are kept, where the value is an object
    pub skimmed: &'static [(&'static str, &'static [&'static str])],
}

/// The parts of a payload that were wanted.
#[derive(Debug, Default)]
pub struct Payload {
    fields: Map<String, Value>,
}

/// A payload that could not be read, with what was read before it broke.
#[derive(Debug)]
pub struct Unread {
    /// why, in words
    pub why: String,
    /// the fields before the fault
    pub before: Payload,
}

/// Half of a surrogate pair, as an agent sends it when a text was cut within a letter, is the replacement character: that is
/// what the agent's own runtime writes when it hands the text on.
fn whole_letters(text: &str) -> Cow<'_, str> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(next) = rest.find('\\') else {
            out.push_str(rest);
            break;
        };
        out.push_str(rest.get(..next).unwrap_or_default());
        at += next;
        let (taken, lone) = match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => (12, false),
            Some(0xd800..=0xdfff) => (6, true),
            _ => (1 + text.get(at + 1..).and_then(|tail| tail.chars().next()).map_or(0, char::len_utf8), false),
        };
        out.push_str(if lone { "\\ufffd" } else { text.get(at..at + taken).unwrap_or_default() });
        at += taken;
    }
    Cow::Owned(out)
}

impl Payload {
    /// Reads one object; a byte order mark before it and white space around it are fine.
    ///
    /// # Errors
    /// Anything else than one well-formed object in UTF-8 without repeated keys.
    pub fn read(raw: &[u8], wanted: Wanted) -> Result<Self, Unread> {
        let mut payload = Self::default();
        let raw = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw);
        match payload.fill(raw, wanted) {
            Ok(()) => Ok(payload),
            Err(why) => Err(Unread { why, before: payload }),
        }
    }

    fn fill(&mut self, raw: &[u8], wanted: Wanted) -> Result<(), String> {
        if raw.iter().all(u8::is_ascii_whitespace) {
            return Err(String::from("it is empty"));
        }
        // the whole text is checked here because serde skips unwanted strings unseen
        let (text, torn) = match std::str::from_utf8(raw) {
            Ok(text) => (text, None),
            Err(fault) => {
                let good = raw.get(..fault.valid_up_to()).and_then(|head| std::str::from_utf8(head).ok());
                (good.unwrap_or_default(), Some(fault.valid_up_to()))
            }
        };
        let text = whole_letters(text);
        let mut reader = serde_json::Deserializer::from_str(&text);
        let read = TopLevel { into: &mut self.fields, wanted }.deserialize(&mut reader).and_then(|()| reader.end());
        match torn {
            Some(at) => Err(format!("it is not UTF-8 from byte {at}")),
            None => read.map_err(|fault| format!("it is not the JSON it should be: {fault}")),
        }
    }

    /// A text field; none if it is absent or null.
    ///
    /// # Errors
    /// It holds something else than text.
    pub fn text(&self, key: &str) -> Result<Option<&str>, String> {
        text(&self.fields, key)
    }

    /// An object field; none if it is absent.
    ///
    /// # Errors
    /// It holds something else than an object.
    pub fn object(&self, key: &str) -> Result<Option<&Map<String, Value>>, String> {
        match self.fields.get(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(format!("`{key}` is {} where an object belongs", kind(other))),
        }
    }

    /// Whatever the key holds.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.fields.get(key)
    }

    /// An object field, or the same written as JSON text; none if it is absent.
    ///
    /// # Errors
    /// It holds something else, or text that is no object.
    pub fn object_or_text(&self, key: &str) -> Result<Option<Map<String, Value>>, String> {
        let Some(Value::String(text)) = self.fields.get(key) else { return Ok(self.object(key)?.cloned()) };
        let text = whole_letters(text);
        let mut reader = serde_json::Deserializer::from_str(&text);
        let value = Strict.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
        match value.map_err(|fault| format!("`{key}` is not the JSON it should be: {fault}"))? {
            Value::Object(map) => Ok(Some(map)),
            other => Err(format!("`{key}` is {} where an object belongs", kind(&other))),
        }
    }

    /// Whether the key is there, whatever it holds.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.fields.contains_key(key)
    }
}

/// A text in an object; none if it is absent or null.
///
/// # Errors
/// It holds something else than text.
pub fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("`{key}` is {} where text belongs", kind(other))),
    }
}

/// What a value is, in words.
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

struct TopLevel<'a> {
    into: &'a mut Map<String, Value>,
    wanted: Wanted,
}

impl<'de> DeserializeSeed<'de> for TopLevel<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TopLevel<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("one object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen: Vec<String> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                // what came first may be a decoy: nothing that was read counts any more
                self.into.clear();
                return Err(twice(&key));
            }
            if seen.len() >= MAX_KEYS {
                return Err(A::Error::custom("more keys than any agent sends"));
            }
            if self.wanted.whole.contains(&key.as_str()) {
                let value = map.next_value_seed(Strict)?;
                self.into.insert(key.clone(), value);
            } else if let Some((_, keep)) = self.wanted.skimmed.iter().find(|(name, _)| *name == key) {
                let value = map.next_value_seed(Skim { keep })?;
                self.into.insert(key.clone(), value);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
            seen.push(key);
        }
        Ok(())
    }
}

fn twice<E: serde::de::Error>(key: &str) -> E {
    E::custom(format_args!("the key `{key}` stands twice"))
}

/// Any value, refusing repeated keys at every depth.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if values.contains_key(&key) {
                return Err(twice(&key));
            }
            let value = map.next_value_seed(Self)?;
            values.insert(key, value);
        }
        Ok(Value::Object(values))
    }
}

/// An object of which a few texts are kept (a tool's response may be megabytes); any other value comes out as null.
struct Skim {
    keep: &'static [&'static str],
}

impl<'de> DeserializeSeed<'de> for Skim {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Skim {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, _: &str) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Null)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if values.contains_key(&key) {
                return Err(twice(&key));
            }
            if self.keep.contains(&key.as_str()) {
                let value = map.next_value_seed(Strict)?;
                values.insert(key, value);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Value::Object(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted = Wanted { whole: &["event", "input"], skimmed: &[("response", &["type"])] };

    fn why(raw: &[u8]) -> String {
        Payload::read(raw, WANTED).unwrap_err().why
    }

    #[test]
    fn keeps_what_was_wanted_and_nothing_else() {
        let raw =
            b"\xef\xbb\xbf {\"event\":\"E\",\"extra\":[{}],\"response\":{\"type\":\"create\",\"body\":\"...\"}}\r\n";
        let payload = Payload::read(raw, WANTED).unwrap();
        assert_eq!(payload.text("event"), Ok(Some("E")));
        assert!(!payload.has("extra"));
        assert_eq!(payload.object("response").unwrap().unwrap().len(), 1);
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_wherever_it_is_read() {
        for raw in [
            &br#"{"event":"a","event":"b"}"#[..],
            br#"{"event":"a","ev\u0065nt":"b"}"#,
            br#"{"unread":1,"unread":2}"#,
            br#"{"input":{"command":"ls","command":"rm"}}"#,
            br#"{"input":[{"deep":{"k":1,"k":1}}]}"#,
            br#"{"response":{"type":"a","type":"b"}}"#,
        ] {
            assert!(why(raw).contains("stands twice"), "{}", String::from_utf8_lossy(raw));
        }
    }

    #[test]
    fn what_was_read_before_a_repeated_top_level_key_does_not_count() {
        let unread = Payload::read(br#"{"event":"harmless","event":"E"}"#, WANTED).unwrap_err();
        assert_eq!(unread.before.text("event"), Ok(None));
        let unread = Payload::read(br#"{"event":"E","input":{"comm"#, WANTED).unwrap_err();
        assert_eq!(unread.before.text("event"), Ok(Some("E")));
    }

    #[test]
    fn anything_but_one_object_is_refused() {
        assert_eq!(why(b""), "it is empty");
        assert_eq!(why(b" \r\n"), "it is empty");
        for raw in
            [&b"[]"[..], b"null", b"\"{}\"", b"{} {}", b"{}x", b"{\"event\":\"a\"", b"not json", b"{\"event\":1e999}"]
        {
            assert!(why(raw).starts_with("it is not the JSON it should be"), "{}", String::from_utf8_lossy(raw));
        }
        assert!(why(b"{\"skipped\":\"\xff\"}").contains("not UTF-8 from byte 12"));
    }

    #[test]
    fn nesting_is_bounded_where_it_is_read_and_harmless_where_it_is_skipped() {
        let deep = format!("{{\"input\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(why(deep.as_bytes()).contains("recursion limit"));
        let skipped = format!("{{\"other\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Payload::read(skipped.as_bytes(), WANTED).is_ok());
    }
}
