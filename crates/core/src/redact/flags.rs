//! Secrets after flags of a command line: `--token X`, `-u name:password`, `mysql -pX`, `sshpass -p X`.

use super::{Find, run, stands_for_other};
use crate::secret::is_secret_name;

/// Flags by exact name whose value is a secret although their name is not telling.
const FLAGS: &[&str] = &[
    "--pass",
    "--auth",
    "--pat",
    "--pin",
    "--otp",
    "--cookie",
    "--bearer",
    "--oauth2-bearer",
    "--proxy-user-password",
    "--sudo-password",
    "--apikey",
    "--secret-key",
    "--key-password",
    "--storepass",
    "--keypass",
];
/// Flags that take `name:password`.
const PAIRS: &[&str] = &["-u", "--user", "--proxy-user", "-U", "--creds"];

pub(super) fn scan(text: &str, finds: &mut Vec<Find>) {
    let mut program = "";
    let mut telling: Option<&str> = None;
    for (from, word) in words(text) {
        let plain = word.trim_matches(['"', '\'', '\\']);
        let after = telling.take().filter(|_| !plain.starts_with('-') || plain.len() >= 20);
        if let Some(flag) = after {
            value(flag, from, word, finds);
            continue;
        }
        if matches!(plain, "|" | "||" | "&&" | ";" | "&") {
            program = "";
        } else if program.is_empty() && !plain.contains('=') {
            program = plain.rsplit('/').next().unwrap_or_default();
        }
        let database = matches!(program, "mysql" | "mariadb" | "mysqldump" | "mysqladmin" | "mysqlimport");
        if let Some((flag, rest)) = plain.split_once('=').filter(|(flag, _)| flag.starts_with("--")) {
            let start =
                from + word.len().saturating_sub(word.trim_start_matches(['"', '\'', '\\']).len()) + flag.len() + 1;
            if is_telling(flag) {
                push(start, rest, "flag", finds);
            } else if PAIRS.contains(&flag) {
                pair(start, rest, finds);
            }
        } else if is_telling(plain)
            || PAIRS.contains(&plain)
            || plain == "-p" && (database || program == "sshpass")
            || plain == "-a" && program == "redis-cli"
            || plain == "-P" && matches!(program, "7z" | "zip")
        {
            telling = Some(plain);
        } else if let Some(password) = plain.strip_prefix("-p").filter(|_| database || program == "sshpass") {
            push(from + word.find("-p").unwrap_or_default() + 2, password, "flag", finds);
        } else if let Some(rest) = plain.strip_prefix("-u").filter(|rest| program == "curl" && rest.contains(':')) {
            pair(from + word.find("-u").unwrap_or_default() + 2, rest, finds);
        }
    }
}

fn is_telling(flag: &str) -> bool {
    FLAGS.contains(&flag) || flag.strip_prefix("--").is_some_and(is_secret_name)
}

fn value(flag: &str, from: usize, word: &str, finds: &mut Vec<Find>) {
    let lead = run(word, |letter| matches!(letter, '"' | '\'' | '\\'));
    let plain = word.trim_matches(['"', '\'', '\\']);
    if PAIRS.contains(&flag) { pair(from + lead, plain, finds) } else { push(from + lead, plain, "flag", finds) }
}

/// `name:password`, the name kept. A port or a user id (`1000:1000`) is no password.
fn pair(from: usize, text: &str, finds: &mut Vec<Find>) {
    let Some((name, password)) = text.split_once(':') else { return };
    let number = !password.is_empty() && password.bytes().all(|byte| byte.is_ascii_digit()) && password.len() < 6;
    if !number && !password.starts_with("//") {
        push(from + name.len() + 1, password, "password", finds);
    }
}

fn push(from: usize, value: &str, label: &'static str, finds: &mut Vec<Find>) {
    if value.len() >= 3 && !stands_for_other(value) {
        finds.push(Find { from, to: from + value.len(), label });
    }
}

/// Words by blanks, a quoted part with its blanks in one word.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let from = at + run(rest, char::is_whitespace);
        let rest = text.get(from..)?;
        let end = extent(rest);
        at = from + end;
        (end > 0).then(|| (from, rest.get(..end).unwrap_or_default()))
    })
}

/// The end of the word that begins here. A quote that does not close on its line is an apostrophe.
fn extent(rest: &str) -> usize {
    let plain = run(rest, |letter| !letter.is_whitespace());
    let mut quote = None;
    for (offset, letter) in rest.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            (None, letter) if letter.is_whitespace() => return offset,
            (Some(_), '\n') => return plain,
            _ => {}
        }
    }
    if quote.is_some() { plain } else { rest.len() }
}
