//! Tokens of Python and JavaScript, enough to see every name, call and literal; anything odd is refused, not guessed.

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// an identifier or keyword
    Name(String),
    /// a string whose value is known
    Text(String),
    /// a number
    Number,
    /// an operator or bracket, one character each
    Op(char),
}

/// Most tokens of one source.
const TOKENS: usize = 20_000;

/// How the two languages differ for a tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    Python,
    JavaScript,
}

/// The tokens of a source, or what was odd in it.
pub(super) fn tokens(source: &str, grammar: Grammar) -> Result<Vec<Token>, String> {
    let mut scan = Scan { rest: source, grammar, out: Vec::new() };
    scan.all(0)?;
    Ok(scan.out)
}

struct Scan<'a> {
    rest: &'a str,
    grammar: Grammar,
    out: Vec<Token>,
}

impl Scan<'_> {
    fn all(&mut self, depth: usize) -> Result<(), String> {
        if depth > 8 {
            return Err(String::from("nesting"));
        }
        while let Some(first) = self.rest.chars().next() {
            if self.out.len() > TOKENS {
                return Err(String::from("more code than the limit"));
            }
            self.one(first, depth)?;
        }
        Ok(())
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn one(&mut self, first: char, depth: usize) -> Result<(), String> {
        let python = self.grammar == Grammar::Python;
        if first.is_ascii_whitespace() {
            // line ends are statements' ends in both languages
            if first == '\n' {
                self.out.push(Token::Op('\n'));
            }
            self.skip(1);
        } else if python && first == '#' || !python && self.rest.starts_with("//") {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.skip(end);
        } else if !python && self.rest.starts_with("/*") {
            let end = self.rest.find("*/").ok_or("an open comment")?;
            self.skip(end + 2);
        } else if !python && (self.rest.starts_with("<!--") || self.rest.starts_with("-->")) {
            return Err(String::from("<!--"));
        } else if first.is_ascii_alphabetic() || first == '_' || first == '$' && !python {
            self.name(depth)?;
        } else if first.is_ascii_digit() {
            let end =
                self.rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '.' || letter == '_'));
            self.skip(end.unwrap_or(self.rest.len()));
            self.out.push(Token::Number);
        } else if first == '"' || first == '\'' {
            self.string(first, false, false, depth)?;
        } else if first == '`' && !python {
            self.template(depth)?;
        } else if first == '/' && !python && self.regex_may_stand() {
            self.regex()?;
        } else if first.is_ascii() && first != '\\' && !first.is_ascii_control() {
            self.out.push(Token::Op(first));
            self.skip(1);
        } else if first == '\\' && python && self.rest.starts_with("\\\n") {
            self.skip(2);
        } else {
            // escapes and other alphabets in names are read differently than they look
            return Err(first.to_string());
        }
        Ok(())
    }

    fn name(&mut self, depth: usize) -> Result<(), String> {
        let end = self
            .rest
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '$'))
            .unwrap_or(self.rest.len());
        let name = self.rest.get(..end).unwrap_or_default().to_owned();
        let next = self.rest.get(end..).and_then(|rest| rest.chars().next());
        if self.grammar == Grammar::Python
            && let Some(quote @ ('"' | '\'')) = next
            && name.len() <= 2
        {
            let lower = name.to_ascii_lowercase();
            if lower.chars().all(|letter| matches!(letter, 'r' | 'b' | 'f' | 'u')) {
                self.skip(end);
                return self.string(quote, lower.contains('f'), lower.contains('r'), depth);
            }
        }
        self.skip(end);
        self.out.push(Token::Name(name));
        Ok(())
    }

    /// A string; the code within an f-string's braces becomes tokens too.
    fn string(&mut self, quote: char, format: bool, raw: bool, depth: usize) -> Result<(), String> {
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let long = self.grammar == Grammar::Python && self.rest.starts_with(&triple);
        self.skip(if long { 3 } else { 1 });
        let mut value = String::new();
        let mut known = true;
        loop {
            let Some(letter) = self.rest.chars().next() else { return Err(String::from("an open string")) };
            if long && self.rest.starts_with(&triple) {
                self.skip(3);
                break;
            }
            if !long && letter == quote {
                self.skip(1);
                break;
            }
            if letter == '\n' && !long {
                return Err(String::from("an open string"));
            }
            if letter == '\\' {
                let after = self.rest.chars().nth(1).ok_or("an open string")?;
                match after {
                    '\\' | '\'' | '"' if !raw => value.push(after),
                    'n' if !raw => value.push('\n'),
                    't' if !raw => value.push('\t'),
                    '\n' if !raw => {}
                    _ => {
                        known = known && raw;
                        value.push(letter);
                        value.push(after);
                    }
                }
                self.skip(1 + after.len_utf8());
                continue;
            }
            value.push(letter);
            self.skip(letter.len_utf8());
        }
        if format {
            return self.holes(&value, depth);
        }
        self.out.push(if known { Token::Text(value) } else { Token::Number });
        Ok(())
    }

    /// The code in the braces of an f-string.
    fn holes(&mut self, value: &str, depth: usize) -> Result<(), String> {
        let mut rest = value;
        while let Some(at) = rest.find('{') {
            let tail = rest.get(at + 1..).unwrap_or_default();
            if let Some(after) = tail.strip_prefix('{') {
                rest = after;
                continue;
            }
            let end = closing(tail).ok_or("an f-string")?;
            let inner = tail.get(..end).unwrap_or_default();
            let mut scan = Scan { rest: inner, grammar: self.grammar, out: Vec::new() };
            scan.all(depth + 1)?;
            self.out.push(Token::Op('('));
            self.out.append(&mut scan.out);
            self.out.push(Token::Op(')'));
            rest = tail.get(end + 1..).unwrap_or_default();
        }
        self.out.push(Token::Number);
        Ok(())
    }

    /// A template literal; its `${…}` become tokens.
    fn template(&mut self, depth: usize) -> Result<(), String> {
        self.skip(1);
        let mut value = String::new();
        let mut known = true;
        loop {
            let letter = self.rest.chars().next().ok_or("an open template")?;
            if letter == '`' {
                self.skip(1);
                break;
            }
            if self.rest.starts_with("${") {
                known = false;
                let tail = self.rest.get(2..).unwrap_or_default();
                let end = closing(tail).ok_or("a template")?;
                let mut scan =
                    Scan { rest: tail.get(..end).unwrap_or_default(), grammar: self.grammar, out: Vec::new() };
                scan.all(depth + 1)?;
                self.out.push(Token::Op('('));
                self.out.append(&mut scan.out);
                self.out.push(Token::Op(')'));
                self.skip(end + 3);
                continue;
            }
            if letter == '\\' {
                known = false;
                let after = self.rest.chars().nth(1).ok_or("an open template")?;
                self.skip(1 + after.len_utf8());
                continue;
            }
            value.push(letter);
            self.skip(letter.len_utf8());
        }
        self.out.push(if known { Token::Text(value) } else { Token::Number });
        Ok(())
    }

    /// Only where an expression can't have ended; elsewhere `/` divides and what follows stays visible.
    fn regex_may_stand(&self) -> bool {
        matches!(
            self.out.iter().rev().find(|token| **token != Token::Op('\n')),
            None | Some(Token::Op(
                '(' | ',' | '=' | ':' | '[' | '!' | '&' | '|' | '?' | '{' | ';' | '~' | '^' | '%' | '*' | '<' | '>'
            ))
        )
    }

    fn regex(&mut self) -> Result<(), String> {
        self.skip(1);
        let mut class = false;
        loop {
            let letter = self.rest.chars().next().ok_or("an open pattern")?;
            self.skip(letter.len_utf8());
            match letter {
                '\n' => return Err(String::from("an open pattern")),
                '\\' => {
                    let after = self.rest.chars().next().ok_or("an open pattern")?;
                    self.skip(after.len_utf8());
                }
                '[' => class = true,
                ']' => class = false,
                '/' if !class => break,
                _ => {}
            }
        }
        let end = self.rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        self.skip(end);
        self.out.push(Token::Number);
        Ok(())
    }
}

/// Where the brace that is open before `text` closes; strings within are passed over.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, '}') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}
