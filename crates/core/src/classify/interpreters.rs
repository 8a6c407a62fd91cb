//! Interpreters: modules of Python, one-liners of Perl, servers, frameworks with commands of their own.

mod perl;

use super::arg::Arg;
use super::code::{self, Code};
use super::draft::Draft;
use super::program::Scene;
use super::script;
use super::shell::Feed;
use super::usage::Parsed;
use super::verb::{self, is, runs_as, words};
use crate::action::{Capability, Mark, Reach, Role, Scale, Undo};
use crate::knowledge;

pub(super) const CODES: &[(&str, Code)] = &[
    ("interpreters.python", python),
    ("interpreters.module", module),
    ("interpreters.node_run", node_run),
    ("interpreters.server", server),
    ("interpreters.serve", serve),
    ("interpreters.perl", perl::run),
    ("interpreters.php", php),
    ("interpreters.php_setting", php_setting),
    ("interpreters.osascript", osascript),
    ("interpreters.powershell", powershell),
    ("interpreters.framework", framework),
];

/// Python with a file: Django's `manage.py` by its word, else the file is read.
fn python(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.has(&["-c", "-m"]) {
        return;
    }
    let Some((_, file)) = parsed.operands.first().cloned() else { return };
    let rest: Vec<Arg> = parsed.operands.iter().skip(1).map(|operand| operand.1.clone()).collect();
    if file.exact().is_some_and(|text| text == "-") {
        return;
    }
    if file.exact().is_some_and(|text| text.rsplit('/').next() == Some("manage.py")) {
        verb::path(draft, scene, &file, Role::Execute);
        django(draft, scene, rest.first().and_then(Arg::exact).unwrap_or_default());
        return;
    }
    verb::path(draft, scene, &file, Role::Execute);
    script::file(draft, scene, &file, &rest, Some(parsed));
}

fn django(draft: &mut Draft, scene: &Scene<'_>, word: &str) {
    match word {
        "test" | "check" | "showmigrations" | "validate_templates" | "diffsettings" | "help" | "version" => {
            draft.become_(Capability::Test)
        }
        "makemigrations" | "collectstatic" | "compilemessages" | "makemessages" => draft.become_(Capability::Build),
        "migrate" | "createcachetable" | "loaddata" => super::build::database_task(draft, 1),
        "flush" | "sqlflush" | "reset_db" | "clear_cache" => super::build::database_task(draft, 2),
        "shell" | "shell_plus" | "dbshell" => console(draft, scene),
        _ => verb::unknown(draft, scene, "runs the project's own program"),
    }
}

/// A console of the project: it runs what is typed, unless something is given to it.
fn console(draft: &mut Draft, scene: &Scene<'_>) {
    verb::unknown(draft, scene, "a console that runs what it is given");
    if matches!(scene.feed, Feed::Inherited | Feed::Pipe { typed: true, .. }) {
        draft.mark(Mark::LaterInput);
    }
}

/// `python -m MODULE …`: modules that the tables know as programs of their own.
fn module(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some(value) = parsed.value(&["-m"]).cloned() else { return };
    let Some(name) = value.exact() else {
        draft.opaque(Some(value.span), "which module is run is not known");
        return;
    };
    let first = name.split('.').next().unwrap_or(name);
    let shadowed = [format!("{first}.py"), format!("{first}/__init__.py"), format!("{first}/__main__.py")]
        .iter()
        .any(|file| matches!(&scene.cwd, leastgrant_shell::Cwd::At(_)) && verb::stands_here(scene, file));
    let program = format!("python -m {name}");
    if shadowed || knowledge::program(&program).is_none() {
        let why = if shadowed { "a module of the project" } else { "a module that is not known" };
        draft.opaque(Some(value.span), format!("`{name}` is {why}"));
        return;
    }
    draft.silent = true;
    let rest: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    let mut argv = vec![Arg::text(&program, value.span)];
    argv.extend(rest);
    verb::runs(scene, argv);
}

/// `node --run NAME`
fn node_run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some(name) = parsed.value(&["--run"]).cloned() else { return };
    let alone = Parsed {
        usage: parsed.usage,
        chain: Vec::new(),
        path: Vec::new(),
        options: Vec::new(),
        operands: vec![(knowledge::Slot::Name, name)],
        command: None,
        opaque: None,
        args: parsed.args,
    };
    code::call("scripts.npm", draft, &alone, scene);
}

/// A file server that only this machine can reach.
fn server(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let php = verb::program(scene).starts_with("php");
    let bound = parsed
        .value(&["-b", "-S"])
        .and_then(Arg::exact)
        .map(|text| text.rsplit_once(':').map_or(text, |split| split.0).to_owned());
    if bound.is_some_and(|host| verb::loopback(&host)) {
        if php {
            verb::unknown(draft, scene, "runs the project's own program");
        } else {
            draft.become_(Capability::NetLoopback);
            draft.note("only this machine can reach it");
        }
    }
}

/// Programs that run the project's own program, or several commands.
fn serve(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    match verb::program(scene).as_str() {
        "concurrently" => {
            draft.silent = true;
            for (_, arg) in &parsed.operands {
                match arg.exact() {
                    Some(text) if text.starts_with("npm:") => {
                        let name = Arg::text(text.get(4..).unwrap_or_default(), arg.span);
                        runs_as(scene, "npm", &[Arg::text("run", arg.span), name]);
                    }
                    _ => super::build::shell_text(scene, &[arg]),
                }
            }
            if parsed.operands.is_empty() {
                verb::unknown(draft, scene, "which commands are run is not known");
            }
        }
        "npm-run-all" | "npm-run-all2" | "run-s" | "run-p" => {
            draft.silent = true;
            let names: Vec<Arg> = parsed
                .operands
                .iter()
                .map(|operand| operand.1.clone())
                .filter(|arg| !arg.prefix().starts_with('-'))
                .collect();
            for name in names {
                runs_as(scene, "npm", &[Arg::text("run", name.span), name]);
            }
        }
        "wait-on" => draft.become_(Capability::Inspect),
        "pm2" | "supervisorctl" | "forever"
            if matches!(
                first,
                "list" | "ls" | "status" | "logs" | "show" | "describe" | "info" | "jlist" | "monit"
            ) =>
        {
            draft.become_(Capability::Inspect);
        }
        "pm2" | "supervisorctl" | "forever" if matches!(first, "stop" | "restart" | "reload" | "delete" | "kill") => {
            draft.become_(Capability::Process);
            draft.blast.undo = Undo::Hard;
        }
        "flask" | "python -m flask" if matches!(first, "routes" | "--version") => draft.become_(Capability::Test),
        "django-admin" => django(draft, scene, first),
        _ => verb::unknown(draft, scene, "runs the project's own program"),
    }
}

/// PHP with a file: `artisan` and `bin/console` by their words, else the file is read.
fn php(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.has(&["-r", "-f", "-S", "-l", "-v"]) {
        return;
    }
    let Some((_, file)) = parsed.operands.first().cloned() else { return };
    let rest: Vec<Arg> = parsed.operands.iter().skip(1).map(|operand| operand.1.clone()).collect();
    let base = file.exact().and_then(|text| text.rsplit('/').next()).unwrap_or_default();
    verb::path(draft, scene, &file, Role::Execute);
    if matches!(base, "artisan" | "console" | "phpunit" | "pest" | "composer" | "phpstan") {
        match base {
            "artisan" | "console" => artisan(draft, scene, rest.first().and_then(Arg::exact).unwrap_or_default()),
            _ => {
                draft.silent = true;
                runs_as(scene, base, &rest);
            }
        }
        return;
    }
    script::file(draft, scene, &file, &rest, Some(parsed));
}

fn artisan(draft: &mut Draft, scene: &Scene<'_>, word: &str) {
    match word {
        "test" => draft.become_(Capability::Test),
        "list" | "help" | "about" | "route:list" | "migrate:status" | "event:list" | "schedule:list"
        | "debug:router" | "debug:container" | "lint:twig" | "lint:yaml" | "env" => draft.become_(Capability::Inspect),
        "migrate:fresh"
        | "migrate:refresh"
        | "migrate:reset"
        | "migrate:rollback"
        | "db:wipe"
        | "doctrine:database:drop"
        | "doctrine:schema:drop" => super::build::database_task(draft, 2),
        "migrate" | "db:seed" | "doctrine:migrations:migrate" | "doctrine:schema:update" => {
            super::build::database_task(draft, 1)
        }
        "cache:clear" | "config:clear" | "route:clear" | "view:clear" | "optimize" | "optimize:clear"
        | "config:cache" | "route:cache" => {
            draft.become_(Capability::Build);
        }
        "config:show" => draft.become_(Capability::SecretRead),
        _ => verb::unknown(draft, scene, "runs the project's own program"),
    }
}

/// `php -d NAME=VALUE`: settings that load code.
fn php_setting(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "-d") {
        let Some(value) = &found.value else { continue };
        let harmless = value.exact().is_some_and(|text| {
            [
                "memory_limit",
                "max_execution_time",
                "display_errors",
                "error_reporting",
                "xdebug.mode",
                "date.timezone",
                "zend.assertions",
                "pcov.enabled",
            ]
            .iter()
            .any(|start| text.starts_with(start))
        });
        if !harmless {
            draft.opaque(Some(value.span), "a setting that can load code");
        }
    }
}

fn osascript(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    if parsed.args.iter().any(|arg| arg.prefix().contains("administrator privileges")) {
        verb::privileged(draft, "asks for an administrator's rights");
    }
}

/// PowerShell is another language; what its options say all the same.
fn powershell(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let only_asks = !parsed.args.is_empty()
        && parsed.args.iter().all(|arg| is(arg, &["--version", "-v", "-Version", "--help", "-Help", "-h", "-?", "/?"]));
    if only_asks {
        draft.opaque = None;
        draft.become_(Capability::Inspect);
        return;
    }
    for arg in parsed.args {
        let text = arg.prefix().to_ascii_lowercase();
        if text.starts_with("-enc") || text.starts_with("-ec") || text == "-e" {
            draft.note("hides its commands in an encoding");
        }
        if text.contains("runas") {
            draft.mark(Mark::Privilege);
            draft.note("asks for an administrator's rights");
        }
        let fetches = [
            "invoke-webrequest",
            "downloadstring",
            "downloadfile",
            "iwr ",
            "net.webclient",
            "invoke-restmethod",
            "irm ",
        ];
        let executes = ["iex", "invoke-expression"];
        if fetches.iter().any(|word| text.contains(word)) {
            draft.blast.reach = draft.blast.reach.max(Reach::Network);
            if executes.iter().any(|word| text.contains(word)) {
                draft.mark(Mark::PipeToShell);
            }
        }
    }
}

/// The command lines of frameworks and services, by conventional verbs.
fn framework(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    match verb::program(scene).as_str() {
        "rails" | "hanami" => {
            if let Some(worst) = super::build::rails_task(first) {
                super::build::database_task(draft, worst);
                return;
            }
            match first {
                "test" | "spec" | "test:system" | "test:all" => draft.become_(Capability::Test),
                "routes" | "about" | "stats" | "notes" | "middleware" | "version" | "zeitwerk:check"
                | "initializers" | "help" => {
                    draft.become_(Capability::Test);
                }
                "assets:precompile" | "assets:clean" | "tmp:clear" | "log:clear" => draft.become_(Capability::Build),
                "credentials:show" | "secret" => draft.become_(Capability::SecretRead),
                "console" | "c" | "dbconsole" | "db" => console(draft, scene),
                _ => verb::unknown(draft, scene, "runs the project's own program"),
            }
            if matches!(first, "routes" | "about" | "stats" | "notes" | "middleware" | "version") {
                draft.become_(Capability::Inspect);
            }
            return;
        }
        "artisan" => return artisan(draft, scene, first),
        "manage.py" => return django(draft, scene, first),
        "forge" | "hardhat" | "truffle" | "anchor" | "nest"
            if matches!(first, "test" | "build" | "compile" | "lint" | "fmt" | "coverage") =>
        {
            draft.become_(if matches!(first, "test" | "coverage" | "lint") {
                Capability::Test
            } else {
                Capability::Build
            });
            return;
        }
        "mcptool" | "mcp" => return verb::unknown(draft, scene, "calls a tool of a server"),
        _ => {}
    }
    by_verb(draft, scene, &words);
}

fn by_verb(draft: &mut Draft, scene: &Scene<'_>, words: &[&str]) {
    for word in words.iter().take(3) {
        let head = word.rsplit(':').next().unwrap_or(word);
        match head {
            "list" | "ls" | "status" | "show" | "info" | "version" | "help" | "logs" | "ps" | "whoami" | "doctor"
            | "routes" | "history" => {
                draft.become_(Capability::Inspect);
                draft.blast.reach = Reach::Network;
                return;
            }
            "delete" | "destroy" | "remove" | "rm" | "purge" | "drop" | "down" | "reset" | "wipe" => {
                return verb::destroys(draft, Capability::Cloud, Scale::Many);
            }
            "deploy" | "release" | "apply" | "rollback" | "promote" | "publish" | "push" | "upload" | "setup"
            | "redeploy" => {
                return draft.become_(Capability::Cloud);
            }
            "pull" | "download" | "fetch" => return draft.become_(Capability::NetFetch),
            "login" | "token" | "secret" | "secrets" => return draft.become_(Capability::SecretRead),
            _ => {}
        }
    }
    verb::unknown(draft, scene, "a command of this program that is not known");
}
