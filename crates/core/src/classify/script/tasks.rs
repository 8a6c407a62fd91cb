//! Tasks of `mise`, `deno`, `composer` and `task`: the body in the project's file, with what it depends on. A file that is
//! there and cannot be read makes the task opaque; only where there is none does the name decide.

use std::collections::BTreeSet;

use leastgrant_shell::Cwd;
use serde_json::Value as Json;

use super::{Body, body, by_name, hash, nearest, quoted};
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::{Nested, Scene};
use crate::classify::usage::Parsed;

/// Most tasks that one call leads to.
const TASKS: usize = 64;

const MISE: &[&str] = &[
    "mise.local.toml",
    "mise.toml",
    ".mise.local.toml",
    ".mise.toml",
    "mise/config.toml",
    ".mise/config.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
];
const MISE_FOLDERS: &[&str] = &["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"];

/// `mise run A [ARGS] ::: B`
pub(super) fn mise(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    for call in words.split(|arg| arg.exact() == Some(":::")) {
        let Some((task, args)) = call.split_first() else { continue };
        mise_task(draft, scene, task, args);
    }
}

fn mise_task(draft: &mut Draft, scene: &mut Scene<'_>, task: &Arg, args: &[Arg]) {
    let Some(name) = task.exact() else {
        draft.opaque(Some(task.span), "which task is run is not known");
        return;
    };
    // `a/b` and `a:b` are the same file
    let files: Vec<String> = MISE_FOLDERS.iter().map(|folder| format!("{folder}/{}", name.replace(':', "/"))).collect();
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    if let Some((file, folder)) = nearest(scene.world, &scene.cwd, &names) {
        return file_task(draft, scene, task, &file, folder, args);
    }
    let Some((file, folder)) = nearest(scene.world, &scene.cwd, MISE) else { return by_name(draft, task) };
    let Some(json) = toml_tree(&file.text) else {
        draft.opaque(Some(task.span), "the file of the tasks cannot be read");
        return;
    };
    if ["task_config", "hooks"].iter().any(|key| json.get(key).is_some()) {
        draft.opaque(Some(task.span), "tasks that come from further files, or hooks around them");
    }
    let tasks = json.get("tasks");
    if tasks.and_then(|tasks| tasks.get(name)).is_none() {
        return by_name(draft, task);
    }
    match collect(tasks, name, args) {
        Ok(text) => body(draft, scene, name, text, file.hash, Cwd::At(folder)),
        Err(why) => draft.opaque(Some(task.span), why),
    }
}

/// A task that is a file of its own.
fn file_task(draft: &mut Draft, scene: &mut Scene<'_>, task: &Arg, file: &Body, folder: String, args: &[Arg]) {
    let first = file.text.lines().next().unwrap_or_default();
    let shell =
        first.starts_with("#!") && ["sh", "bash", "zsh", "dash"].iter().any(|shell| first.trim_end().ends_with(shell));
    if !shell || file.text.contains("depends=") {
        draft.opaque(Some(task.span), "a task in another language, or one that depends on others");
        return;
    }
    draft.become_(crate::action::Capability::Meta);
    draft.content.push(file.hash.clone());
    scene.nested.push(Nested::Text {
        body: file.text.clone(),
        positional: args.iter().map(|arg| arg.value.clone()).collect(),
        name: task.shown(),
        cwd: Cwd::At(folder),
    });
}

fn toml_tree(text: &str) -> Option<Json> {
    toml::from_str::<toml::Table>(text).ok().and_then(|table| serde_json::to_value(table).ok())
}

/// The lines of a task and of what it depends on.
fn collect(tasks: Option<&Json>, name: &str, args: &[Arg]) -> Result<String, String> {
    let mut open = vec![name.to_owned()];
    let mut done = BTreeSet::new();
    let mut text = String::new();
    while let Some(now) = open.pop() {
        if !done.insert(now.clone()) {
            continue;
        }
        if done.len() > TASKS {
            return Err(String::from("more tasks than the limit"));
        }
        let Some(task) = tasks.and_then(|tasks| tasks.get(&now)) else {
            return Err(format!("the task `{now}` is not defined where it was looked for"));
        };
        for key in ["shell", "file", "dir", "tools", "run_windows", "extends"] {
            if task.get(key).is_some() {
                return Err(format!("a task with `{key}`"));
            }
        }
        for key in ["depends", "depends_post", "wait_for"] {
            for further in strings(task.get(key)) {
                open.push(further.split_whitespace().next().unwrap_or_default().to_owned());
            }
        }
        let mut lines = match task {
            Json::String(_) | Json::Array(_) => commands(Some(task), &mut open)?,
            _ => commands(task.get("run"), &mut open)?,
        };
        if now == name
            && let Some(last) = lines.last_mut()
        {
            append(last, args);
        }
        for line in lines {
            if line.contains("{{") || line.contains("{%") {
                return Err(String::from("a task with values that are filled in"));
            }
            text.push_str(&line);
            text.push('\n');
        }
    }
    Ok(text)
}

fn strings(value: Option<&Json>) -> Vec<String> {
    match value {
        Some(Json::String(one)) => vec![one.clone()],
        Some(Json::Array(all)) => all.iter().map(|item| item.as_str().unwrap_or("?").to_owned()).collect(),
        _ => Vec::new(),
    }
}

fn commands(value: Option<&Json>, open: &mut Vec<String>) -> Result<Vec<String>, String> {
    let one = |item: &Json, open: &mut Vec<String>| match item {
        Json::String(line) => Ok(Some(line.clone())),
        Json::Object(fields) => {
            let further: Vec<String> =
                strings(fields.get("task")).into_iter().chain(strings(fields.get("tasks"))).collect();
            if further.is_empty() {
                return Err(String::from("a task in a form that is not known"));
            }
            open.extend(further);
            Ok(None)
        }
        _ => Err(String::from("a task in a form that is not known")),
    };
    match value {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(all)) => all.iter().filter_map(|item| one(item, open).transpose()).collect(),
        Some(item) => Ok(one(item, open)?.into_iter().collect()),
    }
}

fn append(line: &mut String, args: &[Arg]) {
    for arg in args {
        match arg.exact() {
            Some("--") => {}
            Some(known) => {
                line.push(' ');
                line.push_str(&quoted(known));
            }
            None => line.push_str(" \"$LEASTGRANT_UNKNOWN\""),
        }
    }
}

/// `deno task NAME`
pub(super) fn deno(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    manifest(draft, parsed, scene, &["deno.json", "deno.jsonc"], |json, name| {
        let task = json.get("tasks").and_then(|tasks| tasks.get(name))?;
        Some(match task {
            Json::String(line) => Ok(line.clone()),
            Json::Object(fields) if fields.get("dependencies").is_none() => fields
                .get("command")
                .and_then(Json::as_str)
                .map(str::to_owned)
                .ok_or("a task in a form that is not known"),
            _ => Err("a task that depends on others"),
        })
    });
}

/// `composer run NAME`: lines, `@NAME` for another script, classes of PHP are opaque.
pub(super) fn composer(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    manifest(draft, parsed, scene, &["composer.json"], |json, name| {
        let scripts = json.get("scripts");
        scripts?.get(name)?;
        let mut open = vec![name.to_owned()];
        let mut text = String::new();
        let mut count = 0;
        while let Some(now) = open.pop() {
            count += 1;
            let Some(script) = scripts.and_then(|scripts| scripts.get(&now)).filter(|_| count < TASKS) else {
                return Some(Err("a script that calls another one that is not known"));
            };
            for line in strings(Some(script)) {
                if let Some(rest) = line.strip_prefix("@php ") {
                    text.push_str(&format!("php {rest}\n"));
                } else if let Some(rest) = line.strip_prefix("@composer ") {
                    text.push_str(&format!("composer {rest}\n"));
                } else if line.starts_with("@putenv") || line.contains("::") && !line.contains(' ') {
                    return Some(Err("code of PHP, or a change of the environment"));
                } else if let Some(other) = line.strip_prefix('@') {
                    open.push(other.split_whitespace().next().unwrap_or_default().to_owned());
                } else {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
        }
        Some(Ok(text))
    });
}

fn manifest(
    draft: &mut Draft,
    parsed: &Parsed<'_>,
    scene: &mut Scene<'_>,
    names: &[&str],
    find: fn(&Json, &str) -> Option<Result<String, &'static str>>,
) {
    let Some((_, task)) = parsed.operands.first().cloned() else {
        draft.become_(crate::action::Capability::Inspect);
        return;
    };
    let args: Vec<Arg> = parsed.operands.iter().skip(1).map(|operand| operand.1.clone()).collect();
    let (Some(name), Some((file, folder))) = (task.exact(), nearest(scene.world, &scene.cwd, names)) else {
        return by_name(draft, &task);
    };
    let Ok(json) = serde_json::from_str::<Json>(&file.text) else {
        draft.opaque(Some(task.span), "the file of the tasks cannot be read");
        return;
    };
    match find(&json, name) {
        None => by_name(draft, &task),
        Some(Err(why)) => draft.opaque(Some(task.span), why),
        Some(Ok(mut text)) => {
            let ended = text.trim_end().len();
            text.truncate(ended);
            append(&mut text, &args);
            let hash = hash(text.as_bytes());
            body(draft, scene, name, text, hash, Cwd::At(folder));
        }
    }
}

/// `task NAME…`: the files are YAML, which is not read, so a task that has a file is opaque.
pub(super) fn taskfile(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let names =
        ["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"];
    if nearest(scene.world, &scene.cwd, &names).is_some() {
        draft.opaque(Some(scene.span), "a task file that is not read");
        return;
    }
    let tasks: Vec<&Arg> =
        parsed.operands.iter().map(|operand| &operand.1).filter(|arg| !arg.prefix().contains('=')).collect();
    if tasks.is_empty() {
        draft.opaque(Some(scene.span), "a task that is not known");
    }
    tasks.into_iter().for_each(|task| by_name(draft, task));
}
