//! `find` and `fd`: what they walk, every command that they start, what they delete and write, which paths they print.
//!
//! An expression is followed for one thing only: which names a path must have where an action is reached. What that is
//! not clear for has every name. Anything that is not known could be an action and makes it opaque.

mod fd;

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::{Nested, Scene};
use super::search::dotted;
use super::usage::Parsed;
use crate::action::{Capability, Role, Scale, Undo};
use crate::knowledge::Slot;
use crate::world::Entry;
use crate::{path, secret};
use leastgrant_shell::{Cwd, Value};

pub(super) const CODES: &[(&str, Code)] = &[("find.find", find), ("find.fd", fd::run)];

/// Deepest nesting of brackets that is followed.
const DEPTH: usize = 24;
/// Most folders, and most patterns made of them.
const MOST: usize = 32;

/// The names that a path must have; none: any.
type Names = Option<Vec<String>>;

/// Where both hold, either says enough.
fn both(a: Names, b: Names) -> Names {
    a.or(b)
}

/// Where one of both holds.
fn either(a: Names, b: Names) -> Names {
    let mut all = a?;
    all.extend(b?);
    (all.len() <= MOST).then_some(all)
}

struct Walk<'a, 'b> {
    args: &'a [Arg],
    at: usize,
    roots: Vec<Arg>,
    /// words of paths that are asked for, where they say too little of the name
    hints: Vec<String>,
    draft: &'a mut Draft,
    scene: &'a mut Scene<'b>,
    /// the folders themselves are among what is found
    top: bool,
    /// names of what is printed, where something is
    printed: Option<Names>,
    /// prints something else as well
    prints_more: bool,
    starts: bool,
    sweeps: bool,
}

fn find(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let args: Vec<Arg> = parsed.args.to_vec();
    if args.len() == 1
        && args
            .first()
            .and_then(Arg::exact)
            .is_some_and(|word| matches!(word, "--version" | "--help" | "-version" | "-help"))
    {
        draft.become_(Capability::Inspect);
        return;
    }
    let (roots, at) = roots(draft, &args, scene);
    let top = !below_only(&args);
    let mut walk = Walk {
        args: &args,
        at,
        roots,
        hints: Vec::new(),
        draft,
        scene,
        top,
        printed: None,
        prints_more: false,
        starts: false,
        sweeps: false,
    };
    let whole = walk.list(None, 0);
    if walk.at < args.len() {
        let span = walk.scene.span;
        walk.draft.opaque(Some(span), "an expression of `find` that is not followed");
    }
    walk.done(whole);
}

/// Whether what is found is never a folder that was named (`-mindepth 1`; `-type f`, where nothing else could hold).
fn below_only(args: &[Arg]) -> bool {
    let pair = |test: &str, hit: fn(&str) -> bool| {
        args.windows(2).any(|pair| match pair {
            [name, value] => name.exact() == Some(test) && value.exact().is_some_and(hit),
            _ => false,
        })
    };
    let plain = !args.iter().any(|arg| matches!(arg.exact(), Some("-o" | "-or" | "," | "!" | "-not")));
    pair("-mindepth", |depth| depth != "0") || plain && pair("-type", |kind| kind == "f")
}

/// The folders, and where the expression begins.
fn roots(draft: &mut Draft, args: &[Arg], scene: &Scene<'_>) -> (Vec<Arg>, usize) {
    let mut at = 0;
    while let Some(word) = args.get(at).and_then(Arg::exact) {
        match word {
            "-H" | "-L" | "-P" | "-E" | "-X" | "-x" | "-d" | "-s" | "--" => at += 1,
            "-D" | "-f" => at += 2,
            _ if word.starts_with("-O") => at += 1,
            _ => break,
        }
    }
    let mut roots: Vec<Arg> = Vec::new();
    while let Some(arg) = args.get(at) {
        if arg.prefix().starts_with('-') || matches!(arg.exact(), Some("(" | "!" | ")" | ",")) {
            break;
        }
        if arg.split && arg.exact().is_none() && arg.prefix().is_empty() {
            draft.opaque(Some(arg.span), "an argument that is not known could be an action of `find`");
        }
        roots.push(arg.clone());
        at += 1;
    }
    if roots.is_empty() {
        roots.push(Arg::text(".", scene.span));
    }
    (roots, at)
}

impl Walk<'_, '_> {
    fn word(&self) -> Option<&str> {
        self.args.get(self.at).and_then(Arg::exact)
    }

    fn take(&mut self) -> Option<Arg> {
        let arg = self.args.get(self.at).cloned();
        self.at += 1;
        arg
    }

    /// `A , B`: the last one says what holds.
    fn list(&mut self, here: Names, depth: usize) -> Names {
        let mut last = self.or(here.clone(), depth);
        while self.word() == Some(",") {
            self.at += 1;
            last = self.or(here.clone(), depth);
        }
        last
    }

    fn or(&mut self, here: Names, depth: usize) -> Names {
        let mut holds = self.and(here.clone(), depth);
        while matches!(self.word(), Some("-o" | "-or")) {
            self.at += 1;
            holds = either(holds, self.and(here.clone(), depth));
        }
        holds
    }

    fn and(&mut self, here: Names, depth: usize) -> Names {
        let mut holds: Names = None;
        while self.at < self.args.len() && !matches!(self.word(), Some("-o" | "-or" | "," | ")")) {
            if matches!(self.word(), Some("-a" | "-and")) {
                self.at += 1;
                continue;
            }
            // the nearest test says most of what is reached here
            let reached = both(holds.clone(), here.clone());
            let one = self.one(reached, depth);
            holds = both(holds, one);
        }
        holds
    }

    fn one(&mut self, here: Names, depth: usize) -> Names {
        match self.word() {
            Some("!" | "-not") => {
                self.at += 1;
                if self.at < self.args.len() && depth < DEPTH {
                    self.one(here, depth + 1);
                }
                None
            }
            Some("(") if depth < DEPTH => {
                self.at += 1;
                let holds = self.list(here, depth + 1);
                if self.word() == Some(")") {
                    self.at += 1;
                }
                holds
            }
            _ => self.test(here),
        }
    }

    /// One test or action.
    fn test(&mut self, here: Names) -> Names {
        let arg = self.take()?;
        let Some(test) = arg.exact() else {
            self.draft.opaque(Some(arg.span), "an argument that is not known could be an action of `find`");
            return None;
        };
        match test {
            "-exec" | "-ok" | "-execdir" | "-okdir" => self.starts(test.ends_with("dir"), &here),
            "-delete" => self.deletes(&here),
            "-print" | "-print0" => self.prints(here),
            "-ls" => self.prints_more = true,
            "-printf" => {
                let format = self.take();
                let plain = ["%p\\n", "%p\\0", "%p", "%p "].map(Some);
                if plain.contains(&format.as_ref().and_then(Arg::exact)) {
                    self.prints(here);
                } else {
                    self.prints_more = true;
                }
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                self.file(Role::Write);
                self.at += usize::from(test == "-fprintf");
            }
            "-name" | "-iname" => return self.name(),
            "-path" | "-ipath" | "-wholename" | "-iwholename" | "-regex" | "-iregex" => {
                return self.whole(test.contains("regex"));
            }
            "-newer" | "-samefile" | "-anewer" | "-cnewer" => self.file(Role::List),
            "-files0-from" => {
                self.file(Role::Read);
                let span = arg.span;
                self.draft.opaque(Some(span), "folders from a list");
            }
            _ if VALUES.contains(&test) || test.starts_with("-newer") => self.at += 1,
            _ => {}
        }
        None
    }

    fn file(&mut self, role: Role) {
        if let Some(file) = self.take() {
            draft::add_path(self.draft, self.scene.world, &self.scene.cwd, &file, role);
        }
    }

    fn name(&mut self) -> Names {
        let name = self.take()?;
        let tells = |name: &&str| !name.contains('/') && (!path::glob::is_glob(name) || path::glob::literal(name) > 1);
        let name = name.exact().filter(tells)?;
        Some(std::iter::once(name.to_owned()).chain(dotted(name)).collect())
    }

    /// A pattern of the whole path: its last name holds only where no star before it can reach over it.
    fn whole(&mut self, regex: bool) -> Names {
        let pattern = self.take()?;
        let text = pattern.exact()?;
        let text =
            if regex { text.replace("\\.", "\u{1}").replace(".*", "*").replace('\u{1}', ".") } else { text.to_owned() };
        for part in text.split(['/', '*', '|', '(', ')']).filter(|part| part.len() > 2).take(MOST) {
            self.hints.push(part.trim_matches(['\\', '$', '^']).to_owned());
        }
        let last = text.rsplit('/').next().filter(|last| !regex && text.contains('/') && last.len() > 2)?;
        let fixed = last.strip_prefix('*').unwrap_or(last);
        if fixed.contains(['*', '?', '[', '\\']) || fixed.is_empty() {
            return None;
        }
        Some(std::iter::once(last.to_owned()).chain(dotted(last)).collect())
    }

    fn prints(&mut self, here: Names) {
        self.printed = Some(match self.printed.take() {
            None => here,
            Some(before) => either(before, here),
        });
    }

    /// Patterns of the paths that have these names, as `find` would spell them.
    fn patterns(&self, names: &Names, whole: bool) -> Option<Vec<String>> {
        let mut all = Vec::new();
        for root in &self.roots {
            let texts = root.value.all()?;
            for text in texts {
                let text = self.spelled(text, whole)?;
                let folder = text.trim_end_matches('/');
                all.extend(self.itself(&text, names));
                match names {
                    Some(names) => all.extend(names.iter().map(|name| format!("{folder}/**/{name}"))),
                    None => {
                        all.push(format!("{folder}/**"));
                        all.extend(self.hints.iter().map(|hint| format!("{folder}/**/{hint}")));
                    }
                }
            }
        }
        (all.len() <= 4 * MOST).then_some(all)
    }

    /// As written, or from the root of the file system.
    fn spelled(&self, text: &str, whole: bool) -> Option<String> {
        if !whole {
            return Some(text.to_owned());
        }
        let folders = draft::folders(&self.scene.cwd);
        let [folder] = folders.as_slice() else { return None };
        path::place(self.scene.world, *folder, text).lexical
    }

    /// The folder itself, where it could be what is found.
    fn itself(&self, text: &str, names: &Names) -> Option<String> {
        let name = path::name(text.trim_end_matches('/'));
        let named = names.as_ref().is_none_or(|names| names.iter().any(|glob| path::glob::matches(glob, name)));
        let folders = draft::folders(&self.scene.cwd);
        let folder = |cwd: &Option<&str>| {
            let real = path::place(self.scene.world, *cwd, text).real;
            real.is_some_and(|real| matches!(self.scene.world.entry(&real), Entry::Dir))
        };
        (named && (self.top || !folders.iter().all(folder))).then(|| text.to_owned())
    }

    /// What a started command gets for `{}`.
    fn found(&self, names: &Names, whole: bool, at: &Arg) -> Arg {
        let value = match self.patterns(names, whole) {
            None => return Arg { split: false, ..Arg::unknown(at.span) },
            Some(paths) => match paths.as_slice() {
                [only] => Value::Exact(only.clone()),
                several => Value::OneOf(several.to_vec()),
            },
        };
        Arg { value, glob: true, split: false, verbatim: None, ..at.clone() }
    }

    fn starts(&mut self, in_folder: bool, here: &Names) {
        self.starts = true;
        let mut command: Vec<Arg> = Vec::new();
        while let Some(word) = self.take() {
            let ends = word.exact() == Some(";")
                || word.exact() == Some("+") && command.last().and_then(Arg::exact) == Some("{}");
            if ends {
                break;
            }
            command.push(word);
        }
        for arg in &mut command {
            let Some(text) = arg.exact() else { continue };
            if text == "{}" {
                *arg = self.found(here, in_folder, arg);
            } else if let Some((before, _)) = text.split_once("{}") {
                let value = Value::Prefix(before.to_owned());
                *arg = Arg { value, verbatim: None, ..arg.clone() };
            }
        }
        match here {
            None => self.sweeps = true,
            Some(_) => {
                for pattern in self.patterns(here, false).unwrap_or_default() {
                    self.credentials(&pattern);
                }
            }
        }
        if in_folder {
            // it runs in the folder of what is found
            self.scene.cwd = Cwd::Unknown;
        }
        self.scene.nested.push(Nested::Words { argv: command, more: false });
    }

    fn credentials(&mut self, pattern: &str) {
        for folder in draft::folders(&self.scene.cwd) {
            if let Some(what) = secret::glob_may_be_secret(self.scene.world, folder, pattern) {
                self.draft.sweeps_secrets.get_or_insert(what);
            }
        }
    }

    fn deletes(&mut self, here: &Names) {
        self.draft.become_(Capability::Delete);
        self.draft.blast.undo = Undo::Irreversible;
        self.draft.blast.scale = Scale::Sweeping;
        self.draft.safer = Some(String::from("list first: the same `find` with `-print` in place of `-delete`"));
        let at = self.roots.first().cloned().unwrap_or_else(|| Arg::text(".", self.scene.span));
        let what = self.found(here, false, &at);
        draft::add_path(self.draft, self.scene.world, &self.scene.cwd, &what, Role::Delete);
    }

    fn done(mut self, whole: Names) {
        let cwd = self.scene.cwd.clone();
        let roots = self.roots.clone();
        for root in &roots {
            let slot = if self.sweeps { Slot::Sweep } else { Slot::List };
            draft::add_slot(self.draft, self.scene.world, &cwd, root, slot);
        }
        // what it starts prints too
        if self.prints_more || self.starts {
            return;
        }
        let names = self.printed.take().unwrap_or(whole);
        self.scene.paths = self.patterns(&names, false);
    }
}

/// Tests and settings with a value.
const VALUES: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-mmin",
    "-mtime",
    "-size",
    "-type",
    "-xtype",
    "-user",
    "-uid",
    "-group",
    "-gid",
    "-perm",
    "-links",
    "-inum",
    "-lname",
    "-ilname",
    "-maxdepth",
    "-mindepth",
    "-fstype",
    "-used",
    "-context",
    "-regextype",
    "-flags",
    "-Bmin",
    "-Btime",
    "-D",
];
