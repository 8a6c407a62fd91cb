//! A small reader of sed scripts: finds `w FILE`, `r FILE`, `e COMMAND`, `s///w FILE`, `s///e`; what it can't follow is opaque.

use super::arg::Arg;
use super::draft::{self, Draft};
use super::program::{Nested, Scene};
use super::usage::Parsed;
use crate::action::{Capability, Role};

/// What a script touches beside the lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// files that are written
    pub writes: Vec<String>,
    /// files that are read
    pub reads: Vec<String>,
    /// commands that are run
    pub runs: Vec<String>,
    /// runs what the lines hold
    pub runs_lines: bool,
    /// not followed
    pub lost: bool,
}

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let by_option: Vec<&Arg> =
        parsed.options.iter().filter(|found| found.name == "-e").filter_map(|found| found.value.as_ref()).collect();
    let scripts: Vec<&Arg> = if by_option.is_empty() && !parsed.has(&["-f"]) {
        parsed.operands.first().map(|operand| &operand.1).into_iter().collect()
    } else {
        by_option
    };
    for arg in scripts {
        let Some(text) = arg.exact() else {
            draft.opaque(Some(arg.span), "a sed script that is not known");
            continue;
        };
        effects(draft, scene, arg, &read(text));
    }
    if parsed.has(&["-i"]) {
        let first = usize::from(!parsed.has(&["-e", "-f"]));
        // BSD's `-i ''` takes the next word for the suffix
        for (_, arg) in parsed.operands.iter().skip(first).filter(|operand| operand.1.exact() != Some("")) {
            draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Write);
        }
        draft.at_least(Capability::WriteWorkspace);
    }
}

fn effects(draft: &mut Draft, scene: &mut Scene<'_>, arg: &Arg, script: &Script) {
    for file in &script.writes {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(file, arg.span), Role::Write);
    }
    for file in &script.reads {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(file, arg.span), Role::Read);
    }
    if !script.runs.is_empty() {
        draft.opaque(Some(arg.span), "sed runs a command");
    }
    for command in &script.runs {
        scene.nested.push(Nested::Shell { text: Arg::text(command, arg.span), positional: Vec::new() });
    }
    if script.runs_lines {
        draft.become_(Capability::Unknown);
        draft.opaque(Some(arg.span), "sed runs what the lines hold");
    }
    if script.lost {
        draft.opaque(Some(arg.span), "a sed script that is not followed");
    }
}

/// Reads a script.
#[must_use]
pub(super) fn read(text: &str) -> Script {
    let mut scan = Scan { rest: text, script: Script::default() };
    while !scan.rest.is_empty() && !scan.script.lost {
        scan.command();
    }
    scan.script
}

struct Scan<'a> {
    rest: &'a str,
    script: Script,
}

impl<'a> Scan<'a> {
    fn first(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip(&mut self) {
        let mut letters = self.rest.chars();
        letters.next();
        self.rest = letters.as_str();
    }

    fn lost(&mut self) {
        self.script.lost = true;
    }

    fn line(&mut self) -> &'a str {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let line = self.rest.get(..end).unwrap_or_default();
        self.rest = self.rest.get(end..).unwrap_or_default();
        line.trim()
    }

    fn command(&mut self) {
        while self
            .first()
            .is_some_and(|letter| letter.is_whitespace() || letter == ';' || letter == '{' || letter == '}')
        {
            self.skip();
        }
        if self.first().is_none() {
            return;
        }
        self.addresses();
        while self.first().is_some_and(|letter| letter.is_whitespace() || letter == '!') {
            self.skip();
        }
        let Some(command) = self.first() else { return };
        self.skip();
        match command {
            's' => self.substitute(),
            'y' => {
                let Some(mark) = self.first() else { return self.lost() };
                self.skip();
                if !self.until(mark) || !self.until(mark) {
                    self.lost();
                }
            }
            'w' | 'W' => {
                let file = self.line().to_owned();
                self.written(file);
            }
            'r' | 'R' => {
                let file = self.line().to_owned();
                self.script.reads.push(file);
            }
            'e' => {
                let line = self.line().to_owned();
                if line.is_empty() { self.script.runs_lines = true } else { self.script.runs.push(line) }
            }
            'a' | 'i' | 'c' => {
                // text to the end of the line, and on while lines end in a backslash
                loop {
                    let line = self.line();
                    if !line.ends_with('\\') || self.rest.is_empty() {
                        break;
                    }
                    self.skip();
                }
            }
            ':' | 'b' | 't' | 'T' | 'q' | 'Q' | 'l' | 'L' | 'v' => {
                let end = self.rest.find([';', '\n', '}']).unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..).unwrap_or_default();
            }
            '#' => {
                self.line();
            }
            '{' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' | '}' => {}
            _ => self.lost(),
        }
    }

    fn written(&mut self, file: String) {
        if !matches!(file.as_str(), "/dev/stdout" | "/dev/stderr") {
            self.script.writes.push(file);
        }
    }

    /// `5`, `$`, `/re/I`, `\cREc`, `1~2`, with a comma and a second one.
    fn addresses(&mut self) {
        for _ in 0..2 {
            match self.first() {
                Some('/') => {
                    self.skip();
                    if !self.until_in_pattern('/') {
                        return self.lost();
                    }
                }
                Some('\\') => {
                    self.skip();
                    let Some(mark) = self.first() else { return self.lost() };
                    self.skip();
                    if !self.until(mark) {
                        return self.lost();
                    }
                }
                Some(letter) if letter.is_ascii_digit() || matches!(letter, '$' | '+' | '~') => {
                    while self
                        .first()
                        .is_some_and(|letter| letter.is_ascii_digit() || matches!(letter, '$' | '~' | '+'))
                    {
                        self.skip();
                    }
                }
                _ => return,
            }
            while self.first().is_some_and(|letter| matches!(letter, 'I' | 'M' | ' ')) {
                self.skip();
            }
            if self.first() != Some(',') {
                return;
            }
            self.skip();
            while self.first() == Some(' ') {
                self.skip();
            }
        }
    }

    /// Passes the next unescaped `mark`; false where there is none.
    fn until(&mut self, mark: char) -> bool {
        while let Some(letter) = self.first() {
            self.skip();
            if letter == '\\' {
                self.skip();
            } else if letter == mark {
                return true;
            }
        }
        false
    }

    /// The same in a pattern, where a bracket expression holds the mark as a character (GNU and POSIX alike).
    fn until_in_pattern(&mut self, mark: char) -> bool {
        while let Some(letter) = self.first() {
            self.skip();
            if letter == '\\' {
                self.skip();
            } else if letter == mark {
                return true;
            } else if letter == '[' {
                let lead = usize::from(self.rest.starts_with('^'));
                let lead = lead + usize::from(self.rest.get(lead..).is_some_and(|rest| rest.starts_with(']')));
                if let Some(end) = self.rest.get(lead..).and_then(|rest| rest.find(']')) {
                    self.rest = self.rest.get(lead + end + 1..).unwrap_or_default();
                }
            }
        }
        false
    }

    fn substitute(&mut self) {
        let Some(mark) = self.first() else { return self.lost() };
        self.skip();
        if mark == '\n' || mark == '\\' || !self.until_in_pattern(mark) || !self.until(mark) {
            return self.lost();
        }
        while let Some(flag) = self.first() {
            match flag {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => self.skip(),
                'e' => {
                    self.script.runs_lines = true;
                    self.skip();
                }
                'w' => {
                    self.skip();
                    let file = self.line().to_owned();
                    return self.written(file);
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_scripts_touch_nothing() {
        for text in [
            "s/a/b/g",
            "1,5p",
            "$p",
            "/start/,/end/p",
            "s|/usr|/opt|",
            "/^w/d",
            "s/[/]/x/",
            "/a/{n;p}",
            "1~2d",
            "y/abc/def/",
            "a\\\nmore",
            "2q",
            "s/a\\/b/c/",
            ":x;N;$!bx;s/\\n/ /g",
            "/x/!d",
            "/a/,/b/{/c/!d}",
            "$!{$!d}",
            "/a/{/b/{s/c/d/;p}}",
            "s/we/they/;s/r/w/",
            "$!N;P;D",
            "/foo/I,+3d",
            "\\,x,p",
        ] {
            assert_eq!(read(text), Script::default(), "{text}");
        }
    }

    #[test]
    fn writers_and_runners_are_found() {
        assert_eq!(read("w out").writes, ["out"]);
        assert_eq!(read("/x/w out").writes, ["out"]);
        assert_eq!(read("s/a/b/gw out").writes, ["out"]);
        assert_eq!(read("1r in").reads, ["in"]);
        assert_eq!(read("1e rm x").runs, ["rm x"]);
        assert!(read("e").runs_lines);
        assert!(read("s/a/b/e").runs_lines);
        assert!(read("p;s/a/b/ge").runs_lines);
        assert!(read("/a/{/b/e}").runs_lines || !read("/a/{/b/e}").runs.is_empty());
        assert_eq!(read("/a/{/b/!w out").writes, ["out"]);
        assert!(read("s/a/b").lost);
        assert!(read("k").lost);
        assert_eq!(read("1{p\nw out\n}").writes, ["out"]);
    }
}
