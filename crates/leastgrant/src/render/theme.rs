//! Colours, by what they mean. Text carries them as ANSI codes; [`super::Ui`] takes them out where they don't belong.

use anstyle::{AnsiColor, Color, Style};

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

/// may run
pub const ALLOW: Style = colour(AnsiColor::Green).bold();
/// a person decides
pub const ASK: Style = colour(AnsiColor::Yellow).bold();
/// must not run
pub const DENY: Style = colour(AnsiColor::Red).bold();
/// good news
pub const GOOD: Style = colour(AnsiColor::Green);
/// worth a look
pub const WARN: Style = colour(AnsiColor::Yellow);
/// bad news
pub const BAD: Style = colour(AnsiColor::Red);
/// names of things, hints
pub const NOTE: Style = colour(AnsiColor::Cyan);
/// labels, ids, what may be skipped
pub const DIM: Style = Style::new().dimmed();
/// headings
pub const STRONG: Style = Style::new().bold();
/// no style
pub const PLAIN: Style = Style::new();

/// `text` in `style`.
#[must_use]
pub fn paint(style: Style, text: &str) -> String {
    if style.is_plain() || text.is_empty() { text.to_owned() } else { format!("{style}{text}{style:#}") }
}

/// `text` without colour.
#[must_use]
pub fn strip(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
