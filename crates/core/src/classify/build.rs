//! Build tools: tasks of several packages, what a bundler's subcommand does, compilers that load code.

use super::arg::Arg;
use super::code::{self, Code};
use super::draft::Draft;
use super::program::{Nested, Scene, joined};
use super::usage::Parsed;
use super::verb::{self, runs, runs_as, words};
use crate::action::{Capability, Mark, Reach, Role, Scale, Undo};

pub(super) const CODES: &[(&str, Code)] = &[
    ("build.targets", targets),
    ("build.task_file", task_file),
    ("build.mise_exec", mise_exec),
    ("build.javascript", javascript),
    ("build.listens", listens),
    ("build.eas", eas),
    ("build.compiler", compiler),
    ("build.cmake_install", cmake_install),
    ("build.cmake_tool", cmake_tool),
    ("build.project", project),
    ("build.xcode", xcode),
    ("build.devices", devices),
];

/// Tasks of a monorepo tool, each judged by its name: `turbo run build test`, `nx test api`, `nx run api:build`,
/// `nx affected -t lint test`.
fn targets(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let mut tasks: Vec<Arg> = Vec::new();
    let nx = matches!(verb::program(scene).as_str(), "nx" | "lage" | "moon");
    let sub = parsed.path.first().copied().unwrap_or_default();
    for found in parsed.options.iter().filter(|found| matches!(found.name.as_str(), "-t" | "--target" | "--targets")) {
        tasks.extend(found.value.iter().flat_map(|value| split(value, ',')));
    }
    let words: Vec<&Arg> = parsed.operands.iter().map(|operand| &operand.1).collect();
    let literal = parsed.args.iter().position(|arg| verb::is(arg, &["--"]));
    let before =
        |arg: &&&Arg| literal.and_then(|at| parsed.args.get(at)).is_none_or(|dash| arg.span.start < dash.span.start);
    if nx && sub == "run" && tasks.is_empty() {
        // `api:build:production`: the second part is the task
        tasks.extend(words.first().into_iter().flat_map(|arg| split(arg, ':').into_iter().skip(1).take(1)));
    } else if nx && tasks.is_empty() {
        tasks.extend(words.first().map(|arg| (*arg).clone()));
    } else if !nx {
        tasks.extend(words.iter().filter(before).map(|arg| (*arg).clone()));
    } else {
        // the words behind `-t a` are further targets
        tasks.extend(words.iter().filter(before).map(|arg| (*arg).clone()));
    }
    if tasks.is_empty() {
        verb::unknown(draft, scene, "which task is run is not known");
    }
    several(draft, parsed, scene, tasks);
}

fn split(arg: &Arg, at: char) -> Vec<Arg> {
    match arg.exact() {
        Some(text) => text.split(at).filter(|part| !part.is_empty()).map(|part| Arg::text(part, arg.span)).collect(),
        None => vec![arg.clone()],
    }
}

/// Several task names, each by itself; the strictest stays.
fn several(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>, tasks: Vec<Arg>) {
    let mut strictest: Option<Draft> = None;
    for task in tasks {
        let mut one = Draft::new(draft.capability, draft.family);
        let alone = Parsed {
            usage: parsed.usage,
            chain: parsed.chain.clone(),
            path: Vec::new(),
            options: Vec::new(),
            operands: vec![(crate::knowledge::Slot::Name, task)],
            command: None,
            opaque: None,
            args: parsed.args,
        };
        code::call("scripts.task", &mut one, &alone, scene);
        let weight = |draft: &Draft| (draft.opaque.is_some(), draft.blast.tier(), draft.capability == Capability::Test);
        if strictest.as_ref().is_none_or(|known| weight(&one) > weight(known)) {
            strictest = Some(one);
        }
    }
    if let Some(one) = strictest {
        draft.become_(one.capability);
        if let Some(opaque) = one.opaque {
            draft.opaque(opaque.span, opaque.why);
        }
        for note in one.notes {
            draft.note(&note);
        }
    }
}

/// rake, gulp, nox, concurrently's kin: tasks by their names, databases by what the names say.
fn task_file(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let program = verb::program(scene);
    if words.is_empty() || parsed.has(&["-s", "-e"]) && program == "nox" {
        verb::unknown(draft, scene, "runs what a file of the project says");
        return;
    }
    if matches!(program.as_str(), "rake" | "thor") {
        let worst = words.iter().filter_map(|word| rails_task(word)).max();
        if let Some(worst) = worst {
            database_task(draft, worst);
            return;
        }
    }
    let tasks: Vec<Arg> =
        parsed.operands.iter().map(|operand| operand.1.clone()).filter(|arg| !arg.prefix().contains('=')).collect();
    draft.become_(Capability::Build);
    several(draft, parsed, scene, tasks);
}

/// What a task of Rails does to the database: 0 reads, 1 changes, 2 destroys.
pub(super) fn rails_task(word: &str) -> Option<u8> {
    let (head, tail) = word.split_once(':')?;
    if head != "db" {
        return None;
    }
    Some(match tail.split('[').next().unwrap_or_default() {
        "version" | "migrate:status" | "abort_if_pending_migrations" | "schema:dump" | "structure:dump" => 0,
        "drop" | "reset" | "purge" | "drop:all" | "truncate_all" | "schema:load" | "structure:load" | "setup"
        | "migrate:reset" | "rollback" | "migrate:redo" | "test:prepare" | "seed:replant" | "drop:_unsafe" => 2,
        _ => 1,
    })
}

/// A task that works on the project's database.
pub(super) fn database_task(draft: &mut Draft, worst: u8) {
    match worst {
        0 => verb::set(draft, Capability::Database, Reach::Machine, Undo::Trivial, Scale::Single),
        1 => verb::set(draft, Capability::Database, Reach::Machine, Undo::Hard, Scale::Single),
        _ => verb::destroys(draft, Capability::Database, Scale::Sweeping),
    }
}

/// `mise exec [TOOL…] -- CMD…`, `mise x CMD…`
fn mise_exec(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    if !scene.nested.is_empty() {
        return;
    }
    let rest = verb::after(parsed.args, &["--"]).map(<[Arg]>::to_vec).unwrap_or_else(|| {
        parsed.operands.iter().map(|operand| operand.1.clone()).skip_while(|arg| arg.prefix().contains('@')).collect()
    });
    if rest.is_empty() {
        verb::unknown(draft, scene, "which command is run is not known");
    }
    runs(scene, rest);
}

/// Subcommands of bundlers and site generators that do more than build.
fn javascript(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    let sends = ["electron-builder", "electron-forge"].contains(&verb::program(scene).as_str())
        && parsed.args.iter().any(|arg| {
            verb::is(arg, &["-p", "--publish"])
                || arg.prefix().starts_with("--publish=") && !arg.prefix().ends_with("=never")
        });
    if sends {
        return draft.become_(Capability::PackagePublish);
    }
    match first {
        "push" | "registry" | "deploy" | "gh-deploy" | "publish" | "release" | "upload" | "gh-pages" => {
            draft.become_(Capability::Cloud)
        }
        "add" | "install" | "upgrade" | "update" | "generate" | "g" | "init" | "new" | "create" | "migrate"
        | "eject" | "swizzle"
            if !matches!(verb::program(scene).as_str(), "prisma" | "nuxt" | "nuxi" | "buf") =>
        {
            draft.become_(Capability::Package);
        }
        "run" | "exec" | "repl" | "console" | "shell" => verb::unknown(draft, scene, "runs the project's own program"),
        "login" | "logout" | "token" => draft.become_(Capability::SecretRead),
        _ => {}
    }
    if matches!(verb::program(scene).as_str(), "ncu" | "npm-check-updates")
        && parsed.args.iter().any(|arg| verb::is(arg, &["-u", "--upgrade"]))
    {
        draft.become_(Capability::WriteWorkspace);
        verb::path(draft, scene, &Arg::text("package.json", scene.span), Role::Write);
    }
}

/// `--host` without a value, or with one that is not this machine, lets others in.
fn listens(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let value = parsed.value(&["--host"]);
    let next = parsed.operands.iter().map(|operand| &operand.1).any(|arg| arg.exact().is_some_and(verb::loopback));
    if !value.map_or(next, |value| value.exact().is_some_and(verb::loopback)) {
        draft.blast.reach = draft.blast.reach.max(Reach::Network);
    }
}

/// `eas build:list`, `eas channel:view`: what only looks.
fn eas(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    let looks = words(parsed).iter().any(|word| matches!(*word, "list" | "view" | "ls"));
    if looks {
        verb::looks(draft, Capability::Cloud);
    }
}

/// `-oFILE`, and options that make a compiler load code or other programs.
fn compiler(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for arg in parsed.args {
        let text = arg.prefix();
        if let Some(rest) = text.strip_prefix("-o")
            && !rest.is_empty()
            && !parsed.options.iter().any(|found| found.arg.span == arg.span && found.row.is_some())
            && rest.starts_with(['/', '~', '.'])
        {
            draft.become_(Capability::WriteWorkspace);
            verb::path(draft, scene, &arg.after(2), Role::Write);
        }
        let loads = [
            "-fplugin=",
            "-wrapper",
            "-fpass-plugin=",
            "-specs=",
            "--specs=",
            "-Xplugin:",
            "-load",
            "-B",
            "-Clinker=",
            "-Zcodegen-backend",
        ];
        if loads.iter().any(|start| text.starts_with(start)) && text != "-Bstatic" && text != "-Bdynamic" {
            draft.opaque(Some(arg.span), "code or other programs that the compiler loads");
        }
        // response files hold further options
        if text.starts_with('@') && text.len() > 1 {
            draft.opaque(Some(arg.span), "options from a file");
        }
        if let Some(rest) = text.strip_prefix("linker=").or_else(|| text.strip_prefix("-Clinker=")) {
            draft.opaque(Some(arg.span), format!("another linker: `{rest}`"));
        }
    }
}

/// `cmake --install` writes to the system unless a prefix says where.
fn cmake_install(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    if parsed.has(&["--prefix"]) {
        verb::set(draft, Capability::WriteWorkspace, Reach::Workspace, Undo::Easy, Scale::Many);
    } else {
        verb::set(draft, Capability::WriteOutside, Reach::Machine, Undo::Hard, Scale::Many);
    }
}

/// `cmake -E TOOL…`: small tools of its own.
fn cmake_tool(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.silent = true;
    let rest = verb::after(parsed.args, &["-E"]).unwrap_or_default().to_vec();
    let program = match rest.first().and_then(Arg::exact).unwrap_or_default() {
        "rm" | "remove" | "remove_directory" => "rm",
        "copy" | "copy_directory" | "copy_if_different" => "cp",
        "rename" => "mv",
        "make_directory" => "mkdir",
        "touch" => "touch",
        "cat" => "cat",
        "env" => "env",
        "time" => "time",
        "create_symlink" => "ln",
        "echo" | "echo_append" | "true" | "false" | "capabilities" | "compare_files" | "sleep" => "echo",
        _ => {
            draft.silent = false;
            verb::unknown(draft, scene, "a tool of cmake that is not known");
            return;
        }
    };
    let rest = rest.get(1..).unwrap_or_default().to_vec();
    runs_as(scene, program, &rest);
}

/// bazel, esphome, pio, ninja and their kin by their first word.
fn project(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let starts = [
        "--wrapper",
        "--run_under",
        "--shell_executable",
        "--bazelrc",
        "--override_",
        "--extra_toolchains",
        "--host_java",
        "--tool_java",
    ];
    for arg in parsed.args.iter().filter(|arg| starts.iter().any(|start| arg.prefix().starts_with(start))) {
        draft.opaque(Some(arg.span), "another program or setting that the build runs with");
    }
    let words = words(parsed);
    let first = words.first().copied().unwrap_or_default();
    let program = verb::program(scene);
    match (program.as_str(), first) {
        (
            "bazel" | "bazelisk" | "ibazel" | "pio" | "platformio" | "west" | "meson" | "xmake" | "idf.py",
            "test" | "coverage" | "check",
        ) => {
            draft.become_(Capability::Test);
        }
        (
            "bazel" | "bazelisk",
            "query" | "cquery" | "aquery" | "info" | "version" | "help" | "mod" | "dump" | "print_action",
        ) => {
            draft.become_(Capability::Inspect);
        }
        ("meson", "introspect" | "wrap") | ("gn", "ls" | "desc" | "args" | "refs" | "path" | "check") => {
            draft.become_(Capability::Inspect)
        }
        (_, "clean") => draft.become_(Capability::DeleteKnown),
        (
            _,
            "run" | "upload" | "flash" | "logs" | "monitor" | "dashboard" | "install" | "device" | "burn"
            | "erase-flash" | "remote" | "debug" | "exec" | "mobile-install" | "update" | "pkg" | "lib" | "core"
            | "fix" | "vscode",
        ) => {
            verb::unknown(draft, scene, "more than a build: an upload, an install or the project's own program");
        }
        _ if words.iter().any(|word| matches!(*word, "install" | "uninstall")) => {
            verb::unknown(draft, scene, "more than a build: an upload, an install or the project's own program");
        }
        _ => {}
    }
}

fn xcode(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    if words.iter().any(|word| matches!(*word, "test" | "test-without-building" | "build-for-testing" | "analyze")) {
        let reach = draft.blast.reach;
        draft.become_(Capability::Test);
        draft.blast.reach = draft.blast.reach.max(reach);
    }
    if words.contains(&"install")
        || words.iter().any(|word| word.starts_with("DSTROOT=") || word.starts_with("INSTALL_PATH="))
    {
        verb::unknown(draft, scene, "installs what it builds");
    }
}

/// xcrun, adb, fastlane and other tools around devices.
fn devices(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let program = verb::program(scene);
    let first = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    let shows = parsed.args.iter().any(|arg| {
        matches!(
            arg.exact(),
            Some(
                "--show-sdk-path"
                    | "--show-sdk-version"
                    | "--find"
                    | "-f"
                    | "--show-sdk-platform-path"
                    | "-p"
                    | "--print-path"
            )
        )
    });
    match (program.as_str(), first) {
        ("xcrun" | "xcode-select", _) if shows => draft.become_(Capability::Inspect),
        ("xcrun", "simctl") => simulator(draft, second),
        ("simctl", _) => simulator(draft, first),
        (
            "xcrun",
            "swift" | "swiftc" | "clang" | "xcodebuild" | "swift-format" | "lipo" | "otool" | "nm" | "strings",
        ) => {
            draft.silent = true;
            let rest = verb::after(parsed.args, &[first]).unwrap_or_default().to_vec();
            runs_as(scene, first, &rest);
        }
        (
            "adb",
            "devices" | "logcat" | "version" | "get-state" | "get-serialno" | "bugreport" | "help" | "features",
        ) => {
            draft.become_(Capability::Inspect);
        }
        (
            "adb",
            "shell" | "root" | "remount" | "push" | "pull" | "uninstall" | "reboot" | "sideload" | "backup" | "restore",
        ) => {
            draft.become_(Capability::Remote);
            let rest: Vec<&Arg> = parsed.operands.iter().skip(1).map(|operand| &operand.1).collect();
            if first == "shell" && rest.is_empty() {
                draft.mark(Mark::LaterInput);
                draft.opaque(Some(scene.span), "reads its commands from what is typed later");
            }
        }
        ("emulator" | "avdmanager" | "sdkmanager", _)
            if words.iter().any(|word| matches!(*word, "list" | "-list-avds")) =>
        {
            draft.become_(Capability::Inspect)
        }
        (
            "sdkmanager" | "xcodegen" | "tuist" | "swiftgen" | "sourcery" | "aapt" | "zipalign" | "bundletool"
            | "apksigner" | "agvtool",
            _,
        ) => {
            draft.become_(Capability::Build);
        }
        ("codesign", _)
            if parsed.args.iter().any(|arg| {
                matches!(arg.exact(), Some("-d" | "-dv" | "-dvv" | "-dvvv" | "--display" | "-v" | "--verify"))
            }) =>
        {
            draft.become_(Capability::Inspect);
        }
        ("notarytool" | "stapler", _) => draft.become_(Capability::NetSend),
        ("fastlane", "test" | "tests" | "lint") => draft.become_(Capability::Test),
        ("xcrun" | "fastlane" | "xcode-select", _) => verb::unknown(draft, scene, "a tool or lane that is not known"),
        _ => {}
    }
}

fn simulator(draft: &mut Draft, word: &str) {
    match word {
        "list" | "getenv" | "get_app_container" | "diagnose" | "listapps" | "help" | "io" => {
            draft.become_(Capability::Inspect)
        }
        "erase" | "delete" => {
            draft.blast.undo = Undo::Irreversible;
            draft.note("removes what a simulator holds");
        }
        _ => {}
    }
}

/// Used by families whose words are one shell text each.
pub(super) fn shell_text(scene: &mut Scene<'_>, words: &[&Arg]) {
    if !words.is_empty() {
        scene.nested.push(Nested::Shell { text: joined(words), positional: Vec::new() });
    }
}
