//! The redactor, measured: planted secrets that it must find, everyday commands that it must leave alone.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use leastgrant_core::redact::{plain, redact};
use proptest::prelude::*;

const HARMLESS: &str = include_str!("cases/redact/harmless.txt");
const CASES: &str = include_str!("cases/redact/cases.toml");

/// A fixed sequence, the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
    fn text(&mut self, letters: &str, length: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..length).map(|_| *letters.get(self.roll(letters.len())).unwrap()).collect()
    }
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.roll(from.len())).unwrap()
    }
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const URLSAFE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const HEX: &str = "0123456789abcdef";
const CAPITAL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// prefix, letters, how many: tokens that their shape gives away wherever they stand.
const SHAPES: &[(&str, &str, usize)] = &[
    ("ghp_", ALNUM, 36),
    ("gho_", ALNUM, 36),
    ("ghs_", ALNUM, 36),
    ("github_pat_", ALNUM, 60),
    ("glpat-", URLSAFE, 20),
    ("npm_", ALNUM, 36),
    ("pypi-", URLSAFE, 80),
    ("xoxb-", ALNUM, 40),
    ("xoxp-", ALNUM, 48),
    ("sk_live_", ALNUM, 24),
    ("rk_test_", ALNUM, 24),
    ("AKIA", CAPITAL, 16),
    ("ASIA", CAPITAL, 16),
    ("AIza", URLSAFE, 35),
    ("ya29.", URLSAFE, 60),
    ("sk-ant-api03-", URLSAFE, 80),
    ("sk-proj-", URLSAFE, 48),
    ("sk-", ALNUM, 48),
    ("hf_", ALNUM, 34),
    ("dop_v1_", HEX, 64),
    ("SG.", URLSAFE, 66),
    ("SK", HEX, 32),
    ("hvs.", URLSAFE, 90),
    ("glsa_", ALNUM, 32),
    ("dckr_pat_", URLSAFE, 27),
    ("AccountKey=", ALNUM, 86),
    ("gsk_", ALNUM, 52),
    ("shpat_", HEX, 32),
    ("dapi", HEX, 32),
    ("", ALNUM, 40),
    ("", URLSAFE, 64),
];
/// Where such a token may stand.
const ANYWHERE: &[&str] = &[
    "echo {}",
    "curl https://api.example/x -H 'X-Thing: {}'",
    "deploy {} now",
    "{}",
    "x={}; run",
    "{\"value\":\"{}\"}",
    "git remote add o https://{}@github.com/a/b",
    "found ({}) in log",
    "a\n{}\nb",
    "printf '%s' \"{}\" | tool",
];
/// Where any value is a secret, however plain.
const PLACES: &[&str] = &[
    "PASSWORD={} ./run",
    "export DB_PASSWORD={}",
    "API_KEY='{}' node x",
    "docker run -e MYSQL_ROOT_PASSWORD={} db",
    "{\"password\": \"{}\"}",
    "{\\\"client_secret\\\":\\\"{}\\\"}",
    "password = \"{}\"",
    "tool --password {}",
    "tool --token={}",
    "mysql -u root -p{} db",
    "mysql --password={} db",
    "curl -u admin:{} https://x.example",
    "curl --user admin:{} https://x.example",
    "psql postgres://app:{}@db.example/x",
    "redis://:{}@cache.example:6379",
    "git clone https://me:{}@git.example/a.git",
    "curl -H 'Authorization: Bearer {}' https://x.example",
    "curl -H \"Authorization: Basic {}\" x",
    "curl -H 'X-Api-Key: {}' x",
    "curl 'https://x.example/y?access_token={}&z=1'",
    "curl https://x.example/?api_key={}",
    "sshpass -p {} ssh h",
    "npm config set //r/:_authToken={}",
    "secrets:\n  apiKey: '{}'",
    "env NPM_TOKEN={} npm publish",
    "redis-cli -a {} ping",
    "Cookie: session={}; a=b",
];

#[test]
fn planted_secrets_are_found() {
    let mut dice = Dice(20_261_130);
    let (mut found, mut missed) = (0, Vec::new());
    for number in 0..500 {
        let (secret, place) = if number % 2 == 0 {
            let (prefix, letters, length) = *SHAPES.get((number / 2) % SHAPES.len()).unwrap();
            (format!("{prefix}{}", dice.text(letters, length)), dice.pick(ANYWHERE))
        } else {
            let weak = ["hunter2", "correcthorse", "S3cret!x", "letmein99", "Pa55w0rd"];
            let secret = if dice.roll(2) == 0 {
                dice.pick(&weak).to_owned()
            } else {
                let length = 8 + dice.roll(24);
                dice.text(ALNUM, length)
            };
            (secret, *PLACES.get((number / 2) % PLACES.len()).unwrap())
        };
        let text = place.replacen("{}", &secret, 1);
        // the prefix says only what it was; of the rest no eight letters in a row may stay (all of it, where it is shorter)
        let (prefix, _, _) =
            SHAPES.get((number / 2) % SHAPES.len()).copied().filter(|_| number % 2 == 0).unwrap_or_default();
        let body: Vec<char> = secret.strip_prefix(prefix).unwrap().chars().collect();
        let clean = redact(&text);
        let left = body.windows(8.min(body.len())).any(|part| clean.contains(&part.iter().collect::<String>()));
        if left { missed.push(format!("{text} → {clean}")) } else { found += 1 }
    }
    println!("planted secrets: {found} of 500 found ({:.1} %)", f64::from(found) / 5.0);
    println!("missed: {missed:#?}");
    assert!(found >= 490, "{missed:#?}");
}

#[test]
fn everyday_commands_stay_as_they_are() {
    let (mut all, mut damaged) = (0_u32, Vec::new());
    for line in HARMLESS.lines() {
        let clean = redact(line);
        let kept: Vec<&str> = clean.split_whitespace().collect();
        for token in line.split_whitespace() {
            all += 1;
            if !kept.contains(&token) {
                damaged.push(token);
            }
        }
    }
    let share = 100.0 * f64::from(u32::try_from(damaged.len()).unwrap()) / f64::from(all);
    println!("harmless tokens: {} of {all} damaged ({share:.2} %) {damaged:?}", damaged.len());
    assert!(all > 4000 && share <= 0.5, "{damaged:#?}");
}

#[test]
fn cases() {
    let table: toml::Table = CASES.parse().unwrap();
    let mut wrong = Vec::new();
    for (text, expected) in table.get("becomes").unwrap().as_table().unwrap() {
        let said = redact(text);
        if Some(said.as_str()) != expected.as_str() {
            wrong.push(format!("{text}\n  {said}\n  {expected}"));
        }
    }
    for text in table.get("stays").unwrap().as_array().unwrap() {
        let text = text.as_str().unwrap();
        if redact(text) != text {
            wrong.push(format!("{text}\n  {}", redact(text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_people_are_shown_is_one_line() {
    for (text, shown) in [
        ("a\nb\tc\rd", "a b c d"),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}]0;title\u{7}x", "x"),
        ("\u{1b}]8;;http://e\u{1b}\\link", "link"),
        ("a\u{202e}b\u{200b}c\u{feff}", "abc"),
        ("a\u{0}b\u{8}c", "a\u{fffd}b\u{fffd}c"),
        ("\u{1b}]never closed", "never closed"),
        ("\u{9b}1mx", "x"),
        ("12345678901", "123456789…"),
        ("ünïcödé", "ünïcödé"),
    ] {
        assert_eq!(plain(text, 10).as_str(), if shown.chars().count() > 10 { "never clo…" } else { shown }, "{text:?}");
    }
    assert_eq!(plain("abc", 0), "");
}

#[test]
fn large_text_is_answered() {
    for piece in [
        "token=",
        "glpat-",
        "ghp_",
        "://a:b@",
        "'",
        "--token ",
        "password: \"",
        "eyJ",
        "-----BEGIN PRIVATE KEY",
        "sk-",
        "\u{1b}]",
        "a=b:",
        "Authorization: ",
        "?sig=",
        "\"",
    ] {
        let text = piece.repeat(300_000 / piece.len());
        assert!(!redact(&text).is_empty() && plain(&text, 100).chars().count() <= 100, "{piece}");
    }
}

proptest! {
    /// Redacting twice changes nothing more, and any text is answered.
    #[test]
    fn settled(text in any::<String>(), max in 0_usize..50) {
        let once = redact(&text);
        prop_assert_eq!(redact(&once), once.clone());
        let shown = plain(&text, max);
        prop_assert!(shown.chars().count() <= max && !shown.chars().any(char::is_control));
    }
}
