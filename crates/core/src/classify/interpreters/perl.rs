//! Perl: its options come in clusters, and one-liners that only match, substitute and print are understood.

use crate::action::{Capability, Mark, Role};
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::script;
use crate::classify::shell::Feed;
use crate::classify::usage::Parsed;
use crate::classify::verb;

/// What the options say.
#[derive(Default)]
struct Call {
    code: Vec<Arg>,
    in_place: bool,
    asks: bool,
    refused: Option<&'static str>,
    rest: Vec<Arg>,
}

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let call = read(parsed.args);
    if let Some(why) = call.refused {
        draft.opaque(Some(scene.span), why);
    }
    let harmless = call.refused.is_none() && call.code.iter().all(|code| code.exact().is_some_and(only_edits));
    if call.code.is_empty() {
        without_code(draft, parsed, scene, &call);
        return;
    }
    let role = if call.in_place { Role::Write } else { Role::Read };
    if harmless {
        draft.become_(if call.in_place { Capability::WriteWorkspace } else { Capability::ReadWorkspace });
        draft.note("a one-liner that only matches, substitutes and prints");
    } else {
        draft.opaque(Some(scene.span), "code that `perl` would run");
    }
    for file in &call.rest {
        verb::path(draft, scene, file, role);
    }
}

fn without_code(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>, call: &Call) {
    match call.rest.first() {
        Some(file) if file.exact() != Some("-") => {
            let file = file.clone();
            verb::path(draft, scene, &file, Role::Execute);
            script::file(draft, scene, &file, call.rest.get(1..).unwrap_or_default(), Some(parsed));
        }
        _ if call.asks && call.refused.is_none() => draft.become_(Capability::Inspect),
        _ => {
            match scene.feed {
                Feed::Inherited => draft.mark(Mark::LaterInput),
                Feed::Pipe { fetched: true, .. } => draft.mark(Mark::PipeToShell),
                _ => {}
            }
            draft.opaque(Some(scene.span), "runs what comes in on standard input");
        }
    }
}

fn read(args: &[Arg]) -> Call {
    let mut call = Call::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let text = arg.prefix();
        if !text.starts_with('-') || text == "-" {
            at -= 1;
            break;
        }
        if text == "--" {
            break;
        }
        if matches!(text, "--help" | "--version") {
            call.asks = true;
            continue;
        }
        if arg.exact().is_none() {
            call.refused.get_or_insert("an option that is not known");
        }
        for (offset, letter) in text.char_indices().skip(1) {
            let tail = offset + letter.len_utf8();
            match letter {
                'e' | 'E' => {
                    let joined = text.len() > tail;
                    call.code.push(if joined {
                        arg.after(tail)
                    } else {
                        args.get(at).cloned().unwrap_or_else(|| Arg::unknown(arg.span))
                    });
                    at += usize::from(!joined);
                    break;
                }
                'i' => {
                    call.in_place = true;
                    break;
                }
                'M' | 'm' | 'I' | 'd' | 'D' | 'x' | 'S' => {
                    call.refused.get_or_insert("modules or a debugger that `perl` loads");
                    break;
                }
                'c' => {
                    call.refused.get_or_insert("`BEGIN` blocks run even when the grammar is checked");
                }
                'v' | 'V' | 'h' => call.asks = true,
                'F' | 'C' => break,
                _ => {}
            }
        }
    }
    call.rest = args.get(at..).unwrap_or_default().to_vec();
    call
}

/// Statements that only match, substitute, transliterate and print the line.
fn only_edits(code: &str) -> bool {
    // code within a pattern
    let hidden = ["(?{", "(??{", "(*{"];
    code.len() <= 4096 && !hidden.iter().any(|part| code.contains(part)) && plain_variables(code) && statements(code)
}

/// No variable but captures, and none with a subscript: those are expressions, and expressions run code.
fn plain_variables(code: &str) -> bool {
    let letters: Vec<char> = code.chars().collect();
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        at += 1;
        let next = letters.get(at).copied().unwrap_or(';');
        match letter {
            '\\' => at += 1,
            '@' if next.is_alphanumeric() || "_{$:[+-*&".contains(next) => return false,
            '$' => {
                let start = at;
                while letters.get(at).is_some_and(char::is_ascii_digit) {
                    at += 1;
                }
                if at == start && matches!(next, '&' | '_' | '.') {
                    at += 1;
                }
                let named = at > start;
                let behind = letters.get(at).copied().unwrap_or(';');
                let word = behind.is_alphanumeric() || behind == '_';
                let odd = if named { "[{-:".contains(behind) } else { !"/|);#!, ".contains(behind) };
                if word || odd {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

fn statements(mut rest: &str) -> bool {
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';']);
        if rest.is_empty() {
            return true;
        }
        for verb in ["print", "next", "last", "chomp"] {
            rest = rest.strip_prefix(verb).map_or(rest, str::trim_start);
        }
        rest = rest.strip_prefix("$_").map_or(rest, str::trim_start);
        for word in ["if", "unless"] {
            rest = rest.strip_prefix(word).map_or(rest, str::trim_start);
        }
        rest = rest.trim_start_matches(['!', ' ']);
        rest = rest.strip_prefix("$.").map_or(rest, |tail| {
            tail.trim_start_matches(|letter: char| " <>=!".contains(letter) || letter.is_ascii_digit())
        });
        if rest.is_empty() || rest.starts_with(';') {
            continue;
        }
        let Some(tail) = operator(rest) else { return false };
        rest = tail.trim_start();
        if !rest.is_empty() && !rest.starts_with(';') {
            return false;
        }
    }
}

/// `/…/`, `m/…/`, `s/…/…/`, `tr/…/…/`, with flags that run nothing; what follows it.
fn operator(text: &str) -> Option<&str> {
    let (kind, after) = ["tr", "y", "s", "m"]
        .iter()
        .find_map(|kind| {
            let after = text.strip_prefix(kind)?;
            let mark = after.chars().next()?;
            (mark.is_ascii_punctuation() && !"{([<'\"_".contains(mark)).then_some((*kind, after))
        })
        .or_else(|| text.starts_with('/').then_some(("m", text)))?;
    let mark = after.chars().next()?;
    let mut rest = part(after.get(mark.len_utf8()..)?, mark)?;
    if kind != "m" {
        rest = part(rest, mark)?;
    }
    let flags: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    flags.chars().all(|flag| "gimsxorcd".contains(flag)).then(|| rest.get(flags.len()..)).flatten()
}

/// Behind the next unescaped mark.
fn part(text: &str, mark: char) -> Option<&str> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if letter == '\\' {
            escaped = true;
        } else if letter == mark {
            return text.get(at + letter.len_utf8()..);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::only_edits;

    #[test]
    fn only_lines_that_edit_are_harmless() {
        for code in [
            "s/a/b/g",
            "s/a/b/; s|c|d|gi;",
            "print if /x/",
            "print unless m#x#i",
            "tr/a-z/A-Z/",
            "print if $. <= 5",
            "s/(a+)$/<$1>/",
            "s/\\(x\\)/me\\@x.org/",
            "print if /a$|b/",
            "s/\\d{3}/n/",
            "print",
        ] {
            assert!(only_edits(code), "{code}");
        }
        for code in [
            "unlink 'x'",
            "s/a/unlink(1)/e",
            "s/a/b/ee",
            "print `rm x`",
            "s/a/${\\ unlink}/",
            "print if /(?{unlink})/",
            "open F, '>x'",
            "s{a}{b}e",
            "print $x{y}",
            "s/a/$h{unlink(1)}/",
            "s/(a)/$1[unlink 1]/",
            "s/a/@x[unlink 1]/",
            "print if /$x/",
            "s/a/b/; system 'x'",
            "print <*>",
            "s'a'b'e",
            "BEGIN { unlink }",
            "$_ = eval",
            "print;unlink",
            "s/a/@{[1]}/",
        ] {
            assert!(!only_edits(code), "{code}");
        }
    }
}
