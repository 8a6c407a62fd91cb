//! Whether what a worker says it will do can be taken back. A table of words in several languages decides
//! (`knowledge/conduct.toml`), and the flow's own list of what is out of bounds. Reading about a thing is not doing it;
//! a negation takes back, and can itself be taken back. In doubt the answer is [`Reach::Unclear`], which is held.
//! Must never understand a text as harmless because it is long, odd or in another spelling of letters.

mod listed;

use super::table::{COMMITS, LANGUAGES, Language, SIGNALS, SMALL, THINGS, TRIGGERS, Trigger, WANTS};
use super::words::{self, any, is};

/// How far an action reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Reach {
    /// nothing in it says that it can't be taken back
    Revocable,
    /// it can't be told: it is held, and the worker is asked to say what it is
    Unclear(Why),
    /// it can't be taken back, or the flow keeps it out of bounds
    Irreversible(Why),
}

/// Which words decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// `payment`, `deletion`, …, `out-of-bounds`, `unclear`
    pub class: &'static str,
    /// in words
    pub says: String,
    /// the words of the text
    pub words: String,
}

impl Reach {
    fn weight(&self) -> u8 {
        match self {
            Self::Revocable => 0,
            Self::Unclear(_) => 1,
            Self::Irreversible(_) => 2,
        }
    }

    fn worse(self, other: Self) -> Self {
        if other.weight() > self.weight() { other } else { self }
    }
}

/// Judges a declared action.
pub fn declared(text: &str, out_of_bounds: &[String]) -> Reach {
    judge(text, out_of_bounds, false)
}

/// Judges what stands on a thing that is pressed: its name is all there is, so a noun counts as well.
pub fn pressed(label: &str, out_of_bounds: &[String]) -> Reach {
    judge(label, out_of_bounds, true)
}

fn judge(text: &str, out_of_bounds: &[String], pressed: bool) -> Reach {
    if text.len() > words::MOST {
        return Reach::Unclear(Why {
            class: "unclear",
            says: format!("it is longer than {} bytes", words::MOST),
            words: String::new(),
        });
    }
    let clauses = words::clauses(text);
    let mut reach = Reach::Revocable;
    let mut read = Vec::new();
    for language in LANGUAGES {
        let triggers = TRIGGERS.iter().filter(|trigger| trigger.language == language.id);
        if language.joined {
            let whole = words::joined(text);
            for trigger in triggers {
                reach = reach.worse(in_text(&whole, language, trigger));
            }
            continue;
        }
        let mut found = Found::default();
        let parts = parts(&clauses, language);
        for trigger in triggers {
            for part in &parts {
                Clause { words: part, language, pressed }.trips(trigger, &mut found);
            }
        }
        read.push(found);
        if language.id == "en" {
            for part in &parts {
                reach = reach.worse(Clause { words: part, language, pressed }.vague());
                reach = reach.worse(listed::kept_out(part, out_of_bounds));
            }
        }
    }
    for found in &read {
        for why in &found.trips {
            // one language's yes is another's no, and which of them it is can't be told
            let doubted = read.iter().any(|other| {
                other.taken_back.contains(&why.words) && other.trips.iter().all(|trip| trip.words != why.words)
            });
            reach = reach.worse(if doubted { Reach::Unclear(why.clone()) } else { Reach::Irreversible(why.clone()) });
        }
    }
    reach
}

/// The clauses as a language divides them.
fn parts<'a>(clauses: &'a [Vec<String>], language: &Language) -> Vec<&'a [String]> {
    let link = language.link;
    let parts = clauses.iter().flat_map(|clause| clause.split(move |word| any(link, word)));
    parts.filter(|part| !part.is_empty()).collect()
}

/// What one language finds in a text.
#[derive(Default)]
struct Found {
    trips: Vec<Why>,
    /// words of triggers that a negation takes back
    taken_back: Vec<String>,
}

/// One clause, read in one language.
struct Clause<'a> {
    words: &'a [String],
    language: &'static Language,
    pressed: bool,
}

impl Clause<'_> {
    fn trips(&self, trigger: &Trigger, found: &mut Found) {
        for at in 0..self.words.len() {
            let Some(length) = self.matches(trigger, at) else { continue };
            let words = self.words.iter().skip(at).take(length).map(String::as_str).collect::<Vec<_>>().join(" ");
            let small = self.words.iter().skip(at + length).take(3).any(|word| any(trigger.harmless, word));
            if self.taken_back(at, length) {
                found.taken_back.push(words);
            } else if !small && !self.only_named(at, length) {
                found.trips.push(Why { class: trigger.class, says: trigger.says.to_owned(), words });
            }
        }
    }

    /// How many words from here on are the trigger.
    fn matches(&self, trigger: &Trigger, at: usize) -> Option<usize> {
        let word = self.words.get(at)?;
        if let Some(length) = trigger.phrases.iter().find_map(|phrase| self.phrase(phrase, at)) {
            return Some(length);
        }
        if any(trigger.verbs, word) && (!self.is_noun(at) || self.acts(at)) {
            return Some(1);
        }
        (any(trigger.nouns, word) && (self.verb_place(at) || self.acts(at))).then_some(1)
    }

    /// The words of a phrase in order, at most two others between two of them.
    fn phrase(&self, phrase: &[&str], at: usize) -> Option<usize> {
        let mut next = at;
        for (n, part) in phrase.iter().enumerate() {
            let reach = if n == 0 { 1 } else { 3 };
            let ahead = self.words.iter().skip(next).take(reach);
            next += 1 + ahead.enumerate().find(|(_, word)| is(part, word)).map(|(gap, _)| gap)?;
        }
        Some(next - at)
    }

    fn before(&self, at: usize) -> Option<&str> {
        at.checked_sub(1).and_then(|before| self.words.get(before)).map(String::as_str)
    }

    fn is_noun(&self, at: usize) -> bool {
        self.before(at).is_some_and(|word| any(self.language.article, word))
    }

    /// Where a word that can be both is a verb.
    fn verb_place(&self, at: usize) -> bool {
        self.before(at).is_none_or(|word| WANTS.contains(&word))
    }

    /// Something is pressed: this is a label, or a word for pressing stands before it.
    fn acts(&self, at: usize) -> bool {
        self.pressed || self.words.iter().take(at).any(|word| any(self.language.press, word))
    }

    /// The word behind makes it something to read, and nobody says that they will do it.
    fn only_named(&self, at: usize, length: usize) -> bool {
        let behind = self.words.get(at + length);
        let topic = behind.is_some_and(|word| any(self.language.topic, word));
        // what is pressed is not read, unless its name says that it leads to something to read
        let button = behind.is_some_and(|word| matches!(word.as_str(), "button" | "buttons" | "form"));
        let wanted = if length == 1 { at > 0 && self.verb_place(at) } else { self.verb_place(at) };
        topic && !wanted && !(button && self.acts(at))
    }

    fn taken_back(&self, at: usize, length: usize) -> bool {
        let ahead = self.words.get(..at).unwrap_or_default();
        let not = ahead.iter().rposition(|word| any(self.language.not, word)).filter(|not| at - not <= 6);
        let near = ahead.iter().rposition(|word| any(self.language.near, word)).filter(|near| at - near <= 2);
        for start in [not, near].into_iter().flatten() {
            let between = self.words.get(start + 1..at + length + 2).or_else(|| self.words.get(start + 1..));
            if !between.unwrap_or_default().iter().any(|word| any(self.language.undo, word)) {
                return true;
            }
        }
        let behind: Vec<&String> = self.words.iter().skip(at + length).take(4).collect();
        let after = behind.iter().take(3).position(|word| any(self.language.after, word));
        after.is_some_and(|after| !behind.iter().skip(after).take(2).any(|word| any(self.language.undo, word)))
    }

    /// An act without a thing, or on a thing that has no name.
    fn vague(&self) -> Reach {
        let unclear =
            |says: &str, words: String| Reach::Unclear(Why { class: "unclear", says: says.to_owned(), words });
        for (at, word) in self.words.iter().enumerate() {
            if self.taken_back(at, 1) {
                continue;
            }
            let rest = self.words.get(at + 1..).unwrap_or_default();
            let commits = COMMITS.contains(&word.as_str()) && (self.verb_place(at) || self.acts(at));
            if commits && !rest.iter().any(|word| SMALL.contains(&word.as_str())) {
                let topic = rest.first().is_some_and(|word| any(self.language.topic, word));
                if !topic {
                    return unclear("it commits to something that it does not name", word.clone());
                }
            }
            let nameless = !rest.is_empty() && rest.iter().all(|word| THINGS.contains(&word.as_str()));
            if !self.pressed && any(self.language.press, word) && nameless && self.verb_place(at) {
                return unclear("it presses something without saying what stands on it", self.words.join(" "));
            }
        }
        Reach::Revocable
    }
}

/// A language without blanks: the text is searched, and what stands around the find decides.
fn in_text(text: &str, language: &Language, trigger: &Trigger) -> Reach {
    for phrase in trigger.phrases.iter().flat_map(|phrase| phrase.iter()) {
        for (at, _) in text.match_indices(phrase) {
            let (ahead, behind) =
                (text.get(..at).unwrap_or_default(), text.get(at + phrase.len()..).unwrap_or_default());
            let ahead: String = ahead.chars().rev().take(2).collect::<Vec<_>>().into_iter().rev().collect();
            let tail: String = behind.chars().take(8).collect();
            let taken = language.not.iter().any(|not| ahead.contains(not))
                || language.after.iter().any(|after| tail.contains(after));
            let topic = language.topic.iter().any(|topic| behind.starts_with(topic));
            if !taken && !topic {
                return Reach::Irreversible(Why {
                    class: trigger.class,
                    says: trigger.says.to_owned(),
                    words: (*phrase).to_owned(),
                });
            }
        }
    }
    Reach::Revocable
}

/// Whether a text says one of the signals of a journal (`comprehension`, `abandonment`), negations heeded.
#[must_use]
pub fn signals(text: &str, signal: &str) -> bool {
    if text.len() > words::MOST {
        return false;
    }
    let clauses = words::clauses(text);
    let mut found = Found::default();
    for language in LANGUAGES.iter().filter(|language| !language.joined) {
        for row in SIGNALS.iter().filter(|row| row.class == signal && row.language == language.id) {
            for part in &clauses {
                Clause { words: part, language, pressed: false }.trips(row, &mut found);
            }
        }
    }
    found.trips.iter().any(|trip| !found.taken_back.contains(&trip.words))
}
