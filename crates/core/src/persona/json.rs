//! JSON read so strictly that two readers cannot read it differently: no key twice at any depth, nothing after it, bounded
//! depth and number of values. Must never guess what a broken text meant.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Deepest nesting.
pub const DEPTH: usize = 32;
/// Most values.
pub const VALUES: usize = 20_000;

/// Reads one value.
///
/// # Errors
/// It is not JSON, holds a key twice, or is too deep or too large; in words.
pub fn read(text: &str) -> Result<Value, String> {
    let left = Cell::new(VALUES);
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict { depth: DEPTH, left: &left }.deserialize(&mut reader).map_err(|fault| fault.to_string())?;
    reader.end().map_err(|fault| fault.to_string())?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Strict<'a> {
    depth: usize,
    left: &'a Cell<usize>,
}

impl Strict<'_> {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Self { depth, ..self }),
            None => Err(E::custom("nested too deep")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => return Err(D::Error::custom("too many values")),
        }
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
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
        Ok(Value::from(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut all = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(inner)?;
            if all.contains_key(&key) {
                return Err(A::Error::custom("a key stands there twice"));
            }
            all.insert(key, value);
        }
        Ok(Value::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        assert!(read(r#"{"a":[1,-2,0.5,true,null,"x"]}"#).is_ok());
        for text in [r#"{"a":1,"a":2}"#, r#"[{"a":{"b":1,"b":1}}]"#, "{} {}", "{", "", r#"{"a":1,}"#] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&format!("{}1{}", "[".repeat(DEPTH), "]".repeat(DEPTH))).is_ok());
        assert!(read(&"[".repeat(100_000)).is_err());
        assert!(read(&format!("[{}1]", "1,".repeat(VALUES))).is_err());
    }
}
