//! Columns without borders: aligned, the last one wrapped to the width that is left.

use anstyle::Style;

use super::theme::{self, paint};
use super::words::{columns, cut, wrap};

/// most columns that any cell but the last may take
const CELL: usize = 60;

/// Rows of styled cells under an optional heading.
#[derive(Default)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<(Style, String)>>,
}

impl Table {
    /// A table with these headings; none at all for no heading line.
    #[must_use]
    pub fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|text| (*text).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row. Cell text from an agent has been through [`super::words::safe`].
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = (Style, S)>) {
        self.rows.push(cells.into_iter().map(|(style, text)| (style, text.into())).collect());
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The lines, each begun with `indent` blanks.
    #[must_use]
    pub fn render(&self, indent: usize, width: usize) -> String {
        let head: Vec<(Style, String)> = self.head.iter().map(|text| (theme::DIM, text.clone())).collect();
        let all = || (!head.is_empty()).then_some(&head).into_iter().chain(&self.rows);
        let count = all().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..count)
            .map(|i| all().filter_map(|row| row.get(i)).map(|cell| columns(&cell.1)).max().unwrap_or(0).min(CELL))
            .collect();
        let mut out = String::new();
        for row in all() {
            line(&mut out, row, &widths, indent, width);
        }
        out.truncate(out.trim_end_matches('\n').len());
        out
    }
}

fn line(out: &mut String, row: &[(Style, String)], widths: &[usize], indent: usize, width: usize) {
    let mut text = " ".repeat(indent);
    let mut at = indent;
    for (i, (style, cell)) in row.iter().enumerate() {
        if i + 1 == row.len() {
            let room = width.saturating_sub(at).max(20);
            for (n, part) in wrap(cell, room).iter().enumerate() {
                if n > 0 {
                    text.push('\n');
                    text.push_str(&" ".repeat(at));
                }
                text.push_str(&paint(*style, part));
            }
            break;
        }
        let room = widths.get(i).copied().unwrap_or(0);
        let cell = cut(cell, room);
        text.push_str(&paint(*style, &cell));
        text.push_str(&" ".repeat(room.saturating_sub(columns(&cell)) + 2));
        at += room + 2;
    }
    for line in text.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_the_last_one_wraps() {
        let mut table = Table::new(&["what", "how often", "why"]);
        table.row([(theme::GOOD, "git status"), (theme::PLAIN, "12"), (theme::DIM, "reads version control")]);
        table.row([
            (theme::BAD, "日本語"),
            (theme::PLAIN, "1"),
            (theme::DIM, "a long reason that does not fit into the width that is left for it"),
        ]);
        insta::assert_snapshot!(theme::strip(&table.render(2, 60)), @r"
    what        how often  why
    git status  12         reads version control
    日本語      1          a long reason that does not fit
                           into the width that is left for it
    ");
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(Table::new(&[]).render(0, 80), "");
    }
}
