//! Files that decide what an agent, a tool or the machine may do next.
//!
//! Membership: something obeys the file later without asking. What people edit all day (`package.json`, `build.rs`) is
//! kept for its content or not at all, because a guard that asks about ordinary edits is switched off. Every reading of
//! a path counts, and the strictest row holds.

mod content;
mod document;
mod entry;
mod launch;
mod table;
mod text;

pub use content::{content, fragment, is_settings};
pub use entry::{holds_entry, replaced};
pub use launch::{agent_env_moves, agent_off_switch, agent_off_switch_env};
pub use table::{ControlPath, RECORDS, Record};
pub use text::text_disarms;

use crate::path::pattern::{Anchor, Subject};
use crate::path::{self, Place};
use crate::world::{Entry, Facts, World};

/// How strictly a path is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hold {
    /// writing it asks a person (`guard.agent-config`)
    Config,
    /// writing it asks a person (`guard.persistence`)
    Persistence,
    /// an agent's transcripts or persona state: refused (`guard.transcript`)
    Record,
    /// leastgrant's own state, program or hook entries: refused (`guard.self-write`)
    Own,
}

/// What a kept path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// how strictly it is kept
    pub hold: Hold,
    /// record id of the agent it belongs to, or `any`
    pub agent: &'static str,
    /// hook config, settings, MCP wiring, instructions, standing grants, …
    pub kind: &'static str,
    /// what it decides, in words
    pub decides: &'static str,
}

const STATE: Control =
    Control { hold: Hold::Own, agent: "any", kind: "leastgrant state", decides: "what leastgrant knows and allows" };
const BINARY: Control =
    Control { hold: Hold::Own, agent: "any", kind: "leastgrant program", decides: "whether calls are judged at all" };
const PACKAGE: Control =
    Control { hold: Hold::Config, agent: "any", kind: "package scripts", decides: "what package commands run" };
const EVERYTHING: Control = Control {
    hold: Hold::Config,
    agent: "any",
    kind: "project",
    decides: "everything that is in it, settings and hooks too",
};

/// What a path decides, if anything; the strictest where several hold. A folder that is made for such files (`.claude`)
/// counts too. Making an empty folder decides nothing: don't ask for that. What a removal, a move or a recursive copy
/// takes with it is [`control_below`]'s.
#[must_use]
pub fn control(world: &dyn World, place: &Place) -> Option<Control> {
    strictest(place.readings().into_iter().filter_map(|reading| at(world, reading)))
}

/// What goes with a folder that is removed, moved, copied over or changed throughout: kept files below it as well.
#[must_use]
pub fn control_below(world: &dyn World, place: &Place) -> Option<Control> {
    let facts = world.facts();
    let blind = facts.case_blind;
    if own_roots(facts).any(|(root, _)| place.is_above(root, blind)) {
        return Some(STATE);
    }
    let project = place.is_above(&facts.project, blind).then_some(EVERYTHING);
    let there = place.readings().into_iter().filter_map(|reading| {
        let subject = Subject::new(facts, reading);
        let tables = rows().filter(|(row, _)| !table::anywhere(&row.pattern));
        let toward = tables.filter(|(row, _)| subject.toward(&row.pattern, true).is_some());
        strictest(toward.map(|(row, agent)| named(row, agent)).chain(contents(world, reading)))
    });
    strictest(project.into_iter().chain(control(world, place)).chain(there))
}

/// Whether a path of which only the beginning is known is likely to be kept: it leads into a place for such files, or
/// its last name begins like one. An unknown name in an ordinary folder is not: that is for the caller to call unreadable.
#[must_use]
pub fn control_prefix(world: &dyn World, cwd: Option<&str>, prefix: &str) -> Option<Control> {
    let (folder, begun) = prefix.rsplit_once('/').map_or(("", prefix), |(folder, begun)| (folder, begun));
    let folder = match folder {
        "" if prefix.starts_with('/') => "/",
        "" => ".",
        folder => folder,
    };
    let place = path::place(world, cwd, folder);
    let facts = world.facts();
    let inside = place.readings().into_iter().filter_map(|reading| {
        let subject = Subject::new(facts, reading);
        let exact = at(world, reading).filter(|_| !begun.is_empty() || !subject.is_home());
        let begins = (!begun.is_empty()).then(|| begin_like(world, reading, begun)).flatten();
        strictest(exact.into_iter().chain(begins))
    });
    strictest(inside)
}

/// Why a file counts as code that an everyday command runs; no floor, only worth knowing.
#[must_use]
pub fn runs_code(place: &Place) -> Option<&'static str> {
    let hit = |name: &str| {
        let name = path::fold(path::name(name), true).into_owned();
        let row = table::RUNS.iter().find(|row| row.0.iter().any(|glob| path::glob::matches(glob, &name)));
        row.map(|row| row.1)
    };
    place.readings().into_iter().find_map(hit)
}

fn strictest(all: impl Iterator<Item = Control>) -> Option<Control> {
    // the first of equals, so that the order of the tables decides and not the order of readings
    all.fold(None, |best: Option<Control>, next| match best {
        Some(best) if best.hold >= next.hold => Some(best),
        _ => Some(next),
    })
}

fn rows() -> impl Iterator<Item = (&'static ControlPath, &'static str)> {
    let agents = RECORDS.iter().flat_map(|record| record.control_paths.iter().map(|row| (row, record.id)));
    agents.chain(table::GENERIC.iter().map(|row| (row, "any")))
}

fn named(row: &ControlPath, agent: &'static str) -> Control {
    Control { hold: row.hold, agent, kind: row.kind, decides: row.decides }
}

/// Our own places, those that are known.
fn own_roots(facts: &Facts) -> impl Iterator<Item = (&str, Control)> {
    let state = Some(facts.state.as_str()).filter(|state| !state.is_empty()).map(|state| (state, STATE));
    let binary = facts.binary.as_deref().filter(|binary| !binary.is_empty()).map(|binary| (binary, BINARY));
    state.into_iter().chain(binary)
}

fn at(world: &dyn World, reading: &str) -> Option<Control> {
    let facts = world.facts();
    let own = own_roots(facts).find(|(root, _)| own_place(world, reading, root));
    if let Some((_, control)) = own {
        return Some(control);
    }
    let subject = Subject::new(facts, reading);
    let hit = |subject: &Subject, row: &ControlPath| {
        let pattern = &row.pattern;
        let dotted = pattern.parts.first().is_some_and(|first| first.starts_with('.'));
        let leads = subject.toward(pattern, false).is_some()
            && (dotted || !table::anywhere(pattern))
            && row.kind != "log-in rights";
        (subject.find(pattern).is_some() || leads) && instructs(facts, reading, row)
    };
    let plain = rows().filter(|(row, _)| hit(&subject, row)).map(|(row, agent)| named(row, agent));
    let moved = facts.agent_homes.iter().flat_map(|(id, folder)| {
        let record = RECORDS.iter().find(|record| record.id == id);
        let subject =
            record.and_then(|record| Subject::moved(facts, reading, folder, record.home.trim_start_matches("~/")));
        let rows = record.map(|record| record.control_paths).unwrap_or_default();
        let homes = rows.iter().filter(|row| row.pattern.anchor == Anchor::Home);
        let hits: Vec<Control> = match (&subject, record) {
            (Some(subject), Some(record)) => {
                homes.filter(|row| hit(subject, row)).map(|row| named(row, record.id)).collect()
            }
            _ => Vec::new(),
        };
        hits
    });
    let manifest = table::MANIFESTS.iter().any(|manifest| manifest.name == subject.name());
    strictest(plain.chain(moved).chain(behind(world, reading)).chain(manifest.then_some(PACKAGE)))
}

/// A folder or file of ours, by its name or by where a link under that name leads.
fn own_place(world: &dyn World, reading: &str, root: &str) -> bool {
    let blind = world.facts().case_blind;
    if path::inside(reading, root, blind) {
        return true;
    }
    // only worth a walk where the root itself may be a link
    let real = path::place(world, None, root).real;
    real.is_some_and(|real| path::inside(reading, &real, blind))
}

/// Instructions count where a session would read them: in the project, or in a folder above it.
fn instructs(facts: &Facts, reading: &str, row: &ControlPath) -> bool {
    if row.kind != "instructions" || !table::anywhere(&row.pattern) || !reading.starts_with('/') {
        return true;
    }
    let blind = facts.case_blind;
    let roots = || std::iter::once(&facts.project).chain(&facts.extra_roots);
    roots().any(|root| path::inside(reading, root, blind) || path::inside(root, path::parent(reading), blind))
}

/// The file that an agent's settings are a link to: people keep their settings elsewhere and link them into place.
fn behind(world: &dyn World, reading: &str) -> Option<Control> {
    let facts = world.facts();
    let home = facts.home.as_deref()?;
    let rows = RECORDS.iter().flat_map(|record| record.control_paths.iter().map(move |row| (row, record.id)));
    rows.filter(|(row, _)| row.kind == "hook config" && !row.path.contains('*')).find_map(|(row, agent)| {
        let below = row.path.strip_prefix("~/")?.trim_end_matches('/');
        let own = format!("{home}/{below}");
        let folder = path::parent(&own);
        let linked = [own.as_str(), folder].iter().any(|path| matches!(world.entry(path), Entry::Link(_)));
        let real = linked.then(|| path::place(world, None, &own).real).flatten()?;
        let hit = path::same(reading, &real, facts.case_blind)
            || row.pattern.folder && path::inside(reading, &real, facts.case_blind);
        hit.then(|| named(row, agent))
    })
}

/// Kept files that are there, in the folder or one below it.
fn contents(world: &dyn World, reading: &str) -> Option<Control> {
    const NAMES: usize = 200;
    let folder = reading.trim_end_matches('/');
    let names = world.list(reading, NAMES)?;
    let direct = |folder: &str, names: &[String]| {
        let below = names
            .iter()
            .filter(|name| name.starts_with(['.', '_']) || name.ends_with(".json") || name.ends_with(".md"));
        strictest(below.filter_map(|name| at(world, &format!("{folder}/{name}"))).filter(|control| *control != PACKAGE))
    };
    let deeper = names.iter().filter(|name| !matches!(name.as_str(), "node_modules" | "target" | "vendor" | "dist"));
    let below = deeper.filter_map(|name| {
        let inner = format!("{folder}/{name}");
        direct(&inner, &world.list(&inner, NAMES)?)
    });
    strictest(direct(folder, &names).into_iter().chain(below))
}

/// A row whose next name begins with what is known.
fn begin_like(world: &dyn World, folder: &str, begun: &str) -> Option<Control> {
    let facts = world.facts();
    let begun = path::fold(begun, facts.case_blind).into_owned();
    let own = own_roots(facts).find(|(root, _)| {
        path::strip(root, folder, facts.case_blind)
            .is_some_and(|rest| path::fold(rest, facts.case_blind).starts_with(&begun))
    });
    if let Some((_, control)) = own {
        return Some(control);
    }
    let subject = Subject::new(facts, folder);
    strictest(rows().filter_map(|(row, agent)| {
        let parts = row.pattern.parts;
        let next = if table::anywhere(&row.pattern) && parts.len() == 1 {
            Some(0)
        } else {
            subject.toward(&row.pattern, true).map(|missing| parts.len() - missing)
        };
        let name = parts.get(next?)?;
        let like = !name.starts_with('*') && name.starts_with(&begun) && (begun.len() > 3 || begun.starts_with('.'));
        (like && instructs(facts, &format!("{folder}/{name}"), row)).then(|| named(row, agent))
    }))
}
