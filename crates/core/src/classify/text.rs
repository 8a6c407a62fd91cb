//! Text tools and builtins: what a table can't say of them.

use leastgrant_shell::Value;

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::{Nested, Scene};
use super::sed;
use super::shell::Feed;
use super::usage::{self, Parsed};
use super::{awk, environment};
use crate::action::{Capability, Mark, Role, Scale};
use crate::knowledge::Slot;
use crate::secret;

pub(super) const CODES: &[(&str, Code)] = &[
    ("text.prints_input", prints_input),
    ("text.lists", lists),
    ("text.filter", filter),
    ("text.tee", tee),
    ("text.sed", sed::run),
    ("text.awk", awk::run),
    ("text.jq", jq),
    ("text.yq", yq),
    ("text.pager", pager),
    ("text.patch", patch),
    ("text.jq_file", jq_file),
    ("text.echo", echo),
    ("text.printf", printf),
    ("text.test", test),
    ("text.arithmetic", arithmetic),
    ("text.inspector", inspector),
    ("text.printenv", printenv),
    ("text.declare", declare),
    ("text.shell_builtin", shell_builtin),
    ("text.alias", alias),
];

/// `cat` without a file prints what comes in.
fn prints_input(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let operands = &parsed.operands;
    if !operands.is_empty() && operands.iter().all(|operand| operand.1.exact() == Some("/dev/null")) {
        draft.prints = Some(Value::Exact(String::new()));
        return;
    }
    let only_input = operands.iter().all(|operand| operand.1.exact() == Some("-"));
    if only_input {
        if let Feed::Text(arg) = scene.feed {
            prints_credential(draft, std::iter::once(arg));
        }
        draft.prints = match scene.feed {
            Feed::Text(arg) => Some(arg.value.clone()),
            Feed::Pipe { text, .. } => text.clone(),
            Feed::Inherited | Feed::File(_) => None,
        };
    }
}

/// `ls` and the like print paths below the folders they list; without an operand they list the folder they run in.
fn lists(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = program_of(scene, parsed);
    let plain = |arg: &Arg| {
        let text = arg.prefix();
        !text.starts_with('-')
            || matches!(text, "--color=never" | "--color" | "--color=auto")
            || text.len() > 1
                && text
                    .chars()
                    .skip(1)
                    .all(|letter| matches!(letter, '1' | 'a' | 'A' | 't' | 'r' | 'S' | 'd' | 'R' | 'U'))
    };
    if matches!(program.as_str(), "ls" | "gls") && parsed.args.iter().all(plain) {
        // names in a folder that is listed, files as they are named
        let named = parsed.operands.iter().map(|operand| operand.1.exact().map(str::to_owned));
        // hidden names are among them only where they are asked for
        let hidden = parsed.has(&["-a", "-A", "--all", "--almost-all", "-R"]);
        let below = [String::from(if hidden { "./**" } else { "./*" })].map(Some);
        scene.paths = below.into_iter().chain(named).take(LISTED).collect();
    }
    if parsed.operands.is_empty() {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(".", scene.span), Role::List);
    }
}

/// Most words of a listing that its output is made of.
const LISTED: usize = 32;

/// Filters read the files that they name; some write one.
fn filter(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = program_of(scene, parsed);
    let operands: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    if matches!(program.as_str(), "dos2unix" | "unix2dos") {
        for arg in &operands {
            draft::add_path(draft, scene.world, &scene.cwd, arg, Role::Write);
        }
    }
    if program == "ptx"
        && parsed.has(&["-G", "--traditional"])
        && let Some(out) = operands.get(1)
    {
        draft::add_path(draft, scene.world, &scene.cwd, out, Role::Write);
    }
    if program == "uniq"
        && let Some(out) = operands.get(1)
    {
        draft::add_path(draft, scene.world, &scene.cwd, out, Role::Write);
    }
    if program == "shuf"
        && let Some(out) = parsed.value(&["-o", "--output"])
    {
        draft::add_path(draft, scene.world, &scene.cwd, out, Role::Write);
    }
    if draft.targets.iter().any(|target| target.role == Role::Read) {
        draft.at_least(Capability::ReadWorkspace);
    }
}

/// The name of the program itself, without its folder.
pub(super) fn program_of(scene: &Scene<'_>, _: &Parsed<'_>) -> String {
    let name = scene.program.rsplit('/').next().unwrap_or_default();
    name.to_owned()
}

/// `tee /dev/null` writes nothing.
fn tee(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let null = |arg: &Arg| matches!(arg.exact(), Some("/dev/null" | "/dev/stderr" | "/dev/stdout" | "/dev/tty" | "-"));
    if parsed.operands.iter().all(|operand| null(&operand.1)) {
        draft.become_(Capability::Inspect);
    }
    if let Feed::Pipe { text: Some(text), .. } = scene.feed {
        let written = text.clone();
        super::redirect::content_of(draft, scene.world, &written, parsed.has(&["-a"]));
        draft.prints = Some(written);
    } else if let Feed::Text(arg) = scene.feed {
        let written = arg.value.clone();
        super::redirect::content_of(draft, scene.world, &written, parsed.has(&["-a"]));
    }
}

/// `env`, `$ENV` and `input_filename` show the environment.
fn jq(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let mut filter = parsed.operands.first().map(|operand| operand.1.prefix().to_owned()).unwrap_or_default();
    if let Some(file) = parsed.value(&["-f"]) {
        match super::script::text(scene.world, &scene.cwd, file) {
            Some(text) if !text.contains("import") && !text.contains("include") => filter = text,
            _ => draft.opaque(Some(file.span), "a program that could not be read"),
        }
    }
    let words = || {
        filter.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '$' && letter != '.')
    };
    if words().any(|word| word == "env" || word.starts_with("env.") || word.starts_with("$ENV")) {
        draft::reads_secret(draft, "prints variables, credentials may be among them");
    }
}

/// `yq` has `env`, and reads files from within an expression.
fn yq(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let mut words: Vec<Arg> = parsed.operands.iter().map(|operand| operand.1.clone()).collect();
    if matches!(words.first().and_then(Arg::exact), Some("eval" | "e" | "eval-all" | "ea" | "shell-completion")) {
        words.remove(0);
        draft.targets.clear();
        let (file, role) =
            if draft.capability == Capability::WriteWorkspace { (1, Role::Write) } else { (1, Role::Read) };
        for arg in words.iter().skip(file) {
            draft::add_path(draft, scene.world, &scene.cwd, arg, role);
        }
    }
    let expressions = words.iter().chain(parsed.options.iter().filter_map(|found| found.value.as_ref()));
    let texts: Vec<String> = expressions.map(|arg| arg.prefix().to_owned()).collect();
    for text in texts {
        let calls = |name: &str| text.contains(&format!("{name}(")) || text.contains(&format!("{name} ("));
        if calls("env") || calls("strenv") || calls("envsubst") || text.contains("$ENV") || text.contains("env.") {
            draft::reads_secret(draft, "prints variables, credentials may be among them");
        }
        for part in text.split("load").skip(1) {
            let name = part.split('"').nth(1).unwrap_or_default().to_owned();
            if part.contains('(') && !name.is_empty() {
                draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(&name, scene.span), Role::Read);
            } else if part.contains('(') {
                draft.opaque(Some(scene.span), "an expression that reads a file that is not known");
            }
        }
    }
}

/// `less +COMMAND` does as if it were typed: a number, `G`, `F` and a search are harmless.
fn pager(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for arg in parsed.args {
        let Some(typed) = arg.prefix().strip_prefix('+') else { continue };
        let typed = typed.trim_start_matches('+');
        if typed.chars().all(|letter| letter.is_ascii_digit()) || matches!(typed, "G" | "F" | "g") {
            continue;
        }
        if typed.starts_with(['/', '?']) && !typed.contains('\n') {
            continue;
        }
        if let Some((_, command)) = typed.split_once('!') {
            scene.nested.push(Nested::Shell { text: Arg::text(command, arg.span), positional: Vec::new() });
        }
        draft.opaque(Some(arg.span), "keys that may run programs");
    }
}

/// `patch`: the files that it changes, where the patch could be read.
fn patch(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let level = parsed.value(&["-p", "--strip"]).and_then(Arg::exact).unwrap_or_default();
    let given = parsed.value(&["-i"]).cloned().or_else(|| parsed.operands.get(1).map(|operand| operand.1.clone()));
    let text = super::git::patch_text(scene, given.as_ref());
    let files = text.filter(|_| level == "1" && parsed.operands.is_empty()).and_then(|text| super::git::patched(&text));
    let Some(files) = files else { return };
    draft.become_(Capability::WriteWorkspace);
    if files.len() > 1 {
        draft.blast.scale = Scale::Many;
    }
    for file in files {
        draft::add_path(draft, scene.world, &scene.cwd, &Arg::text(&file, scene.span), Role::Write);
    }
}

/// `--slurpfile NAME FILE`, `--arg NAME VALUE`: the words behind are in pairs, so later operands shift by one.
fn jq_file(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for found in
        parsed.options.iter().filter(|found| matches!(found.name.as_str(), "--slurpfile" | "--rawfile" | "--argfile"))
    {
        let file = parsed.args.iter().skip_while(|arg| arg.span != found.arg.span).nth(2);
        if let Some(file) = file {
            draft::add_path(draft, scene.world, &scene.cwd, file, Role::Read);
        }
    }
}

/// A variable that holds a credential, printed.
fn prints_credential<'a>(draft: &mut Draft, words: impl Iterator<Item = &'a Arg>) {
    for name in words.filter_map(|word| word.credential.as_ref()) {
        draft::reads_secret(draft, &format!("prints `{name}`, which holds a credential"));
    }
}

/// What `echo` prints, where every word is known.
fn echo(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    prints_credential(draft, parsed.args.iter());
    let mut words: Vec<&Arg> = parsed.args.iter().collect();
    let mut newline = true;
    let mut escapes = false;
    while let Some(first) = words.first().and_then(|arg| arg.exact()) {
        let plain = first.len() > 1
            && first.starts_with('-')
            && first.chars().skip(1).all(|letter| matches!(letter, 'n' | 'e' | 'E'));
        if !plain {
            break;
        }
        newline &= !first.contains('n');
        escapes |= first.contains('e');
        words.remove(0);
    }
    draft.prints = joined(&words, newline, escapes);
}

fn joined(words: &[&Arg], newline: bool, escapes: bool) -> Option<Value> {
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        match word.exact() {
            // `echo *` is a known pattern of which the text is not known
            Some(known) if !word.glob => text.push_str(known),
            _ => return (!text.trim().is_empty()).then_some(Value::Prefix(text)),
        }
    }
    if escapes {
        text = text.replace("\\n", "\n").replace("\\t", "\t");
        if text.contains('\\') {
            return None;
        }
    }
    if newline {
        text.push('\n');
    }
    Some(Value::Exact(text))
}

/// What `printf` prints, for plain formats; `-v` evaluates an index.
fn printf(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.args.first().is_none_or(|first| first.exact() != Some("-v")) {
        prints_credential(draft, parsed.args.iter());
    }
    let mut words: Vec<&Arg> = parsed.args.iter().collect();
    if words.first().is_some_and(|arg| arg.exact() == Some("-v")) {
        if let Some(name) = words.get(1) {
            index(draft, scene, name);
        }
        return;
    }
    if words.first().is_some_and(|arg| arg.exact() == Some("--")) {
        words.remove(0);
    }
    let Some(format) = words.first().and_then(|arg| arg.exact()) else { return };
    let mut text = String::new();
    let mut next = 1;
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => match letters.next() {
                Some('s' | 'b' | 'd') => {
                    match words.get(next).map(|arg| arg.exact()) {
                        Some(Some(word)) => text.push_str(word),
                        Some(None) => return,
                        None => {}
                    }
                    next += 1;
                }
                Some('%') => text.push('%'),
                _ => return,
            },
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('\\') => text.push('\\'),
                _ => return,
            },
            _ => text.push(letter),
        }
    }
    // a format is used again while words are left
    if words.len() <= next.max(1) {
        draft.prints = Some(Value::Exact(text));
    }
}

/// `a[$(…)]` as a variable's name is evaluated.
fn index(draft: &mut Draft, scene: &mut Scene<'_>, name: &Arg) {
    match name.exact() {
        Some(text) if text.contains('[') => {
            let text = format!(": \"{}\"", text.replace('"', ""));
            scene.nested.push(Nested::Shell {
                text: Arg { value: Value::Exact(text), verbatim: None, ..name.clone() },
                positional: Vec::new(),
            });
        }
        Some(_) => {}
        None => draft.opaque(Some(name.span), "which variable is set is not known"),
    }
}

/// `date -f FILE`, `date -r FILE`: lines that are no dates are shown as they are.
fn dates_of(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>) {
    let mut args = parsed.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.prefix();
        let file = if let Some(at) = text.starts_with("--").then(|| text.find('=')).flatten() {
            ["--f", "--r"].iter().any(|start| text.starts_with(start)).then(|| arg.after(at + 1))
        } else if text.starts_with('-') && text.ends_with(['f', 'r']) || matches!(text, "--file" | "--reference") {
            args.next().cloned()
        } else {
            text.strip_prefix("-f").map(|_| arg.after(2))
        };
        if let Some(file) = file {
            draft::add_slot(draft, scene.world, &scene.cwd, &file, Slot::MaybeRead);
        }
    }
    if draft.targets.iter().any(|target| target.role == Role::Read) {
        draft.at_least(Capability::ReadWorkspace);
    }
}

/// `test -v 'a[$(…)]'` evaluates an index; `date -s` sets the clock.
fn test(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if matches!(program_of(scene, parsed).as_str(), ":" | "true" | "false") {
        draft.prints = Some(Value::Exact(String::new()));
    }
    let mut words = parsed.args.iter().peekable();
    while let Some(word) = words.next() {
        if word.exact() == Some("-v")
            && let Some(name) = words.peek()
        {
            index(draft, scene, name);
        }
    }
    let dates = matches!(program_of(scene, parsed).as_str(), "date" | "gdate");
    if dates {
        dates_of(draft, parsed, scene);
    }
    if dates && parsed.args.iter().any(|arg| arg.prefix().starts_with("-s") || arg.prefix().starts_with("--set")) {
        draft.become_(Capability::Privilege);
        draft.note("sets the clock");
    }
}

/// `let` evaluates indices.
fn arithmetic(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for word in parsed.args {
        index(draft, scene, word);
    }
}

/// Programs that look and, with an argument, change.
fn inspector(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = program_of(scene, parsed);
    let words: Vec<&str> = parsed.args.iter().map(Arg::prefix).collect();
    let has = |word: &str| words.iter().any(|known| *known == word || known.starts_with(&format!("{word}=")));
    let changes = match program.as_str() {
        "hostname" => words.iter().any(|word| !word.starts_with('-')) || has("-F") || has("-b") || has("--file"),
        "sysctl" => {
            has("-w")
                || has("-p")
                || has("--write")
                || has("--load")
                || has("--system")
                || words.iter().any(|word| word.contains('='))
        }
        "hostnamectl" | "timedatectl" => words.iter().any(|word| word.starts_with("set-") || *word == "hostname"),
        "nvidia-smi" => {
            words.iter().any(|word| matches!(*word, "-pm" | "-pl" | "-r" | "--gpu-reset" | "-lgc" | "-mig"))
        }
        "getent" => {
            if words.iter().any(|word| matches!(*word, "shadow" | "gshadow")) {
                draft::reads_secret(draft, "reads the system's password hashes");
            }
            if parsed.args.iter().any(|arg| arg.value.all().is_none()) {
                draft.at_least(Capability::NetSend);
                draft.note("asks for a name that is put together, and what is in it leaves");
            }
            false
        }
        _ => false,
    };
    if changes {
        draft.become_(Capability::Privilege);
        draft.note("changes the machine's settings");
    }
}

/// `printenv NAME`: a secret by its name.
fn printenv(draft: &mut Draft, parsed: &Parsed<'_>, _: &mut Scene<'_>) {
    for (_, name) in &parsed.operands {
        if name.exact().is_none_or(secret::is_secret_name) {
            draft::reads_secret(draft, "prints a variable that holds a credential");
        }
    }
}

/// `export NAME=value` and its kin: names that make other programs run something else.
fn declare(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = program_of(scene, parsed);
    let mut assigned = Vec::new();
    let mut names = 0;
    let mut prints = false;
    for word in parsed.args {
        let text = word.prefix();
        if text.starts_with(['-', '+']) && word.exact().is_some() {
            prints |= !text.starts_with('+') && text.contains(['p', 'x']);
            continue;
        }
        names += 1;
        match text.split_once('=') {
            Some((name, _)) => {
                let bare = name.trim_end_matches('+').split('[').next().unwrap_or_default();
                if name.contains('[') {
                    index(draft, scene, &Arg { value: Value::Exact(name.to_owned()), ..word.clone() });
                }
                assigned.push((bare.to_owned(), word.after(name.len() + 1).value));
            }
            None if word.exact().is_none() => draft.opaque(Some(word.span), "which variable is set is not known"),
            None => {}
        }
    }
    if names == 0 && program != "local" && (prints || parsed.args.is_empty()) {
        draft::reads_secret(draft, "prints every variable, credentials among them");
    }
    let injected = environment::injections(&assigned, &scene.cwd, scene.world, scene.tied);
    if !injected.is_empty() {
        environment::inject(draft, &injected);
    }
}

/// Builtins that run something in one of their forms.
fn shell_builtin(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = program_of(scene, parsed);
    let words: Vec<&Arg> = parsed.args.iter().collect();
    let after = |option: &str| {
        words.iter().position(|word| word.exact() == Some(option)).and_then(|at| words.get(at + 1).copied())
    };
    let run = match program.as_str() {
        "mapfile" | "readarray" => after("-C"),
        "complete" | "compgen" => after("-C"),
        "bind" => after("-x"),
        _ => None,
    };
    if let Some(text) = run {
        scene.nested.push(Nested::Shell { text: text.clone(), positional: Vec::new() });
    }
    let opaque = match program.as_str() {
        "enable" => after("-f").is_some(),
        "hash" => after("-p").is_some(),
        "emulate" => after("-c").is_some(),
        "autoload" => true,
        _ => false,
    };
    if opaque {
        draft.become_(Capability::Unknown);
        draft.opaque(Some(scene.span), format!("`{program}` makes a name stand for other code"));
    }
    if matches!(program.as_str(), "read" | "unset")
        && let Some(name) = words.iter().find(|word| word.prefix().contains('['))
    {
        index(draft, scene, name);
    }
}

/// `alias NAME=…` makes later words something else.
fn alias(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed
        .args
        .iter()
        .any(|word| usage::is_assignment(word.prefix()) || word.exact().is_none() || word.prefix().contains('='))
    {
        draft.become_(Capability::Unknown);
        draft.mark(Mark::Injection);
        draft.opaque(Some(scene.span), "an alias makes later commands something else");
    }
}
