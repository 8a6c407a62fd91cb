//! Commands as they enter the inventory: their folder, what they read, their redirects.
//!
//! Copies are paid for: where there is nothing left to spend, the copy is unknown, never dropped.

use std::rc::Rc;

use crate::tree::{Fd, Id, Kind, Tree};
use crate::walk::{At, Walk};
use crate::{Command, Cwd, HereDoc, Redirect, Span, Stdin, Value};

impl Walk<'_> {
    /// A compound with redirects: they come first, so that its commands know what they read.
    pub(crate) fn redirected(&mut self, t: &Tree, span: Span, inner: Id, redirects: &[Id], at: &At) {
        let index = self.reserve(span, at);
        let own = At { parent: Some(index), pipe: None, ..*at };
        let span = redirects.iter().map(|id| t.span(*id)).reduce(Span::join).unwrap_or(span);
        let from = self.out.commands.len();
        let (list, stdin) = self.redirect_list(t, redirects, &own);
        let read = self.out.commands.len();
        let before = self.stdin.clone();
        if let Some(stdin) = stdin {
            self.stdin = Rc::new(stdin);
        }
        let outside = std::mem::replace(&mut self.compound_from, read);
        self.node(t, inner, at);
        let last = self.out.commands.len();
        self.compound_from = outside;
        self.stdin = before;
        // what `> >(…)` holds reads from everything in the compound
        self.feed(from..read, index, read..last);
        if let Some(command) = self.out.commands.get_mut(index as usize) {
            command.span = span;
            command.redirects = list;
        }
    }

    /// Commands that read from a compound's redirect read from all that it holds.
    fn feed(&mut self, readers: std::ops::Range<usize>, parent: u32, writers: std::ops::Range<usize>) {
        if readers.is_empty() {
            return;
        }
        let room = if self.indices(readers.len().saturating_mul(writers.len())) { writers.len() } else { 16 };
        for reader in readers {
            if let Some(command) = self.out.commands.get_mut(reader)
                && let Stdin::Pipe(from) = &mut command.stdin
                && from.contains(&parent)
            {
                from.extend(writers.clone().take(room).filter_map(|index| u32::try_from(index).ok()));
            }
        }
    }

    /// A place in the inventory for a command whose words are read next.
    pub(crate) fn reserve(&mut self, span: Span, at: &At) -> u32 {
        let index = u32::try_from(self.out.commands.len()).unwrap_or(u32::MAX);
        let stdin = self.stdin_here();
        let cwd = self.folder();
        self.out.commands.push(Command {
            span,
            words: Vec::new(),
            assignments: Vec::new(),
            redirects: Vec::new(),
            contexts: at.contexts,
            pipe: at.pipe,
            stdin,
            parent: at.parent,
            cwd,
            calls_function: false,
        });
        index
    }

    fn folder(&mut self) -> Cwd {
        let cwd = self.flow.cwd();
        let size = match cwd {
            Cwd::At(path) => path.len(),
            Cwd::OneOf(paths) => paths.iter().map(String::len).sum(),
            Cwd::Unknown => 0,
        };
        match self.folder_bytes.checked_sub(size) {
            Some(left) => {
                self.folder_bytes = left;
                cwd.clone()
            }
            None => Cwd::Unknown,
        }
    }

    pub(crate) fn stdin_here(&mut self) -> Stdin {
        let stdin = self.stdin.clone();
        match stdin.as_ref() {
            Stdin::Inherited => Stdin::Inherited,
            Stdin::Pipe(from) => {
                if self.indices(from.len()) {
                    Stdin::Pipe(from.clone())
                } else {
                    Stdin::Pipe(from.iter().rev().take(16).rev().copied().collect())
                }
            }
            Stdin::Redirect(redirect) => Stdin::Redirect(Box::new(self.affordable(redirect))),
        }
    }

    /// A copy of a redirect, with its text if there is enough to spend.
    fn affordable(&mut self, redirect: &Redirect) -> Redirect {
        let size =
            |value: &Value| value.all().map_or(value.prefix().len(), |all| all.iter().map(|text| text.len()).sum());
        let bytes = size(&redirect.target.value) + redirect.here.as_ref().map_or(0, |here| size(&here.value));
        if self.spend(bytes, 0) {
            return redirect.clone();
        }
        let target = crate::eval::unknown(redirect.target.span);
        let here =
            redirect.here.as_ref().map(|here| HereDoc { span: here.span, value: Value::Unknown, quoted: here.quoted });
        Redirect { span: redirect.span, op: redirect.op, target, here }
    }

    /// Redirects with their values, and what they make of standard input.
    pub(crate) fn redirect_list(&mut self, t: &Tree, ids: &[Id], at: &At) -> (Vec<Redirect>, Option<Stdin>) {
        let mut list = Vec::new();
        let mut stdin = None;
        for id in ids {
            let Some(node) = t.get(*id) else { continue };
            let Kind::Redirect { op, fd, target, here, input } = &node.kind else {
                continue;
            };
            let word = match op {
                crate::RedirectOp::HereString => self.single(t, *target, at, false),
                _ => self.target(t, *target, at),
            };
            let here = here.and_then(|slot| t.heres.get(slot as usize)).and_then(Option::as_ref).map(|here| {
                let text = self.single(t, here.word, at, false);
                HereDoc { span: here.span, value: text.value, quoted: here.quoted }
            });
            let redirect = Redirect { span: node.span, op: *op, target: word, here };
            let reads = match fd {
                Fd::Default => *input,
                Fd::Number(number) => *number == 0,
                Fd::Name(name) => {
                    self.flow.forget(name.split('[').next().unwrap_or_default());
                    false
                }
            };
            if reads {
                stdin = Some(Stdin::Redirect(Box::new(self.affordable(&redirect))));
            }
            list.push(redirect);
        }
        (list, stdin)
    }

    /// Commands so far of the compound whose redirects are read.
    pub(crate) fn compound_commands(&self) -> Vec<u32> {
        (self.compound_from..self.out.commands.len()).filter_map(|index| u32::try_from(index).ok()).take(4096).collect()
    }
}
