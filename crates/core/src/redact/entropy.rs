//! The backstop: long runs too random to be words, names, hashes or paths.

use super::{Find, run};

const LEAST: usize = 28;
const BITS: f64 = 3.6;
/// A run with slashes counts as a path unless a part of it is as random by itself.
const PART: usize = 12;
const PART_BITS: f64 = 3.5;

pub(super) fn scan(text: &str, finds: &mut Vec<Find>) {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let length = run(rest, alphabet);
        if length == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let word = rest.get(..length).unwrap_or_default();
        if length >= LEAST && is_random(word) {
            let lead = run(word, |letter| matches!(letter, '-' | '/' | '='));
            finds.push(Find { from: at + lead, to: at + length, label: "high-entropy" });
        }
        at += length;
    }
}

fn alphabet(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '_' | '-' | '=')
}

fn is_random(word: &str) -> bool {
    if word.starts_with("sha256-") || word.starts_with("sha384-") || word.starts_with("sha512-") {
        return false;
    }
    if word.contains('/') {
        let parts = word.split('/').filter(|part| part.len() >= PART);
        return parts.clone().any(|part| mixed(part, PART_BITS)) && mixed(word, BITS);
    }
    mixed(word, BITS)
}

/// Letters of both cases and digits, in no order that words or names have.
fn mixed(word: &str, bits: f64) -> bool {
    let classes: Vec<u8> = word.bytes().filter_map(class).collect();
    let has = |class: u8| classes.contains(&class);
    if !(has(0) && has(1) && has(2)) || entropy(word) < bits {
        return false;
    }
    // words keep their case and numbers stand together: in random text the kind of letter changes more than every third time
    let changes = classes.windows(2).filter(|pair| pair.first() != pair.last()).count();
    changes * 20 >= classes.len() * 7
}

fn class(byte: u8) -> Option<u8> {
    match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths of words are far below what a float holds exactly")]
fn entropy(word: &str) -> f64 {
    let mut counts = [0_usize; 128];
    for byte in word.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = word.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| *count as f64 / total)
        .map(|share| -share * share.log2())
        .sum()
}
