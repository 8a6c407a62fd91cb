// Programs: `knowledge/programs/*.toml` → `programs.rs`. The schema is described in knowledge/README.md; unknown keys, roles,
// capabilities and marks are build errors, so that a table cannot say something that nobody reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

const CAPABILITIES: &[(&str, &str)] = &[
    ("meta", "Meta"),
    ("fs.read", "ReadWorkspace"),
    ("fs.write", "WriteWorkspace"),
    ("fs.write.outside", "WriteOutside"),
    ("fs.delete", "Delete"),
    ("fs.delete.known", "DeleteKnown"),
    ("secret.read", "SecretRead"),
    ("exec.inspect", "Inspect"),
    ("exec.build", "Build"),
    ("exec.test", "Test"),
    ("exec.pkg", "Package"),
    ("exec.pkg.locked", "PackageLocked"),
    ("exec.pkg.publish", "PackagePublish"),
    ("exec.vcs.read", "VcsRead"),
    ("exec.vcs.write", "VcsWrite"),
    ("exec.vcs.push", "VcsPush"),
    ("exec.vcs.publish", "VcsPublish"),
    ("exec.container", "Container"),
    ("exec.container.bounded", "ContainerBounded"),
    ("exec.cloud", "Cloud"),
    ("exec.iac", "Iac"),
    ("exec.db", "Database"),
    ("exec.process", "Process"),
    ("exec.privilege", "Privilege"),
    ("exec.remote", "Remote"),
    ("exec.unknown", "Unknown"),
    ("net.fetch", "NetFetch"),
    ("net.send", "NetSend"),
    ("net.loopback", "NetLoopback"),
    ("mcp.call", "McpCall"),
    ("mcp.read", "McpRead"),
    ("agent.spawn", "AgentSpawn"),
];

const MARKS: &[(&str, &str)] = &[
    ("privilege", "Privilege"),
    ("pipe-to-shell", "PipeToShell"),
    ("fetch-run", "FetchRun"),
    ("persistence", "Persistence"),
    ("production", "Production"),
    ("injection", "Injection"),
    ("agent-off-switch", "AgentOffSwitch"),
    ("later-input", "LaterInput"),
    ("unusual", "Unusual"),
    ("own-command", "OwnCommand"),
    ("disarm", "Disarm"),
];

const ROLES: &[(&str, &str)] = &[
    ("text", "Text"),
    ("number", "Number"),
    ("list", "List"),
    ("read", "Read"),
    ("sweep", "Sweep"),
    ("maybe-read", "MaybeRead"),
    ("write", "Write"),
    ("write-dir", "WriteDir"),
    ("delete", "Delete"),
    ("script", "Script"),
    ("code", "Code"),
    ("shell", "Shell"),
    ("shell-words", "ShellWords"),
    ("command", "Command"),
    ("command-more", "CommandMore"),
    ("url", "Url"),
    ("url-send", "UrlSend"),
    ("host", "Host"),
    ("package", "Package"),
    ("name", "Name"),
    ("secret", "Secret"),
    ("remote-path", "RemotePath"),
    ("remote-dest", "RemoteDest"),
    ("assignment", "Assignment"),
    ("chdir", "Chdir"),
    ("sql", "Sql"),
];

const REACH: &[(&str, &str)] = &[
    ("none", "None"),
    ("workspace", "Workspace"),
    ("machine", "Machine"),
    ("network", "Network"),
    ("external", "External"),
    ("production", "Production"),
];
const UNDO: &[(&str, &str)] =
    &[("trivial", "Trivial"), ("easy", "Easy"), ("hard", "Hard"), ("irreversible", "Irreversible")];
const EXPOSURE: &[(&str, &str)] =
    &[("none", "None"), ("reads-secrets", "ReadsSecrets"), ("can-exfiltrate", "CanExfiltrate")];
const SCALE: &[(&str, &str)] = &[("single", "Single"), ("many", "Many"), ("sweeping", "Sweeping")];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    family: String,
    #[serde(default)]
    program: Vec<Program>,
}

#[derive(Deserialize)]
struct Program {
    names: Vec<String>,
    #[serde(default)]
    about: String,
    // tested by tests/knowledge.rs, not compiled in
    #[serde(default)]
    examples: Vec<toml::Value>,
    #[serde(flatten)]
    usage: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Usage {
    names: Option<String>,
    does: Option<String>,
    reach: Option<String>,
    undo: Option<String>,
    exposure: Option<String>,
    scale: Option<String>,
    mark: Option<String>,
    opaque: Option<String>,
    note: Option<String>,
    safer: Option<String>,
    operands: Option<Vec<String>>,
    only: bool,
    value: Option<String>,
    optional: Option<String>,
    flags: Option<String>,
    values: Option<String>,
    options: BTreeMap<String, Usage>,
    sub: BTreeMap<String, Usage>,
    bare: Option<Box<Usage>>,
    other: Option<Box<Usage>>,
    style: Option<String>,
    unknown_options: Option<String>,
    production: bool,
    elsewhere: bool,
    stdin_code: bool,
    code: Option<String>,
}

/// Reads every program table below `from` and writes `programs.rs` into `out`.
pub(crate) fn write(from: &Path, out: &Path) -> Result<(), String> {
    let mut files: Vec<_> = std::fs::read_dir(from.join("programs"))
        .map_err(|error| format!("knowledge/programs: {error}"))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort();
    let mut text =
        String::from("/// Every program that the knowledge has, in no order.\npub static PROGRAMS: &[Program] = &[\n");
    let mut names = BTreeMap::new();
    let mut index = 0_usize;
    for path in files {
        let shown = path.display().to_string();
        let source = std::fs::read_to_string(&path).map_err(|error| format!("{shown}: {error}"))?;
        let file: File = toml::from_str(&source).map_err(|error| format!("{shown}: {error}"))?;
        if path.file_stem().is_none_or(|stem| stem.to_string_lossy() != file.family) {
            return Err(format!("{shown}: the family must be named as the file"));
        }
        for program in file.program {
            let first = program.names.first().cloned().unwrap_or_default();
            let place = format!("{shown}: `{first}`");
            if program.examples.is_empty() {
                return Err(format!("{place}: needs at least one example"));
            }
            if program.about.is_empty() {
                return Err(format!("{place}: needs `about`"));
            }
            let usage: Usage = toml::Value::Table(program.usage.into_iter().collect())
                .try_into()
                .map_err(|error| format!("{place}: {error}"))?;
            let _ = writeln!(
                text,
                "Program {{ names: &{:?}, family: {:?}, about: {:?}, usage: {} }},",
                program.names,
                file.family,
                program.about,
                usage_text(&usage, &place, "gnu")?
            );
            for name in program.names {
                if names.insert(name.clone(), index).is_some() {
                    return Err(format!("{place}: `{name}` has two entries"));
                }
            }
            index += 1;
        }
    }
    text.push_str(
        "];\n\n/// Program names, sorted, with their index in [`PROGRAMS`].\npub static NAMES: &[(&str, u16)] = &[\n",
    );
    for (name, index) in &names {
        let _ = writeln!(text, "({name:?}, {index}),");
    }
    text.push_str("];\n");
    std::fs::write(out.join("programs.rs"), text).map_err(|error| error.to_string())
}

fn lookup(table: &[(&str, &str)], kind: &str, ty: &str, value: &str, place: &str) -> Result<String, String> {
    table
        .iter()
        .find(|row| row.0 == value)
        .map(|row| format!("{ty}::{}", row.1))
        .ok_or_else(|| format!("{place}: unknown {kind} `{value}`"))
}

fn option(table: &[(&str, &str)], kind: &str, ty: &str, value: Option<&String>, place: &str) -> Result<String, String> {
    value.map_or_else(
        || Ok(String::from("None")),
        |value| Ok(format!("Some({})", lookup(table, kind, ty, value, place)?)),
    )
}

fn operands_text(operands: &[String], place: &str) -> Result<String, String> {
    let mut text = String::from("&[");
    for operand in operands {
        let (role, rest) = operand.strip_suffix('*').map_or((operand.as_str(), false), |role| (role, true));
        let _ = write!(text, "Operand {{ role: {}, rest: {rest} }}, ", lookup(ROLES, "role", "Slot", role, place)?);
    }
    text.push(']');
    Ok(text)
}

fn effect_text(usage: &Usage, place: &str) -> Result<String, String> {
    let operands = match &usage.operands {
        Some(operands) => format!("Some({})", operands_text(operands, place)?),
        None => String::from("None"),
    };
    Ok(format!(
        "Effect {{ does: {}, reach: {}, undo: {}, exposure: {}, scale: {}, mark: {}, opaque: {:?}, note: {:?}, safer: {:?}, operands: {operands}, only: {}, code: {:?} }}",
        option(CAPABILITIES, "capability", "Capability", usage.does.as_ref(), place)?,
        option(REACH, "reach", "Reach", usage.reach.as_ref(), place)?,
        option(UNDO, "undo", "Undo", usage.undo.as_ref(), place)?,
        option(EXPOSURE, "exposure", "Exposure", usage.exposure.as_ref(), place)?,
        option(SCALE, "scale", "Scale", usage.scale.as_ref(), place)?,
        option(MARKS, "mark", "Mark", usage.mark.as_ref(), place)?,
        usage.opaque.as_deref().unwrap_or_default(),
        usage.note.as_deref().unwrap_or_default(),
        usage.safer.as_deref().unwrap_or_default(),
        usage.only,
        usage.code.as_deref().unwrap_or_default(),
    ))
}

fn words(text: Option<&String>) -> Vec<&str> {
    text.map(|text| text.split([' ', ',', '\n']).filter(|word| !word.is_empty()).collect()).unwrap_or_default()
}

fn usage_text(usage: &Usage, place: &str, outer: &str) -> Result<String, String> {
    // a subcommand spells its options as its program does
    let inherited = if outer == "single" { "single" } else { "gnu" };
    let style_name = usage.style.as_deref().unwrap_or(inherited);
    let mut options = String::from("&[");
    for (names, option) in &usage.options {
        let names = words(Some(names));
        let at = format!("{place} option `{}`", names.join(", "));
        let takes = match (&option.value, &option.optional) {
            (Some(role), None) => format!("Takes::Value({})", lookup(ROLES, "role", "Slot", role, &at)?),
            (None, Some(role)) => format!("Takes::Optional({})", lookup(ROLES, "role", "Slot", role, &at)?),
            (None, None) => String::from("Takes::Nothing"),
            (Some(_), Some(_)) => return Err(format!("{at}: `value` and `optional` exclude one another")),
        };
        let _ = write!(options, "Opt {{ names: &{names:?}, takes: {takes}, effect: {} }}, ", effect_text(option, &at)?);
    }
    options.push(']');
    let mut subs = String::from("&[");
    for (names, sub) in &usage.sub {
        let names = words(Some(names));
        let at = format!("{place} {}", names.join("|"));
        let _ = write!(subs, "Sub {{ names: &{names:?}, usage: {} }}, ", usage_text(sub, &at, style_name)?);
    }
    subs.push(']');
    let boxed = |inner: &Option<Box<Usage>>| -> Result<String, String> {
        match inner {
            Some(inner) => Ok(format!("Some(&{})", usage_text(inner, place, style_name)?)),
            None => Ok(String::from("None")),
        }
    };
    let style = match style_name {
        "gnu" => "Style::Gnu",
        "single" => "Style::SingleDash",
        "first" => "Style::OptionsFirst",
        "none" => "Style::None",
        other => return Err(format!("{place}: unknown style `{other}`")),
    };
    let strict = match usage.unknown_options.as_deref() {
        None | Some("ignore") => false,
        Some("opaque") => true,
        Some(other) => return Err(format!("{place}: unknown `unknown-options` `{other}`")),
    };
    if usage.names.is_some() || (usage.value.is_some() || usage.optional.is_some()) && place.contains(" option ") {
        return Err(format!("{place}: `names`, `value` and `optional` belong to options"));
    }
    Ok(format!(
        "Usage {{ effect: {}, options: {options}, flags: &{:?}, values: &{:?}, subs: {subs}, bare: {}, other: {}, style: {style}, strict: {strict}, production: {}, elsewhere: {}, stdin_code: {} }}",
        effect_text(usage, place)?,
        words(usage.flags.as_ref()),
        words(usage.values.as_ref()),
        boxed(&usage.bare)?,
        boxed(&usage.other)?,
        usage.production,
        usage.elsewhere,
        usage.stdin_code,
    ))
}
