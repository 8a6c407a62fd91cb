//! Hosts: what a browser would visit, whatever the letters suggest.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use leastgrant_core::host::{allowed, is_local, visit, visit_loose};
use proptest::prelude::*;

const HOSTS: &str = include_str!("cases/hosts/hosts.toml");

fn strings(value: Option<&toml::Value>) -> Vec<String> {
    value.unwrap().as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

#[test]
fn urls() {
    let table: toml::Table = HOSTS.parse().unwrap();
    let mut wrong = Vec::new();
    for (url, expected) in table.get("urls").unwrap().as_table().unwrap() {
        let expected = expected.as_array().unwrap();
        let said = visit(url);
        let host = said.as_ref().map(|said| said.host.clone().unwrap_or_else(|| String::from("-")));
        let local = said.as_ref().map(|said| said.local);
        if host.as_deref() != expected.first().unwrap().as_str() || local != expected.last().unwrap().as_bool() {
            wrong.push(format!("{url:?}: {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn lists() {
    let table: toml::Table = HOSTS.parse().unwrap();
    let lists = table.get("lists").unwrap();
    let wrong = |key: &str, fine: &dyn Fn(&str) -> bool| -> Vec<String> {
        strings(lists.get(key)).into_iter().filter(|text| !fine(text)).collect()
    };
    let all = [
        wrong("unreadable", &|text| visit(text).is_none()),
        wrong("local", &is_local),
        wrong("not_local", &|text| !is_local(text)),
        wrong("loose", &|text| visit_loose(text).is_some_and(|said| said.local)),
    ];
    assert!(all.iter().all(Vec::is_empty), "{all:#?}");
    assert_eq!(visit("https://x.example").unwrap().port, Some(443));
    assert_eq!(visit("https://x.example:8443").unwrap().port, Some(8443));
    assert!(visit(&format!("https://x/{}", "a".repeat(100_000))).is_none());
}

#[test]
fn allowlists() {
    let table: toml::Table = HOSTS.parse().unwrap();
    for case in table.get("allow").unwrap().as_array().unwrap() {
        let list = strings(case.get("list"));
        let missed: Vec<_> = strings(case.get("yes")).into_iter().filter(|host| !allowed(host, &list)).collect();
        let through: Vec<_> = strings(case.get("no")).into_iter().filter(|host| allowed(host, &list)).collect();
        assert!(missed.is_empty() && through.is_empty(), "{list:?} missed {missed:?} through {through:?}");
    }
}

proptest! {
    /// Any text is answered; what is allowed is the entry or ends in a dot and the entry.
    #[test]
    fn bounded(host in "[a-z.@:/\\\\-]{0,30}", noise in any::<String>()) {
        let list = vec![String::from("a.example")];
        let _ = (visit(&noise), is_local(&noise), allowed(&noise, &list), visit_loose(&noise));
        let named = format!("{host}a.example");
        if allowed(&named, &list) {
            prop_assert!(host.is_empty() || host.ends_with('.'), "{named}");
        }
    }
}
