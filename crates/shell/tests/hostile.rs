//! Hostile inputs: every one is answered, in counted work that grows no faster than the text, on a small stack.

use std::collections::BTreeMap;

use leastgrant_shell::{Cwd, Dialect, Env, Inventory, Limits, read};

/// Steps a byte, and steps for nothing.
const SLOPE: u64 = 130;
const BASE: u64 = 22_000;

/// What must be said of the input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Say {
    /// something is opaque
    Opaque,
    /// nothing need be
    Any,
}

struct Case {
    name: String,
    text: Vec<u8>,
    say: Say,
}

fn env() -> Env {
    Env {
        home: Some("/home/dev".to_owned()),
        cwd: Cwd::At("/home/dev/project".to_owned()),
        vars: BTreeMap::new(),
        positional: Vec::new(),
    }
}

/// Pieces that open something, repeated: none of them ever closes.
const OPENERS: &[&str] = &[
    "$(",
    "(",
    "{ ",
    "((",
    "$((",
    "${a:-",
    "${a[",
    "`",
    "\"$(",
    "<(",
    ">(",
    "[[ ",
    "[[ ( ",
    "if ",
    "if a; then ",
    "while ",
    "while a; do ",
    "until a; do ",
    "for i in ",
    "for i in a; do ",
    "for ((;;)) do ",
    "case x in a) ",
    "case ",
    "select i in a; do ",
    "f() ",
    "f() { ",
    "function f ",
    "function f { ",
    "coproc ",
    "coproc x { ",
    "a=(",
    "a[",
    "$[",
    "@(",
    "!(",
    "a@(b",
    "?(a|",
    "'",
    "\"",
    "$'",
    "$\"",
    "\\",
    "#",
    "<<E ",
    "<<-E\n",
    "<<E$(",
    "<<'",
    "<<<",
    "${ ",
    "${| ",
    "${#",
    "${!",
    "${a/",
    "${a//b/",
    "${a#",
    "${a:",
    "${a@",
    "${",
    "{",
    "{a,",
    "{1..",
    "~",
    "=(",
    "! ",
    "time ",
    "! time ",
    "a && ",
    "a || ",
    "a | ",
    "a |& ",
    "a & ",
    "a\n",
    "a;",
    "elif ",
    "\"${a:-\"",
    "'\"",
    "`\\`",
    "\\\\`",
    "a=$((",
    "x=(y ",
    "repeat 3 ",
    "foreach i (",
    "{ a; } always { ",
    "*(e:'",
    "${(e)",
    "$=",
    "$'\\x",
];

/// Pieces that are complete, repeated.
const FLAT: &[&str] = &[
    "a; ",
    "a & ",
    "a | ",
    "a && ",
    "a || ",
    "a\n",
    "a ",
    "<a ",
    ">a ",
    "2>&1 ",
    "a=b ",
    "a=b; ",
    "$a ",
    "$(a) ",
    "`a` ",
    "${a} ",
    "'a' ",
    "\"a\" ",
    "\"$(a)\"",
    "<<<a ",
    "<(a) ",
    "$((1)) ",
    "((1)); ",
    "[[ a ]]; ",
    "(a); ",
    "{ a; }; ",
    "if a; then b; fi; ",
    "while a; do b; done; ",
    "for i in a; do b; done; ",
    "case a in a) b;; esac; ",
    "f() { a; }; ",
    "{a,b}",
    "{a,b} ",
    "{1..9} ",
    "*",
    "?",
    "[a]",
    "~ ",
    "cd a; ",
    "cd ..; ",
    "pushd a; ",
    "a=$a$a; ",
    "a=x$a; echo $a; ",
    "a+=xxxxxxxx; b=$a; ",
    "set -- a b c; ",
    "(a=b); ",
    "read a; ",
    "f; ",
    "$'\\x41'",
    "#a\n",
    "a#b ",
    "\\\n",
    "\\a",
    "x \\\n",
    "&>a ",
    "{fd}>a ",
    ") ",
    "} ",
    "fi ",
    "done ",
    "esac ",
    ";; ",
    "| ",
    "& ",
    "; ",
    "< ",
    "> ",
    "<",
    ">",
    ">&",
    "<<",
    "\r\n",
    "\r",
    "\u{0}",
    "\u{ff}",
    "[",
    "]",
    "{",
    "}",
    "!",
    "=",
    ":",
    "?",
    "$",
    "$$",
    "$@ ",
    "\"$@\" ",
    "%",
    "^",
    ",",
    "a() ",
    "`a`",
    "!(a) ",
    "@(a|b) ",
    "let a=1; ",
    "printf -v a b; ",
    "trap a EXIT; ",
    "eval a=b; ",
    "exec <a; ",
    "echo a | { read b; c; }; ",
    "a[1]=b; ",
    "a=(b c); ",
    "declare a=b; ",
    "x=1 y=2 z ",
    "if a; then a=1; else a=2; fi; ",
    "case $a in b) a=c;; d) a=e;; esac; ",
    "$(echo a)",
    "$(printf %s a)",
    "${a:-b}",
    "${a/b/c} ",
    "${a%b*} ",
    "a=aaaaaaaaaaaaaaaa; ${a##*a*a*a*b} ",
];

fn repeat(piece: &str, bytes: usize) -> Vec<u8> {
    piece.as_bytes().repeat((bytes / piece.len().max(1)).max(1))
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for piece in OPENERS {
        // a continuation, a comment or a pattern alone is not broken; the rest is
        let harmless = [
            "\\",
            "#",
            "{",
            "{1..",
            "~",
            "$=",
            "a & ",
            "a\n",
            "a;",
            "{a,",
            "=(",
            "`",
            "'",
            "`\\`",
            "<<<",
            "$'\\x",
            "elif ",
            "\"",
            "$'",
            "$\"",
            "! ",
            "time ",
            "! time ",
            "'\"",
            "\\\\`",
            "repeat 3 ",
        ];
        let say = if harmless.contains(piece) { Say::Any } else { Say::Opaque };
        for bytes in [300, 20_000] {
            cases.push(Case { name: format!("{piece:?} for {bytes}"), text: repeat(piece, bytes), say });
        }
    }
    for piece in ["'", "\"", "`", "$'", "$\""] {
        // an odd number of them: the last one stays open
        cases.push(Case { name: format!("odd {piece:?}"), text: piece.repeat(3_001).into_bytes(), say: Say::Opaque });
    }
    for piece in FLAT {
        cases.push(Case { name: format!("{piece:?} flat"), text: repeat(piece, 40_000), say: Say::Any });
    }
    let mut add = |name: &str, text: Vec<u8>, say: Say| cases.push(Case { name: name.to_owned(), text, say });
    add("40 x $(", repeat("$(", 80), Say::Opaque);
    add("3000 x (", repeat("(", 3000), Say::Opaque);
    add("100k x {", repeat("{ ", 200_000), Say::Opaque);
    add("1M x <", repeat("<", 1_000_000), Say::Opaque);
    add("300k x @(a", repeat("@(a", 900_000), Say::Opaque);
    add("300k x @(a within the limit", repeat("@(a", 240_000), Say::Opaque);
    add("75k x a;", repeat("a; ", 225_000), Say::Opaque);
    add("1 MB of blanks before a command", [repeat(" ", 1_000_000), b"rm -rf /".to_vec()].concat(), Say::Opaque);
    add("1 MB of comment", [b"#".to_vec(), repeat("x", 1_000_000), b"\nrm x".to_vec()].concat(), Say::Opaque);
    let heres: Vec<u8> = (0..20_000).flat_map(|_| b"<<E ".to_vec()).collect();
    add("20k here-documents on a line", [b"cat ".to_vec(), heres.clone()].concat(), Say::Opaque);
    let bodies: Vec<u8> = (0..2_000).flat_map(|_| b"x\nE\n".to_vec()).collect();
    let some = heres.get(..8_000).unwrap_or_default().to_vec();
    add("2k here-documents with bodies", [b"cat ".to_vec(), some, b"\n".to_vec(), bodies].concat(), Say::Any);
    add("<<E$[ and tabs", b"<<E$[\t\t".to_vec(), Say::Opaque);
    add("NUL in a word", b"r\0m x".to_vec(), Say::Opaque);
    add("invalid UTF-8", b"rm \xff\xfe\x80".to_vec(), Say::Any);
    add("only a quote", b"\"".to_vec(), Say::Opaque);
    add("an operator alone", b"&&".to_vec(), Say::Opaque);
    add("nothing", Vec::new(), Say::Any);
    for depth in [63, 64, 65, 200] {
        let text = ["$(".repeat(depth), "rm".to_owned(), ")".repeat(depth)].concat();
        add(&format!("{depth} closed $("), text.into_bytes(), if depth > 64 { Say::Opaque } else { Say::Any });
    }
    for depth in [5, 8, 12, 14] {
        // backticks in backticks: the backslashes double
        let mut text = "rm".to_owned();
        for _ in 0..depth {
            let inner = text.replace('\\', "\\\\").replace('`', "\\`");
            text = format!("`{inner}`");
        }
        add(&format!("{depth} nested backticks"), text.into_bytes(), Say::Any);
    }
    add("braces that multiply", repeat("{a,b}", 200), Say::Any);
    add("braces in braces", [repeat("{a,", 30_000), repeat("}", 10_000)].concat(), Say::Any);
    add(
        "a value that doubles",
        ["a=xxxxxxxx; ".to_owned(), "a=$a$a; ".repeat(4_000), "echo $a".to_owned()].concat().into_bytes(),
        Say::Any,
    );
    add(
        "a large value in every command",
        [format!("a={}; ", "x".repeat(100_000)), "echo $a; ".repeat(10_000)].concat().into_bytes(),
        Say::Any,
    );
    add(
        "a here-document that many commands read",
        ["{ ".to_owned(), "a; ".repeat(10_000), "} <<E\n".to_owned(), "x".repeat(100_000), "\nE\n".to_owned()]
            .concat()
            .into_bytes(),
        Say::Any,
    );
    add(
        "a pipeline whose last part is long",
        ["a | ".repeat(5_000), "{ ".to_owned(), "b; ".repeat(5_000), "}".to_owned()].concat().into_bytes(),
        Say::Any,
    );
    add(
        "variables that nested loops forget",
        {
            let names: String = (0..2_000).map(|n| format!("v{n}=1; ")).collect();
            ["while a; do ".repeat(30), names, "done; ".repeat(30)].concat().into_bytes()
        },
        Say::Any,
    );
    add(
        "branches over many variables",
        {
            let names: String = (0..1_000).map(|n| format!("v{n}=1; ")).collect();
            let arms: String = (0..1_000).map(|n| format!("if a; then v{n}=2; eval b; fi; ")).collect();
            [names, arms].concat().into_bytes()
        },
        Say::Any,
    );
    add(
        "functions that call each other",
        (0..1_500).map(|n| format!("f{n}() {{ f{}; a; }}; ", n + 1)).collect::<String>().into_bytes(),
        Say::Any,
    );
    add(
        "one function called often",
        ["f() { a; b; c; }; ".to_owned(), "x | f; ".repeat(8_000)].concat().into_bytes(),
        Say::Any,
    );
    add("a folder that grows", "cd aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; ".repeat(5_000).into_bytes(), Say::Any);
    add(
        "arithmetic that may be a subshell",
        ["((a) ".repeat(4_000), ")".repeat(4_000)].concat().into_bytes(),
        Say::Opaque,
    );
    add("unclosed quotes line by line", "echo \"a\necho 'b\n".repeat(4_000).into_bytes(), Say::Any);
    add("odd quotes", ["echo 'a\n".repeat(4_001)].concat().into_bytes(), Say::Opaque);
    add("substitution in every argument", "a $(b $(c $(d))) ".repeat(5_000).into_bytes(), Say::Any);
    add(
        "here-document in here-document",
        "cat <<A\n$(cat <<B\n$(cat <<C\nx\nC\n)\nB\n)\nA\n".repeat(500).into_bytes(),
        Say::Any,
    );
    add(
        "tabs stripped again and again",
        ["cat <<-A\n".to_owned(), "\t\t\t\tx\n".repeat(10_000), "A\n".to_owned()].concat().into_bytes(),
        Say::Any,
    );
    add(
        "subscripts that hold strings",
        "printf -v 'a[$(let \"b[\\$(c)]=1\")]' x; ".repeat(3_000).into_bytes(),
        Say::Any,
    );
    add("arithmetic that names itself", "a=b; b=a; c='a+b'; ((c)); ".repeat(3_000).into_bytes(), Say::Any);
    add("arrays", ["a=(".to_owned(), "x ".repeat(30_000), ")".to_owned()].concat().into_bytes(), Say::Any);
    add(
        "patterns against long values",
        [format!("a={}; ", "a".repeat(500)), "${a##*a*a*a*a*b}; ".repeat(4_000)].concat().into_bytes(),
        Say::Any,
    );
    cases
}

fn check(case: &Case, dialect: Dialect) -> Option<String> {
    let limits = Limits::default();
    let inventory: Inventory = read(&case.text, &env(), dialect, &limits);
    let read_bytes = case.text.len().min(limits.bytes) as u64;
    let bound = SLOPE * read_bytes + BASE;
    if inventory.steps > bound {
        return Some(format!("{} ({dialect:?}): {} steps for {read_bytes} bytes", case.name, inventory.steps));
    }
    if case.say == Say::Opaque && inventory.opaque.is_empty() {
        return Some(format!("{} ({dialect:?}): nothing opaque", case.name));
    }
    for command in &inventory.commands {
        if command.span.end as usize > case.text.len() {
            return Some(format!("{}: a span outside the text", case.name));
        }
    }
    None
}

#[test]
fn all_are_answered_within_counted_steps_on_a_small_stack() {
    let worker = std::thread::Builder::new().stack_size(512 * 1024).spawn(|| {
        let cases = cases();
        let mut wrong = Vec::new();
        for case in &cases {
            for dialect in [Dialect::Bash, Dialect::Unknown, Dialect::Zsh, Dialect::Sh] {
                wrong.extend(check(case, dialect));
            }
        }
        (cases.len(), wrong)
    });
    let (count, wrong) = worker.unwrap().join().unwrap_or_else(|_| panic!("a reading did not return"));
    eprintln!("{count} hostile inputs in four dialects");
    assert!(count >= 110, "only {count} inputs");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn steps_grow_no_faster_than_the_text() {
    for piece in OPENERS.iter().chain(FLAT) {
        let steps = |bytes: usize| read(&repeat(piece, bytes), &env(), Dialect::Bash, &Limits::default()).steps;
        let (small, large) = (steps(2_000), steps(32_000));
        assert!(large <= 40 * small + 200_000, "{piece:?}: {small} steps for 2 kB, {large} for 32 kB");
    }
}
