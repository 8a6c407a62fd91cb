//! `.leopold/persona/ACTIVE.json`: the file that arms the guard. Only a clear `"active": false` disarms it.

use serde_json::Value as Json;

use super::json;
use super::why::Why;

/// A larger file is not read.
pub const MOST: usize = 64 * 1024;

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Active {
    /// no run
    Off,
    /// a run of this flow, as written
    On {
        /// the path of the flow file
        flow: String,
    },
}

impl Active {
    /// Reads the file's bytes.
    ///
    /// # Errors
    /// Why the run's bounds cannot be known, with what of it.
    pub fn read(bytes: &[u8]) -> Result<Self, (Why, String)> {
        let unreadable = |detail: &str| (Why::ActiveUnreadable, detail.to_owned());
        let text = std::str::from_utf8(bytes).map_err(|_| unreadable("not UTF-8"))?;
        let value = json::read(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|fault| unreadable(&fault))?;
        let Json::Object(fields) = value else { return Err(unreadable("not an object")) };
        match fields.get("active") {
            Some(Json::Bool(false)) => return Ok(Self::Off),
            None | Some(Json::Bool(true)) => {}
            Some(_) => return Err((Why::ActiveField, String::new())),
        }
        match fields.get("flow") {
            Some(Json::String(flow)) if !flow.trim().is_empty() => Ok(Self::On { flow: flow.clone() }),
            _ => Err((Why::NoFlow, String::new())),
        }
    }

    /// The file that arms a run, as an existing conductor writes it.
    #[must_use]
    pub fn write(flow: &str, started_at: &str) -> String {
        let (flow, started_at) = (Json::from(flow), Json::from(started_at));
        format!("{{\"active\": true, \"flow\": {flow}, \"started_at\": {started_at}}}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_no_disarms() {
        let on = |flow: &str| Ok(Active::On { flow: flow.to_owned() });
        for (text, expected) in [
            (r#"{"active":true,"flow":"flows/a.md"}"#, on("flows/a.md")),
            (r#"{"flow":"flows/a.md","other":[1]}"#, on("flows/a.md")),
            ("\u{feff}{\"flow\":\"a\"}", on("a")),
            (r#"{"active":false}"#, Ok(Active::Off)),
            (r#"{"active":false,"flow":7}"#, Ok(Active::Off)),
            (r#"{"active":"false","flow":"a"}"#, Err(Why::ActiveField)),
            (r#"{"active":0,"flow":"a"}"#, Err(Why::ActiveField)),
            (r#"{"active":null,"flow":"a"}"#, Err(Why::ActiveField)),
            (r#"{"active":true}"#, Err(Why::NoFlow)),
            (r#"{"flow":""}"#, Err(Why::NoFlow)),
            (r#"{"flow":["a"]}"#, Err(Why::NoFlow)),
            (r#"{"active":true,"active":false,"flow":"a"}"#, Err(Why::ActiveUnreadable)),
            ("[]", Err(Why::ActiveUnreadable)),
            ("", Err(Why::ActiveUnreadable)),
            ("{", Err(Why::ActiveUnreadable)),
        ] {
            assert_eq!(Active::read(text.as_bytes()).map_err(|fault| fault.0), expected, "{text}");
        }
        assert_eq!(Active::read(b"\xff").map_err(|fault| fault.0), Err(Why::ActiveUnreadable));
        let written = Active::write("flows/a\"b.md", "2026-12-01T00:00:00Z");
        assert_eq!(Active::read(written.as_bytes()), Ok(Active::On { flow: String::from("flows/a\"b.md") }));
    }
}
