//! `bash -n` as the judge of what is syntax at all, and bash's own printed form as the judge of structure, on
//! thousands of mutated commands.
//!
//! `LEASTGRANT_ORACLE_COUNT` sets how many (3,000 by default), `LEASTGRANT_ORACLE_SEED` where to begin.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test harness")]

#[path = "support/rng.rs"]
mod rng;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leastgrant_shell::{Cwd, Dialect, Env, Inventory, Limits, read};
use rng::Rng;

/// Constructs that recorded commands seldom hold.
const SEEDS: &[&str] = &[
    "if a; then b; elif c; then d; else e; fi > f",
    "for i in a b c; do echo $i; done | sort",
    "for ((i=0; i<3; i++)); do a; done",
    "while read -r x; do b \"$x\"; done < f",
    "until a; do b; done &",
    "case $x in a|b) c;; (d) e;& *) f;; esac",
    "select x in a b; do c; break; done",
    "f() { a; b; }; f x",
    "function g { a; }",
    "coproc N { a; }; b",
    "{ a; b; } 2>&1 | (c; d)",
    "[[ -f a && ( b == c* || d =~ ^e+$ ) ]] && f",
    "((x = 1 + 2)) || a",
    "a=(1 2 [5]=3) b+=(4); c ${a[@]} ${#b[*]}",
    "cat <<E <<'F'\n$(a)\nE\n$(b)\nF\nc",
    "cat <<-E | a\n\tx `b`\n\tE\nc",
    "a <(b) >(c) 2>>d &>e {fd}<f <&3-",
    "echo ${a:-b} ${c//d/e} ${f%%g*} ${!h} ${#i} ${j^^} ${k:1:2} ${l@Q}",
    "echo \"$(a \"$(b)\" 'c')\" `d \\`e\\``",
    "echo {a,b}{1..3} ~/x *.[ch] 'q' $'\\n' $\"t\"",
    "! a && time b |& c || d; e & f",
    "x=1 y=$(z) a b=c; export d=e",
    "a #c\nb # d 'e\nf",
    "a \\\n b",
    "echo $((1 + (2 * 3))) $[4] ${a:-$((5))}",
    "$(case a in a) b;; esac)",
    "if [ a ]; then (b) else { c; } fi",
    "while a; do if b; then break; fi; done",
];

const TOKENS: &[&str] = &[
    ";",
    "&",
    "|",
    "&&",
    "||",
    "(",
    ")",
    "{ ",
    "}",
    "<",
    ">",
    "<<E",
    ">>",
    "'",
    "\"",
    "`",
    "$(",
    "$((",
    "))",
    "${",
    "}",
    "\\",
    "\n",
    " ",
    "#",
    "!",
    "if ",
    "then ",
    "fi",
    "do ",
    "done",
    "case ",
    "in ",
    "esac",
    ";;",
    "for ",
    "while ",
    "function ",
    "[[ ",
    " ]]",
    "$",
    "a=",
    "=(",
    "*",
    "?",
    "[",
    "]",
    "~",
    "\t",
    "E\n",
    "<(",
    "$'",
    "2>&1",
    "elif ",
    "else ",
    "time ",
    "coproc ",
    "((",
    "<<<",
    "<<-",
    "&>",
    "|&",
    ";&",
    "x",
    "1",
    "=",
    "+=",
    "@",
    ":-",
];

fn seeds() -> Vec<String> {
    let of = |file: &str| -> Vec<String> {
        file.lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                row["command"].as_str().unwrap().to_owned()
            })
            .collect()
    };
    let mut all = of(include_str!("cases/corpus.jsonl"));
    assert!(all.len() >= 300);
    all.extend(of(include_str!("cases/hidden-commands.jsonl")));
    for _ in 0..6 {
        all.extend(SEEDS.iter().map(|text| (*text).to_owned()));
    }
    all
}

/// One to three small changes.
fn mutate(rng: &mut Rng, seeds: &[String]) -> String {
    let mut text: Vec<char> = seeds[rng.below(seeds.len())].chars().take(400).collect();
    if rng.one_in(4) {
        return text.into_iter().collect();
    }
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(text.len() + 1);
        match rng.below(6) {
            0 if at < text.len() => drop(text.remove(at)),
            1 | 2 => {
                let token: Vec<char> = rng.pick(TOKENS).chars().collect();
                text.splice(at..at, token);
            }
            3 if at < text.len() => {
                let end = (at + 1 + rng.below(8)).min(text.len());
                drop(text.drain(at..end));
            }
            4 => {
                let other: Vec<char> = seeds[rng.below(seeds.len())].chars().take(60).collect();
                let from = rng.below(other.len() + 1);
                let to = (from + rng.below(20)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
            _ if at + 1 < text.len() => text.swap(at, at + 1),
            _ => {}
        }
    }
    text.into_iter().filter(|c| *c != '\0').collect()
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn bash(bash: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new(bash)
        .args(args)
        .env_clear()
        .env("PATH", "/nowhere")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn ours(text: &str) -> Inventory {
    let env = Env { home: None, cwd: Cwd::Unknown, vars: BTreeMap::new(), positional: Vec::new() };
    read(text.as_bytes(), &env, Dialect::Bash, &Limits::default())
}

/// Programs, sorted, each as often as it stands there.
fn programs(inventory: &Inventory) -> Vec<String> {
    let mut all: Vec<String> = inventory
        .commands
        .iter()
        .filter_map(|command| command.words.first())
        .map(|word| format!("{:?}", word.value))
        .collect();
    all.sort();
    all
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn bash_agrees_on_what_is_syntax_and_on_structure() {
    let Some(path) = find("bash") else {
        eprintln!("no bash on this machine: nothing was compared");
        return;
    };
    let seed = number("LEASTGRANT_ORACLE_SEED", 71);
    let count = number("LEASTGRANT_ORACLE_COUNT", 3_000);
    let show = std::env::var_os("LEASTGRANT_ORACLE_SHOW").is_some();
    let seeds = seeds();
    let mut rng = Rng::new(seed);
    let scratch = std::env::temp_dir().join(format!("leastgrant-oracle-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    let file = scratch.join("text");
    let (mut accepted, mut rejected, mut we_reject, mut we_accept) = (0u64, 0u64, 0u64, 0u64);
    let (mut compared, mut fewer) = (0u64, Vec::new());
    for _ in 0..count {
        let text = mutate(&mut rng, &seeds);
        std::fs::write(&file, &text).unwrap();
        let name = file.to_string_lossy().into_owned();
        let good = bash(&path, &["-n", &name]).is_some();
        let inventory = ours(&text);
        let clean = inventory.opaque.is_empty();
        match (good, clean) {
            (true, true) => {
                accepted += 1;
                let Some(printed) = bash(&path, &["--pretty-print", &name]) else { continue };
                // its printer now and then forgets a separator
                let again = ours(&printed);
                std::fs::write(&file, &printed).unwrap();
                if !again.opaque.is_empty() || bash(&path, &["-n", &name]).is_none() {
                    continue;
                }
                compared += 1;
                let (mut one, two) = (programs(&inventory), programs(&again));
                for program in two {
                    if program == "Exact(\"COPROC\")" {
                        // the name that the printer gives a coprocess without one
                        continue;
                    }
                    match one.iter().position(|known| *known == program) {
                        Some(at) => drop(one.remove(at)),
                        None => {
                            fewer.push(format!("{program} only in the printed form: {text:?} printed {printed:?}"));
                            break;
                        }
                    }
                }
            }
            (true, false) => {
                accepted += 1;
                we_reject += 1;
                if show {
                    eprintln!("bash accepts: {text:?}: {:?}", inventory.opaque);
                }
            }
            (false, true) => {
                rejected += 1;
                we_accept += 1;
                if show {
                    eprintln!("bash rejects: {text:?}");
                }
            }
            (false, false) => rejected += 1,
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
    let share = |part: u64, of: u64| part as f64 * 100.0 / of.max(1) as f64;
    eprintln!(
        "seed {seed}: {count} texts; bash accepts {accepted}, of which we call opaque {we_reject} ({:.1} %); bash rejects \
         {rejected}, of which we see nothing wrong with {we_accept} ({:.1} %); {compared} compared with the printed form, \
         {} lack a program",
        share(we_reject, accepted),
        share(we_accept, rejected),
        fewer.len()
    );
    assert!(accepted > count / 5 && rejected > count / 5, "the mutations say nothing");
    assert!(share(we_reject, accepted) < 5.0, "too much that bash accepts is opaque");
    assert!(fewer.is_empty(), "{} lack a program, first: {:#?}", fewer.len(), &fewer[..fewer.len().min(6)]);
}
