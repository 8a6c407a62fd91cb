//! Laws of DESIGN §4 over every command that the knowledge's examples name and over the hidden positions: a wrapper, another
//! command, a group or quoting never weakens a verdict, and the verdict inside `sh -c '…'` is at least the verdict outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot read its data fails")]

use leastgrant_core::bundle;
use leastgrant_core::call::{Attendance, Call, Mode, ShellCall, Tool};
use leastgrant_core::judge::{Bench, judge};
use leastgrant_core::policy::{Policy, Session, Standing};
use leastgrant_core::verdict::{AskKind, Decision};
use leastgrant_core::world::FakeWorld;
use leastgrant_shell::Dialect;
use proptest::prelude::*;

/// Strictness of one command line: the decision, then the kind of ask.
fn verdict(command: &str) -> (Decision, Option<AskKind>) {
    let world = FakeWorld::project();
    let policy = Policy { bundles: bundle::ticked().map(str::to_owned).collect(), ..Policy::default() };
    let call = Call {
        agent: "claude-code",
        agent_version: None,
        session: String::from("s"),
        call_id: None,
        subagent: None,
        mode: Mode::Default,
        attendance: Attendance::Attended,
        cwd: String::from("/home/u/project"),
        tool_name: String::from("Bash"),
        tool: Tool::Shell(ShellCall {
            command: command.to_owned(),
            dialect: Dialect::Bash,
            workdir: None,
            unsandboxed: false,
        }),
    };
    let bench = Bench { policy: &policy, standing: &Standing::default(), session: &Session::default(), world: &world };
    let verdict = judge(&call, &bench);
    (verdict.decision, verdict.kind)
}

/// Every `run = "…"` of the knowledge, and the hidden positions.
fn corpus() -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/knowledge/programs")).unwrap() {
        let file: toml::Table = toml::from_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap();
        for program in file.get("program").and_then(toml::Value::as_array).into_iter().flatten() {
            for example in program.get("examples").and_then(toml::Value::as_array).into_iter().flatten() {
                all.extend(example.get("run").and_then(toml::Value::as_str).map(str::to_owned));
            }
        }
    }
    all.sort();
    assert!(all.len() > 1_000, "the knowledge has only {} examples", all.len());
    all
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// What keeps or raises the danger of a command. Nothing that gives it another standard input: a shell that waits for typing
/// is one thing, a shell that reads a text another.
const AROUND: &[&str] = &[
    "sh -c «quoted»",
    "bash -lc «quoted»",
    "eval «quoted»",
    "( «command» )",
    "{ «command»\n}",
    "true; «command»",
    "«command»\ntrue",
    "if true; then «command»\nfi",
    "«command» && true",
    "bash -c «quoted» x y",
    "timeout 9 sh -c «quoted»",
    "env A=1 bash -c «quoted»",
    "nohup sh -c «quoted»",
    "f() { «command»\n}; f",
    "while true; do «command»\ndone",
    "echo $(«command»\n)",
    "cat <(«command»\n)",
    "trap «quoted» EXIT",
    "X=1 sh -c «quoted»",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wrapping_never_weakens(command in prop::sample::select(corpus()), around in prop::sample::select(AROUND)) {
        // a here-document's end must stay on a line of its own
        let wrapped = around.replace("«command»", &command).replace("«quoted»", &quoted(&command));
        let (outside, inside) = (verdict(&command), verdict(&wrapped));
        prop_assert!(inside.0 > outside.0 || inside.0 == outside.0 && inside.1 >= outside.1,
            "`{command}` is {outside:?}, but `{wrapped}` is {inside:?}");
    }

    #[test]
    fn another_command_never_weakens(first in prop::sample::select(corpus()), second in prop::sample::select(corpus())) {
        let alone = verdict(&first);
        let both = verdict(&format!("{first}\n{second}"));
        prop_assert!(both.0 > alone.0 || both.0 == alone.0 && both.1 >= alone.1,
            "`{first}` is {alone:?}, but with `{second}` it is {both:?}");
    }
}
