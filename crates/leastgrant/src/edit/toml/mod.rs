//! A TOML file as its bytes plus the places of its values. An edit is one splice, so what it does not name stays as it
//! was, to the byte: order, comments, line ends, a BOM, a missing last newline.
//!
//! Every edit says what the file must mean afterwards and reads the result again: a form that the splice does not suit
//! is an error and never a file.

mod inside;
mod region;
mod splice;
mod write;

use std::ops::Range;

use toml_edit::{Document as Parsed, Item};

pub use super::json::{Fault, Refusal, Step};

use super::json::MAX_BYTES;

const BOM: &str = "\u{feff}";

/// A value as the agent's reader sees it.
#[must_use]
pub fn meaning(value: &super::json::Json) -> toml::Value {
    write::meaning(value)
}

/// A TOML file with the places of its values.
#[derive(Clone, Debug)]
pub struct Document {
    bom: bool,
    text: String,
    parsed: Parsed<String>,
    meaning: toml::Table,
}

impl Document {
    /// Reads a file's bytes.
    ///
    /// # Errors
    /// What makes the file unfit for an edit, with its place.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes.len() > MAX_BYTES {
            return Err(Refusal::new(Fault::TooLarge, "", 0, format!("the file is larger than {MAX_BYTES} bytes")));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                let bare = text.strip_prefix(BOM);
                Self::read(bare.is_some(), bare.unwrap_or(text).to_owned())
            }
            Err(error) => {
                let good = bytes.get(..error.valid_up_to()).and_then(|head| std::str::from_utf8(head).ok());
                let good = good.unwrap_or_default();
                Err(Refusal::new(Fault::NotUtf8, good, good.len(), String::from("a byte that is not UTF-8")))
            }
        }
    }

    fn read(bom: bool, text: String) -> Result<Self, Refusal> {
        let parsed = Parsed::parse(text.clone()).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let said = error.message().lines().next().unwrap_or("not TOML").to_owned();
            Refusal::new(Fault::Broken, &text, at, said)
        })?;
        let meaning = toml::from_str(&text).map_err(|error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            Refusal::new(Fault::Broken, &text, at, error.message().to_owned())
        })?;
        Ok(Self { bom, text, parsed, meaning })
    }

    /// The file's bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = if self.bom { BOM.as_bytes().to_vec() } else { Vec::new() };
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }

    /// The text without a BOM; spans point into it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the file says.
    #[must_use]
    pub fn meaning(&self) -> &toml::Table {
        &self.meaning
    }

    /// The value at a path.
    #[must_use]
    pub fn at(&self, path: &[Step<'_>]) -> Option<&toml::Value> {
        let (first, rest) = path.split_first()?;
        let Step::Key(key) = first else { return None };
        rest.iter().try_fold(self.meaning.get(*key)?, |value, step| match step {
            Step::Key(key) => value.get(*key),
            Step::Index(index) => value.get(*index),
        })
    }

    /// Line and column of a place, both from 1.
    #[must_use]
    pub fn place(&self, offset: usize) -> (usize, usize) {
        crate::edit::json::place(&self.text, offset)
    }

    /// Where the value, or the header, at a path stands.
    #[must_use]
    pub fn span(&self, path: &[Step<'_>]) -> Option<Range<usize>> {
        inside::node(self.parsed.as_item(), path)?.span()
    }

    /// A refusal that points at a place.
    #[must_use]
    pub fn refuse(&self, fault: Fault, at: usize, text: String) -> Refusal {
        Refusal::new(fault, &self.text, at, text)
    }

    fn root(&self) -> &Item {
        self.parsed.as_item()
    }

    /// The file's line ends: those of its first line.
    fn newline(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text.get(..at).is_some_and(|head| head.ends_with('\r')) => "\r\n",
            _ => "\n",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::json::Json;

    fn group(command: &str) -> Json {
        let entry = Json::Object(vec![
            (String::from("type"), Json::text("command")),
            (String::from("command"), Json::text(command)),
        ]);
        Json::Object(vec![
            (String::from("matcher"), Json::text("*")),
            (String::from("hooks"), Json::Array(vec![entry])),
        ])
    }

    const SHAPES: [&str; 16] = [
        "",
        "\n",
        "# only a comment",
        "model = \"x\"",
        "model = \"x\" # why\r\n\r\n[features]\r\nhooks = true\r\n",
        "\u{feff}model = 'x'\n",
        "hooks = { SessionStart = [ { hooks = [ { type = \"command\", command = \"notes\" } ] } ] }\n",
        "hooks = {}\n[a]\nb = 1\n",
        "hooks.SessionStart = [{ hooks = [] }]\nb = 1\n\n[c]\nd = 1",
        "[hooks]\nPreToolUse = [\n  { matcher = \"a\", hooks = [{ type = \"command\", command = \"foreign\" }] }, # theirs\n]\n",
        "[hooks]\nPreToolUse = [\n  { hooks = [] }\n]\n",
        "[hooks]\nPreToolUse = []\n",
        "[hooks.state.\"/x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:0\"\n\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"foreign\"\n# tail",
        "[[hooks.PreToolUse]]\n\tmatcher = \"a\"\n\n\t[[hooks.PreToolUse.hooks]]\n\ttype = \"command\"\n\tcommand = \"foreign\"\n\n[z]\n",
        "[hooks]\n[hooks.state]\n",
        "a = '''\n[[hooks.PreToolUse]]\n'''\n",
    ];

    #[test]
    fn an_element_goes_in_last_and_out_again() {
        for shape in SHAPES {
            let before = Document::parse(shape.as_bytes()).unwrap();
            let path = [Step::Key("hooks"), Step::Key("PreToolUse")];
            let count = |document: &Document| {
                document.at(&path).and_then(toml::Value::as_array).map_or(0, |groups: &Vec<toml::Value>| groups.len())
            };
            let old = count(&before);
            let once = before.add_element(&["hooks", "PreToolUse"], &group("one")).unwrap();
            let twice = once.add_element(&["hooks", "PreToolUse"], &group("two")).unwrap();
            assert_eq!(count(&twice), old + 2);
            let last =
                [path[0], path[1], Step::Index(old + 1), Step::Key("hooks"), Step::Index(0), Step::Key("command")];
            assert_eq!(twice.at(&last).and_then(toml::Value::as_str), Some("two"), "{shape}");
            let other = twice.replace_element(&["hooks", "PreToolUse"], old, &group("it's \"1\"\\")).unwrap();
            let back = other.remove(&[path[0], path[1], Step::Index(old)]).unwrap();
            assert_eq!(
                back.at(&[path[0], path[1], Step::Index(old)]),
                twice.at(&[path[0], path[1], Step::Index(old + 1)])
            );
            let gone = back.remove(&[path[0], path[1], Step::Index(old)]).unwrap();
            assert!(count(&gone) == old);
            let crlf = shape.contains("\r\n");
            assert!(!crlf || twice.text().matches('\n').count() == twice.text().matches("\r\n").count(), "{shape}");
            // without another edit in between, nothing but an added last newline remains where headers are used
            let gone = String::from_utf8(gone.bytes()).unwrap();
            assert!(
                gone.starts_with(shape.trim_end()) || shape.starts_with("hooks") || shape.starts_with("[hooks]"),
                "{shape}\n---\n{gone}"
            );
        }
    }

    #[test]
    fn a_key_is_set_wherever_its_table_is() {
        let cases = [
            ("", "[features]\nhooks = true\n"),
            ("[features]\nhooks = false # off\n", "[features]\nhooks = true # off\n"),
            ("[features]\nweb = true\n\n[x]\n", "[features]\nweb = true\nhooks = true\n\n[x]\n"),
            ("[features]", "[features]\nhooks = true\n"),
            ("features.web = true\na = 1\n", "features.web = true\nfeatures.hooks = true\na = 1\n"),
            ("features = { web = true }", "features = { web = true, hooks = true }"),
            ("[features.web]\na = 1\n", "[features.web]\na = 1\n\n[features]\nhooks = true\n"),
        ];
        for (before, after) in cases {
            let document = Document::parse(before.as_bytes()).unwrap();
            let set = document.set(&["features", "hooks"], &Json::Bool(true)).unwrap();
            assert_eq!(set.text(), after);
        }
    }

    #[test]
    fn a_table_goes_with_its_header_and_a_key_is_spelled_anew() {
        let text = "[hooks.state.\"/a:0:0\"]\ntrusted_hash = \"1\"\n\n[hooks.state.\"/b:0:0\"]\nenabled = false # mine\n\n# next\n[z]\n";
        let document = Document::parse(text.as_bytes()).unwrap();
        let gone = document.remove(&[Step::Key("hooks"), Step::Key("state"), Step::Key("/b:0:0")]).unwrap();
        assert_eq!(gone.text(), "[hooks.state.\"/a:0:0\"]\ntrusted_hash = \"1\"\n\n# next\n[z]\n");
        let renamed = document.rename(&["hooks", "state", "/a:0:0"], "/a:1:0").unwrap();
        assert_eq!(renamed.text(), text.replace("/a:0:0", "/a:1:0"));
        assert!(document.rename(&["hooks", "state", "/a:0:0"], "/b:0:0").is_err());
    }

    #[test]
    fn what_is_strewn_over_the_file_is_refused() {
        let text =
            "[[hooks.PreToolUse]]\nmatcher = \"*\"\n[x]\na = 1\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\n";
        let document = Document::parse(text.as_bytes()).unwrap();
        assert!(document.remove(&[Step::Key("hooks"), Step::Key("PreToolUse"), Step::Index(0)]).is_err());
        assert!(Document::parse(b"a = 1\na = 2\n").is_err());
        assert!(Document::parse(b"\xff").is_err());
    }
}
