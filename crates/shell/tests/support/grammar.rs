//! Random shell text in which only recording stubs and builtins can run.
//!
//! Programs are stubs named `k00`, `k01`, …; files are relative; loops end. Names are used once per text where
//! that is possible, so that a wrongly tracked value shows as a program that ran and was not listed.

use super::rng::Rng;

/// How many stubs there are.
pub(crate) const STUBS: usize = 100;

pub(crate) struct Grammar {
    rng: Rng,
    next: usize,
    budget: usize,
    heres: Vec<String>,
    functions: Vec<String>,
}

/// The name of a stub.
pub(crate) fn stub(number: usize) -> String {
    format!("k{:02}", number % STUBS)
}

const VARS: &[&str] = &["a", "b", "c", "v"];

impl Grammar {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed), next: 0, budget: 0, heres: Vec::new(), functions: Vec::new() }
    }

    /// One text.
    pub(crate) fn text(&mut self) -> String {
        self.next = self.rng.below(STUBS);
        self.budget = 3 + self.rng.below(9);
        self.functions.clear();
        self.heres.clear();
        let mut text = String::new();
        if self.rng.one_in(6) {
            text.push_str("shopt -s extglob\n");
        }
        let lines = 1 + self.rng.below(3);
        for _ in 0..lines {
            let list = self.list(3);
            text.push_str(&list);
            text.push('\n');
            let heres: Vec<String> = self.heres.drain(..).collect();
            for here in heres {
                text.push_str(&here);
            }
        }
        text.push_str("wait\n");
        text
    }

    fn name(&mut self) -> String {
        self.next += 1;
        stub(self.next)
    }

    fn var(&mut self) -> &'static str {
        self.rng.pick(VARS)
    }

    fn spend(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    /// Commands on one line.
    fn list(&mut self, depth: usize) -> String {
        let mut out = self.command(depth);
        for _ in 0..self.rng.below(3) {
            if !self.spend() {
                break;
            }
            let join = self.rng.pick(&["; ", ";", " && ", " || ", "&& ", " & ", "; ", " | ", " |& "]);
            out.push_str(join);
            let next = self.command(depth);
            out.push_str(&next);
        }
        out
    }

    /// A list inside a compound on one line: here-documents would break it.
    fn inner(&mut self, depth: usize) -> String {
        let waiting = std::mem::take(&mut self.heres);
        let mut text = self.list(depth);
        let own: Vec<String> = self.heres.drain(..).collect();
        self.heres = waiting;
        if own.is_empty() {
            if self.rng.one_in(3) {
                text.push('\n');
            } else if text.ends_with('&') || text.ends_with("& ") {
                text.push(' ');
            } else {
                text.push(';');
            }
        } else {
            text.push('\n');
            own.iter().for_each(|here| text.push_str(here));
        }
        text
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 || !self.spend() {
            return self.simple(0);
        }
        let deeper = depth - 1;
        match self.rng.below(56) {
            40..=54 => self.rare(deeper),
            0 => format!("( {} )", self.inner(deeper).trim_end_matches(';')),
            1 => format!("{{ {} }}", self.inner(deeper)),
            2 => format!("if {} then {} fi", self.inner(deeper), self.inner(deeper)),
            3 => format!("if {} then {} else {} fi", self.inner(deeper), self.inner(deeper), self.inner(deeper)),
            4 => format!(
                "if {} then {} elif {} then {} fi",
                self.inner(deeper),
                self.inner(deeper),
                self.inner(deeper),
                self.inner(deeper)
            ),
            5 => {
                let (var, body) = (self.var(), self.inner(deeper));
                let words = [self.word(deeper), self.name(), self.name()].join(" ");
                format!("for {var} in {words}; do {body} done")
            }
            6 => {
                let var = self.var();
                let (one, two) = (self.name(), self.name());
                format!("for {var} in {one} {two}; do ${var}; {} done", self.inner(deeper))
            }
            7 => format!("while {} do {} break; done", self.inner(deeper), self.inner(deeper)),
            8 => format!("until {} do {} break; done", self.inner(deeper), self.inner(deeper)),
            9 => {
                let subject = self.rng.pick(&["x", "a", "b"]);
                let ends = self.rng.pick(&[";;", ";&", ";;&", ";;"]);
                format!(
                    "case {subject} in {}) {} {ends} (b|\"c\") {} ;; *) {} ;; esac",
                    self.rng.pick(&["x", "a", "[ax]", "x*", "'x'"]),
                    self.inner(deeper),
                    self.inner(deeper),
                    self.inner(deeper)
                )
            }
            10 => {
                let name = format!("f{}", self.functions.len());
                let body = self.inner(deeper);
                self.functions.push(name.clone());
                match self.rng.below(4) {
                    0 => format!("{name}() {{ {body} }}; {name}"),
                    1 => format!("function {name} {{ {body} }}"),
                    2 => format!("{name} () ( {} )", body.trim_end_matches(';')),
                    _ => format!("function {name}() {{ {body} }}; {name}"),
                }
            }
            11 if !self.functions.is_empty() => {
                let at = self.rng.below(self.functions.len());
                self.functions[at].clone()
            }
            12 => {
                format!("for ((i=0; i<2; i++)); do {} done", self.inner(deeper))
            }
            13 => format!("(( {} ))", self.arithmetic(deeper)),
            14 => format!("[[ {} ]]", self.test(deeper)),
            15 => format!("! {}", self.command(deeper)),
            16 => format!("time {}", self.command(deeper)),
            17 => format!("coproc {{ {} }}", self.inner(deeper)),
            18 => format!("{{ {} }} {}", self.inner(deeper), self.redirect(deeper)),
            19 => format!("while read {}; do {} done <<< {}", self.var(), self.inner(deeper), self.word(deeper)),
            20 => format!("{} | while read {}; do {} done", self.simple(deeper), self.var(), self.inner(deeper)),
            21 => self.assignment(deeper),
            22 => {
                let (var, name) = (self.var(), self.name());
                let join = self.rng.pick(&["; ", " && ", "\n"]);
                format!("{var}={name}{join}${var}")
            }
            23 => {
                let (var, name, other) = (self.var(), self.name(), self.name());
                format!("{var}={name}; if k00; then {var}={other}; fi; ${var}")
            }
            24 => {
                let (var, name, other) = (self.var(), self.name(), self.name());
                let how = self.rng.pick(&["k01 && ", "k02 || ", "! k03 && ", "true && ", "false || "]);
                format!("{var}={name}; {how}{var}={other}; \"${var}\" x")
            }
            25 => {
                let (var, name, other) = (self.var(), self.name(), self.name());
                format!("{var}={name}; ( {var}={other}; ${var} ); ${var}")
            }
            26 => {
                let (var, name) = (self.var(), self.name());
                self.builtin_assignment(var, &name)
            }
            27 => {
                let (var, name, other) = (self.var(), self.name(), self.name());
                let function = format!("f{}", self.functions.len());
                self.functions.push(function.clone());
                format!("{function}() {{ {var}={other}; }}; {var}={name}; {function}; ${var}")
            }
            28 => {
                let (var, one, two) = (self.var(), self.name(), self.name());
                format!("{var}=\"{one} {two}\"; for b in ${var}; do $b; done; ${var}")
            }
            29 => {
                let (one, two) = (self.name(), self.name());
                let use_it = self.rng.pick(&["\"${z[@]}\"", "${z[1]}", "${z[*]}", "\"${z[0]}\"", "$z", "${z[@]}"]);
                format!("z=({one} {two}); {use_it}")
            }
            30 => {
                let one = self.name();
                let use_it = self.rng.pick(&["$1", "\"$@\"", "$@", "$*", "\"$2\"", "${1}", "${@:1:1}"]);
                format!("set -- {one} {}; {use_it}", self.name())
            }
            31 => {
                let (var, name, other) = (self.var(), self.name(), self.name());
                let operator = self.rng.pick(&[":-", "-", ":+", "+", ":=", "="]);
                let before = match self.rng.below(3) {
                    0 => format!("{var}=; "),
                    1 => format!("{var}={name}; "),
                    _ => format!("unset {var}; "),
                };
                format!("{before}${{{var}{operator}{other}}} x; ${var}")
            }
            32 => {
                let (var, name) = (self.var(), self.name());
                let (before, use_it) = match self.rng.below(9) {
                    0 => (format!("xx{name}"), format!("${{{var}#xx}}")),
                    1 => (format!("{name}.sh"), format!("${{{var}%.*}}")),
                    2 => (format!("a/b/{name}"), format!("${{{var}##*/}}")),
                    3 => (name.replace('k', "q"), format!("${{{var}/q/k}}")),
                    4 => (format!("..{name}"), format!("${{{var}:2:3}}")),
                    5 => (name.to_uppercase(), format!("${{{var},}}")),
                    6 => (name.to_uppercase(), format!("${{{var},,}}")),
                    7 => (format!("{name}xx"), format!("\"${{{var}:0:3}}\"")),
                    _ => (format!("{name}-x"), format!("${{{var}%%-*}}")),
                };
                format!("{var}={before}; {use_it}")
            }
            33 => format!("mkdir d 2>/dev/null; cd .; {}", self.simple(deeper)),
            34 => {
                let (var, name, other) = (self.var(), self.name(), self.name());
                format!("{var}={name}; for b in 1 2; do ${var}; {var}={other}; done; ${var}")
            }
            35 => {
                let (var, name, other) = (self.var(), self.name(), self.name());
                format!("{var}={name}; case x in {}) {var}={other};; esac; ${var}", self.rng.pick(&["x", "y", "*"]))
            }
            36 => {
                let (name, other) = (self.name(), self.name());
                format!("v=b; b={name}; ${{!v}}; read v <<< {other}; $v")
            }
            37 => {
                let (var, name) = (self.var(), self.name());
                format!("{var}={name} k05 ${var}; ${var}")
            }
            38 => {
                let name = self.name();
                format!("f() {{ local v={name}; $v; \"$@\"; }}; f {}", self.name())
            }
            _ => self.simple(deeper),
        }
    }

    /// Forms that are seldom written.
    fn rare(&mut self, depth: usize) -> String {
        let (name, other, third) = (self.name(), self.name(), self.name());
        let var = self.var();
        match self.rng.below(62) {
            56 => format!("declare -i n; n='z[$({name} >/dev/null; echo 0)]'"),
            57 => format!("declare -i n='z[$({name} >/dev/null; echo 0)]'; {other}"),
            58 => format!("z=([$({name} >/dev/null; echo 0)]=1 {other})"),
            59 => format!("z=(['z[$({name} >/dev/null; echo 0)]']=1)").replace("['z", "[\"z").replace("]']=", "]\"]="),
            60 => format!("declare -a z='($({name}))'; declare -A y=([$({other})]=1)"),
            61 => format!("{name} <<$'E\\x41'\n$(no)\nEA\n{other}"),
            44 => format!("{other} && {name}() {{ {third}; }}; {name}"),
            45 => format!("( {name}() {{ {third}; }}; {name} ); {name}"),
            46 => format!("{name}() {{ {third}; }} & {name}; wait"),
            47 => format!("{name}; {name}() {{ {third}; }}; {name}"),
            48 => format!("f() {{ {name}; }}; f; {name}() {{ {third}; }}; f"),
            49 => format!("f() {{ {name}; }}; {name}() {{ {third}; }}; f; unset -f {name}; f"),
            50 => format!("for b in 1 2; do {name}; {name}() {{ {third}; }}; done; {name}"),
            51 => format!("{name}() {{ {third}; }}; for b in 1 2; do {name}; unset -f {name}; done"),
            52 => format!("{name}() {{ {third}; }}; f() {{ unset {name}; }}; {name}; f; {name}"),
            53 => format!("f() {{ {name}() {{ {third}; }}; }}; {name}; f; {name}"),
            54 => format!("{name}() {{ {third}; }}; eval unset -f {name}; {name}"),
            55 => format!("if {other}; then {name}() {{ {third}; }}; fi; {name} | {name}"),
            0 => format!("{var}='z[$({name})0]'; (( {var} ))"),
            1 => format!("{var}='z[$({name})0]'; echo $(({var}+1))"),
            2 => format!("printf -v 'z[$({name} >/dev/null; echo 0)]' x"),
            3 => format!("let 'z[$({name} >/dev/null; echo 0)]=1'"),
            4 => format!("read 'z[$({name} >/dev/null; echo 0)]' <<< x"),
            5 => format!("{var}='z[$({name} >/dev/null; echo 0)]'; echo ${{!{var}}}"),
            6 => format!("{var}='$({name})'; echo ${{{var}@P}}"),
            7 => format!("[[ -v z[$({name} >/dev/null; echo 0)] ]]"),
            8 => format!("test -v 'z[$({name} >/dev/null; echo 0)]'"),
            9 => format!("unset 'z[$({name} >/dev/null; echo 0)]'"),
            10 => format!("select i in a b; do {name}; done <<< 1"),
            11 => format!("f() {{ {name}; }} >o$({other}); f"),
            12 => format!("f() if {name}; then {other}; fi; f; f"),
            13 => format!("f() for i in 1; do {name}; done\nf"),
            14 => format!("function f ( {name} )\nf |{other}"),
            15 => format!("f() (( $({name})1 )); f"),
            16 => format!("f() [[ $({name}) ]]; f"),
            17 => format!("w\\\nhile {name} d\\\no {other}; break; d\\\none"),
            18 => format!("{{fd}}>o {name}; exec {{fd}}>&-"),
            19 => format!("{name} # ; {other} ' \" $(\n{third}"),
            20 => format!("echo \\# '#' \"#\" a# #{name}\n{other}"),
            21 => format!("set -- {name} {other}; shift; $1; \"$@\""),
            22 => format!("IFS=x; {var}={name}x{other}; ${var}; IFS=' '; ${var}"),
            23 => format!("{var}=\" {name}  y \"; ${var}; {var}=; ${var}{other}"),
            24 => format!("{var}=k*; for b in {name}; do {other} ${var}; done"),
            25 => format!("set -f; {name} *; set +f; {other} *"),
            26 => format!("{name}() {{ {other}; }}; {name}; unset -f {name}; {name}"),
            27 => format!("f() {{ [[ $1 ]] && {{ {name}; f; }}; v={other}; }}; v={third}; f x; $v"),
            28 => format!("cat() {{ {name}; }}; cat <<E | {other}\n$({third})\nE"),
            29 => format!("{name} <<A <<'B' <<-C\n$({other})\nA\n$(no)\nB\n\t`{third}`\n\tC"),
            30 => format!("{name} <<A && {other} <<B || {third}\na\nA\nb\nB"),
            31 => format!("{name} <<\\A\n$(no)\nA\n{other}"),
            32 => format!("{name} <<A\nx \\\nA\n$({other})\nA\n{third}"),
            33 => format!("{name} $(cat <<A\n$({other})\nA\n) $({third} <<B\nb\nB\n)").replace("cat", "k00"),
            34 => format!("echo \"`{name} \"$({other})\"`\" `echo \\`{third}\\``"),
            35 => format!("echo \"${{nope:-\"$({name})\"}}\" ${{nope:-'$(no)'}} \"${{nope:+$({other})}}\""),
            36 => format!("echo ${{HOME//\"/\"/$({name})}} \"${{HOME/#$({other})/$({third})}}\""),
            37 => format!("case $({name}) in $({other})) {third};; *) {third};; esac"),
            38 => format!("case x in (x) {name} ;;& (y) no ;; (*) {other} ;& z) {third} ;; esac"),
            39 => format!("for i in a; {{ {name}; }}; for ((i=0;i<1;i++)) {{ {other}; }}"),
            40 => format!("if ! {name}; then {other}; else {third}; fi & wait"),
            41 => format!("{{ {name}; {} }} | {{ read x; {other}; }} 2>&1 | ( {third} )", self.inner(depth.min(1))),
            42 => format!("{var}=({name} $({other}) [5]={third}); \"${{{var}[0]}}\"; ${{{var}[5]}}"),
            _ => format!("declare -a {var}=({name} $({other})); ${var} {third}; local x=$({third}) 2>o"),
        }
    }

    /// One text that was generated and then changed a little: whatever bash makes of it.
    pub(crate) fn changed(&mut self) -> String {
        const PIECES: &[&str] = &[
            ";", "&", "|", "(", ")", "{ ", "}", "<", ">", "'", "\"", "`", "$(", "\\", "\n", " ", "#", "!", "$", "[",
            "]", "((", "))", "<<E\n", "E\n", ";;", "do ", "done", "fi", "then ", "*", "?", "~", "=", "@(", "${",
            "\\\n", "&&", "||",
        ];
        let mut text: Vec<char> = self.text().chars().collect();
        for _ in 0..1 + self.rng.below(3) {
            let at = self.rng.below(text.len() + 1);
            match self.rng.below(4) {
                0 if at < text.len() => drop(text.remove(at)),
                1 if at + 1 < text.len() => text.swap(at, at + 1),
                _ => {
                    let piece: Vec<char> = self.rng.pick(PIECES).chars().collect();
                    text.splice(at..at, piece);
                }
            }
        }
        text.into_iter().collect()
    }

    /// Builtins that set a variable which is then run.
    fn builtin_assignment(&mut self, var: &str, name: &str) -> String {
        let other = self.name();
        let set = match self.rng.below(14) {
            0 => format!("export {var}={name}"),
            1 => format!("declare {var}={name}"),
            2 => format!("readonly r{var}={name}; {var}=$r{var}"),
            3 => format!("read {var} <<< {name}"),
            4 => format!("printf -v {var} %s {name}"),
            5 => format!("{var}={other}; unset {var}; {var}={name}"),
            6 => format!("let {var}1=3; {var}={name}"),
            7 => format!("{var}=k; {var}+={}", name.trim_start_matches('k')),
            8 => format!("{var}=({other}); {var}={name}"),
            9 => format!("IFS=: read {var} x <<< {name}:y"),
            10 => format!("mapfile -t {var} <<< {name}"),
            11 => format!("declare -u U={name}; {var}=${{U,,}}"),
            12 => format!("typeset {var}; {var}={name}"),
            _ => format!("{var}={name}; {var}={other} true"),
        };
        format!("{set}; ${var}")
    }

    fn assignment(&mut self, depth: usize) -> String {
        let var = self.var();
        match self.rng.below(7) {
            0 => format!("{var}=$( {} )", self.inner(depth).trim_end_matches(';')),
            1 => format!("{var}[{}]={}", self.rng.below(3), self.word(depth)),
            2 => format!("{var}+={}", self.word(depth)),
            3 => format!("{var}=( {} {} )", self.word(depth), self.word(depth)),
            4 => format!("{var}+=( [1]={} )", self.word(depth)),
            5 => format!("{var}[$( {} ; echo 0)]=1", self.simple(0)),
            _ => format!("{var}={}", self.word(depth)),
        }
    }

    /// A program by one of its spellings.
    fn program(&mut self, depth: usize) -> String {
        let name = self.name();
        let digits = name.trim_start_matches('k').to_owned();
        let kind = self.rng.below(28);
        // what nobody can know beforehand hides whatever else is missed: seldom
        let kind = if matches!(kind, 14 | 15 | 16 | 18 | 19 | 20) && !self.rng.one_in(8) { 27 } else { kind };
        match kind {
            0 => format!("'{name}'"),
            1 => format!("\"{name}\""),
            2 => format!("k\"{digits}\""),
            3 => format!("\\{name}"),
            4 => format!("$'\\x6b{digits}'"),
            5 => format!("$'\\153'{digits}"),
            6 => format!("k\\\n{digits}"),
            7 => format!("{{{name},x}}"),
            8 => format!("$(echo {name})"),
            9 => format!("`echo {name}`"),
            10 => format!("\"$(printf %s {name})\""),
            11 => format!("k''{digits}"),
            12 => format!("$\"{name}\""),
            13 => format!("k{{{digits},{digits}}}"),
            14 => format!("${{nope-{name}}}"),
            15 => format!("${{nope:-\"{name}\"}}"),
            16 => format!("\"${{nope:-{name}}}\""),
            17 => format!("{name}${{IFS}}x"),
            18 => format!("$({name}; echo {})", self.name()),
            19 if depth > 0 => format!("$({} )", self.inner(0).trim_end_matches(';')),
            20 => format!("{}$nope", name),
            21 => format!(
                "k$(printf '\\{:03o}{}')",
                digits.bytes().next().unwrap_or(b'0'),
                digits.get(1..).unwrap_or_default()
            ),
            22 => format!("./../stubs/{name}").replace("./../stubs/", ""),
            _ => name,
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut out = String::new();
        if self.rng.one_in(8) {
            out.push_str(&format!("x={} ", self.word(depth)));
        }
        if self.rng.one_in(10) {
            out.push_str(&self.redirect(depth));
            out.push(' ');
        }
        let builtin = self.rng.one_in(4);
        if builtin {
            out.push_str(self.rng.pick(&["echo", "true", ":", "printf '%s\\n'", "echo -n", "false"]));
        } else {
            out.push_str(&self.program(depth));
        }
        for _ in 0..self.rng.below(3) {
            out.push(' ');
            let word = self.word(depth);
            out.push_str(&word);
        }
        if self.rng.one_in(6) {
            out.push(' ');
            let redirect = self.redirect(depth);
            out.push_str(&redirect);
        }
        if self.rng.one_in(12) {
            let here = self.here(depth);
            out.push_str(&here);
        }
        out
    }

    fn here(&mut self, depth: usize) -> String {
        let mark = format!("E{}", self.rng.below(90));
        let quote = self.rng.one_in(4);
        let strip = self.rng.one_in(3);
        let waiting = std::mem::take(&mut self.heres);
        let mut body = String::new();
        for _ in 0..1 + self.rng.below(2) {
            let piece = self.expansion(depth);
            if strip {
                body.push('\t');
            }
            body.push_str(&format!("t {piece} \\$(no) \"q\" it's\n"));
        }
        self.heres = waiting;
        let end = if strip { format!("\t{mark}\n") } else { format!("{mark}\n") };
        self.heres.push(body + &end);
        let operator = if strip { "<<-" } else { "<<" };
        if quote { format!(" {operator}'{mark}'") } else { format!(" {operator}{mark}") }
    }

    fn redirect(&mut self, depth: usize) -> String {
        match self.rng.below(10) {
            0 => ">o".to_owned(),
            1 => "2>&1".to_owned(),
            2 => format!("> >({} )", self.command_without_heres(depth)),
            3 => format!("< <({} )", self.command_without_heres(depth)),
            4 => format!("<<< {}", self.word(depth)),
            5 => ">|o".to_owned(),
            6 => "&>o".to_owned(),
            7 => format!(">o$({} )", self.command_without_heres(0)),
            8 => "{fd}>o".to_owned(),
            _ => ">>o".to_owned(),
        }
    }

    fn command_without_heres(&mut self, depth: usize) -> String {
        let waiting = std::mem::take(&mut self.heres);
        let text = self.command(depth.saturating_sub(1));
        let own: Vec<String> = self.heres.drain(..).collect();
        self.heres = waiting;
        if own.is_empty() { text } else { format!("{text}\n{}", own.concat()) }
    }

    /// An argument.
    fn word(&mut self, depth: usize) -> String {
        match self.rng.below(16) {
            0 => "x".to_owned(),
            1 => "'a b'".to_owned(),
            2 => "\"a b\"".to_owned(),
            3 => "a\\ b".to_owned(),
            4 => format!("${}", self.var()),
            5 => format!("\"${{{}}}\"", self.var()),
            6 => "*".to_owned(),
            7 => "{a,b}".to_owned(),
            8 => "a#b".to_owned(),
            9 => "'$(no)'".to_owned(),
            10 => format!("\"x{}y\"", self.expansion(depth)),
            11 => format!("{{a,{}}}", self.expansion(depth)),
            12 => "--o=v".to_owned(),
            _ => self.expansion(depth),
        }
    }

    /// Something that expands; double quotes may stand around it.
    fn expansion(&mut self, depth: usize) -> String {
        if depth == 0 || !self.spend() {
            return format!("$({})", self.name());
        }
        let deeper = depth - 1;
        match self.rng.below(30) {
            0 => format!("`{}`", self.name()),
            1 => format!("`echo \\`{}\\``", self.name()),
            2 => format!("${{nope:-$({} )}}", self.command_without_heres(deeper)),
            3 => format!("${{nope:+$({} )}}", self.name()),
            4 => format!("${{a:=$({} )}}", self.name()),
            5 => format!("$((1+$({} )0))", self.name()),
            6 => format!("$[1+$({})0]", self.name()),
            7 => format!("${{HOME/$({} )/y}}", self.name()),
            8 => format!("${{HOME#$({} )}}", self.name()),
            9 => format!("${{HOME:$({} ; echo 0):2}}", self.name()),
            10 => format!("${{z[$({} ; echo 0)]}}", self.name()),
            11 => format!("${{#z[$({} ; echo 0)]}}", self.name()),
            12 => format!("$(case x in x) {};; esac)", self.name()),
            13 => format!("$(# c )\n{} )", self.name()),
            14 => format!("$( ({} ) )", self.name()),
            15 => format!("$(({}) ; ({}) )", self.name(), self.name()),
            16 => format!("$(cat <<X\n$({})\nX\n)", self.name()).replace("cat", "k00"),
            17 => format!("${{nope-'$(no)'$({})}}", self.name()),
            18 => format!("${{HOME^$({} )}}", self.name()),
            19 => format!("$(if {}; then {}; fi)", self.name(), self.name()),
            20 => format!("$({} \"$({} \"$({})\")\")", self.name(), self.name(), self.name()),
            21 => format!("${{HOME%\"$({})\"}}", self.name()),
            22 => format!("$(for i in 1; do {}; done)", self.name()),
            23 => format!("$(f() {{ {}; }}; f)", self.name()),
            24 => format!("$({}<<<$({}))", self.name(), self.name()),
            25 => format!("$(echo ')' $({}) \")\" \\) )", self.name()),
            26 => format!("${{nope:-\"a}}b $({})\"}}", self.name()),
            _ => format!("$({} )", self.command_without_heres(deeper)),
        }
    }

    fn arithmetic(&mut self, depth: usize) -> String {
        match self.rng.below(6) {
            0 => format!("{} = 1 + $({} )0", self.var(), self.name()),
            1 => format!("1 + `{}`0", self.name()),
            2 => format!("z[$({} )0] + 1", self.name()),
            3 => format!("(1 + 2) * ${{nope:-$({} )0}}", self.name()),
            4 => format!("{}++ || 1", self.var()),
            _ => format!("1 + {}0", self.expansion(depth.min(1))).replace('#', ""),
        }
    }

    fn test(&mut self, depth: usize) -> String {
        match self.rng.below(8) {
            0 => format!("-n $({} )", self.name()),
            1 => format!("a == $({} )* && b != {}", self.name(), self.word(0).replace('{', "")),
            2 => format!("ab =~ (a|$({} )) || -f x", self.name()),
            3 => format!("( a < b && $({} ) ) || ! -e `{}`", self.name(), self.name()),
            4 => format!("1 -eq $({} )1", self.name()),
            5 => format!("a == @($({} )|b)", self.name()),
            6 => format!("-z \"{}\"", self.expansion(depth.min(1))),
            _ => format!("'z[$({} )0]' -eq 0", self.name()),
        }
    }
}
