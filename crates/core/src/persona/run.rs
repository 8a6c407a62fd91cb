//! What is in force in a project: `ACTIVE.json`, the flow that it names, and whether a person armed it. Read through
//! [`World`], each file whole and bounded. Whatever stands in the way of reading closes the bound; only nothing at all, or
//! a clear `"active": false`, opens it.

use super::active::{self, Active};
use super::armed::{Arming, digest};
use super::flow::{self, Bounds};
use super::guard::Profile;
use super::lease::Gate;
use super::why::{Block, Why};
use crate::path;
use crate::world::{Entry, Small, World};

/// Where a project keeps what its persona runs need.
pub const FOLDER: &str = ".leopold/persona";

/// One run, or what is left of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// the project's root
    pub root: String,
    /// how much of a call is judged
    pub profile: Profile,
    /// a person armed exactly this
    pub armed: bool,
    /// the conductor's word
    pub gate: Gate,
    /// what is known of its bounds
    pub state: State,
}

/// What is known of a run's bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// its hosts are known
    Open(Bounds),
    /// they are not: every navigation is held
    Closed(Block),
}

/// The file that arms a project.
#[must_use]
pub fn active_path(root: &str) -> String {
    format!("{}/{FOLDER}/ACTIVE.json", root.trim_end_matches('/'))
}

impl Run {
    /// The run in a project; none if nothing is active there. `root` has its links followed.
    #[must_use]
    pub fn at(world: &dyn World, root: &str, arming: &Arming, gate: Gate) -> Option<Self> {
        let file = active_path(root);
        let bytes = match (world.entry(&file), world.read(&file, active::MOST)) {
            (Entry::Missing, _) => return None,
            (_, Small::Bytes(bytes)) => Ok(bytes),
            _ => Err((Why::ActiveUnreadable, String::from("not a readable file"))),
        };
        let profile = if *arming == Arming::Foreign { Profile::Compat } else { Profile::Strict };
        let closed = |block: Block| Self {
            root: root.to_owned(),
            profile,
            armed: false,
            gate: gate.clone(),
            state: State::Closed(block),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err((why, detail)) => return Some(closed(Block::new(why, "").of(&detail))),
        };
        // before its own word is taken: whoever may not change it may not switch it off either
        if let Arming::Ours(armed) = arming
            && armed.active_sha256 != digest(&bytes)
        {
            return Some(closed(Block::new(Why::Tampered, &name(&armed.flow)).of("ACTIVE.json")));
        }
        let flow = match Active::read(&bytes) {
            Ok(Active::Off) => return None,
            Ok(Active::On { flow }) => flow,
            Err((why, detail)) => return Some(closed(Block::new(why, "").of(&detail))),
        };
        Some(match bounds(world, root, &flow, arming) {
            Ok(bounds) => Self {
                root: root.to_owned(),
                profile,
                armed: matches!(arming, Arming::Ours(_)),
                gate,
                state: State::Open(bounds),
            },
            Err(block) => closed(block),
        })
    }

    /// The flow's name, as far as it is known.
    #[must_use]
    pub fn flow(&self) -> &str {
        match &self.state {
            State::Open(bounds) => &bounds.name,
            State::Closed(block) => &block.flow,
        }
    }
}

/// The real path of the flow that `ACTIVE.json` names; none unless it is a file below `flows/`.
#[must_use]
pub fn flow_path(world: &dyn World, root: &str, flow: &str) -> Option<String> {
    let folder = format!("{}/{FOLDER}", root.trim_end_matches('/'));
    if flow.split(['/', '\\']).any(|part| part == "..") {
        return None;
    }
    let flows = path::place(world, Some(&folder), &format!("{folder}/flows")).real?;
    let real = path::place(world, Some(&folder), flow).real?;
    let below = path::strip(&real, &flows, world.facts().case_blind).is_some_and(|rest| !rest.is_empty());
    below.then_some(real)
}

/// The name of a flow's file.
fn name(path: &str) -> String {
    let file = path::name(path);
    file.strip_suffix(".md").unwrap_or(file).to_owned()
}

fn bounds(world: &dyn World, root: &str, flow: &str, arming: &Arming) -> Result<Bounds, Block> {
    let file = name(flow);
    let Some(path) = flow_path(world, root, flow) else { return Err(Block::new(Why::FlowPath, &file)) };
    let bytes = match world.read(&path, flow::MOST) {
        Small::Bytes(bytes) => bytes,
        Small::Missing => return Err(Block::new(Why::NoAllowlist, &file).of("the file is missing")),
        Small::Unreadable => return Err(Block::new(Why::NoAllowlist, &file).of("the file cannot be read")),
    };
    if let Arming::Ours(armed) = arming
        && (armed.flow_sha256 != digest(&bytes) || armed.flow != path)
    {
        return Err(Block::new(Why::Tampered, &file).of("the flow file"));
    }
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Err(Block::new(Why::NoAllowlist, &file).of("the file is not UTF-8"));
    };
    Bounds::read(text, &file).map_err(|problem| {
        let place = format!("line {}: {}", problem.line, problem.text);
        Block::new(Why::NoAllowlist, &Bounds::name_of(text, &file)).of(&place)
    })
}
