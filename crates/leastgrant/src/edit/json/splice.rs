//! The edits: each changes one place and reads the result again, so that a wrong splice is an error and not a file.

use std::ops::Range;

use super::Document;
use super::refusal::{Fault, Refusal};
use super::scan::{Kind, Node};
use super::style::{self, Json, Layout};

/// One step down in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// the member with this key
    Key(&'a str),
    /// the element with this number
    Index(usize),
}

impl Document {
    /// Adds a member at the end of an object.
    ///
    /// # Errors
    /// The path leads to no object, or the key is taken.
    pub fn add_member(&self, path: &[Step<'_>], key: &str, value: &Json) -> Result<Self, Refusal> {
        let container = self.container(path)?;
        if !matches!(container.kind, Kind::Object(_)) || container.get(key).is_some() {
            return Err(self.refuse(Fault::WrongType, container.span.start, format!("no room for the key `{key}`")));
        }
        let layout = style::layout(self, container);
        let mut item = String::new();
        style::write_key(key, &layout, &mut item);
        style::write(value, &layout, &mut item);
        self.append(container, &layout, &item)
    }

    /// Adds an element at the end of an array.
    ///
    /// # Errors
    /// The path leads to no array.
    pub fn add_element(&self, path: &[Step<'_>], value: &Json) -> Result<Self, Refusal> {
        let container = self.container(path)?;
        if !matches!(container.kind, Kind::Array(_)) {
            return Err(self.refuse(Fault::WrongType, container.span.start, String::from("not an array")));
        }
        let layout = style::layout(self, container);
        let mut item = String::new();
        style::write(value, &layout, &mut item);
        self.append(container, &layout, &item)
    }

    /// Puts a value in the place of another.
    ///
    /// # Errors
    /// Nothing stands at the path.
    pub fn replace(&self, path: &[Step<'_>], value: &Json) -> Result<Self, Refusal> {
        let (parent, _) = self.parent(path)?;
        // in a file of mixed line ends, what is replaced says which ones stand here
        let old = self.container(path)?;
        let layout = style::layout(self, parent).with_line_ends_of(self.raw(&old.span));
        let mut text = String::new();
        style::write(value, &layout, &mut text);
        self.replace_raw(path, &text)
    }

    /// Puts text in the place of a value.
    ///
    /// # Errors
    /// Nothing stands at the path, or the text is not one value.
    pub fn replace_raw(&self, path: &[Step<'_>], text: &str) -> Result<Self, Refusal> {
        let span = self.container(path)?.span.clone();
        self.splice(span, text)
    }

    /// Takes a member or an element out, with its comma and the blanks before it.
    ///
    /// # Errors
    /// Nothing stands at the path.
    pub fn remove(&self, path: &[Step<'_>]) -> Result<Self, Refusal> {
        let (parent, last) = self.parent(path)?;
        let items = items(parent);
        let index = match last {
            Step::Index(index) => Some(index),
            Step::Key(key) => parent.members().iter().position(|member| member.key == key),
        };
        let Some((index, item)) = index.and_then(|index| items.get(index).map(|item| (index, item))) else {
            return Err(self.missing(parent));
        };
        if self.comments_in(parent.span.clone()).next().is_some() {
            return self.remove_among_comments(parent, item, items.get(index + 1).map(|next| next.start));
        }
        let before = index.checked_sub(1).and_then(|index| items.get(index));
        let span = match (before, items.get(index + 1)) {
            (Some(before), _) => before.end..item.end,
            (None, Some(after)) => item.start..after.start,
            (None, None) => parent.span.start + 1..parent.span.end.saturating_sub(1),
        };
        self.splice(span, "")
    }

    /// The item with its blanks and one comma; comments around it stay, whoever they belong to.
    fn remove_among_comments(&self, parent: &Node, item: &Range<usize>, next: Option<usize>) -> Result<Self, Refusal> {
        let close = parent.span.end.saturating_sub(1);
        let comma = self.comma_in(item.end..next.unwrap_or(close)).or_else(|| {
            let before = items(parent).into_iter().take_while(|other| other.start < item.start).last()?;
            self.comma_in(before.end..item.start)
        });
        let blanks = style::blanks_before(self.text(), item.start).len();
        let own = item.start - blanks..item.end;
        let mut cuts: Vec<Range<usize>> = std::iter::once(own).chain(comma.map(|at| at..at + 1)).collect();
        cuts.sort_by_key(|cut| std::cmp::Reverse(cut.start));
        let mut text = self.text().to_owned();
        for cut in cuts {
            // a comma directly before the blanks is cut by itself
            text.replace_range(cut, "");
        }
        self.with_text(text)
    }

    fn container(&self, path: &[Step<'_>]) -> Result<&Node, Refusal> {
        self.at(path).ok_or_else(|| self.missing(self.root()))
    }

    fn parent<'d, 's>(&'d self, path: &[Step<'s>]) -> Result<(&'d Node, Step<'s>), Refusal> {
        let Some((last, above)) = path.split_last() else { return Err(self.missing(self.root())) };
        Ok((self.container(above)?, *last))
    }

    fn missing(&self, near: &Node) -> Refusal {
        self.refuse(Fault::WrongType, near.span.start, String::from("nothing stands where an edit was due"))
    }

    fn append(&self, container: &Node, layout: &Layout, item: &str) -> Result<Self, Refusal> {
        if self.text().trim().is_empty() {
            return self.with_text(format!("{{{}{item}\n}}\n", layout.lead(true)));
        }
        let count = items(container).len();
        let close = container.span.end.saturating_sub(1);
        let appended = match items(container).last() {
            Some(last) => {
                let lead = layout.lead(false);
                let comma = self.comma_in(last.end..close);
                let at = comma.map_or(last.end, |at| at + 1);
                // a comment in the last item's line goes on belonging to it
                let tail = self.comments_in(at..close).next().filter(|comment| {
                    matches!(layout, Layout::Lines { .. }) && !self.raw(&(at..comment.start)).contains('\n')
                });
                let end = tail.map_or(at, |comment| comment.end);
                let between = self.raw(&(at..end));
                let (comma, last) = if comma.is_some() { ("", ",") } else { (",", "") };
                self.splice(at..end, &format!("{comma}{between}{lead}{item}{last}"))
            }
            None => {
                let after = match layout {
                    Layout::Lines { newline, .. } => {
                        format!("{newline}{}", style::indentation(self.text(), container.span.start))
                    }
                    Layout::Line { .. } => String::new(),
                };
                let kept = self.comments_in(container.span.clone()).last().map(|comment| comment.end);
                let inside = kept.unwrap_or(container.span.start + 1)..close;
                self.splice(inside, &format!("{}{item}{after}", layout.lead(true)))
            }
        }?;
        let now = appended.at_start(container.span.start).map_or(0, |node| items(node).len());
        if now == count + 1 { Ok(appended) } else { Err(self.missing(container)) }
    }

    /// The container that starts at a place; what stands before it was not touched.
    fn at_start(&self, start: usize) -> Option<&Node> {
        let mut node = self.root();
        while node.span.start != start {
            let inner = node.members().iter().map(|member| &member.value).chain(node.elements());
            node = inner.rev().find(|inner| inner.span.start <= start)?;
        }
        matches!(node.kind, Kind::Object(_) | Kind::Array(_)).then_some(node)
    }

    fn splice(&self, span: Range<usize>, with: &str) -> Result<Self, Refusal> {
        let (Some(head), Some(tail)) = (self.text().get(..span.start), self.text().get(span.end..)) else {
            return Err(self.missing(self.root()));
        };
        self.with_text(format!("{head}{with}{tail}"))
    }
}

/// The places of a container's items, keys included.
fn items(container: &Node) -> Vec<Range<usize>> {
    match &container.kind {
        Kind::Object(members) => members.iter().map(|member| member.key_span.start..member.value.span.end).collect(),
        Kind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
        _ => Vec::new(),
    }
}
