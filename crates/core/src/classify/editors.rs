//! Editors: they write what they open, and wait for typing.

use super::code::Code;
use super::draft::Draft;
use super::program::Scene;
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Exposure, Mark};

pub(super) const CODES: &[(&str, Code)] =
    &[("editors.interactive", interactive), ("editors.code", code), ("editors.choose", choose)];

/// Commands at the start (`+cmd`) run programs; without any the editor waits for typing.
fn interactive(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.targets.retain(|target| !target.text.starts_with('+'));
    if parsed.args.iter().any(|arg| arg.prefix().starts_with('+')) {
        draft.opaque(Some(scene.span), "commands of the editor, which can run programs");
    }
    draft.opaque(Some(scene.span), "an editor that waits for typing");
}

/// Editors with windows of their own.
fn code(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    match words(parsed).first().copied().unwrap_or_default() {
        "tunnel" | "serve-web" => {
            draft.become_(Capability::NetSend);
            draft.blast.exposure = Exposure::CanExfiltrate;
            draft.note("opens a way into this machine");
        }
        "agent" | "chat" => {
            draft.become_(Capability::AgentSpawn);
            draft.note("another agent acts by itself, with its own permissions");
        }
        "ext" => draft.become_(Capability::Package),
        _ => {}
    }
    if parsed.args.iter().any(|arg| verb::is(arg, &["--remote"])) {
        draft.opaque(Some(scene.span), "opens a folder on another machine");
    }
}

/// `fzf --bind 'enter:execute(…)'`, `gum spin -- CMD…`
fn choose(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    match verb::program(scene).as_str() {
        "gum" if words(parsed).first() == Some(&"spin") => {
            let rest = verb::after(parsed.args, &["--"]).unwrap_or_default().to_vec();
            if rest.is_empty() {
                draft.opaque(Some(scene.span), "a command behind options that are not read");
            }
            verb::runs(scene, rest);
        }
        "navi" | "howdoi" | "cheat" | "cht.sh" => draft.become_(Capability::NetFetch),
        _ => {}
    }
    let binds = parsed.args.iter().any(|arg| {
        let text = arg.prefix();
        ["execute", "become", "reload", "transform", "preview("].iter().any(|action| text.contains(action) && text.contains([':', '(']))
    });
    if binds {
        scene.nested.clear();
        draft.become_(Capability::Unknown);
        draft.opaque(Some(scene.span), "keys that run commands");
        draft.marks.retain(|mark| *mark != Mark::LaterInput);
    }
}
