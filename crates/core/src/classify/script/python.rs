//! Python, by an allow-list: pure computing, printing and reading literal files is understood; whatever could write, start,
//! connect, import unknown code or reach past the list is refused.

use super::Found;
use super::token::{Grammar, Token, tokens};

/// Modules and the names in them that only compute (submodules by their full name). `*` stands for modules written in C alone:
/// others carry the modules that they import (`typing.contextlib.os`).
const MODULES: &[(&str, &str)] = &[
    ("json", "loads load dumps dump JSONDecodeError"),
    (
        "re",
        "match search findall finditer sub split compile fullmatch escape I IGNORECASE M MULTILINE S DOTALL X VERBOSE",
    ),
    ("sys", "stdin stdout stderr argv exit version version_info maxsize platform getsizeof byteorder"),
    ("math", "*"),
    ("cmath", "*"),
    ("statistics", "mean median mode stdev pstdev variance quantiles fmean"),
    ("decimal", "Decimal ROUND_HALF_UP"),
    ("fractions", "Fraction"),
    ("itertools", "*"),
    ("collections", "Counter defaultdict OrderedDict deque namedtuple ChainMap"),
    ("functools", "reduce partial lru_cache cmp_to_key cache"),
    ("operator", "itemgetter mul add sub"),
    ("datetime", "datetime date timedelta timezone time"),
    ("time", "time sleep strftime localtime gmtime perf_counter monotonic"),
    ("calendar", "month monthrange isleap day_name month_name"),
    ("textwrap", "*"),
    ("string", "ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace"),
    ("random", "random randint choice choices shuffle sample seed uniform"),
    ("hashlib", "md5 sha1 sha256 sha512 new blake2b"),
    ("base64", "b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode"),
    ("binascii", "hexlify unhexlify crc32"),
    ("zlib", "crc32 compress decompress adler32"),
    ("csv", "reader DictReader"),
    ("ast", "parse literal_eval dump walk"),
    ("struct", "pack unpack calcsize"),
    ("difflib", "unified_diff ndiff SequenceMatcher get_close_matches"),
    ("pprint", "pprint pformat pp"),
    ("typing", "Any Dict List Optional Union Tuple Callable Iterable"),
    ("dataclasses", "dataclass field asdict"),
    ("enum", "Enum IntEnum auto"),
    ("copy", "copy deepcopy"),
    ("bisect", "bisect bisect_left bisect_right insort"),
    ("heapq", "heappush heappop heapify nlargest nsmallest"),
    ("unicodedata", "*"),
    ("html", "escape unescape"),
    ("uuid", "uuid4 uuid5 UUID"),
    ("keyword", "kwlist iskeyword"),
    ("platform", "python_version system machine"),
    ("urllib.parse", "urlparse quote unquote urlencode parse_qs urljoin urlsplit"),
    ("tomllib", "loads load"),
    ("yaml", "safe_load"),
    ("os.path", "join exists isfile isdir basename dirname splitext getsize"),
    ("os", "path sep linesep getcwd"),
    ("pathlib", "Path PurePath"),
];

/// Built-in names that reach past the list.
const BUILTINS: &[&str] = &[
    "eval",
    "exec",
    "compile",
    "globals",
    "locals",
    "vars",
    "getattr",
    "setattr",
    "delattr",
    "breakpoint",
    "help",
    "memoryview",
    "async",
    "await",
    "dir",
    "super",
    "object",
    "type",
];

/// Attributes that act, whatever they are asked of (files and paths are the only objects here that can).
const ATTRIBUTES: &[&str] = &[
    "write",
    "writelines",
    "unlink",
    "rmdir",
    "rename",
    "write_text",
    "write_bytes",
    "touch",
    "mkdir",
    "chmod",
    "lchmod",
    "symlink_to",
    "hardlink_to",
    "link_to",
    "open",
    "copy_into",
    "move",
    "move_into",
    "joinpath",
    "parent",
    "parents",
    "glob",
    "rglob",
    "iterdir",
    "walk",
    "with_name",
    "with_stem",
    "with_suffix",
    "with_segments",
    "home",
    "cwd",
    "expanduser",
    "readlink",
    "truncate",
    "buffer",
    "system",
    "popen",
    "modules",
    "mro",
    "register",
    "detach",
    "reconfigure",
    "tofile",
    "save",
    "to_csv",
    "format_map",
];

/// Reads a source.
pub(super) fn read(source: &str) -> Found {
    let mut found = Found::default();
    let tokens = match tokens(source, Grammar::Python) {
        Ok(tokens) => tokens,
        Err(what) => {
            found.refused = Some(what);
            return found;
        }
    };
    let mut reader = Reader { tokens: &tokens, modules: Vec::new(), paths: false, found };
    if let Err(what) = reader.all() {
        reader.found.refused = Some(what);
    }
    reader.found
}

struct Reader<'a> {
    tokens: &'a [Token],
    /// local name → module
    modules: Vec<(String, &'static str, &'static str)>,
    paths: bool,
    found: Found,
}

impl Reader<'_> {
    fn name(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn op(&self, at: usize, op: char) -> bool {
        self.tokens.get(at) == Some(&Token::Op(op))
    }

    fn text(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn all(&mut self) -> Result<(), String> {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.one(at)?;
        }
        if self.paths && self.tokens.contains(&Token::Op('/')) {
            return Err(String::from("a path that is put together"));
        }
        Ok(())
    }

    fn one(&mut self, at: usize) -> Result<usize, String> {
        let Some(name) = self.name(at).map(str::to_owned) else {
            if self.op(at, '@') && (at == 0 || self.op(at - 1, '\n')) && self.name(at + 1) != Some("dataclass") {
                return Err(String::from("a decorator"));
            }
            return Ok(at + 1);
        };
        if name.starts_with("__") && name != "__name__" || internal(&name) {
            return Err(name);
        }
        let attribute = at > 0 && self.op(at - 1, '.');
        match name.as_str() {
            "import" if !attribute => return self.import(at + 1),
            "from" if !attribute && (at == 0 || self.op(at - 1, '\n') || self.op(at - 1, ';')) => {
                return self.from(at + 1);
            }
            _ => {}
        }
        if attribute {
            return self.attribute(at, &name);
        }
        if BUILTINS.contains(&name.as_str()) {
            return Err(name);
        }
        if name == "open" {
            return self.open(at);
        }
        if name == "Path" || name == "PurePath" {
            return self.path(at);
        }
        if let Some((_, module, names)) = self.modules.iter().find(|row| row.0 == name).cloned() {
            return self.member(at, module, names);
        }
        Ok(at + 1)
    }

    fn module(&self, mut at: usize) -> Option<(String, usize)> {
        let mut full = self.name(at)?.to_owned();
        at += 1;
        while self.op(at, '.') {
            full.push('.');
            full.push_str(self.name(at + 1)?);
            at += 2;
        }
        Some((full, at))
    }

    fn import(&mut self, mut at: usize) -> Result<usize, String> {
        loop {
            let (full, next) = self.module(at).ok_or("import")?;
            let row = MODULES.iter().find(|row| row.0 == full).ok_or_else(|| format!("import {full}"))?;
            at = next;
            let mut local = full.split('.').next().unwrap_or_default().to_owned();
            if self.name(at) == Some("as") {
                local = self.name(at + 1).ok_or("import")?.to_owned();
                at += 2;
            } else if full.contains('.') {
                // the name is the package's, so only what the package's own row allows
                let package = MODULES.iter().find(|row| row.0 == local).map_or("", |row| row.1);
                self.note(&full);
                self.modules.push((local, "package", package));
                if !self.op(at, ',') {
                    return Ok(at);
                }
                at += 1;
                continue;
            }
            self.note(&full);
            self.modules.push((local, row.0, row.1));
            if !self.op(at, ',') {
                return Ok(at);
            }
            at += 1;
        }
    }

    fn from(&mut self, at: usize) -> Result<usize, String> {
        let (full, mut at) = self.module(at).ok_or("from")?;
        let row = MODULES.iter().find(|row| row.0 == full).ok_or_else(|| format!("from {full}"))?;
        if self.name(at) != Some("import") {
            return Err(String::from("from"));
        }
        self.note(&full);
        at += 1;
        while let Some(name) = self.name(at).map(str::to_owned) {
            if !allows(row.1, &name) || name == "path" {
                return Err(format!("{full}.{name}"));
            }
            at += 1;
            if self.name(at) == Some("as") {
                if matches!(name.as_str(), "Path" | "PurePath") {
                    return Err(String::from("Path"));
                }
                at += 2;
            }
            if !self.op(at, ',') {
                return Ok(at);
            }
            at += 1;
        }
        Err(String::from("from"))
    }

    fn note(&mut self, module: &str) {
        let first = module.split('.').next().unwrap_or_default().to_owned();
        if !self.found.imports.contains(&first) {
            self.found.imports.push(first);
        }
    }

    /// `module.name`; a module alone could be handed on.
    fn member(&mut self, at: usize, module: &str, names: &str) -> Result<usize, String> {
        if !self.op(at + 1, '.') {
            // `json = …` or a keyword argument of that name is another thing
            return if self.op(at + 1, '=') && !self.op(at + 2, '=') { Ok(at + 1) } else { Err(module.to_owned()) };
        }
        let member = self.name(at + 2).ok_or_else(|| module.to_owned())?.to_owned();
        let nested = format!("{module}.{member}");
        if let Some(row) = MODULES.iter().find(|row| row.0 == nested) {
            let inner = self.name(at + 4).unwrap_or_default();
            return if self.op(at + 3, '.') && allows(row.1, inner) { Ok(at + 5) } else { Err(nested) };
        }
        if module == "package" && member == "parse" && self.op(at + 3, '.') {
            return Ok(at + 5);
        }
        if !allows(names, &member) {
            return Err(format!("{module}.{member}"));
        }
        if module == "pathlib" {
            return self.path(at + 2);
        }
        // sys.stdout.write and the like
        if module == "sys"
            && self.op(at + 3, '.')
            && self.name(at + 4).is_some_and(|name| name == "write" || name == "writelines" || name == "flush")
        {
            return Ok(at + 5);
        }
        Ok(at + 3)
    }

    fn attribute(&self, at: usize, name: &str) -> Result<usize, String> {
        if ATTRIBUTES.contains(&name) {
            return Err(format!(".{name}"));
        }
        if name == "replace" && self.paths && !self.two_arguments(at + 1) {
            return Err(String::from(".replace"));
        }
        Ok(at + 1)
    }

    fn two_arguments(&self, open: usize) -> bool {
        let mut depth = 0_usize;
        for at in open..self.tokens.len() {
            match self.tokens.get(at) {
                Some(Token::Op('(' | '[' | '{')) => depth += 1,
                Some(Token::Op(')' | ']' | '}')) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return false;
                    }
                }
                Some(Token::Op(',')) if depth == 1 => return true,
                _ => {}
            }
        }
        false
    }

    /// `open("literal"[, "r"][, encoding=…])`
    fn open(&mut self, at: usize) -> Result<usize, String> {
        let refused = || String::from("open");
        if !self.op(at + 1, '(') {
            return Err(refused());
        }
        let file = self.text(at + 2).ok_or_else(refused)?.to_owned();
        let mut next = at + 3;
        let reads = |mode: &str| matches!(mode, "r" | "rb" | "rt" | "br" | "tr");
        while self.op(next, ',') {
            if let Some(mode) = self.text(next + 1) {
                if !reads(mode) {
                    return Err(refused());
                }
                next += 2;
            } else if let Some(key) = self.name(next + 1)
                && self.op(next + 2, '=')
                && let Some(value) = self.text(next + 3)
                && (matches!(key, "encoding" | "errors" | "newline") || key == "mode" && reads(value))
            {
                next += 4;
            } else {
                return Err(refused());
            }
        }
        if !self.op(next, ')') {
            return Err(refused());
        }
        self.found.reads.push(file);
        Ok(next + 1)
    }

    /// `Path("literal")`
    fn path(&mut self, at: usize) -> Result<usize, String> {
        self.paths = true;
        let file = self.text(at + 2).map(str::to_owned);
        match file {
            Some(file) if self.op(at + 1, '(') && self.op(at + 3, ')') => {
                self.found.reads.push(file);
                Ok(at + 4)
            }
            _ => Err(String::from("Path")),
        }
    }
}

/// Frames, code objects and tracebacks lead to everything.
fn internal(name: &str) -> bool {
    ["gi_", "f_", "cr_", "ag_", "tb_", "co_", "func_"].iter().any(|start| name.starts_with(start))
        && matches!(
            name,
            "gi_frame"
                | "gi_code"
                | "f_globals"
                | "f_locals"
                | "f_builtins"
                | "f_back"
                | "f_code"
                | "cr_frame"
                | "ag_frame"
                | "tb_frame"
                | "tb_next"
                | "co_code"
                | "func_globals"
        )
}

fn allows(names: &str, name: &str) -> bool {
    names == "*" && !name.starts_with('_') || names.split(' ').any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pure_code_is_understood() {
        for source in [
            "print(1+1)",
            "import json,sys; d=json.load(sys.stdin); print(d['a']['b'])",
            "import json\nfor k,v in json.load(open('package.json')).items():\n    print(f\"{k}: {v!r:>10}\")",
            "import re, collections\nc = collections.Counter(re.findall('a', open('x.txt', encoding='utf-8').read()))\nprint(c.most_common(3))",
            "from pathlib import Path\nprint(Path('a.txt').read_text().replace('a', 'b'))",
            "import sys; sys.stdout.write('x')",
            "import ast; ast.parse(open('a.py').read()); print('ok')",
            "import urllib.parse; print(urllib.parse.quote('a b'))",
            "import os; print(os.path.exists('a'), os.getcwd())",
        ] {
            assert_eq!(read(source).refused, None, "{source}");
        }
        assert_eq!(read("print(open('/etc/passwd').read())").reads, ["/etc/passwd"]);
    }

    #[test]
    fn whatever_could_act_is_refused() {
        for source in [
            "import os; os.system('rm x')",
            "import subprocess",
            "open('x','w').write('y')",
            "open('x', mode='a')",
            "open(name)",
            "__import__('os').system('x')",
            "eval('1')",
            "f = eval\nf('1')",
            "import json; json.codecs.open('x','w')",
            "import json as j; j.decoder.sys",
            "().__class__.__bases__",
            "f\"{__import__('os').system('x')}\"",
            "from os import *",
            "from os import system as json",
            "import sys; sys.path.insert(0, 'x')",
            "import sys; s = sys; s.modules",
            "from pathlib import Path; Path('a').unlink()",
            "from pathlib import Path; Path('a').replace('b')",
            "from pathlib import Path; (Path('a') / '..').read_text()",
            "from pathlib import Path as P; P('a').touch()",
            "ｅval('1')",
            "import requests",
            "import helper",
            "getattr(x, 'y')",
            "(x for x in []).gi_frame.f_builtins",
            "print('unclosed",
            "import os.path; os.system('x')",
            "import typing; typing.contextlib.os.remove('x')",
            "import os.path as p, os as json; json.remove('x')",
        ] {
            assert!(read(source).refused.is_some(), "{source}");
        }
    }
}
