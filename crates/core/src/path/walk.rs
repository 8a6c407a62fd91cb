//! A path as the kernel walks it: component by component, links followed, `..` taken where it stands. Bounded by hops
//! and looks, both counted; what cannot be looked at ends the certainty, not the walk.

use super::text;
use crate::world::{Entry, World};

/// The kernel gives up after this many links.
const HOPS: usize = 40;
/// Looks at the world for one path, all its readings and roots together.
const LOOKS: usize = 2048;

/// One path's walk, with what it met.
pub(super) struct Walk<'w> {
    world: &'w dyn World,
    cwd: Option<&'w str>,
    looks: usize,
    /// names the path goes by at each link
    pub(super) via: Vec<String>,
    /// something on the way could not be known
    pub(super) lost: bool,
}

impl<'w> Walk<'w> {
    pub(super) fn new(world: &'w dyn World, cwd: Option<&'w str>) -> Self {
        Self { world, cwd, looks: 0, via: Vec::new(), lost: false }
    }

    pub(super) fn world(&self) -> &'w dyn World {
        self.world
    }

    pub(super) fn cwd(&self) -> Option<&'w str> {
        self.cwd
    }

    /// Where `path` (absolute) lands: a dangling link at the place a write through it would make, missing components
    /// on top of the longest folder that is there. None where the walk was lost; its best guess is then in `via`.
    pub(super) fn land(&mut self, path: &str) -> Option<String> {
        let mut trail = Trail::default();
        trail.push_front(path);
        let mut hops = 0;
        let mut lost = false;
        while let Some(part) = trail.ahead.pop() {
            if part == ".." {
                trail.up();
                continue;
            }
            if let Some(jump) = self.process_link(&trail.at, &part) {
                self.via.push(trail.name_of(&part));
                trail.at = jump;
                trail.missing_from = None;
                lost = true;
                continue;
            }
            trail.at.push(part);
            if is_descriptor(&trail.at) || trail.missing_from.is_some() {
                continue;
            }
            if self.looks >= LOOKS {
                lost = true;
                continue;
            }
            self.looks += 1;
            let here = text::absolute(&trail.at);
            match self.world.entry(&here) {
                Entry::Missing => trail.missing_from = Some(trail.at.len()),
                Entry::File | Entry::Dir => {}
                Entry::Unknown => lost = true,
                Entry::Link(target) => {
                    self.via.push(trail.name());
                    hops += 1;
                    if hops > HOPS || target.is_empty() || target.contains('\0') {
                        lost = true;
                        continue;
                    }
                    trail.follow(&target);
                }
            }
            if trail.ahead.len() > LOOKS {
                lost = true;
                break;
            }
        }
        let landed = trail.name();
        if lost {
            self.lost = true;
            self.via.push(landed);
            return None;
        }
        Some(landed)
    }

    /// Where a link under `/proc/<process>` leads: to another process's folder or root, which only the kernel knows.
    /// The likely target is walked on, so that guards still see it.
    fn process_link(&self, at: &[String], part: &str) -> Option<Vec<String>> {
        if at.first().is_none_or(|top| top != "proc") || at.len() < 2 {
            return None;
        }
        match part {
            "root" => Some(Vec::new()),
            "cwd" => Some(text::parts(self.cwd.unwrap_or("/")).map(str::to_owned).collect()),
            "exe" => Some(at.iter().cloned().chain([String::from("exe")]).collect()),
            _ => None,
        }
    }
}

/// `/proc/<process>/fd/<n>`: what is open there, not a name.
fn is_descriptor(at: &[String]) -> bool {
    let mut last = at.iter().rev();
    let number = last.next().is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    number && last.next().is_some_and(|part| part == "fd") && at.first().is_some_and(|top| top == "proc")
}

/// Where the walk stands and what is still ahead.
#[derive(Default)]
struct Trail {
    at: Vec<String>,
    ahead: Vec<String>,
    missing_from: Option<usize>,
}

impl Trail {
    fn push_front(&mut self, path: &str) {
        let from = self.ahead.len();
        self.ahead.extend(text::parts(path).map(str::to_owned));
        if let Some(fresh) = self.ahead.get_mut(from..) {
            fresh.reverse();
        }
    }

    fn up(&mut self) {
        self.at.pop();
        if self.missing_from.is_some_and(|from| self.at.len() < from) {
            self.missing_from = None;
        }
    }

    fn follow(&mut self, target: &str) {
        if target.starts_with('/') {
            self.at.clear();
        } else {
            self.at.pop();
        }
        self.missing_from = None;
        self.push_front(target);
    }

    /// The whole path by the name it has here.
    fn name(&self) -> String {
        let ahead: Vec<&str> = self.ahead.iter().rev().map(String::as_str).collect();
        text::join(&text::absolute(&self.at), &ahead.join("/"))
    }

    fn name_of(&self, part: &str) -> String {
        let ahead: Vec<&str> = std::iter::once(part).chain(self.ahead.iter().rev().map(String::as_str)).collect();
        text::join(&text::absolute(&self.at), &ahead.join("/"))
    }
}
