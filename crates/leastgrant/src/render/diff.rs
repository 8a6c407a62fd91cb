//! A change to a file as people read it, before it happens.

use similar::{ChangeTag, TextDiff};

use super::theme::{self, paint};
use super::words;

/// lines kept around a change
const CONTEXT: usize = 3;

/// A unified diff, coloured; empty where nothing changes. Line endings and a missing last newline are shown, since they
/// are part of the promise that nothing else changes.
#[must_use]
pub fn unified(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let name = words::safe(name);
    let mut out = vec![
        paint(theme::STRONG, &if before.is_empty() { String::from("--- (new file)") } else { format!("--- {name}") }),
        paint(theme::STRONG, &if after.is_empty() { String::from("+++ (removed)") } else { format!("+++ {name}") }),
    ];
    let diff = TextDiff::from_lines(before, after);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        out.push(paint(theme::NOTE, &hunk.header().to_string()));
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', theme::BAD),
                ChangeTag::Insert => ('+', theme::GOOD),
                ChangeTag::Equal => (' ', theme::PLAIN),
            };
            out.push(paint(style, &format!("{sign}{}", visible(change.value()))));
            if change.missing_newline() {
                out.push(paint(theme::DIM, "\\ no newline at the end"));
            }
        }
    }
    out.join("\n")
}

/// A line without its newline, with what can't be seen made visible.
fn visible(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let (line, cr) = line.strip_suffix('\r').map_or((line, ""), |line| (line, "␍"));
    let text: String = line.chars().map(|c| if c != '\t' && words::is_unsafe(c) { '\u{fffd}' } else { c }).collect();
    format!("{text}{cr}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_its_surroundings() {
        let before = "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}";
        let after = "{\r\n  \"a\": 1,\r\n  \"hooks\": {},\r\n  \"b\": 2\r\n}";
        insta::assert_snapshot!(theme::strip(&unified("settings.json", before, after)), @r#"
    --- settings.json
    +++ settings.json
    @@ -1,4 +1,5 @@
     {␍
       "a": 1,␍
    +  "hooks": {},␍
       "b": 2␍
     }
    \ no newline at the end
    "#);
    }

    #[test]
    fn new_files_and_no_change() {
        insta::assert_snapshot!(theme::strip(&unified("a.json", "", "{}\n")), @r"
    --- (new file)
    +++ a.json
    @@ -0,0 +1 @@
    +{}
    ");
        assert_eq!(unified("a", "x", "x"), "");
    }
}
