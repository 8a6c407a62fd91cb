//! Puts the inventory in the order of the text, and gives functions what their callers feed them.

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
            let mut changed = false;
            for body in 0..self.bodies.len() {
                let Some((name, from, to)) = self.bodies.get(body).cloned() else {
                    continue;
                };
                let Some(fed) = self.fed(&name) else { continue };
                for index in from..to {
                    let command = self.out.commands.get(index);
                    if !command.is_some_and(|command| matches!(command.stdin, Stdin::Inherited)) {
                        continue;
                    }
                    let size = if let Stdin::Pipe(from) = &fed { from.len() } else { 16 };
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

    /// What the callers of a function are given to read: pipes before files.
    fn fed(&mut self, name: &str) -> Option<Stdin> {
        let mut pipe: Option<Vec<u32>> = None;
        let mut other = None;
        let mut seen = 0;
        for command in &self.out.commands {
            seen += 1;
            let program = command.words.first().map(|word| &word.value);
            let calls = program.is_none_or(|value| value.all().is_none_or(|all| all.contains(&name)));
            if !calls || command.words.is_empty() {
                continue;
            }
            match &command.stdin {
                Stdin::Inherited => {}
                Stdin::Pipe(from) => {
                    let all = pipe.get_or_insert_with(Vec::new);
                    for index in from {
                        if all.len() < 256 && !all.contains(index) {
                            all.push(*index);
                        }
                    }
                }
                redirect => other = Some(redirect.clone()),
            }
        }
        self.work(seen);
        pipe.map(Stdin::Pipe).or(other)
    }
}
