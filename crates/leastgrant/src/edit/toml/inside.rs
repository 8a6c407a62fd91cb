//! Steps down in a parsed file, and what a part of it spans.

use std::ops::Range;

use toml_edit::{InlineTable, Item, Key, Table, Value};

use crate::edit::json::Step;

/// A value, whichever way it is written.
#[derive(Clone, Copy)]
pub(super) enum At<'d> {
    /// a table or array of tables with headers, or a value of a key
    Item(&'d Item),
    /// one table of an array of tables
    Table(&'d Table),
    /// a value in an array or in an inline table
    Value(&'d Value),
}

impl<'d> At<'d> {
    pub(super) fn span(self) -> Option<Range<usize>> {
        match self {
            Self::Item(item) => item.span(),
            Self::Table(table) => table.span(),
            Self::Value(value) => value.span(),
        }
    }

    pub(super) fn table(self) -> Option<&'d Table> {
        match self {
            Self::Item(item) => item.as_table(),
            Self::Table(table) => Some(table),
            Self::Value(_) => None,
        }
    }

    fn value(self) -> Option<&'d Value> {
        match self {
            Self::Item(item) => item.as_value(),
            Self::Table(_) => None,
            Self::Value(value) => Some(value),
        }
    }

    pub(super) fn inline_table(self) -> Option<&'d InlineTable> {
        self.value()?.as_inline_table()
    }

    pub(super) fn array(self) -> Option<&'d toml_edit::Array> {
        self.value()?.as_array()
    }

    pub(super) fn tables(self) -> Option<&'d toml_edit::ArrayOfTables> {
        if let Self::Item(item) = self { item.as_array_of_tables() } else { None }
    }

    fn step(self, step: &Step<'_>) -> Option<Self> {
        match step {
            Step::Key(key) => match (self.table(), self.inline_table()) {
                (Some(table), _) => table.get(key).map(Self::Item),
                (_, Some(table)) => table.get(key).map(Self::Value),
                _ => None,
            },
            Step::Index(index) => match (self.tables(), self.array()) {
                (Some(tables), _) => tables.get(*index).map(Self::Table),
                (_, Some(array)) => array.get(*index).map(Self::Value),
                _ => None,
            },
        }
    }

    /// The key as it is spelled, of a table of either kind.
    pub(super) fn key(self, name: &str) -> Option<&'d Key> {
        match (self.table(), self.inline_table()) {
            (Some(table), _) => table.key(name),
            (_, Some(table)) => table.get_key_value(name).map(|(key, _)| key),
            _ => None,
        }
    }
}

/// What stands at a path.
pub(super) fn node<'d>(root: &'d Item, path: &[Step<'_>]) -> Option<At<'d>> {
    path.iter().try_fold(At::Item(root), |at, step| at.step(step))
}

/// The end of the last thing that belongs to a table, headers of inner tables included.
pub(super) fn end(table: &Table) -> usize {
    let own = table.span().map_or(0, |span| span.end);
    table.iter().map(|(_, item)| item_end(item)).fold(own, usize::max)
}

fn item_end(item: &Item) -> usize {
    match item {
        Item::Table(table) => end(table),
        Item::ArrayOfTables(tables) => tables.iter().map(end).fold(0, usize::max),
        Item::Value(value) => value_end(value),
        Item::None => 0,
    }
}

/// A table of dotted keys inside a value has no span of its own.
fn value_end(value: &Value) -> usize {
    let own = value.span().map_or(0, |span| span.end);
    match value.as_inline_table() {
        Some(table) if table.is_dotted() => table.iter().map(|(_, value)| value_end(value)).fold(own, usize::max),
        _ => own,
    }
}
