//! The edits.

use std::ops::Range;

use toml::Value;

use super::inside::{self, At};
use super::{Document, region, write};
use crate::edit::json::{Fault, Json, Refusal, Step};

impl Document {
    /// Adds a last element to the array at a path of keys, in the form in which that array, or what stands around it,
    /// is written.
    ///
    /// # Errors
    /// The path leads to something else, or through a form that can't be extended.
    pub fn add_element(&self, path: &[&str], value: &Json) -> Result<Self, Refusal> {
        let mut meaning = self.meaning.clone();
        let Some(array) = array_at(&mut meaning, path) else { return Err(self.unsuited(path)) };
        array.push(write::meaning(value));
        let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
        match inside::node(self.root(), &steps) {
            Some(at) if at.tables().is_some() => self.append(&write::block(path, value, self.newline()), meaning),
            Some(at) => match at.array().and_then(|array| Some((array, array.span()?))) {
                Some((array, span)) => {
                    let last = array.iter().last().and_then(toml_edit::Value::span);
                    self.insert(span, last, &write::inline(value), meaning)
                }
                None => Err(self.unsuited(path)),
            },
            None => self.create(path, &Json::Array(vec![value.clone()]), meaning),
        }
    }

    /// Puts an element in the place of another.
    ///
    /// # Errors
    /// Nothing stands there.
    pub fn replace_element(&self, path: &[&str], index: usize, value: &Json) -> Result<Self, Refusal> {
        let mut meaning = self.meaning.clone();
        let Some(slot) = array_at(&mut meaning, path).and_then(|array| array.get_mut(index)) else {
            return Err(self.unsuited(path));
        };
        *slot = write::meaning(value);
        let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).chain([Step::Index(index)]).collect();
        match inside::node(self.root(), &steps) {
            Some(At::Table(table)) => {
                let lines = self.lines_of(table).ok_or_else(|| self.unsuited(path))?;
                self.splice(lines, &write::block(path, value, self.newline()), meaning)
            }
            Some(at) => {
                let span = at.span().ok_or_else(|| self.unsuited(path))?;
                self.splice(span, &write::inline(value), meaning)
            }
            None => Err(self.unsuited(path)),
        }
    }

    /// Takes out what stands at a path: an element, a key, or a table with everything in it.
    ///
    /// # Errors
    /// Nothing stands there, or it is strewn over the file.
    pub fn remove(&self, path: &[Step<'_>]) -> Result<Self, Refusal> {
        let unsuited = || self.unsuited(&keys(path));
        let mut meaning = self.meaning.clone();
        let Some((last, above)) = path.split_last() else { return Err(unsuited()) };
        if !take(&mut meaning, above, *last) {
            return Err(unsuited());
        }
        let meanings = pruned(meaning, above);
        let at = inside::node(self.root(), path).ok_or_else(unsuited)?;
        let parent = inside::node(self.root(), above).ok_or_else(unsuited)?;
        if let Some(table) = at.table() {
            if table.is_dotted() || table.is_implicit() {
                return Err(unsuited());
            }
            let lines = self.lines_of(table).ok_or_else(unsuited)?;
            return self.splice_any(region::with_blank_line(&self.text, lines), "", &meanings);
        }
        let span = at.span().ok_or_else(unsuited)?;
        match last {
            Step::Index(_) => {
                let array = parent.array().ok_or_else(unsuited)?;
                let items = array.iter().filter_map(toml_edit::Value::span).collect::<Vec<_>>();
                self.cut_item(span, &items, parent.span().ok_or_else(unsuited)?, &meanings)
            }
            Step::Key(key) => {
                let name = parent.key(key).and_then(toml_edit::Key::span).ok_or_else(unsuited)?;
                match parent.inline_table() {
                    Some(table) => {
                        let items = table
                            .iter()
                            .filter_map(|(key, value)| Some(table.key(key)?.span()?.start..value.span()?.end))
                            .collect::<Vec<_>>();
                        self.cut_item(name.start..span.end, &items, parent.span().ok_or_else(unsuited)?, &meanings)
                    }
                    None => {
                        let lines = region::line_start(&self.text, name.start)..region::line_end(&self.text, span.end);
                        self.splice_any(lines, "", &meanings)
                    }
                }
            }
        }
    }

    /// Gives the key at a path of keys a value, new or in the place of the old one.
    ///
    /// # Errors
    /// The path leads through a form that can't be extended.
    pub fn set(&self, path: &[&str], value: &Json) -> Result<Self, Refusal> {
        let mut meaning = self.meaning.clone();
        if !put(&mut meaning, path, write::meaning(value)) {
            return Err(self.unsuited(path));
        }
        let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
        match inside::node(self.root(), &steps) {
            Some(at) if at.table().is_none() && at.tables().is_none() => {
                let span = at.span().ok_or_else(|| self.unsuited(path))?;
                self.splice(span, &write::inline(value), meaning)
            }
            Some(_) => Err(self.unsuited(path)),
            None => self.create(path, value, meaning),
        }
    }

    /// Spells the last key of a path differently.
    ///
    /// # Errors
    /// It is not there, or the new one is.
    pub fn rename(&self, path: &[&str], to: &str) -> Result<Self, Refusal> {
        let unsuited = || self.unsuited(path);
        let Some((last, above)) = path.split_last() else { return Err(unsuited()) };
        let mut meaning = self.meaning.clone();
        let table = table_at(&mut meaning, above).ok_or_else(unsuited)?;
        if table.contains_key(to) {
            return Err(unsuited());
        }
        let value = table.remove(*last).ok_or_else(unsuited)?;
        table.insert(to.to_owned(), value);
        let steps: Vec<Step<'_>> = above.iter().map(|key| Step::Key(key)).collect();
        let parent = inside::node(self.root(), &steps).ok_or_else(unsuited)?;
        let span = parent.key(last).and_then(toml_edit::Key::span).ok_or_else(unsuited)?;
        self.splice(span, &write::key(to), meaning)
    }

    /// A key that is not there yet, beside the nearest table that is.
    fn create(&self, path: &[&str], value: &Json, meaning: toml::Table) -> Result<Self, Refusal> {
        let steps: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
        let depth = (0..path.len())
            .rev()
            .find(|depth| steps.get(..*depth).and_then(|above| inside::node(self.root(), above)).is_some());
        let depth = depth.unwrap_or(0);
        let (Some(above), Some(rest)) = (steps.get(..depth), path.get(depth..)) else {
            return Err(self.unsuited(path));
        };
        let Some(at) = inside::node(self.root(), above) else { return Err(self.unsuited(path)) };
        if let Some(table) = at.inline_table() {
            let last = table.iter().last().and_then(|(_, value)| value.span());
            let span = table.span().ok_or_else(|| self.unsuited(path))?;
            return self.insert(span, last, &nested(rest, value), meaning);
        }
        let Some(table) = at.table() else { return Err(self.unsuited(path)) };
        if table.is_dotted() {
            let line = format!("{} = {}{}", write::dotted(path), write::inline(value), self.newline());
            let end = region::line_end(&self.text, inside::end(table));
            return self.splice_line(end, &line, meaning);
        }
        let is_tables = |value: &Json| matches!(value, Json::Array(_));
        match (value, rest) {
            (Json::Array(elements), _) if is_tables(value) => {
                let blocks: Vec<String> =
                    elements.iter().map(|element| write::block(path, element, self.newline())).collect();
                self.append(&blocks.join(self.newline()), meaning)
            }
            (_, [leaf]) if depth > 0 && !table.is_implicit() => {
                let own = table.iter().filter_map(|(_, item)| item.as_value()?.span()).map(|span| span.end).max();
                let end = own.or_else(|| table.span().map(|span| span.end)).unwrap_or(0);
                let line = format!("{} = {}{}", write::key(leaf), write::inline(value), self.newline());
                self.splice_line(region::line_end(&self.text, end), &line, meaning)
            }
            _ => {
                let (Some((leaf, table)), true) = (path.split_last(), path.len() > 1) else {
                    return Err(self.unsuited(path));
                };
                let newline = self.newline();
                let block = format!(
                    "[{}]{newline}{} = {}{newline}",
                    write::dotted(table),
                    write::key(leaf),
                    write::inline(value)
                );
                self.append(&block, meaning)
            }
        }
    }

    /// Text at the end of the file, after a blank line.
    fn append(&self, block: &str, meaning: toml::Table) -> Result<Self, Refusal> {
        let newline = self.newline();
        let lead = match self.text.as_str() {
            text if text.trim().is_empty() => String::new(),
            text if text.ends_with('\n') => newline.to_owned(),
            _ => format!("{newline}{newline}"),
        };
        let end = self.text.len();
        self.splice(end..end, &format!("{lead}{block}"), meaning)
    }

    /// A line of its own at a place where a line begins, or at the end of a file that lacks its last newline.
    fn splice_line(&self, at: usize, line: &str, meaning: toml::Table) -> Result<Self, Refusal> {
        let whole = self.text.get(..at).is_none_or(|head| head.is_empty() || head.ends_with('\n'));
        let lead = if whole { "" } else { self.newline() };
        self.splice(at..at, &format!("{lead}{line}"), meaning)
    }

    /// One more item before the closing bracket of an array or an inline table.
    fn insert(
        &self,
        span: Range<usize>,
        last: Option<Range<usize>>,
        item: &str,
        meaning: toml::Table,
    ) -> Result<Self, Refusal> {
        let close = span.end.saturating_sub(1);
        let Some(last) = last else {
            let empty = self.text.get(span.start + 1..close).is_some_and(|inside| inside.trim().is_empty());
            let pad = if self.text.get(span.start..).is_some_and(|text| text.starts_with('{')) { " " } else { "" };
            let from = if empty { span.start + 1 } else { close };
            return self.splice(from..close, &format!("{pad}{item}{pad}"), meaning);
        };
        match region::comma(&self.text, last.end..close) {
            Some(comma) => self.splice(comma + 1..comma + 1, &format!(" {item}"), meaning),
            None => {
                let lead = self.text.get(region::line_start(&self.text, last.start)..last.start).unwrap_or_default();
                // one item a line, where that is how they stand
                let lead = if lead.trim().is_empty() && !lead.is_empty() {
                    format!("{}{lead}", self.newline())
                } else {
                    String::from(" ")
                };
                self.splice(last.end..last.end, &format!(",{lead}{item}"), meaning)
            }
        }
    }

    fn cut_item(
        &self,
        item: Range<usize>,
        items: &[Range<usize>],
        container: Range<usize>,
        meanings: &[toml::Table],
    ) -> Result<Self, Refusal> {
        let next = items.iter().find(|other| other.start >= item.end);
        let before = items.iter().rev().find(|other| other.end <= item.start);
        let comment = |span: Range<usize>| self.text.get(span).is_some_and(|gap| gap.contains('#'));
        let span = match (before, next) {
            (Some(before), _) if !comment(before.end..item.start) => before.end..item.end,
            (None, Some(next)) if !comment(item.end..next.start) => item.start..next.start,
            (None, None) => {
                let close = container.end.saturating_sub(1);
                if comment(container.start..item.start) || comment(item.end..close) {
                    return Err(self.refuse(Fault::WrongType, item.start, String::from("comments around our entry")));
                }
                container.start + 1..close
            }
            _ => return Err(self.refuse(Fault::WrongType, item.start, String::from("comments around our entry"))),
        };
        self.splice_any(span, "", meanings)
    }

    /// The lines of a table with a header, to the end of the last line of anything in it.
    fn lines_of(&self, table: &toml_edit::Table) -> Option<Range<usize>> {
        let start = region::line_start(&self.text, table.span()?.start);
        Some(start..region::line_end(&self.text, inside::end(table)))
    }

    fn splice(&self, span: Range<usize>, with: &str, meaning: toml::Table) -> Result<Self, Refusal> {
        self.splice_any(span, with, &[meaning])
    }

    /// The result must mean one of these.
    fn splice_any(&self, span: Range<usize>, with: &str, meanings: &[toml::Table]) -> Result<Self, Refusal> {
        let (Some(head), Some(tail)) = (self.text.get(..span.start), self.text.get(span.end..)) else {
            return Err(self.refuse(Fault::WrongType, 0, String::from("an edit between two characters")));
        };
        let edited = Self::read(self.bom, format!("{head}{with}{tail}"));
        match edited {
            Ok(edited) if meanings.contains(&edited.meaning) => Ok(edited),
            _ => {
                let said = String::from("the file is written in a form that leastgrant does not edit here");
                Err(self.refuse(Fault::WrongType, span.start, said))
            }
        }
    }

    fn unsuited(&self, path: &[&str]) -> Refusal {
        let said = format!("`{}` is written in a form that leastgrant does not edit", write::dotted(path));
        self.refuse(Fault::WrongType, 0, said)
    }
}

fn keys<'p>(path: &[Step<'p>]) -> Vec<&'p str> {
    path.iter().filter_map(|step| if let Step::Key(key) = step { Some(*key) } else { None }).collect()
}

/// `a = { b = { c = value } }` for the rest of a path.
fn nested(path: &[&str], value: &Json) -> String {
    match path.split_first() {
        Some((key, [])) => format!("{} = {}", write::key(key), write::inline(value)),
        Some((key, rest)) => format!("{} = {{ {} }}", write::key(key), nested(rest, value)),
        None => write::inline(value),
    }
}

fn table_at<'t>(table: &'t mut toml::Table, path: &[&str]) -> Option<&'t mut toml::Table> {
    path.iter().try_fold(table, |table, key| {
        table.entry((*key).to_owned()).or_insert_with(|| Value::Table(toml::Table::new())).as_table_mut()
    })
}

fn array_at<'t>(table: &'t mut toml::Table, path: &[&str]) -> Option<&'t mut Vec<Value>> {
    let (last, above) = path.split_last()?;
    let table = table_at(table, above)?;
    table.entry((*last).to_owned()).or_insert_with(|| Value::Array(Vec::new())).as_array_mut()
}

fn put(table: &mut toml::Table, path: &[&str], value: Value) -> bool {
    let Some((last, above)) = path.split_last() else { return false };
    table_at(table, above).map(|table| table.insert((*last).to_owned(), value)).is_some()
}

/// Takes a value out.
fn take(table: &mut toml::Table, above: &[Step<'_>], last: Step<'_>) -> bool {
    let mut root = Value::Table(std::mem::take(table));
    let parent = above.iter().try_fold(&mut root, down);
    let done = match (parent, last) {
        (Some(Value::Table(inner)), Step::Key(key)) => inner.remove(key).is_some(),
        (Some(Value::Array(inner)), Step::Index(index)) if index < inner.len() => {
            inner.remove(index);
            true
        }
        _ => false,
    };
    if let Value::Table(root) = root {
        *table = root;
    }
    done
}

fn down<'v>(value: &'v mut Value, step: &Step<'_>) -> Option<&'v mut Value> {
    match step {
        Step::Key(key) => value.get_mut(*key),
        Step::Index(index) => value.get_mut(*index),
    }
}

/// The meaning, and the meanings without what stands empty above a removal: arrays and tables that are made of headers
/// alone are gone with the last of them.
fn pruned(meaning: toml::Table, above: &[Step<'_>]) -> Vec<toml::Table> {
    let mut meanings = vec![meaning];
    for depth in (1..=above.len()).rev() {
        let (Some(mut next), Some(path)) = (meanings.last().cloned(), above.get(..depth)) else { break };
        let Some((last, parents)) = path.split_last() else { break };
        let mut root = Value::Table(next.clone());
        let empty = match path.iter().try_fold(&mut root, down) {
            Some(Value::Table(table)) => table.is_empty(),
            Some(Value::Array(array)) => array.is_empty(),
            _ => false,
        };
        if !empty || !take(&mut next, parents, *last) {
            break;
        }
        meanings.push(next);
    }
    meanings
}
