// `knowledge/conduct.toml` → `conduct.rs`: what a persona run may not do, and which tools only look.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tools: Tools,
    language: Vec<Language>,
    class: Vec<Class>,
    vague: Vague,
    signal: Vec<Class>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    looks: Vec<String>,
    presses: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    id: String,
    #[serde(default)]
    joined: bool,
    not: Vec<String>,
    #[serde(default)]
    near: Vec<String>,
    after: Vec<String>,
    #[serde(default)]
    undo: Vec<String>,
    #[serde(default)]
    article: Vec<String>,
    #[serde(default)]
    press: Vec<String>,
    topic: Vec<String>,
    #[serde(default)]
    link: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Class {
    id: String,
    says: String,
    words: Vec<Words>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    language: String,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    nouns: Vec<String>,
    #[serde(default)]
    phrases: Vec<String>,
    #[serde(default)]
    harmless: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vague {
    commits: Vec<String>,
    harmless: Vec<String>,
    things: Vec<String>,
    wants: Vec<String>,
}

pub(crate) fn write(knowledge: &Path, out: &Path) -> Result<(), String> {
    let file: File = crate::tables::read(&knowledge.join("conduct.toml"))?;
    let mut code = String::new();
    let _ = writeln!(code, "pub(super) static LOOKS: &[&str] = &{:?};", file.tools.looks);
    let _ = writeln!(code, "pub(super) static PRESSES: &[&str] = &{:?};", file.tools.presses);
    languages(&file.language, &mut code)?;
    classes("TRIGGERS", &file.class, &file.language, &mut code)?;
    classes("SIGNALS", &file.signal, &file.language, &mut code)?;
    let vague = &file.vague;
    for (name, list) in
        [("COMMITS", &vague.commits), ("SMALL", &vague.harmless), ("THINGS", &vague.things), ("WANTS", &vague.wants)]
    {
        let _ = writeln!(code, "pub(super) static {name}: &[&str] = &{:?};", plain(list)?);
    }
    crate::tables::save(&out.join("conduct.rs"), &code)
}

fn languages(list: &[Language], code: &mut String) -> Result<(), String> {
    code.push_str("pub(super) static LANGUAGES: &[Language] = &[\n");
    for row in list {
        // languages without blanks are searched as text
        let words = |list: &[String]| if row.joined { Ok(list.to_vec()) } else { plain(list) };
        let _ = writeln!(
            code,
            "    Language {{ id: {:?}, joined: {}, not: &{:?}, near: &{:?}, after: &{:?}, undo: &{:?}, article: &{:?}, press: &{:?}, topic: &{:?}, link: &{:?} }},",
            row.id,
            row.joined,
            words(&row.not)?,
            words(&row.near)?,
            words(&row.after)?,
            words(&row.undo)?,
            words(&row.article)?,
            words(&row.press)?,
            words(&row.topic)?,
            words(&row.link)?,
        );
    }
    code.push_str("];\n");
    Ok(())
}

fn classes(name: &str, classes: &[Class], languages: &[Language], code: &mut String) -> Result<(), String> {
    let _ = writeln!(code, "pub(super) static {name}: &[Trigger] = &[");
    for class in classes {
        for words in &class.words {
            let Some(language) = languages.iter().find(|row| row.id == words.language) else {
                return Err(format!("class {} has words of the unknown language `{}`", class.id, words.language));
            };
            let mut phrases = String::new();
            for phrase in &words.phrases {
                let parts: Vec<&str> =
                    if language.joined { vec![phrase.as_str()] } else { phrase.split(' ').collect() };
                let _ = write!(phrases, "&{parts:?}, ");
            }
            let _ = writeln!(
                code,
                "    Trigger {{ class: {:?}, says: {:?}, language: {:?}, verbs: &{:?}, nouns: &{:?}, phrases: &[{phrases}], harmless: &{:?} }},",
                class.id,
                class.says,
                words.language,
                plain(&words.verbs)?,
                plain(&words.nouns)?,
                plain(&words.harmless)?,
            );
        }
    }
    code.push_str("];\n");
    Ok(())
}

/// Words as the reader sees them: one word each, lower case.
fn plain(list: &[String]) -> Result<Vec<String>, String> {
    match list.iter().find(|word| **word != word.to_lowercase() || word.contains([' ', '\''])) {
        Some(word) => Err(format!("`{word}` in conduct.toml must be one word in lower case")),
        None => Ok(list.to_vec()),
    }
}
