use proptest::prelude::*;

use super::{Account, Accounts, Evidence, Gap, Kind, Standing, Terms, Worth, blamed, bound, fold, required, worth};
use crate::action::Capability;
use crate::policy::Posture;
use crate::signature::Does;

const DAY: i64 = 24 * 3600 * 1000;
const NOW: i64 = 20_000 * DAY + 5;

fn does(capability: Capability) -> Does {
    Does { capability, blast: capability.default_blast(), opaque: false }
}

/// Approvals spread over days and sessions, ending today.
fn approved(times: i64, days: i64, sessions: i64) -> Account {
    let mut account = Account::default();
    for n in 0..times {
        account.add(Kind::Confirmed, NOW - (n % days) * DAY, &format!("s{}", n % sessions));
    }
    account
}

fn assessed(account: &Account, capability: Capability) -> Worth {
    worth(account, does(capability), &Terms::default(), Posture::Assist, NOW)
}

#[test]
fn the_bound_asks_for_what_the_table_says() {
    for (tier, fewest) in [(0, 5), (1, 5), (2, 11), (3, 52), (4, 214)] {
        assert!(bound(f64::from(fewest)) >= required(tier), "tier {tier}");
        assert!(bound(f64::from(fewest - 1)) < required(tier), "tier {tier}");
    }
}

#[test]
fn two_days_and_two_sessions_are_asked_for() {
    let confirmed = |account: &Account| matches!(assessed(account, Capability::VcsWrite), Worth::Confirmed { .. });
    assert!(confirmed(&approved(6, 2, 2)));
    assert_eq!(assessed(&approved(50, 1, 9), Capability::VcsWrite), Worth::Short(Gap::Days(1)));
    assert_eq!(assessed(&approved(50, 9, 1), Capability::VcsWrite), Worth::Short(Gap::Sessions(1)));
    assert_eq!(assessed(&approved(2, 2, 2), Capability::VcsWrite), Worth::Short(Gap::Approvals(3)));
    assert_eq!(assessed(&Account::default(), Capability::VcsWrite), Worth::Short(Gap::Unknown));
}

#[test]
fn heavy_and_opaque_things_are_never_learned() {
    let thousand = approved(1000, 40, 40);
    for capability in [Capability::Delete, Capability::VcsPublish, Capability::NetSend, Capability::Privilege] {
        assert_eq!(assessed(&thousand, capability), Worth::Short(Gap::Never), "{}", capability.id());
    }
    let opaque = Does { opaque: true, ..does(Capability::Build) };
    assert_eq!(worth(&thousand, opaque, &Terms::default(), Posture::Autopilot, NOW), Worth::Short(Gap::Never));
}

#[test]
fn approvals_fade_and_a_no_does_not() {
    let account = approved(12, 3, 3);
    let later =
        |days: i64| worth(&account, does(Capability::VcsWrite), &Terms::default(), Posture::Assist, NOW + days * DAY);
    assert!(matches!(later(90), Worth::Confirmed { .. }));
    assert!(matches!(later(360), Worth::Short(Gap::Approvals(_))));

    let mut refused = Account::default();
    refused.add(Kind::Denied, NOW - 4000 * DAY, "old");
    for n in 0..200 {
        refused.add(Kind::Confirmed, NOW - (n % 20) * DAY, &format!("s{n}"));
    }
    refused.add(Kind::Granted, NOW, "");
    refused.add(Kind::Forgotten, NOW, "");
    assert_eq!(assessed(&refused, Capability::VcsWrite), Worth::Denied);
}

#[test]
fn what_merely_ran_passes_only_where_it_leaves_no_trace() {
    let mut account = Account::default();
    for n in 0..40 {
        account.add(Kind::Observed, NOW - (n % 4) * DAY, &format!("s{}", n % 4));
    }
    assert!(matches!(assessed(&account, Capability::Inspect), Worth::Observed { .. }));
    assert_eq!(assessed(&account, Capability::WriteWorkspace), Worth::Short(Gap::Unknown));
    let autopilot = |capability| worth(&account, does(capability), &Terms::default(), Posture::Autopilot, NOW);
    assert!(matches!(autopilot(Capability::WriteWorkspace), Worth::Observed { .. }));
    assert_eq!(autopilot(Capability::NetFetch), Worth::Short(Gap::Unknown));
    assert_eq!(autopilot(Capability::Delete), Worth::Short(Gap::Never));
}

#[test]
fn times_that_cannot_be_buy_nothing() {
    let mut account = Account::default();
    for n in 0..40 {
        account.add(Kind::Confirmed, 0, &format!("s{n}"));
        account.add(Kind::Confirmed, i64::MIN, &format!("s{n}"));
    }
    assert_eq!(account, Account::default());
    for n in 0..40 {
        account.add(Kind::Confirmed, NOW + (2 + n) * DAY, &format!("s{n}"));
    }
    assert!(matches!(assessed(&account, Capability::VcsWrite), Worth::Short(Gap::Days(_))));
    account.add(Kind::Confirmed, i64::MAX, "s");
    let _ = assessed(&account, Capability::VcsWrite);
}

#[test]
fn a_no_to_several_is_about_the_heaviest() {
    let cd = "cd <path> @exec.inspect/1000";
    let rm = "rm <path> -rf @fs.delete/1200";
    let odd = "x <dynamic> @exec.unknown/2200?";
    assert_eq!(blamed(&[cd, rm]), Some(rm));
    assert_eq!(blamed(&[rm, odd, cd]), Some(odd));
    assert_eq!(blamed(&[]), None);
}

fn evidence() -> impl Strategy<Value = (Kind, i64, String)> {
    let kinds = [Kind::Observed, Kind::Confirmed, Kind::Granted, Kind::Denied, Kind::Forgotten];
    let rare = prop_oneof![
        30 => proptest::sample::select(vec![kinds[0], kinds[1]]),
        1 => proptest::sample::select(kinds.to_vec()),
    ];
    (rare, -2i64..120, 0..30u8).prop_map(|(kind, day, session)| (kind, (19_900 + day) * DAY, format!("s{session}")))
}

proptest! {
    #[test]
    fn order_never_matters(
        (straight, shuffled) in proptest::collection::vec(evidence(), 0..160)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
    ) {
        let folded = |all: &[(Kind, i64, String)]| {
            let mut accounts = Accounts::new();
            for (kind, at_ms, session) in all {
                fold(&mut accounts, &Evidence { kind: *kind, signature: "x @exec.build/1101", at_ms: *at_ms, session });
            }
            accounts
        };
        prop_assert_eq!(folded(&straight), folded(&shuffled));
    }

    #[test]
    fn a_no_outlives_everything(all in proptest::collection::vec(evidence(), 0..80), at in 0usize..80) {
        let mut account = Account::default();
        for (n, (kind, at_ms, session)) in all.iter().enumerate() {
            if n == at.min(all.len() - 1) {
                account.add(Kind::Denied, *at_ms, session);
            }
            account.add(*kind, *at_ms, session);
        }
        let mut standing = Standing::default();
        standing.learn("x @exec.build/1101", &account, &Terms::default(), Posture::Autopilot, NOW);
        prop_assert!(all.is_empty() || standing.denied.len() == 1);
    }

    #[test]
    fn two_halves_joined_are_the_whole(all in proptest::collection::vec(evidence(), 0..160), cut in 0usize..160) {
        let account = |part: &[(Kind, i64, String)]| {
            let mut account = Account::default();
            part.iter().for_each(|(kind, at_ms, session)| account.add(*kind, *at_ms, session));
            account
        };
        let (first, second) = all.split_at(cut.min(all.len()));
        let mut joined = account(first);
        joined.join(&account(second));
        prop_assert_eq!(joined, account(&all));
    }

    #[test]
    fn an_account_survives_being_written_down(all in proptest::collection::vec(evidence(), 0..80)) {
        let mut account = Account::default();
        for (kind, at_ms, session) in &all {
            account.add(*kind, *at_ms, session);
        }
        let text = serde_json::to_string(&account).unwrap();
        prop_assert_eq!(serde_json::from_str::<Account>(&text).unwrap(), account);
    }
}
