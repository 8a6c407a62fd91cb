//! What a container is given of this machine's files.

use super::opens;
use crate::action::{Capability, Role, Scale, Undo};
use crate::classify::arg::Arg;
use crate::classify::draft::{self, Draft};
use crate::classify::program::Scene;
use crate::classify::verb;
use crate::knowledge::Slot;
use crate::path::{self, Zone};

/// One `-v SRC:DEST[:OPTIONS]` or `--mount type=bind,source=SRC,…`.
pub(super) fn mount(draft: &mut Draft, scene: &Scene<'_>, value: &Arg, long: bool) {
    let Some(text) = value.exact() else {
        draft.opaque(Some(value.span), "what is mounted is not known");
        opens(draft, Undo::Hard, "mounts something that is not known");
        return;
    };
    let (source, read_only) = if long { by_fields(text) } else { by_colons(text) };
    let Some(source) = source else { return };
    if source.contains("docker.sock") || source.contains("podman.sock") || source.contains("containerd.sock") {
        opens(draft, Undo::Irreversible, "hands the container the machine's container runtime");
    }
    let arg = Arg::text(&source, value.span);
    let here = draft::folders(&scene.cwd).into_iter().map(|folder| path::place(scene.world, folder, &source).zone).max();
    let inside = here.is_some_and(|zone| matches!(zone, Zone::Project | Zone::Null));
    draft::add_slot(draft, scene.world, &scene.cwd, &arg, Slot::Sweep);
    if inside {
        if !read_only {
            draft.capability = Capability::Container;
            draft.blast.scale = Scale::Single;
            draft.note("may change the project");
            verb::path(draft, scene, &arg, Role::Write);
        }
    } else if read_only {
        opens(draft, Undo::Easy, "reads files outside the project");
    } else {
        opens(draft, Undo::Irreversible, "may change files outside the project");
        verb::path(draft, scene, &arg, Role::Write);
    }
}

/// The source, if it is a path of this machine, and whether it is mounted read-only.
fn by_colons(text: &str) -> (Option<String>, bool) {
    let drive = text.len() > 2 && text.as_bytes().get(1) == Some(&b':') && text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    let from = if drive { 2 } else { 0 };
    let Some(at) = text.get(from..).and_then(|tail| tail.find(':')).map(|at| at + from) else { return (None, false) };
    let source = text.get(..at).unwrap_or_default();
    let options = text.get(at + 1..).and_then(|tail| tail.split_once(':')).map_or("", |split| split.1);
    let path = drive || source.starts_with(['/', '.', '~', '$']);
    (path.then(|| source.to_owned()), options.split(',').any(|option| option == "ro" || option == "readonly"))
}

fn by_fields(text: &str) -> (Option<String>, bool) {
    let mut source = None;
    let mut bind = false;
    let mut read_only = false;
    for field in text.split(',') {
        match field.split_once('=') {
            Some(("type", kind)) => bind = kind == "bind",
            Some(("source" | "src", from)) => source = Some(from.to_owned()),
            Some(("readonly" | "ro", value)) => read_only = value != "false",
            None if matches!(field, "readonly" | "ro") => read_only = true,
            _ => {}
        }
    }
    (source.filter(|_| bind), read_only)
}
