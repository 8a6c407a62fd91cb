//! Arguments against a usage table: which options, which operands in which role, which wrapped command.

use leastgrant_shell::Value;

use super::arg::Arg;
use crate::action::Capability;
use crate::knowledge::{Effect, Operand, Opt, Slot, Style, Takes, Usage};

/// Arguments, understood.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// the usage that fits, after subcommands
    pub usage: &'static Usage,
    /// usages on the way, outermost first, `usage` last
    pub chain: Vec<&'static Usage>,
    /// subcommands on the way
    pub path: Vec<&'static str>,
    /// options as they were found
    pub options: Vec<Found<'a>>,
    /// operands with their roles
    pub operands: Vec<(Slot, Arg)>,
    /// the wrapped command, and whether further arguments are added to it
    pub command: Option<(Vec<Arg>, bool)>,
    /// what kept it from being understood
    pub opaque: Option<(Arg, String)>,
    /// every argument, as written
    pub args: &'a [Arg],
}

/// One option.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// as the table names it, or as written where it is not listed
    pub name: String,
    /// its value
    pub value: Option<Arg>,
    /// its row, where it matters
    pub row: Option<&'static Opt>,
    /// the argument it stands in
    pub arg: &'a Arg,
}

impl Parsed<'_> {
    /// Whether one of these options was given.
    #[must_use]
    pub fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|option| names.contains(&option.name.as_str()))
    }

    /// The value of the first of these options.
    #[must_use]
    pub fn value(&self, names: &[&str]) -> Option<&Arg> {
        self.options
            .iter()
            .find(|option| names.contains(&option.name.as_str()))
            .and_then(|option| option.value.as_ref())
    }

    /// Operands in this role.
    pub fn in_role(&self, role: Slot) -> impl Iterator<Item = &Arg> {
        self.operands.iter().filter(move |operand| operand.0 == role).map(|operand| &operand.1)
    }

    /// Effects of the options that matter.
    pub fn effects(&self) -> impl Iterator<Item = &'static Effect> + '_ {
        self.options.iter().filter_map(|option| option.row.map(|row| &row.effect))
    }
}

/// Reads `args` (without the program) by `usage`.
#[must_use]
pub fn parse<'a>(usage: &'static Usage, args: &'a [Arg]) -> Parsed<'a> {
    let mut scan = Scan {
        parsed: Parsed {
            usage,
            chain: vec![usage],
            path: Vec::new(),
            options: Vec::new(),
            operands: Vec::new(),
            command: None,
            opaque: None,
            args,
        },
        raw: Vec::new(),
        fixed: 0,
        literal: false,
    };
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += scan.step(arg, args.get(at + 1..).unwrap_or_default());
        if scan.parsed.command.is_some() {
            break;
        }
    }
    scan.finish()
}

struct Scan<'a> {
    parsed: Parsed<'a>,
    raw: Vec<Arg>,
    /// fixed leading roles that are taken
    fixed: usize,
    /// after `--`, or after the first operand where options come first
    literal: bool,
}

impl<'a> Scan<'a> {
    /// Takes one argument and says how many were used up.
    fn step(&mut self, arg: &'a Arg, rest: &'a [Arg]) -> usize {
        let style = self.parsed.usage.style;
        let text = arg.prefix();
        if self.literal || style == Style::None || !text.starts_with('-') || text == "-" {
            if !self.literal && style != Style::None && text.is_empty() && arg.exact().is_none() {
                self.maybe_option(arg);
            }
            return self.operand(arg, rest);
        }
        if text == "--" && arg.exact().is_some() {
            self.literal = true;
            return 1;
        }
        if arg.exact().is_none() && !text.contains('=') {
            self.maybe_option(arg);
        }
        match style {
            Style::SingleDash => self.word(arg, rest, text),
            _ if text.starts_with("--") => self.word(arg, rest, text),
            _ => self.cluster(arg, rest, text),
        }
    }

    /// An argument that is not known could be an option that matters.
    fn maybe_option(&mut self, arg: &Arg) {
        let matters =
            |row: &Opt| row.effect.does.is_some() || row.effect.mark.is_some() || !row.effect.opaque.is_empty();
        if arg.split && self.parsed.chain.iter().any(|usage| usage.options.iter().any(matters)) {
            self.parsed
                .opaque
                .get_or_insert_with(|| (arg.clone(), String::from("an argument that is not known could be an option")));
        }
    }

    /// Usages whose options count here, innermost first: options that end at the first operand do not count behind it.
    fn in_force(&self) -> impl Iterator<Item = &'static Usage> + '_ {
        let whole =
            |(at, usage): (usize, &&'static Usage)| (at == 0 || usage.style != Style::OptionsFirst).then_some(*usage);
        self.parsed.chain.iter().rev().enumerate().filter_map(whole)
    }

    fn rows(&self) -> impl Iterator<Item = &'static Opt> + use<> {
        let chain: Vec<&'static Usage> = self.in_force().collect();
        chain.into_iter().flat_map(|usage| usage.options.iter())
    }

    fn listed(&self, name: &str) -> Option<bool> {
        self.in_force().find_map(|usage| {
            if usage.flags.contains(&name) {
                Some(false)
            } else if usage.values.contains(&name) {
                Some(true)
            } else {
                None
            }
        })
    }

    /// `--long`, `--long=value`, `--lo` (GNU lets names be cut), `-long` in the single-dash style.
    fn word(&mut self, arg: &'a Arg, rest: &'a [Arg], text: &str) -> usize {
        let (name, joined) = match text.split_once('=') {
            Some((name, _)) => (name, Some(arg.after(name.len() + 1))),
            None => (text, None),
        };
        let exact: Vec<&'static Opt> = self.rows().filter(|row| row.names.contains(&name)).take(1).collect();
        let found = if exact.is_empty() && self.listed(name).is_none() && name.len() > 3 && name.starts_with("--") {
            self.rows().filter(|row| row.names.iter().any(|full| full.starts_with(name))).collect()
        } else {
            exact
        };
        if found.is_empty() && self.asks_for_help(arg) {
            self.parsed.opaque = None;
            self.parsed.options.push(Found { name: name.to_owned(), value: None, row: Some(&HELP), arg });
            return 1;
        }
        if found.is_empty() {
            let takes = self.listed(name);
            if takes.is_none() && self.parsed.usage.strict {
                self.parsed.opaque.get_or_insert_with(|| (arg.clone(), format!("unknown option `{name}`")));
            }
            let (value, used) = match (joined, takes) {
                (Some(value), _) => (Some(value), 1),
                (None, Some(true)) => (rest.first().cloned(), 2),
                (None, _) => (None, 1),
            };
            self.parsed.options.push(Found { name: name.to_owned(), value, row: None, arg });
            return used;
        }
        let mut used = 1;
        for row in found {
            self.end_of_options(row);
            let value = match row.takes {
                Takes::Value(_) if joined.is_none() => {
                    used = 2;
                    rest.first().cloned()
                }
                _ => joined.clone(),
            };
            let name = row.names.first().copied().unwrap_or_default().to_owned();
            self.parsed.options.push(Found { name, value, row: Some(row), arg });
        }
        used
    }

    /// `-abc`, `-ofile`, `-o file`.
    fn cluster(&mut self, arg: &'a Arg, rest: &'a [Arg], text: &str) -> usize {
        let whole = text.split_once('=').map_or(text, |split| split.0);
        if text.len() > 2 && (self.rows().any(|row| row.names.contains(&whole)) || self.listed(whole).is_some()) {
            return self.word(arg, rest, text);
        }
        let known = text.len() <= 2 || self.knows(text);
        for (at, letter) in text.char_indices().skip(1) {
            let name = format!("-{letter}");
            let after = at + letter.len_utf8();
            let joined = (after < text.len() || arg.exact().is_none()).then(|| arg.after(after));
            // `-Dhelp` of a program with long options is no `-h`: what makes everything harmless needs a cluster that is known
            let row =
                self.rows().find(|row| row.names.contains(&name.as_str())).filter(|row| known || !row.effect.only);
            let takes = row.map_or_else(
                || if self.listed(&name) == Some(true) { Takes::Value(Slot::Text) } else { Takes::Nothing },
                |row| row.takes,
            );
            if row.is_none() && self.listed(&name).is_none() && self.parsed.usage.strict && !letter.is_ascii_digit() {
                self.parsed.opaque.get_or_insert_with(|| (arg.clone(), format!("unknown option `{name}`")));
            }
            let shown = row.and_then(|row| row.names.first()).map_or(name, |first| (*first).to_owned());
            if let Some(row) = row {
                self.end_of_options(row);
            }
            match takes {
                Takes::Nothing => self.parsed.options.push(Found { name: shown, value: None, row, arg }),
                Takes::Optional(_) => {
                    self.parsed.options.push(Found { name: shown, value: joined, row, arg });
                    return 1;
                }
                Takes::Value(_) => {
                    let used = if joined.is_some() { 1 } else { 2 };
                    let value = joined.or_else(|| rest.first().cloned());
                    self.parsed.options.push(Found { name: shown, value, row, arg });
                    return used;
                }
            }
        }
        1
    }

    /// Whether every letter of a cluster is listed, up to one that takes a value.
    fn knows(&self, text: &str) -> bool {
        for letter in text.chars().skip(1) {
            let name = format!("-{letter}");
            let row = self.rows().find(|row| row.names.contains(&name.as_str()));
            match (row.map(|row| row.takes), self.listed(&name)) {
                (Some(Takes::Nothing), _) | (None, Some(false)) => {}
                (Some(_), _) | (None, Some(true)) => return true,
                (None, None) => return letter.is_ascii_digit(),
            }
        }
        true
    }

    /// Where options come first, one that says what the operands are ends them (`python -c CODE --version`).
    fn end_of_options(&mut self, row: &'static Opt) {
        self.literal |= self.parsed.usage.style == Style::OptionsFirst
            && row.takes != Takes::Nothing
            && row.effect.operands.is_some()
            && !row.effect.only;
    }

    /// `--help` and `--version` that no table lists, where nothing but subcommands and plain words stands before them. A
    /// program without subcommands may be one that takes them for operands once it has seen one.
    fn asks_for_help(&self, arg: &Arg) -> bool {
        let plain = |arg: &Arg| {
            arg.exact().is_some_and(|text| {
                text.len() < 40 && text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')
            })
        };
        let before = &self.raw;
        let nested = self.parsed.chain.first().is_some_and(|usage| !usage.subs.is_empty());
        matches!(arg.exact(), Some("--help" | "--version"))
            && self.listed(arg.prefix()).is_none()
            && self.parsed.options.iter().all(|found| found.row.is_none())
            && self.parsed.operands.is_empty()
            && (before.is_empty() || nested && before.len() <= 3 && before.iter().all(plain))
    }

    fn roles(&self) -> &'static [Operand] {
        roles(&self.parsed)
    }

    fn operand(&mut self, arg: &'a Arg, rest: &'a [Arg]) -> usize {
        let usage = self.parsed.usage;
        let asked = self.parsed.effects().any(|effect| effect.only && effect.operands.is_some());
        if !usage.subs.is_empty() && self.raw.is_empty() && !asked {
            return self.subcommand(arg);
        }
        if usage.style == Style::OptionsFirst {
            self.literal = true;
        }
        while let Some(slot) = self.roles().get(self.fixed) {
            match slot.role {
                Slot::Assignment if is_assignment(arg.prefix()) => {
                    self.parsed.operands.push((Slot::Assignment, arg.clone()));
                    return 1;
                }
                Slot::Assignment => self.fixed += 1,
                Slot::Command | Slot::CommandMore if arg.exact() == Some("--") && !rest.is_empty() => return 1,
                Slot::Command | Slot::CommandMore => {
                    let mut words = vec![arg.clone()];
                    words.extend(rest.iter().cloned());
                    self.parsed.command = Some((words, slot.role == Slot::CommandMore));
                    return rest.len() + 1;
                }
                _ if slot.rest => break,
                role => {
                    // roles behind a rest are given out at the end
                    if self.roles().iter().any(|operand| operand.rest) {
                        break;
                    }
                    self.fixed += 1;
                    self.parsed.operands.push((role, arg.clone()));
                    return 1;
                }
            }
        }
        self.raw.push(arg.clone());
        1
    }

    fn subcommand(&mut self, arg: &'a Arg) -> usize {
        let usage = self.parsed.usage;
        // `cargo +nightly test`
        if arg.prefix().starts_with('+') && usage.flags.contains(&"+*") {
            return 1;
        }
        let sub = arg.exact().and_then(|name| usage.subs.iter().find(|sub| sub.names.contains(&name)));
        if let Some(sub) = sub {
            self.parsed.path.push(sub.names.first().copied().unwrap_or_default());
            self.parsed.chain.push(&sub.usage);
            self.parsed.usage = &sub.usage;
        } else if let Some(other) = usage.other {
            self.parsed.chain.push(other);
            self.parsed.usage = other;
            self.raw.push(arg.clone());
        } else {
            self.parsed.opaque.get_or_insert_with(|| (arg.clone(), format!("unknown subcommand `{}`", arg.shown())));
            self.raw.push(arg.clone());
        }
        1
    }

    fn finish(mut self) -> Parsed<'a> {
        let nothing = self.raw.is_empty() && self.parsed.operands.is_empty() && self.parsed.command.is_none();
        if let Some(bare) = self.parsed.usage.bare
            && nothing
            && !self.parsed.effects().any(|effect| effect.only)
        {
            self.parsed.usage = bare;
            self.parsed.chain.push(bare);
        }
        let roles = self.roles();
        let fixed = roles.get(self.fixed..).unwrap_or_default();
        let rest_at = fixed.iter().position(|operand| operand.rest).unwrap_or(fixed.len());
        let behind = fixed.len().saturating_sub(rest_at + 1);
        let count = self.raw.len();
        for (at, arg) in self.raw.into_iter().enumerate() {
            let from_end = count - at;
            let role = if from_end <= behind && at >= rest_at.min(count.saturating_sub(behind)) {
                fixed.get(fixed.len() - from_end)
            } else if at < rest_at {
                fixed.get(at)
            } else {
                fixed.get(rest_at)
            };
            self.parsed.operands.push((role.map_or(Slot::Text, |operand| operand.role), arg));
        }
        self.parsed
    }
}

/// The roles of operands: an option's, else the innermost usage's that names some.
fn roles(parsed: &Parsed<'_>) -> &'static [Operand] {
    let by_option = parsed.effects().filter_map(|effect| effect.operands).last();
    by_option.or_else(|| parsed.chain.iter().rev().find_map(|usage| usage.effect.operands)).unwrap_or_default()
}

/// `--help`: nothing is done.
static HELP: Opt = Opt {
    names: &["--help"],
    takes: Takes::Nothing,
    effect: Effect {
        does: Some(Capability::Inspect),
        reach: None,
        undo: None,
        exposure: None,
        scale: None,
        mark: None,
        opaque: "",
        note: "",
        safer: "",
        operands: None,
        only: true,
        code: "",
    },
};

/// `NAME=…`
#[must_use]
pub fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

/// Whether a value could be this text.
#[must_use]
pub fn could_be(value: &Value, text: &str) -> bool {
    match value {
        Value::Exact(known) => known == text,
        Value::OneOf(known) => known.iter().any(|known| known == text),
        Value::Prefix(start) => text.starts_with(start.as_str()),
        Value::Matches(_) | Value::Unknown => true,
    }
}
