//! An action in the making: what the tables say, then what the targets say, in a fixed order. Corrections only raise.

use leastgrant_shell::{Cwd, Span, Value};

use super::arg::Arg;
use crate::action::{Action, Blast, Capability, Exposure, Mark, Opaque, Reach, Role, Scale, Target, TargetKind, Undo};
use crate::knowledge::{Effect, Slot};
use crate::path::{Place, Zone};
use crate::world::World;
use crate::{control, host, path, secret};

/// What is known so far of one action.
#[derive(Clone, Debug)]
pub struct Draft {
    /// what kind of thing
    pub capability: Capability,
    /// how far it reaches
    pub blast: Blast,
    /// facts that fire floors
    pub marks: Vec<Mark>,
    /// what could not be accounted for
    pub opaque: Option<Opaque>,
    /// in words
    pub notes: Vec<String>,
    /// a safe way to the same end
    pub safer: Option<String>,
    /// what it touches
    pub targets: Vec<Target>,
    /// the knowledge family
    pub family: &'static str,
    /// what it prints, where that is known
    pub prints: Option<Value>,
    /// patterns of the paths that it prints, a path a line, where that is known
    pub paths: Option<Vec<String>>,
    /// hashes of scripts that were read
    pub content: Vec<String>,
    /// a wrapper that does nothing by itself
    pub silent: bool,
    /// what it deletes comes back under another name
    pub moves: bool,
    /// credentials are certain to be among what it reads
    pub sweeps_secrets: Option<&'static str>,
    /// a credential stands among the files that it is given, so that showing all of them shows it
    pub given_secrets: Option<&'static str>,
}

impl Draft {
    /// A draft of this capability with its default blast.
    #[must_use]
    pub fn new(capability: Capability, family: &'static str) -> Self {
        Self {
            capability,
            blast: capability.default_blast(),
            marks: Vec::new(),
            opaque: None,
            notes: Vec::new(),
            safer: None,
            targets: Vec::new(),
            family,
            prints: None,
            paths: None,
            content: Vec::new(),
            silent: false,
            moves: false,
            sweeps_secrets: None,
            given_secrets: None,
        }
    }

    /// Replaces the capability and with it the blast.
    pub fn become_(&mut self, capability: Capability) {
        self.capability = capability;
        self.blast = capability.default_blast();
    }

    /// Cannot be accounted for; the first reason stays.
    pub fn opaque(&mut self, span: Option<Span>, why: impl Into<String>) {
        self.opaque.get_or_insert_with(|| Opaque { span, why: why.into() });
    }

    /// Fires a floor.
    pub fn mark(&mut self, mark: Mark) {
        if !self.marks.contains(&mark) {
            self.marks.push(mark);
        }
    }

    /// Says something about it, once.
    pub fn note(&mut self, note: &str) {
        if !note.is_empty() && !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
    }

    /// At least this capability: it replaces the present one where that one is weaker.
    pub fn at_least(&mut self, capability: Capability) {
        let other = capability.default_blast();
        if rank(capability) > rank(self.capability) {
            self.capability = capability;
        }
        self.blast = self.blast.at_least(other);
    }

    /// Takes over what a table row says, replacing (`exact`) or raising.
    pub fn apply(&mut self, effect: &Effect, exact: bool) {
        if let Some(does) = effect.does {
            self.become_(does);
        }
        let blast = &mut self.blast;
        if exact {
            blast.reach = effect.reach.unwrap_or(blast.reach);
            blast.undo = effect.undo.unwrap_or(blast.undo);
            blast.exposure = effect.exposure.unwrap_or(blast.exposure);
            blast.scale = effect.scale.unwrap_or(blast.scale);
        } else {
            blast.reach = blast.reach.max(effect.reach.unwrap_or(Reach::None));
            blast.undo = blast.undo.max(effect.undo.unwrap_or(Undo::Trivial));
            blast.exposure = blast.exposure.max(effect.exposure.unwrap_or(Exposure::None));
            blast.scale = blast.scale.max(effect.scale.unwrap_or(Scale::Single));
        }
        if let Some(mark) = effect.mark {
            self.mark(mark);
        }
        if !effect.opaque.is_empty() {
            self.opaque(None, effect.opaque);
        }
        self.note(effect.note);
        if !effect.safer.is_empty() {
            self.safer = Some(effect.safer.to_owned());
        }
    }
}

/// Which capability wins when one command does several things.
fn rank(capability: Capability) -> u8 {
    use Capability as C;
    match capability {
        C::Meta => 0,
        C::Inspect => 1,
        C::ReadWorkspace => 2,
        C::VcsRead => 3,
        C::ReadOutside => 4,
        C::Build | C::Test | C::NetLoopback | C::AgentSpawn => 5,
        C::WriteWorkspace | C::DeleteKnown | C::VcsWrite => 6,
        C::NetFetch | C::McpRead | C::Process => 7,
        C::PackageLocked | C::ContainerBounded | C::VcsPush => 8,
        C::Package | C::Container => 9,
        C::WriteOutside | C::Delete => 10,
        C::SecretRead => 11,
        C::McpCall | C::Unknown => 12,
        C::Database | C::Cloud | C::Iac | C::VcsPublish | C::Remote | C::PackagePublish | C::NetSend | C::Privilege => {
            13
        }
    }
}

/// The folder that relative paths of an invocation are read from; none where it is not known.
#[must_use]
pub fn folders(cwd: &Cwd) -> Vec<Option<&str>> {
    match cwd {
        Cwd::At(folder) => vec![Some(folder)],
        Cwd::OneOf(folders) => folders.iter().map(|folder| Some(folder.as_str())).collect(),
        Cwd::Unknown => vec![None],
    }
}

/// Most entries that a glob is expanded to.
const GLOB_ENTRIES: usize = 512;

/// Adds the targets that one argument names in this role; unknown paths become unplaced targets.
pub fn add_path(draft: &mut Draft, world: &dyn World, cwd: &Cwd, arg: &Arg, role: Role) {
    // what `<(…)` stands for is a pipe, and the command in it is judged by itself
    if matches!(&arg.value, Value::Prefix(text) if text == "/dev/fd/") {
        return;
    }
    let texts: Vec<&str> = match &arg.value {
        Value::Exact(text) => vec![text],
        Value::OneOf(texts) => texts.iter().map(String::as_str).collect(),
        Value::Prefix(_) | Value::Matches(_) | Value::Unknown => {
            let place = Place::unknown(arg.shown());
            // a known beginning still matches guards that go by name
            if let Some(start) = arg.prefix().rfind('/').and_then(|at| arg.prefix().get(..=at)) {
                for folder in folders(cwd) {
                    let known = path::place(world, folder, start);
                    draft.targets.push(target(arg, role, Place { zone: Zone::Unplaced, ..known }));
                }
            }
            draft.targets.push(target(arg, role, place));
            return;
        }
    };
    for text in texts {
        for folder in folders(cwd) {
            draft.targets.push(target(arg, role, path::place(world, folder, text)));
            if arg.glob {
                if draft.blast.scale < Scale::Many && role.changes() {
                    draft.blast.scale = Scale::Many;
                }
                if let Some(what) = secret::glob_may_be_secret(world, folder, text)
                    && matches!(role, Role::Read | Role::Send)
                {
                    draft.sweeps_secrets.get_or_insert(what);
                }
                if let Some(root) = text.strip_suffix("/**").filter(|_| role == Role::Read)
                    && let Some(what) = secret::stands_below(world, &path::place(world, folder, root))
                {
                    draft.given_secrets.get_or_insert(what);
                }
                let found = expand(world, folder, text);
                if found.is_empty() && role.changes() && could_decide(world, folder, text) {
                    draft.opaque(Some(arg.span), "a pattern that could stand for a file that decides something");
                }
                for name in found {
                    draft.targets.push(target(arg, role, path::place(world, folder, &name)));
                }
            }
        }
    }
}

fn target(arg: &Arg, role: Role, place: Place) -> Target {
    Target { role, text: place.written.clone(), kind: TargetKind::Path(place), span: Some(arg.span) }
}

/// What a glob stands for now, where its folders can be listed; nothing where it would be too much.
fn expand(world: &dyn World, cwd: Option<&str>, pattern: &str) -> Vec<String> {
    let mut found = vec![String::from(if pattern.starts_with('/') { "" } else { "." })];
    let mut folders = 0;
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        if !part.contains(['*', '?', '[']) {
            found.iter_mut().for_each(|path| *path = format!("{path}/{part}"));
            continue;
        }
        let Ok(glob) = globset::GlobBuilder::new(part).literal_separator(true).build() else { return Vec::new() };
        let glob = glob.compile_matcher();
        let mut next = Vec::new();
        for folder in &found {
            folders += 1;
            let place = path::place(world, cwd, if folder.is_empty() { "/" } else { folder });
            let names = place.real.and_then(|real| world.list(&real, GLOB_ENTRIES)).unwrap_or_default();
            let shown =
                |entry: &String| glob.is_match(entry) && (part.starts_with(['.', '[']) || !entry.starts_with('.'));
            next.extend(names.into_iter().filter(shown).map(|entry| format!("{folder}/{entry}")));
            if folders > GLOB_FOLDERS || next.len() > GLOB_ENTRIES {
                return Vec::new();
            }
        }
        found = next;
    }
    found
}

/// Most folders that one glob is looked up in.
const GLOB_FOLDERS: usize = 64;

/// A glob that changes what it stands for and stands for nothing now, by its beginning: it could be meant for a file that
/// decides something.
fn could_decide(world: &dyn World, cwd: Option<&str>, pattern: &str) -> bool {
    let start = pattern.find(['*', '?', '[']).and_then(|at| pattern.get(..at)).unwrap_or_default();
    start.contains(|letter: char| letter.is_alphanumeric()) && control::control_prefix(world, cwd, start).is_some()
}

/// Adds what one argument names in its slot.
pub fn add_slot(draft: &mut Draft, world: &dyn World, cwd: &Cwd, arg: &Arg, slot: Slot) {
    match slot {
        Slot::Text
        | Slot::Number
        | Slot::Code
        | Slot::Shell
        | Slot::ShellWords
        | Slot::Command
        | Slot::CommandMore
        | Slot::Assignment
        | Slot::Chdir
        | Slot::Sql => {}
        Slot::List => add_path(draft, world, cwd, arg, Role::List),
        Slot::Read => add_path(draft, world, cwd, arg, Role::Read),
        Slot::Sweep => add_sweep(draft, world, cwd, arg),
        Slot::MaybeRead => {
            if looks_like_path(arg.prefix()) {
                add_path(draft, world, cwd, arg, Role::Read);
            }
        }
        Slot::Write | Slot::WriteDir => {
            if arg.exact() != Some("-") {
                add_path(draft, world, cwd, arg, Role::Write);
            }
        }
        Slot::Delete => add_path(draft, world, cwd, arg, Role::Delete),
        Slot::Script => add_path(draft, world, cwd, arg, Role::Execute),
        Slot::Url => add_url(draft, arg, Role::Connect),
        Slot::UrlSend => add_url(draft, arg, Role::Send),
        Slot::Host => add_host(draft, arg, Role::Connect),
        Slot::Package => add_named(draft, arg, true),
        Slot::Name => add_named(draft, arg, false),
        Slot::Secret => {
            draft.blast.exposure = draft.blast.exposure.max(Exposure::ReadsSecrets);
            draft.note("carries a secret in clear");
        }
        Slot::RemotePath => add_remote(draft, world, cwd, arg, Role::Read),
        Slot::RemoteDest => add_remote(draft, world, cwd, arg, Role::Write),
    }
}

/// A folder that is read with all below it.
fn add_sweep(draft: &mut Draft, world: &dyn World, cwd: &Cwd, arg: &Arg) {
    add_path(draft, world, cwd, arg, Role::Read);
    for text in arg.value.all().unwrap_or_default() {
        for folder in folders(cwd) {
            let place = path::place(world, folder, text);
            if let Some(what) = secret::holds_secrets(world, &place) {
                draft.sweeps_secrets.get_or_insert(what);
            }
        }
    }
}

fn add_named(draft: &mut Draft, arg: &Arg, package: bool) {
    let name = arg.shown();
    let kind = if package { TargetKind::Package(name.clone()) } else { TargetKind::Named(name.clone()) };
    let role = if package { Role::Connect } else { Role::List };
    draft.targets.push(Target { role, kind, text: name, span: Some(arg.span) });
}

/// A host that is connected to (or sent to).
pub fn add_host(draft: &mut Draft, arg: &Arg, role: Role) {
    let shown = arg.shown();
    let name = shown.rsplit_once('@').map_or(shown.as_str(), |split| split.1).to_ascii_lowercase();
    let local = arg.exact().is_some() && host::is_local(name.trim_end_matches('.'));
    draft.targets.push(Target {
        role,
        kind: TargetKind::Host { host: name, local },
        text: shown.clone(),
        span: Some(arg.span),
    });
}

/// A URL that is fetched or sent to; without a scheme it is read as `http`, as the tools do.
pub fn add_url(draft: &mut Draft, arg: &Arg, role: Role) {
    for text in arg.value.all().unwrap_or_else(|| vec![arg.prefix()]) {
        let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let known = arg.value.all().is_some() || full.splitn(4, '/').count() == 4;
        let seen = if known { host::visit(&full) } else { None };
        let (name, local) = seen.map_or_else(
            || (String::from("…"), false),
            |seen| (seen.host.unwrap_or_else(|| format!("{}:", seen.scheme)), seen.local),
        );
        draft.targets.push(Target {
            role,
            kind: TargetKind::Host { host: name, local },
            // what is not known of it shows as a dot of three
            text: if arg.value.all().is_some() { text.to_owned() } else { format!("{text}…") },
            span: Some(arg.span),
        });
    }
}

/// `[user@]host:path`, `rsync://…`, or a local path.
fn add_remote(draft: &mut Draft, world: &dyn World, cwd: &Cwd, arg: &Arg, role: Role) {
    let text = arg.prefix();
    let remote =
        text.contains("://") || text.split_once(':').is_some_and(|(host, _)| !(host.is_empty() || host.contains('/')));
    if !remote {
        add_path(draft, world, cwd, arg, role);
        return;
    }
    let name = text.split("://").last().unwrap_or(text);
    let name = name.split([':', '/']).next().unwrap_or_default();
    let name = name.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
    let local = host::is_local(&name);
    let role = if role == Role::Write { Role::Send } else { Role::Connect };
    draft.targets.push(Target {
        role,
        kind: TargetKind::Host { host: name, local },
        text: arg.shown(),
        span: Some(arg.span),
    });
}

/// Whether a bare word looks like a path (spec §7.5): a separator, `.`, `..`, `~`, a leading dot or an extension.
#[must_use]
pub fn looks_like_path(text: &str) -> bool {
    if text.is_empty() || text.len() > 4096 || text.starts_with('-') || text.contains("://") {
        return false;
    }
    if text.contains(['\n', '\t', '"', '\'', '`', '$', '|', ';', '<', '>']) {
        return false;
    }
    text.contains('/')
        || text.contains('\\')
        || text.starts_with(['.', '~'])
        || text.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty()
                && !stem.ends_with(' ')
                && !end.is_empty()
                && end.len() <= 10
                && end.chars().all(char::is_alphanumeric)
        })
}

/// Paths on another machine or in a container: what is done to them counts, where they lie here does not. A credential
/// is one by its name there too.
pub fn elsewhere(draft: &mut Draft, world: &dyn World) {
    for at in 0..draft.targets.len() {
        let Some(target) = draft.targets.get_mut(at) else { continue };
        let TargetKind::Path(place) = &target.kind else { continue };
        let opened = matches!(target.role, Role::Read | Role::Send);
        let held = secret::secret(world, place).filter(|_| opened);
        let text = target.text.clone();
        let role = target.role;
        target.kind = TargetKind::Named(text.clone());
        match role {
            Role::Write => draft.at_least(Capability::WriteWorkspace),
            Role::Delete => draft.at_least(Capability::Delete),
            _ => {}
        }
        if let Some(what) = held {
            reads_secret(draft, &format!("`{text}` holds {what}"));
        }
    }
}

/// What the targets make of a draft: zones, secrets, deletes, hosts. Raises only.
pub fn settle(draft: &mut Draft, world: &dyn World) {
    settle_paths(draft, world);
    settle_hosts(draft);
    if let Some(what) = draft.sweeps_secrets {
        reads_secret(draft, &format!("reaches {what}"));
    }
}

fn settle_paths(draft: &mut Draft, world: &dyn World) {
    let mut worst_write = None;
    let mut deletes = 0_usize;
    let mut known_deletes = 0_usize;
    let mut outside_read = false;
    let mut secrets: Vec<String> = Vec::new();
    let mut unplaced = None;
    for target in &draft.targets {
        let TargetKind::Path(place) = &target.kind else { continue };
        if matches!(target.role, Role::Read | Role::Send | Role::Execute) && raw_device(place) {
            secrets.push(format!("`{}` holds everything that is on a disk or in memory", target.text));
        }
        if matches!(target.role, Role::Read | Role::Send)
            && let Some(what) = secret::secret(world, place)
        {
            secrets.push(format!("`{}` holds {what}", target.text));
        }
        if place.zone == Zone::Unplaced && target.role != Role::List {
            unplaced.get_or_insert((target.span, format!("where `{}` leads is not known", target.text)));
        }
        match target.role {
            Role::Write => worst_write = worst_write.max(Some(place.zone)),
            Role::Delete => {
                deletes += 1;
                known_deletes += usize::from(known_delete(world, place));
                worst_write = worst_write.max(Some(place.zone));
            }
            // a check of sources in a folder that is not known weighs what it weighs in one that is
            Role::List
                if place.zone == Zone::Unplaced && matches!(draft.capability, Capability::Build | Capability::Test) => {
            }
            Role::Read | Role::List => outside_read |= !matches!(place.zone, Zone::Project | Zone::Null),
            Role::Execute | Role::Connect | Role::Send => {}
        }
    }
    if let Some((span, why)) = unplaced {
        draft.opaque(span, why);
        draft.blast.reach = draft.blast.reach.max(Reach::Machine);
    }
    if outside_read {
        draft.blast.reach = draft.blast.reach.max(Reach::Machine);
        if draft.capability == Capability::ReadWorkspace {
            draft.capability = Capability::ReadOutside;
        }
    }
    if let Some(zone) = worst_write {
        settle_write(draft, zone, deletes, known_deletes);
    }
    for text in secrets {
        reads_secret(draft, &text);
    }
}

/// A disk or memory as a file: what it holds is kept by no rule of files.
fn raw_device(place: &Place) -> bool {
    const NAMES: &[&str] = &[
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "mapper/", "md", "loop", "mem", "kmem",
        "port", "sg",
    ];
    place.readings().iter().any(|path| {
        let name = path.strip_prefix("/dev/").unwrap_or_default();
        NAMES.iter().any(|start| name.starts_with(start))
    })
}

fn settle_write(draft: &mut Draft, zone: Zone, deletes: usize, known_deletes: usize) {
    if zone == Zone::Null && deletes == 0 {
        return;
    }
    if deletes > 0 && !draft.moves {
        let known = deletes == known_deletes;
        if draft.capability == Capability::Delete && known {
            let whole = draft.blast.scale > Scale::Single;
            draft.become_(Capability::DeleteKnown);
            if whole {
                draft.blast.scale = Scale::Many;
            }
        } else if rank(draft.capability) < rank(Capability::Delete) && draft.capability != Capability::DeleteKnown {
            draft.at_least(if known { Capability::DeleteKnown } else { Capability::Delete });
        }
    } else if rank(draft.capability) < rank(Capability::WriteWorkspace) {
        draft.at_least(Capability::WriteWorkspace);
    }
    match zone {
        Zone::Project | Zone::Null => {}
        Zone::Temp => {
            draft.blast.reach = draft.blast.reach.max(Reach::Machine);
            // however many files are put there, nothing is lost by it
            if draft.capability == Capability::WriteWorkspace && draft.blast.undo <= Undo::Easy && deletes == 0 {
                draft.blast.scale = Scale::Single;
            }
        }
        _ => {
            draft.blast.reach = draft.blast.reach.max(Reach::Machine);
            if draft.capability == Capability::WriteWorkspace {
                draft.capability = Capability::WriteOutside;
                draft.blast = draft.blast.at_least(Capability::WriteOutside.default_blast());
            }
        }
    }
}

/// A delete that can be made again: build output, temporary files, files of this session, clean tracked files.
fn known_delete(world: &dyn World, place: &Place) -> bool {
    let Some(real) = place.real.as_deref() else { return false };
    match place.zone {
        Zone::Temp => real.trim_matches('/').split('/').count() > 1,
        Zone::Project => {
            if control::control(world, place).is_some() || place.lexical.as_deref() != Some(real) {
                return false;
            }
            let below = real.strip_prefix(world.facts().project.as_str()).unwrap_or_default();
            let name = path::name(real);
            below.split('/').any(|part| BUILD_OUTPUT.contains(&part))
                || [".pyc", ".pyo", ".DS_Store", "Thumbs.db"].iter().any(|end| name.ends_with(end))
                || world.made_in_session(real)
                || world.tracked_clean(real)
        }
        _ => false,
    }
}

/// Folders that builds and tests make and make again.
const BUILD_OUTPUT: &[&str] = &[
    "target",
    "node_modules",
    "dist",
    "build",
    "out",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".svelte-kit",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    "coverage",
    ".nyc_output",
    "htmlcov",
    ".gradle",
    "_build",
    ".cache",
    "tmp",
    ".eggs",
];

fn settle_hosts(draft: &mut Draft) {
    for target in &draft.targets {
        if let TargetKind::Host { local, .. } = &target.kind
            && !*local
        {
            draft.blast.reach = draft.blast.reach.max(Reach::Network);
        }
    }
}

/// A credential is among what is read.
pub fn reads_secret(draft: &mut Draft, note: &str) {
    draft.note(note);
    draft.blast = draft.blast.at_least(Capability::SecretRead.default_blast());
    if rank(draft.capability) < rank(Capability::SecretRead) {
        draft.capability = Capability::SecretRead;
    }
}

/// Makes the action.
#[must_use]
pub fn finish(draft: Draft, signature: String, display: String, span: Option<Span>) -> Action {
    Action {
        capability: draft.capability,
        blast: draft.blast,
        targets: draft.targets,
        signature,
        display,
        span,
        opaque: draft.opaque,
        marks: draft.marks,
        notes: draft.notes,
        safer: draft.safer,
        family: draft.family,
    }
}
