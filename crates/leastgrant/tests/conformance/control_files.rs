//! Every control path of every record is kept by a floor, for every tool and every shell form that could change it,
//! through every adapter.

use leastgrant::agent::{Decoded, HookEnv};
use leastgrant_core::bundle;
use leastgrant_core::control::RECORDS;
use leastgrant_core::judge::{Bench, judge};
use leastgrant_core::policy::{Policy, Posture, Session, Standing};
use leastgrant_core::rule::quote;
use leastgrant_core::verdict::Decision;
use leastgrant_core::world::FakeWorld;

use crate::dialect::Dialect;
use crate::stage::Stage;

/// Ways of changing a file in a shell. `@` is the path.
const FORMS: &[&str] = &[
    "echo x > @",
    "echo x >> @",
    "printf x | tee @",
    "tee -a @ < README.md",
    "cp README.md @",
    "mv README.md @",
    "mv @ elsewhere",
    "rm -f @",
    "sed -i s/a/b/ @",
    "perl -pi -e s/a/b/ @",
    "ln -sf ../README.md @",
    "install -m 600 README.md @",
    "dd if=README.md of=@",
    "truncate -s 0 @",
    "cat > @ <<'E'\nx\nE",
    "curl -so @ https://example.com/x",
    "bash -c 'echo x > @'",
    "cd /; env X=1 cp /etc/hostname @",
    "true && { : > @; }",
    "sort README.md -o @",
    "git show HEAD:x > @",
    "rsync README.md @",
    "touch @; chmod +x @; echo x | dd of=@",
];

/// Paths that a record's row stands for.
fn instances(row: &str) -> Vec<String> {
    let tail = |path: &str| if path.ends_with('/') { format!("{path}x/y") } else { path.replace('*', "a") };
    if let Some(rest) = row.strip_prefix("<repo>/") {
        return vec![format!("/home/u/proj/{}", tail(rest)), tail(rest)];
    }
    if let Some(rest) = row.strip_prefix("<any>/") {
        return vec![format!("/home/u/proj/{}", tail(rest)), format!("/srv/x/{}", tail(rest))];
    }
    match row.strip_prefix("~/") {
        Some(rest) => vec![format!("/home/u/{}", tail(rest))],
        None => vec![tail(row)],
    }
}

#[test]
fn every_control_path_is_kept_whatever_writes_it() {
    let env = HookEnv::from_lookup(|name| (name == "SHELL").then(|| String::from("/bin/bash")));
    let (standing, session) = (Standing::default(), Session::default());
    let bundles = bundle::ticked().map(str::to_owned).collect();
    let policy = Policy { posture: Posture::Autopilot, bundles, ..Policy::default() };
    let world = FakeWorld::new("/home/u/proj").file("/home/u/proj/README.md", "a\n");
    let bench = Bench { policy: &policy, standing: &standing, session: &session, world: &world };
    let mut missed = Vec::new();
    let mut tried = 0;
    let mut turn = 0;
    for dialect in Dialect::all() {
        let first = dialect.id == "claude-code";
        let stage = Stage::new(&dialect);
        let mut ask = |about: &str, kind: &str, say: &[&str]| {
            let Some(sent) = dialect.sent(kind, say) else { return };
            let message = sent.message(&dialect, &stage, dialect.modes()[0]);
            let text = String::from_utf8(message).unwrap().replace(stage.project().to_str().unwrap(), "/home/u/proj");
            let Decoded::Pre(call) = dialect.agent().decode(text.as_bytes(), &env) else {
                panic!("{}: no call: {text}", dialect.id)
            };
            let verdict = judge(&call, &bench);
            tried += 1;
            if verdict.decision == Decision::Allow || verdict.floors.is_empty() {
                let said = (verdict.decision, verdict.floors);
                missed.push(format!("{} {about}: {kind} {say:?}: {said:?}", dialect.id));
            }
        };
        for record in RECORDS {
            for row in record.control_paths {
                for path in instances(row.path) {
                    let about = format!("({} {})", record.id, row.path);
                    for kind in dialect.writers() {
                        ask(&about, kind, &[&path, "x"]);
                    }
                    let word = quote(&path);
                    // every form by one agent, and by the others in turn: what a shell is given is read in one place
                    turn += 1;
                    let turns = FORMS.iter().enumerate().filter(|(at, _)| first || at % 8 == turn % 8);
                    for (_, form) in turns {
                        ask(&about, "shell", &[&form.replace('@', &word)]);
                    }
                }
            }
        }
    }
    println!("{tried} changes of control files, {} without a floor", missed.len());
    assert!(missed.is_empty(), "{} of {tried}:\n{}", missed.len(), missed.join("\n"));
    assert!(tried > 15_000, "only {tried} were tried");
}
