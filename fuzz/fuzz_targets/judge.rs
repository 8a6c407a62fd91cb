//! The whole judge on the text of a Bash call: what was not understood never passes, a floor never passes, and another
//! harmless command or a shell around the text never weakens the verdict.

#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use leastgrant_core::bundle;
use leastgrant_core::call::{Attendance, Call, Mode, ShellCall, Tool};
use leastgrant_core::judge::{Bench, judge};
use leastgrant_core::policy::{Policy, Session, Standing};
use leastgrant_core::verdict::{AskKind, Decision, Verdict};
use leastgrant_core::world::FakeWorld;
use leastgrant_shell::{Cwd, Dialect, Env, Limits, read};
use libfuzzer_sys::fuzz_target;

static WORLD: LazyLock<FakeWorld> = LazyLock::new(FakeWorld::project);
static POLICY: LazyLock<Policy> =
    LazyLock::new(|| Policy { bundles: bundle::ticked().map(str::to_owned).collect(), ..Policy::default() });

fn verdict(command: &str) -> Verdict {
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
    let (standing, session) = (Standing::default(), Session::default());
    judge(&call, &Bench { policy: &POLICY, standing: &standing, session: &session, world: &*WORLD })
}

/// Strictness, in the order in which verdicts are folded.
fn rank(verdict: &Verdict) -> (Decision, Option<AskKind>) {
    (verdict.decision, verdict.kind)
}

/// Whether the reader alone understood all of the text.
fn understood(text: &str) -> bool {
    let env = Env {
        home: Some("/home/u".to_owned()),
        cwd: Cwd::At("/home/u/project".to_owned()),
        vars: BTreeMap::new(),
        positional: Vec::new(),
    };
    read(text.as_bytes(), &env, Dialect::Bash, &Limits::default()).opaque.is_empty()
}

fn sound(verdict: &Verdict, text: &str) {
    assert_eq!(verdict.decision == Decision::Ask, verdict.kind.is_some(), "an ask has a kind, nothing else has");
    assert!(!verdict.reasons.is_empty(), "a verdict without a reason");
    if verdict.decision == Decision::Allow {
        assert!(verdict.actions.iter().all(|action| action.opaque.is_none()), "what was not understood passed");
        assert!(verdict.floors.is_empty(), "passed although {:?} hold", verdict.floors);
    }
    let of_actions = verdict.actions.iter().filter_map(|action| action.span);
    for span in of_actions.chain(verdict.reasons.iter().filter_map(|reason| reason.span)) {
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{span:?} lies outside the text");
    }
}

fuzz_target!(|data: &[u8]| {
    let text = &*String::from_utf8_lossy(data);
    let alone = verdict(text);
    sound(&alone, text);
    let understood = understood(text);
    assert!(understood || alone.decision != Decision::Allow, "passed although the reader did not understand it");
    if !understood {
        return;
    }
    let mut around = vec![format!("true\n{text}")];
    // a backslash at the end would join the lines
    if !text.ends_with('\\') {
        around.push(format!("{text}\ntrue"));
    }
    // parameters of the two shells differ
    if !text.contains('$') {
        around.push(format!("bash -c '{}'", text.replace('\'', "'\\''")));
    }
    for more in around {
        let judged = verdict(&more);
        sound(&judged, &more);
        assert!(rank(&judged) >= rank(&alone), "{:?} alone, but {:?} as {more:?}", rank(&alone), rank(&judged));
    }
});
