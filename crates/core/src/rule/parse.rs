//! Rule files: TOML, `[[rule]]` with `effect`, `pattern` or conditions (see [`super::When`]) and, if wanted, `project`,
//! `note`, `until`. What is good counts,
//! what is not becomes a problem with its line; nothing is guessed.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::value::{Datetime, Offset};

use super::{Effect, Layer, Rule, When};

/// Something in a rule file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// the file, as it was named
    pub file: String,
    /// from 1
    pub line: usize,
    /// from 1, in characters
    pub column: usize,
    /// in words
    pub text: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:{}:{}: {}", self.file, self.line, self.column, self.text)
    }
}

/// Most rules of one file.
const MOST: usize = 2_000;
/// Longest pattern or note, in bytes.
const LONGEST: usize = 4_000;

/// Reads a rule file. `file` is for the problems, `layer` goes into the rules. A file of the project's layer may not
/// bind rules to another project.
#[must_use]
pub fn parse(text: &str, file: &str, layer: Layer) -> (Vec<Rule>, Vec<Problem>) {
    let mut reader = Reader { text, file, layer, rules: Vec::new(), problems: Vec::new() };
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let at = error.span().map_or(0, |span| span.start);
        reader.problem(at, error.message().lines().next().unwrap_or("not TOML").to_owned());
    }
    reader.file(table.get_ref());
    reader.problems.sort_by_key(|problem| (problem.line, problem.column));
    (reader.rules, reader.problems)
}

struct Reader<'a> {
    text: &'a str,
    file: &'a str,
    layer: Layer,
    rules: Vec<Rule>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn problem(&mut self, at: usize, text: String) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        self.problems.push(Problem { file: self.file.to_owned(), line, column, text });
    }

    fn file(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("rule", DeValue::Array(entries)) => {
                    if entries.len() > MOST {
                        self.problem(value.span().start, format!("more than {MOST} rules; the rest is left out"));
                    }
                    for entry in entries.iter().take(MOST) {
                        self.entry(entry);
                    }
                }
                ("rule", _) => {
                    self.problem(value.span().start, String::from("`rule` must be a list: write `[[rule]]`"));
                }
                (other, _) => {
                    self.problem(key.span().start, format!("unknown key `{other}`; rules stand under `[[rule]]`"));
                }
            }
        }
    }

    fn entry(&mut self, entry: &Spanned<DeValue<'_>>) {
        let DeValue::Table(table) = entry.get_ref() else {
            return self.problem(entry.span().start, String::from("a rule must be a table: write `[[rule]]`"));
        };
        match self.rule(entry.span().start, table) {
            Ok(rule) => self.rules.push(rule),
            Err((at, text)) => self.problem(at, text),
        }
    }

    /// One bad key makes the whole rule bad: half a rule could allow more than its author meant.
    fn rule(&self, at: usize, table: &DeTable<'_>) -> Result<Rule, (usize, String)> {
        let mut rule = Draft::default();
        for (key, value) in table {
            let from = value.span().start;
            let wrong = |what: &str| (from, format!("`{}` must be {what}", key.get_ref()));
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("effect", DeValue::String(word)) => {
                    rule.effect = Some(Effect::from_id(word).ok_or_else(|| wrong("`allow`, `ask` or `deny`"))?);
                }
                ("effect", _) => return Err(wrong("`allow`, `ask` or `deny`")),
                ("pattern", DeValue::String(text)) => {
                    let fits = !text.trim().is_empty() && text.len() <= LONGEST;
                    rule.pattern = Some(fits.then(|| text.to_string()).ok_or_else(|| wrong("1 to 4000 bytes long"))?);
                }
                ("pattern", _) => return Err(wrong("a text")),
                ("project", DeValue::String(path)) => {
                    let absolute = path.starts_with('/') && path.len() <= LONGEST;
                    let may = !matches!(self.layer, Layer::Project | Layer::Trusted);
                    let path = (absolute && may).then(|| path.trim_end_matches('/').to_owned());
                    rule.project = Some(path.ok_or_else(|| wrong("an absolute path, outside a project's own file"))?);
                }
                ("project", _) => return Err(wrong("an absolute path")),
                ("note", DeValue::String(text)) if text.len() <= LONGEST => rule.note = Some(text.to_string()),
                ("note", _) => return Err(wrong("a text of at most 4000 bytes")),
                ("until", DeValue::Datetime(time)) => {
                    rule.until_ms = Some(millis(time).ok_or_else(|| wrong("a date, or a date with a time"))?);
                }
                ("until", _) => return Err(wrong("a date without quotes, like `2030-01-31`")),
                (name, DeValue::String(text)) if rule.when.slot(name).is_some() => {
                    let fits = !text.trim().is_empty() && text.len() <= LONGEST;
                    let text = fits.then(|| text.trim().to_owned()).ok_or_else(|| wrong("1 to 4000 bytes long"))?;
                    if let Some(slot) = rule.when.slot(name) {
                        *slot = Some(text);
                    }
                }
                (name, _) if rule.when.slot(name).is_some() => return Err(wrong("a text")),
                (other, _) => {
                    let text = format!("unknown key `{other}` in a rule; the rule does not count");
                    return Err((key.span().start, text));
                }
            }
        }
        let missing = |what: &str| (at, format!("a rule without `{what}` does not count"));
        Ok(Rule {
            effect: rule.effect.ok_or_else(|| missing("effect"))?,
            pattern: match rule.pattern {
                Some(pattern) => pattern,
                None if !rule.when.is_empty() => String::new(),
                None => return Err(missing("pattern")),
            },
            when: rule.when,
            layer: self.layer,
            project: rule.project,
            note: rule.note,
            until_ms: rule.until_ms,
        })
    }
}

#[derive(Default)]
struct Draft {
    effect: Option<Effect>,
    pattern: Option<String>,
    when: When,
    project: Option<String>,
    note: Option<String>,
    until_ms: Option<i64>,
}

/// Milliseconds since 1970; without an offset the time is UTC, without a time it is the end of that day.
fn millis(time: &Datetime) -> Option<i64> {
    let date = time.date?;
    let days = days(i64::from(date.year), i64::from(date.month), i64::from(date.day));
    let seconds = time.time.map_or(24 * 3600 - 1, |clock| {
        i64::from(clock.hour) * 3600 + i64::from(clock.minute) * 60 + i64::from(clock.second.unwrap_or(0))
    });
    let offset = match time.offset {
        Some(Offset::Custom { minutes }) => i64::from(minutes) * 60,
        Some(Offset::Z) | None => 0,
    };
    Some((days * 86_400 + seconds - offset) * 1_000)
}

/// Days since 1970-01-01 of a date of the Gregorian calendar (years begin in March, so that a leap day comes last).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::{days, parse};
    use crate::rule::{Effect, Layer};

    #[test]
    fn good_rules_stay_beside_bad_ones() {
        let text = "\
[[rule]]
effect = \"allow\"
pattern = \"cargo *\"
note = \"why\"
until = 2030-01-01T00:00:00+01:00

[[rule]]
effect = \"alow\"
pattern = \"x\"

[[rule]]
effect = \"deny\"
pattern = \"git push --force *\"
project = \"/home/a/b/\"

[[rule]]
effect = \"ask\"
patern = \"x\"

[other]
a = 1
";
        let (rules, problems) = parse(text, "rules.toml", Layer::User);
        assert_eq!(rules.len(), 2);
        assert_eq!(rules[0].until_ms, Some(1_893_452_400_000));
        assert_eq!(rules[1].effect, Effect::Deny);
        assert_eq!(rules[1].project.as_deref(), Some("/home/a/b"));
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "rules.toml:8:10: `effect` must be `allow`, `ask` or `deny`",
                "rules.toml:18:1: unknown key `patern` in a rule; the rule does not count",
                "rules.toml:20:2: unknown key `other`; rules stand under `[[rule]]`",
            ]
        );
    }

    #[test]
    fn broken_toml_is_a_problem_and_no_crash() {
        for text in
            ["[[rule", "rule = 1", "[[rule]]\neffect = \"allow", "= = =", "\u{0}", "[[rule]]\n[[rule]]\n", "rule = [1]"]
        {
            let (_, problems) = parse(text, "r", Layer::User);
            assert!(!problems.is_empty(), "{text:?}");
        }
        assert_eq!(parse("", "r", Layer::User), (vec![], vec![]));
        assert_eq!(parse("# nothing\n", "r", Layer::User), (vec![], vec![]));
    }

    #[test]
    fn a_project_cannot_speak_for_another() {
        let text = "[[rule]]\neffect = \"deny\"\npattern = \"x\"\nproject = \"/elsewhere\"\n";
        assert_eq!(parse(text, "r", Layer::Project).0, vec![]);
        assert_eq!(parse(text, "r", Layer::User).0.len(), 1);
    }

    #[test]
    fn dates() {
        for (date, expected) in
            [((1970, 1, 1), 0), ((2000, 3, 1), 11_017), ((2024, 2, 29), 19_782), ((1969, 12, 31), -1)]
        {
            assert_eq!(days(date.0, date.1, date.2), expected, "{date:?}");
        }
    }
}
