//! Text as it may be shown: one line that cannot move a cursor, colour the screen, forge a row or turn the direction of
//! writing.

/// One line of at most `max` characters, without control characters, terminal sequences, and marks that are not seen or
/// change how others are; what is cut off ends in `…`.
#[must_use]
pub fn plain(text: &str, max: usize) -> String {
    let mut shown = String::new();
    let mut count = 0;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\u{1b}' | '\u{9b}' => {
                letters = after_sequence(letter, letters.as_str()).chars();
                continue;
            }
            letter if is_unseen(letter) => continue,
            letter if letter.is_whitespace() => ' ',
            letter if letter.is_control() => '\u{fffd}',
            letter => letter,
        };
        if count == max {
            if max > 0 {
                shown.pop();
                shown.push('…');
            }
            return shown;
        }
        shown.push(letter);
        count += 1;
    }
    shown
}

/// What follows a terminal sequence. One that never ends is no sequence: its introducer goes, its text stays.
fn after_sequence(start: char, rest: &str) -> &str {
    const LONGEST: usize = 256;
    let mut letters = rest.chars();
    let kind = if start == '\u{9b}' { Some('[') } else { letters.next() };
    match kind {
        Some('[') => {
            let body = letters.as_str();
            let end = body.char_indices().take(LONGEST).find(|(_, letter)| matches!(letter, '@'..='~'));
            end.filter(|(at, _)| {
                body.get(..*at).is_some_and(|part| part.bytes().all(|byte| matches!(byte, b' '..=b'?')))
            })
            .and_then(|(at, letter)| body.get(at + letter.len_utf8()..))
            .unwrap_or(body)
        }
        Some(']' | 'P' | '_' | '^' | 'X') => {
            let body = letters.as_str();
            let end =
                body.char_indices().take(LONGEST).find(|(_, letter)| matches!(letter, '\u{7}' | '\u{1b}' | '\u{9c}'));
            match end {
                Some((at, '\u{1b}')) => {
                    body.get(at..).map(|rest| rest.strip_prefix("\u{1b}\\").unwrap_or(rest)).unwrap_or(body)
                }
                Some((at, letter)) => body.get(at + letter.len_utf8()..).unwrap_or(body),
                None => body,
            }
        }
        Some('(' | ')' | '#' | '%') => {
            letters.next();
            letters.as_str()
        }
        _ => letters.as_str(),
    }
}

fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}
