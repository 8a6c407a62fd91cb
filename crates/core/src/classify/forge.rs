//! Forges' clients: whether a request reads or publishes, which files go along.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::{Found, Parsed};
use crate::action::{Capability, Mark, Role, Scale, TargetKind, Undo};
use crate::host;
use crate::path::Zone;

pub(super) const CODES: &[(&str, Code)] = &[
    ("forge.api", api),
    ("forge.query", query),
    ("forge.clone", clone),
    ("forge.here", here),
    ("forge.config", config),
    ("forge.set", set),
];

/// `--jq` has `env` and `$ENV`.
fn query(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| matches!(found.name.as_str(), "-q" | "--jq")) {
        let Some(filter) = &found.value else { continue };
        let words = |letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '$' | '.');
        let shows = |word: &str| word == "env" || word.starts_with("env.") || word.starts_with("$ENV");
        if filter.prefix().split(words).any(shows) {
            draft::reads_secret(draft, "prints variables, credentials may be among them");
        }
    }
}

/// The folder that a clone makes is named after the repository.
fn clone(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.operands.len() == 1
        && let Some((_, repository)) = parsed.operands.first()
    {
        let name = repository.exact().and_then(|text| text.trim_end_matches(".git").rsplit('/').next());
        let folder = Arg::text(name.filter(|name| !name.is_empty()).unwrap_or("."), repository.span);
        draft::add_path(draft, scene.world, &scene.cwd, &folder, Role::Write);
    }
    leaves(draft);
    // options of git's own clone come after `--`
    let mut behind = parsed.args.iter().skip_while(|arg| arg.exact() != Some("--")).skip(1).peekable();
    if behind.any(|arg| runs_programs(arg.prefix()) || arg.exact().is_none()) {
        draft.become_(Capability::Privilege);
        draft.mark(Mark::Privilege);
        draft.opaque(Some(scene.span), "hands options to `git clone` that may run programs");
    }
}

fn runs_programs(option: &str) -> bool {
    ["-c", "--config", "-u", "--upload-pack", "--template"].iter().any(|name| option.starts_with(name))
}

/// Downloads go into the folder it runs in where none is named.
fn here(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if !parsed.has(&["-D", "-O"]) {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(".", scene.span), Role::Write);
    }
    leaves(draft);
}

/// What is fetched to a place outside the project is a write outside.
fn leaves(draft: &mut Draft) {
    let out = draft.targets.iter().any(|target| match &target.kind {
        TargetKind::Path(place) => {
            let near = matches!(place.zone, Zone::Project | Zone::Temp | Zone::Null | Zone::Unplaced);
            target.role == Role::Write && !near
        }
        _ => false,
    });
    if out {
        draft.at_least(Capability::WriteOutside);
    }
}

/// The client's own configuration, below the home.
fn config(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    let name = scene.program.rsplit('/').next().unwrap_or_default().to_owned();
    let folder = if name == "glab" { "~/.config/glab-cli" } else { "~/.config/gh" };
    let file = format!("{}{}", scene.world.facts().home.clone().unwrap_or_default(), folder.trim_start_matches('~'));
    draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(&file, scene.span), Role::Write);
}

/// Keys of the client's configuration that run programs.
fn set(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    config(draft, parsed, scene);
    let key = parsed.operands.first().map(|operand| &operand.1);
    let harmless = |key: &str| {
        matches!(
            key,
            "git_protocol" | "prompt" | "prefer_editor_prompt" | "color_labels" | "accessible_colors" | "spinner"
        )
    };
    if key.is_none_or(|key| key.exact().is_none_or(|key| !harmless(key))) {
        draft.become_(Capability::Privilege);
        draft.mark(Mark::Privilege);
        draft.note("the configuration decides what runs");
    }
}

/// `api ENDPOINT`: the method, or fields that make it a POST, decide.
fn api(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let fields: Vec<&Found<'_>> = parsed.options.iter().filter(|found| found.name == "-f").collect();
    let input = parsed.value(&["--input"]);
    for found in &fields {
        files(draft, scene, found);
    }
    let endpoint = parsed.operands.first().map(|operand| operand.1.clone());
    let Some(endpoint) = endpoint else { return };
    elsewhere(draft, &endpoint);
    let name = endpoint.prefix().trim_matches('/');
    if endpoint.exact().is_none() && name.is_empty() {
        draft.opaque(Some(endpoint.span), "the endpoint is not known");
    }
    if name.eq_ignore_ascii_case("graphql") {
        graphql(draft, scene, &fields, input);
        return;
    }
    let headers = parsed.options.iter().filter(|found| matches!(found.name.as_str(), "-H" | "--header"));
    if headers.filter_map(|found| found.value.as_ref()).any(replaces_method) {
        publishes(draft, Undo::Irreversible);
        draft.note("a header asks for another method");
        return;
    }
    let methods: Vec<&Arg> =
        parsed.options.iter().filter(|found| found.name == "-X").filter_map(|found| found.value.as_ref()).collect();
    let method = match methods.last() {
        Some(method) => method.exact().map(str::to_ascii_uppercase),
        None if !fields.is_empty() || input.is_some() => Some(String::from("POST")),
        None => Some(String::from("GET")),
    };
    match method.as_deref() {
        Some("GET" | "HEAD" | "OPTIONS") => {}
        Some("DELETE") => {
            publishes(draft, Undo::Irreversible);
            draft.note("deletes on the forge");
        }
        Some(_) => publishes(draft, Undo::Easy),
        None => {
            publishes(draft, Undo::Irreversible);
            draft.opaque(Some(scene.span), "the method is not known");
        }
    }
}

/// Servers that follow such a header do what it says, whatever the request's own method.
fn replaces_method(header: &Arg) -> bool {
    header.prefix().to_ascii_lowercase().contains("method-override")
        || header.exact().is_none() && header.prefix().is_empty()
}

fn publishes(draft: &mut Draft, undo: Undo) {
    draft.at_least(Capability::VcsPublish);
    draft.blast = Capability::VcsPublish.default_blast();
    draft.blast.scale = Scale::Single;
    draft.blast.undo = undo;
    draft.note("changes something that others see");
}

/// A full address reaches another host, with what is given.
fn elsewhere(draft: &mut Draft, endpoint: &Arg) {
    if !endpoint.prefix().contains("://") {
        return;
    }
    let own = host::visit(endpoint.prefix()).and_then(|visit| visit.host).is_some_and(|host| {
        matches!(host.as_str(), "api.github.com" | "github.com" | "uploads.github.com" | "gitlab.com")
    });
    if !own {
        draft::add_url(draft, endpoint, Role::Send);
        draft.at_least(Capability::NetSend);
    }
}

/// `-F name=@file` sends a file's content; `-f` takes the text as it is.
fn files(draft: &mut Draft, scene: &Scene<'_>, found: &Found<'_>) {
    let typed = ["-F", "--field", "--form"].iter().any(|name| found.arg.prefix().starts_with(name));
    let Some(value) = found.value.as_ref().filter(|_| typed) else { return };
    if let Some(at) = value.prefix().find("=@") {
        let file = value.after(at + 2);
        if file.exact() != Some("-") {
            draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Read);
        }
    }
}

/// A GraphQL document that has only queries reads.
fn graphql(draft: &mut Draft, scene: &Scene<'_>, fields: &[&Found<'_>], input: Option<&Arg>) {
    let documents: Vec<&Arg> = fields
        .iter()
        .filter_map(|found| found.value.as_ref())
        .filter(|value| "query=".starts_with(value.prefix()) || value.prefix().starts_with("query="))
        .collect();
    let mut unread = input.is_some() || documents.is_empty();
    let mut changes = false;
    for document in documents {
        match document.exact().and_then(|text| text.strip_prefix("query=")) {
            Some(text) if !text.starts_with('@') => changes |= has_mutation(text),
            _ => unread = true,
        }
    }
    if unread {
        publishes(draft, Undo::Irreversible);
        draft.opaque(Some(scene.span), "a GraphQL document that was not read");
    } else if changes {
        publishes(draft, Undo::Hard);
    }
}

/// Whether any operation of the document is no query. Words in strings, comments and selections are none.
fn has_mutation(text: &str) -> bool {
    let mut rest = text;
    let mut depth = 0_usize;
    let mut word = String::new();
    let mut operations = Vec::new();
    loop {
        let mut letters = rest.chars();
        let Some(letter) = letters.next() else { break };
        if letter.is_ascii_alphanumeric() || letter == '_' {
            word.push(letter);
            rest = letters.as_str();
            continue;
        }
        if depth == 0 && !word.is_empty() {
            operations.push(std::mem::take(&mut word));
        }
        word.clear();
        rest = match letter {
            // either letter ends a line to a server
            '#' => rest.split_once(['\n', '\r']).map_or("", |split| split.1),
            '"' => match after_string(rest) {
                Some(after) => after,
                None => return true,
            },
            '{' | '(' => {
                depth += 1;
                letters.as_str()
            }
            '}' | ')' => {
                depth = depth.saturating_sub(1);
                letters.as_str()
            }
            _ => letters.as_str(),
        };
    }
    operations.push(word);
    operations.iter().any(|word| matches!(word.as_str(), "mutation" | "subscription"))
}

/// What follows a string, a block string too; none where it does not end.
fn after_string(text: &str) -> Option<&str> {
    if let Some(block) = text.strip_prefix("\"\"\"") {
        return block.split_once("\"\"\"").map(|split| split.1);
    }
    let mut letters = text.strip_prefix('"')?.chars();
    loop {
        match letters.next()? {
            '\\' => {
                letters.next()?;
            }
            '"' => return Some(letters.as_str()),
            _ => {}
        }
    }
}
