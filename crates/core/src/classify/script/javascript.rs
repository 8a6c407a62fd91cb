//! JavaScript, by an allow-list: pure computing, printing and reading literal files is understood; whatever could write,
//! start, connect, load unknown code or reach past the list is refused.

use super::Found;
use super::token::{Grammar, Token, tokens};

/// Modules and the names in them that only compute or read.
const MODULES: &[(&str, &str)] = &[
    ("fs", "readFileSync existsSync readdirSync statSync"),
    ("path", "join basename dirname extname resolve relative sep parse normalize"),
    ("util", "inspect format isDeepStrictEqual"),
    ("url", "URL parse"),
    ("querystring", "parse stringify"),
    ("crypto", "createHash randomUUID"),
    ("assert", "strictEqual deepStrictEqual equal ok deepEqual"),
    ("os", "EOL platform cpus"),
];

/// Global names that reach past the list.
const REFUSED: &[&str] = &[
    "eval",
    "Function",
    "globalThis",
    "global",
    "window",
    "self",
    "fetch",
    "XMLHttpRequest",
    "WebSocket",
    "EventSource",
    "Deno",
    "Bun",
    "Reflect",
    "Proxy",
    "WebAssembly",
    "module",
    "exports",
    "import",
    "export",
    "constructor",
    "prototype",
    "__proto__",
    "with",
    "arguments",
    "caller",
    "callee",
    "Worker",
    "SharedArrayBuffer",
    "this",
    "super",
    "async",
    "await",
    "Symbol",
    "navigator",
    "bind",
    "call",
    "apply",
    "getPrototypeOf",
    "getOwnPropertyDescriptor",
    "getOwnPropertyDescriptors",
    "__defineGetter__",
    "__lookupGetter__",
];

/// Modules that `-e` and `-p` have as globals, without `require`, and that act.
const GLOBAL_MODULES: &[&str] = &[
    "fs",
    "child_process",
    "net",
    "http",
    "https",
    "http2",
    "dgram",
    "tls",
    "vm",
    "worker_threads",
    "cluster",
    "repl",
    "inspector",
    "v8",
    "wasi",
    "dns",
    "readline",
    "crypto",
    "os",
    "sqlite",
    "trace_events",
    "diagnostics_channel",
    "async_hooks",
    "domain",
    "sys",
    "module",
    "process",
];

/// Reads a source.
pub(super) fn read(source: &str) -> Found {
    let mut found = Found::default();
    let source = source.strip_prefix("#!").map_or(source, |rest| rest.split_once('\n').map_or("", |split| split.1));
    match tokens(source, Grammar::JavaScript) {
        Ok(tokens) => {
            let mut reader = Reader { tokens, modules: Vec::new(), found };
            if let Err(what) = reader.all() {
                reader.found.refused = Some(what);
            }
            reader.found
        }
        Err(what) => {
            found.refused = Some(what);
            found
        }
    }
}

struct Reader {
    tokens: Vec<Token>,
    /// local name → names that are allowed in it
    modules: Vec<(String, &'static str)>,
    found: Found,
}

impl Reader {
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
        self.tokens.retain(|token| *token != Token::Op('\n'));
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.one(at)?;
        }
        Ok(())
    }

    fn one(&mut self, at: usize) -> Result<usize, String> {
        let Some(name) = self.name(at).map(str::to_owned) else {
            // `x[computed]` could name anything; an array literal stands where no expression ended
            if self.op(at, ']') && self.op(at + 1, ':') {
                return Err(String::from("a computed key"));
            }
            if self.op(at, '[') && at > 0 && self.ends_expression(at - 1) && !self.plain_index(at + 1) {
                return Err(String::from("a computed member"));
            }
            return Ok(at + 1);
        };
        if REFUSED.contains(&name.as_str()) {
            return Err(name);
        }
        if at > 0 && self.op(at - 1, '.') {
            return Ok(at + 1);
        }
        match name.as_str() {
            "require" => return self.require(at),
            "process" => return self.process(at),
            _ => {}
        }
        if let Some((_, names)) = self.modules.iter().find(|row| row.0 == name).cloned() {
            return self.member(at, &name, names);
        }
        if GLOBAL_MODULES.contains(&name.as_str()) {
            return self.global_module(at, &name);
        }
        Ok(at + 1)
    }

    fn ends_expression(&self, at: usize) -> bool {
        match self.tokens.get(at) {
            Some(Token::Name(name)) => !matches!(name.as_str(), "return" | "of" | "in" | "case" | "typeof" | "else"),
            Some(Token::Text(_) | Token::Number | Token::Op(')' | ']' | '}' | '.')) => true,
            Some(Token::Op(_)) | None => false,
        }
    }

    fn plain_index(&self, at: usize) -> bool {
        let known = match self.tokens.get(at) {
            Some(Token::Text(text)) => !REFUSED.contains(&text.as_str()),
            // a number, or a template whose text is not known: only digits can follow a bracket safely
            Some(Token::Number) => true,
            _ => false,
        };
        known && self.op(at + 1, ']') && !self.op(at + 2, '(')
    }

    /// `require("module")`, `require("./data.json")`.
    fn require(&mut self, at: usize) -> Result<usize, String> {
        let refused = || String::from("require");
        if !self.op(at + 1, '(') || !self.op(at + 3, ')') {
            return Err(refused());
        }
        let what = self.text(at + 2).ok_or_else(refused)?.to_owned();
        if what.ends_with(".json") && (what.starts_with("./") || what.starts_with('/') || what.starts_with("../")) {
            self.found.reads.push(what);
            return Ok(at + 4);
        }
        let plain = what.strip_prefix("node:").unwrap_or(&what);
        let row = MODULES.iter().find(|row| row.0 == plain).ok_or_else(|| format!("require {what}"))?;
        if self.op(at + 4, '.') {
            return self.called(at + 5, row.0, row.1);
        }
        // `const x = require(…)` or `const { a, b } = require(…)`
        if at >= 2 && self.op(at - 1, '=') {
            if let Some(local) = self.name(at - 2).map(str::to_owned) {
                self.modules.push((local, row.1));
                return Ok(at + 4);
            }
            if self.op(at - 2, '}') {
                return self.destructured(at, row.0, row.1);
            }
        }
        Err(refused())
    }

    fn destructured(&mut self, at: usize, module: &str, names: &'static str) -> Result<usize, String> {
        let mut back = at - 2;
        while back > 0 {
            back -= 1;
            match self.tokens.get(back) {
                Some(Token::Op('{')) => return Ok(at + 4),
                Some(Token::Op(',')) => {}
                Some(Token::Name(name)) if allows(names, name) && name != "readFileSync" && name != "readdirSync" => {}
                _ => return Err(format!("require {module}")),
            }
        }
        Err(format!("require {module}"))
    }

    fn member(&mut self, at: usize, module: &str, names: &str) -> Result<usize, String> {
        if !self.op(at + 1, '.') {
            return if self.op(at + 1, ':') { Ok(at + 1) } else { Err(module.to_owned()) };
        }
        self.called(at + 2, module, names)
    }

    /// `fs.rmSync(…)` without any `require`; a key of an object and the name that is about to hold the module are none.
    fn global_module(&mut self, at: usize, name: &str) -> Result<usize, String> {
        let key = self.op(at + 1, ':') && at > 0 && (self.op(at - 1, '{') || self.op(at - 1, ','));
        let held = self.op(at + 1, '=') && self.name(at + 2) == Some("require") && self.op(at + 3, '(');
        if key || held {
            return Ok(at + 1);
        }
        match MODULES.iter().find(|row| row.0 == name) {
            Some(row) if self.op(at + 1, '.') => self.called(at + 2, row.0, row.1),
            _ => Err(name.to_owned()),
        }
    }

    fn called(&mut self, at: usize, module: &str, names: &str) -> Result<usize, String> {
        let name = self.name(at).ok_or_else(|| module.to_owned())?.to_owned();
        if !allows(names, &name) {
            return Err(format!("{module}.{name}"));
        }
        if matches!(name.as_str(), "readFileSync" | "readdirSync") {
            // 0 is standard input
            if self.op(at + 1, '(')
                && self.tokens.get(at + 2) == Some(&Token::Number)
                && (self.op(at + 3, ')') || self.op(at + 3, ','))
            {
                return Ok(at + 3);
            }
            let file =
                self.text(at + 2).filter(|_| self.op(at + 1, '(') && (self.op(at + 3, ')') || self.op(at + 3, ',')));
            let file = file.ok_or_else(|| name.clone())?.to_owned();
            self.found.reads.push(if file == "/dev/stdin" { return Ok(at + 3) } else { file });
            return Ok(at + 3);
        }
        Ok(at + 1)
    }

    fn process(&self, at: usize) -> Result<usize, String> {
        let name = self.name(at + 2).filter(|_| self.op(at + 1, '.')).unwrap_or_default();
        match name {
            "argv" | "exit" | "exitCode" | "version" | "versions" | "platform" | "cwd" | "stdout" | "stderr"
            | "stdin" | "memoryUsage" | "hrtime" | "uptime" | "arch" => Ok(at + 3),
            _ => Err(format!("process.{name}")),
        }
    }
}

fn allows(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pure_code_is_understood() {
        for source in [
            "console.log(1+1)",
            "console.log(os.EOL, crypto.randomUUID(), path.join('a', 'b'))",
            "console.log(JSON.parse(fs.readFileSync('a.json', 'utf8')).name)",
            "const os = require('os'); console.log({os: 1}, os.platform())",
            "const p = require('./package.json'); console.log(p.version)",
            "console.log(require('./package.json').scripts)",
            "const fs = require('fs'); const d = JSON.parse(fs.readFileSync('a.json', 'utf8')); console.log(Object.keys(d).length)",
            "let s = 0; for (const x of [1,2,3]) s += x; console.log(`sum ${s}`)",
            "console.log('a/b'.split(/[/]/g).map(x => x.length))",
            "process.stdout.write(String(process.argv.length))",
        ] {
            assert_eq!(read(source).refused, None, "{source}");
        }
    }

    #[test]
    fn whatever_could_act_is_refused() {
        for source in [
            "require('child_process').execSync('rm x')",
            "require('fs').writeFileSync('x', 'y')",
            "const {execSync} = require('child_process')",
            "const fs = require('fs'); fs.rmSync('x')",
            "const fs = require('fs'); const g = fs; g.rmSync('x')",
            "const fs = require('fs'); fs['rm' + 'Sync']('x')",
            "eval('1')",
            "fs.rmSync('src', {recursive: true})",
            "child_process.execSync('x')",
            "const f = fs; f.rmSync('x')",
            "(1 ? fs : 0).rmSync('x')",
            "net.connect(1)",
            "{ let os = 1 } vm.runInThisContext('1')",
            "crypto.setEngine('./x.so')",
            "with (fs) rmSync('x')",
            "const {rmSync} = fs; rmSync('x')",
            "https.get('https://x')",
            "readline.createInterface({input: process.stdin})",
            "new Function('x')()",
            "[]['con' + 'structor']",
            "import('fs')",
            "fetch('https://x')",
            "process.env.SECRET",
            "process.binding('fs')",
            "require('./helper')",
            "require(name)",
            "\\u0065val('1')",
            "x = a++ /eval('1')/g",
            "`${eval('1')}`",
            "const {readFileSync} = require('fs'); readFileSync(name)",
            "this.constructor",
            "const m = [].map; m.call",
            "[]?.['con' + 'structor']",
            "const {['con' + 'structor']: c} = []; c('x')()",
        ] {
            assert!(read(source).refused.is_some(), "{source}");
        }
    }
}
