//! Persona contracts, as far as a run depends on them: three fields of the header, read lexically. What the persona is like
//! is for the model to read; whether it may be run is decided here.

use super::flow::Problem;

/// The version that is understood.
pub const SCHEMA: &str = "persona-contract/1.0";
/// A larger file is no contract.
pub const MOST: usize = 1024 * 1024;

/// What a contract says about being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contract {
    /// it may be run
    Ready,
    /// it says itself that it is not ready: data, no failure
    Skipped(Unready),
}

/// Why a contract is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unready {
    /// still being written
    Draft,
    /// something is in the way
    Blocked,
}

impl Unready {
    /// `draft` or `blocked`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Blocked => "blocked",
        }
    }
}

impl Contract {
    /// Reads the contract of the persona in folder `id`.
    ///
    /// # Errors
    /// What keeps it from being run.
    pub fn read(text: &str, id: &str) -> Result<Self, Problem> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let found = ["schema_version", "persona_id", "contract_status"].map(|key| (key, field(text, key)));
        let missing: Vec<&str> = found.iter().filter(|(_, field)| field.is_none()).map(|(key, _)| *key).collect();
        if text.len() > MOST || !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(|key| format!("`{key}`")).collect();
            let fix = format!("add `{}: …` to the header", missing.first().copied().unwrap_or("schema_version"));
            return Err(problem(1, format!("the contract has no {}", names.join(", ")), fix));
        }
        let [Some((schema_line, schema)), Some((id_line, persona)), Some((status_line, status))] =
            found.map(|(_, field)| field)
        else {
            return Err(problem(
                1,
                String::from("the contract has no header"),
                String::from("start from `leastgrant persona new`"),
            ));
        };
        if schema != SCHEMA {
            let text = format!("the contract is of version `{}`", brief(schema));
            return Err(problem(schema_line, text, format!("`{SCHEMA}` is the one that is understood")));
        }
        if persona != id {
            let text = format!("the contract is of persona `{}`, and its folder is `{}`", brief(persona), brief(id));
            return Err(problem(id_line, text, format!("write `persona_id: {}`, or move it", brief(id))));
        }
        match status {
            "ready" => Ok(Self::Ready),
            "draft" => Ok(Self::Skipped(Unready::Draft)),
            "blocked" => Ok(Self::Skipped(Unready::Blocked)),
            other => Err(problem(
                status_line,
                format!("`contract_status` is `{}`", brief(other)),
                String::from("write `ready`, `draft` or `blocked`"),
            )),
        }
    }
}

/// Whether a text may be the name of a persona or a flow: it becomes part of a path.
#[must_use]
pub fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !text.contains("..")
}

/// Line and value of the first line that has this key.
fn field<'a>(text: &'a str, key: &str) -> Option<(usize, &'a str)> {
    text.lines().enumerate().find_map(|(at, line)| {
        let value = line.trim_start().strip_prefix(key)?.trim_start().strip_prefix(':')?.trim();
        let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
        Some((at + 1, value.strip_suffix(['"', '\'']).unwrap_or(value)))
    })
}

fn problem(line: usize, text: String, fix: String) -> Problem {
    Problem { line, missing: false, section: None, text, fix }
}

fn brief(text: &str) -> String {
    super::why::bounded(text).chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(schema: &str, id: &str, status: &str) -> String {
        format!(
            "persona_contract:\n  schema_version: \"{schema}\"\n  persona_id: {id}\n  contract_status: '{status}'\n"
        )
    }

    #[test]
    fn three_fields_decide() {
        assert_eq!(Contract::read(&contract(SCHEMA, "ana", "ready"), "ana"), Ok(Contract::Ready));
        assert_eq!(Contract::read(&contract(SCHEMA, "ana", "draft"), "ana"), Ok(Contract::Skipped(Unready::Draft)));
        assert_eq!(Contract::read(&contract(SCHEMA, "ana", "blocked"), "ana"), Ok(Contract::Skipped(Unready::Blocked)));
        for (text, line, words) in [
            (contract("persona-contract/2.0", "ana", "ready"), 2, "version `persona-contract/2.0`"),
            (contract(SCHEMA, "bo", "ready"), 3, "persona `bo`"),
            (contract(SCHEMA, "ana", "done"), 4, "`contract_status` is `done`"),
            (String::from("persona_id: ana"), 1, "no `schema_version`, `contract_status`"),
            (String::new(), 1, "no `schema_version`, `persona_id`, `contract_status`"),
        ] {
            let problem = Contract::read(&text, "ana").unwrap_err();
            assert_eq!(problem.line, line, "{problem}");
            assert!(problem.text.contains(words), "{problem}");
        }
    }

    #[test]
    fn names_stay_in_their_folder() {
        for name in ["ana", "ana-2", "a.b", "A_b"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "..", "../x", "a/b", ".a", "-a", "a..b", "a b", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
