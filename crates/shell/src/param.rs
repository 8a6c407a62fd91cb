//! Values of `$name` and `${…}`.
//!
//! Nested commands in the operands are listed whatever the value; a value is given only where the operator
//! is understood and its operands are known.

use crate::fields::Piece;
use crate::flow::Known;
use crate::pattern;
use crate::tree::{Id, Op, Param, Tree};
use crate::walk::{At, Walk};
use crate::{Dialect, Span, Value, Why, Word};

/// Longest text that a pattern is matched against.
const LONGEST: usize = 128;

impl Walk<'_> {
    /// One parameter expansion.
    pub(crate) fn param(&mut self, t: &Tree, param: &Param, span: Span, at: &At) -> Piece {
        let index = param.index.map(|index| self.index(t, index, at));
        let quoted = param.quoted;
        let unknown = Piece::Value { value: Value::Unknown, quoted };
        // `${v:-word}`: the word's assignments may or may not happen
        let mark = self.flow.mark();
        let args: Vec<Word> = match param.op {
            Op::Slice => param.args.iter().map(|arg| self.slice_arg(t, *arg, at)).collect(),
            _ => param.args.iter().map(|arg| self.single(t, *arg, at, false)).collect(),
        };
        if matches!(param.op, Op::Default(_) | Op::Assign(_) | Op::Error(_) | Op::Other(_)) {
            self.flow.maybe(mark);
        }
        let first = args.first().map(|word| word.value.clone()).unwrap_or(Value::Unknown);
        if param.op == Op::Bad || param.op == Op::Names {
            return unknown;
        }
        let mut known = self.look_up(&param.name, index.as_ref());
        if param.indirect {
            if known.value.all().is_none() && self.names_carrier(&param.name) {
                // the name that it holds may have a subscript, which expands
                self.opaque(span, Why::Expansion);
            }
            known = self.indirect(known, span, at);
        }
        if let Op::At(b'P') = param.op {
            if known.list.is_some() {
                self.opaque(span, Why::Expansion);
                for value in known.list.iter().flatten() {
                    drop(self.prompt(value.clone(), quoted, span, at));
                }
                return unknown;
            }
            return self.prompt(known.value, quoted, span, at);
        }
        if param.length {
            return Piece::Value { value: length(&known, index.as_ref()), quoted };
        }
        if let Some(values) = &known.list
            && self.is_all(&param.name, index.as_ref())
        {
            return match param.op {
                Op::None => self.several(&param.name, index.as_ref(), values, quoted),
                _ => unknown,
            };
        }
        if param.indirect && matches!(param.op, Op::Assign(_)) {
            // assigns to whatever the value names
            self.flow.clear();
            return unknown;
        }
        if self.is_all(&param.name, index.as_ref()) {
            return unknown;
        }
        let value = self.operator(param, &known.value, &first, &args);
        if matches!(param.op, Op::Assign(_)) && value != known.value {
            self.flow.forget(&param.name);
        }
        Piece::Value { value, quoted }
    }

    fn slice_arg(&mut self, t: &Tree, arg: Id, at: &At) -> Word {
        self.arithmetic(t, arg, at);
        Word {
            span: t.span(arg),
            value: t.literal(arg).and_then(|text| String::from_utf8(text).ok()).map_or(Value::Unknown, Value::Exact),
            quoted: false,
            glob: false,
            split: false,
            verbatim: None,
        }
    }

    /// A subscript; its text if it is known.
    fn index(&mut self, t: &Tree, index: Id, at: &At) -> Value {
        if let Some(text @ ("@" | "*")) = t.plain(index) {
            return Value::Exact(text.to_owned());
        }
        self.arithmetic(t, index, at);
        match t.literal(index).and_then(|text| String::from_utf8(text).ok()) {
            Some(text) if text.bytes().all(|c| c.is_ascii_digit()) => Value::Exact(text),
            _ => Value::Unknown,
        }
    }

    fn is_all(&self, name: &str, index: Option<&Value>) -> bool {
        matches!(name, "@" | "*") || matches!(index, Some(Value::Exact(text)) if text == "@" || text == "*")
    }

    /// What a parameter holds, before any operator.
    fn look_up(&mut self, name: &str, index: Option<&Value>) -> Known {
        let unknown = Known::scalar(Value::Unknown);
        match name {
            "@" | "*" => {
                let list = self.flow.positional().map(<[Value]>::to_vec);
                Known { value: Value::Unknown, list }
            }
            "#" => match self.flow.positional() {
                Some(values) => Known::scalar(Value::Exact(values.len().to_string())),
                None => unknown,
            },
            "?" | "-" | "$" | "!" | "0" => unknown,
            _ if name.starts_with(|c: char| c.is_ascii_digit()) => {
                let Some(values) = self.flow.positional() else {
                    return unknown;
                };
                let Some(number) = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) else {
                    return unknown;
                };
                Known::scalar(values.get(number).cloned().unwrap_or(Value::Unknown))
            }
            _ => {
                let size = self.flow.size(name);
                if !self.spend(size, 0) {
                    return unknown;
                }
                let known = self.flow.get(name);
                // to zsh the name alone means every element
                let plain = self.dialect == Dialect::Bash || known.list.as_ref().is_none_or(|list| list.len() == 1);
                match index {
                    None if plain => known,
                    None => unknown,
                    Some(Value::Exact(text)) if text == "@" || text == "*" => match known.list {
                        Some(_) => known,
                        None => unknown,
                    },
                    Some(Value::Exact(text)) => self.element(&known, text),
                    Some(_) => unknown,
                }
            }
        }
    }

    /// One element; zsh counts from one.
    fn element(&self, known: &Known, index: &str) -> Known {
        let unknown = Known::scalar(Value::Unknown);
        let (Some(list), Ok(number)) = (&known.list, index.parse::<usize>()) else { return unknown };
        let from_zero = list.get(number).cloned().unwrap_or(Value::Unknown);
        let from_one = number.checked_sub(1).and_then(|number| list.get(number)).cloned().unwrap_or(Value::Unknown);
        Known::scalar(match self.dialect {
            Dialect::Bash | Dialect::Sh => from_zero,
            Dialect::Zsh => from_one,
            Dialect::Unknown => crate::flow::join(from_zero, from_one),
        })
    }

    /// `${!name}`: the variable that the value names. Its name may hold a subscript, which is evaluated.
    fn indirect(&mut self, known: Known, span: Span, at: &At) -> Known {
        let unknown = Known::scalar(Value::Unknown);
        for text in known.value.all().unwrap_or_default() {
            if text.contains(['$', '`']) {
                self.reread(text, &crate::loaded::value_word(text, span), at);
            }
        }
        match known.value {
            Value::Exact(name) if name.bytes().all(crate::lexer::is_name) && !name.is_empty() => {
                let inner = self.look_up(&name, None);
                Known::scalar(inner.value)
            }
            _ => unknown,
        }
    }

    /// `${v@P}` expands the value as a prompt, commands in it run.
    fn prompt(&mut self, value: Value, quoted: bool, span: Span, at: &At) -> Piece {
        let harmless = match value.all() {
            Some(texts) => texts.iter().all(|text| !text.contains(['$', '`', '\\', '!'])),
            None => false,
        };
        if !harmless {
            for text in value.all().unwrap_or_default() {
                self.reread(text, &crate::loaded::value_word(text, span), at);
            }
            self.opaque(span, Why::Expansion);
            return Piece::Value { value: Value::Unknown, quoted };
        }
        Piece::Value { value, quoted }
    }

    /// `"$@"`, `$*` and their like for arrays.
    fn several(&mut self, name: &str, index: Option<&Value>, values: &[Value], quoted: bool) -> Piece {
        let star = name == "*" || matches!(index, Some(Value::Exact(text)) if text == "*");
        if quoted && !star {
            return Piece::Many(values.to_vec());
        }
        let between = match self.flow.get("IFS").value {
            Value::Exact(ifs) => ifs.chars().next().map(String::from).unwrap_or_default(),
            _ => {
                return Piece::Value { value: Value::Unknown, quoted };
            }
        };
        let mut joined = Value::Exact(String::new());
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                joined = crate::fields::concat(joined, Value::Exact(between.clone())).0;
            }
            let (next, cost) = crate::fields::concat(joined, value.clone());
            joined = if self.spend(cost, 0) { next } else { Value::Unknown };
        }
        if !quoted && values.iter().any(|value| value.exact().is_none_or(|text| text.is_empty())) {
            joined = Value::Unknown;
        }
        Piece::Value { value: joined, quoted }
    }

    fn operator(&mut self, param: &Param, value: &Value, first: &Value, args: &[Word]) -> Value {
        let set_for_sure = matches!(value, Value::Exact(_) | Value::OneOf(_));
        let non_empty = match value.all() {
            Some(texts) => texts.iter().all(|text| !text.is_empty()),
            None => matches!(value, Value::Prefix(text) if !text.is_empty()),
        };
        match param.op {
            Op::None => value.clone(),
            Op::Default(colon) | Op::Assign(colon) | Op::Error(colon) => {
                if non_empty || (set_for_sure && !colon) {
                    return value.clone();
                }
                match param.op {
                    Op::Default(_) if *value == Value::Exact(String::new()) => first.clone(),
                    _ => Value::Unknown,
                }
            }
            Op::Other(colon) => {
                if non_empty || (set_for_sure && !colon) {
                    first.clone()
                } else if *value == Value::Exact(String::new()) {
                    value.clone()
                } else {
                    Value::Unknown
                }
            }
            Op::Slice => each(value, |text| slice(text, args)),
            Op::TrimStart(longest) => self.trim(value, args, |pattern, text| {
                let cut = pattern::prefix(pattern, text, longest).unwrap_or(0);
                text.get(cut..).unwrap_or_default().iter().collect()
            }),
            Op::TrimEnd(longest) => self.trim(value, args, |pattern, text| {
                let cut = pattern::suffix(pattern, text, longest).unwrap_or(text.len());
                text.get(..cut).unwrap_or_default().iter().collect()
            }),
            Op::Replace(kind) => {
                let with = match args.get(1) {
                    Some(word) => word.value.exact().map(str::to_owned),
                    None => Some(String::new()),
                };
                let from = first.exact().map(str::to_owned);
                match (from, with) {
                    (Some(from), Some(with))
                        if !from.is_empty()
                            && !with.contains(['&', '\\'])
                            && !from.contains(['*', '?', '[', '(', '\\']) =>
                    {
                        let result = each(value, |text| replace(text, kind, &from, &with));
                        let cost = result.all().map_or(0, |all| all.iter().map(|text| text.len()).sum());
                        if self.spend(cost, 0) { result } else { Value::Unknown }
                    }
                    _ => Value::Unknown,
                }
            }
            Op::Case(kind, all) if args.first().is_none_or(|word| word.value == Value::Exact(String::new())) => {
                each(value, |text| change_case(text, kind, all))
            }
            Op::At(b'U') => each(value, |text| change_case(text, b'^', true)),
            Op::At(b'L') => each(value, |text| change_case(text, b',', true)),
            Op::At(b'u') => each(value, |text| change_case(text, b'^', false)),
            Op::Case(..) | Op::At(_) | Op::Names | Op::Bad => Value::Unknown,
        }
    }

    fn trim(&mut self, value: &Value, args: &[Word], cut: impl Fn(&[char], &[char]) -> String) -> Value {
        let Some(word) = args.first() else {
            return Value::Unknown;
        };
        let Some(text) = word.value.exact() else {
            return Value::Unknown;
        };
        // a quoted `*` is no pattern; telling the two apart is not worth it
        if !pattern::is_simple(text) || (word.quoted && text.contains(['*', '?'])) || text.len() > 32 {
            return Value::Unknown;
        }
        let pattern: Vec<char> = text.chars().collect();
        if let Some(texts) = value.all() {
            let cost = texts.iter().map(|text| text.len().min(LONGEST).pow(2) / 64).sum();
            self.work(cost);
        }
        each(value, |text| {
            if text.len() > LONGEST {
                return None;
            }
            let chars: Vec<char> = text.chars().collect();
            Some(cut(&pattern, &chars))
        })
    }
}

/// Applies to every text that it could be.
fn each(value: &Value, change: impl Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::Exact(text) => change(text).map_or(Value::Unknown, Value::Exact),
        Value::OneOf(texts) => {
            let all: Option<Vec<String>> = texts.iter().map(|text| change(text)).collect();
            all.map_or(Value::Unknown, Value::OneOf)
        }
        Value::Prefix(_) | Value::Matches(_) | Value::Unknown => Value::Unknown,
    }
}

fn length(known: &Known, index: Option<&Value>) -> Value {
    let all = matches!(index, Some(Value::Exact(text)) if text == "@" || text == "*");
    match (&known.list, &known.value) {
        (Some(list), _) if all => Value::Exact(list.len().to_string()),
        (None, Value::Exact(text)) if !all && text.is_ascii() => Value::Exact(text.len().to_string()),
        _ => Value::Unknown,
    }
}

fn slice(text: &str, args: &[Word]) -> Option<String> {
    let number = |word: &Word| word.value.exact()?.trim().parse::<i64>().ok();
    let chars: Vec<char> = text.chars().collect();
    let total = i64::try_from(chars.len()).ok()?;
    let mut from = number(args.first()?)?;
    if from < 0 {
        from += total;
    }
    let to = match args.get(1) {
        Some(word) => {
            let len = number(word)?;
            if len < 0 { total + len } else { from.checked_add(len)? }
        }
        None => total,
    };
    if from < 0 || to < from {
        return None;
    }
    let (from, to) = (usize::try_from(from.min(total)).ok()?, usize::try_from(to.min(total)).ok()?);
    Some(chars.get(from..to)?.iter().collect())
}

fn replace(text: &str, kind: u8, from: &str, with: &str) -> Option<String> {
    if text.len() > LONGEST * 32 {
        return None;
    }
    Some(match kind {
        b'/' => text.replace(from, with),
        b'#' => match text.strip_prefix(from) {
            Some(rest) => format!("{with}{rest}"),
            None => text.to_owned(),
        },
        b'%' => match text.strip_suffix(from) {
            Some(rest) => format!("{rest}{with}"),
            None => text.to_owned(),
        },
        _ => text.replacen(from, with, 1),
    })
}

fn change_case(text: &str, kind: u8, all: bool) -> Option<String> {
    if !text.is_ascii() || kind == b'~' {
        return None;
    }
    let change = |c: char| {
        if kind == b'^' { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    Some(text.chars().enumerate().map(|(index, c)| if all || index == 0 { change(c) } else { c }).collect())
}
