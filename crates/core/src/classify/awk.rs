//! A small reader of awk programs: pure computing over lines is understood; redirected output, pipes, `system`, `getline` from a
//! file and loading are not.

use super::arg::Arg;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use crate::action::Capability;

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let by_option: Vec<&Arg> =
        parsed.options.iter().filter(|found| found.name == "-e").filter_map(|found| found.value.as_ref()).collect();
    let programs: Vec<&Arg> = if by_option.is_empty() && !parsed.has(&["-f"]) {
        parsed.operands.first().map(|operand| &operand.1).into_iter().collect()
    } else {
        by_option
    };
    for arg in programs {
        let why = match arg.exact() {
            Some(text) => acts(text),
            None => Some("an awk program that is not known"),
        };
        if let Some(why) = why {
            draft.become_(Capability::Unknown);
            draft.opaque(Some(arg.span), why);
        }
    }
}

/// What in a program reaches past its input, if anything.
#[must_use]
pub(super) fn acts(text: &str) -> Option<&'static str> {
    let code = strip(text)?;
    let mut previous = String::new();
    let mut depth = 0_usize;
    let mut printing = None;
    let mut rest = code.as_str();
    while let Some(letter) = rest.chars().next() {
        let next = rest.get(letter.len_utf8()..).unwrap_or_default();
        if letter.is_ascii_alphabetic() || letter == '_' || letter == '@' {
            let end =
                next.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(next.len());
            let word = rest.get(..letter.len_utf8() + end).unwrap_or_default();
            match word {
                "system" | "close" | "fflush" | "@load" | "@include" => return Some("awk runs a command"),
                "getline" => return Some("awk reads another file or command"),
                // gawk calls functions by the name in a variable
                _ if word.starts_with('@') => return Some("awk calls what a variable names"),
                "print" | "printf" => printing = Some(depth),
                "ENVIRON" => return Some("awk reads the environment"),
                "ARGV" | "ARGC" if !compared(&code, rest, word) => return Some("awk chooses the files that it reads"),
                _ => {}
            }
            word.clone_into(&mut previous);
            rest = rest.get(word.len()..).unwrap_or_default();
            continue;
        }
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' | '\n' | '}' | '{' => printing = None,
            '>' if printing == Some(depth) => return Some("awk writes a file"),
            '|' if next.starts_with('|') => {
                rest = next.get(1..).unwrap_or_default();
                continue;
            }
            '|' => return Some("awk starts a command"),
            _ => {}
        }
        rest = next;
    }
    None
}

/// `FILENAME == ARGV[1]` only looks; whatever else is done with the list of files may change it.
fn compared(code: &str, rest: &str, word: &str) -> bool {
    let before = code.get(..code.len() - rest.len()).unwrap_or_default().trim_end();
    let after = rest.get(word.len()..).unwrap_or_default().trim_start();
    let after = match after.strip_prefix('[') {
        Some(index) => index.split_once(']').map_or("", |split| split.1).trim_start(),
        None => after,
    };
    let equal = |text: &str| text.starts_with("==") || text.starts_with("!=");
    before.ends_with("==") || before.ends_with("!=") || equal(after)
}

/// The program without strings, patterns and comments; none where one does not end. A `/` after a name, a number or a closing
/// bracket divides.
fn strip(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                loop {
                    match letters.next()? {
                        '\\' => {
                            letters.next()?;
                        }
                        '"' => break,
                        _ => {}
                    }
                }
                out.push('0');
            }
            '#' => {
                while letters.peek().is_some_and(|letter| *letter != '\n') {
                    letters.next();
                }
            }
            '/' if !out
                .trim_end_matches(' ')
                .ends_with(|last: char| last.is_alphanumeric() || matches!(last, ')' | ']' | '_' | '$' | '"')) =>
            {
                let mut class = false;
                loop {
                    match letters.next()? {
                        '\\' => {
                            letters.next()?;
                        }
                        '[' => class = true,
                        ']' => class = false,
                        '/' if !class => break,
                        _ => {}
                    }
                }
                out.push('0');
            }
            _ => out.push(letter),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computing_is_understood_and_acting_is_not() {
        for text in [
            "{print $1}",
            "$3 > 100 {print $1}",
            "/a|b/ {n++} END {print n}",
            "NR==1 || NR==3",
            "{print ($1 > 2)}",
            "BEGIN{FS=\":\"} {s+=$2/2} END{printf \"%d\\n\", s}",
            "{gsub(/x>y/, \"|\"); print}",
            "!seen[$0]++",
            "FILENAME==ARGV[1]{a[$1];next} $1 in a",
        ] {
            assert_eq!(acts(text), None, "{text}");
        }
        for text in [
            "BEGIN{system(\"rm x\")}",
            "{print > \"f\"}",
            "{print >> \"f\"}",
            "{print | \"sh\"}",
            "{\"date\" | getline d}",
            "{getline < \"/etc/shadow\"}",
            "{printf \"x\" > $1}",
            "@load \"x\"",
            "{@f($1)}",
            "{print ENVIRON[\"A\"]}",
            "BEGIN{ARGV[1]=\"x\";ARGC=2}",
            "BEGIN{split(\"a b\", ARGV)}",
        ] {
            assert!(acts(text).is_some(), "{text}");
        }
    }
}
