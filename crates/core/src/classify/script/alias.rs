//! Aliases: `cargo NAME` from `.cargo/config.toml`, `git NAME` from the repository's and the person's configuration.

use leastgrant_shell::Cwd;

use super::{Body, hash, nearest, quoted};
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::{Nested, Scene};
use crate::classify::usage::Parsed;
use crate::world::Small;

/// `cargo NAME …` where NAME is no subcommand that the table knows.
pub(super) fn cargo(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some((name, arg)) = named(draft, parsed) else { return };
    let Some((file, _)) = nearest(scene.world, &scene.cwd, &[".cargo/config.toml", ".cargo/config"]) else {
        unknown(draft, &arg, "cargo", &name);
        return;
    };
    let value = section(&file, "alias", &name);
    let Some(value) = value else {
        unknown(draft, &arg, "cargo", &name);
        return;
    };
    let text: String = value.chars().filter(|letter| !matches!(letter, '[' | ']' | '"' | '\'' | ',')).collect();
    follow(draft, parsed, scene, &format!("cargo {text}"), &name);
}

/// `git NAME …` where NAME is no subcommand that the table knows.
pub(super) fn git(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some((name, arg)) = named(draft, parsed) else { return };
    let home = scene.world.facts().home.clone().unwrap_or_default();
    let mut value =
        nearest(scene.world, &scene.cwd, &[".git/config"]).and_then(|found| section(&found.0, "alias", &name));
    for file in [format!("{home}/.gitconfig"), format!("{home}/.config/git/config")] {
        if value.is_none()
            && let Small::Bytes(bytes) = scene.world.read(&file, super::SCRIPT_BYTES)
            && let Ok(text) = String::from_utf8(bytes)
        {
            value = section(&Body { hash: hash(text.as_bytes()), text, real: file }, "alias", &name);
        }
    }
    let Some(value) = value else {
        unknown(draft, &arg, "git", &name);
        return;
    };
    let value = value.trim_matches('"').replace("\\\"", "\"");
    match value.strip_prefix('!') {
        Some(shell) => follow(draft, parsed, scene, shell, &name),
        None => follow(draft, parsed, scene, &format!("git {value}"), &name),
    }
}

fn named(draft: &mut Draft, parsed: &Parsed<'_>) -> Option<(String, Arg)> {
    let arg = parsed.operands.first().map(|operand| operand.1.clone())?;
    match arg.exact().map(str::to_owned) {
        Some(name) => Some((name, arg)),
        None => {
            draft.opaque(Some(arg.span), "which subcommand is run is not known");
            None
        }
    }
}

fn unknown(draft: &mut Draft, arg: &Arg, program: &str, name: &str) {
    draft.opaque(Some(arg.span), format!("`{program} {name}` is neither a subcommand nor an alias that is known"));
}

/// The alias's text with the remaining arguments behind it.
fn follow(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>, text: &str, name: &str) {
    let mut whole = text.to_owned();
    for (_, arg) in parsed.operands.iter().skip(1) {
        whole.push(' ');
        whole.push_str(&arg.exact().map_or_else(|| String::from("\"$LEASTGRANT_UNKNOWN\""), quoted));
    }
    draft.become_(crate::action::Capability::Meta);
    draft.note(&format!("the alias `{name}`, which was read"));
    draft.content.push(hash(text.as_bytes()));
    let cwd = match &scene.cwd {
        Cwd::At(folder) => Cwd::At(folder.clone()),
        other => other.clone(),
    };
    scene.nested.push(Nested::Text { body: whole, positional: Vec::new(), name: name.to_owned(), cwd });
}

/// `name = value` in the section `[alias]`, in the shape that git and cargo share.
fn section(file: &Body, section: &str, name: &str) -> Option<String> {
    let mut inside = false;
    for line in file.text.lines() {
        let line = line.trim();
        if let Some(head) = line.strip_prefix('[') {
            inside = head.split(']').next().is_some_and(|head| head.trim().eq_ignore_ascii_case(section));
            continue;
        }
        if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim().trim_matches('"').eq_ignore_ascii_case(name)
        {
            return Some(value.trim().to_owned());
        }
    }
    let _ = &file.real;
    None
}
