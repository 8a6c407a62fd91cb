//! Names whose value is a credential: environment variables, keys of settings, flags.

use super::table::{HARMLESS_NAMES, SECRET_PAIRS, SECRET_WORDS};

/// A longer name is no name.
const LONGEST: usize = 256;

/// Whether a variable or key of this name holds a credential: `GITHUB_TOKEN`, `dbPassword`, `x-api-key`; not
/// `MAX_TOKENS`, `GIT_AUTHOR_NAME` or `PWD`.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    if name.len() > LONGEST {
        return false;
    }
    let words = words(name);
    let joined = words.join("_");
    if HARMLESS_NAMES.contains(&joined.as_str()) || words.iter().any(|word| word == "public") {
        return false;
    }
    let counts = matches!(
        words.last().map(String::as_str),
        Some(
            "count"
                | "limit"
                | "length"
                | "len"
                | "size"
                | "ttl"
                | "expiry"
                | "name"
                | "file"
                | "path"
                | "url"
                | "type"
                | "enabled"
                | "dir"
        )
    );
    if words.len() == 1
        && matches!(
            words.first().map(String::as_str),
            Some("pass" | "auth" | "pin" | "pat" | "otp" | "webhook" | "cred" | "cookie" | "cookies" | "tokens")
        )
    {
        // alone these words are flags and verbs as often as they are values
        return name.bytes().all(|byte| byte.is_ascii_uppercase());
    }
    let paired = words.windows(2).any(|pair| SECRET_PAIRS.contains(&pair.join(" ").as_str()));
    let ends =
        |word: &String| ["password", "passwd", "passphrase", "secret", "apikey"].iter().any(|end| word.ends_with(end));
    paired || !counts && words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()) || ends(word))
}

/// The words of a name, lower case: split at `_`, `-`, `.` and at humps.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut low = false;
    for letter in name.chars() {
        let hump = low && letter.is_ascii_uppercase();
        if (hump || !letter.is_ascii_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_ascii_alphanumeric() {
            word.push(letter.to_ascii_lowercase());
        }
        low = letter.is_ascii_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
