//! Package managers: what is installed from where, what is fetched to be run, what runs in the project's environment.

mod fetch;
mod jvm;
mod system;

use super::arg::Arg;
use super::code::{self, Code};
use super::draft::Draft;
use super::program::{Nested, Scene, joined};
use super::usage::Parsed;
use super::verb::{self, find_up, is, runs, runs_as, words};
use super::{draft, script};
use crate::action::{Capability, Mark, Role, Scale, Undo};
use crate::knowledge::{self, Slot};

pub(super) const CODES: &[(&str, Code)] = &[
    ("packages.silent", silent),
    ("packages.registry", registry),
    ("packages.node_install", node_install),
    ("packages.pip_install", pip_install),
    ("packages.locked", locked),
    ("packages.dry_run", dry_run),
    ("packages.create", create),
    ("packages.auth_key", auth_key),
    ("packages.manifest", manifest),
    ("packages.poetry_config", poetry_config),
    ("packages.script_or_bin", script_or_bin),
    ("packages.bun_other", bun_other),
    ("packages.local_exec", local_exec),
    ("packages.yarn_node", yarn_node),
    ("packages.yarn_workspace", yarn_workspace),
    ("packages.env_run", env_run),
    ("packages.uv_run", uv_run),
    ("packages.cargo_config", cargo_config),
    ("packages.cargo_fmt", cargo_fmt),
    ("packages.go_run", go_run),
    ("packages.go_flags", go_flags),
    ("packages.nix_develop", nix_develop),
    ("packages.nix_shell", nix_shell),
    ("packages.nix_apply", nix_apply),
    ("packages.release_bare", release_bare),
    ("packages.deno_run", deno_run),
    ("packages.deno_test", deno_test),
    ("packages.fetch_run", fetch::run),
    ("packages.maven", jvm::maven),
    ("packages.gradle", jvm::gradle),
    ("packages.pacman", system::pacman),
    ("packages.system_query", system::query),
];

/// Lock files of the package managers that follow them.
const NODE_LOCKS: &[&str] =
    &["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"];

/// Does nothing by itself.
fn silent(draft: &mut Draft, _: &Parsed<'_>, _: &mut Scene<'_>) {
    draft.silent = true;
}

/// A package that comes from an address, a repository or a file rather than from the registry.
fn by_address(text: &str) -> bool {
    let scoped = text.starts_with('@');
    text.contains("://")
        || ["git+", "git@", "github:", "gitlab:", "bitbucket:", "gist:", "http:", "https:", "file:", "link:"]
            .iter()
            .any(|start| text.starts_with(start))
        || [".tgz", ".tar.gz", ".whl", ".zip"].iter().any(|end| text.ends_with(end))
        || text.contains(" @ ")
        || !scoped && text.contains('/') && !text.starts_with(['.', '/', '~'])
}

fn note_addresses(draft: &mut Draft, parsed: &Parsed<'_>) {
    let named = parsed.in_role(Slot::Package).chain(parsed.value(&["-e"]));
    for arg in named.filter(|arg| by_address(arg.prefix())).collect::<Vec<_>>() {
        draft.blast.undo = draft.blast.undo.max(Undo::Hard);
        draft.note(&format!("`{}` does not come from the registry", arg.shown()));
    }
}

/// Options that name another index or registry than the project's.
const INDEXES: &[&str] = &[
    "--registry",
    "-i",
    "--index",
    "--index-url",
    "--extra-index-url",
    "--default-index",
    "-f",
    "--find-links",
    "--source",
    "-s",
];

/// From another registry it is not what the lock file was made from.
fn registry(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    if parsed.has(INDEXES) {
        draft.become_(Capability::Package);
        draft.blast.undo = Undo::Hard;
        draft.note("from another registry than the project's");
    }
}

/// `npm install`, `yarn add`, … : locked where nothing is named and a lock file says what is installed.
fn node_install(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let named = parsed.in_role(Slot::Package).next().is_some();
    note_addresses(draft, parsed);
    if parsed.has(&["--registry"]) {
        draft.blast.undo = draft.blast.undo.max(Undo::Hard);
        draft.note("from another registry than the project's");
        return;
    }
    let loosened =
        ["-g", "--no-frozen-lockfile", "--no-lockfile", "--no-package-lock", "--force", "--fix-lockfile", "-f"];
    if !named && !parsed.has(&loosened) {
        let strict = parsed.has(&["--frozen-lockfile", "--immutable", "--lockfile-only", "--package-lock-only"]);
        // without a package.json in sight the folder is not there to look at, and the plain form is judged by convention
        let unseen = find_up(scene, &["package.json"]).is_none();
        if strict || unseen || find_up(scene, NODE_LOCKS).is_some() {
            draft.become_(Capability::PackageLocked);
            draft.note("installs what the lock file names");
            return;
        }
    }
    if parsed.has(&["--ignore-scripts"]) {
        draft.blast.scale = Scale::Single;
        draft.note("runs no script of a package");
    }
}

/// `pip install`, `uv add`, …
fn pip_install(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    note_addresses(draft, parsed);
    if !parsed.has(INDEXES)
        && parsed.has(&["--require-hashes"])
        && parsed.has(&["-r"])
        && parsed.in_role(Slot::Package).next().is_none()
    {
        draft.become_(Capability::PackageLocked);
    }
}

/// Installs that follow a lock file, by flag or because it is there.
fn locked(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let by_flag =
        parsed.has(&["--locked", "--frozen", "--deployment", "--locked-mode", "--frozen-lockfile", "--ignore-pipfile"]);
    let (files, always): (&[&str], bool) = match verb::program(scene).as_str() {
        "uv" => (&["uv.lock"], false),
        "poetry" => (&["poetry.lock"], false),
        "pipenv" => (&["Pipfile.lock"], true),
        "pdm" => (&["pdm.lock"], false),
        "rye" => (&["requirements.lock"], false),
        "bundle" | "bundler" => (&["Gemfile.lock"], false),
        "composer" => (&["composer.lock"], false),
        "dotnet" => (&["packages.lock.json"], false),
        _ => (&[], false),
    };
    let upgrades =
        parsed.has(INDEXES) || parsed.has(&["-U", "--upgrade", "--upgrade-package", "-P", "--skip-lock", "--no-lock"]);
    if !upgrades && (by_flag || always || !files.is_empty() && find_up(scene, files).is_some()) {
        draft.become_(Capability::PackageLocked);
        draft.note("installs what the lock file names");
    }
}

/// `--dry-run` with a value of its own: `--dry-run=false` does it.
fn dry_run(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    if let Some(found) = parsed.options.iter().find(|found| found.name == "--dry-run")
        && found.value.as_ref().is_none_or(|value| value.exact() == Some("true"))
    {
        draft.become_(Capability::Inspect);
        draft.note("only says what it would publish");
    }
}

/// `npm init NAME` and `npm create NAME` fetch `create-NAME` and run it.
fn create(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.in_role(Slot::Package).next().is_some() {
        draft.become_(Capability::Package);
        draft.mark(Mark::FetchRun);
        draft.opaque(Some(scene.span), "fetches a package and runs it");
    }
}

fn is_credential_key(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["auth", "token", "password", "secret", "_key", "apikey", "credential"].iter().any(|word| lower.contains(word))
}

/// `config get KEY`
fn auth_key(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let hit = parsed.operands.iter().any(|operand| operand.1.exact().is_none_or(is_credential_key));
    if hit {
        verb::prints_secret(draft, "prints a credential of the registry");
    }
}

/// `npm pkg set …` writes the manifest.
fn manifest(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    let file = Arg::text("package.json", scene.span);
    verb::path(draft, scene, &file, Role::Write);
}

/// `poetry config KEY [VALUE]`
fn poetry_config(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let words = words(parsed);
    let secret = words.iter().any(|word| word.is_empty() || is_credential_key(word) || word.starts_with("http-basic"));
    match words.len() {
        _ if secret => {}
        0 | 1 => draft.become_(Capability::Inspect),
        _ => draft.become_(Capability::WriteOutside),
    }
}

/// `pnpm NAME`, `yarn NAME`: a script of the project, else a program of its packages.
fn script_or_bin(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some(name) = parsed.operands.first().and_then(|operand| operand.1.exact()) else {
        verb::unknown(draft, scene, "which script is run is not known");
        return;
    };
    let tool = knowledge::program(name).is_some_and(|known| TOOLS.contains(&known.family));
    if tool && !script::defines(scene, name) {
        draft.silent = true;
        let rest = verb::after(parsed.args, &[name]).unwrap_or_default().to_vec();
        runs_as(scene, name, &rest);
    } else {
        code::call("scripts.npm", draft, parsed, scene);
    }
}

/// Families whose programs come as packages.
const TOOLS: &[&str] = &[
    "build",
    "test",
    "format",
    "databases",
    "cloud",
    "infrastructure",
    "interpreters",
    "packages",
    "agents",
    "media",
    "helpers",
    "secrets",
];

/// `bun X`, `bun run X`: a file, a script of the project or a program of its packages.
fn bun_other(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some((_, first)) = parsed.operands.first() else { return };
    let text = first.prefix();
    let end = text.rsplit_once('.').map(|split| split.1).unwrap_or_default();
    let file =
        text.starts_with(['.', '/', '~']) || matches!(end, "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts");
    if first.exact() == Some("-") {
        verb::unknown(draft, scene, "runs what comes in on standard input");
        if let super::shell::Feed::Pipe { fetched: true, .. } = scene.feed {
            draft.mark(Mark::PipeToShell);
        }
    } else if file || first.exact().is_none() {
        draft.become_(Capability::Unknown);
        let first = first.clone();
        verb::path(draft, scene, &first, Role::Execute);
        let rest: Vec<Arg> = parsed.operands.iter().skip(1).map(|operand| operand.1.clone()).collect();
        script::file(draft, scene, &first, &rest, Some(parsed));
    } else {
        script_or_bin(draft, parsed, scene);
    }
}

/// `pnpm exec`, `yarn exec`: with `-c` the words are a shell text.
fn local_exec(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    if parsed.has(&["--shell-mode", "-c"])
        && let Some((argv, _)) = scene.command.take()
    {
        let text = joined(&argv.iter().collect::<Vec<_>>());
        scene.nested.push(Nested::Shell { text, positional: Vec::new() });
    }
}

fn yarn_node(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let rest = verb::after(parsed.args, &["node"]).unwrap_or_default().to_vec();
    runs_as(scene, "node", &rest);
}

/// `yarn workspace NAME CMD…`, `yarn workspaces foreach -A run CMD…`
fn yarn_workspace(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let several = verb::after(parsed.args, &["workspaces"]);
    let rest = match several {
        Some(rest) => match rest.first().and_then(Arg::exact) {
            Some("foreach") => behind_options(
                rest.get(1..).unwrap_or_default(),
                &["--include", "--exclude", "--from", "-j", "--jobs", "--since"],
            ),
            Some("info" | "list") => {
                draft.silent = false;
                draft.become_(Capability::Inspect);
                return;
            }
            _ => rest,
        },
        None => verb::after(parsed.args, &["workspace"]).and_then(|rest| rest.get(1..)).unwrap_or_default(),
    };
    if rest.is_empty() {
        verb::unknown(draft, scene, "which command is run is not known");
    }
    let rest = rest.to_vec();
    runs_as(scene, "yarn", &rest);
}

fn behind_options<'a>(args: &'a [Arg], values: &[&str]) -> &'a [Arg] {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if !arg.prefix().starts_with('-') {
            break;
        }
        at += if is(arg, values) { 2 } else { 1 };
    }
    args.get(at..).unwrap_or_default()
}

/// `poetry run`, `pipenv run`, … : a command in the project's environment, or a script that the project names.
fn env_run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let Some((argv, _)) = scene.command.take() else {
        verb::unknown(draft, scene, "which command is run is not known");
        return;
    };
    let first = argv.first().and_then(Arg::exact).unwrap_or_default();
    let named = matches!(verb::program(scene).as_str(), "pipenv" | "pdm" | "rye" | "hatch");
    let tool = knowledge::program(first).is_some_and(|known| known.family != "builtins");
    if named && !tool && script::conventional_name(first) {
        draft.silent = false;
        code::call("scripts.task", draft, &as_operand(parsed, argv.first()), scene);
    } else {
        python_or_words(scene, argv);
    }
}

fn as_operand<'a>(parsed: &Parsed<'a>, arg: Option<&Arg>) -> Parsed<'a> {
    Parsed {
        usage: parsed.usage,
        chain: parsed.chain.clone(),
        path: parsed.path.clone(),
        options: Vec::new(),
        operands: arg.map(|arg| (Slot::Name, arg.clone())).into_iter().collect(),
        command: None,
        opaque: None,
        args: parsed.args,
    }
}

fn python_or_words(scene: &mut Scene<'_>, argv: Vec<Arg>) {
    let script = argv.first().is_some_and(|first| first.prefix().ends_with(".py") && first.exact().is_some());
    if script { runs_as(scene, "python", &argv) } else { runs(scene, argv) }
}

/// `uv run [-m MODULE] CMD…`
fn uv_run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    if parsed.has(INDEXES) {
        draft.silent = false;
        draft.opaque(Some(scene.span), "packages from another index than the project's");
    }
    let argv = scene.command.take().map(|command| command.0).unwrap_or_default();
    if let Some(module) = parsed.value(&["-m"]) {
        let mut args = vec![Arg::text("-m", module.span), module.clone()];
        args.extend(argv);
        runs_as(scene, "python", &args);
    } else if argv.first().is_some_and(|first| is(first, &["-"])) {
        verb::unknown(draft, scene, "runs what comes in on standard input");
    } else if !argv.is_empty() {
        python_or_words(scene, argv);
    } else if !parsed.has(&["-s"]) {
        verb::unknown(draft, scene, "which command is run is not known");
    }
}

/// `cargo --config KEY=VALUE`: keys that name programs.
fn cargo_config(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "--config") {
        let Some(value) = &found.value else { continue };
        let harmless = ["net.", "term.", "profile.", "build.jobs", "build.target", "http.", "future-incompat-report."];
        let known = value
            .exact()
            .is_some_and(|text| harmless.iter().any(|start| text.starts_with(start)) && !text.contains("proxy"));
        if !known {
            draft.opaque(Some(value.span), "settings that can name other programs");
        }
    }
}

/// `cargo fmt -- --check`
fn cargo_fmt(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let checks = parsed.args.iter().any(|arg| is(arg, &["--check"]));
    if checks {
        draft.become_(Capability::Test);
    }
    // what stands behind `--` is rustfmt's, files among it
    let behind = parsed.args.iter().skip_while(|arg| !is(arg, &["--"])).skip(1);
    let files = behind.filter(|arg| !arg.prefix().starts_with('-') && draft::looks_like_path(arg.prefix()));
    for arg in files.cloned().collect::<Vec<_>>() {
        draft::add_path(draft, scene.world, &scene.cwd, &arg, if checks { Role::Read } else { Role::Write });
    }
}

/// Flags for the linker and compiler that name another program.
fn go_flags(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "-ldflags") {
        let Some(value) = &found.value else { continue };
        if value.exact().is_none_or(|text| {
            text.contains("-extld") || text.contains("-extar") || text.contains("-B") || text.contains("-toolexec")
        }) {
            draft.opaque(Some(value.span), "flags that name another linker");
        }
    }
}

/// `go run PATH` runs the project's own program, `go run PATH@VERSION` one from the network.
fn go_run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let fetched = parsed.operands.first().is_some_and(|operand| {
        let text = operand.1.prefix();
        text.contains('@')
            || !text.starts_with(['.', '/'])
                && text.split('/').next().is_some_and(|host| host.contains('.') && text.contains('/'))
    });
    if fetched {
        draft.become_(Capability::Package);
        draft.mark(Mark::FetchRun);
        draft.opaque(Some(scene.span), "fetches a package and runs it");
    } else {
        draft.opaque(Some(scene.span), "runs the project's own program");
    }
}

/// `nix develop -c CMD…`
fn nix_develop(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    match verb::after(parsed.args, &["-c", "--command"]) {
        Some(rest) if !rest.is_empty() => {
            draft.silent = draft.marks.is_empty();
            let rest = rest.to_vec();
            runs(scene, rest);
        }
        _ => {
            draft.become_(Capability::Unknown);
            draft.mark(Mark::LaterInput);
            draft.opaque(Some(scene.span), "reads its commands from what is typed later");
        }
    }
}

/// A function over the result that only looks at it.
fn nix_apply(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let Some(value) = parsed.value(&["--apply"]) else { return };
    let reaches = [
        "fetch",
        "readFile",
        "readDir",
        "path",
        "exec",
        "import",
        "derivation",
        "getEnv",
        "storePath",
        "toFile",
        "<",
        "http",
        "./",
        "/.",
    ];
    if value.exact().is_none_or(|text| text.len() > 400 || reaches.iter().any(|part| text.contains(part))) {
        draft.opaque(Some(value.span), "an expression that is not read");
    }
}

fn nix_shell(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    if scene.nested.is_empty() {
        draft.become_(Capability::Unknown);
        draft.mark(Mark::LaterInput);
        draft.opaque(Some(scene.span), "reads its commands from what is typed later");
    }
}

/// `changeset` alone asks and writes a note; the other release tools release.
fn release_bare(draft: &mut Draft, _: &Parsed<'_>, scene: &mut Scene<'_>) {
    if matches!(verb::program(scene).as_str(), "changeset" | "changesets") {
        draft.become_(Capability::WriteWorkspace);
    }
}

/// What `deno run` may do stands in its flags.
fn deno_run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some((_, file)) = parsed.operands.first() else { return };
    if file.prefix().contains("://") || ["npm:", "jsr:"].iter().any(|start| file.prefix().starts_with(start)) {
        draft.become_(Capability::Unknown);
        draft.mark(Mark::FetchRun);
        draft.opaque(Some(file.span), "fetches a program and runs it");
        return;
    }
    let file = file.clone();
    draft::add_path(draft, scene.world, &scene.cwd, &file, Role::Execute);
    if granted(draft, parsed, scene) {
        draft.opaque(Some(scene.span), "a program with permissions of its own");
    } else {
        draft.become_(Capability::Inspect);
        draft.note("runs without permission to write, connect or start programs");
    }
}

fn deno_test(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    granted(draft, parsed, scene);
}

/// Whether a flag lets the program do more than read in the project; `--allow-read=PATH` is a read.
fn granted(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) -> bool {
    let mut more = parsed.has(&["-A"]);
    for arg in parsed.args.iter().take_while(|arg| !is(arg, &["--"])) {
        let text = arg.prefix();
        if let Some(places) = text.strip_prefix("--allow-read=").filter(|_| arg.exact().is_some()) {
            for place in places.split(',') {
                draft::add_slot(draft, scene.world, &scene.cwd, &Arg::text(place, arg.span), Slot::Sweep);
            }
        } else {
            more |= text.starts_with("--allow")
                || text.starts_with("-P")
                || arg.exact().is_none() && text.starts_with("--a");
        }
    }
    more
}
