//! What a tool of an MCP server does in a browser: by the server's row in `knowledge/browsers.toml` and the words of the
//! tool's name. A name never frees a call of the bound; only servers that store URLs as data are left alone.

include!(concat!(env!("OUT_DIR"), "/browsers.rs"));

/// A row of the table.
#[derive(Debug)]
pub struct Server {
    /// names that people give it
    pub names: &'static [&'static str],
    /// what it is
    pub class: Class,
    /// who makes it
    pub home: &'static str,
    /// its navigation tool takes `back`, `forward` and `reload` as an address
    pub history: bool,
}

/// What a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// drives a browser
    Browser,
    /// fetches or searches
    Fetch,
    /// stores addresses as data
    Data,
}

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// runs code
    Script,
    /// visits an address and can't do without one
    Navigate,
    /// visits an address where one is given
    Open,
    /// fetches
    Fetch,
    /// searches by words
    Search,
    /// puts text somewhere
    Typing,
    /// acts on the page
    Act,
    /// only looks
    Perceive,
    /// moves through what was visited
    History,
    /// its name does not say
    Unsaid,
}

/// Server and tool of `mcp__server__tool`; a name that can be split in several ways is split at the last.
#[must_use]
pub fn split(tool_name: &str) -> Option<(&str, &str)> {
    let rest = tool_name.strip_prefix("mcp__")?;
    Some(rest.rsplit_once("__").unwrap_or((rest, "")))
}

/// The row of a server, by its name in the person's settings.
#[must_use]
pub fn server(name: &str) -> Option<&'static Server> {
    let name = name.to_ascii_lowercase().replace(['_', ' ', '.'], "-");
    let padded = format!("-{name}-");
    SERVERS.iter().find(|server| server.names.iter().any(|known| padded.contains(&format!("-{known}-"))))
}

/// What a tool does, by its name.
#[must_use]
pub fn does(tool: &str) -> Does {
    let whole = tool.to_ascii_lowercase().replace('-', "_");
    for (names, does) in [
        (TOOL_HISTORY, Does::History),
        (TOOL_PERCEIVE, Does::Perceive),
        (TOOL_ACT, Does::Act),
        (TOOL_SCRIPT, Does::Script),
    ] {
        if names.contains(&whole.as_str()) {
            return does;
        }
    }
    words(tool).iter().find_map(|word| by_word(word)).unwrap_or(Does::Unsaid)
}

fn by_word(word: &str) -> Option<Does> {
    [
        (SCRIPT, Does::Script),
        (NAVIGATE, Does::Navigate),
        (OPEN, Does::Open),
        (FETCH, Does::Fetch),
        (SEARCH, Does::Search),
        (TYPING, Does::Typing),
        (ACT, Does::Act),
        (PERCEIVE, Does::Perceive),
        (HISTORY, Does::History),
    ]
    .into_iter()
    .find(|(words, _)| words.contains(&word))
    .map(|(_, does)| does)
}

/// The words of a name in snake, kebab or camel case, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut low = false;
    for char in name.chars().take(256) {
        if (!char.is_alphanumeric() || (low && char.is_uppercase())) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        low = char.is_lowercase();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// A name of an argument as the table spells it.
pub(super) fn key(name: &str) -> String {
    name.chars().filter(|char| !matches!(char, '_' | '-' | ' ')).flat_map(char::to_lowercase).take(64).collect()
}

pub(super) fn is_address(key: &str) -> bool {
    KEY_ADDRESS.contains(&key) || key.ends_with("url") || key.ends_with("uri") || key.ends_with("href")
}

pub(super) fn is_addresses(key: &str) -> bool {
    KEY_ADDRESSES.contains(&key) || key.ends_with("urls") || key.ends_with("uris")
}

pub(super) fn may_be_address(key: &str) -> bool {
    KEY_MAYBE.contains(&key)
}

pub(super) fn launches(key: &str) -> bool {
    KEY_LAUNCH.contains(&key)
}

pub(super) fn names_a_file(key: &str) -> bool {
    KEY_FILE.contains(&key)
}

pub(super) fn is_verb(key: &str) -> bool {
    KEY_VERB.contains(&key)
}

/// Whether a word means a move through what was visited.
pub(super) fn is_history(word: &str) -> bool {
    HISTORY.contains(&word.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_known_by_whole_words_of_their_names() {
        for (name, class) in [
            ("playwright", Some(Class::Browser)),
            ("plugin_playwright_playwright", Some(Class::Browser)),
            ("Chrome-DevTools", Some(Class::Browser)),
            ("github-browser", Some(Class::Browser)),
            ("fetch", Some(Class::Fetch)),
            ("tracker", Some(Class::Data)),
            ("b", None),
            ("playwrights", None),
            ("", None),
        ] {
            assert_eq!(server(name).map(|server| server.class), class, "{name}");
        }
    }

    #[test]
    fn tools_are_known_by_their_names() {
        for (name, expected) in [
            ("browser_navigate", Does::Navigate),
            ("browser_navigate_back", Does::History),
            ("navigate_page", Does::Navigate),
            ("new_page", Does::Open),
            ("browser_tabs", Does::Open),
            ("browser_click", Does::Act),
            ("browser_type", Does::Typing),
            ("browser_evaluate", Does::Script),
            ("evaluate_script", Does::Script),
            ("browser_run_code", Does::Script),
            ("javascript_tool", Does::Script),
            ("browser_console_messages", Does::Perceive),
            ("browser_take_screenshot", Does::Perceive),
            ("get_page_text", Does::Perceive),
            ("take_snapshot", Does::Perceive),
            ("openTab", Does::Open),
            ("create", Does::Open),
            ("firecrawl_scrape", Does::Fetch),
            ("tavily-search", Does::Search),
            ("frobnicate", Does::Unsaid),
        ] {
            assert_eq!(does(name), expected, "{name}");
        }
    }

    #[test]
    fn every_server_is_found_by_each_of_its_names() {
        for row in SERVERS {
            for name in row.names {
                assert_eq!(server(name).map(|found| found.class), Some(row.class), "{name}");
            }
        }
    }
}
