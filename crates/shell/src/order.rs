//! Puts the inventory in the order of the text, and gives functions what their callers feed them.

use std::collections::BTreeMap;

use crate::walk::Walk;
use crate::{Command, Stdin, Why};

/// Sorts by position; the numbers that commands have of each other follow.
pub(crate) fn by_position(commands: &mut Vec<Command>) {
    if commands.is_sorted_by_key(|command| command.span.start) {
        return;
    }
    let mut order: Vec<usize> = (0..commands.len()).collect();
    order.sort_by_key(|index| commands.get(*index).map(|command| command.span.start));
    let mut moved = vec![0u32; commands.len()];
    for (to, from) in order.iter().enumerate() {
        if let Some(slot) = moved.get_mut(*from) {
            *slot = u32::try_from(to).unwrap_or(u32::MAX);
        }
    }
    let renumber = |index: u32| moved.get(index as usize).copied().unwrap_or(index);
    let mut taken: Vec<Option<Command>> = std::mem::take(commands).into_iter().map(Some).collect();
    for from in order {
        let Some(mut command) = taken.get_mut(from).and_then(Option::take) else {
            continue;
        };
        command.parent = command.parent.map(renumber);
        if let Stdin::Pipe(from) = &mut command.stdin {
            from.iter_mut().for_each(|index| *index = renumber(*index));
        }
        commands.push(command);
    }
}

impl Walk<'_> {
    /// Commands in a function's body that read what the shell has read what the callers are given.
    pub(crate) fn callers(&mut self) {
        if self.bodies.is_empty() {
            return;
        }
        for round in 0..8 {
            let fed = self.fed();
            if fed.is_empty() {
                return;
            }
            let mut changed = false;
            for body in 0..self.bodies.len() {
                self.work(1);
                let Some((name, from, to)) = self.bodies.get(body).cloned() else { continue };
                let Some(fed) = fed.get(name.as_str()).or_else(|| fed.get("")) else { continue };
                let size = if let Stdin::Pipe(from) = fed { from.len() } else { 16 };
                for index in from..to {
                    let inherits =
                        matches!(self.out.commands.get(index).map(|command| &command.stdin), Some(Stdin::Inherited));
                    if !inherits {
                        continue;
                    }
                    if !self.indices(size) {
                        return;
                    }
                    if let Some(command) = self.out.commands.get_mut(index) {
                        command.stdin = fed.clone();
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
            if round == 7 {
                self.opaque(crate::Span::default(), Why::TooMuch);
            }
        }
    }

    /// What each function's callers are given to read, pipes before files; under no name: any function's.
    fn fed(&mut self) -> BTreeMap<String, Stdin> {
        let mut fed: BTreeMap<String, Stdin> = BTreeMap::new();
        let mut seen = 0;
        for command in &self.out.commands {
            seen += 1;
            if matches!(command.stdin, Stdin::Inherited) {
                continue;
            }
            let Some(first) = command.words.first() else { continue };
            let names: Vec<&str> = match first.value.all() {
                Some(all) => all.into_iter().filter(|name| self.functions.contains(*name)).collect(),
                None => vec![""],
            };
            for name in names {
                match (fed.get_mut(name), &command.stdin) {
                    (Some(Stdin::Pipe(all)), Stdin::Pipe(from)) => {
                        for index in from {
                            seen += 1;
                            if all.len() < 64 && !all.contains(index) {
                                all.push(*index);
                            }
                        }
                    }
                    (Some(Stdin::Pipe(_)), _) => {}
                    (_, Stdin::Pipe(from)) => {
                        let near = from.iter().rev().take(64).rev().copied().collect();
                        drop(fed.insert(name.to_owned(), Stdin::Pipe(near)));
                    }
                    (None, other) => drop(fed.insert(name.to_owned(), other.clone())),
                    (Some(_), _) => {}
                }
            }
        }
        self.work(seen / 4);
        fed
    }
}
