//! What fires each floor. A trigger says why in words; it never weighs.

use super::{Cause, Kept, Sight};
use crate::action::{Capability, Exposure, Mark, Reach, Role, TargetKind, Undo};
use crate::control::Hold;
use crate::path::{self, Place, Zone};
use crate::secret;
use crate::world::Entry;

type Fires = Option<Cause>;

fn when(holds: bool, text: impl FnOnce() -> String) -> Fires {
    holds.then(|| Cause { text: text(), span: None })
}

fn marked(sight: &Sight<'_>, mark: Mark) -> bool {
    sight.action.marks.contains(&mark)
}

/// The first note of the action, or these words.
fn noted(sight: &Sight<'_>, words: &str) -> String {
    let subject = short(&sight.action.display);
    match sight.action.notes.first() {
        Some(note) => format!("`{subject}` {words}: {note}"),
        None => format!("`{subject}` {words}"),
    }
}

/// Enough of a text to know it by.
fn short(text: &str) -> String {
    const MOST: usize = 80;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain(['…']).collect()
}

fn held(sight: &Sight<'_>, hold: Hold) -> Fires {
    let kept = sight.kept.iter().find(|kept| kept.control.hold == hold)?;
    Some(Cause { text: describe(kept), span: kept.span })
}

fn describe(kept: &Kept<'_>) -> String {
    let Kept { control, text, effect, .. } = kept;
    let what = match effect {
        Some(effect) => effect.as_str(),
        None => control.decides,
    };
    format!("changes `{}` ({}): {what}", short(text), control.kind)
}

pub(super) fn self_write(sight: &Sight<'_>) -> Fires {
    held(sight, Hold::Own)
        .or_else(|| when(marked(sight, Mark::Disarm), || noted(sight, "switches leastgrant or an agent's hooks off")))
}

pub(super) fn own_command(sight: &Sight<'_>) -> Fires {
    when(marked(sight, Mark::OwnCommand), || {
        format!("`{}` changes what leastgrant allows; only a person may run it", short(&sight.action.display))
    })
}

pub(super) fn transcript(sight: &Sight<'_>) -> Fires {
    held(sight, Hold::Record)
}

pub(super) fn agent_config(sight: &Sight<'_>) -> Fires {
    held(sight, Hold::Config)
}

pub(super) fn secret_read(sight: &Sight<'_>) -> Fires {
    let action = sight.action;
    let target = action.targets.iter().find_map(|target| match &target.kind {
        // listing names lays nothing open
        TargetKind::Path(place) if target.role != Role::List => {
            secret::secret(sight.world, place).map(|why| (target, why))
        }
        _ => None,
    });
    if let Some((target, why)) = target {
        let verb = if target.role.changes() { "changes" } else { "reads" };
        return Some(Cause { text: format!("{verb} `{}`: {why}", short(&target.text)), span: target.span });
    }
    let by_kind = action.capability == Capability::SecretRead || action.blast.exposure == Exposure::ReadsSecrets;
    when(by_kind, || noted(sight, "lays a credential open"))
}

pub(super) fn exfiltrate(sight: &Sight<'_>) -> Fires {
    when(sight.action.blast.exposure == Exposure::CanExfiltrate, || noted(sight, "can send data away"))
}

pub(super) fn flow(sight: &Sight<'_>) -> Fires {
    let source = sight.flow.source.as_ref()?;
    // what was not understood could send as well as anything else
    when(reaches_out(sight) || sight.action.opaque.is_some(), || {
        format!("{source}, and `{}` could carry it away", short(&sight.action.display))
    })
}

fn reaches_out(sight: &Sight<'_>) -> bool {
    use Capability as C;
    let action = sight.action;
    let by_kind = matches!(
        action.capability,
        C::NetFetch
            | C::NetSend
            | C::McpCall
            | C::McpRead
            | C::VcsPush
            | C::VcsPublish
            | C::PackagePublish
            | C::Remote
            | C::Cloud
            | C::Iac
            | C::Database
    );
    // looking at the remote that a repository has anyway carries nothing that the remote does not know
    let looks = action.capability == C::VcsRead;
    by_kind
        || (action.blast.reach >= Reach::Network && !looks)
        || action.blast.exposure == Exposure::CanExfiltrate
        || action.targets.iter().any(|target| matches!(target.kind, TargetKind::Host { local: false, .. }))
}

pub(super) fn write_outside(sight: &Sight<'_>) -> Fires {
    let (place, role, text, span) = sight.changed().find(|(place, ..)| is_outside(place.zone))?;
    let verb = if role == Role::Delete { "deletes" } else { "writes" };
    let text = if place.zone == Zone::Unplaced {
        format!("{verb} `{}`, and where that is cannot be worked out", short(text))
    } else {
        format!("{verb} `{}`, outside the project", short(text))
    };
    Some(Cause { text, span })
}

/// Folders for temporary files are the machine's scrap paper: they count as outside in the blast, but raise no floor.
fn is_outside(zone: Zone) -> bool {
    !matches!(zone, Zone::Project | Zone::Null | Zone::Temp)
}

pub(super) fn persistence(sight: &Sight<'_>) -> Fires {
    held(sight, Hold::Persistence)
        .or_else(|| when(marked(sight, Mark::Persistence), || noted(sight, "starts again by itself later")))
}

pub(super) fn privilege(sight: &Sight<'_>) -> Fires {
    when(sight.action.capability == Capability::Privilege || marked(sight, Mark::Privilege), || {
        noted(sight, "runs with more rights")
    })
}

pub(super) fn injection(sight: &Sight<'_>) -> Fires {
    when(marked(sight, Mark::Injection), || noted(sight, "makes other programs run code of its choosing"))
}

pub(super) fn pipe_to_shell(sight: &Sight<'_>) -> Fires {
    when(marked(sight, Mark::PipeToShell), || noted(sight, "runs what the same call fetches"))
}

pub(super) fn fetch_run(sight: &Sight<'_>) -> Fires {
    when(marked(sight, Mark::FetchRun), || noted(sight, "fetches a package and runs it"))
}

pub(super) fn production(sight: &Sight<'_>) -> Fires {
    when(sight.action.blast.reach == Reach::Production || marked(sight, Mark::Production), || {
        noted(sight, "touches production or published history")
    })
}

pub(super) fn publish(sight: &Sight<'_>) -> Fires {
    when(sight.action.capability == Capability::PackagePublish, || noted(sight, "publishes a package"))
}

pub(super) fn irreversible(sight: &Sight<'_>) -> Fires {
    let root = sight.changed().find_map(|(place, role, text, span)| {
        let what = irreplaceable(sight, place, role)?;
        let verb = if role == Role::Delete { "deletes" } else { "overwrites" };
        Some(Cause { text: format!("{verb} `{}`: {what}", short(text)), span })
    });
    root.or_else(|| {
        let blast = sight.action.blast;
        when(blast.undo == Undo::Irreversible && blast.reach > Reach::Workspace, || {
            noted(sight, "cannot be undone and reaches beyond the project")
        })
    })
}

/// What a place is, if its loss takes more with it than files.
fn irreplaceable(sight: &Sight<'_>, place: &Place, role: Role) -> Option<&'static str> {
    let facts = sight.world.facts();
    place.readings().into_iter().find_map(|path: &str| {
        let holds = |inner: &str| !inner.is_empty() && path::inside(inner, path, facts.case_blind);
        // writing to a folder that exists puts something into it
        let folder = role == Role::Write && sight.world.entry(path) == Entry::Dir;
        if folder && !path.ends_with("/.git") {
            return None;
        }
        if path == "/" {
            return Some("the root of the file system");
        }
        if facts.home.as_deref().is_some_and(holds) {
            return Some("the home folder, or a folder that holds it");
        }
        if holds(&facts.project) {
            return Some("the project itself, or a folder that holds it");
        }
        if path == facts.temp {
            return Some("the whole folder for temporary files");
        }
        if place.zone == Zone::Temp {
            return None;
        }
        if path.ends_with("/.git") {
            return Some("a repository's history");
        }
        // a stale lock is what people are told to remove
        let lock = path.ends_with(".lock");
        (role == Role::Delete && path.contains("/.git/") && !lock).then_some("a part of a repository's history")
    })
}

pub(super) fn agent_off_switch(sight: &Sight<'_>) -> Fires {
    when(marked(sight, Mark::AgentOffSwitch), || noted(sight, "starts another agent with its guards off"))
}

pub(super) fn later_input(sight: &Sight<'_>) -> Fires {
    when(marked(sight, Mark::LaterInput), || noted(sight, "opens a shell that would read its commands later, unseen"))
}
