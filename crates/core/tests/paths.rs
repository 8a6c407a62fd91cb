//! Placing paths: cases as data, and the laws that no spelling may break.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use leastgrant_core::path::{self, Zone, place};
use leastgrant_core::world::FakeWorld;
use proptest::prelude::*;

const POSIX: &str = include_str!("cases/paths/posix.toml");
const WINDOWS: &str = include_str!("cases/paths/windows.toml");

fn strings(value: Option<&toml::Value>) -> Vec<String> {
    value
        .and_then(toml::Value::as_array)
        .map(|all| all.iter().map(|one| one.as_str().unwrap().to_owned()).collect())
        .unwrap_or_default()
}

fn posix_world() -> FakeWorld {
    let cases: toml::Table = POSIX.parse().unwrap();
    let world = cases.get("world").unwrap();
    let mut made = FakeWorld::new("/home/u/proj").user("bob", "/srv/bob");
    for file in strings(world.get("files")) {
        made = made.file(&file, "x");
    }
    for pair in world.get("links").unwrap().as_array().unwrap() {
        let pair = strings(Some(pair));
        made = made.link(pair.first().unwrap(), pair.last().unwrap());
    }
    for file in strings(world.get("locked")) {
        made = made.locked(&file);
    }
    made
}

fn run(cases: &str, world: &FakeWorld, cwd: &str) -> usize {
    let cases: toml::Table = cases.parse().unwrap();
    let mut done = 0;
    for case in cases.get("case").unwrap().as_array().unwrap() {
        let except = strings(case.get("except"));
        for written in strings(case.get("paths")) {
            if except.contains(&written) {
                continue;
            }
            let there = place(world, Some(cwd), &written);
            let zone = case.get("zone").unwrap().as_str().unwrap();
            assert_eq!(format!("{:?}", there.zone), zone, "{written:?}: {there:?}");
            if let Some(real) = case.get("real") {
                assert_eq!(there.real.as_deref(), real.as_str(), "{written:?}");
            }
            if let Some(any) = case.get("any").and_then(toml::Value::as_str) {
                assert!(there.readings().contains(&any), "{written:?}: {any} not in {there:?}");
            }
            done += 1;
        }
    }
    done
}

#[test]
fn posix_cases() {
    assert!(run(POSIX, &posix_world(), "/home/u/proj") > 90);
}

#[test]
fn windows_cases() {
    let world = FakeWorld::new("C:\\Code\\Proj").with(|facts| {
        facts.home = Some(String::from("C:\\Users\\U"));
        facts.case_blind = true;
    });
    assert!(run(WINDOWS, &world, "C:\\Code\\Proj") > 35);
}

#[test]
fn without_a_folder_only_absolute_paths_have_a_place() {
    let world = posix_world();
    assert_eq!(place(&world, None, "src/main.rs").zone, Zone::Unplaced);
    assert_eq!(place(&world, None, ".env").readings(), [".env"], "guards still see the name");
    assert_eq!(place(&world, None, "/home/u/proj/x").zone, Zone::Project);
    assert_eq!(place(&world, Some("sub"), "x").zone, Zone::Unplaced);
}

#[test]
fn letter_case_counts_where_the_file_system_counts_it() {
    let blind = posix_world().with(|facts| facts.case_blind = true);
    assert_eq!(place(&blind, Some("/home/u/proj"), "/HOME/U/Proj/x").zone, Zone::Project);
    assert_eq!(place(&posix_world(), Some("/home/u/proj"), "/home/u/Proj/x").zone, Zone::Home);
    // U+212A is not k for containment
    let kelvin = FakeWorld::new("/home/u/kit").with(|facts| facts.case_blind = true);
    assert_eq!(place(&kelvin, Some("/home/u/kit"), "/home/u/\u{212a}it/x").zone, Zone::Home);
}

#[test]
fn macos_keeps_its_temporary_folders_under_private() {
    let world = FakeWorld::new("/private/tmp/proj").link("/tmp", "/private/tmp").with(|facts| facts.case_blind = true);
    for written in ["/tmp/proj/x", "/private/tmp/proj/x", "x", "/private/TMP/proj/x"] {
        let zone = place(&world, Some("/tmp/proj"), written).zone;
        if written.contains("TMP") {
            assert_ne!(zone, Zone::Unplaced, "{written}");
        } else {
            assert_eq!(zone, Zone::Project, "{written}");
        }
    }
    assert_eq!(place(&world, Some("/tmp/proj"), "/tmp/other").zone, Zone::Temp);
}

#[test]
fn more_roots_count_as_the_project() {
    let world = posix_world().with(|facts| facts.extra_roots = vec![String::from("/srv/lib")]);
    let there = place(&world, Some("/home/u/proj"), "/srv/lib/x/y");
    assert_eq!(there.zone, Zone::Project);
    assert_eq!(there.in_project(&world), Some("x/y"));
    assert_eq!(place(&world, Some("/home/u/proj"), "src/main.rs").in_project(&world), Some("src/main.rs"));
    assert_eq!(place(&world, Some("/home/u/proj"), "..").in_project(&world), None);
}

#[test]
fn a_folder_by_another_name_and_the_name_itself() {
    let world = posix_world().link("/etc/into", "/home/u/proj/src");
    assert_eq!(place(&world, Some("/home/u/other"), ".").zone, Zone::Project);
    assert_eq!(place(&world, Some("/home/u/other"), "src/main.rs").zone, Zone::Project);
    assert_eq!(place(&world, Some("/home/u/proj"), "/etc/into/main.rs").zone, Zone::Project);
    assert_eq!(place(&world, Some("/home/u/proj"), "/etc/into").zone, Zone::Etc, "the link is a thing of its own");
}

#[test]
fn a_project_in_the_temporary_folder_is_the_project() {
    let world = FakeWorld::new("/tmp/w/proj").home("/tmp/w/home");
    assert_eq!(place(&world, Some("/tmp/w/proj"), "x").zone, Zone::Project);
    assert_eq!(place(&world, Some("/tmp/w/proj"), "/tmp/w/x").zone, Zone::Temp);
    assert_eq!(place(&world, Some("/tmp/w/proj"), "~/x").zone, Zone::Home);
}

#[test]
fn sizes_are_bounded() {
    let world = posix_world();
    for written in ["a/".repeat(5000), "../".repeat(5000), "x".repeat(5000), "loop1/".repeat(600), "in/../".repeat(600)]
    {
        let there = place(&world, Some("/home/u/proj"), &written);
        assert!(there.zone != Zone::Project || written.len() <= path::MAX, "{}", written.len());
    }
    let long = format!("{}.env", "a/../".repeat(2000));
    assert!(place(&world, Some("/home/u/proj"), &long).readings().contains(&"/home/u/proj/.env"));
}

#[test]
fn containment_is_by_components() {
    assert!(path::inside("/a/b", "/a/b", false));
    assert!(path::inside("/a/b/c", "/a/b/", false));
    assert!(path::inside("/a", "/", false));
    assert!(!path::inside("/a/bc", "/a/b", false));
    assert!(!path::inside("/a", "", false));
    assert!(!path::inside("/a", "a", false));
    assert!(!path::inside("/A/b", "/a", false));
    assert!(path::inside("/A/b", "/a", true));
    assert_eq!(path::strip("/a/b/c/d", "/a/b", false), Some("c/d"));
    assert_eq!(path::parent("/a/b"), "/a");
    assert_eq!(path::parent("/a"), "/");
    assert_eq!(path::name("/a/b/"), "b");
}

proptest! {
    /// What is called the project never gets out of it by a spelling: the physical reading decides as well.
    #[test]
    fn project_means_every_reading(parts in prop::collection::vec(
        prop::sample::select(vec!["..", ".", "src", "in", "out", "far", "sub", "deep", "dangling", "newdir", "loop1", "locked", "x", "", "~", "null"]), 0..9)) {
        let world = posix_world();
        let written = parts.join("/");
        let there = place(&world, Some("/home/u/proj"), &written);
        if there.zone == Zone::Project {
            for reading in there.readings() {
                prop_assert!(path::inside(reading, "/home/u/proj", false) || reading.starts_with("/home/u/other") || reading == "/dev/null",
                    "{written}: {there:?}");
            }
        }
    }

    /// Any text at all is placed, and never read outside its own letters.
    #[test]
    fn total(written in any::<String>(), cwd in prop::option::of(any::<String>())) {
        let world = posix_world();
        let there = place(&world, cwd.as_deref(), &written);
        prop_assert!(!there.readings().is_empty());
        let windows = FakeWorld::new("C:\\p");
        let _ = place(&windows, Some("C:\\p"), &written);
    }
}
