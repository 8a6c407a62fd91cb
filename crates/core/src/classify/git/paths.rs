//! Paths in git's arguments: behind `--`, behind a revision (`HEAD:path`), with pathspec magic.

use super::{behind_dashes, operands};
use crate::action::{Capability, Exposure, Role, Scale, Undo};
use crate::classify::arg::Arg;
use crate::classify::draft::{self, Draft, looks_like_path};
use crate::classify::program::{Nested, Scene};
use crate::classify::usage::Parsed;
use crate::knowledge::Slot;
use crate::path;
use crate::world::Entry;

/// Everything below that git has: a file of credentials that it does not have is not among it.
const TRACKED: &str = "./**/*";

const LOSES: &str = "throws away changes that are not committed";
const KEEP: &str = "keep them first: `git stash`";

/// Subcommands that show what is in files.
pub(super) fn content(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let sub = parsed.path.first().copied().unwrap_or_default();
    let mut words = operands(parsed);
    scene.paths = printed(parsed, sub);
    if sub == "log" {
        let patch = parsed.options.iter().any(|found| {
            matches!(
                found.name.as_str(),
                "-p" | "-u"
                    | "--patch"
                    | "-L"
                    | "-c"
                    | "--cc"
                    | "-m"
                    | "--full-diff"
                    | "--word-diff"
                    | "--patch-with-stat"
                    | "--ext-diff"
                    | "--textconv"
            ) || found.name.starts_with("-U")
                || found.name.starts_with("--unified")
                || found.name.starts_with("--word-diff")
        });
        // a log without patches names files and shows nothing of them
        if !patch && parsed.args.iter().any(|arg| arg.exact() == Some("log")) {
            listed(draft, parsed, scene);
            return;
        }
    }
    if sub == "archive"
        && let Some(found) = parsed.options.iter().find(|found| found.name == "--remote")
    {
        super::remote::look(draft, parsed, scene, found.value.as_ref());
    }
    if sub == "grep" {
        pager(draft, parsed, scene);
        if !parsed.has(&["-e", "-f"]) && !words.is_empty() {
            words.remove(0);
        }
    }
    for found in parsed.options.iter().filter(|found| found.name == "-L") {
        if let Some(value) = &found.value
            && let Some(at) = value.prefix().rfind(':')
        {
            draft::add_path(draft, scene.world, &scene.cwd, &value.after(at + 1), Role::Read);
        }
    }
    if parsed.has(&["--no-index"]) {
        let here = Arg::text(".", scene.span);
        let words = if words.is_empty() { vec![&here] } else { words };
        for arg in words {
            draft::add_slot(draft, scene.world, &scene.cwd, arg, Slot::Sweep);
        }
        return;
    }
    if parsed.has(&["--batch", "--batch-command"]) {
        draft.opaque(Some(scene.span), "shows the objects that standard input names");
    }
    let certain = behind_dashes(parsed).unwrap_or_default();
    for arg in words {
        let is_path = certain.iter().any(|other| other.span == arg.span);
        word(draft, scene, arg, is_path, Role::Read);
    }
}

/// `rev-parse REV:PATH` gives the name under which the content is shown.
pub(super) fn object(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for arg in operands(parsed) {
        if arg.prefix().contains(':') {
            word(draft, scene, arg, false, Role::Read);
        }
    }
}

/// Subcommands that name files and show nothing of them.
pub(super) fn names(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    listed(draft, parsed, scene);
    let plain = !parsed.has(&["-s", "-t", "-u", "-o", "--stage", "--eol", "--format", "--full-name", "--debug"]);
    if parsed.path.first().copied() == Some("ls-files")
        && plain
        && operands(parsed).iter().all(|arg| !arg.prefix().contains(".."))
    {
        scene.paths = Some(vec![String::from(TRACKED)]);
    }
}

fn listed(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    for arg in operands(parsed) {
        if arg.exact().is_some() {
            word(draft, scene, arg, false, Role::List);
        }
    }
}

/// Paths below the folder are all that is printed (`diff --name-only`, `grep -l`).
fn printed(parsed: &Parsed<'_>, sub: &str) -> Option<Vec<String>> {
    let names = match sub {
        "diff" => parsed.has(&["--name-only"]),
        "grep" => parsed.has(&["-l", "-L", "--files-with-matches", "--files-without-match", "--name-only"]),
        _ => false,
    };
    let elsewhere = parsed.args.iter().any(|arg| {
        let text = arg.prefix();
        ["--no-i", "--line", "--format"].iter().any(|start| text.starts_with(start))
            || text.contains("..") && text.contains('/') && !text.contains("...")
    });
    (names && !elsewhere).then(|| vec![String::from(TRACKED)])
}

/// One word that is a revision, a path, or both.
fn word(draft: &mut Draft, scene: &Scene<'_>, arg: &Arg, is_path: bool, role: Role) {
    let text = arg.prefix();
    let spec = pathspec(arg);
    if let Some(spec) = spec {
        draft::add_path(draft, scene.world, &scene.cwd, &spec, role);
        return;
    }
    if text.starts_with(":!") || text.starts_with(":^") || text.starts_with(":(exclude") {
        return;
    }
    if let Some(at) = text.find(':')
        && !is_path
        && !text.contains("://")
    {
        // `rev:path`, `:path`, `:0:path`
        let mut path = arg.after(at + 1);
        if at == 0 && path.prefix().len() > 2 && path.prefix().get(1..2) == Some(":") {
            path = path.after(2);
        }
        if !path.prefix().is_empty() || path.exact().is_none() {
            draft::add_path(draft, scene.world, &scene.cwd, &path, role);
        }
        return;
    }
    if is_path || looks_like_path(text) || named_secret(text) {
        draft::add_path(draft, scene.world, &scene.cwd, &globbed(arg), role);
    }
}

/// A bare word that could be a file of credentials.
fn named_secret(text: &str) -> bool {
    crate::secret::is_secret_name(text)
}

/// `:(top,glob)path` and `:/path` without their magic.
fn pathspec(arg: &Arg) -> Option<Arg> {
    let text = arg.prefix();
    if text.starts_with(":(exclude") {
        return None;
    }
    if text.starts_with(":(") {
        return text.find(')').map(|at| globbed(&arg.after(at + 1)));
    }
    if text.starts_with(":/") && text.len() > 2 {
        return Some(globbed(&arg.after(2)));
    }
    None
}

/// git reads globs itself, quoted or not.
fn globbed(arg: &Arg) -> Arg {
    let glob = arg.glob || arg.exact().is_some_and(|text| text.contains(['*', '?', '[']));
    Arg { glob, ..arg.clone() }
}

/// `grep -O[pager]` opens what it finds in a program.
fn pager(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some(found) = parsed.options.iter().find(|found| found.name == "-O") else { return };
    draft.become_(Capability::Unknown);
    draft.opaque(Some(found.arg.span), "opens what it finds in a program");
    if let Some(text) = &found.value {
        scene.nested.push(Nested::Shell { text: text.clone(), positional: Vec::new() });
    }
}

/// `add`: what is added goes into every later commit, a file of credentials with it.
pub(super) fn add(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = operands(parsed);
    let all = parsed.has(&["-A", "--all", "-u", "--update"]);
    let wide = all
        || words.iter().any(|arg| matches!(arg.exact(), Some("." | "*" | ":/" | "./") | None) || folder(scene, arg));
    for arg in &words {
        let spec = pathspec(arg).unwrap_or_else(|| globbed(arg));
        if arg.prefix().starts_with(":!")
            || arg.prefix().starts_with(":^")
            || spec.prefix().is_empty() && spec.exact().is_some()
        {
            continue;
        }
        draft::add_path(draft, scene.world, &scene.cwd, &spec, Role::Read);
    }
    if parsed.has(&["-f"]) && wide && draft.capability == Capability::VcsWrite {
        draft.become_(Capability::SecretRead);
        draft.blast.exposure = draft.blast.exposure.max(Exposure::ReadsSecrets);
        draft.note("adds ignored files too, where credentials are usually kept");
        draft.safer = Some(String::from("name the files: `git add -f FILE`"));
    }
}

fn folder(scene: &Scene<'_>, arg: &Arg) -> bool {
    let Some(text) = arg.exact() else { return true };
    draft::folders(&scene.cwd).into_iter().any(|folder| {
        let place = path::place(scene.world, folder, text);
        place.real.is_none_or(|real| !matches!(scene.world.entry(&real), Entry::File | Entry::Missing))
    })
}

/// `commit FILE…` takes the files as they are.
pub(super) fn index(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for arg in operands(parsed) {
        draft::add_path(draft, scene.world, &scene.cwd, &globbed(arg), Role::Read);
    }
}

fn loses(draft: &mut Draft, scene: &Scene<'_>, files: &[&Arg]) {
    draft.blast.undo = Undo::Irreversible;
    draft.note(LOSES);
    draft.safer = Some(KEEP.to_owned());
    for arg in files {
        let spec = pathspec(arg).unwrap_or_else(|| globbed(arg));
        if spec.exact() == Some(".") || spec.glob {
            draft.blast.scale = Scale::Sweeping;
        }
        // the project itself is no file that is written
        if spec.exact() != Some(".") && spec.prefix() != "" {
            draft::add_path(draft, scene.world, &scene.cwd, &spec, Role::Write);
        }
    }
    if files.len() > 1 {
        draft.blast.scale = draft.blast.scale.max(Scale::Many);
    }
}

/// `checkout` changes the branch or throws changes away, and its words do not say which.
pub(super) fn checkout(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = operands(parsed);
    let makes = parsed.has(&["-b", "-B"]);
    if let Some(files) = behind_dashes(parsed)
        && !files.is_empty()
    {
        loses(draft, scene, &files.iter().collect::<Vec<_>>());
        return;
    }
    if parsed.has(&["-p", "--patch", "--ours", "--theirs", "-2", "-3", "--pathspec-from-file", "-m", "--merge"])
        && !makes
    {
        loses(draft, scene, &words);
        return;
    }
    if makes || parsed.has(&["-t", "--detach", "-d"]) {
        if words.len() > 1 {
            loses(draft, scene, words.get(1..).unwrap_or_default());
        }
        return;
    }
    match words.as_slice() {
        [] if parsed.options.iter().all(|found| found.name != "-f" && found.name != "-B") => {
            draft.become_(Capability::VcsRead)
        }
        [] => {}
        [only] => single(draft, scene, only),
        [_, files @ ..] => loses(draft, scene, files),
    }
}

/// One word: a branch, a revision or a file.
fn single(draft: &mut Draft, scene: &Scene<'_>, arg: &Arg) {
    let Some(text) = arg.exact() else {
        draft.blast.undo = draft.blast.undo.max(Undo::Hard);
        draft.note("could be a file, whose changes would be lost");
        return;
    };
    if text == "-" || text.starts_with('@') {
        return;
    }
    let entries = draft::folders(&scene.cwd).into_iter().map(|folder| {
        path::place(scene.world, folder, text).lexical.map_or(Entry::Unknown, |path| scene.world.entry(&path))
    });
    let mut file = looks_like_file(text) || arg.glob;
    let mut unknown = false;
    for entry in entries {
        match entry {
            Entry::Missing => {}
            Entry::Unknown => unknown = true,
            _ => file = true,
        }
    }
    if file {
        loses(draft, scene, &[arg]);
    } else if unknown {
        draft.blast.undo = draft.blast.undo.max(Undo::Hard);
        draft.note("could be a file, whose changes would be lost");
    }
}

/// A name that branches and tags hardly have: a dot at the front, a slash at the end, an extension of letters.
fn looks_like_file(text: &str) -> bool {
    text.starts_with(['.', '~', '/', ':'])
        || text.ends_with('/')
        || text.contains(['*', '?', '['])
        || text.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty()
                && !end.is_empty()
                && end.len() <= 10
                && end.starts_with(|first: char| first.is_ascii_alphabetic())
                && end.chars().all(char::is_alphanumeric)
        })
}

/// `restore`: harmless only where it leaves the working tree alone.
pub(super) fn restore(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.has(&["-S"]) && !parsed.has(&["-W", "--no-staged"]) {
        draft.blast.undo = Undo::Trivial;
        return;
    }
    let words = operands(parsed);
    loses(draft, scene, &words);
    if parsed.has(&["--pathspec-from-file"]) {
        draft.blast.scale = draft.blast.scale.max(Scale::Many);
    }
}

/// `init`: the folder that becomes a repository.
pub(super) fn init(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = operands(parsed);
    let here = Arg::text(".", scene.span);
    let folder = words.first().copied().unwrap_or(&here);
    let own = matches!(folder.exact(), Some("." | "./"))
        && draft::folders(&scene.cwd)
            .into_iter()
            .all(|cwd| path::place(scene.world, cwd, ".").zone == path::Zone::Project);
    // the project itself is no file that is written
    if !own {
        draft::add_path(draft, scene.world, &scene.cwd, folder, Role::Write);
    }
}

/// `reset`: with paths it only changes the index.
pub(super) fn reset(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for arg in behind_dashes(parsed).unwrap_or_default() {
        draft::add_path(draft, scene.world, &scene.cwd, &globbed(arg), Role::List);
    }
}
