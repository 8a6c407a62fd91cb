use leastgrant_shell::Value;

use super::{Does, ShellShape, Word, body, does, seal, shell, tier};
use crate::action::Capability;
use crate::path::Place;
use crate::world::FakeWorld;

fn reads() -> Does {
    let capability = Capability::Inspect;
    Does { capability, blast: capability.default_blast(), opaque: false }
}

fn of(words: &[&str]) -> String {
    let values: Vec<Value> = words.iter().map(|word| Value::Exact((*word).to_owned())).collect();
    let words =
        values.iter().map(|value| Word { value, place: None, option: value.prefix().starts_with('-') }).collect();
    let shape = ShellShape { program: Some("prog"), words, ..ShellShape::default() };
    body(&shell(&FakeWorld::new("/home/u/project"), &shape, reads())).to_owned()
}

#[test]
fn classes_of_words() {
    for (words, expected) in [
        (&["build"][..], "prog build"),
        (&["-v", "x", "-a"], "prog x -a -v"),
        (&["-v", "-v"], "prog -v"),
        (&["12"], "prog <n>"),
        (&["-p", "8080"], "prog <port> -p"),
        (&["1.2.3"], "prog <version>"),
        (&["v1.2.3-rc.1"], "prog <version>"),
        (&["0a1b2c3"], "prog <sha>"),
        (&["1234567"], "prog <n>"),
        (&["123e4567-e89b-12d3-a456-426614174000"], "prog <uuid>"),
        (&["git@example.org:a/b"], "prog <remote>"),
        (&["two words"], "prog <text>"),
        (&["SELECT 1; DROP TABLE a"], "prog <sql:select+more>"),
        (&["drop table a;"], "prog <sql:drop>"),
        (&["--level=3"], "prog --level=<n>"),
        (&["--name=a b"], "prog --name=<text>"),
        (&["<path>"], "prog <text>"),
        (&["@x/y"], "prog <text>"),
        (&[""], "prog ''"),
    ] {
        assert_eq!(of(words), expected, "{words:?}");
    }
}

#[test]
fn an_operand_is_never_an_option() {
    let value = Value::Exact(String::from("-rf"));
    let shape = |option| ShellShape {
        program: Some("rm"),
        words: vec![Word { value: &value, place: None, option }],
        ..ShellShape::default()
    };
    let world = FakeWorld::new("/home/u/project");
    assert_ne!(shell(&world, &shape(true), reads()), shell(&world, &shape(false), reads()));
}

#[test]
fn what_is_not_known_is_one_class_and_places_come_first() {
    let world = FakeWorld::new("/home/u/project");
    let values =
        [Value::Unknown, Value::Prefix(String::from("a")), Value::OneOf(vec![String::from("a"), String::from("b")])];
    for value in &values {
        let place = Place::unknown("…");
        let word = |place| ShellShape {
            program: Some("cat"),
            words: vec![Word { value, place, option: false }],
            ..ShellShape::default()
        };
        assert_eq!(body(&shell(&world, &word(None), reads())), "cat <dynamic>");
        assert_eq!(body(&shell(&world, &word(Some(&place)), reads())), "cat <path:unresolved>");
    }
}

#[test]
fn a_signature_gives_back_what_it_does() {
    for (capability, _, blast) in Capability::ALL {
        for opaque in [false, true] {
            let made = Does { capability, blast, opaque };
            let signature = seal("x @exec.test/0000 y", made);
            assert_eq!(does(&signature), Some(made), "{signature}");
            assert_eq!(body(&signature), "x @exec.test/0000 y");
            assert_eq!(tier(&signature), Some(blast.tier()));
        }
    }
}

#[test]
fn long_bodies_stay_apart_and_short() {
    let one = seal(&"a".repeat(5000), reads());
    let two = seal(&("a".repeat(4999) + "b"), reads());
    assert_ne!(one, two);
    assert!(one.len() < 700);
}
