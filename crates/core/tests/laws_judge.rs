//! Laws of judging, over made-up actions: what no combination of facts, rules and learning may do.

use std::sync::LazyLock;

use leastgrant_core::action::{
    Action, Blast, Capability, Exposure, Mark, Opaque, Reach, Role, Scale, Target, TargetKind, Undo,
};
use leastgrant_core::bundle::BUNDLES;
use leastgrant_core::call::{Attendance, Call, Mode, ShellCall, Tool};
use leastgrant_core::channel::{Allow, Answer, Ask, Channel, Silence, fit};
use leastgrant_core::floor::is_integrity;
use leastgrant_core::judge::{Bench, weigh};
use leastgrant_core::path::place;
use leastgrant_core::policy::{Policy, Posture, Session, Standing};
use leastgrant_core::rule::{Effect, Layer, Rule};
use leastgrant_core::signature::{Does, body, does, seal};
use leastgrant_core::verdict::{Decision, Verdict};
use leastgrant_core::world::FakeWorld;
use leastgrant_shell::Dialect;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const PATHS: &[&str] = &[
    "src/a.rs",
    "README.md",
    ".env",
    ".git",
    ".git/config",
    ".git/index.lock",
    "package.json",
    "CLAUDE.md",
    "..",
    ".",
    "/",
    "~",
    "~/.ssh/id_ed25519",
    "~/.bashrc",
    "~/.claude/settings.json",
    ".claude/settings.json",
    "~/.leastgrant/rules.toml",
    "~/.claude/projects/x/y.jsonl",
    "~/other/file",
    "/tmp/x",
    "/tmp",
    "/etc/hosts",
    "/etc/shadow",
    "/usr/include/a.h",
    "/dev/null",
    "~nobody/x",
];
const HOSTS: &[(&str, bool)] = &[("docs.rs", false), ("localhost", true), ("10.0.0.1", false)];
const MARKS: &[Mark] = &[
    Mark::Privilege,
    Mark::PipeToShell,
    Mark::FetchRun,
    Mark::Persistence,
    Mark::Production,
    Mark::Injection,
    Mark::AgentOffSwitch,
    Mark::LaterInput,
    Mark::OwnCommand,
    Mark::Disarm,
    Mark::Unusual,
];
const ROLES: &[Role] = &[Role::List, Role::Read, Role::Write, Role::Delete, Role::Execute, Role::Connect, Role::Send];

static WORLD: LazyLock<FakeWorld> = LazyLock::new(|| {
    FakeWorld::new("/home/u/project").file("/home/u/project/src/a.rs", "fn a() {}").file("/home/u/.ssh/id_ed25519", "x")
});

fn call() -> Call {
    Call {
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
            command: String::from("the whole * text"),
            dialect: Dialect::Bash,
            workdir: None,
            unsandboxed: false,
        }),
    }
}

fn target() -> impl Strategy<Value = Target> {
    let path = (select(ROLES), select(PATHS)).prop_map(|(role, path)| Target {
        role,
        kind: TargetKind::Path(place(&*WORLD, Some("/home/u/project"), path)),
        text: path.to_owned(),
        span: None,
    });
    let host = (select(vec![Role::Connect, Role::Send]), select(HOSTS)).prop_map(|(role, (host, local))| Target {
        role,
        kind: TargetKind::Host { host: host.to_owned(), local },
        text: format!("https://{host}/"),
        span: None,
    });
    prop_oneof![4 => path, 1 => host]
}

fn blast() -> impl Strategy<Value = Blast> {
    let reach =
        select(vec![Reach::None, Reach::Workspace, Reach::Machine, Reach::Network, Reach::External, Reach::Production]);
    let undo = select(vec![Undo::Trivial, Undo::Easy, Undo::Hard, Undo::Irreversible]);
    let exposure = select(vec![Exposure::None, Exposure::None, Exposure::ReadsSecrets, Exposure::CanExfiltrate]);
    let scale = select(vec![Scale::Single, Scale::Many, Scale::Sweeping]);
    (reach, undo, exposure, scale).prop_map(|(reach, undo, exposure, scale)| Blast { reach, undo, exposure, scale })
}

fn capability() -> impl Strategy<Value = Capability> {
    select(Capability::ALL.map(|row| row.0).to_vec())
}

prop_compose! {
    fn action()(
        capability in capability(),
        other in blast(),
        usual in prop::bool::weighted(0.7),
        targets in prop::collection::vec(target(), 0..3),
        marks in prop_oneof![4 => Just(vec![]), 1 => subsequence(MARKS.to_vec(), 1)],
        opaque in prop::bool::weighted(0.15),
        name in "[a-d] [a-d]",
    ) -> Action {
        let blast = if usual { capability.default_blast() } else { other };
        Action {
            capability,
            blast,
            targets,
            signature: seal(&name, Does { capability, blast, opaque }),
            display: name,
            span: None,
            opaque: opaque.then(|| Opaque { span: None, why: String::from("made up") }),
            marks,
            notes: Vec::new(),
            safer: None,
            family: "test",
        }
    }
}

prop_compose! {
    fn rule()(
        effect in select(vec![Effect::Allow, Effect::Ask, Effect::Deny]),
        pattern in select(vec!["a *", "b ?", "**", "c c", "the whole * text", "= the whole * text", "never"]),
        layer in select(vec![Layer::Machine, Layer::User, Layer::Project, Layer::Session]),
    ) -> Rule {
        Rule { effect, pattern: pattern.to_owned(), when: leastgrant_core::rule::When::default(), layer, project: None, note: None, until_ms: None }
    }
}

fn all_bundles() -> Vec<String> {
    BUNDLES.iter().map(|bundle| bundle.id.to_owned()).collect()
}

/// What a judgement rests on, made up.
#[derive(Clone, Debug)]
struct Setting {
    policy: Policy,
    standing: Standing,
    session: Session,
}

impl Setting {
    fn judge(&self, actions: &[Action]) -> Verdict {
        let bench = Bench { policy: &self.policy, standing: &self.standing, session: &self.session, world: &*WORLD };
        weigh(&call(), actions.to_vec(), &bench)
    }
}

prop_compose! {
    fn setting()(
        posture in select(vec![Posture::Observe, Posture::Assist, Posture::Autopilot, Posture::Strict]),
        rules in prop::collection::vec(rule(), 0..3),
        bundles in subsequence(all_bundles(), 0..=BUNDLES.len()),
        broken in prop::bool::weighted(0.1),
        secret in prop::bool::weighted(0.2),
        unreadable in prop::bool::weighted(0.1),
        familiar in prop::collection::vec("[a-d] [a-d]", 0..3),
        denied in prop::collection::vec("[a-d] [a-d]", 0..2),
    ) -> Setting {
        let signatures = |names: Vec<String>| -> Vec<String> {
            names
                .iter()
                .flat_map(|name| Capability::ALL.map(|(capability, _, blast)| {
                    seal(name, Does { capability, blast, opaque: false })
                }))
                .collect()
        };
        Setting {
            policy: Policy {
                posture,
                rules,
                bundles,
                problems: if broken { vec![String::from("rules.toml:1:1: made up")] } else { vec![] },
                ..Policy::default()
            },
            standing: Standing { familiar: signatures(familiar), denied: signatures(denied), ..Standing::default() },
            session: Session {
                read_secrets: if secret { vec![String::from("~/.netrc")] } else { vec![] },
                unreadable,
            },
        }
    }
}

fn channel() -> impl Strategy<Value = Channel> {
    let asks = || select(vec![Ask::Prompts, Ask::Refuses, Ask::None, Ask::Unknown, Ask::Hangs, Ask::Passes]);
    let allow = select(vec![Allow::Grants, Allow::Overrides, Allow::Advisory, Allow::Passes, Allow::Unknown]);
    let silence = select(vec![Silence::Defers, Silence::Unknown, Silence::Allows]);
    (silence, allow, asks(), asks(), any::<bool>()).prop_map(
        |(silence, allow, ask_attended, ask_unattended, deny_ends)| Channel {
            agent: "test",
            name: "test",
            silence,
            allow,
            ask_attended,
            ask_unattended,
            deny_ends,
        },
    )
}

fn mode() -> impl Strategy<Value = Mode> {
    select(vec![
        Mode::Default,
        Mode::AcceptEdits,
        Mode::Plan,
        Mode::Auto,
        Mode::DontAsk,
        Mode::Bypass,
        Mode::Unsaid,
        Mode::Unknown(String::from("x")),
    ])
}

fn attendance() -> impl Strategy<Value = Attendance> {
    select(vec![Attendance::Attended, Attendance::Unattended, Attendance::Unknown])
}

/// How strict an answer is.
fn strength(answer: &Answer) -> u8 {
    match answer {
        Answer::Allow { .. } => 0,
        Answer::Silent => 1,
        Answer::Ask { .. } => 2,
        Answer::Deny { .. } => 3,
    }
}

fn at_least(stricter: &Verdict, verdict: &Verdict) -> bool {
    (stricter.decision, stricter.kind) >= (verdict.decision, verdict.kind) || stricter.decision == Decision::Deny
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn adding_an_action_never_weakens(
        actions in prop::collection::vec(action(), 1..4),
        more in action(),
        setting in setting(),
        channel in channel(),
        mode in mode(),
        attendance in attendance(),
    ) {
        let alone = setting.judge(&actions);
        let mut both = actions.clone();
        both.push(more);
        let together = setting.judge(&both);
        prop_assert!(at_least(&together, &alone), "{:?}\n{:?}", alone, together);
        prop_assert!(alone.contained || !together.contained);
        for floor in &alone.floors {
            prop_assert!(together.floors.contains(floor), "{floor} is gone");
        }
        let posture = setting.policy.posture;
        let before = fit(&alone, &channel, &mode, attendance, posture);
        let after = fit(&together, &channel, &mode, attendance, posture);
        prop_assert!(strength(&after) >= strength(&before), "{before:?}\n{after:?}");
    }

    #[test]
    fn order_changes_nothing(
        actions in prop::collection::vec(action(), 1..5).prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        setting in setting(),
    ) {
        let one = setting.judge(&actions.0);
        let two = setting.judge(&actions.1);
        prop_assert_eq!(one.decision, two.decision);
        prop_assert_eq!(one.kind, two.kind);
        prop_assert_eq!(one.reasons, two.reasons);
        prop_assert_eq!(one.floors, two.floors);
        prop_assert_eq!(one.contained, two.contained);
        prop_assert_eq!(one.remedy, two.remedy);
    }

    #[test]
    fn nothing_learned_or_granted_lifts_a_floor(actions in prop::collection::vec(action(), 1..4), setting in setting()) {
        let mut without = setting;
        without.policy.rules.retain(|rule| rule.effect != Effect::Allow);
        let mut with = without.clone();
        with.policy.bundles = all_bundles();
        with.standing.familiar = actions.iter().map(|action| action.signature.clone()).cycle().take(1_000).collect();
        let verdict = with.judge(&actions);
        let opaque = actions.iter().any(|action| action.opaque.is_some());
        let floored = !without.judge(&actions).floors.is_empty();
        prop_assert!(!(opaque || floored) || verdict.decision != Decision::Allow, "{verdict:?}");

        with.policy.bundles.clear();
        let verdict = with.judge(&actions);
        let heavy = actions.iter().any(|action| action.blast.tier() >= 3);
        prop_assert!(!heavy || verdict.decision != Decision::Allow, "{verdict:?}");
    }

    #[test]
    fn an_integrity_floor_beats_every_rule(actions in prop::collection::vec(action(), 1..4), setting in setting()) {
        let mut setting = setting;
        setting.policy.rules.clear();
        setting.policy.problems.clear();
        let before = setting.judge(&actions);
        for pattern in ["**", "= the whole * text"] {
            setting.policy.rules.push(Rule {
                effect: Effect::Allow,
                pattern: pattern.to_owned(),
                when: leastgrant_core::rule::When::default(),
                layer: Layer::Session,
                project: None,
                note: None,
                until_ms: None,
            });
        }
        let after = setting.judge(&actions);
        let integrity = before.floors.iter().any(|floor| is_integrity(floor));
        prop_assert_eq!(integrity, after.decision == Decision::Deny);
        // everything else is the person's to allow
        prop_assert_eq!(!integrity, after.decision == Decision::Allow);
    }

    #[test]
    fn what_tightens_never_loosens(actions in prop::collection::vec(action(), 1..4), setting in setting(), more in rule()) {
        let before = setting.judge(&actions);
        let mut tighter = Vec::new();
        if more.effect != Effect::Allow {
            let mut ruled = setting.clone();
            ruled.policy.rules.push(more);
            tighter.push(ruled);
        }
        let mut broken = setting.clone();
        broken.policy.problems.push(String::from("x"));
        tighter.push(broken);
        let mut strict = setting.clone();
        strict.policy.posture = Posture::Strict;
        tighter.push(strict);
        let mut tainted = setting.clone();
        tainted.session.read_secrets.push(String::from("~/.netrc"));
        tighter.push(tainted);
        let mut refused = setting.clone();
        refused.standing.denied = actions.iter().map(|action| action.signature.clone()).collect();
        tighter.push(refused);
        for setting in tighter {
            let after = setting.judge(&actions);
            prop_assert!(at_least(&after, &before), "{:?}\n{:?}\n{:?}", setting, before, after);
        }
    }

    #[test]
    fn every_answer_has_its_words(
        actions in prop::collection::vec(action(), 0..6),
        setting in setting(),
        channel in channel(),
        mode in mode(),
        attendance in attendance(),
    ) {
        let verdict = setting.judge(&actions);
        let posture = setting.policy.posture;
        let answer = fit(&verdict, &channel, &mode, attendance, posture);
        if verdict.decision != Decision::Allow {
            prop_assert!(!verdict.reasons.is_empty());
            prop_assert!(verdict.reasons.iter().all(|reason| !reason.text.is_empty()));
            let known = |id| leastgrant_core::reason::IDS.iter().any(|row| row.0 == id);
            prop_assert!(verdict.reasons.iter().all(|reason| known(reason.id)));
        }
        match &answer {
            Answer::Silent => {}
            Answer::Allow { reason } | Answer::Ask { reason } | Answer::Deny { reason } => {
                prop_assert!(reason.starts_with("leastgrant: ") && reason.len() > 20 && reason.len() <= 2_048, "{reason}");
                prop_assert!(!reason.chars().any(|char| char.is_control() && char != '\n'));
            }
        }
        if verdict.decision == Decision::Deny {
            let observed = posture == Posture::Observe && !verdict.floors.iter().any(|floor| is_integrity(floor));
            // where silence lets a call run unasked, observing is not silent either
            let refused = matches!(answer, Answer::Deny { .. });
            prop_assert!(refused != observed || channel.silence == Silence::Allows);
        }
        if let Answer::Allow { .. } = answer {
            prop_assert_eq!(verdict.decision, Decision::Allow);
        }
    }

    #[test]
    fn different_blast_is_a_different_signature(
        one in (capability(), blast(), any::<bool>()),
        two in (capability(), blast(), any::<bool>()),
        name in ".{0,40}",
    ) {
        let of = |(capability, blast, opaque)| Does { capability, blast, opaque };
        let (one, two) = (of(one), of(two));
        let signatures = (seal(&name, one), seal(&name, two));
        prop_assert_eq!(one == two, signatures.0 == signatures.1);
        prop_assert_eq!(does(&signatures.0), Some(one));
        prop_assert_eq!(body(&signatures.0), name);
    }
}
