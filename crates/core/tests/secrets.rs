//! What counts as a credential: cases as data, all spellings of one place, and names of variables.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use leastgrant_core::path::place;
use leastgrant_core::secret::{glob_may_be_secret, holds_secrets, is_secret_name, secret};
use leastgrant_core::world::FakeWorld;
use proptest::prelude::*;

const PLACES: &str = include_str!("cases/secrets/places.toml");
const NAMES: &str = include_str!("cases/secrets/names.toml");

fn list(text: &str, key: &str) -> Vec<String> {
    let table: toml::Table = text.parse().unwrap();
    table.get(key).unwrap().as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

fn world() -> FakeWorld {
    let mut world = ordinary()
        .link("/home/u/proj/link-to-key", "/home/u/.ssh/id_rsa")
        .link("/home/u/proj/link-dir", "/home/u/.ssh")
        .link("/home/u/proj/link-to-readme", "README.md")
        .link("/home/u/proj/home-link", "/home/u")
        .locked("/home/u/proj/locked")
        .dir("/home/u/proj/envdir/.env")
        .dir("/home/u/proj/src/shadow")
        .with(|facts| {
            facts.agent_homes = vec![(String::from("claude-code"), String::from("/home/u/.moved"))];
            facts.secret_globs =
                vec![String::from("my-private.*"), String::from("notes/**/journal.txt"), String::from("~/diary/")];
        });
    world = world.file("/home/u/proj/notes/public.txt", "x");
    world
}

fn ordinary() -> FakeWorld {
    let mut world = FakeWorld::new("/home/u/proj").file("/home/u/.ssh/id_rsa", "x");
    for file in list(PLACES, "glob_files") {
        world = world.file(&format!("/home/u/proj/{file}"), "x");
    }
    world
}

fn check(key: &str, expected: bool, ask: impl Fn(&FakeWorld, &str) -> Option<&'static str>) {
    let world = if key.starts_with("glob") { ordinary() } else { world() };
    let wrong: Vec<String> = list(PLACES, key)
        .into_iter()
        .filter_map(|text| {
            let said = ask(&world, &text);
            (said.is_some() != expected).then(|| format!("{text}: {said:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{key}, wrong: {wrong:#?}");
}

fn at(world: &FakeWorld, text: &str) -> leastgrant_core::path::Place {
    place(world, Some("/home/u/proj"), text)
}

#[test]
fn credentials() {
    check("secret", true, |world, text| secret(world, &at(world, text)));
}

#[test]
fn ordinary_files() {
    check("plain", false, |world, text| secret(world, &at(world, text)));
}

#[test]
fn roots_that_hold_credentials() {
    check("holds", true, |world, text| holds_secrets(world, &at(world, text)));
    check("holds_none", false, |world, text| holds_secrets(world, &at(world, text)));
}

#[test]
fn globs() {
    check("glob_secret", true, |world, text| glob_may_be_secret(world, Some("/home/u/proj"), text));
    check("glob_plain", false, |world, text| glob_may_be_secret(world, Some("/home/u/proj"), text));
    assert!(glob_may_be_secret(&world(), Some("/home/u/proj"), "*").is_some(), "a link to a key is among them");
}

#[test]
fn names_of_variables() {
    let wrong: Vec<String> = list(NAMES, "secret").into_iter().filter(|name| !is_secret_name(name)).collect();
    assert!(wrong.is_empty(), "missed: {wrong:#?}");
    let wrong: Vec<String> = list(NAMES, "plain").into_iter().filter(|name| is_secret_name(name)).collect();
    assert!(wrong.is_empty(), "false alarm: {wrong:#?}");
}

#[test]
fn without_a_folder_the_name_still_counts() {
    let world = world();
    assert!(secret(&world, &place(&world, None, ".env")).is_some());
    assert!(secret(&world, &place(&world, None, "sub/id_rsa")).is_some());
    assert!(secret(&world, &place(&world, None, "src/main.rs")).is_none());
}

proptest! {
    /// No prefix of ordinary folders, dots or letter case hides a credential's name.
    #[test]
    fn spelling_never_hides(name in prop::sample::select(vec![".env", "id_rsa", "credentials.json", ".netrc", ".npmrc", "terraform.tfstate"]),
                            before in prop::collection::vec(prop::sample::select(vec!["a", ".", "..", "src", "b c", ""]), 0..6), upper in any::<bool>()) {
        let world = world();
        let name = if upper { name.to_uppercase() } else { name.to_owned() };
        let written = before.into_iter().chain([name.as_str()]).collect::<Vec<_>>().join("/");
        let there = at(&world, &written);
        prop_assert!(secret(&world, &there).is_some(), "{written}: {there:?}");
    }

    /// Any pattern is answered.
    #[test]
    fn total(pattern in any::<String>(), name in any::<String>()) {
        let world = world();
        let _ = glob_may_be_secret(&world, Some("/home/u/proj"), &pattern);
        let _ = is_secret_name(&name);
        let _ = secret(&world, &at(&world, &pattern));
    }
}
