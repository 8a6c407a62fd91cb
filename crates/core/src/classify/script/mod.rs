//! Scripts: a file or task that is run is read, within bounds, and judged like typed text (DESIGN §4).
//!
//! Only from inside the project; what is not there, too large, not text or of a language without a reader is opaque. The
//! content's hash becomes part of the signature, so that an approval lapses when the body changes.

mod alias;
mod javascript;
mod just;
mod make;
mod npm;
mod python;
mod tasks;
mod token;

use leastgrant_shell::{Cwd, Value};
use sha2::{Digest as _, Sha256};

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::{Nested, Scene};
use super::shell::Feed;
use super::usage::Parsed;
use crate::action::{Capability, Mark};
use crate::knowledge::Program;
use crate::path::{self, Zone};
use crate::world::{Small, World};

pub(super) const CODES: &[(&str, Code)] = &[
    ("scripts.npm", npm::run),
    ("scripts.make", make::run),
    ("scripts.just", just::run),
    ("scripts.task", conventional),
    ("scripts.mise", tasks::mise),
    ("scripts.deno", tasks::deno),
    ("scripts.composer", tasks::composer),
    ("scripts.taskfile", tasks::taskfile),
    ("scripts.cargo_alias", alias::cargo),
    ("scripts.git_alias", alias::git),
];

/// Most bytes of one script.
const SCRIPT_BYTES: usize = 128 * 1024;

/// The languages that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Shell,
    Python,
    JavaScript,
    Other,
}

/// A file of the project that could be read as text.
struct Body {
    text: String,
    hash: String,
    real: String,
}

/// The text of a file of the project, for readers of other families.
pub(super) fn text(world: &dyn World, cwd: &Cwd, file: &Arg) -> Option<String> {
    read(world, cwd, file.exact()?).ok().map(|body| body.text)
}

/// A file whose content is run.
pub fn file(draft: &mut Draft, scene: &mut Scene<'_>, file: &Arg, args: &[Arg], parsed: Option<&Parsed<'_>>) {
    let shown = file.shown();
    let Some(written) = file.exact() else {
        draft.opaque(Some(file.span), "which file is run is not known");
        return;
    };
    if matches!(written, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "/dev/tty")
        && matches!(scene.feed, Feed::Inherited | Feed::Pipe { typed: true, .. })
    {
        draft.mark(Mark::LaterInput);
        draft.opaque(Some(file.span), "reads its commands from what is typed later");
        return;
    }
    if usual_startup(scene.world, &scene.cwd, written) {
        draft.become_(Capability::Meta);
        draft.note("loads an environment or start-up file");
        return;
    }
    let body = match read(scene.world, &scene.cwd, written) {
        Ok(body) => body,
        Err(why) => {
            draft.opaque(Some(file.span), format!("`{shown}` {why}"));
            return;
        }
    };
    let language = language(written, &body.text, draft.family, parsed.is_some());
    draft.content.push(body.hash.clone());
    match language {
        Language::Shell => {
            draft.become_(Capability::Meta);
            draft.note(&format!("runs the commands of `{shown}`, which were read"));
            scene.nested.push(Nested::Text {
                body: body.text,
                positional: args.iter().map(|arg| arg.value.clone()).collect(),
                name: shown,
                cwd: scene.cwd.clone(),
            });
        }
        Language::Python => code(draft, scene, file, &body.text, python::read),
        Language::JavaScript => code(draft, scene, file, &body.text, javascript::read),
        Language::Other => draft.opaque(Some(file.span), format!("`{shown}` is in a language that is not read")),
    }
}

/// Code of another language, given as text.
pub fn inline(draft: &mut Draft, scene: &mut Scene<'_>, text: &Arg, program: &'static Program) {
    let name = program.names.first().copied().unwrap_or_default();
    let reader = match name {
        "python" | "python3" => python::read,
        "node" | "bun" | "deno" => javascript::read,
        _ => {
            draft.opaque(Some(text.span), format!("code that `{name}` would run"));
            return;
        }
    };
    match text.exact() {
        Some(source) => {
            let source = source.to_owned();
            code(draft, scene, text, &source, reader);
        }
        None => draft.opaque(Some(text.span), format!("code that `{name}` would run and that is not known")),
    }
}

/// What a reader of another language found.
#[derive(Debug, Default)]
struct Found {
    /// files that are read, by their literal names
    reads: Vec<String>,
    /// modules by their first name: a file of that name in the folder would be run instead
    imports: Vec<String>,
    /// the first thing that is not on the allow-list
    refused: Option<String>,
}

fn code(draft: &mut Draft, scene: &mut Scene<'_>, at: &Arg, source: &str, reader: fn(&str) -> Found) {
    let found = reader(source);
    if let Some(what) = found.refused {
        draft.opaque(Some(at.span), format!("code with `{what}`, which is not read further"));
        return;
    }
    for module in &found.imports {
        for name in [format!("{module}.py"), format!("{module}/__init__.py")] {
            if read(scene.world, &scene.cwd, &name).is_ok_and(|_| true) {
                draft.opaque(Some(at.span), format!("`{name}` in this folder would be run by `import {module}`"));
                return;
            }
        }
    }
    draft.become_(Capability::Inspect);
    draft.note("code that only computes, prints and reads in the project");
    for name in found.reads {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(&name, at.span), crate::action::Role::Read);
        draft.at_least(Capability::ReadWorkspace);
    }
}

/// A text file of the project.
fn read(world: &dyn World, cwd: &Cwd, written: &str) -> Result<Body, &'static str> {
    let Cwd::At(folder) = cwd else { return Err("is run from a folder that is not known") };
    let place = path::place(world, Some(folder), written);
    if place.zone != Zone::Project {
        return Err("lies outside the project and is not read");
    }
    let Some(real) = place.real else { return Err("cannot be placed") };
    match world.read(&real, SCRIPT_BYTES) {
        Small::Bytes(bytes) => {
            let hash = hash(&bytes);
            match String::from_utf8(bytes) {
                Ok(text) if !text.contains('\0') => Ok(Body { text, hash, real }),
                _ => Err("is not text"),
            }
        }
        Small::Missing => Err("is not there"),
        Small::Unreadable => Err("is too large or cannot be read"),
    }
}

/// The text of a file of the project, for readers of other languages.
pub(super) fn text_of(draft: &mut Draft, scene: &Scene<'_>, file: &Arg) -> Option<String> {
    let body = read(scene.world, &scene.cwd, file.exact()?).ok()?;
    draft.content.push(body.hash);
    Some(body.text)
}

/// 16 hex digits of the content's SHA-256.
fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn language(written: &str, text: &str, family: &str, by_interpreter: bool) -> Language {
    let end = written.rsplit_once('.').map(|split| split.1.to_ascii_lowercase()).unwrap_or_default();
    if by_interpreter {
        return match family {
            "shells" | "wrappers" => Language::Shell,
            _ => match end.as_str() {
                "py" | "pyw" => Language::Python,
                "js" | "mjs" | "cjs" => Language::JavaScript,
                _ => Language::Other,
            },
        };
    }
    let first = text.lines().next().unwrap_or_default();
    let program = first
        .strip_prefix("#!")
        .map(|rest| rest.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or_default()));
    if let Some(mut words) = program {
        let name =
            words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('=')).unwrap_or_default();
        return match name {
            "sh" | "bash" | "dash" | "zsh" | "ksh" => Language::Shell,
            "node" | "bun" => Language::JavaScript,
            _ if name.starts_with("python") => Language::Python,
            _ => Language::Other,
        };
    }
    // without `#!` the calling shell reads it itself
    if matches!(end.as_str(), "sh" | "bash" | "") { Language::Shell } else { Language::Other }
}

/// Files that people load every day: virtual environments of the project, their own start-up files (which no agent may
/// write unasked), tool environments below their home.
fn usual_startup(world: &dyn World, cwd: &Cwd, written: &str) -> bool {
    let Some(Some(folder)) = draft::folders(cwd).first().copied() else { return false };
    let place = path::place(world, Some(folder), written);
    let (Some(real), Some(lexical)) = (place.real.as_deref(), place.lexical.as_deref()) else { return false };
    if real != lexical {
        return false;
    }
    let ends = |ends: &[&str]| ends.iter().any(|end| real.ends_with(end));
    match place.zone {
        Zone::Project => ends(&["/bin/activate", "/Scripts/activate"]),
        Zone::Home => {
            let home = world.facts().home.as_deref().unwrap_or_default();
            let below = real.strip_prefix(home).unwrap_or_default();
            matches!(
                below,
                "/.bashrc"
                    | "/.bash_profile"
                    | "/.profile"
                    | "/.zshrc"
                    | "/.zprofile"
                    | "/.zshenv"
                    | "/.cargo/env"
                    | "/.nvm/nvm.sh"
                    | "/.asdf/asdf.sh"
                    | "/.sdkman/bin/sdkman-init.sh"
                    | "/.deno/env"
                    | "/.local/bin/env"
                    | "/.ghcup/env"
            )
        }
        Zone::Etc => matches!(real, "/etc/profile" | "/etc/bashrc" | "/etc/bash.bashrc"),
        _ => false,
    }
}

/// The task named by the first operand, judged by its conventional name.
fn conventional(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    match parsed.operands.first() {
        Some((_, task)) => by_name(draft, task),
        None => draft.opaque(Some(scene.span), "a task that is not known"),
    }
}

const TEST_NAMES: &[&str] = &[
    "test",
    "tests",
    "jest",
    "vitest",
    "lint",
    "typecheck",
    "type-check",
    "types",
    "tsc",
    "check",
    "checks",
    "unit",
    "spec",
    "e2e",
    "coverage",
    "mocha",
    "pytest",
    "ci",
    "verify",
    "validate",
    "clippy",
    "integration",
    "bench",
];
const BUILD_NAMES: &[&str] = &[
    "build", "compile", "bundle", "format", "fmt", "prettier", "assemble", "dist", "dev", "start", "serve", "preview",
    "watch", "generate", "codegen", "all", "help", "docs", "clean",
];

/// Whether the nearest package.json defines a script of this name.
pub(super) fn defines(scene: &Scene<'_>, name: &str) -> bool {
    let Some((file, _)) = nearest(scene.world, &scene.cwd, &["package.json"]) else { return false };
    let json = serde_json::from_str::<serde_json::Value>(&file.text);
    // what cannot be read could define anything
    json.map_or(true, |json| json.get("scripts").and_then(|scripts| scripts.get(name)).is_some())
}

/// Whether a task of this name is judged by it where its definition is absent.
pub(super) fn conventional_name(name: &str) -> bool {
    let mut draft = Draft::new(Capability::Unknown, "scripts");
    by_name(&mut draft, &Arg::text(name, leastgrant_shell::Span::default()));
    draft.opaque.is_none()
}

/// Words that make a task more than a build, wherever they stand in its name.
const DANGEROUS: &[&str] = &[
    "deploy",
    "publish",
    "release",
    "push",
    "reset",
    "drop",
    "destroy",
    "delete",
    "remove",
    "migrate",
    "migration",
    "seed",
    "prod",
    "production",
    "upload",
    "install",
    "uninstall",
    "purge",
    "wipe",
    "rollback",
    "promote",
    "nuke",
    "run",
    "exec",
    "sync",
    "prune",
];

/// A task whose definition is absent is judged by its conventional name (spec §8.4).
fn by_name(draft: &mut Draft, task: &Arg) {
    let Some(name) = task.exact() else {
        draft.opaque(Some(task.span), "which task is run is not known");
        return;
    };
    let head = name.split([':', '.', '/']).next().unwrap_or_default();
    let words = || head.split(['-', '_']);
    if TEST_NAMES.contains(&head) || words().any(|word| matches!(word, "test" | "lint" | "typecheck" | "check")) {
        draft.become_(Capability::Test);
    } else if BUILD_NAMES.contains(&head) || words().any(|word| word == "build") {
        draft.become_(Capability::Build);
    } else if let Some(capability) = by_parts(name) {
        draft.become_(capability);
    } else {
        draft.become_(Capability::Unknown);
        draft.opaque(Some(task.span), format!("the task `{name}` is not defined where it was looked for"));
        return;
    }
    draft.note(&format!("the task `{name}`, judged by its name"));
}

/// `api:generate`, `web/build`: a later part says what it does, where no part says that it does more.
fn by_parts(name: &str) -> Option<Capability> {
    let parts = || name.split([':', '.', '/']);
    if parts().flat_map(|part| part.split(['-', '_'])).any(|word| DANGEROUS.contains(&word)) {
        return None;
    }
    let last = parts().next_back()?;
    if TEST_NAMES.contains(&last) {
        Some(Capability::Test)
    } else if matches!(last, "build" | "compile" | "bundle" | "format" | "fmt" | "generate" | "codegen" | "docs") {
        Some(Capability::Build)
    } else {
        None
    }
}

/// A task's body goes on as shell text.
fn body(draft: &mut Draft, scene: &mut Scene<'_>, name: &str, text: String, hash: String, cwd: Cwd) {
    draft.become_(Capability::Meta);
    draft.content.push(hash);
    draft.note(&format!("runs the task `{name}`, which was read"));
    scene.nested.push(Nested::Text { body: text, positional: Vec::<Value>::new(), name: name.to_owned(), cwd });
}

/// The nearest of these files from the folder up to the project's root.
fn nearest(world: &dyn World, cwd: &Cwd, names: &[&str]) -> Option<(Body, String)> {
    let Cwd::At(start) = cwd else { return None };
    let mut folder = start.clone();
    for _ in 0..16 {
        for name in names {
            if let Ok(body) = read(world, &Cwd::At(folder.clone()), name) {
                return Some((body, folder));
            }
        }
        if folder == world.facts().project {
            return None;
        }
        folder = folder.rsplit_once('/').map(|split| split.0.to_owned()).filter(|up| !up.is_empty())?;
    }
    None
}

/// Single quotes around an argument that is added to a text.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
