//! On an agent that lets the model type into a running program unseen, what would run the typed text is held when it starts.

use leastgrant::agent::{Decoded, HookEnv};
use leastgrant_core::bundle;
use leastgrant_core::judge::{Bench, judge};
use leastgrant_core::policy::{Policy, Session, Standing};
use leastgrant_core::verdict::{AskKind, Decision, Verdict};
use leastgrant_core::world::FakeWorld;

use crate::dialect::Dialect;
use crate::stage::Stage;

const CASES: &str = include_str!("../cases/conformance/later-input.toml");
const ID: &str = "guard.later-input";

#[test]
fn what_would_read_its_commands_later_is_held_when_it_starts() {
    let cases: toml::Table = CASES.parse().unwrap();
    let dialect = Dialect::all().into_iter().find(|dialect| dialect.id == "codex").unwrap();
    let stage = Stage::new(&dialect);
    let env = HookEnv::from_lookup(|name| (name == "SHELL").then(|| String::from("/bin/bash")));
    let (standing, session) = (Standing::default(), Session::default());
    let policy = Policy { bundles: bundle::ticked().map(str::to_owned).collect(), ..Policy::default() };
    let world = FakeWorld::project().file("/home/u/project/README.md", "a\n");
    let bench = Bench { policy: &policy, standing: &standing, session: &session, world: &world };
    let judged = |command: &str| -> Verdict {
        let message = dialect.sent("shell", &[command]).unwrap().message(&dialect, &stage, "default");
        let text = String::from_utf8(message).unwrap().replace(stage.project().to_str().unwrap(), "/home/u/project");
        let Decoded::Pre(call) = dialect.agent().decode(text.as_bytes(), &env) else { panic!("no call: {text}") };
        judge(&call, &bench)
    };
    let mut wrong = Vec::new();
    let mut tried = 0;
    for (key, good) in [
        ("floor", (|it| it.floors.contains(&ID)) as fn(&Verdict) -> bool),
        ("held", |it| it.decision != Decision::Allow && it.kind != Some(AskKind::Unfamiliar)),
        ("quiet", |it| !it.floors.contains(&ID)),
    ] {
        for command in cases[key].as_array().unwrap() {
            let command = command.as_str().unwrap();
            let verdict = judged(command);
            tried += 1;
            if !good(&verdict) {
                wrong.push(format!("{key}: {command}: {:?} {:?} {:?}", verdict.decision, verdict.kind, verdict.floors));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}
