//! The only place that prints.

pub mod diff;
pub mod doctor;
pub mod progress;
pub mod report;
pub mod snippet;
pub mod table;
pub mod theme;
pub mod verdict;
pub mod verify;
pub mod words;

use std::fmt::Display;
use std::io::Write;

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

/// columns where the terminal does not say
const WIDTH: usize = 100;

/// Where a command's output goes and how it may look.
pub struct Ui {
    /// one JSON value instead of text
    pub json: bool,
    /// never colour
    pub no_color: bool,
    width: usize,
    memory: Option<String>,
}

impl Ui {
    /// An output with these wishes; colour also ends in a pipe and with `NO_COLOR`.
    #[must_use]
    pub fn new(json: bool, no_color: bool) -> Self {
        Self { json, no_color, width: terminal_width(), memory: None }
    }

    /// An output that is kept instead of printed, for tests.
    #[must_use]
    pub fn memory(json: bool) -> Self {
        Self { json, no_color: true, width: WIDTH, memory: Some(String::new()) }
    }

    /// What was kept by [`Ui::memory`], without colour.
    #[must_use]
    pub fn into_text(self) -> String {
        theme::strip(&self.memory.unwrap_or_default())
    }

    /// Columns that a line may take.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// One line (or a block of lines) on stdout. Text from an agent has been through [`words::safe`].
    pub fn line(&mut self, text: impl Display) {
        let text = format!("{text}\n");
        match &mut self.memory {
            Some(kept) => kept.push_str(&text),
            // a closed pipe is the reader's choice, not our failure
            None => {
                let _ = AutoStream::new(std::io::stdout().lock(), self.choice(&std::io::stdout()))
                    .write_all(text.as_bytes());
            }
        }
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.line("");
    }

    /// A heading.
    pub fn heading(&mut self, text: &str) {
        self.line(theme::paint(theme::STRONG, text));
    }

    /// One JSON value on stdout, indented.
    pub fn json<T: Serialize + ?Sized>(&mut self, value: &T) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => self.line(text),
            Err(error) => self.error(&format!("the answer could not be written as JSON: {error}")),
        }
    }

    /// What went wrong, on stderr: lower case, no full stop.
    pub fn error(&mut self, text: &str) {
        self.say(&theme::paint(theme::DENY, "error"), text);
    }

    /// What a person should know although the command goes on, on stderr.
    pub fn warn(&mut self, text: &str) {
        self.say(&theme::paint(theme::ASK, "warning"), text);
    }

    /// How far a long command is, on stderr.
    pub fn aside(&mut self, text: &str) {
        self.say("", text);
    }

    /// What to do next, on stderr.
    pub fn hint(&mut self, text: &str) {
        self.say(&theme::paint(theme::NOTE, "hint"), text);
    }

    fn say(&mut self, label: &str, text: &str) {
        let text = if label.is_empty() { format!("{text}\n") } else { format!("{label}: {text}\n") };
        match &mut self.memory {
            Some(kept) => kept.push_str(&text),
            None => {
                let _ = AutoStream::new(std::io::stderr().lock(), self.choice(&std::io::stderr()))
                    .write_all(text.as_bytes());
            }
        }
    }

    fn choice(&self, stream: &impl anstream::stream::RawStream) -> ColorChoice {
        if self.no_color { ColorChoice::Never } else { AutoStream::choice(stream) }
    }
}

fn terminal_width() -> usize {
    let columns = rustix::termios::tcgetwinsize(std::io::stdout()).map_or(0, |size| usize::from(size.ws_col));
    if columns == 0 { WIDTH } else { columns.clamp(40, 140) }
}
