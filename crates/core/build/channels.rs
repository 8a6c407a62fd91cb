// The `channel` part of a record → `Channel`: of all that a record says, the weakest. A strength that nobody here has
// measured or read in the program counts as unknown; a weakness counts whoever reports it.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::records::{Fact, known};

#[derive(Deserialize)]
pub(crate) struct Channel {
    silence: Vec<Fact<Worth>>,
    allow: Vec<Fact<Allow>>,
    ask: Vec<Fact<Ask>>,
    deny: Deny,
}

#[derive(Deserialize)]
struct Worth {
    worth: String,
}

#[derive(Deserialize)]
struct Allow {
    worth: String,
    modes: Vec<String>,
}

#[derive(Deserialize)]
struct Ask {
    worth: String,
    attendance: String,
}

#[derive(Deserialize)]
struct Deny {
    ends: Fact<bool>,
}

/// Words of the record from the strongest to the weakest, as `channel.rs` orders them; the first ones are strengths.
struct Scale {
    strengths: usize,
    words: &'static [(&'static str, &'static str)],
}

const SILENCE: Scale =
    Scale { strengths: 1, words: &[("defers", "Defers"), ("unknown", "Unknown"), ("allows", "Allows")] };
const ALLOW: Scale = Scale {
    strengths: 1,
    words: &[
        ("grants", "Grants"),
        ("overrides", "Overrides"),
        ("advisory", "Advisory"),
        ("passes", "Passes"),
        ("unknown", "Unknown"),
    ],
};
const ASK: Scale = Scale {
    strengths: 2,
    words: &[
        ("prompts", "Prompts"),
        ("refuses", "Refuses"),
        ("none", "None"),
        ("unknown", "Unknown"),
        ("hangs", "Hangs"),
        ("passes", "Passes"),
    ],
};

impl Scale {
    /// The weakest of the words; unknown where there are none.
    fn weakest<'a>(&self, facts: impl Iterator<Item = (&'a str, &'a str)>) -> Result<&'static str, String> {
        let mut worst = None;
        for (word, evidence) in facts {
            known(evidence)?;
            let place = |word: &str| self.words.iter().position(|row| row.0 == word);
            let mut at = place(word).ok_or_else(|| format!("unknown worth `{word}`"))?;
            if at < self.strengths && !matches!(evidence, "probe" | "source") {
                at = place("unknown").unwrap_or(at);
            }
            worst = worst.max(Some(at));
        }
        Ok(worst.and_then(|at| self.words.get(at)).map_or("Unknown", |row| row.1))
    }
}

pub(crate) fn one(code: &mut String, id: &str, name: &str, channel: &Channel) -> Result<(), String> {
    let silence = channel.silence.iter().map(|fact| (fact.value.worth.as_str(), fact.evidence.as_str()));
    // in plan mode the table sends an allow for reading only, on every agent
    let allow = channel.allow.iter().filter(|fact| fact.value.modes != ["plan"]);
    let allow = allow.map(|fact| (fact.value.worth.as_str(), fact.evidence.as_str()));
    let asked = |attendance: &str| {
        let rows = channel.ask.iter().filter(|fact| fact.value.attendance == attendance);
        ASK.weakest(rows.map(|fact| (fact.value.worth.as_str(), fact.evidence.as_str())))
    };
    if let Some(fact) = channel.ask.iter().find(|fact| !matches!(&*fact.value.attendance, "attended" | "unattended")) {
        return Err(format!("unknown attendance `{}`", fact.value.attendance));
    }
    known(&channel.deny.ends.evidence)?;
    let _ = writeln!(
        code,
        "    Channel {{ agent: {id:?}, name: {name:?}, silence: Silence::{}, allow: Allow::{}, ask_attended: Ask::{}, ask_unattended: Ask::{}, deny_ends: {} }},",
        SILENCE.weakest(silence)?,
        ALLOW.weakest(allow)?,
        asked("attended")?,
        asked("unattended")?,
        channel.deny.ends.value,
    );
    Ok(())
}
